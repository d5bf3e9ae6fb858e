//! Making all rows of a scene and removing them again.

use std::time::{Duration, Instant};

use ldy::legacy::layout::{BODY, CON, DIAB};

use super::textbook::{Textbook, TextbookRows};
use super::time;
use ldy_benches::host::{Host, blocks_of, rows_from};
use ldy_benches::median;
use testing::Random;

/// How often rows are made and removed in each order, at least and at most.
const ROUNDS: [usize; 2] = [3, 101];
/// How long to measure if that is more than the fewest rounds.
const ENOUGH: Duration = Duration::from_secs(1);

/// Times over the blocks of the scene, in nanoseconds.
pub struct Building {
    /// Making all rows for the first time.
    pub first_insert: f64,
    /// Making all rows again, in memory that removed ones left: the median after removal in each order, and of these
    /// the greatest.
    pub insert: f64,
    /// The textbook's insertion in turns with that, in memory that it has used before.
    pub textbook_insert: Option<f64>,
    /// Removing all rows in each order of [`ORDERS`], medians.
    pub remove: [f64; 3],
}

/// Orders in which rows are removed: the order of the list, its reverse, and a random one.
pub const ORDERS: [&str; 3] = ["head_first", "tail_first", "random"];

impl Building {
    /// Measure a scene all of whose rows are there, for the first time and made in this time.
    ///
    /// # Panics
    /// If the textbook's rows have other blocks.
    pub fn measure(host: &Host, blocks: usize, first: Duration, textbook: Option<&Textbook>) -> Self {
        let per_block = |time: Duration| time.as_secs_f64() * 1e9 / blocks as f64;
        // The textbook makes a block with every constraint on a body.
        let textbook = textbook.filter(|_| host.scene().couples_all());
        let textbook = textbook.map(|textbook| textbook.rows().expect("the textbook's rows"));
        let structure = textbook.is_some().then(|| structure(host.rows()));
        let mut random = Random::new(2);
        let (mut remove, mut insert) = ([const { vec![] }; 3], [const { vec![] }; 3]);
        let mut textbook_insert = vec![];
        let start = Instant::now();
        let rounds = (0..ROUNDS[1]).take_while(|k| *k < ROUNDS[0] || start.elapsed() < ENOUGH);
        for round in rounds {
            for (order, name) in ORDERS.into_iter().enumerate() {
                let rows = rows(host.constraint_count(), name, &mut random);
                remove[order].push(time(|| rows.into_iter().for_each(|k| host.remove(k))));
                if let Some(textbook) = &textbook {
                    let time = time(|| host.insert_all_by(|con| insert_by(textbook, con)));
                    if round == 0 {
                        assert!(structure == Some(self::structure(rows_from(textbook.first()))));
                    } else {
                        textbook_insert.push(time);
                    }
                    host.forget_rows();
                    textbook.clear();
                }
                insert[order].push(time(|| host.insert_all()));
            }
        }
        Self {
            first_insert: per_block(first),
            insert: insert.iter().map(|times| per_block(median(times))).fold(0.0, f64::max),
            textbook_insert: textbook.map(|_| per_block(median(&textbook_insert))),
            remove: remove.map(|times| per_block(median(&times))),
        }
    }
}

fn insert_by(textbook: &TextbookRows, con: *mut CON) -> *mut DIAB {
    // SAFETY: the host's constraints are valid, and so are their bodies with their sets.
    unsafe { textbook.insert(con) }
}

/// The constraints of rows and of their neighbors, and the bodies between them, in the order of the lists.
fn structure(rows: impl Iterator<Item = *mut DIAB>) -> Vec<(*mut CON, Vec<(*mut CON, *mut BODY)>)> {
    // SAFETY: rows of a list, their blocks and their neighbors are live.
    let of = |row: *mut DIAB| unsafe {
        ((*row).con, blocks_of(row).map(|block| ((*(*block).dia).con, (*block).bod)).collect())
    };
    rows.map(of).collect()
}

/// Constraints in an order of removal. The row of the constraint inserted last is the head of the list.
fn rows(count: usize, order: &str, random: &mut Random) -> Vec<usize> {
    let mut rows: Vec<usize> = (0..count).collect();
    match order {
        "head_first" => rows.reverse(),
        "random" => (1..count).for_each(|k| rows.swap(k, random.below(k + 1))),
        _ => (),
    }
    rows
}

//! Making all rows of a scene and removing them again.

use std::time::{Duration, Instant};

use super::{median, time};
use crate::host::Host;
use crate::scenes::random::Random;

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
    /// Removing all rows in each order of [`ORDERS`], medians.
    pub remove: [f64; 3],
}

/// Orders in which rows are removed: as they lie in the list, against it, at random.
pub const ORDERS: [&str; 3] = ["head_first", "tail_first", "random"];

impl Building {
    /// Measure a scene all of whose rows are there, for the first time and made in this time.
    pub fn measure(host: &Host, blocks: usize, first: Duration) -> Self {
        let per_block = |time: Duration| time.as_secs_f64() * 1e9 / blocks as f64;
        let mut random = Random(2);
        let (mut remove, mut insert) = ([const { vec![] }; 3], [const { vec![] }; 3]);
        let start = Instant::now();
        let rounds = (0..ROUNDS[1]).take_while(|k| *k < ROUNDS[0] || start.elapsed() < ENOUGH);
        for _ in rounds {
            for (order, name) in ORDERS.into_iter().enumerate() {
                let rows = rows(host.constraint_count(), name, &mut random);
                remove[order].push(time(|| rows.into_iter().for_each(|k| host.remove(k))));
                insert[order].push(time(|| host.insert_all()));
            }
        }
        Self {
            first_insert: per_block(first),
            insert: insert.iter().map(|times| per_block(median(times))).fold(0.0, f64::max),
            remove: remove.map(|times| per_block(median(&times))),
        }
    }
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

//! The messages of a coloring.
#![forbid(unsafe_code)]

use std::ffi::c_int;

use crate::ffi::errors::Result;
use crate::memory::{self, push, repeated};

use super::coloring::{Coloring, NONE};
use super::mpi::exchange::{Flight, Message, Traffic};
use super::mpi::group::Group;
use super::row_exchange::RowsOfRank;

/// Colors in a word.
const COLORS: usize = 2;

const TAG: c_int = 5;

/// Rounds in which a process sends a message to each process that does not know all of its colors. Both ends know the length of the
/// message, which has an entry for each row that had no color in the last one.
pub struct Rounds {
    out: Vec<Vec<u32>>,
    inbox: Vec<Vec<u32>>,
    flight: Flight,
}

fn copies(lists: &[RowsOfRank]) -> memory::Result<Vec<Vec<u32>>> {
    let mut copies = memory::with_capacity(lists.len())?;
    lists.iter().try_for_each(|list| push(&mut copies, memory::copied(&list.rows)?))?;
    Ok(copies)
}

fn messages(lists: &[RowsOfRank]) -> memory::Result<Vec<Message>> {
    let mut messages = memory::with_capacity(lists.len())?;
    for RowsOfRank { rank, rows } in lists {
        messages.push(Message { rank: *rank, words: repeated(rows.len().div_ceil(COLORS), 0)? });
    }
    Ok(messages)
}

/// Write the colors of rows, and forget the rows that have one.
fn pack(rows: &mut Vec<u32>, words: &mut Vec<u64>, coloring: &Coloring) {
    words.truncate(rows.len().div_ceil(COLORS));
    for (word, rows) in words.iter_mut().zip(rows.chunks(COLORS)) {
        *word = rows.iter().rev().fold(0, |word, &row| word << 32 | u64::from(coloring.color(row)));
    }
    rows.retain(|&row| coloring.color(row) == NONE);
}

impl Rounds {
    /// # Errors
    /// If memory is exhausted.
    pub fn new(out: &[RowsOfRank], inbox: &[RowsOfRank]) -> memory::Result<Self> {
        let flight = Flight::new(messages(out)?, messages(inbox)?);
        Ok(Self { out: copies(out)?, inbox: copies(inbox)?, flight })
    }

    /// Reserve all that rounds need.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn reserve(&self, group: &Group) -> Result {
        self.flight.reserve(group)
    }

    /// Whether all colors have been sent and received.
    pub fn are_over(&self) -> bool {
        self.out.iter().chain(&self.inbox).all(Vec::is_empty)
    }

    /// Send and receive the colors of the next round.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn next(&mut self, group: &Group, traffic: &mut Traffic, coloring: &mut Coloring) -> Result {
        let Self { out, inbox, flight } = self;
        for (rows, message) in out.iter_mut().zip(&mut flight.out) {
            pack(rows, &mut message.words, coloring);
        }
        for (rows, message) in inbox.iter().zip(&mut flight.inbox) {
            message.words.truncate(rows.len().div_ceil(COLORS));
        }
        flight.start(group, TAG, traffic)?;
        flight.finish(group)?;
        for (rows, message) in inbox.iter_mut().zip(&flight.inbox) {
            let words = message.words.iter();
            let mut colors = words.flat_map(|word| (0..COLORS).map(move |k| (word >> (32 * k)) as u32));
            rows.retain(|&row| !coloring.receive(row, colors.next().unwrap_or(NONE)));
        }
        Ok(())
    }
}

//! Processes that know who sends to whom: lengths of messages go from one to the other, and not to all.
#![forbid(unsafe_code)]

use std::ffi::c_int;

use crate::ffi::errors::Result;
use crate::memory::{self, push, repeated};

use super::exchange::{Flight, Letters, Message, Traffic};
use super::group::Group;

/// The processes that get letters of this one, and those whose letters it gets. A letter may be empty. Memory for lengths belongs to them,
/// so that no process waits for the length of one whose memory is exhausted.
#[derive(Debug, Default)]
pub struct Partners {
    lengths: Flight,
}

const TAG: c_int = 3;

fn messages(ranks: impl IntoIterator<Item = u32>) -> memory::Result<Vec<Message>> {
    let mut sorted = Vec::new();
    ranks.into_iter().try_for_each(|rank| push(&mut sorted, rank))?;
    sorted.sort_unstable();
    sorted.dedup();
    let mut messages = memory::with_capacity(sorted.len())?;
    for rank in sorted {
        messages.push(Message { rank: rank as usize, words: repeated(1, 0)? });
    }
    Ok(messages)
}

impl Partners {
    /// Partners by their ranks, in any order: of each process in `out` this one is in `inbox`.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(
        group: &Group,
        out: impl IntoIterator<Item = u32>,
        inbox: impl IntoIterator<Item = u32>,
    ) -> Result<Self> {
        let lengths = Flight::new(messages(out)?, messages(inbox)?);
        lengths.reserve(group)?;
        Ok(Self { lengths })
    }

    /// Send the lengths of letters to all partners, 0 without letters, and receive theirs.
    pub(super) fn exchange_lengths(
        &mut self,
        group: &Group,
        letters: Option<&Letters>,
        traffic: &mut Traffic,
    ) -> Result {
        for Message { rank, words } in &mut self.lengths.out {
            words[0] = letters.map_or(0, |letters| letters.length(*rank)) as u64;
        }
        self.lengths.start(group, TAG, traffic)?;
        self.lengths.finish(group)
    }

    /// Write the lengths that have arrived to the entries of their processes.
    pub(super) fn read_lengths(&self, received: &mut [i64]) {
        for Message { rank, words } in &self.lengths.inbox {
            received[*rank] = words[0] as i64;
        }
    }
}

//! Records in the order of sending.

use std::collections::TryReserveError;
use std::ffi::c_int;

use super::world::Record;
use crate::legacy::errors::{Code, Result, fail, invalid};
use crate::memory::{bytes, collect, push};

/// Records for ranks: as added, and sorted by rank. The memory is kept from one update to the next.
#[derive(Default)]
pub struct Outbox {
    drafts: Vec<(usize, Record)>,
    /// The records sorted by [`Outbox::sort`].
    pub sorted: Vec<Record>,
}

/// Data that a local dynamics keeps for its exchanges.
#[derive(Default)]
pub struct Exchange {
    /// Records for other ranks.
    pub outbox: Outbox,
    /// Records from other ranks.
    pub inbox: Vec<Record>,
    /// Messages sent in the last update.
    pub messages: usize,
    /// Bytes in them.
    pub message_bytes: usize,
}

impl Exchange {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.outbox.bytes() + bytes(&self.inbox)
    }
}

fn no_memory(_: TryReserveError) -> Code {
    fail!(Code::OutOfMemory, "no memory for what goes to other ranks")
}

impl Outbox {
    /// Remove all records.
    pub fn clear(&mut self) {
        self.drafts.clear();
    }

    /// Add a record for a rank.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn push(&mut self, rank: usize, record: Record) -> Result {
        push(&mut self.drafts, (rank, record)).map_err(no_memory)
    }

    /// Sort by ranks, then by constraints and roles, and count the records for each rank; `counts` has an entry for each rank.
    ///
    /// # Errors
    /// If memory is exhausted, or there are more than `most` records for a rank.
    pub fn sort(&mut self, counts: &mut [c_int], most: c_int) -> Result {
        counts.fill(0);
        for (rank, _) in &self.drafts {
            ensure!(counts[*rank] != most, invalid!("more for rank {rank} than MPI can count"));
            counts[*rank] += 1;
        }
        // A constraint has one record of each role.
        self.drafts.sort_unstable_by_key(|(rank, record)| (*rank, record.constraint, record.role));
        collect(&mut self.sorted, self.drafts.len(), self.drafts.iter().map(|(_, record)| *record))
            .map_err(no_memory)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.drafts) + bytes(&self.sorted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::legacy::host::body_point::Role;

    fn outbox(ranks: &[usize]) -> Outbox {
        let mut outbox = Outbox::default();
        for (id, &rank) in (0..).zip(ranks) {
            outbox.push(rank, Record::new(id, Role::Master, [[0.0; 3]; 2])).unwrap();
        }
        outbox
    }

    #[test]
    fn records_are_grouped_by_ranks_in_their_order() {
        let mut counts = [7; 4];
        let mut outbox = outbox(&[2, 0, 2, 3, 0, 2]);
        outbox.sort(&mut counts, 3).unwrap();
        let ids: Vec<u32> = outbox.sorted.iter().map(|record| record.constraint).collect();
        assert_eq!((ids, counts), (vec![1, 4, 0, 2, 5, 3], [2, 0, 3, 1]));
        outbox.clear();
        outbox.sort(&mut counts, 3).unwrap();
        assert_eq!((&outbox.sorted[..], counts), (&[] as &[Record], [0; 4]));
    }

    #[test]
    fn more_records_than_can_be_counted_are_refused() {
        assert_eq!(outbox(&[1, 1, 0, 1]).sort(&mut [0; 2], 2), Err(Code::InvalidArgument));
    }
}

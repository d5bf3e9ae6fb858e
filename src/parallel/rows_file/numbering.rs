//! Ranges of ids for all processes, and the numbers of rows in W.
#![forbid(unsafe_code)]

use crate::ffi::errors::Result;
use crate::io::words::Reader;
use crate::memory::{push, repeated};
use crate::parallel::ghosts::malformed;
use crate::parallel::mpi::exchange::{Letters, Message};
use crate::parallel::system::ParallelSystem;
use crate::system::Id;

use super::Sizes;

/// Ids that each process sends to all others, who choose ranges from them.
const SAMPLES: usize = 32;

/// Where rows are in W.
pub struct Numbers {
    /// The first id of the range of each process but the first.
    firsts: Vec<Id>,
    /// The number of each local row, and of its first scalar row.
    pub rows: Vec<[u64; 2]>,
    /// The sizes of the range of this process, and of the ranges of the processes before it.
    pub own: Sizes,
    pub before: Sizes,
    /// Whether all rows of all processes have three scalar rows.
    pub are_threes: bool,
}

impl Numbers {
    /// The process whose range has an id.
    pub fn home(&self, id: Id) -> usize {
        self.firsts.partition_point(|&first| first <= id)
    }
}

/// A row of this process's range: its id, its owner, and its sizes.
type Listed = (Id, usize, [u64; 3]);

impl ParallelSystem {
    /// Give all local rows their numbers in W. Returns the sizes of W, too. Collective; the rows are up to date.
    pub(super) fn number_rows(&mut self) -> Result<(Numbers, Sizes)> {
        let messages = self.exchange(self.pack_samples())?;
        let count = self.system.results()?.ids.len();
        let prepared =
            choose(&messages, self.size()).and_then(|firsts| Ok((firsts, repeated(count, [0; 2])?)));
        let (firsts, rows) = self.group.agree(prepared)?;
        let are_threes = self.system.results()?.w.as_threes().is_some();
        let mut flags = [i64::from(!are_threes)];
        self.group.max(&mut flags)?;
        let (own, before) = Default::default();
        let mut numbers = Numbers { firsts, rows, own, before, are_threes: flags[0] == 0 };
        let messages = self.exchange(self.pack_sizes(&numbers))?;
        let listed = self.group.agree(read_sizes(&messages))?;
        let mut own = [listed.len() as u64, 0, 0, 0];
        listed.iter().for_each(|row| (0..3).for_each(|k| own[k + 1] += row.2[k]));
        let (before, all) = self.before(own)?;
        let sizes = |[rows, scalars, blocks, entries]: [u64; 4]| Sizes { rows, scalars, blocks, entries };
        (numbers.own, numbers.before) = (sizes(own), sizes(before));
        let messages = self.exchange(self.pack_numbers(&listed, before))?;
        self.group.agree(self.read_numbers(&mut numbers, &messages))?;
        self.send_numbers(&mut numbers)?;
        Ok((numbers, sizes(all)))
    }

    fn pack_samples(&self) -> Result<Letters> {
        let ids = self.system.results()?.ids;
        let own = &self.rows.own;
        let mut letters = Letters::new(&self.group)?;
        for rank in 0..self.size() {
            for k in 0..SAMPLES.min(own.len()) {
                let row = own[k * own.len() / SAMPLES.min(own.len())];
                letters.to(rank).put(ids[row as usize])?;
            }
        }
        Ok(letters)
    }

    fn pack_sizes(&self, numbers: &Numbers) -> Result<Letters> {
        let results = self.system.results()?;
        let mut letters = Letters::new(&self.group)?;
        for row in self.rows.own.iter().map(|&row| row as usize) {
            let blocks = results.w.blocks(row);
            let entries: usize = results.w.row(row).map(|(_, block)| block.len()).sum();
            let words = letters.to(numbers.home(results.ids[row]));
            for word in [results.ids[row], results.w.height(row) as u64, blocks.len() as u64, entries as u64]
            {
                words.put(word)?;
            }
        }
        Ok(letters)
    }

    /// To each owner: the numbers of its rows, in the order of its message.
    fn pack_numbers(&self, listed: &[Listed], before: [u64; 4]) -> Result<Letters> {
        let mut letters = Letters::new(&self.group)?;
        let [mut number, mut scalar, ..] = before;
        for &(_, owner, [height, ..]) in listed {
            let words = letters.to(owner);
            words.put(number).and_then(|()| words.put(scalar))?;
            number += 1;
            scalar += height;
        }
        Ok(letters)
    }

    /// Messages are in the order of processes and so of ids, as own rows are.
    fn read_numbers(&self, numbers: &mut Numbers, messages: &[Message]) -> Result {
        let mut words = messages.iter().flat_map(|message| message.words.as_chunks::<2>().0);
        for &row in &self.rows.own {
            numbers.rows[row as usize] = *words.next().ok_or_else(malformed)?;
        }
        Ok(())
    }

    /// Send the numbers of own rows to the halos of others.
    fn send_numbers(&mut self, numbers: &mut Numbers) -> Result {
        let Self { group, traffic, rows, .. } = self;
        let letters = Letters::new(group).and_then(|mut letters| {
            for list in &rows.out {
                for &row in &list.rows {
                    let words = letters.to(list.rank);
                    numbers.rows[row as usize].iter().try_for_each(|&word| words.put(word))?;
                }
            }
            Ok(letters)
        });
        let messages = Letters::exchange(group, letters, traffic)?;
        for (list, message) in rows.inbox.iter().zip(&messages) {
            for (&row, pair) in list.rows.iter().zip(message.words.as_chunks::<2>().0) {
                numbers.rows[row as usize] = *pair;
            }
        }
        Ok(())
    }
}

/// The first ids of ranges with about the same number of sampled ids.
fn choose(messages: &[Message], ranges: usize) -> Result<Vec<Id>> {
    let mut samples = Vec::new();
    for &id in messages.iter().flat_map(|message| &message.words) {
        push(&mut samples, id)?;
    }
    samples.sort_unstable();
    let mut firsts = Vec::new();
    for range in 1..ranges {
        let first = samples.get(range * samples.len() / ranges).copied().unwrap_or(Id::MAX);
        push(&mut firsts, first)?;
    }
    Ok(firsts)
}

/// The rows of the range of this process, ascending.
fn read_sizes(messages: &[Message]) -> Result<Vec<Listed>> {
    let mut listed: Vec<Listed> = Vec::new();
    for message in messages {
        let mut reader = Reader(&message.words);
        while let Some(id) = reader.word() {
            let mut size = || reader.word().ok_or_else(malformed);
            let sizes = [size()?, size()?, size()?];
            push(&mut listed, (id, message.rank, sizes))?;
        }
    }
    listed.sort_unstable();
    Ok(listed)
}

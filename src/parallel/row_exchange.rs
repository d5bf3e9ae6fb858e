//! Values of own rows that go to the halos of other processes.
#![forbid(unsafe_code)]

use std::ffi::c_int;

use crate::ffi::errors::Result;
use crate::memory::{self, collected, push, repeated};

use super::mpi::exchange::{Flight, Message};
use super::mpi::partners::Partners;
use super::system::ParallelSystem;

/// The rows that one process sends to another, ascending.
#[derive(Debug)]
pub struct RowsOfRank {
    /// The other process.
    pub rank: usize,
    /// The rows of the local system.
    pub rows: Vec<u32>,
}

/// Rows of this process, and rows that come and go.
#[derive(Debug, Default)]
pub struct RowExchange {
    /// The rows of the local system that belong to this process, ascending.
    pub own: Vec<u32>,
    /// The own rows in the halos of others.
    pub out: Vec<RowsOfRank>,
    /// The rows of the halo.
    pub inbox: Vec<RowsOfRank>,
    /// The processes with these rows, for messages of other lengths.
    pub(super) partners: Partners,
    /// Vectors of all local rows.
    pub(super) vectors: [Vec<f64>; 2],
}

const TAG: c_int = 2;

fn by_rank(pairs: &[(u32, u32)]) -> memory::Result<Vec<RowsOfRank>> {
    let mut lists = Vec::new();
    for of_rank in pairs.chunk_by(|one, other| one.0 == other.0) {
        let rows = collected(of_rank.len(), of_rank.iter().map(|pair| pair.1))?;
        push(&mut lists, RowsOfRank { rank: of_rank[0].0 as usize, rows })?;
    }
    Ok(lists)
}

impl ParallelSystem {
    /// List own rows, and rows that come and go, after an update that has made the structure again.
    pub(super) fn list_rows(&mut self) -> Result {
        let results = self.system.results()?;
        let row = |id| results.ids.binary_search(&id).unwrap_or(usize::MAX) as u32;
        let listed = || -> Result<RowExchange> {
            let own = (0..results.ids.len()).filter(|&row| !self.is_halo(results.ids[row]));
            let own = collected(results.ids.len(), own.map(|row| row as u32))?;
            let shared = self.shared.iter().map(|&(rank, id)| (rank, row(id)));
            let mut halo = collected(self.halo.len(), self.halo.iter().map(|&(id, rank)| (rank, row(id))))?;
            halo.sort_unstable();
            let shared = collected(self.shared.len(), shared)?;
            Ok(RowExchange { own, out: by_rank(&shared)?, inbox: by_rank(&halo)?, ..RowExchange::default() })
        };
        let mut listed = listed()?;
        let rank = |list: &RowsOfRank| list.rank as u32;
        let (out, inbox) = (listed.out.iter().map(rank), listed.inbox.iter().map(rank));
        listed.partners = Partners::new(&self.group, out, inbox)?;
        self.solver.forget_order();
        self.rows = listed;
        Ok(())
    }

    /// The rows of the local system that belong to this process, ascending.
    ///
    /// # Errors
    /// If there was no successful update since the last change.
    pub fn own_rows(&self) -> Result<&[u32]> {
        self.check_made()?;
        Ok(&self.rows.own)
    }

    /// The number of scalar rows of this process's constraints.
    ///
    /// # Errors
    /// If there was no successful update since the last change.
    pub fn own_scalars(&self) -> Result<usize> {
        self.check_made()?;
        let results = self.system.results()?;
        Ok(self.rows.own.iter().map(|&row| results.w.height(row as usize)).sum())
    }

    /// Write values of own rows, in their order, to their places among all local rows.
    pub(super) fn scatter(&self, values: &[f64], all: &mut [f64]) -> Result {
        let results = self.system.results()?;
        let mut rest = values;
        for &row in &self.rows.own {
            let scalars = results.w.scalars(row as usize);
            let (own, others) = rest.split_at(scalars.len());
            all[scalars].copy_from_slice(own);
            rest = others;
        }
        Ok(())
    }

    /// Read values of own rows, in their order.
    pub(super) fn gather(&self, all: &[f64], values: &mut [f64]) -> Result {
        let results = self.system.results()?;
        let mut rest = values;
        for &row in &self.rows.own {
            let scalars = results.w.scalars(row as usize);
            let (own, others) = rest.split_at_mut(scalars.len());
            own.copy_from_slice(&all[scalars]);
            rest = others;
        }
        Ok(())
    }

    /// Send the values of own rows to the halos of others, and receive the values of the own halo. Neighbors do the same.
    pub(super) fn exchange_rows(&mut self, all: &mut [f64]) -> Result {
        let Self { group, traffic, system, rows, .. } = self;
        let w = system.results()?.w;
        let count = |rows: &RowsOfRank| rows.rows.iter().map(|&row| w.height(row as usize)).sum::<usize>();
        let prepared = || -> Result<Flight> {
            let mut flight = Flight::default();
            for list in &rows.out {
                let mut words = memory::with_capacity(count(list))?;
                for &row in &list.rows {
                    words.extend(all[w.scalars(row as usize)].iter().map(|value| value.to_bits()));
                }
                push(&mut flight.out, Message { rank: list.rank, words })?;
            }
            for list in &rows.inbox {
                push(&mut flight.inbox, Message { rank: list.rank, words: repeated(count(list), 0)? })?;
            }
            Ok(flight)
        };
        let messages = Flight::exchange(group, prepared(), TAG, traffic)?;
        for (list, message) in rows.inbox.iter().zip(&messages) {
            let mut words = message.words.iter();
            for &row in &list.rows {
                for (value, &word) in all[w.scalars(row as usize)].iter_mut().zip(&mut words) {
                    *value = f64::from_bits(word);
                }
            }
        }
        Ok(())
    }
}

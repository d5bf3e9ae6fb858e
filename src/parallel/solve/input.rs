//! Laws and initial forces of all local rows: those of the halo come from other processes.
#![forbid(unsafe_code)]

use crate::ffi::errors::{Code, Result, invalid};
use crate::io::words::Reader;
use crate::math::is_finite;
use crate::memory::{collect, push, refill};
use crate::parallel::ghosts::malformed;
use crate::parallel::mpi::exchange::{Letters, Message};
use crate::parallel::system::ParallelSystem;
use crate::solve::check_law;
use crate::system::RowLaw;
use crate::system::pack::{law, put_law};

use super::threes::Threes;

impl ParallelSystem {
    /// Check the rows, laws and initial forces of this process.
    pub(super) fn check_problem(&self, forces: &[f64]) -> Result {
        let results = self.system.results()?;
        for &row in &self.rows.own {
            let (row, id) = (row as usize, results.ids[row as usize]);
            let law = self.system.law(id)?.ok_or_else(|| invalid!("constraint {id}: it has no law"))?;
            check_law(*law, results.w.height(row)).map_err(|fault| invalid!("constraint {id}: {fault}"))?;
        }
        ensure!(is_finite(forces), invalid!("a force to begin with is not finite"));
        Ok(())
    }

    /// List the laws and forces of all local rows. Collective.
    ///
    /// # Errors
    /// The same on all processes: if memory is exhausted.
    pub(super) fn list_input(&mut self, room: &mut Threes, forces: &[f64]) -> Result {
        let count = self.system.results()?.b.len();
        let letters = refill(&mut room.forces, count, 0.0).map_err(Code::from).and_then(|()| {
            self.scatter(forces, &mut room.forces)?;
            self.pack_input(&room.forces)
        });
        let messages =
            Letters::exchange_with(&self.group, letters, &mut self.rows.partners, &mut self.traffic)?;
        self.group.agree(self.read_input(room, &messages))
    }

    fn pack_input(&self, forces: &[f64]) -> Result<Letters> {
        let results = self.system.results()?;
        let mut letters = Letters::new(&self.group)?;
        for list in &self.rows.out {
            let words = letters.to(list.rank);
            for &row in &list.rows {
                let row = row as usize;
                if let Some(law) = self.system.law(results.ids[row])? {
                    put_law(law, words)?;
                }
                words.put_numbers(&forces[results.w.scalars(row)])?;
            }
        }
        Ok(letters)
    }

    fn read_input(&self, Threes { laws, forces, .. }: &mut Threes, messages: &[Message]) -> Result {
        let results = self.system.results()?;
        let w = &results.w;
        let mut of_halo: Vec<(u32, RowLaw)> = Vec::new();
        for message in messages {
            let mut reader = Reader(&message.words);
            let list = self.rows.inbox.iter().find(|list| list.rank == message.rank).ok_or_else(malformed)?;
            for &row in &list.rows {
                push(&mut of_halo, (row, law(&mut reader).ok_or_else(malformed)?))?;
                for force in &mut forces[w.scalars(row as usize)] {
                    *force = reader.number().ok_or_else(malformed)?;
                }
            }
        }
        of_halo.sort_unstable_by_key(|law| law.0);
        collect(laws, 2 * w.len(), std::iter::empty())?;
        let mut others = of_halo.iter().peekable();
        for row in 0..w.len() {
            let law = match others.next_if(|(other, _)| *other as usize == row) {
                Some((_, law)) => *law,
                None => *self.system.law(results.ids[row])?.ok_or_else(malformed)?,
            };
            laws.extend(law.parts(w.height(row)));
        }
        Ok(())
    }
}

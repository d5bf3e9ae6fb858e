//! Constraints are inserted all or none: what goes wrong half-way is taken back, ids and rows that are shared included.
#![forbid(unsafe_code)]

use crate::memory;

use super::constraint::{Constraint, Operator, Placement};
use super::constraint_data::Kept;
use super::dirty;
use super::id_table::Id;
use super::mixed::{MOST_BODIES, Mixed};
use super::model::System;

impl System {
    /// Let `insert` put constraints into the tables. After an error of it they are as they were, and results are still there.
    pub(super) fn all_or_nothing<T, E>(
        &mut self,
        insert: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let (first, triple) = (self.next_constraint(), self.constraints.next());
        let had_mixed = self.mixed.is_some();
        let inserted = insert(self);
        match inserted {
            Ok(_) => {
                for id in first..self.next_constraint() {
                    let mut list = [0; MOST_BODIES];
                    let bodies = self.bodies_of(id, &mut list);
                    self.mark_bodies(bodies.iter().copied(), |users| *users += 1);
                }
                self.structure_changes();
            }
            Err(_) => {
                self.kept.truncate(first);
                self.constraints.truncate(triple);
                self.mixed = self.mixed.take().filter(|_| had_mixed);
                if let Some(mixed) = &mut self.mixed {
                    mixed.truncate(first, triple);
                }
            }
        }
        inserted
    }

    /// Put in a constraint that is a row of three of its own.
    ///
    /// # Errors
    /// If memory is exhausted; [`System::all_or_nothing`] takes back what there is of it.
    pub(super) fn put_triple(&mut self, constraint: Constraint) -> memory::Result<Id> {
        let triple = self.constraints.insert(constraint, dirty::CHANGED)?;
        self.kept.insert(Kept::default(), 0)?;
        self.mixed.as_mut().map_or(Ok(triple), |mixed| mixed.insert_triple(triple))
    }

    /// Put in a constraint by operators, on bodies that are there: it has not got them yet.
    ///
    /// # Errors
    /// As [`System::put_triple`].
    pub(super) fn claim(&mut self, bodies: &[Id], rows: usize) -> memory::Result<Id> {
        let Self { bodies: all, constraints, kept, mixed, .. } = self;
        let zero = |id: Id| {
            let dofs = all.get(id).map_or(0, |body| body.dofs());
            Operator::of_columns(dofs as u32, std::iter::empty())
        };
        if let (3, [master, slave @ ..]) = (rows, bodies)
            && slave.len() < 2
        {
            let operators = [Some(zero(*master)?), slave.first().copied().map(zero).transpose()?];
            let bodies = [Some(*master), slave.first().copied()];
            let placement = Placement::Operators(operators);
            return self.put_triple(Constraint { bodies, placement, compliance: None });
        }
        let mixed = match mixed {
            Some(mixed) => mixed,
            None => mixed.insert(Mixed::of(constraints)?),
        };
        kept.insert(Kept::default(), 0)?;
        mixed.claim(constraints, (bodies, rows), zero, dirty::CHANGED)
    }
}

//! Insertion of constraints, all or none: after an error in the middle, the tables are as before.
#![forbid(unsafe_code)]

use crate::memory;

use super::body::Body;
use super::constraint::{Constraint, Operator};
use super::constraint_data::ConstraintData;
use super::dirty;
use super::error::{Error, Result};
use super::id_table::{Id, Table};
use super::model::System;

impl System {
    /// Let `insert` put constraints into the tables. After an error the tables are as before, and the results still exist.
    pub(super) fn all_or_nothing<T, E>(
        &mut self,
        insert: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let (first, irregular) = (self.next_constraint(), self.irregular);
        let inserted = insert(self);
        match inserted {
            Ok(_) => {
                let Self { bodies, constraints, .. } = self;
                for id in first..constraints.next() {
                    let users = constraints.get(id).into_iter().flat_map(Constraint::all_bodies);
                    mark_bodies(bodies, users, |count| *count += 1);
                }
                self.structure_changes();
            }
            Err(_) => {
                self.data.truncate(first);
                self.constraints.truncate(first);
                self.irregular = irregular;
            }
        }
        inserted
    }

    /// Put a constraint that has been checked into the tables.
    ///
    /// # Errors
    /// If memory is exhausted; [`System::all_or_nothing`] then removes the parts that were inserted.
    pub(super) fn put(&mut self, constraint: Constraint) -> memory::Result<Id> {
        let is_irregular = !constraint.is_regular();
        let id = self.constraints.insert(constraint, dirty::CHANGED)?;
        self.irregular += usize::from(is_irregular);
        self.data.insert(ConstraintData::default(), 0)?;
        Ok(id)
    }

    /// Put a constraint by operators, all of them zero, into the tables; its bodies must exist.
    ///
    /// # Errors
    /// The errors of [`System::put`].
    pub(super) fn put_with_zeros(&mut self, bodies: &[Option<Id>], rows: usize) -> Result<Id> {
        let zeros = bodies.iter().flatten().map(|&id| {
            let dofs = self.bodies.get(id).map_or(0, |body| body.dofs());
            Operator::zero(rows, dofs)
        });
        let constraint = Constraint::by_operators(bodies, rows, zeros);
        let constraint = constraint.map_err(Error::of_system)?;
        Ok(self.put(constraint)?)
    }
}

/// Change the number of constraints on some bodies, and mark the bodies as changed.
pub(super) fn mark_bodies(
    table: &mut Table<Body>,
    bodies: impl Iterator<Item = Id>,
    count: impl Fn(&mut usize),
) {
    for body in bodies {
        if let Some((body, mark)) = table.get_mut(body) {
            count(&mut body.users);
            *mark |= dirty::CHANGED;
        }
    }
}

//! Models: bodies whose A⁻¹ one solver applies, to columns in which their generalised velocities are stacked.
#![forbid(unsafe_code)]

use std::fmt;

use crate::memory::{self, set_or_push};

use super::body::{Member, Solve};
use super::boxed_solver::BoxedSolver;
use super::error::Checked;

/// A solver for several bodies.
struct Model {
    solver: BoxedSolver,
    /// Length of a stacked column, bodies that have gone included.
    size: usize,
    /// Bodies that are there.
    members: usize,
}

/// The models of a system. One is there as long as one of its bodies is.
#[derive(Default)]
pub(super) struct Models(Vec<Option<Model>>);

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.0.iter().flatten().map(|model| model.members)).finish()
    }
}

impl Models {
    /// Make room for a model: where it would be.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn reserve(&mut self) -> memory::Result<usize> {
        self.0.try_reserve(1)?;
        Ok(self.0.iter().position(Option::is_none).unwrap_or(self.0.len()))
    }

    /// Insert a model of so many bodies, where [`Models::reserve`] has said.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn insert(
        &mut self,
        place: usize,
        solver: impl Solve + 'static,
        size: usize,
        members: usize,
    ) -> Checked {
        let solver = BoxedSolver::new(solver)?;
        Ok(set_or_push(&mut self.0, place, Some(Model { solver, size, members }))?)
    }

    /// Let a body go; with the last one goes the model.
    pub fn leave(&mut self, member: &Member) {
        if let Some(place) = self.0.get_mut(member.model)
            && let Some(model) = place
        {
            model.members -= 1;
            if model.members == 0 {
                *place = None;
            }
        }
    }

    /// Length of a stacked column of a model.
    pub fn size(&self, model: usize) -> usize {
        self.0.get(model).and_then(Option::as_ref).map_or(0, |model| model.size)
    }

    /// Let the solver of a model work on stacked columns; a number other than zero says that this failed.
    pub fn solve(&self, model: usize, columns: &mut [f64]) -> i32 {
        match self.0.get(model) {
            Some(Some(model)) if !columns.is_empty() => model.solver.solve(model.size, columns),
            _ => 0,
        }
    }
}

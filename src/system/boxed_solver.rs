//! The user's inverse callback on the heap, in memory whose reservation may fail without an abort.
#![forbid(unsafe_code)]

use crate::inertia::{self, Boxed};

use super::body::Solve;

/// An inverse callback of any type. `Box::new` would abort if memory is exhausted.
pub struct BoxedSolver(Box<dyn Boxable>);

/// Implemented for arrays of one solver: safe code can turn the box of such an array, but not [`Boxed`], into one of any type.
trait Boxable: Send + Sync {
    fn solver(&self) -> &dyn Solve;
}

impl<T: Solve> Boxable for [T; 1] {
    fn solver(&self) -> &dyn Solve {
        &self[0]
    }
}

impl BoxedSolver {
    /// Move an inverse callback to the heap.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(solver: impl Solve + 'static) -> inertia::Result<Self> {
        Ok(Self(Boxed::new(solver)?.into_box()))
    }

    /// Call [`Solve::solve`].
    pub fn solve(&self, size: usize, x: &mut [f64]) -> i32 {
        self.0.solver().solve(size, x)
    }
}

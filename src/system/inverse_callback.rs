//! The user's inverse callbacks, for one body and for several (models): one callback of a model applies A⁻¹ of its bodies to
//! columns in which their generalized velocities are stacked.
#![forbid(unsafe_code)]

use std::fmt;
use std::ops::Range;

use crate::inertia::{self, Boxed};
use crate::memory::{self, set_or_push};

use super::error::Checked;

/// An inverse callback: it applies A⁻¹ of a body. The thread that updates or multiplies calls it, never two threads at once.
///
/// ```
/// use ldy::system::{Inertia, Kinematics, Solve, System};
///
/// struct Half;
///
/// impl Solve for Half {
///     fn solve(&self, _: usize, x: &mut [f64]) -> i32 {
///         x.iter_mut().for_each(|x| *x *= 0.5);
///         0
///     }
/// }
///
/// let mut system = System::new();
/// let body = system.add_body(3, Kinematics::General, Inertia::solver(Half)?)?;
/// system.add_dof_constraint(body, Some(2), 1.0)?;
/// system.update(1.0)?;
/// assert_eq!(system.results()?.w.values(), [0.5]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Solve: Send + Sync {
    /// Replace the contiguous columns of `x`, `size` values each, by A⁻¹ times the columns, and return 0; any other number means
    /// that this failed.
    fn solve(&self, size: usize, x: &mut [f64]) -> i32;
}

/// An inverse callback of any type on the heap. `Box::new` would abort if memory is exhausted.
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
    pub fn new(solver: impl Solve + 'static) -> inertia::FactorResult<Self> {
        Ok(Self(Boxed::new(solver)?.into_box()))
    }

    /// Call [`Solve::solve`].
    pub fn solve(&self, size: usize, x: &mut [f64]) -> i32 {
        self.0.solver().solve(size, x)
    }
}

/// The place of a body in a model (a shared inverse callback).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its model.
    pub(super) model: usize,
    /// The place of its generalized velocities in stacked columns.
    pub(super) place: Range<usize>,
}

/// A shared inverse callback.
struct Model {
    solver: BoxedSolver,
    /// The length of a stacked column, removed bodies included.
    size: usize,
    /// The number of bodies that have not been removed.
    members: usize,
}

/// The models of a system. A model exists as long as one of its bodies exists.
#[derive(Default)]
pub(super) struct Models(Vec<Option<Model>>);

impl fmt::Debug for Models {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_list().entries(self.0.iter().flatten().map(|model| model.members)).finish()
    }
}

impl Models {
    /// Reserve memory for a model, and return its place.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn reserve(&mut self) -> memory::Result<usize> {
        self.0.try_reserve(1)?;
        Ok(self.0.iter().position(Option::is_none).unwrap_or(self.0.len()))
    }

    /// Insert a model of `members` bodies at the place that [`Models::reserve`] has returned.
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

    /// Remove a body from its model; the removal of its last body removes the model.
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

    /// The length of a stacked column of a model.
    pub fn size(&self, model: usize) -> usize {
        self.0.get(model).and_then(Option::as_ref).map_or(0, |model| model.size)
    }

    /// Call the inverse callback of a model with stacked columns; it returns 0, or another number if it failed.
    pub fn solve(&self, model: usize, columns: &mut [f64]) -> i32 {
        match self.0.get(model) {
            Some(Some(model)) if !columns.is_empty() => model.solver.solve(model.size, columns),
            _ => 0,
        }
    }
}

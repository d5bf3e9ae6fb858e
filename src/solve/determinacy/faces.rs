//! Which forces each law allows with the velocity of a solution, as R = R_0 + Σ d_k t_k with values t in cones.

use crate::math::Vector;
use crate::memory::{self, push, refill};
use crate::solve::frames::Axes;
use crate::solve::laws::{LawKind, of_kind};
use crate::solve::problem::Law;

use crate::solve::state::Solution;

/// No direction.
pub const NONE: usize = usize::MAX;

/// A direction in which the force of a constraint can change.
#[derive(Clone, Copy, Debug)]
pub struct Direction {
    /// The row.
    pub row: usize,
    /// The direction in the row; for a contact with moments also in the next row.
    pub vectors: [Vector; 2],
    /// t in the solution.
    pub value: f64,
}

/// A cone: (shift + f_0 t_0, f_1 t_1, f_2 t_2) with the values of up to three directions.
#[derive(Clone, Copy, Debug)]
pub struct Cone {
    pub directions: [usize; 3],
    pub factors: Vector,
    pub shift: f64,
}

impl Cone {
    /// The first direction that there is.
    pub fn first(&self) -> usize {
        self.directions.into_iter().find(|&k| k != NONE).unwrap_or(NONE)
    }
}

/// The directions and cones of all rows.
#[derive(Debug, Default)]
pub struct Faces {
    /// Ascending in their rows.
    pub directions: Vec<Direction>,
    pub cones: Vec<Cone>,
    /// R_0.
    pub base: Vec<Vector>,
    /// The first direction of each row, and the end. `of_row` finds the row before for rows of moments.
    starts: Vec<u32>,
}

impl Faces {
    /// Find the directions and cones.
    pub fn find<A: Axes>(&mut self, solution: &Solution) -> memory::Result {
        let rows = solution.laws.len();
        self.directions.clear();
        self.cones.clear();
        self.starts.clear();
        refill(&mut self.base, rows, [0.0; 3])?;
        for (row, law) in solution.laws.iter().enumerate() {
            push(&mut self.starts, self.directions.len() as u32)?;
            of_kind!(&law.kind, kind => kind.add_faces::<A>(self, solution, row))?;
        }
        push(&mut self.starts, self.directions.len() as u32)
    }

    /// The directions that act in a row, and which of their two vectors does.
    pub fn of_row(&self, laws: &[Law], row: usize) -> (std::ops::Range<usize>, usize) {
        let part = usize::from(laws[row].is_of_moments());
        (self.starts[row - part] as usize..self.starts[row - part + 1] as usize, part)
    }

    /// The direction that moves a component, if there is one, and how much it does so.
    pub fn of_component(&self, laws: &[Law], row: usize, lane: usize) -> Option<(usize, f64)> {
        let (own, part) = self.of_row(laws, row);
        let entry = |k: usize| self.directions[k].vectors[part][lane];
        own.map(|k| (k, entry(k))).find(|&(_, entry)| entry != 0.0)
    }

    /// Append a direction, and return its number.
    pub fn push_direction(&mut self, row: usize, vectors: [Vector; 2], value: f64) -> memory::Result<usize> {
        push(&mut self.directions, Direction { row, vectors, value })?;
        Ok(self.directions.len() - 1)
    }
}

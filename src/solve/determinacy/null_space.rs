//! The directions of forces that move no body: the null space of Dᵀ W D, by elimination, one group of connected rows after the other.
//!
//! Each null vector has one direction that was not chosen as a pivot. In the terms of matroids it is the fundamental circuit of this
//! direction. The circuits that have directions in common, by steps, make the finest division of the null space: it does not depend on
//! the choice of pivots. In a stack of bricks each interface is a part of its own.

use crate::math::Vector;
use crate::memory::{collect, push};
use crate::rows::elimination::{Elimination, State};
use crate::rows::fault::{Error, Fault};
use crate::rows::rank::TOLERANCE;
use crate::solve::islands::{join, root};
use crate::solve::problem::{Law, Problem3};

use super::faces::Faces;

/// A smaller entry of a null vector, scaled to a largest entry of 1, is a rounding error.
const ENTRY: f64 = 1e-9;

/// Null vectors with few entries each, and the parts that they form.
#[derive(Debug, Default)]
pub struct NullSpace {
    /// The first entry of each null vector, and the end.
    pub starts: Vec<u32>,
    /// The direction and the value of each entry.
    pub entries: Vec<(u32, f64)>,
    /// Whether a null vector moves each direction.
    pub moves: Vec<bool>,
    /// The circuits of each direction: directions with the same root are in a circuit together.
    parents: Vec<u32>,
}

impl NullSpace {
    /// Start with directions that no null vector moves.
    pub fn start(&mut self, directions: usize) -> Result<(), Error> {
        let Self { starts, entries, moves, parents } = self;
        entries.clear();
        starts.clear();
        push(starts, 0)?;
        collect(moves, directions, std::iter::repeat_n(false, directions))?;
        Ok(collect(parents, directions, 0..directions as u32)?)
    }

    /// Add the null vectors of the directions of a group. `place` has the number of each direction in the group.
    pub fn add_group(
        &mut self,
        problem: &Problem3,
        laws: &[Law],
        faces: &Faces,
        group: &[u32],
        place: &[u32],
        elimination: &mut Elimination,
    ) -> Result<(), Error> {
        let column = |pivot: usize, to: &mut [f64]| {
            write_column(problem, laws, faces, group[pivot] as usize, |k, value| {
                to[place[k] as usize] += value
            });
        };
        let diagonal = group.iter().map(|&own| {
            let mut sum = 0.0;
            write_column(problem, laws, faces, own as usize, |k, value| {
                sum += if k == own as usize { value } else { 0.0 };
            });
            sum
        });
        let named = |error: Error| match error.row {
            Some(k) => Error { row: Some(faces.directions[group[k] as usize].row), ..error },
            None => error,
        };
        elimination.run(group.len(), diagonal, column, TOLERANCE).map_err(named)?;
        elimination.make_null_vectors()?;
        // A direction in which nothing moves at all is a null vector alone.
        for (k, &own) in group.iter().enumerate() {
            if elimination.states[k] == State::Dependent {
                self.push_vector(std::iter::once((own, 1.0)))?;
            }
        }
        for vector in elimination.null.chunks_exact(group.len().max(1)) {
            let entries = vector.iter().zip(group).zip(&elimination.scales);
            let large = entries.filter(|((x, _), _)| x.abs() > ENTRY);
            self.push_vector(large.map(|((x, &own), scale)| (own, x * scale)))?;
        }
        Ok(())
    }

    fn push_vector(&mut self, entries: impl Iterator<Item = (u32, f64)>) -> Result<(), Error> {
        let first = self.entries.len();
        for (own, value) in entries {
            push(&mut self.entries, (own, value))?;
            self.moves[own as usize] = true;
            join(&mut self.parents, self.entries[first].0, own);
        }
        let end = u32::try_from(self.entries.len());
        let too_many = Error::of_rows(Fault::TooLarge("the null space has more entries"));
        Ok(push(&mut self.starts, end.map_err(|_| too_many)?)?)
    }

    /// The number of null vectors.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The entries of a null vector.
    pub fn vector(&self, vector: usize) -> &[(u32, f64)] {
        &self.entries[crate::rows::pattern::range(&self.starts, vector)]
    }

    /// The circuits of a direction.
    pub fn circuits(&mut self, direction: usize) -> u32 {
        root(&mut self.parents, direction as u32)
    }

    /// The circuits of all directions, for further joins.
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }
}

/// The entries of a column of Dᵀ W D: direction and value. A direction may come several times.
fn write_column(
    problem: &Problem3,
    laws: &[Law],
    faces: &Faces,
    own: usize,
    mut add: impl FnMut(usize, f64),
) {
    let direction = &faces.directions[own];
    for (part, d) in direction.vectors.iter().enumerate().filter(|(_, d)| **d != [0.0; 3]) {
        for (other, w) in problem.row(direction.row + part) {
            // W is symmetric: its row is read for its column.
            let made: Vector =
                std::array::from_fn(|j| w[3 * j] * d[0] + w[3 * j + 1] * d[1] + w[3 * j + 2] * d[2]);
            let (others, part) = faces.of_row(laws, other);
            for k in others {
                let d = &faces.directions[k].vectors[part];
                add(k, made[0] * d[0] + made[1] * d[1] + made[2] * d[2]);
            }
        }
    }
}

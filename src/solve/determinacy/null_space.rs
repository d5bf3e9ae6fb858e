//! The directions of forces that move no body: the null space of Dᵀ W D, by elimination, one group of connected rows after the other.
//!
//! Each null vector has one direction that was not chosen as a pivot. In the terms of matroids it is a circuit: fewer of its directions
//! are independent. A basis of circuits makes the finest division of the null space, by directions in common: any two directions of a
//! part are in a circuit together. So the division does not depend on the choice of pivots. In a stack of bricks each interface is a
//! part of its own.

use crate::math::Vector;
use crate::memory::{collect, push, refill};
use crate::rows::elimination::{Elimination, RowState};
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
    /// The directions of an elimination, those that the last ones chose, and the number of each direction among the members.
    members: Vec<u32>,
    chosen: Vec<u32>,
    places: Vec<u32>,
}

impl NullSpace {
    /// Start with directions that no null vector moves.
    pub fn start(&mut self, directions: usize) -> Result<(), Error> {
        let Self { starts, entries, moves, parents, places, .. } = self;
        entries.clear();
        starts.clear();
        push(starts, 0)?;
        refill(moves, directions, false)?;
        refill(places, directions, u32::MAX)?;
        Ok(collect(parents, directions, 0..directions as u32)?)
    }

    /// Add the null vectors of a group of rows. Rows between the same bodies come first: their null vectors are null vectors of all
    /// rows, and the directions that depend on others need no further elimination. Sorts the rows.
    pub fn add_group(
        &mut self,
        problem: &Problem3,
        laws: &[Law],
        faces: &Faces,
        rows: &mut [u32],
        elimination: &mut Elimination,
    ) -> Result<(), Error> {
        let pattern = |row: u32| &problem.columns[problem.range(row as usize)];
        rows.sort_unstable_by(|&a, &b| pattern(a).cmp(pattern(b)).then(a.cmp(&b)));
        self.chosen.clear();
        let mut count = 0;
        for cluster in rows.chunk_by(|&a, &b| pattern(a) == pattern(b)) {
            self.members.clear();
            for &row in cluster {
                for k in faces.of_row(laws, row as usize).0 {
                    push(&mut self.members, k as u32)?;
                }
            }
            self.eliminate(problem, laws, faces, elimination)?;
            count += 1;
        }
        if count > 1 {
            std::mem::swap(&mut self.members, &mut self.chosen);
            self.members.sort_unstable();
            self.eliminate(problem, laws, faces, elimination)?;
        }
        Ok(())
    }

    /// Add the null vectors of the members, and add to the chosen ones those on which the others depend.
    fn eliminate(
        &mut self,
        problem: &Problem3,
        laws: &[Law],
        faces: &Faces,
        elimination: &mut Elimination,
    ) -> Result<(), Error> {
        let members = std::mem::take(&mut self.members);
        members.iter().zip(0..).for_each(|(&own, number)| self.places[own as usize] = number);
        let places = &self.places;
        let column = |pivot: usize, to: &mut [f64]| {
            write_column(problem, laws, faces, members[pivot] as usize, |k, value| {
                if let Some(to) = to.get_mut(places[k] as usize) {
                    *to += value;
                }
            });
        };
        let diagonal = members.iter().map(|&own| {
            let mut sum = 0.0;
            write_column(problem, laws, faces, own as usize, |k, value| {
                sum += if k == own as usize { value } else { 0.0 };
            });
            sum
        });
        let named = |error: Error| match error.row {
            Some(k) => Error { row: Some(faces.directions[members[k] as usize].row), ..error },
            None => error,
        };
        elimination.run(members.len(), diagonal, column, TOLERANCE).map_err(named)?;
        members.iter().for_each(|&own| self.places[own as usize] = u32::MAX);
        elimination.make_null_vectors()?;
        for (state, &own) in elimination.states.iter().zip(&members) {
            match state {
                // A direction in which nothing moves at all is a null vector alone.
                RowState::Dependent => self.push_vector(std::iter::once((own, 1.0)))?,
                RowState::Chosen => push(&mut self.chosen, own)?,
                RowState::Open => {}
            }
        }
        for vector in elimination.null.chunks_exact(members.len().max(1)) {
            let entries = vector.iter().zip(&members).zip(&elimination.scales);
            let large = entries.filter(|((x, _), _)| x.abs() > ENTRY);
            self.push_vector(large.map(|((x, &own), scale)| (own, x * scale)))?;
        }
        self.members = members;
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

//! Rows of one to six scalars as rows of three: the first three scalars of a row and its others are a triple each. Lanes of a
//! triple that no scalar takes are padded: their entries in W are zero, but on the diagonal the mean of those of the triple's own
//! lanes, so that a third of its trace is what it is without them. Their velocities and forces are zero from the beginning to the
//! end.

use std::iter;
use std::ops::Range;

use crate::math::{Block, Vector};
use crate::memory::{self, collect};
use crate::rows::any_rows::{AnyBlockRows, check_size};
use crate::rows::fault::{Error, Fault};

use super::problem::{Kind, Law, Normal, Problem};

/// What is to be solved with rows of one to six scalars.
#[derive(Clone, Copy, Debug)]
pub struct AnyProblem<'a> {
    /// W, which need not be symmetric.
    pub w: AnyBlockRows<'a>,
    /// Free velocities, those of a row behind those of the one before.
    pub b: &'a [f64],
    /// The normal component of contacts.
    pub normal: Normal,
}

impl AnyProblem<'_> {
    /// Numbers of the laws that belong to a row: one, or two where it has more than three scalars.
    pub fn laws(&self) -> usize {
        (0..self.w.len()).map(|row| triples(&self.w.scalars(row))).sum()
    }

    /// Whether everything fits together that is not looked at afterwards, triple by triple.
    pub(super) fn check(&self, laws: &[Law], forces: &[f64]) -> Result<(), Error> {
        self.w.check_pattern()?;
        let scalars = self.w.scalar_count();
        check_size("B", scalars, self.b.len())?;
        check_size("laws", self.laws(), laws.len())?;
        check_size("forces", scalars, forces.len())
    }
}

/// How many triples so many scalars take.
fn triples(scalars: &Range<usize>) -> usize {
    scalars.len().div_ceil(3)
}

/// The triples of a problem.
#[derive(Debug, Default)]
pub struct Padded {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<Block>,
    b: Vec<Vector>,
    laws: Vec<Law>,
    forces: Vec<Vector>,
    /// The row of each triple.
    rows: Vec<u32>,
    /// The first triple of each row, and the end.
    firsts: Vec<u32>,
}

impl Padded {
    /// Make the triples of a problem that has been checked.
    pub fn fill(&mut self, problem: &AnyProblem, laws: &[Law], forces: &[f64]) -> Result<(), Error> {
        let w = &problem.w;
        self.list_triples(w)?;
        self.make_room(w)?;
        for (triple, law) in laws.iter().enumerate() {
            let row = self.rows[triple] as usize;
            let scalars = self.scalars(w, triple);
            self.b.push(in_lanes(&problem.b[scalars.clone()]));
            self.forces.push(in_lanes(&forces[scalars.clone()]));
            let law = padded(law, w.scalars(row).len(), scalars.len());
            self.laws.push(law.map_err(|fault| Error { row: Some(row), fault })?);
            self.add_blocks(w, triple);
            let end = i32::try_from(self.columns.len());
            let too_many = Error::of_rows(Fault::Invalid("W has more blocks than an int can count"));
            self.starts.push(end.map_err(|_| too_many)?);
        }
        Ok(())
    }

    /// The problem of the triples, their laws, their forces, and the row of each.
    pub fn parts(&mut self, normal: Normal) -> (Problem<'_>, &[Law], &mut [Vector], &[u32]) {
        let Self { starts, columns, values, b, laws, forces, rows, .. } = self;
        (Problem { starts, columns, values, b, normal }, laws, forces, rows)
    }

    /// Write the forces of lanes that are scalars.
    pub fn read_forces(&self, w: &AnyBlockRows, forces: &mut [f64]) {
        for (triple, force) in self.forces.iter().enumerate() {
            let to = &mut forces[self.scalars(w, triple)];
            let count = to.len();
            to.copy_from_slice(&force[..count]);
        }
    }

    fn list_triples(&mut self, w: &AnyBlockRows) -> memory::Result {
        let Self { rows, firsts, .. } = self;
        collect(rows, 2 * w.len(), iter::empty())?;
        collect(firsts, w.len() + 1, iter::once(0))?;
        for row in 0..w.len() {
            rows.extend(iter::repeat_n(row as u32, triples(&w.scalars(row))));
            firsts.push(rows.len() as u32);
        }
        Ok(())
    }

    fn make_room(&mut self, w: &AnyBlockRows) -> memory::Result {
        let Self { starts, columns, values, b, laws, forces, rows, .. } = self;
        let of_row = |row: usize| {
            let others = w.columns[w.range(row)].iter().map(|&column| triples(&w.scalars(column as usize)));
            triples(&w.scalars(row)) * others.sum::<usize>()
        };
        let blocks = (0..w.len()).map(of_row).sum();
        collect(starts, rows.len() + 1, iter::once(0))?;
        collect(columns, blocks, iter::empty())?;
        collect(values, blocks, iter::empty())?;
        collect(b, rows.len(), iter::empty())?;
        collect(laws, rows.len(), iter::empty())?;
        collect(forces, rows.len(), iter::empty())
    }

    /// The scalars of a triple, in vectors of all.
    fn scalars(&self, w: &AnyBlockRows, triple: usize) -> Range<usize> {
        let row = self.rows[triple] as usize;
        let own = w.scalars(row);
        let first = own.start + 3 * (triple - self.firsts[row] as usize);
        first..own.end.min(first + 3)
    }

    /// Add the blocks of a triple.
    fn add_blocks(&mut self, w: &AnyBlockRows, triple: usize) {
        let row = self.rows[triple] as usize;
        let (height, first) = (w.scalars(row).len(), 3 * (triple - self.firsts[row] as usize));
        let count = (height - first).min(3);
        for (column, block) in w.row(row) {
            let others = self.firsts[column] as usize..self.firsts[column + 1] as usize;
            for (other, of_triple) in others.zip(block.chunks(3 * height)) {
                let mut to = [0.0; 9];
                for (to, from) in to.chunks_exact_mut(3).zip(of_triple.chunks_exact(height)) {
                    to[..count].copy_from_slice(&from[first..first + count]);
                }
                if other == triple {
                    pad(&mut to, count);
                }
                self.columns.push(other as i32);
                self.values.push(to);
            }
        }
    }
}

/// The scalars of a triple in its lanes.
fn in_lanes(scalars: &[f64]) -> Vector {
    let mut lanes = [0.0; 3];
    lanes[..scalars.len()].copy_from_slice(scalars);
    lanes
}

/// Fill the diagonal of lanes from `count` on.
fn pad(block: &mut Block, count: usize) {
    let mean = (0..count).map(|i| block[4 * i] / count as f64).sum();
    (count..3).for_each(|i| block[4 * i] = mean);
}

/// The law of a triple with so many scalars, of a row with as many as `height`.
fn padded(law: &Law, height: usize, count: usize) -> Result<Law, Fault> {
    let mut law = *law;
    law.bias[count..].fill(0.0);
    match &mut law.kind {
        Kind::Contact { .. } if height == 3 => {}
        Kind::Contact { .. } => return Err(Fault::Invalid("a contact has three scalar rows")),
        Kind::Bounds { lower, upper } => {
            // Where all scalars are fixed the rest is, too, since a block whose lanes are all fixed is solved by its inverse. Else
            // the rest has no force, since W may be zero.
            let fixed = |bounds: &Vector, bound: f64| bounds[..count].iter().all(|&x| x == bound);
            let is_fixed = fixed(lower, f64::NEG_INFINITY) && fixed(upper, f64::INFINITY);
            let most = if is_fixed { f64::INFINITY } else { 0.0 };
            lower[count..].fill(-most);
            upper[count..].fill(most);
        }
    }
    Ok(law)
}

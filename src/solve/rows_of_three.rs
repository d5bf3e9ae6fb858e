//! Rows of one to six scalar rows as rows of three: the first three scalar rows of a row form a triple, and the others form another
//! triple. Lanes of a triple without a scalar row are padded: their entries in W are zero, except the diagonal entry, which is the
//! mean over the other lanes, so that a third of the trace is not changed. Their velocities and forces remain zero.

use std::iter;
use std::ops::Range;

use crate::math::small_symmetric::MOST_ROWS;
use crate::math::{Block, Vector};
use crate::memory::{self, collect};
use crate::rows::BlockRows;
use crate::rows::fault::{Error, Fault};
use crate::rows::pattern::range;

use super::problem::{Kind, Law, Normal, Problem, Problem3, triples};

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
    /// Make the triples of a problem with arrays of the right lengths.
    pub fn fill(&mut self, problem: &Problem, laws: &[Law], forces: &[f64]) -> Result<(), Error> {
        let w = &problem.w;
        self.list_triples(w)?;
        self.make_room(w)?;
        for (triple, law) in laws.iter().enumerate() {
            let row = self.rows[triple] as usize;
            let scalars = self.scalars(w, triple);
            self.b.push(in_lanes(&problem.b[scalars.clone()]));
            self.forces.push(in_lanes(&forces[scalars.clone()]));
            let law = padded(law, w.height(row), scalars.len());
            self.laws.push(law.map_err(|fault| Error::of_row(row, fault))?);
            self.add_blocks(w, triple);
            let end = i32::try_from(self.columns.len());
            let too_many = Error::of_rows(Fault::TooLarge("W has more blocks"));
            self.starts.push(end.map_err(|_| too_many)?);
        }
        Ok(())
    }

    /// The problem of the triples, their laws and forces, and the row of each triple.
    pub fn parts(&mut self, normal: Normal) -> (Problem3<'_>, &[Law], &mut [Vector], &[u32]) {
        let Self { starts, columns, values, b, laws, forces, rows, .. } = self;
        (Problem3 { starts, columns, values, b, normal }, laws, forces, rows)
    }

    /// Write the forces of scalar rows.
    pub fn read_forces(&self, w: &BlockRows, forces: &mut [f64]) {
        for (triple, force) in self.forces.iter().enumerate() {
            let to = &mut forces[self.scalars(w, triple)];
            let count = to.len();
            to.copy_from_slice(&force[..count]);
        }
    }

    fn list_triples(&mut self, w: &BlockRows) -> memory::Result {
        let Self { rows, firsts, .. } = self;
        collect(rows, 2 * w.len(), iter::empty())?;
        collect(firsts, w.len() + 1, iter::once(0))?;
        for row in 0..w.len() {
            rows.extend(iter::repeat_n(row as u32, triples(w.height(row))));
            firsts.push(rows.len() as u32);
        }
        Ok(())
    }

    fn make_room(&mut self, w: &BlockRows) -> memory::Result {
        let Self { starts, columns, values, b, laws, forces, rows, .. } = self;
        let of_row = |row: usize| {
            let others = w.columns()[w.blocks(row)].iter().map(|&column| triples(w.height(column as usize)));
            triples(w.height(row)) * others.sum::<usize>()
        };
        let blocks = (0..w.len()).map(of_row).sum();
        collect(starts, rows.len() + 1, iter::once(0))?;
        collect(columns, blocks, iter::empty())?;
        collect(values, blocks, iter::empty())?;
        collect(b, rows.len(), iter::empty())?;
        collect(laws, rows.len(), iter::empty())?;
        collect(forces, rows.len(), iter::empty())
    }

    /// The range of a triple's scalar rows in vectors.
    fn scalars(&self, w: &BlockRows, triple: usize) -> Range<usize> {
        let row = self.rows[triple] as usize;
        let own = w.scalars(row);
        let first = own.start + 3 * (triple - self.firsts[row] as usize);
        first..own.end.min(first + 3)
    }

    /// Add the blocks of a triple.
    fn add_blocks(&mut self, w: &BlockRows, triple: usize) {
        let row = self.rows[triple] as usize;
        let (height, first) = (w.height(row), 3 * (triple - self.firsts[row] as usize));
        let count = (height - first).min(3);
        for (column, block) in w.row(row) {
            let others = range(&self.firsts, column);
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

/// Values of a triple's scalar rows, padded with zeros.
fn in_lanes(scalars: &[f64]) -> Vector {
    let mut lanes = [0.0; 3];
    lanes[..scalars.len()].copy_from_slice(scalars);
    lanes
}

/// Fill the diagonal entries of the lanes from `count` on.
fn pad(block: &mut Block, count: usize) {
    let mean = (0..count).map(|i| block[4 * i] / count as f64).sum();
    (count..3).for_each(|i| block[4 * i] = mean);
}

/// Check a law for a row of `height` scalar rows.
pub fn check_law(law: Law<[f64; MOST_ROWS]>, height: usize) -> Result<(), Fault> {
    let mut parts = law.parts(height).enumerate();
    parts.try_for_each(|(part, law)| padded(&law, height, (height - 3 * part).min(3))?.check())
}

/// The law of a triple with `count` scalar rows that belongs to a row of `height` scalar rows.
fn padded(law: &Law, height: usize, count: usize) -> Result<Law, Fault> {
    let mut law = *law;
    law.bias[count..].fill(0.0);
    match &mut law.kind {
        Kind::Contact { .. } if height == 3 => {}
        Kind::Contact { .. } => return Err(Fault::Invalid("a contact has three scalar rows")),
        Kind::Bounds { lower, upper } => {
            // If all scalar rows are fixed, the padding is also fixed, since a block with three fixed lanes is solved by its
            // inverse. Otherwise the padding has no force, since W may be zero.
            let fixed = |bounds: &Vector, bound: f64| bounds[..count].iter().all(|&x| x == bound);
            let is_fixed = fixed(lower, f64::NEG_INFINITY) && fixed(upper, f64::INFINITY);
            let most = if is_fixed { f64::INFINITY } else { 0.0 };
            lower[count..].fill(-most);
            upper[count..].fill(most);
        }
    }
    Ok(law)
}

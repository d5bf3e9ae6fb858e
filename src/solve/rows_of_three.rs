//! Rows of one to six scalar rows as rows of three: the first three scalar rows of a row form a triple, and the others form another
//! triple. Lanes of a triple without a scalar row are padded: their entries in W are zero, except the diagonal entry, which is the
//! mean over the other lanes, so that a third of the trace is not changed. Their velocities and forces remain zero.
//!
//! A contact of two scalar rows has its normal in the lane of normals, and the padding in the lane of the second tangent. There is no
//! velocity there, so that friction does not act there either, and the law of three rows is the law of two. The moments of a contact
//! have the lanes of the axes about which they turn.

use std::iter;
use std::ops::Range;

use crate::math::{Block, Vector};
use crate::memory::{self, collect, refill};
use crate::rows::fault::{Error, Fault};
use crate::rows::pattern::range;
use crate::rows::{BlockRows, Bsr3};

use super::body_rows::{BodyRows, BodyRowsSource};
use super::conflict::Multiplier;
use super::laws::{LawKind, of_kind};
use super::problem::{Law, Normal, Problem, Problem3, triples};

/// The lane of each scalar row of a triple, then the padded lanes.
pub type LaneOrder = [u8; 3];

pub const IN_ORDER: LaneOrder = [0, 1, 2];
/// The lanes of tangent and normal if the normal is the third component.
pub const WITHOUT_SECOND: LaneOrder = [0, 2, 1];

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
    /// The lanes of each triple.
    lanes: Vec<LaneOrder>,
}

/// The problem of triples, as solvers take it.
pub struct PaddedProblem<'a> {
    pub problem: Problem3<'a>,
    pub laws: &'a [Law],
    pub forces: &'a mut [Vector],
    /// The row of each triple.
    pub rows: &'a [u32],
    /// The lanes of each triple.
    pub lanes: &'a [LaneOrder],
}

/// Z of rows as Z of their triples.
pub struct BodiesOfTriples<'a> {
    pub bodies: &'a dyn BodyRowsSource,
    pub lanes: &'a [LaneOrder],
}

impl BodyRowsSource for BodiesOfTriples<'_> {
    fn write_rows(&self, rows: &mut BodyRows) -> memory::Result<bool> {
        let is_known = self.bodies.write_rows(rows)?;
        if is_known {
            rows.move_to_lanes(|row| self.lanes[row]);
        }
        Ok(is_known)
    }
}

impl Padded {
    /// Make the triples of a checked problem.
    pub fn fill(&mut self, problem: &Problem, laws: &[Law], forces: &[f64]) -> Result<(), Error> {
        let w = &problem.w;
        if let Some(lanes) = lanes_of_pairs(problem, laws) {
            return Ok(self.fill_pairs(problem, laws, forces, lanes)?);
        }
        self.list_triples(w)?;
        self.make_room(w)?;
        self.lanes.extend(laws.iter().zip(&self.rows).map(
            |(law, &row)| of_kind!(&law.kind, kind => kind.lanes(w.height(row as usize), problem.normal)),
        ));
        for (triple, law) in laws.iter().enumerate() {
            let (scalars, lanes) = (self.scalars(w, triple), self.lanes[triple]);
            push_lanes(&mut self.b, &problem.b[scalars.clone()], lanes);
            push_lanes(&mut self.forces, &forces[scalars.clone()], lanes);
            self.laws.push(padded(law, scalars.len(), lanes));
            self.add_blocks(w, triple);
            let end = i32::try_from(self.columns.len());
            let too_many = Error::of_rows(Fault::TooLarge("W has more blocks"));
            self.starts.push(end.map_err(|_| too_many)?);
        }
        Ok(())
    }

    /// The problem of the triples, its laws and forces.
    pub fn parts(&mut self, normal: Normal) -> PaddedProblem<'_> {
        let Self { starts, columns, values, b, laws, forces, rows, lanes, .. } = self;
        PaddedProblem { problem: Problem3 { starts, columns, values, b, normal }, laws, forces, rows, lanes }
    }

    /// W of the triples.
    pub fn matrix(&self) -> Bsr3<'_> {
        Bsr3 { starts: &self.starts, columns: &self.columns, values: &self.values }
    }

    /// The triple and the lane of each scalar row.
    pub fn places(&self, w: &BlockRows) -> impl Iterator<Item = (usize, usize)> {
        let counts = (0..self.rows.len()).map(|triple| self.scalars(w, triple).len());
        counts.enumerate().flat_map(|(triple, count)| {
            self.lanes[triple][..count].iter().map(move |&lane| (triple, usize::from(lane)))
        })
    }

    /// Write the forces of scalar rows.
    pub fn read_forces(&self, w: &BlockRows, forces: &mut [f64]) {
        for (triple, force) in self.forces.iter().enumerate() {
            let to = &mut forces[self.scalars(w, triple)];
            to.iter_mut().zip(self.lanes[triple]).for_each(|(to, lane)| *to = force[usize::from(lane)]);
        }
    }

    /// Give multipliers of triples the numbers of rows and scalar rows.
    pub fn read_conflict(&self, w: &BlockRows, conflict: &mut Vec<Multiplier>) {
        conflict.retain_mut(|multiplier| {
            let triple = multiplier.constraint as usize;
            let (row, count) = (self.rows[triple], self.scalars(w, triple).len());
            let lane = self.lanes[triple][..count]
                .iter()
                .position(|&lane| usize::from(lane) == multiplier.component);
            multiplier.constraint = row.into();
            multiplier.component = 3 * (triple - self.firsts[row as usize] as usize) + lane.unwrap_or(0);
            // Padded lanes have no velocity.
            lane.is_some()
        });
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
        let Self { starts, columns, values, b, laws, forces, rows, lanes, .. } = self;
        let of_row = |row: usize| {
            let others = w.columns()[w.blocks(row)].iter().map(|&column| triples(w.height(column as usize)));
            triples(w.height(row)) * others.sum::<usize>()
        };
        let has_one_each = rows.len() == w.len();
        let blocks = if has_one_each { w.columns().len() } else { (0..w.len()).map(of_row).sum() };
        collect(starts, rows.len() + 1, iter::once(0))?;
        collect(columns, blocks, iter::empty())?;
        collect(values, blocks, iter::empty())?;
        collect(b, rows.len(), iter::empty())?;
        collect(laws, rows.len(), iter::empty())?;
        collect(lanes, rows.len(), iter::empty())?;
        collect(forces, rows.len(), iter::empty())
    }

    /// The range of a triple's scalar rows in vectors.
    fn scalars(&self, w: &BlockRows, triple: usize) -> Range<usize> {
        let row = self.rows[triple] as usize;
        let own = w.scalars(row);
        let first = own.start + 3 * (triple - self.firsts[row] as usize);
        first..own.end.min(first + 3)
    }

    /// Make the triples of rows that all have two scalar rows, in the same lanes, as contacts in a plane: nothing is looked up for a row
    /// or a block.
    fn fill_pairs(
        &mut self,
        problem: &Problem,
        laws: &[Law],
        forces: &[f64],
        lanes: LaneOrder,
    ) -> memory::Result {
        let (w, count) = (&problem.w, laws.len());
        collect(&mut self.rows, count, 0..count as u32)?;
        collect(&mut self.firsts, count + 1, 0..=count as u32)?;
        refill(&mut self.lanes, count, lanes)?;
        collect(&mut self.starts, count + 1, w.starts().iter().copied())?;
        collect(&mut self.columns, w.columns().len(), w.columns().iter().copied())?;
        collect(&mut self.laws, count, laws.iter().map(|law| padded(law, 2, lanes)))?;
        let [first, second, _] = lanes.map(usize::from);
        for (vectors, scalars) in [(&mut self.b, problem.b), (&mut self.forces, forces)] {
            refill(vectors, count, [0.0; 3])?;
            for (to, &[x, y]) in vectors.iter_mut().zip(scalars.as_chunks().0) {
                (to[first], to[second]) = (x, y);
            }
        }
        refill(&mut self.values, w.columns().len(), [0.0; 9])?;
        for (to, &[xx, yx, xy, yy]) in self.values.iter_mut().zip(w.values().as_chunks().0) {
            (to[4 * first], to[4 * second]) = (xx, yy);
            (to[3 * first + second], to[3 * second + first]) = (yx, xy);
        }
        for row in 0..count {
            let own = w.blocks(row);
            let diagonal = w.columns()[own.clone()].partition_point(|&column| column < row as i32);
            pad(&mut self.values[own.start + diagonal], 2, lanes);
        }
        Ok(())
    }

    /// Add the blocks of a triple.
    fn add_blocks(&mut self, w: &BlockRows, triple: usize) {
        let row = self.rows[triple] as usize;
        let (height, first) = (w.height(row), 3 * (triple - self.firsts[row] as usize));
        let (count, lanes) = ((height - first).min(3), self.lanes[triple]);
        for (column, block) in w.row(row) {
            let mut before = 0;
            for other in range(&self.firsts, column) {
                let at = self.values.len();
                self.columns.push(other as i32);
                self.values.push([0.0; 9]);
                let to = &mut self.values[at];
                let width = (w.height(column) - before).min(3);
                for (k, &lane) in self.lanes[other][..width].iter().enumerate() {
                    let from = &block[(before + k) * height + first..][..count];
                    (0..count).for_each(|i| to[usize::from(3 * lane + lanes[i])] = from[i]);
                }
                before += width;
                if other == triple {
                    pad(to, count, lanes);
                }
            }
        }
    }
}

/// The lanes of all rows, if all rows have two scalar rows and the same lanes.
fn lanes_of_pairs(problem: &Problem, laws: &[Law]) -> Option<LaneOrder> {
    let mut lanes = laws.iter().map(|law| of_kind!(&law.kind, kind => kind.lanes(2, problem.normal)));
    let first = lanes.next()?;
    let are_pairs = (0..problem.w.len()).all(|row| problem.w.height(row) == 2);
    (are_pairs && lanes.all(|lanes| lanes == first)).then_some(first)
}

/// Values of a triple's scalar rows, padded with zeros.
fn in_lanes(scalars: &[f64], lanes: LaneOrder) -> Vector {
    let mut vector = [0.0; 3];
    scalars.iter().zip(lanes).for_each(|(&value, lane)| vector[usize::from(lane)] = value);
    vector
}

/// Add values of a triple's scalar rows. They are written one by one where they stay: a processor waits if it reads three values at once
/// that it has just written apart.
fn push_lanes(to: &mut Vec<Vector>, scalars: &[f64], lanes: LaneOrder) {
    let at = to.len();
    to.push([0.0; 3]);
    let vector = &mut to[at];
    scalars.iter().zip(lanes).for_each(|(&value, lane)| vector[usize::from(lane)] = value);
}

/// Fill the diagonal entries of the lanes without a scalar row.
fn pad(block: &mut Block, count: usize, lanes: LaneOrder) {
    let (own, padded) = lanes.split_at(count);
    let mean: f64 = own.iter().map(|&i| block[4 * usize::from(i)] / count as f64).sum();
    padded.iter().for_each(|&i| block[4 * usize::from(i)] = mean);
}

/// The law of a triple with `count` scalar rows.
fn padded(law: &Law, count: usize, lanes: LaneOrder) -> Law {
    let kind = of_kind!(&law.kind, kind => kind.padded(count).into());
    Law { kind, bias: in_lanes(&law.bias[..count], lanes) }
}

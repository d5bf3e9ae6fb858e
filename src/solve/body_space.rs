//! The equations of a step in the space of bodies: with the scaled W = Z Zᵀ each row has A δy + B Z δx = b, where δx = Zᵀ δy are the
//! changes of the velocities of bodies. So K δx = Zᵀ A⁻¹ b with K = 1 + Zᵀ A⁻¹ B Z, and δy = A⁻¹ (b − B Z δx). Interior points and
//! Newton's method have such equations.
//!
//! A⁻¹ is huge where contacts stick and small where they are open. So a solution is corrected until δx = Zᵀ δy.

use std::iter::once;

use crate::math::simd::{Kernel, SimdLevel, at_best};
use crate::math::{Block, Vector, difference, of_columns, times, transposed_times};
use crate::memory::{self, collect, refill};
use crate::rows::pattern::range;
use crate::team::Team;

use super::block_lu::{BlockLu, Blocks, Shape, Square, unit};
use super::body_rows::{BodyRows, BodyRowsSource, NODE, NodeBlock, NodePattern, NodeVector};
use super::parts::{ROWS, fill};

/// The relative error of δx = Zᵀ δy at which a solution needs no correction.
const ENOUGH: f64 = 1e-11;

/// Nodes in a part of a thread's work.
const NODES: usize = 128;

/// The matrices of a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct RowEquation {
    /// A⁻¹ as a product of two matrices, the left one first. If one matrix had large and small eigenvalues, the small ones would be
    /// lost in rounding.
    pub inverse: [Block; 2],
    /// B.
    pub factor: Block,
}

impl RowEquation {
    /// A⁻¹ b.
    #[inline(always)]
    fn inverse_times(&self, b: &Vector) -> Vector {
        let [left, right] = &self.inverse;
        times(left, &times(right, b))
    }

    /// A⁻¹ B.
    #[inline(always)]
    fn quotient(&self) -> Block {
        let f = &self.factor;
        of_columns([0, 3, 6].map(|j| self.inverse_times(&[f[j], f[j + 1], f[j + 2]])))
    }
}

/// Z, the factors of K, and the velocities of bodies.
#[derive(Debug, Default)]
pub struct BodySpace {
    rows: BodyRows,
    pattern: NodePattern,
    /// The index in the pattern of each pair of parts, and where the pairs of each row begin.
    pairs: Vec<u32>,
    pair_starts: Vec<u32>,
    lu: BlockLu<NODE>,
    equations: Vec<RowEquation>,
    x: Vec<NodeVector>,
    /// Zᵀ y − x, as far as solutions correct it.
    drift: Vec<NodeVector>,
    change: Vec<NodeVector>,
    work: Vec<NodeVector>,
    right: Vec<Vector>,
}

impl BodySpace {
    /// Get Z, whose rows are scaled by `factors`, and make room for products. Returns false if bodies are not known.
    pub fn prepare(
        &mut self,
        bodies: &dyn BodyRowsSource,
        factors: impl Fn(usize) -> Vector,
    ) -> memory::Result<bool> {
        let is_known = bodies.write_rows(&mut self.rows)?;
        if is_known {
            self.rows.scale(factors);
            self.rows.write_pattern(&mut self.pattern)?;
            refill(&mut self.work, self.rows.nodes(), [0.0; NODE])?;
            refill(&mut self.right, self.rows.len(), [0.0; 3])?;
        }
        Ok(is_known)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.rows.nodes()
    }

    /// Find the fill of a factorization, and make room for it. Returns the number of products of blocks, if it is at most `most`.
    pub fn analyse(&mut self, most: u64) -> memory::Result<Option<u64>> {
        let products = self.lu.analyse(&self.pattern.starts, &self.pattern.columns, most)?;
        if products.is_some() {
            self.make_room()?;
        }
        Ok(products)
    }

    fn make_room(&mut self) -> memory::Result {
        let Self { rows, pattern, pairs, pair_starts, equations, x, drift, change, .. } = self;
        pairs.clear();
        collect(pair_starts, rows.len() + 1, once(0))?;
        for row in 0..rows.len() {
            let (nodes, _) = rows.row(row);
            pairs.try_reserve(nodes.len() * nodes.len())?;
            for &to in nodes {
                pairs.extend(nodes.iter().map(|&from| pattern.find(to as usize, from) as u32));
            }
            pair_starts.push(pairs.len() as u32);
        }
        for list in [x, drift, change] {
            refill(list, rows.nodes(), [0.0; NODE])?;
        }
        refill(equations, rows.len(), RowEquation::default())
    }

    /// Set x = Zᵀ y.
    pub fn begin(&mut self, team: &mut Team, y: impl Fn(usize) -> Vector + Sync) {
        let Self { rows, pattern, x, right, .. } = self;
        x.fill([0.0; NODE]);
        fill(team, right, y);
        gather(team, rows, pattern, x, right);
    }

    /// Compute Zᵀ y, for Z Zᵀ y of each row.
    pub fn products(&mut self, team: &mut Team, y: impl Fn(usize) -> Vector + Sync) -> MadeVelocities<'_> {
        let Self { rows, pattern, work, right, .. } = self;
        work.fill([0.0; NODE]);
        fill(team, right, y);
        gather(team, rows, pattern, work, right);
        MadeVelocities { rows, x: work }
    }

    /// Z x of a row.
    #[inline(always)]
    pub fn velocity(&self, row: usize) -> Vector {
        self.rows.times(row, &self.x)
    }

    /// Factor K, which is symmetric if A is symmetric and B = 1. Returns false if the matrix is singular. Solutions do not depend on
    /// x, unless `correct` follows.
    pub fn factorise(
        &mut self,
        team: &mut Team,
        shape: Shape,
        equation: impl Fn(usize) -> RowEquation + Sync,
    ) -> bool {
        let Self { rows, pattern, pairs, pair_starts, lu, equations, drift, .. } = self;
        drift.fill([0.0; NODE]);
        fill(team, equations, equation);
        lu.factorise_parts(team, shape, |blocks, nodes| {
            at_best(Assembly { rows, pattern, pairs, pair_starts, equations, blocks, nodes });
        })
    }

    /// Solutions with the current factors also correct the difference of x and Zᵀ y.
    pub fn correct(&mut self, team: &mut Team, y: impl Fn(usize) -> Vector + Sync) {
        let Self { rows, pattern, x, drift, right, .. } = self;
        drift.iter_mut().zip(x).for_each(|(drift, x)| *drift = x.map(|x| -x));
        fill(team, right, y);
        gather(team, rows, pattern, drift, right);
    }

    /// Replace b by δy, and compute δx, with at most this number of corrections.
    pub fn solve(&mut self, team: &mut Team, step: &mut [Vector], corrections: usize) {
        let Self { rows, pattern, lu, equations, drift, change, work, right, .. } = self;
        let (rows, equations) = (&*rows, &*equations);
        change.fill([0.0; NODE]);
        // Before the first solution, δy is A⁻¹ b.
        team.share_parts((&mut *step, &mut right[..]), ROWS, |first, (step, right)| {
            for ((step, right), equation) in step.iter_mut().zip(right).zip(&equations[first..]) {
                *right = *step;
                *step = equation.inverse_times(step);
            }
        });
        let mut first_error = 0.0;
        for correction in 0..=corrections {
            for ((work, drift), change) in work.iter_mut().zip(&*drift).zip(&*change) {
                *work = std::array::from_fn(|i| drift[i] - change[i]);
            }
            gather(team, rows, pattern, work, step);
            let error = work.as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
            if correction == 0 {
                first_error = error;
            } else if error <= ENOUGH * first_error {
                break;
            }
            lu.solve(team, work);
            for (change, work) in change.iter_mut().zip(&*work) {
                (0..NODE).for_each(|i| change[i] += work[i]);
            }
            let work = &*work;
            let right = (correction == 0).then_some(&right[..]);
            team.share_parts(&mut *step, ROWS, |first, step| {
                at_best(Correction { rows, equations, work, right, first, step });
            });
        }
    }

    /// Go along δx.
    pub fn advance(&mut self, long: f64) {
        for (x, change) in self.x.iter_mut().zip(&self.change) {
            (0..NODE).for_each(|i| x[i] += long * change[i]);
        }
    }
}

/// Zᵀ y of some y.
pub struct MadeVelocities<'a> {
    rows: &'a BodyRows,
    x: &'a [NodeVector],
}

impl MadeVelocities<'_> {
    /// Z Zᵀ y of a row.
    #[inline(always)]
    pub fn of(&self, row: usize) -> Vector {
        self.rows.times(row, self.x)
    }
}

/// Add Zᵀ y to x.
fn gather(team: &mut Team, rows: &BodyRows, pattern: &NodePattern, x: &mut [NodeVector], y: &[Vector]) {
    team.share_parts(x, NODES, |first, x| at_best(Gathering { rows, pattern, first, x, y }));
}

/// The part of some nodes in that.
struct Gathering<'a> {
    rows: &'a BodyRows,
    pattern: &'a NodePattern,
    first: usize,
    x: &'a mut [NodeVector],
    y: &'a [Vector],
}

impl Kernel for Gathering<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) {
        for (node, x) in (self.first..).zip(self.x) {
            self.rows.add_transposed(self.pattern.parts(node), self.y, x);
        }
    }
}

/// The blocks of K that some nodes have with themselves and with later ones.
struct Assembly<'a, 'b> {
    rows: &'a BodyRows,
    pattern: &'a NodePattern,
    pairs: &'a [u32],
    pair_starts: &'a [u32],
    equations: &'a [RowEquation],
    blocks: &'a mut Blocks<'b, NODE>,
    nodes: &'a [u32],
}

impl Kernel for Assembly<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) {
        let Self { rows, pattern, pairs, pair_starts, equations, blocks, nodes } = self;
        for &node in nodes {
            blocks.add(pattern.find(node as usize, node), &unit());
            for part in pattern.parts(node as usize) {
                let row = part.row as usize;
                let (own, parts) = (rows.index_in_row(part), rows.row(row).1);
                let g = equations[row].quotient();
                let z = &parts[own];
                let [right, left] =
                    [z.map(|column| times(&g, &column)), z.map(|column| transposed_times(&g, &column))];
                let pairs = &pairs[range(pair_starts, row)];
                let pair = |to: usize, from: usize| pairs[parts.len() * to + from] as usize;
                for (other, block) in parts.iter().enumerate() {
                    let [above, below] = [pair(own, other), pair(other, own)];
                    if other != own && !blocks.is_above(above) {
                        continue;
                    }
                    blocks.add(below, &product(block, &right));
                    if other != own && blocks.shape() == Shape::Any {
                        blocks.add(above, &product(&left, block));
                    }
                }
            }
        }
    }
}

/// A correction of δy by a change of δx; the first one with b.
struct Correction<'a> {
    rows: &'a BodyRows,
    equations: &'a [RowEquation],
    work: &'a [NodeVector],
    right: Option<&'a [Vector]>,
    first: usize,
    step: &'a mut [Vector],
}

impl Kernel for Correction<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) {
        let Self { rows, equations, work, right, first, step } = self;
        for (row, step) in (first..).zip(step) {
            let equation = &equations[row];
            let made = times(&equation.factor, &rows.times(row, work));
            *step = match right {
                // The difference first: both may be large and nearly the same.
                Some(right) => equation.inverse_times(&difference(&right[row], &made)),
                None => difference(step, &equation.inverse_times(&made)),
            };
        }
    }
}

/// `aᵀ b`.
#[inline(always)]
fn product(a: &NodeBlock, b: &NodeBlock) -> Square<NODE> {
    let mut product = [[0.0; NODE]; NODE];
    for (column, b) in product.iter_mut().zip(b) {
        for (entry, a) in column.iter_mut().zip(a) {
            *entry = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        }
    }
    product
}

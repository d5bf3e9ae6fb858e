//! The equations of a step in the space of bodies: with the scaled W = Z Zᵀ each row has A δy + B Z δx = b, where δx = Zᵀ δy are the
//! changes of the velocities of bodies. So K δx = Zᵀ A⁻¹ b with K = 1 + Zᵀ A⁻¹ B Z, and δy = A⁻¹ (b − B Z δx). Interior points and
//! Newton's method have such equations.
//!
//! A⁻¹ is huge where contacts stick and small where they are open. So a solution is corrected until δx = Zᵀ δy.

use crate::math::simd::{Kernel, SimdLevel, at_best};
use crate::math::{Block, Vector, difference, of_columns, times, transposed_times};
use crate::memory::{self, refill};
use crate::team::Team;

use super::block_lu::{BlockLu, Shape, Square, unit};
use super::body_rows::{Bodies, BodyRows, NODE, NodeBlock, NodePattern, NodeVector};

/// The relative error of δx = Zᵀ δy at which a solution needs no correction.
const ENOUGH: f64 = 1e-11;

/// The unit matrix.
pub const UNIT: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

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
}

/// Z, the factors of K, and the velocities of bodies.
#[derive(Debug, Default)]
pub struct BodySpace {
    rows: BodyRows,
    pattern: NodePattern,
    /// The index in the pattern of each pair of parts, row by row.
    pairs: Vec<u32>,
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
    /// Get Z, whose rows are scaled by `factors`. Returns false if bodies are not known.
    pub fn prepare(
        &mut self,
        bodies: &dyn Bodies,
        factors: impl Fn(usize) -> Vector,
    ) -> memory::Result<bool> {
        let is_known = bodies.write_rows(&mut self.rows)?;
        if is_known {
            self.rows.scale(factors);
            self.rows.write_pattern(&mut self.pattern)?;
        }
        Ok(is_known)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.rows.nodes()
    }

    /// Find the fill of a factorization. Returns the number of products of blocks, if it is at most `most`.
    pub fn analyse(&mut self, most: u64) -> memory::Result<Option<u64>> {
        let products = self.lu.analyse(&self.pattern.starts, &self.pattern.columns, most)?;
        if products.is_some() {
            self.make_room()?;
        }
        Ok(products)
    }

    fn make_room(&mut self) -> memory::Result {
        let Self { rows, pattern, pairs, equations, x, drift, change, work, right, .. } = self;
        pairs.clear();
        for row in 0..rows.len() {
            let (nodes, _) = rows.row(row);
            pairs.try_reserve(nodes.len() * nodes.len())?;
            for &to in nodes {
                pairs.extend(nodes.iter().map(|&from| pattern.find(to as usize, from) as u32));
            }
        }
        for list in [x, drift, change, work] {
            refill(list, rows.nodes(), [0.0; NODE])?;
        }
        refill(right, rows.len(), [0.0; 3])?;
        refill(equations, rows.len(), RowEquation::default())
    }

    /// Set x = Zᵀ y.
    pub fn begin(&mut self, y: impl Fn(usize) -> Vector) {
        self.x.fill([0.0; NODE]);
        for row in 0..self.rows.len() {
            self.rows.add_transposed(row, &y(row), &mut self.x);
        }
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
        equation: impl Fn(usize) -> RowEquation,
    ) -> bool {
        self.drift.fill([0.0; NODE]);
        for (row, to) in self.equations.iter_mut().enumerate() {
            *to = equation(row);
        }
        self.lu.clear(shape);
        at_best(Assembly { space: self });
        self.lu.eliminate(team)
    }

    /// Solutions with the current factors also correct the difference of x and Zᵀ y.
    pub fn correct(&mut self, y: impl Fn(usize) -> Vector) {
        let Self { rows, x, drift, .. } = self;
        for (drift, x) in drift.iter_mut().zip(x) {
            *drift = x.map(|x| -x);
        }
        (0..rows.len()).for_each(|row| rows.add_transposed(row, &y(row), drift));
    }

    /// Replace b by δy, and compute δx, with at most this number of corrections.
    pub fn solve(&mut self, step: &mut [Vector], corrections: usize) {
        at_best(CorrectedSolution { space: self, step, corrections });
    }

    /// Go along δx.
    pub fn advance(&mut self, long: f64) {
        for (x, change) in self.x.iter_mut().zip(&self.change) {
            (0..NODE).for_each(|i| x[i] += long * change[i]);
        }
    }
}

/// The assembly of K.
struct Assembly<'a> {
    space: &'a mut BodySpace,
}

impl Kernel for Assembly<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) {
        let BodySpace { rows, pattern, pairs, lu, equations, .. } = self.space;
        for node in 0..rows.nodes() {
            lu.add(pattern.find(node, node as u32), &unit());
        }
        let mut pairs = pairs.iter();
        for (row, equation) in equations.iter().enumerate() {
            let f = &equation.factor;
            let g = of_columns([0, 3, 6].map(|j| equation.inverse_times(&[f[j], f[j + 1], f[j + 2]])));
            let (nodes, blocks) = rows.row(row);
            // Gᵀ Z of each part is made once.
            for to in blocks {
                let left = to.map(|column| transposed_times(&g, &column));
                for (from, &pair) in blocks.iter().zip(pairs.by_ref().take(nodes.len())) {
                    if lu.uses(pair as usize) {
                        lu.add(pair as usize, &product(&left, from));
                    }
                }
            }
        }
    }
}

/// The solution with the factors.
struct CorrectedSolution<'a> {
    space: &'a mut BodySpace,
    step: &'a mut [Vector],
    corrections: usize,
}

impl Kernel for CorrectedSolution<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) {
        let Self { space: BodySpace { rows, lu, equations, drift, change, work, right, .. }, step, .. } =
            self;
        let size = |list: &[NodeVector]| list.as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
        right.copy_from_slice(step);
        change.fill([0.0; NODE]);
        // Before the first solution, δy is A⁻¹ b.
        for (step, equation) in step.iter_mut().zip(&*equations) {
            *step = equation.inverse_times(step);
        }
        let mut first = 0.0;
        for correction in 0..=self.corrections {
            for ((work, drift), change) in work.iter_mut().zip(&*drift).zip(&*change) {
                *work = std::array::from_fn(|i| drift[i] - change[i]);
            }
            for (row, step) in step.iter().enumerate() {
                rows.add_transposed(row, step, work);
            }
            let error = size(work);
            if correction == 0 {
                first = error;
            } else if error <= ENOUGH * first {
                break;
            }
            lu.solve(work);
            for (change, work) in change.iter_mut().zip(&*work) {
                (0..NODE).for_each(|i| change[i] += work[i]);
            }
            for (row, (step, equation)) in step.iter_mut().zip(&*equations).enumerate() {
                let made = times(&equation.factor, &rows.times(row, work));
                if correction == 0 {
                    // The difference first: both may be large and nearly the same.
                    *step = equation.inverse_times(&difference(&right[row], &made));
                } else {
                    *step = difference(step, &equation.inverse_times(&made));
                }
            }
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

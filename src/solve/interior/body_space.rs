//! The equations of a step in the space of bodies. With M = Ĥ Ĥᵀ, (M + D) δy = b is the same as K δx = Ĥᵀ (y + D⁻¹ b) − x and
//! δy = D⁻¹ (b − (1 + E) Ĥ δx), with K = 1 + Ĥᵀ D⁻¹ (1 + E) Ĥ and the velocities x = Ĥᵀ y of the bodies. E is the foreseen change of
//! |v_T|. With cohesion, y is the sum of force and cohesion, and the force alone makes x.
//!
//! D⁻¹ is huge where contacts stick and small where they are open. So the velocities x are kept from step to step and not computed
//! from y again: v = Ĥ x + q has small errors then. Each step corrects errors of the equation x = Ĥᵀ y.

use crate::math::Vector;
use crate::math::simd::{Kernel, SimdLevel, at_best};
use crate::memory::{self, collect, refill};

use super::{ALPHA, Lane, Program, Row, outer};
use crate::solve::block_lu::{BlockLu, Square};
use crate::solve::body_rows::{Bodies, BodyRows, NODE, NodeBlock, NodePattern, NodeVector};
use crate::solve::frames::Axes;

/// The relative error of the equation of bodies at which a solution needs no correction.
const ENOUGH: f64 = 1e-11;

/// Ĥ, the factors of K, and the velocities of bodies.
#[derive(Debug, Default)]
pub struct BodySpace {
    rows: BodyRows,
    pattern: NodePattern,
    /// The index in the pattern of each pair of parts, row by row.
    pairs: Vec<u32>,
    lu: BlockLu<NODE>,
    x: Vec<NodeVector>,
    change: Vec<NodeVector>,
    work: Vec<NodeVector>,
    right: Vec<Vector>,
}

impl BodySpace {
    /// Get Ĥ, whose rows are scaled by `factors`. Returns false if bodies are not known.
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

    /// Find the fill of a factorization. Returns the number of products of blocks, if it is at most `most`.
    pub fn analyse(&mut self, most: u64) -> memory::Result<Option<u64>> {
        let products = self.lu.analyse(&self.pattern.starts, &self.pattern.columns, most)?;
        if products.is_some() {
            let Self { rows, pattern, pairs, .. } = self;
            pairs.clear();
            for row in 0..rows.len() {
                let (nodes, _) = rows.row(row);
                pairs.try_reserve(nodes.len() * nodes.len())?;
                for &to in nodes {
                    pairs.extend(nodes.iter().map(|&from| pattern.find(to as usize, from) as u32));
                }
            }
        }
        Ok(products)
    }

    /// Begin with the velocities x = Ĥᵀ y.
    pub(super) fn begin<A: Axes>(&mut self, program: &Program, y: &[Vector]) -> memory::Result {
        let count = self.rows.nodes();
        for list in [&mut self.x, &mut self.change, &mut self.work] {
            refill(list, count, [0.0; NODE])?;
        }
        collect(&mut self.right, y.len(), y.iter().copied())?;
        for (row, y) in y.iter().enumerate() {
            self.rows.add_transposed(row, &program.scaled_force::<A>(row, y), &mut self.x);
        }
        Ok(())
    }

    /// Write the velocities v = Ĥ x + q.
    pub(super) fn velocities(&self, program: &Program, rows: &mut [Row]) {
        for (row, state) in rows.iter_mut().enumerate() {
            let made = self.rows.times(row, &self.x);
            let root = program.roots[row];
            state.v = std::array::from_fn(|i| program.q[row][i] / root + made[i]);
        }
    }

    /// Factor K. Returns false if the matrix is singular.
    pub(super) fn factorise<A: Axes>(&mut self, program: &Program, y: &[Vector], rows: &[Row]) -> bool {
        self.lu.clear();
        at_best(Assembly::<A> { space: self, program, y, rows, axes: std::marker::PhantomData });
        self.lu.eliminate()
    }

    /// Replace b by δy, and compute δx, with at most this number of corrections.
    pub(super) fn solve<A: Axes>(
        &mut self,
        program: &Program,
        y: &[Vector],
        states: &[Row],
        step: &mut [Vector],
        corrections: usize,
    ) {
        let Self { rows, lu, x, change, work, right, .. } = self;
        let size = |list: &[NodeVector]| list.as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
        right.copy_from_slice(step);
        change.fill([0.0; NODE]);
        // Before the first solution, δy is D⁻¹ b.
        for (row, step) in step.iter_mut().enumerate() {
            *step = program.times_inverse::<A>(row, &y[row], &states[row], step);
        }
        let mut first = 0.0;
        for correction in 0..=corrections {
            for ((work, x), change) in work.iter_mut().zip(&*x).zip(&*change) {
                *work = std::array::from_fn(|i| -x[i] - change[i]);
            }
            for (row, (y, step)) in y.iter().zip(&*step).enumerate() {
                let force = program.scaled_force::<A>(row, y);
                let sum = std::array::from_fn(|i| force[i] + step[i]);
                rows.add_transposed(row, &sum, work);
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
            for (row, step) in step.iter_mut().enumerate() {
                let (state, y) = (&states[row], &y[row]);
                let mut made = rows.times(row, work);
                made[A::N] += state.foreseen::<A>(program.friction(row), &made);
                if correction == 0 {
                    // The difference first: both may be large and nearly the same.
                    let rest = std::array::from_fn(|i| right[row][i] - made[i]);
                    *step = program.times_inverse::<A>(row, y, state, &rest);
                } else {
                    let less = program.times_inverse::<A>(row, y, state, &made);
                    (0..3).for_each(|i| step[i] -= less[i]);
                }
            }
        }
    }

    /// Go along δx.
    pub(super) fn advance(&mut self, long: f64) {
        for (x, change) in self.x.iter_mut().zip(&self.change) {
            (0..NODE).for_each(|i| x[i] += long * change[i]);
        }
    }
}

impl Program<'_> {
    /// D⁻¹ b.
    #[inline(always)]
    fn times_inverse<A: Axes>(&self, row: usize, y: &Vector, state: &Row, b: &Vector) -> Vector {
        let friction = self.friction(row);
        if friction > 0.0 {
            let s = state.scaling.times(&state.scaling.times(&outer::<A>(b, friction)));
            let mut made = [0.0; 3];
            (made[A::N], made[A::S], made[A::T]) = (s[0] / friction, s[1], s[2]);
            return made;
        }
        std::array::from_fn(|i| match self.lane::<A>(row, i) {
            Some(Lane::Bounded(lower, upper)) => b[i] / state.stiffness(y, i, lower, upper).max(ALPHA),
            Some(Lane::Free) => b[i] / ALPHA,
            Some(Lane::Pinned(_)) | None => 0.0,
        })
    }

    /// D⁻¹ (1 + E).
    #[inline(always)]
    fn inverse_with_foreseen<A: Axes>(&self, row: usize, y: &Vector, state: &Row) -> Square<3> {
        let friction = self.friction(row);
        std::array::from_fn(|j| {
            let mut unit = [0.0; 3];
            unit[j] = 1.0;
            unit[A::N] += state.foreseen::<A>(friction, &unit);
            self.times_inverse::<A>(row, y, state, &unit)
        })
    }
}

/// The assembly of K.
struct Assembly<'a, A> {
    space: &'a mut BodySpace,
    program: &'a Program<'a>,
    y: &'a [Vector],
    rows: &'a [Row],
    axes: std::marker::PhantomData<A>,
}

impl<A: Axes> Kernel for Assembly<'_, A> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) {
        let Self { space: BodySpace { rows, pattern, pairs, lu, .. }, program, y, rows: states, .. } = self;
        for node in 0..rows.nodes() {
            let block = lu.block_mut(pattern.find(node, node as u32));
            (0..NODE).for_each(|i| block[i][i] = 1.0);
        }
        let mut pairs = pairs.iter();
        for row in 0..rows.len() {
            let g = program.inverse_with_foreseen::<A>(row, &y[row], &states[row]);
            let (nodes, blocks) = rows.row(row);
            // Gᵀ Z of each part is made once.
            for to in blocks {
                let left = transposed_times(&g, to);
                for (from, &pair) in blocks.iter().zip(pairs.by_ref().take(nodes.len())) {
                    add_product(lu.block_mut(pair as usize), &left, from);
                }
            }
        }
    }
}

/// Gᵀ z.
#[inline(always)]
fn transposed_times(g: &Square<3>, z: &NodeBlock) -> NodeBlock {
    z.map(|z| std::array::from_fn(|i| g[i][0] * z[0] + g[i][1] * z[1] + g[i][2] * z[2]))
}

/// `k += aᵀ b`.
#[inline(always)]
fn add_product(k: &mut Square<NODE>, a: &NodeBlock, b: &NodeBlock) {
    for (k, b) in k.iter_mut().zip(b) {
        for (k, a) in k.iter_mut().zip(a) {
            *k += a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        }
    }
}

//! Bounds of the components of a force.

use crate::math::{Block, Vector};
use crate::memory::{self, push};
use crate::rows::fault::Fault;
use crate::solve::conflict::Demand;
use crate::solve::derivatives::{Bound, Kink3, KinkKind, LinearLaw};
use crate::solve::determinacy::{Cone, Faces, NONE};
use crate::solve::frames::Axes;
use crate::solve::interior::Lane;
use crate::solve::local::BoundedSolution;
use crate::solve::state::Solution;

use super::{Bounds, LawKind, positive};

impl LawKind for Bounds {
    type Local = BoundedSolution;

    const IN_FILES: i32 = 2;
    const HAS_INTERIOR: bool = true;

    fn check(&self, _: usize, _: usize, count: usize) -> Result<(), Fault> {
        let Self { lower, upper } = *self;
        let ordered = |(l, u): (f64, f64)| l <= u && l < f64::INFINITY && u > f64::NEG_INFINITY;
        let why = "a lower bound of its force is above the upper one";
        ensure!(lower.into_iter().zip(upper).take(count).all(ordered), Fault::Invalid(why));
        Ok(())
    }

    fn bounds(&self, component: usize) -> [f64; 2] {
        [self.lower[component], self.upper[component]]
    }

    /// If all scalar rows are fixed, the padding is also fixed, since a block with three fixed lanes is solved by its inverse.
    /// Otherwise the padding has no force, since W may be zero.
    fn padded(mut self, count: usize) -> Self {
        let most = if (0..count).all(|i| self.is_free(i)) { f64::INFINITY } else { 0.0 };
        self.lower[count..].fill(-most);
        self.upper[count..].fill(most);
        self
    }

    #[inline(always)]
    fn is_free(&self, component: usize) -> bool {
        self.lower[component] == f64::NEG_INFINITY && self.upper[component] == f64::INFINITY
    }

    #[inline(always)]
    fn is_joint(&self) -> bool {
        (0..3).all(|i| self.is_free(i) || self.lower[i] == self.upper[i])
    }

    fn local<A: Axes>(&self, w: &Block) -> BoundedSolution {
        BoundedSolution::new(w, self.lower, self.upper)
    }

    #[inline(always)]
    fn allowed<A: Axes>(&self, r: &Vector) -> Vector {
        std::array::from_fn(|i| r[i].clamp(self.lower[i], self.upper[i]))
    }

    /// The bounds are bounds of x.
    #[inline(always)]
    fn projected<A: Axes>(&self, x: &Vector, root: f64) -> Vector {
        std::array::from_fn(|i| x[i].clamp(self.lower[i] * root, self.upper[i] * root))
    }

    #[inline(always)]
    fn slope<A: Axes>(&self, x: &Vector, root: f64) -> Block {
        let mut slope = [0.0; 9];
        for i in 0..3 {
            slope[4 * i] = f64::from(x[i] > self.lower[i] * root && x[i] < self.upper[i] * root);
        }
        slope
    }

    #[inline(always)]
    fn first_change<A: Axes>(&self, x: &Vector, d: &Vector, root: f64) -> f64 {
        let until = |i: usize, bound: f64| positive((bound * root - x[i]) / d[i]);
        (0..3)
            .filter(|&i| self.lower[i] < self.upper[i])
            .fold(f64::INFINITY, |t, i| t.min(until(i, self.lower[i])).min(until(i, self.upper[i])))
    }

    #[inline(always)]
    fn dual<A: Axes>(&self, x: &Vector) -> Vector {
        std::array::from_fn(|i| {
            let least = if self.lower[i].is_finite() { 0.0 } else { f64::NEG_INFINITY };
            let most = if self.upper[i].is_finite() { 0.0 } else { f64::INFINITY };
            x[i].clamp(least, most)
        })
    }

    #[inline(always)]
    fn reach<A: Axes>(&self, a: &Vector) -> (f64, Vector) {
        let Self { lower, upper } = self;
        let (mut most, mut grows) = (0.0, [0.0; 3]);
        for i in 0..3 {
            let (towards, from) = if a[i] > 0.0 { (upper[i], lower[i]) } else { (lower[i], upper[i]) };
            if towards.is_finite() {
                most += a[i] * towards;
            } else {
                grows[i] = a[i];
                most += if from.is_finite() { a[i] * from } else { 0.0 };
            }
        }
        (most, grows)
    }

    fn demand(&self, component: usize) -> Demand {
        if self.is_free(component) { Demand::Joint } else { Demand::Limit }
    }

    #[inline(always)]
    fn lane<A: Axes>(&self, component: usize, root: f64) -> Option<Lane> {
        let (lower, upper) = (self.lower[component] * root, self.upper[component] * root);
        Some(if lower == upper {
            Lane::Pinned(lower)
        } else if lower.is_finite() || upper.is_finite() {
            Lane::Bounded(lower, upper)
        } else {
            Lane::Free
        })
    }

    /// A component has a direction where its velocity is zero.
    fn add_faces<A: Axes>(&self, faces: &mut Faces, solution: &Solution, row: usize) -> memory::Result {
        for i in (0..3).filter(|&i| solution.lanes.has(row, i)) {
            let (lower, upper) = (self.lower[i], self.upper[i]);
            let u = solution.velocities[row][i] / solution.roots[row];
            if lower == upper || (u > solution.zeros[row] && lower.is_finite()) {
                faces.base[row][i] = lower;
                continue;
            }
            if u < -solution.zeros[row] && upper.is_finite() {
                faces.base[row][i] = upper;
                continue;
            }
            let mut vectors = [[0.0; 3]; 2];
            vectors[0][i] = 1.0;
            let value = solution.forces[row][i].clamp(lower, upper);
            let own = faces.push_direction(row, vectors, value)?;
            for (bound, sign) in [(lower, 1.0), (upper, -1.0)] {
                if bound.is_finite() {
                    let (directions, factors) = ([own, NONE, NONE], [sign, 0.0, 0.0]);
                    push(&mut faces.cones, Cone { directions, factors, shift: -sign * bound })?;
                }
            }
        }
        Ok(())
    }

    /// A component keeps its velocity between its bounds, and its force at one of them.
    fn linearized<A: Axes>(
        &self,
        solution: &Solution,
        row: usize,
        law: &mut LinearLaw,
        kinks: &mut Vec<Kink3>,
    ) -> memory::Result {
        let (root, zero) = (solution.roots[row], solution.zeros[row]);
        for lane in 0..3 {
            let velocity = solution.velocities[row][lane] / root;
            let above = root * (solution.forces[row][lane] - self.lower[lane]);
            let below = root * (self.upper[lane] - solution.forces[row][lane]);
            let is_held =
                |distance: f64, velocity: f64| distance <= zero || (velocity > zero && velocity >= distance);
            let bound = if self.lower[lane] == self.upper[lane] {
                Bound::Given
            } else if is_held(above, velocity) && (above <= below || velocity > zero) {
                Bound::Lower
            } else if is_held(below, -velocity) {
                Bound::Upper
            } else {
                Bound::None
            };
            if matches!(bound, Bound::Lower | Bound::Upper) && velocity.abs() <= zero {
                push(kinks, Kink3 { row, lane, kind: KinkKind::Bound })?;
            }
            law.bounds[lane] = bound;
            let to = if bound == Bound::None { &mut law.velocity } else { &mut law.force };
            to[4 * lane] = 1.0;
        }
        Ok(())
    }
}

//! The exact force of one constraint with bounds on its components, while all other forces are kept.

use crate::math::{Block, Vector, inverse, is_finite, times};
use crate::solve::frames::Axes;
use crate::solve::laws::LocalLaw;

use super::branches::branch;

/// The state of a component of the force.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoundState {
    Between,
    Lower,
    Upper,
}

const STATES: [BoundState; 3] = [BoundState::Between, BoundState::Lower, BoundState::Upper];

/// Sweeps of relaxation over a singular block.
const RELAXATIONS: usize = 20;

/// A block of W, its inverse, and the bounds.
#[derive(Clone, Copy, Debug)]
pub struct BoundedSolution {
    w: Block,
    /// The inverse, if all components are fixed and the block is regular.
    inverse: Option<Block>,
    /// The reciprocals of the diagonal, if they are positive and nothing else is in the block, as where one scalar row is padded.
    reciprocals: Option<Vector>,
    lower: Vector,
    upper: Vector,
}

impl BoundedSolution {
    /// Prepare a diagonal block of W.
    pub fn new(w: &Block, lower: Vector, upper: Vector) -> Self {
        let fixed =
            lower.iter().all(|&l| l == f64::NEG_INFINITY) && upper.iter().all(|&u| u == f64::INFINITY);
        let inverse = if fixed { inverse(w).filter(|inverse| is_finite(inverse)) } else { None };
        let is_diagonal = (0..9).all(|k| if k % 4 == 0 { w[k] > 0.0 } else { w[k] == 0.0 });
        let reciprocals = is_diagonal.then(|| [w[0], w[4], w[8]].map(f64::recip));
        Self { w: *w, inverse, reciprocals, lower, upper }
    }
}

impl LocalLaw for BoundedSolution {
    /// Components that W does not connect have their bounds each. Otherwise there are 27 combinations of components between and at
    /// their bounds, and the function returns the force of the first combination that obeys the law. If there is none, since the block
    /// is singular, it returns the result of relaxing one component after the other, or the combination with the least violation.
    fn force<A: Axes>(&self, q: &Vector, old: &Vector, _: f64) -> Vector {
        if let Some(inverse) = &self.inverse {
            branch!(BoundsFixed);
            return times(inverse, &q.map(|q| -q));
        }
        if let Some(reciprocals) = &self.reciprocals {
            let force = std::array::from_fn(|i| -q[i] * reciprocals[i]);
            if is_finite(&force) {
                return self.within(&force);
            }
        }
        let mut best = (f64::INFINITY, *old);
        for i in 0..27 {
            let states = [STATES[i % 3], STATES[i / 3 % 3], STATES[i / 9]];
            let Some(force) = self.candidate(states, q, old) else { continue };
            let violation = self.violation(q, &force);
            if violation == 0.0 {
                branch!(BoundsCombined);
                return self.within(&force);
            }
            if violation < best.0 {
                best = (violation, force);
            }
        }
        branch!(BoundsRelaxed);
        let relaxed = self.relaxed(q, old);
        if self.violation(q, &relaxed) <= best.0 { relaxed } else { self.within(&best.1) }
    }
}

impl BoundedSolution {
    fn within(&self, force: &Vector) -> Vector {
        std::array::from_fn(|i| force[i].clamp(self.lower[i], self.upper[i]))
    }

    /// Relax each component in turn by its bounds and its diagonal entry of W.
    fn relaxed(&self, q: &Vector, old: &Vector) -> Vector {
        let mut force = self.within(old);
        for _ in 0..RELAXATIONS {
            for i in 0..3 {
                let w = self.w[4 * i];
                if w > 0.0 {
                    let u = q[i] + times(&self.w, &force)[i];
                    force[i] = (force[i] - u / w).clamp(self.lower[i], self.upper[i]);
                }
            }
        }
        force
    }

    /// The force with these states; none if a bound is infinite or the block of the components between their bounds is singular.
    fn candidate(&self, states: [BoundState; 3], q: &Vector, old: &Vector) -> Option<Vector> {
        let mut force = [0.0; 3];
        for i in 0..3 {
            force[i] = match states[i] {
                BoundState::Between => 0.0,
                BoundState::Lower => self.lower[i],
                BoundState::Upper => self.upper[i],
            };
        }
        if !is_finite(&force) {
            return None;
        }
        let own = times(&self.w, &force);
        // Rows and columns of components at their bounds, and components with no entry of W, are replaced by the unit matrix.
        let open = |i: usize| states[i] == BoundState::Between && self.w[4 * i] > 0.0;
        let mut a = [0.0; 9];
        let mut right = [0.0; 3];
        for j in 0..3 {
            for i in 0..3 {
                a[3 * j + i] = if open(i) && open(j) { self.w[3 * j + i] } else { f64::from(i == j) };
            }
            if open(j) {
                right[j] = -(q[j] + own[j]);
            } else if states[j] == BoundState::Between {
                right[j] = old[j];
            }
        }
        let solved = times(&inverse(&a)?, &right);
        (0..3).filter(|&i| states[i] == BoundState::Between).for_each(|i| force[i] = solved[i]);
        is_finite(&force).then_some(force)
    }

    /// The violation of the law, as a velocity.
    fn violation(&self, q: &Vector, force: &Vector) -> f64 {
        let own = times(&self.w, force);
        let mut sum = 0.0;
        for i in 0..3 {
            let w = self.w[4 * i];
            let u = q[i] + own[i];
            let reach = if w > 0.0 { w } else { 1.0 };
            let moved = (force[i] - u / reach).clamp(self.lower[i], self.upper[i]);
            let gap = reach * (force[i] - moved).abs();
            // Rounding errors of the velocity are no violation.
            let size = (0..3).map(|j| (self.w[3 * j + i] * force[j]).abs()).sum::<f64>() + q[i].abs();
            if gap > 16.0 * f64::EPSILON * size {
                sum += gap;
            }
        }
        sum
    }
}

//! The exact solution of a strictly convex program, from a close point: Newton's method for the equations of the cones on whose
//! boundary the solution is.
//!
//! Interior points approach a boundary, so that their errors are roots of rounding errors. The close point shows which cones have
//! s inside (no equation), on the boundary (s_N = |s_T|) or at the tip (s = 0), and multipliers ν. These equations may depend
//! on each other: a step is one of the method of multipliers, (p + K + ρ Jᵀ J) δx = −(p x + c) + Jᵀ (ν − ρ g), whose matrix is regular
//! in any case. K is the curvature of the boundaries.

use super::{ConeProgram, subtract_made};
use crate::math::{Vector, length, sum};

/// ρ: the squared share of errors that remains after a step.
const PENALTY: f64 = 1e6;

/// The largest number of steps, and the change that ends them.
const MOST_STEPS: usize = 12;
const SMALL: f64 = 1e-15;

/// The largest violation of a cone by a polished point, and the largest distance from the close point.
const VIOLATION: f64 = 1e-9;
const NEAR: f64 = 1e-3;

/// Where s is in its cone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ConePart {
    #[default]
    Inside,
    Boundary,
    Tip,
}

impl ConePart {
    /// The place that s and y of an interior point show.
    fn of([s, y]: [Vector; 2]) -> Self {
        if s[0] - length(s[1], s[2]) > y[0] {
            Self::Inside
        } else if s[0] < y[0] - length(y[1], y[2]) {
            Self::Tip
        } else {
            Self::Boundary
        }
    }
}

impl ConeProgram {
    /// Replace the solution, with these c and p > 0, by the exact one. It remains if places in cones are not clear.
    pub fn polish(&mut self, c: &[f64], p: f64) {
        self.x.copy_from_slice(&self.best);
        for row in &mut self.rows {
            row.place = ConePart::of(row.best);
            row.y = row.best[1];
        }
        for _ in 0..MOST_STEPS {
            self.place_points();
            let change = self.step_on_boundaries(c, p);
            if !change.is_finite() {
                return;
            }
            if change <= SMALL {
                break;
            }
        }
        self.place_points();
        let is_near = self.x.iter().zip(&self.best).all(|(x, best)| (x - best).abs() <= NEAR);
        let is_right = |row: &super::ConeState| {
            let is_dual = match row.place {
                ConePart::Inside => true,
                ConePart::Boundary => row.y[0] >= -VIOLATION,
                ConePart::Tip => row.y[0] - length(row.y[1], row.y[2]) >= -VIOLATION,
            };
            is_dual && row.s[0] - length(row.s[1], row.s[2]) >= -VIOLATION
        };
        if is_near && self.rows.iter().all(is_right) {
            self.best.copy_from_slice(&self.x);
        }
    }

    /// Find the least value of ½ |x|² + c · x where no cone limits it. Returns false if a cone does.
    pub fn solve_without_cones(&mut self, c: &[f64]) -> bool {
        self.x.iter_mut().zip(c).for_each(|(x, c)| *x = -c);
        self.place_points();
        let is_inside = self.rows.iter().all(|row| row.s[0] >= length(row.s[1], row.s[2]));
        self.best.copy_from_slice(&self.x);
        is_inside
    }

    /// s = h + G x.
    fn place_points(&mut self) {
        for cone in 0..self.rows.len() {
            let (h, made) = (self.offsets[cone], self.made(cone, &self.x));
            self.rows[cone].s = sum(&h, &made);
        }
    }

    /// Take a step; return its size. The lanes of `scaled` are √ρ J and the root of K.
    fn step_on_boundaries(&mut self, c: &[f64], p: f64) -> f64 {
        let cones = self.rows.len();
        let root = PENALTY.sqrt();
        for (k, (to, g)) in self.scaled.iter_mut().zip(&self.columns).enumerate() {
            let row = &self.rows[k % cones.max(1)];
            *to = match row.place {
                ConePart::Inside => [0.0; 3],
                ConePart::Tip => g.map(|g| root * g),
                ConePart::Boundary => {
                    let size = length(row.s[1], row.s[2]);
                    let t = [row.s[1] / size, row.s[2] / size];
                    let bend = (row.y[0].max(0.0) / size).sqrt();
                    [root * (g[0] - t[0] * g[1] - t[1] * g[2]), bend * (t[0] * g[2] - t[1] * g[1]), 0.0]
                }
            };
        }
        // √ρ J and its product with (ν − ρ g) / √ρ.
        for row in &mut self.rows {
            let mut value = |i: usize, g: f64| row.lack[i] = row.y[i] / root - root * g;
            match row.place {
                ConePart::Inside => (0..3).for_each(|i| value(i, 0.0)),
                ConePart::Boundary => value(0, row.s[0] - length(row.s[1], row.s[2])),
                ConePart::Tip => (0..3).for_each(|i| value(i, row.s[i])),
            }
            if row.place == ConePart::Boundary {
                (row.lack[1], row.lack[2]) = (0.0, 0.0);
            }
        }
        self.factorize(p);
        let mut step = std::mem::take(&mut self.step);
        let mut rest = std::mem::take(&mut self.rest);
        for (j, to) in step.iter_mut().enumerate() {
            *to = self.scaled_sum(j, |row| &row.lack) - p * self.x[j] - c[j];
        }
        self.solve_normal(p, &mut step, &mut rest);
        for (cone, row) in self.rows.iter_mut().enumerate() {
            let mut made = row.lack;
            subtract_made(&self.scaled, cones, cone, &step, &mut made);
            match row.place {
                ConePart::Inside => {}
                ConePart::Boundary => row.y[0] = root * made[0],
                ConePart::Tip => row.y = made.map(|x| root * x),
            }
        }
        self.x.iter_mut().zip(&step).for_each(|(x, step)| *x += step);
        let change = step.iter().fold(0.0_f64, |change, step| change.max(step.abs()));
        (self.step, self.rest) = (step, rest);
        change
    }
}

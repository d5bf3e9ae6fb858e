//! Small changes of the numbers of laws, and derivatives by them.

use crate::math::small_symmetric::MOST_ROWS;
use crate::math::{Vector, times, transposed_times};

use super::linear_law::{Bound, LinearLaw};

/// Changes of the numbers of the law of a row, or the derivatives of a function by them; each has the name of the number. Changes of
/// numbers that the law does not have are ignored, and derivatives by them are zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LawChange {
    /// Friction along the first tangent.
    pub friction: f64,
    /// Friction along the second tangent.
    pub friction_2: f64,
    /// The cohesion.
    pub cohesion: f64,
    /// Rolling friction.
    pub rolling_friction: f64,
    /// Torsional friction.
    pub torsional_friction: f64,
    /// Lower bounds, one for each scalar row; of an expansion the first one is the least force. Where both bounds are the same, each has
    /// a half of the derivative by the force.
    pub lower: [f64; MOST_ROWS],
    /// Upper bounds, one for each scalar row.
    pub upper: [f64; MOST_ROWS],
    /// Biases, one for each scalar row.
    pub bias: [f64; MOST_ROWS],
}

impl LawChange {
    /// Derivatives for a contact that has one coefficient of friction: `friction` is the sum of both, `friction_2` is zero.
    pub fn joined(&self) -> Self {
        Self { friction: self.friction + self.friction_2, friction_2: 0.0, ..*self }
    }

    /// Whether all changes are finite.
    pub(super) fn is_finite(&self) -> bool {
        let numbers =
            [self.friction, self.friction_2, self.cohesion, self.rolling_friction, self.torsional_friction];
        [&numbers[..], &self.lower, &self.upper, &self.bias].into_iter().all(crate::math::is_finite)
    }

    /// P dθ of a row of three.
    pub(super) fn of_numbers(&self, law: &LinearLaw, is_of_moments: bool) -> Vector {
        let third = if law.has_least_force { self.lower[0] } else { self.cohesion };
        let changes = match is_of_moments {
            false => [self.friction, self.friction_2, third],
            true => [self.rolling_friction, self.torsional_friction, third],
        };
        times(&law.numbers, &changes)
    }

    /// Add −Pᵀ λ of a row of three.
    pub(super) fn add_of_numbers(&mut self, law: &LinearLaw, is_of_moments: bool, multipliers: &Vector) {
        let [first, second, third] = transposed_times(&law.numbers, multipliers);
        let (first_to, second_to) = match is_of_moments {
            false => (&mut self.friction, &mut self.friction_2),
            true => (&mut self.rolling_friction, &mut self.torsional_friction),
        };
        *first_to -= first;
        *second_to -= second;
        *if law.has_least_force { &mut self.lower[0] } else { &mut self.cohesion } -= third;
    }

    /// The change of the force of a component that a bound holds.
    pub(super) fn of_bound(&self, bound: Bound, component: usize) -> f64 {
        match bound {
            Bound::None => 0.0,
            Bound::Lower => self.lower[component],
            Bound::Upper => self.upper[component],
            Bound::Given => 0.5 * (self.lower[component] + self.upper[component]),
        }
    }

    /// Write the derivatives by the bounds of a component from the derivative by its force.
    pub(super) fn write_of_bound(&mut self, bound: Bound, component: usize, by_force: f64) {
        match bound {
            Bound::None => {}
            Bound::Lower => self.lower[component] = by_force,
            Bound::Upper => self.upper[component] = by_force,
            Bound::Given => (self.lower[component], self.upper[component]) = (0.5 * by_force, 0.5 * by_force),
        }
    }
}

//! The longest stable step.

use std::convert::Infallible;

use super::{Error, Fault, NOT_FINITE, Stiffness, zeros};
use crate::math::lanczos::{EigenProblem, Failure};

/// The limit that the geometric stiffness sets for the step.
#[derive(Clone, Debug)]
pub struct CriticalStep {
    /// ω², the largest eigenvalue of M⁻¹ K̃; zero if no eigenvalue is positive.
    pub frequency_squared: f64,
    /// 2/ω. Explicit schemes are stable if their step is shorter. Infinite if ω is zero.
    pub step: f64,
    /// The index of the constraint that contributes most to ω²; `None` if ω is zero.
    pub constraint: Option<usize>,
    /// Its share of ω². The shares of all constraints sum to 1. Constraints that destabilize have negative
    /// shares, so this share may exceed 1.
    pub share: f64,
    /// The eigenvector x, with xᵀ M x = 1.
    pub vector: Vec<f64>,
}

/// The relative tolerance of ω².
const TOLERANCE: f64 = 1e-10;
/// The limit for the number of products with K̃.
const PRODUCTS: usize = 20_000;
/// An eigenvalue is rounding if it is smaller than this times the largest magnitude of an eigenvalue.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Compute the longest stable step of explicit schemes with these constraint forces. `inverse_mass (f, x)` sets x = M⁻¹ f.
///
/// M⁻¹ may be semidefinite, for example projected to the directions that constraints leave free. Directions in its null space then do
/// not count. If M⁻¹ is zero, nothing moves, and the step is infinite. The same input gives the same bits.
///
/// # Errors
/// If a product or M⁻¹ is not finite, M⁻¹ is not positive semidefinite, the eigenvalue does not converge, or memory is exhausted.
pub fn critical_step(
    stiffness: &Stiffness,
    inverse_mass: impl FnMut(&[f64], &mut [f64]),
) -> Result<CriticalStep, Error> {
    let product = |x: &[f64], y: &mut [f64]| {
        stiffness.product(x, y);
        Ok(())
    };
    let mut problem = EigenProblem { size: stiffness.dofs(), stiffness: product, inverse_mass };
    let none = |vector| CriticalStep {
        frequency_squared: 0.0,
        step: f64::INFINITY,
        constraint: None,
        share: 0.0,
        vector,
    };
    let (estimate, vector) = match problem.largest_eigenpair(TOLERANCE, PRODUCTS) {
        Err(Failure::NothingMoves) => return Ok(none(zeros(stiffness.dofs())?)),
        found => found.map_err(failed)?,
    };
    ensure!(estimate.has_settled(TOLERANCE), Error::of_rows(Fault::NotConverged("the largest eigenvalue")));
    let value = estimate.value;
    if value <= estimate.residual.max(ROUNDING * estimate.magnitude) {
        return Ok(none(vector));
    }
    let contributions = stiffness.contributions(&vector)?;
    let most =
        (0..contributions.len()).reduce(|a, b| if contributions[b] > contributions[a] { b } else { a });
    let share = most.map_or(0.0, |most| contributions[most] / contributions.iter().sum::<f64>());
    Ok(CriticalStep { frequency_squared: value, step: 2.0 / value.sqrt(), constraint: most, share, vector })
}

fn failed(failure: Failure<Infallible>) -> Error {
    Error::of_rows(match failure {
        Failure::Memory => Fault::Memory,
        Failure::NotFinite => NOT_FINITE,
        Failure::NotPositive | Failure::NothingMoves => Fault::Invalid("the inverse inertia is not positive"),
        Failure::Product(never) => match never {},
    })
}

//! The longest stable step.

use std::convert::Infallible;

use super::{Error, Fault, NOT_FINITE, Stiffness, zeros};
use crate::math::lanczos::{EigenProblem, Failure};

/// What the geometric stiffness asks of the step.
#[derive(Clone, Debug)]
pub struct CriticalStep {
    /// ω², the largest eigenvalue of M⁻¹ K̃; zero where the stiffness has no positive one.
    pub frequency_squared: f64,
    /// 2/ω: explicit schemes are stable with shorter steps. Infinite if ω is zero.
    pub step: f64,
    /// The constraint that contributes most to ω², its place in the list; none if ω is zero.
    pub constraint: Option<usize>,
    /// Its share of ω². The shares of all constraints are 1 together; those of constraints that destabilize are
    /// negative, so this may be more than 1.
    pub share: f64,
    /// The eigenvector, xᵀ M x = 1.
    pub vector: Vec<f64>,
}

/// Relative error of ω² at which the iteration ends.
const TOLERANCE: f64 = 1e-10;
/// Products with K̃ after which it gives up.
const PRODUCTS: usize = 20_000;
/// An eigenvalue below this, relative to the largest magnitude of all, is rounding.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// The longest step that explicit schemes survive with these constraint forces. `inverse_mass (f, x)` sets x = M⁻¹ f.
///
/// M⁻¹ may be semidefinite, like one projected to the directions that constraints leave free; then the directions
/// that it forbids do not count; if it is zero, nothing moves, and the step is infinite. The same input gives the same bits.
///
/// # Errors
/// If a product or M⁻¹ is not finite, M⁻¹ is not positive, the eigenvalue does not settle, or memory is exhausted.
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
    ensure!(
        estimate.has_settled(TOLERANCE),
        Error::of_rows(Fault::Invalid("the largest eigenvalue did not settle"))
    );
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

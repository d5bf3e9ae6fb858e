//! Stability of constrained systems: the geometric stiffness of constraint forces, and the longest step with which an
//! explicit scheme is stable. `docs/how-to/stability.md` has the derivation, the signs and measurements.
//!
//! A constraint ψ(q) = 0 pulls its bodies with the generalized force −∇ψ λ: **tension is positive**. In terms of
//! the local force R of [`crate::assembly`], which acts on the bodies as +Hᵀ R, λ = −R. The geometric stiffness
//!
//! K̃ = λ ∂²ψ/∂q²
//!
//! is then the stiffness of a spring, M q̈ = f − K̃ δq, and the largest eigenvalue of M⁻¹ K̃ is the square of an
//! angular frequency, ω². An explicit scheme of step h is stable if h < 2/ω.
//!
//! A change of configuration δq has the form of a generalized velocity times a unit of time. For a particle it is the displacement. For
//! a rigid body it is the rotation vector δθ in the referential frame, Λ exp(δθ), then the displacement of the mass center. For a
//! pseudo-rigid body it is δF row by row, then the displacement of the mass center.
//!
//! - [`PosedBody`], [`LoadedConstraint`]: the input.
//! - [`Stiffness`]: K̃, matrix-free; [`StiffnessBlocks`]: K̃ assembled.
//! - [`critical_step`]: ω², 2/ω and the constraint that contributes most, by [`crate::math::lanczos`].
//! - [`FreeMotion`]: M⁻¹ projected to the directions that constraints leave free.
#![forbid(unsafe_code)]

mod blocks;
mod body;
mod constraint;
mod critical;
mod free_motion;
mod stiffness;

use crate::memory::{self, repeated};

pub use crate::rows::fault::{Error, Fault};
pub use blocks::StiffnessBlocks;
pub use body::PosedBody;
pub use constraint::{Carrier, ConstraintForce, Endpoint, LoadedConstraint};
pub use critical::{CriticalStep, critical_step};
pub use free_motion::FreeMotion;
pub use stiffness::Stiffness;

/// The fault if the geometric stiffness, or M⁻¹ times it, is not finite.
const NOT_FINITE: Fault = Fault::NotFinite("the geometric stiffness");

fn zeros(length: usize) -> memory::Result<Vec<f64>> {
    repeated(length, 0.0)
}

#[cfg(test)]
mod tests;

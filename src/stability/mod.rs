//! Stability of constrained systems: the geometric stiffness of constraint forces, and the longest step that an
//! explicit scheme survives with them. `docs/stability.md` has the derivation, the signs and what was measured.
//!
//! A constraint ψ(q) = 0 pulls its bodies with the generalized force −∇ψ λ: **tension is positive**. In terms of
//! the local force R of [`crate::assembly`], which acts on the bodies as +Hᵀ R, λ = −R. The geometric stiffness
//!
//! K̃ = λ ∂²ψ/∂q²
//!
//! is then the stiffness of a spring, M q̈ = f − K̃ δq, and the largest eigenvalue of M⁻¹ K̃ is the square of an
//! angular frequency, ω². An explicit scheme of step h is stable as long as h < 2/ω.
//!
//! Changes of configuration δq are those that the generalized velocity would bring about in a unit of time: of a
//! particle its displacement; of a rigid body the rotation vector δθ in the referential frame, Λ exp(δθ), then the
//! displacement of the mass center; of a pseudo-rigid body δF row by row, then the same.
//!
//! - [`PosedBody`], [`LoadedConstraint`]: what is given.
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

/// What is not finite where the geometric stiffness, or what M⁻¹ makes of it, is not.
const NOT_FINITE: Fault = Fault::NotFinite("the geometric stiffness");

fn zeros(length: usize) -> memory::Result<Vec<f64>> {
    repeated(length, 0.0)
}

#[cfg(test)]
mod tests;

//! Kinematics of bodies: the operator H that takes the generalised velocity of a body to the local velocity of
//! one of its points, U = H u, theory (41), (42).
#![forbid(unsafe_code)]

pub mod pseudo_rigid;
pub mod rigid;

use crate::block::{Block, Vector};

/// How a body moves, as far as H needs it.
#[derive(Clone, Copy, Debug)]
pub enum Kinematics<'a> {
    /// A rigid body, or an obstacle: 6 freedoms.
    Rigid(rigid::Rigid<'a>),
    /// A pseudo-rigid body: 12 freedoms.
    PseudoRigid(pseudo_rigid::PseudoRigid<'a>),
}

impl Kinematics<'_> {
    /// Number of generalised velocities, the columns of H.
    pub fn freedoms(&self) -> usize {
        match self {
            Self::Rigid(_) => rigid::FREEDOMS,
            Self::PseudoRigid(_) => pseudo_rigid::FREEDOMS,
        }
    }

    /// Add `sign` H at the referential point `point` in the axes `frame` (columns) to `h`: 3 × freedoms,
    /// column-major.
    ///
    /// # Panics
    /// If `h` has another length.
    pub fn add_operator(&self, sign: f64, point: &Vector, frame: &Block, h: &mut [f64]) {
        match self {
            Self::Rigid(body) => add(sign, &body.operator(point, frame), h),
            Self::PseudoRigid(body) => add(sign, &body.operator(point, frame), h),
        }
    }

    /// The local velocity H u of the point for the generalised velocity `u` (freedoms values).
    ///
    /// # Panics
    /// If `u` is shorter.
    pub fn local_velocity(&self, point: &Vector, frame: &Block, u: &[f64]) -> Vector {
        match self {
            Self::Rigid(body) => body.local_velocity(point, frame, u),
            Self::PseudoRigid(body) => body.local_velocity(point, frame, u),
        }
    }
}

fn add(sign: f64, operator: &[f64], h: &mut [f64]) {
    assert_eq!(operator.len(), h.len());
    h.iter_mut().zip(operator).for_each(|(h, operator)| *h += sign * operator);
}

#[cfg(test)]
mod tests;

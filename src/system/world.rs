//! Conversion of a program's quantities in the world frame: referential points, and angular velocities in the referential frame.
#![forbid(unsafe_code)]

use crate::math::{Block, Vector, difference, inverse, is_finite, largest, sum, times, transposed_times};

use super::body::{Kinematics, finite};
use super::error::{Error, Fault, Result};
use super::id_table::Id;
use super::model::System;

impl System {
    /// The referential point X of a rigid body that is at the place p of the world: X = X̄ + Λᵀ (p − x̄), x̄ the place of the
    /// center.
    ///
    /// # Errors
    /// If there is no such body, it is not rigid, or something is not finite.
    pub fn body_point(&self, id: Id, center: &Vector, place: &Vector) -> Result<Vector> {
        let (rotation, referential) = self.rigid(id)?;
        check(id, "center", center)?;
        check(id, "place", place)?;
        let arm = transposed_times(rotation, &difference(place, center));
        given(id, sum(referential, &arm))
    }

    /// The referential point X of a pseudo-rigid body that is at the place p of the world: X = X̄ + F⁻¹ (p − x̄). x̄ is the
    /// center's place, F the deformation gradient, column-major. A system keeps no F: H of pseudo-rigid bodies, theory (44), does
    /// not depend on it.
    ///
    /// # Errors
    /// If there is no such body, it is not pseudo-rigid, something is not finite, or F is singular to working precision.
    pub fn pseudo_rigid_point(
        &self,
        id: Id,
        gradient: &Block,
        center: &Vector,
        place: &Vector,
    ) -> Result<Vector> {
        let Kinematics::PseudoRigid { center: referential } = self.body(id)?.kinematics() else {
            return Err(Error::of_body(id, Fault::Invalid("it is not pseudo-rigid")));
        };
        check(id, "center", center)?;
        check(id, "place", place)?;
        finite("its deformation gradient", gradient).map_err(|fault| Error::of_body(id, fault))?;
        let singular = Error::of_body(id, Fault::Invalid("its deformation gradient is singular"));
        let inverse = inverse(gradient).filter(|inverse| is_finite(inverse)).ok_or(singular)?;
        if largest(gradient) * largest(&inverse) > MOST_STRETCHED {
            return Err(singular);
        }
        let arm = times(&inverse, &difference(place, center));
        given(id, sum(referential, &arm))
    }

    /// Convert an angular velocity ω of a rigid body from the world frame to the referential frame, as in the first three
    /// components of its generalized velocity: Ω = Λᵀ ω.
    ///
    /// # Errors
    /// The errors of [`System::body_point`].
    pub fn body_angular_velocity(&self, id: Id, spin: &Vector) -> Result<Vector> {
        let rotation = self.rigid(id)?.0;
        check(id, "the angular velocity", spin)?;
        given(id, transposed_times(rotation, spin))
    }

    /// Convert an angular velocity Ω of a rigid body from the referential frame to the world frame: ω = Λ Ω.
    ///
    /// # Errors
    /// The errors of [`System::body_point`].
    pub fn world_angular_velocity(&self, id: Id, spin: &Vector) -> Result<Vector> {
        let rotation = self.rigid(id)?.0;
        check(id, "the angular velocity", spin)?;
        given(id, times(rotation, spin))
    }

    pub(super) fn rigid(&self, id: Id) -> Result<(&Block, &Vector)> {
        match self.body(id)?.kinematics() {
            Kinematics::Rigid { rotation, center } => Ok((rotation, center)),
            _ => Err(Error::of_body(id, Fault::Invalid("it is not rigid and has no rotation"))),
        }
    }
}

/// The ratio of stretches beyond which no digit of F⁻¹ is right.
const MOST_STRETCHED: f64 = 1e15;

fn check(id: Id, what: &'static str, values: &Vector) -> Result {
    finite(what, values).map_err(|fault| Error::of_body(id, fault))
}

fn given(id: Id, result: Vector) -> Result<Vector> {
    if is_finite(&result) { Ok(result) } else { Err(Error::of_body(id, Fault::NotFinite("the result"))) }
}

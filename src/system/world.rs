//! Conversion of quantities in the world: positions, contacts, referential points, and angular velocities.
#![forbid(unsafe_code)]

use crate::math::{
    Block, Vector, difference, frame_from_normal, inverse, is_finite, largest, sum, times, transposed_times,
};

use super::body::{Kinematics, finite, same_bits};
use super::bulk::{AtPoints, EntryResult, all, tell_all};
use super::error::{Error, Fault, Result};
use super::id_table::Id;
use super::model::System;

/// The fault of a body whose position is needed.
const NO_POSITION: &str = "its position in the world is not known: call set_positions before";

impl System {
    /// Set where the mass centers of `count` rigid bodies and obstacles are in the world. [`System::body_point`],
    /// [`System::contact_frames`] and [`System::joint_error`] use positions, and so do updates for joints by axes. Nothing else depends
    /// on them.
    ///
    /// # Errors
    /// The error of the first entry that names no rigid body, or whose position is not finite. Nothing has changed then.
    pub fn set_positions(&mut self, count: usize, entry: impl Fn(usize) -> (Id, Vector)) -> EntryResult {
        all(count, |k| {
            let (id, position) = entry(k);
            self.rigid(id)?;
            check(id, "its position", &position)
        })?;
        let mut changes = false;
        for (id, position) in (0..count).map(entry) {
            if let Some((body, _)) = self.bodies.get_mut(id) {
                changes |= body.position.is_none_or(|before| !same_bits(&before, &position));
                body.position = Some(position);
            }
        }
        if changes && self.has_joints() {
            self.values_change();
        }
        Ok(())
    }

    /// Write the positions of `count` rigid bodies.
    ///
    /// # Errors
    /// The error of the first entry that names no rigid body, or a body without a position; nothing is written then.
    pub fn positions(
        &self,
        count: usize,
        id: impl Fn(usize) -> Id,
        tell: impl FnMut(usize, &Vector),
    ) -> EntryResult {
        tell_all(count, |k| self.position(id(k)), tell)
    }

    pub(super) fn position(&self, id: Id) -> Result<&Vector> {
        self.rigid(id)?;
        self.body(id)?.position().ok_or(Error::of_body(id, Fault::Invalid(NO_POSITION)))
    }

    /// The referential point X of a rigid body that is at the place p of the world: X = X̄ + Λᵀ (p − x̄), x̄ the body's position.
    ///
    /// # Errors
    /// If there is no such body, it is not rigid, its position is not known, or something is not finite.
    pub fn body_point(&self, id: Id, place: &Vector) -> Result<Vector> {
        let (rotation, referential) = self.rigid(id)?;
        check(id, "place", place)?;
        let arm = transposed_times(rotation, &difference(place, self.position(id)?));
        given(id, sum(referential, &arm))
    }

    /// Write frames and points of `count` contacts between rigid bodies or obstacles, from their bodies, their normals and their places
    /// in the world. Frames are made by [`frame_from_normal`]; both points of a contact are at its place.
    ///
    /// # Errors
    /// The error of the first entry with an error of [`System::body_point`], or whose normal is zero or not finite; nothing is
    /// written then.
    pub fn contact_frames(
        &self,
        count: usize,
        entry: impl Fn(usize) -> ([Option<Id>; 2], Vector, Vector),
        tell: impl FnMut(usize, AtPoints),
    ) -> EntryResult {
        tell_all(count, |k| self.contact_frame(entry(k)), tell)
    }

    fn contact_frame(&self, (bodies, normal, place): ([Option<Id>; 2], Vector, Vector)) -> Result<AtPoints> {
        let why = Fault::Invalid("the normal is zero or not finite");
        let frame = frame_from_normal(&normal).ok_or(Error::of_system(why))?;
        finite("the place of the contact", &place).map_err(Error::of_system)?;
        let point = |body: Option<Id>| body.map_or(Ok(place), |id| self.body_point(id, &place));
        Ok(AtPoints { bodies, frame, points: [point(bodies[0])?, point(bodies[1])?] })
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
    /// If there is no such body, it is not rigid, or something is not finite.
    pub fn body_angular_velocity(&self, id: Id, spin: &Vector) -> Result<Vector> {
        let rotation = self.rigid(id)?.0;
        check(id, "the angular velocity", spin)?;
        given(id, transposed_times(rotation, spin))
    }

    /// Convert an angular velocity Ω of a rigid body from the referential frame to the world frame: ω = Λ Ω.
    ///
    /// # Errors
    /// The errors of [`System::body_angular_velocity`].
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

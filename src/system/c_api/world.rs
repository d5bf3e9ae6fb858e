//! Quantities in the world frame in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::invalid;
use crate::math::frame_from_normal;
use crate::system::{advance_rotation, gyroscopic_change};

use super::arguments::{self, body_id, entry};
use super::ldy_system;

/// Compute the referential point of a rigid body or an obstacle from its place in the world: X = X_center + rotation^T (place -
/// position). ldy_system_contact_frames computes frames and points of contacts at once.
///
/// - place: where the point is now, 3 values.
/// - point: where to write X, 3 values.
///
/// Rotation and position are those in the system, see ldy_system_set_rotation and ldy_system_set_positions.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, it is of
/// another kind, its position was never set, or a value is not finite. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have 3 values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_body_point(
    system: *const ldy_system,
    body: i64,
    place: *const f64,
    point: *mut f64,
) -> c_int {
    entry!(system: shared, place: copied, point: place_of_array => {
        point.put(system.body_point(body_id(body)?, &place)?);
    })
}

/// Compute the referential point of a pseudo-rigid body from its place in the world: X = X_center + F^-1 (place - center).
///
/// - gradient: F, the current deformation gradient, 3 x 3, column-major. The system does not store it. Generalized velocities
///   have its rate row by row, so that an F that is stored row by row must be transposed.
/// - center: where the mass center is now, 3 values.
/// - place: where the point is now, 3 values.
/// - point: where to write X, 3 values.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, it is of
/// another kind, a value is not finite, or F is singular to working precision. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_pseudo_rigid_point(
    system: *const ldy_system,
    body: i64,
    gradient: *const f64,
    center: *const f64,
    place: *const f64,
    point: *mut f64,
) -> c_int {
    entry!(system: shared, gradient: array, center: copied, place: copied, point: place_of_array => {
        point.put(system.pseudo_rigid_point(body_id(body)?, gradient, &center, &place)?);
    })
}

/// Compute the angular velocity of a rigid body or an obstacle in the referential frame, the frame of generalized velocities,
/// from its angular velocity in the world frame: rotation^T world.
///
/// - world: 3 values.
/// - referential: where to write the result, 3 values; it may be world.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, it is of
/// another kind, or a value is not finite. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have 3 values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_body_angular_velocity(
    system: *const ldy_system,
    body: i64,
    world: *const f64,
    referential: *mut f64,
) -> c_int {
    entry!(system: shared, world: copied, referential: place_of_array => {
        referential.put(system.body_angular_velocity(body_id(body)?, &world)?);
    })
}

/// Compute the angular velocity of a rigid body or an obstacle in the world frame from its angular velocity in the referential
/// frame: rotation referential.
///
/// - referential: 3 values.
/// - world: where to write the result, 3 values; it may be referential.
///
/// Returns the codes of ldy_system_body_angular_velocity. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have 3 values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_world_angular_velocity(
    system: *const ldy_system,
    body: i64,
    referential: *const f64,
    world: *mut f64,
) -> c_int {
    entry!(system: shared, referential: copied, world: place_of_array => {
        world.put(system.world_angular_velocity(body_id(body)?, &referential)?);
    })
}

/// Compute the gyroscopic term: the change of the angular velocity of a rigid body in a step without a torque. Add it to the free
/// velocity, together with h A^-1 times the forces. It needs no system.
///
/// The method is by Simo and Wong (International Journal for Numerical Methods in Engineering 31, 1991): J spin_1 = exp (-theta)
/// J spin with theta = h (spin + spin_1) / 2. It keeps the energy and the length of the angular momentum to rounding for any h.
/// To first order the change is -h J^-1 (spin x J spin). If the body turns by more than a radian, the step is divided into equal
/// parts. ldy_advance_rotation computes the corresponding rotation.
///
/// - inertia: J, 3 x 3, as in ldy_system_add_rigid.
/// - spin: the angular velocity in the referential frame, 3 values.
/// - h: the step.
/// - change: where to write spin_1 - spin, 3 values; it may be spin.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or not finite, J is singular, or the body turns by more than
/// about 4000 radians in the step. Then nothing is written.
///
/// # Safety
/// inertia is NULL or has 9 values, spin and change are NULL or have 3.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gyroscopic_change(
    inertia: *const f64,
    spin: *const f64,
    h: f64,
    change: *mut f64,
) -> c_int {
    entry!(inertia: array, spin: copied, change: place_of_array => {
        let result = gyroscopic_change(inertia, &spin, h);
        change.put(result.ok_or_else(|| invalid!("{NO_SPIN}"))?);
    })
}

/// The text of a gyroscopic term that does not exist.
pub(super) const NO_SPIN: &str = "inertia, spin or h is not finite or too large, or inertia singular";

/// The text of a rotation that does not exist.
pub(super) const NO_ROTATION: &str = "rotation, spins or h are not finite";

/// Compute the rotation of a rigid body after a step: rotation exp (h (before + after) / 2). Needs no system.
///
/// If after = before + change, with the change of ldy_gyroscopic_change, the angular momentum in the world, rotation J spin,
/// remains the same to rounding, as long as the body turns by at most a radian in the step. If forces change the spin, too, after
/// is the spin with their change.
///
/// - rotation: 3 x 3, from the reference to now.
/// - before, after: the angular velocity in the referential frame at the beginning and at the end of the step, 3 values each.
/// - h: the step.
/// - turned: where to write the result, 9 values; it may be rotation.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or not finite. Then nothing is written.
///
/// # Safety
/// Arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_advance_rotation(
    rotation: *const f64,
    before: *const f64,
    after: *const f64,
    h: f64,
    turned: *mut f64,
) -> c_int {
    entry!(rotation: copied, before: copied, after: copied, turned: place_of_array => {
        let result = advance_rotation(&rotation, &before, &after, h);
        turned.put(result.ok_or_else(|| invalid!("{NO_ROTATION}"))?);
    })
}

/// Compute a frame from a normal: orthonormal, its third column has the direction of the normal, and the others are any tangents.
///
/// The tangents depend on the normal alone. They turn by a right angle or more where the third component of the normal changes
/// its sign; ldy_system_sync_constraints then turns the stored reaction.
///
/// - normal: from the slave to the master, of any length, 3 values.
/// - frame: where to write the frame, 3 x 3, column-major.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, or the normal is zero or not finite. Then nothing is written.
///
/// # Safety
/// normal is NULL or has 3 values, frame is NULL or has 9.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_frame_from_normal(normal: *const f64, frame: *mut f64) -> c_int {
    entry!(normal: copied, frame: place_of_array => {
        let made = frame_from_normal(&normal);
        frame.put(made.ok_or_else(|| invalid!("the normal is zero or not finite"))?);
    })
}

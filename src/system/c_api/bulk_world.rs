//! Quantities of many bodies or contacts in the world, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::{Code, Result, Whereabouts, located};
use crate::system::bulk::tell_all;
use crate::system::{advance_rotation, gyroscopic_change};

use super::arguments::{self, entry};
use super::bulk::GivenSides;
use super::ldy_system;
use super::world::{NO_ROTATION, NO_SPIN};

/// Set where the mass centers of rigid bodies and obstacles are in the world. The function sets all of them or none. A new body has
/// no position.
///
/// ldy_system_body_point, ldy_system_contact_frames and ldy_system_joint_error use positions, and so do updates for joints by axes.
/// Nothing else depends on them. If you use one of these, set positions whenever the bodies have moved, as rotations.
///
/// - bodies: an id each.
/// - positions: 3 values each.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a
/// multiple of 8, a body is of another kind, or a value is not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_positions(
    system: *mut ldy_system,
    bodies: *const i64,
    bodies_stride: usize,
    positions: *const f64,
    positions_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: exclusive, bodies: ids((count, bodies_stride, "body")),
           positions: strided((count, positions_stride, 3)) => {
        system.set_positions(count, |k| (bodies.id(k), positions.array(k)))?;
    })
}

/// Return the positions of rigid bodies and obstacles, as they were set.
///
/// - bodies: an id each.
/// - positions: where to write 3 values each.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a
/// multiple of 8 or less than an entry, a body is of another kind, or its position was never set. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_positions(
    system: *const ldy_system,
    bodies: *const i64,
    bodies_stride: usize,
    positions: *mut f64,
    positions_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, bodies: ids((count, bodies_stride, "body")),
           positions: strided_mut((count, positions_stride, 3)) => {
        system.positions(count, |k| bodies.id(k), |k, position| positions.put(k, position))?;
    })
}

/// Compute frames and points of contacts from normals and places in the world, for ldy_system_sync_constraints,
/// ldy_system_add_point_constraints or ldy_system_move_constraints.
///
/// The bodies are rigid bodies or obstacles whose positions are set (ldy_system_set_positions). Both points of a contact are at its
/// place. Frames are those of ldy_frame_from_normal.
///
/// - masters, slaves: an id each, or LDY_GROUND. slaves NULL: all slaves are the ground. bodies_stride: for both.
/// - normals: the direction from the slave to the master, of any length, 3 values each.
/// - places: where the contact is in the world, 3 values each.
/// - frames: where to write 9 values each.
/// - master_points, slave_points: where to write 3 values each, for the ground the place. points_stride: for both.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument other than slaves is NULL, a
/// stride is not a multiple of 8 or less than an entry that is written, a body is of another kind or has no position, a normal is
/// zero, or a value is not finite. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and those that are
/// written overlap nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_contact_frames(
    system: *const ldy_system,
    masters: *const i64,
    slaves: *const i64,
    bodies_stride: usize,
    normals: *const f64,
    normals_stride: usize,
    places: *const f64,
    places_stride: usize,
    frames: *mut f64,
    frames_stride: usize,
    master_points: *mut f64,
    slave_points: *mut f64,
    points_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, masters: strided((count, bodies_stride, 1)), slaves: optional strided((count, bodies_stride, 1)),
           normals: strided((count, normals_stride, 3)), places: strided((count, places_stride, 3)),
           frames: strided_mut((count, frames_stride, 9)), master_points: strided_mut((count, points_stride, 3)),
           slave_points: strided_mut((count, points_stride, 3)) => {
        let sides = GivenSides { ids: [Some(masters), slaves], points: [None, None] };
        sides.check_ids()?;
        let entry = |k: usize| (sides.bodies(k), normals.array(k), places.array(k));
        system.contact_frames(count, entry, |k, contact| {
            frames.put(k, &contact.frame);
            master_points.put(k, &contact.points[0]);
            slave_points.put(k, &contact.points[1]);
        })?;
    })
}

/// Compute referential points of many rigid bodies or obstacles, as ldy_system_body_point computes one.
///
/// - bodies: an id each. A body may occur several times.
/// - places: 3 values each.
/// - points: where to write 3 values each.
///
/// Returns the codes of ldy_system_body_point, or LDY_ERROR_INVALID_ARGUMENT if a stride is not a multiple of 8 or less than an entry
/// that is written. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and points overlaps
/// nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_body_points(
    system: *const ldy_system,
    bodies: *const i64,
    bodies_stride: usize,
    places: *const f64,
    places_stride: usize,
    points: *mut f64,
    points_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, bodies: ids((count, bodies_stride, "body")), places: strided((count, places_stride, 3)),
           points: strided_mut((count, points_stride, 3)) => {
        let find = |k: usize| system.body_point(bodies.id(k), &places.array(k));
        tell_all(count, find, |k, point| points.put(k, &point))?;
    })
}

/// Compute angular velocities of many rigid bodies or obstacles in their referential frames, as ldy_system_body_angular_velocity
/// computes one.
///
/// - bodies: an id each.
/// - world: 3 values each.
/// - referential: where to write 3 values each.
///
/// Returns the codes of ldy_system_body_angular_velocity, or LDY_ERROR_INVALID_ARGUMENT if a stride is not a multiple of 8 or less
/// than an entry that is written. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and referential
/// overlaps nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_body_angular_velocities(
    system: *const ldy_system,
    bodies: *const i64,
    bodies_stride: usize,
    world: *const f64,
    world_stride: usize,
    referential: *mut f64,
    referential_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, bodies: ids((count, bodies_stride, "body")), world: strided((count, world_stride, 3)),
           referential: strided_mut((count, referential_stride, 3)) => {
        let find = |k: usize| system.body_angular_velocity(bodies.id(k), &world.array(k));
        tell_all(count, find, |k, spin| referential.put(k, &spin))?;
    })
}

/// Compute angular velocities of many rigid bodies or obstacles in the world frame, as ldy_system_world_angular_velocity computes
/// one.
///
/// - bodies: an id each.
/// - referential: 3 values each, for instance the first three values of velocities.
/// - world: where to write 3 values each.
///
/// Returns the codes of ldy_system_body_angular_velocities. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and world overlaps
/// nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_world_angular_velocities(
    system: *const ldy_system,
    bodies: *const i64,
    bodies_stride: usize,
    referential: *const f64,
    referential_stride: usize,
    world: *mut f64,
    world_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, bodies: ids((count, bodies_stride, "body")), referential: strided((count, referential_stride, 3)),
           world: strided_mut((count, world_stride, 3)) => {
        let find = |k: usize| system.world_angular_velocity(bodies.id(k), &referential.array(k));
        tell_all(count, find, |k, spin| world.put(k, &spin))?;
    })
}

/// Compute the gyroscopic terms of many rigid bodies, as ldy_gyroscopic_change computes one.
///
/// - inertias: 9 values each. inertias_stride 0: the first is for all.
/// - spins: 3 values each, for instance the first three values of velocities.
/// - h: the step.
/// - changes: where to write 3 values each.
///
/// Returns the codes of ldy_gyroscopic_change, or LDY_ERROR_INVALID_ARGUMENT if a stride is not a multiple of 8 or less than an entry
/// that is written. After an error nothing is written, and the text names the entry.
///
/// # Safety
/// Arrays are NULL or have count entries of the sizes and strides given, and changes overlaps nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gyroscopic_changes(
    inertias: *const f64,
    inertias_stride: usize,
    spins: *const f64,
    spins_stride: usize,
    h: f64,
    changes: *mut f64,
    changes_stride: usize,
    count: usize,
) -> c_int {
    entry!(inertias: strided((count, inertias_stride, 9)), spins: strided((count, spins_stride, 3)),
           changes: strided_mut((count, changes_stride, 3)) => {
        all_or_none(count, NO_SPIN, |k| gyroscopic_change(&inertias.array(k), &spins.array(k), h), |k, change| changes.put(k, &change))?;
    })
}

/// Compute the rotations of many rigid bodies after a step, as ldy_advance_rotation computes one.
///
/// - rotations: 9 values each.
/// - before, after: 3 values each, for instance the first three values of velocities. spins_stride: for both.
/// - h: the step.
/// - turned: where to write 9 values each.
///
/// Returns the codes of ldy_advance_rotation, or LDY_ERROR_INVALID_ARGUMENT if a stride is not a multiple of 8 or less than an entry
/// that is written. After an error nothing is written, and the text names the entry.
///
/// # Safety
/// Arrays are NULL or have count entries of the sizes and strides given, and turned overlaps nothing.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_advance_rotations(
    rotations: *const f64,
    rotations_stride: usize,
    before: *const f64,
    after: *const f64,
    spins_stride: usize,
    h: f64,
    turned: *mut f64,
    turned_stride: usize,
    count: usize,
) -> c_int {
    entry!(rotations: strided((count, rotations_stride, 9)), before: strided((count, spins_stride, 3)),
           after: strided((count, spins_stride, 3)), turned: strided_mut((count, turned_stride, 9)) => {
        let find = |k: usize| advance_rotation(&rotations.array(k), &before.array(k), &after.array(k), h);
        all_or_none(count, NO_ROTATION, find, |k, rotation| turned.put(k, &rotation))?;
    })
}

/// Find a value for each entry, then put each. If one does not exist, none is put; `why` says what is wrong then.
fn all_or_none<T>(
    count: usize,
    why: &str,
    find: impl Fn(usize) -> Option<T>,
    mut put: impl FnMut(usize, T),
) -> Result {
    if let Some(k) = (0..count).find(|&k| find(k).is_none()) {
        let place = Whereabouts { entry: k as i64, ..Whereabouts::NOWHERE };
        return Err(located(Code::InvalidArgument, format_args!("entry {k}: {why}"), place));
    }
    (0..count).for_each(|k| {
        if let Some(value) = find(k) {
            put(k, value)
        }
    });
    Ok(())
}

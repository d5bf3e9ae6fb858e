//! The constraints of a system in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::{Result, invalid};
use crate::system::{ContactRows, Id};

use super::arguments::{self, array, body_id, constraint_id, entry};
use super::{LDY_GROUND, ldy_system};

/// Insert a constraint between points of rigid bodies, pseudo-rigid bodies or obstacles: U = E^T (velocity of the master's point
/// - velocity of the slave's point).
///
/// - master, slave: ids; one of them may be LDY_GROUND.
/// - frame: E, 3 x 3, column-major, orthonormal. Its columns are the local axes. The third one is the normal of a contact: it
///   points from the slave to the master, so that U_N > 0 separates the bodies, and R_N > 0 pushes them apart.
///   ldy_frame_from_normal makes a frame.
/// - master_point, slave_point: referential points, 3 values each; not read for the ground.
/// - constraint: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body does not exist, or LDY_ERROR_INVALID_ARGUMENT if an argument
/// is NULL, a body has no points, a value is not finite, or the frame is not orthonormal to within 1e-8 (unless an option accepts
/// it, see ldy_system_set_option).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_point_constraint(
    system: *mut ldy_system,
    master: i64,
    slave: i64,
    frame: *const f64,
    master_point: *const f64,
    slave_point: *const f64,
    constraint: *mut i64,
) -> c_int {
    entry!(system: exclusive, frame: array, constraint: place => {
        let bodies = [side(master)?, side(slave)?];
        // SAFETY: the C program promises that each point is NULL or has three values, unless it is the ground's.
        let points = unsafe { points(bodies, POINTS, [master_point, slave_point]) }?;
        constraint.put(system.add_point_constraint(bodies, frame, points)? as i64);
    })
}

/// Insert a contact with moments between points of rigid bodies or obstacles, for LDY_LAW_ROLLING_CONTACT. The first three rows are
/// the rows of ldy_system_add_point_constraint. The rows after them are relative angular velocities, master minus slave, about axes
/// of this frame.
///
/// - rows: 4: then about the third axis, the normal. 5: about the first and the second, the tangents. 6: about all three.
/// - master, slave, frame, master_point, slave_point: as in ldy_system_add_point_constraint.
/// - constraint: where to write the id.
///
/// The constraint has operators H, which an update makes from the rotations of the bodies. The frame stays in the world when bodies
/// turn. ldy_system_move_constraint gives the contact another frame and other points; ldy_system_set_operators refuses it.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body does not exist, or LDY_ERROR_INVALID_ARGUMENT if rows is not 4,
/// 5 or 6, an argument is NULL, a body is not rigid, both bodies are the same or the ground, a value is not finite, or the frame
/// is not orthonormal to within 1e-8 (unless an option accepts it).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_rolling_contact(
    system: *mut ldy_system,
    rows: i32,
    master: i64,
    slave: i64,
    frame: *const f64,
    master_point: *const f64,
    slave_point: *const f64,
    constraint: *mut i64,
) -> c_int {
    entry!(system: exclusive, frame: array, constraint: place => {
        let wrong = || invalid!("rows is {rows}; expected 4, 5 or 6");
        let rows = ContactRows::of_count(rows.into()).ok_or_else(wrong)?;
        let bodies = [side(master)?, side(slave)?];
        // SAFETY: the C program promises that each point is NULL or has three values, unless it is the ground's.
        let points = unsafe { points(bodies, POINTS, [master_point, slave_point]) }?;
        constraint.put(system.add_rolling_contact(rows, bodies, frame, points)? as i64);
    })
}

/// Remove a constraint. Later rows move up; the ids of other constraints do not change.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.
///
/// # Safety
/// system comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_remove_constraint(system: *mut ldy_system, constraint: i64) -> c_int {
    entry!(system: exclusive => system.remove_constraint(constraint_id(constraint)?)?)
}

/// Set frame and points of a constraint that was inserted with points, or of a contact with moments; as in
/// ldy_system_add_point_constraint.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, it has
/// operators, a value is not finite, or the frame is not orthonormal.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_move_constraint(
    system: *mut ldy_system,
    constraint: i64,
    frame: *const f64,
    master_point: *const f64,
    slave_point: *const f64,
) -> c_int {
    entry!(system: exclusive, frame: array => {
        let id = constraint_id(constraint)?;
        let bodies = system.constraint(id)?.bodies();
        // SAFETY: the C program promises that each point is NULL or has three values, unless it is the ground's.
        let points = unsafe { points(bodies, POINTS, [master_point, slave_point]) }?;
        system.move_constraint(id, frame, points)?;
    })
}

pub(super) fn side(id: i64) -> Result<Option<Id>> {
    if id == LDY_GROUND { Ok(None) } else { body_id(id).map(Some) }
}

const POINTS: [&str; 2] = ["master_point", "slave_point"];

/// The points of a constraint, or the centers of its bodies, which arguments with these names point to. The ground's is ignored and
/// may be anything.
///
/// # Safety
/// Each point that is not the ground's is NULL or has three values.
pub(super) unsafe fn points(
    bodies: [Option<Id>; 2],
    names: [&str; 2],
    given: [*const f64; 2],
) -> Result<[[f64; 3]; 2]> {
    let mut points = [[0.0; 3]; 2];
    for (k, name) in names.into_iter().enumerate() {
        if bodies[k].is_some() {
            // SAFETY: the C program promises three values, as this function requires; the point is not the ground's.
            points[k] = *unsafe { array(name, given[k]) }?;
        }
    }
    Ok(points)
}

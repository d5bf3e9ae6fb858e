//! What a system holds: counts and lists of bodies and constraints, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::ffi::errors::Result;
use crate::system::{Id, Inertia, Kinematics};

use super::arguments::{self, body_id, constraint_id, entry};
use super::{LDY_GROUND, ldy_system};

/// Remove all bodies and constraints. Options stay, and ids are not used again.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.
///
/// # Safety
/// system comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_clear(system: *mut ldy_system) -> c_int {
    entry!(system: exclusive => system.clear())
}

/// Return the number of bodies, without the ground; 0 if system is NULL.
///
/// # Safety
/// system is NULL or comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_body_count(system: *const ldy_system) -> usize {
    // SAFETY: the C program promises a system.
    unsafe { arguments::shared("system", system) }.map_or(0, |system| system.body_count())
}

/// Return the number of constraints, the number of rows of W; 0 if system is NULL.
///
/// # Safety
/// system is NULL or comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_constraint_count(system: *const ldy_system) -> usize {
    // SAFETY: the C program promises a system.
    unsafe { arguments::shared("system", system) }.map_or(0, |system| system.constraint_count())
}

/// Return the ids of all bodies in the order of insertion.
///
/// - bodies: where to write them.
/// - count: ldy_system_body_count.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.
///
/// # Safety
/// system comes from ldy_system_create; bodies is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_bodies(
    system: *const ldy_system,
    bodies: *mut i64,
    count: usize,
) -> c_int {
    entry!(system: shared, bodies: values_mut(count) => {
        put_ids("bodies", system.bodies().map(|(id, _)| id), system.body_count(), bodies)?;
    })
}

/// Return the ids of all constraints in the order of insertion, which is the order of rows of W.
///
/// - constraints: where to write them.
/// - count: ldy_system_constraint_count.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.
///
/// # Safety
/// system comes from ldy_system_create; constraints is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_constraints(
    system: *const ldy_system,
    constraints: *mut i64,
    count: usize,
) -> c_int {
    entry!(system: shared, constraints: values_mut(count) => {
        put_ids("constraints", system.constraints().map(|(id, _)| id), system.constraint_count(), constraints)?;
    })
}

/// Write ids, if there is a place for each.
pub(crate) fn put_ids(
    name: &'static str,
    ids: impl Iterator<Item = Id>,
    count: usize,
    to: &mut [i64],
) -> Result {
    check_size(name, count, to.len())?;
    to.iter_mut().zip(ids).for_each(|(to, id)| *to = id as i64);
    Ok(())
}

/// A kind of body: inserted by ldy_system_add_rigid.
pub const LDY_BODY_RIGID: i32 = 1;
/// A kind of body: inserted by ldy_system_add_pseudo_rigid.
pub const LDY_BODY_PSEUDO_RIGID: i32 = 2;
/// A kind of body: inserted by ldy_system_add_obstacle.
pub const LDY_BODY_OBSTACLE: i32 = 3;
/// A kind of body: inserted by ldy_system_add_body or ldy_system_add_model; its constraints are given by operators.
pub const LDY_BODY_GENERAL: i32 = 4;

/// Return the kind of a body and its number of generalized velocities.
///
/// - kind: where to write LDY_BODY_RIGID, LDY_BODY_PSEUDO_RIGID, LDY_BODY_OBSTACLE or LDY_BODY_GENERAL; NULL: not wanted.
/// - n: where to write the number of its generalized velocities; NULL: not wanted.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.
///
/// # Safety
/// system comes from ldy_system_create; kind and n are NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_body(
    system: *const ldy_system,
    body: i64,
    kind: *mut i32,
    n: *mut i32,
) -> c_int {
    entry!(system: shared, kind: wanted, n: wanted => {
        let body = system.body(body_id(body)?)?;
        n.put(body.dofs() as i32);
        kind.put(match (body.kinematics(), body.inertia()) {
            (Kinematics::Rigid { .. }, Inertia::Obstacle) => LDY_BODY_OBSTACLE,
            (Kinematics::Rigid { .. }, _) => LDY_BODY_RIGID,
            (Kinematics::PseudoRigid { .. }, _) => LDY_BODY_PSEUDO_RIGID,
            (Kinematics::General, _) => LDY_BODY_GENERAL,
        });
    })
}

/// Return the bodies of a constraint and its number of rows.
///
/// - bodies: where to write up to capacity ids in the order of insertion; LDY_GROUND for the ground of a constraint on one body.
/// - capacity: number of values of bodies; 0 to get the counts alone.
/// - body_count: where to write the number of ids, also if it is above capacity; NULL: not wanted.
/// - m: where to write the number of rows, 1 to 6; NULL: not wanted.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.
///
/// # Safety
/// system comes from ldy_system_create; bodies is NULL or has capacity values; body_count and m are NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_constraint(
    system: *const ldy_system,
    constraint: i64,
    bodies: *mut i64,
    capacity: usize,
    body_count: *mut usize,
    m: *mut i32,
) -> c_int {
    entry!(system: shared, bodies: values_mut(capacity), body_count: wanted, m: wanted => {
        let constraint = system.constraint(constraint_id(constraint)?)?;
        let all = constraint.all_sides().map(|body| body.map_or(LDY_GROUND, |id| id as i64));
        body_count.put(all.clone().count());
        bodies.iter_mut().zip(all).for_each(|(to, id)| *to = id);
        m.put(constraint.rows() as i32);
    })
}

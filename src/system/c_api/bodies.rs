//! The bodies of a system in C; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_void};

use crate::fault::check_size;
use crate::ffi::errors::{Result, invalid};
use crate::memory::with_capacity;
use crate::system::{Error, Fault, Inertia, Kinematics, SystemOption};

use super::arguments::{self, body_id, entry};
use super::inertia::{Callback, ldy_apply_inverse, ldy_release, size};
use super::ldy_system;

/// Insert a rigid body. Its generalized velocity has 6 values: angular velocity in the referential frame (the body's own axes),
/// then velocity of the mass center.
///
/// - mass: positive.
/// - inertia: referential inertia about the mass center, 3 x 3, symmetric positive definite.
/// - rotation: from the reference configuration to the current one, 3 x 3, column-major, orthonormal.
/// - center: referential mass center, 3 values.
/// - body: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a value is not finite, mass or
/// inertia is not positive definite, or the rotation is not orthonormal to within 1e-8.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_rigid(
    system: *mut ldy_system,
    mass: f64,
    inertia: *const f64,
    rotation: *const f64,
    center: *const f64,
    body: *mut i64,
) -> c_int {
    entry!(system: exclusive, inertia: array, rotation: array, center: array, body: place => {
        body.put(system.add_rigid(mass, inertia, rotation, center)? as i64);
    })
}

/// Insert a pseudo-rigid body. Its generalized velocity has 12 values: rate of the deformation gradient row by row, then velocity
/// of the mass center.
///
/// - mass: positive.
/// - euler: referential Euler tensor about the mass center, 3 x 3, symmetric positive definite.
/// - center: referential mass center, 3 values.
/// - body: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a value is not finite, or mass or
/// Euler tensor is not positive definite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_pseudo_rigid(
    system: *mut ldy_system,
    mass: f64,
    euler: *const f64,
    center: *const f64,
    body: *mut i64,
) -> c_int {
    entry!(system: exclusive, euler: array, center: array, body: place => {
        body.put(system.add_pseudo_rigid(mass, euler, center)? as i64);
    })
}

/// Insert an obstacle: a body with prescribed motion. Its points move as the points of a rigid body. A^-1 = 0, so that it
/// contributes to B and V but couples no constraints in W.
///
/// - rotation: from the reference configuration to the current one, 3 x 3, column-major, orthonormal.
/// - center: referential center, 3 values.
/// - body: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a value is not finite, or the
/// rotation is not orthonormal to within 1e-8.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_obstacle(
    system: *mut ldy_system,
    rotation: *const f64,
    center: *const f64,
    body: *mut i64,
) -> c_int {
    entry!(system: exclusive, rotation: array, center: array, body: place => {
        let kinematics = Kinematics::Rigid { rotation: *rotation, center: *center };
        body.put(system.add_body(6, kinematics, Inertia::Obstacle)? as i64);
    })
}

/// Insert several bodies with a shared inverse callback, for instance the kinematic trees of a simulator that applies M^-1 to all
/// of them at once. Their constraints are given by operators H.
///
/// - sizes: number of generalized velocities of each body, count values, at least 1 each.
/// - apply_inverse: the inverse callback. A column has the velocities of all bodies, in the order of sizes, without gaps.
/// - data: passed to the callback.
/// - release: called with data when the library does not use them any more; NULL: nothing is called. See ldy_release.
/// - bodies: where to write the ids, count consecutive numbers.
///
/// A^-1 must be symmetric and block-diagonal by body; entries that couple bodies are ignored. So one column holds a right-hand
/// side for each body. The number of columns is three for each constraint on the body with the most constraints. Columns are zero
/// at a body that needs fewer, or that has left.
///
/// The callback is called once in each update in which a constraint acts on one of the bodies, more than once if its columns
/// would take more than 64 MB. Each vector that is multiplied through bodies needs one more call. If it fails, the function that
/// called it returns LDY_ERROR_SINGULAR, and the text names the first of the bodies that constraints act on.
///
/// You use each body as any other, with its own velocity. You may remove it or set another inertia; then it leaves the callback,
/// whose columns keep their length. The library uses apply_inverse and data until the last body has
/// left.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there are no bodies, a size is below
/// 1, or an int cannot hold the number of all velocities. After an error no body is inserted.
///
/// # Safety
/// system comes from ldy_system_create; sizes and bodies are NULL or have count values; apply_inverse does as its type says, with
/// data, until the last body has left; release takes data.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_model(
    system: *mut ldy_system,
    sizes: *const i32,
    count: usize,
    apply_inverse: ldy_apply_inverse,
    data: *mut c_void,
    release: ldy_release,
    bodies: *mut i64,
) -> c_int {
    let callback = Callback::new(apply_inverse, data, release);
    entry!(system: exclusive, sizes: values(count), bodies: values_mut(count) => {
        let callback = callback.checked("apply_inverse")?;
        let memory = |_| Error::of_new_body(Fault::Memory);
        let mut lengths = with_capacity(count).map_err(memory)?;
        for &n in sizes {
            lengths.push(size(n)?);
        }
        let first = system.add_model(&lengths, callback)?;
        bodies.iter_mut().zip(first as i64..).for_each(|(to, id)| *to = id);
    })
}

/// Remove a body.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if system is NULL or a constraint acts
/// on it.
///
/// # Safety
/// system comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_remove_body(system: *mut ldy_system, body: i64) -> c_int {
    entry!(system: exclusive => system.remove_body(body_id(body)?)?)
}

/// Set the rotation of a rigid body or an obstacle.
///
/// - rotation: 3 x 3, column-major, orthonormal.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, it is of
/// another kind, or the rotation is not finite or not orthonormal to within 1e-8.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_rotation(
    system: *mut ldy_system,
    body: i64,
    rotation: *const f64,
) -> c_int {
    entry!(system: exclusive, rotation: array => system.set_rotation(body_id(body)?, rotation)?)
}

/// A velocity: the free velocity, the velocity after the step if there were no reactions. B = H times this velocity.
pub const LDY_VELOCITY_FREE: i32 = 0;
/// A velocity: the previous velocity, the velocity before the step. V = H times this velocity.
pub const LDY_VELOCITY_PREVIOUS: i32 = 1;

/// Whether it is the previous velocity.
pub(super) fn is_previous(which: i32) -> Result<bool> {
    match which {
        LDY_VELOCITY_FREE => Ok(false),
        LDY_VELOCITY_PREVIOUS => Ok(true),
        other => {
            let known = "LDY_VELOCITY_FREE or LDY_VELOCITY_PREVIOUS";
            Err(invalid!("which is {other}; expected {known}"))
        }
    }
}

/// Set a generalized velocity of a body.
///
/// - which: LDY_VELOCITY_FREE or LDY_VELOCITY_PREVIOUS.
/// - velocity: count values.
/// - count: number of its generalized velocities.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count or which
/// is wrong, or a value is not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_velocity(
    system: *mut ldy_system,
    body: i64,
    which: i32,
    velocity: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, velocity: values(count) => match is_previous(which)? {
        true => system.set_previous_velocity(body_id(body)?, velocity)?,
        false => system.set_velocity(body_id(body)?, velocity)?,
    })
}

/// Return a generalized velocity of a body, as it was set, or as ldy_system_apply_reactions has changed the free velocity.
///
/// - which: LDY_VELOCITY_FREE or LDY_VELOCITY_PREVIOUS.
/// - velocity: where to write it, count values.
/// - count: number of its generalized velocities.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, or count or
/// which is wrong.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_velocity(
    system: *const ldy_system,
    body: i64,
    which: i32,
    velocity: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, velocity: values_mut(count) => {
        let (id, is_previous) = (body_id(body)?, is_previous(which)?);
        let body = system.body(id)?;
        check_size("velocity", body.dofs(), count).map_err(|fault| Error::of_body(id, fault))?;
        velocity.copy_from_slice(if is_previous { body.previous_velocity() } else { body.velocity() });
    })
}

/// An option: accept frames and rotations that are not orthonormal, for instance for axes that carry units. A new system refuses
/// them.
pub const LDY_OPTION_ANY_AXES: i32 = 1;
/// An option: replace frames and rotations of single precision, orthonormal to within 1e-5, by the closest orthonormal matrix. A
/// new system refuses a matrix that is not orthonormal to within 1e-8.
pub const LDY_OPTION_ORTHONORMALIZE: i32 = 2;

/// Set an option of a system, for all calls from now on.
///
/// - option: LDY_OPTION_ANY_AXES or LDY_OPTION_ORTHONORMALIZE.
/// - value: 0: off, as in a new system; any other value: on.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL or the option is unknown.
///
/// # Safety
/// system comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_option(system: *mut ldy_system, option: i32, value: i32) -> c_int {
    entry!(system: exclusive => system.set_option(option_of(option)?, value != 0))
}

/// Return an option of a system.
///
/// - value: where to write 0 or 1.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or the option is unknown.
///
/// # Safety
/// system comes from ldy_system_create; value is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_option(system: *const ldy_system, option: i32, value: *mut i32) -> c_int {
    entry!(system: shared, value: place => value.put(system.option(option_of(option)?).into()))
}

fn option_of(option: i32) -> Result<SystemOption> {
    match option {
        LDY_OPTION_ANY_AXES => Ok(SystemOption::AnyAxes),
        LDY_OPTION_ORTHONORMALIZE => Ok(SystemOption::Orthonormalize),
        other => Err(invalid!("option is {other}; expected one of LDY_OPTION_*")),
    }
}

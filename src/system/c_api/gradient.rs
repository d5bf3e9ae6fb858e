//! Derivatives of a step by the data of a system, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::ffi::handle::{self, Handle};
use crate::memory::refill;
use crate::solve::LawChange;
use crate::system::Gradient;

use super::arguments::{self, body_id, constraint_id, entry, null};
use super::derivatives::{ldy_derivatives, ldy_fit, no_memory};
use super::ldy_system;
use super::solve::ldy_law;

/// Derivatives of a function of a step by the data of its system. They do not depend on the system. One thread at a time may use them.
pub struct ldy_gradient(());

impl Handle for ldy_gradient {
    type Core = Gradient;
}

/// Create a gradient. It has no bodies and constraints until ldy_gradient_compute succeeds.
///
/// - gradient: where to write it. Destroy it with ldy_gradient_destroy.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if gradient is NULL.
///
/// # Safety
/// gradient is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_create(gradient: *mut *mut ldy_gradient) -> c_int {
    entry!(gradient: place => gradient.put(handle::made("gradient", Gradient::default())?))
}

/// Destroy a gradient; NULL is allowed.
///
/// # Safety
/// gradient is NULL or comes from ldy_gradient_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_destroy(gradient: *mut ldy_gradient) {
    // SAFETY: the C program promises that it comes from ldy_gradient_create and that it does not use it any more.
    unsafe { handle::destroy(gradient) };
}

/// Compute the derivatives of a function L of a step by all data of a system.
///
/// L depends on the forces R and velocities U of the constraints, and on the velocities of the bodies after the step,
/// u + h A^-1 H^T R, as ldy_system_apply_reactions computes them. The data are as at the last update: call this before
/// ldy_system_apply_reactions.
///
/// - derivatives: of R, by ldy_derivatives_compute with this system since its last update.
/// - R: count values, the solution.
/// - by_R, by_U: count values each, the derivatives of L by R and by U. NULL: zero.
/// - by_velocities: dof_count values, the derivatives by the velocities of all bodies after the step, in the order of
///   ldy_system_bodies. NULL, with dof_count 0: zero.
/// - by_B: where to write count values, the derivatives by B; NULL: not wanted.
/// - by_laws: where to write law_count laws, as in ldy_derivatives_adjoint. NULL, with law_count 0: not wanted.
/// - fit: where to write how well the equations could be solved; NULL: not wanted.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, the error of a
/// body whose inverse cannot be applied, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, or a value is not
/// finite; the text names constraint or body. After an error nothing is written, and the gradient is as before, or empty if memory
/// is exhausted or an inverse cannot be applied.
///
/// # Safety
/// gradient comes from ldy_gradient_create, system from ldy_system_create, and derivatives from ldy_derivatives_create; arrays are
/// NULL or have the sizes given, and those that are written do not overlap others; fit is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_compute(
    gradient: *mut ldy_gradient,
    system: *const ldy_system,
    derivatives: *mut ldy_derivatives,
    R: *const f64,
    by_R: *const f64,
    by_U: *const f64,
    count: usize,
    by_velocities: *const f64,
    dof_count: usize,
    by_B: *mut f64,
    by_laws: *mut ldy_law,
    law_count: usize,
    fit: *mut ldy_fit,
) -> c_int {
    entry!(gradient: exclusive, system: shared, derivatives: exclusive, R: values(count), by_R: optional values(count),
           by_U: optional values(count), by_velocities: optional values(dof_count), by_B: optional values_mut(count),
           by_laws: optional values_mut(law_count), fit: wanted => {
        ensure!(by_velocities.is_some() || dof_count == 0, null("by_velocities"));
        ensure!(by_laws.is_some() || law_count == 0, null("by_laws"));
        let rows = derivatives.derivatives.row_count();
        check_size("by_laws", rows, if by_laws.is_some() { law_count } else { rows })?;
        refill(&mut derivatives.changes, rows, LawChange::default()).map_err(|_| no_memory())?;
        let ldy_derivatives { derivatives: own, changes, .. } = &mut *derivatives;
        let found = system.gradient(own, R, by_R, by_U, by_velocities, Some(changes), gradient)?;
        if let Some(by_B) = by_B {
            by_B.copy_from_slice(gradient.by_b());
        }
        if let Some(by_laws) = by_laws {
            derivatives.write_laws(by_laws);
        }
        fit.put(ldy_fit::new(&found, derivatives.derivatives.is_solution()));
    })
}

/// Return the derivative by the step h of the last update. Free velocities and biases count as given: what they owe to h is the
/// program's part of the chain.
///
/// - value: where to write it.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.
///
/// # Safety
/// gradient comes from ldy_gradient_create; value is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_step(gradient: *const ldy_gradient, value: *mut f64) -> c_int {
    entry!(gradient: shared, value: place => value.put(gradient.by_step()))
}

/// Return the derivatives by the free velocity of a body.
///
/// - body: its id.
/// - values: where to write n values.
/// - n: number of its generalized velocities.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there was no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or n is wrong.
///
/// # Safety
/// gradient comes from ldy_gradient_create; values is NULL or has n values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_velocity(
    gradient: *const ldy_gradient,
    body: i64,
    values: *mut f64,
    n: usize,
) -> c_int {
    entry!(gradient: shared, values: values_mut(n) => {
        let found = gradient.by_velocity(body_id(body)?)?;
        check_size("values", found.len(), n)?;
        values.copy_from_slice(found);
    })
}

/// Return the derivatives by the mass of a rigid or pseudo-rigid body, and by its referential inertia or Euler tensor.
///
/// - body: its id.
/// - mass: where to write the derivative by its mass.
/// - tensor: where to write 9 values, column-major and symmetric; the derivative by both of two equal entries is the sum of both.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there was no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, or the body is
/// neither rigid nor pseudo-rigid, or has another matrix.
///
/// # Safety
/// gradient comes from ldy_gradient_create; mass is NULL or valid; tensor is NULL or has 9 values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_inertia(
    gradient: *const ldy_gradient,
    body: i64,
    mass: *mut f64,
    tensor: *mut f64,
) -> c_int {
    entry!(gradient: shared, mass: place, tensor: values_mut(9) => {
        let (by_mass, by_tensor) = gradient.by_inertia(body_id(body)?)?;
        mass.put(by_mass);
        tensor.copy_from_slice(&by_tensor);
    })
}

/// Return the derivatives by the matrix A of a body, in any form of its inertia. Those by its inverse follow from
/// d(A^-1) = -A^-1 dA A^-1.
///
/// - body: its id.
/// - values: where to write count values, n x n, column-major and symmetric; the derivative by both of two equal entries is the sum
///   of both.
/// - count: n * n, with the number n of its generalized velocities.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there was no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.
///
/// # Safety
/// gradient comes from ldy_gradient_create; values is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_matrix(
    gradient: *const ldy_gradient,
    body: i64,
    values: *mut f64,
    count: usize,
) -> c_int {
    entry!(gradient: shared, values: values_mut(count) => gradient.by_matrix(body_id(body)?, values)?)
}

/// Return the derivatives by the configuration of a rigid or pseudo-rigid body, with its position in the world and frames and points
/// of constraints as they are; zero for other bodies.
///
/// - body: its id.
/// - rotation: where to write 9 values, column-major, the derivatives by the rotation, whose entries count as independent: for a turn
///   with the angular velocity w in the referential frame they are multiplied by rotation * skew (w). Zero of pseudo-rigid bodies.
/// - center: where to write 3 values, the derivatives by the referential mass center.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there was no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.
///
/// # Safety
/// gradient comes from ldy_gradient_create; rotation is NULL or has 9 values, center is NULL or has 3 values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_pose(
    gradient: *const ldy_gradient,
    body: i64,
    rotation: *mut f64,
    center: *mut f64,
) -> c_int {
    entry!(gradient: shared, rotation: values_mut(9), center: values_mut(3) => {
        let pose = gradient.by_pose(body_id(body)?)?;
        rotation.copy_from_slice(&pose.rotation);
        center.copy_from_slice(&pose.center);
    })
}

/// Return the derivatives by the position of a rigid body in the world, see ldy_system_set_positions. H of a joint by axes depends on
/// positions if those of all its bodies are known; other constraints do not.
///
/// - body: its id.
/// - position: where to write 3 values.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there was no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.
///
/// # Safety
/// gradient comes from ldy_gradient_create; position is NULL or has 3 values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_position(
    gradient: *const ldy_gradient,
    body: i64,
    position: *mut f64,
) -> c_int {
    entry!(gradient: shared, position: values_mut(3) => {
        position.copy_from_slice(&gradient.by_pose(body_id(body)?)?.position);
    })
}

/// Return the derivatives by frame and points of a constraint; zero if operators place it. ldy_gradient_joint returns those by both
/// frames of a joint by axes.
///
/// - constraint: its id.
/// - frame: where to write 9 values, column-major, the derivatives by its frame, whose entries count as independent; by the master's
///   frame of a joint by axes.
/// - master_point, slave_point: where to write 3 values each, the derivatives by its referential points.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there was no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.
///
/// # Safety
/// gradient comes from ldy_gradient_create; frame is NULL or has 9 values, the points are NULL or have 3 values each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_place(
    gradient: *const ldy_gradient,
    constraint: i64,
    frame: *mut f64,
    master_point: *mut f64,
    slave_point: *mut f64,
) -> c_int {
    entry!(gradient: shared, frame: values_mut(9), master_point: values_mut(3), slave_point: values_mut(3) => {
        let place = gradient.by_place(constraint_id(constraint)?)?;
        frame.copy_from_slice(&place.frame);
        master_point.copy_from_slice(&place.points[0]);
        slave_point.copy_from_slice(&place.points[1]);
    })
}

/// Return the derivatives by what ldy_system_add_joint takes: the axes and points of a joint on both bodies, or on the ground.
///
/// - joint: its id. A constraint at points has one frame: slave_frame is zero then.
/// - master_frame, slave_frame: where to write 9 values each, column-major, whose entries count as independent.
/// - master_point, slave_point: where to write 3 values each, the derivatives by the referential points.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there was no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.
///
/// # Safety
/// gradient comes from ldy_gradient_create; frames are NULL or have 9 values each, points are NULL or have 3 values each.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_joint(
    gradient: *const ldy_gradient,
    joint: i64,
    master_frame: *mut f64,
    master_point: *mut f64,
    slave_frame: *mut f64,
    slave_point: *mut f64,
) -> c_int {
    entry!(gradient: shared, master_frame: values_mut(9), master_point: values_mut(3), slave_frame: values_mut(9),
           slave_point: values_mut(3) => {
        let place = gradient.by_place(constraint_id(joint)?)?;
        master_frame.copy_from_slice(&place.frame);
        master_point.copy_from_slice(&place.points[0]);
        slave_frame.copy_from_slice(&place.slave_frame);
        slave_point.copy_from_slice(&place.points[1]);
    })
}

/// Return the derivatives by the operator H of a constraint on a body, signs included. A constraint at points and a
/// joint have an H, too.
///
/// - constraint: its id. body: the id of a body that it acts on; this is not checked.
/// - values: where to write count values, m x n, column-major.
/// - count: m * n, with the numbers m of its rows and n of the body's generalized velocities.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there was no such constraint or body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count
/// is wrong.
///
/// # Safety
/// gradient comes from ldy_gradient_create; values is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_operator(
    gradient: *const ldy_gradient,
    constraint: i64,
    body: i64,
    values: *mut f64,
    count: usize,
) -> c_int {
    entry!(gradient: shared, values: values_mut(count) => {
        gradient.by_operator(constraint_id(constraint)?, body_id(body)?, values)?;
    })
}

/// Return the derivatives by the compliance of a constraint, also if it has none. The diagonal ones are those by regularization.
///
/// - constraint: its id.
/// - values: where to write count values, m x m, column-major and symmetric; the derivative by both of two equal entries is the sum
///   of both.
/// - count: m * m, with the number m of its rows.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there was no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is
/// wrong.
///
/// # Safety
/// gradient comes from ldy_gradient_create; values is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_gradient_compliance(
    gradient: *const ldy_gradient,
    constraint: i64,
    values: *mut f64,
    count: usize,
) -> c_int {
    entry!(gradient: shared, values: values_mut(count) => gradient.by_compliance(constraint_id(constraint)?, values)?)
}

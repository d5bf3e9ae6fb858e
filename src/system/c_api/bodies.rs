//! The bodies of a system in C; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong, c_void};

use crate::fault::check_size;
use crate::ffi::errors::{Code, Result, fail};
use crate::memory::with_capacity;
use crate::system::{Checked, Error, Inertia, Kinematics, Solve, System};

use super::arguments::{self, body_id, entry, null};
use super::ldy_system;

/// An inverse callback: a function of the program that replaces x by A^-1 x.
///
/// - size: number of values of a column.
/// - columns: number of columns.
/// - x: size x columns values, column after column without gaps; in: x, out: A^-1 x.
/// - data: the pointer that was given with the callback.
///
/// Returns 0, or any other value if it failed. The thread that calls the library calls it. It must not use the system that calls
/// it, and must not leave by longjmp or an exception.
pub type ldy_apply_inverse =
    Option<unsafe extern "C" fn(size: c_int, columns: c_int, x: *mut f64, data: *mut c_void) -> c_int>;

/// Insert a rigid body. Its generalized velocity has 6 values: angular velocity in the referential frame (the body's own axes),
/// then velocity of the mass center.
///
/// - mass: positive.
/// - inertia: referential inertia about the mass center, 3 x 3, symmetric positive definite.
/// - rotation: from the reference configuration to the current one, 3 x 3, column-major, orthonormal.
/// - center: referential mass center, 3 values.
/// - body: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a value is not finite, mass or inertia
/// is not positive definite, or the rotation is not orthonormal to within 1e-8.
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
    body: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, inertia: array, rotation: array, center: array, body: place => {
        body.put(system.add_rigid(mass, inertia, rotation, center)? as c_longlong);
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
    body: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, euler: array, center: array, body: place => {
        body.put(system.add_pseudo_rigid(mass, euler, center)? as c_longlong);
    })
}

/// Insert an obstacle: a body with prescribed motion. Its points move as the points of a rigid body. A^-1 = 0, so that it
/// contributes to B and V but couples no constraints in W.
///
/// - rotation: from the reference configuration to the current one, 3 x 3, column-major, orthonormal.
/// - center: referential center, 3 values.
/// - body: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a value is not finite, or the rotation
/// is not orthonormal to within 1e-8.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_obstacle(
    system: *mut ldy_system,
    rotation: *const f64,
    center: *const f64,
    body: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, rotation: array, center: array, body: place => {
        let kinematics = Kinematics::Rigid { rotation: *rotation, center: *center };
        body.put(system.add_body(6, kinematics, Inertia::Obstacle)? as c_longlong);
    })
}

/// Insert a body with a dense inverse inertia. Its constraints are given by operators H.
///
/// - n: number of its generalized velocities, at least 1.
/// - inverse: A^-1, n x n, symmetric.
/// - body: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, n < 1, or A^-1 is not finite or not
/// symmetric.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_dense(
    system: *mut ldy_system,
    n: c_int,
    inverse: *const f64,
    body: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, inverse: values(size(n)?.pow(2)), body: place => {
        body.put(insert_general(system, n, Inertia::dense(n as usize, inverse))?);
    })
}

/// Insert a body with a diagonal inverse inertia. Its constraints are given by operators H.
///
/// - n: number of its generalized velocities, at least 1.
/// - inverse: the diagonal of A^-1, n values, none negative.
/// - body: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, n < 1, or a value is negative or not
/// finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_diagonal(
    system: *mut ldy_system,
    n: c_int,
    inverse: *const f64,
    body: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, inverse: values(size(n)?), body: place => {
        body.put(insert_general(system, n, Inertia::diagonal(inverse))?);
    })
}

/// Insert a body with a sparse matrix A. Its constraints are given by operators H.
///
/// Updates factor A. They keep the factors while the matrix is the same, and the elimination order while the pattern is the same.
///
/// - n: number of its generalized velocities, at least 1.
/// - starts, rows, values: A in compressed sparse columns, symmetric positive definite. Column j has the values starts[j] <= k <
///   starts[j + 1] in the rows rows[k]. starts has n + 1 values. The lower triangle is enough; if there are entries above the
///   diagonal, the whole symmetric matrix must be there.
/// - count: number of values in rows and in values, equal to starts[n].
/// - body: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_POSITIVE_DEFINITE if a diagonal entry is missing, LDY_ERROR_INVALID_FORMAT if
/// the columns are ill-formed, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, n < 1, or A is not finite or not symmetric. If
/// A is not positive definite, an update returns the error.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_matrix(
    system: *mut ldy_system,
    n: c_int,
    starts: *const c_int,
    rows: *const c_int,
    values: *const f64,
    count: usize,
    body: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, starts: values(size(n)? + 1), rows: values(count), values: values(count),
           body: place => {
        body.put(insert_general(system, n, Inertia::matrix(starts, rows, values))?);
    })
}

/// Insert a body whose A^-1 is applied by an inverse callback. Its constraints are given by operators H.
///
/// - n: number of its generalized velocities, at least 1.
/// - solver: the inverse callback; A^-1 must be symmetric. Each update calls it once, with three columns for each constraint on the
///   body, even if nothing has changed. Each vector that is multiplied through bodies needs one more call.
/// - data: passed to the callback.
/// - body: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or n < 1.
///
/// # Safety
/// system comes from ldy_system_create; solver does as its type says, with data, as long as the body exists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_solver(
    system: *mut ldy_system,
    n: c_int,
    solver: ldy_apply_inverse,
    data: *mut c_void,
    body: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, body: place => {
        size(n)?;
        let function = solver.ok_or_else(|| null("solver"))?;
        body.put(insert_general(system, n, Inertia::solver(Callback { function, data }))?);
    })
}

/// Insert several bodies with a shared inverse callback, for instance the kinematic trees of a simulator that applies M^-1 to all
/// of them at once. Their constraints are given by operators H.
///
/// - sizes: number of generalized velocities of each body, count values, at least 1 each.
/// - solver: the inverse callback. A column has the velocities of all bodies, in the order of sizes, without gaps.
/// - data: passed to the callback.
/// - bodies: where to write the ids, count consecutive numbers.
///
/// A^-1 must be symmetric and block-diagonal by body; entries that couple bodies are ignored. So one column holds a right-hand side
/// for each body. The number of columns is three for each constraint on the body with the most constraints. Columns are zero at a
/// body that needs fewer, or that has left.
///
/// The callback is called once in each update in which a constraint acts on one of the bodies, more than once if its columns would
/// take more than 64 MB. Each vector that is multiplied through bodies needs one more call. If it fails, the function that called
/// it returns LDY_ERROR_SINGULAR, and the text names the first of the bodies that constraints act on.
///
/// You use each body as any other, with its own velocity. You may remove it or set another inertia; then it leaves the callback,
/// whose columns keep their length. The library uses solver and data until the last body has left.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there are no bodies, a size is below
/// 1, or an int cannot hold the number of all velocities. After an error no body is inserted.
///
/// # Safety
/// system comes from ldy_system_create; sizes and bodies are NULL or have count values; solver does as its type says, with data,
/// until the last body has left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_model(
    system: *mut ldy_system,
    sizes: *const c_int,
    count: usize,
    solver: ldy_apply_inverse,
    data: *mut c_void,
    bodies: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, sizes: values(count), bodies: values_mut(count) => {
        let function = solver.ok_or_else(|| null("solver"))?;
        let memory = |_| fail!(Code::OutOfMemory, "body {}: out of memory", system.next_body());
        let mut lengths = with_capacity(count).map_err(memory)?;
        for &n in sizes {
            lengths.push(size(n)?);
        }
        let first = system.add_model(&lengths, Callback { function, data })?;
        bodies.iter_mut().zip(first as c_longlong..).for_each(|(to, id)| *to = id);
    })
}

/// Remove a body.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL, there is no such body, or a constraint acts on it.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_remove_body(system: *mut ldy_system, body: c_longlong) -> c_int {
    entry!(system: exclusive => system.remove_body(body_id(body)?)?)
}

/// Set the rotation of a rigid body or an obstacle.
///
/// - rotation: 3 x 3, column-major, orthonormal.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, it is of another kind, or the rotation
/// is not finite or not orthonormal to within 1e-8.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_rotation(
    system: *mut ldy_system,
    body: c_longlong,
    rotation: *const f64,
) -> c_int {
    entry!(system: exclusive, rotation: array => system.set_rotation(body_id(body)?, rotation)?)
}

/// Accept or refuse frames and rotations that are not orthonormal, from now on. A new system refuses them. Some programs need them,
/// for instance for axes that carry units.
///
/// - any: 0 refuses them, any other value accepts them.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL.
///
/// # Safety
/// system comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_take_any_axes(system: *mut ldy_system, any: c_int) -> c_int {
    entry!(system: exclusive => system.take_any_axes(any != 0))
}

/// Set mass and inertia of a rigid or pseudo-rigid body.
///
/// - mass: positive.
/// - inertia: referential inertia of a rigid body, Euler tensor of a pseudo-rigid body, as at insertion.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, it is of another kind or an obstacle
/// with constraints, or a value is not finite or not positive definite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_mass(
    system: *mut ldy_system,
    body: c_longlong,
    mass: f64,
    inertia: *const f64,
) -> c_int {
    entry!(system: exclusive, inertia: array => {
        system.set_mass(body_id(body)?, mass, inertia)?;
    })
}

/// Set a dense inverse inertia of a body of any kind. For instance, a rigid body can have the inverse of an implicit scheme.
///
/// - n: number of its generalized velocities.
/// - inverse: A^-1, n x n, symmetric.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, n is not its
/// number of velocities, it is an obstacle with constraints, or A^-1 is not finite or not symmetric.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_dense(
    system: *mut ldy_system,
    body: c_longlong,
    n: c_int,
    inverse: *const f64,
) -> c_int {
    entry!(system: exclusive, inverse: values(size(n)?.pow(2)) => {
        system.set_dense(body_id(body)?, n as usize, inverse)?;
    })
}

/// Set a diagonal inverse inertia of a body of any kind.
///
/// - n: number of its generalized velocities.
/// - inverse: the diagonal of A^-1, n values, none negative.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, n is not its
/// number of velocities, it is an obstacle with constraints, or a value is negative or not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_diagonal(
    system: *mut ldy_system,
    body: c_longlong,
    n: c_int,
    inverse: *const f64,
) -> c_int {
    entry!(system: exclusive, inverse: values(size(n)?) => {
        set_inertia(system, body, Inertia::diagonal(inverse))?;
    })
}

/// Set a sparse matrix A of a body of any kind.
///
/// - n: number of its generalized velocities.
/// - starts, rows, values, count: A, as in ldy_system_add_matrix.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_POSITIVE_DEFINITE if a diagonal entry is missing, LDY_ERROR_INVALID_FORMAT if
/// the columns are ill-formed, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, n is not its number of
/// velocities, it is an obstacle with constraints, or A is not finite or not symmetric.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_matrix(
    system: *mut ldy_system,
    body: c_longlong,
    n: c_int,
    starts: *const c_int,
    rows: *const c_int,
    values: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, starts: values(size(n)? + 1), rows: values(count), values: values(count) => {
        system.set_matrix(body_id(body)?, starts, rows, values)?;
    })
}

/// Set the free generalized velocity of a body: its velocity after the step if there were no reactions. B = H times this velocity.
///
/// - velocity: count values.
/// - count: number of its generalized velocities.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, count is wrong, or a value is not
/// finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_velocity(
    system: *mut ldy_system,
    body: c_longlong,
    velocity: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, velocity: values(count) => system.set_velocity(body_id(body)?, velocity)?)
}

/// Set the previous generalized velocity of a body: its velocity before the step. V = H times this velocity.
///
/// - velocity: count values.
/// - count: number of its generalized velocities.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, count is wrong, or a value is not
/// finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_previous_velocity(
    system: *mut ldy_system,
    body: c_longlong,
    velocity: *const f64,
    count: usize,
) -> c_int {
    entry!(system: exclusive, velocity: values(count) => {
        system.set_previous_velocity(body_id(body)?, velocity)?;
    })
}

/// Return the free generalized velocity of a body, as it was set, or as ldy_system_apply_reactions has changed it.
///
/// - velocity: where to write it, count values.
/// - count: number of its generalized velocities.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such body, or count is wrong.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_velocity(
    system: *const ldy_system,
    body: c_longlong,
    velocity: *mut f64,
    count: usize,
) -> c_int {
    entry!(system: shared, velocity: values_mut(count) => {
        let id = body_id(body)?;
        let from = system.body(id)?.velocity();
        check_size("velocity", from.len(), count).map_err(|fault| Error::of_body(id, fault))?;
        velocity.copy_from_slice(from);
    })
}

/// The user's function as an inverse callback of the core.
struct Callback {
    function: unsafe extern "C" fn(c_int, c_int, *mut f64, *mut c_void) -> c_int,
    data: *mut c_void,
}

// SAFETY: only the thread that has called the library calls the function with its data, as the type says; the core's threads
// share the bodies meanwhile, but do not call their functions.
unsafe impl Send for Callback {}

// SAFETY: only the thread that has called the library calls the function with its data, as the type says; the core's threads
// share the bodies meanwhile, but do not call their functions.
unsafe impl Sync for Callback {}

impl Solve for Callback {
    fn solve(&self, size: usize, x: &mut [f64]) -> i32 {
        let (Ok(rows), Ok(columns)) = (c_int::try_from(size), c_int::try_from(x.len() / size)) else {
            return -1;
        };
        // SAFETY: in the call of ldy_system_add_solver or _add_model the C program promised that its function, with this data, does
        // as the type says as long as its bodies exist; x has size times columns values.
        unsafe { (self.function)(rows, columns, x.as_mut_ptr(), self.data) }
    }
}

fn size(n: c_int) -> Result<usize> {
    let size = usize::try_from(n).ok().filter(|&size| size > 0);
    size.ok_or_else(|| fail!(Code::BugFound, "n is {n}: a body needs at least one generalised velocity"))
}

/// Insert a body whose constraints are given by operators, and return its id.
fn insert_general(system: &mut System, n: c_int, inertia: Checked<Inertia>) -> Result<c_longlong> {
    let inertia = inertia.map_err(|fault| Error::of_body(system.next_body(), fault))?;
    Ok(system.add_body(size(n)?, Kinematics::General, inertia)? as c_longlong)
}

fn set_inertia(system: &mut System, body: c_longlong, inertia: Checked<Inertia>) -> Result {
    let id = body_id(body)?;
    system.body(id)?;
    let inertia = inertia.map_err(|fault| Error::of_body(id, fault))?;
    Ok(system.set_inertia(id, inertia)?)
}

//! Bodies of a system as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong, c_void};

use crate::fault::check_size;
use crate::ffi::errors::{Code, Result, fail};
use crate::memory::with_capacity;
use crate::system::{Checked, Error, Inertia, Kinematics, Solve, System};

use super::arguments::{self, body_id, entry, null};
use super::ldy_system;

/// A user's solver: replace each of the columns of x, size values each and one behind the other, by A^-1 times it.
///
/// Returns 0, or any other value if that failed. It is called by the thread that calls the library, and must neither use the
/// system that calls it nor leave by longjmp or an exception.
pub type ldy_solver =
    Option<unsafe extern "C" fn(size: c_int, columns: c_int, x: *mut f64, data: *mut c_void) -> c_int>;

/// Insert a rigid body, with generalised velocity (angular velocity in the referential frame, velocity of the mass centre).
///
/// mass: positive. inertia: referential inertia about the mass centre, 3 x 3, symmetric positive definite. rotation: from the
/// reference to now, 3 x 3 column-major. center: referential mass centre, 3 values. body: where to put its id.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, something not finite, not positive definite, or a rotation that is not
/// orthonormal to within 1e-8).
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
        body.put(system.insert_rigid(mass, inertia, rotation, center)? as c_longlong);
    })
}

/// Insert a pseudo-rigid body, with generalised velocity (rate of the deformation gradient row by row, velocity of the mass
/// centre), 12 values.
///
/// mass: positive. euler: referential Euler tensor about the mass centre, 3 x 3, symmetric positive definite. center:
/// referential mass centre, 3 values. body: where to put its id.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, something not finite, or not positive definite).
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
        body.put(system.insert_pseudo_rigid(mass, euler, center)? as c_longlong);
    })
}

/// Insert an obstacle: its points move as those of a rigid body, with velocities that are prescribed: A^-1 = 0. It counts in B
/// and V, and couples no constraints in W.
///
/// rotation: from the reference to now, 3 x 3 column-major. center: referential centre, 3 values. body: where to put its id.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, something not finite, a rotation that is not orthonormal to within 1e-8).
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
        body.put(system.insert_body(6, kinematics, Inertia::Obstacle)? as c_longlong);
    })
}

/// Insert a body with n generalised velocities by its dense inverse; its constraints are given by operators H.
///
/// n: at least 1. inverse: A^-1, n x n, symmetric. body: where to put its id.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, n < 1, not finite or not symmetric).
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

/// Insert a body with n generalised velocities by its diagonal inverse; its constraints are given by operators H.
///
/// n: at least 1. inverse: the diagonal of A^-1, n values, none negative. body: where to put its id.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, n < 1, negative or not finite).
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

/// Insert a body with n generalised velocities by its sparse matrix A, which is factored by updates: once, as long as the
/// matrix stays the same, with a kept order as long as the pattern does. Its constraints are given by operators H.
///
/// n: at least 1. Column j of A has the values starts[j] <= k < starts[j + 1] in the rows rows[k]; starts has n + 1 values,
/// rows and values have count, the last of starts. The lower triangle is enough; if there are entries above the diagonal, the
/// whole symmetric matrix must be there. Symmetric positive definite. body: where to put its id.
///
/// Returns 0, 1 (no memory), 16 (a diagonal entry is missing), 20 (ill-formed columns) or 52 (NULL argument, n < 1, not finite
/// or not symmetric). That A is not positive definite is found by an update.
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

/// Insert a body with n generalised velocities whose A^-1 is applied by a function; its constraints are given by operators H.
///
/// n: at least 1. solver: see ldy_solver; A^-1 must be symmetric. It is called once an update with three columns for each
/// constraint on the body, whether anything has changed or not, and once for each vector that is multiplied through bodies. data:
/// passed through. body: where to put its id.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, n < 1).
///
/// # Safety
/// system comes from ldy_system_create; solver does as its type says, with data, as long as the body exists.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_solver(
    system: *mut ldy_system,
    n: c_int,
    solver: ldy_solver,
    data: *mut c_void,
    body: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, body: place => {
        size(n)?;
        let function = solver.ok_or_else(|| null("solver"))?;
        body.put(insert_general(system, n, Inertia::solver(Callback { function, data }))?);
    })
}

/// Insert the bodies of a model: one function applies A^-1 of all of them at once, as M^-1 of a program that has several trees of
/// bodies. Their constraints are given by operators H.
///
/// sizes: the number of generalised velocities of each body, count values, at least 1 each. solver: see ldy_solver; its columns
/// have the velocities of all bodies one behind the other, in the order of sizes. A^-1 must be symmetric and couple no two of the
/// bodies: what it makes of one body's values at the place of another is not read. So columns of all bodies stand side by side: it
/// gets as many columns as the body with most constraints needs, three for each, with zeros where a body needs fewer or has gone.
/// It is called once in each update in which a constraint acts on one of the bodies, more than once where its columns would take
/// more than 64 MB; and once for each vector that is multiplied through bodies. An error of it, 15, names the first body of the
/// model that constraints act on. data: passed through. bodies: where to put the ids, count values, which follow one after the
/// other.
///
/// Each body has velocities of its own and is used as any other. It may be removed alone or be given another inertia; then it is no
/// part of the model any more, whose columns stay as long as they were. solver and data are used until the last body has left.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, no bodies, a size below 1, more velocities than an int can count); then there is
/// no body more.
///
/// # Safety
/// system comes from ldy_system_create; sizes and bodies are NULL or have count values; solver does as its type says, with data, as
/// long as one of the bodies is part of the model.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_model(
    system: *mut ldy_system,
    sizes: *const c_int,
    count: usize,
    solver: ldy_solver,
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
        let first = system.insert_model(&lengths, Callback { function, data })?;
        bodies.iter_mut().zip(first as c_longlong..).for_each(|(to, id)| *to = id);
    })
}

/// Remove a body.
///
/// Returns 0 or 52 (NULL, no such body, or a constraint acts on it).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_remove_body(system: *mut ldy_system, body: c_longlong) -> c_int {
    entry!(system: exclusive => system.remove_body(body_id(body)?)?)
}

/// Set the rotation of a rigid body or an obstacle, 3 x 3 column-major.
///
/// Returns 0 or 52 (NULL argument, no such body, another kind, not finite, not orthonormal to within 1e-8).
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

/// Say whether frames and rotations that are not orthonormal are taken as they are, from now on: for programs that mean them, for
/// instance with axes that carry units. At first they are refused where they are given.
///
/// any: not 0: they are taken. Returns 0 or 52 (NULL).
///
/// # Safety
/// system comes from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_take_any_axes(system: *mut ldy_system, any: c_int) -> c_int {
    entry!(system: exclusive => system.take_any_axes(any != 0))
}

/// Set mass and referential inertia of a rigid body, or mass and Euler tensor of a pseudo-rigid one.
///
/// Returns 0 or 52 (NULL argument, no such body, another kind, an obstacle with constraints, not finite, not positive
/// definite).
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

/// Give a body of any kind another inertia: a dense inverse, n x n and symmetric; so a rigid body can have the inverse of an
/// implicit scheme.
///
/// n: the number of its generalised velocities.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, no such body, another n, an obstacle with constraints, or wrong values).
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

/// Give a body of any kind another inertia: a diagonal inverse, n values, none negative.
///
/// n: the number of its generalised velocities.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, no such body, another n, an obstacle with constraints, or wrong values).
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

/// Give a body of any kind another inertia: a sparse matrix A as in ldy_system_add_matrix.
///
/// n: the number of its generalised velocities.
///
/// Returns 0, 1 (no memory), 16 (a diagonal entry is missing), 20 (ill-formed columns) or 52 (NULL argument, no such body,
/// another n, an obstacle with constraints, not finite or not symmetric).
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

/// Set the free generalised velocity of a body, n values: what it would have after the step without reactions. B is made of it.
///
/// count: n. Returns 0 or 52 (NULL argument, no such body, another count, not finite).
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

/// Set the previous generalised velocity of a body, n values: that before the step. V is made of it.
///
/// count: n. Returns 0 or 52 (NULL argument, no such body, another count, not finite).
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

/// Tell the free generalised velocity of a body, n values: as set, and changed by ldy_system_add_reactions.
///
/// count: n. Returns 0 or 52 (NULL argument, no such body, another count).
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
    Ok(system.insert_body(size(n)?, Kinematics::General, inertia)? as c_longlong)
}

fn set_inertia(system: &mut System, body: c_longlong, inertia: Checked<Inertia>) -> Result {
    let id = body_id(body)?;
    system.body(id)?;
    let inertia = inertia.map_err(|fault| Error::of_body(id, fault))?;
    Ok(system.set_inertia(id, inertia)?)
}

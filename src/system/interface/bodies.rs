//! Bodies of a system as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong, c_void};

use crate::boundary::errors::{Code, fail};
use crate::boundary::status;
use crate::system::{Error, Fault, Id, Inertia, Kinematics, Solve, System};

use super::arguments::{array, body_id, coded, exclusive, put_id, shared, values, values_mut};
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
/// Returns 0, 1 (no memory) or 52 (NULL argument, something not finite, or not positive definite).
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let (inertia, rotation) = (array("inertia", inertia)?, array("rotation", rotation)?);
        let center = array("center", center)?;
        put_id(body, || system.insert_rigid(mass, inertia, rotation, center))
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let (euler, center) = (array("euler", euler)?, array("center", center)?);
        put_id(body, || system.insert_pseudo_rigid(mass, euler, center))
    })
}

/// Insert an obstacle: its points move as those of a rigid body, with velocities that are prescribed: A^-1 = 0. It counts in B
/// and V, and couples no constraints in W.
///
/// rotation: from the reference to now, 3 x 3 column-major. center: referential centre, 3 values. body: where to put its id.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, something not finite).
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let (rotation, center) = (*array("rotation", rotation)?, *array("center", center)?);
        let kinematics = Kinematics::Rigid { rotation, center };
        put_id(body, || system.insert_body(6, kinematics, Inertia::Obstacle))
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let inertia = dense(n, inverse, system.next_body())?;
        put_id(body, || system.insert_body(n as usize, Kinematics::General, inertia))
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let inertia = diagonal(n, inverse, system.next_body())?;
        put_id(body, || system.insert_body(n as usize, Kinematics::General, inertia))
    })
}

/// Insert a body with n generalised velocities by its sparse matrix A, which is factored by updates: once, as long as the matrix
/// stays the same, with a kept order as long as the pattern does. Its constraints are given by operators H.
///
/// n: at least 1. Column j of A has the values starts[j] <= k < starts[j + 1] in the rows rows[k]; starts has n + 1 values, rows
/// and values have count, the last of starts. The lower triangle is enough; if there are entries above the diagonal, the whole
/// symmetric matrix must be there. Symmetric positive definite. body: where to put its id.
///
/// Returns 0, 1 (no memory), 16 (a diagonal entry is missing), 20 (ill-formed columns) or 52 (NULL argument, n < 1, not finite or
/// not symmetric). That A is not positive definite is found by an update.
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let inertia = matrix(n, starts, rows, values, count, system.next_body())?;
        put_id(body, || system.insert_body(n as usize, Kinematics::General, inertia))
    })
}

/// Insert a body with n generalised velocities whose A^-1 is applied by a function; its constraints are given by operators H.
///
/// n: at least 1. solver: see ldy_solver; A^-1 must be symmetric. It is called once an update with three columns for each
/// constraint on the body, and once for each product. data: passed through. body: where to put its id.
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let freedoms = size(n)?;
        let Some(function) = solver else { return Err(fail!(Code::BugFound, "solver is NULL")) };
        let inertia = Inertia::solver(Callback { function, data });
        let inertia = inertia.map_err(|fault| coded(&Error::of_body(system.next_body(), fault)))?;
        put_id(body, || system.insert_body(freedoms, Kinematics::General, inertia))
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        system.remove_body(body_id(body)?).map_err(|error| coded(&error))
    })
}

/// Set the rotation of a rigid body or an obstacle, 3 x 3 column-major.
///
/// Returns 0 or 52 (NULL argument, no such body, another kind, not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_rotation(
    system: *mut ldy_system,
    body: c_longlong,
    rotation: *const f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        system.set_rotation(body_id(body)?, array("rotation", rotation)?).map_err(|error| coded(&error))
    })
}

/// Set mass and referential inertia of a rigid body, or mass and Euler tensor of a pseudo-rigid one.
///
/// Returns 0 or 52 (NULL argument, no such body, another kind, an obstacle with constraints, not finite, not positive definite).
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let (id, inertia) = (body_id(body)?, array("inertia", inertia)?);
        let inertia = match system.body(id).map_err(|error| coded(&error))?.kinematics() {
            Kinematics::Rigid { .. } => Inertia::rigid(mass, inertia),
            Kinematics::PseudoRigid { .. } => Inertia::pseudo_rigid(mass, inertia),
            Kinematics::General => {
                Err(Fault::Invalid("it is neither rigid nor pseudo-rigid and has no mass"))
            }
        };
        set_inertia(system, id, inertia)
    })
}

/// Give a body of any kind another inertia: a dense inverse, n x n and symmetric; so a rigid body can have the inverse of an implicit scheme.
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = body_id(body)?;
        system.body(id).map_err(|error| coded(&error))?;
        set_inertia(system, id, Ok(dense(n, inverse, id)?))
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = body_id(body)?;
        system.body(id).map_err(|error| coded(&error))?;
        set_inertia(system, id, Ok(diagonal(n, inverse, id)?))
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = body_id(body)?;
        system.body(id).map_err(|error| coded(&error))?;
        set_inertia(system, id, Ok(matrix(n, starts, rows, values, count, id)?))
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = body_id(body)?;
        let velocity = values("velocity", velocity, count)?;
        system.set_velocity(id, velocity).map_err(|error| coded(&error))
    })
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = body_id(body)?;
        let velocity = values("velocity", velocity, count)?;
        system.set_previous_velocity(id, velocity).map_err(|error| coded(&error))
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
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let id = body_id(body)?;
        let from = system.body(id).map_err(|error| coded(&error))?.velocity();
        let to = values_mut("velocity", velocity, count)?;
        if to.len() != from.len() {
            return Err(fail!(
                Code::BugFound,
                "body {id}: velocity: {count} values where {} are needed",
                from.len()
            ));
        }
        to.copy_from_slice(from);
        Ok(())
    })
}

/// A user's function as the core wants it.
struct Callback {
    function: unsafe extern "C" fn(c_int, c_int, *mut f64, *mut c_void) -> c_int,
    data: *mut c_void,
}

// SAFETY: the function is called, with its data, by the thread that has called the library alone, as its type says; the
// core's threads hold the bodies meanwhile, but leave solvers to that one.

unsafe impl Send for Callback {}

// SAFETY: as above.
unsafe impl Sync for Callback {}

impl Solve for Callback {
    fn solve(&self, size: usize, x: &mut [f64]) -> i32 {
        let (Ok(rows), Ok(columns)) = (c_int::try_from(size), c_int::try_from(x.len() / size)) else {
            return -1;
        };
        // SAFETY: who inserted the body promised that the function may be called so; x has size times columns values.
        unsafe { (self.function)(rows, columns, x.as_mut_ptr(), self.data) }
    }
}

fn size(n: c_int) -> Result<usize, Code> {
    let size = usize::try_from(n).ok().filter(|&size| size > 0);
    size.ok_or_else(|| fail!(Code::BugFound, "n is {n}: a body needs at least one generalised velocity"))
}

/// # Safety
/// `inverse` is NULL or has n² values.
unsafe fn dense(n: c_int, inverse: *const f64, id: Id) -> Result<Inertia, Code> {
    let n = size(n)?;
    let count = n.checked_mul(n).ok_or_else(|| fail!(Code::OutOfMemory, "body {id}: out of memory"))?;
    // SAFETY: promised by the caller.
    let inertia = Inertia::dense(n, unsafe { values("inverse", inverse, count)? });
    inertia.map_err(|fault| coded(&Error::of_body(id, fault)))
}

/// # Safety
/// `inverse` is NULL or has n values.
unsafe fn diagonal(n: c_int, inverse: *const f64, id: Id) -> Result<Inertia, Code> {
    // SAFETY: promised by the caller.
    let inertia = Inertia::diagonal(unsafe { values("inverse", inverse, size(n)?)? });
    inertia.map_err(|fault| coded(&Error::of_body(id, fault)))
}

/// # Safety
/// Each is NULL, or starts have n + 1 values, rows and values `count`.
unsafe fn matrix(
    n: c_int,
    starts: *const c_int,
    rows: *const c_int,
    entries: *const f64,
    count: usize,
    id: Id,
) -> Result<Inertia, Code> {
    let n = size(n)?;
    // SAFETY: promised by the caller.
    let inertia = unsafe {
        let starts = values("starts", starts, n + 1)?;
        Inertia::matrix(starts, values("rows", rows, count)?, values("values", entries, count)?)
    };
    inertia.map_err(|fault| coded(&Error::of_body(id, fault)))
}

fn set_inertia(system: &mut System, id: Id, inertia: Result<Inertia, Fault>) -> Result<(), Code> {
    let inertia = inertia.map_err(|fault| coded(&Error::of_body(id, fault)))?;
    system.set_inertia(id, inertia).map_err(|error| coded(&error))
}

//! The neutral face as C sees it: what `include/ldy_system.h` is generated from. All `unsafe` of this face is here and in its part `stability`.

#![allow(non_camel_case_types, reason = "the names of the C types")]
#![allow(non_snake_case, reason = "arguments have the names of the theory")]

mod stability;

use std::ffi::{c_char, c_int, c_longlong, c_void};
use std::{ptr, slice};

use crate::boundary::errors::{Code, fail};
use crate::boundary::{file, status};
use crate::inertia::FactorError;

use super::{Error, Fault, Id, Inertia, Kinematics, Operator, Solve, System, files};

/// Stands for the ground where a constraint has a body on one side only.
pub const LDY_GROUND: c_longlong = -1;

/// Bodies, constraints between them, and what an update makes of them: U = B + W R. Used by one thread at a time.
pub struct ldy_system(System);

/// A user's solver: replace each of the columns of x, size values each and one behind the other, by A^-1 times it.
///
/// Returns 0, or any other value if that failed. It is called by the thread that calls the library, and must neither use the
/// system that calls it nor leave by longjmp or an exception.
pub type ldy_solver =
    Option<unsafe extern "C" fn(size: c_int, columns: c_int, x: *mut f64, data: *mut c_void) -> c_int>;

/// An operator H of three rows, with as many columns as its body has generalised velocities, n.
///
/// Dense: starts and rows are NULL, values has 3 n values, column-major. Sparse: column j has the values
/// starts[j] <= k < starts[j + 1] in the rows rows[k], 0, 1 or 2; starts has n + 1 values.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_operator {
    /// First entries of the columns, and the end; NULL: dense.
    pub starts: *const c_int,
    /// Row of each entry; NULL: dense.
    pub rows: *const c_int,
    /// The entries.
    pub values: *const f64,
}

/// The results of an update; everything belongs to the system and is valid until its next change.
///
/// Row k is that of the k-th constraint in the order of insertion, removed ones left out: where a constraint is removed the
/// later rows move up. Blocks and vectors are in local frames. Two rows have one block in common however many bodies they
/// share; there is a block wherever they share one that is no obstacle, be it zero.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_rows {
    /// Number of rows, n.
    pub rows: c_int,
    /// Number of blocks, diagonal ones among them.
    pub blocks: c_int,
    /// Row k has the blocks starts[k] <= i < starts[k + 1]; n + 1 values.
    pub starts: *const c_int,
    /// Column of each block, ascending in a row.
    pub columns: *const c_int,
    /// The blocks of W, each 3 x 3, column-major, nine values behind nine. The block of row b and column a is the transpose
    /// of that of row a and column b, bit for bit.
    pub values: *const f64,
    /// Free local velocities, H times the free velocity; three values a row.
    pub B: *const f64,
    /// Previous local velocities, H times the previous velocity; three values a row.
    pub V: *const f64,
    /// The diagonal blocks once more, nine values a row.
    pub diagonal: *const f64,
    /// Their inverses, nine values a row; NaN where one is singular to working precision, see ldy_system_check_inverses.
    pub inverse: *const f64,
    /// Id of each row's constraint.
    pub constraints: *const c_longlong,
}

/// Make a system without bodies.
///
/// system: where to put it; it is to be destroyed by ldy_system_destroy. Returns 0, 1 (no memory) or 52 (NULL).
///
/// # Safety
/// system is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_create(system: *mut *mut ldy_system) -> c_int {
    status(|| {
        if system.is_null() {
            return Err(null("system"));
        }
        let mut place = Vec::new();
        place.try_reserve_exact(1).map_err(|_| fail!(Code::OutOfMemory, "system: out of memory"))?;
        place.push(ldy_system(System::new()));
        // SAFETY: the caller's promise is the one that the function asks for.
        unsafe { put("system", system, Box::into_raw(place.into_boxed_slice()).cast()) }
    })
}

/// Destroy a system with all that is in it; NULL is allowed.
///
/// # Safety
/// system is NULL or comes from ldy_system_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_destroy(system: *mut ldy_system) {
    status(|| {
        if !system.is_null() {
            // SAFETY: systems come out of boxes of one; promised by the caller.
            drop(unsafe { Box::from_raw(ptr::slice_from_raw_parts_mut(system, 1)) });
        }
        Ok(())
    });
}

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
/// n: at least 1. Column j of A has the values starts[j] <= k < starts[j + 1] in the rows rows[k]; starts has n + 1 values. The
/// lower triangle is enough; if there are entries above the diagonal, the whole symmetric matrix must be there. Symmetric
/// positive definite. body: where to put its id.
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
    body: *mut c_longlong,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let inertia = matrix(n, [starts, rows], values, system.next_body())?;
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
/// Returns 0 or 52 (NULL argument, no such body, another kind, an obstacle, not finite, not positive definite).
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
/// Returns 0, 1 (no memory) or 52 (NULL argument, no such body, an obstacle with constraints, or wrong values).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_dense(
    system: *mut ldy_system,
    body: c_longlong,
    inverse: *const f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = body_id(body)?;
        let n = freedoms(system, id)? as c_int;
        set_inertia(system, id, Ok(dense(n, inverse, id)?))
    })
}

/// Give a body of any kind another inertia: a diagonal inverse, n values, none negative.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, no such body, an obstacle with constraints, or wrong values).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_diagonal(
    system: *mut ldy_system,
    body: c_longlong,
    inverse: *const f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = body_id(body)?;
        let n = freedoms(system, id)? as c_int;
        set_inertia(system, id, Ok(diagonal(n, inverse, id)?))
    })
}

/// Give a body of any kind another inertia: a sparse matrix A as in ldy_system_add_matrix.
///
/// Returns 0, 1 (no memory), 16 (a diagonal entry is missing), 20 (ill-formed columns) or 52 (NULL argument, no such body, an
/// obstacle with constraints, not finite or not symmetric).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_matrix(
    system: *mut ldy_system,
    body: c_longlong,
    starts: *const c_int,
    rows: *const c_int,
    values: *const f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = body_id(body)?;
        let n = freedoms(system, id)? as c_int;
        set_inertia(system, id, Ok(matrix(n, [starts, rows], values, id)?))
    })
}

/// Set the free generalised velocity of a body, n values: what it would have after the step without reactions. B is made of it.
///
/// Returns 0 or 52 (NULL argument, no such body, not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_velocity(
    system: *mut ldy_system,
    body: c_longlong,
    velocity: *const f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = body_id(body)?;
        let velocity = values("velocity", velocity, freedoms(system, id)?)?;
        system.set_velocity(id, velocity).map_err(|error| coded(&error))
    })
}

/// Set the previous generalised velocity of a body, n values: that before the step. V is made of it.
///
/// Returns 0 or 52 (NULL argument, no such body, not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_previous_velocity(
    system: *mut ldy_system,
    body: c_longlong,
    velocity: *const f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = body_id(body)?;
        let velocity = values("velocity", velocity, freedoms(system, id)?)?;
        system.set_previous_velocity(id, velocity).map_err(|error| coded(&error))
    })
}

/// Tell the free generalised velocity of a body, n values: as set, and changed by ldy_system_add_reactions.
///
/// Returns 0 or 52 (NULL argument, no such body).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_velocity(
    system: *const ldy_system,
    body: c_longlong,
    velocity: *mut f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let body = system.body(body_id(body)?).map_err(|error| coded(&error))?;
        values_mut("velocity", velocity, body.freedoms())?.copy_from_slice(body.velocity());
        Ok(())
    })
}

/// Insert a constraint between points of rigid or pseudo-rigid bodies or obstacles:
/// U = E^T (velocity of the master's point - velocity of the slave's).
///
/// master, slave: ids, one of them may be LDY_GROUND. frame: E, 3 x 3 column-major, the local axes are its columns, orthonormal.
/// master_point, slave_point: referential points, 3 values; that of the ground is not read. constraint: where to put its id.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, no such body, one without points, not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_constraint(
    system: *mut ldy_system,
    master: c_longlong,
    slave: c_longlong,
    frame: *const f64,
    master_point: *const f64,
    slave_point: *const f64,
    constraint: *mut c_longlong,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let bodies = [side(master)?, side(slave)?];
        let (frame, points) = (array("frame", frame)?, points(bodies, [master_point, slave_point])?);
        put_id(constraint, || system.insert_constraint(bodies, frame, points))
    })
}

/// Insert a constraint by operators H: U = H_master u_master + H_slave u_slave, signs included.
///
/// master, slave: ids, one of them may be LDY_GROUND. H_master, H_slave: see ldy_operator; that of the ground is not read.
/// constraint: where to put its id. Everything is copied.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, no such body, ill-formed columns, not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_operators(
    system: *mut ldy_system,
    master: c_longlong,
    H_master: *const ldy_operator,
    slave: c_longlong,
    H_slave: *const ldy_operator,
    constraint: *mut c_longlong,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let bodies = [side(master)?, side(slave)?];
        let operators =
            operators(system, bodies, [H_master, H_slave], ("constraint", system.next_constraint()))?;
        put_id(constraint, || system.insert_operators(bodies, operators))
    })
}

/// Remove a constraint; later rows move up, ids of others stay.
///
/// Returns 0 or 52 (NULL, no such constraint).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_remove_constraint(
    system: *mut ldy_system,
    constraint: c_longlong,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        system.remove_constraint(constraint_id(constraint)?).map_err(|error| coded(&error))
    })
}

/// Give a constraint that was inserted with points another frame and other points; as in ldy_system_add_constraint.
///
/// Returns 0 or 52 (NULL argument, no such constraint, one with operators, not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_move_constraint(
    system: *mut ldy_system,
    constraint: c_longlong,
    frame: *const f64,
    master_point: *const f64,
    slave_point: *const f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = constraint_id(constraint)?;
        let bodies = system.constraint(id).map_err(|error| coded(&error))?.bodies();
        let (frame, points) = (array("frame", frame)?, points(bodies, [master_point, slave_point])?);
        system.move_constraint(id, frame, points).map_err(|error| coded(&error))
    })
}

/// Give a constraint that was inserted with operators other ones; as in ldy_system_add_operators.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, no such constraint, one with points, ill-formed columns, not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_operators(
    system: *mut ldy_system,
    constraint: c_longlong,
    H_master: *const ldy_operator,
    H_slave: *const ldy_operator,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = constraint_id(constraint)?;
        let bodies = system.constraint(id).map_err(|error| coded(&error))?.bodies();
        let operators = operators(system, bodies, [H_master, H_slave], ("constraint", id))?;
        system.set_operators(id, operators).map_err(|error| coded(&error))
    })
}

/// Set the compliance of a constraint, 3 x 3 and symmetric: it is added to the diagonal block of W as it is. NULL: none.
///
/// Returns 0 or 52 (system NULL, no such constraint, not finite, not symmetric).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_compliance(
    system: *mut ldy_system,
    constraint: c_longlong,
    compliance: *const f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let id = constraint_id(constraint)?;
        let compliance = match compliance.is_null() {
            true => None,
            false => Some(*array("compliance", compliance)?),
        };
        system.set_compliance(id, compliance).map_err(|error| coded(&error))
    })
}

/// Set a diagonal compliance of a constraint, 3 values; see ldy_system_set_compliance.
///
/// Returns 0 or 52 (NULL argument, no such constraint, not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_diagonal_compliance(
    system: *mut ldy_system,
    constraint: c_longlong,
    compliance: *const f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let [x, y, z] = *array("compliance", compliance)?;
        let compliance = [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z];
        system.set_compliance(constraint_id(constraint)?, Some(compliance)).map_err(|error| coded(&error))
    })
}

/// Assemble W = h H A^-1 H^T + compliance, B, V, the diagonal and its inverse, theory (62)-(69), for the step h.
///
/// h: positive. Returns 0, 1 (no memory), 15 (a user's solver failed), 16 (a matrix A is not positive definite), or 52 (NULL, h not
/// positive, or a velocity or W is not finite: numbers too large, or a solver's). After an error there are no results; bodies and
/// constraints are as before, can be changed, and updated again.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_update(system: *mut ldy_system, h: f64) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        system.update(h).map_err(|error| coded(&error))
    })
}

/// Tell the results of the last update; see ldy_rows.
///
/// Returns 0 or 52 (NULL argument, no update since the last change).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_rows(system: *const ldy_system, rows: *mut ldy_rows) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let results = system.rows().map_err(|error| coded(&error))?;
        let view = ldy_rows {
            rows: results.b.len() as c_int,
            blocks: results.columns.len() as c_int,
            starts: results.starts.as_ptr(),
            columns: results.columns.as_ptr(),
            values: results.values.as_ptr().cast(),
            B: results.b.as_ptr().cast(),
            V: results.v.as_ptr().cast(),
            diagonal: results.diagonal.as_ptr().cast(),
            inverse: results.inverse.as_ptr().cast(),
            constraints: results.ids.as_ptr(),
        };
        put("rows", rows, view)
    })
}

/// Tell whether every diagonal block has an inverse.
///
/// Returns 0, 15 (one is singular: ldy_last_error names the first) or 52 (NULL, no update since the last change).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_check_inverses(system: *const ldy_system) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        system.rows_with_inverses().map(|_| ()).map_err(|error| coded(&error))
    })
}

/// Tell the row of a constraint, counted from 0.
///
/// Returns 0 or 52 (NULL argument, no such constraint, no update since one was inserted or removed).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_row(
    system: *const ldy_system,
    constraint: c_longlong,
    row: *mut c_int,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let place = system.row(constraint_id(constraint)?).map_err(|error| coded(&error))?;
        put("row", row, place as c_int)
    })
}

/// y = W x, of the blocks.
///
/// x, y: three values a row, different arrays. Since the last update nothing but velocities may have changed.
/// Returns 0 or 52 (NULL argument, no such update).
///
/// # Safety
/// system comes from ldy_system_create; x and y have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_multiply(system: *const ldy_system, x: *const f64, y: *mut f64) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let length = 3 * system.row_count();
        let (x, y) = (values("x", x, length)?, values_mut("y", y, length)?);
        system.times(x, y).map_err(|error| coded(&error))
    })
}

/// y = W x as h H A^-1 H^T x + compliance, body by body, without the blocks.
///
/// x, y: three values a row, different arrays. Since the last update nothing but velocities may have changed.
/// Returns 0, 1 (no memory), 15 (a user's solver failed) or 52 (NULL argument, no such update).
///
/// # Safety
/// system comes from ldy_system_create; x and y have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_multiply_through_bodies(
    system: *const ldy_system,
    x: *const f64,
    y: *mut f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let length = 3 * system.row_count();
        let (x, y) = (values("x", x, length)?, values_mut("y", y, length)?);
        system.times_through_bodies(x, y).map_err(|error| coded(&error))
    })
}

/// Add the generalised force H^T R of all constraints on a body.
///
/// R: three values a row. force: n values, added to. Since the last update nothing but velocities may have changed.
/// Returns 0 or 52 (NULL argument, no such body, no such update).
///
/// # Safety
/// system comes from ldy_system_create; R and force have the sizes given and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_force(
    system: *const ldy_system,
    body: c_longlong,
    R: *const f64,
    force: *mut f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let id = body_id(body)?;
        let (R, force) =
            (values("R", R, 3 * system.row_count())?, values_mut("force", force, freedoms(system, id)?)?);
        system.add_force(id, R, force).map_err(|error| coded(&error))
    })
}

/// Add h A^-1 H^T R to the free velocity of every body, theory (50): the velocity at the end of the step.
///
/// R: three values a row. Since the last update nothing but velocities may have changed. Rows have to be updated after it.
/// After 1 or 15 the velocities of the bodies before the one that failed have changed.
/// Returns 0, 1 (no memory), 15 (a user's solver failed) or 52 (NULL argument, no such update).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_reactions(system: *mut ldy_system, R: *const f64) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = exclusive(system)?;
        let R = values("R", R, 3 * system.row_count())?;
        system.add_reactions(R).map_err(|error| coded(&error))
    })
}

/// Estimate the largest eigenvalue of W, compliance included, by the method of Lanczos on its blocks.
///
/// tolerance: it ends when the residual is below this times the value, for instance 1e-3. most_products: or after so many products
/// with W. value: never above the largest eigenvalue but for rounding. residual: an eigenvalue lies no farther than this from the
/// value, and unless the first vector, a fixed pseudo-random one, is almost free of its eigenvector that is the largest; the error
/// is then about residual^2 / distance to the next. NULL: not wanted.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, tolerance not a number, W has changed since the last update).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_largest_eigenvalue(
    system: *const ldy_system,
    tolerance: f64,
    most_products: c_int,
    value: *mut f64,
    residual: *mut f64,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let most = usize::try_from(most_products).unwrap_or_default();
        let estimate = system.largest_eigenvalue(tolerance, most).map_err(|error| coded(&error))?;
        if !residual.is_null() {
            put("residual", residual, estimate.residual)?;
        }
        put("value", value, estimate.value)
    })
}

/// Write W to a text file in MatrixMarket coordinate format, 15 significant digits.
///
/// Returns 0, 2 (it cannot be opened), 4 (it cannot be written) or 52 (NULL argument, no update since the last change).
///
/// # Safety
/// system comes from ldy_system_create; path is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_write_matrix_market(
    system: *const ldy_system,
    path: *const c_char,
) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let rows = system.rows().map_err(|error| coded(&error))?;
        file::write(path, |out| files::write_matrix_market(out, &rows))
    })
}

/// Write W to a file that scipy.sparse.load_npz reads: block-sparse rows, all digits. At most 4 GiB.
///
/// Returns 0, 2 (it cannot be opened), 4 (it cannot be written) or 52 (NULL argument, no update since the last change).
///
/// # Safety
/// system comes from ldy_system_create; path is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_write_npz(system: *const ldy_system, path: *const c_char) -> c_int {
    // SAFETY: the caller's promise is the one that the helpers ask for.
    status(|| unsafe {
        let system = shared(system)?;
        let rows = system.rows().map_err(|error| coded(&error))?;
        file::write(path, |out| files::write_npz(out, &rows))
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

/// The code of an error, whose text becomes the thread's last.
fn coded(error: &Error) -> Code {
    let code = match error.fault {
        Fault::Memory => Code::OutOfMemory,
        Fault::Matrix(FactorError::Matrix(_)) => Code::MatrixKind,
        Fault::Matrix(FactorError::NotPositiveDefinite { .. }) => Code::CholFactor,
        Fault::Matrix(FactorError::Singular | FactorError::Missing) | Fault::Singular | Fault::Solver(_) => {
            Code::LuFactor
        }
        _ => Code::BugFound,
    };
    fail!(code, "{error}")
}

fn null(name: &str) -> Code {
    fail!(Code::BugFound, "{name} is NULL")
}

/// # Safety
/// `system` is NULL or comes from ldy_system_create, and is used by nobody else meanwhile.
unsafe fn exclusive<'a>(system: *mut ldy_system) -> Result<&'a mut System, Code> {
    // SAFETY: promised by the caller.
    unsafe { system.as_mut() }.map(|system| &mut system.0).ok_or_else(|| null("system"))
}

/// # Safety
/// `system` is NULL or comes from ldy_system_create, and is changed by nobody meanwhile.
unsafe fn shared<'a>(system: *const ldy_system) -> Result<&'a System, Code> {
    // SAFETY: promised by the caller.
    unsafe { system.as_ref() }.map(|system| &system.0).ok_or_else(|| null("system"))
}

/// # Safety
/// `values` is NULL or has N values.
unsafe fn array<'a, const N: usize>(name: &str, values: *const f64) -> Result<&'a [f64; N], Code> {
    // SAFETY: promised by the caller.
    unsafe { values.cast::<[f64; N]>().as_ref() }.ok_or_else(|| null(name))
}

/// # Safety
/// `first` is NULL or the first of so many values.
unsafe fn values<'a, T>(name: &str, first: *const T, count: usize) -> Result<&'a [T], Code> {
    match (first.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: promised by the caller.
        (false, _) => Ok(unsafe { slice::from_raw_parts(first, count) }),
    }
}

/// # Safety
/// `first` is NULL or the first of so many values, which nobody else uses.
unsafe fn values_mut<'a>(name: &str, first: *mut f64, count: usize) -> Result<&'a mut [f64], Code> {
    match (first.is_null(), count) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(null(name)),
        // SAFETY: promised by the caller.
        (false, _) => Ok(unsafe { slice::from_raw_parts_mut(first, count) }),
    }
}

/// # Safety
/// `place` is NULL or can be written.
unsafe fn put<T>(name: &str, place: *mut T, value: T) -> Result<(), Code> {
    if place.is_null() {
        return Err(null(name));
    }
    // SAFETY: promised by the caller.
    unsafe { place.write(value) };
    Ok(())
}

/// Insert something, unless there is no place for its id.
///
/// # Safety
/// `place` is NULL or can be written.
unsafe fn put_id(place: *mut c_longlong, insert: impl FnOnce() -> Result<Id, Error>) -> Result<(), Code> {
    if place.is_null() {
        return Err(null("the place for the id"));
    }
    let id = insert().map_err(|error| coded(&error))?;
    // SAFETY: promised by the caller.
    unsafe { put("id", place, id as c_longlong) }
}

fn body_id(id: c_longlong) -> Result<Id, Code> {
    Id::try_from(id).map_err(|_| fail!(Code::BugFound, "body {id}: there is none with this id"))
}

fn constraint_id(id: c_longlong) -> Result<Id, Code> {
    Id::try_from(id).map_err(|_| fail!(Code::BugFound, "constraint {id}: there is none with this id"))
}

fn side(id: c_longlong) -> Result<Option<Id>, Code> {
    if id == LDY_GROUND { Ok(None) } else { body_id(id).map(Some) }
}

fn size(n: c_int) -> Result<usize, Code> {
    let size = usize::try_from(n).ok().filter(|&size| size > 0);
    size.ok_or_else(|| fail!(Code::BugFound, "n is {n}: a body needs at least one generalised velocity"))
}

fn freedoms(system: &System, id: Id) -> Result<usize, Code> {
    system.body(id).map(|body| body.freedoms()).map_err(|error| coded(&error))
}

/// The points of a constraint; that of the ground does not count.
///
/// # Safety
/// Each is NULL or has three values.
unsafe fn points(bodies: [Option<Id>; 2], given: [*const f64; 2]) -> Result<[[f64; 3]; 2], Code> {
    let mut points = [[0.0; 3]; 2];
    for (k, name) in ["master_point", "slave_point"].into_iter().enumerate() {
        if bodies[k].is_some() {
            // SAFETY: promised by the caller.
            points[k] = *unsafe { array(name, given[k])? };
        }
    }
    Ok(points)
}

/// The operators of a constraint; that of the ground does not count.
///
/// # Safety
/// Each is NULL or valid with its arrays, for bodies of the system with their numbers of velocities.
unsafe fn operators(
    system: &System,
    bodies: [Option<Id>; 2],
    given: [*const ldy_operator; 2],
    (what, id): (&str, Id),
) -> Result<[Option<Operator>; 2], Code> {
    let mut operators = [None, None];
    for (k, name) in ["H_master", "H_slave"].into_iter().enumerate() {
        let Some(body) = bodies[k] else { continue };
        let n = freedoms(system, body)?;
        // SAFETY: promised by the caller; of what is sparse the ends of the columns tell how many entries there are.
        let operator = unsafe {
            let ldy_operator { starts, rows, values: entries } =
                *given[k].as_ref().ok_or_else(|| null(name))?;
            if starts.is_null() && rows.is_null() {
                Operator::dense(n, values("values of an operator H", entries, 3 * n)?)
            } else {
                let starts = values("starts of an operator H", starts, n + 1)?;
                let count = usize::try_from(starts[n]).unwrap_or_default();
                let rows = values("rows of an operator H", rows, count)?;
                Operator::sparse(n, starts, rows, values("values of an operator H", entries, count)?)
            }
        };
        let failed = |fault| {
            let code = coded(&Error::of_system(fault));
            fail!(code, "{what} {id}, operator H of body {body}: {fault}")
        };
        operators[k] = Some(operator.map_err(failed)?);
    }
    Ok(operators)
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
/// Starts have n + 1 values, the last of which says how many rows and values there are; or NULL.
unsafe fn matrix(
    n: c_int,
    [starts, rows]: [*const c_int; 2],
    entries: *const f64,
    id: Id,
) -> Result<Inertia, Code> {
    let n = size(n)?;
    // SAFETY: promised by the caller.
    let inertia = unsafe {
        let starts = values("starts", starts, n + 1)?;
        let count = usize::try_from(starts[n]).unwrap_or_default();
        Inertia::matrix(starts, values("rows", rows, count)?, values("values", entries, count)?)
    };
    inertia.map_err(|fault| coded(&Error::of_body(id, fault)))
}

fn set_inertia(system: &mut System, id: Id, inertia: Result<Inertia, Fault>) -> Result<(), Code> {
    let inertia = inertia.map_err(|fault| coded(&Error::of_body(id, fault)))?;
    system.set_inertia(id, inertia).map_err(|error| coded(&error))
}

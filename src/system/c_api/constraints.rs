//! The constraints of a system in C; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong};
use std::fmt::Display;

use crate::ffi::errors::{Code, Result, fail};
use crate::math::Block;
use crate::memory::with_capacity;
use crate::system::{Checked, Error, Fault, Id, Operator, System};

use super::arguments::{self, array, body_id, constraint_id, entry, null, values};
use super::{LDY_GROUND, ldy_system};

/// An operator H of three rows, with a column for each of the n generalized velocities of its body. It has one of three forms:
///
/// - Dense: starts and rows are NULL, and values has 3 n values, column-major. Zero columns are not stored and cost nothing.
/// - Sparse: column j has the values starts[j] <= k < starts[j + 1] in the rows rows[k], which are 0, 1 or 2. starts has n + 1
///   values, rows and values have starts[n].
/// - By nodes, for a mesh with three generalized velocities per node: the columns of node a are N_a Q. starts is NULL. values has
///   Q, 3 x 3 and column-major, then a weight N for each of count - 9 nodes. rows has these nodes, counted from 0 and ascending.
///   This is the fastest form if all constraints on the body have it, and the body has a sparse matrix A or a diagonal inverse
///   inertia.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_operator {
    /// Number of columns.
    pub n: c_int,
    /// Index of the first entry of each column, then the number of entries; NULL: dense or by nodes.
    pub starts: *const c_int,
    /// Row of each entry, or node of each weight; NULL: dense.
    pub rows: *const c_int,
    /// The entries, or Q and the weights.
    pub values: *const f64,
    /// Number of values.
    pub count: usize,
}

/// Insert a constraint between points of rigid bodies, pseudo-rigid bodies or obstacles: U = E^T (velocity of the master's point -
/// velocity of the slave's point).
///
/// - master, slave: ids; one of them may be LDY_GROUND.
/// - frame: E, 3 x 3, column-major, orthonormal. Its columns are the local axes.
/// - master_point, slave_point: referential points, 3 values each; not read for the ground.
/// - constraint: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a body does not exist or has no
/// points, a value is not finite, or the frame is not orthonormal to within 1e-8 (unless ldy_system_take_any_axes accepts it).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_point_constraint(
    system: *mut ldy_system,
    master: c_longlong,
    slave: c_longlong,
    frame: *const f64,
    master_point: *const f64,
    slave_point: *const f64,
    constraint: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, frame: array, constraint: place => {
        let bodies = [side(master)?, side(slave)?];
        // SAFETY: the C program promises that each point is NULL or has three values, unless it is the ground's.
        let points = unsafe { points(bodies, [master_point, slave_point]) }?;
        constraint.put(system.add_point_constraint(bodies, frame, points)? as c_longlong);
    })
}

/// Insert a constraint by operators H: U = H_master u_master + H_slave u_slave. The operators contain the signs.
///
/// - master, slave: ids; one of them may be LDY_GROUND.
/// - H_master, H_slave: see ldy_operator; copied; not read for the ground.
/// - constraint: where to write the id.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a body does not exist, or an operator
/// is ill-formed or not finite.
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
    entry!(system: exclusive, constraint: place => {
        let bodies = [side(master)?, side(slave)?];
        let id = system.next_constraint();
        // SAFETY: the C program promises that each operator is NULL or valid with its arrays, unless it is the ground's.
        let operators = unsafe { operators(system, id, bodies, [H_master, H_slave]) }?;
        constraint.put(system.add_constraint_rows(&bodies, operators)? as c_longlong);
    })
}

/// Remove a constraint. Later rows move up; the ids of other constraints do not change.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL or there is no such constraint.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_remove_constraint(
    system: *mut ldy_system,
    constraint: c_longlong,
) -> c_int {
    entry!(system: exclusive => system.remove_constraint(constraint_id(constraint)?)?)
}

/// Set frame and points of a constraint that was inserted with points; as in ldy_system_add_point_constraint.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, it has operators, a value is not
/// finite, or the frame is not orthonormal.
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
    entry!(system: exclusive, frame: array => {
        let id = constraint_id(constraint)?;
        let bodies = system.constraint(id)?.bodies();
        // SAFETY: the C program promises that each point is NULL or has three values, unless it is the ground's.
        let points = unsafe { points(bodies, [master_point, slave_point]) }?;
        system.move_constraint(id, frame, points)?;
    })
}

/// Set the operators of a constraint that was inserted with operators; as in ldy_system_add_operators.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, it has
/// points, or an operator is ill-formed or not finite.
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
    entry!(system: exclusive => {
        let id = constraint_id(constraint)?;
        let bodies = system.constraint(id)?.bodies();
        // SAFETY: the C program promises that each operator is NULL or valid with its arrays, unless it is the ground's.
        let operators = unsafe { operators(system, id, bodies, [H_master, H_slave]) }?;
        system.set_operators(id, operators)?;
    })
}

/// Set the compliance of a constraint. Updates add it to the diagonal block of W; they do not multiply it by h.
///
/// - compliance: 3 x 3, symmetric positive semidefinite; NULL: none.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if system is NULL, there is no such constraint, the compliance is not finite, not
/// symmetric or not positive semidefinite, or the constraint was not inserted with three rows on one or two bodies. For other
/// constraints use ldy_system_set_rows_compliance.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_compliance(
    system: *mut ldy_system,
    constraint: c_longlong,
    compliance: *const f64,
) -> c_int {
    entry!(system: exclusive => {
        let id = constraint_id(constraint)?;
        system.check_regular(id)?;
        // SAFETY: the C program promises that the compliance is NULL or has nine values.
        let compliance = unsafe { compliance.cast::<Block>().as_ref() };
        system.set_compliance(id, compliance.map(|block| &block[..]))?;
    })
}

/// Set a diagonal compliance of a constraint; see ldy_system_set_compliance.
///
/// - compliance: the diagonal, 3 values, none negative.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, there is no such constraint, a value is negative or not finite,
/// or ldy_system_set_compliance refuses the constraint.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_diagonal_compliance(
    system: *mut ldy_system,
    constraint: c_longlong,
    compliance: *const f64,
) -> c_int {
    entry!(system: exclusive, compliance: array => {
        let id = constraint_id(constraint)?;
        system.check_regular(id)?;
        let &[x, y, z] = compliance;
        let compliance = [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z];
        system.set_compliance(id, Some(&compliance))?;
    })
}

fn side(id: c_longlong) -> Result<Option<Id>> {
    if id == LDY_GROUND { Ok(None) } else { body_id(id).map(Some) }
}

/// The points of a constraint; the ground's point is ignored and may be anything.
///
/// # Safety
/// Each point that is not the ground's is NULL or has three values.
unsafe fn points(bodies: [Option<Id>; 2], given: [*const f64; 2]) -> Result<[[f64; 3]; 2]> {
    let mut points = [[0.0; 3]; 2];
    for (k, name) in ["master_point", "slave_point"].into_iter().enumerate() {
        if bodies[k].is_some() {
            // SAFETY: the C program promises three values, as this function requires; the point is not the ground's.
            points[k] = *unsafe { array(name, given[k]) }?;
        }
    }
    Ok(points)
}

/// The operators of a constraint; the ground's operator is ignored and may be anything.
///
/// # Safety
/// Each operator that is not the ground's is NULL or valid, with arrays that are NULL or have the lengths that [`ldy_operator`]
/// describes.
unsafe fn operators(
    system: &System,
    id: Id,
    bodies: [Option<Id>; 2],
    given: [*const ldy_operator; 2],
) -> Result<Vec<Operator>> {
    let mut operators = with_capacity(2).map_err(|_| Code::from(Error::of_system(Fault::Memory)))?;
    for (k, name) in ["H_master", "H_slave"].into_iter().enumerate() {
        let Some(body) = bodies[k] else { continue };
        // SAFETY: the C program promises an operator, as this function requires; it is not the ground's.
        let given = unsafe { given[k].as_ref() }.ok_or_else(|| null(name))?;
        let columns = system.body(body)?.dofs();
        let failed =
            |code, fault: &dyn Display| fail!(code, "constraint {id}, operator H of body {body}: {fault}");
        if usize::try_from(given.n) != Ok(columns) {
            let sizes = format_args!("{} columns where {columns} are needed", given.n);
            return Err(failed(Code::BugFound, &sizes));
        }
        // SAFETY: the C program promises arrays as `operator` requires them.
        let operator = unsafe { operator(given, 3, columns, true) }?;
        operators.push(operator.map_err(|fault| failed(Error::of_system(fault).into(), &fault))?);
    }
    Ok(operators)
}

/// An operator with `rows` rows and as many columns as it says. If an array is NULL, this fails; else the operator may be
/// ill-formed.
///
/// # Safety
/// Its arrays are NULL or have the lengths that [`ldy_operator`] describes.
pub(super) unsafe fn operator(
    &ldy_operator { starts, rows: indices, values: entries, count, .. }: &ldy_operator,
    rows: usize,
    columns: usize,
    may_be_by_nodes: bool,
) -> Result<Checked<Operator>> {
    // SAFETY: the C program promises `count` values.
    let entries = unsafe { values("values of an operator H", entries, count) }?;
    if starts.is_null() && indices.is_null() {
        return Ok(Operator::dense(rows, columns, entries));
    }
    if starts.is_null() && !may_be_by_nodes {
        return Ok(Err(Fault::Invalid("it is given by nodes: ldy_system_add_operators takes such")));
    }
    if let (true, Some((factor, weights))) = (starts.is_null(), entries.split_first_chunk()) {
        // SAFETY: the C program promises a node for each weight.
        let nodes = unsafe { values("nodes of an operator H", indices, weights.len()) }?;
        return Ok(Operator::nodal(columns, factor, nodes, weights));
    }
    // SAFETY: the C program promises a start for each column, and an end.
    let starts = unsafe { values("starts of an operator H", starts, columns + 1) }?;
    // SAFETY: the C program promises a row for each value.
    let indices = unsafe { values("rows of an operator H", indices, count) }?;
    Ok(Operator::sparse(rows, columns, starts, indices, entries))
}

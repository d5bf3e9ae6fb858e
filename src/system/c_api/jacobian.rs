//! Constraints as rows of a Jacobian, many at once, as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong};

use crate::ffi::errors::Result;
use crate::system::{Jacobian, System};

use super::arguments::{self, entry};
use super::ldy_system;
use super::strided::Strided;

/// The number of bytes from one id to the next.
const IDS: usize = size_of::<c_longlong>();

/// Insert many constraints as the rows of a Jacobian J, as a simulator of robots has it: all of them, or none.
///
/// bodies: body_count ids, each there once. The columns of J are the generalised velocities of these bodies, one body behind the
/// other in this order. heights: how many rows each of the count constraints has, 1 to 6; their rows lie one constraint behind the
/// other. A constraint is on those of the bodies in whose columns its rows are not all zero, at most 16 of them, or on the first of
/// the bodies if all are zero: it is as if ldy_system_add_rows were called with these bodies in this order. constraint: where to
/// put the id of the first; those of the others follow one after the other.
///
/// J: an array of doubles, of which entry (i, j) is J[i row_stride + j column_stride]; rows, columns: how many there are. Strides
/// count doubles: row-major J has the strides columns and 1, column-major J the strides 1 and rows. What lies between is not
/// used.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, no such body, one twice, another number of rows than all constraints have, of
/// columns than all bodies have velocities, of rows or bodies of a constraint than those above, not finite). Then nothing has
/// changed; a bad constraint is named with its place among those given, counted from 0.
///
/// # Safety
/// system comes from ldy_system_create; bodies, heights are NULL or have the lengths given, J is NULL or has all entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_jacobian(
    system: *mut ldy_system,
    bodies: *const c_longlong,
    body_count: usize,
    heights: *const c_int,
    count: usize,
    J: *const f64,
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
    constraint: *mut c_longlong,
) -> c_int {
    let strides = [row_stride, column_stride];
    entry!(system: exclusive, bodies: body_ids((body_count, IDS)), heights: values(count),
           J: values(Jacobian::extent([rows, columns], strides)), constraint: place => {
        let jacobian = Jacobian::Dense { values: J, shape: [rows, columns], strides };
        constraint.put(insert(system, bodies, heights, &jacobian)?);
    })
}

/// The same of a sparse J, by compressed rows, as ldy_system_set_sparse_jacobian has them.
///
/// Returns as ldy_system_add_jacobian, and 52 if a row begins or ends outside, or its columns do not ascend.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the lengths given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_sparse_jacobian(
    system: *mut ldy_system,
    bodies: *const c_longlong,
    body_count: usize,
    heights: *const c_int,
    count: usize,
    rows: usize,
    columns: usize,
    starts: *const c_int,
    counts: *const c_int,
    indices: *const c_int,
    values: *const f64,
    value_count: usize,
    constraint: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, bodies: body_ids((body_count, IDS)), heights: values(count),
           starts: values(rows.saturating_add(counts.is_null().into())), counts: optional values(rows),
           indices: values(value_count), values: values(value_count), constraint: place => {
        let jacobian = Jacobian::Sparse { shape: [rows, columns], starts, counts, indices, values };
        constraint.put(insert(system, bodies, heights, &jacobian)?);
    })
}

/// Give many constraints other operators, all of them or none: the rows of a Jacobian J.
///
/// bodies: body_count ids, each there once. The columns of J are the generalised velocities of these bodies, one body behind the
/// other in this order. constraints: count ids, each there once. The rows of J are those of these constraints, one constraint
/// behind the other in this order: of each as many as it has. It is as if ldy_system_set_operators or ldy_system_set_rows_operators
/// were called with each of these; operators on bodies that are not named stay as they are. Where a row is not zero, the column
/// must be that of a body of its constraint. Operators by nodes are not replaced.
///
/// J, rows, columns, row_stride, column_stride: as in ldy_system_add_jacobian.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, no such body or constraint, one twice, one at points, by nodes, on one body
/// twice or on none of the bodies, other rows or columns than these have, not finite, not zero in a column of another body).
/// Then nothing has changed; a bad constraint is named with its place among those given, counted from 0.
///
/// # Safety
/// system comes from ldy_system_create; bodies, constraints are NULL or have the lengths given, J is NULL or has all entries.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_jacobian(
    system: *mut ldy_system,
    bodies: *const c_longlong,
    body_count: usize,
    constraints: *const c_longlong,
    count: usize,
    J: *const f64,
    rows: usize,
    columns: usize,
    row_stride: usize,
    column_stride: usize,
) -> c_int {
    let strides = [row_stride, column_stride];
    entry!(system: exclusive, bodies: body_ids((body_count, IDS)), constraints: constraint_ids((count, IDS)),
           J: values(Jacobian::extent([rows, columns], strides)) => {
        let jacobian = Jacobian::Dense { values: J, shape: [rows, columns], strides };
        system.set_jacobian(bodies.ids(), constraints.ids(), &jacobian)?;
    })
}

/// The same of a sparse J, by compressed rows.
///
/// starts: row i has the values from starts[i] on. counts: rows values, how many entries each row has; starts has rows values then.
/// counts NULL: a row ends where the next begins, and starts has rows + 1 values. indices, values: value_count each, of each entry
/// its column, which ascend in a row, and its value. MuJoCo's efc_J_rowadr, efc_J_rownnz, efc_J_colind and efc_J are starts,
/// counts, indices and values; those of a scipy.sparse.csr_matrix with sorted indices are starts, NULL, indices and values. All
/// else is as in ldy_system_set_jacobian.
///
/// Returns as ldy_system_set_jacobian, and 52 if a row begins or ends outside, or its columns do not ascend.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the lengths given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_sparse_jacobian(
    system: *mut ldy_system,
    bodies: *const c_longlong,
    body_count: usize,
    constraints: *const c_longlong,
    count: usize,
    rows: usize,
    columns: usize,
    starts: *const c_int,
    counts: *const c_int,
    indices: *const c_int,
    values: *const f64,
    value_count: usize,
) -> c_int {
    entry!(system: exclusive, bodies: body_ids((body_count, IDS)), constraints: constraint_ids((count, IDS)),
           starts: values(rows.saturating_add(counts.is_null().into())), counts: optional values(rows),
           indices: values(value_count), values: values(value_count) => {
        let jacobian = Jacobian::Sparse { shape: [rows, columns], starts, counts, indices, values };
        system.set_jacobian(bodies.ids(), constraints.ids(), &jacobian)?;
    })
}

/// The id of the first of the constraints that are inserted.
fn insert(
    system: &mut System,
    bodies: Strided<c_longlong>,
    heights: &[c_int],
    jacobian: &Jacobian,
) -> Result<c_longlong> {
    // No constraint has fewer rows than 1.
    let heights = heights.iter().map(|&height| usize::try_from(height).unwrap_or(0));
    Ok(system.insert_jacobian(bodies.ids(), heights, jacobian)? as c_longlong)
}

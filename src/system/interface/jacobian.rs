//! Operators of many constraints at once as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong};

use crate::system::Jacobian;

use super::arguments::{self, entry};
use super::ldy_system;

/// Bytes from one id to the next.
const IDS: usize = size_of::<c_longlong>();

/// Give many constraints other operators, all of them or none: the rows of a Jacobian J, as a simulator of robots has it.
///
/// bodies: body_count ids, each there once. The columns of J are the generalised velocities of these bodies, one body behind the other in
/// this order. constraints: count ids, each there once. The rows of J are those of these constraints, one constraint behind the other in
/// this order: of each as many as it has. It is as if ldy_system_set_operators or ldy_system_set_rows_operators were called with each of
/// these; operators on bodies that are not named stay as they are. Where a row is not zero, the column must be that of a body of its
/// constraint. Operators by nodes are not replaced.
///
/// J: an array of doubles, of which entry (i, j) is J[i row_stride + j column_stride]; rows, columns: how many there are. Strides count
/// doubles: row-major J has the strides columns and 1, column-major J the strides 1 and rows. What lies between is not used.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, no such body or constraint, one twice, one at points, by nodes or on one body twice, other rows or columns
/// than these have, not finite, not zero in a column of another body). Then nothing has changed; a bad constraint is named with its
/// place among those given, counted from 0.
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
    entry!(system: exclusive, bodies: strided((body_count, IDS, 1)), constraints: strided((count, IDS, 1)),
           J: values(Jacobian::extent([rows, columns], strides)) => {
        bodies.check_ids("body", None)?;
        constraints.check_ids("constraint", None)?;
        let jacobian = Jacobian::Dense { values: J, shape: [rows, columns], strides };
        let (bodies, constraints) = ((0..body_count).map(|k| bodies.id(k)), (0..count).map(|k| constraints.id(k)));
        system.set_jacobian(bodies, constraints, &jacobian)?;
    })
}

/// The same of a sparse J, by compressed rows.
///
/// starts: row i has the values from starts[i] on. counts: rows values, how many entries each row has; starts has rows values then.
/// counts NULL: a row ends where the next begins, and starts has rows + 1 values. indices, values: value_count each, of each entry its
/// column, which ascend in a row, and its value. MuJoCo's efc_J_rowadr, efc_J_rownnz, efc_J_colind and efc_J are starts, counts, indices
/// and values; those of a scipy.sparse.csr_matrix with sorted indices are starts, NULL, indices and values. All else is as in
/// ldy_system_set_jacobian.
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
    let has_end = counts.is_null();
    let counted = if has_end { 0 } else { rows };
    entry!(system: exclusive, bodies: strided((body_count, IDS, 1)), constraints: strided((count, IDS, 1)),
           starts: values(rows.saturating_add(has_end.into())), counts: values(counted),
           indices: values(value_count), values: values(value_count) => {
        bodies.check_ids("body", None)?;
        constraints.check_ids("constraint", None)?;
        let counts = (!has_end).then_some(counts);
        let jacobian = Jacobian::Sparse { shape: [rows, columns], starts, counts, indices, values };
        let (bodies, constraints) = ((0..body_count).map(|k| bodies.id(k)), (0..count).map(|k| constraints.id(k)));
        system.set_jacobian(bodies, constraints, &jacobian)?;
    })
}

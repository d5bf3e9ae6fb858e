//! Many constraints at once as rows of a Jacobian, in C; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong};

use crate::ffi::errors::Result;
use crate::system::{Jacobian, System};

use super::arguments::{self, entry};
use super::ldy_system;
use super::strided::Strided;

/// The number of bytes from one id to the next.
const IDS: usize = size_of::<c_longlong>();

/// Insert many constraints as the rows of a dense Jacobian J, for instance the J of a robotics simulator. The function inserts all
/// constraints or none.
///
/// The columns of J are the generalized velocities of the bodies, one body after the other. The rows of J are the rows of the
/// constraints, one constraint after the other. A constraint acts on the bodies whose columns contain a nonzero of its rows, at
/// most 16. If all its entries are zero, it acts on the first body. The result is as if ldy_system_add_rows were called with these
/// bodies in this order.
///
/// - bodies: body_count different ids.
/// - heights: number of rows of each of the count constraints, 1 to 6.
/// - J: entry (i, j) is J[i row_stride + j column_stride]. Values between entries are not read.
/// - rows, columns: shape of J: the sum of heights, and the sum of the numbers of velocities.
/// - row_stride, column_stride: in doubles; columns and 1 for row-major J, 1 and rows for column-major J.
/// - constraint: where to write the id of the first constraint; the others have the following ids.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a body does not exist or is there
/// twice, the shape of J is wrong, a constraint has too many or too few rows or too many bodies, or a value is not finite. After an
/// error nothing has changed. The text names a bad constraint by its position in heights, counted from 0.
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
    entry!(system: exclusive, bodies: ids((body_count, IDS, "body")), heights: values(count),
           J: values(Jacobian::extent([rows, columns], strides)), constraint: place => {
        let jacobian = Jacobian::Dense { values: J, shape: [rows, columns], strides };
        constraint.put(insert(system, bodies, heights, &jacobian)?);
    })
}

/// Insert many constraints as the rows of a sparse Jacobian J, as ldy_system_add_jacobian does.
///
/// - bodies, body_count, heights, count, rows, columns, constraint: as in ldy_system_add_jacobian.
/// - starts, counts, indices, values, value_count: compressed rows, as in ldy_system_set_sparse_jacobian.
///
/// Returns the codes of ldy_system_add_jacobian, and LDY_ERROR_INVALID_ARGUMENT also if a row begins or ends outside the arrays, or
/// its columns do not ascend.
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
    entry!(system: exclusive, bodies: ids((body_count, IDS, "body")), heights: values(count),
           starts: values(rows.saturating_add(counts.is_null().into())), counts: optional values(rows),
           indices: values(value_count), values: values(value_count), constraint: place => {
        let jacobian = Jacobian::Sparse { shape: [rows, columns], starts, counts, indices, values };
        constraint.put(insert(system, bodies, heights, &jacobian)?);
    })
}

/// Set the operators of many constraints from the rows of a dense Jacobian J. The function sets all of them or none.
///
/// The columns of J are the generalized velocities of the bodies, one body after the other. The rows of J are the rows of the
/// constraints, one constraint after the other. The result is as if ldy_system_set_operators or ldy_system_set_rows_operators were
/// called for each constraint. Operators on bodies that are not in the list do not change. A nonzero must be in a column of a body
/// that its constraint acts on. Operators by nodes cannot be set in this way.
///
/// - bodies: body_count different ids.
/// - constraints: count different ids.
/// - J, rows, columns, row_stride, column_stride: as in ldy_system_add_jacobian.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT
///
/// - if an argument is NULL, a body or a constraint does not exist or is there twice, or the shape of J is wrong;
/// - if a constraint has points or operators by nodes, or acts on none of the bodies or on one body twice;
/// - if a value is not finite, or a nonzero is in a column of a body that its constraint does not act on.
///
/// After an error nothing has changed. The text names a bad constraint by its position in constraints, counted from 0.
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
    entry!(system: exclusive, bodies: ids((body_count, IDS, "body")), constraints: ids((count, IDS, "constraint")),
           J: values(Jacobian::extent([rows, columns], strides)) => {
        let jacobian = Jacobian::Dense { values: J, shape: [rows, columns], strides };
        system.set_jacobian(bodies.ids(), constraints.ids(), &jacobian)?;
    })
}

/// Set the operators of many constraints from the rows of a sparse Jacobian J, as ldy_system_set_jacobian does.
///
/// - bodies, body_count, constraints, count, rows, columns: as in ldy_system_set_jacobian.
/// - starts: index of the first entry of each row. It has rows values, or rows + 1 if counts is NULL.
/// - counts: number of entries of each row. NULL: a row ends where the next one begins.
/// - indices, values: column and value of each entry, value_count each. Columns ascend within a row.
///
/// The arguments starts, counts, indices, values are efc_J_rowadr, efc_J_rownnz, efc_J_colind, efc_J of MuJoCo, or indptr, NULL,
/// indices, data of a scipy.sparse.csr_matrix with sorted indices.
///
/// Returns the codes of ldy_system_set_jacobian, and LDY_ERROR_INVALID_ARGUMENT also if a row begins or ends outside the arrays, or
/// its columns do not ascend.
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
    entry!(system: exclusive, bodies: ids((body_count, IDS, "body")), constraints: ids((count, IDS, "constraint")),
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
    Ok(system.add_jacobian(bodies.ids(), heights, jacobian)? as c_longlong)
}

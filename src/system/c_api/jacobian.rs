//! Many constraints at once as rows of a Jacobian, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::{Result, invalid};
use crate::ffi::sized::{caller_sized, sized_const};
use crate::system::Jacobian;

use super::arguments::{self, entry, null, values};
use super::ldy_system;

/// The number of bytes from one id to the next.
const IDS: usize = size_of::<i64>();
/// The number of bytes of an entry.
const VALUE: usize = size_of::<f64>();

/// A view of a matrix in the memory of the program, dense or in compressed sparse rows. Nothing is copied. Set size, rows,
/// columns and values, then the fields that differ from zero.
///
/// The fields starts, counts, indices, values of a sparse matrix are efc_J_rowadr, efc_J_rownnz, efc_J_colind, efc_J of MuJoCo,
/// or indptr, NULL, indices, data of a scipy.sparse.csr_matrix with sorted indices.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_matrix {
    /// sizeof (ldy_matrix), set by the caller before the call.
    pub size: usize,
    /// Number of rows.
    pub rows: usize,
    /// Number of columns.
    pub columns: usize,
    /// Dense: entry (i, j) is i row_stride + j column_stride bytes after the first one; values between entries are not read.
    /// Sparse: the entries, count values.
    pub values: *const f64,
    /// Dense: bytes from one row to the next, a multiple of 8. If both strides are 0, rows follow each other without gaps
    /// (row-major).
    pub row_stride: usize,
    /// Dense: bytes from one column to the next, a multiple of 8.
    pub column_stride: usize,
    /// Sparse: index of the first entry of each row. It has rows values, or rows + 1 if counts is NULL. NULL: the matrix is
    /// dense.
    pub starts: *const i32,
    /// Sparse: number of entries of each row. NULL: a row ends where the next one begins.
    pub counts: *const i32,
    /// Sparse: column of each entry, ascending within a row; count values.
    pub indices: *const i32,
    /// Sparse: number of values in indices and values.
    pub count: usize,
}

caller_sized!(ldy_matrix, row_stride);

/// Insert many constraints as the rows of a Jacobian J, for instance the J of a robotics simulator. The function inserts all
/// constraints or none.
///
/// The columns of J are the generalized velocities of the bodies, one body after the other. The rows of J are the rows of the
/// constraints, one constraint after the other. A constraint acts on the bodies whose columns contain a nonzero of its rows, at
/// most 16. If all its entries are zero, it acts on the first body. The result is as if ldy_system_add_constraint_rows were
/// called with these bodies in this order.
///
/// - bodies: body_count different ids.
/// - heights: number of rows of each of the count constraints, 1 to 6.
/// - J: its rows are the sum of heights, its columns the sum of the numbers of velocities.
/// - constraint: where to write the id of the first constraint; the others have the following ids.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body does not exist, or LDY_ERROR_INVALID_ARGUMENT if an argument
/// is NULL, a body is there twice, J is ill-formed or has a wrong shape, a constraint has too many or too few rows or too many
/// bodies, or a value is not finite. After an error nothing has changed. The text names a bad constraint by its position in
/// heights, counted from 0.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the lengths given; J is NULL or valid, and its arrays have the
/// lengths that it says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_jacobian(
    system: *mut ldy_system,
    bodies: *const i64,
    body_count: usize,
    heights: *const i32,
    count: usize,
    J: *const ldy_matrix,
    constraint: *mut i64,
) -> c_int {
    entry!(system: exclusive, bodies: ids((body_count, IDS, "body")), heights: values(count),
           J: jacobian, constraint: place => {
        // No constraint has fewer rows than 1.
        let heights = heights.iter().map(|&height| usize::try_from(height).unwrap_or(0));
        constraint.put(system.add_jacobian(bodies.ids(), heights, &J)? as i64);
    })
}

/// Set the operators of many constraints from the rows of a Jacobian J. The function sets all of them or none.
///
/// The columns of J are the generalized velocities of the bodies, one body after the other. The rows of J are the rows of the
/// constraints, one constraint after the other. The result is as if ldy_system_set_operators were called for each constraint.
/// Operators on bodies that are not in the list do not change. A nonzero must be in a column of a body that its constraint acts
/// on. Operators by nodes cannot be set in this way.
///
/// - bodies: body_count different ids.
/// - constraints: count different ids.
/// - J: as in ldy_system_add_jacobian.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body or a constraint does not exist, or
/// LDY_ERROR_INVALID_ARGUMENT
///
/// - if an argument is NULL, a body or a constraint is there twice, or J is ill-formed or has a wrong shape;
/// - if a constraint has points or operators by nodes, or acts on none of the bodies or on one body twice;
/// - if a value is not finite, or a nonzero is in a column of a body that its constraint does not act on.
///
/// After an error nothing has changed. The text names a bad constraint by its position in constraints, counted from 0.
///
/// # Safety
/// The conditions of ldy_system_add_jacobian.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_jacobian(
    system: *mut ldy_system,
    bodies: *const i64,
    body_count: usize,
    constraints: *const i64,
    count: usize,
    J: *const ldy_matrix,
) -> c_int {
    entry!(system: exclusive, bodies: ids((body_count, IDS, "body")), constraints: ids((count, IDS, "constraint")),
           J: jacobian => system.set_jacobian(bodies.ids(), constraints.ids(), &J)?)
}

/// Read a matrix as a Jacobian.
///
/// # Safety
/// `matrix` is NULL or valid and has the bytes that its size says; its arrays are NULL or have the lengths that it says, and
/// nobody changes them meanwhile.
pub(super) unsafe fn jacobian<'a>(name: &str, matrix: *const ldy_matrix) -> Result<Jacobian<'a>> {
    // SAFETY: the C program promises a structure with the number of bytes that its size says.
    let ldy_matrix {
        rows,
        columns,
        values: first,
        row_stride,
        column_stride,
        starts,
        counts,
        indices,
        count,
        ..
    } = unsafe { sized_const(name, matrix) }?.read();
    let shape = [rows, columns];
    if starts.is_null() {
        ensure!(counts.is_null() && indices.is_null(), null("J->starts"));
        let strides = match [row_stride, column_stride] {
            [0, 0] => [columns, 1],
            strides => {
                let why = format_args!("a stride is no multiple of {VALUE} bytes");
                let are_values = strides.iter().all(|stride| stride.is_multiple_of(VALUE));
                ensure!(are_values, invalid!("{name}: {why}"));
                strides.map(|stride| stride / VALUE)
            }
        };
        // SAFETY: the C program promises all entries.
        let values = unsafe { values("J->values", first, Jacobian::extent(shape, strides)) }?;
        return Ok(Jacobian::Dense { values, shape, strides });
    }
    // SAFETY: the C program promises a start for each row, and an end unless there are counts.
    let starts = unsafe { values("J->starts", starts, rows.saturating_add(counts.is_null().into())) }?;
    let counts = match counts.is_null() {
        true => None,
        // SAFETY: the C program promises a count for each row.
        false => Some(unsafe { values("J->counts", counts, rows) }?),
    };
    // SAFETY: the C program promises a column for each entry.
    let indices = unsafe { values("J->indices", indices, count) }?;
    // SAFETY: the C program promises the entries.
    let values = unsafe { values("J->values", first, count) }?;
    Ok(Jacobian::Sparse { shape, starts, counts, indices, values })
}

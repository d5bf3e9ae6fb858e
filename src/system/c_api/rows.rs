//! Rows of W in C; part of `include/ldy_system.h`.

use std::ptr;

use crate::ffi::sized::caller_sized;
use crate::system::Rows;

/// The results of an update. All arrays belong to the system and are valid until its next change.
///
/// Row k is the k-th constraint in the order of insertion, without removed ones: if a constraint is removed, later rows move up.
/// Blocks and vectors are in local frames. Two rows have at most one common block, even if they share several bodies. The block
/// exists if they share a body that is no obstacle, even if the block is zero.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_rows {
    /// sizeof (ldy_rows), set by the caller before the call.
    pub size: usize,
    /// Number of rows, n.
    pub rows: i32,
    /// Number of blocks, including diagonal blocks.
    pub blocks: i32,
    /// Row k has the blocks starts[k] <= i < starts[k + 1]; n + 1 values.
    pub starts: *const i32,
    /// Column of each block, ascending within a row.
    pub columns: *const i32,
    /// The blocks of W, 3 x 3 and column-major, nine values each without gaps. W is symmetric bit for bit: block (b, a)
    /// is the transpose of block (a, b).
    pub values: *const f64,
    /// Free local velocities, H times the free velocity; three values for each row.
    pub B: *const f64,
    /// Previous local velocities, H times the previous velocity; three values for each row.
    pub V: *const f64,
    /// Copies of the diagonal blocks, nine values for each row.
    pub diagonal: *const f64,
    /// Inverses of the diagonal blocks, nine values for each row; NaN where a block is singular to working precision, see
    /// ldy_system_check_inverses.
    pub inverse: *const f64,
    /// Id of each row's constraint.
    pub constraints: *const i64,
    /// NULL if each constraint has three scalar rows; then the sizes above hold. Else the index of the first scalar row of each
    /// row, n + 1 values. Row k has m = scalar_starts[k + 1] - scalar_starts[k] values of B, V and R, from scalar_starts[k] on.
    pub scalar_starts: *const i32,
    /// NULL, or the index of the first value of each block in values; blocks + 1 values. The block of row a and column b is m_a x
    /// m_b, column-major.
    pub value_starts: *const usize,
    /// NULL, or the index of the first of the m x m values of each row in diagonal and inverse; n + 1 values.
    pub diagonal_starts: *const usize,
    /// Number of scalar rows, 3 n or the last value of scalar_starts: the number of values of B, V and R.
    pub scalars: usize,
    /// Number of values of all blocks.
    pub entries: usize,
    /// Number of blocks in columns of other processes, which are not among these; see ldy_locdyn_rows_external. 0 elsewhere.
    pub external: usize,
}

impl ldy_rows {
    /// Rows as C sees them.
    pub(super) fn of(rows: &Rows) -> Self {
        let layout = rows.w.layout();
        Self {
            size: size_of::<Self>(),
            rows: rows.ids.len() as i32,
            blocks: rows.w.columns().len() as i32,
            starts: rows.w.starts().as_ptr(),
            columns: rows.w.columns().as_ptr(),
            values: rows.w.values().as_ptr(),
            B: rows.b.as_ptr(),
            V: rows.v.as_ptr(),
            diagonal: rows.diagonal.as_ptr(),
            inverse: rows.inverse.as_ptr(),
            // Ids stay far below 2^63.
            constraints: rows.ids.as_ptr().cast(),
            scalar_starts: layout.map_or(ptr::null(), |layout| layout.scalar_starts().as_ptr()),
            value_starts: layout.map_or(ptr::null(), |layout| layout.value_starts().as_ptr()),
            diagonal_starts: layout.map_or(ptr::null(), |_| rows.squares.as_ptr()),
            scalars: rows.b.len(),
            entries: rows.w.values().len(),
            external: 0,
        }
    }
}

caller_sized!(ldy_rows, starts);

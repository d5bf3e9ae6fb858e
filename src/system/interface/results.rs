//! Updates of a system and their results as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong};
use std::mem::offset_of;
use std::ptr;

use crate::boundary::sized::CallerSized;
use crate::system::AnyRows;

use super::arguments::{self, constraint_id, entry};
use super::ldy_system;

/// The results of an update; everything belongs to the system and is valid until its next change.
///
/// Row k is that of the k-th constraint in the order of insertion, removed ones left out: where a constraint is removed the
/// later rows move up. Blocks and vectors are in local frames. Two rows have one block in common however many bodies they
/// share; there is a block wherever they share one that is no obstacle, be it zero.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_rows {
    /// sizeof (ldy_rows), set by the caller before the call.
    pub size: usize,
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
    /// NULL if every constraint has three rows of scalars, as all is said above. Else where the scalars of each row begin, n + 1 values:
    /// row k has the m = scalar_starts[k + 1] - scalar_starts[k] values of B, V and R from scalar_starts[k] on.
    pub scalar_starts: *const c_int,
    /// NULL, or where each block begins in values, blocks + 1 values: that of row a and column b is m_a x m_b, column-major.
    pub value_starts: *const usize,
    /// NULL, or where the m x m values of each row begin in diagonal and inverse, n + 1 values.
    pub diagonal_starts: *const usize,
    /// Number of scalars, 3 n or the last of scalar_starts: the count of vectors.
    pub scalars: usize,
}

impl ldy_rows {
    /// Rows as C sees them.
    pub(super) fn of(rows: &AnyRows) -> Self {
        let extents = rows.extents.as_ref();
        Self {
            size: size_of::<Self>(),
            rows: rows.ids.len() as c_int,
            blocks: rows.columns.len() as c_int,
            starts: rows.starts.as_ptr(),
            columns: rows.columns.as_ptr(),
            values: rows.values.as_ptr(),
            B: rows.b.as_ptr(),
            V: rows.v.as_ptr(),
            diagonal: rows.diagonal.as_ptr(),
            inverse: rows.inverse.as_ptr(),
            constraints: rows.ids.as_ptr(),
            scalar_starts: extents.map_or(ptr::null(), |extents| extents.scalars.as_ptr()),
            value_starts: extents.map_or(ptr::null(), |extents| extents.values.as_ptr()),
            diagonal_starts: extents.map_or(ptr::null(), |_| rows.squares.as_ptr()),
            scalars: rows.b.len(),
        }
    }
}

// SAFETY: it is `repr(C)`, begins with its size, and consists of integers and pointers.
unsafe impl CallerSized for ldy_rows {
    const NAME: &'static str = "ldy_rows";
    const LEAST: usize = offset_of!(Self, starts);
}

/// Assemble W = h H A^-1 H^T + compliance, B, V, the diagonal and its inverse, theory (62)-(69), for the step h.
///
/// It does again only what has changed since the last successful update, which the functions of this header record; the results
/// have the bits of a system that is made anew. Everything is done again for another h and after an error. A user's solver is
/// called in each update.
///
/// h: positive and finite. Returns 0, 1 (no memory), 15 (a user's solver failed), 16 (a matrix A is not positive definite), or
/// 52 (NULL; h is not positive and finite; V, B or a block of W is not finite, because numbers are too large or a solver's;
/// more constraints or blocks than an int can count). Of a block between two constraints the text names both.
///
/// If system is NULL or h is refused, nothing has changed, and the results of the last update are still there. After any other
/// error there are no results. Bodies and constraints are as before; they can be changed and updated again, and the results are
/// then those of a system that has met no error, bit for bit.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_update(system: *mut ldy_system, h: f64) -> c_int {
    entry!(system: exclusive => system.update(h)?)
}

/// Tell the results of the last update; see ldy_rows.
///
/// rows: where to write it, its size set. Returns 0 or 52 (NULL argument, rows->size is wrong, or too small for starts of scalars where
/// constraints have other than three rows; no successful update since the last change).
///
/// # Safety
/// system comes from ldy_system_create; rows is NULL or valid, with as many bytes as its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_rows(system: *const ldy_system, rows: *mut ldy_rows) -> c_int {
    entry!(system: shared, rows: sized => {
        let results = system.any_rows()?;
        if results.extents.is_some() && !rows.reaches(offset_of!(ldy_rows, scalars)) {
            // A caller that does not know of other rows is told which constraint has such.
            system.rows()?;
        }
        rows.fill(&ldy_rows::of(&results));
    })
}

/// Tell whether every diagonal block has an inverse.
///
/// Returns 0, 15 (one is singular: ldy_last_error names the first) or 52 (NULL, no successful update since the last change).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_check_inverses(system: *const ldy_system) -> c_int {
    entry!(system: shared => {
        system.any_rows_with_inverses()?;
    })
}

/// Tell the row of a constraint, counted from 0.
///
/// Returns 0 or 52 (NULL argument, no such constraint, no update since a constraint or a body was inserted or removed).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_row(
    system: *const ldy_system,
    constraint: c_longlong,
    row: *mut c_int,
) -> c_int {
    entry!(system: shared, row: place => row.put(system.row(constraint_id(constraint)?)? as c_int))
}

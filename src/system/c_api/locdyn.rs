//! The rows of a LOCDYN as `ldy_rows`; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::invalid;
use crate::ffi::handle::{self, Handle};
use crate::ffi::sized::caller_sized;
use crate::legacy::csr::CopiedRows;
use crate::legacy::layout::LOCDYN;
use crate::rows::BlockRows;
use crate::system::Rows;

use super::arguments::{self, entry};
use super::rows::ldy_rows;

/// Copies of the rows of a LOCDYN, with memory that is used again: rows with the same pattern as the previous ones are copied
/// without allocation. One thread at a time may use it.
pub struct ldy_locdyn_rows(());

impl Handle for ldy_locdyn_rows {
    type Core = CopiedRows;
}

/// Create a place for copies of the rows of a LOCDYN.
///
/// - copies: where to write it. Destroy it with ldy_locdyn_rows_destroy.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if copies is NULL.
///
/// # Safety
/// copies is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_locdyn_rows_create(copies: *mut *mut ldy_locdyn_rows) -> c_int {
    entry!(copies: place => copies.put(handle::made("copies", CopiedRows::default())?))
}

/// Destroy copies and release their memory; NULL is allowed. The LOCDYN need not exist any more.
///
/// # Safety
/// copies is NULL or comes from ldy_locdyn_rows_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_locdyn_rows_destroy(copies: *mut ldy_locdyn_rows) {
    // SAFETY: the C program promises that the copies come from ldy_locdyn_rows_create and that it does not use them any more.
    unsafe { handle::destroy(copies) };
}

/// Copy the rows of a LOCDYN of ldy.h, for ldy_contact_solver_solve_rows and all functions ldy_rows_* and ldy_factor_*.
///
/// The function writes to no memory of the host or of ldy. Later changes of either do not change the copies.
///
/// - ldy: any LOCDYN with the layout of this build: from this library, a clone, or the rows of another module.
/// - rows: where to write the copies; set its size. They are valid until the next call with the same copies, even if that call
///   fails.
///
/// Row k is the k-th DIAB of the list:
///
/// - values: the current W of the DIAB and of its blocks, in ascending columns. Two blocks with the same neighbor are added, as
///   in LOCDYN_Dump. So a self-contact counts twice unless LDY_SELF_CONTACT_ONCE is set.
/// - B, V: as in the DIAB. diagonal: its W. inverse: its A. constraints: con->id of the constraints. rho is not copied: the
///   solvers here choose their own.
/// - scalar_starts, value_starts, diagonal_starts: NULL.
///
/// W is symmetric to the bit after a LOCDYN_Update_Begin of this library that assembled all of W. It need not be symmetric after
/// an update for a penalty solver, which keeps the previous blocks of contacts, or if the host has written W. Functions that need
/// a symmetric W read only its upper triangle. The copies contain everything that the host has added to W, for instance a
/// regularization.
///
/// In lists of this library the function follows no link that does not lead to a row or a block of ldy, and it finds missing rows
/// and blocks. In lists of another module it finds rings of rows or blocks, and blocks that lead to rows outside the list; all
/// other links must be valid.
///
/// MPI: blocks to external constraints are not in values; rows->external is their number, and ldy_locdyn_rows_external has them. If
/// there are any, the rows are no complete W. Functions that need one, such as contact solvers and factors, return
/// LDY_ERROR_INVALID_ARGUMENT. ldy_rows_multiply and ldy_rows_write take the columns of this process.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, rows->size is wrong, lists are damaged, or an
/// int cannot hold the number of blocks.
///
/// After an error there are no copies, unless copies, ldy or rows is NULL or the size is wrong; then the previous copies remain.
///
/// # Safety
/// copies comes from ldy_locdyn_rows_create; ldy is NULL or a valid LOCDYN, the constraints of its rows and their bodies are
/// valid, and so are external constraints of its blocks; rows is NULL or valid, and has the bytes that its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_locdyn_rows_copy(
    copies: *mut ldy_locdyn_rows,
    ldy: *const LOCDYN,
    rows: *mut ldy_rows,
) -> c_int {
    entry!(copies: exclusive, ldy: locdyn, rows: sized => {
        // SAFETY: the C program promises a valid LOCDYN with valid constraints and bodies.
        unsafe { copies.copy(ldy) }?;
        let CopiedRows { ids, starts, columns, values, b, v, diagonal, inverse, external, .. } = copies;
        let w = BlockRows::trusted(starts, columns, values.as_flattened(), None);
        let [b, v] = [b, v].map(|vectors| vectors.as_flattened());
        let [diagonal, inverse] = [diagonal, inverse].map(|blocks| blocks.as_flattened());
        let made = ldy_rows::of(&Rows { ids, w, b, v, diagonal, inverse, squares: &[] });
        rows.fill(&ldy_rows { external: external.ids.len(), ..made });
    })
}

/// Blocks of rows in columns of external constraints.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_external_blocks {
    /// sizeof (ldy_external_blocks), set by the caller before the call.
    pub size: usize,
    /// Number of rows.
    pub rows: i32,
    /// Number of blocks.
    pub blocks: i32,
    /// Row k has the blocks starts[k] <= i < starts[k + 1]; rows + 1 values.
    pub starts: *const i32,
    /// Id of the external constraint of each block, ascending within a row.
    pub constraints: *const i64,
    /// The blocks, 3 x 3 and column-major, nine values each.
    pub values: *const f64,
}

caller_sized!(ldy_external_blocks, starts);

/// Return the blocks to external constraints of the rows that were copied last: columns of W whose rows other processes have. The rows
/// and external blocks of all processes together are W. Without MPI there are none.
///
/// - blocks: where to write them; set its size. They are valid until the next ldy_locdyn_rows_copy with these copies. Row k is the row
///   k of the copies. Blocks with the same external constraint are added.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, blocks->size is wrong, or there are no copies.
///
/// # Safety
/// copies comes from ldy_locdyn_rows_create; blocks is NULL or valid, and has the bytes that its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_locdyn_rows_external(
    copies: *const ldy_locdyn_rows,
    blocks: *mut ldy_external_blocks,
) -> c_int {
    entry!(copies: shared, blocks: sized => {
        let CopiedRows { ids: rows, starts: copied, external, .. } = copies;
        ensure!(!copied.is_empty(), invalid!("copies: no rows have been copied"));
        blocks.fill(&ldy_external_blocks {
            size: size_of::<ldy_external_blocks>(),
            rows: rows.len() as i32,
            blocks: external.ids.len() as i32,
            starts: external.starts.as_ptr(),
            // Ids of a host are unsigned ints.
            constraints: external.ids.as_ptr().cast(),
            values: external.values.as_flattened().as_ptr(),
        });
    })
}

/// Return the current reactions R of the constraints of a LOCDYN, for instance as the initial guess of a contact solver.
///
/// - R: where to write three values for each row, in the order of rows.
/// - count: number of values.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, or the rows of the list are not the rows that
/// were copied last.
///
/// # Safety
/// copies comes from ldy_locdyn_rows_create, ldy is as in ldy_locdyn_rows_copy; R is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_locdyn_rows_reactions(
    copies: *const ldy_locdyn_rows,
    ldy: *const LOCDYN,
    R: *mut f64,
    count: usize,
) -> c_int {
    entry!(copies: shared, ldy: locdyn, R: values_mut(count) => {
        // SAFETY: the C program promises a valid LOCDYN with valid constraints and bodies.
        unsafe { copies.write_reactions(ldy, R) }?;
    })
}

/// Write reactions to the constraints of a LOCDYN: con->R of each row. The function writes nothing else.
///
/// - R: three values for each row, in the order of rows.
/// - count: number of values.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count is wrong, a value is not finite, or the rows of the
/// list are not the rows that were copied last. After an error nothing is written.
///
/// # Safety
/// The conditions of ldy_locdyn_rows_reactions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_locdyn_rows_set_reactions(
    copies: *const ldy_locdyn_rows,
    ldy: *const LOCDYN,
    R: *const f64,
    count: usize,
) -> c_int {
    entry!(copies: shared, ldy: locdyn, R: values(count) => {
        // SAFETY: the C program promises a valid LOCDYN with valid constraints and bodies, whose R nobody else uses.
        unsafe { copies.give_reactions(ldy, R) }?;
    })
}

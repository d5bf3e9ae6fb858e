//! The rows of a LOCDYN as rows of the neutral interface; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::handle::{self, Handle};
use crate::legacy::csr::CopiedRows;
use crate::legacy::layout::LOCDYN;
use crate::rows::BlockRows;
use crate::system::Rows;

use super::arguments::{self, entry};
use super::rows::ldy_rows;

/// Copies of the rows of a LOCDYN, with memory that is used again: lists with the pattern of the last ones are copied without
/// allocating more. Used by one thread at a time.
pub struct ldy_locdyn_rows(());

impl Handle for ldy_locdyn_rows {
    type Core = CopiedRows;
}

/// Make what the rows of a LOCDYN are copied into.
///
/// copies: where to put it; it is to be destroyed by ldy_locdyn_rows_destroy. Returns 0, 1 (no memory) or 52 (NULL).
///
/// # Safety
/// copies is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_locdyn_rows_create(copies: *mut *mut ldy_locdyn_rows) -> c_int {
    entry!(copies: place => copies.put(handle::made("copies", CopiedRows::default())?))
}

/// Destroy copies with their memory; NULL is allowed. The LOCDYN may be gone.
///
/// # Safety
/// copies is NULL or comes from ldy_locdyn_rows_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_locdyn_rows_destroy(copies: *mut ldy_locdyn_rows) {
    // SAFETY: the C program promises that the copies come from ldy_locdyn_rows_create and that it does not use them any more.
    unsafe { handle::destroy(copies) };
}

/// Copy the rows of a LOCDYN of ldy.h, so that they can be multiplied, written to files, solved, factored and asked for their rank
/// by ldy_solve_rows and all functions ldy_rows_*, ldy_factor_*. Nothing of the host's or of ldy is written or moved; changes of
/// either leave the copies as they are.
///
/// ldy: any LOCDYN with the layout of this build, made by this library, a clone, or the rows of another module. rows: where to tell
/// the copies, its size set; valid until the next call with the same copies, whatever that returns. Of row k, that of the k-th DIAB
/// of the list:
/// - values: W of the DIAB and of its blocks as they are now, whoever wrote them, in ascending columns. Two blocks with one
///   neighbour become their sum, as in LOCDYN_Dump: so a self-contact counts twice unless LDY_SELF_CONTACT_ONCE is set;
/// - B, V: as in the DIAB; diagonal: its W; inverse: its A; constraints: the ids of constraints, con->id. scalar_starts and what
///   belongs to it: NULL. rho is not told: solvers here choose their own;
/// - W is symmetric to the bit after a LOCDYN_Update_Begin of this library that made all of W. After one for a penalty solver
///   blocks of contacts are what they were before, and a host may write W: then W need not be symmetric, and what asks for symmetry
///   reads the blocks right of the diagonal. What a host has added to W, for instance a regularisation, is in it.
///
/// In lists of this library no link is followed that does not lead to a row or a block of ldy, and none may be missing. Of those of
/// another module it is found out whether rows or blocks form a ring or lead to rows that are not in the list; other links that
/// lead nowhere are the program's responsibility.
///
/// Returns 0, 1 (no memory), 8 (MPI: a constraint has blocks to external constraints, which are rows of other processes: without
/// them these rows are no W of their own; the text names the constraint) or 52 (NULL argument, rows->size is wrong, lists are
/// damaged, more blocks than an int can count). After an error there are no copies, unless copies, ldy or rows is NULL or the size
/// is wrong.
///
/// # Safety
/// copies comes from ldy_locdyn_rows_create; ldy is NULL or a valid LOCDYN, the constraints of its rows and their bodies are valid;
/// rows is NULL or valid, with as many bytes as its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_of_locdyn(
    copies: *mut ldy_locdyn_rows,
    ldy: *const LOCDYN,
    rows: *mut ldy_rows,
) -> c_int {
    entry!(copies: exclusive, ldy: locdyn, rows: sized => {
        // SAFETY: the C program promises a valid LOCDYN with valid constraints and bodies.
        unsafe { copies.copy(ldy) }?;
        let CopiedRows { ids, starts, columns, values, b, v, diagonal, inverse, .. } = copies;
        let w = BlockRows::trusted(starts, columns, values.as_flattened(), None);
        let [b, v] = [b, v].map(|vectors| vectors.as_flattened());
        let [diagonal, inverse] = [diagonal, inverse].map(|blocks| blocks.as_flattened());
        rows.fill(&ldy_rows::of(&Rows { ids, w, b, v, diagonal, inverse, squares: &[] }));
    })
}

/// Tell the reactions R that the constraints of a LOCDYN have now, in the order of rows: for instance where a solver begins.
///
/// R: three values a row, count values. Returns 0 or 52 (NULL argument, another count, the list has not the rows that were copied
/// last).
///
/// # Safety
/// copies comes from ldy_locdyn_rows_create, ldy is as in ldy_rows_of_locdyn; R is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_locdyn_reactions(
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

/// Give the constraints of a LOCDYN their reactions: con->R of each row becomes what R has for it, and nothing else is written.
///
/// R: three values a row, count values. Returns 0 or 52 (NULL argument, another count, something not finite, the list has not the
/// rows that were copied last); then nothing is written.
///
/// # Safety
/// As ldy_locdyn_reactions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_locdyn_set_reactions(
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

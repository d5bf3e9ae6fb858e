//! The C interface of functions beyond the legacy module.

#![allow(non_camel_case_types, reason = "the names of the C types")]
#![allow(non_snake_case, reason = "arguments have the names of the theory")]

use std::ffi::{c_char, c_int, c_void};

use crate::ffi::build_info;
use crate::ffi::handle::{self, Handle};
use crate::kinematics::{pseudo_rigid, rigid};
use crate::legacy::errors::{self, Handler};
use crate::legacy::layout::{BODY, LOCDYN};
use crate::legacy::operators::Request;
use crate::legacy::shadow::{self, Shadow};
use crate::legacy::{ffi, memory_stats, operators, options, report};
use crate::team;

use super::types::{ldy_report, ldy_stats, ldy_tolerance};

/// A host's error handler: code, details (valid until the thread's next error), and the data given with it.
/// It may leave by longjmp; where it returns, the entry point returns NULL, NaN or without effect.
pub type ldy_error_handler =
    Option<unsafe extern "C" fn(code: c_int, text: *const c_char, data: *mut c_void)>;

/// Set the handler that every error goes to first; NULL removes it.
///
/// data is passed through. The setting holds for the whole process and all its threads.
/// Without a handler an error takes the host's route: one line on stderr (see LDY_QUIET), then
/// longjmp (__errstack__->env, code) if __errstack__ exists and is not NULL, else exit (1).
#[unsafe(no_mangle)]
pub extern "C" fn ldy_set_error_handler(handler: ldy_error_handler, data: *mut c_void) {
    errors::set_handler(handler.map(|function| Handler { function, data }));
}

/// Details of the calling thread's last error: which constraint, which bodies, what was wrong.
///
/// Returns a string owned by the library, valid until the thread's next error; empty if there was none.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_last_error() -> *const c_char {
    errors::last_text()
}

/// The meaning of an error code in a few words, for instance "Out of memory"; "Success" for 0. ldy_last_error has the details.
///
/// Returns a string of static lifetime, also for unknown codes.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_strerror(code: c_int) -> *const c_char {
    errors::meaning(code)
}

/// Set an option for the whole process.
///
/// option: LDY_NO_LONGJMP, LDY_SELF_CONTACT_ONCE, LDY_REUSE, LDY_NO_AVX2 or LDY_QUIET. value: see the option. Returns 0, or
/// LDY_ERROR_INVALID_ARGUMENT if the option or its value is unknown.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_set_option(option: c_int, value: c_int) -> c_int {
    ffi::status(|| options::set(option, value))
}

/// Set how many threads updates may use, from 1, which is the default, to 1024.
///
/// Without a call, the environment variable LDY_NUM_THREADS sets the number. The setting holds for the whole process,
/// from the next update on; updates of few constraints use one thread in any case. Results are bit-identical for any
/// number of threads. The first update that uses threads starts them, and they are parked between updates. There are
/// fewer threads if the system has no more threads or no memory. They compute in the floating-point mode of the thread
/// that updates. If several threads of the host update at the same time, one of them uses the library's threads, and the
/// others continue alone. A forked child has one thread until it sets another number.
/// Returns 0. If n is out of range, the function returns LDY_ERROR_INVALID_ARGUMENT and changes nothing. Never raises.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_set_threads(n: c_int) -> c_int {
    ffi::status(|| options::set_threads(n))
}

/// How many threads updates may use, as ldy_set_threads or LDY_NUM_THREADS has set it.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_threads() -> c_int {
    options::threads()
}

/// End the library's threads and release their memory, for instance before the host exits or is unloaded.
///
/// While an update in another thread uses the threads, the function waits, at most for one stage of that update. An
/// inverse callback may call it during an update, which then continues without threads; so may a function that jumps out
/// of a callback. If a signal handler calls it in one of the library's threads, it does nothing. The library can be used
/// afterwards: the next update that uses threads starts them again. Never raises.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_shutdown() {
    ffi::status(|| {
        team::shut_down();
        Ok(())
    });
}

/// The library's version, "major.minor.patch": a string of static lifetime.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The library's version as a number: 10000 major + 100 minor + patch.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_version_number() -> c_int {
    let number = |text: &str| text.parse::<c_int>().unwrap_or_default();
    10_000 * number(env!("CARGO_PKG_VERSION_MAJOR"))
        + 100 * number(env!("CARGO_PKG_VERSION_MINOR"))
        + number(env!("CARGO_PKG_VERSION_PATCH"))
}

/// Describe this library and its settings in one line for logs: version, layouts (serial or MPI), with MPI the name and version of
/// the MPI that it was built with, number of threads, vectors in use (AVX2 or plain), target, compiler. For instance
///   ldy 0.1.0; layouts: serial; threads: 1; vectors: AVX2; target: x86_64-unknown-linux-gnu; rustc 1.95.0 (59807616e 2026-04-14)
///
/// Returns a string of static lifetime that never changes. If the number of threads or the vectors are set otherwise, later calls
/// return another string. After more than eight such settings in a process, the string does not contain them. Never raises.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_build_info() -> *const c_char {
    build_info::text()
}

/// Write the statistics of a local dynamics: its rows, blocks and memory, and the times of the last update.
///
/// stats: output, its size set. The time of a phase that the last update did not reach is 0. Returns 0, or
/// LDY_ERROR_INVALID_ARGUMENT (ldy or stats is NULL, stats->size is wrong, ldy not made by LOCDYN_Create of this library); never
/// raises.
///
/// # Safety
/// ldy comes from LOCDYN_Create; stats is NULL or valid, with the number of bytes in its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_get_stats(ldy: *const LOCDYN, stats: *mut ldy_stats) -> c_int {
    // SAFETY: the host promises that ldy comes from LOCDYN_Create and that stats has the bytes that its size states.
    ffi::status(|| unsafe { memory_stats::get(ldy, stats) })
}

/// Operator H of a rigid body or obstacle, theory (43): H = E^T [ L skew(C - X) | I ], L = conf[0..9], C = ref_center.
///
/// X: referential point, 3 values. E: local frame, 3 x 3 column-major. H: 3 x 6 column-major.
/// The generalized velocity is (angular velocity in the referential frame, velocity of the center).
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT (NULL argument, a body of another kind, non-finite input); never raises.
///
/// # Safety
/// body and its conf are valid; the arrays have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rigid_operator(
    body: *const BODY,
    X: *const f64,
    E: *const f64,
    H: *mut f64,
) -> c_int {
    // SAFETY: the host promises that body and its conf are valid and that the arrays have their sizes.
    ffi::status(|| unsafe { operators::dense::<{ 3 * rigid::DOFS }>(&Request::at(body, X, E), H) })
}

/// Operator H of a pseudo-rigid body, theory (44): H = E^T [ (X - C)^T in columns 3r..3r+3 of row r | I ].
///
/// X: referential point, 3 values. E: local frame, 3 x 3 column-major. H: 3 x 12 column-major.
/// The generalized velocity is (rate of the deformation gradient, row by row, velocity of the center).
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT (NULL argument, a body of another kind, non-finite input); never raises.
///
/// # Safety
/// body is valid; the arrays have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_pseudo_rigid_operator(
    body: *const BODY,
    X: *const f64,
    E: *const f64,
    H: *mut f64,
) -> c_int {
    // SAFETY: the host promises that body is valid and that the arrays have their sizes.
    ffi::status(|| unsafe { operators::dense::<{ 3 * pseudo_rigid::DOFS }>(&Request::at(body, X, E), H) })
}

/// Check that all rows and blocks are linked as insertions and removals left them: for hosts that look for the place
/// where memory is damaged. An answer takes as long as walking over all rows and blocks.
///
/// report: output, the first violation, its size set; may be NULL.
///
/// Rows: p and n, no removed row in the list, none missing; con, R, U, V as inserted; mH, mprod, sH, sprod NULL.
/// Blocks: the links of each row, no removed block, none missing; each block and its partner in the neighbor's row
/// refer to each other and have the same bod. Hidden data: bodies and the rows attached to them; memory of removed
/// rows (the memory of removed blocks is overwritten before its next use). Values are not checked. Bodies and constraints
/// are not read: they may have been freed. No pointer is followed before it is known to lead to a row or block of ldy.
///
/// Returns 1 if everything is in order, else 0, also if ldy is NULL or not made by this library; then the report's code is
/// LDY_ERROR_INVALID_ARGUMENT and ldy_last_error has the same text. If report->size is wrong, the function returns 0, checks
/// nothing, and only ldy_last_error has the reason. Never raises, never writes to ldy.
///
/// # Safety
/// ldy is NULL or points to a LOCDYN that no other thread changes meanwhile; report is NULL or valid, with the number of bytes
/// in its size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_is_consistent(ldy: *const LOCDYN, report: *mut ldy_report) -> c_int {
    // SAFETY: the host promises that ldy is a LOCDYN that nobody changes, and that report has the bytes that its size states.
    unsafe { report::is_consistent(ldy, report).into() }
}

/// A mirror of the rows of a legacy module; see ldy_shadow_new.
pub struct ldy_shadow(());

impl Handle for ldy_shadow {
    type Core = Shadow;
}

/// Watch a legacy module: for a host that still links the legacy object, with LOCDYN_* of its own, and wants to know
/// whether this library computes the same.
///
/// legacy: the pointer from the legacy LOCDYN_Create; it is not read here. Only its public fields are read later.
/// Returns the shadow, to be freed by ldy_shadow_free; NULL with ldy_last_error set if legacy is NULL, memory is
/// exhausted, or this is the build for MPI, which has no shadows. Never raises.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_shadow_new(legacy: *const LOCDYN) -> *mut ldy_shadow {
    ffi::caught(|| handle::made("shadow", shadow::new(legacy)?)).unwrap_or(std::ptr::null_mut())
}

/// Compare the rows of the legacy module with what the library assembles from the same bodies and constraints. To be
/// called after the legacy LOCDYN_Update_Begin, before velocities, bodies, constraints or rows change.
///
/// tolerance: the allowed differences, its size set; NULL, and fields beyond its size: 1e-12 each. report: output, its size
/// set; may be NULL. The largest differences and the time are written in any case. If the two differ, text and ids name the
/// first wrong constraint in list order.
///
/// Compared as far as the update kind computes them: V, B, W, A, rho, free_energy and off-diagonal blocks. Compared always:
/// - that each constraint of the domain has one row, with p, R, U, V as they should be;
/// - the order of rows: new ones at the head, the others as at the last check;
/// - the blocks of each row, by neighbor and body: none missing, none too many. Their order within a row is not
///   compared: it depends on a history that is not known in full.
///
/// Which nodes two constraints on a finite-element body with an explicit scheme share is decided at insertion, and stays so
/// while they move. The shadow decides it for rows that are new since the last check, from the places that they have
/// then: make it while there are no rows, and check after every update. A row may have been removed and inserted again
/// between two checks, for the same constraint and bodies and at the same address. The shadow takes it for a new one where
/// it has come to the head of the list, or where its blocks have changed to those that an insertion makes now; not where
/// the order of blocks in other rows says otherwise, and not after a check that found the list itself wrong.
/// A check that ends with an error code before all rows are read leaves no trace: the next one compares with the check
/// before.
///
/// The legacy module's oddities on separate meshes that lose a shared node are reported as differences; see
/// docs/solfec/migrating.md.
///
/// Nothing of the host or the legacy module is written, con->dia, V and num included. Factors of matrices are kept from
/// check to check. Returns 1 if both agree, else 0: then the report's code is LDY_DIFFERS, or an error code if the library
/// cannot assemble; ldy_last_error has the report's text. If a size is wrong, the function returns 0 and compares
/// nothing; if it is the report's size, only ldy_last_error has the reason. Never raises.
///
/// # Safety
/// shadow is NULL or comes from ldy_shadow_new; its legacy module, the domain, bodies and constraints are valid and
/// not changed meanwhile; tolerance and report are NULL or valid, with the number of bytes in their sizes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_shadow_check(
    shadow: *mut ldy_shadow,
    tolerance: *const ldy_tolerance,
    report: *mut ldy_report,
) -> c_int {
    // SAFETY: the host promises that the shadow comes from ldy_shadow_new, that everything it reads is valid and nobody changes
    // it, and that tolerance and report have the bytes that their sizes state.
    unsafe { shadow::check(handle::exclusive("shadow", shadow), tolerance, report).into() }
}

/// Free a shadow; NULL is allowed. The legacy module may be gone.
///
/// # Safety
/// shadow is NULL or comes from ldy_shadow_new, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_shadow_free(shadow: *mut ldy_shadow) {
    // SAFETY: the host promises that the shadow comes from ldy_shadow_new, and that it does not use it afterwards.
    unsafe { handle::destroy(shadow) };
}

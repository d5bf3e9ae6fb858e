//! The functions that `entry.c` and `hooks.c` call: each returns 0 or an error code, and no panic leaves it. Their contracts
//! are documented at their C counterparts in [`super::c_api`].

use std::ffi::{c_int, c_short, c_void};
use std::ptr;

use super::arguments::{self, entry};
use super::c_api::additions::ldy_error_handler;
use super::errors::{self, Handler};
use super::layout::*;
use super::matrix;
use super::rows::{self, LocalDynamics};

/// See `LOCDYN_Create`; the result goes to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_create(dom: *mut DOM, out: *mut *mut LOCDYN) -> c_int {
    entry!(out: place => out.put(Box::into_raw(LocalDynamics::create(dom)?.into_box()).cast()))
}

/// See `LOCDYN_Insert`; the result goes to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_insert(
    ldy: *mut LOCDYN,
    con: *mut CON,
    one: *mut BODY,
    two: *mut BODY,
    out: *mut *mut DIAB,
) -> c_int {
    entry!(ldy: dynamics, out: place => {
        // SAFETY: the host promises that con and the bodies, with their sets, are NULL or valid.
        out.put(unsafe { rows::insert(ldy, con, [one, two]) }?);
    })
}

/// See `LOCDYN_Remove`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_remove(ldy: *mut LOCDYN, dia: *mut DIAB) -> c_int {
    entry!(ldy: dynamics => rows::remove(ldy, dia)?)
}

/// The domain of a local dynamics; NULL if `ldy` was not made by this library. Timers and verbose output use it; they report no
/// errors.
///
/// # Safety
/// `ldy` is NULL or points to a valid LOCDYN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_domain(ldy: *mut LOCDYN) -> *mut DOM {
    // SAFETY: the host promises a LOCDYN if the pointer is not NULL.
    let is_ours = !ldy.is_null() && unsafe { LocalDynamics::is_ours(ldy) };
    // SAFETY: the host promises a LOCDYN if the pointer is not NULL.
    if is_ours { unsafe { (*ldy).dom } } else { ptr::null_mut() }
}

/// See `LOCDYN_avgWii`, `LOCDYN_minWii` and `LOCDYN_maxWii`; the results go to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_diagonal(ldy: *mut LOCDYN, out: *mut [f64; 3]) -> c_int {
    entry!(ldy: dynamics, out: place => {
        let (mut sum, mut least, mut largest, mut count) = (0.0, f64::MAX, 0.0, 0.0);
        // SAFETY: nobody changes the list meanwhile, and it holds live rows.
        for entry in unsafe { ldy.list() }.flat_map(|row| [0, 4, 8].map(|k| unsafe { (*row).public.W[k] })) {
            (sum, count) = (sum + entry, count + 1.0);
            (least, largest) = (f64::min(least, entry), f64::max(largest, entry));
        }
        out.put([sum / count, least, largest]);
    })
}

/// See `MX_Create`; the result goes to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_matrix_create(
    kind: c_short,
    m: c_int,
    n: c_int,
    p: *const c_int,
    i: *const c_int,
    out: *mut *mut MX,
) -> c_int {
    // SAFETY: the host promises that p and i are NULL or have the sizes that the kind asks for.
    entry!(out: place => out.put(unsafe { matrix::create(kind.into(), m, n, p, i) }?))
}

/// The process's handler of errors, and its data in `*data`; NULL if there is none.
///
/// # Safety
/// `data` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_handler(data: *mut *mut c_void) -> ldy_error_handler {
    let Handler { function, data: given } = errors::handler()?;
    // SAFETY: hooks.c passes the address of its own variable.
    unsafe { *data = given };
    Some(function)
}

/// See `LOCDYN_Destroy`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_destroy(ldy: *mut LOCDYN) -> c_int {
    entry!(ldy: dynamics => {
        // SAFETY: the host promises that it uses neither the LOCDYN nor its rows afterwards; its memory was allocated by a
        // Boxed.
        drop(unsafe { Box::from_raw(ptr::from_mut(ldy).cast::<[LocalDynamics; 1]>()) });
    })
}

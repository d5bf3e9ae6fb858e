//! The functions that `entry.c` and `hooks.c` call: each returns 0 or an error code, and no panic leaves it. What
//! they promise and ask for is written at their C counterparts in [`super::interface`].

use std::ffi::{CStr, c_char, c_int, c_short, c_void};

use super::boundary::status;
use super::errors::{self, Code, Handler, fail};
use super::interface::additions::ldy_error_handler;
use super::layout::*;
use super::operators::Request;
use super::rows::{self, Module};
use super::{cohesion, export, matrix, operators, options, statistics, update};

/// See `LOCDYN_Create`; the result goes to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_create(dom: *mut DOM, out: *mut *mut LOCDYN) -> c_int {
    // SAFETY: promised by the caller.
    status(|| unsafe {
        *out = Box::into_raw(Module::create(dom)?).cast();
        Ok(())
    })
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
    // SAFETY: promised by the caller.
    status(|| unsafe {
        *out = rows::insert(Module::from_face(ldy)?, con, [one, two])?;
        Ok(())
    })
}

/// See `LOCDYN_Remove`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_remove(ldy: *mut LOCDYN, dia: *mut DIAB) -> c_int {
    // SAFETY: promised by the caller.
    status(|| rows::remove(unsafe { Module::from_face(ldy) }?, dia))
}

/// See `LOCDYN_Update_Begin`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_update_begin(ldy: *mut LOCDYN) -> c_int {
    // SAFETY: promised by the caller.
    status(|| unsafe {
        let module = Module::from_face(ldy);
        #[cfg(feature = "mpi")]
        let module = module.map_err(super::parallel::exchange::withdraw);
        update::begin(module?)
    })
}

/// See `LOCDYN_Update_End`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_update_end(ldy: *mut LOCDYN) -> c_int {
    // SAFETY: promised by the caller.
    status(|| unsafe { cohesion::end(Module::from_face(ldy)?) })
}

/// See `LOCDYN_Dump`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_dump(ldy: *mut LOCDYN, path: *const c_char) -> c_int {
    // SAFETY: promised by the caller.
    status(|| unsafe {
        let module = Module::from_face(ldy);
        #[cfg(feature = "mpi")]
        let module = module.map_err(super::parallel::dump::withdraw);
        export::dump(module?, path)
    })
}

/// See `LOCDYN_W_MatrixMarket`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_matrix_market(ldy: *mut LOCDYN, path: *const c_char) -> c_int {
    // SAFETY: promised by the caller.
    status(|| unsafe { export::matrix_market(Module::from_face(ldy)?, path) })
}

/// See `LOCDYN_Clone_Non_Contacts`; the result goes to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_clone(ldy: *mut LOCDYN, out: *mut *mut LOCDYN) -> c_int {
    // SAFETY: promised by the caller.
    status(|| unsafe {
        *out = rows::clone_non_contacts(Module::from_face(ldy)?)?;
        Ok(())
    })
}

/// The domain of a local dynamics, NULL if `ldy` is none of ours: for timers and verbose text, which have no errors.
///
/// # Safety
/// `ldy` is NULL or points to a valid LOCDYN.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_domain(ldy: *mut LOCDYN) -> *mut DOM {
    // SAFETY: promised by the caller.
    unsafe { if !ldy.is_null() && Module::is_behind(ldy) { (*ldy).dom } else { std::ptr::null_mut() } }
}

/// See `LOCDYN_avgWii`; the result goes to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_mean_diagonal(ldy: *mut LOCDYN, out: *mut f64) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { statistic(ldy, out, statistics::mean) }
}

/// See `LOCDYN_minWii`; the result goes to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_least_diagonal(ldy: *mut LOCDYN, out: *mut f64) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { statistic(ldy, out, statistics::least) }
}

/// See `LOCDYN_maxWii`; the result goes to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_largest_diagonal(ldy: *mut LOCDYN, out: *mut f64) -> c_int {
    // SAFETY: promised by the caller.
    unsafe { statistic(ldy, out, statistics::largest) }
}

/// # Safety
/// `ldy` as for [`Module::from_face`]; `out` is valid.
unsafe fn statistic(ldy: *mut LOCDYN, out: *mut f64, statistic: fn(&Module) -> f64) -> c_int {
    // SAFETY: promised by the caller.
    status(|| unsafe {
        *out = statistic(Module::from_face(ldy)?);
        Ok(())
    })
}

/// See `LOCDYN_Destroy`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_destroy(ldy: *mut LOCDYN) -> c_int {
    // SAFETY: promised by the caller.
    status(|| unsafe { Module::destroy(ldy) })
}

/// The answer of entry points that are not in this version.
///
/// # Safety
/// `name` is a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_not_implemented(name: *const c_char) -> c_int {
    // SAFETY: promised by the caller.
    let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
    status(|| Err(fail!(Code::NotImplemented, "{name} is not in this version")))
}

/// See `BODY_Gen_To_Loc_Operator`; the result goes to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_operator(
    body: *mut BODY,
    constraint_kind: c_short,
    shape: *const SHAPE,
    object: *const c_void,
    point: *const f64,
    frame: *const f64,
    out: *mut *mut MX,
) -> c_int {
    let request = Request { body, shape, object, point, frame };
    // SAFETY: promised by the caller.
    status(|| unsafe {
        *out = operators::new_operator(&request, constraint_kind)?;
        Ok(())
    })
}

/// See `BODY_Local_Velo`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_local_velocities(
    body: *mut BODY,
    shape: *const SHAPE,
    object: *const c_void,
    point: *const f64,
    frame: *const f64,
    previous: *mut f64,
    current: *mut f64,
) -> c_int {
    let request = Request { body, shape, object, point, frame };
    // SAFETY: promised by the caller.
    status(|| unsafe { operators::local_velocities(&request, previous, current) })
}

/// Whether the functions for finite elements may work on a body.
///
/// # Safety
/// `body` is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_check_finite_element(body: *const BODY) -> c_int {
    // SAFETY: promised by the caller.
    status(|| unsafe { operators::check_finite_element(body) })
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
    // SAFETY: promised by the caller.
    status(|| unsafe {
        *out = matrix::create(kind.into(), m, n, p, i)?;
        Ok(())
    })
}

/// See `MX_Destroy`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_matrix_destroy(a: *mut MX) {
    // SAFETY: promised by the caller.
    unsafe { matrix::destroy(a) };
}

/// The process's handler of errors, and its data in `*data`; NULL if there is none.
///
/// # Safety
/// `data` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_handler(data: *mut *mut c_void) -> ldy_error_handler {
    let Handler { function, data: given } = errors::handler()?;
    // SAFETY: promised by the caller.
    unsafe { *data = given };
    Some(function)
}

/// Whether errors may jump through the host's error stack: 1 or 0.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_entry_jumps_allowed() -> c_int {
    options::jumps_allowed().into()
}

/// Whether errors that jump are not told on stderr: 1 or 0.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_entry_is_quiet() -> c_int {
    options::is_quiet().into()
}

/// What an error code means, a string of static lifetime.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_entry_meaning(code: c_int) -> *const c_char {
    errors::meaning(code).as_ptr()
}

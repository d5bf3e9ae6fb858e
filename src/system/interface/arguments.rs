//! What C passes: its identifiers, arrays and places, checked; part of `include/ldy_system.h`.

use std::ffi::c_longlong;
use std::slice;

use crate::boundary::errors::{Code, fail};
use crate::inertia::FactorError;
use crate::system::{Error, Fault, Id, System};

use super::ldy_system;

/// The code of an error, whose text becomes the thread's last.
pub fn coded(error: &Error) -> Code {
    let code = match error.fault {
        Fault::Memory => Code::OutOfMemory,
        Fault::Matrix(FactorError::Matrix(_)) => Code::MatrixKind,
        Fault::Matrix(FactorError::NotPositiveDefinite { .. }) => Code::CholFactor,
        Fault::Matrix(FactorError::Singular | FactorError::Missing) | Fault::Singular | Fault::Solver(_) => {
            Code::LuFactor
        }
        _ => Code::BugFound,
    };
    fail!(code, "{error}")
}

pub fn null(name: &str) -> Code {
    fail!(Code::BugFound, "{name} is NULL")
}

/// # Safety
/// `system` is NULL or comes from ldy_system_create, and is used by nobody else meanwhile.
pub unsafe fn exclusive<'a>(system: *mut ldy_system) -> Result<&'a mut System, Code> {
    // SAFETY: promised by the caller.
    unsafe { system.as_mut() }.map(|system| &mut system.0).ok_or_else(|| null("system"))
}

/// # Safety
/// `system` is NULL or comes from ldy_system_create, and is changed by nobody meanwhile.
pub unsafe fn shared<'a>(system: *const ldy_system) -> Result<&'a System, Code> {
    // SAFETY: promised by the caller.
    unsafe { system.as_ref() }.map(|system| &system.0).ok_or_else(|| null("system"))
}

/// # Safety
/// `values` is NULL or has N values.
pub unsafe fn array<'a, const N: usize>(name: &str, values: *const f64) -> Result<&'a [f64; N], Code> {
    // SAFETY: promised by the caller.
    unsafe { values.cast::<[f64; N]>().as_ref() }.ok_or_else(|| null(name))
}

/// # Safety
/// `first` is NULL or the first of so many values.
pub unsafe fn values<'a, T>(name: &str, first: *const T, count: usize) -> Result<&'a [T], Code> {
    check_count::<T>(name, count)?;
    match (first.is_null(), count) {
        (_, 0) => Ok(&[]),
        (true, _) => Err(null(name)),
        // SAFETY: promised by the caller.
        (false, _) => Ok(unsafe { slice::from_raw_parts(first, count) }),
    }
}

/// No array has more bytes than a pointer can be moved by; a negative number that became a count has.
fn check_count<T>(name: &str, count: usize) -> Result<(), Code> {
    if count.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok()) {
        return Ok(());
    }
    Err(fail!(Code::BugFound, "{name}: no array has {count} values"))
}

/// # Safety
/// `first` is NULL or the first of so many values, which nobody else uses.
pub unsafe fn values_mut<'a>(name: &str, first: *mut f64, count: usize) -> Result<&'a mut [f64], Code> {
    check_count::<f64>(name, count)?;
    match (first.is_null(), count) {
        (_, 0) => Ok(&mut []),
        (true, _) => Err(null(name)),
        // SAFETY: promised by the caller.
        (false, _) => Ok(unsafe { slice::from_raw_parts_mut(first, count) }),
    }
}

/// # Safety
/// `place` is NULL or can be written.
pub unsafe fn put<T>(name: &str, place: *mut T, value: T) -> Result<(), Code> {
    if place.is_null() {
        return Err(null(name));
    }
    // SAFETY: promised by the caller.
    unsafe { place.write(value) };
    Ok(())
}

/// Insert something, unless there is no place for its id.
///
/// # Safety
/// `place` is NULL or can be written.
pub unsafe fn put_id(place: *mut c_longlong, insert: impl FnOnce() -> Result<Id, Error>) -> Result<(), Code> {
    if place.is_null() {
        return Err(null("the place for the id"));
    }
    let id = insert().map_err(|error| coded(&error))?;
    // SAFETY: promised by the caller.
    unsafe { put("id", place, id as c_longlong) }
}

pub fn body_id(id: c_longlong) -> Result<Id, Code> {
    Id::try_from(id).map_err(|_| fail!(Code::BugFound, "body {id}: there is none with this id"))
}

pub fn constraint_id(id: c_longlong) -> Result<Id, Code> {
    Id::try_from(id).map_err(|_| fail!(Code::BugFound, "constraint {id}: there is none with this id"))
}

pub fn freedoms(system: &System, id: Id) -> Result<usize, Code> {
    system.body(id).map(|body| body.freedoms()).map_err(|error| coded(&error))
}

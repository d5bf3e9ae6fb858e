//! Checks of arguments from C: identifiers, arrays and places for results; part of `include/ldy_system.h`.

use std::ffi::c_int;
use std::slice;

pub(crate) use crate::ffi::arguments::entry;
pub use crate::ffi::arguments::{Out, null, place, string, wanted};
use crate::ffi::errors::{Code, Result, Whereabouts, fail, invalid, located};
pub use crate::ffi::handle::{exclusive, shared};
pub use crate::ffi::sized::{sized, sized_const};
use crate::inertia::FactorError;
use crate::legacy::layout::LOCDYN;
use crate::rows::fault;
use crate::rows::{BlockRows, Layout, RowLayout};
use crate::system::{EntryError, Error, Fault, Id, Subject};

pub(super) use super::inertia::given_inertia;
pub(super) use super::jacobian::jacobian;
use super::rows::ldy_rows;
pub use super::strided::{ids, strided, strided_mut};

/// The error becomes the last one of the thread.
impl From<Error> for Code {
    fn from(error: Error) -> Self {
        located(code(error.fault), error, whereabouts(&error))
    }
}

/// The error becomes the last one of the thread.
impl From<EntryError> for Code {
    fn from(error: EntryError) -> Self {
        let entry = error.entry.map_or(-1, |entry| entry as i64);
        let place = Whereabouts { entry, ..whereabouts(&error.error) };
        located(code(error.error.fault), error, place)
    }
}

/// The error becomes the last one of the thread.
impl From<fault::Error> for Code {
    fn from(error: fault::Error) -> Self {
        let row = error.row.map_or(-1, |row| row as i64);
        located(code(error.fault), error, Whereabouts { row, ..Whereabouts::NOWHERE })
    }
}

/// The body and the constraint that an error names.
fn whereabouts(error: &Error) -> Whereabouts {
    let mut place = Whereabouts::NOWHERE;
    let number = |id: Option<Id>| id.map_or(-1, |id| id as i64);
    match error.subject {
        Subject::System => {}
        Subject::Body(id) => place.body = number(id),
        Subject::Constraint(id, _) | Subject::Among(id, ..) => place.constraint = number(id),
    }
    if let Fault::NoBody(id) = error.fault {
        place.body = id as i64;
    }
    place
}

fn missing(place: Whereabouts, what: &str) -> Code {
    let id = place.body.min(place.constraint);
    located(Code::NotFound, format_args!("{what} {id}: there is no such {what}"), place)
}

/// The error's text becomes the last one of the thread.
impl From<Fault> for Code {
    fn from(fault: Fault) -> Self {
        fault::Error::of_rows(fault).into()
    }
}

fn code(fault: Fault) -> Code {
    match fault {
        Fault::Memory => Code::OutOfMemory,
        Fault::Matrix(FactorError::Matrix(_)) => Code::InvalidFormat,
        Fault::Matrix(FactorError::NotPositiveDefinite { .. }) | Fault::NotPositive => {
            Code::NotPositiveDefinite
        }
        Fault::Matrix(FactorError::Singular | FactorError::Missing) | Fault::Singular | Fault::Solver(_) => {
            Code::Singular
        }
        Fault::Unknown | Fault::NoBody(_) => Code::NotFound,
        Fault::Stale => Code::StaleResults,
        Fault::TooLarge(_) => Code::TooLarge,
        Fault::NotConverged(_) => Code::NotConverged,
        _ => Code::InvalidArgument,
    }
}

/// # Safety
/// `values` is NULL or has N values, which nobody changes meanwhile.
pub unsafe fn array<'a, const N: usize>(name: &str, values: *const f64) -> Result<&'a [f64; N]> {
    // SAFETY: the C program promises N values, as this function requires; an array of them has their alignment.
    unsafe { values.cast::<[f64; N]>().as_ref() }.ok_or_else(|| null(name))
}

/// A copy of an array, so that a result may be written to the same place.
///
/// # Safety
/// `values` is NULL or has N values, which nobody changes meanwhile.
pub unsafe fn copied<const N: usize>(name: &str, values: *const f64) -> Result<[f64; N]> {
    // SAFETY: the C program promises N values, as this function requires.
    unsafe { array(name, values) }.copied()
}

/// # Safety
/// `values` is NULL, or N values can be written there as long as the [`Out`] exists.
pub unsafe fn place_of_array<const N: usize>(name: &str, values: *mut f64) -> Result<Out<[f64; N]>> {
    // SAFETY: the C program promises N values, as this function requires; an array of them has their alignment.
    unsafe { place(name, values.cast()) }
}

/// # Safety
/// `first` is NULL or the first of `count` values, which nobody changes meanwhile.
pub unsafe fn values<'a, T>(name: &str, first: *const T, count: usize) -> Result<&'a [T]> {
    if is_empty(name, first, count)? {
        return Ok(&[]);
    }
    // SAFETY: the C program promises `count` values at a pointer that is not NULL, as this function requires; they have no more
    // bytes than a pointer can be moved by.
    Ok(unsafe { slice::from_raw_parts(first, count) })
}

/// Whether an array has no values; an array with values must not be NULL. No array has more bytes than a pointer can be moved by,
/// but a negative number that was converted to a count would.
fn is_empty<T>(name: &str, first: *const T, count: usize) -> Result<bool> {
    let bytes = count.checked_mul(size_of::<T>()).and_then(|bytes| isize::try_from(bytes).ok());
    ensure!(bytes.is_some(), fail!(Code::TooLarge, "{name}: a count of {count} is too large"));
    ensure!(count == 0 || !first.is_null(), null(name));
    Ok(count == 0)
}

/// # Safety
/// `first` is NULL or the first of `count` values, which nobody else uses meanwhile.
pub unsafe fn values_mut<'a, T>(name: &str, first: *mut T, count: usize) -> Result<&'a mut [T]> {
    if is_empty(name, first, count)? {
        return Ok(&mut []);
    }
    // SAFETY: the C program promises `count` values at a pointer that is not NULL, which are part of no other argument; they have
    // no more bytes than a pointer can be moved by.
    Ok(unsafe { slice::from_raw_parts_mut(first, count) })
}

/// A pointer to a LOCDYN, checked without reading the LOCDYN.
///
/// # Safety
/// `ldy` is NULL or valid.
pub unsafe fn locdyn(name: &str, ldy: *const LOCDYN) -> Result<*const LOCDYN> {
    if ldy.is_null() { Err(null(name)) } else { Ok(ldy) }
}

/// W of rows from C, with its pattern checked, which has all columns.
///
/// # Safety
/// `rows` is NULL or valid, with the number of bytes that its size says; its starts, columns, starts of scalars, starts of
/// values, and values are NULL or have the lengths that it says. Nobody changes them meanwhile.
pub unsafe fn block_rows<'a>(name: &str, rows: *const ldy_rows) -> Result<BlockRows<'a>> {
    // SAFETY: the C program promises the conditions of `given_rows`.
    unsafe { complete_rows(name, rows) }.map(|(rows, _)| rows)
}

/// As [`block_rows`]; columns of other processes may be missing.
///
/// # Safety
/// As there.
pub unsafe fn own_columns<'a>(name: &str, rows: *const ldy_rows) -> Result<BlockRows<'a>> {
    // SAFETY: the C program promises the conditions of `given_rows`.
    unsafe { given_rows(name, rows) }.map(|(rows, ..)| rows)
}

/// W and B of rows from C, with the pattern checked.
///
/// # Safety
/// The conditions of [`block_rows`], and B is NULL or has the length that `rows` says.
pub unsafe fn rows_with_b<'a>(name: &str, rows: *const ldy_rows) -> Result<(BlockRows<'a>, &'a [f64])> {
    // SAFETY: the C program promises the conditions of `given_rows`.
    let (rows, b) = unsafe { complete_rows(name, rows) }?;
    // SAFETY: the C program promises a value for each scalar.
    let b = unsafe { values("rows->B", b, rows.scalar_count()) }?;
    Ok((rows, b))
}

/// W, which has all columns, and the place where B begins.
///
/// # Safety
/// The conditions of [`block_rows`].
unsafe fn complete_rows<'a>(name: &str, rows: *const ldy_rows) -> Result<(BlockRows<'a>, *const f64)> {
    // SAFETY: the C program promises the conditions of `given_rows`.
    let (rows, b, external) = unsafe { given_rows(name, rows) }?;
    let why = "blocks are in columns of other processes, so that these rows alone are no complete W";
    ensure!(external == 0, invalid!("{name}: {external} {why}"));
    Ok((rows, b))
}

/// W, the place where B begins, and the number of external blocks.
///
/// # Safety
/// The conditions of [`block_rows`].
unsafe fn given_rows<'a>(name: &str, rows: *const ldy_rows) -> Result<(BlockRows<'a>, *const f64, usize)> {
    // SAFETY: the C program promises a structure with the number of bytes that its size says.
    let given = unsafe { sized_const(name, rows) }?;
    let given = given.read();
    let ldy_rows { rows: count, blocks, starts, columns, values: first, scalar_starts, value_starts, .. } =
        given;
    let why = "one of scalar_starts and value_starts is NULL, the other is not";
    ensure!(scalar_starts.is_null() == value_starts.is_null(), invalid!("{name}: {why}"));
    let count = count_of("rows->rows", count)?;
    let blocks = count_of("rows->blocks", blocks)?;
    // SAFETY: the C program promises a start for each row, and an end.
    let starts = unsafe { values("rows->starts", starts, count + 1) }?;
    // SAFETY: the C program promises a column for each block.
    let columns = unsafe { values("rows->columns", columns, blocks) }?;
    let layout = if scalar_starts.is_null() {
        None
    } else {
        // SAFETY: the C program promises a start for the scalars of each row, and an end.
        let scalars = unsafe { values("rows->scalar_starts", scalar_starts, count + 1) }?;
        // SAFETY: the C program promises a start for the values of each block, and an end.
        let starts = unsafe { values("rows->value_starts", value_starts, blocks + 1) }?;
        Some(RowLayout::new(scalars, starts)?)
    };
    let size = layout.values(0..blocks).end;
    // SAFETY: the C program promises nine values for each block, or the number that the starts of values say.
    let values = unsafe { values("rows->values", first, size) }?;
    Ok((BlockRows::new(starts, columns, values, layout)?, given.B, given.external))
}

fn count_of(name: &str, count: c_int) -> Result<usize> {
    usize::try_from(count).map_err(|_| invalid!("{name} is negative"))
}

pub fn body_id(id: i64) -> Result<Id> {
    Id::try_from(id).map_err(|_| missing(Whereabouts { body: id, ..Whereabouts::NOWHERE }, "body"))
}

pub fn constraint_id(id: i64) -> Result<Id> {
    Id::try_from(id)
        .map_err(|_| missing(Whereabouts { constraint: id, ..Whereabouts::NOWHERE }, "constraint"))
}

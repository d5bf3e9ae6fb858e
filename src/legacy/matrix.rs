//! Creation and release of the host's matrices. All memory comes from `malloc`, so that a host's own `MX_Destroy` can release
//! matrices of this library.

use std::ffi::{c_int, c_void};
use std::{ptr, slice};

use super::errors::{Code, Result, fail, invalid};
use super::layout::*;

/// Offset of the values in the one memory block of a dense or block-diagonal matrix: 8 bytes after the structure.
const VALUES: usize = size_of::<MX>() + 8;

/// Make a matrix of zeros; see `MX_Create`.
///
/// # Safety
/// `p` and `i` are NULL or have the sizes that the kind asks for.
pub unsafe fn create(kind: c_int, m: c_int, n: c_int, p: *const c_int, i: *const c_int) -> Result<*mut MX> {
    let (Ok(rows), Ok(columns)) = (usize::try_from(m), usize::try_from(n)) else {
        return Err(invalid!("matrix of {m} rows and {n} columns or blocks"));
    };
    // SAFETY: the caller promises that `p` and `i` are NULL or have the sizes that the kind asks for.
    unsafe {
        match kind {
            MXDENSE => one_block(kind, m, n, count(rows.checked_mul(columns))?, 0),
            MXBD => {
                let (Some(p), Some(i)) = (array(p, columns + 1), array(i, columns + 1)) else {
                    return Err(fail!(Code::InvalidFormat, "block-diagonal matrix without p or i"));
                };
                ensure!(
                    ascends(p) && ascends(i) && i[columns] == m,
                    fail!(Code::InvalidFormat, "block-diagonal matrix with ill-formed p or i")
                );
                let a = one_block(kind, m, n, p[columns], 2 * (columns + 1))?;
                (*a).p = (*a).x.add(p[columns] as usize).cast();
                (*a).i = (*a).p.add(columns + 1);
                ptr::copy_nonoverlapping(p.as_ptr(), (*a).p, columns + 1);
                ptr::copy_nonoverlapping(i.as_ptr(), (*a).i, columns + 1);
                Ok(a)
            }
            MXCSC => copied_columns(m, n, array(p, columns + 1), i),
            _ => Err(fail!(Code::InvalidFormat, "unknown kind of matrix {kind}")),
        }
    }
}

/// Release a matrix unless it is static; see `MX_Destroy`.
///
/// # Safety
/// `a` is NULL or a matrix with the layout of [`create`] in memory from `malloc`.
#[unsafe(export_name = "ldy_entry_matrix_destroy")]
pub unsafe extern "C" fn destroy(a: *mut MX) {
    // SAFETY: the caller promises NULL, or a matrix with the layout of `create` in memory from `malloc`.
    unsafe {
        if a.is_null() || (*a).flags & MXSTATIC != 0 {
            return;
        }
        if (*a).kind == MXCSC {
            for part in [(*a).p.cast(), (*a).i.cast(), (*a).x.cast::<c_void>()] {
                libc::free(part);
            }
        }
        libc::free(a.cast());
    }
}

/// A matrix of zeros with `values` values and `indices` ints in the same block of memory.
fn one_block(kind: c_int, m: c_int, n: c_int, values: c_int, indices: usize) -> Result<*mut MX> {
    let bytes = VALUES + values as usize * size_of::<f64>() + indices * size_of::<c_int>();
    let a = header(bytes, kind, m, n)?;
    // SAFETY: the block belongs to this function and extends beyond the structure.
    unsafe {
        (*a).nzmax = values;
        (*a).nz = values;
        (*a).x = a.cast::<u8>().add(VALUES).cast();
    }
    Ok(a)
}

/// Make compressed columns of zeros with capacity for `count` entries; the caller writes starts and rows.
pub fn columns(m: c_int, n: c_int, count: c_int) -> Result<*mut MX> {
    let a = header(size_of::<MX>(), MXCSC, m, n)?;
    // SAFETY: the structure belongs to this function; on failure everything allocated is released.
    unsafe {
        (*a).nz = -1;
        (*a).nzmax = count;
        let arrays = || {
            (*a).p = zeroed(size_of::<c_int>() * (n as usize + 1))?;
            (*a).i = zeroed(size_of::<c_int>() * count as usize)?;
            (*a).x = zeroed(size_of::<f64>() * count as usize)?;
            Ok(a)
        };
        arrays().inspect_err(|_| destroy(a))
    }
}

/// Allocate `bytes` zero bytes that begin with the structure.
fn header(bytes: usize, kind: c_int, m: c_int, n: c_int) -> Result<*mut MX> {
    let a = zeroed::<MX>(bytes)?;
    // SAFETY: the memory belongs to this function; an MX may be all zero.
    unsafe {
        ((*a).kind, (*a).m, (*a).n) = (kind, m, n);
    }
    Ok(a)
}

/// # Safety
/// `i` is NULL or has the number of indices that the last value of `p` states.
unsafe fn copied_columns(m: c_int, n: c_int, p: Option<&[c_int]>, i: *const c_int) -> Result<*mut MX> {
    let ill_formed = || fail!(Code::InvalidFormat, "compressed columns with missing or ill-formed p or i");
    let p = match p {
        None if i.is_null() => return header(size_of::<MX>(), MXCSC, m, n),
        p => p.filter(|p| ascends(p)).ok_or_else(ill_formed)?,
    };
    let count = p[p.len() - 1];
    // SAFETY: the caller promises that `i` is NULL or has the number of indices that the last value of `p` states. The new
    // arrays have the sizes of the originals.
    unsafe {
        let i = array(i, count as usize).filter(|i| i.iter().all(|row| (0..m).contains(row)));
        let i = i.ok_or_else(ill_formed)?;
        let a = columns(m, n, count)?;
        ptr::copy_nonoverlapping(p.as_ptr(), (*a).p, p.len());
        ptr::copy_nonoverlapping(i.as_ptr(), (*a).i, i.len());
        Ok(a)
    }
}

/// Zeroed memory from `malloc`'s heap; at least one byte.
fn zeroed<T>(bytes: usize) -> Result<*mut T> {
    // SAFETY: calloc takes any sizes.
    let memory = unsafe { libc::calloc(1, bytes.max(1)) };
    ensure!(!memory.is_null(), fail!(Code::OutOfMemory, "no memory for a matrix of {bytes} bytes"));
    Ok(memory.cast())
}

/// The number of values as a C int.
fn count(values: Option<usize>) -> Result<c_int> {
    let values = values.and_then(|values| c_int::try_from(values).ok());
    values.ok_or_else(|| fail!(Code::OutOfMemory, "matrix with more values than an int can count"))
}

fn ascends(starts: &[c_int]) -> bool {
    starts.first() == Some(&0) && starts.is_sorted()
}

/// # Safety
/// `pointer` is NULL or points to `count` values that nobody writes during `'a`.
unsafe fn array<'a>(pointer: *const c_int, count: usize) -> Option<&'a [c_int]> {
    // SAFETY: the caller promises `count` values that nobody writes.
    if pointer.is_null() { None } else { Some(unsafe { slice::from_raw_parts(pointer, count) }) }
}

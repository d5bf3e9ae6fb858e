//! `body->inverse`: A⁻¹, or A itself.

use std::ffi::c_int;
use std::slice;

use crate::inertia::{BlockDiagonal, Defect, Dense, Inertia, Inverse, Matrix, Sparse, Structure};
use crate::legacy::fault::{Fault, InverseFault};
use crate::legacy::layout::*;

/// The inertia of a body with `dofs` generalised velocities.
///
/// # Errors
/// If `body->inverse` is missing, of unknown kind, ill-formed or of another size.
///
/// # Safety
/// `body` is valid, its inverse is NULL or a matrix whose arrays have the sizes that it states, and nobody writes them
/// during `'a`.
pub unsafe fn of<'a>(body: *const BODY, dofs: usize) -> Result<Inertia<'a>, Fault> {
    // SAFETY: the caller promises a valid body, whose inverse is NULL or a matrix with arrays of the sizes
    // that it states.
    let inertia = unsafe { view((*body).inverse) }.map_err(Fault::Inverse)?;
    match inertia.size() {
        size if size == dofs => Ok(inertia),
        size => Err(Fault::InverseSize(size, dofs)),
    }
}

/// Whether a body gives the matrix A, not its inverse.
///
/// # Safety
/// As [`of`].
pub unsafe fn is_matrix(body: *const BODY) -> bool {
    // SAFETY: the caller promises a valid body, whose inverse is NULL or a matrix.
    let flags = unsafe { (*body).inverse.as_ref() }.map(|matrix| (matrix.kind, matrix.flags & MXIFAC));
    flags.is_some_and(|(kind, factored)| kind == MXCSC && factored != 0)
}

/// # Safety
/// `matrix` is NULL or as [`of`] asks for.
unsafe fn view<'a>(matrix: *const MX) -> Result<Inertia<'a>, InverseFault> {
    // SAFETY: the caller promises that the matrix is NULL or valid.
    let matrix = unsafe { matrix.as_ref() }.ok_or(InverseFault::Missing)?;
    let inverse = match matrix.kind {
        MXBD => {
            let count = ends(matrix.n)?;
            // SAFETY: p and i of a block-diagonal matrix hold an entry a block and one behind.
            let (starts, rows) = unsafe { (array(matrix.p, count)?, array(matrix.i, count)?) };
            // SAFETY: x holds nzmax values, and at most that many are viewed.
            let values = unsafe { array(matrix.x, values(matrix, starts)?)? };
            if usize::try_from(matrix.m) != Ok(length(*rows.last().unwrap_or(&0))?) {
                return Err(InverseFault::IllFormed(Defect::Size));
            }
            BlockDiagonal::new(starts, rows, values).map(Inverse::BlockDiagonal)
        }
        MXDENSE => {
            let size = square(matrix)?;
            // SAFETY: x of a dense matrix holds m n values; a square of an int fits a usize.
            Dense::new(size, unsafe { array(matrix.x, size * size)? }).map(Inverse::Dense)
        }
        MXCSC => {
            square(matrix)?;
            // SAFETY: p of compressed columns holds an entry a column and one behind.
            let starts = unsafe { array(matrix.p, ends(matrix.n)?)? };
            let count = values(matrix, starts)?;
            // SAFETY: i and x hold nzmax entries, and at most that many are viewed.
            let (rows, values) = unsafe { (array(matrix.i, count)?, array(matrix.x, count)?) };
            if matrix.flags & MXIFAC != 0 {
                let positive_definite = matrix.flags & MXSPD != 0;
                let structure =
                    if positive_definite { Structure::PositiveDefinite } else { Structure::General };
                return Ok(Inertia::Matrix(Matrix { structure, starts, rows, values }));
            }
            Sparse::new(starts, rows, values).map(Inverse::Sparse)
        }
        kind => return Err(InverseFault::Kind(kind)),
    };
    inverse.map(Inertia::Inverse).map_err(InverseFault::IllFormed)
}

/// The number of values that the starts of blocks or columns end with.
fn values(matrix: &MX, starts: &[c_int]) -> Result<usize, InverseFault> {
    let end = starts.last().copied().unwrap_or(0);
    if end > matrix.nzmax { Err(InverseFault::IllFormed(Defect::Starts)) } else { length(end) }
}

fn square(matrix: &MX) -> Result<usize, InverseFault> {
    if matrix.m == matrix.n { length(matrix.n) } else { Err(InverseFault::NotSquare) }
}

fn length(count: c_int) -> Result<usize, InverseFault> {
    usize::try_from(count).map_err(|_| InverseFault::Incomplete)
}

/// The length of an array with one entry behind the last of `count`.
fn ends(count: c_int) -> Result<usize, InverseFault> {
    Ok(length(count)? + 1)
}

/// # Safety
/// `pointer` is NULL or points to `count` values that nobody writes during `'a`.
unsafe fn array<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], InverseFault> {
    match pointer.is_null() {
        true => Err(InverseFault::Incomplete),
        // SAFETY: the caller promises `count` values that nobody writes.
        false => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

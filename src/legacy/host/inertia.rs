//! `body->inverse`: A⁻¹, or A itself.

use std::ffi::c_int;
use std::{fmt, slice};

use crate::inertia::{BlockDiagonal, Defect, Dense, Inertia, Inverse, Matrix, Sparse, Structure};
use crate::legacy::errors::{Code, fail};
use crate::legacy::layout::*;

/// Why a matrix cannot serve as an inverse.
enum Fault {
    Missing,
    Kind(c_int),
    NotSquare,
    Incomplete,
    IllFormed(Defect),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Missing => f.write_str("missing"),
            Self::Kind(kind) => write!(f, "unknown kind {kind}"),
            Self::NotSquare => f.write_str("not square"),
            Self::Incomplete => f.write_str("arrays are missing or sizes negative"),
            Self::IllFormed(defect) => defect.fmt(f),
        }
    }
}

/// The inertia of a body with `dofs` generalised velocities.
///
/// # Errors
/// [`Code::MatrixKind`] if `body->inverse` is missing, of unknown kind, ill-formed or of another size.
///
/// # Safety
/// `body` is valid, its inverse is NULL or a matrix whose arrays have the sizes that it states, and nobody writes them
/// during `'a`.
pub unsafe fn of<'a>(body: *const BODY, dofs: usize) -> Result<Inertia<'a>, Code> {
    // SAFETY: the caller promises a valid body, whose inverse is NULL or a matrix with arrays of the sizes
    // that it states.
    let (id, result) = unsafe { ((*body).id, view((*body).inverse)) };
    match result {
        Ok(inertia) if inertia.size() == dofs => Ok(inertia),
        Ok(inertia) => {
            let size = inertia.size();
            Err(fail!(Code::MatrixKind, "body {id}: inverse of size {size} for {dofs} velocities"))
        }
        Err(fault) => Err(fail!(Code::MatrixKind, "body {id}: inverse: {fault}")),
    }
}

/// # Safety
/// `matrix` is NULL or as [`of`] asks for.
unsafe fn view<'a>(matrix: *const MX) -> Result<Inertia<'a>, Fault> {
    // SAFETY: the caller promises that the matrix is NULL or valid.
    let matrix = unsafe { matrix.as_ref() }.ok_or(Fault::Missing)?;
    let inverse = match matrix.kind {
        MXBD => {
            let count = ends(matrix.n)?;
            // SAFETY: p and i of a block-diagonal matrix hold an entry a block and one behind.
            let (starts, rows) = unsafe { (array(matrix.p, count)?, array(matrix.i, count)?) };
            // SAFETY: x holds nzmax values, and at most that many are viewed.
            let values = unsafe { array(matrix.x, values(matrix, starts)?)? };
            if usize::try_from(matrix.m) != Ok(length(*rows.last().unwrap_or(&0))?) {
                return Err(Fault::IllFormed(Defect::Size));
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
        kind => return Err(Fault::Kind(kind)),
    };
    inverse.map(Inertia::Inverse).map_err(Fault::IllFormed)
}

/// The number of values that the starts of blocks or columns end with.
fn values(matrix: &MX, starts: &[c_int]) -> Result<usize, Fault> {
    let end = starts.last().copied().unwrap_or(0);
    if end > matrix.nzmax { Err(Fault::IllFormed(Defect::Starts)) } else { length(end) }
}

fn square(matrix: &MX) -> Result<usize, Fault> {
    if matrix.m == matrix.n { length(matrix.n) } else { Err(Fault::NotSquare) }
}

fn length(count: c_int) -> Result<usize, Fault> {
    usize::try_from(count).map_err(|_| Fault::Incomplete)
}

/// The length of an array with one entry behind the last of `count`.
fn ends(count: c_int) -> Result<usize, Fault> {
    Ok(length(count)? + 1)
}

/// # Safety
/// `pointer` is NULL or points to `count` values that nobody writes during `'a`.
unsafe fn array<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], Fault> {
    match pointer.is_null() {
        true => Err(Fault::Incomplete),
        // SAFETY: the caller promises `count` values that nobody writes.
        false => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

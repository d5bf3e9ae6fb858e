//! Inverse inertia A⁻¹ of a body in all its forms, behind one small interface: Y = A⁻¹ Hᵀ.
//!
//! H and Yᵀ are stored alike, 3 × n column-major: the three values of generalised velocity i lie together.
#![forbid(unsafe_code)]

mod block_diagonal;
mod dense;
mod sparse;

pub use block_diagonal::BlockDiagonal;
pub use dense::Dense;
pub use sparse::Sparse;

use core::fmt;

/// The inverse inertia of a body, n × n.
#[derive(Clone, Copy, Debug)]
pub enum Inverse<'a> {
    /// Dense blocks along the diagonal.
    BlockDiagonal(BlockDiagonal<'a>),
    /// One dense matrix.
    Dense(Dense<'a>),
    /// Compressed sparse columns of the inverse itself.
    Sparse(Sparse<'a>),
}

impl Inverse<'_> {
    /// n.
    pub fn size(&self) -> usize {
        match self {
            Self::BlockDiagonal(inverse) => inverse.size(),
            Self::Dense(inverse) => inverse.size(),
            Self::Sparse(inverse) => inverse.size(),
        }
    }

    /// Write Yᵀ = h (A⁻¹ Hᵀ)ᵀ, 3 × n, of the operator `h_operator`, 3 × n, scaled by the time step `step`.
    ///
    /// # Panics
    /// If the slices do not hold 3 n values each.
    pub fn apply(&self, step: f64, h_operator: &[f64], y: &mut [f64]) {
        assert_eq!((h_operator.len(), y.len()), (3 * self.size(), 3 * self.size()));
        y.fill(0.0);
        match self {
            Self::BlockDiagonal(inverse) => inverse.add_product(h_operator, y),
            Self::Dense(inverse) => inverse.add_product(h_operator, y),
            Self::Sparse(inverse) => inverse.add_product(h_operator, y),
        }
        y.iter_mut().for_each(|value| *value *= step);
    }
}

/// What is wrong with the description of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// The sizes do not fit each other.
    Size,
    /// Starts of blocks or columns do not ascend from zero to the number of values.
    Starts,
    /// A row index lies outside the matrix.
    Row,
    /// A block is not square.
    Block,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Self::Size => "sizes do not fit each other",
            Self::Starts => "starts do not ascend from 0 to the number of values",
            Self::Row => "a row index lies outside the matrix",
            Self::Block => "a diagonal block is not square",
        })
    }
}

/// `y[3 i ..] += a h[3 j ..]`: entry a = (i, j) of the inverse at work on one column of H.
#[inline(always)]
fn add_column(y: &mut [f64], i: usize, a: f64, h: &[f64], j: usize) {
    let h = &h[3 * j..3 * j + 3];
    y[3 * i..3 * i + 3].iter_mut().zip(h).for_each(|(y, h)| *y += a * h);
}

/// Whether `starts` ascends from zero to `end`.
fn ascends(starts: &[i32], end: usize) -> bool {
    starts.first() == Some(&0)
        && starts.last().is_some_and(|&last| usize::try_from(last) == Ok(end))
        && starts.is_sorted()
}

#[cfg(test)]
mod tests;

//! The inverse inertia A⁻¹ of a body in all its forms, with one small interface: Y = A⁻¹ Hᵀ.
//!
//! H and Yᵀ have the same storage, 3 × n column-major: the three values of generalized velocity i are contiguous.
#![forbid(unsafe_code)]

mod block_diagonal;
pub mod cost;
mod dense;
pub mod nodal_inverse;
mod sparse;
pub mod tree_factor;

pub(crate) use crate::factor::Boxed;
use crate::factor::ascends;
pub use crate::factor::{Defect, FactorError, FactorResult, FactorStatus, Factored, Structure, Workspace};
pub use block_diagonal::BlockDiagonal;
pub use dense::Dense;
pub use nodal_inverse::NodalInverse;
pub use sparse::Sparse;
pub use tree_factor::TreeFactor;

use crate::math::Block;

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
    /// The values in their storage order.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::BlockDiagonal(BlockDiagonal { values, .. })
            | Self::Dense(Dense { values, .. })
            | Self::Sparse(Sparse { values, .. }) => values,
        }
    }

    /// n, the number of rows.
    pub fn size(&self) -> usize {
        match self {
            Self::BlockDiagonal(inverse) => inverse.size,
            Self::Dense(inverse) => inverse.size,
            Self::Sparse(inverse) => inverse.size(),
        }
    }

    /// The 3×3 blocks of the nodes of a mesh in their order, if the inverse couples no two nodes.
    pub fn node_blocks(&self) -> Option<impl ExactSizeIterator<Item = Block>> {
        let couples_none = match self {
            Self::Sparse(inverse) => inverse.couples_no_nodes(),
            Self::BlockDiagonal(inverse) => inverse.diagonal().is_some(),
            Self::Dense(_) => false,
        };
        let block_of = |node| {
            let mut block = [0.0; 9];
            for j in 0..3 {
                self.each_in_column(3 * node + j, |row, value| block[3 * j + row - 3 * node] += value);
            }
            block
        };
        couples_none.then(|| (0..self.size() / 3).map(block_of))
    }

    /// Call `visit` with row and value of each entry in a column.
    #[inline(always)]
    pub fn each_in_column(&self, column: usize, visit: impl FnMut(usize, f64)) {
        match self {
            Self::BlockDiagonal(inverse) => inverse.each_in_column(column, visit),
            Self::Dense(inverse) => inverse.each_in_column(column, visit),
            Self::Sparse(inverse) => inverse.each_in_column(column, visit),
        }
    }

    /// The diagonal, if the inverse stores nothing else.
    pub fn diagonal(&self) -> Option<&[f64]> {
        match self {
            Self::Sparse(inverse) => inverse.diagonal(),
            Self::BlockDiagonal(inverse) => inverse.diagonal(),
            Self::Dense(_) => None,
        }
    }

    /// Write Yᵀ = h (A⁻¹ Hᵀ)ᵀ, 3 × n, of the operator `h_operator`, 3 × n, scaled by the time step `step`.
    ///
    /// # Panics
    /// If the slices do not hold 3 n values each.
    pub fn apply(&self, step: f64, h_operator: &[f64], y: &mut [f64]) {
        assert_eq!((h_operator.len(), y.len()), (3 * self.size(), 3 * self.size()));
        y.fill(0.0);
        self.add_product::<3>(h_operator, y);
        y.iter_mut().for_each(|value| *value *= step);
    }

    /// Write y = A⁻¹ x.
    ///
    /// # Panics
    /// If the slices do not hold n values each.
    pub fn apply_to_vector(&self, x: &[f64], y: &mut [f64]) {
        assert_eq!((x.len(), y.len()), (self.size(), self.size()));
        y.fill(0.0);
        self.add_product::<1>(x, y);
    }

    /// Add A⁻¹ Hᵀ for an H with WIDTH rows.
    fn add_product<const WIDTH: usize>(&self, h: &[f64], y: &mut [f64]) {
        for (j, h) in h.chunks_exact(WIDTH).enumerate() {
            self.each_in_column(j, |i, a| {
                y[WIDTH * i..][..WIDTH].iter_mut().zip(h).for_each(|(y, h)| *y += a * h);
            });
        }
    }
}

/// The inertia of a body as the host gives it: A⁻¹, or A itself.
#[derive(Clone, Copy, Debug)]
pub enum InertiaRef<'a> {
    /// A⁻¹.
    Inverse(Inverse<'a>),
    /// A, which the library factors.
    Matrix(Matrix<'a>),
}

impl InertiaRef<'_> {
    /// The values of A⁻¹ or A in their storage order.
    pub fn values(&self) -> &[f64] {
        match self {
            Self::Inverse(inverse) => inverse.values(),
            Self::Matrix(matrix) => matrix.values,
        }
    }

    /// n, the number of rows.
    pub fn size(&self) -> usize {
        match self {
            Self::Inverse(inverse) => inverse.size(),
            Self::Matrix(matrix) => matrix.starts.len().saturating_sub(1),
        }
    }
}

/// A in compressed sparse columns, not checked yet: column j has the values `starts[j]..starts[j + 1]`, in rows
/// `rows[..]`.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'a> {
    /// The structure of A, which determines the part that is given.
    pub structure: Structure,
    /// First entries of the columns, and the end.
    pub starts: &'a [i32],
    /// Row of each entry.
    pub rows: &'a [i32],
    /// The entries.
    pub values: &'a [f64],
}

impl Matrix<'_> {
    /// Whether the matrix is small and positive definite, so that [`TreeFactor`] factors it.
    pub fn is_small(&self) -> bool {
        self.structure == Structure::PositiveDefinite && self.starts.len() <= tree_factor::MOST_ROWS + 1
    }

    /// Update `factored` to the factor of this matrix; see [`Factored::update`].
    ///
    /// # Errors
    /// As [`Factored::update`].
    pub fn factor(&self, factored: &mut Factored, work: &mut Workspace) -> FactorResult<FactorStatus> {
        factored.update(self.structure, self.starts, self.rows, self.values, work)
    }

    /// Check that the columns describe a square matrix of finite values, as [`Factored::update`] does.
    ///
    /// # Errors
    /// As [`Factored::update`], and if memory is exhausted.
    pub fn check(&self) -> FactorResult {
        crate::factor::check(
            self.starts,
            self.rows,
            self.values,
            self.structure == Structure::PositiveDefinite,
        )?;
        if crate::math::is_finite(self.values) { Ok(()) } else { Err(FactorError::NotFinite) }
    }
}

#[cfg(test)]
mod tests;

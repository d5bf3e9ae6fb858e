//! Random matrices, and matrices as compressed sparse columns.

use nalgebra::{DMatrix, Matrix3, Rotation3, Vector3};

use crate::Random;

impl Random {
    /// A vector with components between −1 and 1.
    pub fn vector(&mut self) -> Vector3<f64> {
        self.array().into()
    }

    /// A matrix with entries between −1 and 1.
    pub fn matrix(&mut self, rows: usize, columns: usize) -> DMatrix<f64> {
        DMatrix::from_fn(rows, columns, |_, _| self.signed())
    }

    /// A positive definite matrix, symmetric to the bit.
    pub fn definite(&mut self, size: usize) -> DMatrix<f64> {
        let root = self.matrix(size, size);
        let mut matrix = &root * root.transpose() + DMatrix::identity(size, size);
        matrix.fill_upper_triangle_with_lower_triangle();
        matrix
    }

    /// A rotation about any axis.
    pub fn rotation(&mut self) -> Matrix3<f64> {
        Rotation3::new(self.vector() * 3.0).into_inner()
    }

    /// A well conditioned sparse matrix with about `neighbors` entries a row beside the diagonal, most of them near it, as in a
    /// mesh. It is quickly made for large sizes.
    pub fn sparse(&mut self, size: usize, neighbors: usize, is_symmetric: bool) -> DMatrix<f64> {
        let mut full = DMatrix::zeros(size, size);
        for j in 0..size {
            for _ in 0..neighbors {
                let i = if self.below(4) == 0 { self.below(size) } else { (j + self.below(7)) % size };
                full[(i, j)] = self.signed();
                if is_symmetric {
                    full[(j, i)] = full[(i, j)];
                }
            }
        }
        for i in 0..size {
            full[(i, i)] = 0.0;
            let sum: f64 = full.row(i).iter().chain(full.column(i).iter()).map(|x| x.abs()).sum();
            full[(i, i)] = 0.5 + 0.6 * sum;
        }
        full
    }
}

/// A⁻¹ of a regular matrix. This crate is optimized where unit tests are not, and then inverses take most of their time.
pub fn inverse_of(matrix: &DMatrix<f64>) -> DMatrix<f64> {
    matrix.clone().try_inverse().expect("a regular matrix")
}

/// A 3×3 matrix as the library takes it.
pub fn block(matrix: &Matrix3<f64>) -> [f64; 9] {
    matrix.as_slice().try_into().expect("nine values")
}

/// Compressed sparse columns: `starts`, `rows` and `values` of the entries that `keep` picks by row and column.
pub fn compressed(
    matrix: &DMatrix<f64>,
    keep: impl Fn(usize, usize) -> bool,
) -> (Vec<i32>, Vec<i32>, Vec<f64>) {
    let (mut starts, mut rows, mut values) = (vec![0], vec![], vec![]);
    for j in 0..matrix.ncols() {
        for i in (0..matrix.nrows()).filter(|&i| keep(i, j)) {
            rows.push(i as i32);
            values.push(matrix[(i, j)]);
        }
        starts.push(rows.len() as i32);
    }
    (starts, rows, values)
}

/// The compressed columns of the entries that `keep` picks and that are not zero.
pub fn nonzero(matrix: &DMatrix<f64>, keep: impl Fn(usize, usize) -> bool) -> (Vec<i32>, Vec<i32>, Vec<f64>) {
    compressed(matrix, |i, j| matrix[(i, j)] != 0.0 && keep(i, j))
}

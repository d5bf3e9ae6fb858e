mod condition;
mod cost;
mod factored;
mod matrices;
mod nodal_inverse;
mod node_blocks;
mod tree_factor;

use nalgebra::{DMatrix, Matrix3xX};
use proptest::prelude::*;
use testing::matrices::compressed;

use super::*;

/// Yᵀ = h H A⁻ᵀ by the definition of a product.
fn expected(inverse: &DMatrix<f64>, h: &[f64], step: f64) -> Matrix3xX<f64> {
    step * Matrix3xX::from_column_slice(h) * inverse.transpose()
}

fn check(inverse: Inverse, full: &DMatrix<f64>, h: &[f64]) -> FactorResult<(), TestCaseError> {
    prop_assert_eq!(inverse.size(), full.nrows());
    let mut y = vec![f64::NAN; h.len()];
    inverse.apply(0.25, h, &mut y);
    prop_assert!((Matrix3xX::from_column_slice(&y) - expected(full, h, 0.25)).amax() < 1e-14);
    Ok(())
}

fn values(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.0..1.0_f64, count)
}

proptest! {
    #[test]
    fn blocks_along_the_diagonal(x in values(1 + 16 + 9), h in values(3 * 8)) {
        let mut full = DMatrix::zeros(8, 8);
        for (first, size, start) in [(0, 1, 0), (1, 4, 1), (5, 3, 17)] {
            full.view_mut((first, first), (size, size))
                .copy_from(&DMatrix::from_column_slice(size, size, &x[start..start + size * size]));
        }
        check(Inverse::BlockDiagonal(BlockDiagonal::new(&[0, 1, 17, 26], &[0, 1, 5, 8], &x).unwrap()), &full, &h)?;
    }

    #[test]
    fn one_dense_matrix(x in values(49), h in values(21)) {
        check(Inverse::Dense(Dense::new(7, &x).unwrap()), &DMatrix::from_column_slice(7, 7, &x), &h)?;
    }

    #[test]
    fn sparse_columns(x in values(49), keep in prop::collection::vec(any::<bool>(), 49), h in values(21)) {
        let full = DMatrix::from_fn(7, 7, |i, j| if keep[7 * j + i] { x[7 * j + i] } else { 0.0 });
        let (starts, rows, kept) = compressed(&full, |i, j| keep[7 * j + i]);
        check(Inverse::Sparse(Sparse::new(&starts, &rows, &kept).unwrap()), &full, &h)?;
    }
}

#[test]
fn ill_formed_matrices_are_refused() {
    assert_eq!(Dense::new(2, &[0.0; 3]).unwrap_err(), Defect::Size);
    assert_eq!(BlockDiagonal::new(&[], &[], &[]).unwrap_err(), Defect::Size);
    assert_eq!(BlockDiagonal::new(&[0, 1], &[0, -1], &[0.0]).unwrap_err(), Defect::Size);
    assert_eq!(BlockDiagonal::new(&[0, 1], &[0, 1, 2], &[0.0]).unwrap_err(), Defect::Size);
    assert_eq!(BlockDiagonal::new(&[0, 2], &[0, 1], &[0.0]).unwrap_err(), Defect::Starts);
    assert_eq!(BlockDiagonal::new(&[0, 5, 5], &[0, 3, 2], &[0.0; 5]).unwrap_err(), Defect::Row);
    assert_eq!(BlockDiagonal::new(&[0, 4, 5], &[0, 1, 3], &[0.0; 5]).unwrap_err(), Defect::Block);
    assert_eq!(Sparse::new(&[], &[], &[]).unwrap_err(), Defect::Size);
    assert_eq!(Sparse::new(&[0, 1], &[0], &[]).unwrap_err(), Defect::Size);
    assert_eq!(Sparse::new(&[1, 1], &[0], &[1.0]).unwrap_err(), Defect::Starts);
    assert_eq!(Sparse::new(&[0, 2, 1], &[0], &[1.0]).unwrap_err(), Defect::Starts);
    assert_eq!(Sparse::new(&[0, 1, 1], &[2], &[1.0]).unwrap_err(), Defect::Row);
    assert_eq!(Sparse::new(&[0, 1, 1], &[-1], &[1.0]).unwrap_err(), Defect::Row);
}

//! N against its definition with the pseudo-inverse, by dense matrices.

use super::*;
use nalgebra::DVector;

/// N f for all unit vectors f.
fn projected(gradients: &DMatrix<f64>, inverse: &DMatrix<f64>) -> (DMatrix<f64>, usize) {
    let n = inverse.nrows();
    let product = |f: &[f64], x: &mut [f64]| {
        x.copy_from_slice((inverse * DMatrix::from_column_slice(n, 1, f)).as_slice());
    };
    let free = FreeMotion::new(gradients.as_slice(), n, product).unwrap();
    let mut all = DMatrix::zeros(n, n);
    for j in 0..n {
        let (mut f, mut x) = (vec![0.0; n], vec![f64::NAN; n]);
        f[j] = 1.0;
        free.respond(&mut f, &mut x, product);
        all.column_mut(j).copy_from_slice(&x);
    }
    (all, free.rank())
}

proptest! {
    /// M⁻¹ = S Sᵀ, gradients of any rank, some of them sums of others: N = S (1 − Q Qᵀ) Sᵀ, Q a basis of the range of Sᵀ Jᵀ.
    #[test]
    fn motions_are_those_of_the_pseudo_inverse(
        (n, rank, more) in (1..9_usize, 0..9_usize, 0..4_usize), entries in prop::collection::vec(-1.0..1.0_f64, 200),
    ) {
        let rank = rank.min(n);
        let root = DMatrix::from_column_slice(n, n, &entries[..n * n]) + DMatrix::identity(n, n) * 2.0;
        let own = DMatrix::from_column_slice(n, rank, &entries[81..][..n * rank]);
        let mixed = &own * DMatrix::from_column_slice(rank, more, &entries[160..][..rank * more]);
        let spanned = root.transpose() * &own;
        prop_assume!(root.singular_values().min() > 0.1);
        let mut kept = DMatrix::zeros(n, n);
        if rank > 0 {
            let values = spanned.singular_values();
            prop_assume!(values.iter().all(|value| *value > 1e-3 * values.max()));
            let q = spanned.qr().q();
            kept = &q * q.transpose();
        }
        let expected = &root * (DMatrix::identity(n, n) - kept) * root.transpose();
        let mut gradients = DMatrix::zeros(n, rank + more);
        gradients.columns_mut(0, rank).copy_from(&own);
        gradients.columns_mut(rank, more).copy_from(&mixed);
        let (found, independent) = projected(&gradients, &(&root * root.transpose()));
        prop_assert_eq!(independent, rank);
        prop_assert!((found - expected).amax() < 1e-10);
    }
}

/// Three gradients of three dofs leave nothing free: no motion at all, however they round.
#[test]
fn nothing_moves_where_all_is_kept() {
    let gradients = DMatrix::from_row_slice(3, 3, &[0.1, 0.7, 0.3, 0.2, 0.1, 0.9, 0.4, 0.3, 0.1]);
    let inverse = DMatrix::from_row_slice(3, 3, &[2.1, 0.3, 0.1, 0.3, 1.7, 0.2, 0.1, 0.2, 0.9]);
    assert_eq!(projected(&gradients, &inverse), (DMatrix::zeros(3, 3), 3));
}

/// M⁻¹ of rank one, all dofs constrained: rounding of forces in its null space is no motion, either.
#[test]
fn nothing_moves_where_the_inverse_is_singular() {
    let root = DVector::from_vec(vec![0.1, 0.7, 0.3]);
    let found = projected(&DMatrix::identity(3, 3), &(&root * root.transpose()));
    assert_eq!(found, (DMatrix::zeros(3, 3), 1));
}

#[test]
fn what_does_not_move_is_kept_by_nobody() {
    let inverse = DMatrix::from_diagonal(&DVector::from_vec(vec![0.0, 2.0]));
    let gradients = DMatrix::from_row_slice(2, 2, &[1.0, 0.0, 0.0, 1.0]);
    let (found, rank) = projected(&gradients, &inverse);
    assert!(found.amax() < 1e-15 && rank == 1);
    let not_finite = FreeMotion::new(&[f64::NAN], 1, |f, x| x.copy_from_slice(f));
    assert_eq!(not_finite.unwrap_err(), Error::of_rows(NOT_FINITE));
    assert_eq!(FreeMotion::new(&[], 0, |_, _| {}).unwrap().rank(), 0);
}

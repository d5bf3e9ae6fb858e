//! Factors LᵀDL of small matrices against dense ones.

use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;
use testing::matrices::inverse_of;

use super::matrices::Columns;
use crate::inertia::tree_factor::{ascending, descending};
use crate::inertia::{Defect, FactorError, FactorStatus, Matrix, Structure, TreeFactor};
use crate::math::simd::forbid_avx2;

fn view(columns: &Columns) -> Matrix<'_> {
    let Columns { structure, starts, rows, values } = columns;
    Matrix { structure: *structure, starts, rows, values }
}

/// The mass matrix of a tree: of each joint an entry with itself and all before it.
fn of_tree(parents: &[usize], values: &[f64]) -> DMatrix<f64> {
    let size = parents.len();
    let mut root = DMatrix::identity(size, size) * 2.0;
    for joint in 0..size {
        let mut before = joint;
        while before > 0 {
            before = parents[before] % before;
            root[(joint, before)] = values[size * joint + before];
        }
    }
    root.transpose() * root
}

proptest! {
    #[test]
    fn solves_are_those_of_dense_matrices(
        (full, x) in (1..65_usize).prop_flat_map(|size| {
            let matrix = (any::<u64>(), 1..6_usize).prop_map(move |(seed, neighbors)| {
                super::matrices::random_matrix(Structure::PositiveDefinite, size, neighbors, seed)
            });
            (matrix, prop::collection::vec(-1.0..1.0_f64, size))
        })
    ) {
        let columns = Columns::of(Structure::PositiveDefinite, &full);
        prop_assert!(view(&columns).is_small());
        let mut small = TreeFactor::default();
        small.update(&view(&columns)).unwrap();
        let mut solved = x.clone();
        small.solve(&mut solved).unwrap();
        let residual = &full * DVector::from_column_slice(&solved) - DVector::from_column_slice(&x);
        prop_assert!(residual.amax() < 1e-12, "{}", residual.amax());
        let norm = |a: &DMatrix<f64>| a.column_iter().map(|column| column.lp_norm(1)).fold(0.0, f64::max);
        let condition = norm(&full) * norm(&inverse_of(&full));
        prop_assert!((small.condition().unwrap() / condition - 1.0).abs() < 1e-10);
        // The same bits without AVX2.
        forbid_avx2(true);
        let mut plain = TreeFactor::default();
        plain.update(&view(&columns)).unwrap();
        forbid_avx2(false);
        let mut again = x.clone();
        plain.solve(&mut again).unwrap();
        prop_assert_eq!(solved.iter().map(|x| x.to_bits()).collect::<Vec<_>>(),
                        again.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
    }

    #[test]
    fn trees_have_no_fill(
        (parents, values) in (1..40_usize).prop_flat_map(|size| {
            (prop::collection::vec(any::<usize>(), size), prop::collection::vec(0.1..1.0_f64, size * size))
        })
    ) {
        let full = of_tree(&parents, &values);
        let columns = Columns::of(Structure::PositiveDefinite, &full);
        let mut small = TreeFactor::default();
        small.update(&view(&columns)).unwrap();
        for row in 0..parents.len() {
            let of_matrix = (0..row).filter(|&column| full[(row, column)] != 0.0);
            let expected = of_matrix.fold(0, |pattern, column| pattern | 1_u64 << column);
            prop_assert_eq!(small.pattern(row), expected);
            // What acts on a joint reaches those before it and no others.
            prop_assert_eq!(small.reached(row), expected | 1 << row);
        }
    }
}

#[test]
fn bits_have_numbers() {
    let bits = 1 | 1 << 5 | 1 << 63;
    assert_eq!(ascending(bits).collect::<Vec<_>>(), [0, 5, 63]);
    assert_eq!(descending(bits.reverse_bits()).collect::<Vec<_>>(), [63, 5, 0]);
    assert_eq!(ascending(0).chain(descending(0)).count(), 0);
}

#[test]
fn matrices_without_a_factor_are_refused() {
    let mut small = TreeFactor::default();
    let mut update = |starts: &[i32], rows: &[i32], values: &[f64]| {
        let result = small.update(&Matrix { structure: Structure::PositiveDefinite, starts, rows, values });
        assert_eq!(small.is_ready(), result.is_ok());
        assert_eq!(small.solve(&mut [1.0, 1.0]).is_ok(), result.is_ok());
        result
    };
    let indefinite = FactorError::NotPositiveDefinite { row: 0 };
    assert_eq!(update(&[0, 2, 3], &[0, 1, 1], &[1.0, 2.0, 1.0]), Err(indefinite));
    assert_eq!(update(&[0, 2, 3], &[0, 1, 1], &[4.0, 1.0, 1.0]), Ok(FactorStatus::Values));
    assert_eq!(update(&[0, 1, 2], &[0, 1], &[1.0, 0.0]), Err(FactorError::NotPositiveDefinite { row: 1 }));
    assert_eq!(update(&[0, 1, 2], &[0, 1], &[1.0, f64::NAN]), Err(FactorError::NotFinite));
    assert_eq!(update(&[0, 1, 2], &[0, 1], &[1.0, 1e-320]), Err(FactorError::NotFinite));
    assert_eq!(update(&[0, 1, 2], &[0, 0], &[1.0, 1.0]), Err(FactorError::Matrix(Defect::Triangle)));
    let too_large: Vec<i32> = (0..=65).collect();
    let (rows, values) = (&too_large[..65], &[1.0; 65]);
    assert!(!Matrix { structure: Structure::PositiveDefinite, starts: &too_large, rows, values }.is_small());
}

/// Pattern and values change alone and together, and a matrix that cannot be factored comes between. Each time the factor has the
/// bits of a new factor, and only the same matrix keeps it.
#[test]
fn the_same_matrix_is_not_factored_again() {
    let solved = |small: &TreeFactor| {
        let mut x = [1.0, 2.0];
        small.solve(&mut x).map(|()| x.map(f64::to_bits))
    };
    let full: [&[i32]; 2] = [&[0, 2, 3], &[0, 1, 1]];
    let diagonal: [&[i32]; 2] = [&[0, 1, 2], &[0, 1]];
    let (kept, values, pattern) = (FactorStatus::Kept, FactorStatus::Values, FactorStatus::Pattern);
    let indefinite = FactorError::NotPositiveDefinite { row: 0 };
    let mut small = TreeFactor::default();
    for ([starts, rows], entries, expected) in [
        (full, &[4.0, 1.0, 3.0][..], Ok(pattern)),
        (full, &[4.0, 1.0, 3.0], Ok(kept)),
        (full, &[4.0, 1.0, 2.0], Ok(values)),
        (diagonal, &[4.0, 2.0], Ok(pattern)),
        (diagonal, &[4.0, 2.0], Ok(kept)),
        (full, &[4.0, 1.0, 2.0], Ok(pattern)),
        (full, &[1.0, 2.0, 1.0], Err(indefinite)),
        (full, &[1.0, 2.0, 1.0], Err(indefinite)),
        (full, &[4.0, 1.0, f64::NAN], Err(FactorError::NotFinite)),
        (full, &[4.0, 1.0, 2.0], Ok(values)),
        (full, &[4.0, -0.0, 2.0], Ok(values)),
        (full, &[4.0, 0.0, 2.0], Ok(values)),
        (full, &[4.0, 0.0], Err(FactorError::Matrix(Defect::Size))),
        (full, &[4.0, 0.0, 2.0], Ok(values)),
        (full, &[4.0, 1.0, 2.0], Ok(values)),
    ] {
        let matrix = Matrix { structure: Structure::PositiveDefinite, starts, rows, values: entries };
        let before = small.revision();
        assert_eq!(small.update(&matrix), expected, "{entries:?}");
        assert_eq!(small.revision() == before, expected == Ok(kept));
        let mut anew = TreeFactor::default();
        assert_eq!(anew.update(&matrix).is_ok(), expected.is_ok());
        assert_eq!(solved(&small), solved(&anew));
    }
}

use nalgebra::{DMatrix, Matrix3xX};
use proptest::prelude::*;
use testing::matrices::inverse_of;

use super::matrices::{Columns, matrix, random_matrix, structures, values};
use crate::inertia::{Defect, FactorError, FactorStatus, Factored, Structure, Workspace};

const SPD: Structure = Structure::PositiveDefinite;
const GENERAL: Structure = Structure::General;

/// The panels of A⁻¹Hᵀ by a dense inverse.
fn expected(inverse: &DMatrix<f64>, panels: &[f64]) -> Vec<f64> {
    let length = 3 * inverse.nrows();
    let solve = |h: &[f64]| (Matrix3xX::from_column_slice(h) * inverse.transpose()).as_slice().to_vec();
    panels.chunks_exact(length).flat_map(solve).collect()
}

fn largest_difference(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| if (a - b).is_nan() { f64::INFINITY } else { (a - b).abs() })
        .fold(0.0, f64::max)
}

fn check_solves(full: &DMatrix<f64>, factor: &Factored, panels: usize, work: &mut Workspace) {
    let inverse = inverse_of(full);
    let h = values(3 * full.nrows() * panels, 17);
    let mut y = h.clone();
    factor.solve(&mut y, work).unwrap();
    assert!(largest_difference(&y, &expected(&inverse, &h)) < 1e-13);
    let mut y = h.clone();
    if factor.half_solve(&mut y, work).unwrap() {
        let (y, h) =
            (DMatrix::from_column_slice(3, y.len() / 3, &y), DMatrix::from_column_slice(3, h.len() / 3, &h));
        let n = full.nrows();
        for (a, b) in [(0, 0), (0, panels - 1), (panels - 1, 0)] {
            let w = y.columns(n * a, n) * y.columns(n * b, n).transpose();
            let expected = h.columns(n * a, n) * &inverse * h.columns(n * b, n).transpose();
            assert!((w - expected).amax() < 1e-13);
        }
    } else {
        assert_eq!(y, h);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::cases(100)))]

    #[test]
    fn solves_agree_with_a_dense_inverse((structure, full) in matrix(1), panels in 1..20_usize) {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        let columns = Columns::of(structure, &full);
        prop_assert_eq!(columns.factor(&mut factor, &mut work), Ok(FactorStatus::Pattern));
        prop_assert_eq!((factor.size(), factor.structure()), (full.nrows(), Some(structure)));
        check_solves(&full, &factor, panels, &mut work);
    }

    /// Rows of a general matrix may come in any order.
    #[test]
    fn unsorted_columns_are_the_same_matrix(seed in any::<u64>()) {
        let full = random_matrix(GENERAL, 20, 4, seed);
        let mut columns = Columns::of(GENERAL, &full);
        for range in columns.starts.clone().windows(2) {
            let range = range[0] as usize..range[1] as usize;
            columns.rows[range.clone()].reverse();
            columns.values[range].reverse();
        }
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        columns.factor(&mut factor, &mut work).unwrap();
        check_solves(&full, &factor, 2, &mut work);
    }

    /// Any sequence of matrices in one factor gives what a factor of its own would give, to the bit.
    #[test]
    fn a_reused_factor_is_as_good_as_new(
        steps in prop::collection::vec((structures(), 0..3_usize, 0..3_u64, any::<bool>()), 1..12),
    ) {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        for (structure, size, seed, broken) in steps {
            let size = [9, 60, 21][size];
            let mut columns = Columns::of(structure, &random_matrix(structure, size, 5, seed));
            if broken {
                columns.values[3] = f64::NAN;
                prop_assert_eq!(columns.factor(&mut factor, &mut work), Err(FactorError::NotFinite));
                prop_assert_eq!(factor.solve(&mut vec![0.0; 3 * size], &mut work), Err(FactorError::Missing));
                continue;
            }
            let (mut fresh, mut other) = (Factored::default(), Workspace::default());
            columns.factor(&mut fresh, &mut other).unwrap();
            columns.factor(&mut factor, &mut work).unwrap();
            let (mut one, mut two) = (values(6 * size, seed), values(6 * size, seed));
            factor.solve(&mut one, &mut work).unwrap();
            fresh.solve(&mut two, &mut other).unwrap();
            prop_assert_eq!(one, two);
        }
    }

    /// Whichever panels are solved with, and in which order, each gets the bits that it gets alone.
    #[test]
    fn panels_do_not_see_each_other(
        (structure, full) in matrix(1), seeds in prop::collection::vec(0..6_u64, 1..20), half in any::<bool>(),
    ) {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        Columns::of(structure, &full).factor(&mut factor, &mut work).unwrap();
        let mut solved = |seeds: &[u64]| -> Vec<u64> {
            // With zeros, as operators that touch few nodes.
            let panel = |seed: &u64| {
                let values = values(3 * full.nrows(), 17 * seed).into_iter().enumerate();
                values.map(move |(i, x)| if i as u64 / 3 % 6 < *seed { 0.0 } else { x }).collect::<Vec<_>>()
            };
            let mut y = seeds.iter().flat_map(panel).collect::<Vec<_>>();
            if half {
                factor.half_solve(&mut y, &mut work).unwrap();
            } else {
                factor.solve(&mut y, &mut work).unwrap();
            }
            y.into_iter().map(f64::to_bits).collect()
        };
        let all = solved(&seeds);
        for (seed, together) in seeds.iter().zip(all.chunks_exact(3 * full.nrows())) {
            prop_assert_eq!(&solved(&[*seed])[..], together);
        }
    }

    /// Ill-formed columns give an error, and nothing panics.
    #[test]
    fn any_columns_are_answered(
        structure in structures(),
        starts in prop::collection::vec(-1..6_i32, 0..6),
        rows in prop::collection::vec(-1..5_i32, 0..8),
        extra in -1..2_i32,
    ) {
        let count = (rows.len() as i32 + extra).max(0) as usize;
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        let result = factor.update(structure, &starts, &rows, &values(count, 3), &mut work);
        prop_assert_eq!(result.is_ok(), factor.solve(&mut vec![0.0; 3 * factor.size()], &mut work).is_ok());
    }

}

proptest! {
    /// Sparse matrices without a diagonal, many of them singular by their pattern alone.
    #[test]
    fn any_pattern_is_answered(
        size in 1..40_usize,
        entries in prop::collection::vec((0..40_usize, 0..40_usize, -1.0..1.0_f64), 0..160),
    ) {
        let mut full = DMatrix::zeros(size, size);
        entries.iter().for_each(|(i, j, x)| full[(i % size, j % size)] = *x);
        let mut columns = Columns { structure: GENERAL, starts: vec![0], rows: vec![], values: vec![] };
        for j in 0..size {
            for i in (0..size).filter(|&i| full[(i, j)] != 0.0) {
                columns.rows.push(i as i32);
                columns.values.push(full[(i, j)]);
            }
            columns.starts.push(columns.rows.len() as i32);
        }
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        let result = columns.factor(&mut factor, &mut work);
        match full.clone().try_inverse() {
            Some(inverse) if inverse.amax() < 1e6 => {
                prop_assert_eq!(result, Ok(FactorStatus::Pattern));
                let mut y = values(3 * size, 1);
                let expected = expected(&inverse, &y);
                factor.solve(&mut y, &mut work).unwrap();
                prop_assert!(largest_difference(&y, &expected) < 1e-14 * inverse.amax().powi(2).max(1.0));
            }
            Some(_) => {}
            None => prop_assert!(
                result == Err(FactorError::Singular) || factor.condition(&mut work).unwrap() > 1e12,
                "{result:?}"
            ),
        }
    }

    /// Small integer matrices, most of them singular or indefinite: the answer agrees with exact arithmetic.
    #[test]
    fn singular_matrices_are_refused(
        structure in structures(), size in 1..7_usize, entries in prop::collection::vec(-1..2_i32, 36),
    ) {
        let mut full = DMatrix::from_fn(size, size, |i, j| f64::from(entries[6 * i + j]));
        if structure == SPD {
            full = DMatrix::from_fn(size, size, |i, j| full[(i.max(j), i.min(j))]);
        }
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        let result = Columns::of(structure, &full).factor(&mut factor, &mut work);
        let singular = full.determinant().abs() < 0.5;
        match structure {
            // Elimination of such small integers makes no rounding error unless a pivot of 3 or more divides.
            GENERAL if singular => prop_assert!(
                result == Err(FactorError::Singular) || factor.condition(&mut work).unwrap() > 1e14,
                "{result:?}"
            ),
            GENERAL => prop_assert_eq!(result, Ok(FactorStatus::Pattern)),
            SPD => {
                let least = full.clone().symmetric_eigenvalues().min();
                if least > 1e-9 {
                    prop_assert_eq!(result, Ok(FactorStatus::Pattern));
                } else if least < -1e-9 {
                    let told = matches!(result, Err(FactorError::NotPositiveDefinite { row }) if row < size);
                    prop_assert!(told, "{:?}", result);
                }
            }
        }
        if result.is_ok() {
            // If the matrix was not refused, solves work.
            let mut y = values(3 * size, 1);
            let h = y.clone();
            factor.solve(&mut y, &mut work).unwrap();
            if !singular && factor.condition(&mut work).unwrap() < 1e10 {
                prop_assert!(largest_difference(&y, &expected(&inverse_of(&full), &h)) < 1e-9);
            }
        }
    }
}

#[test]
fn larger_matrices_of_both_structures() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    for structure in [SPD, GENERAL] {
        for (size, neighbors) in [(150, 0), (150, 1), (200, 12)] {
            let full = random_matrix(structure, size, neighbors, 5);
            Columns::of(structure, &full).factor(&mut factor, &mut work).unwrap();
            // More right-hand sides than are solved at once.
            check_solves(&full, &factor, 17, &mut work);
        }
    }
}

#[test]
fn a_factor_is_kept_while_its_matrix_is_the_same() {
    for structure in [SPD, GENERAL] {
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        let full = random_matrix(structure, 130, 5, 8);
        let mut columns = Columns::of(structure, &full);
        assert_eq!(columns.factor(&mut factor, &mut work), Ok(FactorStatus::Pattern));
        let revision = factor.revision();
        for _ in 0..2 {
            assert_eq!(columns.factor(&mut factor, &mut work), Ok(FactorStatus::Kept));
            assert_eq!(factor.revision(), revision);
        }
        // Every single value counts, the last one and a sign of zero too.
        for at in [0, 1, 64, columns.values.len() - 1] {
            columns.values[at] *= 1.0 + f64::EPSILON;
            assert_eq!(columns.factor(&mut factor, &mut work), Ok(FactorStatus::Values));
        }
        assert_eq!(factor.revision(), revision + 4);
        let changed = random_matrix(structure, 130, 5, 8) * 2.0;
        assert_eq!(Columns::of(structure, &changed).factor(&mut factor, &mut work), Ok(FactorStatus::Values));
        check_solves(&changed, &factor, 2, &mut work);
        // The same number of entries in other places.
        let turned = DMatrix::from_fn(130, 130, |i, j| full[((i + 1) % 130, (j + 1) % 130)]);
        assert_eq!(Columns::of(structure, &turned).factor(&mut factor, &mut work), Ok(FactorStatus::Pattern));
        check_solves(&turned, &factor, 2, &mut work);
        // The same matrix, said to be of the other structure.
        let lower = turned.lower_triangle();
        let (as_spd, as_general) = (Columns::of(SPD, &turned), Columns::of(GENERAL, &lower));
        as_spd.factor(&mut factor, &mut work).unwrap();
        assert_eq!(as_general.rows, as_spd.rows);
        assert_eq!(as_general.factor(&mut factor, &mut work), Ok(FactorStatus::Pattern));
        check_solves(&lower, &factor, 2, &mut work);
    }
}

/// The same rows and values, divided into columns otherwise: (1 0 3; 0 2 0; 0 0 4) and (1 3 0; 2 0 0; 0 0 4).
#[test]
fn starts_belong_to_the_pattern() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    let (rows, values) = ([0, 1, 0, 2], [1.0, 2.0, 3.0, 4.0]);
    for (starts, solution) in [([0, 1, 2, 4], [0.25, 0.5, 0.25]), ([0, 2, 3, 4], [0.5, 1.0 / 6.0, 0.25])] {
        assert_eq!(factor.update(GENERAL, &starts, &rows, &values, &mut work), Ok(FactorStatus::Pattern));
        let mut panel = [1.0; 9];
        factor.solve(&mut panel, &mut work).unwrap();
        assert!(panel.chunks_exact(3).zip(solution).all(|(x, s)| (x[0] - s).abs() < 1e-15), "{panel:?}");
    }
}

/// Rows in any order belong to it, too: (1 0 3; 2 4 0; 0 0 5) and then (1 0 3; 0 4 0; 2 0 5), at the same starts.
#[test]
fn unsorted_rows_belong_to_the_pattern() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    let (starts, values) = ([0, 2, 3, 5], [2.0, 1.0, 4.0, 5.0, 3.0]);
    for (rows, solution) in [([1, 0, 1, 2, 0], [0.4, 0.05, 0.2]), ([2, 0, 1, 2, 0], [-2.0, 0.25, 1.0])] {
        assert_eq!(factor.update(GENERAL, &starts, &rows, &values, &mut work), Ok(FactorStatus::Pattern));
        assert_eq!(factor.update(GENERAL, &starts, &rows, &values, &mut work), Ok(FactorStatus::Kept));
        let mut panel = [1.0; 9];
        factor.solve(&mut panel, &mut work).unwrap();
        assert!(panel.chunks_exact(3).zip(solution).all(|(x, s)| (x[0] - s).abs() < 1e-15), "{panel:?}");
    }
}

/// A pattern that is known does not spare the comparison of lengths.
#[test]
fn a_known_pattern_needs_as_many_values() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    let (starts, values) = ([0, 2, 3], [2.0, 1.0, 4.0, 8.0]);
    for rows in [[0, 1, 1], [1, 0, 1]] {
        factor.update(GENERAL, &starts, &rows, &values[..3], &mut work).unwrap();
        for count in [2, 4] {
            let result = factor.update(GENERAL, &starts, &rows, &values[..count], &mut work);
            assert_eq!(result, Err(FactorError::Matrix(Defect::Size)), "{count}");
        }
    }
}

#[test]
fn after_an_error_the_next_update_is_as_the_first() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    let full = random_matrix(SPD, 30, 4, 2);
    let mut bad = full.clone();
    bad[(17, 17)] = -1.0;
    let [good, bad] = [full.clone(), bad].map(|full| Columns::of(SPD, &full));
    good.factor(&mut factor, &mut work).unwrap();
    for _ in 0..2 {
        let error = bad.factor(&mut factor, &mut work).unwrap_err();
        assert_eq!(error, FactorError::NotPositiveDefinite { row: 17 });
        assert_eq!(factor.solve(&mut [0.0; 90], &mut work), Err(FactorError::Missing));
        assert_eq!(factor.half_solve(&mut [0.0; 90], &mut work), Err(FactorError::Missing));
        assert_eq!(factor.condition(&mut work), Err(FactorError::Missing));
    }
    // The values of the last good matrix are not taken for the factor's.
    assert_eq!(good.factor(&mut factor, &mut work), Ok(FactorStatus::Values));
    check_solves(&full, &factor, 2, &mut work);
}

#[test]
fn the_row_without_a_positive_pivot_is_named() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    // Without a negative diagonal entry all leading minors are positive in any order: its row is where they end. Large
    // matrices have many supernodes, the second one has no neighbors and none.
    for (size, neighbors, value) in [(12, 3, -1e3), (12, 0, 0.0), (150, 1, -1.0), (150, 4, -1.0)] {
        for row in [0, 5, 11, size / 2, size - 1] {
            let mut full = random_matrix(SPD, size, neighbors, 1);
            full[(row, row)] = value;
            let error = Columns::of(SPD, &full).factor(&mut factor, &mut work).unwrap_err();
            assert_eq!(error, FactorError::NotPositiveDefinite { row }, "{size} {neighbors}");
        }
    }
}

#[test]
fn ill_formed_columns_are_refused() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    let mut told = |structure, starts: &[i32], rows: &[i32], count| {
        factor.update(structure, starts, rows, &vec![1.0; count], &mut work).unwrap_err()
    };
    use FactorError::Matrix;
    for structure in [SPD, GENERAL] {
        assert_eq!(told(structure, &[], &[], 0), Matrix(Defect::Size));
        assert_eq!(told(structure, &[0], &[], 0), Matrix(Defect::Size));
        assert_eq!(told(structure, &[0, 1, 2], &[0, 1], 3), Matrix(Defect::Size));
        assert_eq!(told(structure, &[0, 2, 1], &[0, 1], 2), Matrix(Defect::Starts));
        assert_eq!(told(structure, &[1, 1, 2], &[0, 1], 2), Matrix(Defect::Starts));
        assert_eq!(told(structure, &[0, 1, 2], &[0, 2], 2), Matrix(Defect::Row));
        assert_eq!(told(structure, &[0, 1, 2], &[0, -1], 2), Matrix(Defect::Row));
    }
    assert_eq!(told(SPD, &[0, 2, 3], &[1, 0, 1], 3), Matrix(Defect::Triangle));
    assert_eq!(told(SPD, &[0, 1, 3], &[0, 0, 1], 3), Matrix(Defect::Triangle));
    assert_eq!(told(SPD, &[0, 1, 1], &[0], 1), Matrix(Defect::Triangle));
    assert_eq!(told(SPD, &[0, 2, 3], &[0, 0, 1], 3), Matrix(Defect::Triangle));
    assert_eq!(told(GENERAL, &[0, 3, 4], &[1, 0, 1, 1], 4), Matrix(Defect::Duplicate));
    // An empty column, and two columns alike.
    assert_eq!(told(GENERAL, &[0, 2, 2], &[0, 1], 2), FactorError::Singular);
    assert_eq!(told(GENERAL, &[0, 2, 4], &[0, 1, 0, 1], 4), FactorError::Singular);
}

#[test]
fn extreme_values_are_reported() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    for structure in [SPD, GENERAL] {
        for bad in [f64::NAN, f64::INFINITY] {
            let error = factor.update(structure, &[0, 1, 2], &[0, 1], &[1.0, bad], &mut work).unwrap_err();
            assert_eq!(error, FactorError::NotFinite);
        }
        // Scales far from one do no harm.
        for scale in [1e-300, 1e300] {
            factor.update(structure, &[0, 1, 2], &[0, 1], &[scale, 2.0 * scale], &mut work).unwrap();
            let mut panel = [scale; 6];
            factor.solve(&mut panel, &mut work).unwrap();
            assert!(largest_difference(&panel, &[1.0, 1.0, 1.0, 0.5, 0.5, 0.5]) < 1e-15);
        }
    }
}

/// The bits do not depend on the addresses of the matrix, the right-hand sides or the factor.
#[test]
fn addresses_do_not_matter() {
    for structure in [SPD, GENERAL] {
        let full = random_matrix(structure, 150, 9, 4);
        let columns = Columns::of(structure, &full);
        let h = values(5 * 450, 9);
        let mut first: Option<Vec<f64>> = None;
        let mut holes = Vec::new();
        for shift in 0..12 {
            holes.push(vec![0_u8; 1 + 1237 * shift]);
            let (mut factor, mut work) = (Factored::default(), Workspace::default());
            let mut shifted = vec![0.0; shift];
            shifted.extend_from_slice(&columns.values);
            factor.update(structure, &columns.starts, &columns.rows, &shifted[shift..], &mut work).unwrap();
            let mut y = vec![0.0; shift];
            y.extend_from_slice(&h);
            factor.solve(&mut y[shift..], &mut work).unwrap();
            let first = first.get_or_insert_with(|| y[shift..].to_vec());
            assert!(first.iter().zip(&y[shift..]).all(|(a, b)| a.to_bits() == b.to_bits()));
        }
    }
}

#[test]
fn memory_is_reported() {
    let (mut factor, mut work) = (Factored::default(), Workspace::default());
    assert_eq!((factor.bytes(), factor.factor_length(), work.bytes()), (0, 0, 0));
    for structure in [SPD, GENERAL] {
        let columns = Columns::of(structure, &random_matrix(structure, 200, 4, 3));
        columns.factor(&mut factor, &mut work).unwrap();
        let least = 12 * columns.values.len() + 8 * factor.factor_length();
        assert!(factor.bytes() > least && factor.bytes() < 4 * least);
        assert!(factor.factor_length() >= columns.values.len());
        assert!(work.bytes() > 0);
    }
}

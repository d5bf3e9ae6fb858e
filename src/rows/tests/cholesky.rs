//! Factors, solutions and determinants against dense ones.

use nalgebra::{DMatrix, DVector};
use proptest::prelude::*;

use super::random::{Scene, chain, heights};
use crate::rows::{BlockRows, Cholesky, Error, Fault, RowLayout};

proptest! {
    /// Any W, any μ: one for all, for each row, for each scalar. The dense matrix has the same μ on its diagonal.
    #[test]
    fn solutions_are_those_of_dense_matrices(
        bodies in 1..7_usize, pairs in prop::collection::vec((0..7_usize, 0..7_usize), 1..12), each in 0..3_usize,
        entries in prop::collection::vec(-1.0..1.0_f64, 500), mu in prop::collection::vec(0.01..1.0_f64, 72),
        any in prop::collection::vec(1..7_usize, 12), are_three in any::<bool>(),
    ) {
        let heights = heights(pairs.len(), &any, are_three);
        let scene = Scene::of_any_operators(&chain(bodies, &pairs, &heights, &entries), &heights);
        let size: usize = heights.iter().sum();
        let mu = &mu[..[1, pairs.len(), size][each]];
        let mut dense = scene.dense.clone();
        let rows = heights.iter().enumerate().flat_map(|(row, &height)| std::iter::repeat_n(row, height));
        for (i, row) in rows.enumerate() {
            dense[(i, i)] += mu[[0, row, i][each]];
        }
        let mut factor = Cholesky::new();
        factor.factorize(&scene.rows(), mu).unwrap();
        let right = DVector::from_column_slice(&entries[100..100 + size]);
        let mut x = right.clone();
        factor.solve(x.as_mut_slice()).unwrap();
        let expected = dense.clone().lu().solve(&right).unwrap();
        prop_assert!((x - &expected).amax() < 1e-9 * expected.amax());
        let values = dense.symmetric_eigenvalues();
        let expected: f64 = values.iter().map(|value| value.ln()).sum();
        prop_assert!((factor.log_determinant().unwrap() - expected).abs() < 1e-9 * size as f64);
    }
}

/// Seven rows, each with a pivot that is not positive in turn, alone and coupled with the next one.
#[test]
fn the_row_of_a_pivot_that_is_not_positive_is_told() {
    for is_coupled in [false, true] {
        for bad in 0..7 {
            // The last of them is what rounding leaves: positive.
            for pivot in [0.0, -1.0, 4e-16] {
                let mut h = DMatrix::identity(21, 21);
                if is_coupled {
                    (0..20).for_each(|k| h[(k, k + 1)] = 0.25);
                }
                let mut scene = Scene::of_operators(&DMatrix::zeros(21, 6));
                scene.dense = &h * h.transpose();
                let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
                for row in 0..7_usize {
                    for column in row.saturating_sub(1)..(row + 2).min(7) {
                        let block = scene.dense.view((3 * row, 3 * column), (3, 3));
                        let mut block: [f64; 9] = std::array::from_fn(|k| block[(k % 3, k / 3)]);
                        if row == bad || column == bad {
                            block[1..].fill(0.0);
                            block[0] = 0.0;
                            if row == column {
                                block = [1.0 + pivot, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0];
                            }
                        }
                        columns.push(column as i32);
                        values.push(block);
                    }
                    starts.push(columns.len() as i32);
                }
                let rows = BlockRows::new(&starts, &columns, values.as_flattened(), None).unwrap();
                let mut factor = Cholesky::new();
                let error = factor.factorize(&rows, &[]).unwrap_err();
                assert_eq!(error, Error { row: Some(bad), fault: Fault::NotPositive });
                assert!(factor.solve(&mut [0.0; 21]).is_err() && factor.log_determinant().is_err());
                factor.factorize(&rows, &[2.0]).unwrap();
            }
        }
    }
}

/// Two constraints on one point of one body: the second adds nothing. Rounding must not pass for a pivot.
#[test]
fn what_rounding_leaves_is_no_pivot() {
    for seed in 1..50 {
        let entries: Vec<f64> = (0..36).map(|k| f64::from(k * seed % 37) / 37.0 - 0.4).collect();
        let one = chain(2, &[(0, 1)], &[3], &entries);
        let h = DMatrix::from_fn(6, 12, |i, j| one[(i % 3, j)] * if i < 3 { 1.0 } else { 1.7 });
        let scene = Scene::of_operators(&h);
        let mut factor = Cholesky::new();
        let error = factor.factorize(&scene.rows(), &[]).unwrap_err();
        assert_eq!(error.fault, Fault::NotPositive);
        factor.factorize(&scene.rows(), &[1e-9]).unwrap();
    }
}

#[test]
fn ill_formed_rows_are_refused() {
    let block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let told = |starts: &[i32], columns: &[i32], values: &[[f64; 9]], mu: &[f64]| {
        let made = BlockRows::new(starts, columns, values.as_flattened(), None);
        made.and_then(|rows| Cholesky::new().factorize(&rows, mu))
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    let two = [block; 2];
    assert_eq!(told(&[0, 1, 2], &[0, 1], &two, &[]), "");
    assert_eq!(told(&[0], &[], &[], &[1.0]), "");
    let starts = "starts do not ascend from 0 to the number of blocks";
    for bad in [&[0, 2, 1][..], &[0, 1, 3], &[1, 1, 2], &[0, -1, 2], &[]] {
        assert_eq!(told(bad, &[0, 1], &two, &[]), starts);
    }
    assert_eq!(told(&[0, 1, 2], &[0, 1], &[block], &[]), "values: 9 values where 18 are needed");
    assert_eq!(told(&[0, 1, 2], &[0, 2], &two, &[]), "constraint of row 1: a column lies outside W");
    assert_eq!(told(&[0, 1, 2], &[0, -1], &two, &[]), "constraint of row 1: a column lies outside W");
    assert_eq!(told(&[0, 2, 2], &[0, 0], &two, &[]), "constraint of row 0: its columns do not ascend");
    assert_eq!(told(&[0, 1, 2], &[1, 1], &two, &[]), "constraint of row 0: its diagonal block is missing");
    assert_eq!(told(&[0, 1, 2], &[0, 1], &two, &[1.0; 4]), "mu: 4 values where 2 are needed");
    assert_eq!(told(&[0, 1, 2], &[0, 1], &two, &[f64::NAN]), "mu is not finite");
    let nan = [block, [f64::NAN; 9]];
    assert_eq!(told(&[0, 1, 2], &[0, 1], &nan, &[]), "constraint of row 1: a block of W is not finite");
    let mut factor = Cholesky::new();
    assert_eq!(factor.solve(&mut []).unwrap_err().to_string(), "W + mu 1 has not been factored");
    factor.factorize(&BlockRows::new(&[0, 1], &[0], &block, None).unwrap(), &[]).unwrap();
    assert_eq!(
        factor.solve(&mut [0.0; 2]).unwrap_err().to_string(),
        "a vector with a value for each scalar row: 2 values where 3 are needed"
    );
}

/// Two rows, of one and of two scalars.
#[test]
fn ill_formed_layouts_are_refused() {
    let told = |scalars: &[i32], places: &[usize], count: usize| {
        let values = &[1.0, 1.0, 0.0, 0.0, 1.0, 7.0][..count];
        let layout = RowLayout::new(scalars, places);
        let made = layout.and_then(|layout| BlockRows::new(&[0, 1, 2], &[0, 1], values, Some(layout)));
        made.err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(told(&[0, 1, 3], &[0, 1, 5], 5), "");
    assert_eq!(told(&[0, 1, 3], &[0, 1, 5], 6), "values: 6 values where 5 are needed");
    assert_eq!(told(&[0, 1], &[0, 1, 5], 5), "starts of scalars: 2 values where 3 are needed");
    assert_eq!(told(&[0, 1, 3], &[0, 1], 5), "starts of values: 2 values where 3 are needed");
    for (scalars, places) in [([1, 2, 4], [0, 1, 5]), ([0, 1, 3], [1, 2, 6])] {
        assert_eq!(told(&scalars, &places, 6), "starts of scalars or values do not begin with 0");
    }
    for (row, scalars) in [(0, [0, 0, 2]), (1, [0, 1, 8]), (0, [0, -1, 1]), (1, [0, 1, i32::MIN])] {
        assert_eq!(
            told(&scalars, &[0, 1, 5], 5),
            format!("constraint of row {row}: it has not one to six scalars")
        );
    }
    for (row, places) in [(0, [0, 2, 6]), (1, [0, 1, 4]), (1, [0, 1, usize::MAX])] {
        let expected = format!("constraint of row {row}: starts of values are not those of its blocks");
        assert_eq!(told(&[0, 1, 3], &places, 5), expected);
    }
}

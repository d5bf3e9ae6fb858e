//! Layouts: a layout of threes changes nothing, and owned layouts equal the layouts of the blocks.

use nalgebra::DMatrix;
use proptest::prelude::*;

use super::random::{Scene, chain, heights};
use crate::rows::multiply::{Columns, multiply};
use crate::rows::{BlockRows, Cholesky, Layout, RowLayout, RowLayoutBuf, Threes, dependent_rows};

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

proptest! {
    /// Products, factors and ranks with and without an explicit layout have the same bits.
    #[test]
    fn a_layout_of_threes_changes_no_bit(
        bodies in 1..7_usize, pairs in prop::collection::vec((0..7_usize, 0..7_usize), 1..12),
        entries in prop::collection::vec(-1.0..1.0_f64, 500), count in 1..6_usize,
    ) {
        let scene = Scene::of_operators(&chain(bodies, &pairs, &vec![3; pairs.len()], &entries));
        let Scene { starts, columns, values, scalars, places, .. } = &scene;
        let layout = RowLayout::new(scalars, places).unwrap();
        let with = BlockRows::new(starts, columns, values, Some(layout)).unwrap();
        let without = BlockRows::new(starts, columns, values, None).unwrap();
        prop_assert!(with.layout().is_none() && with.as_threes().is_some());
        let results = [with, without].map(|w| {
            let size = w.scalar_count();
            let mut y = vec![0.0; count * size];
            let x = Columns { values: &entries[..count * size], stride: size };
            multiply(&w, count, x, Columns { values: &mut y, stride: size });
            let mut factor = Cholesky::new();
            factor.factorize(&w, &[0.5]).unwrap();
            let mut x = entries[..size].to_vec();
            factor.solve(&mut x).unwrap();
            let dependent = dependent_rows(&w, 0.0).unwrap();
            (bits(&y), bits(&x), factor.log_determinant().unwrap().to_bits(), dependent)
        });
        prop_assert_eq!(&results[0], &results[1]);
    }

    /// The layout of heights is the one of the blocks; each of its functions agrees with the starts.
    #[test]
    fn layouts_of_heights_are_those_of_blocks(
        pairs in prop::collection::vec((0..5_usize, 0..5_usize), 1..12), any in prop::collection::vec(1..7_usize, 12),
        are_three in any::<bool>(),
    ) {
        let heights = heights(pairs.len(), &any, are_three);
        let scene = Scene::of_any_operators(&chain(5, &pairs, &heights, &[1.0, 0.5, -0.75]), &heights);
        let made = RowLayoutBuf::new(&heights, &scene.starts, &scene.columns).unwrap();
        let layout = made.borrow();
        prop_assert_eq!(layout.scalar_starts(), &scene.scalars[..]);
        prop_assert_eq!(layout.value_starts(), &scene.places[..]);
        prop_assert_eq!(layout.is_threes(), heights.iter().all(|&height| height == 3));
        let rows = heights.len();
        let agrees = |one: &dyn Fn(usize) -> bool| (0..rows).all(one);
        prop_assert!(agrees(&|row| layout.height(row) == heights[row]));
        prop_assert!(agrees(&|row| layout.scalars(row).all(|scalar| layout.row_of(scalar) == row)));
        prop_assert_eq!(layout.scalar_count(rows), heights.iter().sum::<usize>());
        if layout.is_threes() {
            prop_assert!(agrees(&|row| Threes.scalars(row) == layout.scalars(row) && Threes.height(row) == 3));
            prop_assert!(agrees(&|row| layout.scalars(row).all(|scalar| Threes.row_of(scalar) == row)));
            let blocks = scene.columns.len();
            prop_assert_eq!(Threes.values(1..blocks), layout.values(1..blocks));
            prop_assert_eq!(Threes.scalar_count(rows), layout.scalar_count(rows));
        }
    }

    /// Entries by scalar rows are the dense matrix.
    #[test]
    fn compressed_rows_are_those_of_dense_matrices(
        pairs in prop::collection::vec((0..5_usize, 0..5_usize), 1..12), any in prop::collection::vec(1..7_usize, 12),
        are_three in any::<bool>(),
    ) {
        let heights = heights(pairs.len(), &any, are_three);
        let scene = Scene::of_any_operators(&chain(5, &pairs, &heights, &[1.0, 0.5, -0.75]), &heights);
        let w = scene.rows();
        let (size, entries) = (w.scalar_count(), w.values().len());
        let (mut starts, mut columns, mut values) = (vec![-1; size + 1], vec![-1; entries], vec![0.0; entries]);
        w.copy_csr(&mut starts, &mut columns, &mut values);
        let mut dense = DMatrix::zeros(size, size);
        for i in 0..size {
            let own = starts[i] as usize..starts[i + 1] as usize;
            prop_assert!(columns[own.clone()].is_sorted_by(|a, b| a < b));
            own.for_each(|k| dense[(i, columns[k] as usize)] = values[k]);
        }
        prop_assert_eq!(starts[size] as usize, entries);
        prop_assert_eq!(dense, scene.dense);
    }
}

#[test]
fn ill_formed_heights_are_refused() {
    let told = |heights: &[usize], starts: &[i32]| {
        RowLayoutBuf::new(heights, starts, &[0, 1]).err().map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(told(&[1, 6], &[0, 1, 2]), "");
    assert_eq!(told(&[1], &[0, 1, 2]), "heights: 1 values where 2 are needed");
    assert_eq!(told(&[1, 6], &[0, 1, 3]), "starts do not ascend from 0 to the number of blocks");
    for height in [0, 7, usize::MAX] {
        assert_eq!(told(&[1, height], &[0, 1, 2]), "constraint of row 1: it has not one to six scalars");
    }
}

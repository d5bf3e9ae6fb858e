use nalgebra::{DMatrix, Matrix3};
use proptest::prelude::*;

use super::matrices::{Columns, random_matrix};
use crate::inertia::{NodeBlocks, Sparse, Structure, weighted_block};

proptest! {
    #[test]
    fn blocks_of_a_sparse_inverse(seed in any::<u64>(), neighbours in 0..5_usize, reversed in any::<bool>()) {
        let full = random_matrix(Structure::General, 15, neighbours, seed);
        let mut columns = Columns::of(Structure::General, &full);
        if reversed {
            for range in columns.starts.clone().windows(2) {
                let range = range[0] as usize..range[1] as usize;
                columns.rows[range.clone()].reverse();
                columns.values[range].reverse();
            }
        }
        let sparse = Sparse::new(&columns.starts, &columns.rows, &columns.values).unwrap();
        for (a, b) in (0..5).flat_map(|a| (0..5).map(move |b| (a, b))) {
            let expected: Matrix3<f64> = full.fixed_view::<3, 3>(3 * a, 3 * b).into();
            prop_assert_eq!(Matrix3::from_column_slice(&sparse.block(a as u32, b as u32).unwrap()), expected);
        }
        for missing in [(5, 0), (0, 5), (u32::MAX, 0), (0, u32::MAX)] {
            prop_assert_eq!(sparse.block(missing.0, missing.1), None);
        }

        // Σ N_a N_b G_ab as a product of dense matrices.
        let (rows, row_weights) = ([0, 2, 4], [0.5, 0.25, -1.0]);
        let (columns, column_weights) = ([1, 2], [2.0, 0.125]);
        let spread = |nodes: &[u32], weights: &[f64]| {
            let mut n = DMatrix::zeros(3, 15);
            for (&node, &weight) in nodes.iter().zip(weights) {
                n.view_mut((0, 3 * node as usize), (3, 3)).fill_diagonal(weight);
            }
            n
        };
        let got = weighted_block(&sparse, (&rows, &row_weights), (&columns, &column_weights)).unwrap();
        let expected = spread(&rows, &row_weights) * &full * spread(&columns, &column_weights).transpose();
        prop_assert!((DMatrix::from_column_slice(3, 3, &got) - expected).amax() < 1e-13);
        prop_assert_eq!(weighted_block(&sparse, (&rows, &row_weights), (&[5], &[1.0])), None);
    }
}

/// A size that is no multiple of three has a last, incomplete node without blocks.
#[test]
fn incomplete_nodes_have_no_blocks() {
    let sparse = Sparse::new(&[0, 1, 2, 3, 4], &[0, 1, 2, 3], &[1.0; 4]).unwrap();
    assert!(sparse.block(0, 0).is_some());
    assert_eq!(sparse.block(1, 0), None);
    assert_eq!(sparse.block(0, 1), None);
}

use nalgebra::{DMatrix, Matrix3};
use proptest::prelude::*;

use super::matrices::{Columns, random_matrix};
use crate::inertia::{Inverse, Sparse, Structure};

fn columns(full: &DMatrix<f64>, reversed: bool) -> Columns {
    let mut columns = Columns::of(Structure::General, full);
    if reversed {
        for range in columns.starts.clone().windows(2) {
            let range = range[0] as usize..range[1] as usize;
            columns.rows[range.clone()].reverse();
            columns.values[range].reverse();
        }
    }
    columns
}

proptest! {
    #[test]
    fn blocks_of_nodes_where_no_two_are_coupled(seed in any::<u64>(), reversed in any::<bool>(), coupled in any::<bool>()) {
        let full = random_matrix(Structure::General, 15, 14, seed);
        let nodewise =
            DMatrix::from_fn(15, 15, |i, j| if i / 3 == j / 3 { full[(i, j)] } else { 0.0 });
        let mut given = nodewise.clone();
        if coupled {
            given[(4, 9)] = 0.5;
        }
        let columns = columns(&given, reversed);
        let sparse = Sparse::new(&columns.starts, &columns.rows, &columns.values).unwrap();
        match Inverse::Sparse(sparse).node_blocks() {
            Some(blocks) => {
                prop_assert!(!coupled);
                for (a, block) in blocks.enumerate() {
                    let expected: Matrix3<f64> = nodewise.fixed_view::<3, 3>(3 * a, 3 * a).into();
                    prop_assert_eq!(Matrix3::from_column_slice(&block), expected);
                }
            }
            None => prop_assert!(coupled),
        }
    }
}

/// A size that is no multiple of three is no mesh's.
#[test]
fn incomplete_nodes_have_no_blocks() {
    let sparse = Sparse::new(&[0, 1, 2, 3, 4], &[0, 1, 2, 3], &[1.0; 4]).unwrap();
    assert!(Inverse::Sparse(sparse).node_blocks().is_none());
}

/// One entry in each column, but not on the diagonal; and one that is given in two parts.
#[test]
fn entries_count_where_they_are() {
    let blocks = |starts: &[i32], rows: &[i32], values: &[f64]| {
        let inverse = Inverse::Sparse(Sparse::new(starts, rows, values).unwrap());
        assert_eq!(inverse.diagonal(), None);
        inverse.node_blocks().unwrap().next().unwrap()
    };
    let exchanged = blocks(&[0, 1, 2, 3], &[1, 0, 2], &[1.0, 2.0, 3.0]);
    assert_eq!(exchanged, [0.0, 1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 3.0]);
    let in_parts = blocks(&[0, 2, 3, 4], &[0, 0, 1, 2], &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(in_parts, [3.0, 0.0, 0.0, 0.0, 3.0, 0.0, 0.0, 0.0, 4.0]);
}

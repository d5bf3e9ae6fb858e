//! Products of rows of any heights against dense ones.

use nalgebra::DVector;
use proptest::prelude::*;

use super::random::{Scene, chain, heights};
use crate::rows::multiply::{Columns, multiply};

proptest! {
    #[test]
    fn products_are_those_of_dense_matrices(
        bodies in 1..7_usize, pairs in prop::collection::vec((0..7_usize, 0..7_usize), 1..12), gap in 0..3_usize,
        entries in prop::collection::vec(-1.0..1.0_f64, 500), any in prop::collection::vec(1..7_usize, 12),
        are_three in any::<bool>(), count in 1..6_usize,
    ) {
        let heights = heights(pairs.len(), &any, are_three);
        let scene = Scene::of_any_operators(&chain(bodies, &pairs, &heights, &entries), &heights);
        let size = scene.dense.nrows();
        let stride = size + gap;
        let mut y = vec![0.0; count * stride];
        let x = Columns { values: &entries[..count * stride], stride };
        multiply(&scene.rows(), count, x, Columns { values: &mut y, stride });
        for k in 0..count {
            let x = DVector::from_column_slice(&entries[k * stride..][..size]);
            let own = DVector::from_column_slice(&y[k * stride..][..size]);
            prop_assert!((own - &scene.dense * x).amax() < 1e-12);
        }
    }
}

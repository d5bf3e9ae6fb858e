//! What an update of factors allocates, by counting.

use ldy::inertia::{FactorStatus, Factored, NodalInverse, Structure, Workspace};
use testing::allocator::own_allocations;

fn allocations(action: impl FnOnce()) -> usize {
    let before = own_allocations();
    action();
    own_allocations() - before
}

/// A banded matrix of 4 × 4 × 4 nodes numbered along a box, its lower triangle or all of it.
fn matrix(structure: Structure) -> (Vec<i32>, Vec<i32>, Vec<f64>) {
    let (size, band) = (3 * 64, 63_i32);
    let (mut starts, mut rows, mut values) = (vec![0], vec![], vec![]);
    for j in 0..size {
        let first = if structure == Structure::General { (j - band).max(0) } else { j };
        for i in first..size.min(j + band) {
            rows.push(i);
            values.push(if i == j { 100.0 } else { f64::from((i * j) % 7) / 7.0 - 0.5 });
        }
        starts.push(rows.len() as i32);
    }
    (starts, rows, values)
}

#[test]
fn a_steady_update_does_not_allocate() {
    for structure in [Structure::PositiveDefinite, Structure::General] {
        let (starts, rows, mut values) = matrix(structure);
        let (mut factor, mut work) = (Factored::default(), Workspace::default());
        let mut entries = NodalInverse::default();
        let nodes: Vec<u32> = (0..40).collect();
        let mut panels = vec![1.0; 3 * 192 * 20];
        let mut update = |values: &[f64], expected| {
            assert_eq!(factor.update(structure, &starts, &rows, values, &mut work), Ok(expected));
            entries.update(&factor, &nodes, &mut work).unwrap();
            factor.solve(&mut panels, &mut work).unwrap();
            factor.half_solve(&mut panels, &mut work).unwrap();
        };
        update(&values, FactorStatus::Pattern);
        assert_eq!(allocations(|| update(&values, FactorStatus::Kept)), 0);
        values[0] += 1.0;
        assert_eq!(allocations(|| update(&values, FactorStatus::Values)), 0);
    }
}

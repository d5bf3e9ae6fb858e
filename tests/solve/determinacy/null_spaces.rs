//! Determined components against null spaces by singular values.

use ldy::solve::{Kind, Law, SolutionSet, Status};
use nalgebra::DMatrix;
use testing::Random;

use crate::solve::dense::Dense;

/// Fixed rows: all components have directions, so that the null space of W counts.
#[test]
fn determined_components_of_random_joints() {
    let mut random = Random::new(5);
    let mut met = [0; 2];
    for case in 0..120 {
        let (rows, columns) = (2 + case % 4, 3 + case % 7);
        // All rows act on all columns; or on every other one, so that parts of the null space do not meet; or on a window of four, so
        // that null vectors go through rows of several kinds.
        let h = DMatrix::from_fn(3 * rows, columns, |i, j| {
            let is_there = match case % 3 {
                0 => true,
                1 => (i / 3) % 2 == j % 2,
                _ => (i / 3..i / 3 + 4).contains(&j),
            };
            let value = random.signed();
            if is_there { value } else { 0.0 }
        });
        let u = nalgebra::DVector::from_fn(columns, |_, _| random.signed());
        let dense = Dense::of_bodies(&h, &u);
        let laws = vec![Law::fixed(); rows];
        let (report, forces) = dense.solve(&laws, &Default::default()).unwrap();
        if report.status != Status::Converged {
            // W is nearly singular, so that rounding decides.
            continue;
        }
        let set = SolutionSet::new(&dense.problem(), &laws, forces.as_flattened(), 0.0).unwrap();
        // Rows of H that are in no null vector.
        let full = h.clone().svd(true, false);
        let range = full.u.unwrap();
        let rank = full.singular_values.iter().filter(|value| **value > 1e-9).count();
        let range = range.columns(0, rank);
        for (scalar, is_determined) in set.determined().enumerate() {
            let left = 1.0 - range.row(scalar).norm_squared();
            assert_eq!(is_determined, left < 1e-9, "case {case}, component {scalar}: {left:e}");
            met[usize::from(is_determined)] += 1;
        }
    }
    assert!(met.iter().all(|&count| count > 50), "{met:?}");
}

/// Components at a bound with a velocity are determined, and do not share in null vectors.
#[test]
fn components_at_bounds_are_determined() {
    let h = DMatrix::from_row_slice(3, 1, &[1.0, 1.0, 1.0]);
    let dense = Dense::of_bodies(&h, &nalgebra::DVector::from_element(1, -3.0));
    let kind =
        |upper: [f64; 3]| vec![Law { kind: Kind::Bounds { lower: [0.0; 3], upper }, bias: [0.0, 0.0, -1.0] }];
    let laws = kind([5.0, 5.0, 1.0]);
    // The third component has the velocity −1 and its greatest force; the others share the rest.
    let mut set = SolutionSet::new(&dense.problem(), &laws, &[0.5, 1.5, 1.0], 0.0).unwrap();
    assert!(set.determined().eq([false, false, true]));
    assert_eq!(set.causes(0, 0).unwrap(), [0]);
    for (scalar, [least, greatest]) in [[0.0, 2.0], [0.0, 2.0], [1.0, 1.0]].into_iter().enumerate() {
        let found = set.intervals(&[0]).unwrap()[scalar];
        assert!((found[0] - least).abs() < 1e-9 && (found[1] - greatest).abs() < 1e-9, "{scalar}: {found:?}");
    }
}

/// Forces that are no solution, and bad arguments.
#[test]
fn what_is_refused() {
    let h = DMatrix::from_row_slice(3, 2, &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
    let dense = Dense::of_bodies(&h, &nalgebra::DVector::from_element(2, 1.0));
    let laws = [Law::fixed()];
    let refused = |forces: &[f64], tolerance: f64| {
        SolutionSet::new(&dense.problem(), &laws, forces, tolerance).unwrap_err().to_string()
    };
    assert!(SolutionSet::new(&dense.problem(), &laws, &[-1.0, -1.0, 0.0], 0.0).is_ok());
    let why = "constraint of row 0: the forces are no solution: the residual of its group of rows is larger than the tolerance";
    assert_eq!(refused(&[-1.0, -1.0, 1e-3], 0.0), why);
    assert!(SolutionSet::new(&dense.problem(), &laws, &[-1.0, -1.0, 1e-3], 0.1).is_ok());
    assert_eq!(refused(&[f64::NAN, 0.0, 0.0], 0.0), "constraint of row 0: its force is not finite");
    assert_eq!(refused(&[0.0; 2], 0.0), "forces: 2 values where 3 are needed");
    for tolerance in [-1.0, 1.0, f64::NAN] {
        assert_eq!(refused(&[-1.0, -1.0, 0.0], tolerance), "the tolerance is not between 0 and 1");
    }
    let mut set = SolutionSet::new(&dense.problem(), &laws, &[-1.0, -1.0, 0.0], 0.0).unwrap();
    let why = "constraint of row 1: there is no body or constraint with this id";
    assert_eq!(set.intervals(&[0, 1]).unwrap_err().to_string(), why);
    let why = "constraint of row 0: there is no such component of its force";
    assert_eq!(set.causes(0, 3).unwrap_err().to_string(), why);
    assert_eq!(set.canonical(&mut [0.0; 2]).unwrap_err().to_string(), "forces: 2 values where 3 are needed");
    let w = DMatrix::from_row_slice(3, 3, &[1.0, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let skew = Dense::new(w, &nalgebra::DVector::zeros(3));
    let error = SolutionSet::new(&skew.problem(), &laws, &[0.0; 3], 0.0).unwrap_err().to_string();
    assert_eq!(error, "constraint of row 0: its blocks of W are not symmetric");
}

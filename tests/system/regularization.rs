//! Regularization, W + diag μ: values that differ within a row, for rows of all heights, and calls that are refused.

use ldy::system::System;
use nalgebra::{DMatrix, DVector};
use testing::{Random, blocks};

use super::model::{Body, Constraint, Known, Model, Place, insert_constraint};
use ldy::system::Kinematics;

const STEP: f64 = 0.5;

/// Constraints with these heights, each with a compliance or without, between two bodies or on one.
fn model(heights: &[usize], random: &mut Random) -> Model {
    let body = |random: &mut Random| Body {
        kinematics: Kinematics::General,
        known: Known::Dense,
        inverse: random.definite(8),
        velocities: [random.values(8), random.values(8)],
    };
    let bodies = (0..3).map(|id| (id, body(random))).collect();
    let constraint = |(k, &rows): (usize, &usize)| Constraint {
        rows,
        bodies: if k % 2 == 0 { vec![0, 1] } else { vec![2] },
        place: Place::Operators((0..2 - k % 2).map(|_| random.matrix(rows, 8)).collect(), false),
        compliance: (k % 3 == 1).then(|| random.definite(rows)),
        shift: vec![0.0; rows],
    };
    let constraints = (0..).zip(heights.iter().enumerate().map(constraint)).collect();
    Model { bodies, constraints, next: heights.len() as _, next_body: 3 }
}

fn w(system: &mut System) -> DMatrix<f64> {
    system.update(STEP).unwrap();
    let rows = system.results().unwrap();
    blocks::dense(rows.w.starts(), rows.w.columns(), rows.w.values(), |row| rows.w.scalars(row))
}

fn bits(matrix: &DMatrix<f64>) -> Vec<u64> {
    matrix.iter().map(|value| value.to_bits()).collect()
}

/// Regularize and compare with the dense reference.
fn check(system: &mut System, model: &mut Model, mu: &[f64]) {
    system.set_regularization(mu).unwrap();
    model.set_shifts(mu);
    let (found, expected) = (w(system), model.reference(STEP).w);
    assert!((&found - &expected).amax() <= 1e-13 * expected.amax(), "{mu:?}: {}", found - &expected);
    let x = DVector::from_fn(expected.nrows(), |row, _| 1.0 + row as f64);
    let mut y = DVector::zeros(x.len());
    system.multiply_through_bodies(x.as_slice(), y.as_mut_slice()).unwrap();
    let size = expected.amax() * x.amax() * x.len() as f64;
    assert!((y - expected * x).amax() <= 1e-13 * size, "{mu:?}: products through bodies");
}

fn all_heights() -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = (1..=6).map(|height| vec![height; 4]).collect();
    all.extend([vec![1, 2, 3, 4, 5, 6], vec![3, 3, 1, 3], vec![6, 3, 5, 1, 3, 2, 4]]);
    // Six rows of three on one body, or on two, without a row of another height there.
    all.extend([[1, 3].repeat(6), [3, 1].repeat(6)]);
    all
}

#[test]
fn each_scalar_row_has_a_value_of_its_own() {
    for heights in all_heights() {
        let mut random = Random::new(heights.len() as u64);
        let mut model = model(&heights, &mut random);
        let mut system = model.anew();
        let size: usize = heights.iter().sum();
        let different: Vec<f64> = (0..size).map(|k| 1.0 + k as f64).collect();
        check(&mut system, &mut model, &different);
        // One scalar row alone has a value, and then another one, with the other values of its constraint as they are.
        for row in 0..size {
            let mut mu = vec![0.0; size];
            for value in [0.75, 2.5, 0.0] {
                mu[row] = value;
                check(&mut system, &mut model, &mu);
            }
        }
        // And with values that are not zero beside it.
        for row in 0..size {
            for value in [0.0, 9.0] {
                let mut mu = different.clone();
                mu[row] = value;
                check(&mut system, &mut model, &mu);
            }
        }
        let of_rows: Vec<f64> = (0..heights.len()).map(|row| 3.0 - row as f64 / 4.0).collect();
        check(&mut system, &mut model, &of_rows);
        check(&mut system, &mut model, &[0.125]);
        check(&mut system, &mut model, &[0.0]);
    }
}

/// Compliances that are set before and later are added to μ, and a constraint that is inserted later has none.
#[test]
fn regularization_is_added_to_compliances() {
    for heights in all_heights() {
        let mut random = Random::new(heights.len() as u64);
        let mut model = model(&heights, &mut random);
        let mut system = model.anew();
        let size: usize = heights.iter().sum();
        let mut mu = random.values(size);
        mu.iter_mut().for_each(|mu| *mu = mu.abs());
        check(&mut system, &mut model, &mu);
        for id in 0..heights.len() as u64 {
            let one = model.constraints.get_mut(&id).unwrap();
            one.compliance = (id % 2 == 0).then(|| random.definite(one.rows));
            let values = one.compliance.as_ref().map(|values| values.as_slice());
            system.set_compliance(id, values.unwrap_or_default()).unwrap();
        }
        let mut later = model.constraints[&0].clone();
        later.shift = vec![0.0; later.rows];
        let id = insert_constraint(&mut system, &later);
        model.constraints.insert(id, later);
        let (found, expected) = (w(&mut system), model.reference(STEP).w);
        assert!((&found - &expected).amax() <= 1e-13 * expected.amax(), "{heights:?}");
    }
}

#[test]
fn a_value_that_is_refused_changes_nothing() {
    for heights in all_heights() {
        let mut random = Random::new(heights.len() as u64);
        let mut model = model(&heights, &mut random);
        let mut system = model.anew();
        let size: usize = heights.iter().sum();
        let mu: Vec<f64> = (0..size).map(|k| 0.5 + k as f64).collect();
        check(&mut system, &mut model, &mu);
        let before = bits(&w(&mut system));
        let mut refused = |wrong: &[f64], text: &str| {
            let error = system.set_regularization(wrong).unwrap_err();
            assert!(error.to_string().contains(text), "{error}");
            assert!(bits(&w(&mut system)) == before, "{heights:?} {wrong:?}");
        };
        for count in [1, heights.len(), size] {
            for (place, bad) in (0..count).flat_map(|k| [-1.0, f64::NAN, f64::INFINITY].map(|bad| (k, bad))) {
                let mut wrong = vec![7.0; count];
                wrong[place] = bad;
                refused(&wrong, "mu is negative or not finite");
            }
        }
        for count in [0, size + 1, size + heights.len() + 1] {
            refused(&vec![7.0; count], "mu: ");
        }
        // The reference still has the values of the last call that was accepted.
        let (found, expected) = (DVector::from_vec(mu), model.shifts());
        assert_eq!(found.as_slice(), expected);
    }
}

//! Friction with two coefficients: |(R_1 / μ_1, R_2 / μ_2)| ≤ R_N, and the force of the most dissipation.

use super::dense::Dense;
use super::law::{violation, worst};
use ldy::solve::{Kind, Law, Method, Options, Status};
use nalgebra::{DMatrix, DVector};
use testing::Random;

fn contact([friction, friction_2]: [f64; 2]) -> Law {
    Law { kind: Kind::contact([friction, friction_2], 0.0), bias: [0.0; 3] }
}

fn solved(dense: &Dense, laws: &[Law]) -> Vec<[f64; 3]> {
    let (report, forces) = dense.solve(laws, &Options { tolerance: 1e-12, ..Options::default() }).unwrap();
    assert_eq!(report.status, Status::Converged, "{report:?}");
    forces
}

/// W of one constraint, of full rank.
fn one(random: &mut Random) -> Dense {
    let h = random.matrix(3, 6);
    Dense::new(&h * h.transpose(), &DVector::from_fn(3, |_, _| random.signed()))
}

/// All forces on the ellipse that leave U_N = 0 and U_T where the ellipse has its normal, against it: (R_1 / μ_1², R_2 / μ_2²).
/// Found by steps over the ellipse and bisection.
fn sliding_forces(dense: &Dense, mu: [f64; 2]) -> Vec<[f64; 3]> {
    let force = |angle: f64| {
        let e = [mu[0] * angle.cos(), mu[1] * angle.sin(), 1.0];
        let push: f64 = (0..3).map(|i| dense.w[(2, i)] * e[i]).sum();
        e.map(|e| -dense.b[0][2] / push * e)
    };
    // U_T along the normal of the ellipse, and across it.
    let parts = |angle: f64| {
        let u = dense.velocities(&[force(angle)])[0];
        let normal = [angle.cos() / mu[0], angle.sin() / mu[1]];
        (u[0] * normal[1] - u[1] * normal[0], u[0] * normal[0] + u[1] * normal[1])
    };
    let step = std::f64::consts::TAU / 2000.0;
    let mut found = Vec::new();
    for k in 0..2000 {
        let (mut a, mut b) = (step * f64::from(k), step * f64::from(k + 1));
        if parts(a).0.signum() == parts(b).0.signum() {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (a + b);
            if parts(middle).0.signum() == parts(a).0.signum() { a = middle } else { b = middle }
        }
        if parts(a).1 < 0.0 && force(a)[2] > 0.0 && parts(a).0.abs() < 1e-6 {
            found.push(force(a));
        }
    }
    found
}

#[test]
fn one_contact_does_what_a_search_over_the_ellipse_finds() {
    let mut random = Random::new(1);
    let mut met = [0; 3];
    for case in 0..600 {
        let mu = [[1.5, 0.4], [0.6, 3.0], [0.5, 0.1], [0.02, 0.5]][case % 4];
        let dense = one(&mut random);
        let r = solved(&dense, &[contact(mu)])[0];
        let u = dense.velocities(&[r])[0];
        let is_stuck = u[0].hypot(u[1]) < 1e-10;
        let state = if r == [0.0; 3] { 0 } else { 1 + usize::from(is_stuck) };
        met[state] += 1;
        assert!(violation(&contact(mu), &u, &r) < 1e-10, "case {case}: {u:?} {r:?}");
        if state == 1 {
            let others = sliding_forces(&dense, mu);
            let near = |other: &[f64; 3]| (0..3).all(|i| (other[i] - r[i]).abs() < 1e-7 * (1.0 + r[i].abs()));
            assert!(others.iter().any(near), "case {case}: {r:?} is not among {others:?}");
        }
    }
    assert!(met.iter().all(|&count| count > 25), "{met:?}");
}

/// A particle on a slope that descends in this direction, at rest before a step: its velocity, and its force.
fn on_slope(angle: f64, direction: f64, mu: [f64; 2]) -> ([f64; 3], [f64; 3]) {
    let down = angle.sin();
    let b = [down * direction.cos(), down * direction.sin(), -angle.cos()];
    let dense = Dense::new(DMatrix::identity(3, 3), &DVector::from_column_slice(&b));
    let r = solved(&dense, &[contact(mu)])[0];
    (dense.velocities(&[r])[0], r)
}

/// It sticks up to tan angle · |(cos / μ_1, sin / μ_2)| = 1, and no steeper.
#[test]
fn the_steepest_slope_that_holds_depends_on_the_direction() {
    let mu = [0.6, 0.25];
    for k in 0..24 {
        let direction = std::f64::consts::TAU * f64::from(k) / 24.0;
        let limit = (direction.cos() / mu[0]).hypot(direction.sin() / mu[1]).recip().atan();
        let (u, _) = on_slope(limit - 1e-6, direction, mu);
        assert!(u.iter().all(|u| u.abs() < 1e-12), "{direction}: {u:?}");
        let (u, _) = on_slope(limit + 1e-3, direction, mu);
        assert!(u[0].hypot(u[1]) > 1e-5, "{direction}: {u:?}");
    }
    // Along the axes it slides as a particle in a plane does; between them towards the tangent of less friction.
    for (direction, friction, along) in [(0.0, mu[0], 0), (std::f64::consts::FRAC_PI_2, mu[1], 1)] {
        let (u, r) = on_slope(0.9, direction, mu);
        assert!((u[along] - (f64::sin(0.9) - friction * f64::cos(0.9))).abs() < 1e-11, "{u:?}");
        assert!((r[along] + friction * f64::cos(0.9)).abs() < 1e-11 && u[1 - along].abs() < 1e-12, "{r:?}");
    }
    let (u, r) = on_slope(0.9, std::f64::consts::FRAC_PI_4, mu);
    assert!(u[1] > 1.2 * u[0] && u[0] > 0.0, "{u:?}");
    let rubs = (mu[0] * u[0]).hypot(mu[1] * u[1]) / r[2];
    assert!((0..2).all(|i| (r[i] + mu[i] * mu[i] * u[i] / rubs).abs() < 1e-10), "{u:?} {r:?}");
}

/// Between bodies of full rank the solution is unique.
#[test]
fn coefficients_that_are_nearly_equal_do_what_one_does() {
    for seed in 0..10 {
        let mut random = Random::new(seed);
        let h = random.matrix(24, 40);
        let dense = Dense::of_bodies(&h, &DVector::from_fn(40, |_, _| random.signed()));
        let options = Options { tolerance: 1e-14, ..Options::default() };
        let forces = |mu| dense.solve(&[contact(mu); 8], &options).unwrap().1;
        let (one, two, equal) = (forces([0.4, 0.4]), forces([0.4, 0.4 * (1.0 + 1e-15)]), Law::contact(0.4));
        assert_eq!(one, dense.solve(&[equal; 8], &options).unwrap().1);
        let gap =
            one.iter().flatten().zip(two.iter().flatten()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(gap < 1e-12, "seed {seed}: {gap}");
    }
}

/// No friction along one tangent: no force there, and along the other one what happens in a plane.
#[test]
fn one_coefficient_may_be_zero() {
    for (mu, along) in [([0.5, 0.0], 0), ([0.0, 0.5], 1)] {
        let b = [3.0, 3.0, -2.0];
        let dense = Dense::new(DMatrix::identity(3, 3), &DVector::from_column_slice(&b));
        for method in [Method::Automatic, Method::GaussSeidel, Method::Newton] {
            // A force to begin with is none where there is no friction.
            let mut forces = [[1.0; 3]];
            let options = Options { tolerance: 1e-12, method, ..Options::default() };
            ldy::solve::Solver::new()
                .solve(&dense.problem(), &[contact(mu)], &options, forces.as_flattened_mut())
                .unwrap();
            let mut expected = [0.0, 0.0, 2.0];
            expected[along] = -1.0;
            assert!((0..3).all(|i| (forces[0][i] - expected[i]).abs() < 1e-11), "{forces:?}");
        }
        let mut random = Random::new(5);
        for _ in 0..100 {
            let dense = one(&mut random);
            let r = solved(&dense, &[contact(mu)]);
            assert!(worst(&[contact(mu)], &dense.velocities(&r), &r) < 1e-10 && r[0][1 - along] == 0.0);
        }
    }
}

/// Tangential velocities count by their coefficient over the larger one, forces the other way round.
#[test]
fn residuals_are_those_of_scaled_tangents() {
    let mut random = Random::new(9);
    let h = random.matrix(3, 6);
    let dense = Dense::of_bodies(&h, &DVector::from_fn(6, |_, _| random.signed()));
    let (mu, options) = ([0.3, 0.6], Options { tolerance: 0.0, max_sweeps: 0, ..Options::default() });
    let report = dense.solve(&[contact(mu)], &options).unwrap().0;
    let d = [0.5, 1.0, 1.0];
    let scaled = DMatrix::from_fn(3, 3, |i, j| d[i] * dense.w[(i, j)] * d[j]);
    let b = DVector::from_fn(3, |i, _| d[i] * dense.b[0][i]);
    let same = Dense::new(scaled, &b).solve(&[Law::contact(0.6)], &options).unwrap().0;
    assert!(report.residual.natural > 0.0 && report.residual == same.residual, "{report:?} {same:?}");
}

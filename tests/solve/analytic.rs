//! Cases whose outcome is known.

use super::dense::Dense;
use super::law::worst;
use ldy::solve::{Kind, Law, Method, Options, Report, Status};
use nalgebra::{DMatrix, DVector, Matrix3};

const GRAVITY: f64 = 10.0;
const TIGHT: Options = Options {
    tolerance: 1e-12,
    measure: ldy::solve::Measure::Both,
    method: Method::Automatic,
    max_sweeps: 100_000,
    max_work: None,
    time_limit: None,
    canonical: false,
};

fn converged(dense: &Dense, laws: &[Law], options: &Options) -> Vec<[f64; 3]> {
    let (report, forces) = dense.solve(laws, options).expect("a problem");
    assert_eq!(report.status, Status::Converged, "{report:?}");
    forces
}

/// H of contacts of a rigid body of unit mass and moments with a fixed plane whose normal is the third axis: spin, then velocity.
fn body_on_plane(points: &[[f64; 3]]) -> DMatrix<f64> {
    let mut h = DMatrix::zeros(3 * points.len(), 6);
    for (row, &[x, y, z]) in points.iter().enumerate() {
        let turn = Matrix3::new(0.0, z, -y, -z, 0.0, x, y, -x, 0.0);
        h.view_mut((3 * row, 0), (3, 3)).copy_from(&turn);
        h.view_mut((3 * row, 3), (3, 3)).copy_from(&Matrix3::identity());
    }
    h
}

/// A flat block on a slope, four corners or many points below it, at rest before a step of 0.1.
fn slope(points: &[[f64; 3]], slope: f64, friction: f64) -> (Vec<[f64; 3]>, Vec<[f64; 3]>) {
    let step = 0.1;
    let (sine, cosine) = slope.sin_cos();
    let u =
        DVector::from_column_slice(&[0.0, 0.0, 0.0, step * GRAVITY * sine, 0.0, -step * GRAVITY * cosine]);
    let dense = Dense::of_bodies(&body_on_plane(points), &u);
    let laws = vec![Law::contact(friction); points.len()];
    let forces = converged(&dense, &laws, &TIGHT);
    let velocities = dense.velocities(&forces);
    assert!(worst(&laws, &velocities, &forces) < 1e-10);
    (forces, velocities)
}

const CORNERS: [[f64; 3]; 4] = [[1.0, 1.0, -0.2], [-1.0, 1.0, -0.2], [-1.0, -1.0, -0.2], [1.0, -1.0, -0.2]];

#[test]
fn a_block_sticks_on_a_gentle_slope() {
    let (forces, velocities) = slope(&CORNERS, 0.4, 0.5);
    assert!(velocities.iter().flatten().all(|u| u.abs() < 1e-10), "{velocities:?}");
    let sum = |i: usize| forces.iter().map(|r| r[i]).sum::<f64>();
    assert!((sum(0) + f64::sin(0.4)).abs() < 1e-10 && (sum(2) - f64::cos(0.4)).abs() < 1e-10, "{forces:?}");
}

#[test]
fn a_block_slides_down_a_steep_slope() {
    let (forces, velocities) = slope(&CORNERS, 0.6, 0.5);
    let expected = f64::sin(0.6) - 0.5 * f64::cos(0.6);
    assert!(
        velocities.iter().all(|u| (u[0] - expected).abs() < 1e-10 && u[1].abs() < 1e-10),
        "{velocities:?}"
    );
    let sum = |i: usize| forces.iter().map(|r| r[i]).sum::<f64>();
    assert!(
        (sum(0) + 0.5 * f64::cos(0.6)).abs() < 1e-10 && (sum(2) - f64::cos(0.6)).abs() < 1e-10,
        "{forces:?}"
    );
}

/// Forces are not unique; what they do is.
#[test]
fn fifteen_contacts_of_one_box_do_what_four_do() {
    let points: Vec<[f64; 3]> =
        (0..15).map(|k| [f64::from(k % 5) / 2.0 - 1.0, f64::from(k / 5) - 1.0, -0.2]).collect();
    for (angle, friction) in [(0.4, 0.5), (0.6, 0.5), (0.3, 0.0), (0.6, 2.0)] {
        let (_, many) = slope(&points, angle, friction);
        let (_, four) = slope(&CORNERS, angle, friction);
        assert!(
            (0..3).all(|i| (many[0][i] - four[0][i]).abs() < 1e-9),
            "{angle} {friction}: {:?} {:?}",
            many[0],
            four[0]
        );
    }
}

#[test]
fn friction_may_be_nothing_or_huge() {
    let (_, free) = slope(&CORNERS, 0.6, 0.0);
    assert!(free.iter().all(|u| (u[0] - f64::sin(0.6)).abs() < 1e-10), "{free:?}");
    // The residual is multiplied by the friction.
    let dense = Dense::of_bodies(
        &body_on_plane(&CORNERS),
        &DVector::from_column_slice(&[0.0, 0.0, 0.0, 0.1, 0.0, -1.0]),
    );
    let forces = converged(&dense, &[Law::contact(1e6); 4], &Options { tolerance: 1e-7, ..TIGHT });
    let velocities = dense.velocities(&forces);
    assert!(velocities.iter().all(|u| u[0].hypot(u[1]) < 1e-10 && u[2].abs() < 1e-6), "{velocities:?}");
}

#[test]
fn what_leaves_is_free() {
    let u = DVector::from_column_slice(&[0.0, 0.0, 0.0, 1.0, 2.0, 3.0]);
    let dense = Dense::of_bodies(&body_on_plane(&CORNERS), &u);
    let (report, forces) = dense.solve(&[Law::contact(0.5); 4], &TIGHT).unwrap();
    assert_eq!((report.status, report.sweeps, forces), (Status::Converged, 0, vec![[0.0; 3]; 4]));
}

#[test]
fn nothing_to_solve_is_solved() {
    let none = Dense::new(DMatrix::zeros(0, 0), &DVector::zeros(0));
    assert_eq!(none.solve(&[], &TIGHT).unwrap().0.status, Status::Converged);
    let still = Dense::of_bodies(&body_on_plane(&CORNERS), &DVector::zeros(6));
    let mut forces = vec![[1.0, 2.0, 3.0]; 4];
    let report = ldy::solve::Solver::new()
        .solve(&still.problem(), &[Law::contact(0.5); 4], &TIGHT, forces.as_flattened_mut())
        .unwrap();
    assert_eq!((report.status, forces), (Status::Converged, vec![[0.0; 3]; 4]));
}

/// Equal balls in a row, the first of which hits the others; contacts along x, without friction, of all at once.
fn cradle(balls: usize, restitution: f64) -> Vec<f64> {
    let mut h = DMatrix::zeros(3 * (balls - 1), balls);
    for k in 0..balls - 1 {
        h[(3 * k + 2, k)] = -1.0;
        h[(3 * k + 2, k + 1)] = 1.0;
    }
    let mut before = DVector::zeros(balls);
    before[0] = 1.0;
    let dense = Dense::of_bodies(&h, &before);
    let approach = &h * &before;
    let law = |k: usize| Law {
        bias: [0.0, 0.0, restitution * f64::min(0.0, approach[3 * k + 2])],
        ..Law::contact(0.0)
    };
    let laws: Vec<Law> = (0..balls - 1).map(law).collect();
    let forces = converged(&dense, &laws, &TIGHT);
    let after = before + h.transpose() * DVector::from_column_slice(forces.as_flattened());
    after.as_slice().to_vec()
}

#[test]
fn balls_hit_each_other_with_restitution() {
    let near = |found: &[f64], expected: &[f64]| {
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-10), "{found:?} {expected:?}");
    };
    near(&cradle(2, 1.0), &[0.0, 1.0]);
    near(&cradle(2, 0.5), &[0.25, 0.75]);
    near(&cradle(2, 0.0), &[0.5, 0.5]);
    // Newton's law for impacts that happen at once: the last two stay together, and the first comes back.
    near(&cradle(3, 1.0), &[-1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0]);
}

/// Painlevé's rod, sliding so that its direction does not change: R_T = −friction R_N is put into W_NN = 1 + 3 cos² θ −
/// 3 friction sin θ cos θ (unit mass and half-length), which is negative for rough and steep rods.
fn rod(friction: f64, approach: f64) -> Result<(Report, Vec<[f64; 3]>), ldy::solve::Error> {
    let (sine, cosine) = f64::sin_cos(1.2);
    let normal = 1.0 + 3.0 * cosine * cosine - 3.0 * friction * sine * cosine;
    let w = DMatrix::from_diagonal(&DVector::from_column_slice(&[0.0, 0.0, normal]));
    Dense::new(w, &DVector::from_column_slice(&[0.0, 0.0, approach])).solve(&[Law::contact(0.0)], &TIGHT)
}

#[test]
fn the_rod_has_no_solution_where_it_is_too_rough() {
    let (report, forces) = rod(0.5, -1.0).unwrap();
    assert!(report.status == Status::Converged && forces[0][2] > 0.0);
    // It jams: no force stops it, and the solver says so.
    let (report, forces) = rod(3.0, -1.0).unwrap();
    assert!(report.status == Status::Infeasible && forces[0].iter().all(|r| r.is_finite()), "{report:?}");
    assert!(report.residual.natural >= 0.5);
    // It may leave, and does.
    let (report, forces) = rod(3.0, 1.0).unwrap();
    assert_eq!((report.status, forces), (Status::Converged, vec![[0.0; 3]]));
}

/// A slab that is pressed between two walls that come closer: there is no solution, and that is proved. Forces stay finite.
#[test]
fn jammed_bodies_are_told_and_do_no_harm() {
    let h = DMatrix::from_row_slice(6, 1, &[0.0, 0.0, 1.0, 0.0, 0.0, -1.0]);
    let dense =
        Dense::new(&h * h.transpose(), &DVector::from_column_slice(&[0.0, 0.0, -1.0, 0.0, 0.0, -1.0]));
    for method in [Method::Automatic, Method::GaussSeidel, Method::Newton] {
        let options = Options { max_sweeps: 500, method, ..TIGHT };
        let (report, forces) = dense.solve(&[Law::contact(0.3); 2], &options).unwrap();
        assert_eq!(report.status, Status::Infeasible, "{report:?}");
        assert!(forces.iter().flatten().all(|r| r.is_finite()) && report.residual.natural.is_finite());
    }
}

/// A lever between two walls that come closer. No force is better than none, and its velocities are no proof. The direction in which
/// forces grow is one: 1.7 U₁ + U₂ = -2 for all forces.
#[test]
fn forces_that_grow_without_end_are_a_proof() {
    let h = DMatrix::from_row_slice(6, 1, &[0.0, 0.0, 1.0, 0.0, 0.0, -1.7]);
    for (speed, end) in [(-0.3, Status::Infeasible), (2.0, Status::Converged)] {
        let b = DVector::from_column_slice(&[0.0, 0.0, -1.0, 0.0, 0.0, speed]);
        let dense = Dense::new(&h * h.transpose(), &b);
        for method in [Method::Automatic, Method::Newton] {
            let options = Options { method, ..TIGHT };
            let (report, _) = dense.solve(&[Law::contact(0.0); 2], &options).unwrap();
            assert_eq!(report.status, end, "{report:?}");
        }
    }
}

/// The same with a body that a joint drives between the walls, and with joints alone that contradict each other; forces that are
/// given keep them apart no better.
#[test]
fn contradictions_are_proved() {
    let h = DMatrix::from_row_slice(6, 2, &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    let w = &h * h.transpose();
    let driven = |speeds: [f64; 2]| {
        let b = DVector::from_column_slice(&[0.0, 0.0, speeds[0], 0.0, 0.0, speeds[1]]);
        Dense::new(w.clone(), &b)
    };
    let stop = |lower, upper| Law {
        kind: Kind::Bounds { lower: [0.0, 0.0, lower], upper: [0.0, 0.0, upper] },
        bias: [0.0; 3],
    };
    let free = f64::INFINITY;
    let cohesive = Law { kind: Kind::contact([0.5; 2], 3.0), bias: [0.0; 3] };
    let cases = [
        // U is -1 and 1 more than a common velocity: both cannot be zero.
        ([Law::fixed(), Law::fixed()], [-1.0, 1.0], Status::Infeasible),
        ([Law::fixed(), Law::fixed()], [1.0, 1.0], Status::Converged),
        // The body that the joint stops comes closer to the contact, or moves away from it.
        ([Law::fixed(), Law::contact(0.5)], [1.0, -1.0], Status::Infeasible),
        ([Law::fixed(), Law::contact(0.5)], [-1.0, 1.0], Status::Converged),
        ([stop(-free, 0.0), Law::contact(0.5)], [1.0, -1.0], Status::Infeasible),
        ([stop(0.0, free), Law::contact(0.5)], [1.0, -1.0], Status::Converged),
        // A motor that is strong, but not infinitely so, gives way.
        ([stop(-100.0, 100.0), Law::contact(0.5)], [1.0, -1.0], Status::Converged),
        ([Law::fixed(), cohesive], [1.0, -1.0], Status::Infeasible),
    ];
    for (number, (laws, speeds, end)) in cases.into_iter().enumerate() {
        let (report, forces) = driven(speeds).solve(&laws, &TIGHT).unwrap();
        assert_eq!(report.status, end, "case {number}: {report:?}");
        assert!(forces.iter().flatten().all(|r| r.is_finite()), "case {number}");
    }
}

/// Constraints that nearly contradict each other: forces grow a million times. Forces of 1e10 count as none.
#[test]
fn what_is_hard_is_not_called_impossible() {
    for (gap, is_possible) in [(1e-1, true), (1e-3, true), (1e-5, false)] {
        let h = DMatrix::from_row_slice(6, 2, &[0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, gap]);
        let b = DVector::from_column_slice(&[0.0, 0.0, 1.0, 0.0, 0.0, -1.0]);
        let dense = Dense::new(&h * h.transpose(), &b);
        for tolerance in [1e-6, 0.0] {
            let options = Options { tolerance, ..TIGHT };
            let laws = [Law::fixed(), Law::contact(0.5)];
            let (report, forces) = dense.solve(&laws, &options).unwrap();
            // Forces of 1e10 are a solution, too, if steps find them: all velocities are zero, within 1e-6 of |B|.
            let is_right = match report.status {
                Status::Infeasible => !is_possible,
                Status::Converged => {
                    dense.velocities(&forces).as_flattened().iter().all(|u| u.abs() < 1e-6 * b.norm())
                }
                _ => is_possible,
            };
            assert!(is_right, "{gap}: {report:?}");
        }
    }
}

/// Dry friction of a drive: a force up to 2 holds a push of 1.5, and gives way to one of 5.
#[test]
fn bounds_hold_and_give_way() {
    let law = Law { kind: Kind::Bounds { lower: [-2.0; 3], upper: [2.0; 3] }, bias: [0.0; 3] };
    let dense = Dense::new(DMatrix::identity(3, 3), &DVector::from_column_slice(&[1.5, 5.0, -5.0]));
    let forces = converged(&dense, &[law], &TIGHT);
    assert_eq!(forces, [[-1.5, -2.0, 2.0]]);
    // A prescribed velocity.
    let law = Law { bias: [-0.5, 0.25, 0.0], ..Law::fixed() };
    let forces = converged(&dense, &[law], &TIGHT);
    let u = dense.velocities(&forces)[0];
    assert!((0..3).all(|i| (u[i] - [0.5, -0.25, 0.0][i]).abs() < 1e-14), "{u:?}");
}

/// Particles of unit mass on top of each other: each carries those above it. Sweeps without momentum would be 12,000: the slowest
/// part of their changes lessens by the square of cos (π / 81).
#[test]
fn forces_come_through_a_tower_in_few_sweeps() {
    const HIGH: usize = 40;
    let mut h = DMatrix::zeros(3 * HIGH, 3 * HIGH);
    for row in 0..3 * HIGH {
        h[(row, row)] = 1.0;
        if row >= 3 {
            h[(row, row - 3)] = -1.0;
        }
    }
    let u = DVector::from_fn(3 * HIGH, |row, _| if row % 3 == 2 { -1.0 } else { 0.0 });
    let options = Options { tolerance: 1e-8, method: Method::GaussSeidel, max_sweeps: 3000, ..TIGHT };
    let forces = converged(&Dense::of_bodies(&h, &u), &[Law::contact(0.5); HIGH], &options);
    for (place, force) in forces.iter().enumerate() {
        let expected = [0.0, 0.0, (HIGH - place) as f64];
        assert!((0..3).all(|i| (force[i] - expected[i]).abs() < 1e-3), "{place}: {force:?}");
    }
}

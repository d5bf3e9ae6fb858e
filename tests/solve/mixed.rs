//! Random problems: with a solution that is built first, and B made for it; and joints alone, against a direct solve.

use super::dense::Dense;
use super::law::worst;
use ldy::solve::{Kind, Law, Method, Options, Status};
use nalgebra::{DMatrix, DVector};
use testing::Random;

/// A law with a force and a velocity that obey it.
fn state(case: usize, random: &mut Random) -> (Law, [f64; 3], [f64; 3]) {
    let friction = 0.5 + 0.4 * random.signed();
    let (angle, size) = (3.0 * random.signed(), 1.0 + 0.5 * random.signed());
    let e = [angle.cos(), angle.sin()];
    let most = friction * size;
    let rubs =
        |friction_2, cohesion| Law { kind: Kind::contact([friction, friction_2], cohesion), bias: [0.0; 3] };
    let contact = |cohesion| rubs(friction, cohesion);
    let bounds = |lower, upper| Law { kind: Kind::Bounds { lower, upper }, bias: [0.0; 3] };
    match case % 8 {
        0 => (contact(0.0), [0.0; 3], [e[0], e[1], size]),
        1 => (contact(0.0), [0.7 * most * e[0], 0.7 * most * e[1], size], [0.0; 3]),
        2 => (contact(0.0), [most * e[0], most * e[1], size], [-0.3 * e[0], -0.3 * e[1], 0.0]),
        // Sticking under tension.
        3 => (contact(3.0), [0.1 * e[0], 0.1 * e[1], -size], [0.0; 3]),
        4 => (Law { bias: [0.0, 0.5, 0.0], ..Law::fixed() }, [e[0], e[1], size], [0.0, -0.5, 0.0]),
        // Against the normal of the ellipse, and within it.
        5 => (
            rubs(0.2, 0.0),
            [most * e[0], 0.2 * size * e[1], size],
            [-0.3 * e[0] / friction, -0.3 * e[1] / 0.2, 0.0],
        ),
        6 => (rubs(0.2, 1.0), [0.7 * most * e[0], 0.14 * size * e[1], size - 1.0], [0.0; 3]),
        _ => (bounds([0.0, -1.0, -9.0], [f64::INFINITY, 1.0, 9.0]), [0.0, 1.0, size], [0.4, -0.3, 0.0]),
    }
}

/// The same for contacts in expansion: open and closed ones that stick or slide.
fn expansion(case: usize, random: &mut Random) -> (Law, [f64; 3], [f64; 3]) {
    let (friction, least_force) = (0.5 + 0.4 * random.signed(), 1.0 + 0.5 * random.signed());
    let angle = 3.0 * random.signed();
    let (is_open, slides) = (case.is_multiple_of(2), (case / 2).is_multiple_of(2));
    let normal = if is_open { least_force } else { least_force + 0.7 };
    let push = if slides { friction * normal } else { 0.6 * friction * normal };
    let slip = if slides { -0.3 } else { 0.0 };
    let law = Law { kind: Kind::Expansion { friction, least_force }, bias: [0.0; 3] };
    let e = [angle.cos(), angle.sin()];
    let velocity = [slip * e[0], slip * e[1], if is_open { 0.4 } else { 0.0 }];
    (law, [push * e[0], push * e[1], normal], velocity)
}

type State = fn(usize, &mut Random) -> (Law, [f64; 3], [f64; 3]);

/// `rows` constraints between bodies with `dofs` dofs in all.
fn known(rows: usize, dofs: usize, asymmetry: f64, seed: u64) -> (Dense, Vec<Law>) {
    known_with(state, rows, dofs, asymmetry, seed)
}

fn known_with(state: State, rows: usize, dofs: usize, asymmetry: f64, seed: u64) -> (Dense, Vec<Law>) {
    let mut random = Random::new(seed);
    let h = random.matrix(3 * rows, dofs) * 0.5;
    let mut w = &h * h.transpose();
    let scale = asymmetry * w.amax();
    for i in 0..3 * rows {
        // Of gyroscopic terms: their symmetric part is none.
        for j in 0..i {
            let part = scale * random.signed();
            w[(i, j)] += part;
            w[(j, i)] -= part;
        }
    }
    let states: Vec<_> = (0..rows).map(|case| state(case, &mut random)).collect();
    let r: Vec<[f64; 3]> = states.iter().map(|state| state.1).collect();
    let u: Vec<[f64; 3]> = states.iter().map(|state| state.2).collect();
    let b = DVector::from_column_slice(u.as_flattened()) - &w * DVector::from_column_slice(r.as_flattened());
    (Dense::new(w, &b), states.into_iter().map(|state| state.0).collect())
}

#[test]
fn problems_with_a_known_solution_are_solved() {
    for seed in 0..60 {
        let rows = [1, 6, 12, 30][seed as usize % 4];
        // Of full rank, of half the rank, and unsymmetric.
        let (dofs, asymmetry) =
            [(4 * rows, 0.0), (3 * rows / 2 + 2, 0.0), (4 * rows, 1e-3)][seed as usize % 3];
        let (dense, laws) = known(rows, dofs, asymmetry, seed);
        let (report, forces) =
            dense.solve(&laws, &Options { tolerance: 1e-11, ..Options::default() }).unwrap();
        assert_eq!(report.status, Status::Converged, "seed {seed}: {report:?}");
        let worst = worst(&laws, &dense.velocities(&forces), &forces);
        assert!(worst < 1e-8, "seed {seed}: {worst}");
    }
}

#[test]
fn expansions_with_a_known_solution_are_solved_by_all_methods() {
    for seed in 0..30 {
        let rows = [1, 4, 12][seed as usize % 3];
        let method = [Method::Automatic, Method::GaussSeidel, Method::Newton][seed as usize / 3 % 3];
        let state: State = if seed % 2 == 0 {
            expansion
        } else {
            |case, random| [state, expansion][case % 2](case / 2, random)
        };
        let (dense, laws) = known_with(state, rows, 4 * rows, [0.0, 1e-3][seed as usize % 2], seed);
        let options = Options { tolerance: 1e-11, method, ..Options::default() };
        let (report, forces) = dense.solve(&laws, &options).unwrap();
        assert_eq!(report.status, Status::Converged, "seed {seed}: {report:?}");
        let worst = worst(&laws, &dense.velocities(&forces), &forces);
        assert!(worst < 1e-8, "seed {seed}: {worst}");
    }
}

#[test]
fn all_methods_meet_the_tolerance() {
    let (dense, laws) = known(12, 48, 0.0, 7);
    for method in [Method::Automatic, Method::GaussSeidel, Method::Newton] {
        let options = Options { tolerance: 1e-10, method, ..Options::default() };
        let (report, forces) = dense.solve(&laws, &options).unwrap();
        assert_eq!(report.status, Status::Converged, "{method:?}: {report:?}");
        assert!((method == Method::GaussSeidel) <= (report.steps == 0));
        assert!((method == Method::Newton) <= (report.steps > 0));
        assert!(worst(&laws, &dense.velocities(&forces), &forces) < 1e-7);
    }
}

/// Joints alone are linear equations.
#[test]
fn joints_agree_with_a_direct_solve() {
    for rows in [1, 5, 40] {
        let mut random = Random::new(rows);
        let rows = rows as usize;
        let h = random.matrix(3 * rows, 6 * rows);
        let w = &h * h.transpose();
        let b = DVector::from_fn(3 * rows, |_, _| random.signed());
        let expected = w.clone().lu().solve(&-&b).expect("a regular matrix");
        let dense = Dense::new(w, &b);
        let options = Options { tolerance: 1e-13, ..Options::default() };
        let (report, forces) = dense.solve(&vec![Law::fixed(); rows], &options).unwrap();
        assert_eq!(report.status, Status::Converged, "{report:?}");
        let difference = DVector::from_column_slice(forces.as_flattened()) - &expected;
        assert!(difference.norm() < 1e-9 * expected.norm(), "{}", difference.norm());
    }
}

/// The measures are the definitions, computed here with dense matrices.
#[test]
fn residuals_are_what_they_are_said_to_be() {
    let (dense, laws) = known(6, 24, 0.0, 3);
    let contacts: Vec<Law> = laws.iter().map(|_| Law::contact(0.4)).collect();
    let options =
        Options { tolerance: 0.0, max_sweeps: 2, method: Method::GaussSeidel, ..Options::default() };
    let (report, forces) = dense.solve(&contacts, &options).unwrap();
    let u = dense.velocities(&forces);
    let weight = |row: usize| (0..3).map(|i| dense.w[(3 * row + i, 3 * row + i)]).sum::<f64>() / 3.0;
    let gap = |row: usize, rho: f64| {
        let (r, u) = (forces[row], u[row]);
        let x: [f64; 3] =
            [r[0] - rho * u[0], r[1] - rho * u[1], r[2] - rho * (u[2] + 0.4 * u[0].hypot(u[1]))];
        let size = x[0].hypot(x[1]);
        let p = if size <= 0.4 * x[2] {
            x
        } else if 0.4 * size <= -x[2] {
            [0.0; 3]
        } else {
            let n = (x[2] + 0.4 * size) / 1.16;
            [0.4 * n * x[0] / size, 0.4 * n * x[1] / size, n]
        };
        (0..3).map(|i| (r[i] - p[i]).powi(2)).sum::<f64>()
    };
    let square = |v: &[f64; 3]| v.iter().map(|x| x * x).sum::<f64>();
    let rows = 0..6;
    let natural = rows.clone().map(|k| gap(k, 1.0)).sum::<f64>() / dense.b.iter().map(square).sum::<f64>();
    let scaled = rows.clone().map(|k| weight(k) * gap(k, 1.0 / weight(k))).sum::<f64>()
        / rows.map(|k| square(&dense.b[k]) / weight(k)).sum::<f64>();
    assert!((report.residual.natural - natural.sqrt()).abs() < 1e-12, "{report:?} {natural}");
    assert!((report.residual.scaled - scaled.sqrt()).abs() < 1e-12, "{report:?} {scaled}");
    assert_eq!((report.status, report.sweeps), (Status::SweepLimit, 2));
}

/// The components may come in either order.
#[test]
fn the_normal_may_come_first() {
    let (dense, _) = known(6, 24, 0.0, 5);
    let laws = vec![Law::contact(0.4); 6];
    let (_, expected) = dense.solve(&laws, &Options::default()).unwrap();
    let places = DMatrix::from_fn(18, 18, |i, j| f64::from(i / 3 == j / 3 && [2, 0, 1][i % 3] == j % 3));
    let b = DVector::from_column_slice(dense.b.as_flattened());
    let turned = Dense::new(&places * &dense.w * places.transpose(), &(&places * b));
    let problem = ldy::solve::Problem { normal: ldy::solve::Normal::First, ..turned.problem() };
    let mut forces = [[0.0; 3]; 6];
    ldy::solve::Solver::new().solve(&problem, &laws, &Options::default(), forces.as_flattened_mut()).unwrap();
    for (r, expected) in forces.iter().zip(expected) {
        let back = [r[1], r[2], r[0]];
        assert!((0..3).all(|i| (back[i] - expected[i]).abs() < 1e-6), "{back:?} {expected:?}");
    }
}

/// Two blocks of three scalars with a law each: a joint's axis, a limit, a motor, nothing, a given force, a limit of the other
/// side. Against all combinations of scalars between and at their bounds; W is positive definite but for the scalar that is
/// nothing.
#[test]
fn scalars_of_a_block_have_laws_of_their_own() {
    const FREE: f64 = f64::INFINITY;
    const EMPTY: usize = 3;
    let (lower, upper) = ([-FREE, 0.0, -1.0, -FREE, 0.4, -FREE], [FREE, FREE, 1.0, FREE, 0.4, 0.0]);
    let law = |row: usize| Law {
        kind: Kind::Bounds {
            lower: std::array::from_fn(|i| lower[3 * row + i]),
            upper: std::array::from_fn(|i| upper[3 * row + i]),
        },
        bias: [0.0; 3],
    };
    let mut met = [[0; 3]; 6];
    for seed in 0..100 {
        let mut random = Random::new(seed);
        let mut h = random.matrix(6, 8);
        h.row_mut(EMPTY).fill(0.0);
        let dense = Dense::of_bodies(&h, &DVector::from_fn(8, |_, _| 2.0 * random.signed()));
        let (expected, states) = by_enumeration(&dense, &lower, &upper, EMPTY);
        for method in [Method::Automatic, Method::GaussSeidel, Method::Newton] {
            let options = Options { tolerance: 1e-11, method, ..Options::default() };
            let (report, forces) = dense.solve(&[law(0), law(1)], &options).unwrap();
            assert_eq!(report.status, Status::Converged, "seed {seed}: {report:?}");
            let difference = (DVector::from_column_slice(forces.as_flattened()) - &expected).amax();
            assert!(difference < 1e-7 * (1.0 + expected.amax()), "seed {seed}: {forces:?} {expected}");
        }
        states.into_iter().zip(&mut met).for_each(|(state, met)| met[state] += 1);
    }
    assert!(met[1].iter().filter(|&&count| count > 5).count() == 2 && met[2].iter().all(|&count| count > 3));
}

/// Forces of scalars, each between (0), at the lower (1) or at the upper bound (2), that obey their laws.
fn by_enumeration(
    dense: &Dense,
    lower: &[f64; 6],
    upper: &[f64; 6],
    empty: usize,
) -> (DVector<f64>, [usize; 6]) {
    let b = DVector::from_column_slice(dense.b.as_flattened());
    for number in 0..3_usize.pow(6) {
        let states: [usize; 6] = std::array::from_fn(|i| number / 3_usize.pow(i as u32) % 3);
        let is_free = |i: usize| states[i] == 0 && i != empty;
        let held = DVector::from_fn(6, |i, _| [0.0, lower[i], upper[i]][states[i]]);
        if !held.iter().all(|x| x.is_finite()) {
            continue;
        }
        let system =
            DMatrix::from_fn(6, 6, |i, j| if is_free(i) { dense.w[(i, j)] } else { f64::from(i == j) });
        let held_velocity = &b + &dense.w * &held;
        let right = DVector::from_fn(6, |i, _| if is_free(i) { held[i] - held_velocity[i] } else { 0.0 });
        let mut coupled = system.clone();
        for i in (0..6).filter(|&i| is_free(i)) {
            (0..6).filter(|&j| !is_free(j)).for_each(|j| coupled[(i, j)] = 0.0);
        }
        let r = coupled.lu().solve(&right).expect("a regular matrix") + &held;
        let u = &b + &dense.w * &r;
        let obeys = |i: usize| match states[i] {
            0 => lower[i] - 1e-12 <= r[i] && r[i] <= upper[i] + 1e-12,
            1 => u[i] >= -1e-9 || lower[i] == upper[i],
            _ => u[i] <= 1e-9 || lower[i] == upper[i],
        };
        if (0..6).all(obeys) {
            return (r, states);
        }
    }
    panic!("no combination obeys the laws");
}

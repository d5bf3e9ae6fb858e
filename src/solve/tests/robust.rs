//! Robustness: tiny and huge numbers, early stops, and interior points from any start.

use crate::math::Vector;
use crate::solve::block_lu::BlockLu;
use crate::solve::frames::NormalThird;
use crate::solve::interior::{ContactSpace, Interior, Program, Space, Start};
use crate::solve::residual::{Norms, Sums};
use crate::solve::velocities::{Input, compute};
use crate::solve::workspace::Memory;
use crate::solve::{Kind, Law, Method, NODE, Options, Solver, Status};
use crate::team::Team;
use testing::Random;

use super::dense::Dense;

fn one_contact() -> Dense {
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    Dense {
        starts: vec![0, 1],
        columns: vec![0],
        values: vec![unit],
        b: vec![[0.1, 0.0, -1.0]],
        g: Vec::new(),
    }
}

fn fixed() -> Law {
    Law { kind: Kind::Bounds { lower: [f64::NEG_INFINITY; 3], upper: [f64::INFINITY; 3] }, bias: [0.0; 3] }
}

/// A row that cannot move gets its weight from the rows that share a block with it: rows further away, which other processes or other
/// islands may have, do not matter.
#[test]
fn weights_depend_on_neighbors_alone() {
    let block = |third: f64| [third, 0.0, 0.0, 0.0, third, 0.0, 0.0, 0.0, third];
    // A chain of a row that cannot move and two others, a row that cannot move beside nothing.
    let chain = Dense {
        starts: vec![0, 2, 5, 7, 8],
        columns: vec![0, 1, 0, 1, 2, 1, 2, 3],
        values: [0.0, 0.0, 0.0, 2.0, 1.0, 1.0, 50.0, 0.0].map(block).to_vec(),
        b: vec![[0.1, 0.0, -1.0]; 4],
        g: Vec::new(),
    };
    let laws = [Law::contact(0.5); 4];
    let mut memory = Memory::default();
    memory.prepare::<NormalThird>(&chain.problem3(), &laws).unwrap();
    assert_eq!(memory.weights, [2.0, 2.0, 50.0, 1.0]);
    assert_eq!(memory.roots[0], 2.0_f64.sqrt());
}

#[test]
fn interior_points_come_near_what_does_not_slide() {
    let mut random = Random::new(7);
    for number in 0..40 {
        let rows = 12;
        let dense = Dense::new(&mut random, rows, 18, 1.0);
        let problem = dense.problem3();
        let law = |row: usize| match row % 4 {
            // Nothing slides: the associated law is Coulomb's, and the program convex.
            0 | 1 => Law::contact(1e3),
            2 => Law {
                kind: Kind::Bounds {
                    lower: [-0.3, 0.0, f64::NEG_INFINITY],
                    upper: [0.2, f64::INFINITY, 0.1],
                },
                bias: [0.0; 3],
            },
            _ => Law::contact(0.0),
        };
        let laws: Vec<Law> = (0..rows).map(law).collect();
        let mut memory = Memory::default();
        memory.prepare::<NormalThird>(&problem, &laws).unwrap();
        let norms = Norms::new(&laws, &memory.q, &memory.weights);
        let program = Program {
            problem: &problem,
            laws: &laws,
            q: &memory.q,
            roots: &memory.roots,
            size: norms.scaled(),
        };
        let forces: Vec<Vector> = (0..rows).map(|_| random.array()).collect();
        let mut lu = BlockLu::default();
        lu.analyse(problem.starts, problem.columns, u64::MAX).unwrap();
        let mut bodies = dense.body_space(&memory.roots);
        let spaces = [Space::Contacts(ContactSpace { lu: &mut lu }), Space::Bodies(&mut bodies)];
        let results = spaces.map(|mut space| {
            let (mut interior, mut forces) = (Interior::default(), forces.clone());
            let start = Start { width: 10.0, share: if number % 2 == 0 { 0.8 } else { 0.0 }, is_bold: true };
            interior.begin::<NormalThird>(&mut Team::alone(), &program, &mut space, &forces, &start).unwrap();
            let (mut least, mut early) = (f64::INFINITY, Vec::new());
            for step in 0..60 {
                if step == 5 {
                    early.clone_from(&forces);
                }
                let long =
                    interior.step::<NormalThird>(&mut Team::alone(), &program, &mut space, &mut forces);
                if long.is_none() {
                    break;
                }
                let allowed: Vec<Vector> = forces
                    .iter()
                    .zip(&laws)
                    .map(|(force, law)| crate::solve::laws::allowed::<NormalThird>(&law.kind, force))
                    .collect();
                let mut velocities = vec![[0.0; 3]; rows];
                let Memory { q, roots, weights, .. } = &memory;
                let input = Input { problem: &problem, q, roots, forces: &allowed };
                compute(&mut Team::alone(), &input, None, &mut velocities);
                let sums = Sums::new::<NormalThird>(&laws, weights, &allowed, &velocities, 0..rows);
                least = least.min(sums.over(&norms).scaled);
            }
            (least, early)
        });
        let [(in_contacts, early), (in_bodies, early_in_bodies)] = results;
        assert!(in_contacts < 1e-3 && in_bodies < 1e-3, "{number}: {in_contacts} {in_bodies}");
        // Steps in both spaces are the same steps.
        let size = early.as_flattened().iter().fold(0.0, |most, x| f64::max(most, x.abs()));
        for (one, other) in early.as_flattened().iter().zip(early_in_bodies.as_flattened()) {
            assert!((one - other).abs() < 1e-6 * size, "{number}: {one} {other}");
        }
    }
}

#[test]
fn who_stops_at_the_first_look_is_not_asked_again() {
    let dense = one_contact();
    for method in [Method::Automatic, Method::GaussSeidel, Method::Newton] {
        let options = Options { method, ..Options::default() };
        let (mut forces, mut calls) = (vec![[0.0; 3]], 0);
        let watch = &mut |_: &_| {
            calls += 1;
            false
        };
        let laws = [Law::contact(0.5)];
        let report = Solver::new().solve_with_progress(
            &dense.problem(),
            &laws,
            &options,
            forces.as_flattened_mut(),
            watch,
        );
        assert_eq!((report.unwrap().status, calls), (Status::Stopped, 1), "{method:?}");
    }
}

#[test]
fn a_solution_is_left_as_it_is() {
    let dense = one_contact();
    let options = Options { method: Method::Newton, ..Options::default() };
    let (mut forces, laws) = (vec![[0.0; 3]], [Law::contact(0.5)]);
    let mut solver = Solver::new();
    solver.solve(&dense.problem(), &laws, &options, forces.as_flattened_mut()).unwrap();
    let solved = forces.clone();
    let report = solver.solve(&dense.problem(), &laws, &options, forces.as_flattened_mut()).unwrap();
    assert_eq!((report.status, report.steps, forces), (Status::Converged, 0, solved));
}

#[test]
fn garbage_becomes_forces_that_laws_allow() {
    let dense = one_contact();
    let limited =
        Law { kind: Kind::Bounds { lower: [0.0; 3], upper: [f64::INFINITY, 1.0, 1.0] }, bias: [0.0; 3] };
    for law in [Law::contact(0.5), limited] {
        let mut forces = [[1e160, -5.0, 1e160]];
        let watch = &mut |_: &_| false;
        let options = Options::default();
        let report = Solver::new().solve_with_progress(
            &dense.problem(),
            &[law],
            &options,
            forces.as_flattened_mut(),
            watch,
        );
        assert_eq!(report.unwrap().status, Status::Stopped);
        let [x, y, z] = forces[0];
        match law.kind {
            Kind::Contact { .. } => assert!(x.hypot(y) <= 0.5 * z * (1.0 + 1e-12) && z.is_finite()),
            Kind::Moments | Kind::Expansion { .. } => unreachable!("there are none"),
            Kind::Bounds { .. } => assert!(x >= 0.0 && (0.0..=1.0).contains(&y) && (0.0..=1.0).contains(&z)),
        }
    }
}

#[test]
fn no_proof_comes_of_numbers_whose_squares_are_lost() {
    for (unit, size) in [(1.0, 1.0), (1e-70, 1e-70), (1e-85, 1e-85), (1e-100, 1e-100), (1.0, 1e-157)] {
        let mut random = Random::new(5);
        let mut dense = Dense::new(&mut random, 12, 40, unit);
        for (k, b) in dense.b.as_flattened_mut().iter_mut().enumerate() {
            *b = size * ((k % 7) as f64 - 3.0);
        }
        let options = Options { max_sweeps: 3, ..Options::default() };
        let mut forces = vec![[0.0; 3]; 12];
        let report = Solver::new()
            .solve(&dense.problem(), &[fixed(); 12], &options, forces.as_flattened_mut())
            .unwrap();
        assert_ne!(report.status, Status::Infeasible, "{unit} {size}");
    }
}

#[test]
fn a_contact_that_hardly_approaches_has_a_finite_force() {
    for normal in [-6.3e-322, -f64::MIN_POSITIVE, -1e-200, -1e-155] {
        let mut dense = one_contact();
        // Normal and tangents depend on each other.
        dense.values[0] = [2.0, 0.1, 0.3, 0.1, 1.5, -0.2, 0.3, -0.2, 1.0];
        dense.b[0] = [0.4, -0.3, normal];
        let mut forces = vec![[0.0; 3]];
        let laws = [Law::contact(0.5)];
        let report = Solver::new()
            .solve(&dense.problem(), &laws, &Options::default(), forces.as_flattened_mut())
            .unwrap();
        assert_eq!(report.status, Status::Converged, "{normal}");
        let [x, y, z] = forces[0];
        assert!(z.is_finite() && z >= 0.0 && x.abs().max(y.abs()) <= 0.5 * z, "{normal} {forces:?}");
    }
}

#[test]
fn work_ends_a_solution_in_the_same_place_everywhere() {
    let mut random = Random::new(11);
    let dense = Dense::new(&mut random, 30, 40, 1.0);
    let laws = [Law::contact(0.5); 30];
    let solve = |work: Option<u64>| {
        let options = Options { tolerance: 0.0, max_sweeps: 2000, max_work: work, ..Options::default() };
        let mut forces = vec![[0.0; 3]; 30];
        let report =
            Solver::new().solve(&dense.problem(), &laws, &options, forces.as_flattened_mut()).unwrap();
        (report, forces)
    };
    let (all, _) = solve(None);
    let most = all.work / 10;
    let (part, forces) = solve(Some(most));
    assert_eq!(part.status, Status::WorkLimit);
    // At most one more sweep or step.
    assert!(part.work >= most && part.work < 2 * most, "{} {most}", part.work);
    assert!(part.sweeps + part.steps < all.sweeps + all.steps);
    let (again, same) = solve(Some(most));
    assert_eq!((again.work, again.sweeps, again.steps, same), (part.work, part.sweeps, part.steps, forces));
}

#[test]
fn forces_that_are_mostly_rounding_are_no_solution() {
    // Two contacts press a body of one velocity from both sides, which approach each other.
    for (ratio, speed) in [(-1.3, -0.7), (-2.0, -0.5), (-1.7, -0.3), (-1.1, -1.0)] {
        for method in [Method::Automatic, Method::GaussSeidel, Method::Newton] {
            let mut dense = Dense::new(&mut Random::new(1), 2, NODE, 1.0);
            for (k, block) in dense.values.iter_mut().enumerate() {
                let h = [1.0, ratio];
                *block = [0.0; 9];
                block[8] = h[k / 2] * h[k % 2];
            }
            dense.b = vec![[0.0, 0.0, -1.0], [0.0, 0.0, speed]];
            let (mut forces, laws) = (vec![[0.0; 3]; 2], [Law::contact(0.0); 2]);
            for tolerance in [1e-3, 1e-8] {
                let options = Options { method, tolerance, max_sweeps: 3000, ..Options::default() };
                let problem = &dense.problem();
                let report =
                    Solver::new().solve(problem, &laws, &options, forces.as_flattened_mut()).unwrap();
                assert_ne!(report.status, Status::Converged, "{ratio} {method:?} {tolerance} {forces:?}");
            }
        }
    }
}

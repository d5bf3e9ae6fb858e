//! Recorded problems: the README.md of each folder in tests/data names their sources.

mod files;
mod problems;

use crate::solve_bodies;
use ldy::solve::{Measure, Method, Options, Report, Solver, Status};
use problem_files::archive::Archive;
use problem_files::constraints::Step;
use problem_files::problems::MatrixProblem;
use problem_files::scenes::read_step;
use std::path::{Path, PathBuf};
use testing::Random;

fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data")
}

fn contacts(name: &str) -> MatrixProblem {
    let folder = data().join("friction");
    read(&folder, name)
}

fn read(folder: &Path, name: &str) -> MatrixProblem {
    let archive = Archive::open(&folder.join(name).with_extension("npz"));
    let contacts = archive.and_then(|mut archive| MatrixProblem::read_local(&mut archive));
    contacts.unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn solve(name: &str, options: &Options) -> Report {
    contacts(name).solve(options).unwrap()
}

const NAMES: [&str; 6] =
    ["NESpheres_10_1", "Rover1039", "Rover4516", "Confeti-ex03", "Box_Stacks-i0122", "Capsules-i101-404"];

#[test]
fn all_are_solved_to_tight_tolerances() {
    for name in NAMES {
        for tolerance in [1e-4, 1e-8, 1e-10] {
            let report = solve(name, &Options { tolerance, ..Options::default() });
            assert_eq!(report.status, Status::Converged, "{name} {tolerance}: {report:?}");
            assert!(report.residual.natural <= tolerance && report.residual.scaled <= tolerance);
        }
    }
}

#[test]
fn contacts_that_roll_are_solved_to_tight_tolerances() {
    let folder = data().join("rolling");
    for name in ["RFC3D_sphere_1", "RFC3D_cube_1", "Chute-ndof-768-nc-4-3", "rockfall_14_25792"] {
        for tolerance in [1e-4, 1e-8, 1e-10] {
            let report = read(&folder, name).solve(&Options { tolerance, ..Options::default() }).unwrap();
            assert_eq!(report.status, Status::Converged, "{name} {tolerance}: {report:?}");
            assert!(report.residual.natural <= tolerance && report.residual.scaled <= tolerance);
        }
    }
}

#[test]
fn gauss_seidel_alone_reaches_low_accuracy() {
    for name in NAMES {
        let options = Options { tolerance: 1e-4, method: Method::GaussSeidel, ..Options::default() };
        let report = solve(name, &options);
        assert_eq!((report.status, report.steps), (Status::Converged, 0), "{name}: {report:?}");
    }
}

#[test]
fn the_tolerance_is_that_of_the_measure() {
    for measure in [Measure::Natural, Measure::Scaled, Measure::Both] {
        let report = solve("Confeti-ex03", &Options { tolerance: 1e-6, measure, ..Options::default() });
        assert!(report.status == Status::Converged && report.residual.by(measure) <= 1e-6, "{report:?}");
    }
}

#[test]
fn what_cannot_be_reached_is_told() {
    let report = solve("Box_Stacks-i0122", &Options { tolerance: 0.0, ..Options::default() });
    assert_eq!(report.status, Status::Stalled);
    assert!(report.residual.natural < 1e-12, "{report:?}");
    let report = solve("Capsules-i101-404", &Options { max_sweeps: 3, ..Options::default() });
    assert_eq!((report.status, report.sweeps), (Status::SweepLimit, 3));
    let most = Some(std::time::Duration::ZERO);
    let report = solve("Capsules-i101-404", &Options { time_limit: most, ..Options::default() });
    assert_eq!((report.status, report.sweeps), (Status::TimeLimit, 0));
    assert_eq!(report.residual, report.initial);
}

fn solve_recorded(name: &str, tolerance: f64) -> Report {
    let file = data().join("bodies").join(name);
    let options = Options { tolerance, ..Options::default() };
    let (_, report, _) = solve_bodies(&mut Archive::open(&file).unwrap(), &options).unwrap();
    assert_eq!(report.status, Status::Converged, "{name}, {tolerance}: {report:?}");
    report
}

/// A tighter tolerance may be met while a looser one stalls: then another course is needed.
#[test]
fn one_course_that_stalls_is_not_the_last() {
    for tolerance in [1e-4, 1e-6, 1e-8] {
        solve_recorded("chain-28.npz", tolerance);
    }
    solve_recorded("stack-20.npz", 1e-12);
}

/// Contacts of the chain slide, stick and open in turn, so that whole steps of Newton's method go round in circles.
#[test]
fn steps_are_shortened_where_contacts_change() {
    let report = solve_recorded("chain-10.npz", 1e-8);
    assert!(report.steps < 1000, "{report:?}");
}

/// Interior steps begin after few sweeps. A second start and a long trial follow a start that fails, with no sweeps between them.
#[test]
fn heaps_are_solved_by_steps_after_few_sweeps() {
    let report = solve_recorded("pile-6.npz", 1e-4);
    assert!(report.sweeps < 100 && report.steps < 40, "{report:?}");
    let report = solve_recorded("pile-6.npz", 1e-8);
    assert!(report.sweeps < 100 && report.steps < 400, "{report:?}");
}

/// The same step with its constraints in another order.
fn shuffled(step: &Step, random: &mut Random) -> Step {
    let mut order: Vec<usize> = (0..step.laws.len()).collect();
    (1..order.len()).rev().for_each(|last| order.swap(last, random.below(last + 1)));
    let mut end = 0;
    let scalars: Vec<_> = (step.operators.iter())
        .map(|operators| {
            end += operators[0].1.nrows();
            end - operators[0].1.nrows()..end
        })
        .collect();
    Step {
        h: step.h,
        masses: step.masses.clone(),
        velocities: step.velocities.clone(),
        operators: order.iter().map(|&k| step.operators[k].clone()).collect(),
        laws: order.iter().map(|&k| step.laws[k]).collect(),
        forces: order.iter().flat_map(|&k| step.forces[scalars[k].clone()].iter().copied()).collect(),
    }
}

/// No solution depends on luck.
#[test]
fn the_order_of_constraints_decides_nothing() {
    let mut random = Random::new(1);
    for name in ["chain-10", "chain-28", "stack-4", "stack-20"] {
        let mut archive = Archive::open(&data().join("bodies").join(name).with_extension("npz")).unwrap();
        let step = read_step(&mut archive).unwrap();
        for number in 0..4 {
            let step = shuffled(&step, &mut random);
            let (system, mut forces) = (step.system().unwrap(), step.forces.clone());
            let report =
                system.solve(&mut Solver::new(), &step.laws(), &Options::default(), &mut forces).unwrap();
            assert_eq!(report.status, Status::Converged, "{name}, {number}: {report:?}");
        }
    }
}

/// Interior steps stay at a residual from which Newton's steps lead to the solution.
#[test]
fn newtons_steps_are_tried_between_interior_steps() {
    let report = solve_recorded("stack-4.npz", 1e-8);
    assert!(report.steps < 500, "{report:?}");
}

//! The same problem again: the same bits, regardless of what the solver has solved before; and a warm start.

use super::dense::Dense;
use ldy::solve::{Law, Method, Options, Solver, Status};
use nalgebra::DVector;
use testing::Random;

fn problem(rows: usize, seed: u64) -> (Dense, Vec<Law>) {
    let mut random = Random::new(seed);
    let h = random.matrix(3 * rows, 2 * rows);
    let u = DVector::from_fn(2 * rows, |_, _| random.signed());
    (Dense::of_bodies(&h, &u), vec![Law::contact(0.3); rows])
}

#[test]
fn results_do_not_depend_on_what_was_solved_before() {
    for method in [Method::Newton, Method::GaussSeidel, Method::Automatic] {
        let mut solver = Solver::new();
        let mut solve = |rows, seed| {
            let (dense, laws) = problem(rows, seed);
            let mut forces = vec![[0.0; 3]; rows];
            let options = Options { method, tolerance: 1e-6, ..Options::default() };
            let report = solver.solve(&dense.problem(), &laws, &options, forces.as_flattened_mut()).unwrap();
            assert!(if method == Method::Newton { report.steps > 0 } else { report.sweeps > 0 });
            (forces, report.residual, report.sweeps, report.steps, solver.history().to_vec())
        };
        let first = solve(20, 1);
        solve(7, 2);
        solve(20, 3);
        assert_eq!(solve(20, 1), first, "{method:?}");
    }
}

#[test]
fn solutions_are_good_beginnings() {
    let (dense, laws) = problem(20, 4);
    let mut forces = vec![[0.0; 3]; 20];
    let mut solver = Solver::new();
    let cold = solver.solve(&dense.problem(), &laws, &Options::default(), forces.as_flattened_mut()).unwrap();
    let warm = solver.solve(&dense.problem(), &laws, &Options::default(), forces.as_flattened_mut()).unwrap();
    assert!(cold.sweeps > 0 && (warm.sweeps, warm.steps) == (0, 0), "{cold:?} {warm:?}");
    assert_eq!(warm.initial, cold.residual);
}

/// Without friction a sweep is that of projected Gauss–Seidel, which the test makes itself.
#[test]
fn the_forces_of_the_last_sweep_count_wherever_the_limit_is() {
    for rows in [8, 20] {
        let (dense, _) = problem(rows, 5);
        let mut expected = vec![0.0; rows];
        for sweeps in 1..=15 {
            for row in 0..rows {
                let at = 3 * row + 2;
                let others: f64 = (0..rows).map(|other| dense.w[(at, 3 * other + 2)] * expected[other]).sum();
                let velocity = dense.b[row][2] + others;
                expected[row] = f64::max(expected[row] - velocity / dense.w[(at, at)], 0.0);
            }
            let options = Options {
                method: Method::GaussSeidel,
                tolerance: 1e-300,
                max_sweeps: sweeps,
                ..Options::default()
            };
            let mut forces = vec![[0.0; 3]; rows];
            let laws = vec![Law::contact(0.0); rows];
            let report =
                Solver::new().solve(&dense.problem(), &laws, &options, forces.as_flattened_mut()).unwrap();
            assert_eq!((report.status, report.sweeps), (Status::SweepLimit, sweeps));
            let error =
                forces.iter().zip(&expected).fold(0.0, |most, (r, x)| f64::max(most, (r[2] - x).abs()));
            assert!(error < 1e-10, "{rows} rows, {sweeps} sweeps: {error}");
        }
    }
}

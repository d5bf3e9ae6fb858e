//! The same problem again: the same bits, regardless of what the solver has solved before; and a warm start.

use super::dense::Dense;
use ldy::solve::{Law, Method, Options, Solver};
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

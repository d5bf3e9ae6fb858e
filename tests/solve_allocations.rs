//! Every allocation of a solver made to fail in turn: an error each time, forces as they were, and the next call is right. And a
//! second problem of the same pattern, which is solved without any. A program of its own: see
//! `failing`.

mod failing;

use failing::{allocations, fail_at};
use ldy::solve::{Fault, Law, Method, Normal, Options, Problem, Report, Solver};

/// Particles in a column, each on the one below it.
struct Column {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<[f64; 9]>,
    b: Vec<[f64; 3]>,
    laws: Vec<Law>,
}

impl Column {
    fn new(rows: i32) -> Self {
        let scaled = |x: f64| [x, 0.0, 0.0, 0.0, x, 0.0, 0.0, 0.0, x];
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..rows {
            for column in (row - 1).max(0)..(row + 2).min(rows) {
                columns.push(column);
                values.push(scaled(if column != row {
                    -1.0
                } else if row == 0 {
                    1.0
                } else {
                    2.0
                }));
            }
            starts.push(columns.len() as i32);
        }
        let mut b = vec![[0.0; 3]; rows as usize];
        b[0] = [0.3, 0.0, -1.0];
        Self { starts, columns, values, b, laws: vec![Law::contact(0.5); rows as usize] }
    }

    fn solve(&self, solver: &mut Solver, forces: &mut [[f64; 3]]) -> Result<Report, ldy::solve::Error> {
        let Self { starts, columns, values, b, laws } = self;
        let problem = Problem { starts, columns, values, b, normal: Normal::Third };
        solver.solve(&problem, laws, &Options { method: Method::Newton, ..Options::default() }, forces)
    }
}

#[test]
fn every_allocation_may_fail() {
    let column = Column::new(12);
    let mut expected = [[0.0; 3]; 12];
    column.solve(&mut Solver::new(), &mut expected).expect("enough memory");
    let mut failures = 0;
    loop {
        let (mut solver, mut forces) = (Solver::new(), [[0.0; 3]; 12]);
        fail_at(failures + 1);
        let result = column.solve(&mut solver, &mut forces);
        if fail_at(0) {
            assert!(result.is_ok() && forces == expected);
            break;
        }
        failures += 1;
        assert_eq!(result.expect_err("no memory").fault, Fault::Memory, "allocation {failures}");
        assert_eq!(forces, [[0.0; 3]; 12]);
        let report = column.solve(&mut solver, &mut forces).expect("enough memory");
        assert!(report.steps > 0 && forces == expected, "after allocation {failures}");
    }
    assert!(failures > 30, "{failures}");
}

#[test]
fn a_repeated_pattern_allocates_nothing() {
    let mut column = Column::new(12);
    let (mut solver, mut forces) = (Solver::new(), [[0.0; 3]; 12]);
    column.solve(&mut solver, &mut forces).expect("enough memory");
    column.b[3] = [0.0, 0.1, -0.2];
    let before = allocations();
    let report = column.solve(&mut solver, &mut forces).expect("enough memory");
    assert!(report.steps > 0);
    assert_eq!(allocations(), before);
}

//! Every allocation of a solver made to fail in turn: an error each time, forces as they were, and the next call is right. And a
//! second problem of the same pattern, which is solved without any

use ldy::solve::{
    BlockRows, Derivatives, Error, Fault, Kind, Law, Method, Normal, Options, Problem, Report, RowLayout,
    Solver,
};
use testing::allocator::{fail_at, own_allocations as allocations};

/// Particles in a column, each on the one below it.
struct Column {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<f64>,
    b: Vec<f64>,
    laws: Vec<Law>,
    /// Where rows and blocks begin, unless rows have three scalars.
    layout: Option<(Vec<i32>, Vec<usize>)>,
}

impl Column {
    fn new(rows: usize, law: Law) -> Self {
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        for row in 0..rows {
            for column in row.saturating_sub(1)..(row + 2).min(rows) {
                let x = if column != row { -1.0 } else { 2.0 - f64::from(row == 0) };
                columns.push(column as i32);
                values.extend([x, 0.0, 0.0, 0.0, x, 0.0, 0.0, 0.0, x]);
            }
            starts.push(columns.len() as i32);
        }
        let mut b = vec![0.0; 3 * rows];
        b.iter_mut().zip([0.3, 0.0, -1.0]).for_each(|(b, first)| *b = first);
        Self { starts, columns, values, b, laws: vec![law; rows], layout: None }
    }

    /// Columns of these heights, side by side.
    fn beside_each_other(heights: &[usize], law: Law) -> Self {
        let mut all = Self::new(0, law);
        heights.iter().for_each(|&height| all.append(Self::new(height, law)));
        all
    }

    /// Put another one beside it.
    fn append(&mut self, next: Self) {
        let (rows, blocks) = (self.laws.len() as i32, self.columns.len() as i32);
        self.starts.extend(next.starts[1..].iter().map(|start| start + blocks));
        self.columns.extend(next.columns.iter().map(|column| column + rows));
        self.values.extend(next.values);
        self.b.extend(next.b);
        self.laws.extend(next.laws);
    }

    /// The normal components alone, in rows of one scalar.
    fn normals(rows: usize) -> Self {
        let stop = Kind::Bounds { lower: [0.0; 3], upper: [f64::INFINITY; 3] };
        let all = Self::new(rows, Law { kind: stop, bias: [0.0; 3] });
        let third = |list: &[f64], of: usize| list.iter().skip(of - 1).step_by(of).copied().collect();
        let (values, b) = (third(&all.values, 9), third(&all.b, 3));
        let layout = Some(((0..=rows as i32).collect(), (0..=all.columns.len()).collect()));
        Self { values, b, layout, ..all }
    }

    fn solve(&self, method: Method, solver: &mut Solver, forces: &mut [f64]) -> Result<Report, Error> {
        self.solve_by(&Options { method, ..Options::default() }, solver, forces)
    }

    fn solve_by(&self, options: &Options, solver: &mut Solver, forces: &mut [f64]) -> Result<Report, Error> {
        let Self { starts, columns, values, b, laws, .. } = self;
        let layout = self.layout.as_ref().map(|(scalars, values)| RowLayout::new(scalars, values).unwrap());
        let w = BlockRows::new(starts, columns, values, layout).unwrap();
        let problem = Problem { w, b, normal: Normal::Third };
        solver.solve(&problem, laws, options, forces)
    }
}

/// One coefficient of friction; two, which are solved in scaled units; rows of one scalar, which are padded; islands.
fn columns(rows: usize) -> [Column; 4] {
    let rubs = Kind::contact([0.5, 0.3], 0.0);
    let orthotropic = Law { kind: rubs, bias: [0.0; 3] };
    [
        Column::new(rows, Law::contact(0.5)),
        Column::new(rows, orthotropic),
        Column::normals(rows),
        Column::beside_each_other(&[1, rows, 2, 3 * rows, 1], Law::contact(0.5)),
    ]
}

#[test]
fn every_allocation_may_fail() {
    for column in columns(12) {
        let none = vec![0.0; column.b.len()];
        let mut expected = none.clone();
        column.solve(Method::Newton, &mut Solver::new(), &mut expected).expect("enough memory");
        let mut failures = 0;
        loop {
            let (mut solver, mut forces) = (Solver::new(), none.clone());
            fail_at(failures + 1);
            let result = column.solve(Method::Newton, &mut solver, &mut forces);
            if fail_at(0) {
                assert!(result.is_ok() && forces == expected);
                break;
            }
            failures += 1;
            assert_eq!(result.expect_err("no memory").fault, Fault::Memory, "allocation {failures}");
            assert_eq!(forces, none);
            let report = column.solve(Method::Newton, &mut solver, &mut forces).expect("enough memory");
            assert!(report.steps > 0 && forces == expected, "after allocation {failures}");
        }
        assert!(failures > 30, "{failures}");
    }
}

#[test]
fn a_repeated_pattern_allocates_nothing() {
    for mut column in columns(12) {
        let (mut solver, mut forces) = (Solver::new(), vec![0.0; column.b.len()]);
        column.solve(Method::Newton, &mut solver, &mut forces).expect("enough memory");
        *column.b.last_mut().expect("rows") = -0.2;
        let before = allocations();
        let report = column.solve(Method::Newton, &mut solver, &mut forces).expect("enough memory");
        assert!(report.steps > 0);
        assert_eq!(allocations(), before);
    }
}

#[test]
fn derivatives_of_a_repeated_pattern_allocate_nothing() {
    for mut column in columns(12) {
        let mut derivatives = Derivatives::default();
        let count = column.b.len();
        let (mut forces, ones) = (vec![0.0; count], vec![1.0; count]);
        let [mut dr, mut du, mut by_b] = [(); 3].map(|()| vec![0.0; count]);
        for is_again in [false, true] {
            column.solve(Method::Newton, &mut Solver::new(), &mut forces).expect("enough memory");
            let Column { starts, columns, values, b, laws, .. } = &column;
            let layout =
                column.layout.as_ref().map(|(scalars, values)| RowLayout::new(scalars, values).unwrap());
            let w = BlockRows::new(starts, columns, values, layout).unwrap();
            let problem = Problem { w, b, normal: Normal::Third };
            let before = allocations();
            derivatives.compute(&problem, laws, &forces, 0.0).expect("enough memory");
            derivatives.forward(&ones, None, &mut dr, &mut du).expect("enough memory");
            derivatives.adjoint(Some(&ones), Some(&ones), &mut by_b, None).expect("enough memory");
            assert_eq!(allocations() == before, is_again);
            assert!(by_b.iter().any(|x| *x != 0.0));
            column.b.iter_mut().for_each(|b| *b *= 1.1);
        }
    }
}

/// Derivatives of a larger problem that end in the middle, since an allocation fails: the next ones are right.
#[test]
fn derivatives_that_fail_in_the_middle_leave_nothing() {
    for (column, larger) in columns(4).iter().zip(columns(9)) {
        let made = |own: &mut Derivatives, column: &Column, forces: &[f64], by_b: &mut [f64]| {
            let Column { starts, columns, values, b, laws, .. } = column;
            let layout =
                column.layout.as_ref().map(|(scalars, values)| RowLayout::new(scalars, values).unwrap());
            let w = BlockRows::new(starts, columns, values, layout).unwrap();
            let computed = own.compute(&Problem { w, b, normal: Normal::Third }, laws, forces, 0.0);
            assert!(computed.is_ok() || own.row_count() == 0);
            computed.and_then(|()| own.adjoint(Some(forces), Some(forces), by_b, None)).map(|_| ())
        };
        let forces_of = |column: &Column| column.b.iter().map(|b| 0.1 - b).collect::<Vec<f64>>();
        let (forces, of_larger) = (forces_of(column), forces_of(&larger));
        let [mut expected, mut found] = [(); 2].map(|()| vec![0.0; forces.len()]);
        let mut by_b = vec![0.0; of_larger.len()];
        made(&mut Derivatives::default(), column, &forces, &mut expected).expect("enough memory");
        for failure in 1.. {
            let mut own = Derivatives::default();
            made(&mut own, column, &forces, &mut found).expect("enough memory");
            fail_at(failure);
            let result = made(&mut own, &larger, &of_larger, &mut by_b);
            if fail_at(0) {
                assert!(result.is_ok() && failure > 5);
                break;
            }
            assert_eq!(result.expect_err("no memory").fault, Fault::Memory);
            made(&mut own, column, &forces, &mut found).expect("enough memory");
            assert_eq!(found, expected, "allocation {failure}");
        }
    }
}

/// A solver keeps its memory after an error in the middle of a larger problem.
#[test]
fn an_error_loses_no_memory() {
    for (column, larger) in columns(12).iter().zip(columns(24)) {
        for failure in 1.. {
            let (mut solver, mut forces) = (Solver::new(), vec![0.0; larger.b.len()]);
            let own = column.b.len();
            column.solve(Method::GaussSeidel, &mut solver, &mut forces[..own]).expect("enough memory");
            fail_at(failure);
            let result = larger.solve(Method::GaussSeidel, &mut solver, &mut forces);
            if fail_at(0) {
                assert!(result.is_ok() && failure > 5);
                break;
            }
            let before = allocations();
            column.solve(Method::GaussSeidel, &mut solver, &mut forces[..own]).expect("enough memory");
            assert_eq!(allocations(), before, "after allocation {failure}");
        }
    }
}

/// A particle between walls that approach each other.
fn press() -> Column {
    let mut press = Column::new(2, Law::contact(0.5));
    // The normal component of the second row's diagonal block.
    press.values[35] = 1.0;
    Column { b: vec![0.0, 0.0, -1.0, 0.0, 0.0, -1.0], ..press }
}

/// Presses beside a column that has a solution.
fn presses(count: usize) -> Column {
    let mut all = Column::new(3, Law::contact(0.5));
    (0..count).for_each(|_| all.append(press()));
    all
}

/// An error leaves forces and the conflict of the last problem as they were.
#[test]
fn every_allocation_for_a_conflict_may_fail() {
    // After few sweeps the velocities are a proof.
    let few = Options { method: Method::GaussSeidel, max_sweeps: 500, ..Options::default() };
    for count in [0, 1, 3] {
        // A press alone is a problem of one island.
        let problem = if count == 0 { press() } else { presses(count) };
        let none = vec![0.0; problem.b.len()];
        let (mut solver, mut expected) = (Solver::new(), none.clone());
        problem.solve_by(&few, &mut solver, &mut expected).expect("enough memory");
        let conflict = solver.conflict().to_vec();
        assert_eq!(conflict.len(), 2 * count.max(1));
        let mut failures = 0;
        for failure in 1.. {
            let (mut solver, mut forces) = (Solver::new(), none.clone());
            let other = presses(2);
            other.solve_by(&few, &mut solver, &mut vec![0.0; other.b.len()]).expect("enough memory");
            let before = solver.conflict().to_vec();
            fail_at(failure);
            let result = problem.solve_by(&few, &mut solver, &mut forces);
            if fail_at(0) {
                assert!(result.is_ok() && forces == expected && solver.conflict() == conflict);
                break;
            }
            failures += 1;
            assert_eq!(result.expect_err("no memory").fault, Fault::Memory, "allocation {failure}");
            assert!(forces == none && solver.conflict() == before, "allocation {failure}");
            problem.solve_by(&few, &mut solver, &mut forces).expect("enough memory");
            assert!(forces == expected && solver.conflict() == conflict, "after allocation {failure}");
        }
        assert!(failures > 0);
    }
}

//! Rows of one to six scalar rows, compared with the same scalar rows in rows of three.

use nalgebra::{DMatrix, DVector};

use crate::solve::{
    BlockRows, Fault, Kind, Law, Method, Normal, Options, Problem, Report, RowLayout, Solver, Status,
};
use testing::Random;

/// W with all blocks, cut into rows of given heights.
pub struct Cut {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<f64>,
    scalars: Vec<i32>,
    places: Vec<usize>,
    b: Vec<f64>,
}

impl Cut {
    pub fn new(w: &DMatrix<f64>, b: &DVector<f64>, heights: &[usize]) -> Self {
        let mut scalars = vec![0];
        heights.iter().for_each(|&height| scalars.push(scalars.last().unwrap() + height as i32));
        let (mut values, mut places) = (Vec::new(), vec![0]);
        let first = |row: usize| scalars[row] as usize;
        for row in 0..heights.len() {
            for column in 0..heights.len() {
                let block = w.view((first(row), first(column)), (heights[row], heights[column])).into_owned();
                values.extend_from_slice(block.as_slice());
                places.push(values.len());
            }
        }
        let count = heights.len() as i32;
        let starts = (0..=count).map(|row| row * count).collect();
        let columns = (0..count * count).map(|k| k % count).collect();
        Self { starts, columns, values, scalars, places, b: b.as_slice().to_vec() }
    }

    pub fn problem(&self) -> Problem<'_> {
        let Self { starts, columns, values, scalars, places, b } = self;
        let layout = RowLayout::new(scalars, places).unwrap();
        let w = BlockRows::new(starts, columns, values, Some(layout)).unwrap();
        Problem { w, b, normal: Normal::Third }
    }

    fn solve(&self, solver: &mut Solver, laws: &[Law], method: Method, forces: &mut [f64]) -> Report {
        let options = Options { tolerance: 1e-12, method, ..Options::default() };
        solver.solve(&self.problem(), laws, &options, forces).unwrap()
    }
}

/// Bounds and bias of one scalar row.
#[derive(Clone, Copy)]
struct Scalar {
    lower: f64,
    upper: f64,
    bias: f64,
}

/// The laws of rows of given heights; lanes without a scalar row have no bounds.
fn laws(scalars: &[Scalar], heights: &[usize]) -> Vec<Law> {
    let mut laws = Vec::new();
    let mut rest = scalars;
    for &height in heights {
        for part in rest[..height].chunks(3) {
            let of = |i: usize| {
                part.get(i).copied().unwrap_or(Scalar { lower: 5.0, upper: f64::NAN, bias: f64::NAN })
            };
            let (lower, upper) = (std::array::from_fn(|i| of(i).lower), std::array::from_fn(|i| of(i).upper));
            laws.push(Law { kind: Kind::Bounds { lower, upper }, bias: std::array::from_fn(|i| of(i).bias) });
        }
        rest = &rest[height..];
    }
    laws
}

/// Random heights with this sum.
fn heights(random: &mut Random, mut sum: usize) -> Vec<usize> {
    let mut heights = Vec::new();
    while sum > 0 {
        let height = (1 + (random.signed().abs() * 6.0) as usize).min(sum);
        heights.push(height);
        sum -= height;
    }
    heights
}

/// A regular W and its scalar rows, some fixed, some bounded, some without force.
fn scene(random: &mut Random, size: usize) -> (DMatrix<f64>, DVector<f64>, Vec<Scalar>) {
    let h = DMatrix::from_fn(size, size + 3, |_, _| random.signed());
    let w = &h * h.transpose() + DMatrix::identity(size, size) * 0.1;
    let b = DVector::from_fn(size, |_, _| random.signed());
    let scalar = |kind: f64| match kind {
        -1.0..0.2 => (f64::NEG_INFINITY, f64::INFINITY),
        0.2..0.6 => (0.0, f64::INFINITY),
        0.6..0.8 => (-0.3, 0.2),
        _ => (0.0, 0.0),
    };
    let scalars = (0..size).map(|_| {
        let (lower, upper) = scalar(random.signed());
        Scalar { lower, upper, bias: random.signed() }
    });
    let scalars = scalars.collect();
    (w, b, scalars)
}

/// By each method and for each cut of W, the forces equal the forces of rows of three, and obey the law of each scalar row.
#[test]
fn forces_do_not_depend_on_how_scalars_are_cut_into_rows() {
    let mut random = Random::new(7);
    let mut solver = Solver::new();
    for case in 0..60 {
        let size = 3 * (1 + case % 7);
        let (w, b, scalars) = scene(&mut random, size);
        let cut = heights(&mut random, size);
        let methods = [Method::GaussSeidel, Method::Newton, Method::Automatic];
        let method = methods[case % 3];
        let (mut forces, mut expected) = (vec![0.0; size], vec![0.0; size]);
        let any = Cut::new(&w, &b, &cut);
        let report = any.solve(&mut solver, &laws(&scalars, &cut), method, &mut forces);
        assert_eq!(report.status, Status::Converged, "case {case}: {cut:?}");
        let threes = vec![3; size / 3];
        Cut::new(&w, &b, &threes).solve(&mut solver, &laws(&scalars, &threes), method, &mut expected);
        let u = &w * DVector::from_column_slice(&forces) + &b;
        for (i, scalar) in scalars.iter().enumerate() {
            assert!(
                (forces[i] - expected[i]).abs() < 1e-9 * (1.0 + expected[i].abs()),
                "case {case}, scalar {i}"
            );
            let u = u[i] + scalar.bias;
            let obeys = (forces[i] - u).clamp(scalar.lower, scalar.upper) - forces[i];
            assert!(obeys.abs() < 1e-9, "case {case}, scalar {i}: {obeys}");
        }
    }
}

/// A contact between rows of other sizes: its residuals and reports, and the workspace of a solver.
#[test]
fn contacts_stand_beside_other_rows() {
    let mut random = Random::new(3);
    let mut solver = Solver::new();
    for case in 0..20 {
        let cut = [1, 3, 6, 2];
        let (w, b, scalars) = scene(&mut random, 12);
        let mut given = laws(&scalars, &cut);
        given[1] = Law { bias: [0.1, 0.2, -0.3], ..Law::contact(0.4) };
        // The same with the contact first, between rows of three: its own, four more scalar rows of the six, and so on.
        let order = [1, 2, 3, 0, 4, 5, 6, 7, 8, 9, 10, 11];
        let turned = DMatrix::from_fn(12, 12, |i, j| w[(order[i], order[j])]);
        let turned_b = DVector::from_fn(12, |i, _| b[order[i]]);
        let turned_scalars: Vec<Scalar> = order.iter().map(|&i| scalars[i]).collect();
        let threes = [3; 4];
        let mut turned_laws = laws(&turned_scalars, &threes);
        turned_laws[0] = given[1];
        let (mut forces, mut expected) = ([0.0; 12], [0.0; 12]);
        let any = Cut::new(&w, &b, &cut);
        let report = any.solve(&mut solver, &given, Method::Automatic, &mut forces);
        assert_eq!(report.status, Status::Converged);
        let turned = Cut::new(&turned, &turned_b, &threes);
        turned.solve(&mut solver, &turned_laws, Method::Automatic, &mut expected);
        for (i, &from) in order.iter().enumerate() {
            assert!((forces[from] - expected[i]).abs() < 1e-8, "case {case}: {forces:?} {expected:?}");
        }
        // A used workspace does not change the result.
        let mut again = [0.0; 12];
        any.solve(&mut solver, &given, Method::Automatic, &mut again);
        assert_eq!(forces.map(f64::to_bits), again.map(f64::to_bits));
    }
}

/// If one scalar row is far from its law after one sweep, the report names the row that contains it.
#[test]
fn the_worst_row_is_that_of_the_user() {
    let mut w = DMatrix::identity(16, 16);
    w[(12, 15)] = 0.9;
    w[(15, 12)] = 0.9;
    let b = DVector::from_fn(16, |i, _| if i >= 12 { 1.0 } else { 0.0 });
    let cut = [6, 5, 1, 4];
    let fixed: Vec<Law> = std::iter::repeat_n(Law::fixed(), 7).collect();
    let any = Cut::new(&w, &b, &cut);
    let options =
        Options { tolerance: 1e-14, method: Method::GaussSeidel, max_sweeps: 1, ..Options::default() };
    let (mut forces, mut seen) = ([0.0; 16], Vec::new());
    let mut watch = |report: &Report| {
        seen.push(report.residual.worst);
        true
    };
    let report =
        Solver::new().solve_with_progress(&any.problem(), &fixed, &options, &mut forces, &mut watch).unwrap();
    assert_eq!((report.status, report.residual.worst, report.initial.worst), (Status::SweepLimit, 3, 3));
    assert!(seen.iter().all(|&worst| worst == 3), "{seen:?}");
}

/// A third of the trace is computed from the scalar rows alone: both measures equal their formulas.
#[test]
fn residuals_are_those_of_scalars_alone() {
    let mut random = Random::new(9);
    let (w, b, _) = scene(&mut random, 9);
    let cut = [2, 6, 1];
    let free = Scalar { lower: f64::NEG_INFINITY, upper: f64::INFINITY, bias: 0.0 };
    let any = Cut::new(&w, &b, &cut);
    let mut forces = [0.0; 9];
    let options = Options { tolerance: 1e-12, ..Options::default() };
    let report = Solver::new().solve(&any.problem(), &laws(&[free; 9], &cut), &options, &mut forces).unwrap();
    // With R = 0 the natural map of fixed scalar rows is U = B, and scaled U / √d.
    assert!((report.initial.natural - 1.0).abs() < 1e-12 && (report.initial.scaled - 1.0).abs() < 1e-12);
    let lower = Scalar { lower: 0.0, ..free };
    let scalars = [free, lower, free, free, lower, free, free, lower, lower];
    let report = Solver::new().solve(&any.problem(), &laws(&scalars, &cut), &options, &mut [0.0; 9]).unwrap();
    let (mut natural, mut scaled, mut all, mut all_scaled) = (0.0, 0.0, 0.0, 0.0);
    for part in [0..2, 2..5, 5..8, 8..9_usize] {
        let d = part.clone().map(|i| w[(i, i)]).sum::<f64>() / part.len() as f64;
        for i in part {
            let violates = scalars[i].lower < 0.0 || b[i] < 0.0;
            let square = b[i] * b[i];
            (all, all_scaled) = (all + square, all_scaled + square / d);
            if violates {
                (natural, scaled) = (natural + square, scaled + square / d);
            }
        }
    }
    assert!((report.initial.natural - f64::sqrt(natural / all)).abs() < 1e-12);
    assert!((report.initial.scaled - f64::sqrt(scaled / all_scaled)).abs() < 1e-12);
}

#[test]
fn what_does_not_fit_is_refused() {
    let (w, b) = (DMatrix::identity(9, 9), DVector::from_element(9, 1.0));
    let any = Cut::new(&w, &b, &[2, 6, 1]);
    let told = |laws: &[Law], forces: &mut [f64]| {
        let made = Solver::new().solve(&any.problem(), laws, &Options::default(), forces);
        made.map(|report| report.status).unwrap_or_else(|error| panic!("{error}"))
    };
    let fails = |laws: &[Law], forces: &mut [f64]| {
        let before = forces.to_vec();
        let made = Solver::new().solve(&any.problem(), laws, &Options::default(), forces);
        assert!(before.iter().zip(forces).all(|(x, y)| x.to_bits() == y.to_bits()));
        made.expect_err("something is wrong")
    };
    let good = [Law::fixed(); 4];
    assert_eq!(told(&good, &mut [0.0; 9]), Status::Converged);
    assert_eq!(fails(&good[..3], &mut [0.0; 9]).to_string(), "laws: 3 values where 4 are needed");
    assert_eq!(fails(&good, &mut [0.0; 12]).to_string(), "forces: 12 values where 9 are needed");
    let contact = Law::contact(0.5);
    let two = Kind::contact([0.5, 0.4], 0.0);
    let orthotropic = Law { kind: two, ..contact };
    for (law, row, wrong) in [(0, 0, orthotropic), (1, 1, contact), (2, 1, contact), (3, 2, contact)] {
        let mut laws = good;
        laws[law] = wrong;
        let error = fails(&laws, &mut [0.0; 9]);
        let of_two = "a contact of two scalar rows has one coefficient of friction";
        let of_moments = "the second law of a contact with moments, and of nothing else, is that of moments";
        let why = [
            of_two,
            of_moments,
            "a contact begins with the first scalar row",
            "a contact has two to six scalar rows",
        ][law];
        assert_eq!((error.row, error.fault), (Some(row), Fault::Invalid(why)));
        laws[law] = Law { bias: [f64::NAN, 0.0, 0.0], ..Law::fixed() };
        let error = fails(&laws, &mut [0.0; 9]);
        assert_eq!((error.row, error.fault), (Some(row), Fault::NotFinite("the bias of its law")));
    }
    let mut forces = [0.0; 9];
    forces[7] = f64::INFINITY;
    assert_eq!(fails(&good, &mut forces).row, Some(1));
    let problem = Problem { b: &any.b[..8], ..any.problem() };
    let made = Solver::new().solve(&problem, &good, &Options::default(), &mut [0.0; 9]);
    assert_eq!(made.unwrap_err().to_string(), "B: 8 values where 9 are needed");
}

/// Zero blocks, which no force changes, next to scalar rows with and without bounds.
#[test]
fn rows_without_w_do_no_harm() {
    let mut w = DMatrix::identity(5, 5);
    (0..3).for_each(|i| w[(i, i)] = 0.0);
    let b = DVector::from_column_slice(&[0.0, 0.0, 0.5, 1.0, -2.0]);
    let any = Cut::new(&w, &b, &[2, 1, 2]);
    let free = Scalar { lower: f64::NEG_INFINITY, upper: f64::INFINITY, bias: 0.0 };
    let stop = Scalar { lower: 0.0, ..free };
    for method in [Method::GaussSeidel, Method::Newton] {
        let mut forces = [0.0; 5];
        let report = any.solve(
            &mut Solver::new(),
            &laws(&[free, free, stop, free, stop], &[2, 1, 2]),
            method,
            &mut forces,
        );
        assert_eq!(report.status, Status::Converged);
        assert!(
            forces.iter().zip([0.0, 0.0, 0.0, -1.0, 2.0]).all(|(x, y)| (x - y).abs() < 1e-9),
            "{forces:?}"
        );
    }
}

/// A layout in which all rows have three scalar rows changes no bit of the forces, by any method.
#[test]
fn a_layout_of_threes_changes_no_bit() {
    let mut random = Random::new(5);
    for method in [Method::Automatic, Method::GaussSeidel, Method::Newton] {
        let (w, b, scalars) = scene(&mut random, 12);
        let with = Cut::new(&w, &b, &[3; 4]);
        let laws = laws(&scalars, &[3; 4]);
        let w = with.problem().w;
        let without = BlockRows::new(w.starts(), w.columns(), w.values(), None).unwrap();
        let options = Options { method, ..Options::default() };
        let bits = |problem: &Problem| {
            let mut forces = [0.0; 12];
            Solver::new().solve(problem, &laws, &options, &mut forces).unwrap();
            forces.map(f64::to_bits)
        };
        assert_eq!(bits(&with.problem()), bits(&Problem { w: without, ..with.problem() }));
    }
}

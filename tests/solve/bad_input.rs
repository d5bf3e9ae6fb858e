//! Input that the solver refuses, and the errors that it returns. Forces stay unchanged.

use ldy::solve::{BlockRows, Fault, Kind, Law, Normal, Options, Problem, Solver};

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

struct Given {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<[f64; 9]>,
    b: Vec<[f64; 3]>,
    laws: Vec<Law>,
    forces: Vec<[f64; 3]>,
    options: Options,
}

/// The text for three contacts, changed.
fn refused(change: impl Fn(&mut Given)) -> String {
    let mut given = Given {
        starts: vec![0, 2, 4, 5],
        columns: vec![0, 1, 0, 1, 2],
        values: vec![UNIT; 5],
        b: vec![[0.0, 0.0, -1.0]; 3],
        laws: vec![Law::contact(0.5); 3],
        forces: vec![[0.25; 3]; 3],
        options: Options::default(),
    };
    change(&mut given);
    let Given { starts, columns, values, b, laws, mut forces, options } = given;
    let before = format!("{forces:?}");
    let made = BlockRows::new(&starts, &columns, values.as_flattened(), None).and_then(|w| {
        let problem = Problem { w, b: b.as_flattened(), normal: Normal::Third };
        Solver::new().solve(&problem, &laws, &options, forces.as_flattened_mut())
    });
    let error = made.expect_err("something wrong");
    assert_eq!(format!("{forces:?}"), before);
    error.to_string()
}

#[test]
fn values_that_are_none_are_refused_by_row() {
    assert_eq!(
        refused(|given| given.values[3][4] = f64::NAN),
        "constraint of row 1: a block of W is not finite"
    );
    assert_eq!(refused(|given| given.b[2][0] = f64::INFINITY), "constraint of row 2: B is not finite");
    assert_eq!(
        refused(|given| given.forces[1][1] = f64::NAN),
        "constraint of row 1: the force to begin with is not finite"
    );
    assert_eq!(
        refused(|given| given.laws[0].bias[2] = f64::NAN),
        "constraint of row 0: the bias of its law is not finite"
    );
}

#[test]
fn laws_that_are_none_are_refused_by_row() {
    let friction = "constraint of row 2: its friction is negative or not finite";
    assert_eq!(refused(|given| given.laws[2] = Law::contact(-0.1)), friction);
    assert_eq!(refused(|given| given.laws[2] = Law::contact(f64::NAN)), friction);
    for friction_2 in [-0.1, f64::NAN, f64::INFINITY] {
        let kind = Kind::contact([0.5, friction_2], 0.0);
        assert_eq!(refused(|given| given.laws[2].kind = kind), friction);
    }
    let kind = Kind::contact([0.5, 0.5], -1.0);
    assert_eq!(
        refused(|given| given.laws[1].kind = kind),
        "constraint of row 1: its cohesion is negative or not finite"
    );
    for (lower, upper) in [(1.0, 0.0), (f64::NAN, 1.0), (f64::INFINITY, f64::INFINITY)] {
        let kind = Kind::Bounds { lower: [lower; 3], upper: [upper; 3] };
        let text = "constraint of row 1: a lower bound of its force is above the upper one";
        assert_eq!(refused(|given| given.laws[1].kind = kind), text);
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused() {
    assert_eq!(refused(|given| given.laws.truncate(2)), "laws: 2 values where 3 are needed");
    assert_eq!(refused(|given| given.forces.push([0.0; 3])), "forces: 12 values where 9 are needed");
    assert_eq!(refused(|given| given.b.truncate(2)), "B: 6 values where 9 are needed");
    assert_eq!(refused(|given| given.values.truncate(3)), "values: 27 values where 45 are needed");
}

#[test]
fn patterns_that_are_none_are_refused() {
    let ascend = "starts do not ascend from 0 to the number of blocks";
    assert_eq!(refused(|given| given.starts = vec![0, 4, 2, 5]), ascend);
    assert_eq!(refused(|given| given.starts = vec![0, 2, 4, 6]), ascend);
    assert_eq!(refused(|given| given.starts.truncate(3)), ascend);
    assert_eq!(refused(|given| given.columns[1] = 3), "constraint of row 0: a column lies outside W");
    assert_eq!(refused(|given| given.columns[1] = -1), "constraint of row 0: a column lies outside W");
    assert_eq!(refused(|given| given.columns.swap(2, 3)), "constraint of row 1: its columns do not ascend");
    assert_eq!(refused(|given| given.columns[4] = 1), "constraint of row 2: its diagonal block is missing");
}

#[test]
fn tolerances_that_are_none_are_refused() {
    for tolerance in [-1.0, f64::NAN] {
        let text = refused(|given| given.options.tolerance = tolerance);
        assert_eq!(text, "the tolerance is negative or not a number");
    }
    let error = ldy::solve::Error { row: None, fault: Fault::Memory };
    assert_eq!(error.to_string(), "out of memory");
}

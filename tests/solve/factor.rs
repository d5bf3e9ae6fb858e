//! W known as Z Zᵀ.

use ldy::solve::{BodyRows, Kind, Law, Method, NODE, Options, Solver};
use ldy::system::{Inertia, Kinematics, Operator, RowLaw, System};
use testing::Random;

/// Many contacts of a few bodies, in space and in the plane, one of them with compliance, and a joint of five scalar rows.
fn crowd(random: &mut Random) -> System {
    let mut system = System::new();
    let bodies: Vec<_> = (0..4)
        .map(|_| {
            let inertia = Inertia::diagonal(&random.array::<6>().map(|x| 1.0 + x.abs())).unwrap();
            let body = system.add_body(6, Kinematics::General, inertia).unwrap();
            system.set_velocity(body, &random.array::<6>()).unwrap();
            body
        })
        .collect();
    for row in 0..40 {
        let height = if row == 7 { 5 } else { 2 + row % 2 };
        let pair = [bodies[row % 4], bodies[(row + 1 + row / 4 % 3) % 4]];
        let operators = [(); 2].map(|()| {
            let values: Vec<f64> = (0..6 * height).map(|_| random.signed()).collect();
            Operator::dense(height, 6, &values).unwrap()
        });
        let id = system.add_constraint_rows(&pair, operators.into()).unwrap();
        if row == 3 {
            let mut compliance = [0.0; 9];
            (0..3).for_each(|i| compliance[4 * i] = 0.1);
            system.set_compliance(id, &compliance).unwrap();
        }
        let fixed = Kind::Bounds { lower: [f64::NEG_INFINITY; 6], upper: [f64::INFINITY; 6] };
        let law = RowLaw::from(Law::contact(0.3));
        let law = if height == 5 { RowLaw { kind: fixed, ..law } } else { law };
        system.set_law(id, Some(law)).unwrap();
    }
    system.set_regularization(&[0.01]).unwrap();
    system.update(0.1).unwrap();
    system
}

/// The same bits as the solution of the system, by each method.
#[test]
fn a_problem_with_its_factor_is_solved_as_the_system() {
    let mut random = Random::new(17);
    for _ in 0..4 {
        let system = crowd(&mut random);
        let (z, problem) = (system.body_rows().unwrap().unwrap(), system.results().unwrap().problem());
        let mut laws = Vec::new();
        system.row_laws(&mut laws).unwrap();
        for method in [Method::Automatic, Method::GaussSeidel, Method::Newton] {
            let options = Options { method, max_sweeps: 2000, ..Options::default() };
            let (mut expected, mut forces) = (vec![0.0; problem.b.len()], vec![0.0; problem.b.len()]);
            let of_system = system.solve(&mut Solver::new(), &laws, &options, &mut expected).unwrap();
            let report =
                Solver::new().solve_with_factor(&problem, &z, &laws, &options, &mut forces, None).unwrap();
            assert_eq!((report.status, report.sweeps), (of_system.status, of_system.sweeps), "{method:?}");
            let bits = |forces: &[f64]| forces.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&forces), bits(&expected), "{method:?}");
        }
    }
}

/// A body of many velocities has no Z, and a system that was not updated has none either.
#[test]
fn there_may_be_no_factor() {
    let mut system = System::new();
    let inertia = Inertia::diagonal(&[1.0; 97]).unwrap();
    let body = system.add_body(97, Kinematics::General, inertia).unwrap();
    system.add_dof_constraint(body, Some(3), 1.0).unwrap();
    assert!(system.body_rows().is_err());
    system.update(1.0).unwrap();
    assert!(system.body_rows().unwrap().is_none());
}

#[test]
fn a_factor_of_another_matrix_is_refused() {
    let mut random = Random::new(18);
    let (system, other) = (crowd(&mut random), crowd(&mut random));
    let (problem, mut laws) = (system.results().unwrap().problem(), Vec::new());
    system.row_laws(&mut laws).unwrap();
    let refusal = |z: &BodyRows| {
        let mut forces = vec![0.5; problem.b.len()];
        let result =
            Solver::new().solve_with_factor(&problem, z, &laws, &Options::default(), &mut forces, None);
        assert!(forces.iter().all(|&force| force == 0.5));
        result.unwrap_err().to_string()
    };
    let wrong = "constraint of row 0: its blocks of W are not those of Z Zᵀ";
    assert_eq!(refusal(&other.body_rows().unwrap().unwrap()), wrong);
    assert_eq!(refusal(&BodyRows::default()), "rows of Z: 0 values where 41 are needed");
    // A planar contact has no third scalar row.
    let mut z = BodyRows::default();
    z.start(1).unwrap();
    for _ in 0..laws.len() {
        z.push_part(0, &[[1.0; 3]; NODE]).unwrap();
        z.end_row().unwrap();
    }
    assert_eq!(refusal(&z), wrong);
}

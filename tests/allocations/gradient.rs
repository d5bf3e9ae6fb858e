//! Steps with their derivatives, again and again in the same memory: they allocate nothing once each part of the solver has had a turn.

use ldy::solve::{Derivatives, Kind, Law, LawChange, Options, Solver};
use ldy::system::{Batch, ByResults, Gradient, Id, JointFrame, JointKind, System};
use testing::allocator::own_allocations as allocations;

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// A box on four points, whose forces are not unique, with a rod on a hinge.
fn scene() -> (System, [Id; 2]) {
    let mut system = System::new();
    let bodies = [(); 2].map(|()| system.add_rigid(1.0, &UNIT, &UNIT, &[0.0, 0.0, 0.5]).unwrap());
    for [x, y] in [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]] {
        let contact = system.add_point_constraint([Some(bodies[0]), None], &UNIT, [[x, y, 0.0]; 2]).unwrap();
        system.set_law(contact, Some(Law::contact(0.5).into())).unwrap();
    }
    let frame = JointFrame { axes: UNIT, point: [0.0, 0.0, 1.0] };
    let hinge =
        system.add_joint(JointKind::Hinge, [Some(bodies[1]), Some(bodies[0])], &frame, &frame).unwrap();
    let fixed = Kind::Bounds { lower: [f64::NEG_INFINITY; 6], upper: [f64::INFINITY; 6] };
    system.set_law(hinge, Some(Law { kind: fixed, bias: [0.0; 6] })).unwrap();
    (system, bodies)
}

/// Steps with other velocities, rotations and positions; each is solved and differentiated, alone and in a batch.
fn follow(steps: usize) {
    let (mut system, bodies) = scene();
    let (mut solver, mut derivatives, mut gradient) =
        (Solver::new(), Derivatives::default(), Gradient::default());
    let (mut laws, mut batch, options) = (Vec::new(), Batch::default(), Options::default());
    let [mut forces, mut by_b, mut dr, mut du, mut together] = [(); 5].map(|()| [0.0; 17]);
    let (by, mut by_laws, mut warm) = ([1.0; 17], [LawChange::default(); 5], 0);
    for step in 0..steps {
        if step == steps / 2 {
            warm = allocations();
        }
        let (sine, cosine) = (0.1 * (step as f64).sin()).sin_cos();
        for (k, &body) in bodies.iter().enumerate() {
            system.set_velocity(body, &[0.1, sine, 0.0, 1.0 + sine, 0.2 * k as f64, -1.0]).unwrap();
            system.set_positions(1, |_| (body, [sine, 0.0, cosine])).unwrap();
        }
        system.set_rotation(bodies[1], &[cosine, sine, 0.0, -sine, cosine, 0.0, 0.0, 0.0, 1.0]).unwrap();
        batch.update(&mut [&mut system], 0.1).unwrap();
        system.row_laws(&mut laws).unwrap();
        forces.fill(0.0);
        system.solve(&mut solver, &laws, &options, &mut forces).unwrap();
        system.compute_derivatives(&mut derivatives, &laws, &forces, 0.0).unwrap();
        derivatives.forward(&by, None, &mut dr, &mut du).unwrap();
        let (by_velocities, changes) = ([1.0; 12], Some(&mut by_laws[..]));
        system
            .gradient(
                &mut derivatives,
                &forces,
                None,
                Some(&by),
                Some(&by_velocities),
                changes,
                &mut gradient,
            )
            .unwrap();
        together.fill(0.0);
        batch.solve(&[&system], &options, &mut together, &[0, 17], |_, _| ()).unwrap();
        assert_eq!(together, forces);
        let given = ByResults { forces: &forces, by_forces: &by, by_velocities: &by };
        batch.adjoint(&[&system], given, &mut by_b, Some(&mut by_laws), &[0, 17], |_, _, _| ()).unwrap();
        batch.adjoint_each(&[&system], |_| given, &mut [&mut by_b[..]], None, |_, _, _| ()).unwrap();
        batch.multiply_each(&[&system], |_| &forces, &mut [&mut dr[..]]).unwrap();
    }
    assert_eq!(allocations(), warm);
    assert!(gradient.by_pose(bodies[1]).unwrap().position != [0.0; 3]);
}

#[test]
fn steps_with_derivatives_allocate_nothing() {
    follow(300);
}

#[test]
#[ignore = "takes minutes"]
fn a_million_steps_with_derivatives_allocate_nothing() {
    follow(1_000_000);
}

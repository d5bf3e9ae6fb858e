//! Derivatives of a step by all data of random systems, against central differences of dense matrices.

use ldy::solve::{Derivatives, Kind, Law, LawChange};
use ldy::system::{Gradient, Id, Kinematics};
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3};
use testing::Random;
use testing::matrices::block;

use super::model::{Body, Known, Model, Place};
use super::scene::Scene;

const STEP: f64 = 1e-5;

/// L = x · (B + W R) + w · (u + h A⁻¹ Hᵀ R) with given forces R.
struct Function {
    x: DVector<f64>,
    w: DVector<f64>,
    forces: DVector<f64>,
}

impl Function {
    fn of(&self, model: &Model, step: f64) -> f64 {
        let (reference, forces) = (model.reference(step), self.forces.as_slice());
        let after = model.bodies.values().enumerate().flat_map(|(place, body)| {
            let change = reference.change(place, forces);
            body.velocities[1].iter().zip(&change).map(|(u, change)| u + change).collect::<Vec<_>>()
        });
        let after = self.w.iter().zip(after).map(|(w, u)| w * u);
        self.x.dot(&reference.velocities(forces)) + after.sum::<f64>()
    }

    /// The difference of fourth order along a change of the model: some matrices are close to singular.
    fn along(&self, model: &Model, step: f64, change: impl Fn(&mut Model, f64)) -> f64 {
        let at = |size: f64| {
            let mut moved = model.clone();
            change(&mut moved, size);
            self.of(&moved, step)
        };
        let central = |size: f64| (at(size) - at(-size)) / (2.0 * size);
        (4.0 * central(STEP) - central(2.0 * STEP)) / 3.0
    }
}

fn symmetric(random: &mut Random, size: usize) -> DMatrix<f64> {
    let any = random.matrix(size, size);
    (&any + any.transpose()) * 0.5
}

/// Change A of a body in whatever form it is; returns the change of A.
fn change_matrix(body: &mut Body, change: &DMatrix<f64>, size: f64) {
    let a = body.inverse.clone().try_inverse().expect("a regular matrix") + change * size;
    body.inverse = a.clone().try_inverse().expect("a regular matrix");
    body.known = Known::Dense;
}

fn check_body(scene: &Scene, of: &Function, gradient: &Gradient, id: Id, random: &mut Random) {
    let body = &scene.model.bodies[&id];
    let near = |what: &str, found: f64, expected: f64| {
        assert!(
            (found - expected).abs() < 1e-6 * (1.0 + expected.abs()),
            "{what} of body {id}: {found} {expected}"
        );
    };
    let along = |change: &dyn Fn(&mut Body, f64)| {
        of.along(&scene.model, scene.step, |model, size| change(model.bodies.get_mut(&id).unwrap(), size))
    };
    let dofs = body.dofs();
    let dv = random.values(dofs);
    let by_velocity = gradient.by_velocity(id).unwrap();
    near(
        "velocity",
        by_velocity.iter().zip(&dv).map(|(by, dv)| by * dv).sum(),
        along(&|body, size| body.velocities[1].iter_mut().zip(&dv).for_each(|(v, dv)| *v += size * dv)),
    );
    if !matches!(body.known, Known::Obstacle) {
        let change = symmetric(random, dofs);
        let mut by = DMatrix::zeros(dofs, dofs);
        gradient.by_matrix(id, by.as_mut_slice()).unwrap();
        near("matrix", by.dot(&change), along(&|body, size| change_matrix(body, &change, size)));
    }
    match body.known {
        Known::Rigid(..) | Known::PseudoRigid(..) => {
            let (by_mass, by_tensor) = gradient.by_inertia(id).unwrap();
            let (dm, dt) = (random.signed(), symmetric(random, 3));
            let mut change = DMatrix::identity(dofs, dofs) * dm;
            for k in (0..dofs - 3).step_by(3) {
                change.view_mut((k, k), (3, 3)).copy_from(&dt);
            }
            let found = by_mass * dm + DMatrix::from_column_slice(3, 3, &by_tensor).dot(&dt);
            near("mass and inertia", found, along(&|body, size| change_matrix(body, &change, size)));
        }
        _ => assert!(gradient.by_inertia(id).is_err()),
    }
    let pose = gradient.by_pose(id).unwrap();
    let (dc, turn) = (random.array(), random.vector());
    match body.kinematics {
        Kinematics::Rigid { rotation, center } => {
            let own = Matrix3::from_column_slice(&rotation);
            let found = Matrix3::from_column_slice(&pose.rotation).dot(&(own * turn.cross_matrix()));
            let turned = |body: &mut Body, size: f64| {
                let rotation = block(&(own * Rotation3::new(turn * size).into_inner()));
                body.kinematics = Kinematics::Rigid { rotation, center };
            };
            near("rotation", found, along(&turned));
            let moved = |body: &mut Body, size: f64| {
                body.kinematics = Kinematics::Rigid { rotation, center: shifted(&center, &dc, size) };
            };
            near("center", dot(&pose.center, &dc), along(&moved));
        }
        Kinematics::PseudoRigid { center } => {
            let moved = |body: &mut Body, size: f64| {
                body.kinematics = Kinematics::PseudoRigid { center: shifted(&center, &dc, size) };
            };
            near("center", dot(&pose.center, &dc), along(&moved));
        }
        Kinematics::General => assert_eq!(pose.center, [0.0; 3]),
    }
}

fn shifted(point: &[f64; 3], by: &[f64; 3], size: f64) -> [f64; 3] {
    std::array::from_fn(|i| point[i] + size * by[i])
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn check_constraint(scene: &Scene, of: &Function, gradient: &Gradient, id: Id, random: &mut Random) {
    let one = &scene.model.constraints[&id];
    let near = |what: &str, found: f64, expected: f64| {
        assert!(
            (found - expected).abs() < 1e-6 * (1.0 + expected.abs()),
            "{what} of constraint {id}: {found} {expected}"
        );
    };
    let along = |change: &dyn Fn(&mut Place, f64)| {
        of.along(&scene.model, scene.step, |model, size| {
            change(&mut model.constraints.get_mut(&id).unwrap().place, size)
        })
    };
    match &one.place {
        Place::Points(frame, points, is_slave) => {
            let (by, turn) = (gradient.by_place(id).unwrap(), random.vector());
            let own = Matrix3::from_column_slice(frame);
            let found = Matrix3::from_column_slice(&by.frame).dot(&(own * turn.cross_matrix()));
            let turned = |place: &mut Place, size: f64| {
                let frame = block(&(own * Rotation3::new(turn * size).into_inner()));
                *place = Place::Points(frame, *points, *is_slave);
            };
            near("frame", found, along(&turned));
            let changes = [random.array(), random.array()];
            let moved = |place: &mut Place, size: f64| {
                let points = [0, 1].map(|k| shifted(&points[k], &changes[k], size));
                *place = Place::Points(*frame, points, *is_slave);
            };
            near("points", (0..2).map(|k| dot(&by.points[k], &changes[k])).sum(), along(&moved));
        }
        Place::Operators(operators, _) => {
            let changes: Vec<_> = operators.iter().map(|h| random.matrix(h.nrows(), h.ncols())).collect();
            let parts = one.bodies.iter().zip(&changes).map(|(body, change)| {
                let mut by = change.clone();
                gradient.by_operator(id, *body, by.as_mut_slice()).unwrap();
                by.dot(change)
            });
            let moved = |place: &mut Place, size: f64| {
                let Place::Operators(own, _) = place else { unreachable!("operators remain operators") };
                own.iter_mut().zip(&changes).for_each(|(h, change)| *h += change * size);
            };
            near("operators", parts.sum(), along(&moved));
        }
        Place::Nodal(_) => {}
    }
    let change = symmetric(random, one.rows);
    let mut by = change.clone();
    gradient.by_compliance(id, by.as_mut_slice()).unwrap();
    let added = |model: &mut Model, size: f64| {
        let own = model.constraints.get_mut(&id).unwrap();
        own.compliance = Some(own.compliance.clone().unwrap_or(&change * 0.0) + &change * size);
    };
    near("compliance", by.dot(&change), of.along(&scene.model, scene.step, added));
}

#[test]
fn derivatives_by_data_are_differences() {
    compare_with_differences(24);
}

#[test]
#[ignore = "takes minutes"]
fn derivatives_by_data_are_differences_in_many_scenes() {
    compare_with_differences(10_000);
}

/// The data of random systems: bodies of all kinds, constraints at points and by operators, given forces.
fn compare_with_differences(seeds: u64) {
    let (mut bodies, mut constraints) = (0, 0);
    for seed in 0..seeds {
        let mut scene = Scene::new(seed);
        (0..5).for_each(|_| scene.add_body());
        (0..6).for_each(|_| scene.add_constraint());
        scene.system.update(scene.step).unwrap();
        let mut random = Random::new(seed + 100);
        let reference = scene.model.reference(scene.step);
        let count = reference.b.len();
        let dofs = scene.model.bodies.values().map(Body::dofs).sum();
        let of = Function {
            x: DVector::from_vec(random.values(count)),
            w: DVector::from_vec(random.values(dofs)),
            forces: DVector::from_vec(random.values(count)),
        };
        // Forces that are given do not change; velocities may be any.
        let (mut laws, mut first) = (Vec::new(), 0);
        for one in scene.model.constraints.values() {
            let own = of.forces.rows(first, one.rows);
            let bounds: [f64; 6] = std::array::from_fn(|i| own.get(i).copied().unwrap_or_default());
            laws.extend(
                Law { kind: Kind::Bounds { lower: bounds, upper: bounds }, bias: [0.0; 6] }.parts(one.rows),
            );
            first += one.rows;
        }
        let (mut derivatives, mut gradient) = (Derivatives::default(), Gradient::default());
        scene.system.compute_derivatives(&mut derivatives, &laws, of.forces.as_slice(), 0.0).unwrap();
        let mut by_laws = vec![LawChange::default(); scene.model.constraints.len()];
        let fit = scene.system.gradient(
            &mut derivatives,
            of.forces.as_slice(),
            None,
            Some(of.x.as_slice()),
            Some(of.w.as_slice()),
            Some(&mut by_laws),
            &mut gradient,
        );
        assert!(!fit.unwrap().is_singular);
        assert!((DVector::from_column_slice(gradient.by_b()) - &of.x).amax() < 1e-13);
        // By forces: through U, and through the velocities of bodies.
        let mut first = 0;
        for (by, one) in by_laws.iter().zip(scene.model.constraints.values()) {
            for i in 0..one.rows {
                let moved = |size: f64| {
                    let mut of = Function { x: of.x.clone(), w: of.w.clone(), forces: of.forces.clone() };
                    of.forces[first + i] += size;
                    of.of(&scene.model, scene.step)
                };
                let expected = (moved(STEP) - moved(-STEP)) / (2.0 * STEP);
                assert!((by.lower[i] + by.upper[i] - expected).abs() < 1e-6 * (1.0 + expected.abs()));
            }
            first += one.rows;
        }
        let by_step =
            (of.of(&scene.model, scene.step + STEP) - of.of(&scene.model, scene.step - STEP)) / (2.0 * STEP);
        assert!(
            (gradient.by_step() - by_step).abs() < 1e-6 * (1.0 + by_step.abs()),
            "{} {by_step}",
            gradient.by_step()
        );
        for &id in scene.model.bodies.keys() {
            check_body(&scene, &of, &gradient, id, &mut random);
            bodies += 1;
        }
        for &id in scene.model.constraints.keys() {
            check_constraint(&scene, &of, &gradient, id, &mut random);
            constraints += 1;
        }
    }
    assert!(bodies == 5 * seeds && constraints > 4 * seeds);
}

/// A puck of the mass m slides for one step: u⁺ = u − μ g h, whatever its mass; and forces that are not given.
#[test]
fn a_puck_slides_with_any_mass() {
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let (m, mu, g, h) = (3.0, 0.4, 9.81, 0.1);
    let mut system = ldy::system::System::new();
    let puck = system.add_rigid(m, &unit, &unit, &[0.0; 3]).unwrap();
    system.set_velocity(puck, &[0.0, 0.0, 0.0, 3.0, 0.0, -g * h]).unwrap();
    let contact = system.add_point_constraint([Some(puck), None], &unit, [[0.0; 3]; 2]).unwrap();
    system.update(h).unwrap();
    let forces = [-mu * m * g, 0.0, m * g];
    let laws = [Law::contact(mu)];
    let (mut derivatives, mut gradient) = (Derivatives::default(), Gradient::default());
    system.compute_derivatives(&mut derivatives, &laws, &forces, 0.0).unwrap();
    let mut by_laws = [LawChange::default()];
    let by_velocities = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0];
    let mut made = |by: Option<&[f64]>| {
        system
            .gradient(&mut derivatives, &forces, None, None, by, Some(&mut by_laws), &mut gradient)
            .map(|_| ())
    };
    assert!(
        made(Some(&[0.0; 5]))
            .unwrap_err()
            .to_string()
            .contains("derivatives by velocities: 5 values where 6")
    );
    assert!(made(Some(&[f64::NAN; 6])).unwrap_err().to_string().contains("not finite"));
    made(Some(&by_velocities)).unwrap();
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    let (by_mass, by_inertia) = gradient.by_inertia(puck).unwrap();
    near(by_mass, 0.0);
    assert!(by_inertia.iter().all(|x| x.abs() < 1e-12));
    near(by_laws[0].friction + by_laws[0].friction_2, -g * h);
    let by_velocity = gradient.by_velocity(puck).unwrap();
    near(by_velocity[3], 1.0);
    near(by_velocity[5], mu);
    near(gradient.by_place(contact).unwrap().points[0][0], 0.0);
    // The fall g h is a part of the free velocity, which counts as given.
    near(gradient.by_step(), 0.0);
    for text in
        [gradient.by_velocity(7).unwrap_err(), gradient.by_place(7).unwrap_err()].map(|e| e.to_string())
    {
        assert!(text.contains('7'), "{text}");
    }
    let wrong = gradient.by_matrix(puck, &mut [0.0; 35]).unwrap_err().to_string();
    assert!(wrong.contains("derivatives by its matrix: 35 values where 36 are needed"), "{wrong}");
    system.set_velocity(puck, &[0.0; 6]).unwrap();
    let stale = system.gradient(&mut derivatives, &forces, None, None, None, None, &mut gradient);
    assert!(stale.is_err());
}

/// No update factors the matrix of a body without constraints; its velocity after the step is the free one.
#[test]
fn a_body_without_constraints_keeps_its_velocity() {
    let mut system = ldy::system::System::new();
    let matrix = ldy::system::Inertia::matrix(&[0, 1, 2], &[0, 1], &[2.0, 3.0]).unwrap();
    let free = system.add_body(2, Kinematics::General, matrix).unwrap();
    let other = system.add_rigid(1.0, &testing::UNIT, &testing::UNIT, &[0.0; 3]).unwrap();
    system.set_velocity(other, &[0.0, 0.0, 0.0, 0.0, 0.0, -1.0]).unwrap();
    system.add_point_constraint([Some(other), None], &testing::UNIT, [[0.0; 3]; 2]).unwrap();
    system.update(0.5).unwrap();
    let (forces, w) = ([0.0, 0.0, 2.0], [0.3, -0.7, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    let (mut derivatives, mut gradient) = (Derivatives::default(), Gradient::default());
    system.compute_derivatives(&mut derivatives, &[Law::contact(0.5)], &forces, 0.0).unwrap();
    system.gradient(&mut derivatives, &forces, None, None, Some(&w), None, &mut gradient).unwrap();
    assert_eq!(gradient.by_velocity(free).unwrap(), &w[..2]);
    let mut by_matrix = [7.0; 4];
    gradient.by_matrix(free, &mut by_matrix).unwrap();
    assert!(by_matrix.iter().all(|by| *by == 0.0));
}

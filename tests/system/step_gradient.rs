//! Whole steps of random systems: bodies of all kinds, constraints at points and by operators, all laws, forces that are solved for. All
//! data change at once along a random direction; both ways of derivatives are compared with central differences of solutions.

use ldy::solve::{Derivatives, Kind, Law, LawChange, Options, Solver};
use ldy::system::{Gradient, Id, Kinematics, RowLaw, System};
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};
use std::collections::BTreeMap;
use testing::Random;
use testing::matrices::block;

use super::model::{Body, Known, Model, Place};
use super::scene::Scene;
use crate::law_changes::{self, random_change};

const STEP: f64 = 1e-5;

/// A change of a body: of its free velocity, its A, its center, and a turn.
struct BodyChange {
    velocity: Vec<f64>,
    matrix: DMatrix<f64>,
    center: Vector3<f64>,
    turn: Vector3<f64>,
}

/// A change of a constraint: of its frame or operators, its points, and its compliance.
struct ConstraintChange {
    turn: Vector3<f64>,
    points: [Vector3<f64>; 2],
    operators: Vec<DMatrix<f64>>,
    compliance: DMatrix<f64>,
}

/// A change of all data.
struct Change {
    bodies: BTreeMap<Id, BodyChange>,
    constraints: BTreeMap<Id, ConstraintChange>,
    laws: Vec<LawChange>,
    step: f64,
}

/// A model with its step and laws.
#[derive(Clone)]
struct Problem {
    model: Model,
    step: f64,
    laws: Vec<RowLaw>,
}

/// The results of a step: forces, velocities of constraints, velocities of bodies.
type Results = [DVector<f64>; 3];

fn symmetric(random: &mut Random, size: usize) -> DMatrix<f64> {
    let any = random.matrix(size, size);
    (&any + any.transpose()) * 0.5
}

fn law(random: &mut Random, height: usize) -> RowLaw {
    let mut size = || 0.4 + 0.3 * random.signed();
    let (friction, other, cohesion, rolling, torsion) = (size(), size(), size(), size(), size());
    let kind = match (random.below(4), height) {
        (0, 2 | 3) => Kind::Expansion { friction, least_force: cohesion },
        (0 | 1, 2..) => Kind::Contact {
            friction,
            friction_2: if height == 2 { friction } else { other },
            cohesion,
            rolling_friction: if height > 4 { rolling } else { 0.0 },
            torsional_friction: if matches!(height, 4 | 6) { torsion } else { 0.0 },
        },
        (2, _) => Kind::Bounds { lower: [f64::NEG_INFINITY; 6], upper: [f64::INFINITY; 6] },
        _ => Kind::Bounds { lower: [-0.4, 0.0, -0.2, -0.1, -0.3, -0.5], upper: [0.3; 6] },
    };
    RowLaw { kind, bias: random.array() }
}

fn turned(axes: &[f64; 9], turn: &Vector3<f64>, size: f64) -> [f64; 9] {
    block(&(Matrix3::from_column_slice(axes) * Rotation3::new(turn * size).into_inner()))
}

/// The derivative along a turn of axes.
fn along_turn(by: &[f64; 9], axes: &[f64; 9], turn: &Vector3<f64>) -> f64 {
    Matrix3::from_column_slice(by).dot(&(Matrix3::from_column_slice(axes) * turn.cross_matrix()))
}

fn moved_point(point: &[f64; 3], by: &Vector3<f64>, size: f64) -> [f64; 3] {
    (Vector3::from(*point) + by * size).into()
}

impl Change {
    fn new(random: &mut Random, problem: &Problem) -> Self {
        let Model { bodies, constraints, .. } = &problem.model;
        let of_body = |random: &mut Random, body: &Body| BodyChange {
            velocity: random.values(body.dofs()),
            matrix: symmetric(random, body.dofs()),
            center: random.vector(),
            turn: random.vector(),
        };
        let bodies = bodies.iter().map(|(id, body)| (*id, of_body(random, body))).collect();
        let constraints = constraints.iter().map(|(id, one)| {
            let operators = match &one.place {
                Place::Operators(own, _) => own.iter().map(|h| random.matrix(h.nrows(), h.ncols())).collect(),
                _ => Vec::new(),
            };
            let [turn, first, second] = [(); 3].map(|()| random.vector());
            let compliance = symmetric(random, one.rows);
            (*id, ConstraintChange { turn, points: [first, second], operators, compliance })
        });
        let constraints = constraints.collect();
        let laws = problem.laws.iter().map(|law| random_change(random, law)).collect();
        Self { bodies, constraints, laws, step: random.signed() }
    }

    /// The derivative along this change.
    fn along(&self, model: &Model, gradient: &Gradient, by_laws: &[LawChange]) -> f64 {
        let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
        let mut sum = self.step * gradient.by_step();
        for (id, change) in &self.bodies {
            let (body, pose) = (&model.bodies[id], gradient.by_pose(*id).unwrap());
            sum += dot(gradient.by_velocity(*id).unwrap(), &change.velocity);
            if !matches!(body.known, Known::Obstacle) {
                let mut by = change.matrix.clone();
                gradient.by_matrix(*id, by.as_mut_slice()).unwrap();
                sum += by.dot(&change.matrix);
            }
            sum += Vector3::from(pose.center).dot(&change.center);
            if let Kinematics::Rigid { rotation, .. } = &body.kinematics {
                sum += along_turn(&pose.rotation, rotation, &change.turn);
            }
        }
        for (id, change) in &self.constraints {
            let (one, place) = (&model.constraints[id], gradient.by_place(*id).unwrap());
            if let Place::Points(frame, ..) = &one.place {
                sum += along_turn(&place.frame, frame, &change.turn);
                sum += (0..2).map(|k| Vector3::from(place.points[k]).dot(&change.points[k])).sum::<f64>();
            }
            for (body, change) in one.bodies.iter().zip(&change.operators) {
                let mut by = change.clone();
                gradient.by_operator(*id, *body, by.as_mut_slice()).unwrap();
                sum += by.dot(change);
            }
            let mut by = change.compliance.clone();
            gradient.by_compliance(*id, by.as_mut_slice()).unwrap();
            sum += by.dot(&change.compliance);
        }
        for (by, change) in by_laws.iter().zip(&self.laws) {
            sum += by.friction * change.friction + by.friction_2 * change.friction_2;
            sum += by.cohesion * change.cohesion + by.rolling_friction * change.rolling_friction;
            sum += by.torsional_friction * change.torsional_friction;
            sum +=
                dot(&by.lower, &change.lower) + dot(&by.upper, &change.upper) + dot(&by.bias, &change.bias);
        }
        sum
    }
}

impl Problem {
    fn moved(&self, change: &Change, size: f64) -> Self {
        let mut to = self.clone();
        to.step += size * change.step;
        for (id, change) in &change.bodies {
            let body = to.model.bodies.get_mut(id).unwrap();
            body.velocities[1].iter_mut().zip(&change.velocity).for_each(|(to, by)| *to += size * by);
            if !matches!(body.known, Known::Obstacle) {
                let matrix = body.inverse.clone().try_inverse().unwrap() + &change.matrix * size;
                body.inverse = matrix.try_inverse().unwrap();
                // The inverse of a symmetric matrix is symmetric up to rounding.
                body.inverse = (&body.inverse + body.inverse.transpose()) * 0.5;
                body.known = Known::Dense;
            }
            match &mut body.kinematics {
                Kinematics::Rigid { rotation, center } => {
                    *rotation = turned(rotation, &change.turn, size);
                    *center = moved_point(center, &change.center, size);
                }
                Kinematics::PseudoRigid { center } => *center = moved_point(center, &change.center, size),
                Kinematics::General => {}
            }
        }
        for (id, change) in &change.constraints {
            let one = to.model.constraints.get_mut(id).unwrap();
            match &mut one.place {
                Place::Points(frame, points, _) => {
                    *frame = turned(frame, &change.turn, size);
                    *points = [0, 1].map(|k| moved_point(&points[k], &change.points[k], size));
                }
                Place::Operators(own, _) => {
                    own.iter_mut().zip(&change.operators).for_each(|(h, by)| *h += by * size);
                }
                Place::Nodal(_) => {}
            }
            one.compliance = one.compliance.take().map(|own| own + &change.compliance * size);
        }
        let laws = to.laws.iter().zip(&change.laws);
        to.laws = laws.map(|(law, change)| law_changes::moved(law, change, size)).collect();
        to
    }

    fn split_laws(&self) -> Vec<Law> {
        let rows = self.laws.iter().zip(self.model.constraints.values());
        rows.flat_map(|(law, one)| law.parts(one.rows)).collect()
    }

    /// A system with all of it, updated, and forces to 1e-13, if they are found.
    fn solve(&self, start: Option<&DVector<f64>>) -> Option<(System, DVector<f64>)> {
        let mut system = self.model.anew();
        system.update(self.step).unwrap();
        let count = self.model.constraints.values().map(|one| one.rows).sum();
        let mut forces = start.cloned().unwrap_or_else(|| DVector::zeros(count));
        let options = Options { tolerance: 1e-13, ..Options::default() };
        let report =
            system.solve(&mut Solver::new(), &self.split_laws(), &options, forces.as_mut_slice()).unwrap();
        (report.residual.scaled <= 1e-11).then_some((system, forces))
    }

    /// The results with these forces, from dense matrices.
    fn results(&self, forces: DVector<f64>) -> Results {
        let reference = self.model.reference(self.step);
        let u = reference.velocities(forces.as_slice());
        let after = self.model.bodies.values().enumerate().flat_map(|(place, body)| {
            let change = reference.change(place, forces.as_slice());
            body.velocities[1].iter().zip(&change).map(|(u, change)| u + change).collect::<Vec<_>>()
        });
        let after = DVector::from_vec(after.collect());
        [forces, u, after]
    }
}

/// A random problem whose W is regular by a compliance.
fn problem(seed: u64, random: &mut Random) -> Problem {
    let mut scene = Scene::new(seed);
    (0..4).for_each(|_| scene.add_body());
    (0..1 + random.below(4)).for_each(|_| scene.add_constraint());
    let mut model = scene.model.clone();
    for one in model.constraints.values_mut() {
        let own = one.compliance.take().unwrap_or_else(|| DMatrix::zeros(one.rows, one.rows));
        one.compliance = Some(own + DMatrix::identity(one.rows, one.rows) * 0.3);
    }
    let laws = model.constraints.values().map(|one| law(random, one.rows)).collect();
    Problem { model, step: scene.step, laws }
}

/// Compare both ways; whether the scene was away from kinks.
fn compare(seed: u64) -> bool {
    let mut random = Random::new(seed + 500);
    let own = problem(seed, &mut random);
    let change = Change::new(&mut random, &own);
    let Some((system, forces)) = own.solve(None) else { return false };
    let mut derivatives = Derivatives::default();
    // Other states within the step would spoil the difference.
    system.compute_derivatives(&mut derivatives, &own.split_laws(), forces.as_slice(), 1e-3).unwrap();
    if derivatives.kinks().next().is_some() {
        return false;
    }
    let sides = [STEP, -STEP].map(|size| own.moved(&change, size));
    let [Some(after), Some(before)] = sides.each_ref().map(|side| side.solve(Some(&forces))) else {
        return false;
    };
    let [after, before] =
        [(&sides[0], after.1), (&sides[1], before.1)].map(|(side, forces)| side.results(forces));
    let expected: [DVector<f64>; 3] = std::array::from_fn(|k| (&after[k] - &before[k]) / (2.0 * STEP));
    let scale = |k: usize| expected[k].amax().max(1.0);

    let [up, down] = sides.each_ref().map(|side| side.model.reference(side.step));
    let free = (&up.b - &down.b + (&up.w - &down.w) * &forces) / (2.0 * STEP);
    let [mut dr, mut du] = [(); 2].map(|()| free.clone());
    let fit = derivatives.forward(free.as_slice(), Some(&change.laws), dr.as_mut_slice(), du.as_mut_slice());
    assert!(!fit.unwrap().is_singular && derivatives.is_solution(), "scene {seed}");
    for (k, own) in [(0, dr), (1, du)] {
        let error = (own - &expected[k]).amax() / scale(k);
        assert!(error < 1e-6, "scene {seed}: {error:e} of {k}");
    }

    let by: [DVector<f64>; 3] = std::array::from_fn(|k| DVector::from_vec(random.values(expected[k].len())));
    let (mut gradient, mut by_laws) = (Gradient::default(), vec![LawChange::default(); own.laws.len()]);
    let [by_forces, by_u, by_velocities] = by.each_ref().map(|by| Some(by.as_slice()));
    let forces = forces.as_slice();
    let laws = Some(&mut by_laws[..]);
    system.gradient(&mut derivatives, forces, by_forces, by_u, by_velocities, laws, &mut gradient).unwrap();
    let found = change.along(&own.model, &gradient, &by_laws);
    let parts = [0, 1, 2].map(|k| by[k].dot(&expected[k]));
    let size: f64 = 1.0 + parts.iter().map(|part| part.abs()).sum::<f64>();
    let sum: f64 = parts.iter().sum();
    assert!((found - sum).abs() < 1e-6 * size, "scene {seed}: {found} {sum}");
    true
}

fn compare_scenes(count: u64) {
    let compared = (0..count).filter(|&seed| compare(seed)).count();
    println!("{compared} of {count} scenes compared");
    assert!(compared as u64 > count * 4 / 5, "{compared}");
}

#[test]
fn both_ways_are_differences_of_steps() {
    compare_scenes(60);
}

#[test]
#[ignore = "takes minutes"]
fn both_ways_are_differences_of_steps_in_many_scenes() {
    compare_scenes(11_000);
}

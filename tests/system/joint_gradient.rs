//! Derivatives of a step by axes, points and poses of joints and contacts with moments: against central differences of dense matrices
//! that are made of velocities in the world, and closed forms.

use ldy::solve::{Derivatives, Kind, Law, Options, Solver};
use ldy::system::{ContactRows, Gradient, Id, JointFrame, JointKind, Kinematics, System};
use nalgebra::{DMatrix, DVector, Matrix3, Rotation3, Vector3};
use testing::Random;
use testing::dense::{self, Reference};
use testing::matrices::block;

const STEP: f64 = 1e-5;

#[derive(Clone, Copy, Debug)]
enum Of {
    Joint(JointKind),
    Contact(ContactRows),
}

const KINDS: [Of; 9] = [
    Of::Joint(JointKind::Hinge),
    Of::Joint(JointKind::Slider),
    Of::Joint(JointKind::Universal),
    Of::Joint(JointKind::Weld),
    Of::Joint(JointKind::HingeLimit),
    Of::Joint(JointKind::SliderLimit),
    Of::Contact(ContactRows::Torsion),
    Of::Contact(ContactRows::Rolling),
    Of::Contact(ContactRows::RollingAndTorsion),
];

#[derive(Clone, Debug)]
struct Body {
    rotation: Matrix3<f64>,
    center: Vector3<f64>,
    /// Where the center is in the world, if the system knows it.
    position: Option<Vector3<f64>>,
    velocity: DVector<f64>,
    /// A⁻¹; zero of an obstacle.
    inverse: DMatrix<f64>,
}

#[derive(Clone, Debug)]
struct Joint {
    of: Of,
    bodies: [Option<usize>; 2],
    axes: [Matrix3<f64>; 2],
    points: [Vector3<f64>; 2],
}

/// A scene and L = x · (B + W R) + w · (u + h A⁻¹ Hᵀ R) with given forces R.
#[derive(Clone)]
struct Scene {
    bodies: Vec<Body>,
    joints: Vec<Joint>,
    step: f64,
    x: DVector<f64>,
    w: DVector<f64>,
    forces: DVector<f64>,
}

fn rotation(random: &mut Random) -> Matrix3<f64> {
    Rotation3::new(random.vector() * 2.0).into_inner()
}

impl Joint {
    /// The velocities of the rows for generalized velocities of master and slave, from their definition in the world.
    fn velocities(&self, bodies: &[Body], u: [&DVector<f64>; 2]) -> Vec<f64> {
        let one = |side: usize| self.bodies[side].map(|body| &bodies[body]);
        let turn = |side: usize| one(side).map_or(Matrix3::identity(), |body| body.rotation);
        let arm = |side: usize| {
            turn(side) * one(side).map_or(self.points[side], |body| self.points[side] - body.center)
        };
        let spin = |side: usize| turn(side) * u[side].fixed_rows::<3>(0);
        let mut arms = [arm(0), arm(1)];
        // The ground is at the origin.
        let position = |side: usize| one(side).map_or(Some(Vector3::zeros()), |body| body.position);
        if let (Of::Joint(_), Some(master), Some(slave)) = (self.of, position(0), position(1)) {
            arms[0] = slave + arms[1] - master;
        }
        let point = |side: usize| u[side].fixed_rows::<3>(3) + spin(side).cross(&arms[side]);
        let axes = match self.of {
            Of::Joint(_) => turn(0) * self.axes[0],
            Of::Contact(_) => self.axes[0],
        };
        let linear = axes.transpose() * (point(0) - point(1));
        let relative = spin(0) - spin(1);
        let angular = axes.transpose() * relative;
        let rows: &[f64] = match self.of {
            Of::Joint(JointKind::Hinge) => &[linear[0], linear[1], linear[2], angular[0], angular[1]],
            Of::Joint(JointKind::Slider) => &[linear[0], linear[1], angular[0], angular[1], angular[2]],
            Of::Joint(JointKind::Universal) => {
                let across = axes.column(0).cross(&(turn(1) * self.axes[1]).column(1));
                &[linear[0], linear[1], linear[2], across.dot(&relative)]
            }
            Of::Joint(JointKind::HingeLimit) => &[angular[2]],
            Of::Joint(JointKind::SliderLimit) => &[linear[2]],
            Of::Contact(ContactRows::Torsion) => &[linear[0], linear[1], linear[2], angular[2]],
            Of::Contact(ContactRows::Rolling) => &[linear[0], linear[1], linear[2], angular[0], angular[1]],
            _ => &[linear[0], linear[1], linear[2], angular[0], angular[1], angular[2]],
        };
        rows.to_vec()
    }

    fn dense(&self, bodies: &[Body]) -> dense::Constraint {
        let zero = DVector::zeros(6);
        let rows = self.velocities(bodies, [&zero; 2]).len();
        let operator = |side: usize| {
            let columns = (0..6).flat_map(|dof| {
                let mut unit = zero.clone();
                unit[dof] = 1.0;
                self.velocities(bodies, if side == 0 { [&unit, &zero] } else { [&zero, &unit] })
            });
            DMatrix::from_iterator(rows, 6, columns)
        };
        let operators = (0..2).filter_map(|side| Some((self.bodies[side]?, operator(side))));
        dense::Constraint { rows, operators: operators.collect(), compliance: None }
    }
}

impl Scene {
    /// Joints of all kinds between random bodies, an obstacle and the ground; the system knows some positions, all or none.
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let count = 4;
        let body = |k: usize, random: &mut Random| Body {
            rotation: rotation(random),
            center: random.vector(),
            position: (seed.is_multiple_of(3) || seed % 3 == 1 && k < 3).then(|| random.vector()),
            velocity: DVector::from_vec(random.values(6)),
            inverse: if k == 0 { DMatrix::zeros(6, 6) } else { random.definite(6) },
        };
        let bodies: Vec<_> = (0..count).map(|k| body(k, &mut random)).collect();
        let joint = |k: usize, random: &mut Random| {
            let master = random.below(count);
            let other = (master + 1 + random.below(count - 1)) % count;
            let bodies = match random.below(4) {
                0 => [Some(master), None],
                1 => [None, Some(master)],
                _ => [Some(master), Some(other)],
            };
            let mut axes = [rotation(random), rotation(random)];
            if let Of::Contact(_) = KINDS[k] {
                axes[1] = axes[0];
            }
            Joint { of: KINDS[k], bodies, axes, points: [random.vector(), random.vector()] }
        };
        let joints: Vec<_> = (0..KINDS.len()).map(|k| joint(k, &mut random)).collect();
        let rows = joints.iter().map(|joint| joint.dense(&bodies).rows).sum();
        let mut values = |count: usize| DVector::from_vec(random.values(count));
        let [x, forces, w] = [values(rows), values(rows), values(6 * count)];
        Self { bodies, joints, step: 0.3, x, w, forces }
    }

    fn reference(&self) -> Reference {
        let bodies = self.bodies.iter().enumerate().map(|(k, body)| dense::Body {
            inverse: body.inverse.clone(),
            velocities: [body.velocity.clone(), body.velocity.clone()],
            is_obstacle: k == 0,
        });
        let joints: Vec<_> = self.joints.iter().map(|joint| joint.dense(&self.bodies)).collect();
        Reference::new(&bodies.collect::<Vec<_>>(), &joints, self.step)
    }

    fn value(&self) -> f64 {
        let (reference, forces) = (self.reference(), self.forces.as_slice());
        let after = self.bodies.iter().enumerate().flat_map(|(place, body)| {
            let change = reference.change(place, forces);
            body.velocity.iter().zip(&change).map(|(u, change)| u + change).collect::<Vec<_>>()
        });
        let after: f64 = self.w.iter().zip(after).map(|(w, u)| w * u).sum();
        self.x.dot(&reference.velocities(forces)) + after
    }

    /// The central difference along a change.
    fn along(&self, change: impl Fn(&mut Self, f64)) -> f64 {
        let at = |size: f64| {
            let mut moved = self.clone();
            change(&mut moved, size);
            moved.value()
        };
        (at(STEP) - at(-STEP)) / (2.0 * STEP)
    }

    fn system(&self) -> System {
        let mut system = System::new();
        for (k, body) in self.bodies.iter().enumerate() {
            let kinematics =
                Kinematics::Rigid { rotation: block(&body.rotation), center: body.center.into() };
            let inertia = match k {
                0 => ldy::system::Inertia::Obstacle,
                _ => ldy::system::Inertia::dense(6, body.inverse.as_slice()).unwrap(),
            };
            let id = system.add_body(6, kinematics, inertia).unwrap();
            system.set_velocity(id, body.velocity.as_slice()).unwrap();
            if let Some(position) = body.position {
                system.set_positions(1, |_| (id, position.into())).unwrap();
            }
        }
        for joint in &self.joints {
            let bodies = joint.bodies.map(|body| body.map(|body| body as Id));
            let [master, slave] =
                [0, 1].map(|k| JointFrame { axes: block(&joint.axes[k]), point: joint.points[k].into() });
            match joint.of {
                Of::Joint(kind) => system.add_joint(kind, bodies, &master, &slave).unwrap(),
                Of::Contact(rows) => {
                    let points = [master.point, slave.point];
                    system.add_rolling_contact(rows, bodies, &master.axes, points).unwrap()
                }
            };
        }
        system
    }

    fn gradient(&self) -> Gradient {
        let mut system = self.system();
        system.update(self.step).unwrap();
        // Forces that are given do not change.
        let (mut laws, mut first) = (Vec::new(), 0);
        for (_, constraint) in system.constraints() {
            let own = self.forces.rows(first, constraint.rows());
            let bounds: [f64; 6] = std::array::from_fn(|i| own.get(i).copied().unwrap_or_default());
            let law = Law { kind: Kind::Bounds { lower: bounds, upper: bounds }, bias: [0.0; 6] };
            laws.extend(law.parts(constraint.rows()));
            first += constraint.rows();
        }
        let (mut derivatives, mut gradient) = (Derivatives::default(), Gradient::default());
        let forces = self.forces.as_slice();
        system.compute_derivatives(&mut derivatives, &laws, forces, 0.0).unwrap();
        let (x, w) = (Some(self.x.as_slice()), Some(self.w.as_slice()));
        system.gradient(&mut derivatives, forces, None, x, w, None, &mut gradient).unwrap();
        gradient
    }

    /// Compare each derivative with the difference along a random change.
    fn check(&self, seed: u64) {
        let (gradient, mut random) = (self.gradient(), Random::new(seed + 1000));
        let near = |what: &str, k: usize, found: f64, expected: f64| {
            let is_near = (found - expected).abs() <= 1e-6 * expected.abs().max(1.0);
            assert!(is_near, "{what} of {k} in scene {seed}: {found} {expected}");
        };
        // For a turn with the angular velocity w the derivatives by a rotation are multiplied by the rotation times skew (w).
        let turn = |by: &[f64; 9], own: &Matrix3<f64>, w: &Vector3<f64>| {
            Matrix3::from_column_slice(by).dot(&(own * w.cross_matrix()))
        };
        let turned = |own: &mut Matrix3<f64>, w: &Vector3<f64>, size: f64| {
            *own *= Rotation3::new(w * size).into_inner();
        };
        for (k, body) in self.bodies.iter().enumerate() {
            let (pose, change) = (gradient.by_pose(k as Id).unwrap(), random.vector());
            let found = turn(&pose.rotation, &body.rotation, &change);
            near(
                "rotation",
                k,
                found,
                self.along(|scene, size| turned(&mut scene.bodies[k].rotation, &change, size)),
            );
            let moved = |scene: &mut Self, size: f64| scene.bodies[k].center += change * size;
            near("center", k, Vector3::from(pose.center).dot(&change), self.along(moved));
            let moved = |scene: &mut Self, size: f64| {
                scene.bodies[k].position.iter_mut().for_each(|position| *position += change * size);
            };
            near("position", k, Vector3::from(pose.position).dot(&change), self.along(moved));
        }
        for (k, joint) in self.joints.iter().enumerate() {
            let (by, change) = (gradient.by_place(k as Id).unwrap(), random.vector());
            let moved = |scene: &mut Self, size: f64| turned(&mut scene.joints[k].axes[0], &change, size);
            near("master's axes", k, turn(&by.frame, &joint.axes[0], &change), self.along(moved));
            let moved = |scene: &mut Self, size: f64| turned(&mut scene.joints[k].axes[1], &change, size);
            near("slave's axes", k, turn(&by.slave_frame, &joint.axes[1], &change), self.along(moved));
            for side in 0..2 {
                let moved = |scene: &mut Self, size: f64| scene.joints[k].points[side] += change * size;
                near("point", k, Vector3::from(by.points[side]).dot(&change), self.along(moved));
            }
        }
    }
}

#[test]
fn derivatives_by_axes_and_points_are_differences() {
    (0..30).for_each(|seed| Scene::new(seed).check(seed));
}

/// As above, in ten thousand scenes.
#[test]
#[ignore = "takes minutes"]
fn derivatives_by_axes_and_points_are_differences_in_many_scenes() {
    (0..10_000).for_each(|seed| Scene::new(seed).check(seed));
}

/// A rod of mass m with the moment of inertia J hangs on a hinge at the distance l from its center, at the angle θ. It is at rest, and
/// gravity acts for a step h: ω⁺ = −m g h l sin θ / (J + m l²).
#[test]
fn a_pendulum_has_its_closed_form() {
    let (m, j, l, theta, g, h) = (2.0, 0.3, 0.7, 0.4_f64, 9.81, 0.01);
    let unit = testing::UNIT;
    let (sine, cosine) = theta.sin_cos();
    // The hinge turns about the third axis, the first axis is downwards.
    let rotation = [cosine, sine, 0.0, -sine, cosine, 0.0, 0.0, 0.0, 1.0];
    let inertia = [0.2, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, j];
    let mut system = System::new();
    let rod = system.add_rigid(m, &inertia, &rotation, &[0.0; 3]).unwrap();
    system.set_velocity(rod, &[0.0, 0.0, 0.0, g * h, 0.0, 0.0]).unwrap();
    let own = JointFrame { axes: unit, point: [-l, 0.0, 0.0] };
    let ground = JointFrame { axes: unit, point: [0.0; 3] };
    let hinge = system.add_joint(JointKind::Hinge, [Some(rod), None], &own, &ground).unwrap();
    system.set_positions(1, |_| (rod, [l * cosine, l * sine, 0.0])).unwrap();
    system.update(h).unwrap();
    let fixed = Kind::Bounds { lower: [f64::NEG_INFINITY; 6], upper: [f64::INFINITY; 6] };
    let laws: Vec<_> = Law { kind: fixed, bias: [0.0; 6] }.parts(5).collect();
    let mut forces = [0.0; 5];
    let options = Options { tolerance: 1e-13, ..Options::default() };
    system.solve(&mut Solver::new(), &laws, &options, &mut forces).unwrap();
    let (mut derivatives, mut gradient) = (Derivatives::default(), Gradient::default());
    system.compute_derivatives(&mut derivatives, &laws, &forces, 0.0).unwrap();
    let by_spin = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    system.gradient(&mut derivatives, &forces, None, None, Some(&by_spin), None, &mut gradient).unwrap();
    let near = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-11 * (1.0 + expected.abs()), "{found} {expected}");
    };
    let moment = j + m * l * l;
    system.apply_reactions(&forces).unwrap();
    near(system.body(rod).unwrap().velocity()[2], -m * g * h * l * sine / moment);
    let pose = gradient.by_pose(rod).unwrap();
    // By the angle, with the hinge in its place: rotation and position change, and rows at the place of the slave's point.
    let by_rotation = Matrix3::from_column_slice(&pose.rotation)
        .dot(&(Matrix3::from_column_slice(&rotation) * Vector3::z().cross_matrix()));
    let by_position = -l * sine * pose.position[0] + l * cosine * pose.position[1];
    near(by_rotation + by_position, -m * g * h * l * cosine / moment);
    // By the distance: the center goes away from the hinge along the rod.
    let by_length = -m * g * h * sine * (j - m * l * l) / (moment * moment);
    near(cosine * pose.position[0] + sine * pose.position[1], by_length);
    let by_inertia = gradient.by_inertia(rod).unwrap();
    near(by_inertia.1[8], m * g * h * l * sine / (moment * moment));
    near(by_inertia.0, -g * h * l * sine * j / (moment * moment));
    // The rows are at the point of the ground, so that the rod's own point does not matter.
    let place = gradient.by_place(hinge).unwrap();
    place.points[0].iter().for_each(|by| near(*by, 0.0));
    near(-cosine * place.points[1][0] - sine * place.points[1][1], by_length);
    assert!(gradient.by_place(9).is_err() && gradient.by_pose(9).is_err());
}

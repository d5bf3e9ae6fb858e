use super::*;
use crate::math::{of_columns, transposed_times};
use crate::solve::{Kind, Law, Options, Solver, Status};
use crate::system::{Directions, Jacobian, advance_rotation, gyroscopic_change};
use testing::Random;

const UNIT: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
const KINDS: [JointKind; 6] = [
    JointKind::Hinge,
    JointKind::Slider,
    JointKind::Universal,
    JointKind::Weld,
    JointKind::HingeLimit,
    JointKind::SliderLimit,
];

/// exp of a rotation vector after `rotation`.
fn turned(rotation: &Block, angle: &Vector) -> Block {
    advance_rotation(rotation, angle, angle, 1.0).unwrap()
}

fn product(a: &Block, b: &Block) -> Block {
    let column = |j: usize| crate::math::times(a, &[b[3 * j], b[3 * j + 1], b[3 * j + 2]]);
    of_columns([column(0), column(1), column(2)])
}

fn random_rotation(random: &mut Random) -> Block {
    turned(&UNIT, &random.array::<3>().map(|x| 2.0 * x))
}

fn random_frame(random: &mut Random) -> JointFrame {
    JointFrame { axes: random_rotation(random), point: random.array() }
}

/// A body as a simulator has it: the rotation and the place of the center; the ground never moves.
#[derive(Clone, Copy, Debug)]
struct Pose {
    is_ground: bool,
    rotation: Block,
    /// X̄.
    center: Vector,
    place: Vector,
}

impl Pose {
    fn new(random: &mut Random, is_ground: bool) -> Self {
        let (rotation, center, place) = (random_rotation(random), random.array(), random.array());
        match is_ground {
            true => Self { is_ground, rotation: UNIT, center: [0.0; 3], place: [0.0; 3] },
            false => Self { is_ground, rotation, center, place },
        }
    }

    /// The pose after a time with the generalized velocity u.
    fn after(&self, u: &[f64], time: f64) -> Self {
        if self.is_ground {
            return *self;
        }
        let spin = [u[0], u[1], u[2]].map(|x| time * x);
        let place = std::array::from_fn(|i| self.place[i] + time * u[3 + i]);
        Self { rotation: turned(&self.rotation, &spin), place, ..*self }
    }

    fn point(&self, point: &Vector) -> Vector {
        let arm = std::array::from_fn(|i| point[i] - self.center[i]);
        let turned = crate::math::times(&self.rotation, &arm);
        std::array::from_fn(|i| self.place[i] + turned[i])
    }

    fn add_to(&self, system: &mut System, is_obstacle: bool) -> Option<Id> {
        let kinematics = Kinematics::Rigid { rotation: self.rotation, center: self.center };
        let inertia = match is_obstacle {
            true => crate::system::Inertia::Obstacle,
            false => {
                crate::system::Inertia::rigid(2.0, &[2.0, 0.1, 0.0, 0.1, 1.5, 0.2, 0.0, 0.2, 1.0]).unwrap()
            }
        };
        (!self.is_ground).then(|| system.add_body(6, kinematics, inertia).unwrap())
    }
}

/// The pairs of ends that a joint may have: whether each is the ground, and whether the slave is an obstacle.
const PAIRS: [([bool; 2], bool); 4] =
    [([false; 2], false), ([true, false], false), ([false, true], false), ([false; 2], true)];

/// B of the only constraint with these velocities.
fn velocity(system: &mut System, bodies: [Option<Id>; 2], u: &[[f64; 6]; 2]) -> Vec<f64> {
    for (body, u) in bodies.into_iter().zip(u) {
        if let Some(body) = body {
            system.set_velocity(body, u).unwrap();
        }
    }
    system.update(1.0).unwrap();
    system.results().unwrap().b.to_vec()
}

/// Set the positions of the bodies that are not the ground.
fn put(system: &mut System, bodies: [Option<Id>; 2], places: &[Vector; 2]) {
    for (body, place) in bodies.into_iter().zip(places) {
        system.set_positions(body.iter().len(), |_| (body.unwrap(), *place)).unwrap();
    }
}

fn error_of(system: &mut System, id: Id, bodies: [Option<Id>; 2], poses: &[Pose; 2]) -> Vec<f64> {
    for (body, pose) in bodies.into_iter().zip(poses) {
        if let Some(body) = body {
            system.set_rotation(body, &pose.rotation).unwrap();
        }
    }
    put(system, bodies, &poses.map(|pose| pose.place));
    let mut errors = vec![0.0; system.constraint(id).unwrap().rows()];
    system.joint_error(id, &mut errors).unwrap();
    errors
}

/// Rows of points and of the universal joint: finite differences of the places of material points in the axes of the master, of the
/// axes, and of relative rotations, for any poses.
#[test]
fn rows_are_the_rates_of_points_and_rotations() {
    let (mut random, delta) = (Random::new(3), 1e-5);
    for (are_ground, is_obstacle) in PAIRS {
        for kind in KINDS {
            let poses = are_ground.map(|is_ground| Pose::new(&mut random, is_ground));
            let frames = [random_frame(&mut random), random_frame(&mut random)];
            let mut system = System::new();
            let bodies = [poses[0].add_to(&mut system, false), poses[1].add_to(&mut system, is_obstacle)];
            system.add_joint(kind, bodies, &frames[0], &frames[1]).unwrap();
            put(&mut system, bodies, &poses.map(|pose| pose.place));
            let u: [[f64; 6]; 2] = [random.array(), random.array()];
            let found = velocity(&mut system, bodies, &u);
            let at = |time: f64| {
                let [master, slave] = [0, 1].map(|k: usize| poses[k].after(&u[k], time));
                let axes =
                    [product(&master.rotation, &frames[0].axes), product(&slave.rotation, &frames[1].axes)];
                let [one, other] = [master.point(&frames[0].point), slave.point(&frames[1].point)];
                let gap = transposed_times(&axes[0], &std::array::from_fn(|i| one[i] - other[i]));
                (axes, gap)
            };
            let [(before, gap_before), (now, _), (after, gap_after)] = [at(-delta), at(0.0), at(delta)];
            let rate = |k: usize| (gap_after[k] - gap_before[k]) / (2.0 * delta);
            // The angular velocity of a frame in the world, from the difference of its axes: ½ Σ a × ȧ.
            let spin = |k: usize| {
                let mut spin = [0.0; 3];
                for j in 0..3 {
                    let column = |axes: &Block| [axes[3 * j], axes[3 * j + 1], axes[3 * j + 2]];
                    let change: Vector = std::array::from_fn(|i| {
                        (column(&after[k])[i] - column(&before[k])[i]) / (2.0 * delta)
                    });
                    let part = crate::math::cross(&column(&now[k]), &change);
                    (0..3).for_each(|i| spin[i] += 0.5 * part[i]);
                }
                spin
            };
            let (one, other) = (spin(0), spin(1));
            let relative = transposed_times(&now[0], &std::array::from_fn(|i| one[i] - other[i]));
            let cosine = |axes: &[Block; 2]| -> f64 { (0..3).map(|i| axes[0][i] * axes[1][3 + i]).sum() };
            let expected: Vec<f64> = match kind {
                JointKind::Hinge => vec![rate(0), rate(1), rate(2), relative[0], relative[1]],
                JointKind::Slider => vec![rate(0), rate(1), relative[0], relative[1], relative[2]],
                JointKind::Universal => {
                    let across = (cosine(&after) - cosine(&before)) / (2.0 * delta);
                    vec![rate(0), rate(1), rate(2), across]
                }
                JointKind::Weld => vec![rate(0), rate(1), rate(2), relative[0], relative[1], relative[2]],
                JointKind::HingeLimit => vec![relative[2]],
                JointKind::SliderLimit => vec![rate(2)],
            };
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(&expected) {
                assert!((found - expected).abs() < 1e-7, "{kind:?} {are_ground:?}: {found} {expected}");
            }
        }
    }
}

/// Poses in which a joint holds: the slave's frame is placed by the master's, turned and moved along the free direction.
fn joined(random: &mut Random, kind: JointKind, are_ground: [bool; 2]) -> ([Pose; 2], [JointFrame; 2]) {
    let poses = are_ground.map(|is_ground| Pose::new(random, is_ground));
    let frame = random_frame(random);
    let axes = product(&poses[0].rotation, &frame.axes);
    let (angle, distance) = (2.5 * random.signed(), random.signed());
    let (angle, distance) = match kind {
        JointKind::Hinge | JointKind::HingeLimit => (angle, 0.0),
        JointKind::Slider | JointKind::SliderLimit => (0.0, distance),
        _ => (0.0, 0.0),
    };
    // The axes of the slave in the world, and its point.
    let slave = turned(&axes, &[0.0, 0.0, angle]);
    let point: Vector = std::array::from_fn(|i| poses[0].point(&frame.point)[i] + distance * axes[6 + i]);
    let transposed = crate::math::transposed(&poses[1].rotation);
    let arm = transposed_times(&poses[1].rotation, &std::array::from_fn(|i| point[i] - poses[1].place[i]));
    let slave = JointFrame {
        axes: product(&transposed, &slave),
        point: std::array::from_fn(|i| arm[i] + poses[1].center[i]),
    };
    (poses, [frame, slave])
}

#[test]
fn errors_are_zero_where_a_joint_holds_and_their_rates_are_its_velocities() {
    let (mut random, delta) = (Random::new(4), 1e-5);
    for (are_ground, is_obstacle) in PAIRS {
        for kind in KINDS {
            let (poses, frames) = joined(&mut random, kind, are_ground);
            let mut system = System::new();
            let bodies = [poses[0].add_to(&mut system, false), poses[1].add_to(&mut system, is_obstacle)];
            let id = system.add_joint(kind, bodies, &frames[0], &frames[1]).unwrap();
            put(&mut system, bodies, &poses.map(|pose| pose.place));
            let u: [[f64; 6]; 2] = [random.array(), random.array()];
            let found = velocity(&mut system, bodies, &u);
            let mut at = |time: f64| {
                let moved = [0, 1].map(|k| poses[k].after(&u[k], time));
                error_of(&mut system, id, bodies, &moved)
            };
            let [before, now, after] = [-delta, 0.0, delta].map(&mut at);
            let is_limit = matches!(kind, JointKind::HingeLimit | JointKind::SliderLimit);
            assert!(is_limit || now.iter().all(|error| error.abs() < 1e-14), "{kind:?}: {now:?}");
            for ((before, after), found) in before.iter().zip(&after).zip(&found) {
                let rate = (after - before) / (2.0 * delta);
                assert!((rate - found).abs() < 1e-7, "{kind:?} {are_ground:?}: {rate} {found}");
            }
        }
    }
}

/// Closed forms: angles and distances of a master that is turned and moved by known amounts.
#[test]
fn errors_have_the_angles_and_distances_of_the_pose() {
    let frame = JointFrame { axes: UNIT, point: [0.0; 3] };
    let error = |kind: JointKind, angle: Vector, place: Vector| {
        let mut system = System::new();
        let body = system.add_rigid(1.0, &UNIT, &turned(&UNIT, &angle), &[0.0; 3]).unwrap();
        let id = system.add_joint(kind, [Some(body), None], &frame, &frame).unwrap();
        let mut errors = vec![0.0; system.constraint(id).unwrap().rows()];
        put(&mut system, [Some(body), None], &[place, [f64::NAN; 3]]);
        system.joint_error(id, &mut errors).unwrap();
        errors
    };
    let is_near = |found: &[f64], expected: &[f64]| {
        found.len() == expected.len() && found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-14)
    };
    // All angles up to half a turn, about any axis: the rotation vector.
    let places = [[0.6, 0.0, -0.8], [0.0, 1.0, 0.0], [-0.48, 0.6, 0.64]];
    for (axis, angle) in places.into_iter().flat_map(|axis| [1e-9, 0.5, 2.0, 3.1].map(|angle| (axis, angle)))
    {
        let vector = axis.map(|x| x * angle);
        let found = error(JointKind::Weld, vector, [0.0; 3]);
        assert!(is_near(&found[3..], &vector), "{found:?} {vector:?}");
        assert_eq!(error(JointKind::Slider, vector, [0.0; 3])[2..], found[3..]);
    }
    let zeros = KINDS.map(|kind| error(kind, [0.0; 3], [0.0; 3]));
    assert!(!crate::math::has_negative_zero(&zeros.concat()), "{zeros:?}");
    for angle in [-3.0, -0.1, 0.0, 1.0, 3.1] {
        assert!(is_near(&error(JointKind::HingeLimit, [0.0, 0.0, angle], [0.0; 3]), &[angle]));
        // A hinge does not see its own angle.
        assert!(is_near(&error(JointKind::Hinge, [0.0, 0.0, angle], [0.1, 0.2, 0.0])[3..], &[0.0; 2]));
    }
    assert!(is_near(&error(JointKind::Hinge, [0.3, 0.0, 0.0], [0.0; 3])[3..], &[0.3_f64.sin(), 0.0]));
    assert!(is_near(&error(JointKind::Hinge, [0.0, 0.3, 0.0], [0.0; 3])[3..], &[0.0, 0.3_f64.sin()]));
    assert!(is_near(&error(JointKind::Universal, [0.0, 0.0, 0.3], [0.0; 3])[3..], &[0.3_f64.sin()]));
    assert!(is_near(&error(JointKind::Universal, [0.9, 0.0, 0.0], [0.0; 3])[3..], &[0.0]));
    assert!(is_near(&error(JointKind::SliderLimit, [0.0; 3], [0.1, 0.2, -0.7]), &[-0.7]));
    assert!(is_near(&error(JointKind::Slider, [0.0; 3], [0.1, 0.2, -0.7])[..2], &[0.1, 0.2]));
}

/// What an update gives: W, B and V.
fn bits(system: &mut System, step: f64) -> Vec<u64> {
    system.update(step).unwrap();
    let rows = system.results().unwrap();
    let values = rows.w.values().iter().chain(rows.b).chain(rows.v);
    values.map(|value| value.to_bits()).collect()
}

/// A system with a joint, and one of constraints by operators whose user computes and sets them.
struct Both {
    system: System,
    host: System,
    bodies: [Option<Id>; 2],
    joint: Id,
    by_operators: Id,
    kind: JointKind,
    frames: [JointFrame; 2],
}

impl Both {
    fn new(random: &mut Random, kind: JointKind, (are_ground, is_obstacle): ([bool; 2], bool)) -> Self {
        let poses = are_ground.map(|is_ground| Pose::new(random, is_ground));
        let frames = [random_frame(random), random_frame(random)];
        let (mut system, mut host) = (System::new(), System::new());
        let bodies = [&mut system, &mut host].map(|system| {
            let bodies = [poses[0].add_to(system, false), poses[1].add_to(system, is_obstacle)];
            // Bodies that do not change, so that an update computes a part, and a contact whose row comes first.
            for _ in 0..8 {
                let other = system.add_rigid(1.0, &UNIT, &UNIT, &[0.0; 3]).unwrap();
                system.add_point_constraint([Some(other), None], &UNIT, [[1.0; 3], [0.0; 3]]).unwrap();
            }
            bodies.into_iter().flatten().for_each(|body| system.set_velocity(body, &[0.3; 6]).unwrap());
            bodies
        })[0];
        let joint = system.add_joint(kind, bodies, &frames[0], &frames[1]).unwrap();
        let ends = system.ends(bodies, &frames).unwrap();
        let operators = made_operators(super::ListedKind::Joint(kind), bodies, &ends).unwrap();
        let by_operators = host.add_constraint_rows(&bodies, operators).unwrap();
        Self { system, host, bodies, joint, by_operators, kind, frames }
    }

    fn rotate(&mut self, side: usize, rotation: &Block) {
        if let Some(body) = self.bodies[side] {
            // The one call and the call for many.
            self.system.set_rotations(1, |_| (body, *rotation)).unwrap();
            self.host.set_rotation(body, rotation).unwrap();
        }
    }

    /// Set the operators of the host as its user would.
    fn set(&mut self, centers: Option<[Vector; 2]>) {
        let mut ends = self.system.ends(self.bodies, &self.frames).unwrap();
        if let Some(centers) = centers {
            ends.part(&centers);
        }
        let rows = self.kind.rows().len();
        let of = |side: usize| {
            Operator::dense(rows, 6, &ends.operator(super::ListedKind::Joint(self.kind), side)[..6 * rows])
                .unwrap()
        };
        let operators = (0..2).filter(|&side| self.bodies[side].is_some()).map(of).collect();
        self.host.set_operators(self.by_operators, operators).unwrap();
    }

    fn check(&mut self, centers: Option<[Vector; 2]>, step: f64, what: &str) {
        self.set(centers);
        let expected = bits(&mut self.host, step);
        assert_eq!(bits(&mut self.system, step), expected, "{:?} {:?}: {what}", self.kind, self.bodies);
        // A new system, which keeps nothing.
        let mut new = System::new();
        let of_new = self.bodies.map(|body| {
            let Kinematics::Rigid { rotation, center } = *self.system.body(body?).unwrap().kinematics()
            else {
                panic!()
            };
            let is_obstacle =
                matches!(self.system.body(body?).unwrap().inertia(), crate::system::Inertia::Obstacle);
            let pose = Pose { is_ground: false, rotation, center, place: [0.0; 3] };
            let id = pose.add_to(&mut new, is_obstacle)?;
            new.set_velocity(id, &[0.3; 6]).unwrap();
            Some(id)
        });
        new.add_joint(self.kind, of_new, &self.frames[0], &self.frames[1]).unwrap();
        centers.iter().for_each(|centers| put(&mut new, of_new, centers));
        new.update(step).unwrap();
        let row = self.system.row_of(self.joint).unwrap();
        let rows = self.system.results().unwrap();
        let own: Vec<f64> = rows.w.row(row).flat_map(|(_, block)| block.to_vec()).collect();
        assert_eq!(new.results().unwrap().w.values(), own, "{:?} {:?}: {what}", self.kind, self.bodies);
    }
}

/// Each input of the operators changed alone and in pairs: rotations of master and slave, places of both centers.
#[test]
fn operators_follow_their_inputs_as_those_of_a_host_that_sets_them() {
    let mut random = Random::new(5);
    for pair in PAIRS {
        for kind in KINDS {
            let mut both = Both::new(&mut random, kind, pair);
            both.check(None, 0.1, "new");
            both.check(None, 0.1, "nothing");
            // That of the ground remains zero.
            let mut centers = both.bodies.map(|body| body.map_or([0.0; 3], |_| random.array()));
            put(&mut both.system, both.bodies, &centers);
            both.check(Some(centers), 0.1, "centers for the first time");
            for first in 0..4 {
                for second in first..4 {
                    for input in [first, second] {
                        match input {
                            0 | 1 => both.rotate(input, &random_rotation(&mut random)),
                            _ => {
                                let body = both.bodies[input - 2];
                                centers[input - 2] = body.map_or([0.0; 3], |_| random.array());
                                put(&mut both.system, both.bodies, &centers);
                            }
                        }
                        if first == second {
                            break;
                        }
                    }
                    both.check(Some(centers), 0.1, &format!("inputs {first} and {second}"));
                }
            }
            both.rotate(0, &random_rotation(&mut random));
            both.check(Some(centers), 0.2, "another step");
            // A rotation that has zeros, and one without them again.
            both.rotate(0, &UNIT);
            both.rotate(1, &UNIT);
            both.check(Some(centers), 0.2, "zeros");
            both.rotate(0, &random_rotation(&mut random));
            both.check(Some(centers), 0.2, "no zeros");
            // A refused step changes nothing.
            both.rotate(1, &random_rotation(&mut random));
            assert!(both.system.update(-1.0).is_err());
            both.check(Some(centers), 0.2, "after a refused step");
            // Removed, other joints stay; a new joint has the next id.
            let bodies = both.bodies;
            both.system.remove_constraint(both.joint).unwrap();
            assert!(!both.system.is_joint(both.joint) && both.system.joints.is_empty());
            assert!(both.system.joint_error(both.joint, &mut []).is_err());
            both.joint = both.system.add_joint(kind, bodies, &both.frames[0], &both.frames[1]).unwrap();
            both.check(Some(centers), 0.2, "inserted again");
            both.system.clear();
            assert!(both.system.joints.is_empty());
            assert_eq!(bits(&mut both.system, 0.2), []);
        }
    }
}

#[test]
fn an_unchanged_joint_costs_nothing_and_a_refused_call_changes_nothing() {
    let mut random = Random::new(6);
    let mut both = Both::new(&mut random, JointKind::Hinge, PAIRS[0]);
    bits(&mut both.system, 0.1);
    let marks = |system: &System| crate::system::dirty::all_of(system.constraints.marks());
    both.rotate(0, &random_rotation(&mut random));
    bits(&mut both.system, 0.1);
    assert_eq!(marks(&both.system), 0);
    let rotation = *both.system.rigid(both.bodies[0].unwrap()).unwrap().0;
    both.rotate(0, &rotation);
    both.system.update_joints().unwrap();
    assert_eq!(marks(&both.system), 0);
    let (joint, frame) = (both.joint, both.frames[0]);
    let [one, other] = both.bodies.map(Option::unwrap);
    let Both { system, .. } = &mut both;
    let soft = system.add_pseudo_rigid(1.0, &UNIT, &[0.0; 3]).unwrap();
    let next = system.next_constraint();
    let mut refused = |bodies, master: &JointFrame, slave: &JointFrame, text: &str| {
        let error = system.add_joint(JointKind::Weld, bodies, master, slave).unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    refused([Some(one), Some(99)], &frame, &frame, "there is no body 99");
    refused([Some(one), Some(soft)], &frame, &frame, "not rigid");
    refused([Some(one), Some(one)], &frame, &frame, "there twice");
    refused([None, None], &frame, &frame, "the ground");
    refused([Some(one), Some(other)], &JointFrame { axes: [0.5; 9], ..frame }, &frame, "orthonormal");
    refused([Some(one), None], &frame, &JointFrame { point: [f64::NAN; 3], ..frame }, "the slave's point");
    assert_eq!((system.next_constraint(), system.joints.len()), (next, 1));
    let contact = 0;
    let error =
        |system: &System, id, count| system.joint_error(id, &mut [0.0; 6][..count]).unwrap_err().to_string();
    assert!(error(system, contact, 5).contains("not a joint"));
    assert!(error(system, joint, 5).contains("its position in the world is not known"));
    put(system, [Some(one), None], &[[0.0; 3]; 2]);
    assert!(error(system, joint, 5).starts_with(&format!("body {other}: its position")));
    put(system, [Some(one), Some(other)], &[[0.0; 3]; 2]);
    assert!(error(system, joint, 4).contains("the errors of the joint"));
    let operators = || [0, 1].map(|_| Operator::zero(5, 6).unwrap()).into_iter().collect();
    assert!(system.set_operators(joint, operators()).unwrap_err().to_string().contains("joint by axes"));
    let jacobian = Jacobian::Dense { values: &[0.0; 60], shape: [5, 12], strides: [12, 1] };
    let set = system.set_jacobian([one, other].into_iter(), [joint].into_iter(), &jacobian);
    assert!(set.unwrap_err().to_string().contains("joint by axes"));
    system.remove_body(soft).unwrap();
    let joints = [crate::system::Joint::ConstantOperators; 9];
    let scalars = system.scalar_rows();
    (0..8).for_each(|contact| system.remove_constraint(contact).unwrap());
    let step = system.critical_step(&joints[..1], &vec![0.0; scalars - 24], Directions::All);
    assert!(step.unwrap_err().to_string().contains("joint by axes"));
    // Its bodies cannot leave.
    assert!(system.remove_body(one).is_err());
}

/// Two rods with hinges, from horizontal: gravity alone. The largest error of joints over the steps, and the change of energy.
fn double_pendulum(erp: f64, steps: usize, step: f64) -> (f64, f64) {
    const GRAVITY: f64 = 9.81;
    let inertia = [0.002, 0.0, 0.0, 0.0, 1.0 / 12.0, 0.0, 0.0, 0.0, 1.0 / 12.0];
    // The hinges' axis is y; the rods are along x, of length and mass one.
    let axes = [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let mut system = System::new();
    let rods: [Id; 2] = std::array::from_fn(|_| system.add_rigid(1.0, &inertia, &UNIT, &[0.0; 3]).unwrap());
    let at = |x: f64| JointFrame { axes, point: [x, 0.0, 0.0] };
    let ends = [[None, Some(rods[0])], [Some(rods[0]), Some(rods[1])]];
    let hinges = [
        system.add_joint(JointKind::Hinge, ends[0], &at(0.0), &at(-0.5)).unwrap(),
        system.add_joint(JointKind::Hinge, ends[1], &at(0.5), &at(-0.5)).unwrap(),
    ];
    let mut places = [[0.5, 0.0, 0.0], [1.5, 0.0, 0.0]];
    // The second rod also turns about its own axis at first, which the hinge must stop.
    let mut u = [[0.0; 6], [0.3, 0.0, 0.0, 0.0, 0.0, 0.0]];
    let (mut solver, mut forces, mut worst) = (Solver::new(), [0.0; 10], 0.0_f64);
    let energy = |u: &[[f64; 6]; 2], places: &[Vector; 2]| -> f64 {
        let of = |k: usize| {
            let turning: f64 = (0..3).map(|i| inertia[4 * i] * u[k][i] * u[k][i]).sum();
            let moving: f64 = u[k][3..].iter().map(|v| v * v).sum();
            0.5 * (turning + moving) + GRAVITY * places[k][2]
        };
        of(0) + of(1)
    };
    let mut first = None;
    for _ in 0..steps {
        for (&rod, u) in rods.iter().zip(&u) {
            let change = gyroscopic_change(&inertia, &[u[0], u[1], u[2]], step).unwrap();
            let mut free = *u;
            (0..3).for_each(|i| free[i] += change[i]);
            free[5] -= step * GRAVITY;
            system.set_velocity(rod, &free).unwrap();
        }
        put(&mut system, rods.map(Some), &places);
        system.update(step).unwrap();
        let mut laws = Vec::new();
        for hinge in &hinges {
            let mut errors = [0.0; 6];
            system.joint_error(*hinge, &mut errors[..5]).unwrap();
            worst = errors.iter().fold(worst, |worst, error| worst.max(error.abs()));
            let kind = Kind::Bounds { lower: [f64::NEG_INFINITY; 3], upper: [f64::INFINITY; 3] };
            let bias = errors.map(|error| erp * error / step);
            laws.extend(bias.as_chunks().0.iter().map(|&bias| Law { kind, bias }));
        }
        let options = Options { tolerance: 1e-12, ..Options::default() };
        let report = system.solve(&mut solver, &laws, &options, &mut forces).unwrap();
        assert_eq!(report.status, Status::Converged);
        system.apply_reactions(&forces).unwrap();
        for k in 0..2 {
            let (rotation, _) = system.rigid(rods[k]).unwrap();
            u[k].copy_from_slice(system.body(rods[k]).unwrap().velocity());
            let spin = [u[k][0], u[k][1], u[k][2]];
            let rotation = advance_rotation(rotation, &spin, &spin, step).unwrap();
            (0..3).for_each(|i| places[k][i] += step * u[k][3 + i]);
            system.set_rotation(rods[k], &rotation).unwrap();
        }
        first.get_or_insert(energy(&u, &places));
    }
    (worst, energy(&u, &places) - first.unwrap_or_default())
}

#[test]
fn a_double_pendulum_stays_together() {
    let (worst, change) = double_pendulum(0.2, 200, 0.005);
    let (without, _) = double_pendulum(0.0, 200, 0.005);
    let (finer, finer_change) = double_pendulum(0.2, 400, 0.0025);
    assert!(worst < 3e-3, "{worst} {without} {finer} {change} {finer_change}");
    assert!(without > 3.0 * worst, "{without} {worst}");
    // The error of a step is of second order.
    assert!(finer < worst / 3.0, "{finer} {worst}");
    assert!(change.abs() < 0.5 && finer_change.abs() < 0.7 * change.abs(), "{change} {finer_change}");
}

//! Contacts with moments of rigid bodies: their rows against velocities of bodies, and motions with a closed form.

use ldy::solve::{Kind, Law, Measure, Options, Solver, Status};
use ldy::system::{ContactRows, Id, RowLaw, System};
use nalgebra::{Matrix3, Vector3};
use testing::Random;

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
const ALL: [ContactRows; 3] = [ContactRows::Torsion, ContactRows::Rolling, ContactRows::RollingAndTorsion];

fn block(matrix: &Matrix3<f64>) -> [f64; 9] {
    testing::matrices::block(matrix)
}

/// Two bodies in a random state; velocities are angular in the body's axes, then linear.
struct Pair {
    system: System,
    bodies: [Id; 2],
    rotations: [Matrix3<f64>; 2],
    velocities: [[f64; 6]; 2],
}

impl Pair {
    fn new(random: &mut Random) -> Self {
        let mut system = System::new();
        let rotations = [random.rotation(), random.rotation()];
        let velocities: [[f64; 6]; 2] = [random.array(), random.array()];
        let bodies = [0, 1].map(|k| {
            let body = system.add_rigid(2.0, &UNIT, &block(&rotations[k]), &[0.0; 3]).unwrap();
            system.set_velocity(body, &velocities[k]).unwrap();
            body
        });
        Self { system, bodies, rotations, velocities }
    }

    /// The relative angular velocity in these axes.
    fn spin(&self, frame: &Matrix3<f64>) -> Vector3<f64> {
        let [one, other] = [0, 1].map(|k| {
            let [x, y, z, ..] = self.velocities[k];
            self.rotations[k] * Vector3::new(x, y, z)
        });
        frame.transpose() * (one - other)
    }

    /// Compare the velocities of contacts with those of a constraint at the same points.
    fn check(&mut self, frame: &Matrix3<f64>, [point, contacts]: [Id; 2]) {
        self.system.update(0.1).unwrap();
        let spin = self.spin(frame);
        let rows = self.system.results().unwrap();
        let b = |id: Id| {
            let row = rows.ids.iter().position(|&other| other as Id == id).unwrap();
            rows.b[rows.w.scalars(row)].to_vec()
        };
        let slip = b(point);
        for (k, axes) in [&[2][..], &[0, 1], &[0, 1, 2]].into_iter().enumerate() {
            let expected = slip.iter().copied().chain(axes.iter().map(|&axis| spin[axis]));
            let found = b(contacts + k as Id);
            assert_eq!(found.len(), 3 + axes.len());
            for (found, expected) in found.into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-14, "{k}: {found} {expected}");
            }
        }
    }
}

#[test]
fn rows_are_slip_and_spin_in_the_frame_of_the_contact() {
    let mut random = Random::new(3);
    for _ in 0..20 {
        let mut pair = Pair::new(&mut random);
        let (frame, points) = (random.rotation(), [random.array(), random.array()]);
        let sides = pair.bodies.map(Some);
        let point = pair.system.add_point_constraint(sides, &block(&frame), points).unwrap();
        let contacts =
            ALL.map(|rows| pair.system.add_rolling_contact(rows, sides, &block(&frame), points).unwrap());
        pair.check(&frame, [point, contacts[0]]);
        // The frame stays in the world while a body turns.
        pair.rotations[0] = random.rotation();
        pair.system.set_rotation(pair.bodies[0], &block(&pair.rotations[0])).unwrap();
        pair.check(&frame, [point, contacts[0]]);
        let (other, points) = (random.rotation(), [random.array(), random.array()]);
        for id in contacts.into_iter().chain([point]) {
            pair.system.move_constraint(id, &block(&other), points).unwrap();
        }
        pair.check(&other, [point, contacts[0]]);
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let mut pair = Pair::new(&mut Random::new(4));
    let system = &mut pair.system;
    let [one, other] = pair.bodies.map(Some);
    let mut refused = |bodies, frame: &[f64; 9]| {
        let error = system.add_rolling_contact(ContactRows::Rolling, bodies, frame, [[0.0; 3]; 2]);
        error.unwrap_err().to_string()
    };
    assert!(refused([None, None], &UNIT).ends_with("both of its bodies are the ground"));
    assert!(refused([one, None], &[1.0; 9]).ends_with("its frame is not orthonormal"));
    assert!(refused([one, Some(7)], &UNIT).contains("body 7"));
    assert!(refused([one, one], &UNIT).ends_with("a body of it is there twice"));
    let contact =
        system.add_rolling_contact(ContactRows::Rolling, [one, other], &UNIT, [[0.0; 3]; 2]).unwrap();
    let error = system.rebind_constraint(contact, [one, None], &UNIT, [[0.0; 3]; 2]).unwrap_err();
    assert!(error.to_string().contains("keeps its bodies"), "{error}");
    assert!(system.joint_error(contact, &mut [0.0; 5]).is_err());
    let law = |rolling, torsion| rolling_law(0.5, rolling, torsion);
    system.set_law(contact, Some(law(0.1, 0.0))).unwrap();
    let error = system.set_law(contact, Some(law(0.1, 0.1))).unwrap_err().to_string();
    assert!(
        error.ends_with("it has torsional friction without the row of the moment about the normal"),
        "{error}"
    );
    let error = system.set_law(contact, Some(law(-0.1, 0.0))).unwrap_err().to_string();
    assert!(error.ends_with("its rolling or torsional friction is negative or not finite"), "{error}");
    let point = system.add_point_constraint([one, other], &UNIT, [[0.0; 3]; 2]).unwrap();
    let error = system.set_law(point, Some(law(0.1, 0.0))).unwrap_err().to_string();
    assert!(
        error.ends_with("it has rolling friction without the rows of moments about the tangents"),
        "{error}"
    );
}

fn rolling_law(friction: f64, rolling_friction: f64, torsional_friction: f64) -> RowLaw {
    let kind =
        Kind::Contact { friction, friction_2: friction, cohesion: 0.0, rolling_friction, torsional_friction };
    Law { kind, bias: [0.0; 6] }
}

const GRAVITY: f64 = 9.81;
const MASS: f64 = 3.0;
const RADIUS: f64 = 0.05;
const INERTIA: f64 = 0.4 * MASS * RADIUS * RADIUS;
const STEP: f64 = 1e-3;

/// A ball that touches the plane below it, whose normal is the third axis.
struct Ball {
    system: System,
    ball: Id,
    velocity: [f64; 6],
}

impl Ball {
    fn new(rows: ContactRows, law: RowLaw) -> Self {
        let mut system = System::new();
        let inertia = UNIT.map(|x| INERTIA * x);
        let ball = system.add_rigid(MASS, &inertia, &UNIT, &[0.0; 3]).unwrap();
        let points = [[0.0, 0.0, -RADIUS], [0.0; 3]];
        let contact = system.add_rolling_contact(rows, [Some(ball), None], &UNIT, points).unwrap();
        system.set_law(contact, Some(law)).unwrap();
        Self { system, ball, velocity: [0.0; 6] }
    }

    /// Make a step under gravity on a plane with this slope along the first axis; returns R.
    fn step(&mut self, slope: f64) -> Vec<f64> {
        self.velocity[3] += STEP * GRAVITY * slope.sin();
        self.velocity[5] -= STEP * GRAVITY * slope.cos();
        let Self { system, ball, velocity } = self;
        system.set_velocity(*ball, &velocity[..]).unwrap();
        system.update(STEP).unwrap();
        let mut laws = Vec::new();
        system.row_laws(&mut laws).unwrap();
        let mut forces = vec![0.0; system.constraint(0).unwrap().rows()];
        let options = Options { tolerance: 1e-13, measure: Measure::Scaled, ..Options::default() };
        let report = system.solve(&mut Solver::new(), &laws, &options, &mut forces).unwrap();
        assert_eq!(report.status, Status::Converged, "{report:?}");
        system.apply_reactions(&forces).unwrap();
        velocity.copy_from_slice(system.body(*ball).unwrap().velocity());
        forces
    }
}

/// A ball begins to roll where the tangent of the slope is the coefficient of rolling friction over the radius. Then its acceleration
/// is g (sin θ − μ_r cos θ / r) / (1 + J / (m r²)).
#[test]
fn a_ball_rolls_down_slopes_beyond_a_threshold() {
    let rolling = 0.1 * RADIUS;
    for rows in [ContactRows::Rolling, ContactRows::RollingAndTorsion] {
        for share in [0.2, 0.999, 1.001, 1.5, 3.0] {
            let slope = (share * rolling / RADIUS).atan();
            let mut ball = Ball::new(rows, rolling_law(0.5, rolling, 0.0));
            for _ in 0..5 {
                ball.step(slope);
            }
            let drive = slope.sin() - rolling / RADIUS * slope.cos();
            let speed = f64::max(GRAVITY * drive, 0.0) / 1.4 * 5.0 * STEP;
            let expected = [0.0, speed / RADIUS, 0.0, speed, 0.0, 0.0];
            for (found, expected) in ball.velocity.into_iter().zip(expected) {
                assert!((found - expected).abs() < 1e-11, "{share}: {:?} {expected}", ball.velocity);
            }
        }
    }
}

/// A ball that rolls on a plane stops after v (1 + J / (m r²)) / (g μ_r / r).
#[test]
fn a_rolling_ball_stops() {
    let rolling = 0.1 * RADIUS;
    let mut ball = Ball::new(ContactRows::Rolling, rolling_law(0.5, rolling, 0.0));
    let braking = GRAVITY * rolling / RADIUS / 1.4;
    let speed = 20.5 * STEP * braking;
    ball.velocity = [0.0, speed / RADIUS, 0.0, speed, 0.0, 0.0];
    for step in 1..=25 {
        ball.step(0.0);
        let expected = f64::max(speed - f64::from(step) * STEP * braking, 0.0);
        assert!((ball.velocity[3] - expected).abs() < 1e-12, "{step}: {:?} {expected}", ball.velocity);
        assert!((ball.velocity[1] - expected / RADIUS).abs() < 1e-10);
    }
}

/// A ball that spins about the normal stops after J ω / (μ_s m g), and the moment then is none.
#[test]
fn a_spinning_ball_stops() {
    let torsion = 0.02 * RADIUS;
    for rows in [ContactRows::Torsion, ContactRows::RollingAndTorsion] {
        let mut ball = Ball::new(rows, rolling_law(0.5, 0.0, torsion));
        let braking = torsion * MASS * GRAVITY / INERTIA;
        let spin = 30.25 * STEP * braking;
        ball.velocity[2] = spin;
        for step in 1..=40 {
            let forces = ball.step(0.0);
            let expected = f64::max(spin - f64::from(step) * STEP * braking, 0.0);
            assert!((ball.velocity[2] - expected).abs() < 1e-11 * spin, "{step}: {:?}", ball.velocity);
            let moment = forces[forces.len() - 1];
            let most = torsion * MASS * GRAVITY;
            let share = match step {
                ..=30 => -1.0,
                31 => -0.25,
                _ => 0.0,
            };
            assert!((moment - share * most).abs() < 1e-9 * most, "{step}: {forces:?}");
        }
    }
}

//! Contacts of two scalar rows on bodies that move in a plane.

use ldy::solve::{Law, Method, Options, Solver};
use ldy::system::{Inertia, Kinematics, Operator, RowLaw, System};

const GRAVITY: f64 = 9.81;
const STEP: f64 = 1e-3;

/// A block at rest on a slope with this angle; it touches the slope at two corners. Its velocities are along the slope, down, then
/// away from it, then its rotation.
struct Block {
    mass: f64,
    /// Half of the width and of the height.
    half: [f64; 2],
}

impl Block {
    fn on_slope(&self, angle: f64, friction: f64) -> System {
        let Self { mass, half: [a, c] } = *self;
        let turning = mass * (a * a + c * c) / 3.0;
        let inverse = [1.0 / mass, 0.0, 0.0, 0.0, 1.0 / mass, 0.0, 0.0, 0.0, 1.0 / turning];
        let mut system = System::new();
        let inertia = Inertia::dense(3, &inverse).unwrap();
        let body = system.add_body(3, Kinematics::General, inertia).unwrap();
        let fall = [STEP * GRAVITY * angle.sin(), -STEP * GRAVITY * angle.cos(), 0.0];
        system.set_velocity(body, &fall).unwrap();
        for x in [-a, a] {
            // Tangent, then normal, column by column, at the point (x, −c).
            let h = [1.0, 0.0, 0.0, 1.0, c, x];
            let id = system.add_constraint_rows(&[body], vec![Operator::dense(2, 3, &h).unwrap()]).unwrap();
            system.set_law(id, Some(RowLaw::from(Law::contact(friction)))).unwrap();
        }
        system.update(STEP).unwrap();
        system
    }
}

fn solved(system: &System, options: &Options) -> Vec<f64> {
    let mut laws = Vec::new();
    system.row_laws(&mut laws).unwrap();
    let mut forces = vec![0.0; 4];
    system.solve(&mut Solver::new(), &laws, options, &mut forces).unwrap();
    forces
}

/// The sums of forces, and their torques, are known in closed form whether the block sticks or slides.
#[test]
fn a_block_on_a_slope_sticks_or_slides() {
    let block = Block { mass: 2.0, half: [0.5, 0.25] };
    for (angle, friction) in
        [(0.2, 0.5), (0.4, 0.5), (0.5, 0.5), (0.6, 0.3), (0.3, 0.0), (-0.4, 0.5), (-0.6, 0.3)]
    {
        let angle: f64 = angle;
        let system = block.on_slope(angle, friction);
        let weight = block.mass * GRAVITY;
        let normal = weight * angle.cos();
        let most = friction * normal;
        let along = (-weight * angle.sin()).clamp(-most, most);
        let slides = (weight * angle.sin()).abs() > most;
        // The torque of the tangential forces makes one corner carry more.
        let difference = -block.half[1] * along / block.half[0];
        let [one, other] = [-1.0, 1.0].map(|sign| 0.5 * (normal + sign * difference));
        for method in [Method::Automatic, Method::GaussSeidel, Method::Newton] {
            let options = Options { tolerance: 1e-13, method, ..Options::default() };
            let forces = solved(&system, &options);
            let near = |a: f64, b: f64| (a - b).abs() < 1e-8 * weight;
            assert!(near(forces[1], one) && near(forces[3], other), "{angle} {method:?}: {forces:?}");
            assert!(near(forces[0] + forces[2], along), "{angle} {method:?}: {forces:?}");
            if slides {
                // Each corner is at its own limit.
                let sign = along.signum();
                assert!(near(forces[0], sign * friction * one) && near(forces[2], sign * friction * other));
            }
        }
        let real_time = solved(&system, &Options::real_time());
        assert!((real_time[1] + real_time[3] - normal).abs() < 1e-2 * weight, "{real_time:?}");
        for row in real_time.chunks(2) {
            assert!(row[0].abs() <= friction * row[1] * (1.0 + 1e-12));
        }
    }
}

#[test]
fn laws_of_contacts_need_a_tangent() {
    let mut system = Block { mass: 1.0, half: [0.5; 2] }.on_slope(0.1, 0.5);
    let joint = system.add_dof_constraint(0, Some(0), 1.0).unwrap();
    let contact = RowLaw::from(Law::contact(0.5));
    let error = system.set_law(joint, Some(contact)).unwrap_err();
    assert!(error.to_string().ends_with("a contact has two to six scalar rows"), "{error}");
    assert_eq!(system.law(joint).unwrap(), None);
    assert_eq!(system.law(0).unwrap(), Some(&contact));
}

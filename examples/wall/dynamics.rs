//! The contact-dynamics step, theory (5)–(7), on `ldy::system`.

use crate::body::{Body, GRAVITY};
use crate::contacts::{self, Contact};
use ldy::solve::{Law, Measure, Options, Report, Solver};
use ldy::system::{Error, Inertia, Kinematics, System};
use parry3d_f64::math;
use std::collections::HashMap;

/// Coulomb's friction of everything on everything. Impacts are without restitution.
const FRICTION: f64 = 0.6;
/// Contacts with smaller gaps are taken into the step, m.
const REACH: f64 = 0.02;
/// The tolerance of the residual in units of energy, beside the free velocities.
const TOLERANCE: f64 = 1e-4;
const SWEEPS: usize = 200;

/// Two tangents, then the normal.
type Vector = [f64; 3];

pub struct Dynamics {
    pub bodies: Vec<Body>,
    system: System,
    solver: Solver,
    /// Forces of the last step, where the next begins.
    forces: HashMap<[u32; 4], Vector>,
}

/// What happened in a step.
pub struct Step {
    pub contacts: usize,
    /// Contacts that transmit a force.
    pub loaded: usize,
    pub solver: Report,
    /// The deepest penetration, m.
    pub penetration: f64,
}

impl Dynamics {
    pub fn new(bodies: Vec<Body>) -> Result<Self, Error> {
        let mut system = System::new();
        for body in &bodies {
            let kinematics = Kinematics::Rigid { rotation: body.rotation(), center: [0.0; 3] };
            let moments = body.inertia;
            let inertia = if body.fixed {
                Inertia::Obstacle
            } else {
                Inertia::rigid(body.mass, &[moments.x, 0.0, 0.0, 0.0, moments.y, 0.0, 0.0, 0.0, moments.z])
                    .expect("moments are positive")
            };
            system.add_body(6, kinematics, inertia)?;
        }
        Ok(Self { bodies, system, solver: Solver::new(), forces: HashMap::new() })
    }

    pub fn step(&mut self, h: f64) -> Result<Step, Error> {
        self.bodies.iter_mut().for_each(|body| body.advance(h / 2.0));
        let contacts = contacts::find(&self.bodies, REACH);
        self.assemble(&contacts, h)?;
        let laws: Vec<Law> = contacts
            .iter()
            .map(|contact| Law { bias: [0.0, 0.0, contact.gap.max(0.0) / h], ..Law::contact(FRICTION) })
            .collect();
        let mut forces: Vec<Vector> = contacts
            .iter()
            .map(|contact| self.forces.get(&contact.key).copied().unwrap_or_default())
            .collect();
        let options = Options {
            tolerance: TOLERANCE,
            measure: Measure::Scaled,
            max_sweeps: SWEEPS,
            ..Options::default()
        };
        let report = self.system.solve(&mut self.solver, &laws, &options, forces.as_flattened_mut())?;
        self.system.apply_reactions(forces.as_flattened())?;
        for (id, body) in (0..).zip(&mut self.bodies) {
            if !body.fixed {
                let [a, b, c, x, y, z] = self.system.body(id)?.velocity()[..] else {
                    unreachable!("six dofs")
                };
                (body.spin, body.velocity) = (math::Vector::new(a, b, c), math::Vector::new(x, y, z));
            }
            body.advance(h / 2.0);
        }
        self.forces = contacts.iter().map(|contact| contact.key).zip(forces.iter().copied()).collect();
        Ok(Step {
            contacts: contacts.len(),
            loaded: forces.iter().filter(|force| force[2] > 0.0).count(),
            solver: report,
            penetration: contacts.iter().fold(0.0, |deepest, contact| -contact.gap.min(-deepest)),
        })
    }

    /// W, and B of the free velocities u + M⁻¹ h f.
    fn assemble(&mut self, contacts: &[Contact], h: f64) -> Result<(), Error> {
        let old: Vec<_> = self.system.constraints().map(|(id, _)| id).collect();
        for id in old {
            self.system.remove_constraint(id)?;
        }
        for (id, body) in (0..).zip(&self.bodies).filter(|(_, body)| !body.fixed) {
            self.system.set_rotation(id, &body.rotation())?;
            let (spin, velocity) = (body.spin, body.velocity);
            let free = [spin.x, spin.y, spin.z, velocity.x, velocity.y, velocity.z - h * GRAVITY];
            self.system.set_velocity(id, &free)?;
        }
        for contact in contacts {
            let bodies = [contact.master, contact.slave].map(|body| Some(body as u64));
            let points = [contact.master_point, contact.slave_point].map(|point| point.to_array());
            self.system.add_point_constraint(bodies, &contact.frame, points)?;
        }
        self.system.update(h)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_the_ground(mut others: Vec<Body>) -> Dynamics {
        let mut ground =
            Body::brick(math::Vector::new(20.0, 20.0, 1.0), 1.0, math::Vector::new(0.0, 0.0, -0.5));
        ground.fixed = true;
        others.insert(0, ground);
        Dynamics::new(others).unwrap()
    }

    /// A brick that slides comes to rest after v² / (2 μ g), to the first order in h.
    #[test]
    fn a_brick_slides_as_far_as_it_should() {
        let expected = 4.0 / (2.0 * FRICTION * GRAVITY);
        let errors = [2e-3, 1e-3].map(|h| {
            let mut brick =
                Body::brick(math::Vector::new(0.4, 0.3, 0.1), 1800.0, math::Vector::new(0.0, 0.0, 0.05));
            brick.velocity.x = 2.0;
            let mut dynamics = on_the_ground(vec![brick]);
            for _ in 0..(0.6 / h) as usize {
                dynamics.step(h).unwrap();
            }
            assert!(dynamics.bodies[1].velocity.length() < 1e-6);
            (dynamics.bodies[1].pose.translation.x / expected - 1.0).abs()
        });
        assert!(errors[1] < 0.01 && errors[1] < 0.75 * errors[0], "{errors:?}");
    }

    /// Balls that meet in the air keep their momentum.
    #[test]
    fn an_impact_keeps_momentum() {
        let mut first = Body::ball(0.1, 1000.0, math::Vector::new(0.0, 0.0, 5.0));
        let second = Body::ball(0.2, 3000.0, math::Vector::new(0.5, 0.05, 5.0));
        first.velocity.x = 8.0;
        let mut dynamics = Dynamics::new(vec![first, second]).unwrap();
        let momentum = |dynamics: &Dynamics| -> math::Vector {
            dynamics.bodies.iter().map(|body| body.velocity * body.mass).sum()
        };
        let before = momentum(&dynamics);
        let (h, steps) = (1e-3, 100);
        let mut impacts = 0;
        for _ in 0..steps {
            impacts += dynamics.step(h).unwrap().loaded;
        }
        let weight: f64 = dynamics.bodies.iter().map(|body| body.mass).sum::<f64>() * GRAVITY;
        let expected = before - math::Vector::new(0.0, 0.0, weight * h * f64::from(steps));
        assert!(impacts > 0 && dynamics.bodies[1].velocity.x > 0.1);
        assert!((momentum(&dynamics) - expected).length() < 1e-11 * before.length());
    }

    /// A stack at rest stays so.
    #[test]
    fn a_stack_stands() {
        let size = math::Vector::new(0.4, 0.2, 0.2);
        let stack =
            (0..6).map(|k| Body::brick(size, 1800.0, math::Vector::new(0.0, 0.0, 0.1 + 0.2 * f64::from(k))));
        let mut dynamics = on_the_ground(stack.collect());
        for _ in 0..300 {
            dynamics.step(2e-3).unwrap();
        }
        let top = dynamics.bodies[6].pose.translation;
        assert!((top - math::Vector::new(0.0, 0.0, 1.1)).length() < 1e-3, "{top}");
    }
}

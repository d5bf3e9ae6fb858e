//! A host's scene, given to the neutral face.

use ldy::system::{Id, Inertia, Kinematics, Operator, Rows, System};

use crate::host::{Host, State, frame};
use crate::scenes::stacks::Motion;
use crate::scenes::{Body, Contact, STEP, Scene, Side};
use crate::{operators, said};

/// Bodies and constraints have the order of the scene, so that their ids are the places there.
pub struct Neutral {
    system: System,
}

impl Neutral {
    /// The system of a host in its present state.
    ///
    /// # Errors
    /// If the library refuses something.
    pub fn new(host: &Host) -> Result<Self, String> {
        let mut system = System::new();
        let (scene, states) = (host.scene(), host.states());
        for (body, state) in scene.bodies.iter().zip(&states) {
            insert_body(&mut system, body, state)?;
        }
        for contact in &scene.contacts {
            insert_contact(&mut system, scene, &states, contact)?;
        }
        let mut neutral = Self { system };
        neutral.follow(scene, &states)?;
        Ok(neutral)
    }

    /// Take over what changes: velocities, rotations, A, operators where they turn with their bodies.
    ///
    /// # Errors
    /// If the library refuses something.
    pub fn follow(&mut self, scene: &Scene, states: &[State]) -> Result<(), String> {
        for (id, (body, state)) in scene.bodies.iter().zip(states).enumerate() {
            let id = id as Id;
            let (free, previous) = state.velocities.split_at(state.velocities.len() / 2);
            let own = |velocity: &[f64]| operators::in_body_axes(body, state, velocity);
            if let Body::Obstacle = body {
                continue;
            }
            if let Body::Rigid(_) = body {
                said(self.system.set_rotation(id, &state.rotation.unwrap_or_default()))?;
            }
            // The same values count as changed: everything is made again, as in the legacy face.
            said(self.system.set_inertia(id, inertia(body, state)?))?;
            said(self.system.set_velocity(id, &own(free)))?;
            said(self.system.set_previous_velocity(id, &own(previous)))?;
        }
        for (id, contact) in scene.contacts.iter().enumerate() {
            let is_turning = |side: Side| {
                matches!(scene.bodies[side.body], Body::Mesh { motion: Motion::Corotational, .. })
            };
            if is_turning(contact.master) || is_turning(contact.slave) {
                said(self.system.set_operators(id as Id, both(scene, states, contact)?))?;
            }
        }
        Ok(())
    }

    /// Assemble everything.
    ///
    /// # Errors
    /// If the library refuses something.
    pub fn update(&mut self) -> Result<(), String> {
        said(self.system.update(STEP))
    }

    /// The results of the last update.
    ///
    /// # Errors
    /// If there was none since the last change.
    pub fn rows(&self) -> Result<Rows<'_>, String> {
        said(self.system.results())
    }
}

fn insert_body(system: &mut System, body: &Body, state: &State) -> Result<(), String> {
    let inertia = inertia(body, state)?;
    let rotation = diagonal([1.0; 3]);
    let (dofs, kinematics) = match body {
        Body::Obstacle => (6, Kinematics::Rigid { rotation, center: [0.0; 3] }),
        Body::Rigid(lumped) => (6, Kinematics::Rigid { rotation, center: lumped.center }),
        Body::PseudoRigid(lumped) => (12, Kinematics::PseudoRigid { center: lumped.center }),
        Body::Mesh { .. } => (inertia.size().unwrap_or_default(), Kinematics::General),
    };
    said(system.add_body(dofs, kinematics, inertia)).map(drop)
}

/// The inertia of a body in its present state.
fn inertia(body: &Body, state: &State) -> Result<Inertia, String> {
    said(match body {
        Body::Obstacle => Ok(Inertia::Obstacle),
        Body::Rigid(lumped) => Inertia::rigid(lumped.mass, &diagonal(lumped.moments_of_inertia())),
        Body::PseudoRigid(lumped) => Inertia::pseudo_rigid(lumped.mass, &diagonal(lumped.second_moments)),
        Body::Mesh { motion: Motion::Explicit, .. } => Inertia::diagonal(&state.inertia),
        Body::Mesh { matrices, .. } => Inertia::matrix(&matrices.starts, &matrices.rows, &state.inertia),
    })
}

fn diagonal([x, y, z]: [f64; 3]) -> [f64; 9] {
    [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z]
}

/// Meshes have operators, and what they touch is then another mesh or the ground; others have points.
fn insert_contact(
    system: &mut System,
    scene: &Scene,
    states: &[State],
    contact: &Contact,
) -> Result<(), String> {
    let sides = [contact.master, contact.slave];
    let is_mesh = |side: &Side| matches!(scene.bodies[side.body], Body::Mesh { .. });
    if !sides.iter().any(is_mesh) {
        let bodies = sides.map(|side| Some(side.body as Id));
        return said(system.add_point_constraint(bodies, &frame(&contact.normal), [contact.point; 2]))
            .map(drop);
    }
    let bodies = sides.map(|side| is_mesh(&side).then_some(side.body as Id));
    said(system.add_constraint_rows(&bodies, both(scene, states, contact)?)).map(drop)
}

/// The operators of a contact on its bodies, as far as these are meshes.
fn both(scene: &Scene, states: &[State], contact: &Contact) -> Result<Vec<Operator>, String> {
    let of = |side: Side, sign| {
        operators::of_mesh(&scene.bodies[side.body], &states[side.body], contact, side, sign)
    };
    Ok([of(contact.master, 1.0)?, of(contact.slave, -1.0)?].into_iter().flatten().collect())
}

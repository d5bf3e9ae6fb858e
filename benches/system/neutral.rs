//! A host's scene, given to the neutral face.

use ldy::system::{Id, Inertia, Kinematics, Operator, Rows, System};

use super::{operators, said};
use crate::host::{Host, State, frame};
use crate::scenes::stacks::Motion;
use crate::scenes::{Body, Contact, STEP, Scene, Side};

/// Bodies and constraints have the order of the scene, so that their ids are the places there.
pub struct Neutral {
    system: System,
}

impl Neutral {
    /// The scene of a host, as it is now.
    ///
    /// # Errors
    /// What the library does not accept.
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

    /// Take over what has changed: velocities and rotations, A where it changes, operators where they turn with their bodies.
    ///
    /// # Errors
    /// What the library does not accept.
    pub fn follow(&mut self, scene: &Scene, states: &[State]) -> Result<(), String> {
        for (id, (body, state)) in scene.bodies.iter().zip(states).enumerate() {
            let id = id as Id;
            let (free, previous) = state.velocities.split_at(state.velocities.len() / 2);
            let own = |velocity: &[f64]| operators::in_body_axes(body, state, velocity);
            match body {
                Body::Obstacle => continue,
                Body::Rigid(_) => {
                    said(self.system.set_rotation(id, &state.rotation.unwrap_or_default()))?;
                }
                Body::Mesh { motion: Motion::TotalLagrangian, matrices, .. } => {
                    let matrix = Inertia::matrix(&matrices.starts, &matrices.rows, &state.inertia);
                    said(self.system.set_inertia(id, said(matrix)?))?;
                }
                Body::PseudoRigid(_) | Body::Mesh { .. } => (),
            }
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
    /// Those of the library.
    pub fn update(&mut self) -> Result<(), String> {
        said(self.system.update(STEP))
    }

    /// What the last update made.
    ///
    /// # Errors
    /// If there was none since the last change.
    pub fn rows(&self) -> Result<Rows<'_>, String> {
        said(self.system.rows())
    }
}

fn insert_body(system: &mut System, body: &Body, state: &State) -> Result<(), String> {
    let diagonal = |[x, y, z]: [f64; 3]| [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z];
    let rotation = diagonal([1.0; 3]);
    let inserted = match body {
        Body::Obstacle => {
            system.insert_body(6, Kinematics::Rigid { rotation, center: [0.0; 3] }, Inertia::Obstacle)
        }
        Body::Rigid(lumped) => {
            let moments = diagonal(lumped.moments_of_inertia());
            system.insert_rigid(lumped.mass, &moments, &rotation, &lumped.center)
        }
        Body::PseudoRigid(lumped) => {
            system.insert_pseudo_rigid(lumped.mass, &diagonal(lumped.second_moments), &lumped.center)
        }
        Body::Mesh { motion: Motion::Explicit, .. } => {
            let size = state.inertia.len();
            system.insert_body(size, Kinematics::General, said(Inertia::diagonal(&state.inertia))?)
        }
        Body::Mesh { matrices, .. } => {
            let size = matrices.starts.len() - 1;
            let matrix = said(Inertia::matrix(&matrices.starts, &matrices.rows, &state.inertia))?;
            system.insert_body(size, Kinematics::General, matrix)
        }
    };
    said(inserted).map(drop)
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
        return said(system.insert_constraint(bodies, &frame(&contact.normal), [contact.point; 2])).map(drop);
    }
    let bodies = sides.map(|side| is_mesh(&side).then_some(side.body as Id));
    said(system.insert_operators(bodies, both(scene, states, contact)?)).map(drop)
}

/// The operators of a contact on those of its bodies that are meshes.
fn both(scene: &Scene, states: &[State], contact: &Contact) -> Result<[Option<Operator>; 2], String> {
    let of = |side: Side, sign| {
        operators::of_mesh(&scene.bodies[side.body], &states[side.body], contact, side, sign)
    };
    Ok([of(contact.master, 1.0)?, of(contact.slave, -1.0)?])
}

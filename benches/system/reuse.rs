//! What an update costs where little has changed, over one where everything has: medians, in turns, with one thread.

use std::time::Instant;

use ldy::system::{Id, Inertia, Kinematics, System};

use ldy_benches::host::frame;
use ldy_benches::scenes::{self, Body, STEP};
use ldy_benches::threads;
use ldy_benches::{median, said};

/// Rounds that count, and those before.
const ROUNDS: usize = 41;
const WARM_UP: usize = 3;

/// Touching spheres on a lattice, of which everything can be changed.
pub struct Spheres {
    pub system: System,
    /// How often something has been changed: no two changes are the same.
    turn: usize,
    contacts: Vec<Contact>,
    /// A body without constraints.
    loose: Option<Id>,
}

/// A constraint: its id, its bodies, its frame and its point.
type Contact = (Id, [Option<Id>; 2], [f64; 9], [f64; 3]);

impl Spheres {
    /// `size`³ of them.
    ///
    /// # Errors
    /// If the library refuses something.
    pub fn new(size: usize) -> Result<Self, String> {
        let mut system = System::new();
        let scene = scenes::by_name(&format!("spheres-{size}")).ok_or("no such scene")?;
        for body in &scene.bodies {
            said(match body {
                Body::Rigid(lumped) => {
                    let [x, y, z] = lumped.moments_of_inertia();
                    let moments = [x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z];
                    system.add_rigid(lumped.mass, &moments, &turned(0.0), &lumped.center)
                }
                _ => {
                    let kinematics = Kinematics::Rigid { rotation: turned(0.0), center: [0.0; 3] };
                    system.add_body(6, kinematics, Inertia::Obstacle)
                }
            })?;
        }
        let mut contacts = vec![];
        for contact in &scene.contacts {
            let bodies = [contact.master, contact.slave].map(|side| Some(side.body as Id));
            let axes = frame(&contact.normal);
            let id = said(system.add_point_constraint(bodies, &axes, [contact.point; 2]))?;
            contacts.push((id, bodies, axes, contact.point));
        }
        Ok(Self { system, turn: 0, contacts, loose: None })
    }

    fn ids(&self) -> Vec<Id> {
        self.system.bodies().map(|(id, _)| id).collect()
    }

    /// Turn every `each`-th body, the first of which is not always the same.
    ///
    /// # Errors
    /// If the library refuses something.
    pub fn turn(&mut self, each: usize) -> Result<(), String> {
        self.turn += 1;
        for body in self.ids().into_iter().skip(self.turn % each).step_by(each) {
            said(self.system.set_rotation(body, &turned(1e-3 * self.turn as f64 + body as f64)))?;
        }
        Ok(())
    }

    /// Give every body other velocities.
    ///
    /// # Errors
    /// If the library refuses something.
    pub fn push(&mut self) -> Result<(), String> {
        self.turn += 1;
        for body in self.ids() {
            let velocity = [(self.turn as Id + body) as f64; 6];
            said(self.system.set_velocity(body, &velocity))?;
            said(self.system.set_previous_velocity(body, &velocity))?;
        }
        Ok(())
    }

    /// Everything that changes from step to step.
    fn move_all(&mut self) -> Result<(), String> {
        self.turn(1)?;
        self.push()
    }

    /// Remove one constraint, and insert it as the last one.
    ///
    /// # Errors
    /// If the library refuses something.
    pub fn swap(&mut self) -> Result<(), String> {
        self.turn += 1;
        let which = self.turn * 7919 % self.contacts.len();
        let (id, bodies, axes, point) = self.contacts[which];
        said(self.system.remove_constraint(id))?;
        self.contacts[which].0 = said(self.system.add_point_constraint(bodies, &axes, [point; 2]))?;
        Ok(())
    }

    /// Let one constraint act on the bodies of another one.
    ///
    /// # Errors
    /// If the library refuses something.
    fn rebind(&mut self) -> Result<(), String> {
        self.turn += 1;
        let which = self.turn * 7919 % self.contacts.len();
        let bodies = self.contacts[(which + 1) % self.contacts.len()].1;
        let (id, own, axes, point) = &mut self.contacts[which];
        *own = bodies;
        said(self.system.rebind_constraint(*id, bodies, axes, [*point; 2]))
    }

    /// Insert a body without constraints, and remove the one that was inserted so the last time.
    ///
    /// # Errors
    /// If the library refuses something.
    fn replace_body(&mut self) -> Result<(), String> {
        let kinematics = Kinematics::Rigid { rotation: turned(0.0), center: [0.0; 3] };
        let body = said(self.system.add_body(6, kinematics, Inertia::Obstacle))?;
        match self.loose.replace(body) {
            Some(before) => said(self.system.remove_body(before)),
            None => Ok(()),
        }
    }

    /// Time of an update, in milliseconds.
    ///
    /// # Errors
    /// If the library refuses something.
    pub fn update(&mut self) -> Result<f64, String> {
        let start = Instant::now();
        said(self.system.update(STEP))?;
        Ok(start.elapsed().as_secs_f64() * 1e3)
    }
}

/// A rotation about the third axis.
fn turned(angle: f64) -> [f64; 9] {
    let (s, c) = angle.sin_cos();
    [c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0]
}

/// Something that changes a system.
type Change = fn(&mut Spheres) -> Result<(), String>;

/// Medians of updates after each of some changes, which come in turns.
fn medians<const N: usize>(size: usize, changes: [Change; N]) -> Result<[f64; N], String> {
    let mut spheres = Spheres::new(size)?;
    spheres.update()?;
    let mut times = [(); N].map(|()| vec![]);
    for round in 0..WARM_UP + ROUNDS {
        for (change, times) in changes.iter().zip(&mut times) {
            change(&mut spheres)?;
            let time = spheres.update()?;
            if round >= WARM_UP {
                times.push(time);
            }
        }
    }
    Ok(times.map(|times| median(&times)))
}

/// Measure, and print the targets.
///
/// # Errors
/// If the library refuses something.
pub fn measure() -> Result<(), String> {
    threads::set(1);
    let all: Change = Spheres::move_all;
    let [full, nothing, velocities, some] =
        medians(16, [all, |_| Ok(()), Spheres::push, |spheres| spheres.turn(100)])?;
    println!(
        "reuse spheres-16 update_ms={full:.4} unchanged_ms={nothing:.4} velocities_ms={velocities:.4} one_percent_ms={some:.4}"
    );
    println!("target unchanged {:.4} 0.02", nothing / full);
    println!("target velocities-only {:.3} 0.15", velocities / full);
    println!("target one-percent-moved {:.3} 0.10", some / full);
    let swap_all: Change = |spheres| {
        spheres.move_all()?;
        spheres.swap()
    };
    let little: [Change; 3] = [Spheres::swap, Spheres::rebind, Spheres::replace_body];
    let [full, swapped, swap, reattached, replaced] =
        medians(26, [all, swap_all, little[0], little[1], little[2]])?;
    println!(
        "reuse spheres-26 update_ms={full:.4} one_swap_ms={swapped:.4} nothing_but_a_swap_ms={swap:.4} nothing_but_other_bodies_ms={reattached:.4} nothing_but_a_body_ms={replaced:.4}"
    );
    println!("target one-swap {:.3} 1.05", swapped / full);
    Ok(())
}

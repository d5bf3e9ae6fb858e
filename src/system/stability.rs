//! Geometric stiffness and critical step of a system; the numbers are those of [`crate::stability`].
#![forbid(unsafe_code)]

use crate::inertia;
use crate::math::{Block, Vector, times};
use crate::memory::{repeated, with_room};
use crate::rows::fault::check_size;
use crate::stability::{self, Body, Carrier, Constraint, CriticalStep, End, Force, FreeMotion, Stiffness};

use super::body::{Inertia, Kinematics, finite};
use super::bulk::AtPoints;
use super::error::{Checked, Error, Fault, Result};
use super::id_table::Id;
use super::model::System;

/// What a constraint keeps as it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Joint {
    /// The distance of its points, which lie along the normal: that of the master ahead.
    Link {
        /// The distance, positive.
        length: f64,
    },
    /// The place of one point in the other body.
    FixedPoint,
    /// A contact of points that touch.
    Contact(Carrier),
    /// All that operators measure, which stay as they are when bodies move: it has no geometric stiffness.
    ConstantOperators,
}

/// In which directions a system moves where its critical step is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directions {
    /// In all: safe.
    All,
    /// In those that constraints leave free: sharp.
    Free,
}

/// A system as the stiffness sees it.
struct Scene {
    /// Ids of the bodies, ascending.
    ids: Vec<Id>,
    bodies: Vec<Body>,
    constraints: Vec<Constraint>,
    gaps: Vec<Vector>,
}

impl System {
    /// Whether there are as many joints as constraints.
    ///
    /// # Errors
    /// If not.
    pub(super) fn check_joints(&self, found: usize) -> Result {
        check_size("the joints", self.constraint_ids().count(), found).map_err(Error::of_system)
    }

    /// K̃ for local forces R, one for each scalar, in the order of rows; the dofs are the generalised velocities of all
    /// bodies, obstacles too, in the order of insertion. `joints` has one for each constraint: [`Joint::ConstantOperators`] for
    /// those by operators, one of the others for those at points.
    ///
    /// # Errors
    /// If joints are others, lengths are not positive, something is not finite, there are not as many joints as constraints or
    /// forces as scalars, or memory is exhausted.
    pub fn geometric_stiffness(&self, joints: &[Joint], reactions: &[f64]) -> Result<Stiffness> {
        let rows = self.constraint_ids().count();
        check_size("the reactions R", self.sizes().sum(), reactions.len()).map_err(Error::of_system)?;
        finite("the reactions R", reactions).map_err(Error::of_system)?;
        self.check_joints(joints.len())?;
        let count = self.bodies().count();
        let (ids, bodies) = (with_room(count)?, with_room(count)?);
        let mut scene = Scene { ids, bodies, constraints: with_room(rows)?, gaps: with_room(rows)? };
        for (id, body) in self.bodies() {
            scene.ids.push(id);
            // Places are not asked for: gaps are given.
            scene.bodies.push(match *body.kinematics() {
                Kinematics::Rigid { rotation, center } => Body::Rigid { rotation, center, place: [0.0; 3] },
                Kinematics::PseudoRigid { center } => {
                    Body::PseudoRigid { gradient: [0.0; 9], center, place: [0.0; 3] }
                }
                Kinematics::General => Body::General { dofs: body.dofs() },
            });
        }
        let mut rest = reactions;
        for ((id, size), joint) in self.constraint_ids().zip(self.sizes()).zip(joints) {
            let subject = self.subject(id)?;
            let failed = |fault| Error { subject, fault };
            let force;
            (force, rest) = rest.split_at(size);
            if let Some(AtPoints { bodies, frame, points }) = self.place_of(id) {
                let ends = [0, 1].map(|k| scene.end(bodies[k], points[k]));
                scene.add(joint, &frame, ends, force).map_err(failed)?;
            } else if *joint == Joint::ConstantOperators {
                scene.constraints.push(Constraint::constant());
                scene.gaps.push([0.0; 3]);
            } else {
                let what = "its geometric stiffness is not known: it is given by operators";
                return Err(failed(Fault::Invalid(what)));
            }
        }
        Stiffness::with_gaps(&scene.bodies, &scene.constraints, &scene.gaps)
            .map_err(|error| self.of_row(error))
    }

    /// Bodies, frame and points of a constraint that is at points.
    fn place_of(&self, id: Id) -> Option<AtPoints> {
        let (&frame, &points) = self.points_of(id).ok()?;
        Some(AtPoints { bodies: self.constraint(id).ok()?.bodies(), frame, points })
    }

    /// ω², 2/ω and the constraint that contributes most, its row, for local forces R as in
    /// [`System::geometric_stiffness`]. Of the constraints that are free to keep, a link and a contact keep one direction, their
    /// normal, a fixed point three, and one by operators all of its rows: a contact that sticks lets steps be longer than told.
    ///
    /// # Errors
    /// As there; if a body's inertia is a matrix or a solver, or the iteration does not settle.
    pub fn critical_step(
        &self,
        joints: &[Joint],
        reactions: &[f64],
        directions: Directions,
    ) -> Result<CriticalStep> {
        let stiffness = self.geometric_stiffness(joints, reactions)?;
        let unknown = |inertia: &Inertia| matches!(inertia, Inertia::Matrix { .. }) || inertia.is_users();
        if let Some((id, _)) = self.bodies().find(|(_, body)| unknown(body.inertia())) {
            return Err(Error::of_body(id, Fault::Invalid("its inverse inertia is not there as numbers")));
        }
        let inverse = |f: &[f64], x: &mut [f64]| {
            for ((_, body), from) in self.bodies().zip(stiffness.offsets()) {
                let dofs = *from..from + body.dofs();
                apply(body.inertia(), &f[dofs.clone()], &mut x[dofs]);
            }
        };
        let failed = |error| self.of_row(error);
        let free = match directions {
            Directions::All => FreeMotion::new(&[], stiffness.dofs(), inverse),
            Directions::Free => {
                FreeMotion::new(&self.gradients(joints, &stiffness)?, stiffness.dofs(), inverse)
            }
        };
        let free = free.map_err(failed)?;
        let mut force = repeated(stiffness.dofs(), 0.0)?;
        let respond = |f: &[f64], x: &mut [f64]| {
            force.copy_from_slice(f);
            free.respond(&mut force, x, inverse);
        };
        stability::critical_step(&stiffness, respond).map_err(failed)
    }

    /// The gradients of what joints keep, one behind the other.
    fn gradients(&self, joints: &[Joint], stiffness: &Stiffness) -> Result<Vec<f64>> {
        let kept = |size: usize, joint: &Joint| match joint {
            Joint::ConstantOperators => 0..size,
            Joint::FixedPoint => 0..3,
            Joint::Link { .. } | Joint::Contact(_) => 2..3,
        };
        let count: usize = self.sizes().zip(joints).map(|(size, joint)| kept(size, joint).len()).sum();
        let mut gradients = repeated(stiffness.dofs() * count, 0.0)?;
        let mut free = gradients.chunks_exact_mut(stiffness.dofs().max(1));
        for (row, ((id, size), joint)) in self.constraint_ids().zip(self.sizes()).zip(joints).enumerate() {
            for (scalar, to) in kept(size, joint).zip(&mut free) {
                match self.place_of(id) {
                    Some(AtPoints { frame, .. }) => {
                        stiffness.add_gradient(row, &std::array::from_fn(|i| frame[3 * scalar + i]), to);
                    }
                    None => self.add_row_of_operators(id, scalar, stiffness.offsets(), to),
                }
            }
        }
        Ok(gradients)
    }

    /// Add a scalar row of H of a constraint by operators; `offsets` tell where the dofs of bodies begin.
    fn add_row_of_operators(&self, id: Id, row: usize, offsets: &[usize], to: &mut [f64]) {
        self.lanes_of(id, row, |constraint, lane| {
            let mut unit = [0.0; 3];
            unit[lane] = 1.0;
            for (role, body) in constraint.bodies().iter().enumerate() {
                let place = body.and_then(|id| self.bodies().position(|(other, _)| other == id));
                if let (Some(place), Some(operator)) = (place, constraint.operator(role)) {
                    operator.add_transposed_times(&unit, &mut to[offsets[place]..offsets[place + 1]]);
                }
            }
        });
    }
}

impl Scene {
    fn end(&self, body: Option<Id>, point: Vector) -> End {
        let place = body.and_then(|id| self.ids.binary_search(&id).ok());
        place.map_or(End::Space([0.0; 3]), |body| End::Body { body, point })
    }

    /// The force on the master is E R; λ is minus that.
    fn add(&mut self, joint: &Joint, frame: &Block, ends: [End; 2], reaction: &[f64]) -> Checked {
        let on_master = times(frame, &[reaction[0], reaction[1], reaction[2]]);
        let lambda = on_master.map(|force| -force);
        let (force, gap) = match *joint {
            Joint::Link { length } => {
                let why = "the length of the link is not positive and finite";
                ensure!(length > 0.0 && length.is_finite(), Fault::Invalid(why));
                (Force::Link { tension: -reaction[2] }, [frame[6], frame[7], frame[8]].map(|n| n * length))
            }
            Joint::FixedPoint => (Force::FixedPoint { force: lambda }, [0.0; 3]),
            Joint::Contact(carrier) => (Force::Contact { force: lambda, carrier }, [0.0; 3]),
            Joint::ConstantOperators => {
                return Err(Fault::Invalid("it is given by points, its joint by operators"));
            }
        };
        self.constraints.push(Constraint { force, master: ends[0], slave: ends[1] });
        self.gaps.push(gap);
        Ok(())
    }
}

/// x = A⁻¹ f of a body whose inverse is there as numbers; an obstacle does not move.
fn apply(inertia: &Inertia, f: &[f64], x: &mut [f64]) {
    match inertia.view() {
        Ok(Some(inertia::Inertia::Inverse(inverse))) => inverse.apply_to_vector(f, x),
        _ => x.fill(0.0),
    }
}

//! Geometric stiffness and critical step of a system; [`crate::stability`] computes the numbers.
#![forbid(unsafe_code)]

use crate::inertia;
use crate::math::{Block, Vector, times};
use crate::memory::{repeated, with_capacity};
use crate::stability::{
    self, Carrier, ConstraintForce, CriticalStep, Endpoint, FreeMotion, LoadedConstraint, PosedBody,
    Stiffness,
};

use super::body::{Inertia, Kinematics, finite};
use super::bulk::AtPoints;
use super::error::{Checked, Error, Fault, Result};
use super::id_table::Id;
use super::model::System;
use crate::fault::check_size;

/// The quantity that a constraint keeps constant.
///
/// ```
/// use ldy::system::{Directions, Joint, System};
///
/// let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let mut system = System::new();
/// let bob = system.add_rigid(1.0, &axes, &axes, &[0.0; 3])?;
/// // A pendulum of length 2 under its own weight: omega^2 = g / length.
/// system.add_point_constraint([Some(bob), None], &axes, [[0.0; 3]; 2])?;
/// let joints = [Joint::Link { length: 2.0 }];
/// let step = system.critical_step(&joints, &[0.0, 0.0, -9.81], Directions::All)?;
/// assert!((step.frequency_squared - 9.81 / 2.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Joint {
    /// The distance of its points. The vector between them is along the normal, and the point of the master is ahead.
    Link {
        /// The distance, positive.
        length: f64,
    },
    /// The place of one point in the other body.
    FixedPoint,
    /// A contact of points that touch.
    Contact(Carrier),
    /// All velocities that operators measure. The operators do not change when bodies move: there is no geometric stiffness.
    ConstantOperators,
}

/// The directions in which a system moves when its critical step is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Directions {
    /// All directions: safe.
    All,
    /// The directions that constraints leave free: sharp.
    Free,
}

/// A system in the form that the stiffness needs.
struct LoadedSystem {
    /// Ids of the bodies, ascending.
    ids: Vec<Id>,
    bodies: Vec<PosedBody>,
    constraints: Vec<LoadedConstraint>,
    gaps: Vec<Vector>,
}

impl System {
    /// Check that the number of joints is the number of constraints.
    ///
    /// # Errors
    /// If it is not.
    pub(super) fn check_joints(&self, found: usize) -> Result {
        check_size("the joints", self.constraints.len(), found).map_err(Error::of_system)
    }

    /// The geometric stiffness K̃ for local forces R, one for each scalar row, in the order of rows. The dofs are the generalized
    /// velocities of all bodies, obstacles too, in the order of insertion. `joints` has an entry for each constraint:
    /// [`Joint::ConstantOperators`] for a constraint by operators, one of the others for a constraint at points.
    ///
    /// # Errors
    /// If a joint does not fit its constraint, a constraint is a joint by axes, a length is not positive, something is not finite, the number of joints is not the
    /// number of constraints, the number of forces is not the number of scalar rows, or memory is exhausted.
    pub fn geometric_stiffness(&self, joints: &[Joint], reactions: &[f64]) -> Result<Stiffness> {
        let rows = self.constraints.len();
        check_size("the reactions R", self.scalar_rows(), reactions.len()).map_err(Error::of_system)?;
        finite("the reactions R", reactions).map_err(Error::of_system)?;
        self.check_joints(joints.len())?;
        let count = self.bodies().count();
        let (ids, bodies) = (with_capacity(count)?, with_capacity(count)?);
        let mut scene =
            LoadedSystem { ids, bodies, constraints: with_capacity(rows)?, gaps: with_capacity(rows)? };
        for (id, body) in self.bodies() {
            scene.ids.push(id);
            // Places are not needed: gaps are given.
            scene.bodies.push(match *body.kinematics() {
                Kinematics::Rigid { rotation, center } => {
                    PosedBody::Rigid { rotation, center, place: [0.0; 3] }
                }
                Kinematics::PseudoRigid { center } => {
                    PosedBody::PseudoRigid { gradient: [0.0; 9], center, place: [0.0; 3] }
                }
                Kinematics::General => PosedBody::General { dofs: body.dofs() },
            });
        }
        let mut rest = reactions;
        for ((id, constraint), joint) in self.constraints().zip(joints) {
            let (subject, size) = (constraint.subject(id), constraint.rows());
            let failed = |fault| Error { subject, fault };
            let force;
            (force, rest) = rest.split_at(size);
            if let Some(AtPoints { bodies, frame, points }) = self.place_of(id) {
                let ends = [0, 1].map(|k| scene.end(bodies[k], points[k]));
                scene.add(joint, &frame, ends, force).map_err(failed)?;
            } else if self.is_joint(id) {
                let what =
                    "its geometric stiffness is not known: it is a joint by axes, whose operators turn";
                return Err(failed(Fault::Invalid(what)));
            } else if *joint == Joint::ConstantOperators {
                scene.constraints.push(LoadedConstraint::constant());
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

    /// The critical step: ω², 2/ω and the row of the constraint that contributes most, for local forces R as in
    /// [`System::geometric_stiffness`]. In free directions, a link and a contact keep one direction, their normal; a fixed point
    /// keeps three, and a constraint by operators all of its rows. A contact that sticks allows longer steps than this one.
    ///
    /// # Errors
    /// As for [`System::geometric_stiffness`]; also if the inertia of a body is a matrix or an inverse callback, or the iteration
    /// does not settle.
    pub fn critical_step(
        &self,
        joints: &[Joint],
        reactions: &[f64],
        directions: Directions,
    ) -> Result<CriticalStep> {
        let stiffness = self.geometric_stiffness(joints, reactions)?;
        let unknown = |inertia: &Inertia| matches!(inertia, Inertia::Matrix { .. }) || inertia.is_users();
        if let Some((id, _)) = self.bodies().find(|(_, body)| unknown(body.inertia())) {
            return Err(Error::of_body(
                id,
                Fault::Invalid(
                    "a critical step needs a dense or diagonal inverse inertia, and this body has a sparse matrix or a callback",
                ),
            ));
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

    /// The gradients of the quantities that joints keep, one after another in memory.
    fn gradients(&self, joints: &[Joint], stiffness: &Stiffness) -> Result<Vec<f64>> {
        let kept = |size: usize, joint: &Joint| match joint {
            Joint::ConstantOperators => 0..size,
            Joint::FixedPoint => 0..3,
            Joint::Link { .. } | Joint::Contact(_) => 2..3,
        };
        let sizes = self.constraints().map(|(_, constraint)| constraint.rows()).zip(joints);
        let count: usize = sizes.map(|(size, joint)| kept(size, joint).len()).sum();
        let mut gradients = repeated(stiffness.dofs() * count, 0.0)?;
        let mut free = gradients.chunks_exact_mut(stiffness.dofs().max(1));
        for (row, ((id, constraint), joint)) in self.constraints().zip(joints).enumerate() {
            for (scalar, to) in kept(constraint.rows(), joint).zip(&mut free) {
                match self.place_of(id) {
                    Some(AtPoints { frame, .. }) => {
                        stiffness.add_gradient(row, &std::array::from_fn(|i| frame[3 * scalar + i]), to);
                    }
                    None => {
                        let unit = std::array::from_fn(|i| f64::from(i == scalar % 3));
                        for (body, operator) in constraint.operators() {
                            if let Some(place) = self.bodies().position(|(other, _)| other == body) {
                                let dofs = stiffness.offsets()[place]..stiffness.offsets()[place + 1];
                                operator.add_transposed_times(scalar / 3, &unit, &mut to[dofs]);
                            }
                        }
                    }
                }
            }
        }
        Ok(gradients)
    }
}

impl LoadedSystem {
    fn end(&self, body: Option<Id>, point: Vector) -> Endpoint {
        let place = body.and_then(|id| self.ids.binary_search(&id).ok());
        place.map_or(Endpoint::Space([0.0; 3]), |body| Endpoint::Body { body, point })
    }

    /// Add a constraint with its joint. The force on the master is E R; λ is −E R.
    fn add(&mut self, joint: &Joint, frame: &Block, ends: [Endpoint; 2], reaction: &[f64]) -> Checked {
        let on_master = times(frame, &[reaction[0], reaction[1], reaction[2]]);
        let lambda = on_master.map(|force| -force);
        let (force, gap) = match *joint {
            Joint::Link { length } => {
                let why = "the length of the link is not positive and finite";
                ensure!(length > 0.0 && length.is_finite(), Fault::Invalid(why));
                (
                    ConstraintForce::Link { tension: -reaction[2] },
                    [frame[6], frame[7], frame[8]].map(|n| n * length),
                )
            }
            Joint::FixedPoint => (ConstraintForce::FixedPoint { force: lambda }, [0.0; 3]),
            Joint::Contact(carrier) => (ConstraintForce::Contact { force: lambda, carrier }, [0.0; 3]),
            Joint::ConstantOperators => {
                return Err(Fault::Invalid("it is given by points, its joint by operators"));
            }
        };
        self.constraints.push(LoadedConstraint { force, master: ends[0], slave: ends[1] });
        self.gaps.push(gap);
        Ok(())
    }
}

/// Compute x = A⁻¹ f for a body whose inverse inertia is given by numbers; an obstacle does not move.
fn apply(inertia: &Inertia, f: &[f64], x: &mut [f64]) {
    match inertia.view() {
        Ok(Some(inertia::InertiaRef::Inverse(inverse))) => inverse.apply_to_vector(f, x),
        _ => x.fill(0.0),
    }
}

//! Joints of rigid bodies by axes: hinges, sliders, universal joints, welds, and rows for their limits and motors; and contacts with
//! moments: rows of a point and of angular velocities, in a frame that stays in the world.
//!
//! A joint has an axis frame and a point on each of its bodies. It is a constraint by operators, and an update makes the operators
//! again if an input has changed: the rotations of its bodies, or their positions ([`System::set_positions`]).
//!
//! If the positions of all its bodies are known, the rows of the point are the velocities at the place of the slave's point. Otherwise
//! both points count as one place.
#![forbid(unsafe_code)]

mod contact;
mod error;
#[cfg(feature = "mpi")]
mod pack;
mod reverse;
mod rows;

use crate::math::{Block, Vector};
use crate::memory::with_capacity;

use super::axes::FRAME;
use super::body::{Kinematics, finite, same_bits};
use super::constraint::Operator;
use super::dirty;
use super::error::{Checked, Error, Fault, Result, subject_of, unknown};
use super::id_table::Id;
use super::model::System;
use crate::fault::check_size;
use rows::{End, Ends, JointRow};

pub use contact::ContactRows;
pub(super) use reverse::BySide;

/// The fault of operators for a joint, which has its own.
pub(super) const HAS_OPERATORS: &str = "it is a joint by axes, whose operators H an update makes: insert it as a constraint by operators to set them";

/// The kinds of joints. The axes of a joint are the columns of the master's frame: they turn with the master.
///
/// Rows are relative velocities, master minus slave. Angular rows are components of the relative angular velocity.
///
/// ```
/// use ldy::system::{JointFrame, JointKind, System};
///
/// let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let mut system = System::new();
/// let rod = system.add_rigid(1.0, &axes, &axes, &[0.0; 3])?;
/// // The rod turns about the third axis, through a point of the ground.
/// let [own, ground] = [[0.5, 0.0, 0.0], [0.0, 0.0, 2.0]].map(|point| JointFrame { axes, point });
/// let hinge = system.add_joint(JointKind::Hinge, [Some(rod), None], &own, &ground)?;
/// assert_eq!(system.constraint(hinge)?.rows(), 5);
/// let mut errors = [0.0; 5];
/// system.set_positions(1, |_| (rod, [-0.5, 0.0, 2.25]))?;
/// system.joint_error(hinge, &mut errors)?;
/// assert_eq!(errors, [0.0, 0.0, 0.25, 0.0, 0.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JointKind {
    /// The bodies turn about the third axis: three rows of the point, two angular rows across the axis.
    Hinge,
    /// The bodies slide along the third axis: two rows of the point across the axis, three angular rows.
    Slider,
    /// The first axis of the master stays perpendicular to the second axis of the slave: three rows of the point, and the angular row
    /// along the cross product of these axes, zero if they are parallel.
    Universal,
    /// The bodies are one: three rows of the point, three angular rows.
    Weld,
    /// One angular row about the third axis: a limit, motor or friction of a hinge.
    HingeLimit,
    /// One row of the point along the third axis: a limit, motor or friction of a slider.
    SliderLimit,
}

/// A frame of axes and a point of a joint on one of its bodies, both referential; for the ground in the world.
#[derive(Clone, Copy, Debug)]
pub struct JointFrame {
    /// The columns are the axes, column-major, orthonormal.
    pub axes: Block,
    /// The point.
    pub point: Vector,
}

/// A joint in the list of a system.
#[derive(Clone, Copy, Debug)]
pub(super) struct ListedJoint {
    id: Id,
    bodies: [Option<Id>; 2],
    kind: ListedKind,
    frames: [JointFrame; 2],
    /// The inputs of the operators that the constraint has.
    made: Inputs,
}

/// The kind of a constraint in this list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListedKind {
    Joint(JointKind),
    /// A contact with moments; its axes are in the world.
    Contact(ContactRows),
}

impl ListedKind {
    fn rows(self) -> &'static [JointRow] {
        match self {
            Self::Joint(kind) => kind.rows(),
            Self::Contact(rows) => rows.rows(),
        }
    }
}

/// The inputs of operators that change.
#[derive(Clone, Copy, Debug)]
struct Inputs {
    rotations: [Block; 2],
    /// The places of the centers of master and slave, if both are known; zeros for the ground.
    centers: Option<[Vector; 2]>,
    /// The axes and points of a contact may change, too.
    axes: Block,
    points: [Vector; 2],
}

impl Inputs {
    fn new(ends: &Ends, frames: &[JointFrame; 2], centers: Option<[Vector; 2]>) -> Self {
        let points = [frames[0].point, frames[1].point];
        Self { rotations: ends.rotations(), centers, axes: frames[0].axes, points }
    }

    fn has_bits_of(&self, other: &Self) -> bool {
        let are_same = match (&self.centers, &other.centers) {
            (None, None) => true,
            (Some(own), Some(other)) => same_bits(own.as_flattened(), other.as_flattened()),
            _ => false,
        };
        are_same
            && same_bits(self.rotations.as_flattened(), other.rotations.as_flattened())
            && same_bits(&self.axes, &other.axes)
            && same_bits(self.points.as_flattened(), other.points.as_flattened())
    }
}

impl System {
    /// Insert a joint between rigid bodies or obstacles; `None` is the ground. U is the relative velocity, master minus slave, in the
    /// axes of the master; [`JointKind`] has the rows. A slider whose bodies turn needs their positions before each update
    /// ([`System::set_positions`]), because its points are apart; other joints work without them.
    ///
    /// # Errors
    /// If there is no such body, a body is not rigid, both are the same or the ground, something is not finite, a frame is not
    /// orthonormal, or memory is exhausted.
    pub fn add_joint(
        &mut self,
        kind: JointKind,
        bodies: [Option<Id>; 2],
        master: &JointFrame,
        slave: &JointFrame,
    ) -> Result<Id> {
        let subject = subject_of(None, &bodies);
        let failed = |fault| Error { subject, fault };
        let frames = self.check_frames([master, slave]).map_err(failed)?;
        let ends = self.ends(bodies, &frames).map_err(failed)?;
        let kind = ListedKind::Joint(kind);
        let made = Inputs::new(&ends, &frames, None);
        let operators = made_operators(kind, bodies, &ends).map_err(failed)?;
        self.put_joint(bodies, kind, frames, made, operators)
    }

    /// Insert a joint that has been checked.
    fn put_joint(
        &mut self,
        bodies: [Option<Id>; 2],
        kind: ListedKind,
        frames: [JointFrame; 2],
        made: Inputs,
        operators: Vec<Operator>,
    ) -> Result<Id> {
        let subject = subject_of(None, &bodies);
        self.joints.try_reserve(1).map_err(|_| Error { subject, fault: Fault::Memory })?;
        let id = self.add_constraint_rows(&bodies, operators)?;
        let place = self.joints.partition_point(|joint| joint.id < id);
        self.joints.insert(place, ListedJoint { id, bodies, kind, frames, made });
        Ok(id)
    }

    /// Write the errors of a joint, one for each row, from the rotations and positions of its bodies. Their rates are the velocities U while errors are small. A law with the bias erp error / h removes the share erp in a step.
    ///
    /// - A row of a point: the component of master's point − slave's point, a length.
    /// - An angular row: the component of the rotation vector from the slave's axes to the master's, in radians; for a hinge the sine
    ///   of the angle, so that it may turn by any angle; for a universal joint the cosine of the angle between its axes.
    /// - The row of a limit: the angle from −π to π, or the distance.
    ///
    /// # Errors
    /// If there is no joint with this id, the position of a body is not known, the result is not finite, or `errors` has the wrong
    /// length.
    pub fn joint_error(&self, id: Id, errors: &mut [f64]) -> Result {
        let (place, kind) = self.place_of_joint(id)?;
        let ListedJoint { bodies, frames, .. } = &self.joints[place];
        let failed = |fault| Error { subject: subject_of(Some(id), bodies), fault };
        check_size("the errors of the joint", kind.rows().len(), errors.len()).map_err(failed)?;
        let centers = self.centers(*bodies)?;
        let found = error::errors(kind, &self.ends(*bodies, frames).map_err(failed)?, &centers);
        let found = &found[..errors.len()];
        finite("the error", found).map_err(failed)?;
        errors.copy_from_slice(found);
        Ok(())
    }

    /// Whether a constraint is a joint by axes.
    pub(super) fn is_joint(&self, id: Id) -> bool {
        self.find_joint(id).is_some()
    }

    /// Whether there is a joint by axes, whose rows may depend on positions.
    pub(super) fn has_joints(&self) -> bool {
        self.joints.iter().any(|joint| matches!(joint.kind, ListedKind::Joint(_)))
    }

    /// Forget a constraint that has been removed, if it is a joint.
    pub(super) fn forget_joint(&mut self, id: Id) {
        if let Some(place) = self.find_joint(id) {
            self.joints.remove(place);
        }
    }

    /// Make the operators of joints whose inputs have changed, as if the user had set them.
    ///
    /// # Errors
    /// If memory is exhausted; a joint has the memory of its operators from its insertion.
    pub(crate) fn update_joints(&mut self) -> Result {
        for k in 0..self.joints.len() {
            let ListedJoint { id, bodies, kind, ref frames, made } = self.joints[k];
            let failed = |fault| Error { subject: subject_of(Some(id), &bodies), fault };
            let mut ends = self.ends(bodies, frames).map_err(failed)?;
            // The points of a contact are places of their own, which a gap may part.
            let centers = match kind {
                ListedKind::Joint(_) => self.centers(bodies).ok(),
                ListedKind::Contact(_) => None,
            };
            let inputs = Inputs::new(&ends, frames, centers);
            if inputs.has_bits_of(&made) {
                continue;
            }
            if let Some(centers) = &centers {
                ends.part(centers);
            }
            let of_ends = [0, 1].map(|side| ends.operator(kind, side));
            let (constraint, mark) = self.constraints.get_mut(id).ok_or(unknown(id))?;
            for (side, values) in of_ends.iter().enumerate() {
                if let Some(operator) = constraint.operator_mut(side) {
                    operator.replace(&values[..6 * kind.rows().len()])?;
                }
            }
            *mark |= dirty::CHANGED;
            self.joints[k].made = inputs;
        }
        Ok(())
    }

    /// The place of a joint in the list, and its kind.
    fn place_of_joint(&self, id: Id) -> Result<(usize, JointKind)> {
        let subject = self.subject(id)?;
        let place = self.find_joint(id);
        let found = place.and_then(|place| match self.joints[place].kind {
            ListedKind::Joint(kind) => Some((place, kind)),
            ListedKind::Contact(_) => None,
        });
        found.ok_or(Error { subject, fault: Fault::Invalid("it is not a joint by axes") })
    }

    fn find_joint(&self, id: Id) -> Option<usize> {
        self.joints.binary_search_by_key(&id, |joint| joint.id).ok()
    }

    /// The frames that the system uses for given ones.
    fn check_frames(&self, given: [&JointFrame; 2]) -> Checked<[JointFrame; 2]> {
        let mut frames = given.map(|frame| *frame);
        for (frame, [axes, point]) in frames
            .iter_mut()
            .zip([["the master's frame", "the master's point"], ["the slave's frame", "the slave's point"]])
        {
            finite(axes, &frame.axes)?;
            finite(point, &frame.point)?;
            frame.axes = self.options.axes(&frame.axes, &FRAME)?;
        }
        Ok(frames)
    }

    /// Both ends of a joint, with the rotations that the bodies have.
    fn ends<'a>(&'a self, bodies: [Option<Id>; 2], frames: &'a [JointFrame; 2]) -> Checked<Ends<'a>> {
        let end = |side: usize| {
            let frame = &frames[side];
            let Some(id) = bodies[side] else { return Ok(End::of_ground(frame)) };
            match self.bodies.get(id).ok_or(Fault::NoBody(id))?.kinematics() {
                Kinematics::Rigid { rotation, center } => Ok(End::new(frame, rotation, center)),
                _ => Err(Fault::Invalid(
                    "a body of it is not rigid and has no axes: a joint by axes is on rigid bodies and obstacles",
                )),
            }
        };
        Ok(Ends([end(0)?, end(1)?]))
    }

    /// The positions of bodies; zeros for the ground.
    fn centers(&self, bodies: [Option<Id>; 2]) -> Result<[Vector; 2]> {
        let center = |body: Option<Id>| body.map_or(Ok([0.0; 3]), |id| self.position(id).copied());
        Ok([center(bodies[0])?, center(bodies[1])?])
    }
}

/// The operators of a new joint: one for each body, with memory for all columns.
fn made_operators(kind: ListedKind, bodies: [Option<Id>; 2], ends: &Ends) -> Checked<Vec<Operator>> {
    let mut operators = with_capacity(2)?;
    let rows = kind.rows().len();
    for side in (0..2).filter(|&side| bodies[side].is_some()) {
        let mut operator = Operator::zero(rows, 6)?;
        operator.replace(&ends.operator(kind, side)[..6 * rows])?;
        operators.push(operator);
    }
    Ok(operators)
}

#[cfg(test)]
mod tests;

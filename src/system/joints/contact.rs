//! Contacts with moments between points of rigid bodies. The frame stays in the world while bodies turn.
#![forbid(unsafe_code)]

use crate::math::{Block, Vector};
use crate::system::constraint::Placement;
use crate::system::error::{Checked, Error, Fault, Result, subject_of};
use crate::system::id_table::Id;
use crate::system::model::System;

use super::rows::JointRow;
use super::{Inputs, JointFrame, ListedKind, made_operators};

/// The rows of a contact with moments: the velocity of the point along both tangents and the normal, then relative angular velocities
/// about axes of the same frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactRows {
    /// Four: the angular velocity about the normal.
    Torsion,
    /// Five: the angular velocities about both tangents.
    Rolling,
    /// Six: the angular velocities about both tangents and the normal.
    RollingAndTorsion,
}

impl ContactRows {
    /// The rows of a contact that has this number of them; `None` unless it is 4, 5 or 6.
    pub fn of_count(count: i64) -> Option<Self> {
        match count {
            4 => Some(Self::Torsion),
            5 => Some(Self::Rolling),
            6 => Some(Self::RollingAndTorsion),
            _ => None,
        }
    }

    /// The rows in their order.
    pub(super) fn rows(self) -> &'static [JointRow] {
        use JointRow::{Angular, Point};
        match self {
            Self::Torsion => &[Point(0), Point(1), Point(2), Angular(2)],
            Self::Rolling => &[Point(0), Point(1), Point(2), Angular(0), Angular(1)],
            Self::RollingAndTorsion => &[Point(0), Point(1), Point(2), Angular(0), Angular(1), Angular(2)],
        }
    }
}

impl System {
    /// Insert a contact with moments between points of rigid bodies or obstacles; `None` is the ground. The first three rows are those
    /// of [`System::add_point_constraint`] with the same frame and points, and [`System::move_constraint`] gives it others. Each update
    /// makes the operators from the rotations of the bodies.
    ///
    /// # Errors
    /// As [`System::add_point_constraint`], and if a body is not rigid or both are the same.
    pub fn add_rolling_contact(
        &mut self,
        rows: ContactRows,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Result<Id> {
        let subject = subject_of(None, &bodies);
        let failed = |fault| Error { subject, fault };
        let frames = self.frames_of_contact(bodies, frame, points).map_err(failed)?;
        let ends = self.ends(bodies, &frames).map_err(failed)?;
        let kind = ListedKind::Contact(rows);
        let made = Inputs::new(&ends, &frames, None);
        let operators = made_operators(kind, bodies, &ends).map_err(failed)?;
        self.put_joint(bodies, kind, frames, made, operators)
    }

    /// Whether a constraint is a contact with moments.
    pub(in crate::system) fn is_rolling_contact(&self, id: Id) -> bool {
        self.find_joint(id).is_some_and(|place| matches!(self.joints[place].kind, ListedKind::Contact(_)))
    }

    /// Give a contact with moments a frame and points that have been checked.
    pub(in crate::system) fn put_contact(&mut self, id: Id, placement: &Placement) {
        if let (Some(place), Placement::Points { frame, points }) = (self.find_joint(id), placement) {
            self.joints[place].frames = points.map(|point| JointFrame { axes: *frame, point });
            self.values_change();
        }
    }

    fn frames_of_contact(
        &self,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Checked<[JointFrame; 2]> {
        match self.check_points(bodies, frame, points)? {
            Placement::Points { frame, points } => Ok(points.map(|point| JointFrame { axes: frame, point })),
            Placement::Operators(_) => Err(Fault::Invalid("it has no points")),
        }
    }
}

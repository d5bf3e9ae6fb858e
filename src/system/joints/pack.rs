//! Joints and contacts with moments as words of a message to another process, and back.
#![forbid(unsafe_code)]

use crate::io::words::{Reader, Words};
use crate::memory;
use crate::system::id_table::Id;
use crate::system::model::System;

use super::{ContactRows, Inputs, JointFrame, JointKind, ListedJoint, ListedKind};

/// All kinds. The places are the numbers in messages.
const KINDS: [ListedKind; 9] = [
    ListedKind::Joint(JointKind::Hinge),
    ListedKind::Joint(JointKind::Slider),
    ListedKind::Joint(JointKind::Universal),
    ListedKind::Joint(JointKind::Weld),
    ListedKind::Joint(JointKind::HingeLimit),
    ListedKind::Joint(JointKind::SliderLimit),
    ListedKind::Contact(ContactRows::Torsion),
    ListedKind::Contact(ContactRows::Rolling),
    ListedKind::Contact(ContactRows::RollingAndTorsion),
];

/// Stands for a constraint that is neither.
const NONE: u64 = u64::MAX;

/// Inputs that no bodies have, so that the next update makes the operators.
const UNKNOWN: Inputs =
    Inputs { rotations: [[f64::NAN; 9]; 2], centers: None, axes: [f64::NAN; 9], points: [[f64::NAN; 3]; 2] };

impl System {
    /// The bodies of joints and of contacts with moments.
    pub(crate) fn bodies_of_joints(&self) -> impl Iterator<Item = Id> {
        self.joints.iter().flat_map(|joint| joint.bodies).flatten()
    }

    /// Append the kind and the frames of a constraint.
    pub(in crate::system) fn pack_joint(&self, id: Id, words: &mut Words) -> memory::Result {
        let Some(place) = self.find_joint(id) else { return words.put(NONE) };
        let ListedJoint { kind, frames, .. } = &self.joints[place];
        words.put(KINDS.iter().position(|other| other == kind).map_or(NONE, |number| number as u64))?;
        frames.iter().try_for_each(|frame| {
            words.put_numbers(&frame.axes)?;
            words.put_numbers(&frame.point)
        })
    }

    /// Read the kind and the frames of a constraint between these bodies; none if the message is malformed.
    pub(in crate::system) fn read_joint(
        id: Id,
        bodies: [Option<Id>; 2],
        reader: &mut Reader,
    ) -> Option<Option<ListedJoint>> {
        let number = reader.word()?;
        if number == NONE {
            return Some(None);
        }
        let kind = *KINDS.get(number as usize)?;
        let mut frame = || Some(JointFrame { axes: reader.numbers()?, point: reader.numbers()? });
        let frames = [frame()?, frame()?];
        Some(Some(ListedJoint { id, bodies, kind, frames, made: UNKNOWN }))
    }

    /// Put joints, whose constraints have been inserted, in the list, which has memory for them.
    pub(in crate::system) fn list_joints(&mut self, joints: Vec<ListedJoint>) {
        self.joints.extend(joints);
        self.joints.sort_unstable_by_key(|joint| joint.id);
    }
}

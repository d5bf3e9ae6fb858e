//! The data that a system keeps with each constraint for its user and that no update reads: tag, law, reaction, and the parts of
//! its compliance.
#![forbid(unsafe_code)]

use crate::math::{Block, Vector};

use super::constraint::MOST_ROWS;
use super::laws::RowLaw;

/// The data of a constraint, from its insertion to its removal.
#[derive(Clone, Debug, Default)]
pub(super) struct ConstraintData {
    /// The user's tag, or the key.
    pub tag: u64,
    /// Whether the tag is a key of [`System::sync_constraints`](super::System::sync_constraints).
    pub has_key: bool,
    /// The law, if one was set.
    pub law: Option<RowLaw>,
    /// The last reaction that was set; the first values count, one for each scalar row.
    pub reaction: [f64; MOST_ROWS],
    /// The compliance that was set for a regular constraint.
    pub compliance: Option<Block>,
    /// The regularization of a regular constraint.
    pub shift: Vector,
}

impl ConstraintData {
    /// The block that is added to the diagonal block of a regular constraint.
    pub fn added(&self) -> Option<Block> {
        if self.shift == [0.0; 3] {
            return self.compliance;
        }
        let mut sum = self.compliance.unwrap_or_default();
        self.shift.iter().enumerate().for_each(|(i, shift)| sum[4 * i] += shift);
        Some(sum)
    }
}

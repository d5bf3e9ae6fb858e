//! What a system keeps with each constraint for its user, apart from what an update reads: tag, reaction, and of what its
//! compliance consists.
#![forbid(unsafe_code)]

use crate::math::{Block, Vector};

use super::mixed::MOST_ROWS;

/// Kept with a constraint from its insertion to its removal.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// The user's.
    pub tag: u64,
    /// The last reaction that was set; as many values count as it has rows.
    pub reaction: [f64; MOST_ROWS],
    /// The compliance that was set, of a constraint that is a row of three of its own.
    pub compliance: Option<Block>,
    /// What regularisation adds to its diagonal; of such a one, too.
    pub shift: Vector,
}

impl Kept {
    /// What is added to the diagonal block.
    pub fn sum(&self) -> Option<Block> {
        if self.shift == [0.0; 3] {
            return self.compliance;
        }
        let mut sum = self.compliance.unwrap_or_default();
        self.shift.iter().enumerate().for_each(|(i, shift)| sum[4 * i] += shift);
        Some(sum)
    }
}

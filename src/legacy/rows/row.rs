//! A row: a diagonal block, the head of the list of its off-diagonal blocks, and hidden data.

use crate::legacy::layout::DIAB;

use super::attachments::Side;

/// A row with the hidden data behind what the host sees.
#[repr(C)]
pub struct Row {
    /// What the host sees.
    pub face: DIAB,
    /// The bodies that it is attached to; a body stands at most once.
    pub sides: [Option<Side>; 2],
    live: u64,
}

/// Marks rows in use; dead ones are overwritten, fresh ones zero.
const LIVE: u64 = 0x6c64_795f_726f_7721;

impl Row {
    /// Whether the row is in use.
    pub fn is_live(&self) -> bool {
        self.live == LIVE
    }

    /// Mark the row as in use, or not.
    pub fn set_live(&mut self, live: bool) {
        self.live = if live { LIVE } else { 0 };
    }
}

//! What a local dynamics keeps from one exchange to the next.

use super::arrange::Outbox;
use super::world::Record;
use crate::memory::bytes;

/// What a local dynamics keeps for its exchanges.
#[derive(Default)]
pub struct Exchange {
    /// What goes to other ranks.
    pub outbox: Outbox,
    /// What came from them.
    pub inbox: Vec<Record>,
    /// Messages sent in the last update.
    pub messages: usize,
    /// Bytes in them.
    pub message_bytes: usize,
}

impl Exchange {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.outbox.bytes() + bytes(&self.inbox)
    }

    /// The record that came at this place.
    pub fn came(&self, place: usize) -> Record {
        self.inbox[place]
    }
}

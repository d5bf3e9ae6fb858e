//! Which rows are attached to which bodies, and the operators of each such body.
//!
//! Bodies have indices and rows have slots, both stable from attachment to detachment. The host's bodies are neither read nor
//! written.

use std::collections::HashMap;
use std::num::NonZero;
use std::ptr;

use rustc_hash::FxBuildHasher;

use crate::assembly::update::BodyOperators;
use crate::legacy::layout::{BODY, CON};
#[cfg(feature = "mpi")]
use crate::memory::push;
use crate::memory::{bytes, set_or_push};
use crate::prefetch::fetch;

use super::pair::MOST_BODIES;
use super::pool::Exhausted;
use super::row::RowNode;

/// A row's slot on a body: the body's index, and the row's slot in its panel.
///
/// A host's stray writes may hit it: any bits are a valid `Option<BodySlot>`, and zero is `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BodySlot {
    body_and_one: NonZero<u32>,
    /// The slot of the row.
    pub slot: u32,
}

impl BodySlot {
    /// A slot on the body with index `body`.
    pub fn new(body: u32, slot: u32) -> Self {
        Self { body_and_one: NonZero::<u32>::MIN.saturating_add(body), slot }
    }

    /// The index of the body.
    pub fn body(self) -> u32 {
        self.body_and_one.get() - 1
    }
}

/// A body with rows attached. When it has no rows left, another body can get its index.
#[derive(Default)]
pub struct BodyEntry {
    /// The host's body; only its address is used.
    pub body: *mut BODY,
    /// Its id, for error texts about bodies that may have been freed.
    pub id: u32,
    /// The rows in the slots of its panel; NULL in a free slot.
    pub slots: Vec<*mut RowNode>,
    /// No slot before this one is free.
    first_free: usize,
    rows: usize,
    /// MPI: external constraints on the body; their slots in the panel follow the rows' slots. Every update rebuilds the list.
    pub externals: Vec<*const CON>,
}

// SAFETY: only pointers to the host's bodies, constraints and rows prevent an automatic Sync. No safe function dereferences
// such a pointer: a function that does promises that no other thread writes its target.
unsafe impl Sync for BodyEntry {}

impl BodyEntry {
    /// Whether rows are attached.
    pub fn has_rows(&self) -> bool {
        self.rows > 0
    }

    fn attach(&mut self, row: *mut RowNode) -> Result<u32, Exhausted> {
        let mut slot = self.first_free;
        while self.slots.get(slot).is_some_and(|row| !row.is_null()) {
            slot += 1;
        }
        let number = u32::try_from(slot).map_err(|_| Exhausted)?;
        set_or_push(&mut self.slots, slot, row)?;
        self.first_free = slot + 1;
        self.rows += 1;
        Ok(number)
    }

    /// Whether the number of rows and the first free slot are right.
    fn counts_agree(&self) -> bool {
        let taken = self.slots.iter().filter(|row| !row.is_null()).count();
        let before = self.slots.get(..self.first_free);
        taken == self.rows && before.is_some_and(|before| before.iter().all(|row| !row.is_null()))
    }

    fn detach(&mut self, slot: u32) {
        self.slots[slot as usize] = ptr::null_mut();
        self.first_free = self.first_free.min(slot as usize);
        self.rows -= 1;
    }
}

/// All bodies with rows attached.
#[derive(Default)]
pub struct Attachments {
    /// The bodies by index; some indices are free.
    pub bodies: Vec<BodyEntry>,
    /// The operators of each body.
    pub made: BodyOperators,
    /// Free indices; its capacity suffices for all indices.
    free: Vec<u32>,
    index: HashMap<*mut BODY, u32, FxBuildHasher>,
}

impl Attachments {
    /// The index of a body, if rows are attached to it.
    pub fn index_of(&self, body: *mut BODY) -> Option<u32> {
        self.index.get(&body).copied()
    }

    /// The body with this index.
    pub fn body(&self, index: u32) -> &BodyEntry {
        &self.bodies[index as usize]
    }

    /// Prefetch the entry that attaching a row to the body with this index reads.
    #[inline(always)]
    pub fn fetch(&self, index: u32) {
        fetch(self.bodies.as_ptr().wrapping_add(index as usize));
    }

    /// Prefetch the free slot of that entry, once the entry has arrived.
    #[inline(always)]
    pub fn fetch_slot(&self, index: u32) {
        if let Some(entry) = self.get(index) {
            fetch(entry.slots.as_ptr().wrapping_add(entry.first_free));
        }
    }

    /// The body with this index, if there is one.
    pub fn get(&self, index: u32) -> Option<&BodyEntry> {
        self.bodies.get(index as usize)
    }

    /// Whether a row is in the slot of a side.
    pub fn holds(&self, at: BodySlot, row: *mut RowNode) -> bool {
        let slot = self.get(at.body()).and_then(|attached| attached.slots.get(at.slot as usize));
        slot == Some(&row)
    }

    /// The id of the first body with a row in a slot of which the row does not know, or with wrong counts.
    pub fn first_fault(&self, knows: impl Fn(*mut RowNode, BodySlot) -> bool) -> Option<u32> {
        let sound = |(body, attached): (u32, &BodyEntry)| {
            let slots = (0..).zip(&attached.slots);
            let known =
                |(slot, &row): (u32, &*mut RowNode)| row.is_null() || knows(row, BodySlot::new(body, slot));
            slots.clone().all(known) && attached.counts_agree()
        };
        let mut bodies = (0..).zip(&self.bodies);
        bodies.find(|&(body, attached)| !sound((body, attached))).map(|(_, attached)| attached.id)
    }

    /// Whether exactly the bodies with rows are found by their addresses.
    pub fn is_indexed(&self) -> bool {
        let found = |&(index, attached): &(u32, &BodyEntry)| self.index_of(attached.body) == Some(index);
        let indexed = (0..).zip(&self.bodies).filter(found).count();
        let taken = self.bodies.iter().filter(|attached| attached.rows > 0).count();
        indexed == taken && self.index.len() == taken && self.free.len() == self.bodies.len() - taken
    }

    /// Bytes held, without the contents of panels.
    pub fn bytes(&self) -> usize {
        let slots = self.bodies.iter().map(|attached| bytes(&attached.slots) + bytes(&attached.externals));
        bytes(&self.bodies)
            + self.made.bytes()
            + slots.sum::<usize>()
            + bytes(&self.free)
            + size_of::<(*mut BODY, u32)>() * self.index.capacity()
    }

    /// Remove the slots of all external constraints.
    #[cfg(feature = "mpi")]
    pub fn forget_externals(&mut self) {
        self.bodies.iter_mut().for_each(|attached| attached.externals.clear());
    }

    /// The slot of an external constraint on the body with this index: the last slot if it belongs to the same constraint,
    /// otherwise a new one.
    ///
    /// # Errors
    /// If memory is exhausted.
    #[cfg(feature = "mpi")]
    pub fn external_slot(&mut self, body: u32, con: *const CON) -> Result<u32, Exhausted> {
        let BodyEntry { slots, externals, .. } = &mut self.bodies[body as usize];
        if externals.last() != Some(&con) {
            push(externals, con)?;
        }
        u32::try_from(slots.len() + externals.len() - 1).map_err(|_| Exhausted)
    }

    /// Attach a row to a body with an id; `likely` may be its index. On failure nothing changes.
    #[inline]
    pub fn attach(
        &mut self,
        body: *mut BODY,
        id: u32,
        row: *mut RowNode,
        likely: Option<u32>,
    ) -> Result<BodySlot, Exhausted> {
        let is_index = |&index: &u32| self.get(index).is_some_and(|entry| entry.body == body);
        let index = match likely.filter(is_index).or_else(|| self.index_of(body)) {
            Some(index) => index,
            None => self.add(body, id)?,
        };
        let attached = &mut self.bodies[index as usize];
        match attached.attach(row) {
            Ok(slot) => Ok(BodySlot::new(index, slot)),
            Err(exhausted) => {
                self.drop_if_bare(index);
                Err(exhausted)
            }
        }
    }

    /// Detach a row from a body. A body without rows is removed, with its panel.
    pub fn detach(&mut self, at: BodySlot) {
        self.bodies[at.body() as usize].detach(at.slot);
        self.drop_if_bare(at.body());
    }

    #[inline(never)]
    fn add(&mut self, body: *mut BODY, id: u32) -> Result<u32, Exhausted> {
        self.index.try_reserve(1)?;
        let index = match self.free.pop() {
            Some(index) => {
                // The slots of the former body leave their memory.
                let entry = &mut self.bodies[index as usize];
                (entry.body, entry.id, entry.first_free) = (body, id, 0);
                entry.slots.clear();
                index
            }
            None => {
                let index = self.bodies.len();
                ensure!(index < MOST_BODIES, Exhausted);
                self.bodies.try_reserve(1)?;
                self.made.reserve(1)?;
                // Capacity for every index, so that freeing an index cannot fail.
                self.free.try_reserve(index + 1)?;
                self.bodies.push(BodyEntry { body, id, ..BodyEntry::default() });
                self.made.resize(index + 1)?;
                index as u32
            }
        };
        self.index.insert(body, index);
        Ok(index)
    }

    fn drop_if_bare(&mut self, index: u32) {
        let attached = &mut self.bodies[index as usize];
        if attached.rows == 0 {
            self.index.remove(&attached.body);
            attached.body = ptr::null_mut();
            self.made.forget(index as usize);
            self.free.push(index);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An address that is never dereferenced.
    fn address<T>(k: usize) -> *mut T {
        ptr::without_provenance_mut(64 * (k + 1))
    }

    #[test]
    fn indices_and_slots_are_stable_and_given_again() {
        let mut all = Attachments::default();
        let one = all.attach(address(1), 1, address(10), None).unwrap();
        let two = all.attach(address(2), 2, address(11), None).unwrap();
        let three = all.attach(address(1), 1, address(12), None).unwrap();
        assert_eq!((one, two), (BodySlot::new(0, 0), BodySlot::new(1, 0)));
        assert_eq!(three, BodySlot::new(0, 1));
        all.detach(one);
        assert_eq!(all.index_of(address(1)), Some(0));
        assert_eq!(all.attach(address(1), 1, address(13), None).unwrap(), one);
        all.detach(two);
        assert_eq!(all.index_of(address(2)), None);
        assert_eq!(all.bodies.iter().filter(|attached| attached.has_rows()).count(), 1);
        assert_eq!(all.attach(address(3), 3, address(14), None).unwrap(), two);
        assert_eq!(all.body(1).body, address(3));
    }

    #[test]
    fn damage_is_found() {
        let mut all = Attachments::default();
        let placed = [(1, 10), (2, 11), (1, 12), (1, 13)].map(|(body, row)| {
            let at = all.attach(address(body), 100 + body as u32, address(row), None);
            (address::<RowNode>(row), at.unwrap())
        });
        all.detach(placed[2].1);
        let knows = |row, at| placed.contains(&(row, at));
        assert_eq!((all.first_fault(knows), all.is_indexed()), (None, true));
        assert_eq!(all.first_fault(|row, at| knows(row, at) && row != placed[1].0), Some(102));
        assert!(all.holds(placed[0].1, placed[0].0) && !all.holds(placed[0].1, placed[1].0));
        assert!(!all.holds(placed[2].1, placed[2].0) && !all.holds(BodySlot::new(7, 0), placed[0].0));

        all.bodies[0].rows += 1;
        assert_eq!(all.first_fault(knows), Some(101));
        all.bodies[0].rows -= 1;
        all.bodies[0].first_free += 1;
        assert_eq!(all.first_fault(knows), Some(101));
        all.bodies[0].first_free = 7;
        assert_eq!(all.first_fault(knows), Some(101));
        all.bodies[0].first_free = 1;
        assert_eq!((all.first_fault(knows), all.is_indexed()), (None, true));
        all.bodies[1].body = address(5);
        assert!(!all.is_indexed());
    }
}

//! Which rows are attached to which bodies, and the panel of each such body.
//!
//! Bodies have indices and rows have slots, both stable from attachment to detachment. Nothing is written into the
//! host's bodies, and none is read.

use std::collections::HashMap;
use std::num::NonZero;
use std::ptr;

use rustc_hash::FxBuildHasher;

use crate::assembly::update::BodyOperators;
use crate::legacy::layout::{BODY, CON};
#[cfg(feature = "mpi")]
use crate::memory::push;
use crate::memory::{bytes, put};

use super::pair::MOST_BODIES;
use super::pool::Exhausted;
use super::row::Row;

/// A row's place on a body: the body's index, and the row's slot in its panel.
///
/// It lies where a host's stray writes may hit it: whatever they leave there is an `Option<Side>`, zero being `None`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Side {
    body_and_one: NonZero<u32>,
    /// Slot of the row.
    pub slot: u32,
}

impl Side {
    /// A slot on the body with this index.
    pub fn new(body: u32, slot: u32) -> Self {
        Self { body_and_one: NonZero::<u32>::MIN.saturating_add(body), slot }
    }

    /// Index of the body.
    pub fn body(self) -> u32 {
        self.body_and_one.get() - 1
    }
}

/// A body with rows attached. Once an update has found that it has none, its index can be given to another body.
#[derive(Default)]
pub struct BodyEntry {
    /// The host's body, NULL if the index is free; never read here.
    pub body: *mut BODY,
    /// Its id, for texts about bodies that may be gone.
    pub id: u32,
    /// The rows in the slots of its panel, NULL where one is free.
    pub slots: Vec<*mut Row>,
    /// No slot before this one is free.
    first_free: usize,
    rows: usize,
    /// Whether it stands among those that may have lost all rows.
    is_noted: bool,
    /// Whether its panel may hold much.
    is_mesh: bool,
    /// MPI: external constraints on it; their slots of the panel follow those of the rows. Made anew by every update.
    pub externals: Vec<*const CON>,
}

// SAFETY: pointers to the host's bodies, constraints and rows are the only reason why this is not Sync of itself. No
// safe function follows such a pointer: a function that follows one promises that no other thread writes what it
// leads to.
unsafe impl Sync for BodyEntry {}

impl BodyEntry {
    /// Whether rows are attached.
    pub fn has_rows(&self) -> bool {
        self.rows > 0
    }

    fn attach(&mut self, row: *mut Row) -> Result<u32, Exhausted> {
        let mut slot = self.first_free;
        while self.slots.get(slot).is_some_and(|row| !row.is_null()) {
            slot += 1;
        }
        let number = u32::try_from(slot).map_err(|_| Exhausted)?;
        put(&mut self.slots, slot, row)?;
        self.first_free = slot + 1;
        self.rows += 1;
        Ok(number)
    }

    /// Whether rows and free slots are where they should be.
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
    /// The bodies, free indices among them.
    pub bodies: Vec<BodyEntry>,
    /// The operators of each body.
    pub made: BodyOperators,
    /// Indices without a body; has room for all of them.
    free: Vec<u32>,
    /// Those of bodies that had no rows left at some time since the last update; has room for all of them.
    bare: Vec<u32>,
    index: HashMap<*mut BODY, u32, FxBuildHasher>,
}

impl Attachments {
    /// The index of a body, if rows are attached to it.
    pub fn index_of(&self, body: *mut BODY) -> Option<u32> {
        self.index.get(&body).copied().filter(|&index| self.body(index).has_rows())
    }

    /// The body with this index.
    pub fn body(&self, index: u32) -> &BodyEntry {
        &self.bodies[index as usize]
    }

    /// The body with this index, if there is one.
    pub fn get(&self, index: u32) -> Option<&BodyEntry> {
        self.bodies.get(index as usize)
    }

    /// Whether a row is in the slot of a side.
    pub fn holds(&self, side: Side, row: *mut Row) -> bool {
        let slot = self.get(side.body()).and_then(|attached| attached.slots.get(side.slot as usize));
        slot == Some(&row)
    }

    /// The id of the first body with a row in a slot that the row does not know, or with slots that are miscounted.
    pub fn first_fault(&self, knows: impl Fn(*mut Row, Side) -> bool) -> Option<u32> {
        let sound = |(body, attached): (u32, &BodyEntry)| {
            let slots = (0..).zip(&attached.slots);
            let known = |(slot, &row): (u32, &*mut Row)| row.is_null() || knows(row, Side::new(body, slot));
            slots.clone().all(known) && attached.counts_agree()
        };
        let mut bodies = (0..).zip(&self.bodies);
        bodies.find(|&(body, attached)| !sound((body, attached))).map(|(_, attached)| attached.id)
    }

    /// Whether bodies, and no others, are found by their addresses, and those without rows are noted.
    pub fn is_indexed(&self) -> bool {
        let found = |&(index, attached): &(u32, &BodyEntry)| self.index.get(&attached.body) == Some(&index);
        let indexed = (0..).zip(&self.bodies).filter(found).count();
        let taken = self.bodies.iter().filter(|attached| !attached.body.is_null()).count();
        let noted =
            |attached: &BodyEntry| attached.has_rows() || attached.is_noted || attached.body.is_null();
        indexed == taken
            && self.index.len() == taken
            && self.free.len() == self.bodies.len() - taken
            && self.bodies.iter().all(noted)
    }

    /// Bytes held, not counting what panels hold.
    pub fn bytes(&self) -> usize {
        let slots = self.bodies.iter().map(|attached| bytes(&attached.slots) + bytes(&attached.externals));
        bytes(&self.bodies)
            + self.made.bytes()
            + slots.sum::<usize>()
            + bytes(&self.free)
            + bytes(&self.bare)
            + size_of::<(*mut BODY, u32)>() * self.index.capacity()
    }

    /// Remove the slots of all external constraints.
    #[cfg(feature = "mpi")]
    pub fn forget_externals(&mut self) {
        self.bodies.iter_mut().for_each(|attached| attached.externals.clear());
    }

    /// The slot of an external constraint on the body with this index: the last one given, if it is the same
    /// constraint's, else a new one.
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

    /// Attach a row to a body with an id, which may be a mesh. On failure nothing is changed.
    pub fn attach(
        &mut self,
        body: *mut BODY,
        id: u32,
        is_mesh: bool,
        row: *mut Row,
    ) -> Result<Side, Exhausted> {
        let index = match self.index.get(&body) {
            Some(&index) => index,
            None => self.add(body)?,
        };
        let attached = &mut self.bodies[index as usize];
        if !attached.has_rows() {
            // Slots are those that other rows have left, maybe of another body at this address.
            (attached.id, attached.is_mesh, attached.first_free) = (id, is_mesh, 0);
            attached.slots.clear();
        }
        match attached.attach(row) {
            Ok(slot) => Ok(Side::new(index, slot)),
            Err(exhausted) => {
                self.note_if_bare(index);
                Err(exhausted)
            }
        }
    }

    /// Detach a row from a body. A body without rows is forgotten by the next update if it has got no other row by then; if none is on
    /// its way, what a mesh holds is given back at once.
    pub fn detach(&mut self, side: Side, others_may_come: bool) {
        let attached = &mut self.bodies[side.body() as usize];
        attached.detach(side.slot);
        if attached.is_mesh && !attached.has_rows() && !others_may_come {
            self.made.forget(side.body() as usize);
        }
        self.note_if_bare(side.body());
    }

    fn add(&mut self, body: *mut BODY) -> Result<u32, Exhausted> {
        self.index.try_reserve(1)?;
        let index = match self.free.pop() {
            Some(index) => {
                self.bodies[index as usize].body = body;
                index
            }
            None => {
                let index = self.bodies.len();
                ensure!(index < MOST_BODIES, Exhausted);
                self.bodies.try_reserve(1)?;
                self.made.reserve(1)?;
                // One place for each body, so that giving an index back cannot fail.
                self.free.try_reserve(index + 1)?;
                self.bare.try_reserve(index + 1 - self.bare.len())?;
                self.bodies.push(BodyEntry { body, ..BodyEntry::default() });
                self.made.resize(index + 1)?;
                index as u32
            }
        };
        self.index.insert(body, index);
        Ok(index)
    }

    fn note_if_bare(&mut self, index: u32) {
        let attached = &mut self.bodies[index as usize];
        if !attached.has_rows() && !attached.is_noted {
            attached.is_noted = true;
            self.bare.push(index);
        }
    }

    /// Forget the bodies without rows.
    pub fn drop_bare(&mut self) {
        let Self { bodies, made, free, bare, index } = self;
        for place in bare.drain(..) {
            let attached = &mut bodies[place as usize];
            attached.is_noted = false;
            if !attached.has_rows() {
                index.remove(&attached.body);
                attached.body = ptr::null_mut();
                made.forget(place as usize);
                free.push(place);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An address that is never read.
    fn address<T>(k: usize) -> *mut T {
        ptr::without_provenance_mut(64 * (k + 1))
    }

    fn attach(all: &mut Attachments, body: usize, is_mesh: bool, row: usize) -> Side {
        all.attach(address(body), 100 + body as u32, is_mesh, address(row)).unwrap()
    }

    #[test]
    fn indices_and_slots_are_stable_and_given_again() {
        let mut all = Attachments::default();
        let one = attach(&mut all, 1, false, 10);
        let two = attach(&mut all, 2, false, 11);
        let three = attach(&mut all, 1, false, 12);
        assert_eq!((one, two), (Side::new(0, 0), Side::new(1, 0)));
        assert_eq!(three, Side::new(0, 1));
        all.detach(one, false);
        assert_eq!(all.index_of(address(1)), Some(0));
        assert_eq!(attach(&mut all, 1, false, 13), one);
        all.detach(two, false);
        assert_eq!(all.index_of(address(2)), None);
        assert_eq!(all.bodies.iter().filter(|attached| attached.has_rows()).count(), 1);
        all.drop_bare();
        assert_eq!(attach(&mut all, 3, false, 14), two);
        assert_eq!(all.body(1).body, address(3));
    }

    #[test]
    fn bodies_are_kept_until_the_next_update() {
        let mut all = Attachments::default();
        let held = |all: &Attachments, body: usize| all.made.panels[body].bytes() != [0, 0];
        let sides = [1, 2, 3, 4].map(|body| attach(&mut all, body, body != 3, 10));
        for body in 0..4 {
            all.made.panels[body].start_rigid(1).unwrap();
        }
        all.detach(sides[0], true);
        all.detach(sides[1], false);
        all.detach(sides[2], false);
        assert_eq!([0, 1, 2, 3].map(|body| held(&all, body)), [true, false, true, true]);
        assert_eq!((all.is_indexed(), all.index_of(address(1))), (true, None));
        // One of them comes back, with another id, and goes again.
        let again = all.attach(address(1), 7, true, address(11)).unwrap();
        assert_eq!((again, all.body(0).id, held(&all, 0)), (sides[0], 7, true));
        all.detach(again, true);
        assert_eq!(attach(&mut all, 1, true, 12), again);
        all.drop_bare();
        assert_eq!([0, 1, 2, 3].map(|body| held(&all, body)), [true, false, false, true]);
        assert_eq!([0, 1, 2, 3].map(|body| all.body(body).body.is_null()), [false, true, true, false]);
        assert!(all.is_indexed() && all.bare.is_empty());
        all.bodies[0].rows = 0;
        assert!(!all.is_indexed());
    }

    #[test]
    fn damage_is_found() {
        let mut all = Attachments::default();
        let sides = [(1, 10), (2, 11), (1, 12), (1, 13)]
            .map(|(body, row)| (address::<Row>(row), attach(&mut all, body, false, row)));
        all.detach(sides[2].1, false);
        let knows = |row, side| sides.contains(&(row, side));
        assert_eq!((all.first_fault(knows), all.is_indexed()), (None, true));
        assert_eq!(all.first_fault(|row, side| knows(row, side) && row != sides[1].0), Some(102));
        assert!(all.holds(sides[0].1, sides[0].0) && !all.holds(sides[0].1, sides[1].0));
        assert!(!all.holds(sides[2].1, sides[2].0) && !all.holds(Side::new(7, 0), sides[0].0));

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

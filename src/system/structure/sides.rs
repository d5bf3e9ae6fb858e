//! The bodies of each row, and its slots on them.
#![forbid(unsafe_code)]

use crate::memory;
use crate::system::constraint::MOST_BODIES;

/// Stands for the ground where a row has a body on one side only.
pub const NOWHERE: u32 = u32::MAX;

/// A body of a row, and the first slot of the row in its panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Place of the body.
    pub body: u32,
    /// First slot. A row of four to six scalars has the next slot, too.
    pub slot: u32,
}

impl Side {
    /// Fills the list of a row that has fewer sides.
    pub(super) const NONE: Self = Self { body: NOWHERE, slot: 0 };

    /// Whether it is a side.
    #[inline(always)]
    pub(super) fn is_there(self) -> bool {
        self.body != NOWHERE
    }
}

/// A row of a constraint on more than two bodies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WideRow {
    /// The row.
    pub row: u32,
    /// Number of ends.
    pub count: u32,
    /// Places of its bodies in the order of insertion, obstacles too.
    pub ends: [u32; MOST_BODIES],
    /// Its bodies, obstacles left out, each of them once; [`Side::NONE`] after the last.
    pub sides: [Side; MOST_BODIES],
}

/// The bodies of all rows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Sides {
    /// Places of master and slave of each row, obstacles too; the first two of more.
    pub ends: Vec<[u32; 2]>,
    /// Bodies of each row, obstacles left out; one that is master and slave is there once. The first two of more.
    pub firsts: Vec<[Side; 2]>,
    /// All bodies of rows on more than two, ascending.
    pub wide: Vec<WideRow>,
}

impl Sides {
    /// Clear all lists.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.firsts.clear();
        self.wide.clear();
    }

    /// Reserve memory for new rows.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn reserve(&mut self, count: usize) -> memory::Result {
        self.ends.try_reserve(count)?;
        self.firsts.try_reserve(count)
    }

    #[inline(always)]
    fn place_of_wide(&self, row: usize) -> Option<usize> {
        if self.wide.is_empty() {
            return None;
        }
        self.wide.binary_search_by_key(&(row as u32), |wide| wide.row).ok()
    }

    /// All sides of a row.
    #[inline(always)]
    pub fn of(&self, row: usize) -> &[Side] {
        let sides = match self.place_of_wide(row) {
            Some(place) => &self.wide[place].sides[..],
            None => &self.firsts[row],
        };
        let count = sides.iter().take_while(|side| side.is_there()).count();
        &sides[..count]
    }

    /// The places of all bodies of a row, obstacles too.
    #[inline(always)]
    pub fn ends_of(&self, row: usize) -> &[u32] {
        match self.place_of_wide(row).map(|place| &self.wide[place]) {
            Some(wide) => &wide.ends[..wide.count as usize],
            None => &self.ends[row],
        }
    }

    /// Give a row another first slot on a body that it is on.
    pub fn set_slot(&mut self, row: usize, body: usize, slot: u32) {
        let wide = self.place_of_wide(row);
        let set = |side: &mut Side| {
            if side.body as usize == body {
                side.slot = slot;
            }
        };
        self.firsts[row].iter_mut().for_each(set);
        if let Some(place) = wide {
            self.wide[place].sides.iter_mut().for_each(set);
        }
    }

    /// Remove rows from the list of those on more than two bodies, and give the others their new numbers.
    pub fn remove_wide(&mut self, removed: &[u32]) {
        self.wide.retain(|wide| removed.binary_search(&wide.row).is_err());
        for wide in &mut self.wide {
            wide.row -= removed.partition_point(|&row| row < wide.row) as u32;
        }
    }

    /// Give bodies new places.
    pub fn move_bodies(&mut self, place: impl Fn(u32) -> u32) {
        let at = |body: u32| if body == NOWHERE { NOWHERE } else { place(body) };
        self.ends.iter_mut().for_each(|ends| *ends = ends.map(at));
        self.firsts.as_flattened_mut().iter_mut().for_each(|side| side.body = at(side.body));
        for WideRow { ends, sides, .. } in &mut self.wide {
            *ends = ends.map(at);
            sides.iter_mut().for_each(|side| side.body = at(side.body));
        }
    }
}

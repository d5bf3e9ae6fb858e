//! Which rows are on which bodies, and so which blocks W has.
#![forbid(unsafe_code)]

mod insert_rows;
mod neighbours;
mod remove_rows;

use std::ops::Range;

use crate::assembly::scene::Place;
use crate::memory::refill;

use super::body::Body;
use super::error::Result;
use super::id_table::{Id, Table};

/// A body of a row, and the row's slot in its panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Place of the body.
    pub body: u32,
    /// Slot.
    pub slot: u32,
}

impl Side {
    /// Of a row on one body, or on none.
    const NONE: Self = Self { body: NOWHERE, slot: 0 };

    /// Whether it is a side.
    #[inline(always)]
    fn is_there(self) -> bool {
        self.body != NOWHERE
    }
}

/// Stands for the ground where a row has a body on one side only.
pub const NOWHERE: u32 = u32::MAX;

/// Rows, one a constraint in the order of ids, and their blocks. They follow the tables of bodies and constraints in three steps:
/// [`Structure::take_out`], [`Structure::close_up`], [`Structure::put_in`].
#[derive(Debug, Default)]
pub struct Structure {
    /// Places of master and slave of each row, obstacles too.
    ends: Vec<[u32; 2]>,
    /// Bodies of each row, obstacles left out; one that is master and slave is there once.
    sides: Vec<[Side; 2]>,
    /// Ids of the constraints.
    ids: Vec<i64>,
    /// Where each constraint stands in its table.
    entries: Vec<u32>,
    /// Where the rows of each body begin, and the end.
    body_starts: Vec<usize>,
    /// The rows of each body, ascending.
    on_body: Vec<u32>,
    /// Where the generalised velocities of each body begin if all are put one behind the other, and the end.
    offsets: Vec<usize>,
    /// Where the blocks of each row begin, and the end.
    starts: Vec<i32>,
    /// Column of each block, ascending in a row.
    columns: Vec<i32>,
    /// Where the diagonal block of each row is.
    diagonals: Vec<i32>,
    /// Room to count in.
    cursors: Vec<i32>,
    /// How many of the rows on each body go, or are new.
    changed_on_body: Vec<u32>,
    /// The rows that go, ascending, while they do.
    taken: Vec<u32>,
    /// The rows that have come to other bodies, ascending, while their blocks go and come.
    reattached: Vec<u32>,
    /// The rows that lose or get blocks, ascending.
    touched: Vec<u32>,
}

/// How many blocks ahead to prefetch the counterpart of a block.
pub(super) const AHEAD: usize = 12;

impl Structure {
    /// After an error nothing is left of it.
    fn whole_or_nothing(&mut self, change: impl FnOnce(&mut Self) -> Result) -> Result {
        let changed = change(self);
        if changed.is_err() {
            self.forget();
        }
        changed
    }

    /// Let it be that of no constraints and no bodies.
    pub fn forget(&mut self) {
        let Self {
            ends, sides, ids, entries, body_starts, on_body, offsets, starts, columns, diagonals, ..
        } = self;
        [body_starts, offsets].into_iter().for_each(Vec::clear);
        [on_body, entries].into_iter().for_each(Vec::clear);
        [starts, columns, diagonals].into_iter().for_each(Vec::clear);
        ends.clear();
        sides.clear();
        ids.clear();
    }

    /// Whether it has been forgotten, or never been made.
    pub fn is_forgotten(&self) -> bool {
        self.starts.is_empty()
    }

    /// List the rows that lose or get blocks, ascending: those on bodies whose rows change, those that are taken or reattached, and
    /// those from `first` on.
    fn list_touched(&mut self, first: usize) -> Result {
        /// Most rows lose none: so many are looked at at a time.
        const TOGETHER: usize = 16;
        let rows = self.len();
        let Self { body_starts, on_body, cursors, changed_on_body, taken, reattached, touched, .. } = self;
        refill(cursors, rows, 0)?;
        for (body, _) in changed_on_body.iter().enumerate().filter(|(_, count)| **count > 0) {
            on_body[body_starts[body]..body_starts[body + 1]]
                .iter()
                .for_each(|&row| cursors[row as usize] = 1);
        }
        taken.iter().chain(&*reattached).for_each(|&row| cursors[row as usize] = 1);
        cursors[first..].fill(1);
        touched.clear();
        touched.try_reserve(rows)?;
        for (start, marks) in (0..).step_by(TOGETHER).zip(cursors.chunks(TOGETHER)) {
            if marks.iter().fold(0, |any, mark| any | mark) != 0 {
                touched.extend((start..).zip(marks).filter(|(_, mark)| **mark != 0).map(|(row, _)| row));
            }
        }
        Ok(())
    }

    /// Let bodies that are gone from their table, which has not been closed up yet, go from here, too: no rows are on them.
    ///
    /// # Errors
    /// If memory is exhausted: nothing is left of the structure then.
    pub(super) fn close_up(&mut self, bodies: &Table<Body>) -> Result {
        self.whole_or_nothing(|own| {
            let Self { ends, sides, body_starts, offsets, cursors, .. } = own;
            let known = offsets.len().saturating_sub(1);
            // The new places of bodies.
            refill(cursors, known, 0)?;
            let mut left = 0;
            for (place, body) in bodies.things()[..known].iter().enumerate() {
                cursors[place] = left as i32;
                if let Some(body) = body {
                    body_starts[left + 1] = body_starts[place + 1];
                    offsets[left + 1] = offsets[left] + body.dofs();
                    left += 1;
                }
            }
            if left < known {
                let at = |place: u32| if place == NOWHERE { NOWHERE } else { cursors[place as usize] as u32 };
                ends.iter_mut().for_each(|ends| *ends = ends.map(at));
                sides.as_flattened_mut().iter_mut().for_each(|side| side.body = at(side.body));
                body_starts.truncate(left + 1);
                offsets.truncate(left + 1);
            }
            Ok(())
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.sides.len()
    }

    /// Ids of the constraints, row by row.
    pub fn ids(&self) -> &[i64] {
        &self.ids
    }

    /// The row of a constraint.
    pub fn row(&self, id: Id) -> Option<usize> {
        self.ids.binary_search(&(id as i64)).ok()
    }

    /// Where the constraint of a row stands in its table.
    #[inline(always)]
    pub fn entry(&self, row: usize) -> usize {
        self.entries[row] as usize
    }

    /// As [`Structure::entry`], if there is such a row.
    #[inline(always)]
    pub fn entry_ahead(&self, row: usize) -> Option<usize> {
        self.entries.get(row).map(|&entry| entry as usize)
    }

    /// Where the blocks of each row begin, and the end.
    pub fn starts(&self) -> &[i32] {
        &self.starts
    }

    /// Column of each block, ascending in a row.
    pub fn columns(&self) -> &[i32] {
        &self.columns
    }

    /// Where the diagonal block of a row is.
    pub fn diagonal(&self, row: usize) -> usize {
        self.diagonals[row] as usize
    }

    /// The places of the master and the slave of a row, obstacles too; [`NOWHERE`] is the ground.
    #[inline(always)]
    pub fn ends(&self, row: usize) -> [u32; 2] {
        self.ends[row]
    }

    /// As [`Structure::ends`], if there is such a row.
    #[inline(always)]
    pub fn ends_ahead(&self, row: usize) -> Option<[u32; 2]> {
        self.ends.get(row).copied()
    }

    /// The places of a row on its bodies, obstacles left out.
    #[inline(always)]
    pub fn places(&self, row: usize) -> [Option<Place>; 2] {
        self.sides[row].map(
            #[inline(always)]
            |side| side.is_there().then_some(Place { body: side.body as usize, slot: side.slot as usize }),
        )
    }

    /// The rows on a body, ascending: slot by slot.
    #[inline(always)]
    pub fn rows_on(&self, body: usize) -> &[u32] {
        &self.on_body[self.body_starts[body]..self.body_starts[body + 1]]
    }

    /// Where the slots of each body begin if those of all are put one behind the other, and the end.
    #[inline(always)]
    pub fn slot_starts(&self) -> &[usize] {
        &self.body_starts
    }

    /// How many slots all bodies have.
    pub fn all_slots(&self) -> usize {
        self.on_body.len()
    }

    /// Where the generalised velocities of a body lie if those of all are put one behind the other.
    pub fn dofs(&self, body: usize) -> Range<usize> {
        self.offsets[body]..self.offsets[body + 1]
    }

    /// How many generalised velocities all bodies have.
    pub fn all_dofs(&self) -> usize {
        self.offsets.last().copied().unwrap_or_default()
    }

    /// One of these places, which the row has.
    #[inline(always)]
    pub fn place(&self, row: usize, which: usize) -> Place {
        let Side { body, slot } = self.sides[row][which];
        Place { body: body as usize, slot: slot as usize }
    }

    /// Where the blocks of a row begin that are left of the diagonal, in columns from `first` on: where that of `first` is, if
    /// there is one.
    #[inline(always)]
    pub(super) fn first_left_from(&self, row: usize, first: usize) -> usize {
        let (start, diagonal) = (self.starts[row] as usize, self.diagonal(row));
        if self.columns[start] as usize >= first {
            return start;
        }
        start + self.columns[start..diagonal].partition_point(|&column| (column as usize) < first)
    }

    /// Where the blocks of a row begin that are right of the diagonal, in columns from `first` on.
    #[inline(always)]
    pub(super) fn first_right_from(&self, row: usize, first: usize) -> usize {
        let (right, end) = (self.diagonal(row) + 1, self.starts[row + 1] as usize);
        if row >= first {
            return right;
        }
        right + self.columns[right..end].partition_point(|&column| (column as usize) < first)
    }
}

/// Give a row another slot on a body that it is on.
fn set_slot(sides: &mut [Side; 2], body: usize, slot: u32) {
    sides.iter_mut().filter(|side| side.body as usize == body).for_each(|side| side.slot = slot);
}

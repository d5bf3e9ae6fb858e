//! Which rows are on which bodies, and so which blocks W has.
#![forbid(unsafe_code)]

mod insert_rows;
mod irregular_layout;
mod neighbors;
mod remove_rows;
mod sides;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::OnceLock;

use crate::assembly::scene::PanelSlot;
use crate::memory::{self, refill, with_capacity};

use super::body::Body;
use super::error::Result;
use super::id_table::{Id, Table};

pub use super::constraint::MOST_BODIES;
use irregular_layout::IrregularLayout;
pub use neighbors::{RunOfAny, Runs};
use sides::Sides;
pub use sides::{NOWHERE, Side};

/// Rows, one a constraint in the order of ids, and their blocks. They follow the tables of bodies and constraints in three steps:
/// [`Structure::remove_rows`], [`Structure::close_up`], [`Structure::insert_rows`].
///
/// A row has one to six scalars and takes a slot for every three of them on each of its bodies, obstacles left out. A row is
/// irregular if it has other than three scalars, or its constraint acts on more than two bodies. The block of rows of m and n
/// scalars has m × n values, column-major; the values of blocks follow each other in the order of rows and columns.
#[derive(Debug, Default)]
pub struct Structure {
    /// Bodies of each row.
    sides: Sides,
    /// Heights of rows and places of values; empty while all rows are regular.
    layout: IrregularLayout,
    /// Ids of the constraints.
    ids: Vec<Id>,
    /// The place of each constraint in its table.
    entries: Vec<u32>,
    /// Where the rows of each body begin, and the end.
    body_starts: Vec<usize>,
    /// The row of each slot of each body, ascending: rows of four to six scalars are there twice in succession.
    on_body: Vec<u32>,
    /// Where the generalized velocities of each body begin in a vector of all, and the end.
    offsets: Vec<usize>,
    /// Where the blocks of each row begin, and the end.
    starts: Vec<i32>,
    /// Column of each block, ascending in a row.
    columns: Vec<i32>,
    /// Where the diagonal block of each row is.
    diagonals: Vec<i32>,
    /// Workspace: a count or a place for each row.
    cursors: Vec<i32>,
    /// Where the values of each block begin, and the end, if they have been asked for since the last change.
    value_starts: OnceLock<Vec<usize>>,
    /// Number of slots on each body that are removed or new.
    changed_on_body: Vec<u32>,
    /// The rows that are being removed, ascending.
    removed: Vec<u32>,
    /// The rows that have come to other bodies, ascending, while their blocks are removed and inserted.
    reattached: Vec<u32>,
    /// The rows that lose or get blocks, ascending.
    touched: Vec<u32>,
}

/// How many blocks ahead to prefetch the counterpart of a block.
pub(super) const AHEAD: usize = 12;

impl Structure {
    /// After an error nothing is left of it.
    fn whole_or_nothing(&mut self, change: impl FnOnce(&mut Self) -> Result) -> Result {
        self.value_starts.take();
        let changed = change(self);
        if changed.is_err() {
            self.forget();
        }
        changed
    }

    /// Clear it: the structure of no constraints and no bodies.
    pub fn forget(&mut self) {
        self.value_starts.take();
        [&mut self.body_starts, &mut self.offsets].into_iter().for_each(Vec::clear);
        [&mut self.on_body, &mut self.entries].into_iter().for_each(Vec::clear);
        [&mut self.starts, &mut self.columns, &mut self.diagonals].into_iter().for_each(Vec::clear);
        self.sides.clear();
        self.layout.clear();
        self.ids.clear();
    }

    /// Whether it has been forgotten, or never been made.
    pub fn is_forgotten(&self) -> bool {
        self.starts.is_empty()
    }

    /// List the rows that lose or get blocks, ascending: rows on bodies whose rows change, removed and reattached rows, and rows
    /// from `first` on.
    fn list_touched(&mut self, first: usize) -> Result {
        /// Most rows lose none: this number of them is looked at at a time.
        const TOGETHER: usize = 16;
        let rows = self.len();
        let Self { body_starts, on_body, cursors, changed_on_body, removed, reattached, touched, .. } = self;
        refill(cursors, rows, 0)?;
        for (body, _) in changed_on_body.iter().enumerate().filter(|(_, count)| **count > 0) {
            on_body[body_starts[body]..body_starts[body + 1]]
                .iter()
                .for_each(|&row| cursors[row as usize] = 1);
        }
        removed.iter().chain(&*reattached).for_each(|&row| cursors[row as usize] = 1);
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

    /// Remove the bodies that have been removed from their table, which has not been closed up yet. No rows are on them.
    ///
    /// # Errors
    /// If memory is exhausted: nothing is left of the structure then.
    pub(super) fn close_up(&mut self, bodies: &Table<Body>) -> Result {
        self.whole_or_nothing(|own| {
            let Self { sides, body_starts, offsets, cursors, .. } = own;
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
                sides.move_bodies(|place| cursors[place as usize] as u32);
                body_starts.truncate(left + 1);
                offsets.truncate(left + 1);
            }
            Ok(())
        })
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Ids of the constraints, row by row.
    pub fn ids(&self) -> &[Id] {
        &self.ids
    }

    /// The row of a constraint.
    pub fn row(&self, id: Id) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }

    /// The place of a row's constraint in its table.
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

    /// The places of the master and the slave of a row, obstacles too; the first two of more bodies. [`NOWHERE`] is the ground.
    #[inline(always)]
    pub fn ends(&self, row: usize) -> [u32; 2] {
        self.sides.ends[row]
    }

    /// As [`Structure::ends`], without the ground; nothing if there is no such row. The place of the ground is no place in memory,
    /// where a prefetch takes long.
    #[inline(always)]
    pub fn ends_ahead(&self, row: usize) -> impl Iterator<Item = usize> {
        let ends = self.sides.ends.get(row).copied().unwrap_or([NOWHERE; 2]);
        ends.into_iter().filter(|&end| end != NOWHERE).map(|end| end as usize)
    }

    /// The places of a row on its bodies, obstacles left out; the first two of more.
    #[inline(always)]
    pub fn places(&self, row: usize) -> [Option<PanelSlot>; 2] {
        self.sides.firsts[row].map(
            #[inline(always)]
            |side| {
                side.is_there().then_some(PanelSlot { body: side.body as usize, slot: side.slot as usize })
            },
        )
    }

    /// The row of each slot of a body, ascending: rows of four to six scalars are there twice in succession.
    #[inline(always)]
    pub fn rows_on(&self, body: usize) -> &[u32] {
        &self.on_body[self.body_starts[body]..self.body_starts[body + 1]]
    }

    /// Where the slots of each body begin in a list of all slots, and the end.
    #[inline(always)]
    pub fn slot_starts(&self) -> &[usize] {
        &self.body_starts
    }

    /// Number of slots of all bodies.
    pub fn all_slots(&self) -> usize {
        self.on_body.len()
    }

    /// The range of the generalized velocities of a body in a vector of all.
    pub fn dofs(&self, body: usize) -> Range<usize> {
        self.offsets[body]..self.offsets[body + 1]
    }

    /// Number of generalized velocities of all bodies.
    pub fn all_dofs(&self) -> usize {
        self.offsets.last().copied().unwrap_or_default()
    }

    /// One of [`Structure::places`], which the row has.
    #[inline(always)]
    pub fn place(&self, row: usize, which: usize) -> PanelSlot {
        let Side { body, slot } = self.sides.firsts[row][which];
        PanelSlot { body: body as usize, slot: slot as usize }
    }

    /// Whether some row is irregular: it has other than three scalars, or its constraint acts on more than two bodies.
    #[inline(always)]
    pub fn has_irregular(&self) -> bool {
        self.layout.is_there()
    }

    /// Whether a row has three scalars, and its constraint at most two bodies.
    #[inline(always)]
    pub fn is_regular(&self, row: usize) -> bool {
        self.layout.is_regular(row)
    }

    /// Number of scalars of a row, 1 to 6.
    #[inline(always)]
    pub fn height(&self, row: usize) -> usize {
        self.layout.height(row)
    }

    /// Number of slots that a row takes on each of its bodies, 1 or 2.
    #[inline(always)]
    pub fn groups(&self, row: usize) -> usize {
        self.layout.groups(row)
    }

    /// All bodies of a row, obstacles left out, each with the first slot of the row.
    #[inline(always)]
    pub fn all_sides(&self, row: usize) -> &[Side] {
        self.sides.of(row)
    }

    /// The places of a row on all its bodies, obstacles left out.
    pub fn each_place(&self, row: usize) -> impl Iterator<Item = PanelSlot> {
        self.all_sides(row)
            .iter()
            .map(|side| PanelSlot { body: side.body as usize, slot: side.slot as usize })
    }

    /// The place of a row on a body, unless the body is an obstacle.
    pub fn place_on(&self, row: usize, body: usize) -> Option<PanelSlot> {
        self.each_place(row).find(|place| place.body == body)
    }

    /// The places of all bodies of a row in the order of insertion, obstacles too; [`NOWHERE`] is the ground.
    #[inline(always)]
    pub fn all_ends(&self, row: usize) -> &[u32] {
        self.sides.ends_of(row)
    }

    /// Where the scalars of each row begin in vectors, and the end; empty while all rows are regular.
    pub fn scalar_starts(&self) -> &[i32] {
        &self.layout.scalars
    }

    /// Where the diagonal block of each row begins among the others, and the end; empty while all rows are regular.
    pub fn square_starts(&self) -> &[usize] {
        &self.layout.squares
    }

    /// Where the values of each block begin, and the end; empty while all rows are regular. They are listed when they are asked for
    /// first after a change, for they take 8 bytes a block.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn value_starts(&self) -> memory::Result<&[usize]> {
        if let Some(known) = self.value_starts.get() {
            return Ok(known);
        }
        let mut list = Vec::new();
        if self.has_irregular() {
            list = with_capacity(self.columns.len() + 1)?;
            for row in 0..self.len() {
                let (mut value, height) = (self.layout.row_values[row], self.height(row));
                for &column in &self.columns[self.starts[row] as usize..self.starts[row + 1] as usize] {
                    list.push(value);
                    value += height * self.height(column as usize);
                }
            }
            list.push(self.value_count());
        }
        Ok(self.value_starts.get_or_init(|| list))
    }

    /// The range of a row's scalars in vectors.
    #[inline(always)]
    pub fn scalars(&self, row: usize) -> Range<usize> {
        self.layout.scalars_of(row)
    }

    /// The range of a row's diagonal block among the others.
    #[inline(always)]
    pub fn square(&self, row: usize) -> Range<usize> {
        self.layout.square_of(row)
    }

    /// Where the values of a block of a row begin. To go along the blocks of a row, add [`Structure::values_in`] of each.
    #[inline(always)]
    pub fn values_from(&self, row: usize, place: usize) -> usize {
        self.layout.values_from(row, self.starts[row] as usize, &self.columns[..place])
    }

    /// The range of the values of a block of a row.
    #[inline(always)]
    pub fn values_of(&self, row: usize, place: usize) -> Range<usize> {
        let start = self.values_from(row, place);
        start..start + self.height(row) * self.height(self.columns[place] as usize)
    }

    /// Number of values of consecutive blocks of a row.
    #[inline(always)]
    pub fn values_in(&self, row: usize, places: Range<usize>) -> usize {
        self.height(row) * self.layout.scalars_in(row, &self.columns[places])
    }

    /// Where the values of a row end.
    #[inline(always)]
    pub fn values_end(&self, row: usize) -> usize {
        self.layout.values_of_rows(row..row + 1, &self.starts).end
    }

    /// Number of scalars of all rows.
    pub fn scalar_count(&self) -> usize {
        self.layout.scalars.last().map_or(3 * self.len(), |&end| end as usize)
    }

    /// Number of values of all diagonal blocks.
    pub fn square_count(&self) -> usize {
        self.layout.squares.last().copied().unwrap_or(9 * self.len())
    }

    /// Number of values of all blocks.
    pub fn value_count(&self) -> usize {
        self.layout.row_values.last().copied().unwrap_or(9 * self.columns.len())
    }

    /// Where the blocks of a row begin that are left of the diagonal, in columns from `first` on: the place of the block in column
    /// `first`, if there is one.
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

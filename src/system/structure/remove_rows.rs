//! Removes rows of deleted constraints, and takes rows of reattached constraints off their bodies until they are inserted again.
#![forbid(unsafe_code)]

use std::ops::{Range, SubAssign};

use crate::memory::{push, refill};
use crate::system::constraint::Constraint;
use crate::system::dirty::REATTACHED;
use crate::system::error::Result;
use crate::system::id_table::{GONE, Id, Table};
use crate::system::rows::Results;

use super::Structure;
use super::irregular_layout::IrregularLayout;

/// Stands for the new number of a row that leaves its bodies.
const LEAVES: i32 = -1;

impl Structure {
    /// Remove the rows of constraints that are gone, find the others in their table, and take rows marked as [`REATTACHED`] off
    /// their bodies until [`Structure::insert_rows`]. Lists of all rows or blocks are gone through once, without asking on which
    /// bodies each row is. `results`, if they are kept, move along. After an error nothing is left of the structure.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(in crate::system) fn remove_rows(
        &mut self,
        constraints: &Table<Constraint>,
        results: Option<&mut Results>,
    ) -> Result {
        self.whole_or_nothing(|own| own.remove_listed(constraints, results))
    }

    fn remove_listed(&mut self, constraints: &Table<Constraint>, results: Option<&mut Results>) -> Result {
        self.find(constraints)?;
        if self.removed.is_empty() && self.reattached.is_empty() {
            return Ok(());
        }
        // Bodies that lose rows; rows on no such body lose no blocks.
        let Self { sides, body_starts, changed_on_body, removed, reattached, .. } = self;
        refill(changed_on_body, body_starts.len() - 1, 0)?;
        for side in removed.iter().chain(&*reattached).flat_map(|&row| sides.of(row as usize)) {
            changed_on_body[side.body as usize] += 1;
        }
        self.list_touched(self.len())?;
        self.number();

        let values = results.map(|results| {
            let Results { values, b, v, diagonal, inverse } = results;
            let (layout, removed) = (&self.layout, &self.removed);
            [b, v].into_iter().for_each(|vector| keep(vector, removed, |row| layout.scalars_of(row)));
            [diagonal, inverse]
                .into_iter()
                .for_each(|blocks| keep(blocks, removed, |row| layout.square_of(row)));
            values
        });
        self.remove_blocks(values);
        let Self { sides, layout, ids, entries, removed, .. } = self;
        keep_rows(&mut sides.ends, removed);
        keep_rows(&mut sides.firsts, removed);
        sides.remove_wide(removed);
        keep_rows(ids, removed);
        keep_rows(entries, removed);
        if layout.is_there()
            && let Some(&first) = removed.first()
        {
            keep_rows(&mut layout.codes, removed);
            layout.list_again_from(first as usize);
            layout.clear_if_regular();
        }
        self.take_off_bodies();
        self.renumber();
        self.removed.clear();
        Ok(())
    }

    /// Find the new numbers of rows.
    fn number(&mut self) {
        let Self { cursors, removed, reattached, .. } = self;
        let (mut gone, mut next) = (0, 0);
        for &row in &*removed {
            (next - gone..).zip(&mut cursors[next as usize..row as usize]).for_each(|(new, row)| *row = new);
            cursors[row as usize] = LEAVES;
            (gone, next) = (gone + 1, row as i32 + 1);
        }
        (next - gone..).zip(&mut cursors[next as usize..]).for_each(|(new, row)| *row = new);
        reattached.iter().for_each(|&row| cursors[row as usize] = LEAVES);
    }

    /// Remove the blocks of leaving rows, but for the diagonal ones of reattached rows.
    fn remove_blocks(&mut self, values: Option<&mut Vec<f64>>) {
        let Self { starts, columns, diagonals, layout, cursors, reattached, touched, .. } = self;
        let is_reattached = |row: usize| reattached.binary_search(&(row as u32)).is_ok();
        // Rows before the first that loses blocks stay where they are.
        let (rows, next) = (diagonals.len(), touched[0] as usize);
        let (to, values_to) = (starts[next] as usize, layout.values_of_rows(next..next, starts).end);
        let mut empty = Vec::new();
        let values = values.unwrap_or(&mut empty);
        let mut kept =
            KeptBlocks { starts, columns, diagonals, layout, values, to, values_to, next, gone: 0 };
        for row in touched.iter().map(|&row| row as usize) {
            let own = kept.starts[row] as usize..kept.starts[row + 1] as usize;
            let mut value = kept.layout.values_of_rows(row..row + 1, kept.starts).start;
            let leaves = cursors[row] == LEAVES;
            let is_gone = leaves && !is_reattached(row);
            if !is_gone || kept.next < row {
                kept.keep_rows_before(row);
            }
            if is_gone {
                (kept.gone, kept.next) = (kept.gone + 1, row + 1);
                continue;
            }
            let (height, mut is_mixed) = (kept.layout.height(row), false);
            for k in own {
                let column = kept.columns[k] as usize;
                let (is_diagonal, scalars) = (column == row, kept.layout.height(column));
                let block_values = value..value + height * scalars;
                value = block_values.end;
                if is_diagonal || !leaves && cursors[column] != LEAVES {
                    if is_diagonal {
                        kept.diagonals[row - kept.gone] = kept.to as i32;
                    }
                    is_mixed |= scalars != 3;
                    kept.keep(k..k + 1, block_values);
                }
            }
            kept.layout.set_mixed(row, is_mixed);
        }
        kept.keep_rows_before(rows);
        let KeptBlocks { starts, columns, diagonals, layout, values, to, values_to, gone, .. } = kept;
        starts.truncate(rows - gone + 1);
        diagonals.truncate(rows - gone);
        columns.truncate(to);
        layout.row_values.truncate(rows - gone + 1);
        values.truncate(values_to);
    }

    /// Take leaving rows off their bodies.
    fn take_off_bodies(&mut self) {
        let Self { sides, body_starts, on_body, cursors, changed_on_body, .. } = self;
        // Consecutive bodies that lose no rows move together, as rows that lose no blocks do.
        let (mut up, mut next) = (0, 0);
        for body in (0..changed_on_body.len()).filter(|&body| changed_on_body[body] > 0) {
            let own = body_starts[body]..body_starts[body + 1];
            let together = body_starts[next]..own.start;
            shift(body_starts, next..body + 1, 0, up);
            let mut to = own.start - up;
            on_body.copy_within(together.clone(), to - together.len());
            let mut last = LEAVES;
            for k in own.clone() {
                let row = cursors[on_body[k] as usize];
                if row != LEAVES {
                    // The second slot of a row follows the first.
                    if row != last {
                        sides.set_slot(row as usize, body, (to - body_starts[body]) as u32);
                    }
                    last = row;
                    on_body[to] = on_body[k];
                    to += 1;
                }
            }
            (up, next) = (own.end - to, body + 1);
        }
        let together = body_starts[next]..on_body.len();
        shift(body_starts, next..changed_on_body.len() + 1, 0, up);
        on_body.copy_within(together.clone(), together.start - up);
        on_body.truncate(together.end - up);
    }

    /// Give rows their new numbers.
    fn renumber(&mut self) {
        let Self { on_body, starts, columns, cursors, removed, reattached, .. } = self;
        for row in reattached {
            let new = *row - removed.partition_point(|removed| *removed < *row) as u32;
            cursors[*row as usize] = new as i32;
            *row = new;
        }
        if let Some(&first) = removed.first() {
            // Most rows before the first removed one have no blocks with rows after it.
            let is_behind = |row: &usize| columns[starts[row + 1] as usize - 1] as u32 > first;
            let first = (0..first as usize).find(is_behind).unwrap_or(first as usize);
            renumber(&mut columns[starts[first] as usize..], removed, |column| cursors[column as usize]);
            renumber(on_body, removed, |row| cursors[row as usize] as u32);
        }
    }

    /// List the rows whose constraints are gone or have come to other bodies, and find the constraints of the others where the
    /// table has been closed up.
    fn find(&mut self, constraints: &Table<Constraint>) -> Result {
        let Self { ids, entries, removed, reattached, .. } = self;
        let (known, marks) = (constraints.ids(), constraints.marks());
        let mut place = 0;
        removed.clear();
        reattached.clear();
        for (row, (&id, entry)) in (0..).zip(ids.iter().zip(entries)) {
            let is_at = |place: usize| known.get(place) == Some(&(id as Id));
            if !is_at(*entry as usize) {
                place += known[place..].iter().take_while(|&&known| known < id as Id).count();
                *entry = place as u32;
            }
            if !is_at(*entry as usize) || marks[*entry as usize] == GONE {
                push(removed, row)?;
            } else if marks[*entry as usize] & REATTACHED != 0 {
                push(reattached, row)?;
            }
        }
        Ok(())
    }
}

/// Rows and blocks that move to the front, past those that are removed.
struct KeptBlocks<'a> {
    starts: &'a mut Vec<i32>,
    columns: &'a mut Vec<i32>,
    diagonals: &'a mut Vec<i32>,
    layout: &'a mut IrregularLayout,
    /// Empty if they are not kept.
    values: &'a mut Vec<f64>,
    /// Where the next kept block goes.
    to: usize,
    /// Where its values go.
    values_to: usize,
    /// The first row that has not been moved yet.
    next: usize,
    /// Number of removed rows.
    gone: usize,
}

impl KeptBlocks<'_> {
    /// Move all rows up to this one, which lose no blocks, and the start of this one.
    fn keep_rows_before(&mut self, row: usize) {
        let Self { starts, diagonals, layout, gone, .. } = self;
        let (rows, places) = (self.next..row, self.next..row + 1);
        let blocks = starts[rows.start] as usize..starts[row] as usize;
        let values = layout.values_of_rows(rows.clone(), starts);
        let up = (blocks.start - self.to) as i32;
        shift(starts, places.clone(), *gone, up);
        shift(diagonals, rows, *gone, up);
        layout.shift_values(places, *gone, values.start - self.values_to);
        self.keep(blocks, values);
        self.next = row + 1;
    }

    /// Move some blocks, which have these values, to the end of those kept so far.
    #[inline(always)]
    fn keep(&mut self, blocks: Range<usize>, values: Range<usize>) {
        let (count, size) = (blocks.len(), values.len());
        if blocks.start != self.to {
            self.columns.copy_within(blocks, self.to);
            if !self.values.is_empty() {
                self.values.copy_within(values, self.values_to);
            }
        }
        self.to += count;
        self.values_to += size;
    }
}

/// Move the places of some rows to the front by `up` rows, and subtract `by` from them.
pub(super) fn shift<T: Copy + SubAssign>(places: &mut [T], rows: Range<usize>, up: usize, by: T) {
    let to = rows.start - up;
    places.copy_within(rows.clone(), to);
    places[to..to + rows.len()].iter_mut().for_each(|place| *place -= by);
}

/// Give rows the numbers that they have without the removed ones, which ascend; `number` finds the number of each.
fn renumber<T: Copy + PartialOrd + SubAssign + From<bool> + TryFrom<u32>>(
    rows: &mut [T],
    removed: &[u32],
    number: impl Fn(T) -> T,
) {
    /// Comparing with this number of rows takes less time than looking up.
    const FEW: usize = 8;
    if removed.len() > FEW {
        rows.iter_mut().for_each(|row| *row = number(*row));
        return;
    }
    for removed in removed.iter().rev().filter_map(|&removed| T::try_from(removed).ok()) {
        rows.iter_mut().for_each(|row| *row -= T::from(*row > removed));
    }
}

/// Remove things of rows, which ascend; `of_row` finds the range of each.
fn keep<T: Copy>(things: &mut Vec<T>, removed: &[u32], of_row: impl Fn(usize) -> Range<usize>) {
    let mut to = removed.first().map_or(things.len(), |&row| of_row(row as usize).start);
    for (k, &row) in removed.iter().enumerate() {
        let end = removed.get(k + 1).map_or(things.len(), |&next| of_row(next as usize).start);
        let next = of_row(row as usize).end..end;
        things.copy_within(next.clone(), to);
        to += next.len();
    }
    things.truncate(to);
}

/// Remove rows from a list with one entry for each.
fn keep_rows<T: Copy>(list: &mut Vec<T>, removed: &[u32]) {
    keep(list, removed, |row| row..row + 1);
}

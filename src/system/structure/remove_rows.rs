//! Rows leave: those of constraints that are gone, and for a moment those that come to other bodies.
#![forbid(unsafe_code)]

use std::ops::{Range, SubAssign};

use crate::math::Block;
use crate::memory::{push, refill};
use crate::system::constraint::Constraint;
use crate::system::dirty::REATTACHED;
use crate::system::error::Result;
use crate::system::id_table::{GONE, Id, Table};
use crate::system::rows::Results;

use super::{Structure, set_slot};

/// In place of its new number: a row that leaves its bodies.
const LEAVES: i32 = -1;

impl Structure {
    /// Take out the rows of constraints that are gone, find the others in their table, and take those marked as [`REATTACHED`] off
    /// their bodies, until [`Structure::put_in`]. What is not the rows' own is gone through once, without asking what each row is
    /// on; `results`, if they are kept, move along. After an error nothing is left of the structure.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(in crate::system) fn take_out(
        &mut self,
        constraints: &Table<Constraint>,
        results: Option<&mut Results>,
    ) -> Result {
        self.whole_or_nothing(|own| own.take_rows_out(constraints, results))
    }

    fn take_rows_out(&mut self, constraints: &Table<Constraint>, results: Option<&mut Results>) -> Result {
        self.find(constraints)?;
        if self.taken.is_empty() && self.reattached.is_empty() {
            return Ok(());
        }
        // Bodies that lose rows; rows on no such body lose no blocks.
        let Self { sides, body_starts, changed_on_body, taken, reattached, .. } = self;
        refill(changed_on_body, body_starts.len() - 1, 0)?;
        let leaving = taken.iter().chain(&*reattached);
        for side in leaving.flat_map(|&row| &sides[row as usize]).filter(|side| side.is_there()) {
            changed_on_body[side.body as usize] += 1;
        }
        self.list_touched(self.len())?;
        self.number();

        let Self { ends, sides, ids, entries, taken, .. } = self;
        keep(ends, taken);
        keep(sides, taken);
        keep(ids, taken);
        keep(entries, taken);
        let values = results.map(|results| {
            let Results { values, b, v, diagonal, inverse, .. } = results;
            [b, v].into_iter().for_each(|vectors| keep(vectors, taken));
            [diagonal, inverse].into_iter().for_each(|blocks| keep(blocks, taken));
            values
        });
        self.take_blocks_out(values);
        self.take_off_bodies();
        self.renumber();
        self.taken.clear();
        Ok(())
    }

    /// Find the new numbers of rows.
    fn number(&mut self) {
        let Self { cursors, taken, reattached, .. } = self;
        let (mut gone, mut next) = (0, 0);
        for &row in &*taken {
            (next - gone..).zip(&mut cursors[next as usize..row as usize]).for_each(|(new, row)| *row = new);
            cursors[row as usize] = LEAVES;
            (gone, next) = (gone + 1, row as i32 + 1);
        }
        (next - gone..).zip(&mut cursors[next as usize..]).for_each(|(new, row)| *row = new);
        reattached.iter().for_each(|&row| cursors[row as usize] = LEAVES);
    }

    /// Take out the blocks that leaving rows have, but for the diagonal ones of reattached rows.
    fn take_blocks_out(&mut self, mut values: Option<&mut Vec<Block>>) {
        let Self { starts, columns, diagonals, cursors, reattached, touched, .. } = self;
        let is_reattached = |row: usize| reattached.binary_search(&(row as u32)).is_ok();
        // Rows before the first that loses blocks stay where they are. Starts from `next` on have not been written yet.
        let (rows, mut gone, mut next) = (diagonals.len(), 0, touched[0] as usize);
        let mut to = starts[next] as usize;
        for row in touched.iter().map(|&row| row as usize) {
            let own = starts[row] as usize..starts[row + 1] as usize;
            let together = starts[next] as usize..own.start;
            let up = together.start - to;
            to = own.start - up;
            shift(starts, next..row, gone, up as i32);
            shift(diagonals, next..row, gone, up as i32);
            move_up(columns, &mut values, together, to);
            next = row + 1;
            let leaves = cursors[row] == LEAVES;
            if leaves && !is_reattached(row) {
                gone += 1;
                continue;
            }
            starts[row - gone] = to as i32;
            for k in own {
                let is_diagonal = columns[k] as usize == row;
                if is_diagonal || !leaves && cursors[columns[k] as usize] != LEAVES {
                    if is_diagonal {
                        diagonals[row - gone] = to as i32;
                    }
                    move_up(columns, &mut values, k..k + 1, to + 1);
                    to += 1;
                }
            }
        }
        let together = starts[next] as usize..columns.len();
        let up = together.start - to;
        to = columns.len() - up;
        shift(starts, next..rows + 1, gone, up as i32);
        shift(diagonals, next..rows, gone, up as i32);
        move_up(columns, &mut values, together, to);
        starts.truncate(rows - gone + 1);
        diagonals.truncate(rows - gone);
        columns.truncate(to);
        if let Some(values) = values {
            values.truncate(to);
        }
    }

    /// Take leaving rows off their bodies.
    fn take_off_bodies(&mut self) {
        let Self { sides, body_starts, on_body, cursors, changed_on_body, .. } = self;
        // Bodies that lose no rows have theirs together, as rows have blocks.
        let (mut up, mut next) = (0, 0);
        for body in (0..changed_on_body.len()).filter(|&body| changed_on_body[body] > 0) {
            let own = body_starts[body]..body_starts[body + 1];
            let together = body_starts[next]..own.start;
            shift(body_starts, next..body + 1, 0, up);
            let mut to = own.start - up;
            on_body.copy_within(together.clone(), to - together.len());
            for k in own.clone() {
                let row = cursors[on_body[k] as usize];
                if row != LEAVES {
                    set_slot(&mut sides[row as usize], body, (to - body_starts[body]) as u32);
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
        let Self { on_body, starts, columns, cursors, taken, reattached, .. } = self;
        for row in reattached {
            let new = *row - taken.partition_point(|taken| *taken < *row) as u32;
            cursors[*row as usize] = new as i32;
            *row = new;
        }
        if let Some(&first) = taken.first() {
            // Most rows before the first that goes are on nothing behind it.
            let is_behind = |row: &usize| columns[starts[row + 1] as usize - 1] as u32 > first;
            let first = (0..first as usize).find(is_behind).unwrap_or(first as usize);
            renumber(&mut columns[starts[first] as usize..], taken, |column| cursors[column as usize]);
            renumber(on_body, taken, |row| cursors[row as usize] as u32);
        }
    }

    /// List the rows whose constraints are gone or have come to other bodies, and find the others' where the table has been closed
    /// up.
    fn find(&mut self, constraints: &Table<Constraint>) -> Result {
        let Self { ids, entries, taken, reattached, .. } = self;
        let (known, marks) = (constraints.ids(), constraints.marks());
        let mut place = 0;
        taken.clear();
        reattached.clear();
        for (row, (&id, entry)) in (0..).zip(ids.iter().zip(entries)) {
            let is_at = |place: usize| known.get(place) == Some(&(id as Id));
            if !is_at(*entry as usize) {
                place += known[place..].iter().take_while(|&&known| known < id as Id).count();
                *entry = place as u32;
            }
            if !is_at(*entry as usize) || marks[*entry as usize] == GONE {
                push(taken, row)?;
            } else if marks[*entry as usize] & REATTACHED != 0 {
                push(reattached, row)?;
            }
        }
        Ok(())
    }
}

/// Move some blocks up, so that they end where `end` is; `values` are those of `columns`.
#[inline(always)]
fn move_up(columns: &mut [i32], values: &mut Option<&mut Vec<Block>>, blocks: Range<usize>, end: usize) {
    let to = end - blocks.len();
    if blocks.start != to {
        columns.copy_within(blocks.clone(), to);
        if let Some(values) = values {
            values.copy_within(blocks, to);
        }
    }
}

/// Move the places of some rows up by so many rows, and lessen them.
fn shift<T: Copy + SubAssign>(places: &mut [T], rows: Range<usize>, up: usize, by: T) {
    let to = rows.start - up;
    places.copy_within(rows.clone(), to);
    places[to..to + rows.len()].iter_mut().for_each(|place| *place -= by);
}

/// Give rows the numbers that they have without those that are taken out, ascending; `number` tells that of each.
fn renumber<T: Copy + PartialOrd + SubAssign + From<bool> + TryFrom<u32>>(
    rows: &mut [T],
    taken: &[u32],
    number: impl Fn(T) -> T,
) {
    /// So many are compared with sooner than looked up.
    const FEW: usize = 8;
    if taken.len() > FEW {
        rows.iter_mut().for_each(|row| *row = number(*row));
        return;
    }
    for taken in taken.iter().rev().filter_map(|&taken| T::try_from(taken).ok()) {
        rows.iter_mut().for_each(|row| *row -= T::from(*row > taken));
    }
}

/// Take out the things of rows, ascending.
fn keep<T: Copy>(things: &mut Vec<T>, taken: &[u32]) {
    let mut to = taken.first().map_or(things.len(), |&row| row as usize);
    for (k, &row) in taken.iter().enumerate() {
        let next = row as usize + 1..taken.get(k + 1).map_or(things.len(), |&next| next as usize);
        things.copy_within(next.clone(), to);
        to += next.len();
    }
    things.truncate(to);
}

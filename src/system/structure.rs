//! Which rows are on which bodies, and so which blocks W has.
#![forbid(unsafe_code)]

use std::ops::{Range, SubAssign};

use crate::assembly::update::pairs::Coupling;
use crate::assembly::update::scene::Place;
use crate::assembly::update::whole_rows::Run;
use crate::block::Block;
use crate::memory::{push, refill};

use super::body::{Body, Inertia};
use super::changes::REBOUND;
use super::constraint::Constraint;
use super::error::{Error, Fault, Result};
use super::rows::{Results, resized};
use super::table::{GONE, Id, Table};

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

/// Rows, one a constraint in the order of ids, and their blocks.
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
    rebound: Vec<u32>,
    /// The rows that lose or get blocks, ascending.
    touched: Vec<u32>,
}

/// In place of its new number: a row that leaves its bodies.
const LEAVES: i32 = -1;

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

    /// Take out the rows of constraints that are gone, find the others in their table, and take those marked as [`REBOUND`] off their
    /// bodies, until [`Structure::put_in`]. What is not the rows' own is gone through once, without asking what each row is on;
    /// `results`, if they are kept, move along. After an error nothing is left of the structure.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(super) fn take_out(
        &mut self,
        constraints: &Table<Constraint>,
        results: Option<&mut Results>,
    ) -> Result {
        self.whole_or_nothing(|own| own.take_rows_out(constraints, results))
    }

    fn take_rows_out(&mut self, constraints: &Table<Constraint>, results: Option<&mut Results>) -> Result {
        self.find(constraints)?;
        if self.taken.is_empty() && self.rebound.is_empty() {
            return Ok(());
        }
        // Bodies that lose rows; rows on no such body lose no blocks.
        let Self { sides, body_starts, changed_on_body, taken, rebound, .. } = self;
        refill(changed_on_body, body_starts.len() - 1, 0)?;
        let leaving = taken.iter().chain(&*rebound);
        for side in leaving.flat_map(|&row| &sides[row as usize]).filter(|side| side.is_there()) {
            changed_on_body[side.body as usize] += 1;
        }
        self.list_touched(self.len())?;

        let Self { ends, sides, ids, entries, body_starts, on_body, starts, columns, diagonals, .. } = self;
        let Self { cursors, changed_on_body, taken, rebound, touched, .. } = self;
        let mut values = results.map(|results| {
            let Results { values, b, v, diagonal, inverse, .. } = results;
            [b, v].into_iter().for_each(|vectors| keep(vectors, taken));
            [diagonal, inverse].into_iter().for_each(|blocks| keep(blocks, taken));
            values
        });
        // The new numbers of rows.
        let (mut gone, mut next) = (0, 0);
        for &row in &*taken {
            (next - gone..).zip(&mut cursors[next as usize..row as usize]).for_each(|(new, row)| *row = new);
            cursors[row as usize] = LEAVES;
            (gone, next) = (gone + 1, row as i32 + 1);
        }
        (next - gone..).zip(&mut cursors[next as usize..]).for_each(|(new, row)| *row = new);
        let is_rebound = |row: usize| rebound.binary_search(&(row as u32)).is_ok();
        rebound.iter().for_each(|&row| cursors[row as usize] = LEAVES);

        // Rows before the first that loses blocks stay where they are. Starts from `next` on have not been written yet.
        let (rows, mut gone, mut next) = (ids.len(), 0, touched[0] as usize);
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
            if leaves && !is_rebound(row) {
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
        keep(ends, taken);
        keep(sides, taken);
        keep(ids, taken);
        keep(entries, taken);
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

        for row in rebound {
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
        taken.clear();
        Ok(())
    }

    /// List the rows whose constraints are gone or have come to other bodies, and find the others' where the table has been closed up.
    fn find(&mut self, constraints: &Table<Constraint>) -> Result {
        let Self { ids, entries, taken, rebound, .. } = self;
        let (known, marks) = (constraints.ids(), constraints.marks());
        let mut place = 0;
        taken.clear();
        rebound.clear();
        for (row, (&id, entry)) in (0..).zip(ids.iter().zip(entries)) {
            let is_at = |place: usize| known.get(place) == Some(&(id as Id));
            if !is_at(*entry as usize) {
                place += known[place..].iter().take_while(|&&known| known < id as Id).count();
                *entry = place as u32;
            }
            if !is_at(*entry as usize) || marks[*entry as usize] == GONE {
                push(taken, row)?;
            } else if marks[*entry as usize] & REBOUND != 0 {
                push(rebound, row)?;
            }
        }
        Ok(())
    }

    /// List the rows that lose or get blocks, ascending: those on bodies whose rows change, those that are taken or rebound, and those
    /// from `first` on.
    fn list_touched(&mut self, first: usize) -> Result {
        /// Most rows lose none: so many are looked at at a time.
        const TOGETHER: usize = 16;
        let rows = self.len();
        let Self { body_starts, on_body, cursors, changed_on_body, taken, rebound, touched, .. } = self;
        refill(cursors, rows, 0)?;
        for (body, _) in changed_on_body.iter().enumerate().filter(|(_, count)| **count > 0) {
            on_body[body_starts[body]..body_starts[body + 1]]
                .iter()
                .for_each(|&row| cursors[row as usize] = 1);
        }
        taken.iter().chain(&*rebound).for_each(|&row| cursors[row as usize] = 1);
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

    /// Put rows of constraints behind that have none yet, and those that have been taken off their bodies on others. Bodies have no
    /// gaps. `results`, if they are kept, move along. After an error nothing is left of the structure.
    ///
    /// # Errors
    /// If memory is exhausted, or an `i32` cannot count the constraints or the blocks.
    pub(super) fn put_in(
        &mut self,
        bodies: &Table<Body>,
        constraints: &Table<Constraint>,
        results: Option<&mut Results>,
    ) -> Result {
        self.whole_or_nothing(|own| own.put_rows_in(bodies, constraints, results, i32::MAX))
    }

    fn put_rows_in(
        &mut self,
        bodies: &Table<Body>,
        constraints: &Table<Constraint>,
        results: Option<&mut Results>,
        most: i32,
    ) -> Result {
        if i32::try_from(constraints.len()).is_err() {
            return Err(Error::of_system(Fault::Invalid("there are more constraints than an int can count")));
        }
        let first = self.len();
        self.list_rows(bodies, constraints)?;
        self.list_on_bodies(first, bodies)?;
        self.list_blocks(first, results, most)
    }

    /// List the bodies of rebound and new rows, and count these.
    fn list_rows(&mut self, bodies: &Table<Body>, constraints: &Table<Constraint>) -> Result {
        let Self { ends, sides, ids, entries, body_starts, changed_on_body, rebound, .. } = self;
        refill(changed_on_body, bodies.len(), 0)?;
        let known = ids.last().map_or(0, |&id| constraints.ids().partition_point(|&other| other <= id as Id));
        let new = constraints.len() - ids.len();
        ends.try_reserve(new)?;
        sides.try_reserve(new)?;
        ids.try_reserve(new)?;
        entries.try_reserve(new)?;
        let mut sides_of = |place: usize| {
            let on_bodies = constraints.things()[place].as_ref().map_or([None; 2], Constraint::bodies);
            let own =
                on_bodies.map(|id| id.and_then(|id| bodies.place(id)).map_or(NOWHERE, |place| place as u32));
            let other = if own[0] == own[1] { NOWHERE } else { own[1] };
            let (mut both, mut count) = ([Side::NONE; 2], 0);
            for body in [own[0], other].into_iter().filter(|&body| body != NOWHERE) {
                let place = body as usize;
                let inertia = bodies.things()[place].as_ref().map(Body::inertia);
                if !matches!(inertia, Some(Inertia::Obstacle)) {
                    let old = body_starts.get(place + 1).map_or(0, |end| end - body_starts[place]);
                    both[count] = Side { body, slot: old as u32 + changed_on_body[place] };
                    changed_on_body[place] += 1;
                    count += 1;
                }
            }
            (own, both)
        };
        for row in rebound.iter().map(|&row| row as usize) {
            (ends[row], sides[row]) = sides_of(entries[row] as usize);
        }
        for place in constraints.live_places_from(known) {
            let (own, both) = sides_of(place);
            ids.push(constraints.ids()[place] as i64);
            entries.push(place as u32);
            ends.push(own);
            sides.push(both);
        }
        Ok(())
    }

    /// List rebound and new rows on their bodies, new bodies too.
    fn list_on_bodies(&mut self, first: usize, bodies: &Table<Body>) -> Result {
        let Self { sides, body_starts, on_body, offsets, changed_on_body, rebound, .. } = self;
        for starts in [&mut *body_starts, &mut *offsets] {
            starts.try_reserve(bodies.len() + 1 - starts.len())?;
            if starts.is_empty() {
                starts.push(0);
            }
        }
        let mut dofs = offsets[offsets.len() - 1];
        let new_bodies = bodies.things()[offsets.len() - 1..].iter().flatten();
        offsets.extend(new_bodies.map(|body| {
            dofs += body.dofs();
            dofs
        }));
        body_starts.resize(bodies.len() + 1, on_body.len());
        let new = changed_on_body.iter().map(|&count| count as usize).sum::<usize>();
        let mut end = on_body.len();
        on_body.try_reserve(new)?;
        on_body.resize(end + new, 0);
        // From the last body on: those that get no rows have theirs together, and so do the others but for the new ones.
        let (mut down, mut last) = (new, bodies.len());
        for body in (0..bodies.len()).rev().filter(|&body| changed_on_body[body] > 0) {
            let behind = body_starts[body + 1];
            body_starts[body + 1..=last].iter_mut().for_each(|start| *start += down);
            on_body.copy_within(behind..end, behind + down);
            down -= changed_on_body[body] as usize;
            (end, last) = (behind, body);
        }
        for row in rebound.iter().copied().chain(first as u32..sides.len() as u32) {
            for side in sides[row as usize].iter().filter(|side| side.is_there()) {
                on_body[body_starts[side.body as usize] + side.slot as usize] = row;
            }
        }
        // Rebound rows come between others.
        for &row in &*rebound {
            for side in sides[row as usize].into_iter().filter(|side| side.is_there()) {
                let body = side.body as usize;
                let rows = &mut on_body[body_starts[body]..body_starts[body + 1]];
                rows.sort_unstable();
                (0..).zip(&*rows).for_each(|(slot, &row)| set_slot(&mut sides[row as usize], body, slot));
            }
        }
        Ok(())
    }

    /// List the blocks of rebound rows and of those from `first` on, and those of other rows in their columns.
    fn list_blocks(&mut self, first: usize, results: Option<&mut Results>, most: i32) -> Result {
        let rows = self.len();
        self.list_touched(first)?;
        let mut cursors = std::mem::take(&mut self.cursors);
        let counted = self.count_blocks(first, &mut cursors, most);
        let Self { starts, columns, diagonals, .. } = self;
        let new = match counted {
            Ok(new) => new,
            Err(error) => {
                self.cursors = cursors;
                return Err(error);
            }
        };
        starts.try_reserve(rows + 1 - starts.len())?;
        if starts.is_empty() {
            starts.push(0);
        }
        diagonals.try_reserve(rows - diagonals.len())?;
        diagonals.resize(rows, 0);
        let (old, all) = (columns.len(), columns.len() + new);
        columns.try_reserve(new)?;
        columns.resize(all, 0);
        let mut values = results.map(|results| &mut results.values);
        if let Some(values) = &mut values {
            resized(values, all, [0.0; 9])?;
        }
        starts.resize(rows + 1, old as i32);
        // From the last row on: blocks up to there move down by so many, row by row fewer.
        let (mut down, mut end, mut last) = (new, old, rows);
        for row in self.touched.iter().rev().map(|&row| row as usize) {
            let behind = starts[row + 1] as usize;
            starts[row + 1..=last].iter_mut().for_each(|start| *start += down as i32);
            diagonals[row + 1..last].iter_mut().for_each(|place| *place += down as i32);
            columns.copy_within(behind..end, behind + down);
            if let Some(values) = &mut values {
                values.copy_within(behind..end, behind + down);
            }
            let more = cursors[row] as usize;
            // New blocks stand behind those that were there.
            down -= more;
            cursors[row] = (behind + down) as i32;
            if row < first {
                diagonals[row] += down as i32;
            }
            (end, last) = (behind, row);
        }
        self.cursors = cursors;
        self.fill_blocks(first);
        if !self.rebound.is_empty() {
            self.sort_blocks(first, values);
        }
        self.rebound.clear();
        Ok(())
    }

    /// Write to `more` how many blocks each row gets if those from `first` on are new, and rebound ones come; all together. Rows that
    /// get some are listed.
    fn count_blocks(&self, first: usize, more: &mut Vec<i32>, most: i32) -> Result<usize> {
        let too_many = Error::of_system(Fault::Invalid("W has more blocks than an int can count"));
        let most = most as usize;
        // The rows on one body are coupled with each other. So much is known without counting.
        let is_too_large = |rows: &[usize]| (rows[1] - rows[0]).saturating_pow(2) > most;
        if self.body_starts.windows(2).any(is_too_large) {
            return Err(too_many);
        }
        refill(more, self.len(), 0)?;
        let mut total = self.columns.len();
        for row in self.touched.iter().map(|&row| row as usize) {
            let mut later = 0;
            for column in self.later_from(row, first) {
                more[column] += 1;
                later += 1;
            }
            let own = i32::from(row >= first);
            more[row] += own + later;
            total += own as usize + 2 * later as usize;
            if total > most {
                return Err(too_many);
            }
        }
        Ok(total - self.columns.len())
    }

    /// Put the columns of blocks that [`Structure::count_blocks`] has counted where `cursors` says for each row.
    fn fill_blocks(&mut self, first: usize) {
        let (mut columns, mut cursors) =
            (std::mem::take(&mut self.columns), std::mem::take(&mut self.cursors));
        let mut diagonals = std::mem::take(&mut self.diagonals);
        let mut put = |row: usize, column: usize| {
            let place = cursors[row];
            columns[place as usize] = column as i32;
            cursors[row] += 1;
            place
        };
        // What is to the left of a row's diagonal has been put there by the rows before.
        for row in self.touched.iter().map(|&row| row as usize) {
            if row >= first {
                diagonals[row] = put(row, row);
            }
            for column in self.later_from(row, first) {
                put(row, column);
                put(column, row);
            }
        }
        (self.columns, self.cursors, self.diagonals) = (columns, cursors, diagonals);
    }

    /// Bring the blocks of rows before `first` into the order of their columns: those of rebound rows come between others.
    fn sort_blocks(&mut self, first: usize, mut values: Option<&mut Vec<Block>>) {
        let Self { starts, columns, diagonals, touched, .. } = self;
        for row in touched.iter().map(|&row| row as usize).take_while(|&row| row < first) {
            let own = starts[row] as usize..starts[row + 1] as usize;
            for k in own.clone() {
                let place = own.start + columns[own.start..k].partition_point(|&column| column < columns[k]);
                columns[place..=k].rotate_right(1);
                if let Some(values) = &mut values {
                    values[place..=k].rotate_right(1);
                }
            }
            diagonals[row] =
                starts[row] + columns[own].partition_point(|&column| (column as usize) < row) as i32;
        }
    }

    /// The rows behind `row` that newly share a body with it: one of the two is rebound, or not before `first`.
    fn later_from(&self, row: usize, first: usize) -> impl Iterator<Item = usize> {
        let is_new = move |row: usize| row >= first || self.rebound.binary_search(&(row as u32)).is_ok();
        let only_behind = self.rebound.is_empty();
        let later = Later(self.rests(row, |side| {
            let body = side.body as usize;
            let count = self.rows_on(body).len();
            // Rows from `first` on have been listed behind the others.
            let old = count - self.changed_on_body[body] as usize;
            if row < first && only_behind { old..count } else { side.slot as usize + 1..count }
        }));
        later.map(|(column, _)| column).filter(move |&column| only_behind || is_new(row) || is_new(column))
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

    /// The rows behind `row` that share a body with it, ascending, with what couples `row` with them: each body in its place.
    pub fn later(&self, row: usize) -> Later<'_> {
        Later(self.rests(row, |side| side.slot as usize + 1..self.rows_on(side.body as usize).len()))
    }

    /// What couples a row of one body with the first of those behind it that share this body: the others have the slots that follow.
    #[inline(always)]
    pub fn later_on_one_body(&self, row: usize) -> Option<Coupling> {
        let [one, other] = self.sides[row];
        let (body, row) = (one.body as usize, one.slot as usize);
        (one.is_there() && !other.is_there()).then_some(Coupling { body, row, column: row + 1 })
    }

    /// The rows before `row` that share a body with it, ascending, with what couples `row` with them.
    pub fn earlier(&self, row: usize) -> impl Iterator<Item = (usize, [Option<Coupling>; 2])> {
        let others = Later(self.rests(row, |side| 0..side.slot as usize));
        let swapped = |Coupling { body, row, column }| Coupling { body, row: column, column: row };
        others.map(move |(column, [one, other])| (column, [one.map(swapped), other.map(swapped)]))
    }

    /// The row and all rows that share a body with it, as [`Structure::later`], but in runs of slots.
    #[inline(always)]
    pub fn runs(&self, row: usize) -> Runs<'_> {
        Runs(self.rests(row, |side| 0..self.rows_on(side.body as usize).len()))
    }

    #[inline(always)]
    fn rests(&self, row: usize, slots: impl Fn(Side) -> Range<usize>) -> [Rest<'_>; 2] {
        let [one, other] = self.sides[row];
        [self.rest(one, &slots), self.rest(other, &slots)]
    }

    #[inline(always)]
    fn rest(&self, side: Side, slots: &impl Fn(Side) -> Range<usize>) -> Rest<'_> {
        if !side.is_there() {
            return Rest::default();
        }
        let (Side { body, slot: own }, slots) = (side, slots(side));
        Rest { body, own, next: slots.start as u32, rows: &self.rows_on(body as usize)[slots] }
    }

    /// Where the blocks of a row begin that are left of the diagonal, in columns from `first` on: where that of `first` is, if there
    /// is one.
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

/// See [`Structure::later`].
pub struct Later<'a>([Rest<'a>; 2]);

#[derive(Clone, Copy, Default)]
struct Rest<'a> {
    body: u32,
    own: u32,
    next: u32,
    rows: &'a [u32],
}

impl Rest<'_> {
    /// The next row.
    #[inline(always)]
    fn row(&self) -> Option<u32> {
        self.rows.first().copied()
    }

    /// What couples it with the row at hand.
    #[inline(always)]
    fn take(&mut self) -> Option<Coupling> {
        self.take_some(1)
    }

    /// What couples it with the row at hand; so many rows are taken.
    #[inline(always)]
    fn take_some(&mut self, count: usize) -> Option<Coupling> {
        let column = self.next as usize;
        self.rows = &self.rows[count..];
        self.next += count as u32;
        Some(Coupling { body: self.body as usize, row: self.own as usize, column })
    }

    /// All rows before another one.
    #[inline(always)]
    fn take_before(&mut self, row: Option<u32>) -> Run {
        let count = match row {
            Some(row) => self.rows.iter().take_while(|&&own| own < row).count(),
            None => self.rows.len(),
        };
        Run { couplings: [self.take_some(count), None], count }
    }
}

/// See [`Structure::runs`].
pub struct Runs<'a>([Rest<'a>; 2]);

impl Iterator for Runs<'_> {
    type Item = Run;

    #[inline(always)]
    fn next(&mut self) -> Option<Run> {
        let [one, other] = &mut self.0;
        match (one.row(), other.row()) {
            (None, None) => None,
            (Some(row), Some(same)) if row == same => {
                Some(Run { couplings: [one.take(), other.take()], count: 1 })
            }
            (Some(row), later) if later.is_none_or(|later| row < later) => Some(one.take_before(later)),
            (later, _) => Some(other.take_before(later)),
        }
    }
}

impl Iterator for Later<'_> {
    type Item = (usize, [Option<Coupling>; 2]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let [one, other] = &mut self.0;
        let (row, couplings) = match (one.row(), other.row()) {
            (None, None) => return None,
            (Some(row), Some(same)) if row == same => (row, [one.take(), other.take()]),
            (Some(row), None) => (row, [one.take(), None]),
            (Some(row), Some(later)) if row < later => (row, [one.take(), None]),
            (_, Some(row)) => (row, [None, other.take()]),
        };
        Some((row as usize, couplings))
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

/// Give a row another slot on a body that it is on.
fn set_slot(sides: &mut [Side; 2], body: usize, slot: u32) {
    sides.iter_mut().filter(|side| side.body as usize == body).for_each(|side| side.slot = slot);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{Kinematics, Placement};

    /// Ten rows between two bodies, five of them on a third one too.
    fn tables() -> (Table<Body>, Table<Constraint>) {
        let (mut bodies, mut constraints) = (Table::default(), Table::default());
        for _ in 0..3 {
            let inertia = Inertia::diagonal(&[1.0]).unwrap();
            bodies.insert(Body::new(1, Kinematics::General, inertia).unwrap(), 0).unwrap();
        }
        for k in 0..10 {
            let placement = Placement::Operators([None, None]);
            let sides = [Some(k % 2), Some(if k % 2 == 0 { 2 } else { 1 })];
            constraints.insert(Constraint { bodies: sides, placement, compliance: None }, 0).unwrap();
        }
        (bodies, constraints)
    }

    #[test]
    fn blocks_are_counted_up_to_a_limit() {
        let (bodies, constraints) = tables();
        let counted = |most: i32| {
            let mut structure = Structure::default();
            structure.put_rows_in(&bodies, &constraints, None, most).map(|()| structure.columns().len())
        };
        assert_eq!(counted(50).unwrap(), 50);
        // One body alone has too many; all together have.
        for most in [24, 49] {
            let error = counted(most).unwrap_err();
            assert_eq!(error.to_string(), "system: W has more blocks than an int can count");
        }
    }
}

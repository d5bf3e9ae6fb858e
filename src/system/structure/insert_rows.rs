//! Inserts the rows of new constraints after all others, and reattached rows in place.
#![forbid(unsafe_code)]

use crate::memory::{refill, resize};
use crate::system::body::{Body, Inertia};
use crate::system::constraint::Constraint;
use crate::system::error::{Error, Fault, Result};
use crate::system::id_table::{Id, Table};
use crate::system::rows::{Results, resized};

use super::MOST_BODIES;
use super::Structure;
use super::irregular_layout::{IrregularLayout, code, groups};
use super::sides::{NOWHERE, Side, WideRow};

impl Structure {
    /// Insert rows of constraints that have none yet after the others, and put rows that have been taken off their bodies on their
    /// new ones. Bodies have no gaps. `results`, if they are kept, move along. After an error nothing is left of the structure.
    ///
    /// # Errors
    /// If memory is exhausted, or an `i32` cannot count the constraints, the scalars of irregular systems or the blocks.
    pub(in crate::system) fn insert_rows(
        &mut self,
        bodies: &Table<Body>,
        constraints: &Table<Constraint>,
        results: Option<&mut Results>,
    ) -> Result {
        self.whole_or_nothing(|own| own.insert_at_most(bodies, constraints, results, i32::MAX))
    }

    pub(super) fn insert_at_most(
        &mut self,
        bodies: &Table<Body>,
        constraints: &Table<Constraint>,
        results: Option<&mut Results>,
        most: i32,
    ) -> Result {
        if i32::try_from(constraints.len()).is_err() {
            return Err(Error::of_system(Fault::TooLarge("there are more constraints")));
        }
        let first = self.len();
        self.list_rows(bodies, constraints)?;
        self.layout.list_rows(&self.starts, most)?;
        self.list_on_bodies(first, bodies)?;
        self.list_blocks(first, results, most)?;
        self.layout.clear_if_regular();
        self.layout.list_sums(&self.starts, &self.columns)?;
        Ok(())
    }

    /// List the bodies and heights of reattached and new rows, and count their slots on each body.
    fn list_rows(&mut self, bodies: &Table<Body>, constraints: &Table<Constraint>) -> Result {
        let Self { sides, layout, ids, entries, body_starts, changed_on_body, reattached, .. } = self;
        refill(changed_on_body, bodies.len(), 0)?;
        let known = ids.last().map_or(0, |&id| constraints.ids().partition_point(|&other| other <= id));
        let new = constraints.len() - ids.len();
        sides.reserve(new)?;
        ids.try_reserve(new)?;
        entries.try_reserve(new)?;
        sides.wide.retain(|wide| reattached.binary_search(&wide.row).is_err());
        let mut attaching = Attaching { bodies, body_starts, changed_on_body };
        for row in reattached.iter().map(|&row| row as usize) {
            if let Some(constraint) = &constraints.things()[entries[row] as usize] {
                debug_assert_eq!(layout.height(row), constraint.rows(), "heights do not change");
                layout.set(row, code(constraint), ids.len())?;
                let (ends, own) = attaching.attach(row, constraint, &mut sides.wide)?;
                (sides.ends[row], sides.firsts[row]) = (ends, own);
            }
        }
        for place in constraints.live_places_from(known) {
            if let Some(constraint) = &constraints.things()[place] {
                let row = ids.len();
                layout.set(row, code(constraint), row)?;
                let (ends, own) = attaching.attach(row, constraint, &mut sides.wide)?;
                ids.push(constraints.ids()[place]);
                entries.push(place as u32);
                sides.ends.push(ends);
                sides.firsts.push(own);
            }
        }
        sides.wide.sort_unstable_by_key(|wide| wide.row);
        Ok(())
    }

    /// List reattached and new rows on their bodies, new bodies too.
    fn list_on_bodies(&mut self, first: usize, bodies: &Table<Body>) -> Result {
        let Self { sides, layout, body_starts, on_body, offsets, changed_on_body, reattached, .. } = self;
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
        // From the last body on: consecutive bodies without new slots move together.
        let (mut down, mut last) = (new, bodies.len());
        for body in (0..bodies.len()).rev().filter(|&body| changed_on_body[body] > 0) {
            let own_end = body_starts[body + 1];
            body_starts[body + 1..=last].iter_mut().for_each(|start| *start += down);
            on_body.copy_within(own_end..end, own_end + down);
            down -= changed_on_body[body] as usize;
            (end, last) = (own_end, body);
        }
        for row in reattached.iter().copied().chain(first as u32..sides.firsts.len() as u32) {
            let groups = layout.groups(row as usize);
            for side in sides.of(row as usize) {
                on_body[body_starts[side.body as usize] + side.slot as usize..][..groups].fill(row);
            }
        }
        // Reattached rows come between others.
        for &row in &*reattached {
            for k in 0..sides.of(row as usize).len() {
                let body = sides.of(row as usize)[k].body as usize;
                let rows = &mut on_body[body_starts[body]..body_starts[body + 1]];
                rows.sort_unstable();
                let mut last = None;
                for (slot, &row) in (0..).zip(&*rows) {
                    // The second slot of a row follows the first.
                    if last.replace(row) != Some(row) {
                        sides.set_slot(row as usize, body, slot);
                    }
                }
            }
        }
        Ok(())
    }

    /// List the blocks of reattached rows and of rows from `first` on, and the blocks of other rows in their columns.
    fn list_blocks(&mut self, first: usize, results: Option<&mut Results>, most: i32) -> Result {
        let rows = self.len();
        self.list_touched(first)?;
        let mut cursors = std::mem::take(&mut self.cursors);
        let counted = self.count_blocks(first, &mut cursors, most);
        self.cursors = cursors;
        let new = counted?;
        let Self { starts, columns, diagonals, layout, .. } = self;
        starts.try_reserve(rows + 1 - starts.len())?;
        if starts.is_empty() {
            starts.push(0);
        }
        diagonals.try_reserve(rows - diagonals.len())?;
        diagonals.resize(rows, 0);
        let (old, all) = (columns.len(), columns.len() + new);
        columns.try_reserve(new)?;
        columns.resize(all, 0);
        starts.resize(rows + 1, old as i32);
        let mut values = results.map(|results| &mut results.values);
        let is_irregular = layout.is_there();
        if let Some(values) = &mut values
            && !is_irregular
        {
            resized(values, 9 * all, 0.0)?;
        }
        let regular = values.as_deref_mut().filter(|_| !is_irregular);
        self.make_room(first, new, regular.map(Vec::as_mut_slice).unwrap_or_default());
        self.fill_blocks(first);
        if is_irregular {
            self.make_room_for_values(first, values.as_deref_mut())?;
        }
        if !self.reattached.is_empty() {
            self.sort_blocks(first, values.map(Vec::as_mut_slice).unwrap_or_default());
        }
        self.reattached.clear();
        Ok(())
    }

    /// Move blocks to the back so that each row has room for its new ones after the others, and write where these go to `cursors`,
    /// which have their numbers. `values` are empty if they are not kept, or some row is irregular.
    fn make_room(&mut self, first: usize, new: usize, values: &mut [f64]) {
        let Self { starts, columns, diagonals, cursors, touched, .. } = self;
        let mut down = new;
        let (mut end, mut last) = (columns.len() - down, diagonals.len());
        // From the last row on: blocks from there on move by `down`, which gets smaller row by row.
        for row in touched.iter().rev().map(|&row| row as usize) {
            let own_end = starts[row + 1] as usize;
            starts[row + 1..=last].iter_mut().for_each(|start| *start += down as i32);
            diagonals[row + 1..last].iter_mut().for_each(|place| *place += down as i32);
            columns.copy_within(own_end..end, own_end + down);
            if !values.is_empty() {
                values.copy_within(9 * own_end..9 * end, 9 * (own_end + down));
            }
            down -= cursors[row] as usize;
            cursors[row] = (own_end + down) as i32;
            if row < first {
                diagonals[row] += down as i32;
            }
            (end, last) = (own_end, row);
        }
    }

    /// Move values as [`Structure::make_room`] has moved blocks, in systems with irregular rows, after the columns of the new
    /// blocks are there. Values are `None` if they are not kept.
    fn make_room_for_values(&mut self, first: usize, values: Option<&mut Vec<f64>>) -> Result {
        self.note_uneven();
        let Self { starts, columns, layout, touched, .. } = self;
        let (mut end, rows) = (layout.row_values.last().copied().unwrap_or_default(), starts.len() - 1);
        resize(&mut layout.row_values, rows + 1, end)?;
        let length = |layout: &IrregularLayout, row: usize| {
            let columns = &columns[starts[row] as usize..starts[row + 1] as usize];
            layout.height(row) * layout.scalars_in(row, columns)
        };
        // New rows come after the others.
        let mut all = end;
        for row in first..rows {
            all += length(layout, row);
            layout.row_values[row + 1] = all;
        }
        let old = &touched[..touched.partition_point(|&row| (row as usize) < first)];
        let more = |layout: &IrregularLayout, row: usize| {
            length(layout, row) - (layout.row_values[row + 1] - layout.row_values[row])
        };
        let mut down = old.iter().map(|&row| more(layout, row as usize)).sum::<usize>();
        let values = match values {
            Some(values) => {
                resized(values, all + down, 0.0)?;
                &mut values[..]
            }
            None => &mut [],
        };
        let mut last = rows;
        for row in old.iter().rev().map(|&row| row as usize) {
            let (own_end, more) = (layout.row_values[row + 1], more(layout, row));
            layout.row_values[row + 1..=last].iter_mut().for_each(|start| *start += down);
            if !values.is_empty() {
                values.copy_within(own_end..end, own_end + down);
            }
            down -= more;
            (end, last) = (own_end, row);
        }
        Ok(())
    }

    /// Note which of the rows that get blocks have columns of other than three scalars. The columns are the rows on the same bodies, and
    /// bodies are fewer than blocks: each body is looked at once.
    fn note_uneven(&mut self) {
        /// The body has not been looked at yet, or all rows on it have three scalars.
        const UNKNOWN: u32 = 0;
        const EVEN: u32 = 1;
        let Self { sides, layout, body_starts, on_body, changed_on_body: kinds, touched, .. } = self;
        kinds.fill(UNKNOWN);
        for row in touched.iter().map(|&row| row as usize) {
            let mut is_uneven = layout.height(row) != 3;
            let own = if sides.wide.is_empty() { &sides.firsts[row][..] } else { sides.of(row) };
            for body in own.iter().filter(|side| side.is_there()).map(|side| side.body as usize) {
                let kind = &mut kinds[body];
                if *kind == UNKNOWN {
                    let rows = &on_body[body_starts[body]..body_starts[body + 1]];
                    *kind = EVEN + u32::from(rows.iter().any(|&row| layout.height(row as usize) != 3));
                }
                is_uneven |= *kind != EVEN;
            }
            layout.set_mixed(row, is_uneven);
        }
    }

    /// Write to `more` how many blocks each row gets if rows from `first` on are new, and reattached ones come; the number of all
    /// these blocks. Rows that get some are listed.
    fn count_blocks(&self, first: usize, more: &mut Vec<i32>, most: i32) -> Result<usize> {
        let too_many = Error::of_system(Fault::TooLarge("W has more blocks"));
        let most = most as usize;
        // The rows on one body are coupled with each other, and a row has at most two slots there. This is known without counting.
        let slots_of_row = if self.has_irregular() { 2 } else { 1 };
        let is_too_large = |starts: &[usize]| {
            let rows = (starts[1] - starts[0]).div_ceil(slots_of_row);
            rows.saturating_pow(2) > most
        };
        if self.body_starts.windows(2).any(is_too_large) {
            return Err(too_many);
        }
        refill(more, self.len(), 0)?;
        let mut total = self.columns.len();
        for row in self.touched.iter().map(|&row| row as usize) {
            let (mut later, own) = (0, i32::from(row >= first));
            self.each_later_from(row, first, |column| {
                more[column] += 1;
                later += 1;
            });
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
        let mut columns = std::mem::take(&mut self.columns);
        let mut cursors = std::mem::take(&mut self.cursors);
        let mut diagonals = std::mem::take(&mut self.diagonals);
        let mut put = |row: usize, column: usize| {
            let place = cursors[row];
            columns[place as usize] = column as i32;
            cursors[row] += 1;
            place
        };
        // Earlier rows have put the blocks to the left of a row's diagonal.
        for row in self.touched.iter().map(|&row| row as usize) {
            if row >= first {
                diagonals[row] = put(row, row);
            }
            self.each_later_from(row, first, |column| {
                put(row, column);
                put(column, row);
            });
        }
        (self.columns, self.cursors, self.diagonals) = (columns, cursors, diagonals);
    }

    /// Bring the blocks of rows before `first` into the order of their columns: blocks of reattached rows come between others.
    fn sort_blocks(&mut self, first: usize, values: &mut [f64]) {
        let Self { starts, columns, diagonals, layout, touched, .. } = self;
        for row in touched.iter().map(|&row| row as usize).take_while(|&row| row < first) {
            let own = starts[row] as usize..starts[row + 1] as usize;
            let height = layout.height(row);
            let mut value = layout.values_of_rows(row..row + 1, starts).start;
            for k in own.clone() {
                let size = height * layout.height(columns[k] as usize);
                let place = own.start + columns[own.start..k].partition_point(|&column| column < columns[k]);
                if place < k && !values.is_empty() {
                    let from = value - height * layout.sum(&columns[place..k]);
                    values[from..value + size].rotate_right(size);
                }
                columns[place..=k].rotate_right(1);
                value += size;
            }
            diagonals[row] =
                starts[row] + columns[own].partition_point(|&column| (column as usize) < row) as i32;
        }
    }

    /// Call a function with each row after `row` that newly shares a body with it: one of the two is reattached, or not before
    /// `first`.
    #[inline(always)]
    fn each_later_from(&self, row: usize, first: usize, mut each: impl FnMut(usize)) {
        let is_new = self.is_new_pair(row, first);
        self.each_in(
            row,
            |side, end| self.slots_from(row, side, end, first),
            |column| {
                if is_new(column) {
                    each(column);
                }
            },
        );
    }

    /// Whether a row and a later one newly share a body if they share one.
    #[inline(always)]
    fn is_new_pair(&self, row: usize, first: usize) -> impl Fn(usize) -> bool {
        let is_new = move |row: usize| row >= first || self.reattached.binary_search(&(row as u32)).is_ok();
        let only_after = self.reattached.is_empty();
        move |column| only_after || is_new(row) || is_new(column)
    }

    /// The slots of a body of a row, of which there are `end`, in which rows are that may newly share it with the row.
    #[inline(always)]
    fn slots_from(&self, row: usize, side: Side, end: usize, first: usize) -> std::ops::Range<usize> {
        // Slots of rows from `first` on have been listed after the others.
        let old = end - self.changed_on_body[side.body as usize] as usize;
        if row < first && self.reattached.is_empty() {
            old..end
        } else {
            side.slot as usize + self.groups(row)..end
        }
    }
}

/// Finds the bodies of rows, and counts the new slots on each body.
struct Attaching<'a> {
    bodies: &'a Table<Body>,
    body_starts: &'a [usize],
    changed_on_body: &'a mut [u32],
}

impl Attaching<'_> {
    /// The first two ends and sides of a row. A row on more than two bodies is also added to the list of wide rows.
    #[inline(always)]
    fn attach(
        &mut self,
        row: usize,
        constraint: &Constraint,
        wide: &mut Vec<WideRow>,
    ) -> Result<([u32; 2], [Side; 2])> {
        let bodies = self.bodies;
        let place = |id: Id| bodies.place(id).map_or(NOWHERE, |place| place as u32);
        let (groups, others) = (groups(constraint.rows()) as u32, constraint.others());
        let firsts = constraint.bodies().map(|id| id.map_or(NOWHERE, place));
        if others.is_empty() {
            return Ok((firsts, self.sides(&firsts, groups)));
        }
        let mut ends = [NOWHERE; MOST_BODIES];
        let all = firsts.into_iter().chain(others.iter().map(|(id, _)| place(*id)));
        ends.iter_mut().zip(all).for_each(|(end, place)| *end = place);
        let (count, sides) = (2 + others.len() as u32, self.sides(&ends, groups));
        wide.try_reserve(1)?;
        wide.push(WideRow { row: row as u32, count, ends, sides });
        Ok((firsts, [sides[0], sides[1]]))
    }

    /// The sides of a row with these ends: it takes `groups` slots after the others of each body that is no obstacle.
    #[inline(always)]
    fn sides<const N: usize>(&mut self, ends: &[u32; N], groups: u32) -> [Side; N] {
        let (mut sides, mut count) = ([Side::NONE; N], 0);
        for (k, &body) in ends.iter().enumerate() {
            if body == NOWHERE || ends[..k].contains(&body) {
                continue;
            }
            let place = body as usize;
            let inertia = self.bodies.things()[place].as_ref().map(Body::inertia);
            if !matches!(inertia, Some(Inertia::Obstacle)) {
                let old = self.body_starts.get(place + 1).map_or(0, |end| end - self.body_starts[place]);
                sides[count] = Side { body, slot: old as u32 + self.changed_on_body[place] };
                self.changed_on_body[place] += groups;
                count += 1;
            }
        }
        sides
    }
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
            constraints.insert(Constraint::regular(sides, placement), 0).unwrap();
        }
        (bodies, constraints)
    }

    #[test]
    fn blocks_are_counted_up_to_a_limit() {
        let (bodies, constraints) = tables();
        let counted = |most: i32| {
            let mut structure = Structure::default();
            structure.insert_at_most(&bodies, &constraints, None, most).map(|()| structure.columns().len())
        };
        assert_eq!(counted(50).unwrap(), 50);
        // One body alone has too many; all together have.
        for most in [24, 49] {
            let error = counted(most).unwrap_err();
            assert_eq!(error.to_string(), "system: W has more blocks than an int can count");
        }
    }
}

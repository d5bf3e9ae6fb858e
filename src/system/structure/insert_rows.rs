//! Rows come: those of new constraints, behind all others, and those that come to other bodies, where they were.
#![forbid(unsafe_code)]

use crate::math::Block;
use crate::memory::refill;
use crate::system::body::{Body, Inertia};
use crate::system::constraint::Constraint;
use crate::system::error::{Error, Fault, Result};
use crate::system::id_table::{Id, Table};
use crate::system::rows::{Results, resized};

use super::neighbours::Later;
use super::{NOWHERE, Side, Structure, set_slot};

impl Structure {
    /// Put rows of constraints behind that have none yet, and those that have been taken off their bodies on others. Bodies have no
    /// gaps. `results`, if they are kept, move along. After an error nothing is left of the structure.
    ///
    /// # Errors
    /// If memory is exhausted, or an `i32` cannot count the constraints or the blocks.
    pub(in crate::system) fn put_in(
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

    /// List the bodies of reattached and new rows, and count these.
    fn list_rows(&mut self, bodies: &Table<Body>, constraints: &Table<Constraint>) -> Result {
        let Self { ends, sides, ids, entries, body_starts, changed_on_body, reattached, .. } = self;
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
        for row in reattached.iter().map(|&row| row as usize) {
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

    /// List reattached and new rows on their bodies, new bodies too.
    fn list_on_bodies(&mut self, first: usize, bodies: &Table<Body>) -> Result {
        let Self { sides, body_starts, on_body, offsets, changed_on_body, reattached, .. } = self;
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
        for row in reattached.iter().copied().chain(first as u32..sides.len() as u32) {
            for side in sides[row as usize].iter().filter(|side| side.is_there()) {
                on_body[body_starts[side.body as usize] + side.slot as usize] = row;
            }
        }
        // Reattached rows come between others.
        for &row in &*reattached {
            for side in sides[row as usize].into_iter().filter(|side| side.is_there()) {
                let body = side.body as usize;
                let rows = &mut on_body[body_starts[body]..body_starts[body + 1]];
                rows.sort_unstable();
                (0..).zip(&*rows).for_each(|(slot, &row)| set_slot(&mut sides[row as usize], body, slot));
            }
        }
        Ok(())
    }

    /// List the blocks of reattached rows and of those from `first` on, and those of other rows in their columns.
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
        if !self.reattached.is_empty() {
            self.sort_blocks(first, values);
        }
        self.reattached.clear();
        Ok(())
    }

    /// Write to `more` how many blocks each row gets if those from `first` on are new, and reattached ones come; all together. Rows
    /// that get some are listed.
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

    /// Bring the blocks of rows before `first` into the order of their columns: those of reattached rows come between others.
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

    /// The rows behind `row` that newly share a body with it: one of the two is reattached, or not before `first`.
    fn later_from(&self, row: usize, first: usize) -> impl Iterator<Item = usize> {
        let is_new = move |row: usize| row >= first || self.reattached.binary_search(&(row as u32)).is_ok();
        let only_behind = self.reattached.is_empty();
        let later = Later(self.rests(row, |side| {
            let body = side.body as usize;
            let count = self.rows_on(body).len();
            // Rows from `first` on have been listed behind the others.
            let old = count - self.changed_on_body[body] as usize;
            if row < first && only_behind { old..count } else { side.slot as usize + 1..count }
        }));
        later.map(|(column, _)| column).filter(move |&column| only_behind || is_new(row) || is_new(column))
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

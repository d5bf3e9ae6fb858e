//! Which rows are on which bodies, and so which blocks W has.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::assembly::update::pairs::Coupling;
use crate::assembly::update::scene::Place;
use crate::assembly::update::whole_rows::Run;

use super::body::{Body, Inertia};
use super::constraint::Constraint;
use super::error::{Error, Fault};
use super::table::Table;

/// A body of a row, and the row's slot in its panel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// Place of the body.
    pub body: u32,
    /// Slot.
    pub slot: u32,
}

/// Rows, one a constraint in the order of ids, and their blocks.
#[derive(Debug, Default)]
pub struct Structure {
    /// Bodies of each row, obstacles left out; one that is master and slave is there once.
    sides: Vec<[Option<Side>; 2]>,
    /// Ids of the constraints.
    ids: Vec<i64>,
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
}

/// How many blocks ahead to prefetch the counterpart of a block.
pub(super) const AHEAD: usize = 12;

impl Structure {
    /// Make it anew; tables have no gaps. After an error it is to be made again.
    ///
    /// # Errors
    /// If memory is exhausted, or an `i32` cannot count the constraints or the blocks.
    pub fn build(&mut self, bodies: &Table<Body>, constraints: &Table<Constraint>) -> Result<(), Error> {
        if i32::try_from(constraints.len()).is_err() {
            return Err(Error::of_system(Fault::Invalid("there are more constraints than an int can count")));
        }
        self.ids.clear();
        self.ids.try_reserve(constraints.len())?;
        self.ids.extend(constraints.iter().map(|(id, _)| id as i64));
        self.list_bodies(bodies, constraints)?;
        self.list_blocks(constraints.len())
    }

    fn list_bodies(&mut self, bodies: &Table<Body>, constraints: &Table<Constraint>) -> Result<(), Error> {
        let Self { sides, body_starts, on_body, offsets, .. } = self;
        offsets.clear();
        offsets.try_reserve(bodies.len() + 1)?;
        offsets.push(0);
        let mut end = 0;
        offsets.extend(bodies.iter().map(|(_, body)| {
            end += body.dofs();
            end
        }));
        filled(body_starts, bodies.len() + 1, 0)?;
        filled(sides, constraints.len(), [None; 2])?;
        for (sides, (_, constraint)) in sides.iter_mut().zip(constraints.iter()) {
            let mut count = 0;
            for (k, id) in constraint.bodies().into_iter().enumerate() {
                let Some(id) = id.filter(|_| k == 0 || constraint.bodies()[0] != id) else { continue };
                let place = bodies.place(id);
                let is_obstacle =
                    bodies.get(id).is_some_and(|body| matches!(body.inertia(), Inertia::Obstacle));
                if let Some(place) = place.filter(|_| !is_obstacle) {
                    let slot = body_starts[place + 1] as u32;
                    sides[count] = Some(Side { body: place as u32, slot });
                    body_starts[place + 1] += 1;
                    count += 1;
                }
            }
        }
        for place in 0..bodies.len() {
            body_starts[place + 1] += body_starts[place];
        }
        filled(on_body, body_starts[bodies.len()], 0)?;
        for (row, sides) in sides.iter().enumerate() {
            for side in sides.iter().flatten() {
                on_body[body_starts[side.body as usize] + side.slot as usize] = row as u32;
            }
        }
        Ok(())
    }

    fn list_blocks(&mut self, rows: usize) -> Result<(), Error> {
        let (mut starts, mut columns) = (std::mem::take(&mut self.starts), std::mem::take(&mut self.columns));
        let (mut diagonals, mut cursors) =
            (std::mem::take(&mut self.diagonals), std::mem::take(&mut self.cursors));
        filled(&mut starts, rows + 1, 0)?;
        self.count_blocks(&mut starts, i32::MAX)?;
        filled(&mut columns, starts[rows] as usize, 0)?;
        filled(&mut diagonals, rows, 0)?;
        cursors.clear();
        cursors.try_reserve(rows)?;
        cursors.extend_from_slice(&starts[..rows]);
        let mut put = |row: usize, column: usize, cursors: &mut [i32]| {
            columns[cursors[row] as usize] = column as i32;
            cursors[row] += 1;
        };
        // What is to the left of a row's diagonal has been put there by the rows before.
        for row in 0..rows {
            diagonals[row] = cursors[row];
            put(row, row, &mut cursors);
            for (column, _) in self.later(row) {
                put(row, column, &mut cursors);
                put(column, row, &mut cursors);
            }
        }
        (self.starts, self.columns, self.diagonals, self.cursors) = (starts, columns, diagonals, cursors);
        Ok(())
    }

    /// Write to `starts`, which is all zero, where the blocks of each row begin, and the end.
    fn count_blocks(&self, starts: &mut [i32], most: i32) -> Result<(), Error> {
        let too_many = Error::of_system(Fault::Invalid("W has more blocks than an int can count"));
        let most = most as usize;
        // The rows on one body are coupled with each other. So much is known without counting.
        let is_too_large = |rows: &[usize]| (rows[1] - rows[0]).saturating_pow(2) > most;
        if self.body_starts.windows(2).any(is_too_large) {
            return Err(too_many);
        }
        let rows = self.len();
        let mut total = 0;
        for row in 0..rows {
            let mut later = 0;
            for (column, _) in self.later(row) {
                starts[column + 1] += 1;
                later += 1;
            }
            starts[row + 1] += 1 + later;
            total += 1 + 2 * later as usize;
            if total > most {
                return Err(too_many);
            }
        }
        for row in 0..rows {
            starts[row + 1] += starts[row];
        }
        Ok(())
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.sides.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.sides.is_empty()
    }

    /// Ids of the constraints, row by row.
    pub fn ids(&self) -> &[i64] {
        &self.ids
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

    /// The places of a row on its bodies, obstacles left out.
    #[inline(always)]
    pub fn places(&self, row: usize) -> [Option<Place>; 2] {
        let place = |side: Side| Place { body: side.body as usize, slot: side.slot as usize };
        let [first, second] = self.sides[row];
        [first.map(place), second.map(place)]
    }

    /// The rows on a body, ascending: slot by slot.
    pub fn rows_on(&self, body: usize) -> &[u32] {
        &self.on_body[self.body_starts[body]..self.body_starts[body + 1]]
    }

    /// Where the generalised velocities of a body lie if those of all are put one behind the other.
    pub fn dofs(&self, body: usize) -> Range<usize> {
        self.offsets[body]..self.offsets[body + 1]
    }

    /// The rows behind `row` that share a body with it, ascending, with what couples `row` with them: each body in its place.
    pub fn later(&self, row: usize) -> Later<'_> {
        Later(self.rests(row, |side| side.slot as usize + 1..self.rows_on(side.body as usize).len()))
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
        let rest = |side: Option<Side>| {
            let Some(side) = side else { return Rest::default() };
            let slots = slots(side);
            Rest {
                body: side.body,
                own: side.slot,
                next: slots.start as u32,
                rows: &self.rows_on(side.body as usize)[slots],
            }
        };
        self.sides[row].map(rest)
    }

    /// Where the blocks of a row begin that are left of the diagonal, in columns from `first` on.
    pub(super) fn first_left_from(&self, row: usize, first: usize) -> usize {
        let (start, diagonal) = (self.starts[row] as usize, self.diagonal(row));
        start + self.columns[start..diagonal].partition_point(|&column| (column as usize) < first)
    }

    /// Of rows that are taken in parts of `part`, call `copy` for each block right of the diagonal whose column is in another part,
    /// and its counterpart; `fetch` is told of counterparts some steps ahead. `cursors` has room for each row.
    pub(super) fn each_apart(
        &self,
        part: usize,
        cursors: &mut [i32],
        fetch: impl Fn(usize),
        mut copy: impl FnMut(usize, usize),
    ) {
        let rows = self.len();
        if part >= rows {
            return;
        }
        cursors.copy_from_slice(&self.starts[..rows]);
        for row in 0..rows {
            let end = (row / part + 1) * part;
            let (first, last) = (self.diagonal(row) + 1, self.starts[row + 1] as usize);
            let own = self.columns[first..last].partition_point(|&column| (column as usize) < end);
            for k in first + own..last {
                if let Some(&ahead) = self.columns[k..last].get(AHEAD) {
                    fetch(cursors[ahead as usize] as usize);
                }
                let cursor = &mut cursors[self.columns[k] as usize];
                copy(k, *cursor as usize);
                *cursor += 1;
            }
        }
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

/// Make a vector so many copies of a value.
pub(super) fn filled<T: Copy>(values: &mut Vec<T>, length: usize, value: T) -> Result<(), Error> {
    values.clear();
    values.try_reserve(length)?;
    values.resize(length, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::{Kinematics, Placement};

    /// Ten rows between two bodies, five of them on a third one too.
    fn structure() -> Structure {
        let (mut bodies, mut constraints) = (Table::default(), Table::default());
        for _ in 0..3 {
            let inertia = Inertia::diagonal(&[1.0]).unwrap();
            bodies.insert(Body::new(1, Kinematics::General, inertia).unwrap()).unwrap();
        }
        for k in 0..10 {
            let placement = Placement::Operators([None, None]);
            let sides = [Some(k % 2), Some(if k % 2 == 0 { 2 } else { 1 })];
            constraints.insert(Constraint { bodies: sides, placement, compliance: None }).unwrap();
        }
        let mut structure = Structure::default();
        structure.build(&bodies, &constraints).unwrap();
        structure
    }

    #[test]
    fn blocks_are_counted_up_to_a_limit() {
        let structure = structure();
        let blocks = structure.columns().len();
        assert_eq!(blocks, 50);
        let counted = |most: usize| {
            let mut starts = [0; 11];
            structure.count_blocks(&mut starts, most as i32).map(|()| starts)
        };
        assert_eq!(counted(blocks).unwrap(), *structure.starts());
        // One body alone has too many; all together have.
        for most in [24, blocks - 1] {
            let error = counted(most).unwrap_err();
            assert_eq!(error.to_string(), "system: W has more blocks than an int can count");
        }
    }
}

//! Operators H of many constraints at once: rows of a Jacobian J over the velocities of some bodies, one behind the other.
//!
//! All is looked at first. Then the columns of each row of three are put together once, from all rows of J that have lanes of it, in
//! memory that is there.
#![forbid(unsafe_code)]

mod insert;
mod rows;

use std::collections::TryReserveError;
use std::ops::Range;

use crate::block::Vector;
use crate::kinematics::Column;

use super::bulk::EntryError;
use super::changes;
use super::constraint::{Operator, Placement};
use super::error::{Error, Fault};
use super::mixed::{Entry, MOST_ROWS, Piece};
use super::model::{OTHER_KIND, System};
use super::table::Id;
pub use rows::Jacobian;
use rows::Part;

/// The columns of a body.
#[derive(Clone, Copy, Debug)]
struct Place {
    body: Id,
    first: usize,
    end: usize,
}

/// A lane of a row of three, and the row of J that it gets.
#[derive(Clone, Copy, Debug)]
struct Lane {
    triple: Id,
    lane: u8,
    row: u32,
    entry: u32,
}

/// Room for what is looked at.
#[derive(Debug, Default)]
pub(super) struct Room {
    places: Vec<Place>,
    by_columns: Vec<Place>,
    lanes: Vec<Lane>,
    columns: Vec<Column>,
}

impl Room {
    #[inline(always)]
    fn place(&self, body: Id) -> Option<Place> {
        match self.places[..] {
            [place] => Some(place).filter(|place| place.body == body),
            _ => {
                let found = self.places.binary_search_by_key(&body, |place| place.body).ok()?;
                Some(self.places[found])
            }
        }
    }

    /// The operators of a row of three on the bodies that have columns, with these.
    #[inline(always)]
    fn operators<'a>(
        &'a self,
        operators: &'a mut [Option<Operator>; 2],
        bodies: [Option<Id>; 2],
    ) -> impl Iterator<Item = (&'a mut Operator, Place)> {
        let all = operators.iter_mut().zip(bodies);
        all.filter_map(|(operator, body)| Some((operator.as_mut()?, self.place(body?)?)))
    }

    /// List the lanes of a constraint, of which the first row of J is told.
    #[inline(always)]
    fn list_lanes(
        &mut self,
        entry: usize,
        (piece, others): (Piece, &[Piece]),
        first: usize,
    ) -> Result<(), TryReserveError> {
        self.lanes.try_reserve(3 * (1 + others.len()))?;
        for piece in std::iter::once(&piece).chain(others) {
            for k in 0..piece.count {
                let row = (first + usize::from(piece.row + k)) as u32;
                self.lanes.push(Lane {
                    triple: piece.triple,
                    lane: piece.lane + k,
                    row,
                    entry: entry as u32,
                });
            }
        }
        Ok(())
    }
}

impl Place {
    /// A row in the columns of this body.
    #[inline(always)]
    fn of<'a>(&self, jacobian: &'a Jacobian, row: u32) -> Part<'a> {
        jacobian.part(row as usize, self.first, self.end)
    }
}

impl System {
    /// Give many constraints the operators that are rows of a Jacobian: of each constraint in turn as many rows as it has, over the
    /// velocities of these bodies in turn. Its operators on bodies that are not among these stay as they are.
    ///
    /// # Errors
    /// Of the first constraint that is not there, named earlier, given at points or by nodes, on none of the bodies or on one twice, or whose rows are
    /// ill-formed, not finite, or not zero in columns of other bodies than its own. If a body is not there or named twice, the shape is
    /// another, or memory is exhausted. After an error nothing has changed.
    pub fn set_jacobian(
        &mut self,
        bodies: impl Iterator<Item = Id>,
        constraints: impl Iterator<Item = Id>,
        jacobian: &Jacobian,
    ) -> Result<(), EntryError> {
        let mut room = std::mem::take(&mut self.room);
        let set = self.put_jacobian(bodies, constraints, jacobian, &mut room);
        self.room = room;
        set
    }

    fn put_jacobian(
        &mut self,
        bodies: impl Iterator<Item = Id>,
        constraints: impl Iterator<Item = Id>,
        jacobian: &Jacobian,
        room: &mut Room,
    ) -> Result<(), EntryError> {
        self.begin(bodies, jacobian, room)?;
        let is_finite = jacobian.is_finite();
        let mut end = 0;
        for (entry, id) in constraints.enumerate() {
            let failed = |error| EntryError { entry: Some(entry), error };
            let size = self.rows_of(id).map_err(failed)?;
            let rows = jacobian.next_rows(&mut end, size)?;
            let listed = self.pieces(id).and_then(|pieces| {
                jacobian.check_rows(rows.clone(), is_finite)?;
                self.check_columns_of(pieces, rows.clone(), jacobian, room)?;
                Ok(room.list_lanes(entry, pieces, rows.start)?)
            });
            listed.map_err(|fault| {
                self.subject(id).map_or_else(failed, |subject| failed(Error { subject, fault }))
            })?;
        }
        jacobian.check_end(end)?;
        self.make_room(jacobian, room)?;
        self.write(jacobian, room);
        self.values_change();
        Ok(())
    }

    /// Write rows of J into the lanes that are listed, for which there is room.
    fn write(&mut self, jacobian: &Jacobian, room: &mut Room) {
        let mut columns = std::mem::take(&mut room.columns);
        for group in room.lanes.chunk_by(|one, other| one.triple == other.triple) {
            let Some((triple, marks)) = self.constraints.get_mut(group[0].triple) else { continue };
            *marks |= changes::CHANGED;
            let bodies = triple.bodies;
            let Placement::Operators(operators) = &mut triple.placement else { continue };
            for (operator, place) in room.operators(operators, bodies) {
                let Some(own) = operator.columns_mut() else { continue };
                let mut sources = [None; 3];
                for lane in group {
                    sources[usize::from(lane.lane)] = Some(place.of(jacobian, lane.row));
                }
                if let [Some(one), Some(two), Some(three)] = sources {
                    replace([one, two, three], own);
                } else {
                    merge(own, sources, &mut columns);
                    own.clear();
                    own.extend_from_slice(&columns);
                }
            }
        }
        room.columns = columns;
    }

    /// Look at the shape of J, and list the bodies with their columns.
    fn begin(
        &self,
        bodies: impl Iterator<Item = Id>,
        jacobian: &Jacobian,
        room: &mut Room,
    ) -> Result<(), EntryError> {
        jacobian.check().map_err(Error::of_system)?;
        let [_, columns] = jacobian.shape();
        let Room { places, lanes, .. } = room;
        places.clear();
        lanes.clear();
        let mut end = 0;
        for (entry, id) in bodies.enumerate() {
            let failed = |error| EntryError { entry: Some(entry), error };
            let dofs = self.body(id).map_err(failed)?.dofs();
            places.try_reserve(1).map_err(Error::from)?;
            places.push(Place { body: id, first: end, end: end + dofs });
            end += dofs;
        }
        if end != columns {
            let fault = Fault::Size { what: "columns of the Jacobian J", expected: end, found: columns };
            return Err(Error::of_system(fault).into());
        }
        places.sort_unstable_by_key(|place| place.body);
        match places.windows(2).find(|pair| pair[0].body == pair[1].body) {
            Some(pair) => {
                Err(Error::of_body(pair[0].body, Fault::Invalid("an earlier entry names it")).into())
            }
            None => Ok(()),
        }
    }

    /// Whether a constraint takes rows of J that have been checked.
    fn check_columns_of(
        &self,
        (piece, others): (Piece, &[Piece]),
        rows: Range<usize>,
        jacobian: &Jacobian,
        room: &Room,
    ) -> Result<(), Fault> {
        // Of one body there are no other columns.
        let is_alone = room.places.len() == 1;
        let mut left = [0; MOST_ROWS];
        if !is_alone {
            let counts = rows.clone().map(|row| jacobian.part(row, 0, jacobian.shape()[1]).count());
            left.iter_mut().zip(counts).for_each(|(left, count)| *left = count);
        }
        let mut has_body = false;
        for piece in std::iter::once(&piece).chain(others) {
            let triple = self.constraints.get(piece.triple).ok_or(Fault::Unknown)?;
            let Placement::Operators(operators) = &triple.placement else {
                return Err(Fault::Invalid(OTHER_KIND));
            };
            if triple.bodies[0] == triple.bodies[1] {
                return Err(Fault::Invalid(
                    "it is on one body twice, and J has one operator H for each body",
                ));
            }
            for (operator, body) in operators.iter().zip(triple.bodies) {
                let Some((operator, place)) = operator.as_ref().zip(body.and_then(|body| room.place(body)))
                else {
                    continue;
                };
                has_body = true;
                if operator.columns().is_none() {
                    return Err(Fault::Invalid("an operator H of it is given by nodes"));
                }
                for row in piece.rows().filter(|_| !is_alone) {
                    left[row] -= place.of(jacobian, (rows.start + row) as u32).count();
                }
            }
        }
        match (has_body, left) {
            (false, _) => Err(Fault::Invalid("it acts on none of the bodies of the Jacobian J")),
            (_, left) if left.iter().any(|left| *left > 0) => Err(Fault::Invalid(
                "its rows of the Jacobian J are not zero in columns of other bodies than its own",
            )),
            _ => Ok(()),
        }
    }

    /// The first piece of a constraint, and the others.
    fn pieces(&self, id: Id) -> Result<(Piece, &[Piece]), Fault> {
        match &self.mixed {
            Some(mixed) => mixed.entries().get(id).map(Entry::first_and_rest).ok_or(Fault::Unknown),
            None => Ok((Piece { triple: id, lane: 0, row: 0, count: 3 }, &[])),
        }
    }

    /// Order lanes by rows of three, and have room for the columns of each.
    fn make_room(&mut self, jacobian: &Jacobian, room: &mut Room) -> Result<(), EntryError> {
        room.lanes.sort_unstable_by_key(|lane| (lane.triple, lane.lane, lane.entry));
        let mut twice = room
            .lanes
            .windows(2)
            .filter(|pair| (pair[0].triple, pair[0].lane) == (pair[1].triple, pair[1].lane));
        if let Some(pair) = twice.next() {
            let subject = self.subject(self.owner(pair[1].triple, pair[1].lane.into()))?;
            let error = Error { subject, fault: Fault::Invalid("an earlier entry names it") };
            return Err(EntryError { entry: Some(pair[1].entry as usize), error });
        }
        let mut most = 0;
        for group in room.lanes.chunk_by(|one, other| one.triple == other.triple) {
            let Some((triple, _)) = self.constraints.get_mut(group[0].triple) else { continue };
            let bodies = triple.bodies;
            let Placement::Operators(operators) = &mut triple.placement else { continue };
            for (operator, place) in room.operators(operators, bodies) {
                let new: usize = group.iter().map(|lane| place.of(jacobian, lane.row).most()).sum();
                let needed = (operator.most_columns() + new).min(operator.dofs());
                operator.reserve_columns(needed).map_err(Error::from)?;
                most = most.max(needed);
            }
        }
        room.columns.clear();
        Ok(room.columns.try_reserve(most).map_err(Error::from)?)
    }
}

/// Write the columns of a row of three whose lanes are all those of the sources. Alone it takes half the instructions that it takes where
/// it is inlined.
#[inline(never)]
fn replace(sources: [Part; 3], to: &mut Vec<Column>) {
    to.clear();
    let mut push = |index, values: Vector| {
        if values != [0.0; 3] {
            to.push(Column { index, values });
        }
    };
    match sources {
        [Part::Dense { count, .. }, ..] => {
            for k in 0..count {
                push(k as u32, [sources[0].value(k), sources[1].value(k), sources[2].value(k)]);
            }
        }
        [
            Part::Sparse { indices, values: x, first },
            Part::Sparse { indices: second, values: y, .. },
            Part::Sparse { indices: third, values: z, .. },
        ] if indices == second && indices == third => {
            for (((index, x), y), z) in indices.iter().zip(x).zip(y).zip(z) {
                push(*index as u32 - first, [*x, *y, *z]);
            }
        }
        _ => merge(&[], sources.map(Some), to),
    }
}

/// Write the columns of a row of three, of which some lanes are those of the sources, and others stay as they were.
fn merge(mut old: &[Column], sources: [Option<Part>; 3], to: &mut Vec<Column>) {
    to.clear();
    let mut next = [0; 3];
    loop {
        let mut index = old.first().map_or(u32::MAX, |column| column.index);
        for (source, next) in sources.iter().zip(next) {
            index = source.as_ref().map_or(index, |source| index.min(source.column(next)));
        }
        if index == u32::MAX {
            return;
        }
        let mut before: Vector = [0.0; 3];
        if let [column, rest @ ..] = old
            && column.index == index
        {
            (old, before) = (rest, column.values);
        }
        let mut values: Vector = [0.0; 3];
        for lane in 0..3 {
            values[lane] = match &sources[lane] {
                None => before[lane],
                Some(source) if source.column(next[lane]) == index => {
                    next[lane] += 1;
                    source.value(next[lane] - 1)
                }
                Some(_) => 0.0,
            };
        }
        if values != [0.0; 3] {
            to.push(Column { index, values });
        }
    }
}

impl Operator {
    /// Have memory for so many columns, if it is given by these.
    fn reserve_columns(&mut self, count: usize) -> Result<(), TryReserveError> {
        self.columns_mut()
            .map_or(Ok(()), |columns| columns.try_reserve_exact(count.saturating_sub(columns.len())))
    }
}

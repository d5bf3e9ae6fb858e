//! Operators H of many constraints at once: rows of a Jacobian J over the velocities of some bodies, one behind the other.
//!
//! All is looked at first. Then the columns of each row of three are put together once, from all rows of J that have lanes of it, in
//! memory that is there.
#![forbid(unsafe_code)]

use std::collections::TryReserveError;

use crate::block::Vector;
use crate::kinematics::Column;

use super::bulk::EntryError;
use super::changes;
use super::constraint::Placement;
use super::error::{Error, Fault};
use super::mixed::{Entry, MOST_ROWS, Piece};
use super::model::{OTHER_KIND, System};
use super::table::Id;

/// J: the rows of constraints, one below the other, over the velocities of bodies, one behind the other.
#[derive(Clone, Copy, Debug)]
pub enum Jacobian<'a> {
    /// All entries.
    Dense {
        /// Entry (i, j) is the value `i * strides[0] + j * strides[1]`.
        values: &'a [f64],
        /// Rows and columns.
        shape: [usize; 2],
        /// Values from one row to the next, and from one column to the next.
        strides: [usize; 2],
    },
    /// Compressed rows: row i has the values from `starts[i]` on, up to `starts[i + 1]`, or `counts[i]` of them; columns ascend.
    Sparse {
        /// Rows and columns.
        shape: [usize; 2],
        /// Where rows begin; without counts also the end.
        starts: &'a [i32],
        /// How many entries each row has.
        counts: Option<&'a [i32]>,
        /// The column of each value.
        indices: &'a [i32],
        /// The values.
        values: &'a [f64],
    },
}

/// Entries that are looked at together: a power of two.
const CHUNK: usize = 64;

/// An entry of a row.
#[derive(Clone, Copy, Debug, Default)]
struct Item {
    column: u32,
    value: f64,
}

impl Jacobian<'_> {
    /// Values that a dense one reaches over.
    pub fn extent([rows, columns]: [usize; 2], strides: [usize; 2]) -> usize {
        let last = |count: usize, stride: usize| count.saturating_sub(1).saturating_mul(stride);
        let end = last(rows, strides[0]).saturating_add(last(columns, strides[1])).saturating_add(1);
        if rows == 0 || columns == 0 { 0 } else { end }
    }

    fn shape(&self) -> [usize; 2] {
        let (Self::Dense { shape, .. } | Self::Sparse { shape, .. }) = self;
        *shape
    }

    /// Whether arrays have the lengths that the shape asks for.
    fn check(&self) -> Result<(), Fault> {
        let (what, expected, found) = match self {
            Self::Dense { values, shape, strides } => {
                ("values of the Jacobian J", Self::extent(*shape, *strides), values.len())
            }
            Self::Sparse { shape, starts, counts, indices, values } => {
                let expected = shape[0] + usize::from(counts.is_none());
                if starts.len() != expected {
                    ("starts of rows of the Jacobian J", expected, starts.len())
                } else if counts.is_some_and(|counts| counts.len() != shape[0]) {
                    ("counts of rows of the Jacobian J", shape[0], counts.unwrap_or_default().len())
                } else {
                    ("columns of values of the Jacobian J", values.len(), indices.len())
                }
            }
        };
        if found < expected || u32::try_from(self.shape()[1]).is_err() {
            return Err(Fault::Size { what, expected, found });
        }
        Ok(())
    }

    /// Append the entries of a row that are not zero, columns ascending; `buffer` is room.
    #[inline(always)]
    fn append(&self, row: usize, to: &mut Vec<Item>, buffer: &mut [Item; CHUNK]) -> Result<(), Fault> {
        let first = to.len();
        match *self {
            Self::Dense { values, shape: [_, columns], strides: [of_rows, of_columns] } => {
                to.try_reserve(columns)?;
                let own = values.get(of_rows * row..).unwrap_or_default();
                for first in (0..columns).step_by(CHUNK) {
                    let own = own.get(of_columns * first..).unwrap_or_default();
                    let count = CHUNK.min(columns - first);
                    let found = match of_columns {
                        0 => chosen(buffer, first, std::iter::repeat_n(&own[0], count)),
                        1 => chosen(buffer, first, own.iter().take(count)),
                        _ => chosen(buffer, first, own.iter().step_by(of_columns).take(count)),
                    };
                    to.extend_from_slice(&buffer[..found]);
                }
            }
            Self::Sparse { shape: [_, columns], starts, counts, indices, values } => {
                let start = usize::try_from(starts[row]).ok();
                let end = match counts {
                    Some(counts) => {
                        usize::try_from(counts[row]).ok().zip(start).map(|(count, start)| start + count)
                    }
                    None => usize::try_from(starts[row + 1]).ok(),
                };
                let range = start.zip(end).map_or(1..0, |(start, end)| start..end);
                let (Some(indices), Some(values)) = (indices.get(range.clone()), values.get(range)) else {
                    return Err(Fault::Invalid("a row of the Jacobian J begins or ends outside"));
                };
                to.try_reserve(values.len())?;
                let mut least = 0;
                for (&index, &value) in indices.iter().zip(values) {
                    if index < least || index as usize >= columns {
                        return Err(Fault::Invalid(
                            "columns of a row of the Jacobian J do not ascend, or there is no such column",
                        ));
                    }
                    least = index.saturating_add(1);
                    if value != 0.0 {
                        to.push(Item { column: index as u32, value });
                    }
                }
            }
        }
        // What is not finite is not zero.
        match to[first..].iter().all(|item| item.value.is_finite()) {
            true => Ok(()),
            false => Err(Fault::NotFinite("its operator H")),
        }
    }
}

/// Put what is not zero of so many values at most into the buffer; how many they are. There is no branch: where zeros are cannot be
/// foretold.
#[inline(always)]
fn chosen<'a>(buffer: &mut [Item; CHUNK], first: usize, values: impl Iterator<Item = &'a f64>) -> usize {
    let mut end = 0;
    for (column, &value) in (first as u32..).zip(values) {
        buffer[end % CHUNK] = Item { column, value };
        end += usize::from(value != 0.0);
    }
    end
}

/// The columns of a body.
#[derive(Clone, Copy, Debug)]
struct Place {
    body: Id,
    first: u32,
    end: u32,
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
    items: Vec<Item>,
    /// Where the items of each row end.
    ends: Vec<u32>,
    lanes: Vec<Lane>,
    columns: Vec<Column>,
}

impl Room {
    fn place(&self, body: Id) -> Option<Place> {
        self.places.binary_search_by_key(&body, |place| place.body).ok().map(|found| self.places[found])
    }

    /// The entries of a row in the columns of a body.
    fn items(&self, row: u32, place: &Place) -> &[Item] {
        let row = row as usize;
        let start = if row == 0 { 0 } else { self.ends[row - 1] as usize };
        let all = &self.items[start..self.ends[row] as usize];
        if let [Place { first: 0, .. }] = self.places[..] {
            return all;
        }
        let own = &all[all.partition_point(|item| item.column < place.first)..];
        &own[..own.partition_point(|item| item.column < place.end)]
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
        let of_all = |fault| EntryError::from(Error::of_system(fault));
        jacobian.check().map_err(of_all)?;
        let [rows, columns] = jacobian.shape();
        self.list_places(bodies, columns, &mut room.places)?;
        let Room { items, ends, lanes, .. } = room;
        items.clear();
        ends.clear();
        lanes.clear();
        let mut buffer = [Item::default(); CHUNK];
        for (entry, id) in constraints.enumerate() {
            let failed = |error| EntryError { entry: Some(entry), error };
            let size = self.rows_of(id).map_err(failed)?;
            let expected = room.ends.len() + size;
            if expected > rows {
                return Err(of_all(Fault::Size { what: "rows of the Jacobian J", expected, found: rows }));
            }
            self.list_lanes((entry, id, size), jacobian, room, &mut buffer).map_err(|fault| {
                self.subject(id).map_or_else(failed, |subject| failed(Error { subject, fault }))
            })?;
        }
        if room.ends.len() != rows {
            let (expected, found) = (room.ends.len(), rows);
            return Err(of_all(Fault::Size { what: "rows of the Jacobian J", expected, found }));
        }
        self.make_room(room)?;
        // From here on nothing fails.
        let mut columns = std::mem::take(&mut room.columns);
        for group in room.lanes.chunk_by(|one, other| one.triple == other.triple) {
            let Some((triple, marks)) = self.constraints.get_mut(group[0].triple) else { continue };
            *marks |= changes::CHANGED;
            let bodies = triple.bodies;
            let Placement::Operators(operators) = &mut triple.placement else { continue };
            for (operator, body) in operators.iter_mut().zip(bodies) {
                let Some((operator, place)) = operator.as_mut().zip(body.and_then(|body| room.place(body)))
                else {
                    continue;
                };
                let mut sources = [None; 3];
                group.iter().for_each(|lane| {
                    sources[usize::from(lane.lane)] = Some(room.items(lane.row, &place));
                });
                merge(operator.columns().unwrap_or_default(), sources, place.first, &mut columns);
                operator.set_columns(&columns);
            }
        }
        room.columns = columns;
        self.values_change();
        Ok(())
    }

    /// List the bodies with their columns.
    fn list_places(
        &self,
        bodies: impl Iterator<Item = Id>,
        columns: usize,
        places: &mut Vec<Place>,
    ) -> Result<(), EntryError> {
        places.clear();
        let mut end = 0;
        for (entry, id) in bodies.enumerate() {
            let failed = |error| EntryError { entry: Some(entry), error };
            let dofs = self.body(id).map_err(failed)?.dofs();
            places.try_reserve(1).map_err(Error::from)?;
            places.push(Place { body: id, first: end as u32, end: (end + dofs) as u32 });
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

    /// List the lanes of a constraint, with its rows of J.
    fn list_lanes(
        &self,
        (entry, id, size): (usize, Id, usize),
        jacobian: &Jacobian,
        room: &mut Room,
        buffer: &mut [Item; CHUNK],
    ) -> Result<(), Fault> {
        let first = room.ends.len();
        room.ends.try_reserve(size)?;
        let mut lengths = [0; MOST_ROWS];
        for (row, length) in (first..).zip(&mut lengths[..size]) {
            let before = room.items.len();
            jacobian.append(row, &mut room.items, buffer)?;
            *length = room.items.len() - before;
            room.ends.push(u32::try_from(room.items.len()).map_err(|_| Fault::Memory)?);
        }
        let alone = Piece { triple: id, lane: 0, row: 0, count: 3 };
        let (piece, others) = match &self.mixed {
            Some(mixed) => mixed.entries().get(id).map(Entry::first_and_rest).ok_or(Fault::Unknown)?,
            None => (alone, &[][..]),
        };
        room.lanes.try_reserve(size * (1 + others.len()))?;
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
                for row in piece.rows() {
                    lengths[row] -= room.items((first + row) as u32, &place).len();
                }
            }
            for k in 0..piece.count {
                let row = (first + usize::from(piece.row + k)) as u32;
                room.lanes.push(Lane {
                    triple: piece.triple,
                    lane: piece.lane + k,
                    row,
                    entry: entry as u32,
                });
            }
        }
        match (has_body, lengths) {
            (false, _) => Err(Fault::Invalid("it acts on none of the bodies of the Jacobian J")),
            (_, lengths) if lengths.iter().any(|length| *length > 0) => Err(Fault::Invalid(
                "its rows of the Jacobian J are not zero in columns of other bodies than its own",
            )),
            _ => Ok(()),
        }
    }

    /// Order lanes by rows of three, and have room for the columns of each.
    fn make_room(&mut self, room: &mut Room) -> Result<(), EntryError> {
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
            for (operator, body) in operators.iter_mut().zip(bodies) {
                let Some((operator, place)) = operator.as_mut().zip(body.and_then(|body| room.place(body)))
                else {
                    continue;
                };
                let new: usize = group.iter().map(|lane| room.items(lane.row, &place).len()).sum();
                let needed = (operator.most_columns() + new).min(operator.dofs());
                operator.reserve_columns(needed).map_err(Error::from)?;
                most = most.max(needed);
            }
        }
        room.columns.clear();
        Ok(room.columns.try_reserve(most).map_err(Error::from)?)
    }
}

/// Write the columns of a row of three, of which some lanes are those of the sources, and others stay as they were. Columns of the
/// sources count from `first` on.
fn merge(old: &[Column], sources: [Option<&[Item]>; 3], first: u32, to: &mut Vec<Column>) {
    to.clear();
    let is_kept = sources.map(|source| source.is_none());
    let mut old = if is_kept == [false; 3] { &[] } else { old };
    let mut left = sources.map(Option::unwrap_or_default);
    loop {
        let mut index = old.first().map_or(u32::MAX, |column| column.index);
        for source in &left {
            index = source.first().map_or(index, |item| index.min(item.column - first));
        }
        if index == u32::MAX {
            return;
        }
        let mut values: Vector = [0.0; 3];
        if let [column, rest @ ..] = old
            && column.index == index
        {
            old = rest;
            for lane in 0..3 {
                values[lane] = if is_kept[lane] { column.values[lane] } else { 0.0 };
            }
        }
        for lane in 0..3 {
            if let [item, rest @ ..] = left[lane]
                && item.column - first == index
            {
                (left[lane], values[lane]) = (rest, item.value);
            }
        }
        if values != [0.0; 3] {
            to.push(Column { index, values });
        }
    }
}

impl crate::kinematics::Operator {
    /// Have memory for so many columns, if it is given by these.
    fn reserve_columns(&mut self, count: usize) -> Result<(), TryReserveError> {
        self.columns_mut()
            .map_or(Ok(()), |columns| columns.try_reserve_exact(count.saturating_sub(columns.len())))
    }

    /// Let these be its columns, for which there is memory.
    fn set_columns(&mut self, from: &[Column]) {
        if let Some(columns) = self.columns_mut() {
            columns.clear();
            columns.extend_from_slice(from);
        }
    }
}

//! Operators H of many constraints at once: rows of a Jacobian J over the velocities of some bodies, one behind the other.
//!
//! Which row goes where is listed once for the same bodies and constraints. All rows are looked at first. Then the columns of each
//! row of three are put together once, from all rows of J that have lanes of it, in memory that is there.
#![forbid(unsafe_code)]

mod gathered;
mod insert;
mod pattern;
pub(super) mod room;
mod rows;

use crate::kinematics::Column;
use crate::memory::push;

use super::bulk::{EntryError, EntryResult};
use super::constraint::{OTHER_KIND, Operator, Placement};
use super::dirty;
use super::error::{Error, Fault, Result};
use super::id_table::Id;
use super::mixed::{Entry, Piece};
use super::model::System;
use gathered::push_column;
use room::{Place, Room, Source};
pub use rows::Jacobian;
use rows::Part;

impl System {
    /// Give many constraints the operators that are rows of a Jacobian: of each constraint in turn as many rows as it has, over the
    /// velocities of these bodies in turn. Its operators on bodies that are not among these stay as they are.
    ///
    /// # Errors
    /// Of the first constraint that is not there, given at points or by nodes, on none of the bodies or on one twice, or whose rows
    /// are ill-formed, not finite, or not zero in columns of other bodies than its own; else of the first that has been named
    /// earlier. If a body is not there or named twice, the shape is another, or memory is exhausted. After an error nothing has
    /// changed.
    pub fn set_jacobian(
        &mut self,
        bodies: impl Iterator<Item = Id> + Clone,
        constraints: impl Iterator<Item = Id> + Clone,
        jacobian: &Jacobian,
    ) -> EntryResult {
        let mut room = std::mem::take(&mut self.room);
        let set = self.put_jacobian(bodies, constraints, jacobian, &mut room);
        self.room = room;
        set
    }

    fn put_jacobian(
        &mut self,
        bodies: impl Iterator<Item = Id> + Clone,
        constraints: impl Iterator<Item = Id> + Clone,
        jacobian: &Jacobian,
        room: &mut Room,
    ) -> EntryResult {
        let is_listed = room.is_listed
            && room.shape == jacobian.shape()
            && room.bodies.iter().copied().eq(bodies.clone())
            && room.constraints.iter().copied().eq(constraints.clone());
        if is_listed {
            jacobian.check().map_err(Error::of_system)?;
        } else {
            let listed = self.list(bodies, constraints, jacobian, room);
            if listed.is_err() {
                // What is wrong with an earlier row is told first.
                self.check_rows_of(jacobian, room)?;
            }
            listed?;
            room.is_listed = true;
        }
        if let Some(values) = room.pattern.values(jacobian) {
            self.put_values(values, room);
        } else {
            self.check_rows_of(jacobian, room)?;
            self.make_room(jacobian, room)?;
            let is_known = room.pattern.note(jacobian, room.sources.len()).map_err(Error::from)?;
            // From here on nothing fails.
            self.put_columns(jacobian, room);
            if is_known {
                self.map_values(jacobian, room);
            }
        }
        self.values_change();
        Ok(())
    }

    /// Put all rows into operators.
    fn put_columns(&mut self, jacobian: &Jacobian, room: &mut Room) {
        let (triples, marks) = self.constraints.all_mut();
        for group in room.sources.chunk_by(Source::has_operator_of) {
            marks[group[0].place as usize] |= dirty::CHANGED;
            let Some(own) = group[0].operator(triples).and_then(Operator::columns_mut) else { continue };
            let is_replaced = match group {
                [one, two, three] => replace([one.of(jacobian), two.of(jacobian), three.of(jacobian)], own),
                _ => false,
            };
            if !is_replaced {
                let lanes = group.iter().map(
                    #[inline(always)]
                    |source| (usize::from(source.lane), source.of(jacobian)),
                );
                room.gathered.put(lanes, own);
            }
        }
    }

    /// Note where the values of a sparse J have gone.
    fn map_values(&mut self, jacobian: &Jacobian, room: &mut Room) {
        let (triples, _) = self.constraints.all_mut();
        let mut mapped = 0;
        for source in &room.sources {
            let own = source.operator(triples).and_then(|operator| operator.columns());
            let (Some(columns), Part::Sparse { start, indices, first, .. }) = (own, source.of(jacobian))
            else {
                return;
            };
            if !room.pattern.map(start, indices, first, columns) {
                return;
            }
            mapped += indices.len();
        }
        // Others are zeros in columns of other bodies, which may not stay so.
        let [rows, columns] = jacobian.shape();
        if mapped == (0..rows).map(|row| jacobian.part(row, 0, columns).most()).sum() {
            room.pattern.complete();
        }
    }

    /// Put other values of a J with a pattern that is known into operators.
    fn put_values(&mut self, values: &[f64], room: &Room) {
        let (triples, marks) = self.constraints.all_mut();
        let mut all = room.pattern.sources();
        for group in room.sources.chunk_by(Source::has_operator_of) {
            marks[group[0].place as usize] |= dirty::CHANGED;
            let rows = all.next(group.len());
            let Some(own) = group[0].operator(triples).and_then(Operator::columns_mut) else { continue };
            // Each of three rows has all columns, which ascend: they need not be looked up.
            if let [x, y, z] = rows.ranges
                && rows.ranges.iter().all(|range| range[1] as usize == own.len())
            {
                let [x, y, z] = [x, y, z].map(|range| values[range[0] as usize..].iter());
                for (((column, x), y), z) in own.iter_mut().zip(x).zip(y).zip(z) {
                    column.values = [*x, *y, *z];
                }
                continue;
            }
            let mut places = rows.columns;
            for (source, &[first, count]) in group.iter().zip(rows.ranges) {
                let lane = usize::from(source.lane).min(2);
                let (own_places, rest) = places.split_at(count as usize);
                places = rest;
                for (value, place) in values[first as usize..].iter().zip(own_places) {
                    own[*place as usize].values[lane] = *value;
                }
            }
        }
    }

    /// List what goes where.
    fn list(
        &self,
        bodies: impl Iterator<Item = Id>,
        constraints: impl Iterator<Item = Id>,
        jacobian: &Jacobian,
        room: &mut Room,
    ) -> EntryResult {
        self.begin(bodies, jacobian, room)?;
        for (entry, id) in constraints.enumerate() {
            let failed = |error| EntryError { entry: Some(entry), error };
            push(&mut room.constraints, id).map_err(Error::from)?;
            let mut end = room.rows;
            jacobian.next_rows(&mut end, self.rows_of(id).map_err(failed)?)?;
            self.list_sources(id, room).map_err(|fault| {
                self.subject(id).map_or_else(failed, |subject| failed(Error { subject, fault }))
            })?;
            room.rows = end;
        }
        jacobian.check_end(room.rows)?;
        room.sort();
        match room.sources.windows(2).find(|pair| pair[0].key() == pair[1].key()) {
            Some(pair) => {
                Err(self.failed_row(room, pair[1].row as usize, Fault::Invalid("an earlier entry names it")))
            }
            None => Ok(()),
        }
    }

    /// Look at the shape of J, and list the bodies with their columns; nothing else is listed.
    fn begin(&self, bodies: impl Iterator<Item = Id>, jacobian: &Jacobian, room: &mut Room) -> EntryResult {
        room.forget();
        (room.shape, room.rows) = (jacobian.shape(), 0);
        room.sources.clear();
        room.constraints.clear();
        jacobian.check().map_err(Error::of_system)?;
        let Room { bodies: ids, places, shape: [_, columns], .. } = room;
        ids.clear();
        places.clear();
        let mut end = 0;
        for (entry, id) in bodies.enumerate() {
            let failed = |error| EntryError { entry: Some(entry), error };
            let dofs = self.body(id).map_err(failed)?.dofs();
            push(ids, id).map_err(Error::from)?;
            push(places, Place { body: id, first: end, end: end + dofs }).map_err(Error::from)?;
            end += dofs;
        }
        if end != *columns {
            let fault = Fault::Size { what: "columns of the Jacobian J", expected: end, found: *columns };
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

    /// List where the next rows of J go, which are those of a constraint.
    fn list_sources(&self, id: Id, room: &mut Room) -> Result<(), Fault> {
        let alone = Piece { triple: id, lane: 0, row: 0, count: 3 };
        let (piece, others) = match &self.mixed {
            Some(mixed) => mixed.entries().get(id).map(Entry::first_and_rest).ok_or(Fault::Unknown)?,
            None => (alone, &[][..]),
        };
        let mut has_body = false;
        for piece in std::iter::once(&piece).chain(others) {
            let place = self.constraints.place(piece.triple).ok_or(Fault::Unknown)?;
            let triple = self.constraints.get(piece.triple).ok_or(Fault::Unknown)?;
            let Placement::Operators(operators) = &triple.placement else {
                return Err(Fault::Invalid(OTHER_KIND));
            };
            if triple.bodies[0] == triple.bodies[1] {
                return Err(Fault::Invalid(
                    "it is on one body twice, and J has one operator H for each body",
                ));
            }
            for (role, (operator, body)) in operators.iter().zip(triple.bodies).enumerate() {
                let own = body.and_then(|body| room.place(body));
                let Some((operator, Place { first, end, .. })) = operator.as_ref().zip(own) else { continue };
                has_body = true;
                if operator.columns().is_none() {
                    return Err(Fault::Invalid("an operator H of it is given by nodes"));
                }
                for (lane, row) in piece.lanes().zip(piece.rows()) {
                    let (place, row) = (place as u32, (room.rows + row) as u32);
                    let (role, lane, first, end) = (role as u8, lane as u8, first as u32, end as u32);
                    push(&mut room.sources, Source { place, role, lane, row, first, end })?;
                }
            }
        }
        match has_body {
            true => Ok(()),
            false => Err(Fault::Invalid("it acts on none of the bodies of the Jacobian J")),
        }
    }

    /// Look at the values of all rows that are listed.
    fn check_rows_of(&self, jacobian: &Jacobian, room: &mut Room) -> EntryResult {
        let is_finite = jacobian.is_finite();
        let fault = |row| Some((row, jacobian.check_row(row, is_finite).err()?));
        let mut wrong = (0..room.rows).find_map(fault);
        // Of one body there are no other columns.
        if room.places.len() > 1 {
            let end = wrong.map_or(room.rows, |(row, _)| row);
            // Entries that are there are counted first, and those that are not zero if some are elsewhere.
            let mut elsewhere = room.first_elsewhere(jacobian, end, |part| part.most())?;
            if elsewhere.is_some() {
                elsewhere = room.first_elsewhere(jacobian, end, |part| part.count())?;
            }
            if let Some(row) = elsewhere {
                let what = "its rows of the Jacobian J are not zero in columns of other bodies than its own";
                wrong = Some((row, Fault::Invalid(what)));
            }
        }
        wrong.map_or(Ok(()), |(row, fault)| Err(self.failed_row(room, row, fault)))
    }

    /// An error of the constraint that has a row of J.
    #[cold]
    fn failed_row(&self, room: &Room, row: usize, fault: Fault) -> EntryError {
        let mut end = 0;
        let is_of = |id: &Id| {
            end += self.rows_of(*id).unwrap_or_default();
            row < end
        };
        let entry = room.constraints.iter().position(is_of);
        match entry.map(|entry| self.subject(room.constraints[entry])) {
            Some(Ok(subject)) => EntryError { entry, error: Error { subject, fault } },
            _ => Error::of_system(fault).into(),
        }
    }

    /// Have room for the columns of all operators.
    fn make_room(&mut self, jacobian: &Jacobian, room: &mut Room) -> Result {
        let (triples, _) = self.constraints.all_mut();
        let mut most = 0;
        for group in room.sources.chunk_by(Source::has_operator_of) {
            let Some(operator) = group[0].operator(triples) else { continue };
            let dofs = operator.dofs();
            let new: usize = group.iter().map(|source| source.of(jacobian).most()).sum();
            let count = (operator.most_columns() + new).min(dofs);
            if let Some(columns) = operator.columns_mut() {
                columns.try_reserve_exact(count.saturating_sub(columns.len()))?;
            }
            most = most.max(dofs);
        }
        Ok(room.gathered.reserve(most)?)
    }
}

/// Write the columns of a row of three whose lanes are all those of the sources, unless these have different columns.
#[inline(always)]
fn replace(sources: [Part; 3], to: &mut Vec<Column>) -> bool {
    match sources {
        [Part::Dense { count, .. }, ..] => {
            to.clear();
            for k in 0..count {
                push_column(to, k as u32, [sources[0].value(k), sources[1].value(k), sources[2].value(k)]);
            }
            true
        }
        [
            Part::Sparse { indices, values: x, first, .. },
            Part::Sparse { indices: second, values: y, .. },
            Part::Sparse { indices: third, values: z, .. },
        ] if indices == second && indices == third => {
            to.clear();
            for (((index, x), y), z) in indices.iter().zip(x).zip(y).zip(z) {
                push_column(to, *index as u32 - first, [*x, *y, *z]);
            }
            true
        }
        _ => false,
    }
}

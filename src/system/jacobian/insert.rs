//! Constraints that are rows of a Jacobian are inserted.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::memory::collect;

use super::super::any_rows::about;
use super::super::bulk::{EntryError, EntryResult};
use super::super::error::{Error, Fault};
use super::super::id_table::Id;
use super::super::mixed::{self, MOST_BODIES};
use super::super::model::System;
use super::room::{Place, Room};
use super::rows::Jacobian;

impl System {
    /// Insert constraints that are rows of a Jacobian: as many rows of each in turn as `heights` tells, over the velocities of
    /// these bodies in turn. Each is on the bodies in whose columns its rows are not all zero, in the order given; on the first one
    /// if there are none. Ids follow each other from the one that is returned.
    ///
    /// # Errors
    /// Of the first constraint with other than one to six rows, on more than sixteen bodies, or whose rows are ill-formed or not
    /// finite. If there are no bodies, a body is not there or named twice, the shape is another, or memory is exhausted. After an
    /// error nothing has changed.
    pub fn insert_jacobian(
        &mut self,
        bodies: impl Iterator<Item = Id>,
        heights: impl Iterator<Item = usize>,
        jacobian: &Jacobian,
    ) -> EntryResult<Id> {
        let mut room = std::mem::take(&mut self.room);
        let first = self.next_constraint();
        let put = self.all_or_nothing(|system| system.put_rows_of(bodies, heights, jacobian, &mut room));
        self.room = room;
        put.map(|()| first)
    }

    fn put_rows_of(
        &mut self,
        bodies: impl Iterator<Item = Id>,
        heights: impl Iterator<Item = usize>,
        jacobian: &Jacobian,
        room: &mut Room,
    ) -> EntryResult {
        self.begin(bodies, jacobian, room)?;
        collect(&mut room.by_columns, room.places.len(), room.places.iter().copied()).map_err(Error::from)?;
        room.by_columns.sort_unstable_by_key(|place| place.first);
        let is_finite = jacobian.is_finite();
        let mut end = 0;
        for (entry, height) in heights.enumerate() {
            let failed = |fault| {
                let subject = about(self.next_constraint(), &[]);
                EntryError { entry: Some(entry), error: Error { subject, fault } }
            };
            mixed::check_rows(height).map_err(failed)?;
            let rows = jacobian.next_rows(&mut end, height)?;
            jacobian.check_rows(rows.clone(), is_finite).map_err(failed)?;
            let mut list = [0; MOST_BODIES];
            let bodies = bodies_of(jacobian, rows.clone(), &room.by_columns, &mut list).map_err(failed)?;
            let id = self.claim(bodies, height).map_err(Error::from)?;
            self.list_sources(id, room).map_err(Error::of_system)?;
            room.rows = rows.end;
        }
        jacobian.check_end(end)?;
        room.sort();
        self.make_room(jacobian, room)?;
        self.put_columns(jacobian, room);
        Ok(())
    }
}

/// The bodies in whose columns rows that have been checked are not all zero, in the order of columns, or the first one.
fn bodies_of<'a>(
    jacobian: &Jacobian,
    rows: Range<usize>,
    by_columns: &[Place],
    list: &'a mut [Id; MOST_BODIES],
) -> Result<&'a [Id], Fault> {
    let [_, columns] = jacobian.shape();
    let (mut found, mut count) = ([0; MOST_BODIES], 0);
    for row in rows.filter(|_| by_columns.len() > 1) {
        let part = jacobian.part(row, 0, columns);
        let mut end = 0;
        for k in 0..part.most() {
            let column = part.column(k) as usize;
            if column < end || part.value(k) == 0.0 {
                continue;
            }
            let place = by_columns.partition_point(|place| place.end <= column);
            end = by_columns[place].end;
            if let Err(to) = found[..count].binary_search(&place) {
                mixed::check_bodies(count + 1)?;
                found.copy_within(to..count, to + 1);
                found[to] = place;
                count += 1;
            }
        }
    }
    // Of one body, or with rows that are zero, it is the first.
    let count = count.max(1).min(by_columns.len());
    mixed::check_bodies(count)?;
    list.iter_mut().zip(&found[..count]).for_each(|(to, &place)| *to = by_columns[place].body);
    Ok(&list[..count])
}

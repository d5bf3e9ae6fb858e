//! Functions for many bodies or constraints: they check all entries first, so that a bad entry changes nothing.
#![forbid(unsafe_code)]

use std::fmt;

use crate::math::{Block, Vector};

use super::constraint::{Constraint, Placement};
use super::error::{Error, Fault, Result, Subject, unknown};
use super::id_table::{Id, Table};
use super::model::System;
use super::model::bodies::in_use;
use crate::fault::check_size;

/// The error of one of many entries; nothing has changed.
///
/// ```
/// use ldy::system::System;
///
/// let mut system = System::new();
/// let error = system.set_tags(2, |entry| (entry as u64, 7)).unwrap_err();
/// assert_eq!(error.to_string(), "entry 0: constraint 0: there is no such constraint");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntryError {
    /// The entry, counted from 0; `None` if the error concerns all of them together.
    pub entry: Option<usize>,
    /// The error.
    pub error: Error,
}

/// The result of functions for many bodies or constraints; `()` unless a type is named.
pub type EntryResult<T = ()> = Result<T, EntryError>;

impl std::error::Error for EntryError {}

impl fmt::Display for EntryError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        if let Some(entry) = self.entry {
            write!(f, "entry {entry}: ")?;
        }
        self.error.fmt(f)
    }
}

impl From<Error> for EntryError {
    fn from(error: Error) -> Self {
        Self { entry: None, error }
    }
}

/// A constraint at points, see [`System::add_point_constraint`].
///
/// ```
/// use ldy::system::{AtPoints, System};
///
/// let axes = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let mut system = System::new();
/// let ball = system.add_rigid(1.0, &axes, &axes, &[0.0; 3])?;
/// let contacts = [0.0, 1.0].map(|x| AtPoints { bodies: [Some(ball), None], frame: axes, points: [[x, 0.0, -0.5]; 2] });
/// let first = system.add_point_constraints(contacts.len(), |k| contacts[k])?;
/// assert_eq!(first, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct AtPoints {
    /// Master and slave; `None` is the ground.
    pub bodies: [Option<Id>; 2],
    /// Its frame.
    pub frame: Block,
    /// Referential points of master and slave.
    pub points: [Vector; 2],
}

/// Check all entries.
pub(super) fn all(count: usize, mut check: impl FnMut(usize) -> Result) -> EntryResult {
    (0..count).try_for_each(|entry| check(entry).map_err(|error| EntryError { entry: Some(entry), error }))
}

/// Find a value for each entry, and call `tell` with it. If one is not found, `tell` is never called.
pub(super) fn tell_all<T>(
    count: usize,
    find: impl Fn(usize) -> Result<T>,
    mut tell: impl FnMut(usize, T),
) -> EntryResult {
    all(count, |k| find(k).map(|_| ()))?;
    all(count, |k| find(k).map(|found| tell(k, found)))
}

/// The fault of an entry that names what an earlier one names.
const TWICE: Fault = Fault::Invalid("an earlier entry has the same id");

/// Choose the item of each entry, once; none is chosen after an error. `check` returns the error of an item that is there twice.
fn choose<T>(
    table: &mut Table<T>,
    count: usize,
    id: impl Fn(usize) -> Id,
    check: impl Fn(Id, Option<&T>) -> Result<Error>,
) -> EntryResult {
    let mut chosen = 0;
    let found = all(count, |k| {
        let twice = check(id(k), table.get(id(k)))?;
        ensure!(table.choose(id(k)), twice);
        chosen += 1;
        Ok(())
    });
    if found.is_err() {
        (0..chosen).for_each(|k| table.take_back(id(k)));
    }
    found
}

impl System {
    /// Insert `count` constraints at points, and return the id of the first; the ids are consecutive.
    ///
    /// # Errors
    /// The error of the first entry that [`System::add_point_constraint`] would refuse, or if memory is exhausted.
    pub fn add_point_constraints(
        &mut self,
        count: usize,
        entry: impl Fn(usize) -> AtPoints,
    ) -> EntryResult<Id> {
        self.reserve_constraints(count)?;
        let first = self.next_constraint();
        all(count, |k| {
            let AtPoints { bodies, frame, points } = entry(k);
            let failed = |fault| Error { subject: Subject::Constraint(None, bodies), fault };
            self.check_points(bodies, &frame, points).map(|_| ()).map_err(failed)
        })?;
        self.put_at_points((0..count).map(entry))?;
        Ok(first)
    }

    /// Insert constraints at points that have been checked, all or none.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(super) fn put_at_points(&mut self, places: impl Iterator<Item = AtPoints>) -> Result {
        let inserted = self.all_or_nothing(|system| {
            let mut places = places;
            places.try_for_each(|AtPoints { bodies, frame, points }| {
                let placement = system.placement(&frame, points);
                system.put(Constraint::regular(bodies, placement)).map(|_| ())
            })
        });
        Ok(inserted?)
    }

    /// Replace frames and points of `count` constraints, and their bodies, unless these are `None`.
    ///
    /// # Errors
    /// The error of the first entry that [`System::rebind_constraint`] would refuse.
    pub fn move_constraints(
        &mut self,
        count: usize,
        entry: impl Fn(usize) -> (Id, Option<[Option<Id>; 2]>, Block, [Vector; 2]),
    ) -> EntryResult {
        all(count, |k| {
            let (id, bodies, frame, points) = entry(k);
            let bodies = bodies.unwrap_or(self.constraint(id)?.bodies());
            self.check_move(id, bodies, &frame, points).map(|_| ())
        })?;
        (0..count).map(entry).try_for_each(|(id, bodies, frame, points)| {
            let bodies = bodies.unwrap_or(self.constraint(id)?.bodies());
            self.put_points(id, bodies, self.placement(&frame, points))
        })?;
        Ok(())
    }

    /// Set the compliances of `count` constraints.
    ///
    /// # Errors
    /// The error of the first entry that [`System::set_compliance`] would refuse.
    pub fn set_compliances<'a>(
        &mut self,
        count: usize,
        entry: impl Fn(usize) -> (Id, &'a [f64]),
    ) -> EntryResult {
        all(count, |k| self.check_compliance(entry(k).0, entry(k).1))?;
        let mut entries = (0..count).map(entry);
        Ok(entries.try_for_each(|(id, compliance)| self.put_compliance(id, compliance))?)
    }

    /// Remove `count` bodies.
    ///
    /// # Errors
    /// The error of the first entry that [`System::remove_body`] would refuse, or that names a body of an earlier entry. Nothing
    /// has changed then.
    pub fn remove_bodies(&mut self, count: usize, id: impl Fn(usize) -> Id) -> EntryResult {
        let Self { bodies, constraints, .. } = self;
        choose(bodies, count, &id, |id, body| match body {
            None => Err(Error::of_body(id, Fault::Unknown)),
            Some(body) if body.users > 0 => Err(in_use(constraints, id)),
            Some(_) => Ok(Error::of_body(id, TWICE)),
        })?;
        (0..count).for_each(|k| self.take_body(id(k)));
        // All bodies are removed by now, so that exhausted memory is no error of this call: gaps stay until bodies are removed again.
        let _ = self.close_up_sparse_bodies();
        Ok(())
    }

    /// Set the tags of `count` constraints.
    ///
    /// # Errors
    /// The error of the first entry that names no constraint.
    pub fn set_tags(&mut self, count: usize, entry: impl Fn(usize) -> (Id, u64)) -> EntryResult {
        all(count, |k| self.tag(entry(k).0).map(|_| ()))?;
        Ok((0..count).map(entry).try_for_each(|(id, tag)| self.set_tag(id, tag))?)
    }

    /// Remove `count` constraints.
    ///
    /// # Errors
    /// The error of the first entry that names no constraint, or a constraint that an earlier entry names.
    pub fn remove_constraints(&mut self, count: usize, id: impl Fn(usize) -> Id) -> EntryResult {
        choose(&mut self.constraints, count, &id, |id, constraint| match constraint {
            None => Err(unknown(id)),
            Some(_) => Ok(Error { fault: TWICE, ..unknown(id) }),
        })?;
        Ok((0..count).map(id).try_for_each(|id| self.remove_constraint(id))?)
    }

    /// Set the free or the previous velocities of `count` bodies.
    ///
    /// # Errors
    /// The error of the first entry that [`System::set_velocity`] would refuse.
    pub fn set_velocities<'a>(
        &mut self,
        count: usize,
        are_previous: bool,
        entry: impl Fn(usize) -> (Id, &'a [f64]),
    ) -> EntryResult {
        all(count, |k| self.check_velocity(entry(k).0, entry(k).1))?;
        (0..count).map(entry).for_each(|(id, velocity)| self.put_velocity(id, are_previous, velocity));
        Ok(())
    }

    /// Set the rotations of `count` rigid bodies.
    ///
    /// # Errors
    /// The error of the first entry that [`System::set_rotation`] would refuse.
    pub fn set_rotations(&mut self, count: usize, entry: impl Fn(usize) -> (Id, Block)) -> EntryResult {
        all(count, |k| self.turned(entry(k).0, &entry(k).1).map(|_| ()))?;
        Ok((0..count).map(entry).try_for_each(|(id, rotation)| self.set_rotation(id, &rotation))?)
    }

    /// Write the free or the previous velocities of `count` bodies, n values each.
    ///
    /// # Errors
    /// The error of the first entry that names no body, or a body with another number of velocities; nothing is written then.
    pub fn velocities<'a>(
        &'a self,
        count: usize,
        n: usize,
        are_previous: bool,
        id: impl Fn(usize) -> Id,
        tell: impl FnMut(usize, &'a [f64]),
    ) -> EntryResult {
        let velocity = |k: usize| {
            let body = self.body(id(k))?;
            let checked = check_size("its generalized velocity", body.dofs(), n);
            let velocity = if are_previous { body.previous_velocity() } else { body.velocity() };
            checked.map(|()| velocity).map_err(|fault| Error::of_body(id(k), fault))
        };
        tell_all(count, velocity, tell)
    }

    /// Write the rotations of `count` rigid bodies.
    ///
    /// # Errors
    /// The error of the first entry that names no rigid body; nothing is written then.
    pub fn rotations(
        &self,
        count: usize,
        id: impl Fn(usize) -> Id,
        mut tell: impl FnMut(usize, &Block),
    ) -> EntryResult {
        tell_all(count, |k| self.rigid(id(k)), |k, (rotation, _)| tell(k, rotation))
    }

    /// Write frames and points of `count` constraints.
    ///
    /// # Errors
    /// The error of the first entry that names no constraint at points; nothing is written then.
    pub fn point_frames(
        &self,
        count: usize,
        id: impl Fn(usize) -> Id,
        mut tell: impl FnMut(usize, &Block, &[Vector; 2]),
    ) -> EntryResult {
        tell_all(count, |k| self.points_of(id(k)), |k, (frame, points)| tell(k, frame, points))
    }

    pub(super) fn points_of(&self, id: Id) -> Result<(&Block, &[Vector; 2])> {
        let constraint = self.constraint(id)?;
        match constraint.placement() {
            Placement::Points { frame, points } => Ok((frame, points)),
            Placement::Operators(_) => {
                let subject = constraint.subject(id);
                Err(Error { subject, fault: Fault::Invalid("it is given by operators H and has no points") })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bodies that come and go by the hundred hold no memory.
    #[test]
    fn gaps_of_removed_bodies_are_closed() {
        let mut system = System::new();
        let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let add = |system: &mut System| system.add_rigid(1.0, &unit, &unit, &[0.0; 3]).unwrap();
        let kept = add(&mut system);
        for _ in 0..20 {
            let bodies: Vec<Id> = (0..100).map(|_| add(&mut system)).collect();
            system.remove_bodies(bodies.len(), |k| bodies[k]).unwrap();
            assert!(system.bodies.things().len() < 200);
        }
        assert!(system.bodies().map(|(id, _)| id).eq([kept]));
    }

    /// The count is beyond any memory.
    #[test]
    fn an_absurd_count_is_refused_before_entries_are_looked_at() {
        let mut system = System::new();
        let inserted = system.add_point_constraints(usize::MAX / 2, |_| unreachable!("no entry is needed"));
        assert_eq!(inserted.map_err(|error| error.error.fault), Err(Fault::Memory));
        assert_eq!(system.next_constraint(), 0);
    }
}

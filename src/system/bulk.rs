//! Many bodies or constraints at once: all entries are looked at first, so that a bad one changes nothing.
#![forbid(unsafe_code)]

use std::fmt;

use crate::math::{Block, Vector};
use crate::rows::fault::check_size;

use super::constraint::{Constraint, Placement, check_compliance};
use super::error::{Error, Fault, Result, Subject, unknown};
use super::id_table::Id;
use super::model::System;

/// What went wrong with one of many entries; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EntryError {
    /// The entry, counted from 0; `None`: all of them together.
    pub entry: Option<usize>,
    /// What is wrong.
    pub error: Error,
}

/// What setters of many return; nothing unless it is named.
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

/// A constraint at points, see [`System::insert_constraint`].
#[derive(Clone, Copy, Debug)]
pub struct AtPoints {
    /// Master and slave; `None` is the ground.
    pub bodies: [Option<Id>; 2],
    /// Its frame.
    pub frame: Block,
    /// Referential points of master and slave.
    pub points: [Vector; 2],
}

/// Look at all entries.
fn all(count: usize, mut check: impl FnMut(usize) -> Result) -> EntryResult {
    (0..count).try_for_each(|entry| check(entry).map_err(|error| EntryError { entry: Some(entry), error }))
}

impl System {
    /// Insert so many constraints at points; their ids follow each other from the one that is returned.
    ///
    /// # Errors
    /// Of the first entry that [`System::insert_constraint`] would refuse; if memory is exhausted.
    pub fn insert_constraints(&mut self, count: usize, entry: impl Fn(usize) -> AtPoints) -> EntryResult<Id> {
        let first = self.next_constraint();
        all(count, |k| {
            let AtPoints { bodies, frame, points } = entry(k);
            let failed = |fault| Error { subject: Subject::Constraint(first + k as Id, bodies), fault };
            let placement = Placement::at_points(&frame, points).map_err(failed)?;
            self.check_placement(bodies, &placement).map_err(failed)
        })?;
        let inserted = self.all_or_nothing(|system| {
            (0..count).map(entry).try_for_each(|AtPoints { bodies, frame, points }| {
                let placement = Placement::Points { frame, points };
                system.put_triple(Constraint { bodies, placement, compliance: None }).map(|_| ())
            })
        });
        inserted.map_err(Error::from)?;
        Ok(first)
    }

    /// Give so many constraints other frames and points, and other bodies, unless these are `None`.
    ///
    /// # Errors
    /// Of the first entry that [`System::rebind_constraint`] would refuse.
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
            self.rebind_constraint(id, bodies, &frame, points)
        })?;
        Ok(())
    }

    /// Set the compliances of so many constraints.
    ///
    /// # Errors
    /// Of the first entry that [`System::set_compliance`] would refuse.
    pub fn set_compliances(&mut self, count: usize, entry: impl Fn(usize) -> (Id, Block)) -> EntryResult {
        all(count, |k| {
            let (id, compliance) = entry(k);
            let subject = Subject::Constraint(id, self.constraint(id)?.bodies());
            check_compliance(3, &compliance).map_err(|fault| Error { subject, fault })
        })?;
        let mut entries = (0..count).map(entry);
        Ok(entries.try_for_each(|(id, compliance)| self.set_compliance(id, Some(compliance)))?)
    }

    /// Set the tags of so many constraints.
    ///
    /// # Errors
    /// Of the first entry that names no constraint.
    pub fn set_tags(&mut self, count: usize, entry: impl Fn(usize) -> (Id, u64)) -> EntryResult {
        all(count, |k| self.tag(entry(k).0).map(|_| ()))?;
        Ok((0..count).map(entry).try_for_each(|(id, tag)| self.set_tag(id, tag))?)
    }

    /// Remove so many constraints.
    ///
    /// # Errors
    /// Of the first entry that names no constraint, or one that an earlier entry names.
    pub fn remove_constraints(&mut self, count: usize, id: impl Fn(usize) -> Id) -> EntryResult {
        let Self { kept, .. } = self;
        let mut chosen = 0;
        let found = all(count, |k| {
            let is_there = kept.get(id(k)).is_some();
            if kept.choose(id(k)) {
                chosen += 1;
                return Ok(());
            }
            let twice = Fault::Invalid("an earlier entry names it");
            Err(if is_there { Error { fault: twice, ..unknown(id(k)) } } else { unknown(id(k)) })
        });
        if found.is_err() {
            (0..chosen).for_each(|k| kept.take_back(id(k)));
        }
        found?;
        Ok((0..count).map(id).try_for_each(|id| self.remove_constraint(id))?)
    }

    /// Set the free velocities of so many bodies, or the previous ones.
    ///
    /// # Errors
    /// Of the first entry that [`System::set_velocity`] would refuse.
    pub fn set_velocities<'a>(
        &mut self,
        count: usize,
        are_previous: bool,
        entry: impl Fn(usize) -> (Id, &'a [f64]),
    ) -> EntryResult {
        all(count, |k| self.check_velocity(entry(k).0, entry(k).1))?;
        let set = if are_previous { Self::set_previous_velocity } else { Self::set_velocity };
        Ok((0..count).map(entry).try_for_each(|(id, velocity)| set(self, id, velocity))?)
    }

    /// Set the rotations of so many rigid bodies.
    ///
    /// # Errors
    /// Of the first entry that [`System::set_rotation`] would refuse.
    pub fn set_rotations(&mut self, count: usize, entry: impl Fn(usize) -> (Id, Block)) -> EntryResult {
        all(count, |k| self.turned(entry(k).0, &entry(k).1).map(|_| ()))?;
        Ok((0..count).map(entry).try_for_each(|(id, rotation)| self.set_rotation(id, &rotation))?)
    }

    /// Tell the free velocities of so many bodies, n values each.
    ///
    /// # Errors
    /// Of the first entry that names no body, or one with another number of velocities; nothing has been told then.
    pub fn velocities<'a>(
        &'a self,
        count: usize,
        n: usize,
        id: impl Fn(usize) -> Id,
        mut tell: impl FnMut(usize, &'a [f64]),
    ) -> EntryResult {
        all(count, |k| {
            let checked = check_size("its generalised velocity", self.body(id(k))?.dofs(), n);
            checked.map_err(|fault| Error::of_body(id(k), fault))
        })?;
        for k in 0..count {
            tell(k, self.body(id(k))?.velocity());
        }
        Ok(())
    }

    /// Tell the rotations of so many rigid bodies.
    ///
    /// # Errors
    /// Of the first entry that names no rigid body; nothing has been told then.
    pub fn rotations(
        &self,
        count: usize,
        id: impl Fn(usize) -> Id,
        mut tell: impl FnMut(usize, &Block),
    ) -> EntryResult {
        all(count, |k| self.rigid(id(k)).map(|_| ()))?;
        for k in 0..count {
            tell(k, self.rigid(id(k))?.0);
        }
        Ok(())
    }

    /// Tell frames and points of so many constraints.
    ///
    /// # Errors
    /// Of the first entry that names no constraint at points; nothing has been told then.
    pub fn placements(
        &self,
        count: usize,
        id: impl Fn(usize) -> Id,
        mut tell: impl FnMut(usize, &Block, &[Vector; 2]),
    ) -> EntryResult {
        all(count, |k| self.points_of(id(k)).map(|_| ()))?;
        for k in 0..count {
            let (frame, points) = self.points_of(id(k))?;
            tell(k, frame, points);
        }
        Ok(())
    }

    pub(super) fn points_of(&self, id: Id) -> Result<(&Block, &[Vector; 2])> {
        let constraint = self.constraint(id)?;
        match constraint.placement() {
            Placement::Points { frame, points } => Ok((frame, points)),
            Placement::Operators(_) => {
                let subject = Subject::Constraint(id, constraint.bodies());
                Err(Error { subject, fault: Fault::Invalid("it is given by operators H and has no points") })
            }
        }
    }
}

//! Bodies and constraints under ids that the caller chooses: systems across processes give one id to a body in all of them.
#![forbid(unsafe_code)]

use crate::assembly::update::BodyOperators;

use super::model::System;

impl System {
    /// Forget the structure if bodies or constraints have come below the largest id since the last update: rows are in the order of ids.
    pub(super) fn forget_disordered(&mut self) {
        let are_bodies = self.bodies.take_disorder();
        if are_bodies {
            self.made = BodyOperators::default();
        }
        if are_bodies | self.constraints.take_disorder() {
            self.structure.forget();
        }
    }
}

#[cfg(feature = "mpi")]
mod across {
    use super::System;
    use crate::math::Vector;
    use crate::memory::with_capacity;
    use crate::system::body::{Body, Kinematics};
    use crate::system::bulk::{AtPoints, EntryResult, all};
    use crate::system::constraint::Constraint;
    use crate::system::dirty;
    use crate::system::error::{Error, Fault, Result, Subject, unknown};
    use crate::system::id_table::Id;
    use crate::system::model::constraint_data::ConstraintData;
    use crate::system::model::constraints::mark_bodies;

    impl System {
        /// Choose the ids of the next body and the next constraint that are inserted; those after them get the ids that follow.
        pub fn set_next_ids(&mut self, body: Id, constraint: Id) {
            self.bodies.set_next(body);
            self.constraints.set_next(constraint);
            self.data.set_next(constraint);
        }

        /// Whether nothing has been inserted, removed or moved to other bodies since the last update.
        pub(crate) fn has_structure(&self) -> bool {
            self.is_structured
        }

        /// Insert bodies under ascending ids that no body has.
        ///
        /// # Errors
        /// If a body has one of the ids, they do not ascend, or memory is exhausted. Nothing has changed then.
        pub(crate) fn insert_bodies(&mut self, bodies: Vec<(Id, Body)>) -> Result {
            let mut items = with_capacity(bodies.len())?;
            let mut last = None;
            for (id, body) in bodies {
                let is_new = self.bodies.get(id).is_none() && last.replace(id).is_none_or(|last| last < id);
                ensure!(is_new, Error::of_body(id, Fault::Invalid("its id is there twice")));
                let marks = dirty::of_body(&body.inertia);
                items.push((id, body, marks));
            }
            let room = self.bodies.room_for(&items)?;
            self.bodies.merge(items, room);
            self.structure_changes();
            Ok(())
        }

        /// Set the state of a body that another process has changed.
        ///
        /// # Errors
        /// If there is no such body, or it is of another kind.
        pub(in crate::system) fn receive_state(
            &mut self,
            id: Id,
            kinematics: Kinematics,
            position: Option<Vector>,
            velocities: &[u64],
        ) -> Result {
            let (body, mark) = self.bodies.get_mut(id).ok_or(Error::of_body(id, Fault::Unknown))?;
            body.position = position;
            let has_moved = body.set_kinematics(kinematics).map_err(|fault| Error::of_body(id, fault))?;
            let mut bits = 0;
            for (own, &word) in body.velocities.iter_mut().zip(velocities) {
                bits |= own.to_bits() ^ word;
                *own = f64::from_bits(word);
            }
            if bits != 0 {
                *mark |= dirty::VELOCITY;
                self.is_fresh = false;
            }
            if has_moved {
                *mark |= dirty::CHANGED;
                self.values_change();
            }
            Ok(())
        }

        /// Put a constraint where another one on the same bodies is.
        ///
        /// # Errors
        /// If there is no such constraint.
        pub(in crate::system) fn receive_place(&mut self, id: Id, other: Constraint) -> Result {
            let (constraint, mark) = self.constraints.get_mut(id).ok_or(unknown(id))?;
            if constraint.placement.has_points_of(&other.placement) {
                return Ok(());
            }
            constraint.take_operators(other);
            *mark |= dirty::CHANGED;
            self.values_change();
            Ok(())
        }

        /// Insert `count` constraints at points, as [`System::add_point_constraints`], under the caller's ids.
        ///
        /// # Errors
        /// As for that function; also if a constraint has one of the ids, or two entries have the same. Nothing has changed then.
        pub fn add_point_constraints_under(
            &mut self,
            count: usize,
            id: impl Fn(usize) -> Id,
            entry: impl Fn(usize) -> AtPoints,
        ) -> EntryResult {
            let mut new = with_capacity(count).map_err(Error::from)?;
            all(count, |k| {
                let AtPoints { bodies, frame, points } = entry(k);
                let failed = |fault| Error { subject: Subject::Constraint(Some(id(k)), bodies), fault };
                let is_new = self.constraints.get(id(k)).is_none();
                ensure!(is_new, failed(Fault::Invalid("its id is there twice")));
                let placement = self.check_points(bodies, &frame, points).map_err(failed)?;
                new.push((id(k), Constraint::regular(bodies, placement), ConstraintData::default()));
                Ok(())
            })?;
            new.sort_unstable_by_key(|entry| entry.0);
            Ok(self.insert_constraints(new)?)
        }

        /// Insert constraints with their data under ascending ids that no constraint has; their bodies exist.
        ///
        /// # Errors
        /// If a constraint has one of the ids, they do not ascend, a body does not exist, or memory is exhausted. Nothing has changed
        /// then.
        pub(in crate::system) fn insert_constraints(
            &mut self,
            constraints: Vec<(Id, Constraint, ConstraintData)>,
        ) -> Result {
            let (mut last, mut irregular, mut compliances) = (None, 0, 0);
            for (id, constraint, _) in &constraints {
                let failed = |fault| Error { subject: constraint.subject(*id), fault };
                let is_new =
                    self.constraints.get(*id).is_none() && last.replace(*id).is_none_or(|last| last < *id);
                ensure!(is_new, failed(Fault::Invalid("its id is there twice")));
                for body in constraint.all_bodies() {
                    ensure!(self.bodies.get(body).is_some(), failed(Fault::NoBody(body)));
                }
                irregular += usize::from(!constraint.is_regular());
                compliances += usize::from(constraint.is_compliant());
            }
            let mut items = with_capacity(constraints.len())?;
            let mut data = with_capacity(constraints.len())?;
            for (id, constraint, own) in constraints {
                items.push((id, constraint, dirty::CHANGED));
                data.push((id, own, 0));
            }
            let rooms = (self.constraints.room_for(&items)?, self.data.room_for(&data)?);
            for (_, constraint, _) in &items {
                mark_bodies(&mut self.bodies, constraint.all_bodies(), |count| *count += 1);
            }
            self.constraints.merge(items, rooms.0);
            self.data.merge(data, rooms.1);
            self.irregular += irregular;
            self.compliances += compliances;
            self.structure_changes();
            Ok(())
        }
    }
}

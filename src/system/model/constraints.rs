//! Constraints of three rows on one or two bodies come, go, and change.
#![forbid(unsafe_code)]

use crate::math::{Block, Vector};
use crate::rows::fault::check_size;
use crate::system::body::orthonormal;
use crate::system::constraint::{Constraint, OTHER_KIND, Operator, Placement, check_compliance};
use crate::system::dirty;
use crate::system::error::{Checked, Error, Fault, Result, Subject, unknown};
use crate::system::id_table::Id;
use crate::system::mixed::MOST_BODIES;

use super::System;

impl System {
    /// Insert a constraint between points of bodies; `None` is the ground. U = Eᵀ (velocity of the master's point − velocity
    /// of the slave's), E = `frame` with the local axes as columns. Points are referential; that of the ground does not count.
    ///
    /// # Errors
    /// If there is no such body, a body has no points, both are the ground, something is not finite, the frame is not
    /// orthonormal, or memory is exhausted.
    pub fn insert_constraint(
        &mut self,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Result<Id> {
        self.insert_placed(bodies, Placement::at_points(frame, points))
    }

    /// Insert a constraint by operators, one for each body that is not the ground: U = H_master u_master + H_slave u_slave,
    /// signs included.
    ///
    /// # Errors
    /// If there is no such body, an operator is missing or of another size, both are the ground, or memory is exhausted.
    pub fn insert_operators(
        &mut self,
        bodies: [Option<Id>; 2],
        operators: [Option<Operator>; 2],
    ) -> Result<Id> {
        self.insert_placed(bodies, Ok(Placement::Operators(operators)))
    }

    fn insert_placed(&mut self, bodies: [Option<Id>; 2], placement: Checked<Placement>) -> Result<Id> {
        let subject = Subject::Constraint(self.next_constraint(), bodies);
        let failed = |fault| Error { subject, fault };
        let placement = placement.map_err(failed)?;
        self.check_placement(bodies, &placement).map_err(failed)?;
        let constraint = Constraint { bodies, placement, compliance: None };
        self.all_or_nothing(|system| system.put_triple(constraint)).map_err(|_| failed(Fault::Memory))
    }

    pub(in crate::system) fn check_placement(
        &self,
        bodies: [Option<Id>; 2],
        placement: &Placement,
    ) -> Checked {
        ensure!(bodies != [None, None], Fault::Invalid("both of its bodies are the ground"));
        if let (Placement::Points { frame, .. }, false) = (placement, self.takes_any_axes) {
            orthonormal("its frame is not orthonormal to within 1e-8", frame)?;
        }
        for (k, id) in bodies.into_iter().enumerate() {
            let body = id.map(|id| self.bodies.get(id).ok_or(Fault::NoBody(id))).transpose()?;
            match (body, placement) {
                (None, Placement::Points { .. }) => {}
                (Some(body), Placement::Points { .. }) if body.kinematics().dofs().is_some() => {}
                (Some(_), Placement::Points { .. }) => {
                    return Err(Fault::Invalid(
                        "a body of it is neither rigid nor pseudo-rigid and has no points",
                    ));
                }
                (body, Placement::Operators(operators)) => match (body, &operators[k]) {
                    (None, None) => {}
                    (Some(body), Some(operator)) => {
                        check_size("columns of its operator H", body.dofs(), operator.dofs())?;
                    }
                    _ => return Err(Fault::Invalid("it needs one operator H for each of its bodies")),
                },
            }
        }
        Ok(())
    }

    /// Remove a constraint: later rows move up.
    ///
    /// # Errors
    /// If there is none with this id.
    pub fn remove_constraint(&mut self, id: Id) -> Result {
        self.rows_of(id)?;
        let mut list = [0; MOST_BODIES];
        let bodies = self.bodies_of(id, &mut list);
        let has_compliance = self.constraint(id).is_ok_and(|constraint| constraint.compliance.is_some());
        self.compliances -= usize::from(has_compliance);
        match &mut self.mixed {
            Some(mixed) => mixed.remove(&mut self.constraints, id),
            None => drop(self.constraints.remove(id)),
        }
        self.kept.remove(id);
        self.mark_bodies(bodies.iter().copied(), |users| *users -= 1);
        if self.constraints.is_sparse() {
            self.constraints.close_up();
        }
        if self.kept.is_sparse() {
            self.kept.close_up();
        }
        self.structure_changes();
        Ok(())
    }

    /// Give a constraint at points another frame and other points.
    ///
    /// # Errors
    /// If there is none with this id, it was inserted with operators, or something is not finite.
    pub fn move_constraint(&mut self, id: Id, frame: &Block, points: [Vector; 2]) -> Result {
        let bodies = self.constraint(id)?.bodies;
        self.rebind_constraint(id, bodies, frame, points)
    }

    /// Give a constraint at points other bodies, with a frame and points on these: it keeps its row, its id and what is kept with
    /// it.
    ///
    /// # Errors
    /// As [`System::insert_constraint`] and [`System::move_constraint`].
    pub fn rebind_constraint(
        &mut self,
        id: Id,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Result {
        let (before, placement) = (self.constraint(id)?.bodies, self.check_move(id, bodies, frame, points)?);
        if before != bodies {
            self.mark_bodies(before.into_iter().flatten(), |users| *users -= 1);
            self.mark_bodies(bodies.into_iter().flatten(), |users| *users += 1);
            self.structure_changes();
        }
        self.change_constraint(id, |constraint, mark| {
            if constraint.bodies != bodies {
                constraint.bodies = bodies;
                *mark |= dirty::REATTACHED | dirty::CHANGED;
            }
            if !constraint.placement.has_points_of(&placement) {
                *mark |= dirty::CHANGED;
            }
            constraint.placement = placement;
        })
    }

    /// The placement of a constraint at points of these bodies.
    ///
    /// # Errors
    /// As [`System::rebind_constraint`].
    pub(in crate::system) fn check_move(
        &self,
        id: Id,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Result<Placement> {
        let is_at_points = self.constraint(id)?.is_at_points();
        let failed = |fault| Error { subject: Subject::Constraint(id, bodies), fault };
        ensure!(is_at_points, failed(Fault::Invalid(OTHER_KIND)));
        let placement = Placement::at_points(frame, points).map_err(failed)?;
        self.check_placement(bodies, &placement).map_err(failed)?;
        Ok(placement)
    }

    /// Give a constraint by operators other ones.
    ///
    /// # Errors
    /// If there is none with this id, it was inserted at points, or an operator is missing or of another size.
    pub fn set_operators(&mut self, id: Id, operators: [Option<Operator>; 2]) -> Result {
        let constraint = self.constraint(id)?;
        let bodies = constraint.bodies;
        let failed = |fault| Error { subject: Subject::Constraint(id, bodies), fault };
        ensure!(!constraint.is_at_points(), failed(Fault::Invalid(OTHER_KIND)));
        let placement = Placement::Operators(operators);
        self.check_placement(bodies, &placement).map_err(failed)?;
        self.room.forget();
        self.change_constraint(id, |constraint, mark| {
            *mark |= dirty::CHANGED;
            constraint.placement = placement;
        })
    }

    /// Set what is added to the diagonal block of a constraint, symmetric; `None`: nothing.
    ///
    /// # Errors
    /// If there is none with this id, or the compliance is not finite or not symmetric.
    pub fn set_compliance(&mut self, id: Id, compliance: Option<Block>) -> Result {
        let subject = Subject::Constraint(id, self.constraint(id)?.bodies);
        if let Some(compliance) = &compliance {
            check_compliance(3, compliance).map_err(|fault| Error { subject, fault })?;
        }
        if let Some((kept, _)) = self.kept.get_mut(id) {
            kept.compliance = compliance;
        }
        self.put_compliance(id)
    }

    pub(in crate::system) fn change_constraint(
        &mut self,
        id: Id,
        change: impl FnOnce(&mut Constraint, &mut u8),
    ) -> Result {
        let triple = self.triple(id)?;
        let (constraint, mark) = self.constraints.get_mut(triple).ok_or(unknown(id))?;
        change(constraint, mark);
        self.values_change();
        Ok(())
    }

    /// A constraint of three rows on one or two bodies.
    ///
    /// # Errors
    /// If there is none with this id, or it is of another kind.
    pub fn constraint(&self, id: Id) -> Result<&Constraint> {
        self.constraints.get(self.triple(id)?).ok_or(unknown(id))
    }

    /// All constraints of three rows on one or two bodies, in the order of rows.
    pub fn constraints(&self) -> impl Iterator<Item = (Id, &Constraint)> + Clone {
        self.constraints.iter().filter_map(|(triple, constraint)| match &self.mixed {
            Some(mixed) => {
                let owner = mixed.owner(triple, 0)?;
                (mixed.triple(&self.constraints, owner) == Ok(triple)).then_some((owner, constraint))
            }
            None => Some((triple, constraint)),
        })
    }

    /// The constraint that has a lane of a row of three.
    pub(in crate::system) fn owner(&self, triple: Id, lane: usize) -> Id {
        self.mixed.as_ref().and_then(|mixed| mixed.owner(triple, lane)).unwrap_or(triple)
    }

    /// The row of a constraint.
    ///
    /// # Errors
    /// If there is none with this id, or no update since the last change.
    pub fn row(&self, id: Id) -> Result<usize> {
        self.rows_of(id)?;
        self.needs(self.is_structured)?;
        match &self.mixed {
            Some(mixed) => mixed.view.ids().binary_search(&(id as i64)).map_err(|_| unknown(id)),
            None => self.structure.row(id).ok_or(unknown(id)),
        }
    }
}

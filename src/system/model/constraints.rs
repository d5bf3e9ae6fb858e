//! Inserts, removes and changes constraints.
#![forbid(unsafe_code)]

use crate::fault::check_size;
use crate::math::{Block, Vector};
use crate::memory::{self, collected, copied};
use crate::system::axes::FRAME;
use crate::system::body::{Body, finite};
use crate::system::constraint::{
    Constraint, MOST_BODIES, MOST_ROWS, OTHER_KIND, Operator, Placement, check_bodies, check_compliance,
    check_rows, full_compliance,
};
use crate::system::dirty;
use crate::system::error::{Checked, Error, Fault, Result, Subject, subject_of, unknown};
use crate::system::id_table::{Id, Table};
use crate::system::joints::HAS_OPERATORS;

use super::System;
use super::constraint_data::ConstraintData;

impl System {
    /// Insert a constraint between points of bodies; `None` is the ground. U = Eᵀ (velocity of the master's point − velocity of the
    /// slave's point), E = `frame` with the local axes as columns. Points are referential; the ground's point is not used.
    ///
    /// # Errors
    /// If there is no such body, a body has no points, both are the ground, something is not finite, the frame is not
    /// orthonormal, or memory is exhausted.
    pub fn add_point_constraint(
        &mut self,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Result<Id> {
        let subject = Subject::Constraint(None, bodies);
        let failed = |fault| Error { subject, fault };
        let placement = self.check_points(bodies, frame, points).map_err(failed)?;
        let constraint = Constraint::regular(bodies, placement);
        self.all_or_nothing(|system| system.put(constraint)).map_err(|_| failed(Fault::Memory))
    }

    /// Insert a constraint of one to six scalar rows by operators: U = Σ H u over its bodies, signs included. It has one to sixteen
    /// bodies and an operator for each; one of two bodies may be `None`, the ground, which has no operator. Each operator has all
    /// rows of the constraint.
    ///
    /// If there are two bodies and three rows, both bodies may be the same: H is the sum then.
    ///
    /// # Errors
    /// If the number of bodies is wrong, a body does not exist or is there twice, all are the ground, operators are missing or have
    /// the wrong size, or memory is exhausted.
    pub fn add_constraint_rows<B: Copy + Into<Option<Id>>>(
        &mut self,
        bodies: &[B],
        operators: Vec<Operator>,
    ) -> Result<Id> {
        let mut list = [None; MOST_BODIES];
        list.iter_mut().zip(bodies).for_each(|(to, &body)| *to = body.into());
        let list = &list[..bodies.len().min(MOST_BODIES)];
        let subject = subject_of(None, list);
        let failed = |fault| Error { subject, fault };
        check_bodies(bodies.len()).map_err(failed)?;
        self.insert_checked(list, operators).map_err(failed)
    }

    fn insert_checked(&mut self, bodies: &[Option<Id>], operators: Vec<Operator>) -> Checked<Id> {
        let rows = self.check_operators(bodies, &operators, None)?;
        let constraint = Constraint::by_operators(bodies, rows, operators.into_iter().map(Ok))?;
        Ok(self.all_or_nothing(|system| system.put(constraint))?)
    }

    /// Insert a constraint of one row that measures one generalized velocity of a body, times a coefficient: a limit, motor or
    /// friction loss of a joint.
    ///
    /// # Errors
    /// If there is no such body or velocity, the coefficient is not finite, or memory is exhausted.
    pub fn add_dof_constraint(&mut self, body: Id, dof: Option<usize>, coefficient: f64) -> Result<Id> {
        let subject = subject_of(None, &[Some(body)]);
        let failed = |fault| Error { subject, fault };
        let dofs = self.bodies.get(body).ok_or(failed(Fault::NoBody(body)))?.dofs();
        let dof = dof.filter(|&dof| dof < dofs);
        let dof = dof.ok_or(failed(Fault::Invalid("its body has no such generalized velocity")))?;
        finite("its coefficient", &[coefficient]).map_err(failed)?;
        let operator = Operator::of_dof(dofs, dof, coefficient).map_err(failed)?;
        let operators = collected(1, std::iter::once(operator)).map_err(|_| failed(Fault::Memory))?;
        self.add_constraint_rows(&[body], operators)
    }

    /// Let `insert` put constraints into the tables. After an error the tables are as before, and the results still exist.
    pub(in crate::system) fn all_or_nothing<T, E>(
        &mut self,
        insert: impl FnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        let (first, irregular) = (self.next_constraint(), self.irregular);
        let inserted = insert(self);
        match inserted {
            Ok(_) => {
                let Self { bodies, constraints, .. } = self;
                for id in first..constraints.next() {
                    let users = constraints.get(id).into_iter().flat_map(Constraint::all_bodies);
                    mark_bodies(bodies, users, |count| *count += 1);
                }
                self.structure_changes();
            }
            Err(_) => {
                self.data.truncate(first);
                self.constraints.truncate(first);
                self.irregular = irregular;
            }
        }
        inserted
    }

    /// Reserve memory for `count` more constraints. If there is none, this finds it before entries are looked at.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn reserve_constraints(&mut self, count: usize) -> Result {
        self.constraints.reserve(count)?;
        Ok(self.data.reserve(count)?)
    }

    /// Put a constraint that has been checked into the tables.
    ///
    /// # Errors
    /// If memory is exhausted; [`System::all_or_nothing`] then removes the parts that were inserted.
    pub(in crate::system) fn put(&mut self, constraint: Constraint) -> memory::Result<Id> {
        let is_irregular = !constraint.is_regular();
        let id = self.constraints.insert(constraint, dirty::CHANGED)?;
        self.irregular += usize::from(is_irregular);
        self.data.insert(ConstraintData::default(), 0)?;
        Ok(id)
    }

    /// Put a constraint by operators, all of them zero, into the tables; its bodies must exist.
    ///
    /// # Errors
    /// The errors of [`System::put`].
    pub(in crate::system) fn put_with_zeros(&mut self, bodies: &[Option<Id>], rows: usize) -> Result<Id> {
        let zeros = bodies.iter().flatten().map(|&id| {
            let dofs = self.bodies.get(id).map_or(0, |body| body.dofs());
            Operator::zero(rows, dofs)
        });
        let constraint = Constraint::by_operators(bodies, rows, zeros);
        let constraint = constraint.map_err(Error::of_system)?;
        Ok(self.put(constraint)?)
    }

    /// Check the points of a constraint on these bodies.
    pub(in crate::system) fn check_points(
        &self,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Checked<Placement> {
        Placement::at_points(frame, points)?;
        ensure!(bodies != [None, None], Fault::Invalid("both of its bodies are the ground"));
        let frame = self.options.axes(frame, &FRAME)?;
        for id in bodies.into_iter().flatten() {
            let body = self.bodies.get(id).ok_or(Fault::NoBody(id))?;
            let why = "a body of it is neither rigid nor pseudo-rigid and has no points";
            ensure!(body.kinematics().dofs().is_some(), Fault::Invalid(why));
        }
        Placement::at_points(&frame, points)
    }

    /// The placement of a frame and points that have been checked.
    pub(in crate::system) fn placement(&self, frame: &Block, points: [Vector; 2]) -> Placement {
        Placement::Points { frame: self.options.accepted(frame), points }
    }

    /// Check the operators of a constraint on these bodies; `rows` is its number of rows if it exists already. Return the number of
    /// rows.
    fn check_operators(
        &self,
        bodies: &[Option<Id>],
        operators: &[Operator],
        rows: Option<usize>,
    ) -> Checked<usize> {
        check_bodies(bodies.len())?;
        ensure!(bodies.iter().any(Option::is_some), Fault::Invalid("both of its bodies are the ground"));
        let has_ground = bodies.contains(&None);
        let why = "the ground is one of more than two bodies of it";
        ensure!(!has_ground || bodies.len() <= 2, Fault::Invalid(why));
        let expected = bodies.iter().flatten().count();
        check_size("its operators H", expected, operators.len())?;
        let height = rows.unwrap_or(operators[0].rows());
        check_rows(height)?;
        for (k, (id, operator)) in bodies.iter().flatten().zip(operators).enumerate() {
            let body = self.bodies.get(*id).ok_or(Fault::NoBody(*id))?;
            let is_twice = bodies[..k].contains(&Some(*id));
            let may_be_twice = bodies.len() == 2 && height == 3;
            ensure!(!is_twice || may_be_twice, Fault::Invalid("a body of it is there twice"));
            if operator.rows() != height {
                return Err(Fault::Invalid(match rows {
                    Some(_) => "its operators H have not as many rows as it has",
                    None => "its operators H have different numbers of rows",
                }));
            }
            check_size("columns of its operator H", body.dofs(), operator.dofs())?;
        }
        Ok(height)
    }

    /// Remove a constraint: later rows move up.
    ///
    /// # Errors
    /// If there is no constraint with this id.
    pub fn remove_constraint(&mut self, id: Id) -> Result {
        let constraint = self.constraints.remove(id).ok_or(unknown(id))?;
        self.compliances -= usize::from(constraint.is_compliant());
        self.irregular -= usize::from(!constraint.is_regular());
        self.data.remove(id);
        self.forget_joint(id);
        mark_bodies(&mut self.bodies, constraint.all_bodies(), |users| *users -= 1);
        if self.constraints.is_sparse() {
            self.constraints.close_up();
            self.data.close_up();
        }
        self.structure_changes();
        Ok(())
    }

    /// Give a constraint at points, or a contact with moments, another frame and other points.
    ///
    /// # Errors
    /// If there is no constraint with this id, it was inserted with operators, or something is not finite.
    pub fn move_constraint(&mut self, id: Id, frame: &Block, points: [Vector; 2]) -> Result {
        let bodies = self.constraint(id)?.bodies;
        self.rebind_constraint(id, bodies, frame, points)
    }

    /// Move a constraint at points to other bodies, with a frame and points on these: it keeps its row, its id and its data.
    ///
    /// # Errors
    /// As [`System::add_point_constraint`] and [`System::move_constraint`].
    pub fn rebind_constraint(
        &mut self,
        id: Id,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Result {
        let placement = self.check_move(id, bodies, frame, points)?;
        self.put_points(id, bodies, placement)
    }

    /// Set the bodies and points of a constraint; they have been checked.
    pub(in crate::system) fn put_points(
        &mut self,
        id: Id,
        bodies: [Option<Id>; 2],
        placement: Placement,
    ) -> Result {
        let before = self.constraint(id)?.bodies;
        if self.is_rolling_contact(id) {
            self.put_contact(id, &placement);
            return Ok(());
        }
        if before != bodies {
            mark_bodies(&mut self.bodies, before.into_iter().flatten(), |users| *users -= 1);
            mark_bodies(&mut self.bodies, bodies.into_iter().flatten(), |users| *users += 1);
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

    /// Check new bodies and points of a constraint.
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
        let constraint = self.constraint(id)?;
        let own = |fault| Error { subject: constraint.subject(id), fault };
        let is_contact = self.is_rolling_contact(id);
        ensure!(constraint.is_at_points() || is_contact, own(Fault::Invalid(OTHER_KIND)));
        let why = "a contact with moments keeps its bodies: remove it and insert another one";
        ensure!(!is_contact || constraint.bodies == bodies, own(Fault::Invalid(why)));
        let failed = |fault| Error { subject: Subject::Constraint(Some(id), bodies), fault };
        self.check_points(bodies, frame, points).map_err(failed)
    }

    /// Replace the operators of a constraint: one for each of its bodies except the ground, in their order. Each operator has all
    /// scalar rows.
    ///
    /// # Errors
    /// If there is no constraint with this id, it was inserted at points or is a joint by axes, operators are missing or have the wrong size, or memory
    /// is exhausted.
    pub fn set_operators(&mut self, id: Id, operators: Vec<Operator>) -> Result {
        let constraint = self.constraint(id)?;
        let (subject, rows) = (constraint.subject(id), constraint.rows());
        let failed = |fault| Error { subject, fault };
        ensure!(!constraint.is_at_points(), failed(Fault::Invalid(OTHER_KIND)));
        ensure!(!self.is_joint(id), failed(Fault::Invalid(HAS_OPERATORS)));
        let mut list = [None; MOST_BODIES];
        let bodies = constraint.list_bodies(&mut list);
        self.check_operators(bodies, &operators, Some(rows)).map_err(failed)?;
        let other = Constraint::by_operators(bodies, rows, operators.into_iter().map(Ok)).map_err(failed)?;
        self.scatter.forget();
        self.change_constraint(id, |constraint, mark| {
            *mark |= dirty::CHANGED;
            constraint.take_operators(other);
        })
    }

    /// Set the compliance of a constraint of m scalar rows: it is added to the diagonal block. It has m × m values, column-major
    /// and symmetric, or the m values of a diagonal; no values remove it.
    ///
    /// # Errors
    /// If there is no constraint with this id, the number of values is wrong, they are not finite, not symmetric or negative in
    /// some direction, or memory is exhausted.
    pub fn set_compliance(&mut self, id: Id, compliance: &[f64]) -> Result {
        self.check_compliance(id, compliance)?;
        self.put_compliance(id, compliance)
    }

    /// Check a compliance for a constraint.
    pub(in crate::system) fn check_compliance(&self, id: Id, compliance: &[f64]) -> Result {
        let constraint = self.constraint(id)?;
        if compliance.is_empty() {
            return Ok(());
        }
        let (rows, mut room) = (constraint.rows(), [0.0; MOST_ROWS * MOST_ROWS]);
        let checked = check_compliance(rows, full_compliance(rows, compliance, &mut room));
        checked.map_err(|fault| Error { subject: constraint.subject(id), fault })
    }

    /// Set a compliance that has been checked.
    pub(in crate::system) fn put_compliance(&mut self, id: Id, compliance: &[f64]) -> Result {
        let Self { constraints, data, compliances, .. } = self;
        let (constraint, mark) = constraints.get_mut(id).ok_or(unknown(id))?;
        let failed = |fault| Error { subject: constraint.subject(id), fault };
        let was_compliant = constraint.is_compliant();
        let mut room = [0.0; MOST_ROWS * MOST_ROWS];
        let compliance = full_compliance(constraint.rows(), compliance, &mut room);
        if constraint.is_regular() {
            let (data, _) = data.get_mut(id).ok_or(unknown(id))?;
            data.compliance = compliance.try_into().ok();
            constraint.compliance = data.added();
        } else {
            let values = copied(compliance).map_err(|_| failed(Fault::Memory))?;
            if let Some(irregular) = &mut constraint.irregular {
                irregular.compliance = values;
            }
        }
        *compliances = *compliances + usize::from(constraint.is_compliant()) - usize::from(was_compliant);
        *mark |= dirty::COMPLIANCE;
        self.values_change();
        Ok(())
    }

    /// The compliance of a constraint, without regularization: m × m values, column-major, or none.
    ///
    /// # Errors
    /// If there is no constraint with this id.
    pub fn compliance(&self, id: Id) -> Result<&[f64]> {
        Ok(match &self.constraint(id)?.irregular {
            Some(irregular) => &irregular.compliance,
            None => self.data(id)?.compliance.as_ref().map_or(&[], |block| &block[..]),
        })
    }

    fn change_constraint(&mut self, id: Id, change: impl FnOnce(&mut Constraint, &mut u8)) -> Result {
        let (constraint, mark) = self.constraints.get_mut(id).ok_or(unknown(id))?;
        change(constraint, mark);
        self.values_change();
        Ok(())
    }

    /// A constraint.
    ///
    /// # Errors
    /// If there is no constraint with this id.
    pub fn constraint(&self, id: Id) -> Result<&Constraint> {
        self.constraints.get(id).ok_or(unknown(id))
    }

    /// All constraints, in the order of rows.
    pub fn constraints(&self) -> impl Iterator<Item = (Id, &Constraint)> + Clone {
        self.constraints.iter()
    }

    /// The subject of errors of a constraint.
    ///
    /// # Errors
    /// If there is no constraint with this id.
    pub(in crate::system) fn subject(&self, id: Id) -> Result<Subject> {
        Ok(self.constraint(id)?.subject(id))
    }

    /// Check that a constraint has three rows and at most two bodies.
    ///
    /// # Errors
    /// If it has not, or there is no constraint with this id.
    pub(in crate::system) fn check_regular(&self, id: Id) -> Result {
        let constraint = self.constraint(id)?;
        let why = "it was not inserted with three rows on one or two bodies";
        let error = Error { subject: constraint.subject(id), fault: Fault::Invalid(why) };
        if constraint.is_regular() { Ok(()) } else { Err(error) }
    }

    /// The number of scalar rows of all constraints.
    pub(in crate::system) fn scalar_rows(&self) -> usize {
        match self.irregular {
            0 => 3 * self.constraints.len(),
            _ => self.constraints.iter().map(|(_, constraint)| constraint.rows()).sum(),
        }
    }

    /// The row of a constraint.
    ///
    /// # Errors
    /// If there is no constraint with this id, or there was no update since the last change.
    pub fn row_of(&self, id: Id) -> Result<usize> {
        self.constraint(id)?;
        self.needs(self.is_structured)?;
        self.structure.row(id).ok_or(unknown(id))
    }
}

/// Change the number of constraints on some bodies, and mark the bodies as changed.
pub(in crate::system) fn mark_bodies(
    table: &mut Table<Body>,
    bodies: impl Iterator<Item = Id>,
    count: impl Fn(&mut usize),
) {
    for body in bodies {
        if let Some((body, mark)) = table.get_mut(body) {
            count(&mut body.users);
            *mark |= dirty::CHANGED;
        }
    }
}

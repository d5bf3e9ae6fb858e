//! Constraints of one to six rows, on one to sixteen bodies, and the rows of systems that have such.
#![forbid(unsafe_code)]

use std::sync::PoisonError;

use crate::memory::{collected, refill};
use crate::rows::fault::check_size;
use crate::rows::multiply::{self, Columns, Product};

use super::body::{copied, finite};
use super::constraint::Constraint;
use super::constraint::check_compliance;
use super::dirty;
use super::error::{Checked, Error, Fault, Result, Subject, unknown};
use super::id_table::{Id, Table};
use super::mixed::{self, AnyRows, Entry, MOST_BODIES, Mixed, RowsOperator};
use super::model::System;

/// Vectors that are spread at a time.
const TOGETHER: usize = 4;

impl System {
    /// Insert a constraint of one to six rows on one to sixteen bodies by operators, one for each body: U = Σ H u, signs included.
    /// All operators have as many rows as the constraint.
    ///
    /// # Errors
    /// If there are no bodies or too many, there is no such body, one is there twice, operators are missing, of different numbers
    /// of rows or not of a body's columns, or memory is exhausted.
    pub fn insert_rows(&mut self, bodies: &[Id], operators: Vec<RowsOperator>) -> Result<Id> {
        let subject = about(self.next_constraint(), bodies);
        let failed = |fault| Error { subject, fault };
        self.check_rows(bodies, &operators).map_err(failed)?;
        let inserted = self.all_or_nothing(|system| {
            let id = system.claim(bodies, operators[0].rows())?;
            system.set_rows(id, operators)?;
            Ok(id)
        });
        inserted.map_err(|error: Error| failed(error.fault))
    }

    /// Insert a constraint of one row that measures one generalised velocity of a body, times a coefficient.
    ///
    /// # Errors
    /// If there is no such body or velocity, the coefficient is not finite, or memory is exhausted.
    pub fn insert_freedom(&mut self, body: Id, freedom: Option<usize>, coefficient: f64) -> Result<Id> {
        let subject = about(self.next_constraint(), &[body]);
        let failed = |fault| Error { subject, fault };
        let dofs = self.bodies.get(body).ok_or(failed(Fault::NoBody(body)))?.dofs();
        let freedom = freedom.filter(|&freedom| freedom < dofs);
        let freedom = freedom.ok_or(failed(Fault::Invalid("its body has no such generalised velocity")))?;
        finite("its coefficient", &[coefficient]).map_err(failed)?;
        let operator = RowsOperator::of_freedom(dofs, freedom, coefficient).map_err(failed)?;
        let operators = collected(1, std::iter::once(operator)).map_err(|_| failed(Fault::Memory))?;
        self.insert_rows(&[body], operators)
    }

    /// Give a constraint other operators, one for each of its bodies, in their order, with as many rows as it has.
    ///
    /// # Errors
    /// If there is none with this id, it was inserted at points, operators are missing or of other sizes, or memory is exhausted.
    pub fn set_rows(&mut self, id: Id, mut operators: Vec<RowsOperator>) -> Result {
        let subject = self.subject(id)?;
        let failed = |fault| Error { subject, fault };
        let rows = self.rows_of(id)?;
        let why = "its operators H have not as many rows as it has";
        ensure!(operators.iter().all(|operator| operator.rows() == rows), failed(Fault::Invalid(why)));
        let mut list = [0; MOST_BODIES];
        let bodies = self.bodies_of(id, &mut list);
        if let Ok(triple) = self.triple(id) {
            let sides = self.sides(triple);
            let expected = sides.iter().flatten().count();
            check_size("its operators H", expected, operators.len()).map_err(|fault| failed(fault.into()))?;
            let mut all = operators.drain(..).map(RowsOperator::into_triple);
            let mut next = |side: Option<Id>| side.and_then(|_| all.next()).transpose().map_err(failed);
            let operators = [next(sides[0])?, next(sides[1])?];
            return self.set_operators(id, operators);
        }
        self.check_rows(bodies, &operators).map_err(failed)?;
        self.room.forget();
        if let Some(mixed) = &mut self.mixed {
            let set = mixed.set(&mut self.constraints, id, &operators, dirty::CHANGED);
            set.map_err(|error| failed(error.fault))?;
        }
        self.values_change();
        Ok(())
    }

    /// Set what is added to the diagonal block of a constraint of any number of rows, m × m, column-major and symmetric; `None`:
    /// nothing.
    ///
    /// # Errors
    /// If there is none with this id, there are not as many values, they are not finite, not symmetric or negative in some
    /// direction, or memory is exhausted.
    pub fn set_rows_compliance(&mut self, id: Id, compliance: Option<&[f64]>) -> Result {
        let subject = self.subject(id)?;
        let failed = |fault| Error { subject, fault };
        let rows = self.rows_of(id)?;
        if let Some(values) = compliance {
            check_size("its compliance", rows * rows, values.len()).map_err(|fault| failed(fault.into()))?;
        }
        if self.triple(id).is_ok() {
            return self.set_compliance(id, compliance.and_then(|values| values.try_into().ok()));
        }
        let compliance = compliance.unwrap_or_default();
        check_compliance(rows, compliance).map_err(failed)?;
        let compliance = copied(compliance).map_err(failed)?;
        if let Some(mixed) = &mut self.mixed {
            mixed.set_compliance(&mut self.constraints, id, compliance, dirty::COMPLIANCE);
        }
        self.values_change();
        Ok(())
    }

    /// Number of rows of a constraint.
    ///
    /// # Errors
    /// If there is none with this id.
    pub fn rows_of(&self, id: Id) -> Result<usize> {
        match &self.mixed {
            Some(mixed) => mixed.entries().get(id).map(|entry| entry.rows.into()).ok_or(unknown(id)),
            None => self.constraints.get(id).map(|_| 3).ok_or(unknown(id)),
        }
    }

    /// The numbers of rows of all constraints, in their order.
    pub(super) fn sizes(&self) -> impl Iterator<Item = usize> {
        sizes(self.mixed.as_ref(), &self.constraints)
    }

    /// The ids of all constraints, in the order of rows.
    pub fn constraint_ids(&self) -> impl Iterator<Item = Id> {
        let entries = self.mixed.iter().flat_map(|mixed| mixed.entries().iter().map(|(id, _)| id));
        let triples = self.mixed.is_none().then(|| self.constraints.iter().map(|(id, _)| id));
        entries.chain(triples.into_iter().flatten())
    }

    /// Visit the rows of three that have a row of a constraint, and the lane that it is in.
    pub(super) fn lanes_of(&self, id: Id, row: usize, mut visit: impl FnMut(&Constraint, usize)) {
        let Some(mixed) = &self.mixed else {
            self.constraints.get(id).into_iter().for_each(|constraint| visit(constraint, row));
            return;
        };
        let pieces = mixed.entries().get(id).into_iter().flat_map(Entry::pieces);
        for piece in pieces.filter(|piece| piece.rows().contains(&row)) {
            if let Some(constraint) = self.constraints.get(piece.triple) {
                visit(constraint, piece.lanes().start + row - piece.rows().start);
            }
        }
    }

    /// Master and slave of a row of three.
    fn sides(&self, triple: Id) -> [Option<Id>; 2] {
        self.constraints.get(triple).map_or([None; 2], |constraint| constraint.bodies)
    }

    /// The bodies of a constraint, in its order, the ground left out; written to `list`.
    pub fn bodies_of<'a>(&self, id: Id, list: &'a mut [Id; MOST_BODIES]) -> &'a [Id] {
        let mut count = 0;
        let mut put = |body: Id| {
            list[count] = body;
            count += 1;
        };
        match &self.mixed {
            Some(mixed) => mixed.bodies(&self.constraints, id).flatten().for_each(&mut put),
            None => self.sides(id).into_iter().flatten().for_each(&mut put),
        }
        &list[..count]
    }

    /// What errors of a constraint are about.
    ///
    /// # Errors
    /// If there is none with this id.
    pub(super) fn subject(&self, id: Id) -> Result<Subject> {
        self.rows_of(id)?;
        Ok(match &self.mixed {
            Some(mixed) => mixed.subject(&self.constraints, id),
            None => Subject::Constraint(id, self.sides(id)),
        })
    }

    /// Where a constraint stands that is a row of three of its own.
    ///
    /// # Errors
    /// If there is none with this id, or it is none.
    pub(super) fn triple(&self, id: Id) -> Result<Id> {
        self.mixed.as_ref().map_or(Ok(id), |mixed| mixed.triple(&self.constraints, id))
    }

    /// Whether all constraints have three rows on one or two bodies.
    ///
    /// # Errors
    /// If one has not: it is named.
    pub(super) fn check_all_triples(&self) -> Result {
        match self.mixed.as_ref().and_then(Mixed::first_odd) {
            Some(odd) => self.triple(odd).map(|_| ()),
            None => Ok(()),
        }
    }

    fn check_rows(&self, bodies: &[Id], operators: &[RowsOperator]) -> Checked {
        mixed::check_bodies(bodies.len())?;
        check_size("its operators H", bodies.len(), operators.len())?;
        for (k, (id, operator)) in bodies.iter().zip(operators).enumerate() {
            let body = self.bodies.get(*id).ok_or(Fault::NoBody(*id))?;
            ensure!(!bodies[..k].contains(id), Fault::Invalid("a body of it is there twice"));
            let why = "its operators H have different numbers of rows";
            ensure!(operator.rows() == operators[0].rows(), Fault::Invalid(why));
            check_size("columns of its operator H", body.dofs(), operator.dofs())?;
        }
        Ok(())
    }

    /// Note that a constraint has come to some bodies, or gone.
    pub(super) fn mark_bodies(&mut self, bodies: impl Iterator<Item = Id>, count: impl Fn(&mut usize)) {
        for body in bodies {
            if let Some((body, mark)) = self.bodies.get_mut(body) {
                count(&mut body.users);
                *mark |= dirty::CHANGED;
            }
        }
    }

    /// The rows of W of any system; of one in which all constraints have three rows, those of [`System::rows`].
    ///
    /// # Errors
    /// If there was no successful update since the last change.
    pub fn any_rows(&self) -> Result<AnyRows<'_>> {
        self.needs(self.is_fresh)?;
        Ok(self.latest_rows_of_any())
    }

    /// As [`System::any_rows`], if nothing has changed since the last update but velocities: W is that of bodies and constraints.
    ///
    /// # Errors
    /// If there was no successful update since anything else changed.
    pub(super) fn rows_of_operators(&self) -> Result<AnyRows<'_>> {
        self.needs(self.has_operators)?;
        Ok(self.latest_rows_of_any())
    }

    fn latest_rows_of_any(&self) -> AnyRows<'_> {
        match self.odd() {
            Some(mixed) => mixed.view.rows(),
            None => self.latest_rows().into(),
        }
    }

    /// Whether every diagonal block has an inverse.
    ///
    /// # Errors
    /// As [`System::any_rows`], and of the first constraint whose diagonal block is singular.
    pub fn check_inverses(&self) -> Result {
        let rows = self.any_rows()?;
        match (0..rows.ids.len()).find(|&row| rows.inverse[rows.square(row).start].is_nan()) {
            Some(row) => Err(Error { subject: self.subject(rows.ids[row] as Id)?, fault: Fault::Singular }),
            None => Ok(()),
        }
    }

    /// What ties constraints to rows of three, if some are no rows of three of their own.
    pub(super) fn odd(&self) -> Option<&Mixed> {
        self.mixed.as_ref().filter(|mixed| mixed.is_odd())
    }

    /// Number of values of a vector with an entry for each scalar.
    pub(super) fn scalar_count(&self) -> usize {
        self.odd().map_or(3 * self.structure.len(), |mixed| mixed.view.scalar_count())
    }

    /// Multiply so many vectors, whose shapes have been checked.
    ///
    /// # Errors
    /// Those of the product, and if memory is exhausted.
    pub(super) fn multiply(
        &self,
        product: &mut impl Product<Error>,
        count: usize,
        x: Columns<&[f64]>,
        y: Columns<&mut [f64]>,
    ) -> Result {
        let rows = self.structure.len();
        let Some(mixed) = self.odd() else { return multiply::all(product, (count, rows), x, y) };
        let (length, scalars) = (3 * rows, self.scalar_count());
        let [inner_x, inner_y] = &mut *self.spread.lock().unwrap_or_else(PoisonError::into_inner);
        for first in (0..count).step_by(TOGETHER) {
            let some = first..(first + TOGETHER).min(count);
            refill(inner_x, some.len() * length, 0.0)?;
            refill(inner_y, some.len() * length, 0.0)?;
            let of = |k: usize, stride: usize| k * stride..k * stride + scalars;
            for (k, to) in some.clone().zip(inner_x.chunks_exact_mut(length)) {
                mixed.view.spread(&x.values[of(k, x.stride)], to.as_chunks_mut().0);
            }
            let (from, to) = (Columns { values: &inner_x[..], stride: length }, &mut inner_y[..]);
            multiply::all(product, (some.len(), rows), from, Columns { values: to, stride: length })?;
            for (k, from) in some.zip(inner_y.chunks_exact(length)) {
                let (x, y) = (&x.values[of(k, x.stride)], &mut y.values[of(k, y.stride)]);
                mixed.view.collect(from.as_chunks().0, mixed.entries(), x, y);
            }
        }
        Ok(())
    }

    /// A vector with an entry for each scalar as one with three values for each row of three, handed to `go`.
    ///
    /// # Errors
    /// Those of what it is handed to, and if memory is exhausted.
    pub(super) fn with_spread<T>(&self, x: &[f64], go: impl FnOnce(&[f64]) -> Result<T>) -> Result<T> {
        let Some(mixed) = self.odd() else { return go(x) };
        let [inner, _] = &mut *self.spread.lock().unwrap_or_else(PoisonError::into_inner);
        refill(inner, 3 * self.structure.len(), 0.0)?;
        mixed.view.spread(x, inner.as_chunks_mut().0);
        go(inner)
    }
}

/// The numbers of rows of all constraints, in their order.
pub(super) fn sizes(mixed: Option<&Mixed>, triples: &Table<Constraint>) -> impl Iterator<Item = usize> {
    let count = if mixed.is_some() { 0 } else { triples.len() };
    let entries = mixed.into_iter().flat_map(|mixed| mixed.entries().iter());
    entries.map(|(_, entry)| entry.rows.into()).chain(std::iter::repeat_n(3, count))
}

/// What errors of a constraint on these bodies are about.
pub(super) fn about(id: Id, bodies: &[Id]) -> Subject {
    match *bodies {
        [first, second, _, ..] => Subject::Among(id, [first, second], bodies.len()),
        _ => Subject::Constraint(id, [bodies.first().copied(), bodies.get(1).copied()]),
    }
}

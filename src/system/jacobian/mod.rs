//! Operators H of many constraints at once: consecutive rows of a Jacobian J over the velocities of some bodies.
//!
//! The destinations of rows are listed once for the same bodies and constraints ([`ScatterPlan`]). All rows are checked first. Then
//! the columns of each operator are written in memory that is reserved.
#![forbid(unsafe_code)]

mod insert;
mod pattern;
mod rows;
mod scatter_plan;

use crate::kinematics::Column;
use crate::memory::push;

use super::bulk::{EntryError, EntryResult};
use super::constraint::{Constraint, OTHER_KIND};
use super::dirty;
use super::error::{Error, Fault, Result};
use super::id_table::Id;
use super::joints::HAS_OPERATORS;
use super::model::System;
pub use rows::Jacobian;
use rows::JacobianRow;
pub(super) use scatter_plan::ScatterPlan;
use scatter_plan::{BodyColumns, ScatteredRow};

impl System {
    /// Set the operators of many constraints from the rows of a Jacobian. Each constraint in turn takes its number of rows; the
    /// columns are the velocities of these bodies in turn. Operators on other bodies do not change.
    ///
    /// # Errors
    /// The error of the first constraint that is not there, given at points or by nodes, a joint by axes, on none of the bodies or on one twice, or
    /// whose rows are ill-formed, not finite, or not zero in columns of other bodies than its own; else of the first that an
    /// earlier entry names. Also if a body is not there or named twice, the shape is wrong, or memory is exhausted. After an error
    /// nothing has changed.
    pub fn set_jacobian(
        &mut self,
        bodies: impl Iterator<Item = Id> + Clone,
        constraints: impl Iterator<Item = Id> + Clone,
        jacobian: &Jacobian,
    ) -> EntryResult {
        let mut plan = std::mem::take(&mut self.scatter);
        let set = self.put_jacobian(bodies, constraints, jacobian, &mut plan);
        self.scatter = plan;
        set
    }

    fn put_jacobian(
        &mut self,
        bodies: impl Iterator<Item = Id> + Clone,
        constraints: impl Iterator<Item = Id> + Clone,
        jacobian: &Jacobian,
        plan: &mut ScatterPlan,
    ) -> EntryResult {
        let is_listed = plan.is_listed
            && plan.shape == jacobian.shape()
            && plan.bodies.iter().copied().eq(bodies.clone())
            && plan.constraints.iter().copied().eq(constraints.clone());
        if is_listed {
            jacobian.check().map_err(Error::of_system)?;
        } else {
            let listed = self.list(bodies, constraints, jacobian, plan);
            if listed.is_err() {
                // An error in an earlier row is reported first.
                self.check_rows_of(jacobian, plan)?;
            }
            listed?;
            plan.is_listed = true;
        }
        if let Some(values) = plan.pattern.values(jacobian) {
            self.put_values(values, plan);
        } else {
            self.check_rows_of(jacobian, plan)?;
            self.reserve_columns(jacobian, plan)?;
            let is_known = plan.pattern.note(jacobian, plan.sources.len()).map_err(Error::from)?;
            // From here on nothing fails.
            self.put_columns(jacobian, plan);
            if is_known {
                self.map_values(jacobian, plan);
            }
        }
        self.values_change();
        Ok(())
    }

    /// Write all rows to their operators.
    fn put_columns(&mut self, jacobian: &Jacobian, plan: &mut ScatterPlan) {
        let (constraints, marks) = self.constraints.all_mut();
        for group in plan.sources.chunk_by(ScatteredRow::has_group_of) {
            marks[group[0].place as usize] |= dirty::CHANGED;
            let Some(own) = group[0].columns(constraints) else { continue };
            match group {
                [one] => write_columns([one.of(jacobian)], own),
                [one, two] => write_columns([one, two].map(|source| source.of(jacobian)), own),
                [one, two, three] => write_columns([one, two, three].map(|source| source.of(jacobian)), own),
                _ => {}
            }
        }
    }

    /// Note the destinations of the values of a sparse J.
    fn map_values(&mut self, jacobian: &Jacobian, plan: &mut ScatterPlan) {
        let (constraints, _) = self.constraints.all_mut();
        let mut mapped = 0;
        for source in &plan.sources {
            let (Some(columns), JacobianRow::Sparse { start, indices, first, .. }) =
                (source.columns(constraints), source.of(jacobian))
            else {
                return;
            };
            if !plan.pattern.map(start, indices, first, columns) {
                return;
            }
            mapped += indices.len();
        }
        // The other values are zeros in columns of other bodies; the next Jacobian may have nonzeros there.
        let [rows, columns] = jacobian.shape();
        if mapped == (0..rows).map(|row| jacobian.part(row, 0, columns).most()).sum::<usize>() {
            plan.pattern.complete();
        }
    }

    /// Write other values of a J with a known pattern to operators.
    fn put_values(&mut self, values: &[f64], plan: &ScatterPlan) {
        let (constraints, marks) = self.constraints.all_mut();
        let mut all = plan.pattern.sources();
        for group in plan.sources.chunk_by(ScatteredRow::has_group_of) {
            marks[group[0].place as usize] |= dirty::CHANGED;
            let rows = all.next(group.len());
            let Some(own) = group[0].columns(constraints) else { continue };
            // Each row has all columns, in ascending order: no look-up is needed.
            if rows.ranges.iter().all(|range| range[1] as usize == own.len()) {
                match *rows.ranges {
                    [x] => replace_values([x], values, own),
                    [x, y] => replace_values([x, y], values, own),
                    [x, y, z] => replace_values([x, y, z], values, own),
                    _ => {}
                }
                continue;
            }
            let mut places = rows.columns;
            for (source, &[first, count]) in group.iter().zip(rows.ranges) {
                let lane = usize::from(source.scalar % 3);
                let (own_places, rest) = places.split_at(count as usize);
                places = rest;
                for (value, place) in values[first as usize..].iter().zip(own_places) {
                    own[*place as usize].values[lane] = *value;
                }
            }
        }
    }

    /// List the destinations.
    fn list(
        &self,
        bodies: impl Iterator<Item = Id>,
        constraints: impl Iterator<Item = Id>,
        jacobian: &Jacobian,
        plan: &mut ScatterPlan,
    ) -> EntryResult {
        self.begin(bodies, jacobian, plan)?;
        for (entry, id) in constraints.enumerate() {
            let failed = |error| EntryError { entry: Some(entry), error };
            push(&mut plan.constraints, id).map_err(Error::from)?;
            let mut end = plan.rows;
            jacobian.next_rows(&mut end, self.constraint(id).map_err(failed)?.rows())?;
            self.list_sources(id, plan).map_err(|fault| {
                self.subject(id).map_or_else(failed, |subject| failed(Error { subject, fault }))
            })?;
            plan.rows = end;
        }
        jacobian.check_end(plan.rows)?;
        plan.sort();
        match plan.sources.windows(2).find(|pair| pair[0].key() == pair[1].key()) {
            Some(pair) => Err(self.failed_row(
                plan,
                pair[1].row as usize,
                Fault::Invalid("an earlier entry has the same id"),
            )),
            None => Ok(()),
        }
    }

    /// Check the shape of J, and list the bodies with their columns; nothing else is listed.
    fn begin(
        &self,
        bodies: impl Iterator<Item = Id>,
        jacobian: &Jacobian,
        plan: &mut ScatterPlan,
    ) -> EntryResult {
        plan.forget();
        (plan.shape, plan.rows) = (jacobian.shape(), 0);
        plan.sources.clear();
        plan.constraints.clear();
        jacobian.check().map_err(Error::of_system)?;
        let ScatterPlan { bodies: ids, by_body: places, shape: [_, columns], .. } = plan;
        ids.clear();
        places.clear();
        let mut end = 0;
        for (entry, id) in bodies.enumerate() {
            let failed = |error| EntryError { entry: Some(entry), error };
            let dofs = self.body(id).map_err(failed)?.dofs();
            push(ids, id).map_err(Error::from)?;
            push(places, BodyColumns { body: id, first: end, end: end + dofs }).map_err(Error::from)?;
            end += dofs;
        }
        if end != *columns {
            let fault = Fault::Size { what: "columns of the Jacobian J", expected: end, found: *columns };
            return Err(Error::of_system(fault).into());
        }
        places.sort_unstable_by_key(|place| place.body);
        match places.windows(2).find(|pair| pair[0].body == pair[1].body) {
            Some(pair) => {
                Err(Error::of_body(pair[0].body, Fault::Invalid("an earlier entry has the same id")).into())
            }
            None => Ok(()),
        }
    }

    /// List the destinations of the next rows of J, which belong to a constraint.
    fn list_sources(&self, id: Id, plan: &mut ScatterPlan) -> Result<(), Fault> {
        let place = self.constraints.place(id).ok_or(Fault::Unknown)? as u32;
        let constraint = self.constraints.get(id).ok_or(Fault::Unknown)?;
        ensure!(!constraint.is_at_points(), Fault::Invalid(OTHER_KIND));
        ensure!(!self.is_joint(id), Fault::Invalid(HAS_OPERATORS));
        let why = "it is on one body twice, and J has one operator H for each body";
        ensure!(constraint.bodies[0] != constraint.bodies[1], Fault::Invalid(why));
        let mut list = [None; super::MOST_BODIES];
        let mut has_body = false;
        for (side, &body) in constraint.list_bodies(&mut list).iter().enumerate() {
            let own = body.and_then(|body| plan.columns_of(body));
            let operator = constraint.operator(side);
            let Some((operator, BodyColumns { first, end, .. })) = operator.zip(own) else { continue };
            has_body = true;
            let why = "an operator H of it is given by nodes";
            ensure!(operator.columns(0).is_some(), Fault::Invalid(why));
            for scalar in 0..constraint.rows() {
                let (side, scalar, row) = (side as u8, scalar as u8, (plan.rows + scalar) as u32);
                let (first, end) = (first as u32, end as u32);
                push(&mut plan.sources, ScatteredRow { place, side, scalar, row, first, end })?;
            }
        }
        match has_body {
            true => Ok(()),
            false => Err(Fault::Invalid("it acts on none of the bodies of the Jacobian J")),
        }
    }

    /// Check the values of all rows that are listed.
    fn check_rows_of(&self, jacobian: &Jacobian, plan: &mut ScatterPlan) -> EntryResult {
        let is_finite = jacobian.is_finite();
        let fault = |row| Some((row, jacobian.check_row(row, is_finite).err()?));
        let mut wrong = (0..plan.rows).find_map(fault);
        // If there is one body, there are no other columns.
        if plan.by_body.len() > 1 {
            let end = wrong.map_or(plan.rows, |(row, _)| row);
            // All stored entries are counted first. If some are elsewhere, nonzeros are counted.
            let mut elsewhere = plan.first_elsewhere(jacobian, end, |part| part.most())?;
            if elsewhere.is_some() {
                elsewhere = plan.first_elsewhere(jacobian, end, |part| part.count())?;
            }
            if let Some(row) = elsewhere {
                let what = "its rows of the Jacobian J are not zero in columns of other bodies than its own";
                wrong = Some((row, Fault::Invalid(what)));
            }
        }
        wrong.map_or(Ok(()), |(row, fault)| Err(self.failed_row(plan, row, fault)))
    }

    /// An error of the constraint that has a row of J.
    #[cold]
    fn failed_row(&self, plan: &ScatterPlan, row: usize, fault: Fault) -> EntryError {
        let mut end = 0;
        let is_of = |id: &Id| {
            end += self.constraint(*id).map_or(0, Constraint::rows);
            row < end
        };
        let entry = plan.constraints.iter().position(is_of);
        match entry.map(|entry| self.subject(plan.constraints[entry])) {
            Some(Ok(subject)) => EntryError { entry, error: Error { subject, fault } },
            _ => Error::of_system(fault).into(),
        }
    }

    /// Reserve memory for the columns of all operators.
    fn reserve_columns(&mut self, jacobian: &Jacobian, plan: &ScatterPlan) -> Result {
        let (constraints, _) = self.constraints.all_mut();
        for group in plan.sources.chunk_by(ScatteredRow::has_group_of) {
            let Some(columns) = group[0].columns(constraints) else { continue };
            let dofs = (group[0].end - group[0].first) as usize;
            let most: usize = group.iter().map(|source| source.of(jacobian).most()).sum();
            columns.try_reserve_exact(most.min(dofs).saturating_sub(columns.len()))?;
        }
        Ok(())
    }
}

/// Write the nonzero columns of a group of N scalar rows in ascending order.
#[inline(always)]
fn write_columns<const N: usize>(rows: [JacobianRow; N], to: &mut Vec<Column>) {
    to.clear();
    let contiguous = rows.map(|row| row.contiguous());
    let count = contiguous[0].len();
    if count > 0 && contiguous.iter().all(|row| row.len() == count) {
        write_contiguous(contiguous.map(|row| &row[..count]), to);
        return;
    }
    let mut next = [0; N];
    loop {
        let index = rows.iter().zip(next).map(|(row, k)| row.column(k)).min().unwrap_or(u32::MAX);
        if index == u32::MAX {
            return;
        }
        let mut values = [0.0; 3];
        for ((row, k), value) in rows.iter().zip(&mut next).zip(&mut values) {
            if row.column(*k) == index {
                *value = row.value(*k);
                *k += 1;
            }
        }
        if values != [0.0; 3] {
            to.push(Column { index, values });
        }
    }
}

/// Write the nonzero columns of N scalar rows that have a value in each column.
#[inline(always)]
fn write_contiguous<const N: usize>(rows: [&[f64]; N], to: &mut Vec<Column>) {
    for k in 0..rows[0].len() {
        let mut values = [0.0; 3];
        rows.iter().zip(&mut values).for_each(|(row, value)| *value = row[k]);
        if values != [0.0; 3] {
            to.push(Column { index: k as u32, values });
        }
    }
}

/// Replace the values of columns in which each of N scalar rows has a value; `ranges` has the first value of each row and the
/// number of its values.
#[inline(always)]
fn replace_values<const N: usize>(ranges: [[u32; 2]; N], values: &[f64], to: &mut [Column]) {
    let rows = ranges.map(|[first, count]| &values[first as usize..][..count as usize]);
    for (k, column) in to.iter_mut().enumerate() {
        rows.iter().zip(&mut column.values).for_each(|(row, value)| *value = row[k]);
    }
}

//! Inserts constraints that are rows of a Jacobian.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::memory::collect;

use super::super::bulk::{EntryError, EntryResult};
use super::super::constraint::{MOST_BODIES, check_bodies, check_rows};
use super::super::error::{Error, Fault, subject_of};
use super::super::id_table::Id;
use super::super::model::System;
use super::rows::Jacobian;
use super::scatter_plan::{BodyColumns, ScatterPlan};

impl System {
    /// Insert constraints that are rows of a Jacobian. `heights` has the number of rows of each constraint in turn; the columns are
    /// the velocities of these bodies in turn. Each constraint acts on the bodies in whose columns its rows are not all zero, in
    /// the order given, or on the first body if all are zero. Ids follow each other from the one that is returned.
    ///
    /// # Errors
    /// The error of the first constraint with fewer than one or more than six rows, on more than sixteen bodies, or whose rows are
    /// ill-formed or not finite. Also if there are no bodies, a body is not there or named twice, the shape is wrong, or memory is
    /// exhausted. After an error nothing has changed.
    pub fn add_jacobian(
        &mut self,
        bodies: impl Iterator<Item = Id>,
        heights: impl Iterator<Item = usize>,
        jacobian: &Jacobian,
    ) -> EntryResult<Id> {
        let mut plan = std::mem::take(&mut self.scatter);
        let first = self.next_constraint();
        let put = self.all_or_nothing(|system| system.put_rows_of(bodies, heights, jacobian, &mut plan));
        self.scatter = plan;
        put.map(|()| first)
    }

    fn put_rows_of(
        &mut self,
        bodies: impl Iterator<Item = Id>,
        heights: impl Iterator<Item = usize>,
        jacobian: &Jacobian,
        plan: &mut ScatterPlan,
    ) -> EntryResult {
        self.begin(bodies, jacobian, plan)?;
        collect(&mut plan.by_columns, plan.by_body.len(), plan.by_body.iter().copied())
            .map_err(Error::from)?;
        plan.by_columns.sort_unstable_by_key(|place| place.first);
        let is_finite = jacobian.is_finite();
        let mut end = 0;
        for (entry, height) in heights.enumerate() {
            let failed = |fault| {
                let subject = subject_of(None, &[]);
                EntryError { entry: Some(entry), error: Error { subject, fault } }
            };
            check_rows(height).map_err(failed)?;
            let rows = jacobian.next_rows(&mut end, height)?;
            jacobian.check_rows(rows.clone(), is_finite).map_err(failed)?;
            let mut list = [None; MOST_BODIES];
            let bodies = bodies_of(jacobian, rows.clone(), &plan.by_columns, &mut list).map_err(failed)?;
            let id = self.put_with_zeros(bodies, height)?;
            self.list_sources(id, plan).map_err(Error::of_system)?;
            plan.rows = rows.end;
        }
        jacobian.check_end(end)?;
        plan.sort();
        self.reserve_columns(jacobian, plan)?;
        self.put_columns(jacobian, plan);
        Ok(())
    }
}

/// The bodies in whose columns some checked rows are not all zero, in the order of columns, or the first body.
fn bodies_of<'a>(
    jacobian: &Jacobian,
    rows: Range<usize>,
    by_columns: &[BodyColumns],
    list: &'a mut [Option<Id>; MOST_BODIES],
) -> Result<&'a [Option<Id>], Fault> {
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
                check_bodies(count + 1)?;
                found.copy_within(to..count, to + 1);
                found[to] = place;
                count += 1;
            }
        }
    }
    // If there is one body, or all rows are zero, the constraint acts on the first body.
    let count = count.max(1).min(by_columns.len());
    check_bodies(count)?;
    list.iter_mut().zip(&found[..count]).for_each(|(to, &place)| *to = Some(by_columns[place].body));
    Ok(&list[..count])
}

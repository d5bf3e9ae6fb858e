//! The destinations of the rows of a Jacobian: for each row, a scalar row of an operator.
#![forbid(unsafe_code)]

use crate::kinematics::Column;
use crate::memory::collect;
use crate::system::constraint::Constraint;
use crate::system::error::Result;
use crate::system::id_table::Id;

use super::pattern::JacobianPattern;
use super::rows::{Jacobian, JacobianRow};

/// A row of J in the columns of a body, and its destination: a scalar row of an operator.
#[derive(Clone, Copy, Debug)]
pub(super) struct ScatteredRow {
    /// The place of the constraint in its table.
    pub(super) place: u32,
    /// The number of the body among the bodies of the constraint.
    pub(super) side: u8,
    /// The scalar row of the operator.
    pub(super) scalar: u8,
    pub(super) row: u32,
    /// The columns of the body in J.
    pub(super) first: u32,
    pub(super) end: u32,
}

/// The columns of a body in J.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyColumns {
    pub(super) body: Id,
    pub(super) first: usize,
    pub(super) end: usize,
}

/// The destinations of a Jacobian over some bodies and constraints. They are kept, since most Jacobians come repeatedly.
#[derive(Debug, Default)]
pub(in crate::system) struct ScatterPlan {
    /// Whether the lists belong to these bodies and constraints.
    pub(super) is_listed: bool,
    pub(super) bodies: Vec<Id>,
    pub(super) constraints: Vec<Id>,
    /// Rows and columns.
    pub(super) shape: [usize; 2],
    /// The number of rows that have been listed.
    pub(super) rows: usize,
    /// The columns of the bodies, by id.
    pub(super) by_body: Vec<BodyColumns>,
    /// The same by columns.
    pub(super) by_columns: Vec<BodyColumns>,
    /// The sources, ordered by operators, and by scalar rows in each operator.
    pub(super) sources: Vec<ScatteredRow>,
    /// For each row the number of entries in columns of bodies that are not in its constraint.
    pub(super) left: Vec<usize>,
    /// The destinations of the values of the last sparse J.
    pub(super) pattern: JacobianPattern,
}

impl ScatteredRow {
    /// The operator, and the scalar row.
    #[inline(always)]
    pub(super) fn key(&self) -> (u32, u8, u8) {
        (self.place, self.side, self.scalar)
    }

    /// Whether both go to the same group of three scalar rows of an operator.
    #[inline(always)]
    pub(super) fn has_group_of(&self, other: &Self) -> bool {
        (self.place, self.side, self.scalar / 3) == (other.place, other.side, other.scalar / 3)
    }

    #[inline(always)]
    pub(super) fn of<'a>(&self, jacobian: &'a Jacobian) -> JacobianRow<'a> {
        jacobian.part(self.row as usize, self.first as usize, self.end as usize)
    }

    /// The columns of the operator to which the row goes.
    #[inline(always)]
    pub(super) fn columns<'a>(
        &self,
        constraints: &'a mut [Option<Constraint>],
    ) -> Option<&'a mut Vec<Column>> {
        let constraint = constraints[self.place as usize].as_mut()?;
        constraint.operator_mut(self.side.into())?.columns_mut(usize::from(self.scalar / 3))
    }
}

impl ScatterPlan {
    /// Discard the lists: constraints, bodies or kinds of operators change.
    pub fn forget(&mut self) {
        self.is_listed = false;
        self.pattern.forget();
    }

    /// Order sources by operators and scalar rows.
    pub(super) fn sort(&mut self) {
        self.sources.sort_unstable_by_key(|source| (source.key(), source.row));
    }

    /// The first row before `end` that has a larger `count` in all columns than in the columns of its bodies.
    pub(super) fn first_elsewhere(
        &mut self,
        jacobian: &Jacobian,
        end: usize,
        count: impl Fn(&JacobianRow) -> usize,
    ) -> Result<Option<usize>> {
        let Self { sources, left, .. } = self;
        let columns = jacobian.shape()[1];
        collect(left, end, (0..end).map(|row| count(&jacobian.part(row, 0, columns))))?;
        for source in sources {
            if let Some(left) = left.get_mut(source.row as usize) {
                *left -= count(&source.of(jacobian));
            }
        }
        Ok(left.iter().position(|left| *left > 0))
    }

    pub(super) fn columns_of(&self, body: Id) -> Option<BodyColumns> {
        let found = self.by_body.binary_search_by_key(&body, |columns| columns.body).ok()?;
        Some(self.by_body[found])
    }
}

//! Where the values of a Jacobian go: which row of it is which lane of which operator.
#![forbid(unsafe_code)]

use crate::memory::collect;
use crate::system::constraint::{Constraint, Operator, Placement};
use crate::system::error::Result;
use crate::system::id_table::Id;

use super::gathered::Gathered;
use super::pattern::Pattern;
use super::rows::{Jacobian, Part};

/// A row of J in the columns of a body, and where it goes: a lane of an operator.
#[derive(Clone, Copy, Debug)]
pub(super) struct Source {
    /// Where the row of three stands in the table.
    pub(super) place: u32,
    /// Its master, 0, or slave, 1.
    pub(super) role: u8,
    pub(super) lane: u8,
    pub(super) row: u32,
    /// The columns of the body in J.
    pub(super) first: u32,
    pub(super) end: u32,
}

/// The columns of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    pub(super) body: Id,
    pub(super) first: usize,
    pub(super) end: usize,
}

/// What goes where of a Jacobian over some bodies and constraints: kept, for most come again and again.
#[derive(Debug, Default)]
pub(in crate::system) struct Room {
    /// Whether the lists are those of these bodies and constraints.
    pub(super) is_listed: bool,
    pub(super) bodies: Vec<Id>,
    pub(super) constraints: Vec<Id>,
    /// Rows and columns.
    pub(super) shape: [usize; 2],
    /// How many rows have been listed.
    pub(super) rows: usize,
    pub(super) places: Vec<Place>,
    pub(super) by_columns: Vec<Place>,
    /// By operators, those of each by lanes.
    pub(super) sources: Vec<Source>,
    /// Of each row how many entries are in columns of other bodies than those of its constraint.
    pub(super) left: Vec<usize>,
    pub(super) gathered: Gathered,
    /// Where the values of the last sparse J have gone.
    pub(super) pattern: Pattern,
}

impl Source {
    /// The operator, and the lane.
    #[inline(always)]
    pub(super) fn key(&self) -> (u32, u8, u8) {
        (self.place, self.role, self.lane)
    }

    #[inline(always)]
    pub(super) fn has_operator_of(&self, other: &Self) -> bool {
        (self.place, self.role) == (other.place, other.role)
    }

    #[inline(always)]
    pub(super) fn of<'a>(&self, jacobian: &'a Jacobian) -> Part<'a> {
        jacobian.part(self.row as usize, self.first as usize, self.end as usize)
    }

    /// The operator that it goes to.
    #[inline(always)]
    pub(super) fn operator<'a>(&self, triples: &'a mut [Option<Constraint>]) -> Option<&'a mut Operator> {
        match &mut triples[self.place as usize].as_mut()?.placement {
            Placement::Operators(operators) => operators[usize::from(self.role)].as_mut(),
            Placement::Points { .. } => None,
        }
    }
}

impl Room {
    /// List anew what comes next: constraints, bodies or kinds of operators change.
    pub fn forget(&mut self) {
        self.is_listed = false;
        self.pattern.forget();
    }

    /// Order sources by operators and lanes.
    pub(super) fn sort(&mut self) {
        self.sources.sort_unstable_by_key(|source| (source.key(), source.row));
    }

    /// The first row, up to a last one, of which more is counted in all columns than in those of its bodies.
    pub(super) fn first_elsewhere(
        &mut self,
        jacobian: &Jacobian,
        end: usize,
        count: impl Fn(&Part) -> usize,
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

    pub(super) fn place(&self, body: Id) -> Option<Place> {
        let found = self.places.binary_search_by_key(&body, |place| place.body).ok()?;
        Some(self.places[found])
    }
}

//! The laws that a system keeps with its constraints.
#![forbid(unsafe_code)]

use crate::memory::collect;
use crate::solve::{Kind, Law, check_law};

use super::bulk::{EntryResult, all, tell_all};
use super::constraint::{Constraint, MOST_ROWS};
use super::error::{Error, Fault, Result, unknown};
use super::id_table::Id;
use super::model::System;

/// The law of a constraint of one to six scalar rows. Bounds and biases have a value for each scalar row; further values are not
/// read.
pub type RowLaw = Law<[f64; MOST_ROWS]>;

impl From<Law> for RowLaw {
    fn from(Law { kind, bias }: Law) -> Self {
        let six = |values: [f64; 3]| std::array::from_fn(|i| values.get(i).copied().unwrap_or_default());
        Self { kind: kind.map(six), bias: six(bias) }
    }
}

impl System {
    /// Keep a law with a constraint until the constraint is removed; `None` removes the law. No update depends on laws, and the
    /// results of the last update remain.
    ///
    /// # Errors
    /// If there is no constraint with this id, a value of the law is not valid, or the law is a contact and the constraint has one scalar
    /// row. Nothing has changed then.
    pub fn set_law(&mut self, id: Id, law: Option<RowLaw>) -> Result {
        self.set_laws(1, |_| (id, law)).map_err(|error| error.error)
    }

    /// Keep laws with `count` constraints, or remove them.
    ///
    /// # Errors
    /// The error of the first entry that [`System::set_law`] would refuse.
    pub fn set_laws(&mut self, count: usize, entry: impl Fn(usize) -> (Id, Option<RowLaw>)) -> EntryResult {
        all(count, |k| {
            let (id, law) = entry(k);
            let constraint = self.constraint(id)?;
            check(&law, constraint.rows()).map_err(|fault| Error { subject: constraint.subject(id), fault })
        })?;
        (0..count).map(entry).for_each(|(id, law)| self.put_law(id, law));
        Ok(())
    }

    /// Keep a law that has been checked.
    pub(super) fn put_law(&mut self, id: Id, law: Option<RowLaw>) {
        let rows = self.constraints.get(id).map_or(0, Constraint::rows);
        if let Some((data, _)) = self.data.get_mut(id) {
            data.law = law.map(|law| without_others(law, rows));
        }
    }

    /// The law that is kept with a constraint, if there is one.
    ///
    /// # Errors
    /// If there is no constraint with this id.
    pub fn law(&self, id: Id) -> Result<Option<&RowLaw>> {
        Ok(self.data.get(id).ok_or(unknown(id))?.law.as_ref())
    }

    /// Write the laws of `count` constraints.
    ///
    /// # Errors
    /// The error of the first entry that names no constraint; nothing is written then.
    pub fn laws<'a>(
        &'a self,
        count: usize,
        id: impl Fn(usize) -> Id,
        tell: impl FnMut(usize, Option<&'a RowLaw>),
    ) -> EntryResult {
        tell_all(count, |k| self.law(id(k)), tell)
    }

    /// Write the laws of all constraints in the order of rows, as [`System::solve`] takes them: one for each constraint, or two for
    /// a constraint of more than three scalar rows. The memory of `laws` is used again.
    ///
    /// # Errors
    /// If a constraint has no law, or memory is exhausted.
    pub fn row_laws(&self, laws: &mut Vec<Law>) -> Result {
        collect(laws, 2 * self.constraints.len(), std::iter::empty())?;
        for ((id, constraint), (_, data)) in self.constraints.iter().zip(self.data.iter()) {
            let missing =
                || Error { subject: constraint.subject(id), fault: Fault::Invalid("it has no law") };
            laws.extend(data.law.ok_or_else(missing)?.parts(constraint.rows()));
        }
        Ok(())
    }
}

/// Check a law for a constraint of `rows` scalar rows.
pub(super) fn check(law: &Option<RowLaw>, rows: usize) -> Result<(), Fault> {
    law.map_or(Ok(()), |law| check_law(law, rows))
}

/// The law, with zeros in place of the values that a constraint of `rows` scalar rows does not read.
fn without_others(mut law: RowLaw, rows: usize) -> RowLaw {
    law.bias[rows..].fill(0.0);
    if let Kind::Bounds { lower, upper } = &mut law.kind {
        lower[rows..].fill(0.0);
        upper[rows..].fill(0.0);
    }
    law
}

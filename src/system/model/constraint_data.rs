//! The data that a system keeps with each constraint for its user and that no update changes: tag, law, reaction, and the parts of
//! its compliance.
#![forbid(unsafe_code)]

use crate::fault::check_size;
use crate::math::small_symmetric::MOST_ROWS;
use crate::math::{Block, Vector};
use crate::system::body::finite;
use crate::system::dirty;
use crate::system::error::{Error, Fault, Result, unknown};
use crate::system::id_table::Id;
use crate::system::laws::RowLaw;

use super::System;

/// The data of a constraint, from its insertion to its removal.
#[derive(Clone, Debug, Default)]
pub(in crate::system) struct ConstraintData {
    /// The user's tag, or the key.
    pub tag: u64,
    /// Whether the tag is a key of [`System::sync_constraints`].
    pub has_key: bool,
    /// The law, if one was set.
    pub law: Option<RowLaw>,
    /// The last reaction that was set; the first values count, one for each scalar row.
    pub reaction: [f64; MOST_ROWS],
    /// The compliance that was set for a regular constraint.
    pub compliance: Option<Block>,
    /// The regularization of a regular constraint.
    pub shift: Vector,
}

impl ConstraintData {
    /// The block that is added to the diagonal block of a regular constraint.
    pub fn added(&self) -> Option<Block> {
        if self.shift == [0.0; 3] {
            return self.compliance;
        }
        let mut sum = self.compliance.unwrap_or_default();
        self.shift.iter().enumerate().for_each(|(i, shift)| sum[4 * i] += shift);
        Some(sum)
    }
}

impl System {
    /// Set the regularization of all existing constraints: W becomes W + diag μ, in addition to compliances. `mu` has one value for
    /// all, one for each constraint, or one for each scalar row, none negative. A constraint that is inserted later has none.
    ///
    /// # Errors
    /// If the number of values is wrong, or a value is negative or not finite. Nothing has changed then.
    pub fn set_regularization(&mut self, mu: &[f64]) -> Result {
        let (rows, scalars) = (self.constraints.len(), self.scalar_rows());
        let found = mu.len();
        let size = Fault::Size { what: "mu", expected: rows, found };
        ensure!([1, rows, scalars].contains(&found), Error::of_system(size));
        let why = "mu is negative or not finite";
        ensure!(mu.iter().all(|mu| mu.is_finite() && *mu >= 0.0), Error::of_system(Fault::Invalid(why)));
        let Self { constraints, data, compliances, .. } = self;
        let (constraints, marks) = constraints.all_mut();
        let data = data.all_mut().0.iter_mut().flatten();
        let (mut row, mut first) = (0, 0);
        let each = constraints.iter_mut().zip(marks).filter_map(|(own, mark)| Some((own.as_mut()?, mark)));
        for ((constraint, mark), data) in each.zip(data) {
            let height = constraint.rows();
            let of = |i: usize| match found {
                1 => mu[0],
                found if found == rows => mu[row],
                _ => mu[first + i],
            };
            *compliances -= usize::from(constraint.is_compliant());
            let mut shift = [0.0; MOST_ROWS];
            (0..height).for_each(|i| shift[i] = of(i));
            let changes = match &mut constraint.irregular {
                Some(irregular) => std::mem::replace(&mut irregular.shift, shift) != shift,
                None => {
                    let shift = [shift[0], shift[1], shift[2]];
                    let changes = std::mem::replace(&mut data.shift, shift) != shift;
                    constraint.compliance = data.added();
                    changes
                }
            };
            *compliances += usize::from(constraint.is_compliant());
            *mark |= if changes { dirty::COMPLIANCE } else { 0 };
            (row, first) = (row + 1, first + height);
        }
        self.values_change();
        Ok(())
    }

    /// Write the regularization of all constraints: one value for each scalar row.
    ///
    /// # Errors
    /// If the number of values is wrong.
    pub fn regularization(&self, mu: &mut [f64]) -> Result {
        check_size("mu", self.scalar_rows(), mu.len()).map_err(Error::of_system)?;
        let mut to = mu.iter_mut();
        for ((_, constraint), (_, data)) in self.constraints.iter().zip(self.data.iter()) {
            let shift: &[f64] = match &constraint.irregular {
                Some(irregular) => &irregular.shift[..constraint.rows()],
                None => &data.shift,
            };
            to.by_ref().zip(shift).for_each(|(to, &value)| *to = value);
        }
        Ok(())
    }

    pub(in crate::system) fn data(&self, id: Id) -> Result<&ConstraintData> {
        self.data.get(id).ok_or(unknown(id))
    }

    /// The tag of a constraint, 0 at first.
    ///
    /// # Errors
    /// If there is no constraint with this id.
    pub fn tag(&self, id: Id) -> Result<u64> {
        Ok(self.data(id)?.tag)
    }

    /// Set the tag of a constraint: a number that helps its user to find it again.
    ///
    /// # Errors
    /// If there is no constraint with this id.
    pub fn set_tag(&mut self, id: Id, tag: u64) -> Result {
        self.data.get_mut(id).ok_or(unknown(id))?.0.tag = tag;
        Ok(())
    }

    /// Write the tags of all constraints, in the order of rows.
    ///
    /// # Errors
    /// If `tags` has the wrong length.
    pub fn tags(&self, tags: &mut [u64]) -> Result {
        check_size("the tags", self.data.len(), tags.len()).map_err(Error::of_system)?;
        self.data.iter().zip(tags).for_each(|((_, data), tag)| *tag = data.tag);
        Ok(())
    }

    /// Keep a reaction with each constraint: a value for each scalar row, in the order of rows. Reactions stay with their
    /// constraints when others are inserted, removed or moved. No update is needed, and none depends on them.
    ///
    /// # Errors
    /// If the number of values is wrong, or a value is not finite.
    pub fn store_reactions(&mut self, reactions: &[f64]) -> Result {
        check_size("the reactions R", self.scalar_rows(), reactions.len()).map_err(Error::of_system)?;
        finite("a reaction R", reactions).map_err(Error::of_system)?;
        let Self { data, constraints, .. } = self;
        let mut rest = reactions;
        let data = data.all_mut().0.iter_mut().flatten();
        for (data, (_, constraint)) in data.zip(constraints.iter()) {
            let (own, others) = rest.split_at(constraint.rows());
            data.reaction[..own.len()].copy_from_slice(own);
            rest = others;
        }
        Ok(())
    }

    /// Write the reactions that are kept, a value for each scalar row, in the order of rows; zero for a new constraint.
    ///
    /// # Errors
    /// If `reactions` has the wrong length.
    pub fn stored_reactions(&self, reactions: &mut [f64]) -> Result {
        check_size("the reactions R", self.scalar_rows(), reactions.len()).map_err(Error::of_system)?;
        let mut rest = reactions;
        for ((_, data), (_, constraint)) in self.data.iter().zip(self.constraints.iter()) {
            let (own, others) = rest.split_at_mut(constraint.rows());
            own.copy_from_slice(&data.reaction[..own.len()]);
            rest = others;
        }
        Ok(())
    }
}

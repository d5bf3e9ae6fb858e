//! What a system keeps with each constraint for its user, apart from what an update reads: tag, reaction, and of what its
//! compliance consists.
#![forbid(unsafe_code)]

use crate::block::{Block, Vector};

use super::body::finite;
use super::changes;
use super::error::{Error, Fault};
use super::model::{System, unknown};
use super::table::Id;

/// Kept with a constraint from its insertion to its removal.
#[derive(Clone, Debug, Default)]
pub(super) struct Kept {
    /// The user's.
    pub tag: u64,
    /// The last reaction that was set.
    pub reaction: Vector,
    /// The compliance that was set.
    pub compliance: Option<Block>,
    /// What regularisation adds to its diagonal.
    pub shift: Vector,
}

impl Kept {
    /// What is added to the diagonal block.
    fn sum(&self) -> Option<Block> {
        if self.shift == [0.0; 3] {
            return self.compliance;
        }
        let mut sum = self.compliance.unwrap_or_default();
        self.shift.iter().enumerate().for_each(|(i, shift)| sum[4 * i] += shift);
        Some(sum)
    }
}

impl System {
    /// Set the regularisation of all constraints that are there: W becomes W + diag μ, beside their compliances. `mu` has one value
    /// for all, one for each row, or three for each row, none negative; a constraint that is inserted later has none.
    ///
    /// # Errors
    /// If there is another number of values, or one is negative or not finite. Nothing has changed then.
    pub fn regularise(&mut self, mu: &[f64]) -> Result<(), Error> {
        let rows = self.constraints.len();
        let each = match mu.len() {
            1 => 0,
            found if found == rows => 1,
            found if found == 3 * rows => 3,
            found => return Err(Error::of_system(Fault::Size { what: "mu", expected: rows, found })),
        };
        if !mu.iter().all(|mu| mu.is_finite() && *mu >= 0.0) {
            return Err(Error::of_system(Fault::Invalid("mu is negative or not finite")));
        }
        let Self { constraints, kept, compliances, .. } = self;
        let (constraints, marks) = constraints.all_mut();
        let both = constraints.iter_mut().zip(kept.all_mut().0).zip(marks);
        let both =
            both.filter_map(|((constraint, kept), mark)| Some((constraint.as_mut()?, kept.as_mut()?, mark)));
        for (row, (constraint, kept, mark)) in both.enumerate() {
            let shift = match each {
                0 => [mu[0]; 3],
                1 => [mu[row]; 3],
                _ => [mu[3 * row], mu[3 * row + 1], mu[3 * row + 2]],
            };
            if kept.shift != shift {
                kept.shift = shift;
                *compliances -= usize::from(constraint.compliance.is_some());
                constraint.compliance = kept.sum();
                *compliances += usize::from(constraint.compliance.is_some());
                *mark |= changes::COMPLIANCE;
            }
        }
        self.values_change();
        Ok(())
    }

    /// Have what is kept of the compliance of a constraint added to its diagonal block.
    pub(super) fn put_compliance(&mut self, id: Id) -> Result<(), Error> {
        let compliance = self.kept(id)?.sum();
        let before = self.constraint(id)?.compliance.is_some();
        self.compliances = self.compliances + usize::from(compliance.is_some()) - usize::from(before);
        self.change_constraint(id, |constraint, mark| {
            constraint.compliance = compliance;
            *mark |= changes::COMPLIANCE;
        })
    }

    fn kept(&self, id: Id) -> Result<&Kept, Error> {
        self.kept.get(id).ok_or(unknown(id))
    }

    /// The tag of a constraint, 0 at first.
    ///
    /// # Errors
    /// If there is none with this id.
    pub fn tag(&self, id: Id) -> Result<u64, Error> {
        Ok(self.kept(id)?.tag)
    }

    /// Set the tag of a constraint: any number that its user finds it again by.
    ///
    /// # Errors
    /// If there is none with this id.
    pub fn set_tag(&mut self, id: Id, tag: u64) -> Result<(), Error> {
        self.kept.get_mut(id).ok_or(unknown(id))?.0.tag = tag;
        Ok(())
    }

    /// The tags of all constraints, in the order of rows.
    ///
    /// # Errors
    /// If there is room for another number.
    pub fn write_tags(&self, tags: &mut [u64]) -> Result<(), Error> {
        self.check_kept("the tags", 1, tags.len())?;
        self.kept.iter().zip(tags).for_each(|((_, kept), tag)| *tag = kept.tag);
        Ok(())
    }

    /// Keep reactions with the constraints, three values each in the order of rows: they stay with theirs when others are inserted,
    /// removed or moved. No update is needed, and none depends on them.
    ///
    /// # Errors
    /// If there is another number of values, or one is not finite.
    pub fn set_reactions(&mut self, reactions: &[f64]) -> Result<(), Error> {
        self.check_kept("the reactions R", 3, reactions.len())?;
        finite("a reaction R", reactions).map_err(Error::of_system)?;
        let kept = self.kept.all_mut().0.iter_mut().flatten();
        kept.zip(reactions.as_chunks().0).for_each(|(kept, reaction)| kept.reaction = *reaction);
        Ok(())
    }

    /// The reactions that are kept, three values for each constraint in the order of rows; zero for one that is new.
    ///
    /// # Errors
    /// If there is room for another number of values.
    pub fn write_reactions(&self, reactions: &mut [f64]) -> Result<(), Error> {
        self.check_kept("the reactions R", 3, reactions.len())?;
        self.kept.iter().zip(reactions.as_chunks_mut().0).for_each(|((_, kept), to)| *to = kept.reaction);
        Ok(())
    }

    fn check_kept(&self, what: &'static str, each: usize, found: usize) -> Result<(), Error> {
        match each * self.kept.len() {
            expected if expected == found => Ok(()),
            expected => Err(Error::of_system(Fault::Size { what, expected, found })),
        }
    }
}

//! Tags, reactions and regularisation: what belongs to a constraint and no update changes.
#![forbid(unsafe_code)]

use crate::rows::fault::check_size;
use crate::system::any_rows::sizes;
use crate::system::body::finite;
use crate::system::constraint_data::Kept;
use crate::system::dirty;
use crate::system::error::{Error, Fault, Result, unknown};
use crate::system::id_table::Id;

use super::System;

impl System {
    /// Set the regularisation of all constraints that are there: W becomes W + diag μ, beside their compliances. `mu` has one value
    /// for all, one for each constraint, or one for each of its rows, none negative; a constraint that is inserted later has none.
    ///
    /// # Errors
    /// If there is another number of values, or one is negative or not finite. Nothing has changed then.
    pub fn regularise(&mut self, mu: &[f64]) -> Result {
        let (rows, scalars) = (self.kept.len(), self.sizes().sum::<usize>());
        let found = mu.len();
        let size = Fault::Size { what: "mu", expected: rows, found };
        ensure!([1, rows, scalars].contains(&found), Error::of_system(size));
        let why = "mu is negative or not finite";
        ensure!(mu.iter().all(|mu| mu.is_finite() && *mu >= 0.0), Error::of_system(Fault::Invalid(why)));
        let Self { constraints, kept, mixed, compliances, .. } = self;
        let (mut row, mut first) = (0, 0);
        for place in 0..kept.ids().len() {
            let id = kept.ids()[place];
            let Some(kept) = &mut kept.all_mut().0[place] else { continue };
            let odd = mixed.as_mut().filter(|mixed| mixed.triple(constraints, id).is_err());
            let size =
                odd.as_ref().map_or(3, |odd| odd.entries().get(id).map_or(0, |entry| entry.rows.into()));
            let of = |i: usize| match found {
                1 => mu[0],
                found if found == rows => mu[row],
                _ => mu[first + i],
            };
            if let Some(odd) = odd {
                odd.set_shift(constraints, id, |i| if i < size { of(i) } else { 0.0 }, dirty::COMPLIANCE);
            } else {
                let shift = [0, 1, 2].map(of);
                let triple = mixed.as_ref().map_or(Ok(id), |mixed| mixed.triple(constraints, id))?;
                if kept.shift != shift
                    && let Some((constraint, mark)) = constraints.get_mut(triple)
                {
                    kept.shift = shift;
                    *compliances -= usize::from(constraint.compliance.is_some());
                    constraint.compliance = kept.sum();
                    *compliances += usize::from(constraint.compliance.is_some());
                    *mark |= dirty::COMPLIANCE;
                }
            }
            (row, first) = (row + 1, first + size);
        }
        self.values_change();
        Ok(())
    }

    /// Have what is kept of the compliance of a constraint added to its diagonal block.
    pub(in crate::system) fn put_compliance(&mut self, id: Id) -> Result {
        let compliance = self.kept(id)?.sum();
        let before = self.constraint(id)?.compliance.is_some();
        self.compliances = self.compliances + usize::from(compliance.is_some()) - usize::from(before);
        self.change_constraint(id, |constraint, mark| {
            constraint.compliance = compliance;
            *mark |= dirty::COMPLIANCE;
        })
    }

    fn kept(&self, id: Id) -> Result<&Kept> {
        self.kept.get(id).ok_or(unknown(id))
    }

    /// The tag of a constraint, 0 at first.
    ///
    /// # Errors
    /// If there is none with this id.
    pub fn tag(&self, id: Id) -> Result<u64> {
        Ok(self.kept(id)?.tag)
    }

    /// Set the tag of a constraint: any number that its user finds it again by.
    ///
    /// # Errors
    /// If there is none with this id.
    pub fn set_tag(&mut self, id: Id, tag: u64) -> Result {
        self.kept.get_mut(id).ok_or(unknown(id))?.0.tag = tag;
        Ok(())
    }

    /// The tags of all constraints, in the order of rows.
    ///
    /// # Errors
    /// If there is room for another number.
    pub fn write_tags(&self, tags: &mut [u64]) -> Result {
        check_size("the tags", self.kept.len(), tags.len()).map_err(Error::of_system)?;
        self.kept.iter().zip(tags).for_each(|((_, kept), tag)| *tag = kept.tag);
        Ok(())
    }

    /// Keep reactions with the constraints, as many values each as it has rows, in the order of rows: they stay with theirs when
    /// others are inserted, removed or moved. No update is needed, and none depends on them.
    ///
    /// # Errors
    /// If there is another number of values, or one is not finite.
    pub fn set_reactions(&mut self, reactions: &[f64]) -> Result {
        check_size("the reactions R", self.sizes().sum(), reactions.len()).map_err(Error::of_system)?;
        finite("a reaction R", reactions).map_err(Error::of_system)?;
        let Self { kept, mixed, constraints, .. } = self;
        let mut rest = reactions;
        let each = kept.all_mut().0.iter_mut().flatten();
        for (kept, rows) in each.zip(sizes(mixed.as_ref(), constraints)) {
            let (own, others) = rest.split_at(rows);
            kept.reaction[..rows].copy_from_slice(own);
            rest = others;
        }
        Ok(())
    }

    /// The reactions that are kept, as many values for each constraint as it has rows, in the order of rows; zero for one that is
    /// new.
    ///
    /// # Errors
    /// If there is room for another number of values.
    pub fn write_reactions(&self, reactions: &mut [f64]) -> Result {
        check_size("the reactions R", self.sizes().sum(), reactions.len()).map_err(Error::of_system)?;
        let mut rest = reactions;
        for ((_, kept), rows) in self.kept.iter().zip(self.sizes()) {
            let (own, others) = rest.split_at_mut(rows);
            own.copy_from_slice(&kept.reaction[..rows]);
            rest = others;
        }
        Ok(())
    }
}

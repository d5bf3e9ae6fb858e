//! Products with W, sums over all rows, and the effects of forces on bodies.
#![forbid(unsafe_code)]

use crate::ffi::errors::{Code, Result, invalid};
use crate::memory::refill;
use crate::rows::fault::check_size;

use super::exact_sum::{ExactSum, WORDS};
use super::mpi::agreement::Call;
use super::system::ParallelSystem;

impl ParallelSystem {
    /// Compute y = W x for the rows of this process: by blocks, or through bodies. x and y have a value for each own scalar row.
    /// Collective. One process computes the same bits.
    ///
    /// # Errors
    /// The same on all processes: if there was no successful update since the last change, or a vector has the wrong length.
    pub fn multiply(&mut self, x: &[f64], y: &mut [f64], through_bodies: bool) -> Result {
        let checked = self.check_lengths(&[x.len(), y.len()]);
        self.group.begin(Call::Multiply, through_bodies.into(), false, &checked)?;
        self.with_vectors(|own, [from, to]| {
            own.scatter(x, from)?;
            own.exchange_rows(from)?;
            let made = match through_bodies {
                true => own.system.multiply_through_bodies(from, to),
                false => own.system.multiply(from, to),
            };
            own.group.agree(made)?;
            own.gather(to, y)
        })
    }

    /// Compute Σ x_i y_i over the rows of all processes. The products are added without rounding: the sum has the same bits for any
    /// number of processes. Collective.
    ///
    /// # Errors
    /// The same on all processes: if the vectors of one have different lengths.
    pub fn dot(&mut self, x: &[f64], y: &[f64]) -> Result<f64> {
        let checked = check_size("y", x.len(), y.len()).map_err(Code::from);
        self.group.begin(Call::Dot, 0, false, &checked)?;
        let mut sum = ExactSum::default();
        x.iter().zip(y).for_each(|(x, y)| sum.add(x * y));
        let mut words = [0; WORDS];
        sum.write(&mut words);
        self.group.sum(&mut words)?;
        Ok(ExactSum::read(&words).value())
    }

    /// Add h A⁻¹ Hᵀ R to the free velocities of all own bodies, and of ghosts that own constraints act on. `reactions` has a value for
    /// each own scalar row. Collective.
    ///
    /// # Errors
    /// The same on all processes: as [`System::apply_reactions`](crate::system::System::apply_reactions). No velocity has changed then.
    pub fn apply_reactions(&mut self, reactions: &[f64]) -> Result {
        let checked = self.check_lengths(&[reactions.len()]).and_then(|()| {
            let is_finite = reactions.iter().all(|reaction| reaction.is_finite());
            ensure!(is_finite, invalid!("a reaction R is not finite"));
            Ok(())
        });
        self.group.begin(Call::ApplyReactions, 0, false, &checked)?;
        self.with_vectors(|own, [all, _]| {
            own.scatter(reactions, all)?;
            own.exchange_rows(all)?;
            let made = own.system.compute_velocities(all);
            own.group.agree(made)?;
            own.system.take_velocities();
            Ok(())
        })
    }

    /// Check that vectors have a value for each own scalar row, and that the rows are up to date.
    pub(super) fn check_lengths(&self, lengths: &[usize]) -> Result {
        let scalars = self.own_scalars()?;
        for &length in lengths {
            check_size("a vector of the rows of this process", scalars, length)?;
        }
        Ok(())
    }

    /// Call a function with two vectors of all local rows. Collective.
    pub(super) fn with_vectors(
        &mut self,
        work: impl FnOnce(&mut Self, &mut [Vec<f64>; 2]) -> Result,
    ) -> Result {
        let mut vectors = std::mem::take(&mut self.rows.vectors);
        let length = self.system.results().map_or(0, |results| results.b.len());
        let prepared = vectors.iter_mut().try_for_each(|vector| refill(vector, length, 0.0));
        let made = self.group.agree(prepared).and_then(|()| work(self, &mut vectors));
        self.rows.vectors = vectors;
        made
    }
}

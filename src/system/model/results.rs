//! Rows, products, and what forces do to bodies.
#![forbid(unsafe_code)]

use std::sync::PoisonError;

use crate::math::lanczos::{self, Estimate, Failure, Problem};
use crate::rows::fault::check_size;
use crate::rows::multiply::{self, Assembled, Columns};
use crate::system::body::finite;
use crate::system::dirty;
use crate::system::error::{Error, Fault, Result};
use crate::system::id_table::Id;
use crate::system::matrix_free::{Bodies, ThroughBodies};
use crate::system::rows::{Results, Rows};

use super::System;

impl System {
    /// The rows of W and what goes with them.
    ///
    /// # Errors
    /// If there was no successful update since the last change, or a constraint has not three rows on one or two bodies.
    pub fn rows(&self) -> Result<Rows<'_>> {
        self.needs(self.is_fresh)?;
        self.check_all_triples()?;
        Ok(self.latest_rows())
    }

    pub(in crate::system) fn latest_rows(&self) -> Rows<'_> {
        let Results { values, b, v, diagonal, inverse, .. } = &self.results;
        let (starts, columns) = (self.structure.starts(), self.structure.columns());
        let ids = self.mixed.as_ref().map_or(self.structure.ids(), |mixed| mixed.view.ids());
        Rows { ids, starts, columns, values, b, v, diagonal, inverse }
    }

    /// y = W x, of the blocks.
    ///
    /// # Errors
    /// If there was no update since anything but velocities changed, or x or y have not three values a row.
    pub fn times(&self, x: &[f64], y: &mut [f64]) -> Result {
        self.check_vectors(&[x, y])?;
        self.times_columns(1, alone(x), alone(y))
    }

    /// As [`System::times`], of `count` vectors at once: quicker than one after the other, with the same bits.
    ///
    /// # Errors
    /// As there, and if a stride is shorter than a vector, or a vector reaches beyond the values.
    pub fn times_columns(&self, count: usize, x: Columns<&[f64]>, y: Columns<&mut [f64]>) -> Result {
        self.check_columns(count, [(x.stride, x.values.len()), (y.stride, y.values.len())])?;
        self.multiply(&mut Assembled(self.latest_rows().blocks()), count, x, y)
    }

    /// y = W x as h H A⁻¹ Hᵀ x (+ compliance), without the blocks: through each body.
    ///
    /// # Errors
    /// As [`System::times`], and if a solver fails or memory is exhausted.
    pub fn times_through_bodies(&self, x: &[f64], y: &mut [f64]) -> Result {
        self.check_vectors(&[x, y])?;
        self.times_columns_through_bodies(1, alone(x), alone(y))
    }

    /// As [`System::times_through_bodies`], of `count` vectors at once: quicker than one after the other, with the same bits.
    ///
    /// # Errors
    /// As there and as [`System::times_columns`].
    pub fn times_columns_through_bodies(
        &self,
        count: usize,
        x: Columns<&[f64]>,
        y: Columns<&mut [f64]>,
    ) -> Result {
        self.check_columns(count, [(x.stride, x.values.len()), (y.stride, y.values.len())])?;
        let scratch = &mut *self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        self.multiply(&mut ThroughBodies { through: self.through_bodies(), scratch }, count, x, y)
    }

    /// Whether `count` vectors can have these strides and numbers of values.
    fn check_columns(&self, count: usize, shapes: [(usize, usize); 2]) -> Result {
        self.needs(self.has_operators)?;
        let length = self.scalar_count();
        let failed = |what, expected, found| Error::of_system(Fault::Size { what, expected, found });
        for (stride, found) in shapes {
            ensure!(stride >= length, failed("a stride of vectors of three values a row", length, stride));
            let expected = multiply::extent(count, stride, length);
            ensure!(found >= expected, failed("vectors of three values a row", expected, found));
        }
        Ok(())
    }

    /// Add the generalised force Hᵀ R of all constraints on a body to `force`.
    ///
    /// # Errors
    /// As [`System::times`]; if there is no such body, or `force` is of another size.
    pub fn add_force(&self, id: Id, reactions: &[f64], force: &mut [f64]) -> Result {
        self.check_vectors(&[reactions])?;
        let body = self.body(id)?;
        check_size("the generalised force", body.dofs(), force.len())
            .map_err(|fault| Error::of_body(id, fault))?;
        if let Some(place) = self.bodies.place(id) {
            let through = self.through_bodies();
            self.with_spread(reactions, |reactions| {
                through.add_force(place, reactions.as_chunks().0, force);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Add h A⁻¹ Hᵀ R to the free velocity of every body, theory (50): the velocity at the end of the step.
    ///
    /// B is that of the velocity before, so [`System::rows`] needs another update; products do not.
    ///
    /// # Errors
    /// As [`System::times_through_bodies`], and if a reaction or a velocity is not finite. No velocity has changed then.
    pub fn add_reactions(&mut self, reactions: &[f64]) -> Result {
        self.check_vectors(&[reactions])?;
        finite("a reaction R", reactions).map_err(Error::of_system)?;
        let scratch = &mut *self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let through = self.through_bodies();
        self.with_spread(reactions, |reactions| through.write_velocities(reactions, scratch))?;
        let Self { bodies, structure, .. } = self;
        let (bodies, marks) = bodies.all_mut();
        for (place, (body, mark)) in bodies.iter_mut().zip(marks).enumerate() {
            if let Some(body) = body {
                body.velocity_mut().copy_from_slice(scratch.velocities(structure.dofs(place)));
                *mark |= dirty::VELOCITY;
            }
        }
        self.is_fresh = false;
        Ok(())
    }

    /// Estimate the largest eigenvalue of W by the method of Lanczos on its blocks: see [`Problem::largest_eigenvalue`].
    ///
    /// # Errors
    /// As [`System::times`], and if memory is exhausted or the tolerance is not a number.
    pub fn largest_eigenvalue(&self, tolerance: f64, most_products: usize) -> Result<Estimate> {
        self.needs(self.has_operators)?;
        ensure!(!tolerance.is_nan(), Error::of_system(Fault::NotFinite("the tolerance")));
        let size = self.scalar_count();
        // By then every eigenvalue has been found, whatever the tolerance.
        let most = most_products.min(4 * size + 20);
        let stiffness = |x: &[f64], y: &mut [f64]| self.times(x, y);
        let mut problem = Problem { size, stiffness, inverse_mass: lanczos::no_mass };
        problem.largest_eigenvalue(tolerance, most).map_err(|failure| match failure {
            Failure::Product(error) => error,
            Failure::Memory => Error::of_system(Fault::Memory),
            Failure::NotFinite | Failure::NotPositive | Failure::NothingMoves => {
                Error::of_system(Fault::NotFinite("a product with W"))
            }
        })
    }

    fn through_bodies(&self) -> Bodies<'_> {
        let Self { bodies, models, constraints, structure, made, step, .. } = self;
        let has_compliance = self.compliances > 0;
        Bodies { bodies, models, constraints, structure, made, step: *step, has_compliance }
    }

    fn check_vectors(&self, vectors: &[&[f64]]) -> Result {
        vectors.iter().try_for_each(|vector| self.check_count(vector.len()))
    }

    /// Whether products are there, and of vectors with so many values.
    pub(in crate::system) fn check_count(&self, found: usize) -> Result {
        self.needs(self.has_operators)?;
        check_size("a vector of three values a row", self.scalar_count(), found).map_err(Error::of_system)
    }
}

/// One vector.
fn alone<T: AsRef<[f64]>>(values: T) -> Columns<T> {
    Columns { stride: values.as_ref().len(), values }
}

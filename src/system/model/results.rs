//! Rows, products, and the effects of forces on bodies.
#![forbid(unsafe_code)]

use std::sync::PoisonError;

use crate::fault::check_size;
use crate::math::lanczos::{self, EigenProblem, Estimate, Failure};
use crate::memory::refill;
use crate::rows::multiply::{self, Columns, Product};
use crate::rows::{BlockRows, RowLayout};
use crate::system::body::finite;
use crate::system::bulk::{EntryResult, all};
use crate::system::dirty;
use crate::system::error::{Error, Fault, Result};
use crate::system::id_table::Id;
use crate::system::matrix_free::{BodiesOfProducts, Groups, ProductWorkspace, ThroughBodies};
use crate::system::rows::{Results, Rows, resized};

use super::System;

impl System {
    /// The rows of W with V, B and the diagonal blocks.
    ///
    /// # Errors
    /// If there was no successful update since the last change. Also if memory is exhausted, which is possible only if a constraint
    /// has other than three rows or more than two bodies.
    pub fn results(&self) -> Result<Rows<'_>> {
        self.needs(self.is_fresh)?;
        self.latest_rows()
    }

    /// As [`System::results`], but velocities may have changed since the last update: W depends on bodies and constraints only.
    ///
    /// # Errors
    /// If there was no successful update since anything else changed, or memory is exhausted.
    pub(in crate::system) fn rows_of_operators(&self) -> Result<Rows<'_>> {
        self.needs(self.has_operators)?;
        self.latest_rows()
    }

    fn latest_rows(&self) -> Result<Rows<'_>> {
        let Results { values, b, v, diagonal, inverse, .. } = &self.results;
        let structure = &self.structure;
        let layout = match structure.has_irregular() {
            true => Some(RowLayout::trusted(structure.scalar_starts(), structure.value_starts()?)),
            false => None,
        };
        let w = BlockRows::trusted(structure.starts(), structure.columns(), values, layout);
        Ok(Rows { ids: structure.ids(), w, b, v, diagonal, inverse, squares: structure.square_starts() })
    }

    /// Check that every diagonal block has an inverse.
    ///
    /// # Errors
    /// As for [`System::results`]; also the error of the first constraint whose diagonal block is singular.
    pub fn check_inverses(&self) -> Result {
        let rows = self.results()?;
        match (0..rows.ids.len()).find(|&row| rows.inverse[rows.square(row).start].is_nan()) {
            Some(row) => Err(Error { subject: self.subject(rows.ids[row])?, fault: Fault::Singular }),
            None => Ok(()),
        }
    }

    /// Compute y = W x from the blocks.
    ///
    /// # Errors
    /// If there was no update since anything but velocities changed, or x or y have not three values a row.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) -> Result {
        self.check_vectors(&[x, y])?;
        self.multiply_columns(1, alone(x), alone(y))
    }

    /// As [`System::multiply`], for `count` vectors at once: quicker than one call for each vector, with the same bits.
    ///
    /// # Errors
    /// As for [`System::multiply`]; also if a stride is shorter than a vector, or a vector reaches beyond the values.
    pub fn multiply_columns(&self, count: usize, x: Columns<&[f64]>, y: Columns<&mut [f64]>) -> Result {
        self.check_columns(count, [(x.stride, x.values.len()), (y.stride, y.values.len())])?;
        multiply::multiply(&self.latest_rows()?.w, count, x, y);
        Ok(())
    }

    /// Compute y = W x as h H A⁻¹ Hᵀ x (+ compliance) through each body, without the blocks.
    ///
    /// # Errors
    /// As for [`System::multiply`]; also if an inverse callback fails or memory is exhausted.
    pub fn multiply_through_bodies(&self, x: &[f64], y: &mut [f64]) -> Result {
        self.check_vectors(&[x, y])?;
        self.multiply_columns_through_bodies(1, alone(x), alone(y))
    }

    /// As [`System::multiply_through_bodies`], for `count` vectors at once: quicker than one call for each vector, with the same bits.
    ///
    /// # Errors
    /// As for [`System::multiply_through_bodies`] and [`System::multiply_columns`].
    pub fn multiply_columns_through_bodies(
        &self,
        count: usize,
        x: Columns<&[f64]>,
        y: Columns<&mut [f64]>,
    ) -> Result {
        self.check_columns(count, [(x.stride, x.values.len()), (y.stride, y.values.len())])?;
        let workspace = &mut *self.workspace.lock().unwrap_or_else(PoisonError::into_inner);
        let ProductWorkspace { groups, padded, scratch, .. } = workspace;
        if !self.structure.has_irregular() {
            let product = &mut ThroughBodies { through: self.through_bodies(None), scratch };
            return multiply::all(product, (count, self.structure.len()), x, y);
        }
        groups.list(&self.structure)?;
        let length = self.structure.scalar_count();
        for k in 0..count {
            let (x, y) = (&x.values[k * x.stride..][..length], &mut y.values[k * y.stride..][..length]);
            let [from, to] = &mut *padded;
            groups.pad(&self.structure, x, from)?;
            refill(to, from.len(), 0.0)?;
            let mut product = ThroughBodies { through: self.through_bodies(Some(groups)), scratch };
            product.multiply([from.as_chunks().0], [to.as_chunks_mut().0])?;
            groups.unpad(&self.structure, to.as_chunks().0, y);
            self.add_compliances(x, y);
        }
        Ok(())
    }

    /// Check the strides of `count` vectors and their numbers of values.
    fn check_columns(&self, count: usize, shapes: [(usize, usize); 2]) -> Result {
        self.needs(self.has_operators)?;
        let length = self.structure.scalar_count();
        let failed = |what, expected, found| Error::of_system(Fault::Size { what, expected, found });
        for (stride, found) in shapes {
            ensure!(stride >= length, failed("a stride of vectors of three values a row", length, stride));
            let expected = multiply::extent(count, stride, length);
            ensure!(found >= expected, failed("vectors of three values a row", expected, found));
        }
        Ok(())
    }

    /// Write the generalized force Hᵀ R of all constraints on a body.
    ///
    /// # Errors
    /// As for [`System::multiply`]; also if there is no such body, or `force` has the wrong size.
    pub fn constraint_force(&self, id: Id, reactions: &[f64], force: &mut [f64]) -> Result {
        let found = self.constraint_forces(
            1,
            force.len(),
            |_| id,
            reactions,
            |_, found| force.copy_from_slice(found),
        );
        found.map_err(|error| error.error)
    }

    /// Write the generalized forces Hᵀ R of `count` bodies, n values each.
    ///
    /// # Errors
    /// As for [`System::multiply`]; also if memory is exhausted, or the first entry that names no body, or a body with another number
    /// of velocities. Nothing is written then.
    pub fn constraint_forces(
        &self,
        count: usize,
        n: usize,
        id: impl Fn(usize) -> Id,
        reactions: &[f64],
        mut tell: impl FnMut(usize, &[f64]),
    ) -> EntryResult {
        self.check_vectors(&[reactions])?;
        let place = |k: usize| {
            let id = id(k);
            let checked = check_size("the generalized force", self.body(id)?.dofs(), n);
            checked.map_err(|fault| Error::of_body(id, fault))?;
            self.bodies.place(id).ok_or(Error::of_body(id, Fault::Unknown))
        };
        all(count, |k| place(k).map(|_| ()))?;
        let workspace = &mut *self.workspace.lock().unwrap_or_else(PoisonError::into_inner);
        let ProductWorkspace { groups, padded: [padded, _], force, .. } = workspace;
        resized(force, n, 0.0)?;
        let force = &mut force[..n];
        let (groups, reactions) = self.in_groups(groups, padded, reactions)?;
        let through = self.through_bodies(groups);
        all(count, |k| {
            force.fill(0.0);
            through.add_force(place(k)?, reactions.as_chunks().0, force);
            tell(k, force);
            Ok(())
        })
    }

    /// Add h A⁻¹ Hᵀ R to the free velocity of every body, theory (50). The result is the velocity at the end of the step.
    ///
    /// B still belongs to the velocity before, so [`System::results`] needs another update; products do not.
    ///
    /// # Errors
    /// As for [`System::multiply_through_bodies`]; also if a reaction or a velocity is not finite. No velocity has changed then.
    pub fn apply_reactions(&mut self, reactions: &[f64]) -> Result {
        self.compute_velocities(reactions)?;
        self.take_velocities();
        Ok(())
    }

    /// Compute the velocities that `take_velocities` gives to bodies.
    ///
    /// # Errors
    /// As for [`System::apply_reactions`].
    pub(crate) fn compute_velocities(&self, reactions: &[f64]) -> Result {
        self.check_vectors(&[reactions])?;
        finite("a reaction R", reactions).map_err(Error::of_system)?;
        let workspace = &mut *self.workspace.lock().unwrap_or_else(PoisonError::into_inner);
        let ProductWorkspace { groups, padded: [padded, _], scratch, .. } = workspace;
        let (groups, reactions) = self.in_groups(groups, padded, reactions)?;
        self.through_bodies(groups).write_velocities(reactions, scratch)
    }

    /// Give all bodies the free velocities that have been computed.
    pub(crate) fn take_velocities(&mut self) {
        let Self { bodies, structure, workspace, .. } = self;
        let scratch = &workspace.get_mut().unwrap_or_else(PoisonError::into_inner).scratch;
        let (bodies, marks) = bodies.all_mut();
        for (place, (body, mark)) in bodies.iter_mut().zip(marks).enumerate() {
            if let Some(body) = body {
                body.velocity_mut(false).copy_from_slice(scratch.velocities(structure.dofs(place)));
                *mark |= dirty::VELOCITY;
            }
        }
        self.is_fresh = false;
    }

    /// Estimate the largest eigenvalue of W by the method of Lanczos on its blocks: see [`EigenProblem::largest_eigenvalue`].
    ///
    /// # Errors
    /// As for [`System::multiply`]; also if memory is exhausted or the tolerance is not a number.
    pub fn spectral_radius(&self, tolerance: f64, most_products: usize) -> Result<Estimate> {
        self.needs(self.has_operators)?;
        ensure!(!tolerance.is_nan(), Error::of_system(Fault::NotFinite("the tolerance")));
        let size = self.structure.scalar_count();
        // After this number of products every eigenvalue has been found, regardless of the tolerance.
        let most = most_products.min(4 * size + 20);
        let stiffness = |x: &[f64], y: &mut [f64]| self.multiply(x, y);
        let mut problem = EigenProblem { size, stiffness, inverse_mass: lanczos::no_mass };
        problem.largest_eigenvalue(tolerance, most).map_err(|failure| match failure {
            Failure::Product(error) => error,
            Failure::Memory => Error::of_system(Fault::Memory),
            Failure::NotFinite | Failure::NotPositive | Failure::NothingMoves => {
                Error::of_system(Fault::NotFinite("a product with W"))
            }
        })
    }

    /// The groups of rows, unless each row is a group, and a vector with three values for each group.
    pub(in crate::system) fn in_groups<'a>(
        &self,
        groups: &'a mut Groups,
        padded: &'a mut Vec<f64>,
        x: &'a [f64],
    ) -> Result<(Option<&'a Groups>, &'a [f64])> {
        if !self.structure.has_irregular() {
            return Ok((None, x));
        }
        groups.list(&self.structure)?;
        groups.pad(&self.structure, x, padded)?;
        Ok((Some(groups), padded))
    }

    /// Add the products of the compliances of irregular constraints with x to y.
    fn add_compliances(&self, x: &[f64], y: &mut [f64]) {
        for row in 0..self.structure.len() {
            let constraint = self.constraints.things()[self.structure.entry(row)].as_ref();
            let Some(constraint) = constraint else { continue };
            let Some(irregular) = constraint.irregular.as_ref().filter(|own| own.is_added_to()) else {
                continue;
            };
            let own = self.structure.scalars(row);
            for (i, y) in y[own.clone()].iter_mut().enumerate() {
                let products = x[own.clone()].iter().enumerate();
                products.for_each(|(j, x)| *y += irregular.added(own.len(), i, j) * x);
            }
        }
    }

    pub(in crate::system) fn through_bodies<'a>(
        &'a self,
        groups: Option<&'a Groups>,
    ) -> BodiesOfProducts<'a> {
        let Self { bodies, models, constraints, structure, made, step, .. } = self;
        let has_compliance = self.compliances > 0;
        BodiesOfProducts { bodies, models, constraints, structure, made, step: *step, groups, has_compliance }
    }

    fn check_vectors(&self, vectors: &[&[f64]]) -> Result {
        vectors.iter().try_for_each(|vector| self.check_count(vector.len()))
    }

    /// Check that products are possible, and that a vector has the right number of values.
    pub(in crate::system) fn check_count(&self, found: usize) -> Result {
        self.needs(self.has_operators)?;
        check_size("a vector of three values a row", self.structure.scalar_count(), found)
            .map_err(Error::of_system)
    }
}

/// A single vector.
fn alone<T: AsRef<[f64]>>(values: T) -> Columns<T> {
    Columns { stride: values.as_ref().len(), values }
}

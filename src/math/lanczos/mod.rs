//! The largest eigenvalue of a symmetric operator by the Lanczos method, which needs only products with the operator.
//!
//! The eigenvalue problem is K x = λ M x with symmetric K and positive semidefinite M⁻¹. The iteration needs products with
//! K and with M⁻¹, never M itself. Its vectors are f = M x, orthonormal in the scalar product fᵀ M⁻¹ g, in which K M⁻¹ is
//! self-adjoint; the ordinary problem has M⁻¹ = 1.
//!
//! There is no reorthogonalization. Rounding then produces copies of converged eigenvalues, which do not change the largest one
//! (Parlett, The Symmetric Eigenvalue Problem, §13.3). The iteration keeps five vectors, and four numbers a step. A second run of the
//! same iteration sums up an eigenvector.
#![forbid(unsafe_code)]

mod tridiagonal;

use std::collections::TryReserveError;

use tridiagonal::Tridiagonal;

use crate::memory::repeated;

/// An estimate of the largest eigenvalue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value. It never exceeds the largest eigenvalue, except by rounding.
    pub value: f64,
    /// The norm of the residual. The distance of the value to some eigenvalue is at most this.
    pub residual: f64,
    /// The largest magnitude of an eigenvalue that the iteration has found.
    pub magnitude: f64,
    /// The number of products with K.
    pub products: usize,
}

impl Estimate {
    /// Whether the estimate has converged: the residual is at most `tolerance` times the magnitude, or is rounding.
    pub fn has_settled(&self, tolerance: f64) -> bool {
        self.residual <= tolerance.max(4.0 * f64::EPSILON) * self.magnitude
    }
}

/// The reason why there is no estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure<E> {
    /// Memory is exhausted.
    Memory,
    /// A product with K failed.
    Product(E),
    /// A product is not finite.
    NotFinite,
    /// M⁻¹ is not positive semidefinite.
    NotPositive,
    /// M⁻¹ is zero.
    NothingMoves,
}

impl<E> From<TryReserveError> for Failure<E> {
    fn from(_: TryReserveError) -> Self {
        Self::Memory
    }
}

/// The problem K x = λ M x on vectors of `size` values.
#[derive(Debug)]
pub struct EigenProblem<K, M> {
    /// The number of values in a vector.
    pub size: usize,
    /// `stiffness (x, y)` sets y = K x.
    pub stiffness: K,
    /// `inverse_mass (f, x)` sets x = M⁻¹ f.
    pub inverse_mass: M,
}

/// The inverse mass of the ordinary problem, M⁻¹ = 1.
pub fn no_mass(f: &[f64], x: &mut [f64]) {
    x.copy_from_slice(f);
}

impl<E, K, M> EigenProblem<K, M>
where
    K: FnMut(&[f64], &mut [f64]) -> Result<(), E>,
    M: FnMut(&[f64], &mut [f64]),
{
    /// Estimate the largest eigenvalue. The iteration ends when the estimate has converged within `tolerance`, or after `most` products,
    /// at least one.
    ///
    /// The first vector is pseudo-random and depends on the size alone, so the same input gives the same bits.
    ///
    /// # Errors
    /// If memory is exhausted, a product fails or is not finite, or M⁻¹ is zero or not positive.
    pub fn largest_eigenvalue(&mut self, tolerance: f64, most: usize) -> Result<Estimate, Failure<E>> {
        Ok(self.run(tolerance, most)?.0)
    }

    /// Estimate the largest eigenvalue and its eigenvector x of unit length, xᵀ M x = 1. This takes twice the products of
    /// [`EigenProblem::largest_eigenvalue`].
    ///
    /// # Errors
    /// As [`EigenProblem::largest_eigenvalue`].
    pub fn largest_eigenpair(
        &mut self,
        tolerance: f64,
        most: usize,
    ) -> Result<(Estimate, Vec<f64>), Failure<E>> {
        let (estimate, matrix) = self.run(tolerance, most)?;
        let mut iteration = Iteration::start(self.size, &mut self.inverse_mass)?;
        let mut force = repeated(self.size, 0.0)?;
        for (k, part) in matrix.vector.iter().enumerate() {
            if k > 0 {
                iteration.advance(&mut self.stiffness, &mut self.inverse_mass)?;
            }
            iteration.normalize();
            force.iter_mut().zip(&iteration.current).for_each(|(sum, f)| *sum += part * f);
        }
        let mut vector = iteration.moved;
        (self.inverse_mass)(&force, &mut vector);
        // The vectors of the iteration are not exactly orthogonal because of rounding.
        let length = dot(&force, &vector).sqrt();
        if length > 0.0 {
            scale(&mut vector, 1.0 / length);
        }
        Ok((estimate, vector))
    }

    fn run(&mut self, tolerance: f64, most: usize) -> Result<(Estimate, Tridiagonal), Failure<E>> {
        let mut estimate = Estimate { value: 0.0, residual: 0.0, magnitude: 0.0, products: 0 };
        let mut matrix = Tridiagonal::default();
        if self.size == 0 {
            return Ok((estimate, matrix));
        }
        let mut iteration = Iteration::start(self.size, &mut self.inverse_mass)?;
        ensure!(iteration.length != 0.0, Failure::NothingMoves);
        for k in 0..most.max(1) {
            iteration.normalize();
            let alpha = iteration.advance(&mut self.stiffness, &mut self.inverse_mass)?;
            matrix.push(alpha, iteration.length)?;
            // A product costs more than the eigenvalue of the tridiagonal matrix, except for the smallest operators.
            let is_last = iteration.length == 0.0 || k + 1 == most.max(1);
            if is_last || k < 8 || k % 4 == 0 {
                let (value, residual, magnitude) = matrix.largest();
                estimate = Estimate { value, residual, magnitude, products: k + 1 };
                if is_last || estimate.has_settled(tolerance) {
                    break;
                }
            }
        }
        Ok((estimate, matrix))
    }
}

/// The three-term recurrence, one step at a time.
struct Iteration {
    /// The last two unit vectors f.
    before: Vec<f64>,
    current: Vec<f64>,
    /// The next f, not yet of unit length; then its length, and M⁻¹ f.
    next: Vec<f64>,
    length: f64,
    moved: Vec<f64>,
    /// The largest |M⁻¹ f| / |f| so far.
    gain: f64,
}

impl Iteration {
    fn start<E>(size: usize, inverse_mass: &mut impl FnMut(&[f64], &mut [f64])) -> Result<Self, Failure<E>> {
        let zeros = || repeated(size, 0.0);
        let (before, current, next, moved) = (zeros()?, zeros()?, zeros()?, zeros()?);
        let mut iteration = Self { before, current, next, length: 0.0, moved, gain: 0.0 };
        fill_irregular(&mut iteration.next);
        iteration.measure(inverse_mass)?;
        Ok(iteration)
    }

    /// Make the next vector the current one, of unit length.
    fn normalize(&mut self) {
        std::mem::swap(&mut self.before, &mut self.current);
        std::mem::swap(&mut self.current, &mut self.next);
        scale(&mut self.current, 1.0 / self.length);
        scale(&mut self.moved, 1.0 / self.length);
    }

    /// Compute the next vector: the part of K M⁻¹ f that is orthogonal to the vectors so far. Returns fᵀ M⁻¹ K M⁻¹ f.
    fn advance<E>(
        &mut self,
        stiffness: &mut impl FnMut(&[f64], &mut [f64]) -> Result<(), E>,
        inverse_mass: &mut impl FnMut(&[f64], &mut [f64]),
    ) -> Result<f64, Failure<E>> {
        let Self { before, current, next, length: beta, moved, .. } = self;
        stiffness(moved, next).map_err(Failure::Product)?;
        let alpha = dot(moved, next);
        next.iter_mut()
            .zip(&*current)
            .zip(&*before)
            .for_each(|((next, x), y)| *next -= alpha * x + *beta * y);
        self.measure(inverse_mass)?;
        Ok(alpha)
    }

    /// Compute M⁻¹ f of the next vector and its length √(fᵀ M⁻¹ f), which is set to zero if it does not exceed rounding.
    fn measure<E>(&mut self, inverse_mass: &mut impl FnMut(&[f64], &mut [f64])) -> Result<(), Failure<E>> {
        inverse_mass(&self.next, &mut self.moved);
        let (square, size) = (dot(&self.next, &self.moved), dot(&self.next, &self.next));
        ensure!(square.is_finite(), Failure::NotFinite);
        if size > 0.0 {
            self.gain = self.gain.max((dot(&self.moved, &self.moved) / size).sqrt());
        }
        let rounding = 1e-14 * self.gain * size;
        if square < -rounding {
            return Err(Failure::NotPositive);
        }
        self.length = if square > rounding { square.sqrt() } else { 0.0 };
        Ok(())
    }
}

/// Pseudo-random values between −1 and 1, from a linear congruential generator (Knuth's MMIX).
fn fill_irregular(values: &mut [f64]) {
    let mut state = 1_u64;
    for value in values {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *value = (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    }
}

/// x · y.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn scale(x: &mut [f64], by: f64) {
    x.iter_mut().for_each(|x| *x *= by);
}

#[cfg(test)]
mod tests;

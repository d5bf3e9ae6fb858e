//! The largest eigenvalue of a symmetric operator by the method of Lanczos: products with it are all that is needed.
//!
//! Without reorthogonalisation: what rounding costs are copies of eigenvalues found already, which leave the largest as it
//! is (Parlett, The Symmetric Eigenvalue Problem, §13.3). Four vectors and two numbers a step are kept.
#![forbid(unsafe_code)]

use std::collections::TryReserveError;

/// An estimate of the largest eigenvalue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value: up to rounding never above the largest eigenvalue.
    pub value: f64,
    /// An eigenvalue lies no farther than this from the value: the norm of the residual.
    pub residual: f64,
    /// Products that were made.
    pub products: usize,
}

/// Why there is no estimate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure<E> {
    /// Memory is exhausted.
    Memory,
    /// A product failed.
    Product(E),
    /// A product is not finite.
    NotFinite,
}

impl<E> From<TryReserveError> for Failure<E> {
    fn from(_: TryReserveError) -> Self {
        Self::Memory
    }
}

/// Estimate the largest eigenvalue of a symmetric operator on vectors of `size` values; `product` writes A x to y, given x
/// and y. It ends when the residual is below `tolerance` times the value, or after `most` products.
///
/// The first vector is the same pseudo-random one whenever the size is, so results have the same bits.
///
/// # Errors
/// If memory is exhausted, or a product fails.
pub fn largest_eigenvalue<E>(
    size: usize,
    tolerance: f64,
    most: usize,
    mut product: impl FnMut(&[f64], &mut [f64]) -> Result<(), E>,
) -> Result<Estimate, Failure<E>> {
    let mut estimate = Estimate { value: 0.0, residual: 0.0, products: 0 };
    if size == 0 {
        return Ok(estimate);
    }
    let vector = || -> Result<Vec<f64>, TryReserveError> {
        let mut values = Vec::new();
        values.try_reserve_exact(size)?;
        values.resize(size, 0.0);
        Ok(values)
    };
    let (mut before, mut current, mut next) = (vector()?, vector()?, vector()?);
    fill(&mut current);
    let length = norm(&current);
    scale(&mut current, 1.0 / length);
    let mut matrix = Tridiagonal::default();
    let mut beta = 0.0;
    for k in 0..most.max(1) {
        product(&current, &mut next).map_err(Failure::Product)?;
        let alpha = dot(&current, &next);
        next.iter_mut().zip(&current).zip(&before).for_each(|((next, x), y)| *next -= alpha * x + beta * y);
        beta = norm(&next);
        if !(alpha.is_finite() && beta.is_finite()) {
            return Err(Failure::NotFinite);
        }
        matrix.push(alpha, beta)?;
        estimate.products = k + 1;
        // Steps cost more than this, but for the smallest operators: not in every step.
        let is_last = beta == 0.0 || k + 1 == most.max(1) || k + 1 >= 4 * size + 20;
        if is_last || k < 8 || k % 4 == 0 {
            (estimate.value, estimate.residual) = matrix.largest();
            let rounding = 4.0 * f64::EPSILON * estimate.value.abs();
            if is_last || estimate.residual <= (tolerance * estimate.value.abs()).max(rounding) {
                break;
            }
        }
        scale(&mut next, 1.0 / beta);
        std::mem::swap(&mut before, &mut current);
        std::mem::swap(&mut current, &mut next);
    }
    Ok(estimate)
}

/// Pseudo-random values between −1 and 1, from a linear congruential generator (Knuth's MMIX).
fn fill(values: &mut [f64]) {
    let mut state = 1_u64;
    for value in values {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *value = (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn scale(x: &mut [f64], by: f64) {
    x.iter_mut().for_each(|x| *x *= by);
}

/// A symmetric tridiagonal matrix; `beside[k]` couples k and k + 1, the last leads out of it.
#[derive(Default)]
struct Tridiagonal {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
}

impl Tridiagonal {
    fn push(&mut self, alpha: f64, beta: f64) -> Result<(), TryReserveError> {
        self.diagonal.try_reserve(1)?;
        self.beside.try_reserve(1)?;
        self.diagonal.push(alpha);
        self.beside.push(beta);
        Ok(())
    }

    /// The largest eigenvalue and |β s|, s the last entry of its unit eigenvector.
    fn largest(&self) -> (f64, f64) {
        let count = self.diagonal.len();
        let beside = |k: usize| if k + 1 < count { self.beside[k].abs() } else { 0.0 };
        let bounds = |k: usize| beside(k) + if k > 0 { beside(k - 1) } else { 0.0 };
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (k, alpha) in self.diagonal.iter().enumerate() {
            low = low.max(*alpha);
            high = high.max(alpha + bounds(k));
        }
        // Bisection down to neighbouring numbers, or nearly so.
        for _ in 0..120 {
            let middle = low + 0.5 * (high - low);
            if middle <= low || middle >= high {
                break;
            }
            if self.is_above_all(middle) { high = middle } else { low = middle }
        }
        let last = self.beside.last().copied().unwrap_or(0.0).abs();
        (high, last * self.last_entry(high))
    }

    /// Whether no eigenvalue is as large as x: x − T has positive pivots only.
    fn is_above_all(&self, x: f64) -> bool {
        let mut pivot = f64::INFINITY;
        for (k, alpha) in self.diagonal.iter().enumerate() {
            let beta = if k > 0 { self.beside[k - 1] } else { 0.0 };
            pivot = x - alpha - beta * (beta / pivot);
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
        }
        true
    }

    /// |s| of the eigenvector of x, the largest eigenvalue or a little more.
    ///
    /// With the pivots p of x − T = L D Lᵀ the last column of the inverse is proportional to products of β/p, and near
    /// an eigenvalue to the eigenvector.
    fn last_entry(&self, x: f64) -> f64 {
        let mut pivot = f64::INFINITY;
        // Σ s_i² / s_k² of the entries up to k.
        let mut ratio = 0.0;
        for (k, alpha) in self.diagonal.iter().enumerate() {
            if k > 0 {
                let beta = self.beside[k - 1];
                let step = beta / pivot;
                ratio *= step * step;
                pivot = x - alpha - beta * step;
            } else {
                pivot = x - alpha;
            }
            ratio += 1.0;
            pivot = pivot.max(f64::MIN_POSITIVE);
        }
        1.0 / ratio.sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_spectra() {
        // −1, 2, −1: 2 − 2 cos (nπ / (n + 1)), with neighbours close to it.
        for (size, most) in [(1, 10), (2, 10), (50, 200), (400, 2000)] {
            let product = |x: &[f64], y: &mut [f64]| {
                for i in 0..size {
                    let left = if i > 0 { x[i - 1] } else { 0.0 };
                    let right = if i + 1 < size { x[i + 1] } else { 0.0 };
                    y[i] = 2.0 * x[i] - left - right;
                }
                Ok::<(), ()>(())
            };
            let exact = 2.0 + 2.0 * (std::f64::consts::PI / (size + 1) as f64).cos();
            let found = largest_eigenvalue(size, 1e-7, most, product).unwrap();
            assert!((found.value - exact).abs() <= 1e-12 * exact, "{size}: {found:?} {exact}");
            assert!(found.residual <= 1e-7 * exact, "{size}: {found:?}");
        }
    }

    #[test]
    fn one_eigenvalue_and_none() {
        let twice = |x: &[f64], y: &mut [f64]| {
            y.iter_mut().zip(x).for_each(|(y, x)| *y = 2.0 * x);
            Ok::<(), ()>(())
        };
        let found = largest_eigenvalue(30, 1e-10, 100, twice).unwrap();
        assert!((found.value - 2.0).abs() < 1e-15 && found.products <= 2, "{found:?}");
        assert_eq!(largest_eigenvalue(0, 1e-10, 100, twice).unwrap().value, 0.0);
        let zero = |_: &[f64], y: &mut [f64]| {
            y.fill(0.0);
            Ok::<(), ()>(())
        };
        assert_eq!(largest_eigenvalue(30, 1e-10, 100, zero).unwrap().value, 0.0);
    }

    #[test]
    fn failures_come_through() {
        let fails = |_: &[f64], _: &mut [f64]| Err(7);
        assert_eq!(largest_eigenvalue(3, 1e-6, 9, fails), Err(Failure::Product(7)));
        let infinite = |_: &[f64], y: &mut [f64]| {
            y.fill(f64::INFINITY);
            Ok::<(), ()>(())
        };
        assert_eq!(largest_eigenvalue(3, 1e-6, 9, infinite), Err(Failure::NotFinite));
    }
}

//! The small symmetric tridiagonal matrix that the Lanczos method ends up with.

use crate::memory;

/// A symmetric tridiagonal matrix T; `beside[k]` couples k and k + 1, the last leads out of it. None is negative.
#[derive(Debug, Default)]
pub(super) struct Tridiagonal {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    /// Pivots of x − T from the front.
    pivots: Vec<f64>,
    /// The unit eigenvector that was computed last.
    pub vector: Vec<f64>,
}

impl Tridiagonal {
    /// Append a row, with room for all that is to be computed.
    pub fn push(&mut self, alpha: f64, beta: f64) -> memory::Result {
        memory::push(&mut self.diagonal, alpha)?;
        memory::push(&mut self.beside, beta)?;
        memory::push(&mut self.pivots, 0.0)?;
        memory::push(&mut self.vector, 0.0)
    }

    /// The largest eigenvalue; |β s|, s the last entry of its unit eigenvector; the largest magnitude of an eigenvalue.
    pub fn largest(&mut self) -> (f64, f64, f64) {
        let value = self.extreme(1.0);
        // Eigenvalues are not farther from the diagonal than this, so the smallest one need not be computed in most cases.
        let lowest = (0..self.diagonal.len()).map(|k| self.diagonal[k] - self.radius(k));
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        let magnitude =
            if lowest < -value.abs() { self.extreme(-1.0).abs().max(value.abs()) } else { value.abs() };
        self.write_vector(value, magnitude);
        let last = self.beside.last().zip(self.vector.last()).map_or(0.0, |(beta, s)| (beta * s).abs());
        (value, last, magnitude)
    }

    /// The coupling of row k to the one before, and to the one behind.
    fn couplings(&self, k: usize) -> [f64; 2] {
        let behind = if k + 1 < self.diagonal.len() { self.beside[k] } else { 0.0 };
        [if k > 0 { self.beside[k - 1] } else { 0.0 }, behind]
    }

    fn radius(&self, k: usize) -> f64 {
        let [before, behind] = self.couplings(k);
        behind + before
    }

    /// The largest eigenvalue of `sign` T, by bisection down to neighboring numbers or nearly so.
    fn extreme(&self, sign: f64) -> f64 {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        for (k, alpha) in self.diagonal.iter().enumerate() {
            low = low.max(sign * alpha);
            high = high.max(sign * alpha + self.radius(k));
        }
        for _ in 0..120 {
            let middle = low + 0.5 * (high - low);
            if middle <= low || middle >= high {
                break;
            }
            if self.is_above_all(middle, sign) { high = middle } else { low = middle }
        }
        high
    }

    /// Whether no eigenvalue of `sign` T is as large as x: x − `sign` T has positive pivots only.
    fn is_above_all(&self, x: f64, sign: f64) -> bool {
        let mut pivot = f64::INFINITY;
        for (k, alpha) in self.diagonal.iter().enumerate() {
            let [beta, _] = self.couplings(k);
            pivot = x - sign * alpha - beta * (beta / pivot);
            if pivot.is_nan() || pivot <= 0.0 {
                return false;
            }
        }
        true
    }

    /// The eigenvector of x, the largest eigenvalue or a little more, from both ends towards its largest entries: in the
    /// other direction the recurrences are unstable (Dhillon and Parlett, 2004, twisted factorizations).
    fn write_vector(&mut self, x: f64, magnitude: f64) {
        let count = self.diagonal.len();
        let least = (1e-3 * f64::EPSILON * magnitude).max(f64::MIN_POSITIVE);
        let guarded = |pivot: f64| if pivot.abs() < least { least } else { pivot };
        let mut pivot = f64::INFINITY;
        for k in 0..count {
            let [beta, _] = self.couplings(k);
            pivot = guarded(x - self.diagonal[k] - beta * (beta / pivot));
            self.pivots[k] = pivot;
        }
        // Pivots from the end stand where the entries of the vector come later.
        let (mut twist, mut smallest) = (0, f64::INFINITY);
        pivot = f64::INFINITY;
        for k in (0..count).rev() {
            let [_, beta] = self.couplings(k);
            pivot = guarded(x - self.diagonal[k] - beta * (beta / pivot));
            self.vector[k] = pivot;
            let both = (self.pivots[k] + pivot - (x - self.diagonal[k])).abs();
            if both <= smallest {
                (twist, smallest) = (k, both);
            }
        }
        self.vector[twist] = 1.0;
        for k in (0..twist).rev() {
            self.vector[k] = self.beside[k] / self.pivots[k] * self.vector[k + 1];
        }
        for k in twist + 1..count {
            self.vector[k] = self.beside[k - 1] / self.vector[k] * self.vector[k - 1];
        }
        let length = self.vector.iter().map(|s| s * s).sum::<f64>().sqrt();
        self.vector.iter_mut().for_each(|s| *s /= length);
    }
}

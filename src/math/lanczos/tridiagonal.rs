//! The symmetric tridiagonal matrix that the Lanczos method produces.

use crate::memory;

/// A symmetric tridiagonal matrix T. `beside[k]` couples rows k and k + 1, the last one the row that would come next; none is negative.
#[derive(Debug, Default)]
pub(super) struct Tridiagonal {
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    /// The pivots of x − T, eliminated from the first row on.
    pivots: Vec<f64>,
    /// The last computed eigenvector, of unit length.
    pub vector: Vec<f64>,
}

impl Tridiagonal {
    /// Append a row, and reserve memory for the pivots and the eigenvector.
    pub fn push(&mut self, alpha: f64, beta: f64) -> memory::Result {
        memory::push(&mut self.diagonal, alpha)?;
        memory::push(&mut self.beside, beta)?;
        memory::push(&mut self.pivots, 0.0)?;
        memory::push(&mut self.vector, 0.0)
    }

    /// The largest eigenvalue; |β s|, where s is the last entry of its unit eigenvector; the largest magnitude of an eigenvalue.
    pub fn largest(&mut self) -> (f64, f64, f64) {
        let value = self.extreme(1.0);
        // No eigenvalue is smaller than this bound (Gershgorin), so in most cases the smallest one need not be computed.
        let lowest = (0..self.diagonal.len()).map(|k| self.diagonal[k] - self.radius(k));
        let lowest = lowest.fold(f64::INFINITY, f64::min);
        let magnitude =
            if lowest < -value.abs() { self.extreme(-1.0).abs().max(value.abs()) } else { value.abs() };
        self.write_vector(value, magnitude);
        let last = self.beside.last().zip(self.vector.last()).map_or(0.0, |(beta, s)| (beta * s).abs());
        (value, last, magnitude)
    }

    /// The coupling of row k with the row before, and with the row after.
    fn couplings(&self, k: usize) -> [f64; 2] {
        let after = if k + 1 < self.diagonal.len() { self.beside[k] } else { 0.0 };
        [if k > 0 { self.beside[k - 1] } else { 0.0 }, after]
    }

    fn radius(&self, k: usize) -> f64 {
        let [before, after] = self.couplings(k);
        after + before
    }

    /// The largest eigenvalue of `sign` T, by bisection until the bounds are adjacent numbers, or nearly.
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

    /// Whether x exceeds all eigenvalues of `sign` T, that is, x − `sign` T has positive pivots only.
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

    /// Write the eigenvector of x, which is the largest eigenvalue or slightly more. The factorization goes from both ends to the
    /// largest entry, since the recurrences are unstable in the other direction (Dhillon and Parlett, 2004, twisted factorizations).
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
        // The pivots from the last row on are stored in the vector, whose entries replace them later.
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

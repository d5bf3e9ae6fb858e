//! The largest eigenvalue of M⁻¹ K by the Lanczos method with thick restarts (Wu and Simon, 2000).
//!
//! The vectors are forces, orthonormal in the product fᵀ M⁻¹ g; in it K M⁻¹, which has the eigenvalues of M⁻¹ K, is
//! self-adjoint. So M is never needed, only M⁻¹, in whatever form. (The eigenvalue solver of the library faer knows
//! the ordinary product only, which would take a factor of M⁻¹, and it finds the eigenvalue of largest magnitude,
//! which of a system under pressure is not the largest.) The small projected problems are faer's.

use super::{Error, zeros};
use faer::diag::DiagRef;
use faer::linalg::solvers::SelfAdjointEigen;
use faer::{ColRef, Mat, MatRef, Side};

/// The largest eigenvalue and its vector.
#[derive(Clone, Debug)]
pub struct Eigenpair {
    /// K x = value M x.
    pub value: f64,
    /// Some eigenvalue is not farther than this from the value.
    pub error_bound: f64,
    /// x, of unit length: xᵀ M x = 1.
    pub vector: Vec<f64>,
    /// How many products with K it took.
    pub products: usize,
}

/// Vectors kept at once.
const BASIS: usize = 40;
/// Ritz vectors that survive a restart.
const KEPT: usize = 12;

/// The largest eigenvalue of M⁻¹ K, both symmetric of order `n`.
///
/// M⁻¹ may be semi-definite, like one projected to the directions that constraints leave free; then the directions
/// that it forbids do not count.
///
/// `stiffness (x, y)` sets y = K x and `inverse_mass (f, x)` sets x = M⁻¹ f. It ends when the error bound is below
/// `tolerance` times the largest magnitude among the eigenvalues seen. The same input gives the same bits.
///
/// # Errors
/// [`Error::NotConverged`] after `products` products, [`Error::NotFinite`], [`Error::NotPositive`],
/// [`Error::OutOfMemory`].
pub fn largest_eigenvalue(
    n: usize,
    stiffness: impl FnMut(&[f64], &mut [f64]),
    inverse_mass: impl FnMut(&[f64], &mut [f64]),
    tolerance: f64,
    products: usize,
) -> Result<Eigenpair, Error> {
    if n == 0 {
        return Ok(Eigenpair { value: 0.0, error_bound: 0.0, vector: Vec::new(), products: 0 });
    }
    Lanczos::new(n, stiffness, inverse_mass)?.run(tolerance, products)
}

struct Lanczos<K, M> {
    stiffness: K,
    inverse_mass: M,
    n: usize,
    /// The basis: orthonormal forces f and x = M⁻¹ f, `n` values each; `size` of them.
    forces: Vec<f64>,
    moves: Vec<f64>,
    size: usize,
    /// The next force f, not yet of unit length, and M⁻¹ f.
    force: Vec<f64>,
    moved: Vec<f64>,
    /// The largest |M⁻¹ f| / |f| yet.
    gain: f64,
    /// xᵀ K x of the basis.
    projected: Mat<f64>,
}

impl<K: FnMut(&[f64], &mut [f64]), M: FnMut(&[f64], &mut [f64])> Lanczos<K, M> {
    fn new(n: usize, stiffness: K, inverse_mass: M) -> Result<Self, Error> {
        let room = n.min(BASIS);
        let (forces, moves) = (zeros(n * room)?, zeros(n * room)?);
        let (mut force, moved) = (zeros(n)?, zeros(n)?);
        fill_irregular(&mut force);
        let projected = Mat::zeros(room, room);
        Ok(Self { stiffness, inverse_mass, n, forces, moves, size: 0, force, moved, gain: 0.0, projected })
    }

    fn run(mut self, tolerance: f64, limit: usize) -> Result<Eigenpair, Error> {
        let mut rest = self.length()?;
        if rest == 0.0 {
            return Err(Error::NotPositive);
        }
        for products in 1..=limit {
            self.append(rest);
            self.project();
            // What of K x no combination of the basis reaches.
            rest = self.length()?;
            let ritz =
                SelfAdjointEigen::new(self.projected.submatrix(0, 0, self.size, self.size), Side::Lower)
                    .map_err(|_| Error::NotFinite)?;
            let best = self.size - 1;
            let (values, vectors) = (ritz.S(), ritz.U());
            let magnitude = values[0].abs().max(values[best].abs());
            let error_bound = rest * vectors[(best, best)].abs();
            if self.size == self.n || error_bound <= tolerance.max(f64::EPSILON) * magnitude {
                let mut vector = zeros(self.n)?;
                combine(&self.moves, vectors.col(best), &mut vector);
                return Ok(Eigenpair { value: values[best], error_bound, vector, products });
            }
            if self.size * self.n == self.forces.len() {
                self.restart(vectors, values)?;
            }
        }
        Err(Error::NotConverged)
    }

    /// M⁻¹ f of the next force, and its length √(fᵀ M⁻¹ f): zero if it is not above rounding.
    fn length(&mut self) -> Result<f64, Error> {
        (self.inverse_mass)(&self.force, &mut self.moved);
        let (square, size) = (dot(&self.force, &self.moved), dot(&self.force, &self.force));
        if !square.is_finite() {
            return Err(Error::NotFinite);
        }
        if size > 0.0 {
            self.gain = self.gain.max((dot(&self.moved, &self.moved) / size).sqrt());
        }
        let rounding = 1e-14 * self.gain * size;
        if square < -rounding {
            Err(Error::NotPositive)
        } else {
            Ok(if square > rounding { square.sqrt() } else { 0.0 })
        }
    }

    /// Takes the next force, of this length, into the basis.
    fn append(&mut self, length: f64) {
        let place = self.n * self.size..self.n * (self.size + 1);
        let scaled =
            |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to = from / length);
        scaled(&mut self.forces[place.clone()], &self.force);
        scaled(&mut self.moves[place], &self.moved);
        self.size += 1;
    }

    /// K x of the last vector: the part in the basis goes to the projected matrix, the rest is the next force.
    fn project(&mut self) {
        let (n, last) = (self.n, self.size - 1);
        (self.stiffness)(&self.moves[n * last..n * self.size], &mut self.force);
        // Once is not enough against rounding, twice is.
        for first in [true, false] {
            let basis = self.forces.chunks_exact(n).zip(self.moves.chunks_exact(n));
            for (i, (force, moved)) in basis.take(self.size).enumerate() {
                let part = dot(moved, &self.force);
                self.force.iter_mut().zip(force).for_each(|(to, force)| *to -= part * force);
                if first {
                    self.projected[(i, last)] = part;
                    self.projected[(last, i)] = part;
                }
            }
        }
    }

    /// Leaves the Ritz vectors of the largest values only.
    fn restart(&mut self, vectors: MatRef<'_, f64>, values: DiagRef<'_, f64>) -> Result<(), Error> {
        let n = self.n;
        let first = self.size - KEPT;
        for basis in [&mut self.forces, &mut self.moves] {
            let mut kept = zeros(n * KEPT)?;
            for (i, kept) in kept.chunks_exact_mut(n).enumerate() {
                combine(basis, vectors.col(first + i), kept);
            }
            basis[..n * KEPT].copy_from_slice(&kept);
        }
        self.projected.fill(0.0);
        for i in 0..KEPT {
            self.projected[(i, i)] = values[first + i];
        }
        self.size = KEPT;
        Ok(())
    }
}

/// Σ_k by_k v_k of vectors v one after the other.
fn combine(vectors: &[f64], by: ColRef<'_, f64>, sum: &mut [f64]) {
    for (vector, by) in vectors.chunks_exact(sum.len()).zip(by.iter()) {
        sum.iter_mut().zip(vector).for_each(|(sum, v)| *sum += by * v);
    }
}

fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// Values in −1 … 1 that have nothing to do with any eigenvector: those of SplitMix64 (Steele, Lea, Flood, 2014).
fn fill_irregular(values: &mut [f64]) {
    let mut state = 0_u64;
    for value in values {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        *value = ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
    }
}

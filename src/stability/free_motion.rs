//! M⁻¹, projected to the directions that constraints leave free.

use super::{Error, NOT_FINITE, zeros};
use crate::math::lanczos::dot;

/// N = M⁻¹ − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁺ J M⁻¹, which maps forces to the motion of a system whose constraints hold. Rows of J may be linearly
/// dependent; dependent rows add nothing.
///
/// The structure keeps Q, whose columns span the gradients Jᵀ and are orthonormal in the scalar product fᵀ M⁻¹ g, and M⁻¹ Q. Both are
/// dense, which suits systems of up to some thousand dofs. With P = 1 − Q Qᵀ M⁻¹, N = Pᵀ M⁻¹ P.
#[derive(Clone, Debug)]
pub struct FreeMotion {
    size: usize,
    basis: Vec<f64>,
    moved: Vec<f64>,
    /// The largest |M⁻¹ g| / |g| of a gradient g.
    gain: f64,
}

/// A gradient depends on others if its part orthogonal to them is at most this, relative to the gradient.
const DEPENDENT: f64 = 1e-10;

/// The result for a force in the null space of M⁻¹ is rounding, at most this times [`FreeMotion::gain`].
const ROUNDING: f64 = 1e-13;

impl FreeMotion {
    /// Prepare the projection for the gradients Jᵀ of constraints, `size` values each, contiguous. `inverse_mass (f, x)` sets x = M⁻¹ f.
    ///
    /// # Errors
    /// If a gradient or M⁻¹ times a gradient is not finite, or memory is exhausted.
    ///
    /// # Panics
    /// If the length of `gradients` is no multiple of `size`.
    pub fn new(
        gradients: &[f64],
        size: usize,
        mut inverse_mass: impl FnMut(&[f64], &mut [f64]),
    ) -> Result<Self, Error> {
        assert!(gradients.len().is_multiple_of(size.max(1)));
        let mut free = Self { size, basis: Vec::new(), moved: Vec::new(), gain: 0.0 };
        let (mut f, mut x) = (zeros(size)?, zeros(size)?);
        for gradient in gradients.chunks_exact(size.max(1)) {
            f.copy_from_slice(gradient);
            let whole = free.length(&f, &mut x, &mut inverse_mass)?;
            if whole > 0.0 {
                free.gain = free.gain.max((dot(&x, &x) / dot(&f, &f)).sqrt());
            }
            // The second time removes the rounding that remains of an almost dependent gradient.
            free.take_out(&mut f);
            free.take_out(&mut f);
            let rest = free.length(&f, &mut x, &mut inverse_mass)?;
            if rest > DEPENDENT * whole && rest * rest > free.rounding(&f) {
                for (kept, values) in [(&mut free.basis, &f), (&mut free.moved, &x)] {
                    kept.try_reserve(size)?;
                    kept.extend(values.iter().map(|value| value / rest));
                }
            }
        }
        Ok(free)
    }

    /// The rank of the gradients.
    pub fn rank(&self) -> usize {
        self.basis.len().checked_div(self.size).unwrap_or(0)
    }

    /// Compute x = N f and replace f by P f. `inverse_mass` must be the same as in [`FreeMotion::new`].
    ///
    /// # Panics
    /// If the length of f or x is not `size`.
    pub fn respond(&self, f: &mut [f64], x: &mut [f64], mut inverse_mass: impl FnMut(&[f64], &mut [f64])) {
        assert!(f.len() == self.size && x.len() == self.size);
        let taken = self.take_out(f);
        inverse_mass(f, x);
        for (q, moved) in self.vectors() {
            subtract(x, dot(q, x), moved);
        }
        // If constraints bear the whole force, or if it is in the null space of M⁻¹, the remainder is rounding and must not count as motion.
        let least = (DEPENDENT * DEPENDENT * taken).max(self.rounding(f));
        if dot(f, x).abs() <= least {
            f.fill(0.0);
            x.fill(0.0);
        }
    }

    /// A bound for the rounding error of fᵀ M⁻¹ f.
    fn rounding(&self, f: &[f64]) -> f64 {
        ROUNDING * self.gain * dot(f, f)
    }

    /// Compute f −= Q Qᵀ M⁻¹ f, one column at a time. Returns fᵀ M⁻¹ f of the removed part.
    fn take_out(&self, f: &mut [f64]) -> f64 {
        let mut taken = 0.0;
        for (q, moved) in self.vectors() {
            let part = dot(moved, f);
            taken += part * part;
            subtract(f, part, q);
        }
        taken
    }

    /// Compute x = M⁻¹ f. Returns √(fᵀ M⁻¹ f), or zero if rounding makes the square negative.
    fn length(
        &self,
        f: &[f64],
        x: &mut [f64],
        inverse_mass: &mut impl FnMut(&[f64], &mut [f64]),
    ) -> Result<f64, Error> {
        inverse_mass(f, x);
        let square = dot(f, x);
        if square.is_finite() { Ok(square.max(0.0).sqrt()) } else { Err(Error::of_rows(NOT_FINITE)) }
    }

    fn vectors(&self) -> impl Iterator<Item = (&[f64], &[f64])> {
        let size = self.size.max(1);
        self.basis.chunks_exact(size).zip(self.moved.chunks_exact(size))
    }
}

fn subtract(x: &mut [f64], times: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x -= times * y);
}

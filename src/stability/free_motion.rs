//! M⁻¹ projected to the directions that constraints leave free.

use super::{Error, NOT_FINITE, zeros};
use crate::math::lanczos::dot;

/// N = M⁻¹ − M⁻¹ Jᵀ (J M⁻¹ Jᵀ)⁺ J M⁻¹: how a system moves under forces, its constraints holding. Rows of J may depend on each
/// other: those that do add nothing.
///
/// Kept are Q, whose columns span the gradients Jᵀ and are orthonormal in the scalar product fᵀ M⁻¹ g, and M⁻¹ Q, dense: for
/// systems of some thousand dofs. With P = 1 − Q Qᵀ M⁻¹, N = Pᵀ M⁻¹ P.
#[derive(Clone, Debug)]
pub struct FreeMotion {
    size: usize,
    basis: Vec<f64>,
    moved: Vec<f64>,
    /// The most that M⁻¹ makes of a gradient, over its length.
    gain: f64,
}

/// A gradient of which others leave no more than this depends on them.
const DEPENDENT: f64 = 1e-10;

/// Of a force that M⁻¹ does not move, no more than this of [`FreeMotion::gain`] is left by rounding.
const ROUNDING: f64 = 1e-13;

impl FreeMotion {
    /// For the gradients Jᵀ of constraints, `size` values each, one behind the other; `inverse_mass (f, x)` sets x = M⁻¹ f.
    ///
    /// # Errors
    /// If a gradient or what M⁻¹ makes of it is not finite, or memory is exhausted.
    ///
    /// # Panics
    /// If `gradients` is not as long as a number of them.
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
            // A second time for what rounding leaves of a gradient that is almost spanned.
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

    /// How many gradients do not depend on others.
    pub fn rank(&self) -> usize {
        self.basis.len().checked_div(self.size).unwrap_or(0)
    }

    /// x = N f; f becomes P f. `inverse_mass` is that of [`FreeMotion::new`].
    ///
    /// # Panics
    /// If f or x has another length.
    pub fn respond(&self, f: &mut [f64], x: &mut [f64], mut inverse_mass: impl FnMut(&[f64], &mut [f64])) {
        assert!(f.len() == self.size && x.len() == self.size);
        let taken = self.take_out(f);
        inverse_mass(f, x);
        for (q, moved) in self.vectors() {
            subtract(x, dot(q, x), moved);
        }
        // What is left of a force that constraints take up, or that M⁻¹ does not move, is rounding: it must not pass for a motion.
        let least = (DEPENDENT * DEPENDENT * taken).max(self.rounding(f));
        if dot(f, x).abs() <= least {
            f.fill(0.0);
            x.fill(0.0);
        }
    }

    /// The most that rounding makes of fᵀ M⁻¹ f.
    fn rounding(&self, f: &[f64]) -> f64 {
        ROUNDING * self.gain * dot(f, f)
    }

    /// f −= Q Qᵀ M⁻¹ f, one column after the other; returns fᵀ M⁻¹ f of what is taken.
    fn take_out(&self, f: &mut [f64]) -> f64 {
        let mut taken = 0.0;
        for (q, moved) in self.vectors() {
            let part = dot(moved, f);
            taken += part * part;
            subtract(f, part, q);
        }
        taken
    }

    /// √(fᵀ M⁻¹ f), with x = M⁻¹ f; zero if rounding makes it imaginary.
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

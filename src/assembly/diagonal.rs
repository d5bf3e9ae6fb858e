//! Diagonal blocks and what derives from them: W_αα (69), A_αα = W_αα⁻¹, rho = 1/λ_max(W_αα), the free energy.

use crate::block::{self, Block, Vector, is_finite};

/// Why a diagonal block cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// W_αα or what is made of it is not finite.
    NotFinite,
    /// The eigenvalue iteration failed.
    Eigenvalue,
    /// A pivot of W_αα is exactly zero.
    Singular,
}

/// A diagonal block with its derived values.
#[derive(Clone, Copy, Debug)]
pub struct Diagonal {
    /// W_αα, symmetric to the bit.
    pub w: Block,
    /// W_αα⁻¹.
    pub a: Block,
    /// 1/λ_max(W_αα), where asked for.
    pub rho: Option<f64>,
}

impl Diagonal {
    /// Derive everything from W_αα, symmetric up to rounding; rho only if `with_rho`.
    ///
    /// # Errors
    /// If the block is not finite, has no largest eigenvalue to be found, or is singular, in this order.
    #[inline(always)]
    pub fn new(w: &Block, with_rho: bool) -> Result<Self, Fault> {
        let w = block::mirrored(w);
        if !is_finite(&w) {
            return Err(Fault::NotFinite);
        }
        let rho = match with_rho {
            true => Some(1.0 / block::largest_eigenvalue(&w).ok_or(Fault::Eigenvalue)?),
            false => None,
        };
        let a = block::inverse_symmetric(&w).ok_or(Fault::Singular)?;
        if is_finite(&a) { Ok(Self { w, a, rho }) } else { Err(Fault::NotFinite) }
    }

    /// ½ (Bᵀ A B + A₃₃ z²), z the prescribed velocity along the third axis, 0 if there is none.
    pub fn free_energy(&self, b: &Vector, prescribed: f64) -> f64 {
        0.5 * (block::quadratic_form(&self.a, b) + self.a[8] * prescribed * prescribed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_mirrored() {
        let w = [3.0, 1.0, 0.0, 1.0 + 1e-15, 3.0, 0.0, 0.0, 0.0, 2.0];
        let diagonal = Diagonal::new(&w, true).unwrap();
        assert_eq!(diagonal.w, [3.0, 1.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 2.0]);
        assert!((diagonal.rho.unwrap() - 0.25).abs() < 1e-16);
        assert!((diagonal.a[0] - 0.375).abs() < 1e-16 && (diagonal.a[8] - 0.5).abs() < 1e-16);
        // ½ (8/3·... ) by hand: B = (1, 1, 2): BᵀAB = 0.375 + 0.375 − 0.25 + 2 = 2.5; A₃₃ z² = 4.5.
        assert!((diagonal.free_energy(&[1.0, 1.0, 2.0], 0.0) - 1.25).abs() < 1e-15);
        assert!((diagonal.free_energy(&[1.0, 1.0, 2.0], 3.0) - 3.5).abs() < 1e-15);
        assert_eq!(Diagonal::new(&w, false).unwrap().rho, None);
    }

    #[test]
    fn unusable_blocks_are_told() {
        let fault = |w: Block| Diagonal::new(&w, true).unwrap_err();
        assert_eq!(fault([0.0; 9]), Fault::Singular);
        assert_eq!(fault([f64::NAN; 9]), Fault::NotFinite);
        assert_eq!(fault([1e-310, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]), Fault::NotFinite);
    }
}

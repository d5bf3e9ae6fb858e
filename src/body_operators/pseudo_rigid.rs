//! Panels of pseudo-rigid bodies. With H = Eᵀ ⊗ aᵀ and A⁻¹ made of one block J⁻¹ for the deformation and I/m,
//!
//! W_αβ = h H_α A⁻¹ H_βᵀ = (q_α · q_β) E_αᵀ E_β, q = Lᵀ a, L Lᵀ = h diag (J⁻¹, 1/m),
//!
//! theory (44), (68): a quarter of the work for 12 dofs.

use super::factored::{self, CholeskyOfInverse};
use crate::kinematics::pseudo_rigid::{Arm, PseudoRigidOperator};
use crate::math::simd::{F64x4, SimdLevel, write};

/// Values in a slot: Eᵀ, column-major, then q.
pub const VALUES: usize = 13;

/// Z = Eᵀ ⊗ qᵀ.
#[derive(Clone, Copy, Debug)]
pub struct PseudoRigidSlot<L: SimdLevel> {
    level: L,
    axes: [L::F64x4; 3],
    q: Arm,
}

impl<L: SimdLevel> PseudoRigidSlot<L> {
    /// Z = H L.
    #[inline(always)]
    pub fn new(level: L, factor: &CholeskyOfInverse, h: &PseudoRigidOperator<L::F64x4>) -> Self {
        Self { level, axes: h.axes, q: factor.apply_to_arm(h.arm) }
    }

    /// Write the slot into its place in a panel.
    #[inline(always)]
    pub fn write(&self, to: &mut [f64; VALUES]) {
        write(&mut to[..9], &self.axes);
        to[9..].copy_from_slice(&self.q);
    }

    /// W_αα, column by column.
    #[inline(always)]
    pub fn square(&self) -> [L::F64x4; 3] {
        scaled(factored::square(self.level, &self.axes), dot(&self.q, &self.q))
    }
}

/// W_αβ, column by column, from the values of two slots; the first slice has one more value at its end.
#[inline(always)]
pub fn product<L: SimdLevel>(level: L, x: &[f64], y: &[f64]) -> [L::F64x4; 3] {
    let frames = factored::product(level, &factored::columns::<L, 3>(level, x), y);
    scaled(frames, dot(&x[9..13], &y[9..13]))
}

#[inline(always)]
fn dot(x: &[f64], y: &[f64]) -> f64 {
    x[0] * y[0] + x[1] * y[1] + (x[2] * y[2] + x[3] * y[3])
}

/// Zero is added, since a negative scale makes −0 of 0.
#[inline(always)]
fn scaled<L: F64x4>([x, y, z]: [L; 3], scale: f64) -> [L; 3] {
    [x * scale + 0.0, y * scale + 0.0, z * scale + 0.0]
}

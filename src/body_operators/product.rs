//! Products with W through the bodies that have a Cholesky factor: W_αβ = Z_α Z_βᵀ for any two slots, so that W x is Z_α s on a
//! body, s = Σ_β Z_βᵀ x_β.

use super::factored::columns;
use super::{PSEUDO_RIGID, Panel, PanelForm, RIGID};
use crate::math::Vector;
use crate::math::simd::{F64x4, SimdLevel, combination};

/// s of a body: of a rigid one, rotation and translation, of a pseudo-rigid one, for each number of q a vector; see
/// [`pseudo_rigid`](super::pseudo_rigid).
pub type Sum = [Vector; 4];

/// s while it is made.
pub type SumLanes<L> = [<L as SimdLevel>::F64x4; 4];

impl Panel {
    /// Whether the body has a factor, and so slots that depend on their own constraints alone.
    #[inline(always)]
    pub fn has_factor(&self) -> bool {
        !self.needs_inverse()
    }

    /// Add Zᵀ x of a slot to `sum`; nothing if the body has no factor.
    #[inline(always)]
    pub fn add_to_sum<L: SimdLevel>(&self, level: L, slot: usize, x: &Vector, sum: &mut SumLanes<L>) {
        match self.form {
            PanelForm::Rigid => {
                let [z, _] = self.slots.pair::<RIGID>(slot, slot);
                sum[0] = sum[0] + transposed_times(level, z, x);
                sum[1] = sum[1] + transposed_times(level, &z[9..], x);
            }
            PanelForm::PseudoRigid => {
                let [z, _] = self.slots.pair::<PSEUDO_RIGID>(slot, slot);
                let turned = transposed_times(level, z, x);
                for (sum, q) in sum.iter_mut().zip(&z[9..13]) {
                    *sum = *sum + turned * *q;
                }
            }
            PanelForm::General | PanelForm::Nodal => (),
        }
    }

    /// Z s of a slot, if the body has a factor.
    #[inline(always)]
    pub fn times_sum<L: SimdLevel>(&self, level: L, slot: usize, s: &Sum) -> Option<L::F64x4> {
        match self.form {
            PanelForm::Rigid => {
                let [z, _] = self.slots.pair::<RIGID>(slot, slot);
                let turning = combination(&columns::<L, 3>(level, z), &s[0]);
                Some(turning + combination(&columns::<L, 3>(level, &z[9..]), &s[1]))
            }
            PanelForm::PseudoRigid => {
                let [z, _] = self.slots.pair::<PSEUDO_RIGID>(slot, slot);
                let q = &z[9..13];
                let along = |k: usize| q[0] * s[0][k] + q[1] * s[1][k] + (q[2] * s[2][k] + q[3] * s[3][k]);
                Some(combination(&columns::<L, 3>(level, z), &[along(0), along(1), along(2)]))
            }
            PanelForm::General | PanelForm::Nodal => None,
        }
    }
}

/// The transpose of three columns times x.
#[inline(always)]
fn transposed_times<L: SimdLevel>(level: L, z: &[f64], x: &Vector) -> L::F64x4 {
    combination(&F64x4::transposed(columns::<L, 3>(level, z)), x)
}

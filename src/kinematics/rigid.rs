//! Rigid bodies, theory (43).

use super::operator::{Action, PlacementRef};
use crate::math::simd::{F64x4, Plain, SimdLevel, combination, packed};
use crate::math::{Block, Vector, difference};

/// The number of generalized velocities: the angular velocity in the referential frame, then the velocity of the mass center.
pub const DOFS: usize = 6;

/// A rigid body: x = Λ (X − X̄) + x̄.
#[derive(Clone, Copy, Debug)]
pub struct Rigid<'a> {
    /// Λ, column-major.
    pub rotation: &'a Block,
    /// X̄, the referential mass center.
    pub center: &'a Vector,
}

impl Rigid<'_> {
    /// The columns of H = Eᵀ [ Λ skew(X̄ − X) | I ] at point X. `axes` are the columns of Eᵀ, E the local frame.
    #[inline(always)]
    pub fn columns<L: F64x4>(&self, point: &Vector, axes: &[L; 3]) -> [L; DOFS] {
        let [x, y, z] = difference(self.center, point);
        let l = self.rotation;
        // Eᵀ Λ.
        let q0 = combination(axes, &l[..3]);
        let q1 = combination(axes, &l[3..6]);
        let q2 = combination(axes, &l[6..]);
        let turned = [
            combination(&[q1, q2], &[z, -y]),
            combination(&[q2, q0], &[x, -z]),
            combination(&[q0, q1], &[y, -x]),
        ];
        [turned[0], turned[1], turned[2], axes[0], axes[1], axes[2]]
    }

    /// H at point X in the frame E: 3 × dofs, column-major.
    pub fn operator(&self, point: &Vector, frame: &Block) -> [f64; 3 * DOFS] {
        packed(&self.columns(point, &Plain.transposed_columns(frame)))
    }
}

impl Action<'_> {
    /// The columns of H on a rigid body, master minus slave.
    #[inline(always)]
    pub fn rigid_columns<L: SimdLevel>(&self, level: L, body: &Rigid) -> [L::F64x4; DOFS] {
        let mut h = [level.zero(); DOFS];
        match self.placement {
            PlacementRef::Points { frame, points: [master, slave] } => {
                let axes = level.transposed_columns(frame);
                if self.roles[0] {
                    h = body.columns(master, &axes);
                }
                if self.roles[1] {
                    for (h, slave) in h.iter_mut().zip(body.columns(slave, &axes)) {
                        *h = *h - slave;
                    }
                }
            }
            PlacementRef::Operators(_) => h = self.columns_of_operators(level),
        }
        h
    }

    /// The columns of H on a body with six dofs, by operators.
    #[inline(always)]
    pub fn columns_of_operators<L: SimdLevel>(&self, level: L) -> [L::F64x4; DOFS] {
        // One value more: a column is read with the next value.
        let mut values = [0.0; 3 * DOFS + 1];
        self.operators(|operator| operator.add_to(self.group, 1.0, &mut values[..3 * DOFS]));
        let mut h = [level.zero(); DOFS];
        for (k, h) in h.iter_mut().enumerate() {
            *h = level.four(&values, 3 * k);
        }
        h
    }
}

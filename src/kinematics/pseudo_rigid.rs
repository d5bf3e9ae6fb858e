//! Pseudo-rigid bodies: homogeneous deformation, theory (44).

use crate::block::lanes::{Lanes, Level, Plain, packed};
use crate::block::{Block, Vector, difference};

/// Rate of the deformation gradient, row by row, then velocity of the mass centre.
pub const FREEDOMS: usize = 12;

/// A pseudo-rigid body: x = F (X − X̄) + x̄.
#[derive(Clone, Copy, Debug)]
pub struct PseudoRigid<'a> {
    /// X̄, the referential mass centre.
    pub center: &'a Vector,
}

impl PseudoRigid<'_> {
    /// H = Eᵀ [ (X − X̄)ᵀ in columns 3r..3r+3 of row r | I ] of point X, column by column; `axes` are the columns of Eᵀ,
    /// E the local frame.
    #[inline(always)]
    pub fn columns<L: Lanes>(&self, point: &Vector, axes: &[L; 3]) -> [L; FREEDOMS] {
        let arm = difference(point, self.center);
        let mut h = [axes[0]; FREEDOMS];
        for (h, axis) in h.chunks_exact_mut(3).zip(axes) {
            for (h, arm) in h.iter_mut().zip(arm) {
                *h = *axis * arm;
            }
        }
        h[9..].copy_from_slice(axes);
        h
    }

    /// H in the frame E: 3 × freedoms, column-major.
    pub fn operator(&self, point: &Vector, frame: &Block) -> [f64; 3 * FREEDOMS] {
        packed(&self.columns(point, &Plain.transposed_columns(frame)))
    }
}

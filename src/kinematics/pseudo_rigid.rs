//! Pseudo-rigid bodies: homogeneous deformation, theory (44).

use crate::block::{Block, Vector, difference, transposed, transposed_times};

/// Rate of the deformation gradient, row by row, then velocity of the mass centre.
pub const FREEDOMS: usize = 12;

/// A pseudo-rigid body: x = F (X − X̄) + x̄.
#[derive(Clone, Copy, Debug)]
pub struct PseudoRigid<'a> {
    /// X̄, the referential mass centre.
    pub center: &'a Vector,
}

impl PseudoRigid<'_> {
    /// H = Eᵀ [ (X − X̄)ᵀ in columns 3r..3r+3 of row r | I ] of point X in frame E: 3×12, column-major.
    pub fn operator(&self, point: &Vector, frame: &Block) -> [f64; 3 * FREEDOMS] {
        let arm = difference(point, self.center);
        let axes = transposed(frame);
        let mut h = [0.0; 3 * FREEDOMS];
        for (row, axis) in axes.chunks_exact(3).enumerate() {
            for (k, arm) in arm.iter().enumerate() {
                for i in 0..3 {
                    h[3 * (3 * row + k) + i] = axis[i] * arm;
                }
            }
        }
        h[27..].copy_from_slice(&axes);
        h
    }

    /// H u = Eᵀ (Ḟ (X − X̄) + v) with u = (Ḟ row by row, v).
    pub fn local_velocity(&self, point: &Vector, frame: &Block, u: &[f64]) -> Vector {
        let arm = difference(point, self.center);
        let velocity =
            [0, 1, 2].map(|r| u[3 * r] * arm[0] + u[3 * r + 1] * arm[1] + u[3 * r + 2] * arm[2] + u[9 + r]);
        transposed_times(frame, &velocity)
    }
}

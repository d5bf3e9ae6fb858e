//! Rigid bodies, theory (43).

use crate::block::{Block, Vector, cross, difference, times, transposed_product, transposed_times};

/// Angular velocity in the referential frame, then velocity of the mass centre.
pub const FREEDOMS: usize = 6;

/// A rigid body: x = Λ (X − X̄) + x̄.
#[derive(Clone, Copy, Debug)]
pub struct Rigid<'a> {
    /// Λ, column-major.
    pub rotation: &'a Block,
    /// X̄, the referential mass centre.
    pub center: &'a Vector,
}

impl Rigid<'_> {
    /// H = Eᵀ [ Λ skew(X̄ − X) | I ] of point X in frame E: 3×6, column-major.
    pub fn operator(&self, point: &Vector, frame: &Block) -> [f64; 3 * FREEDOMS] {
        let [x, y, z] = difference(self.center, point);
        let skew = [0.0, z, -y, -z, 0.0, x, y, -x, 0.0];
        let rotation_in_frame = transposed_product(frame, self.rotation);
        let mut h = [0.0; 3 * FREEDOMS];
        for (h, s) in h.chunks_exact_mut(3).zip(skew.chunks_exact(3)) {
            h.copy_from_slice(&times(&rotation_in_frame, &[s[0], s[1], s[2]]));
        }
        h[9..].copy_from_slice(&crate::block::transposed(frame));
        h
    }

    /// H u = Eᵀ (Λ (Ω × (X − X̄)) + v) with u = (Ω, v).
    pub fn local_velocity(&self, point: &Vector, frame: &Block, u: &[f64]) -> Vector {
        let spin = cross(&[u[0], u[1], u[2]], &difference(point, self.center));
        let [x, y, z] = times(self.rotation, &spin);
        transposed_times(frame, &[x + u[3], y + u[4], z + u[5]])
    }
}

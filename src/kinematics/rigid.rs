//! Rigid bodies, theory (43).

use crate::block::lanes::{self, Lanes};
use crate::block::{Block, Vector, difference};

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
    /// H = Eᵀ [ Λ skew(X̄ − X) | I ] of point X, column by column; `axes` are the columns of Eᵀ, E the local frame.
    #[inline(always)]
    pub fn columns(&self, point: &Vector, axes: &[Lanes; 3]) -> [Lanes; FREEDOMS] {
        let [x, y, z] = difference(self.center, point);
        let l = self.rotation;
        // Eᵀ Λ.
        let q0 = lanes::combination(axes, &[l[0], l[1], l[2]]);
        let q1 = lanes::combination(axes, &[l[3], l[4], l[5]]);
        let q2 = lanes::combination(axes, &[l[6], l[7], l[8]]);
        let turned = |a: &Lanes, by_a: f64, b: &Lanes, by_b: f64| {
            let mut sum = lanes::scaled(a, by_a);
            lanes::add_scaled(&mut sum, b, -by_b);
            sum
        };
        [turned(&q1, z, &q2, y), turned(&q2, x, &q0, z), turned(&q0, y, &q1, x), axes[0], axes[1], axes[2]]
    }

    /// H in the frame E: 3 × freedoms, column-major.
    pub fn operator(&self, point: &Vector, frame: &Block) -> [f64; 3 * FREEDOMS] {
        lanes::packed(&self.columns(point, &lanes::transposed_columns(frame)))
    }
}

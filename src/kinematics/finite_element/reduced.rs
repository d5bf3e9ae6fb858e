//! Points of a body whose nodal velocities are spanned by a base: v = R Φ u.

use super::location::Location;
use super::operator::NodalOperator;
use crate::block::{Block, Vector};

/// A point of a co-rotational body with a reduced or modal base.
#[derive(Clone, Copy, Debug)]
pub struct Reduced<'a> {
    /// Where the point lies in the mesh.
    pub location: Location,
    /// R, the rotation of the body, column-major.
    pub rotation: &'a Block,
    /// Φ, 3n × d, column-major.
    pub base: &'a [f64],
    /// 3n, three rows a node.
    pub rows: usize,
}

impl Reduced<'_> {
    /// Add `sign` H, H = Eᵀ N R Φ in the frame E, to `h`: 3 × d, column-major.
    pub fn add_operator(&self, sign: f64, frame: &Block, h: &mut [f64]) {
        let modes = self.base.chunks_exact(self.rows);
        assert_eq!(h.len(), 3 * modes.len());
        let nodal = self.nodal(frame);
        for (h, mode) in h.chunks_exact_mut(3).zip(modes) {
            h.iter_mut().zip(nodal.times(mode)).for_each(|(h, value)| *h += sign * value);
        }
    }

    /// H u.
    pub fn local_velocity(&self, frame: &Block, u: &[f64]) -> Vector {
        let nodal = self.nodal(frame);
        let mut velocity = [0.0; 3];
        for (mode, u) in self.base.chunks_exact(self.rows).zip(u) {
            velocity.iter_mut().zip(nodal.times(mode)).for_each(|(sum, value)| *sum += u * value);
        }
        velocity
    }

    fn nodal(&self, frame: &Block) -> NodalOperator {
        NodalOperator::new(&self.location, frame, Some(self.rotation))
    }
}

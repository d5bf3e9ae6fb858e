//! Numbers and blocks that look random and are the same in every run.

use crate::math::{Block, Vector};

/// A linear congruential generator.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(1))
    }

    /// Between −1 and 1.
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> Vector {
        std::array::from_fn(|_| self.number())
    }

    /// A sum of squares of vectors, as many as the rank, and a part that is not symmetric.
    pub fn block(&mut self, rank: usize, asymmetry: f64) -> Block {
        let vectors: Vec<Vector> = (0..rank).map(|_| self.vector()).collect();
        std::array::from_fn(|k| {
            let sum: f64 = vectors.iter().map(|v| v[k % 3] * v[k / 3]).sum();
            sum + asymmetry * self.number()
        })
    }
}

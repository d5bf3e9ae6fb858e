//! Numbers that look random and are the same in every run.

/// A generator, SplitMix64.
pub struct Random(u64);

impl Random {
    /// Each seed gives other numbers.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number between −1 and 1.
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % end as u64) as usize
    }

    /// Numbers between −1 and 1.
    pub fn array<const N: usize>(&mut self) -> [f64; N] {
        std::array::from_fn(|_| self.signed())
    }

    /// Numbers between −1 and 1.
    pub fn values(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.signed()).collect()
    }

    /// A 3×3 matrix: a positive semidefinite one, the sum of the squares of `rank` vectors, and a part that is not symmetric.
    pub fn block(&mut self, rank: usize, asymmetry: f64) -> [f64; 9] {
        let vectors: Vec<[f64; 3]> = (0..rank).map(|_| self.array()).collect();
        std::array::from_fn(|k| {
            let sum: f64 = vectors.iter().map(|v| v[k % 3] * v[k / 3]).sum();
            sum + asymmetry * self.signed()
        })
    }

    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

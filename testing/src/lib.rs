//! Shared by the tests and benches of ldy: random numbers, dense references of W, and an allocator that counts and fails.
//!
//! `cases` says how many random cases there are, `random` has numbers, `matrices` random matrices and their sparse forms, `blocks`
//! block-sparse rows as dense matrices and back, `dense` the reference W = h H A⁻¹ Hᵀ and U = B + W R, `allocator` the allocator of
//! programs that count or limit memory.

use std::env;

pub mod allocator;
#[cfg(feature = "dense")]
pub mod blocks;
#[cfg(feature = "dense")]
pub mod dense;
#[cfg(feature = "dense")]
pub mod matrices;
mod random;

pub use random::Random;

/// How many random cases a property tries: all, or the share that LDY_CASES_PERCENT in the environment names, and at least one.
pub fn cases(all: u32) -> u32 {
    let percent = env::var("LDY_CASES_PERCENT").ok();
    let percent = percent.map_or(100, |text| text.parse().expect("LDY_CASES_PERCENT is a number"));
    (all * percent).div_ceil(100)
}

/// The unit matrix.
pub const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

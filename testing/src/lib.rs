//! Shared by the tests and benches of ldy: random numbers, dense references of W, and an allocator that counts and fails.
//!
//! `random` has numbers, `matrices` random matrices and their sparse forms, `blocks` block-sparse rows as dense matrices and back,
//! `dense` the reference W = h H A⁻¹ Hᵀ and U = B + W R, `allocator` the allocator of programs that count or limit memory.

pub mod allocator;
#[cfg(feature = "dense")]
pub mod blocks;
#[cfg(feature = "dense")]
pub mod dense;
#[cfg(feature = "dense")]
pub mod matrices;
mod random;

pub use random::Random;

/// The unit matrix.
pub const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

//! Assembly of U = B + W R, theory (62)–(69), stage by stage. Each stage has its own file, works on plain arrays, and returns its
//! results to its caller.
//!
//! 1. [`velocities`]: V and B of a constraint.
//! 2. [`crate::body_operators`]: H and Y = h A⁻¹ Hᵀ of all constraints of a body, side by side.
//! 3. [`diagonal`]: W_αα, its inverse, 1/λ_max and its share of the free energy.
//! 4. [`update`]: the operators of all bodies. The stages [`bodies`], [`rows`] and [`pairs`] run over the scene of either face
//!    ([`scene`]).
#![forbid(unsafe_code)]

pub mod bodies;
pub mod diagonal;
pub mod irregular_pairs;
pub mod irregular_rows;
pub mod pairs;
pub mod rows;
pub mod scene;
pub mod update;
pub mod velocities;
pub mod whole_rows;

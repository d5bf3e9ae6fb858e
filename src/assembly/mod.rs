//! Assembly of U = B + W R, theory (62)–(69), stage by stage. Each stage is a file of its own, works on plain
//! arrays, and hands its results to whoever calls it.
//!
//! 1. [`velocities`]: V and B of a constraint.
//! 2. [`crate::body_operators`]: H and Y = h A⁻¹ Hᵀ of all constraints of a body, side by side.
//! 3. [`diagonal`]: W_αα, its inverse, 1/λ_max and its share of the free energy.
//! 4. [`update`]: the one way through all of these, over whatever scene a face has: bodies, rows, pairs.
#![forbid(unsafe_code)]

pub mod bodies;
pub mod diagonal;
pub mod pairs;
pub mod rows;
pub mod scene;
pub mod update;
pub mod velocities;
pub mod whole_rows;

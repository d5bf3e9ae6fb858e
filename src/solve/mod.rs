//! Solvers of C(U, R) = 0, U = B + W R, theory (11), over block-sparse rows. `docs/solvers.md` tells laws, measures and methods,
//! and when which of them is used.
//!
//! `problem` is what is given, `rows_of_three` makes rows of three from rows of one to six scalar rows, `local` the exact solution of one constraint
//! while all others are kept, `run` the course of a solution: sweeps of Gauss–Seidel, then proximal points by a `newton` method
//! with the factors of `block_lu`. `residual` tells how far forces are from a solution, by the map of `law`. `scaled` makes
//! friction the same in all directions. Threads share `sweeps` in an `order` that does not depend on their number: results have the
//! same bits everywhere. `certificate` proves that there is no solution.
#![forbid(unsafe_code)]

mod acceleration;
mod anisotropic;
mod block_lu;
mod coloring;
mod cone;
mod frames;
mod gauss_seidel;
mod infeasibility;
mod interior;
mod law;
mod local;
mod newton;
mod options;
mod problem;
mod residual;
mod rows_of_three;
mod run;
mod solver;
mod workspace;

pub use crate::rows::fault::{Error, Fault};
pub use crate::rows::{BlockRows, RowLayout};
pub use options::{End, Method, Options, Report, Watch};
pub use problem::{Kind, Law, Normal, Problem};
pub use residual::{Measure, Residual};
pub use solver::Solver;

#[cfg(test)]
mod tests;

//! W as text: the dump and MatrixMarket, written row by row to any [`std::io::Write`].
//!
//! Nothing here asks for memory but [`dump::Neighbors`], which does so ahead of everything else.
#![forbid(unsafe_code)]

mod buffered;
pub mod dump;
pub mod matrix_market;
pub mod npz;
mod percent_g;

pub use buffered::Buffered;
pub use percent_g::PercentG;

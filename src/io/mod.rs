//! Files: W as text, in the dump and in MatrixMarket, and NumPy's archives. All are written to any [`std::io::Write`].
//!
//! Only [`dump::Neighbors`] allocates memory, before anything is written.
#![forbid(unsafe_code)]

mod buffered;
pub mod dump;
pub mod matrix_market;
pub mod npz;
mod percent_g;
#[cfg(any(test, feature = "mpi"))]
pub mod words;

pub use buffered::Buffered;
pub use percent_g::PercentG;

//! One system across the processes of a communicator of MPI; in the build for MPI only.
//!
//! Each process has a [`System`](crate::system::System) with its own bodies and constraints under global ids, ghosts of bodies of other
//! processes, and a halo: the constraints of other processes that share a body with its own ones. Rows are in the order of global ids,
//! so that each block, V and B have the bits that one process computes. `system` has the parts of a process, `ghosts` the copies of
//! bodies, `halo` the choice of constraints that go to other processes, `update` one update, `row_exchange` values of rows that go to
//! the halos of others, `partition` chooses processes for bodies and constraints by `bisection`, `migrate` moves them there, `products` has
//! products and sums, `exact_sum` sums that do not depend on their order. `coloring` has the order of sweeps and colors, which processes
//! send in `color_rounds`, and `solve` finds forces.
//! `rows_file` writes W to a file, `mpi` sends messages, `c_api` is the C interface.

mod bisection;
pub mod c_api;
mod color_rounds;
mod coloring;
mod exact_sum;
mod ghosts;
mod halo;
mod migrate;
pub(crate) mod mpi;
mod partition;
mod products;
mod row_exchange;
mod rows_file;
mod solve;
mod system;
mod update;

pub use partition::Partition;
pub use rows_file::Format;
pub use solve::Mode;
pub use system::{Counts, ParallelSystem};

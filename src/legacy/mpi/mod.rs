//! The module across processes, in the build for MPI.
//!
//! A process has rows for its own constraints only. Processes exchange little:
//!
//! - V and B: only the process that has a body as a parent knows its velocity. The body's contribution to a constraint of
//!   another process is sent there, in the one exchange of an update ([`velocities`], [`exchange`]).
//! - W: each process has configuration and inverse of all bodies of its own constraints, and of the copies of other processes'
//!   constraints on these bodies. So it computes the blocks of its rows to external constraints without communication
//!   (`rows::external`).
//!
//! An error before the exchange is sent to all ranks in place of the counts, so that no rank waits forever.

mod arrange;
pub mod dump;
pub mod exchange;
pub mod velocities;
pub mod world;

pub use arrange::Exchange;

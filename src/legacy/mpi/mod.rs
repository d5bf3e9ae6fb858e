//! The module across processes, in the build for MPI.
//!
//! A process has rows for its own constraints only. What other processes must know of it, and it of them, is little:
//!
//! - V and B: only the process that holds a body as a parent knows its velocity. What a body does to a constraint of
//!   another process is sent there, in the one exchange of an update ([`velocities`], [`exchange`]).
//! - W: all bodies of a process's own constraints, and of copies of others' that touch them, are there with
//!   configuration and inverse. So blocks to external constraints are computed where their rows are, without
//!   communication (`rows::external`).
//!
//! An error before the exchange is told to all ranks in the place of the counts, so that no rank waits for ever.

mod arrange;
pub mod dump;
pub mod exchange;
pub mod velocities;
pub mod world;

pub use arrange::Exchange;

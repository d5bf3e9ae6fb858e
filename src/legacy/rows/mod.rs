//! The linked rows of W: memory, insertion, removal, copies, consistency.
//!
//! A row is a `DIAB` with hidden data behind it. A pair of blocks is two `OFFB` with hidden data behind each; they
//! lie side by side, so that a block's partner and its predecessor are found in constant time. Each body that rows
//! are attached to has a panel with a slot a row; a pair knows the two slots, so the assembly runs over the pairs in
//! the order in which they lie in memory and never follows a list.

mod attachments;
mod bit_set;
mod clone;
mod consistency;
#[cfg(feature = "mpi")]
pub mod external;
mod insert;
mod local_dynamics;
mod pair;
mod pool;
mod remove;
mod row;
mod row_list;
mod sync;
mod update_stats;

pub use attachments::{Attachments, BodyEntry};
pub use consistency::{Subject, check as check_consistency};
pub use insert::insert;
pub use local_dynamics::LocalDynamics;
pub use pair::BlockPair;
pub use pool::{Parts, WORD};
pub use remove::remove;
pub use row::{Map, RowNode};
pub use row_list::{GatheredRow, gather};

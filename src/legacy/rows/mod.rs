//! The linked rows of W: memory, insertion, removal, copies, consistency.
//!
//! A row is a `DIAB` followed by hidden data. A pair of blocks is two adjacent `OFFB`, each followed by hidden data, so that a
//! block's partner and its predecessor are found in constant time. Each body with attached rows has a panel with a slot a row.
//! A pair stores the two slots, so that the assembly runs over the pairs in memory order and never follows a list.

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
pub use consistency::{SubjectIds, check as check_consistency};
pub use insert::insert;
pub use local_dynamics::LocalDynamics;
pub use pair::BlockPair;
pub use pool::{ChunkParts, WORD};
pub use remove::remove;
pub use row::{Map, RowNode};
pub use row_list::{GatheredRow, gather};

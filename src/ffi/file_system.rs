//! Files and their paths, as the system has them.

#[cfg(unix)]
#[path = "file_system/posix.rs"]
mod of_system;
#[cfg(not(unix))]
#[path = "file_system/other.rs"]
mod of_system;

pub use of_system::*;

/// The kinds of objects at a path.
pub enum Found {
    Nothing,
    /// A file with these permissions, which may be replaced.
    Replaceable(Mode),
    /// Something that only a write to the path itself keeps: a device, a pipe, a link, a file with several names or another owner,
    /// a file that may not be written.
    Fixed,
}

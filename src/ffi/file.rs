//! Text files at paths given by a host.

use std::ffi::CStr;
use std::fs::File;
use std::io;

use crate::io::Buffered;

use super::errors::{Code, Result, fail};
use super::file_system::{close, overwrite, reason, shown};
use super::replacement::{self, Replacement};

#[cfg(feature = "mpi")]
pub use super::file_system::{open, remove};

/// Create or replace a file and write it through a buffer. This allocates nothing.
///
/// # Errors
/// [`Code::FileOpen`] and [`Code::FileWrite`]. An old file stays as it was, unless it is one that [`replacement`] cannot replace.
pub fn write(path: &CStr, text: impl FnOnce(&mut Buffered<File>) -> io::Result<()>) -> Result {
    let shown = shown(path);
    let not_opened = |error| fail!(Code::FileOpen, "cannot be opened ({}): {shown}", reason(&error));
    let (file, new) = match replacement::create(path).map_err(not_opened)? {
        Some((file, new)) => (file, Some(new)),
        None => (overwrite(path).map_err(not_opened)?, None),
    };
    let mut out = Buffered::new(file);
    let written = text(&mut out).and_then(|()| out.finish()).and_then(close);
    let in_place = written.and_then(|()| new.map_or(Ok(()), Replacement::put_in_place));
    in_place.map_err(|error| fail!(Code::FileWrite, "cannot be written ({}): {shown}", reason(&error)))
}

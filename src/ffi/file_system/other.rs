//! Files by the standard library, whose functions may allocate. Paths are UTF-8.

use std::ffi::CStr;
use std::fs::{self, File, OpenOptions, Permissions};
use std::{fmt, io};

use super::Found;

/// The longest path of a new file.
pub const LONGEST: usize = 4096;

/// The permissions of a file.
pub type Mode = Permissions;

/// The path for a text.
pub fn shown(path: &CStr) -> impl fmt::Display {
    text(path).unwrap_or("a path that is not UTF-8")
}

/// Create a file that does not exist.
pub fn create_new(path: &CStr) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(text(path)?)
}

/// Open a file and empty it, or create it.
pub fn overwrite(path: &CStr) -> io::Result<File> {
    File::create(text(path)?)
}

/// Open a file to read it.
#[cfg(feature = "mpi")]
pub fn open(path: &CStr) -> io::Result<File> {
    File::open(text(path)?)
}

/// Remove a file; errors are ignored.
pub fn remove(path: &CStr) {
    let _ = text(path).and_then(fs::remove_file);
}

/// Rename a file; one with the new name is replaced.
pub fn rename(from: &CStr, to: &CStr) -> io::Result<()> {
    fs::rename(text(from)?, text(to)?)
}

/// Set the permissions of a file; if this fails, they stay as they are.
pub fn set_mode(file: &File, mode: Mode) {
    let _ = file.set_permissions(mode);
}

/// Close a file, and return the error of the last writes.
pub fn close(file: File) -> io::Result<()> {
    file.sync_all()
}

/// The object at a path.
pub fn find(path: &CStr) -> Found {
    match text(path).and_then(fs::symlink_metadata) {
        Ok(found) if found.is_file() && !found.permissions().readonly() => {
            Found::Replaceable(found.permissions())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Found::Nothing,
        _ => Found::Fixed,
    }
}

/// The system's message for an error.
pub fn reason(error: &io::Error) -> impl fmt::Display {
    error
}

fn text(path: &CStr) -> io::Result<&str> {
    path.to_str().map_err(|_| io::ErrorKind::InvalidFilename.into())
}

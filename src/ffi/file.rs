//! Text files at paths given by a host.

use std::ffi::{CStr, OsStr, c_char};
use std::fs::File;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{fmt, io};

use crate::io::Buffered;

use super::errors::{Code, Result, fail};
use super::replacement::{self, Replacement};

/// Create or replace a file and write it through a buffer. This allocates nothing.
///
/// # Errors
/// [`Code::FileOpen`] and [`Code::FileWrite`]. An old file stays as it was, unless it is one that [`replacement`] cannot replace.
pub fn write(path: &CStr, text: impl FnOnce(&mut Buffered<File>) -> io::Result<()>) -> Result {
    let shown = Path::new(OsStr::from_bytes(path.to_bytes())).display();
    let not_opened = |error| fail!(Code::FileOpen, "cannot be opened ({}): {shown}", Reason(&error));
    let (file, new) = match replacement::create(path).map_err(not_opened)? {
        Some((file, new)) => (file, Some(new)),
        None => {
            let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
            (opened(path, flags).map_err(not_opened)?, None)
        }
    };
    let mut out = Buffered::new(file);
    let written = text(&mut out).and_then(|()| out.finish()).and_then(close);
    let in_place = written.and_then(|()| new.map_or(Ok(()), Replacement::put_in_place));
    in_place.map_err(|error| fail!(Code::FileWrite, "cannot be written ({}): {shown}", Reason(&error)))
}

/// Open a file to read it.
#[cfg(feature = "mpi")]
pub fn open(path: &CStr) -> io::Result<File> {
    opened(path, libc::O_RDONLY)
}

/// Remove a file; errors are ignored.
#[cfg(feature = "mpi")]
pub fn remove(path: &CStr) {
    // SAFETY: the path is a C string.
    unsafe { libc::unlink(path.as_ptr()) };
}

/// Open a file without allocating: [`File::open`] and [`File::create`] may allocate, and cannot report a failure.
pub(super) fn opened(path: &CStr, flags: libc::c_int) -> io::Result<File> {
    let readable_and_writable: libc::c_uint = 0o666;
    loop {
        // SAFETY: the path is a C string; the returned descriptor belongs to this function.
        let descriptor = unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, readable_and_writable) };
        if descriptor >= 0 {
            // SAFETY: the descriptor is open and has no other owner.
            return Ok(unsafe { File::from_raw_fd(descriptor) });
        }
        interrupted_or(io::Error::last_os_error())?;
    }
}

/// Close a file and return the error that dropping would ignore; some file systems report write errors only here.
fn close(file: File) -> io::Result<()> {
    // SAFETY: the file has just given up the descriptor. It is closed even if the call is interrupted.
    match unsafe { libc::close(file.into_raw_fd()) } {
        0 => Ok(()),
        _ => interrupted_or(io::Error::last_os_error()),
    }
}

fn interrupted_or(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) }
}

/// The system's message for an error. The [`fmt::Display`] of [`io::Error`] allocates.
struct Reason<'a>(&'a io::Error);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(number) = self.0.raw_os_error() else { return self.0.fmt(f) };
        let mut text = [0 as c_char; 128];
        // SAFETY: the text is one byte longer than the length passed, so that its last byte stays zero.
        unsafe { libc::strerror_r(number, text.as_mut_ptr(), text.len() - 1) };
        // SAFETY: the text ends with a zero and outlives the reference.
        let text = unsafe { CStr::from_ptr(text.as_ptr()) };
        f.write_str(text.to_str().unwrap_or("unknown error"))
    }
}

//! Text files at paths that a host gives.

use std::ffi::{CStr, OsStr, c_char};
use std::fs::File;
use std::os::fd::{FromRawFd, IntoRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{fmt, io};

use crate::io::Buffered;

use super::errors::{Code, Result, fail};

/// Write a file, which is created or overwritten, through a buffer. It needs no memory of the heap.
///
/// # Errors
/// [`Code::FileOpen`] and [`Code::FileWrite`]; what has been written stays.
pub fn write(path: &CStr, text: impl FnOnce(&mut Buffered<File>) -> io::Result<()>) -> Result {
    let shown = Path::new(OsStr::from_bytes(path.to_bytes())).display();
    let flags = libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC;
    let file = opened(path, flags)
        .map_err(|error| fail!(Code::FileOpen, "cannot be opened ({}): {shown}", Reason(&error)))?;
    let mut out = Buffered::new(file);
    let written = text(&mut out).and_then(|()| out.finish()).and_then(close);
    written.map_err(|error| fail!(Code::FileWrite, "cannot be written ({}): {shown}", Reason(&error)))
}

/// Open a file to read it.
#[cfg(feature = "mpi")]
pub fn open(path: &CStr) -> io::Result<File> {
    opened(path, libc::O_RDONLY)
}

/// Remove a file, if that can be done.
#[cfg(feature = "mpi")]
pub fn remove(path: &CStr) {
    // SAFETY: the path is a C string.
    unsafe { libc::unlink(path.as_ptr()) };
}

/// As [`File::open`] and [`File::create`], which may ask for memory and cannot be told that there is none.
fn opened(path: &CStr, flags: libc::c_int) -> io::Result<File> {
    let readable_and_writable: libc::c_uint = 0o666;
    loop {
        // SAFETY: the path is a C string; a descriptor that comes back is this function's to give away.
        let descriptor = unsafe { libc::open(path.as_ptr(), flags | libc::O_CLOEXEC, readable_and_writable) };
        if descriptor >= 0 {
            // SAFETY: the descriptor is open and nobody else's.
            return Ok(unsafe { File::from_raw_fd(descriptor) });
        }
        interrupted_or(io::Error::last_os_error())?;
    }
}

/// As dropping a file, but its errors are told: some file systems have no others.
fn close(file: File) -> io::Result<()> {
    // SAFETY: the descriptor has just been given up by its file. Even if interrupted it is closed.
    match unsafe { libc::close(file.into_raw_fd()) } {
        0 => Ok(()),
        _ => interrupted_or(io::Error::last_os_error()),
    }
}

fn interrupted_or(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) }
}

/// The system's words for an error. The [`fmt::Display`] of [`io::Error`] asks for memory.
struct Reason<'a>(&'a io::Error);

impl fmt::Display for Reason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Some(number) = self.0.raw_os_error() else { return self.0.fmt(f) };
        let mut text = [0 as c_char; 128];
        // SAFETY: the text has the length given, less one: its end stays zero whatever is written.
        unsafe { libc::strerror_r(number, text.as_mut_ptr(), text.len() - 1) };
        // SAFETY: the text ends with a zero and outlives the reference.
        let text = unsafe { CStr::from_ptr(text.as_ptr()) };
        f.write_str(text.to_str().unwrap_or("unknown error"))
    }
}

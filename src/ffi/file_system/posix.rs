//! Files by POSIX. Nothing here allocates: functions of the standard library may, and cannot report a failure.

use std::ffi::{CStr, OsStr, c_char};
use std::fs::File;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::{fmt, io};

use super::Found;

/// The longest path of a new file.
pub const LONGEST: usize = libc::PATH_MAX as usize;

/// The permissions of a file.
pub type Mode = libc::mode_t;

/// The path for a text.
pub fn shown(path: &CStr) -> impl fmt::Display {
    Path::new(OsStr::from_bytes(path.to_bytes())).display()
}

/// Create a file that does not exist.
pub fn create_new(path: &CStr) -> io::Result<File> {
    opened(path, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL)
}

/// Open a file and empty it, or create it.
pub fn overwrite(path: &CStr) -> io::Result<File> {
    opened(path, libc::O_WRONLY | libc::O_CREAT | libc::O_TRUNC)
}

/// Open a file to read it.
#[cfg(feature = "mpi")]
pub fn open(path: &CStr) -> io::Result<File> {
    opened(path, libc::O_RDONLY)
}

/// Remove a file; errors are ignored.
pub fn remove(path: &CStr) {
    // SAFETY: the path is a C string.
    unsafe { libc::unlink(path.as_ptr()) };
}

/// Rename a file; one with the new name is replaced.
pub fn rename(from: &CStr, to: &CStr) -> io::Result<()> {
    // SAFETY: both paths are C strings.
    match unsafe { libc::rename(from.as_ptr(), to.as_ptr()) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Set the permissions of a file; if this fails, they stay as they are.
pub fn set_mode(file: &File, mode: Mode) {
    // SAFETY: the descriptor is open.
    unsafe { libc::fchmod(file.as_raw_fd(), mode) };
}

/// Close a file and return the error that dropping would ignore; some file systems report write errors only here.
pub fn close(file: File) -> io::Result<()> {
    // SAFETY: the file has just given up the descriptor. It is closed even if the call is interrupted.
    match unsafe { libc::close(file.into_raw_fd()) } {
        0 => Ok(()),
        _ => interrupted_or(io::Error::last_os_error()),
    }
}

/// The object at a path.
pub fn find(path: &CStr) -> Found {
    if matches!(path.to_bytes().last(), None | Some(b'/')) {
        return Found::Fixed;
    }
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the path is a C string, and the place takes a status.
    if unsafe { libc::lstat(path.as_ptr(), status.as_mut_ptr()) } != 0 {
        let is_absent = io::Error::last_os_error().kind() == io::ErrorKind::NotFound;
        return if is_absent { Found::Nothing } else { Found::Fixed };
    }
    // SAFETY: the call above has succeeded, so that the status is set.
    let status = unsafe { status.assume_init() };
    let is_file = status.st_mode & libc::S_IFMT == libc::S_IFREG && status.st_nlink == 1;
    // SAFETY: geteuid has no conditions, and the path is a C string.
    let is_own = unsafe { status.st_uid == libc::geteuid() && libc::access(path.as_ptr(), libc::W_OK) == 0 };
    if is_file && is_own { Found::Replaceable(status.st_mode & 0o7777) } else { Found::Fixed }
}

/// The system's message for an error.
pub fn reason(error: &io::Error) -> impl fmt::Display {
    Reason(error)
}

/// The [`fmt::Display`] of [`io::Error`] allocates.
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

fn opened(path: &CStr, flags: libc::c_int) -> io::Result<File> {
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

fn interrupted_or(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) }
}

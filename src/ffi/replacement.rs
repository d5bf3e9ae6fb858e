//! A new file that takes the place of an old one when it is complete, so that a failed write changes nothing. Nothing here
//! allocates.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use super::file::opened;

/// The longest path of a new file.
const LONGEST: usize = libc::PATH_MAX as usize;

/// The number of names that are tried.
const TRIALS: usize = 100;

/// A new file in the folder of the file that it replaces. Dropped, it is removed.
pub struct Replacement<'a> {
    path: &'a CStr,
    number: u32,
    is_in_place: bool,
}

/// The kinds of objects at a path.
enum Found {
    Nothing,
    /// A file with these permissions, which may be replaced.
    Replaceable(libc::mode_t),
    /// Something that only a write to the path itself keeps: a device, a pipe, a link, a file with several names or another owner,
    /// a file that may not be written.
    Fixed,
}

/// Create a file that can replace the one at this path; `None` if the path itself must be written.
///
/// # Errors
/// If the disk has no place for a file beside the old one.
pub fn create(path: &CStr) -> io::Result<Option<(File, Replacement<'_>)>> {
    let mode = match find(path) {
        Found::Fixed => return Ok(None),
        Found::Nothing => None,
        Found::Replaceable(mode) => Some(mode),
    };
    match (Replacement::create(path), mode) {
        (Ok((file, replacement)), mode) => {
            if let Some(mode) = mode {
                // SAFETY: the descriptor is open. If this fails, the file has the permissions of a new one.
                unsafe { libc::fchmod(file.as_raw_fd(), mode) };
            }
            Ok(Some((file, replacement)))
        }
        // To open the old file would empty it.
        (Err(error), Some(_))
            if matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) =>
        {
            Err(error)
        }
        // To open the path itself gives the error that fits, or succeeds in a folder that takes no new files.
        (Err(_), _) => Ok(None),
    }
}

impl<'a> Replacement<'a> {
    fn create(path: &'a CStr) -> io::Result<(File, Self)> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let mut tried = 0;
        loop {
            let mut own = Self { path, number: NEXT.fetch_add(1, Ordering::Relaxed), is_in_place: true };
            match own.with_name(|name| opened(name, libc::O_WRONLY | libc::O_CREAT | libc::O_EXCL)) {
                Ok(file) => {
                    own.is_in_place = false;
                    return Ok((file, own));
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists && tried < TRIALS => tried += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Put the file, which is complete, in place of the one at the path.
    pub fn put_in_place(mut self) -> io::Result<()> {
        self.with_name(|name| {
            // SAFETY: both paths are C strings.
            match unsafe { libc::rename(name.as_ptr(), self.path.as_ptr()) } {
                0 => Ok(()),
                _ => Err(io::Error::last_os_error()),
            }
        })?;
        self.is_in_place = true;
        Ok(())
    }

    /// Call a function with the name of the new file.
    fn with_name<T>(&self, function: impl FnOnce(&CStr) -> io::Result<T>) -> io::Result<T> {
        let bytes = self.path.to_bytes();
        let folder = bytes.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
        let mut name = [0; LONGEST];
        let mut rest = &mut name[..];
        rest.write_all(&bytes[..folder])?;
        write!(rest, ".ldy-{}-{}\0", process::id(), self.number)?;
        function(CStr::from_bytes_until_nul(&name).unwrap_or_default())
    }
}

impl Drop for Replacement<'_> {
    fn drop(&mut self) {
        if !self.is_in_place {
            let _ = self.with_name(|name| {
                // SAFETY: the name is a C string.
                Ok(unsafe { libc::unlink(name.as_ptr()) })
            });
        }
    }
}

fn find(path: &CStr) -> Found {
    if matches!(path.to_bytes().last(), None | Some(b'/')) {
        return Found::Fixed;
    }
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: the path is a C string, and the place takes a status.
    if unsafe { libc::lstat(path.as_ptr(), status.as_mut_ptr()) } != 0 {
        let is_absent = io::Error::last_os_error().kind() == ErrorKind::NotFound;
        return if is_absent { Found::Nothing } else { Found::Fixed };
    }
    // SAFETY: the call above has succeeded, so that the status is set.
    let status = unsafe { status.assume_init() };
    let is_file = status.st_mode & libc::S_IFMT == libc::S_IFREG && status.st_nlink == 1;
    // SAFETY: geteuid has no conditions, and the path is a C string.
    let is_own = unsafe { status.st_uid == libc::geteuid() && libc::access(path.as_ptr(), libc::W_OK) == 0 };
    if is_file && is_own { Found::Replaceable(status.st_mode & 0o7777) } else { Found::Fixed }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::fs;
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use crate::ffi::errors::Code;
    use crate::ffi::file::write;

    fn c_path(path: &Path) -> CString {
        CString::new(path.as_os_str().as_bytes()).unwrap()
    }

    fn names(folder: &Path) -> usize {
        fs::read_dir(folder).unwrap().count()
    }

    #[test]
    fn a_failed_write_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.mtx");
        let failed = || {
            write(&c_path(&path), |out| {
                std::io::Write::write_all(out, &[b'x'; 20_000])?;
                Err(std::io::ErrorKind::StorageFull.into())
            })
        };
        assert_eq!(failed(), Err(Code::FileWrite));
        assert_eq!(names(folder.path()), 0);
        fs::write(&path, "old").unwrap();
        assert_eq!(failed(), Err(Code::FileWrite));
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), 1);
    }

    fn write_new(path: &Path) {
        write(&c_path(path), |out| std::io::Write::write_all(out, b"new")).unwrap();
        assert_eq!(fs::read_to_string(path).unwrap(), "new");
    }

    #[test]
    fn a_replaced_file_keeps_its_permissions() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.mtx");
        write_new(&path);
        for mode in [0o600, 0o664] {
            fs::write(&path, "a longer text").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            write_new(&path);
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, mode);
        }
        assert_eq!(names(folder.path()), 1);
    }

    #[test]
    fn links_stay_links() {
        let folder = tempfile::tempdir().unwrap();
        let [file, soft, hard] = ["file", "soft", "hard"].map(|name| folder.path().join(name));
        fs::write(&file, "a longer text").unwrap();
        symlink(&file, &soft).unwrap();
        write_new(&soft);
        fs::hard_link(&file, &hard).unwrap();
        write_new(&hard);
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&soft).unwrap().is_symlink());
    }

    #[test]
    fn paths_that_cannot_be_opened_are_told_before_the_text_is_made() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["", "no/file", "folder/", "."] {
            let path = folder.path().join(name);
            let result = write(&c_path(&path), |_| unreachable!("the file is not open"));
            assert_eq!(result, Err(Code::FileOpen), "{name}");
        }
        assert_eq!(names(folder.path()), 0);
    }
}

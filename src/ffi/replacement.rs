//! A new file that takes the place of an old one when it is complete, so that a failed write changes nothing. Nothing here
//! allocates.

use std::ffi::CStr;
use std::fs::File;
use std::io::{self, ErrorKind, Write};
use std::path;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use super::file_system::{Found, LONGEST, create_new, find, remove, rename, set_mode};

/// The number of names that are tried.
const TRIALS: usize = 100;

/// A new file in the folder of the file that it replaces. Dropped, it is removed.
pub struct Replacement<'a> {
    path: &'a CStr,
    number: u32,
    is_in_place: bool,
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
                set_mode(&file, mode);
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
            match own.with_name(create_new) {
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
        self.with_name(|name| rename(name, self.path))?;
        self.is_in_place = true;
        Ok(())
    }

    /// Call a function with the name of the new file.
    fn with_name<T>(&self, function: impl FnOnce(&CStr) -> io::Result<T>) -> io::Result<T> {
        let bytes = self.path.to_bytes();
        let folder =
            bytes.iter().rposition(|&byte| path::is_separator(char::from(byte))).map_or(0, |slash| slash + 1);
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
                remove(name);
                Ok(())
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CString;
    use std::fs;
    #[cfg(unix)]
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::path::Path;

    use crate::ffi::errors::Code;
    use crate::ffi::file::write;

    fn c_path(path: &Path) -> CString {
        CString::new(path.to_str().unwrap()).unwrap()
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

    #[cfg(unix)]
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
    fn a_file_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("rows.mtx");
        write_new(&path);
        fs::write(&path, "a longer text").unwrap();
        write_new(&path);
        assert_eq!(names(folder.path()), 1);
    }

    #[cfg(unix)]
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

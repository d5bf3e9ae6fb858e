//! A dump in parts: each rank writes its own file, and the first rank joins them.

use std::ffi::{CStr, c_char};
use std::io::{self, Write};

use crate::ffi::caught;
use crate::legacy::arguments;
use crate::legacy::errors::{Code, Result, fail};
use crate::legacy::file;
use crate::memory;

use super::world::World;

/// Write `PATH.rank` on each rank, then join these files into `PATH` in the order of ranks, and remove them; `write` writes a
/// file. Collective: when the function returns on any rank, `PATH` is complete.
///
/// # Errors
/// All ranks return the same code. If `prepared`, the result of earlier checks, is an error on any rank, no file is written. If
/// a rank cannot write its part, or the first rank cannot join the parts, the parts stay.
///
/// # Safety
/// `path` is NULL or a C string.
pub unsafe fn in_parts<T>(
    world: &World,
    path: *const c_char,
    prepared: Result<T>,
    write: impl FnOnce(&CStr, T) -> Result,
) -> Result {
    let named = prepared.and_then(|prepared| {
        // SAFETY: the caller promises that a path that is not NULL is a C string.
        let path = unsafe { arguments::string("path", path) }?;
        let part =
            PartName::new(path).map_err(|_| fail!(Code::OutOfMemory, "no memory for the name of a file"));
        Ok((prepared, path, part?))
    });
    match named {
        Err(code) => world.agree(Err(code)),
        Ok((prepared, path, mut part)) => {
            world.agree(Ok(()))?;
            world.agree(caught(|| write(part.of(world.rank()), prepared)))?;
            world.agree(match world.rank() {
                0 => caught(|| join(world.size(), path, &mut part)),
                _ => Ok(()),
            })
        }
    }
}

/// Report a missing local dynamics to the other ranks, which may have one. Returns the error again.
pub fn withdraw(code: Code) -> Code {
    match World::current() {
        Ok(Some(world)) => world.agree(Err(code)).err().unwrap_or(code),
        _ => code,
    }
}

fn join(size: usize, path: &CStr, part: &mut PartName) -> Result {
    file::write(path, |out| {
        (0..size).try_for_each(|rank| io::copy(&mut file::open(part.of(rank))?, out).map(drop))
    })?;
    (0..size).for_each(|rank| file::remove(part.of(rank)));
    Ok(())
}

/// The name of a part's file.
struct PartName {
    name: Vec<u8>,
    /// Length of the path with the dot after it.
    stem: usize,
}

/// Digits of a rank, and the zero at the end.
const SUFFIX: usize = 21;

impl PartName {
    fn new(path: &CStr) -> memory::Result<Self> {
        let mut name = memory::with_capacity(path.count_bytes() + 1 + SUFFIX)?;
        name.extend_from_slice(path.to_bytes());
        name.push(b'.');
        let stem = name.len();
        Ok(Self { name, stem })
    }

    /// The name of a rank's part.
    fn of(&mut self, rank: usize) -> &CStr {
        self.name.truncate(self.stem);
        // The memory suffices, and writing to a Vec never fails.
        let _ = write!(self.name, "{rank}\0");
        CStr::from_bytes_until_nul(&self.name).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_rank_behind_the_path() {
        let mut part = PartName::new(c"out/dump.txt").unwrap();
        let memory = part.name.as_ptr();
        assert_eq!(part.of(120), c"out/dump.txt.120");
        assert_eq!(part.of(3), c"out/dump.txt.3");
        part.of(usize::MAX);
        assert_eq!(part.name.as_ptr(), memory);
    }
}

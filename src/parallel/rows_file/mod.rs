//! W of all processes in one file, with the bytes that one process writes.
//!
//! Rows of one process are not next to each other in W, which has the order of ids. So each process gets a range of ids and,
//! from their owners, the rows in this range. Ranges have about the same number of rows. `numbering` chooses the ranges and gives rows
//! their numbers in W, `piece` has the bytes of a range. All processes then write their pieces at once, by MPI's parallel input and output,
//! or each to a file of its own, see `pieces`.
#![forbid(unsafe_code)]

mod numbering;
mod piece;
mod pieces;

use std::ffi::{CStr, CString};
use std::{fs, io};

use crate::ffi::errors::{Code, Result, fail};
use crate::io::npz;
use crate::memory;
use crate::rows::files;

use super::mpi::agreement::Call;
use super::mpi::exchange::no_memory;
use super::system::ParallelSystem;
use numbering::Numbers;
use piece::{Bytes, Origin, Piece};

/// A format of files of W.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// MatrixMarket coordinate format.
    MatrixMarket,
    /// An archive for NumPy and SciPy.
    Npz,
}

/// The sizes of W, or of a part of it.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    rows: u64,
    scalars: u64,
    blocks: u64,
    entries: u64,
}

/// Bytes of a process, and where they begin in the file.
struct FilePart<'a> {
    offset: u64,
    bytes: &'a [u8],
}

/// A number that is the same for the same files.
fn digest(path: &CStr, format: Format, are_pieces: bool) -> u64 {
    path.to_bytes().iter().fold(2 * format as u64 + u64::from(are_pieces), |digest, &byte| {
        (digest.rotate_left(5) ^ u64::from(byte)).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}

fn too_large<E>(_: E) -> Code {
    fail!(Code::TooLarge, "W has too many rows or entries for this format")
}

impl ParallelSystem {
    /// Write W of all processes to a file. Collective. The file has the same bytes for any number of processes.
    ///
    /// # Errors
    /// The same on all processes: if there was no successful update since the last change, the paths or formats differ, the file cannot be
    /// written, or memory is exhausted. An old file of this name is as it was then.
    pub fn write_rows(&mut self, path: &CStr, format: Format) -> Result {
        let checked = self.check_made();
        self.group.begin(Call::RowsWrite, digest(path, format, false), false, &checked)?;
        let (numbers, all) = self.number_rows()?;
        let (columns, before, is_first) = (all.scalars, numbers.before, self.rank() == 0);
        let place = Origin { file: all, columns, before, skipped: 0, is_first };
        let made = self.make_piece(&numbers, &place, format);
        match (format, self.group.agree(made)?) {
            (Format::MatrixMarket, piece) => {
                // The text of a process follows the texts of the processes before.
                let (before, _) = self.before([piece.values.len() as u64])?;
                self.write_parts(path, &[FilePart { offset: before[0], bytes: piece.values.as_slice() }])
            }
            (Format::Npz, piece) => self.write_archive(path, &piece, &numbers, &all),
        }
    }

    /// The values of all processes, in the order of ranks.
    fn of_all<const N: usize>(&self, own: [u64; N]) -> Result<Vec<i64>> {
        let mut of_all = self.group.agree(memory::repeated(N * self.size(), 0_i64))?;
        let at = N * self.rank();
        of_all[at..at + N].iter_mut().zip(own).for_each(|(to, value)| *to = value as i64);
        self.group.sum(&mut of_all)?;
        Ok(of_all)
    }

    /// The sums of values of the processes before this one, and of all.
    fn before<const N: usize>(&self, own: [u64; N]) -> Result<([u64; N], [u64; N])> {
        let of_all = self.of_all(own)?;
        let sum = |count: usize, k: usize| of_all.iter().skip(k).step_by(N).take(count).sum::<i64>() as u64;
        Ok((std::array::from_fn(|k| sum(self.rank(), k)), std::array::from_fn(|k| sum(self.size(), k))))
    }

    fn write_archive(&mut self, path: &CStr, piece: &Piece, numbers: &Numbers, all: &Sizes) -> Result {
        let arrays = [&piece.indices, &piece.starts, &piece.values].map(|bytes| bytes.as_slice());
        let (before, lengths) = self.before(arrays.map(|bytes| bytes.len() as u64))?;
        // The checksum of an array is made of the checksums of its pieces, in the order of processes.
        let [a, b, c] = arrays.map(|bytes| [u64::from(crc32fast::hash(bytes)), bytes.len() as u64]);
        let sums = self.of_all([a[0], a[1], b[0], b[1], c[0], c[1]])?;
        let checksum = |k: usize| {
            let mut sum = crc32fast::Hasher::new();
            for of_rank in sums.chunks_exact(6) {
                let length = of_rank[2 * k + 1] as u64;
                sum.combine(&crc32fast::Hasher::new_with_initial_len(of_rank[2 * k] as u32, length));
            }
            npz::Sum { checksum: sum, length: lengths[k] }
        };
        let mut around = [const { Bytes::new() }; 4];
        let framed =
            frame(all, numbers.are_threes, [0, 1, 2].map(checksum), &mut around).map_err(|error| match error
                .kind()
            {
                io::ErrorKind::OutOfMemory => no_memory(error),
                _ => too_large(error),
            });
        let begins = self.group.agree(framed)?;
        let own = [0, 1, 2].map(|k| FilePart { offset: begins[k] + before[k], bytes: arrays[k] });
        // The first process writes what comes before and after the items of each array.
        let others = [0, 1, 2, 3].map(|k| {
            let offset = if k == 0 { 0 } else { begins[k - 1] + lengths[k - 1] };
            FilePart { offset, bytes: if self.rank() == 0 { around[k].as_slice() } else { &[] } }
        });
        let [a, b, c] = own;
        let [d, e, f, g] = others;
        self.write_parts(path, &[a, b, c, d, e, f, g])
    }

    /// Write parts of a file. All processes have the same number of parts. The file is written beside an old one, and replaces it when it is complete.
    fn write_parts(&self, path: &CStr, parts: &[FilePart]) -> Result {
        let shown = path.to_string_lossy();
        let beside = longer(path, b".ldy-part");
        let beside = &self.group.agree(beside)?;
        self.group.open_file(beside).map_err(|_| fail!(Code::FileOpen, "cannot be opened: {shown}"))?;
        let not_written = || fail!(Code::FileWrite, "cannot be written: {shown}");
        let mut written = Ok(());
        for FilePart { offset, bytes } in parts {
            written = written.and(self.group.write_file(bytes, *offset));
        }
        let closed = self.group.close_file();
        let agreed = self.group.agree(written.and(closed).map_err(|_| not_written()));
        let placed = match (self.rank(), &agreed) {
            (0, Ok(())) => rename(beside, path).map_err(|_| not_written()),
            (0, Err(_)) => remove(beside),
            _ => Ok(()),
        };
        agreed.and(self.group.agree(placed))
    }
}

const NO_ITEMS: npz::Items = &|_| Ok(());

/// A path with this end.
fn longer(path: &CStr, end: &[u8]) -> Result<CString> {
    let bytes = path.to_bytes().iter().chain(end).chain(b"\0").copied();
    let name = memory::collected(path.count_bytes() + end.len() + 1, bytes)?;
    CString::from_vec_with_nul(name).map_err(no_memory)
}

/// The name of the format of an archive.
fn format(are_threes: bool) -> &'static [u8] {
    if are_threes { b"bsr" } else { b"csr" }
}

/// The shapes of the indices, starts and values of an archive, and their dimensions.
fn shapes(sizes: &Sizes, are_threes: bool) -> ([[usize; 3]; 3], [usize; 3]) {
    let Sizes { rows, scalars, blocks, entries } = *sizes;
    let [rows, scalars, blocks, entries] = [rows, scalars, blocks, entries].map(|count| count as usize);
    match are_threes {
        true => ([[blocks, 0, 0], [rows + 1, 0, 0], [blocks, 3, 3]], [1, 1, 3]),
        false => ([[entries, 0, 0], [scalars + 1, 0, 0], [entries, 0, 0]], [1; 3]),
    }
}

/// Write the parts of an archive around the indices, starts and values of W, which have these sums. Returns where these three begin.
fn frame(
    all: &Sizes,
    are_threes: bool,
    sums: [npz::Sum; 3],
    around: &mut [Bytes; 4],
) -> io::Result<[u64; 3]> {
    let (shapes, dimensions) = shapes(all, are_threes);
    let parts = [0, 1, 2].map(|k| (&shapes[k][..dimensions[k]], NO_ITEMS));
    let [a, b, c, d] = around;
    let [first, second, third] = sums;
    let [at, next, last] = files::PARTS;
    files::with_arrays(format(are_threes), [all.scalars as usize; 2], parts, |arrays| {
        npz::write_around(&mut [a, b, c, d], arrays, [(at, first), (next, second), (last, third)])
    })
}

#[cfg(unix)]
fn os(path: &CStr) -> &std::path::Path {
    use std::os::unix::ffi::OsStrExt as _;
    std::path::Path::new(std::ffi::OsStr::from_bytes(path.to_bytes()))
}

fn rename(from: &CStr, to: &CStr) -> std::io::Result<()> {
    fs::rename(os(from), os(to))
}

/// Nothing is left to report where a file cannot be removed.
fn remove(path: &CStr) -> Result {
    fs::remove_file(os(path)).or(Ok(()))
}

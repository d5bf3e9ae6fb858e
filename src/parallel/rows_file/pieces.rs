//! W in a file for each process, and an index that names them. A file has consecutive rows of W and all columns: all files, one below the
//! other, are W. The index is a text, see [`ParallelSystem::write_pieces`].
#![forbid(unsafe_code)]

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{self, Write};

use crate::ffi::errors::{Code, Result, fail};
use crate::io::npz::{self, Items};
use crate::parallel::mpi::agreement::Call;
use crate::parallel::mpi::exchange::no_memory;
use crate::parallel::system::ParallelSystem;
use crate::rows::files;

use super::piece::{Bytes, Origin, Piece};
use super::{Format, Sizes, digest, format, longer, os, remove, rename, shapes, too_large};

/// Write the end of the name of a piece.
fn write_end(out: &mut Bytes, rank: usize, format: Format) -> io::Result<()> {
    let kind = match format {
        Format::MatrixMarket => "mtx",
        Format::Npz => "npz",
    };
    write!(out, ".{rank}.{kind}")
}

/// The path of a piece.
fn piece_path(path: &CStr, rank: usize, format: Format) -> Result<CString> {
    let mut end = Bytes::new();
    write_end(&mut end, rank, format).map_err(no_memory)?;
    longer(path, end.as_slice())
}

/// A new file beside an old one; it replaces the old one when it is complete.
struct NewFile<'a> {
    path: &'a CStr,
    beside: CString,
}

impl<'a> NewFile<'a> {
    fn write(path: &'a CStr, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<Self> {
        let beside = longer(path, b".ldy-part")?;
        let shown = path.to_string_lossy();
        let mut file =
            File::create(os(&beside)).map_err(|_| fail!(Code::FileOpen, "cannot be opened: {shown}"))?;
        let new = Self { path, beside };
        match write(&mut file) {
            Ok(()) => Ok(new),
            Err(error) => new.remove().and(Err(match error.kind() {
                io::ErrorKind::FileTooLarge => too_large(error),
                _ => fail!(Code::FileWrite, "cannot be written: {shown}"),
            })),
        }
    }

    fn place(&self) -> Result {
        let shown = self.path.to_string_lossy();
        rename(&self.beside, self.path).map_err(|_| fail!(Code::FileWrite, "cannot be written: {shown}"))
    }

    fn remove(&self) -> Result {
        remove(&self.beside)
    }
}

impl ParallelSystem {
    /// Write consecutive rows of W to a file for each process, `path` with `.RANK.mtx` or `.RANK.npz`, and then the index to `path`.
    /// Collective.
    ///
    /// The index has a comment, a line with the numbers of scalar rows, columns and entries of W, and a line for each file: its first
    /// scalar row in W from 0, its numbers of scalar rows and entries, and its name, in the folder of the index.
    ///
    /// # Errors
    /// As [`ParallelSystem::write_rows`]. Old files are as they were then, unless a complete new file cannot replace an old one.
    pub fn write_pieces(&mut self, path: &CStr, format: Format) -> Result {
        let checked = self.check_made();
        self.group.begin(Call::RowsWrite, digest(path, format, true), false, &checked)?;
        let (numbers, all) = self.number_rows()?;
        let (own, skipped) = (numbers.own, numbers.before.scalars);
        let place =
            Origin { file: own, columns: all.scalars, before: Sizes::default(), skipped, is_first: true };
        let made = self.make_piece(&numbers, &place, format);
        let sizes = self.of_all([own.scalars, own.entries])?;
        let name = self.group.agree(piece_path(path, self.rank(), format))?;
        let written = made.and_then(|piece| {
            NewFile::write(&name, |file| piece.write(file, format, numbers.are_threes, &place))
        });
        let other = self.group.agree_on(&written, false);
        let placed = written.and_then(|file| if other.is_ok() { file.place() } else { file.remove() });
        other.and(self.group.agree(placed))?;
        let indexed = match self.rank() {
            0 => write_index(path, format, &sizes)
                .map_err(no_memory)
                .and_then(|index| NewFile::write(path, |file| file.write_all(index.as_slice()))?.place()),
            _ => Ok(()),
        };
        self.group.agree(indexed)
    }
}

/// `sizes`: the scalar rows and entries of each piece.
fn write_index(path: &CStr, format: Format, sizes: &[i64]) -> io::Result<Bytes> {
    let sum = |k: usize| sizes.iter().skip(k).step_by(2).sum::<i64>();
    let name = path.to_bytes().rsplit(|&byte| byte == b'/').next().unwrap_or_default();
    let mut index = Bytes::new();
    writeln!(
        index,
        "% W: rows, columns, entries; then the first row, the rows, the entries and the name of each file"
    )?;
    writeln!(index, "{} {} {}", sum(0), sum(0), sum(1))?;
    let mut first = 0;
    for (rank, [rows, entries]) in sizes.as_chunks::<2>().0.iter().enumerate() {
        write!(index, "{first} {rows} {entries} ")?;
        index.write_all(name)?;
        write_end(&mut index, rank, format)?;
        writeln!(index)?;
        first += rows;
    }
    Ok(index)
}

impl Piece {
    /// Write a file of its own.
    fn write(&self, file: &mut File, of: Format, are_threes: bool, place: &Origin) -> io::Result<()> {
        match of {
            Format::MatrixMarket => file.write_all(self.values.as_slice()),
            Format::Npz => {
                let (shapes, dimensions) = shapes(&place.file, are_threes);
                let [a, b, c] = [&self.indices, &self.starts, &self.values];
                let items: [Items; 3] =
                    [&|out| out.write_all(a.as_slice()), &|out| out.write_all(b.as_slice()), &|out| {
                        out.write_all(c.as_slice())
                    }];
                let parts = [0, 1, 2].map(|k| (&shapes[k][..dimensions[k]], items[k]));
                let shape = [place.file.scalars, place.columns].map(|count| count as usize);
                files::with_arrays(format(are_threes), shape, parts, |arrays| npz::write(file, arrays))
            }
        }
    }
}

//! NumPy's archives of arrays: a ZIP file without compression with a `.npy` file for each array, which `numpy.load` and
//! `scipy.sparse.load_npz` read. (PKWARE, APPNOTE.TXT 6.3; NumPy, NEP 1.)
//!
//! The functions use no memory of the heap: they first compute the checksum of each array, then write the array.

use std::io::{self, Write};

/// The bytes of a local header and of an entry of the directory, both without the name.
const LOCAL: usize = 30;
const ENTRY: usize = 46;

/// The largest number of arrays in an archive.
const MOST: usize = 20;

/// An array of an archive.
pub struct Array<'a> {
    /// The name, without `.npy`.
    pub name: &'a str,
    /// NumPy's name for the type of the items: `<f8`, `<i4`, `<i8`, `|S3`.
    pub kind: &'a str,
    /// The lengths of the dimensions; empty for a single item.
    pub shape: &'a [usize],
    /// Writes the items in C order, the last index fastest.
    pub items: Items<'a>,
}

/// A function that writes the items of an array.
pub type Items<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Write items given by their bytes.
pub fn write_all<const N: usize>(
    out: &mut dyn Write,
    mut items: impl Iterator<Item = [u8; N]>,
) -> io::Result<()> {
    items.try_for_each(|bytes| out.write_all(&bytes))
}

/// The checksum and the length of items that are written elsewhere.
#[derive(Clone, Default)]
pub struct Sum {
    /// The checksum.
    pub checksum: crc32fast::Hasher,
    /// The number of bytes.
    pub length: u64,
}

/// Write an archive.
///
/// # Errors
/// The errors of the writer; [`io::ErrorKind::FileTooLarge`] if an array or the archive exceeds 4 GiB, or if there are too many
/// arrays.
pub fn write(out: &mut dyn Write, arrays: &[Array]) -> io::Result<()> {
    write_around(&mut [out], arrays, []).map(|[]| ())
}

/// Write an archive without the items of some arrays, which have these ascending indices and sums. Each writer gets the bytes up to the
/// next missing items, or up to the end. Returns where the missing items begin in the archive.
///
/// # Errors
/// As [`write()`].
///
/// # Panics
/// If there is not one writer more than such arrays.
pub fn write_around<const N: usize>(
    around: &mut [&mut dyn Write],
    arrays: &[Array],
    elsewhere: [(usize, Sum); N],
) -> io::Result<[u64; N]> {
    let mut members = [ArchiveMember::default(); MOST];
    let members = members.get_mut(..arrays.len()).ok_or(io::ErrorKind::FileTooLarge)?;
    let (mut begins, mut part, mut end) = ([0; N], 0, 0);
    for (k, (array, member)) in arrays.iter().zip(&mut *members).enumerate() {
        let mut sum = Checksum(Sum::default());
        array.write(&mut sum)?;
        let Checksum(mut sum) = sum;
        let header = (LOCAL + array.name.len() + NPY.len()) as u64;
        let begin = end + header + sum.length;
        let items = elsewhere.get(part).filter(|(index, _)| *index == k);
        if let Some((_, items)) = items {
            sum.checksum.combine(&items.checksum);
            sum.length += items.length;
        }
        *member = ArchiveMember {
            checksum: sum.checksum.finalize(),
            length: limited(sum.length)?,
            offset: limited(end)?,
        };
        member.write_header(around[part], array.name, false)?;
        array.write(around[part])?;
        if items.is_some() {
            begins[part] = begin;
            part += 1;
        }
        end += header + sum.length;
    }
    write_directory(around[part], arrays, members, limited(end)?)?;
    Ok(begins)
}

/// Write the directory at the end of an archive.
fn write_directory(
    out: &mut dyn Write,
    arrays: &[Array],
    members: &[ArchiveMember],
    end: u32,
) -> io::Result<()> {
    let mut size = 0;
    for (array, member) in arrays.iter().zip(members) {
        member.write_header(out, array.name, true)?;
        size += (ENTRY + array.name.len() + NPY.len()) as u32;
    }
    let count = arrays.len() as u16;
    out.write_all(b"PK\x05\x06\0\0\0\0")?;
    [count, count].iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
    [size, end].iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
    out.write_all(&[0; 2])
}

const NPY: &str = ".npy";

fn limited(length: u64) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge.into())
}

/// The data of an archived file in its headers.
#[derive(Clone, Copy, Default)]
struct ArchiveMember {
    checksum: u32,
    length: u32,
    offset: u32,
}

impl ArchiveMember {
    /// Write the header before the file, or its entry in the directory at the end.
    fn write_header(&self, out: &mut dyn Write, name: &str, in_directory: bool) -> io::Result<()> {
        let version = 20_u16.to_le_bytes();
        // The date is always January 1, 1980, so that the same archive always has the same bytes.
        let (stored, time, date) = ([0; 2], [0; 2], 0x21_u16.to_le_bytes());
        out.write_all(if in_directory { b"PK\x01\x02\x14\0" } else { b"PK\x03\x04" })?;
        [version, [0; 2], stored, time, date].iter().try_for_each(|field| out.write_all(field))?;
        let fields = [self.checksum, self.length, self.length];
        fields.iter().try_for_each(|field| out.write_all(&field.to_le_bytes()))?;
        out.write_all(&((name.len() + NPY.len()) as u16).to_le_bytes())?;
        out.write_all(&[0; 2])?;
        if in_directory {
            out.write_all(&[0; 10])?;
            out.write_all(&self.offset.to_le_bytes())?;
        }
        write!(out, "{name}{NPY}")
    }
}

impl Array<'_> {
    /// Write the array as a `.npy` file of version 1.0.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut header = Checksum(Sum::default());
        self.write_description(&mut header)?;
        // Together with magic string, version and length, the header is a multiple of 64 bytes.
        let length = (10 + header.0.length + 1).next_multiple_of(64) - 10;
        out.write_all(b"\x93NUMPY\x01\0")?;
        out.write_all(&(length as u16).to_le_bytes())?;
        self.write_description(out)?;
        let padding = (length - 1 - header.0.length) as usize;
        writeln!(out, "{:padding$}", "")?;
        (self.items)(out)
    }

    fn write_description(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{'descr': '{}', 'fortran_order': False, 'shape': (", self.kind)?;
        self.shape.iter().try_for_each(|length| write!(out, "{length}, "))?;
        out.write_all(b"), }")
    }
}

/// A writer that computes the checksum and the length of its input.
struct Checksum(Sum);

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.checksum.update(bytes);
        self.0.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

//! NumPy's archives of arrays: a ZIP file without compression with a `.npy` file for each array, which `numpy.load` and
//! `scipy.sparse.load_npz` read. (PKWARE, APPNOTE.TXT 6.3; NumPy, NEP 1.)
//!
//! Written without memory of the heap: of each array the checksum is computed first, then it is written.

use std::io::{self, Write};

/// Bytes of a local header and of an entry of the directory, without the name, and of the end.
const LOCAL: usize = 30;
const ENTRY: usize = 46;

/// Most arrays of an archive.
const MOST: usize = 8;

/// An array of an archive.
pub struct Array<'a> {
    /// Its name, without `.npy`.
    pub name: &'a str,
    /// What NumPy calls the type of its items: `<f8`, `<i4`, `<i8`, `|S3`.
    pub kind: &'a str,
    /// Its lengths; none for a single item.
    pub shape: &'a [usize],
    /// Writes the items, the last index running fastest.
    pub items: &'a dyn Fn(&mut dyn Write) -> io::Result<()>,
}

/// Write an archive.
///
/// # Errors
/// Those of the writer; [`io::ErrorKind::FileTooLarge`] if an array or the archive does not fit into 4 GiB, or if there are
/// too many.
pub fn write(out: &mut dyn Write, arrays: &[Array]) -> io::Result<()> {
    let mut members = [ArchiveMember::default(); MOST];
    let members = members.get_mut(..arrays.len()).ok_or(io::ErrorKind::FileTooLarge)?;
    let mut end = 0;
    for (array, member) in arrays.iter().zip(&mut *members) {
        let mut sum = Checksum::default();
        array.write(&mut sum)?;
        *member = ArchiveMember {
            checksum: sum.checksum.finalize(),
            length: limited(sum.length)?,
            offset: limited(end)?,
        };
        member.write_header(out, array.name, false)?;
        array.write(out)?;
        end += (LOCAL + array.name.len() + NPY.len()) as u64 + sum.length;
    }
    let mut size = 0;
    for (array, member) in arrays.iter().zip(&*members) {
        member.write_header(out, array.name, true)?;
        size += (ENTRY + array.name.len() + NPY.len()) as u32;
    }
    let count = arrays.len() as u16;
    out.write_all(b"PK\x05\x06\0\0\0\0")?;
    [count, count].iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
    [size, limited(end)?].iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))?;
    out.write_all(&[0; 2])
}

const NPY: &str = ".npy";

fn limited(length: u64) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| io::ErrorKind::FileTooLarge.into())
}

/// What headers say of a file in the archive.
#[derive(Clone, Copy, Default)]
struct ArchiveMember {
    checksum: u32,
    length: u32,
    offset: u32,
}

impl ArchiveMember {
    /// The header before the file, or its entry in the directory at the end.
    fn write_header(&self, out: &mut dyn Write, name: &str, in_directory: bool) -> io::Result<()> {
        let version = 20_u16.to_le_bytes();
        // First of January 1980, no time: the same archive always has the same bytes.
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
    /// The array as a `.npy` file of version 1.0.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut header = Checksum::default();
        self.write_description(&mut header)?;
        // With magic string, version and length a multiple of 64.
        let length = (10 + header.length + 1).next_multiple_of(64) - 10;
        out.write_all(b"\x93NUMPY\x01\0")?;
        out.write_all(&(length as u16).to_le_bytes())?;
        self.write_description(out)?;
        let padding = (length - 1 - header.length) as usize;
        writeln!(out, "{:padding$}", "")?;
        (self.items)(out)
    }

    fn write_description(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{{'descr': '{}', 'fortran_order': False, 'shape': (", self.kind)?;
        self.shape.iter().try_for_each(|length| write!(out, "{length}, "))?;
        out.write_all(b"), }")
    }
}

/// Counts and sums up what is written to it.
#[derive(Default)]
struct Checksum {
    checksum: crc32fast::Hasher,
    length: u64,
}

impl Write for Checksum {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.checksum.update(bytes);
        self.length += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

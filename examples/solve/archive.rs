//! Arrays in NumPy archives.

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read};
use std::path::Path;

use flate2::CrcReader;
use flate2::read::DeflateDecoder;
use npyz::{Deserialize, NpyFile, Order, WriterBuilder};
use zip::{CompressionMethod, ZipArchive};

/// An open archive.
pub struct Archive(ZipArchive<File>);

impl Archive {
    /// Open an archive.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self(ZipArchive::new(File::open(path)?).map_err(io::Error::other)?))
    }

    /// Whether the archive has an array of this name.
    pub fn has(&self, name: &str) -> bool {
        self.0.index_for_name(&format!("{name}.npy")).is_some()
    }

    /// Read numbers of any type.
    pub fn numbers(&mut self, name: &str) -> io::Result<Vec<f64>> {
        let bytes = self.member(name)?;
        let wide = array::<f64>(&bytes);
        wide.or_else(|_| Ok(array::<f32>(&bytes)?.into_iter().map(f64::from).collect()))
            .or_else(|_: io::Error| Ok(integers(&bytes)?.into_iter().map(|value| value as f64).collect()))
    }

    /// Read integers of any size.
    pub fn integers(&mut self, name: &str) -> io::Result<Vec<i64>> {
        integers(&self.member(name)?)
    }

    /// Read integers that count or index.
    pub fn counts(&mut self, name: &str) -> io::Result<Vec<usize>> {
        let values = self.integers(name)?.into_iter();
        values.map(|value| usize::try_from(value).map_err(|_| wrong(name))).collect()
    }

    /// Read one number.
    pub fn number(&mut self, name: &str) -> io::Result<f64> {
        Ok(self.exactly(name, 1)?[0])
    }

    /// Read `count` numbers.
    pub fn exactly(&mut self, name: &str, count: usize) -> io::Result<Vec<f64>> {
        let values = self.numbers(name)?;
        fits(values.len() == count, name).map(|()| values)
    }

    /// Read `count` numbers; the file may hold one for all.
    pub fn spread(&mut self, name: &str, count: usize) -> io::Result<Vec<f64>> {
        let values = self.numbers(name)?;
        if values.len() == 1 {
            return Ok(vec![values[0]; count]);
        }
        fits(values.len() == count, name).map(|()| values)
    }

    /// The bytes of a member, checked with its checksum. The reader of archives cannot decompress, so it does not check it.
    fn member(&mut self, name: &str) -> io::Result<Vec<u8>> {
        let index = self.0.index_for_name(&format!("{name}.npy"));
        let index = index.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no {name}")))?;
        let file = self.0.by_index_raw(index).map_err(io::Error::other)?;
        let (size, sum) = (file.size(), file.crc32());
        let content: Box<dyn Read> = match file.compression() {
            CompressionMethod::Stored => Box::new(file),
            _ => Box::new(DeflateDecoder::new(file)),
        };
        let (mut content, mut bytes) = (CrcReader::new(content), Vec::new());
        content.read_to_end(&mut bytes)?;
        if bytes.len() as u64 != size || content.crc().sum() != sum {
            let text = format!("{name} is damaged: its checksum differs");
            return Err(io::Error::new(io::ErrorKind::InvalidData, text));
        }
        Ok(bytes)
    }
}

/// Write an array of numbers.
pub fn write(path: &Path, values: &[f64]) -> io::Result<()> {
    let file = BufWriter::new(File::create(path)?);
    let options = npyz::WriteOptions::new().default_dtype().shape(&[values.len() as u64]);
    let mut writer = options.writer(file).begin_nd()?;
    writer.extend(values)?;
    writer.finish()
}

/// An error about an array.
pub fn wrong(name: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("{name} does not fit the rest of the file"))
}

/// The error about an array, unless its values fit the rest of the file.
pub fn fits(is_so: bool, name: &str) -> io::Result<()> {
    if is_so { Ok(()) } else { Err(wrong(name)) }
}

/// Whether these are where parts of `count` values begin, and their end.
pub fn are_starts(starts: &[usize], count: usize) -> bool {
    starts.first() == Some(&0) && starts.is_sorted() && starts.last() == Some(&count)
}

/// Values in the order of C: the last index changes first.
fn array<T: Deserialize + Copy>(bytes: &[u8]) -> io::Result<Vec<T>> {
    let file = NpyFile::new(Cursor::new(bytes))?;
    let (order, shape) = (file.order(), file.shape().to_vec());
    let values = file.into_vec()?;
    Ok(if order == Order::Fortran { c_order(&values, &shape) } else { values })
}

/// Values in the order of C from values in the order of Fortran.
fn c_order<T: Copy>(values: &[T], shape: &[u64]) -> Vec<T> {
    let place = |mut number: usize| {
        let (mut place, mut stride) = (0, values.len());
        for &size in shape.iter().rev() {
            stride /= size as usize;
            place += number % size as usize * stride;
            number /= size as usize;
        }
        place
    };
    (0..values.len()).map(|number| values[place(number)]).collect()
}

fn integers(bytes: &[u8]) -> io::Result<Vec<i64>> {
    array::<i64>(bytes)
        .or_else(|_| Ok(array::<i32>(bytes)?.into_iter().map(i64::from).collect()))
        .or_else(|_: io::Error| Ok(array::<i16>(bytes)?.into_iter().map(i64::from).collect()))
        .or_else(|_: io::Error| Ok(array::<i8>(bytes)?.into_iter().map(i64::from).collect()))
}

//! Arrays in NumPy archives.

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read};
use std::path::Path;

use flate2::read::DeflateDecoder;
use npyz::{Deserialize, NpyFile, WriterBuilder};
use zip::{CompressionMethod, ZipArchive};

/// An open archive.
pub struct Archive(ZipArchive<File>);

impl Archive {
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

    /// Read one number.
    pub fn number(&mut self, name: &str) -> io::Result<f64> {
        self.numbers(name)?.first().copied().ok_or_else(|| wrong(name))
    }

    /// Read `count` numbers; the file may hold one for all.
    pub fn spread(&mut self, name: &str, count: usize) -> io::Result<Vec<f64>> {
        let values = self.numbers(name)?;
        if values.len() == 1 { Ok(vec![values[0]; count]) } else { Ok(values) }
    }

    fn member(&mut self, name: &str) -> io::Result<Vec<u8>> {
        let index = self.0.index_for_name(&format!("{name}.npy"));
        let index = index.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no {name}")))?;
        let mut file = self.0.by_index_raw(index).map_err(io::Error::other)?;
        let mut bytes = Vec::new();
        match file.compression() {
            CompressionMethod::Stored => file.read_to_end(&mut bytes)?,
            _ => DeflateDecoder::new(file).read_to_end(&mut bytes)?,
        };
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

fn array<T: Deserialize>(bytes: &[u8]) -> io::Result<Vec<T>> {
    NpyFile::new(Cursor::new(bytes))?.into_vec()
}

fn integers(bytes: &[u8]) -> io::Result<Vec<i64>> {
    let from = |error: io::Error| error;
    array::<i64>(bytes)
        .or_else(|_| Ok(array::<i32>(bytes)?.into_iter().map(i64::from).collect()))
        .or_else(|_: io::Error| Ok(array::<i16>(bytes)?.into_iter().map(i64::from).collect()))
        .or_else(|_: io::Error| Ok(array::<i8>(bytes)?.into_iter().map(i64::from).collect()))
        .map_err(from)
}

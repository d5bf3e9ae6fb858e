//! Problems in the archives of NumPy: `data`, `indices`, `indptr`, `q`, `mu`, as `scipy.sparse.bsr_matrix` has them.

use std::fs::File;
use std::io::{self, BufWriter, Cursor, Read};
use std::path::Path;

use flate2::read::DeflateDecoder;
use ldy::solve::{self, BlockRows, Law, Normal, Problem};
use npyz::{Deserialize, NpyFile, WriterBuilder};
use zip::{CompressionMethod, ZipArchive};

/// A frictional contact problem, normal component first.
pub struct Contacts {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<[f64; 9]>,
    b: Vec<[f64; 3]>,
    pub laws: Vec<Law>,
}

impl Contacts {
    pub fn read(path: &Path) -> io::Result<Self> {
        let mut archive = ZipArchive::new(File::open(path)?).map_err(io::Error::other)?;
        let starts = integers(&mut archive, "indptr")?;
        let columns = integers(&mut archive, "indices")?;
        // Blocks are stored by rows there.
        let transposed = |w: &[f64; 9]| [w[0], w[3], w[6], w[1], w[4], w[7], w[2], w[5], w[8]];
        let values = numbers(&mut archive, "data")?.as_chunks().0.iter().map(transposed).collect();
        let b = numbers(&mut archive, "q")?.as_chunks().0.to_vec();
        let laws = numbers(&mut archive, "mu")?.into_iter().map(Law::contact).collect();
        let mut contacts = Self { starts, columns, values, b, laws };
        contacts.sort()?;
        Ok(contacts)
    }

    /// Columns ascending in each row.
    fn sort(&mut self) -> io::Result<()> {
        let mut order: Vec<usize> = (0..self.columns.len()).collect();
        for range in self.starts.windows(2) {
            let range = usize::try_from(range[0]).ok().zip(usize::try_from(range[1]).ok());
            let row = range.and_then(|(from, to)| order.get_mut(from..to));
            row.ok_or(io::ErrorKind::InvalidData)?.sort_by_key(|&k| self.columns[k]);
        }
        if self.values.len() != order.len() {
            return Err(io::ErrorKind::InvalidData.into());
        }
        self.columns = order.iter().map(|&k| self.columns[k]).collect();
        self.values = order.iter().map(|&k| self.values[k]).collect();
        Ok(())
    }

    pub fn problem(&self) -> Result<Problem<'_>, solve::Error> {
        let Self { starts, columns, values, b, .. } = self;
        let w = BlockRows::new(starts, columns, values.as_flattened(), None)?;
        Ok(Problem { w, b: b.as_flattened(), normal: Normal::First })
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

fn member(archive: &mut ZipArchive<File>, name: &str) -> io::Result<Vec<u8>> {
    let index = archive.index_for_name(&format!("{name}.npy"));
    let index = index.ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no {name}")))?;
    let mut file = archive.by_index_raw(index).map_err(io::Error::other)?;
    let mut bytes = Vec::new();
    match file.compression() {
        CompressionMethod::Stored => file.read_to_end(&mut bytes)?,
        _ => DeflateDecoder::new(file).read_to_end(&mut bytes)?,
    };
    Ok(bytes)
}

fn array<T: Deserialize>(bytes: Vec<u8>) -> io::Result<Vec<T>> {
    NpyFile::new(Cursor::new(bytes))?.into_vec()
}

fn numbers(archive: &mut ZipArchive<File>, name: &str) -> io::Result<Vec<f64>> {
    array(member(archive, name)?)
}

/// Of four or eight bytes.
fn integers(archive: &mut ZipArchive<File>, name: &str) -> io::Result<Vec<i32>> {
    let bytes = member(archive, name)?;
    array::<i32>(bytes.clone()).or_else(|_| {
        let wide = array::<i64>(bytes)?;
        wide.into_iter().map(|value| i32::try_from(value).map_err(io::Error::other)).collect()
    })
}

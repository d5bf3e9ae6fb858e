//! W in a file that matrices.py compares with another.

use std::io;

/// Block-sparse rows.
pub struct Blocks<'a> {
    /// The first scalar row of each row, and the end.
    pub scalar_starts: &'a [i32],
    /// Where each row's blocks begin, and the last end.
    pub starts: &'a [i32],
    /// Column of each block.
    pub columns: &'a [i32],
    /// All blocks, each column-major.
    pub values: &'a [f64],
}

impl Blocks<'_> {
    /// Write them, values over a factor.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn write(&self, path: &str, factor: f64) -> io::Result<()> {
        let counts = [self.starts.len() as f64 - 1.0, self.columns.len() as f64];
        let places = self.scalar_starts.iter().chain(self.starts).chain(self.columns);
        let places = places.map(|&place| f64::from(place));
        let values = self.values.iter().map(|value| value / factor);
        write(path, counts.into_iter().chain(places).chain(values))
    }
}

/// Write numbers as Python reads them.
///
/// # Errors
/// If the file cannot be read.
pub fn write(path: &str, numbers: impl Iterator<Item = f64>) -> io::Result<()> {
    std::fs::write(path, numbers.flat_map(f64::to_le_bytes).collect::<Vec<u8>>())
}

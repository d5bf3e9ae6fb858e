//! The bytes of a range of rows.
#![forbid(unsafe_code)]

use std::io::{self, Write};

use crate::ffi::errors::Result;
use crate::io::matrix_market::{write_block, write_head};
use crate::io::words::Reader;
use crate::memory::push;
use crate::parallel::ghosts::malformed;
use crate::parallel::mpi::exchange::{Letters, Message, no_memory};
use crate::parallel::system::ParallelSystem;

use super::numbering::Numbers;
use super::{Format, Sizes, too_large};

/// Where the rows of a piece go.
pub struct Origin {
    /// The sizes of the file's matrix, and its columns.
    pub file: Sizes,
    pub columns: u64,
    /// The sizes of what comes before the piece in the file.
    pub before: Sizes,
    /// The scalar rows of W before those of the file.
    pub skipped: u64,
    /// Whether the piece begins the file.
    pub is_first: bool,
}

/// Bytes of arrays, or of a text in `values`.
#[derive(Debug, Default)]
pub struct Piece {
    pub indices: Bytes,
    pub starts: Bytes,
    pub values: Bytes,
}

/// Bytes in memory. If memory is exhausted, a write fails.
#[derive(Debug, Default)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.0
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }
}

impl Write for Bytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_reserve(bytes.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A block in a message: the numbers of its column and of the column's first scalar row, and its values, column by column.
struct PlacedBlock<'a> {
    column: u64,
    scalar: u64,
    values: &'a [u64],
}

/// A row in a message: its number, that of its first scalar row, and its height.
struct Row<'a> {
    number: u64,
    scalar: u64,
    height: usize,
    blocks: Vec<PlacedBlock<'a>>,
}

impl ParallelSystem {
    /// Send rows to the processes whose ranges have them, and write those of this process's range. Collective.
    pub(super) fn make_piece(&mut self, numbers: &Numbers, place: &Origin, format: Format) -> Result<Piece> {
        let messages = self.exchange(self.pack_rows(numbers))?;
        let mut rows = Vec::new();
        for message in &messages {
            read_rows(message, &mut rows)?;
        }
        rows.sort_unstable_by_key(|row| row.number);
        let mut piece = Piece::default();
        let written = match format {
            Format::MatrixMarket => {
                let shape = [place.file.scalars, place.columns].map(|count| count as usize);
                let head = match place.is_first {
                    true => write_head(&mut piece.values, shape, place.file.entries as usize),
                    false => Ok(()),
                };
                head.and_then(|()| rows.iter().try_for_each(|row| row.write_text(&mut piece.values, place)))
            }
            Format::Npz => {
                let Sizes { rows: count, scalars, blocks, entries } = place.file;
                let most = if numbers.are_threes { blocks.max(count) } else { entries.max(scalars) };
                i32::try_from(most.max(place.columns)).map_err(too_large)?;
                piece.write_rows(&rows, place, numbers.are_threes)
            }
        };
        written.map_err(no_memory)?;
        Ok(piece)
    }

    fn pack_rows(&self, numbers: &Numbers) -> Result<Letters> {
        let results = self.system.results()?;
        let mut letters = Letters::new(&self.group)?;
        for row in self.rows.own.iter().map(|&row| row as usize) {
            let words = letters.to(numbers.home(results.ids[row]));
            let [number, scalar] = numbers.rows[row];
            let head = [number, scalar, results.w.height(row) as u64, results.w.blocks(row).len() as u64];
            head.iter().try_for_each(|&word| words.put(word))?;
            for (column, block) in results.w.row(row) {
                let place = numbers.rows[column].iter().try_for_each(|&word| words.put(word));
                place.and_then(|()| words.put_list(block))?;
            }
        }
        Ok(letters)
    }
}

fn read_rows<'a>(message: &'a Message, rows: &mut Vec<Row<'a>>) -> Result {
    let mut reader = Reader(&message.words);
    while let Some(number) = reader.word() {
        let mut word = || reader.word().ok_or_else(malformed);
        let (scalar, height, count) = (word()?, word()? as usize, word()?);
        let mut blocks = Vec::new();
        for _ in 0..count {
            let mut word = || reader.word().ok_or_else(malformed);
            let (column, scalar) = (word()?, word()?);
            let values = reader.list().ok_or_else(malformed)?;
            push(&mut blocks, PlacedBlock { column, scalar, values })?;
        }
        push(rows, Row { number, scalar, height, blocks })?;
    }
    Ok(())
}

impl Row<'_> {
    fn write_text(&self, out: &mut Bytes, place: &Origin) -> io::Result<()> {
        let mut values = [0.0; 36];
        for PlacedBlock { scalar, values: words, .. } in &self.blocks {
            values.iter_mut().zip(*words).for_each(|(to, &word)| *to = f64::from_bits(word));
            let place = [(self.scalar - place.skipped) as i64 + 1, *scalar as i64 + 1];
            write_block(out, place, self.height, &values[..words.len()])?;
        }
        Ok(())
    }
}

impl Piece {
    /// Write rows as block-sparse rows of 3 × 3 blocks, or as compressed scalar rows.
    fn write_rows(&mut self, rows: &[Row], place: &Origin, are_threes: bool) -> io::Result<()> {
        let mut end = if are_threes { place.before.blocks } else { place.before.entries } as i32;
        if place.is_first {
            self.starts.write_all(&0_i32.to_le_bytes())?;
        }
        for row in rows {
            if are_threes {
                end += row.blocks.len() as i32;
                self.write_threes(row)?;
                self.starts.write_all(&end.to_le_bytes())?;
            } else {
                self.write_scalar_rows(row, &mut end)?;
            }
        }
        Ok(())
    }

    /// Write the blocks of a row, each row by row.
    fn write_threes(&mut self, row: &Row) -> io::Result<()> {
        for PlacedBlock { column, values, .. } in &row.blocks {
            self.indices.write_all(&(*column as i32).to_le_bytes())?;
            for value in (0..3).flat_map(|i| values[i..].iter().step_by(3)) {
                self.values.write_all(&value.to_le_bytes())?;
            }
        }
        Ok(())
    }

    fn write_scalar_rows(&mut self, row: &Row, end: &mut i32) -> io::Result<()> {
        for i in 0..row.height {
            for PlacedBlock { scalar, values, .. } in &row.blocks {
                for (column, value) in (*scalar as i32..).zip(values[i..].iter().step_by(row.height)) {
                    self.indices.write_all(&column.to_le_bytes())?;
                    self.values.write_all(&value.to_le_bytes())?;
                    *end += 1;
                }
            }
            self.starts.write_all(&end.to_le_bytes())?;
        }
        Ok(())
    }
}

//! MatrixMarket: W in coordinate format.

use std::io::{self, Write};

use super::PercentG;

/// Write the head of a file for a matrix of these numbers of rows and columns with `entries` entries.
///
/// # Errors
/// The errors of the writer.
pub fn write_head(out: &mut impl Write, [rows, columns]: [usize; 2], entries: usize) -> io::Result<()> {
    writeln!(out, "%%MatrixMarket matrix coordinate real general\n{rows}  {columns}  {entries}")
}

/// Write the entries of a block of `height` rows, which is column-major, row by row. Its first entry is at `[row, column]` of W, counted
/// from 1.
///
/// # Errors
/// The errors of the writer.
pub fn write_block(
    out: &mut impl Write,
    [row, column]: [i64; 2],
    height: usize,
    block: &[f64],
) -> io::Result<()> {
    for (i, row) in (0..height).zip(row..) {
        for (value, column) in block[i..].iter().step_by(height).zip(column..) {
            writeln!(out, "{row}  {column}  {}", PercentG::<15>(*value))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_go_row_by_row() {
        let mut text = Vec::new();
        write_head(&mut text, [6; 2], 27).unwrap();
        write_block(&mut text, [4, 1], 3, &[1.0, 2.0, 3.0, 0.1, -0.0, 1e-9, 7.0, 8.0, f64::NAN]).unwrap();
        let expected = "%%MatrixMarket matrix coordinate real general\n6  6  27\n\
            4  1  1\n4  2  0.1\n4  3  7\n5  1  2\n5  2  -0\n5  3  8\n6  1  3\n6  2  1e-09\n6  3  nan\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}

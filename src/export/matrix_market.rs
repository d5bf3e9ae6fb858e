//! MatrixMarket: W entry by entry, in coordinates.

use std::io::{self, Write};

use crate::block::Block;

use super::General;

/// Write the head of a file for `rows` rows of blocks with `blocks` off-diagonal ones in all.
///
/// # Errors
/// Those of the writer.
pub fn write_head(out: &mut impl Write, rows: usize, blocks: usize) -> io::Result<()> {
    let (size, entries) = (3 * rows, 9 * (rows + blocks));
    writeln!(out, "%%MatrixMarket matrix coordinate real general\n{size}  {size}  {entries}")
}

/// Write the nine entries of a block, row by row, whose first entry stands at the 1-based `row` and `column` of W.
///
/// # Errors
/// Those of the writer.
pub fn write_block(out: &mut impl Write, row: i32, column: i32, block: &Block) -> io::Result<()> {
    for i in 0..3 {
        for j in 0..3 {
            let value = General::<15>(block[(3 * j + i) as usize]);
            writeln!(out, "{}  {}  {value}", row + i, column + j)?;
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
        write_head(&mut text, 2, 1).unwrap();
        write_block(&mut text, 4, 1, &[1.0, 2.0, 3.0, 0.1, -0.0, 1e-9, 7.0, 8.0, f64::NAN]).unwrap();
        let expected = "%%MatrixMarket matrix coordinate real general\n6  6  27\n\
            4  1  1\n4  2  0.1\n4  3  7\n5  1  2\n5  2  -0\n5  3  8\n6  1  3\n6  2  1e-09\n6  3  nan\n";
        assert_eq!(String::from_utf8(text).unwrap(), expected);
    }
}

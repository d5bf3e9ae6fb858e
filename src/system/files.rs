//! W in files: summed, a block for each pair of constraints.
#![forbid(unsafe_code)]

use std::io::{self, Write};

use crate::block::transposed;
use crate::export::matrix_market::{write_block, write_head};
use crate::export::npz::{self, Array};

use super::rows::Rows;

/// Write W in MatrixMarket coordinate format, with 15 significant digits.
///
/// # Errors
/// Those of the writer; [`io::ErrorKind::FileTooLarge`] if no `i32` can number the equations.
pub fn write_matrix_market(out: &mut impl Write, rows: &Rows) -> io::Result<()> {
    let count = rows.starts.len() - 1;
    i32::try_from(3 * count).map_err(|_| io::ErrorKind::FileTooLarge)?;
    write_head(out, count, rows.values.len() - count)?;
    for (row, range) in rows.starts.windows(2).enumerate() {
        let range = range[0] as usize..range[1] as usize;
        for (&column, block) in rows.columns[range.clone()].iter().zip(&rows.values[range]) {
            write_block(out, 3 * row as i32 + 1, 3 * column + 1, block)?;
        }
    }
    Ok(())
}

/// Write W as `scipy.sparse.save_npz` writes a matrix in block-sparse rows of 3×3 blocks.
///
/// # Errors
/// Those of the writer; [`io::ErrorKind::FileTooLarge`] beyond 4 GiB.
pub fn write_npz(out: &mut dyn Write, rows: &Rows) -> io::Result<()> {
    let size = 3 * (rows.starts.len() - 1) as i64;
    let integers = |values: &[i32], out: &mut dyn Write| {
        values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
    };
    // Rows of a block lie together there.
    let blocks = |out: &mut dyn Write| {
        let mut by_rows = rows.values.iter().flat_map(transposed);
        by_rows.try_for_each(|value| out.write_all(&value.to_le_bytes()))
    };
    let array = |name, kind, shape, items| Array { name, kind, shape, items };
    npz::write(
        out,
        &[
            array("indices", "<i4", &[rows.columns.len()], &|out| integers(rows.columns, out)),
            array("indptr", "<i4", &[rows.starts.len()], &|out| integers(rows.starts, out)),
            array("format", "|S3", &[], &|out| out.write_all(b"bsr")),
            array("shape", "<i8", &[2], &|out| {
                [size, size].iter().try_for_each(|n| out.write_all(&n.to_le_bytes()))
            }),
            array("data", "<f8", &[rows.values.len(), 3, 3], &blocks),
        ],
    )
}

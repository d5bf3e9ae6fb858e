//! W in files: summed, a block for each pair of constraints.
#![forbid(unsafe_code)]

use std::io::{self, Write};

use crate::block::transposed;
use crate::direct::AnyBlockRows;
use crate::export::matrix_market::{write_block, write_head};
use crate::export::npz::{self, Array};

/// Write W in MatrixMarket coordinate format, with 15 significant digits.
///
/// # Errors
/// Those of the writer; [`io::ErrorKind::FileTooLarge`] if no `i32` can number the equations.
pub fn write_matrix_market(out: &mut impl Write, rows: &AnyBlockRows) -> io::Result<()> {
    let size = rows.scalar_count();
    i32::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge)?;
    write_head(out, size, rows.values.len())?;
    for row in 0..rows.len() {
        let own = rows.scalars(row);
        for (column, block) in rows.row(row) {
            let first = rows.scalars(column).start;
            write_block(out, [own.start as i32 + 1, first as i32 + 1], own.len(), block)?;
        }
    }
    Ok(())
}

/// Write W as `scipy.sparse.save_npz` writes a matrix: in block-sparse rows of 3×3 blocks, or in compressed rows of scalars where
/// constraints have other than three rows.
///
/// # Errors
/// Those of the writer; [`io::ErrorKind::FileTooLarge`] beyond 4 GiB.
pub fn write_npz(out: &mut dyn Write, rows: &AnyBlockRows) -> io::Result<()> {
    if rows.extents.is_some() {
        return write_csr(out, rows);
    }
    let size = rows.scalar_count() as i64;
    let integers = |values: &[i32], out: &mut dyn Write| {
        values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
    };
    // Rows of a block lie together there.
    let blocks = |out: &mut dyn Write| {
        let mut by_rows = rows.values.as_chunks().0.iter().flat_map(transposed);
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
            array("data", "<f8", &[rows.values.len() / 9, 3, 3], &blocks),
        ],
    )
}

fn write_csr(out: &mut dyn Write, rows: &AnyBlockRows) -> io::Result<()> {
    let size = rows.scalar_count() as i64;
    let entries = rows.values.len();
    i32::try_from(entries).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let each = || (0..rows.len()).flat_map(|row| (0..rows.scalars(row).len()).map(move |i| (row, i)));
    let starts = |out: &mut dyn Write| {
        let mut end = 0_i32;
        out.write_all(&end.to_le_bytes())?;
        each().try_for_each(|(row, i)| {
            end += rows.entries(row, i).count() as i32;
            out.write_all(&end.to_le_bytes())
        })
    };
    let columns = |out: &mut dyn Write| {
        let mut all = each().flat_map(|(row, i)| rows.entries(row, i));
        all.try_for_each(|(column, _)| out.write_all(&(column as i32).to_le_bytes()))
    };
    let values = |out: &mut dyn Write| {
        let mut all = each().flat_map(|(row, i)| rows.entries(row, i));
        all.try_for_each(|(_, value)| out.write_all(&value.to_le_bytes()))
    };
    let array = |name, kind, shape, items| Array { name, kind, shape, items };
    npz::write(
        out,
        &[
            array("indices", "<i4", &[entries], &columns),
            array("indptr", "<i4", &[rows.scalar_count() + 1], &starts),
            array("format", "|S3", &[], &|out| out.write_all(b"csr")),
            array("shape", "<i8", &[2], &|out| {
                [size, size].iter().try_for_each(|n| out.write_all(&n.to_le_bytes()))
            }),
            array("data", "<f8", &[entries], &values),
        ],
    )
}

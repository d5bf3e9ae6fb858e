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
    let integers = |values: &[i32], out: &mut dyn Write| {
        values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
    };
    // Rows of a block lie together there.
    let blocks = |out: &mut dyn Write| {
        let mut by_rows = rows.values.as_chunks().0.iter().flat_map(transposed);
        by_rows.try_for_each(|value| out.write_all(&value.to_le_bytes()))
    };
    let parts: [(&[usize], Items); 3] = [
        (&[rows.columns.len()], &|out| integers(rows.columns, out)),
        (&[rows.starts.len()], &|out| integers(rows.starts, out)),
        (&[rows.values.len() / 9, 3, 3], &blocks),
    ];
    write_arrays(out, b"bsr", rows.scalar_count(), parts)
}

/// Writes the items of an array.
type Items<'a> = &'a dyn Fn(&mut dyn Write) -> io::Result<()>;

/// Write a square matrix in this format: lengths and items of its columns, its starts and its values.
fn write_arrays(
    out: &mut dyn Write,
    format: &[u8],
    size: usize,
    [columns, starts, values]: [(&[usize], Items); 3],
) -> io::Result<()> {
    let array = |name, kind, (shape, items)| Array { name, kind, shape, items };
    let both = [size as i64; 2];
    npz::write(
        out,
        &[
            array("indices", "<i4", columns),
            array("indptr", "<i4", starts),
            array("format", "|S3", (&[], &|out| out.write_all(format))),
            array(
                "shape",
                "<i8",
                (&[2], &|out| both.iter().try_for_each(|n| out.write_all(&n.to_le_bytes()))),
            ),
            array("data", "<f8", values),
        ],
    )
}

fn write_csr(out: &mut dyn Write, rows: &AnyBlockRows) -> io::Result<()> {
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
    let size = rows.scalar_count();
    let parts: [(&[usize], Items); 3] =
        [(&[entries], &columns), (&[size + 1], &starts), (&[entries], &values)];
    write_arrays(out, b"csr", size, parts)
}

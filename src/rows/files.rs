//! Files of W: MatrixMarket and NumPy archives.
#![forbid(unsafe_code)]

use std::io::{self, Write};

use crate::io::matrix_market::{write_block, write_head};
use crate::io::npz::{self, Array, Items, write_all};
use crate::math::transposed;
use crate::rows::block_rows::BlockRows;

/// Write W in MatrixMarket coordinate format, with 15 significant digits.
///
/// # Errors
/// The errors of the writer; [`io::ErrorKind::FileTooLarge`] if no `i32` can number the equations.
pub fn write_matrix_market(out: &mut impl Write, rows: &BlockRows) -> io::Result<()> {
    let size = rows.scalar_count();
    i32::try_from(size).map_err(|_| io::ErrorKind::FileTooLarge)?;
    write_head(out, [size; 2], rows.values().len())?;
    for row in 0..rows.len() {
        let own = rows.scalars(row);
        for (column, block) in rows.row(row) {
            let first = rows.scalars(column).start;
            write_block(out, [own.start as i64 + 1, first as i64 + 1], own.len(), block)?;
        }
    }
    Ok(())
}

/// Write W in the format of `scipy.sparse.save_npz`: block-sparse rows of 3×3 blocks, or compressed rows of scalars if a row has
/// another number of scalar rows than three.
///
/// # Errors
/// The errors of the writer; [`io::ErrorKind::FileTooLarge`] beyond 4 GiB.
pub fn write_npz(out: &mut dyn Write, rows: &BlockRows) -> io::Result<()> {
    let Some(threes) = rows.as_threes() else { return write_csr(out, rows) };
    // The format has blocks row by row.
    let by_rows = || threes.values.iter().flat_map(transposed);
    let parts: [(&[usize], Items); 3] = [
        (&[rows.columns().len()], &|out| {
            write_all(out, rows.columns().iter().map(|value| value.to_le_bytes()))
        }),
        (&[rows.starts().len()], &|out| {
            write_all(out, rows.starts().iter().map(|value| value.to_le_bytes()))
        }),
        (&[threes.values.len(), 3, 3], &|out| write_all(out, by_rows().map(f64::to_le_bytes))),
    ];
    write_arrays(out, b"bsr", rows.scalar_count(), parts)
}

/// Write a square matrix of `size` rows, given the shapes and items of its columns, starts and values.
fn write_arrays(
    out: &mut dyn Write,
    format: &[u8],
    size: usize,
    parts: [(&[usize], Items); 3],
) -> io::Result<()> {
    with_arrays(format, [size; 2], parts, |arrays| npz::write(out, arrays))
}

/// The indices of columns, starts and values among the arrays of an archive.
#[cfg(feature = "mpi")]
pub const PARTS: [usize; 3] = [0, 1, 4];

/// Call a function with the arrays of an archive of a matrix with these numbers of rows and columns.
pub fn with_arrays<T>(
    format: &[u8],
    shape: [usize; 2],
    [columns, starts, values]: [(&[usize], Items); 3],
    work: impl FnOnce(&[Array]) -> io::Result<T>,
) -> io::Result<T> {
    let array = |name, kind, (shape, items)| Array { name, kind, shape, items };
    work(&[
        array("indices", "<i4", columns),
        array("indptr", "<i4", starts),
        array("format", "|S3", (&[], &|out| out.write_all(format))),
        array("shape", "<i8", (&[2], &|out| write_all(out, shape.iter().map(|&n| (n as i64).to_le_bytes())))),
        array("data", "<f8", values),
    ])
}

fn write_csr(out: &mut dyn Write, rows: &BlockRows) -> io::Result<()> {
    let entries = rows.values().len();
    i32::try_from(entries).map_err(|_| io::ErrorKind::FileTooLarge)?;
    let each = || (0..rows.len()).flat_map(|row| (0..rows.height(row)).map(move |i| (row, i)));
    let starts = |out: &mut dyn Write| {
        let mut end = 0_i32;
        out.write_all(&end.to_le_bytes())?;
        each().try_for_each(|(row, i)| {
            end += rows.entries(row, i).count() as i32;
            out.write_all(&end.to_le_bytes())
        })
    };
    let all = || each().flat_map(|(row, i)| rows.entries(row, i));
    let size = rows.scalar_count();
    let parts: [(&[usize], Items); 3] = [
        (&[entries], &|out| write_all(out, all().map(|(column, _)| (column as i32).to_le_bytes()))),
        (&[size + 1], &starts),
        (&[entries], &|out| write_all(out, all().map(|(_, value)| value.to_le_bytes()))),
    ];
    write_arrays(out, b"csr", size, parts)
}

//! Files of W in C; part of `include/ldy_system.h`.

use std::ffi::{c_char, c_int};

use crate::ffi::errors::invalid;
use crate::ffi::file;
use crate::rows::files;

use super::arguments::{self, entry};
use super::rows::ldy_rows;

/// A format of files: MatrixMarket coordinate format, text with 15 significant digits.
pub const LDY_FILE_FORMAT_MATRIX_MARKET: i32 = 1;
/// A format of files: NumPy archive for scipy.sparse.load_npz, all digits, at most 4 GiB. The matrix has block-sparse rows (bsr),
/// or scalar rows (csr) if a constraint has other than three rows.
pub const LDY_FILE_FORMAT_NPZ: i32 = 2;

/// Write W to a file.
///
/// - rows: for instance the results of a system. size, rows, blocks, starts, columns, values, scalar_starts and value_starts are
///   read, as ldy_system_results sets them; scalar_starts and value_starts are both NULL or both not NULL. External blocks are not
///   written.
/// - path: a C string.
/// - format: LDY_FILE_FORMAT_MATRIX_MARKET or LDY_FILE_FORMAT_NPZ.
///
/// The file is written beside an old one of this name, as .ldy-PROCESS-NUMBER, and replaces it when it is complete: after an
/// error the old file is as it was. Devices, pipes, links, files of other users, files with several names and files in a folder
/// that takes no new ones are written in place; after LDY_ERROR_FILE_WRITE they have the part that was written.
///
/// Returns 0, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be written, or
/// LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, the format is unknown, or the rows are ill-formed. The text names the row.
///
/// # Safety
/// rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; path is NULL or a C
/// string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_write(rows: *const ldy_rows, path: *const c_char, format: i32) -> c_int {
    entry!(rows: own_columns, path: string => match format {
        LDY_FILE_FORMAT_MATRIX_MARKET => file::write(path, |out| files::write_matrix_market(out, &rows))?,
        LDY_FILE_FORMAT_NPZ => file::write(path, |out| files::write_npz(out, &rows))?,
        other => return Err(invalid!("format is {other}; expected one of LDY_FILE_FORMAT_*")),
    })
}

//! Files of W in C; part of `include/ldy_system.h`.

use std::ffi::{c_char, c_int};

use crate::ffi::file;
use crate::rows::files;

use super::arguments::{self, entry};
use super::ldy_system;
use super::rows::ldy_rows;

/// Write W to a text file in MatrixMarket coordinate format, with 15 significant digits.
///
/// The file is written beside an old one of this name, as .ldy-PROCESS-NUMBER, and replaces it when it is complete: after an error
/// the old file is as it was. Devices, pipes, links, files of other users, files with several names and files in a folder that
/// takes no new ones are written in place; after LDY_ERROR_FILE_WRITE they have the part that was written.
///
/// Returns 0, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be written, or
/// LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or there was no successful update since the last change.
///
/// # Safety
/// system comes from ldy_system_create; path is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_write_matrix_market(
    system: *const ldy_system,
    path: *const c_char,
) -> c_int {
    entry!(system: shared, path: string => {
        let rows = system.results()?.w;
        file::write(path, |out| files::write_matrix_market(out, &rows))?;
    })
}

/// Write W with all digits to a file for scipy.sparse.load_npz, of at most 4 GiB. The matrix has block-sparse rows (bsr), or scalar
/// rows (csr) if a constraint has other than three rows.
///
/// Returns 0, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be written, or
/// LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or there was no successful update since the last change.
///
/// # Safety
/// system comes from ldy_system_create; path is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_write_npz(system: *const ldy_system, path: *const c_char) -> c_int {
    entry!(system: shared, path: string => {
        let rows = system.results()?.w;
        file::write(path, |out| files::write_npz(out, &rows))?;
    })
}

/// Write any W to a text file, as ldy_system_write_matrix_market does.
///
/// - rows: size, rows, blocks, starts, columns, values, scalar_starts and value_starts are read, as ldy_system_results sets them.
///   The last two are both NULL or both not NULL.
///
/// Returns 0, LDY_ERROR_FILE_OPEN, LDY_ERROR_FILE_WRITE, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or the rows are
/// ill-formed. The text names the row.
///
/// # Safety
/// rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; path is NULL or a C
/// string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_write_matrix_market(rows: *const ldy_rows, path: *const c_char) -> c_int {
    entry!(rows: block_rows, path: string => file::write(path, |out| files::write_matrix_market(out, &rows))?)
}

/// Write any W to a file for scipy.sparse.load_npz, as ldy_system_write_npz does.
///
/// - rows: as in ldy_rows_write_matrix_market.
///
/// Returns the codes of ldy_rows_write_matrix_market.
///
/// # Safety
/// The conditions of ldy_rows_write_matrix_market.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_write_npz(rows: *const ldy_rows, path: *const c_char) -> c_int {
    entry!(rows: block_rows, path: string => file::write(path, |out| files::write_npz(out, &rows))?)
}

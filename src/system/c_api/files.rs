//! Files of W as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_char, c_int};

use crate::ffi::file;
use crate::rows::files;

use super::arguments::{self, entry};
use super::ldy_system;
use super::rows::ldy_rows;

/// Write W to a text file in MatrixMarket coordinate format, 15 significant digits.
///
/// Returns 0, 2 (it cannot be opened), 4 (it cannot be written) or 52 (NULL argument, no successful update since the last
/// change).
///
/// # Safety
/// system comes from ldy_system_create; path is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_write_matrix_market(
    system: *const ldy_system,
    path: *const c_char,
) -> c_int {
    entry!(system: shared, path: string => {
        let rows = system.rows()?.w;
        file::write(path, |out| files::write_matrix_market(out, &rows))?;
    })
}

/// Write W to a file that scipy.sparse.load_npz reads: block-sparse rows, or rows of scalars where constraints have other
/// than three; all digits. At most 4 GiB.
///
/// Returns 0, 2 (it cannot be opened), 4 (it cannot be written) or 52 (NULL argument, no successful update since the last
/// change).
///
/// # Safety
/// system comes from ldy_system_create; path is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_write_npz(system: *const ldy_system, path: *const c_char) -> c_int {
    entry!(system: shared, path: string => {
        let rows = system.rows()?.w;
        file::write(path, |out| files::write_npz(out, &rows))?;
    })
}

/// As ldy_system_write_matrix_market, of any rows.
///
/// rows: its size, rows, blocks, starts, columns and values are read, and scalar_starts and value_starts, both NULL or not, as
/// ldy_system_rows tells them.
///
/// Returns what that returns, and 52 if the rows are ill-formed; the text names the row.
///
/// # Safety
/// rows is NULL or valid, with as many bytes as its size says, and arrays as long as it says; path is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_write_matrix_market(rows: *const ldy_rows, path: *const c_char) -> c_int {
    entry!(rows: block_rows, path: string => file::write(path, |out| files::write_matrix_market(out, &rows))?)
}

/// As ldy_system_write_npz, of any rows.
///
/// rows: as in ldy_rows_write_matrix_market. Returns what that returns.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_write_npz(rows: *const ldy_rows, path: *const c_char) -> c_int {
    entry!(rows: block_rows, path: string => file::write(path, |out| files::write_npz(out, &rows))?)
}

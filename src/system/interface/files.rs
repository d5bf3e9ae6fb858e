//! Files of W as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_char, c_int};
use std::fs::File;

use crate::boundary::file;
use crate::export::Buffered;
use crate::system::files;

use super::arguments::{self, entry};
use super::ldy_system;

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
    entry!(system: shared => {
        let rows = system.any_rows()?;
        let write = |out: &mut Buffered<File>| files::write_matrix_market(out, &rows);
        // SAFETY: the C program promises that the path is NULL or a C string.
        unsafe { file::write(path, write) }?;
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
    entry!(system: shared => {
        let rows = system.any_rows()?;
        let write = |out: &mut Buffered<File>| files::write_npz(out, &rows);
        // SAFETY: the C program promises that the path is NULL or a C string.
        unsafe { file::write(path, write) }?;
    })
}

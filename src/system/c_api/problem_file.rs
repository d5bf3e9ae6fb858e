//! Files of contact problems in C; part of `include/ldy_system.h`.

use std::ffi::{c_char, c_int};

use crate::ffi::file;
use crate::solve::write_problem;

use super::arguments::{self, entry, null};
use super::ldy_system;
use super::solve::{laws_of_rows, ldy_law};

/// Write the contact problem of a system to a file: W, B, laws and forces of the last update, with all digits, and Z with W = Z
/// Z^T if it is known, for steps in the space of bodies.
///
/// One file then has all that a contact solver reads, for example of a step that is hard to solve. Python reads it with
/// ldy.load_problem and `python -m ldy solve`, NumPy with numpy.load; docs/reference/file-format.md has the format. The file has at most 4 GiB,
/// and is replaced as ldy_rows_write says.
///
/// - laws: law_count laws, one for each row. NULL, with law_count 0: the laws that are kept with the constraints.
/// - R: count values, one for each scalar row: the initial guess of a solver. NULL, with count 0: none.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be
/// written, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if
/// system or path is NULL, a count is wrong, a law is not valid for its constraint, a constraint has no kept law, or a value is
/// not finite; the text names the constraint.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given; path is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_problem_write(
    system: *const ldy_system,
    laws: *const ldy_law,
    law_count: usize,
    R: *const f64,
    count: usize,
    path: *const c_char,
) -> c_int {
    entry!(system: shared, laws: optional values(law_count), R: optional values(count), path: string => {
        ensure!(laws.is_some() || law_count == 0, null("laws"));
        ensure!(R.is_some() || count == 0, null("R"));
        let problem = system.results()?.problem();
        let mut of_rows = Vec::new();
        laws_of_rows(system, laws, &mut of_rows)?;
        system.check_problem(&of_rows, R)?;
        let z = system.body_rows()?;
        file::write(path, |out| write_problem(out, &problem, &of_rows, R, z.as_ref()))?;
    })
}

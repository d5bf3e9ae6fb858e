//! Which rows of W depend on others, as C sees it; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::ffi::arguments::Out;
use crate::rows::dependent_rows;

use super::arguments::{self, entry};
use super::ldy_system;
use super::rows::ldy_rows;

/// Tell which scalar rows of W depend on earlier ones: where forces are not unique, or a constraint is redundant. W is that of the
/// last update, with compliances; since then nothing but velocities may have changed.
///
/// tolerance: the squared sine of the angle between a row of H and the span of others, in the metric of A^-1, below which it
/// depends on them; 0: 1e-10. redundant: count values, as many as there are scalar rows, ldy_rows.scalars: 1 where one depends on
/// earlier ones, else 0; a constraint is redundant as a whole if all of its own are 1. Of several rows that are at smaller angles
/// than that to each other's span, which are told is a matter of rounding; how many is not. Where a sine is near the tolerance,
/// dependence is not exact, and the last row that has a share in it is told, be that as small as 1e-5. dimension: as many as
/// depend, the dimension of the null space of W; NULL: not wanted.
///
/// Rows that are connected through bodies are taken together, dense: n^3 operations and up to 8 n^2 bytes for n scalar rows of such
/// a group.
///
/// Returns 0, 1 (no memory), 16 (W is indefinite: the text names the constraint) or 52 (NULL argument, another count, the tolerance
/// is not between 0 and 1, no such update).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_redundant(
    system: *const ldy_system,
    tolerance: f64,
    redundant: *mut c_int,
    count: usize,
    dimension: *mut c_int,
) -> c_int {
    entry!(system: shared, redundant: values_mut(count), dimension: wanted => {
        system.check_count(count)?;
        put(&system.dependent_rows(tolerance)?, redundant, dimension);
    })
}

/// As ldy_system_redundant, of any rows. W is symmetric.
///
/// rows: its size, rows, blocks, starts, columns and values are read, and scalar_starts and value_starts, both NULL or not, as
/// ldy_system_rows tells them. The rest: as there.
///
/// Returns what ldy_system_redundant returns, and 52 if the rows are ill-formed or not finite; the text names the row.
///
/// # Safety
/// rows is NULL or valid, with as many bytes as its size says, and arrays as long as it says; redundant is NULL or has count
/// values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_redundant(
    rows: *const ldy_rows,
    tolerance: f64,
    redundant: *mut c_int,
    count: usize,
    dimension: *mut c_int,
) -> c_int {
    entry!(rows: block_rows, redundant: values_mut(count), dimension: wanted => {
        check_size("redundant", rows.scalar_count(), count)?;
        put(&dependent_rows(&rows, tolerance)?, redundant, dimension);
    })
}

fn put(dependent: &[bool], redundant: &mut [c_int], dimension: Out<c_int>) {
    redundant.iter_mut().zip(dependent).for_each(|(to, flag)| *to = c_int::from(*flag));
    dimension.put(redundant.iter().sum());
}

//! Updates, rows and products of systems across processes in C; part of `include/ldy_parallel.h`.

use std::ffi::{c_char, c_int};

use crate::ffi::errors::{Code, invalid};
use crate::parallel::Format;
use crate::parallel::mpi::agreement::Call;
use crate::rows::fault::check_size;
use crate::system::c_api::arguments::{self, entry};
use crate::system::c_api::files::{LDY_FILE_FORMAT_MATRIX_MARKET, LDY_FILE_FORMAT_NPZ};
use crate::system::c_api::products::LDY_MULTIPLY_THROUGH_BODIES;

use super::collective;
use super::handles::ldy_parallel;

/// Assemble W, B and V on all processes. Collective.
///
/// States of bodies go to their ghosts, and constraints to the halos of other processes. ldy_system_results of the local system then
/// has the rows of this process and of its halo, in the order of global ids. Blocks, B and V of own rows have the bits that one process
/// computes for all bodies and constraints. The rows of the halo lack blocks and parts of bodies that this process does not have.
///
/// - h: the time step, positive, finite, and the same on all processes.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if an owner does not have a body of which there is a ghost, or the codes of ldy_system_update. All
/// processes return the same error, which names the rank where it occurred.
///
/// # Safety
/// parallel comes from ldy_parallel_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_update(parallel: *mut ldy_parallel, h: f64) -> c_int {
    collective!(parallel, Call::Update; => parallel.update(h))
}

/// Return the number of constraints of this process, without its halo; 0 if parallel is NULL.
///
/// # Safety
/// parallel comes from ldy_parallel_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_constraint_count(parallel: *const ldy_parallel) -> usize {
    // SAFETY: the C program promises a system, or NULL.
    unsafe { arguments::shared("parallel", parallel) }.map_or(0, |parallel| parallel.own_count())
}

/// Return the number of scalar rows of the constraints of this process: the length of its vectors. It is 0 if parallel is NULL or there
/// was no successful update since the last change.
///
/// # Safety
/// parallel comes from ldy_parallel_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_scalar_count(parallel: *const ldy_parallel) -> usize {
    // SAFETY: the C program promises a system, or NULL.
    unsafe { arguments::shared("parallel", parallel) }
        .and_then(|parallel| parallel.own_scalars())
        .unwrap_or_default()
}

/// Write which rows of ldy_system_results of the local system belong to this process, ascending.
///
/// - rows: where to write the indices.
/// - count: ldy_parallel_constraint_count.
///
/// Returns 0, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if an
/// argument is NULL or count is wrong.
///
/// # Safety
/// parallel comes from ldy_parallel_create; rows is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_rows(
    parallel: *const ldy_parallel,
    rows: *mut i32,
    count: usize,
) -> c_int {
    entry!(parallel: shared, rows: values_mut(count) => {
        let own = parallel.own_rows()?;
        check_size("rows", own.len(), count)?;
        rows.iter_mut().zip(own).for_each(|(to, &row)| *to = row as i32);
    })
}

/// Compute y = W x. Collective. The result has the bits that one process computes.
///
/// - x, y: a value for each scalar row of this process's constraints, in the order of their ids.
/// - count: ldy_parallel_scalar_count.
/// - flags: 0: from the blocks of W. LDY_MULTIPLY_THROUGH_BODIES: h H A^-1 H^T x (+ compliance x), body by body. The same on all
///   processes.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change, or
/// LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count or flags is wrong, or flags differ. All processes return the same error.
///
/// # Safety
/// parallel comes from ldy_parallel_create; arrays are NULL or have count values and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_multiply(
    parallel: *mut ldy_parallel,
    x: *const f64,
    y: *mut f64,
    count: usize,
    flags: i32,
) -> c_int {
    let through_bodies = || match flags & !LDY_MULTIPLY_THROUGH_BODIES {
        0 => Ok(flags != 0),
        _ => Err(invalid!("flags is {flags}")),
    };
    collective!(parallel, Call::Multiply; x: values(count), y: values_mut(count); through_bodies = through_bodies()
                => parallel.multiply(x, y, through_bodies))
}

/// Compute the sum of x_i y_i over the vectors of all processes. Collective. Products are rounded, their sum is exact until it is
/// rounded once: it has the same bits for any number of processes.
///
/// - x, y: count values of this process. They may be the same array, for the square of a norm.
/// - sum: where to write the sum, the same on all processes.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL. All processes return the same error.
///
/// # Safety
/// parallel comes from ldy_parallel_create; arrays are NULL or have count values; sum is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_dot(
    parallel: *mut ldy_parallel,
    x: *const f64,
    y: *const f64,
    count: usize,
    sum: *mut f64,
) -> c_int {
    collective!(parallel, Call::Dot; x: values(count), y: values(count), sum: place => {
        sum.put(parallel.dot(x, y)?);
        Ok::<(), Code>(())
    })
}

/// Add h A^-1 H^T R to the free velocities of all bodies, theory (50). Collective. The result has the bits that one process computes.
///
/// Ghosts that no constraint of this process acts on get their velocities in the next ldy_parallel_update or ldy_parallel_refresh.
///
/// - R: a value for each scalar row of this process's constraints, in the order of their ids.
/// - count: ldy_parallel_scalar_count.
///
/// Returns 0 or the codes of ldy_parallel_multiply; also LDY_ERROR_INVALID_ARGUMENT if a reaction or a velocity is not finite.
///
/// # Safety
/// parallel comes from ldy_parallel_create; R is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_apply_reactions(
    parallel: *mut ldy_parallel,
    R: *const f64,
    count: usize,
) -> c_int {
    collective!(parallel, Call::ApplyReactions; R: values(count) => parallel.apply_reactions(R))
}

/// A flag of ldy_parallel_rows_write: a file for each process, and an index.
pub const LDY_PARALLEL_PIECES: i32 = 256;

/// Write W of all processes to one file, or to a file for each process. Collective. The one file has the same bytes for any number of
/// processes: those that ldy_rows_write writes for the rows of one process, in the order of global ids. Each process writes a part of it,
/// by the parallel input and output of MPI, and needs memory for its part.
///
/// - path: a C string, the same on all processes, in a folder that all of them have.
/// - format: LDY_FILE_FORMAT_MATRIX_MARKET, or LDY_FILE_FORMAT_NPZ for at most 4 GiB and 2^31 - 1 entries; the same on all processes.
///   Add LDY_PARALLEL_PIECES for a file for each process, whose name is path with .RANK.mtx or .RANK.npz. Each has consecutive rows of W,
///   about as many as the others, and all columns: the files, one below the other, are W. path is then the index, a text: a line that
///   begins with %, a line with the numbers of scalar rows, columns and entries of W, and a line for each file, in the order of rows: the
///   scalar rows before it, its scalar rows, its entries, and its name in the folder of path.
///
/// A file is written beside an old one of this name, as path with .ldy-part, and replaces it when all are complete: after an error the
/// old file is as it was. The index is written last.
///
/// Returns 0, LDY_ERROR_FILE_OPEN if the file cannot be opened, LDY_ERROR_FILE_WRITE if it cannot be written, LDY_ERROR_TOO_LARGE if W
/// is too large for the format, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change,
/// LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, the format is unknown, or arguments differ. All
/// processes return the same error.
///
/// # Safety
/// parallel comes from ldy_parallel_create; path is NULL or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_rows_write(
    parallel: *mut ldy_parallel,
    path: *const c_char,
    format: i32,
) -> c_int {
    let known = || match format & !LDY_PARALLEL_PIECES {
        LDY_FILE_FORMAT_MATRIX_MARKET => Ok(Format::MatrixMarket),
        LDY_FILE_FORMAT_NPZ => Ok(Format::Npz),
        _ => Err(invalid!("format is {format}; expected one of LDY_FILE_FORMAT_*")),
    };
    collective!(parallel, Call::RowsWrite; path: string; of = known() => {
        match format & LDY_PARALLEL_PIECES {
            0 => parallel.write_rows(path, of),
            _ => parallel.write_pieces(path, of),
        }
    })
}

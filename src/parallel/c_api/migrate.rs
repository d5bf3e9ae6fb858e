//! Migration between processes and counts of messages in C; part of `include/ldy_parallel.h`.

use std::ffi::c_int;

use crate::ffi::sized::caller_sized;
use crate::parallel::Counts;
use crate::parallel::mpi::agreement::Call;
use crate::system::c_api::arguments::{self, entry};

use super::handles::ldy_parallel;
use super::{collective, with_ranks};

/// Move own bodies and own constraints to other processes. Collective; a process may move none.
///
/// A body moves with inertia, position and velocities, a constraint with compliance, tag, law and stored reaction. Processes with
/// ghosts of a body learn its new owner. Its former owner keeps a ghost if constraints of this process act on it. A process that gets
/// a constraint also gets ghosts of the bodies of this constraint. Update afterwards.
///
/// - bodies, body_ranks: body_count ids, and the process that gets each of them.
/// - constraints, constraint_ranks: constraint_count ids, and the process that gets each of them.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if a body or constraint does not belong to this process, or LDY_ERROR_INVALID_ARGUMENT if an argument
/// is NULL, a rank is no process, something is to move twice, or a body has an inverse callback. All processes return the same error,
/// and nothing has changed then. After LDY_ERROR_OUT_OF_MEMORY destroy the system.
///
/// # Safety
/// parallel comes from ldy_parallel_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_migrate(
    parallel: *mut ldy_parallel,
    bodies: *const i64,
    body_ranks: *const i32,
    body_count: usize,
    constraints: *const i64,
    constraint_ranks: *const i32,
    constraint_count: usize,
) -> c_int {
    let size = size_of::<i64>();
    collective!(parallel, Call::Migrate; bodies: ids((body_count, size, "body")), body_ranks: values(body_count),
                constraints: ids((constraint_count, size, "constraint")), constraint_ranks: values(constraint_count);
                moves = with_ranks(bodies.ids(), body_ranks), others = with_ranks(constraints.ids(), constraint_ranks)
                => parallel.migrate(&moves, &others))
}

/// Counts of a process since its system was created.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_parallel_stats {
    /// sizeof (ldy_parallel_stats), set by the caller before the call.
    pub size: usize,
    /// Messages that this process has sent to other processes; reductions are not counted.
    pub messages: u64,
    /// Bytes in these messages.
    pub bytes: u64,
    /// Number of ghosts.
    pub ghosts: u64,
    /// Number of constraints in the halo of this process at the last update.
    pub halo: u64,
    /// Number of own constraints in halos of other processes, each counted once for each of these.
    pub shared: u64,
    /// Number of processes to which constraints are sent.
    pub neighbors: u64,
    /// Number of colors of the last solution: the most messages that a constraint waits for in a sweep, one after the other, and 1. A
    /// process sends at most one message for each color and neighbor in a sweep.
    pub colors: u64,
}

caller_sized!(ldy_parallel_stats, bytes);

/// Write counts of messages, ghosts and shared constraints of this process.
///
/// - stats: where to write them; set its size.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or the size is wrong.
///
/// # Safety
/// parallel comes from ldy_parallel_create; stats is NULL or valid and has the bytes that its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_get_stats(
    parallel: *const ldy_parallel,
    stats: *mut ldy_parallel_stats,
) -> c_int {
    entry!(parallel: shared, stats: sized => {
        let Counts { messages, bytes, ghosts, halo, shared, neighbors, colors } = parallel.counts();
        let size = size_of::<ldy_parallel_stats>();
        stats.fill(&ldy_parallel_stats { size, messages, bytes, ghosts, halo, shared, neighbors, colors });
    })
}

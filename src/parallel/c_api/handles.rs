//! Systems across processes as C sees them; part of `include/ldy_parallel.h`.

use std::ffi::c_int;

use crate::ffi::errors::invalid;
use crate::ffi::handle::{self, Handle};
use crate::parallel::ParallelSystem;
use crate::system::c_api::arguments::{self, entry};
use crate::system::c_api::ldy_system;

/// A system across the processes of a communicator. One thread of each process at a time may use it.
pub struct ldy_parallel(());

impl Handle for ldy_parallel {
    type Core = ParallelSystem;
}

/// Create a system without bodies. Collective over the communicator.
///
/// - communicator: its Fortran handle, MPI_Comm_c2f (comm), so that this header needs no header of MPI. The library makes a duplicate;
///   the communicator may be freed.
/// - parallel: where to write the system. Destroy it with ldy_parallel_destroy.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if parallel is NULL, MPI is not initialized or is finalized,
/// or communicator is MPI_COMM_NULL or an intercommunicator.
///
/// # Safety
/// parallel is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_create(communicator: c_int, parallel: *mut *mut ldy_parallel) -> c_int {
    entry!(parallel: place => parallel.put(handle::made("parallel", ParallelSystem::new(communicator)?)?))
}

/// Destroy a system with all its bodies and constraints; NULL is allowed. Collective, unless MPI is finalized.
///
/// # Safety
/// parallel is NULL or comes from ldy_parallel_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_destroy(parallel: *mut ldy_parallel) {
    // SAFETY: the C program promises that the system comes from ldy_parallel_create and that it does not use it any more.
    unsafe { handle::destroy(parallel) };
}

/// Return the local system of this process, for the functions of ldy_system.h.
///
/// It has the bodies and constraints of this process, its ghosts, and its halo: the constraints of other processes on bodies that it
/// owns or that its constraints act on. All have their global ids, and rows are in the order of ids. Functions that read or set bodies
/// and constraints work as in one process: velocities, rotations, positions, laws, tags, reactions, compliances, contact frames.
/// Ghosts and halo get their values from their own processes; changes of them are overwritten. An obstacle with the id INT64_MAX may
/// stand for bodies of the halo that this process does not have: leave it there. Remove bodies with ldy_parallel_remove_bodies. Do not remove constraints of the halo, do not call ldy_system_update, and do not destroy the system.
///
/// - system: where to write it. It is valid until parallel is destroyed.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL.
///
/// # Safety
/// parallel comes from ldy_parallel_create; system is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_system(
    parallel: *mut ldy_parallel,
    system: *mut *mut ldy_system,
) -> c_int {
    entry!(parallel: exclusive, system: place => {
        system.put((&raw mut *parallel.system_mut()).cast());
    })
}

/// Choose the global ids of the bodies and constraints that the functions of ldy_system.h insert next into the local system.
///
/// The next body gets the id body, those after it the ids body + 1, body + 2 and so on; constraints likewise. No two bodies of all
/// processes may have the same id, and no two constraints. Ids that ascend from insertion to insertion cost least. If an insertion
/// meets an id that exists, it returns LDY_ERROR_OUT_OF_MEMORY.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if parallel is NULL or an id is negative or 2^63 - 1.
///
/// # Safety
/// parallel comes from ldy_parallel_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_set_next_ids(
    parallel: *mut ldy_parallel,
    body: i64,
    constraint: i64,
) -> c_int {
    entry!(parallel: exclusive => {
        let is_id = |id: i64| (0..i64::MAX).contains(&id);
        ensure!(is_id(body) && is_id(constraint), invalid!("an id is negative or too large"));
        parallel.system_mut().set_next_ids(body as u64, constraint as u64);
    })
}

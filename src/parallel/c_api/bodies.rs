//! Bodies of systems across processes in C; part of `include/ldy_parallel.h`.

use std::ffi::c_int;

use crate::ffi::errors::{Code, fail};
use crate::memory::collected;
use crate::parallel::mpi::agreement::Call;
use crate::system::c_api::arguments::{self, entry};

use super::handles::ldy_parallel;
use super::{collective, with_ranks};

/// Get ghosts, copies of bodies that other processes own. Collective; a process may ask for none.
///
/// A constraint acts on own bodies and ghosts of its process. The owner sends kinematics, inertia, position and velocities. Later
/// changes reach ghosts in ldy_parallel_update and ldy_parallel_refresh. A body with an inverse callback has no ghosts: all
/// constraints on it are on the process of its owner.
///
/// - bodies: count ids.
/// - owners: the rank of each body's owner in the communicator.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if an owner does not have the body, or LDY_ERROR_INVALID_ARGUMENT if an
/// argument is NULL, an owner is no other process, this process has the body already, the body is there twice, or it has an inverse
/// callback. All processes return the same error, and nothing has changed then.
///
/// # Safety
/// parallel comes from ldy_parallel_create; arrays are NULL or have count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_add_ghosts(
    parallel: *mut ldy_parallel,
    bodies: *const i64,
    owners: *const i32,
    count: usize,
) -> c_int {
    collective!(parallel, Call::AddGhosts; bodies: ids((count, size_of::<i64>(), "body")), owners: values(count);
                list = with_ranks(bodies.ids(), owners) => parallel.add_ghosts(&list))
}

/// Send the current states of bodies to their ghosts, for instance before contacts are found. Collective.
///
/// ldy_parallel_update does this, too.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_NOT_FOUND if an owner has removed a body of which there are ghosts. All
/// processes return the same error.
///
/// # Safety
/// parallel comes from ldy_parallel_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_refresh(parallel: *mut ldy_parallel) -> c_int {
    collective!(parallel, Call::Refresh; => parallel.refresh())
}

/// Remove bodies of this process or ghosts from this process. Constraints of other processes on them leave the halo.
///
/// - bodies: count ids. An owner removes a body after, or in the same step as, all processes with ghosts of it.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such body on this process, or
/// LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or a constraint of this process acts on a body. No body has been removed then.
///
/// # Safety
/// parallel comes from ldy_parallel_create; bodies is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_remove_bodies(
    parallel: *mut ldy_parallel,
    bodies: *const i64,
    count: usize,
) -> c_int {
    entry!(parallel: exclusive, bodies: ids((count, size_of::<i64>(), "body")) => {
        let list = collected(count, bodies.ids()).map_err(|_| fail!(Code::OutOfMemory, "bodies: out of memory"))?;
        parallel.remove_bodies(&list)?;
    })
}

//! The C interface of functions that only the build for MPI has.

use std::ffi::c_int;

use crate::ffi;
use crate::legacy::mpi::world;

/// Let the processes of another communicator than MPI_COMM_WORLD, the default, update together. Collective over it, and
/// over the one before it; to be called before the first LOCDYN_Update_Begin or between two updates.
///
/// communicator: its Fortran handle, MPI_Comm_c2f (comm), so that this header needs no header of MPI. The library makes a
/// duplicate; the communicator may be freed. The rank of an external constraint is a rank in it.
///
/// Returns 0, 1 (memory exhausted), or 52 (MPI is not initialised or is finalised, MPI_COMM_NULL, an intercommunicator, MPI
/// fails); never raises.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_set_communicator(communicator: c_int) -> c_int {
    ffi::status(|| world::set_communicator(communicator))
}

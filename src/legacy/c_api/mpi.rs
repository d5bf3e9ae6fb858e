//! The C interface of functions that only the build for MPI has.

use std::ffi::c_int;

use crate::ffi;
use crate::legacy::mpi::world;

/// Let the processes of another communicator than MPI_COMM_WORLD, the default, update together. The call is collective over it and
/// over the previous one. Call it before the first LOCDYN_Update_Begin or between two updates.
///
/// communicator: its Fortran handle, MPI_Comm_c2f (comm), so that this header needs no header of MPI. The library makes a
/// duplicate; the communicator may be freed. The rank of an external constraint is a rank in it.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if MPI is not initialized or is finalized, communicator is
/// MPI_COMM_NULL or an intercommunicator, or MPI fails. Never raises.
#[unsafe(no_mangle)]
pub extern "C" fn ldy_set_communicator(communicator: c_int) -> c_int {
    ffi::status(|| world::set_communicator(communicator))
}

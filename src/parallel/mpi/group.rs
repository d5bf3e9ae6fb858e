//! The processes of a system: a duplicate of the user's communicator.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;

use crate::ffi::errors::{Code, Result, fail};
use crate::ffi::mpi_errors::check;

use super::exchange::Traffic;

unsafe extern "C" {
    fn ldy_mpi_group_open(
        handle: c_int,
        group: *mut *mut c_void,
        rank: *mut c_int,
        size: *mut c_int,
    ) -> c_int;
    fn ldy_mpi_group_close(group: *mut c_void);
    fn ldy_mpi_group_announce(group: *mut c_void, sent: *const i64, received: *mut i64, size: c_int)
    -> c_int;
    fn ldy_mpi_group_sum(group: *mut c_void, values: *mut i64, count: c_int) -> c_int;
    fn ldy_mpi_group_max(group: *mut c_void, values: *mut i64, count: c_int) -> c_int;
    fn ldy_mpi_group_share(group: *mut c_void, bytes: *mut c_void, size: c_int, root: c_int) -> c_int;
    fn ldy_mpi_group_reserve(group: *mut c_void, requests: c_int) -> c_int;
    fn ldy_mpi_group_receive(
        group: *mut c_void,
        words: *mut u64,
        count: c_int,
        from: c_int,
        tag: c_int,
        request: c_int,
    ) -> c_int;
    fn ldy_mpi_group_send(
        group: *mut c_void,
        words: *const u64,
        count: c_int,
        to: c_int,
        tag: c_int,
        request: c_int,
    ) -> c_int;
    fn ldy_mpi_group_finish(group: *mut c_void, request: c_int) -> c_int;
    fn ldy_mpi_group_open_file(group: *mut c_void, path: *const c_char) -> c_int;
    fn ldy_mpi_group_write_file(group: *mut c_void, bytes: *const c_void, size: i64, offset: i64) -> c_int;
    fn ldy_mpi_group_close_file(group: *mut c_void) -> c_int;
}

/// The processes of a system. All functions but the accessors are collective, or belong to messages that both ends know.
#[derive(Debug)]
pub struct Group {
    handle: *mut c_void,
    rank: usize,
    size: usize,
}

// SAFETY: the handle belongs to this group alone. A program that calls from several threads has asked MPI for MPI_THREAD_SERIALIZED.
unsafe impl Send for Group {}
// SAFETY: systems call MPI only through exclusive references to themselves.
unsafe impl Sync for Group {}

impl Drop for Group {
    fn drop(&mut self) {
        // SAFETY: the handle comes from `open`, and nobody uses it any more.
        unsafe { ldy_mpi_group_close(self.handle) };
    }
}

impl Group {
    /// Duplicate the communicator with this Fortran handle.
    ///
    /// # Errors
    /// If MPI is not running, no communicator within a group has the handle, or memory is exhausted on one process.
    pub fn open(communicator: c_int) -> Result<Self> {
        let (mut handle, mut rank, mut size) = (ptr::null_mut(), 0, 0);
        // SAFETY: C writes to the three places.
        check(unsafe { ldy_mpi_group_open(communicator, &raw mut handle, &raw mut rank, &raw mut size) })?;
        Ok(Self { handle, rank: rank as usize, size: size as usize })
    }

    /// This process.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Collective: send positive numbers, each to the process of its place, and receive numbers that others send to this one. Requests
    /// are reserved. A process with empty slices sends nothing, and forgets what it receives.
    ///
    /// # Errors
    /// If MPI fails.
    ///
    /// # Panics
    /// If a slice is not empty and has not a number for each process.
    pub(super) fn announce(&self, sent: &[i64], received: &mut [i64], traffic: &mut Traffic) -> Result {
        assert!(sent.len() == received.len() && [0, self.size].contains(&sent.len()));
        if self.size == 1 {
            return Ok(());
        }
        let messages = sent.iter().filter(|&&number| number > 0).count() as u64;
        traffic.messages += messages;
        traffic.bytes += 8 * messages;
        let size = sent.len() as c_int;
        // SAFETY: both have this many numbers.
        check(unsafe { ldy_mpi_group_announce(self.handle, sent.as_ptr(), received.as_mut_ptr(), size) })
    }

    /// Replace values by their sums over all processes.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn sum(&self, values: &mut [i64]) -> Result {
        if self.size == 1 {
            return Ok(());
        }
        // SAFETY: the slice has this count, at most a few hundred.
        check(unsafe { ldy_mpi_group_sum(self.handle, values.as_mut_ptr(), values.len() as c_int) })
    }

    /// Replace values by their largest ones of all processes.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn max(&self, values: &mut [i64]) -> Result {
        if self.size == 1 {
            return Ok(());
        }
        // SAFETY: the slice has this count, at most a few hundred.
        check(unsafe { ldy_mpi_group_max(self.handle, values.as_mut_ptr(), values.len() as c_int) })
    }

    /// Send bytes of one process to all.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn share(&self, bytes: &mut [u8], root: usize) -> Result {
        let (size, root) = (bytes.len() as c_int, root as c_int);
        // SAFETY: the slice has this size.
        check(unsafe { ldy_mpi_group_share(self.handle, bytes.as_mut_ptr().cast(), size, root) })
    }

    pub(super) fn reserve(&self, requests: usize) -> Result {
        let requests = c_int::try_from(requests).map_err(|_| fail!(Code::TooLarge, "messages"))?;
        // SAFETY: the handle is valid; no request is in use, see `Flight`.
        check(unsafe { ldy_mpi_group_reserve(self.handle, requests) })
    }

    /// Begin to receive words.
    ///
    /// # Safety
    /// The words stay where they are and nobody uses them until the request is finished; the request has been reserved and is free. MPI can
    /// count the words.
    pub(super) unsafe fn receive(
        &self,
        words: &mut [u64],
        from: usize,
        tag: c_int,
        request: usize,
    ) -> Result {
        let count = words.len() as c_int;
        // SAFETY: the caller promises that the words stay.
        check(unsafe {
            ldy_mpi_group_receive(
                self.handle,
                words.as_mut_ptr(),
                count,
                from as c_int,
                tag,
                request as c_int,
            )
        })
    }

    /// Begin to send words.
    ///
    /// # Safety
    /// The words stay where they are and nobody changes them until the request is finished; the request has been reserved and is free. MPI
    /// can count the words.
    pub(super) unsafe fn send(&self, words: &[u64], to: usize, tag: c_int, request: usize) -> Result {
        let count = words.len() as c_int;
        // SAFETY: the caller promises that the words stay.
        check(unsafe {
            ldy_mpi_group_send(self.handle, words.as_ptr(), count, to as c_int, tag, request as c_int)
        })
    }

    /// Open a file for all processes, and remove what it has.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn open_file(&self, path: &CStr) -> Result {
        // SAFETY: the path is a C string.
        check(unsafe { ldy_mpi_group_open_file(self.handle, path.as_ptr()) })
    }

    /// Write bytes of this process at an offset of the open file.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn write_file(&self, bytes: &[u8], offset: u64) -> Result {
        let size = bytes.len() as i64;
        // SAFETY: the slice has this size, and a file is open.
        check(unsafe { ldy_mpi_group_write_file(self.handle, bytes.as_ptr().cast(), size, offset as i64) })
    }

    /// Close the open file.
    ///
    /// # Errors
    /// If MPI fails.
    pub fn close_file(&self) -> Result {
        // SAFETY: a file is open.
        check(unsafe { ldy_mpi_group_close_file(self.handle) })
    }

    pub(super) fn finish(&self, request: usize) -> Result {
        // SAFETY: the request has been started, see `Flight`.
        check(unsafe { ldy_mpi_group_finish(self.handle, request as c_int) })
    }
}

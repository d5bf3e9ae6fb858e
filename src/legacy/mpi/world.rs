//! The processes that update together; Rust side of `mpi/calls.c`.

use std::ffi::{CStr, c_char, c_int};
use std::{ptr, slice};

use crate::ffi::codes::LDY_REPORT_TEXT;
use crate::ffi::mpi_errors::check;
use crate::legacy::errors::{self, Code, Result, fail};
use crate::legacy::host::body_point::Role;
use crate::math::Vector;

/// The contribution of one rank to V and B of another rank's constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Record {
    /// Id of the constraint.
    pub constraint: u32,
    /// The body, as a [`Role`].
    pub role: u32,
    /// H v⁰ and H v of this body.
    pub velocities: [Vector; 2],
}

impl Record {
    /// The contribution of the body with this role.
    pub fn new(constraint: u32, role: Role, velocities: [Vector; 2]) -> Self {
        Self { constraint, role: role as u32, velocities }
    }

    /// The role of the body.
    pub fn role(&self) -> Role {
        if self.role == Role::Master as u32 { Role::Master } else { Role::Slave }
    }
}

#[repr(C)]
struct WorldData {
    rank: c_int,
    size: c_int,
    sent: *mut c_int,
    received: *mut c_int,
}

unsafe extern "C" {
    fn ldy_mpi_world(world: *mut WorldData) -> c_int;
    safe fn ldy_mpi_counts() -> c_int;
    fn ldy_mpi_exchange(out: *const Record, inbox: *mut Record) -> c_int;
    fn ldy_mpi_agree(status: *mut c_int, rank: *mut c_int) -> c_int;
    fn ldy_mpi_share(text: *mut u8, size: c_int, rank: c_int) -> c_int;
    safe fn ldy_mpi_set_communicator(handle: c_int) -> c_int;
    fn ldy_mpi_give_up(why: *const c_char);
}

/// At least two processes that update together.
pub struct World {
    data: WorldData,
}

/// In place of a count: the rank has failed.
const WITHDRAWN: c_int = -1;

impl World {
    /// The current world; `None` for a single process. Collective the first time.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if MPI fails, [`Code::OutOfMemory`].
    pub fn current() -> Result<Option<Self>> {
        let mut data = WorldData { rank: 0, size: 1, sent: ptr::null_mut(), received: ptr::null_mut() };
        // SAFETY: the structure has the layout of C's.
        check(unsafe { ldy_mpi_world(&raw mut data) })?;
        Ok((data.size > 1).then_some(Self { data }))
    }

    /// This process.
    pub fn rank(&self) -> usize {
        self.data.rank as usize
    }

    /// The number of processes.
    pub fn size(&self) -> usize {
        self.data.size as usize
    }

    /// The numbers of records for each rank.
    pub fn sent(&mut self) -> &mut [c_int] {
        // SAFETY: the array has an entry a rank and is used only through this world, until the next call of C.
        unsafe { slice::from_raw_parts_mut(self.data.sent, self.size()) }
    }

    /// The numbers of records from each rank.
    pub fn received(&self) -> &[c_int] {
        // SAFETY: the array has an entry a rank, and only C writes it, in calls that borrow this world mutably.
        unsafe { slice::from_raw_parts(self.data.received, self.size()) }
    }

    /// Collective: send the counts in [`World::sent`] and receive those in [`World::received`].
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if MPI fails, or another rank has withdrawn; in the second case with the text of that rank.
    pub fn exchange_counts(&mut self) -> Result {
        check(ldy_mpi_counts())?;
        match self.first_withdrawn() {
            Some(rank) => Err(self.failed_there(rank, Code::InvalidArgument)),
            None => Ok(()),
        }
    }

    /// Collective, in place of [`World::exchange_counts`]: report to all ranks that this one has failed. The last error of the
    /// first such rank is sent to all.
    pub fn withdraw(&mut self) {
        self.sent().fill(WITHDRAWN);
        // An error of MPI is ignored here: there is one to report already.
        if ldy_mpi_counts() == 0 {
            self.first_withdrawn().map(|rank| self.shared_text(rank));
        }
    }

    fn first_withdrawn(&self) -> Option<usize> {
        self.received().iter().position(|&count| count == WITHDRAWN)
    }

    /// Collective: the last error of the thread on rank `rank`.
    fn shared_text(&self, rank: usize) -> [u8; LDY_REPORT_TEXT] {
        let mut text = *errors::last().bytes();
        // SAFETY: the size is the length of the text. If MPI fails, only the text is wrong.
        unsafe { ldy_mpi_share(text.as_mut_ptr(), text.len() as c_int, rank as c_int) };
        text
    }

    /// Collective: the error of this rank because another rank failed.
    fn failed_there(&self, rank: usize, code: Code) -> Code {
        let text = self.shared_text(rank);
        let text = CStr::from_bytes_until_nul(&text).unwrap_or_default().to_str().unwrap_or_default();
        fail!(code, "rank {rank} failed before: {text}")
    }

    /// Exchange the records that were counted, in the order of ranks.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if MPI fails. Then messages may still be in transit to and from the arrays: the caller has to end the
    /// program with [`World::give_up`].
    pub fn exchange(&mut self, out: &[Record], inbox: &mut [Record]) -> Result {
        assert_eq!(out.len(), total(self.sent()));
        assert_eq!(inbox.len(), total(self.received()));
        // SAFETY: the arrays have the lengths that C reads and writes; a record may have any bits.
        check(unsafe { ldy_mpi_exchange(out.as_ptr(), inbox.as_mut_ptr()) })
    }

    /// Collective: agree on one result of all ranks.
    ///
    /// # Errors
    /// The same code on all ranks, the largest of their codes. The text is this rank's own if it has this code, otherwise the
    /// text of the first rank with this code. [`Code::InvalidArgument`] if MPI fails.
    pub fn agree(&self, result: Result) -> Result {
        let own = result.map_or_else(|code| code as c_int, |()| 0);
        let (mut status, mut rank) = (own, 0);
        // SAFETY: both are valid.
        check(unsafe { ldy_mpi_agree(&raw mut status, &raw mut rank) })?;
        if status == 0 {
            return Ok(());
        }
        if own == status {
            self.shared_text(rank as usize);
            return result;
        }
        let told = [Code::OutOfMemory, Code::FileOpen, Code::FileWrite];
        let code = told.into_iter().find(|&code| code as c_int == status).unwrap_or(Code::InvalidArgument);
        Err(self.failed_there(rank as usize, code))
    }

    /// End all processes, since other ranks wait. The error is this thread's last.
    pub fn give_up() {
        // SAFETY: the text is a C string, and this thread has no further error meanwhile.
        unsafe { ldy_mpi_give_up(errors::last_text()) };
    }
}

/// The sum of the counts.
pub fn total(counts: &[c_int]) -> usize {
    counts.iter().map(|&count| count as usize).sum()
}

/// Make the communicator with this Fortran handle the world; see `ldy_set_communicator`.
pub fn set_communicator(handle: c_int) -> Result {
    check(ldy_mpi_set_communicator(handle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_what_c_takes_it_for() {
        assert_eq!(size_of::<Record>(), 56);
        let record = Record::new(7, Role::Slave, [[1.0; 3], [2.0; 3]]);
        assert!(matches!(record.role(), Role::Slave));
    }
}

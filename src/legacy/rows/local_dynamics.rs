//! A local dynamics: the host's `LOCDYN`, followed by hidden data.

use std::{iter, mem};

use crate::inertia::Boxed;
use crate::legacy::errors::{Code, fail, invalid};
use crate::legacy::host::set::TreeWalker;
use crate::legacy::layout::{DIAB, DOM, LOCDYN, SET};
#[cfg(feature = "mpi")]
use crate::legacy::mpi::Exchange;
use crate::memory::bytes;

use super::attachments::Attachments;
#[cfg(feature = "mpi")]
use super::external::Externals;
use super::pair::BlockPair;
use super::pool::ChunkPool;
use super::row::{RowNode, RowStore};
use super::row_list::GatheredRow;
use super::update_stats::UpdateStats;

/// A local dynamics.
#[derive(Default)]
#[repr(C)]
pub struct LocalDynamics {
    /// The part that the host sees. Its memory pools stay empty; their chunk sizes identify structures of this library.
    pub public: LOCDYN,
    /// Memory of the rows.
    pub rows: RowStore,
    /// Memory of the blocks, each a [`BlockPair`].
    pub pairs: ChunkPool<BlockPair>,
    /// The bodies that rows are attached to.
    pub bodies: Attachments,
    /// Whether it is a clone: a copy of some rows of another one, which takes no rows and is not updated.
    pub is_clone: bool,
    /// Workspace of insertions: the neighbors of the new row.
    pub neighbors: Vec<*mut RowNode>,
    /// The revision of the options under which the last update computed everything; `None` if it failed or computed less.
    pub reusable: Option<u32>,
    /// Number of walks over constraints; see [`LocalDynamics::next_round`].
    pub round: u32,
    /// The constraints of the last update with their rows; the next update uses the memory again.
    pub gathered: Vec<GatheredRow>,
    /// Whether these are all rows, and no row has been inserted or removed since.
    pub is_gathered: bool,
    /// Walks over sets.
    pub walker: TreeWalker<SET>,
    /// Blocks to external constraints.
    #[cfg(feature = "mpi")]
    pub externals: Externals,
    /// Messages to and from other processes.
    #[cfg(feature = "mpi")]
    pub exchange: Exchange,
    /// Statistics of updates.
    pub stats: UpdateStats,
}

impl Default for LOCDYN {
    fn default() -> Self {
        // SAFETY: a LOCDYN may be all zero.
        unsafe { mem::zeroed() }
    }
}

impl LocalDynamics {
    /// Make a local dynamics over a domain, without rows.
    pub fn create(dom: *mut DOM) -> Result<Boxed<Self>, Code> {
        ensure!(!dom.is_null(), invalid!("dom is NULL"));
        let mut dynamics = Self::default();
        dynamics.public.dom = dom;
        dynamics.public.diamem.chunksize = size_of::<RowNode>();
        dynamics.public.offmem.chunksize = size_of::<BlockPair>();
        Boxed::new(dynamics).map_err(|_| fail!(Code::OutOfMemory, "no memory for a local dynamics"))
    }

    /// Whether this library made a LOCDYN.
    ///
    /// # Safety
    /// `ldy` points to a valid LOCDYN.
    pub unsafe fn is_ours(ldy: *const LOCDYN) -> bool {
        // SAFETY: the caller promises a valid LOCDYN; this reads only fields that every LOCDYN has.
        let sizes = unsafe { ((*ldy).diamem.chunksize, (*ldy).offmem.chunksize) };
        sizes == (size_of::<RowNode>(), size_of::<BlockPair>())
    }

    /// The local dynamics of a host's LOCDYN.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if it is NULL or was not made by this library.
    ///
    /// # Safety
    /// `ldy` is NULL or points to a valid LOCDYN, which nobody else uses during `'a`.
    pub unsafe fn from_public<'a>(ldy: *mut LOCDYN) -> Result<&'a mut Self, Code> {
        ensure!(!ldy.is_null(), invalid!("ldy is NULL"));
        // SAFETY: the caller promises a valid LOCDYN that nobody else uses; if this library made it, it is the first field of a
        // Self.
        unsafe {
            let why = "ldy was not made by LOCDYN_Create of this library";
            ensure!(Self::is_ours(ldy), invalid!("{why}"));
            Ok(&mut *ldy.cast())
        }
    }

    /// Bytes of workspace for insertions and updates.
    pub fn scratch_bytes(&self) -> usize {
        bytes(&self.neighbors) + bytes(&self.gathered) + self.walker.bytes()
    }

    /// The domain.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if the host has set it to NULL.
    pub fn domain(&self) -> Result<*mut DOM, Code> {
        ensure!(!self.public.dom.is_null(), invalid!("ldy->dom is NULL"));
        Ok(self.public.dom)
    }

    /// Check that this is no clone, so that rows can be inserted and updated.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if this is a clone: `con->dia` points to the original rows.
    pub fn check_is_no_clone(&self) -> Result<(), Code> {
        ensure!(!self.is_clone, invalid!("ldy is a clone: it takes no rows and is not updated"));
        Ok(())
    }

    /// Begin a walk over constraints that visits each row once: the walk writes the round to each row that it visits.
    ///
    /// # Safety
    /// Nobody uses the rows.
    pub unsafe fn next_round(&mut self) {
        self.round = self.round.wrapping_add(1);
        // New rows have round 0. When the count comes back to 0, old rows may have any round.
        if self.round == 0 {
            // SAFETY: the list holds live rows, and the caller promises that nobody uses them.
            unsafe { self.list().for_each(|row| (*row).round = 0) };
            self.round = 1;
        }
    }

    /// The rows in the order of the list.
    ///
    /// # Safety
    /// Nobody changes the list during the walk.
    pub unsafe fn list(&self) -> impl Iterator<Item = *mut RowNode> + use<> {
        let link = |dia: *mut DIAB| if dia.is_null() { None } else { Some(dia.cast::<RowNode>()) };
        // SAFETY: the list holds live rows.
        iter::successors(link(self.public.dia), move |&row| link(unsafe { (*row).public.n }))
    }
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;
    use crate::legacy::layout::{CON, CONTACT};
    use crate::legacy::rows::insert;

    #[test]
    fn rounds_are_new_to_all_rows() {
        // SAFETY: a domain and a constraint may be all zero, and outlive the module.
        unsafe {
            let mut dom: DOM = std::mem::zeroed();
            let mut cons: [CON; 2] = std::mem::zeroed();
            let mut dynamics = LocalDynamics::create(&raw mut dom).unwrap();
            cons[0].kind = CONTACT;
            cons[1].kind = CONTACT;
            let old =
                insert(&mut dynamics, &raw mut cons[0], [ptr::null_mut(); 2]).unwrap().cast::<RowNode>();
            (*old).round = 1;
            dynamics.round = u32::MAX;
            insert(&mut dynamics, &raw mut cons[1], [ptr::null_mut(); 2]).unwrap();
            dynamics.next_round();
            assert!(dynamics.list().all(|row| (*row).round != dynamics.round));
            assert_eq!(dynamics.list().count(), 2);
        }
    }
}

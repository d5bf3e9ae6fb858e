//! A row: a diagonal block, the head of the list of its off-diagonal blocks, and hidden data.

use std::collections::HashMap;
use std::ffi::c_int;
use std::mem::offset_of;
use std::{iter, ptr};

use rustc_hash::FxBuildHasher;

use crate::kinematics::finite_element::CachedLocation;
use crate::math::Vector;

use crate::legacy::display;
use crate::legacy::errors::{Code, invalid};
use crate::legacy::host::body_point::CachedLocations;
use crate::legacy::layout::{BODY, CON, DIAB, OFFB};

use super::attachments::BodySlot;
use super::pair::BlockNode;
use super::pool::{ChunkPool, Exhausted};

/// A row: a public part and hidden data. The fields that the insertion of a neighbor reads fill two cache lines, which begin
/// with the head of the row's list.
#[repr(C, align(64))]
pub struct RowNode {
    /// The part that the host sees.
    pub public: DIAB,
    /// Its slots on the bodies to which it is attached; a body occurs at most once. After [`super::sync::sync`] the master's
    /// slot is first and the slave's second.
    pub body_slots: [Option<BodySlot>; 2],
    /// These bodies; NULL if there is none.
    pub bodies: [*mut BODY; 2],
    live: u64,
    /// Id of its constraint when it was inserted, for error texts about constraints that may have been freed.
    pub id: u32,
    /// The last walk over constraints that visited it; see [`super::LocalDynamics::next_round`].
    pub round: u32,
    /// The kind of its constraint that its pairs use.
    pub kind: c_int,
    /// Whether W and its derived values are not from the last complete update, so that reuse must not keep them.
    pub is_stale: bool,
    /// Whether a neighbor has a block with it through a body to which it is not attached.
    pub is_suspect: bool,
    /// Private copy of the constraint pointer.
    pub con: *mut CON,
    /// The last block of its list; NULL if there is none.
    pub last: *mut BlockNode,
    /// The cached locations of its constraint's points if one is on a mesh; otherwise NULL.
    pub cached: CachedLocations,
    /// The bodies with which it was inserted and that were in W then. The addresses are never dereferenced.
    pub inserted: [*mut BODY; 2],
    /// V of a row in a mirror of another module: the constraints hold that module's V.
    #[cfg(not(feature = "mpi"))]
    pub v: Vector,
    /// The bodies that have contributed to V and B, one bit each.
    #[cfg(feature = "mpi")]
    pub contributors: u8,
}

/// The mark of a row in use at an address.
#[inline(always)]
fn live_at(row: *const RowNode) -> u64 {
    0x6c64_795f_726f_7721 ^ row.addr() as u64
}

impl RowNode {
    /// Number of leading bytes that updates need, unless bodies have meshes.
    pub const UPDATED: usize = offset_of!(Self, con);

    /// Initialize a chunk as the row of a constraint, not yet live and attached to no body.
    ///
    /// # Safety
    /// `row` is a chunk for a row that nobody else uses; `con` is valid.
    pub unsafe fn open(row: *mut Self, con: *mut CON) {
        // SAFETY: the caller promises a chunk that nobody else uses, and a valid constraint. A row may be all zero: then it has
        // no slots on bodies.
        unsafe {
            row.write_bytes(0, 1);
            (*row).id = (*con).id;
            (*row).con = con;
            (*row).kind = (*con).kind;
            (*row).is_stale = true;
            (*row).public.con = con;
            (*row).public.R = (&raw mut (*con).R).cast();
            (*row).public.U = (&raw mut (*con).U).cast();
            (*row).public.V = (&raw mut (*con).V).cast();
        }
    }

    /// The blocks in the order of the list.
    ///
    /// # Safety
    /// The row is live, and nobody changes its list during the walk.
    pub unsafe fn blocks(&self) -> impl Iterator<Item = *mut OFFB> + use<> {
        let link = |block: *mut OFFB| if block.is_null() { None } else { Some(block) };
        // SAFETY: blocks of live rows are live.
        iter::successors(link(self.public.adj), move |&block| link(unsafe { (*block).n }))
    }

    /// Whether the row is in use. A row copied to another address has the wrong mark.
    #[inline(always)]
    pub fn is_live(&self) -> bool {
        self.live == live_at(self)
    }

    /// Addresses of R, U and V of its constraint.
    pub fn arrays(&self) -> [*mut f64; 3] {
        let array = |offset| self.con.wrapping_byte_add(offset).cast::<f64>();
        [offset_of!(CON, R), offset_of!(CON, U), offset_of!(CON, V)].map(array)
    }

    /// Whether it points to the constraint with which it was inserted, and to the arrays of that constraint.
    pub fn is_linked(&self) -> bool {
        let DIAB { con, R, U, V, .. } = self.public;
        con == self.con && [R, U, V] == self.arrays()
    }

    /// Mark the row as in use, until its memory is released.
    pub fn set_live(&mut self) {
        self.live = live_at(self);
    }
}

/// The memory of the rows, and the lookup of rows from pointers of a host.
#[derive(Default)]
pub struct RowStore {
    /// Chunks for one [`RowNode`] each.
    pub pool: ChunkPool<RowNode>,
    /// Chunks for the cached locations of a row.
    cached: ChunkPool<[CachedLocation; 2]>,
    /// The rows of a mirror by constraint; otherwise `None`, and `con->dia` is the row.
    pub mirrored: Option<Map<*const CON, *mut RowNode>>,
}

/// A hash map with addresses as keys.
pub type Map<K, V> = HashMap<K, V, FxBuildHasher>;

impl RowStore {
    /// The pointer from a constraint to its row, unchecked: `con->dia`, or the row in a mirror; NULL if there is none.
    ///
    /// # Safety
    /// `con` is valid.
    #[inline(always)]
    pub unsafe fn dia_of(&self, con: *const CON) -> *mut DIAB {
        match &self.mirrored {
            // SAFETY: the caller promises a valid constraint.
            None => unsafe { (*con).dia },
            Some(rows) => rows.get(&con).map_or(ptr::null_mut(), |row| row.cast()),
        }
    }

    /// The destination of V of a row: its constraint, or in a mirror the row.
    pub fn v_of(&self, row: *mut RowNode, con: *mut CON) -> *mut Vector {
        #[cfg(not(feature = "mpi"))]
        if self.mirrored.is_some() {
            return row.wrapping_byte_add(offset_of!(RowNode, v)).cast();
        }
        let _ = row;
        con.wrapping_byte_add(offset_of!(CON, V)).cast()
    }

    /// The row at a host's pointer, if it is a live row of this store.
    pub fn live(&self, dia: *mut DIAB) -> Option<*mut RowNode> {
        let row = dia.cast::<RowNode>();
        // SAFETY: a chunk in use has this address, and chunks in use are rows.
        (self.pool.owns(row.addr()) && unsafe { (*row).is_live() }).then_some(row)
    }

    /// The row of a constraint, `con->dia`, if it is next to a live row in the list. This is a fast path for hosts that keep
    /// both lists in one order.
    ///
    /// # Safety
    /// `con` is valid, `row` NULL or live.
    #[inline(always)]
    pub unsafe fn next_to(row: *mut RowNode, con: *mut CON) -> Option<*mut RowNode> {
        // SAFETY: the caller promises a valid constraint, and a row that is NULL or live; the rows next to it in the list are
        // live.
        unsafe {
            let public = &row.as_ref()?.public;
            let found = (*con).dia;
            let is_beside = !found.is_null() && (found == public.n || found == public.p);
            (is_beside && (*found).con == con).then_some(found.cast())
        }
    }

    /// Allocate the cached locations of a row, unless it has them.
    ///
    /// # Safety
    /// The row is live, or soon will be.
    pub unsafe fn reserve_cache(&mut self, row: *mut RowNode) -> Result<(), Exhausted> {
        // SAFETY: the caller promises a row that is live, or soon will be; the chunk belongs to the row from now on.
        unsafe {
            if (*row).cached.is_null() {
                self.cached.reserve(1)?;
                (*row).cached = self.cached.take();
                (*row).cached.write(Default::default());
            }
        }
        Ok(())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.pool.bytes() + self.cached.bytes()
    }

    /// The row of a constraint in the set of a body, during a walk over the set.
    ///
    /// # Errors
    /// As [`RowStore::of`]; [`Code::InvalidArgument`] if this walk has visited it before.
    ///
    /// # Safety
    /// As [`RowStore::of`]; `body` is valid.
    #[inline(always)]
    pub unsafe fn visit_on(
        &self,
        body: *const BODY,
        con: *mut CON,
        round: u32,
    ) -> Result<*mut RowNode, Code> {
        // SAFETY: the caller promises a valid constraint and a valid body; the row found is live.
        unsafe {
            let row = self.of(con)?;
            if (*row).round == round {
                let (name, id) = (display::constraint(con), (*body).id);
                return Err(invalid!("{name}: comes twice in the set of body {id}"));
            }
            (*row).round = round;
            Ok(row)
        }
    }

    /// Release the memory of a row.
    ///
    /// # Safety
    /// It was taken from this store, and nobody uses it any more.
    pub unsafe fn release(&mut self, row: *mut RowNode) {
        // SAFETY: the caller promises a row of this store that nobody uses any more. Its memory becomes zero, so that a later
        // check can detect writes to it.
        unsafe {
            if !(*row).cached.is_null() {
                self.cached.release((*row).cached);
            }
            row.write_bytes(0, 1);
            self.pool.release(row);
        }
    }

    /// Whether `con->dia` is a live row of this store, of this constraint.
    ///
    /// # Safety
    /// `con` is valid.
    pub unsafe fn has(&self, con: *mut CON) -> bool {
        // SAFETY: the caller promises a valid constraint; the row found is live.
        unsafe { self.live(self.dia_of(con)).is_some_and(|row| (*row).public.con == con) }
    }

    /// The row of a constraint, `con->dia`.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if it is NULL, or no live row of this store and of this constraint.
    ///
    /// # Safety
    /// `con` is valid, its bodies are NULL or valid.
    #[inline(always)]
    pub unsafe fn of(&self, con: *mut CON) -> Result<*mut RowNode, Code> {
        // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid. The address is aligned and
        // followed by the size of a row in the pool's memory, where all chunks are rows or zero.
        unsafe {
            let row = self.dia_of(con).cast::<RowNode>();
            let is_its = self.pool.spans(row.addr())
                && row.is_aligned()
                && (*row).is_live()
                && (*row).public.con == con;
            if is_its { Ok(row) } else { Err(wrong_row(con, row)) }
        }
    }
}

/// The error of a constraint whose `dia` is not its row.
///
/// # Safety
/// As [`RowStore::of`].
#[cold]
unsafe fn wrong_row(con: *const CON, row: *const RowNode) -> Code {
    let what = if row.is_null() { "no row" } else { "dia is not its row in this ldy" };
    // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid.
    invalid!("{}: {what}", unsafe { display::constraint(con) })
}

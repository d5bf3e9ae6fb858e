//! A row: a diagonal block, the head of the list of its off-diagonal blocks, and hidden data.

use std::collections::HashMap;
use std::ffi::c_int;
use std::mem::offset_of;
use std::{iter, ptr};

use rustc_hash::FxBuildHasher;

use crate::kinematics::finite_element::CachedLocation;
use crate::math::Vector;

use crate::legacy::display;
use crate::legacy::errors::{Code, fail};
use crate::legacy::host::body_point::CachedLocations;
use crate::legacy::layout::{BODY, CON, DIAB, OFFB};

use super::attachments::BodySlot;
use super::pair::BlockNode;
use super::pool::{ChunkPool, Exhausted};

/// A row with the hidden data behind what the host sees. What the insertion of a neighbour reads lies in two cache lines, which
/// begin with the head of its list.
#[repr(C, align(64))]
pub struct RowNode {
    /// What the host sees.
    pub public: DIAB,
    /// The bodies that it is attached to; a body stands at most once. Once the row has followed its constraint
    /// ([`super::sync::sync`]), the master's side comes first and the slave's second.
    pub body_slots: [Option<BodySlot>; 2],
    /// These bodies, NULL where there is none.
    pub bodies: [*mut BODY; 2],
    live: u64,
    /// Id of its constraint when it was inserted, for texts about constraints that may be gone.
    pub id: u32,
    /// The walk over constraints that came to it last; see [`super::LocalDynamics::next_round`].
    pub round: u32,
    /// The kind of its constraint that its pairs know.
    pub kind: c_int,
    /// Whether W and what is made of it are not those of the last complete update, so that reuse must not keep them.
    pub is_stale: bool,
    /// Whether a neighbour has a block with it through a body that it is not attached to.
    pub is_suspect: bool,
    /// Its constraint once more, out of the host's reach.
    pub con: *mut CON,
    /// The last block of its list, NULL if there is none.
    pub last: *mut BlockNode,
    /// What is known of its constraint's places, where one is on a mesh; else NULL.
    pub cached: CachedLocations,
    /// The bodies that it was inserted on and that W counted then; addresses that are never read.
    pub inserted: [*mut BODY; 2],
    /// V of a row that mirrors another module's: constraints have that module's.
    #[cfg(not(feature = "mpi"))]
    pub v: Vector,
    /// Which of its bodies have made their parts of V and B, a bit each.
    #[cfg(feature = "mpi")]
    pub contributors: u8,
}

/// What marks a row in use at an address.
#[inline(always)]
fn live_at(row: *const RowNode) -> u64 {
    0x6c64_795f_726f_7721 ^ row.addr() as u64
}

impl RowNode {
    /// Bytes from the beginning that updates need, unless bodies are meshes.
    pub const UPDATED: usize = offset_of!(Self, con);

    /// Make a fresh chunk the row of a constraint, not yet live, attached to no body.
    ///
    /// # Safety
    /// `row` is a chunk for a row, and held by nobody else; `con` is valid.
    pub unsafe fn open(row: *mut Self, con: *mut CON) {
        // SAFETY: the caller promises a chunk that nobody else holds, and a valid constraint. A row may be
        // all zero, which has no sides.
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

    /// Whether the row is in use: that of no other address, and nothing else in a row, looks so.
    #[inline(always)]
    pub fn is_live(&self) -> bool {
        self.live == live_at(self)
    }

    /// Where R, U and V of its constraint are.
    pub fn arrays(&self) -> [*mut f64; 3] {
        let array = |offset| self.con.wrapping_byte_add(offset).cast::<f64>();
        [offset_of!(CON, R), offset_of!(CON, U), offset_of!(CON, V)].map(array)
    }

    /// Whether it leads to the constraint that it was inserted with, and to that one's arrays.
    pub fn is_linked(&self) -> bool {
        let DIAB { con, R, U, V, .. } = self.public;
        con == self.con && [R, U, V] == self.arrays()
    }

    /// Mark the row as in use, until its memory is given back.
    pub fn set_live(&mut self) {
        self.live = live_at(self);
    }
}

/// The memory of the rows, and the way from what a host passes to a row.
#[derive(Default)]
pub struct RowStore {
    /// Chunks for a [`RowNode`] each.
    pub pool: ChunkPool<RowNode>,
    /// Chunks for what is known of the places of a row.
    cached: ChunkPool<[CachedLocation; 2]>,
    /// The rows of a mirror by constraint; else these lead to their rows themselves.
    pub mirrored: Option<Map<*const CON, *mut RowNode>>,
}

/// A map from addresses.
pub type Map<K, V> = HashMap<K, V, FxBuildHasher>;

impl RowStore {
    /// What a constraint has for its row: `con->dia`, or its row in a mirror; NULL if it has none.
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

    /// Where V of a row goes: into its constraint, but in a mirror.
    pub fn v_of(&self, row: *mut RowNode, con: *mut CON) -> *mut Vector {
        #[cfg(not(feature = "mpi"))]
        if self.mirrored.is_some() {
            return row.wrapping_byte_add(offset_of!(RowNode, v)).cast();
        }
        let _ = row;
        con.wrapping_byte_add(offset_of!(CON, V)).cast()
    }

    /// The row behind what a host passes, if it is a live one from here.
    pub fn live(&self, dia: *mut DIAB) -> Option<*mut RowNode> {
        let row = dia.cast::<RowNode>();
        // SAFETY: the address is that of a chunk in use, and those are rows.
        (self.pool.owns(row.addr()) && unsafe { (*row).is_live() }).then_some(row)
    }

    /// The row of a constraint, `con->dia`, if it is next to a live row in the list: in hosts that keep both lists in
    /// one order, a quick way for most constraints.
    ///
    /// # Safety
    /// `con` is valid, `row` NULL or live.
    #[inline(always)]
    pub unsafe fn next_to(row: *mut RowNode, con: *mut CON) -> Option<*mut RowNode> {
        // SAFETY: the caller promises a valid constraint, and a row that is NULL or live; its neighbours in
        // the list are live.
        unsafe {
            let public = &row.as_ref()?.public;
            let found = (*con).dia;
            let is_beside = !found.is_null() && (found == public.n || found == public.p);
            (is_beside && (*found).con == con).then_some(found.cast())
        }
    }

    /// Make sure that there is room for what is known of the places of a row.
    ///
    /// # Safety
    /// The row is live, or soon will be.
    pub unsafe fn reserve_cache(&mut self, row: *mut RowNode) -> Result<(), Exhausted> {
        // SAFETY: the caller promises a row that is live, or soon will be; the chunk is the row's from now on.
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

    /// The row of a constraint in the set of a body, in a walk over the set.
    ///
    /// # Errors
    /// As [`RowStore::of`]; [`Code::BugFound`] if this walk has come to it before.
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
                return Err(fail!(Code::BugFound, "{name}: comes twice in the set of body {id}"));
            }
            (*row).round = round;
            Ok(row)
        }
    }

    /// Give the memory of a row back.
    ///
    /// # Safety
    /// It was taken from here, and nobody uses it any more.
    pub unsafe fn release(&mut self, row: *mut RowNode) {
        // SAFETY: the caller promises a row taken from here that nobody uses any more. Its memory becomes
        // zero, so that a later check can tell whether somebody has written to it.
        unsafe {
            if !(*row).cached.is_null() {
                self.cached.release((*row).cached);
            }
            row.write_bytes(0, 1);
            self.pool.release(row);
        }
    }

    /// Whether `con->dia` is a live row of the constraint from here.
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
    /// [`Code::BugFound`] if there is none, or one that is no live row of this constraint from here.
    ///
    /// # Safety
    /// `con` is valid, its bodies are NULL or valid.
    #[inline(always)]
    pub unsafe fn of(&self, con: *mut CON) -> Result<*mut RowNode, Code> {
        // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid; the address is aligned and has
        // the size of a row behind it in memory of the pool where all chunks are rows or zero.
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

/// The error of a constraint whose row is not what it has for one.
///
/// # Safety
/// As [`RowStore::of`].
#[cold]
unsafe fn wrong_row(con: *const CON, row: *const RowNode) -> Code {
    let what = if row.is_null() { "no row" } else { "dia is not its row in this ldy" };
    // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid.
    fail!(Code::BugFound, "{}: {what}", unsafe { display::constraint(con) })
}

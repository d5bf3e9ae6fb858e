//! A pair of blocks: W_αβ in row α and W_βα in row β, adjacent in memory.

use crate::assembly::pairs::Coupling;
use crate::legacy::layout::{BODY, CONTACT, OFFB};

use super::attachments::BodySlot;
use super::row::RowNode;
use super::sync::slot_on;

/// One of the two blocks: a public part and hidden data.
#[repr(C)]
pub struct BlockNode {
    /// The part that the host sees.
    pub public: OFFB,
    /// The previous block in its row; NULL for the first one.
    pub previous: *mut BlockNode,
    /// Slot of the block's row in the body's panel.
    pub slot: u32,
    flags: PairFlags,
}

impl BlockNode {
    /// Index of the body that couples the two rows.
    pub fn body(&self) -> Option<u32> {
        let body = self.flags.body();
        (body != PairFlags::UNCOUPLED).then_some(body)
    }

    /// Put a block at the head of its row's list.
    ///
    /// # Safety
    /// The block's pair was filled and the block is not linked; its row, `row`, is live with its blocks.
    #[inline(always)]
    pub unsafe fn put_first(node: *mut Self, row: *mut RowNode) {
        // SAFETY: the caller promises a block of a filled pair that is not linked, and a live row with live blocks.
        unsafe {
            Self::put_ahead((*row).public.adj.cast(), node, row);
            (*row).public.adj = node.cast();
        }
    }

    /// Link a block before `head`, the first block of its row or NULL, without making it the head of the list.
    ///
    /// # Safety
    /// As [`BlockNode::put_first`].
    #[inline(always)]
    pub unsafe fn put_ahead(head: *mut Self, node: *mut Self, row: *mut RowNode) {
        // SAFETY: as there.
        unsafe {
            (*node).public.n = head.cast();
            match head.as_mut() {
                Some(next) => next.previous = node,
                None => (*row).last = node,
            }
        }
    }

    /// Whether the flags of the two blocks of a live pair agree.
    pub fn flags_agree(first: &Self, second: &Self) -> bool {
        let without_contacts = [first, second].map(|node| node.flags.0 & !PairFlags::CONTACT);
        without_contacts[1] == without_contacts[0] | PairFlags::SECOND
            && without_contacts[0] & PairFlags::SECOND == 0
    }
}

/// The two blocks of a pair. The first block belongs to the constraint with the smaller id, so that only ids decide which block
/// is computed and which is its transpose.
#[repr(C)]
pub struct BlockPair {
    nodes: [BlockNode; 2],
}

// SAFETY: only pointers to bodies, rows and blocks prevent an automatic Send. No safe function dereferences such a pointer: a
// function that does promises that no other thread writes its target.
unsafe impl Send for BlockPair {}

/// Flags of a block: whether it is the second block, whether its row is a contact, whether the same two rows have an earlier
/// pair through the same body in their lists; and the body's index. No pair has zero.
#[derive(Clone, Copy)]
struct PairFlags(u32);

impl PairFlags {
    const SECOND: u32 = 1;
    const CONTACT: u32 = 2;
    const REPEATED: u32 = 4;
    const LIVE: u32 = 8;
    const BODY_SHIFT: u32 = 4;
    /// No body couples the two: H of one of them is zero.
    const UNCOUPLED: u32 = u32::MAX >> Self::BODY_SHIFT;

    fn of_body(body: u32) -> u32 {
        body << Self::BODY_SHIFT
    }

    fn body(self) -> u32 {
        self.0 >> Self::BODY_SHIFT
    }
}

/// `flag` if `is_set`, otherwise 0, without a branch.
#[inline(always)]
fn flag(flag: u32, is_set: bool) -> u32 {
    flag * u32::from(is_set)
}

/// The data of a pair about one of its rows.
#[derive(Clone, Copy)]
pub struct PairEnd {
    row: *mut RowNode,
    slot: u32,
    /// The body's index and whether the row is a contact, as flags.
    body: u32,
    contact: u32,
}

impl PairEnd {
    /// The data for pairs of a row through a body.
    ///
    /// # Safety
    /// `row` has been opened.
    #[inline(always)]
    pub unsafe fn of(row: *mut RowNode, bod: *mut BODY) -> Self {
        // SAFETY: the caller promises a row.
        let (body_slot, is_contact) = unsafe { (slot_on(row, bod), (*row).kind == CONTACT) };
        let body = body_slot.map_or(PairFlags::UNCOUPLED, BodySlot::body);
        let slot = body_slot.map_or(0, |body_slot| body_slot.slot);
        Self { row, slot, body: PairFlags::of_body(body), contact: flag(PairFlags::CONTACT, is_contact) }
    }

    /// Whether the row is not attached to the body.
    #[inline(always)]
    pub fn is_detached(self) -> bool {
        PairFlags(self.body).body() == PairFlags::UNCOUPLED
    }
}

/// The largest number of bodies that a pair can distinguish.
pub const MOST_BODIES: usize = PairFlags::UNCOUPLED as usize;

impl BlockPair {
    /// Fill a fresh pair of blocks between two rows through a body, without linking it. `repeated`: the two rows have, or will
    /// have, an earlier pair through this body in their lists. `first`: the index in `ends` of the row with the pair's first
    /// block. Returns the blocks in the order of `ends`.
    ///
    /// # Safety
    /// `pair` is a chunk for a pair that nobody else uses; the rows have been opened.
    #[inline(always)]
    pub unsafe fn fill(
        pair: *mut Self,
        bod: *mut BODY,
        ends: [PairEnd; 2],
        first: usize,
        repeated: bool,
    ) -> [*mut BlockNode; 2] {
        // SAFETY: the caller promises a chunk for a pair that nobody else uses, and two blocks may be all zero.
        unsafe {
            pair.write_bytes(0, 1);
            let start = pair.cast::<BlockNode>();
            let nodes = [start.add(first & 1), start.add(!first & 1)];
            for k in 0..2 {
                (*nodes[k]).public.dia = ends[1 - k].row.cast();
                (*nodes[k]).public.bod = bod;
            }
            Self::tag(nodes, ends, first, repeated);
            nodes
        }
    }

    /// Write the body and slots that couple the two rows, and which rows are contacts. Arguments as in [`BlockPair::fill`].
    ///
    /// # Safety
    /// The blocks form a pair.
    #[inline(always)]
    unsafe fn tag(nodes: [*mut BlockNode; 2], ends: [PairEnd; 2], first: usize, repeated: bool) {
        // Both rows are attached to one body, or the index is UNCOUPLED.
        let of_both = ends[0].body | ends[1].body | PairFlags::LIVE | flag(PairFlags::REPEATED, repeated);
        for k in 0..2 {
            let flags = of_both | ends[k].contact | (PairFlags::SECOND * (first ^ k) as u32);
            // SAFETY: the caller promises blocks.
            unsafe { ((*nodes[k]).slot, (*nodes[k]).flags) = (ends[k].slot, PairFlags(flags)) };
        }
    }

    /// Look up the body and slots that couple the two rows, and which rows are contacts; `repeated` as in [`BlockPair::fill`].
    ///
    /// # Safety
    /// `pair` has been filled, and its rows have been opened.
    #[inline(always)]
    pub unsafe fn couple(pair: *mut Self, repeated: bool) {
        // SAFETY: the caller promises a pair and rows.
        unsafe {
            let nodes = Self::nodes(pair);
            let ends = Self::rows(pair).map(|row| PairEnd::of(row, (*nodes[0]).public.bod));
            Self::tag(nodes, ends, 0, repeated);
        }
    }

    /// Unlink the partner of a block from its row, and return the pair. The block itself stays in its row, which the caller
    /// removes.
    ///
    /// # Safety
    /// The block's pair is linked; the partner's row is live with its blocks.
    #[inline]
    pub unsafe fn unlink_partner(block: *mut BlockNode) -> *mut Self {
        // SAFETY: the caller promises a block of a linked pair, and that the partner's row is live with its blocks.
        unsafe {
            let pair = Self::of(block.cast());
            let [first, second] = Self::nodes(pair);
            let partner = if block == first { second } else { first };
            let (previous, next) = ((*partner).previous, (*partner).public.n.cast::<BlockNode>());
            let row = (*block).public.dia.cast::<RowNode>();
            match previous.is_null() {
                true => (*row).public.adj = next.cast(),
                false => (*previous).public.n = next.cast(),
            }
            match next.is_null() {
                true => (*row).last = previous,
                false => (*next).previous = previous,
            }
            pair
        }
    }

    /// The pair that a block belongs to.
    ///
    /// # Safety
    /// `block` is a block of a live pair.
    pub unsafe fn of(block: *mut OFFB) -> *mut Self {
        let node = block.cast::<BlockNode>();
        // SAFETY: the caller promises a block of a live pair, in which the second block follows the first.
        unsafe { if (*node).flags.0 & PairFlags::SECOND != 0 { node.sub(1).cast() } else { node.cast() } }
    }

    /// The rows of the first and the second block.
    ///
    /// # Safety
    /// `pair` is live.
    pub unsafe fn rows(pair: *mut Self) -> [*mut RowNode; 2] {
        // SAFETY: the caller promises a live pair.
        unsafe {
            let [first, second] = Self::nodes(pair);
            [(*second).public.dia.cast(), (*first).public.dia.cast()]
        }
    }

    /// The block of `pair` at the position that `block` has in its own pair.
    ///
    /// # Safety
    /// `pair` is a chunk for a pair, `block` a block of a live pair.
    pub unsafe fn counterpart(pair: *mut Self, block: *mut OFFB) -> *mut BlockNode {
        // SAFETY: the caller promises a chunk for a pair, and a block of a live pair.
        unsafe {
            let is_second = block != Self::of(block).cast();
            Self::nodes(pair)[usize::from(is_second)]
        }
    }

    /// Whether the pair is in use.
    pub fn is_live(&self) -> bool {
        self.nodes[0].flags.0 & PairFlags::LIVE != 0
    }

    /// The first block and the second.
    pub fn both(&self) -> [&BlockNode; 2] {
        self.nodes.each_ref()
    }

    /// Whether the two rows have an earlier pair through the same body in their lists. This is so if one of them was inserted
    /// with the body on both sides (self-contact).
    pub fn is_repeated(&self) -> bool {
        self.nodes[0].flags.0 & PairFlags::REPEATED != 0
    }

    /// Whether both rows are contacts.
    pub fn is_of_contacts(&self) -> bool {
        self.nodes.iter().all(|node| node.flags.0 & PairFlags::CONTACT != 0)
    }

    /// The body that couples the two rows, and their slots.
    #[inline(always)]
    pub fn coupling(&self) -> Option<Coupling> {
        let [first, second] = self.both();
        first.body().map(|body| Coupling {
            body: body as usize,
            row: first.slot as usize,
            column: second.slot as usize,
        })
    }

    /// The two blocks, each with whether its row is a contact.
    #[inline(always)]
    pub fn blocks(&mut self) -> [(&mut [f64; 9], bool); 2] {
        let [first, second] = &mut self.nodes;
        let is_contact = |node: &BlockNode| node.flags.0 & PairFlags::CONTACT != 0;
        let contacts = [is_contact(first), is_contact(second)];
        [(&mut first.public.W, contacts[0]), (&mut second.public.W, contacts[1])]
    }

    /// # Safety
    /// `pair` is a chunk for a pair.
    unsafe fn nodes(pair: *mut Self) -> [*mut BlockNode; 2] {
        // SAFETY: the caller promises a chunk for a pair, which consists of two blocks.
        unsafe { [pair.cast(), pair.cast::<BlockNode>().add(1)] }
    }
}

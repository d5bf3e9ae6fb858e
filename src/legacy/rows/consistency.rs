//! Check that everything is linked as insertions and removals left it.
//!
//! No pointer is dereferenced before it is known to point to one of our rows or blocks. Bodies and constraints are not read:
//! the host may have damaged pointers and freed bodies and constraints.

use std::fmt;

use crate::legacy::errors::{Code, invalid};
use crate::legacy::layout::{DIAB, OFFB};

use super::attachments::BodySlot;
use super::local_dynamics::LocalDynamics;
use super::pair::{BlockNode, BlockPair};
use super::row::RowNode;

/// Ids of the object under inspection.
#[derive(Clone, Copy, Default, Debug, PartialEq, Eq)]
pub struct SubjectIds {
    /// The constraint of a row.
    pub constraint: Option<u32>,
    /// The constraint to which a block of this row leads.
    pub neighbor: Option<u32>,
    /// A body that rows are attached to.
    pub body: Option<u32>,
}

impl fmt::Display for SubjectIds {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match (self.constraint, self.neighbor, self.body) {
            (Some(id), None, _) => write!(f, "constraint {id}: "),
            (Some(id), Some(neighbor), _) => write!(f, "constraint {id}, block to constraint {neighbor}: "),
            (None, _, Some(id)) => write!(f, "body {id}: "),
            (None, ..) => Ok(()),
        }
    }
}

/// Check everything; on an error `subject` says where.
///
/// # Errors
/// [`Code::InvalidArgument`] with the first finding.
pub fn check(dynamics: &LocalDynamics, subject: &mut SubjectIds) -> Result<(), Code> {
    let mut inspection = Inspection { dynamics, subject, without_end: None };
    let in_use = inspection.memory()?;
    inspection.bodies()?;
    inspection.list(in_use)
}

/// Numbers of chunks in use.
struct InUse {
    rows: usize,
    pairs: usize,
}

struct Inspection<'a> {
    dynamics: &'a LocalDynamics,
    subject: &'a mut SubjectIds,
    /// The first row whose pointer to its last block is wrong.
    without_end: Option<u32>,
}

impl Inspection<'_> {
    fn demand(&self, holds: bool, otherwise: impl fmt::Display) -> Result<(), Code> {
        if holds { Ok(()) } else { Err(invalid!("{}{otherwise}", self.subject)) }
    }

    /// Check that all memory in use has its marks, and that the memory of removed rows has not been written.
    fn memory(&self) -> Result<InUse, Code> {
        let LocalDynamics { rows, pairs, .. } = self.dynamics;
        // SAFETY: chunks in use are rows.
        let is_row = |row: *mut RowNode| unsafe { (*row).is_live() };
        // SAFETY: chunks in use are pairs.
        let is_pair = |pair: *mut BlockPair| unsafe { (*pair).is_live() };
        // SAFETY: the memory of removed rows is zero, or was written by a host.
        let is_clean = |row: *mut RowNode| unsafe {
            (*row.cast::<[u8; size_of::<RowNode>()]>()).iter().all(|&byte| byte == 0)
        };
        self.demand(rows.pool.given_back().all(is_clean), "memory of a removed row has been written to")?;
        self.demand(rows.pool.chunks().all(is_row), "hidden data of a row are damaged")?;
        self.demand(pairs.chunks().all(is_pair), "hidden data of a block are damaged")?;
        Ok(InUse { rows: rows.pool.live(), pairs: pairs.live() })
    }

    /// Check that each attached row knows where it is attached.
    fn bodies(&mut self) -> Result<(), Code> {
        let dynamics = self.dynamics;
        let knows = |row: *mut RowNode, at: BodySlot| {
            // SAFETY: the row found is live.
            dynamics.rows.live(row.cast()).is_some_and(|row| unsafe { (*row).body_slots }.contains(&Some(at)))
        };
        self.subject.body = dynamics.bodies.first_fault(knows);
        self.demand(self.subject.body.is_none(), "its slots and the rows in them do not agree")?;
        self.demand(dynamics.bodies.is_indexed(), "the index of bodies is damaged")
    }

    /// Check the list of rows, with all blocks.
    fn list(&mut self, in_use: InUse) -> Result<(), Code> {
        let dynamics = self.dynamics;
        let (mut previous, mut next) = (std::ptr::null_mut(), dynamics.public.dia);
        let (mut rows, mut blocks) = (0, 0);
        #[cfg(feature = "mpi")]
        let mut externals = 0;
        // No row comes twice: it would have another predecessor each time.
        while !next.is_null() {
            let live = dynamics.rows.live(next);
            let leads_astray = if rows == 0 { "dia of ldy is no live row" } else { "n is no live row" };
            self.demand(live.is_some(), leads_astray)?;
            // SAFETY: the check above found it live.
            let row = unsafe { &*next.cast::<RowNode>() };
            *self.subject = SubjectIds { constraint: Some(row.id), ..SubjectIds::default() };
            self.demand(row.public.p == previous, "p is not the row before it")?;
            self.row(row)?;
            blocks += self.blocks(row)?;
            #[cfg(feature = "mpi")]
            match dynamics.externals.inspect(row, row.public.adjext) {
                Ok(count) => externals += count,
                Err(fault) => self.demand(false, fault)?,
            }
            rows += 1;
            (previous, next) = (next, row.public.n);
        }
        *self.subject = SubjectIds::default();
        self.demand(rows == in_use.rows, "rows are missing from the list")?;
        #[cfg(feature = "mpi")]
        self.demand(
            externals == dynamics.externals.live,
            "blocks to external constraints are missing from the rows",
        )?;
        self.demand(blocks == 2 * in_use.pairs, "blocks are missing from the rows")?;
        self.subject.constraint = self.without_end;
        self.demand(self.without_end.is_none(), "its hidden data are damaged")
    }

    /// Check the fields of one row, without its blocks.
    fn row(&self, row: &RowNode) -> Result<(), Code> {
        let public = &row.public;
        self.demand(public.con == row.con, "con is not the constraint it was inserted with")?;
        self.demand([public.R, public.U, public.V] == row.arrays(), "R, U or V is not its constraint's")?;
        let scratch = [public.mH, public.mprod, public.sH, public.sprod];
        self.demand(scratch.iter().all(|matrix| matrix.is_null()), "mH, mprod, sH or sprod is not NULL")?;
        let own = (&raw const *row).cast_mut();
        let attached = |at: &BodySlot| self.dynamics.bodies.holds(*at, own);
        let known = row.body_slots.iter().flatten().all(attached);
        let once = row.body_slots[0] != row.body_slots[1] || row.body_slots[0].is_none();
        self.demand(known && once, "the bodies it is attached to do not know it")
    }

    /// Check the blocks of a row and return their number.
    fn blocks(&mut self, row: &RowNode) -> Result<usize, Code> {
        let (mut previous, mut next) = (std::ptr::null_mut(), row.public.adj);
        let mut count = 0;
        // No block comes twice: it would have another predecessor each time.
        while !next.is_null() {
            let found = live_pair(self.dynamics, next);
            let leads_astray = if count == 0 { "adj is no live block" } else { "n is no live block" };
            self.demand(found.is_some(), leads_astray)?;
            let Some((pair, is_second)) = found else { break };
            let [first, second] = pair.both();
            self.demand(BlockNode::flags_agree(first, second), "its hidden data are damaged")?;
            let (node, partner) = if is_second { (second, first) } else { (first, second) };
            self.subject.neighbor = None;
            self.subject.neighbor = self.neighbor(node)?;
            self.demand(node.previous == previous, "another block is linked before it")?;
            self.coupled(row, node, partner)?;
            count += 1;
            (previous, next) = (next.cast(), node.public.n);
        }
        self.subject.neighbor = None;
        if row.last != previous {
            self.without_end = self.without_end.or(Some(row.id));
        }
        Ok(count)
    }

    /// Check the neighbor of a block and return its id.
    fn neighbor(&self, node: &BlockNode) -> Result<Option<u32>, Code> {
        let row = self.dynamics.rows.live(node.public.dia);
        self.demand(row.is_some(), "dia of a block is no live row")?;
        // SAFETY: the row found is live.
        Ok(row.map(|row| unsafe { (*row).id }))
    }

    /// Check the pair of a block of `row`, as seen from this block; its neighbor is a live row.
    fn coupled(&self, row: &RowNode, node: &BlockNode, partner: &BlockNode) -> Result<(), Code> {
        let own = (&raw const *row).cast_mut();
        let other = node.public.dia.cast::<RowNode>();
        self.demand(partner.public.dia == own.cast(), "its partner couples another row")?;
        self.demand(other != own, "it couples the row to itself")?;
        self.demand(node.public.bod == partner.public.bod, "its partner goes through another body")?;
        if let Some(body) = node.body() {
            let attached = self.dynamics.bodies.get(body).is_some_and(|known| known.body == node.public.bod);
            self.demand(attached, "bod is not the body it was made for")?;
            let nodes = [(node, own), (partner, other)];
            let holds = |(node, row): (&BlockNode, _)| {
                self.dynamics.bodies.holds(BodySlot::new(body, node.slot), row)
            };
            self.demand(nodes.into_iter().all(holds), "its rows are not in their slots on the body")?;
        }
        // SAFETY: the neighbor is live.
        let first = unsafe { (*other).public.adj };
        let link = match partner.previous.is_null() {
            true => Some(first),
            false => {
                let before = partner.previous.cast::<OFFB>();
                // SAFETY: a block of a live pair.
                live_pair(self.dynamics, before).map(|_| unsafe { (*before).n })
            }
        };
        let linked = link == Some((&raw const partner.public).cast_mut());
        self.demand(linked, "its partner is not linked in the neighbour's row")
    }
}

impl LocalDynamics {
    /// Whether this is the address of a live row, linked to its constraint as it was inserted.
    pub fn has_row(&self, dia: *mut DIAB) -> bool {
        // SAFETY: the row found is live.
        self.rows.live(dia).is_some_and(|row| unsafe { (*row).is_linked() })
    }

    /// Whether this is the address of a block of a row: its partner points to the row.
    pub fn has_block(&self, dia: *const DIAB, block: *mut OFFB) -> bool {
        live_pair(self, block).is_some_and(|(pair, is_second)| {
            let [first, second] = pair.both();
            let partner = if is_second { first } else { second };
            partner.public.dia.cast_const() == dia
        })
    }

    /// Whether the numbers of rows and of blocks in use are these.
    pub fn has_counts(&self, rows: usize, blocks: usize) -> bool {
        rows == self.rows.pool.live() && blocks == 2 * self.pairs.live()
    }
}

/// The live pair with a block at this address, and whether it is the second block.
fn live_pair(dynamics: &LocalDynamics, block: *mut OFFB) -> Option<(&BlockPair, bool)> {
    let is_second = !dynamics.pairs.owns(block.addr());
    let pair =
        if is_second { block.wrapping_byte_sub(size_of::<BlockNode>()) } else { block }.cast::<BlockPair>();
    if !dynamics.pairs.owns(pair.addr()) {
        return None;
    }
    // SAFETY: a chunk in use is a pair.
    Some((unsafe { &*pair }, is_second))
}

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::*;
    use crate::legacy::layout::{BODY, CON, CONTACT, DOM, RIG};
    use crate::legacy::rows::insert;

    #[test]
    fn what_no_host_can_reach_is_checked_too() {
        // SAFETY: a domain, a body and a constraint may be all zero, and outlive the module.
        unsafe {
            let (mut dom, mut body): (DOM, BODY) = (std::mem::zeroed(), std::mem::zeroed());
            let mut con: CON = std::mem::zeroed();
            (body.kind, con.kind, con.id, con.master) = (RIG, CONTACT, 7, &raw mut body);
            let mut dynamics = LocalDynamics::create(&raw mut dom).unwrap();
            let bodies = [&raw mut body, ptr::null_mut()];
            let row = insert(&mut dynamics, &raw mut con, bodies).unwrap().cast::<RowNode>();
            let found = |dynamics: &LocalDynamics| {
                let mut subject = SubjectIds::default();
                check(dynamics, &mut subject).map_err(|code| (code, subject))
            };
            assert_eq!(found(&dynamics), Ok(()));
            (*row).last = ptr::dangling_mut();
            assert_eq!(
                found(&dynamics),
                Err((Code::InvalidArgument, SubjectIds { constraint: Some(7), ..SubjectIds::default() }))
            );
            (*row).last = ptr::null_mut();
            dynamics.bodies.bodies[0].body = ptr::dangling_mut();
            assert_eq!(found(&dynamics), Err((Code::InvalidArgument, SubjectIds::default())));
            dynamics.bodies.bodies[0].body = &raw mut body;
            assert_eq!(found(&dynamics), Ok(()));
        }
    }
}

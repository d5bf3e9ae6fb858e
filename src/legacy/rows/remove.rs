//! Removal of a row.

use crate::legacy::errors::{Code, invalid};
use crate::legacy::layout::DIAB;
use crate::prefetch::fetch;

use super::local_dynamics::LocalDynamics;
use super::pair::{BlockNode, BlockPair};
use super::row::RowNode;

/// Remove a row with all blocks that point to it; see `LOCDYN_Remove`. Bodies and constraints are not read.
pub fn remove(dynamics: &mut LocalDynamics, dia: *mut DIAB) -> Result<(), Code> {
    ensure!(!dia.is_null(), invalid!("dia is NULL"));
    let Some(row) = dynamics.rows.live(dia) else {
        return Err(invalid!("dia is not a live row of this ldy (removed before?)"));
    };
    dynamics.is_gathered = false;
    // SAFETY: the row is live, so its blocks, their partners' rows and its neighbors in the list are live.
    unsafe {
        remove_blocks(dynamics, row);
        #[cfg(feature = "mpi")]
        dynamics.externals.drop_row(row);
        let (previous, next) = ((*row).public.p, (*row).public.n);
        match previous.is_null() {
            true => dynamics.public.dia = next,
            false => (*previous).n = next,
        }
        if let Some(next) = next.as_mut() {
            next.p = previous;
        }
        (*row).body_slots.into_iter().flatten().for_each(|body_slot| dynamics.bodies.detach(body_slot));
        dynamics.rows.release(row);
    }
    Ok(())
}

/// Unlink all pairs of a row from the other rows, and release their memory.
///
/// # Safety
/// The row is live, and its list is not used afterwards.
unsafe fn remove_blocks(dynamics: &mut LocalDynamics, row: *mut RowNode) {
    // SAFETY: the caller promises a live row, so its blocks and their partners' rows are live.
    unsafe {
        let (mut front, mut back) = ((*row).public.adj.cast::<BlockNode>(), (*row).last);
        let mut courses = [front, back].map(Course::from);
        // Proceed from both ends: each step waits for memory to which the previous one leads.
        while !front.is_null() {
            let (after, before) = ((*front).public.n.cast::<BlockNode>(), (*back).previous);
            courses[0].fetch_ahead(after);
            courses[1].fetch_ahead(before);
            dynamics.pairs.release(BlockPair::unlink_partner(front));
            if front == back {
                break;
            }
            dynamics.pairs.release(BlockPair::unlink_partner(back));
            if after == back {
                break;
            }
            (front, back) = (after, before);
        }
    }
}

/// Predicts the addresses of the blocks of a row.
///
/// Blocks with older rows are adjacent. Blocks with later rows are among the blocks of these rows. If each later row had one
/// neighbor more than the previous one, the step from block to block changes by the same amount each time. Then blocks can be
/// prefetched before the list leads to them.
struct Course {
    place: *const BlockNode,
    step: isize,
    change: isize,
}

impl Course {
    fn from(place: *mut BlockNode) -> Self {
        Self { place, step: 0, change: 0 }
    }

    /// Prefetch the next block, and a later one.
    #[inline(always)]
    fn fetch_ahead(&mut self, next: *const BlockNode) {
        fetch(next);
        let step = next.addr().wrapping_sub(self.place.addr()).cast_signed();
        let change = step.wrapping_sub(self.step);
        if change == self.change {
            let steps = step.wrapping_mul(AHEAD);
            fetch(
                next.wrapping_byte_offset(steps.wrapping_add(change.wrapping_mul(AHEAD * (AHEAD + 1) / 2))),
            );
        }
        *self = Self { place: next, step, change };
    }
}

/// Number of blocks after the next one.
const AHEAD: isize = 3;

//! Attachment of rows to the bodies of their constraints that are in W.
//!
//! Insertion decides which blocks exist. Their values depend on the constraint and its bodies at the update: a body that has
//! become an obstacle no longer moves under contacts, and a constraint may have changed its kind.

use std::ptr;

use crate::legacy::display;
use crate::legacy::errors::{Code, fail, invalid};
use crate::legacy::host::constraint;
use crate::legacy::layout::{BODY, CON, FEM};

use super::attachments::BodySlot;
use super::local_dynamics::LocalDynamics;
use super::pair::BlockPair;
use super::row::RowNode;

/// The bodies of a constraint that are in W: the master, then the slave; NULL for an obstacle under a contact, for a missing
/// slave, and for a slave that is the master, too.
///
/// # Safety
/// `con` is valid, and its master and slave are NULL or valid.
#[inline(always)]
pub unsafe fn counted_bodies(con: *const CON) -> [*mut BODY; 2] {
    // SAFETY: the caller promises a valid constraint and valid bodies.
    unsafe {
        let (master, slave) = ((*con).master, (*con).slave);
        let slave = if slave == master { ptr::null_mut() } else { slave };
        let is_counted = |body: *mut BODY| body.is_null() || !constraint::is_contact_on_obstacle(con, body);
        [
            if is_counted(master) { master } else { ptr::null_mut() },
            if is_counted(slave) { slave } else { ptr::null_mut() },
        ]
    }
}

/// Whether a row's attachments are current: it is attached to these bodies, and its pairs use the kind of its constraint.
///
/// # Safety
/// `row` is live, `con` its valid constraint.
#[inline(always)]
pub unsafe fn is_settled(row: *const RowNode, con: *const CON, counted: [*mut BODY; 2]) -> bool {
    // SAFETY: the caller promises a live row with a valid constraint.
    unsafe { (*row).bodies == counted && (*row).kind == (*con).kind && !(*row).is_suspect }
}

/// Attach a row to exactly the bodies of its constraint that are in W, and update its pairs.
///
/// # Errors
/// [`Code::InvalidArgument`] if the row was inserted on, or has a block through, a body that is neither its constraint's master nor
/// its slave; [`Code::OutOfMemory`]. After an error the row is unchanged.
///
/// # Safety
/// `row` is live; its constraint is valid, and its master and slave are NULL or valid.
#[cold]
pub unsafe fn sync(dynamics: &mut LocalDynamics, row: *mut RowNode) -> Result<(), Code> {
    // SAFETY: the caller promises a live row with a valid constraint; blocks of a live row are live.
    unsafe {
        let con = (*row).public.con;
        check_bodies(dynamics, row)?;
        let counted = counted_bodies(con);
        let old = (*row).body_slots;
        let mut body_slots = [None; 2];
        for k in 0..2 {
            if counted[k].is_null() {
                continue;
            }
            body_slots[k] = match slot_on(row, counted[k]) {
                Some(body_slot) => Some(body_slot),
                None => match attach(dynamics, row, counted[k], None) {
                    Ok(body_slot) => Some(body_slot),
                    Err(code) => {
                        detach_all_but(dynamics, body_slots, old);
                        return Err(code);
                    }
                },
            };
        }
        detach_all_but(dynamics, old, body_slots);
        (*row).body_slots = body_slots;
        (*row).bodies = counted;
        (*row).kind = (*con).kind;
        (*row).is_suspect = false;
        (*row).is_stale = true;
        for block in (*row).blocks() {
            let pair = BlockPair::of(block);
            BlockPair::couple(pair, (*pair).is_repeated());
        }
    }
    Ok(())
}

/// # Errors
/// As [`sync`].
///
/// # Safety
/// As there.
unsafe fn check_bodies(dynamics: &LocalDynamics, row: *mut RowNode) -> Result<(), Code> {
    // SAFETY: the caller promises a live row with a valid constraint. Bodies of blocks and insertions are compared by address
    // only: the host may have freed them.
    unsafe {
        let con = (*row).public.con;
        let own = [(*con).master, (*con).slave];
        let through = (*row).blocks().map(|block| (*block).bod);
        let inserted = (*row).inserted.into_iter().filter(|body| !body.is_null());
        match inserted.chain(through).find(|body| !own.contains(body)) {
            None => Ok(()),
            Some(body) => {
                let name = display::constraint(con);
                Err(match dynamics.bodies.index_of(body).map(|index| dynamics.bodies.body(index).id) {
                    Some(id) => {
                        invalid!("{name}: was inserted on body {id}, which is neither of these")
                    }
                    None => invalid!("{name}: was inserted on another body"),
                })
            }
        }
    }
}

/// Attach a row to a body to which it is not attached; `likely` may be the body's index. The only field of the row that this
/// writes is the pointer to its cached locations.
///
/// # Errors
/// [`Code::OutOfMemory`].
///
/// # Safety
/// `row` is a row with its constraint set, `body` is valid.
pub unsafe fn attach(
    dynamics: &mut LocalDynamics,
    row: *mut RowNode,
    body: *mut BODY,
    likely: Option<u32>,
) -> Result<BodySlot, Code> {
    // SAFETY: the caller promises a row with its constraint and a valid body.
    unsafe {
        let id = (*body).id;
        let exhausted = |_| {
            fail!(Code::OutOfMemory, "{}: no memory on body {id}", display::constraint((*row).public.con))
        };
        if (*body).kind == FEM {
            dynamics.rows.reserve_cache(row).map_err(exhausted)?;
        }
        dynamics.bodies.attach(body, id, row, likely).map_err(exhausted)
    }
}

/// The slot of a row on a body, if it is attached to it.
///
/// # Safety
/// `row` is a row.
#[inline(always)]
pub unsafe fn slot_on(row: *const RowNode, body: *mut BODY) -> Option<BodySlot> {
    // SAFETY: the caller promises a row.
    unsafe {
        // Both are equally likely, hence no branch.
        let place = usize::from((*row).bodies[0] != body);
        if (*row).bodies[place] == body { (*row).body_slots[place] } else { None }
    }
}

fn detach_all_but(
    dynamics: &mut LocalDynamics,
    body_slots: [Option<BodySlot>; 2],
    kept: [Option<BodySlot>; 2],
) {
    let given_up = body_slots.into_iter().filter(|body_slot| !kept.contains(body_slot));
    given_up.flatten().for_each(|body_slot| dynamics.bodies.detach(body_slot));
}

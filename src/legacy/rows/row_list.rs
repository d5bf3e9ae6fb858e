//! The constraints of an update, with their rows.

use std::ffi::c_int;
use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::legacy::errors::{Code, fail};
use crate::legacy::host::constraint;
use crate::legacy::host::domain::{self, UpdateKind};
use crate::legacy::layout::*;
use crate::math::Vector;
use crate::memory;
use crate::prefetch::fetch;
use crate::team::{Team, part};

use super::local_dynamics::LocalDynamics;
use super::row::{RowNode, RowStore};
use super::sync::{counted_bodies, is_settled, sync};

/// Number of constraints ahead to prefetch.
const AHEAD: usize = 12;

/// Bytes of a row from its constraint to the end.
const BESIDE_CON: usize = size_of::<RowNode>() - offset_of!(RowNode, public.con);

/// A constraint and its row.
#[derive(Clone, Copy)]
pub struct GatheredRow {
    /// The constraint.
    pub con: *mut CON,
    /// Its row.
    pub row: *mut RowNode,
    /// Its master and its slave.
    pub bodies: [*mut BODY; 2],
    /// Its kind.
    pub kind: c_int,
    /// Whether the row is attached to exactly these bodies.
    is_settled: bool,
    /// Whether the domain lists the constraint: V and B are computed only then.
    pub is_listed: bool,
    /// Its share of the free energy.
    pub energy: f64,
    /// The destination of V.
    pub v: *mut Vector,
}

// SAFETY: only pointers to the host's structures and to rows prevent an automatic Send. No safe function dereferences such a
// pointer: a function that does promises that no other thread writes its target.
unsafe impl Send for GatheredRow {}
// SAFETY: as for Send.
unsafe impl Sync for GatheredRow {}

/// Collect the constraints of the domain in the order of its list, then the rows of other constraints in the order of the rows'
/// list. Attach each row to exactly the bodies of its constraint that are in W. [`UpdateKind::Minimal`] needs the constraints
/// of the domain only, and attaches nothing.
///
/// # Errors
/// [`Code::InvalidArgument`] if a constraint has no row, no master or is of unknown kind, or a row was inserted on another body
/// ([`sync`]);
/// [`Code::OutOfMemory`].
///
/// # Safety
/// The domain, the constraints of all rows and their bodies are valid.
pub unsafe fn gather(
    dynamics: &mut LocalDynamics,
    dom: *const DOM,
    kind: UpdateKind,
    team: &mut Team,
) -> Result<(), Code> {
    // SAFETY: the caller promises a valid domain, and that the constraints of all rows and their bodies are valid.
    unsafe {
        if dynamics.is_gathered && kind != UpdateKind::Minimal && are_same(&dynamics.gathered, dom, team) {
            return Ok(());
        }
        dynamics.is_gathered = false;
        collect(dynamics, dom, kind)?;
        dynamics.is_gathered = kind != UpdateKind::Minimal;
    }
    Ok(())
}

/// Number of constraints that a thread checks at a time.
const PART: usize = 128;

/// Whether the rows gathered at the last update are valid for this one, without an error and without a change of attachments.
/// Rows are read only if their attachments may have changed.
///
/// # Safety
/// As [`gather`]; no row has been inserted or removed since the last update.
unsafe fn are_same(gathered: &[GatheredRow], dom: *const DOM, team: &mut Team) -> bool {
    // SAFETY: the caller promises a valid domain.
    let head = unsafe { (*dom).con };
    if listed(gathered.first()) != head {
        return false;
    }
    let has_changed = AtomicBool::new(false);
    let count = gathered.len();
    team.share(count.div_ceil(PART), &|_, number| {
        let mut places = part(number, PART, count);
        // SAFETY: the caller promises that the constraints of all rows are valid; no row was removed, so the gathered
        // constraints are valid.
        if !places.all(|place| unsafe { is_same(gathered, place) }) {
            has_changed.store(true, Ordering::Relaxed);
        }
    });
    !has_changed.into_inner()
}

/// The constraint of a gathered row if the domain lists it; otherwise NULL, the end of the domain's list.
fn listed(entry: Option<&GatheredRow>) -> *mut CON {
    entry.filter(|entry| entry.is_listed).map_or(ptr::null_mut(), |entry| entry.con)
}

/// Whether a gathered row is unchanged and attached to the bodies that are in W now, and the list continues with the next one.
/// Its bodies were checked when it was gathered: if they are the same, there is a master.
///
/// # Safety
/// As [`are_same`]: the constraint of a live row is valid, even if the list has changed.
#[inline(always)]
unsafe fn is_same(gathered: &[GatheredRow], place: usize) -> bool {
    fetch_ahead(gathered, place);
    let entry = &gathered[place];
    // SAFETY: the caller promises that a gathered row is live, so its constraint is valid.
    unsafe {
        let con = &*entry.con;
        let leads_on = !entry.is_listed || con.next == listed(gathered.get(place + 1));
        let is_as_before =
            con.dia == entry.row.cast() && con.kind == entry.kind && [con.master, con.slave] == entry.bodies;
        if !leads_on || !is_as_before {
            return false;
        }
        let counted = counted_bodies(con);
        counted == entry.bodies && entry.is_settled || is_settled(entry.row, con, counted)
    }
}

/// # Errors
/// As [`gather`].
///
/// # Safety
/// As there.
unsafe fn collect(dynamics: &mut LocalDynamics, dom: *const DOM, kind: UpdateKind) -> Result<(), Code> {
    let mut count = 0;
    // SAFETY: the caller promises a valid domain and valid constraints of all rows; attaching rows does not
    // change the list.
    unsafe {
        dynamics.next_round();
        let mut last = ptr::null_mut();
        for con in domain::constraints(dom) {
            fetch_ahead(&dynamics.gathered, count);
            fetch_row_ahead(&dynamics.gathered, count);
            let row = match RowStore::next_to(last, con) {
                Some(row) => row,
                None => dynamics.rows.of(con)?,
            };
            put(dynamics, count, con, row, true, kind)?;
            last = row;
            count += 1;
        }
        if kind != UpdateKind::Minimal && count != dynamics.rows.pool.live() {
            let round = dynamics.round;
            for row in dynamics.list().filter(|&row| (*row).round != round) {
                put(dynamics, count, (*row).public.con, row, false, kind)?;
                count += 1;
            }
        }
    }
    dynamics.gathered.truncate(count);
    Ok(())
}

/// Prefetch a later constraint, as gathered by the last update. The host may have freed it.
#[inline(always)]
fn fetch_ahead(before: &[GatheredRow], place: usize) {
    if let Some(GatheredRow { con, .. }) = before.get(place + AHEAD) {
        fetch(con.wrapping_byte_add(offset_of!(CON, dia)).cast::<*mut DIAB>());
        fetch(con.wrapping_byte_add(offset_of!(CON, kind)).cast::<c_int>());
        fetch(con.wrapping_byte_add(offset_of!(CON, master)).cast::<[*mut BODY; 2]>());
        fetch(con.wrapping_byte_add(offset_of!(CON, next)).cast::<*mut CON>());
    }
}

/// Prefetch the row of that constraint.
#[inline(always)]
fn fetch_row_ahead(before: &[GatheredRow], place: usize) {
    if let Some(GatheredRow { row, .. }) = before.get(place + AHEAD) {
        fetch(row.wrapping_byte_add(offset_of!(RowNode, public.con)).cast::<[u8; BESIDE_CON]>());
    }
}

/// # Errors
/// As [`gather`].
///
/// # Safety
/// As there, for one row.
#[inline(always)]
unsafe fn put(
    dynamics: &mut LocalDynamics,
    place: usize,
    con: *mut CON,
    row: *mut RowNode,
    is_listed: bool,
    kind: UpdateKind,
) -> Result<(), Code> {
    // SAFETY: the caller promises a live row, and its valid constraint with bodies that are NULL or valid.
    let entry = unsafe {
        ensure!((*row).round != dynamics.round, domain::comes_twice(con));
        (*row).round = dynamics.round;
        constraint::check(con)?;
        let bodies = [(*con).master, (*con).slave];
        let counted = counted_bodies(con);
        if kind != UpdateKind::Minimal && !is_settled(row, con, counted) {
            sync(dynamics, row)?;
        }
        GatheredRow {
            con,
            row,
            bodies,
            kind: (*con).kind,
            is_settled: counted == bodies,
            is_listed,
            energy: 0.0,
            v: dynamics.rows.v_of(row, con),
        }
    };
    memory::set_or_push(&mut dynamics.gathered, place, entry)
        .map_err(|_| fail!(Code::OutOfMemory, "no memory for an update"))?;
    Ok(())
}

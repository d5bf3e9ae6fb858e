//! The constraints to be updated, with their rows.

use std::ffi::c_int;
use std::mem::offset_of;
use std::ptr;

use crate::legacy::errors::{Code, fail};
use crate::legacy::host::constraint;
use crate::legacy::host::domain::{self, UpdateKind};
use crate::legacy::layout::*;
use crate::legacy::names;
use crate::legacy::prefetch::fetch;
use crate::legacy::rows::{Module, Row, Rows, side_on};

/// How many constraints ahead memory is asked for.
const AHEAD: usize = 12;

/// Bytes of a row from its constraint to the end.
const BESIDE_CON: usize = size_of::<Row>() - offset_of!(Row, face.con);

/// A constraint and its row.
#[derive(Clone, Copy)]
pub struct Task {
    /// The constraint.
    pub con: *mut CON,
    /// Its row.
    pub row: *mut Row,
    /// Whether the domain lists the constraint: only then V and B are wanted.
    pub is_listed: bool,
    /// Its share of the free energy.
    pub energy: f64,
}

/// Collect the constraints of the domain in the order of its list, then rows of other constraints in the order of theirs,
/// and see that each row is attached to the master and the slave of its constraint, as far as W knows them, and to no
/// other body. For [`UpdateKind::Minimal`] the constraints of the domain will do.
///
/// # Errors
/// [`Code::BugFound`] if a constraint has no row, no master or is of unknown kind, or a row was inserted on another body;
/// [`Code::OutOfMemory`].
///
/// # Safety
/// The domain, the constraints of all rows and their bodies are valid.
pub unsafe fn gather(module: &mut Module, dom: *const DOM, kind: UpdateKind) -> Result<(), Code> {
    module.round = module.round.wrapping_add(1);
    let mut count = 0;
    // SAFETY: promised by the caller; attaching rows does not change the list.
    unsafe {
        let mut last = ptr::null_mut();
        for con in domain::constraints(dom) {
            fetch_ahead(&module.tasks, count);
            let row = match Rows::beside(last, con) {
                Some(row) => row,
                None => module.rows.of(con)?,
            };
            put(module, count, Task { con, row, is_listed: true, energy: 0.0 }, kind)?;
            last = row;
            count += 1;
        }
        if kind != UpdateKind::Minimal && count != module.rows.pool.live() {
            let round = module.round;
            for row in module.list().filter(|&row| (*row).round != round) {
                put(module, count, Task { con: (*row).face.con, row, is_listed: false, energy: 0.0 }, kind)?;
                count += 1;
            }
        }
    }
    module.tasks.truncate(count);
    Ok(())
}

/// Ask for the constraint and the row that will come some places later, if the list is as it was at the last update, whose
/// tasks still stand there. They may be gone by now.
#[inline(always)]
fn fetch_ahead(before: &[Task], place: usize) {
    if let Some(task) = before.get(place + AHEAD) {
        fetch(task.con.wrapping_byte_add(offset_of!(CON, dia)).cast::<*mut DIAB>());
        fetch(task.con.wrapping_byte_add(offset_of!(CON, kind)).cast::<c_int>());
        fetch(task.con.wrapping_byte_add(offset_of!(CON, master)).cast::<[*mut BODY; 2]>());
        fetch(task.con.wrapping_byte_add(offset_of!(CON, next)).cast::<*mut CON>());
        fetch(task.row.wrapping_byte_add(offset_of!(Row, face.con)).cast::<[u8; BESIDE_CON]>());
    }
}

/// # Safety
/// As [`gather`], for one row.
#[inline(always)]
unsafe fn put(module: &mut Module, place: usize, task: Task, kind: UpdateKind) -> Result<(), Code> {
    let Task { con, row, .. } = task;
    // SAFETY: promised by the caller.
    unsafe {
        (*row).round = module.round;
        constraint::check(con)?;
        let bodies = [(*con).master, (*con).slave];
        if kind != UpdateKind::Minimal && (*row).bodies != bodies {
            reconcile(module, con, row, bodies)?;
        }
    }
    match module.tasks.get_mut(place) {
        Some(old) => *old = task,
        None => {
            module.tasks.try_reserve(1).map_err(|_| fail!(Code::OutOfMemory, "no memory for an update"))?;
            module.tasks.push(task);
        }
    }
    Ok(())
}

/// # Safety
/// As [`gather`], for one row.
#[cold]
unsafe fn reconcile(
    module: &mut Module,
    con: *mut CON,
    row: *mut Row,
    bodies: [*mut BODY; 2],
) -> Result<(), Code> {
    // SAFETY: promised by the caller; attached bodies are compared by address, not read.
    unsafe {
        for body in bodies {
            if !body.is_null() && !constraint::is_contact_on_obstacle(con, body) {
                side_on(module, row, body)?;
            }
        }
        for side in (*row).sides.into_iter().flatten() {
            let attached = module.bodies.body(side.body());
            if !bodies.contains(&attached.body) {
                let (name, id) = (names::constraint(con), attached.id);
                return Err(fail!(
                    Code::BugFound,
                    "{name}: was inserted on body {id}, which is neither of these"
                ));
            }
        }
    }
    Ok(())
}

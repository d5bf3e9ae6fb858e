//! The constraints to be updated, with their rows.

use std::ptr;

use crate::legacy::errors::{Code, fail};
use crate::legacy::host::constraint;
use crate::legacy::host::domain::{self, UpdateKind};
use crate::legacy::layout::*;
use crate::legacy::names;
use crate::legacy::rows::{Module, Row, Rows, side_on};

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
    module.tasks.clear();
    module.round = module.round.wrapping_add(1);
    // SAFETY: promised by the caller; attaching rows does not change the list.
    unsafe {
        let mut last = ptr::null_mut();
        for con in domain::constraints(dom) {
            let row = match Rows::beside(last, con) {
                Some(row) => row,
                None => module.rows.of(con)?,
            };
            push(module, con, row, true, kind)?;
            last = row;
        }
        if kind != UpdateKind::Minimal && module.tasks.len() != module.rows.pool.live() {
            for row in module.list() {
                if (*row).round != module.round {
                    push(module, (*row).face.con, row, false, kind)?;
                }
            }
        }
    }
    Ok(())
}

/// # Safety
/// As [`gather`], for one row.
unsafe fn push(
    module: &mut Module,
    con: *mut CON,
    row: *mut Row,
    is_listed: bool,
    kind: UpdateKind,
) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        (*row).round = module.round;
        constraint::check(con)?;
        let bodies = [(*con).master, (*con).slave];
        if kind != UpdateKind::Minimal && (*row).bodies != bodies {
            reconcile(module, con, row, bodies)?;
        }
    }
    module.tasks.try_reserve(1).map_err(|_| fail!(Code::OutOfMemory, "no memory for an update"))?;
    module.tasks.push(Task { con, row, is_listed, energy: 0.0 });
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

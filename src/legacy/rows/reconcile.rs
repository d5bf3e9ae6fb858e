//! Rows against what their constraints say now.

use crate::legacy::errors::{Code, fail};
use crate::legacy::host::constraint;
use crate::legacy::names;

use super::insert::side_on;
use super::module::Module;
use super::row::Row;

/// Make sure that each row is attached to the master and the slave of its constraint, as far as W knows them, and to
/// no other body.
///
/// # Errors
/// [`Code::BugFound`] if a row was inserted on another body, or its constraint has none or is of unknown kind.
///
/// # Safety
/// The constraints of all rows and their bodies are valid.
pub unsafe fn reconcile(module: &mut Module) -> Result<(), Code> {
    // SAFETY: promised by the caller; attaching rows does not change the list.
    unsafe {
        for row in module.list() {
            check(module, row)?;
        }
    }
    Ok(())
}

/// # Safety
/// As [`reconcile`], for one row.
unsafe fn check(module: &mut Module, row: *mut Row) -> Result<(), Code> {
    // SAFETY: promised by the caller; attached bodies are compared by address, not read.
    unsafe {
        let con = (*row).face.con;
        constraint::check(con)?;
        let bodies = [(*con).master, (*con).slave];
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

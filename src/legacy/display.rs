//! Names of constraints in error texts, and the error of missing data of bodies.

use std::ffi::c_int;
use std::fmt;

use super::errors::{Code, invalid};
use super::layout::*;

/// The name of a constraint in texts: `constraint 12 (CONTACT) between bodies 3 and 7`.
#[derive(Clone, Copy)]
pub struct ConstraintName {
    id: u32,
    kind: c_int,
    bodies: [Option<u32>; 2],
}

/// The name of a constraint.
///
/// # Safety
/// `con` is valid, its master and slave are NULL or valid.
#[cold]
pub unsafe fn constraint(con: *const CON) -> ConstraintName {
    // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid.
    let (con, bodies) = unsafe { (&*con, [(*con).master.as_ref(), (*con).slave.as_ref()]) };
    ConstraintName { id: con.id, kind: con.kind, bodies: bodies.map(|body| body.map(|body| body.id)) }
}

/// The error of a body with a NULL field.
///
/// # Safety
/// `body` is valid.
#[cold]
pub unsafe fn null(what: &str, body: *const BODY) -> Code {
    // SAFETY: the caller promises a valid body.
    invalid!("{what} of body {} is NULL", unsafe { (*body).id })
}

/// The enumerator of a kind of constraint; `None` for an unknown kind.
pub fn kind(kind: c_int) -> Option<&'static str> {
    Some(match kind {
        CONTACT => "CONTACT",
        FIXPNT => "FIXPNT",
        FIXDIR => "FIXDIR",
        VELODIR => "VELODIR",
        VELODIR3 => "VELODIR3",
        RIGLNK => "RIGLNK",
        SPRING => "SPRING",
        _ => return None,
    })
}

impl fmt::Display for ConstraintName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match kind(self.kind) {
            Some(kind) => write!(f, "constraint {} ({kind})", self.id)?,
            None => write!(f, "constraint {} (unknown kind {})", self.id, self.kind)?,
        }
        match self.bodies {
            [Some(master), Some(slave)] => write!(f, " between bodies {master} and {slave}"),
            [Some(body), None] | [None, Some(body)] => write!(f, " on body {body}"),
            [None, None] => f.write_str(" without bodies"),
        }
    }
}

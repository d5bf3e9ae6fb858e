//! How error texts name constraints and bodies.

use std::ffi::c_int;
use std::fmt;

use super::layout::*;

/// A constraint as texts name it: `constraint 12 (CONTACT) between bodies 3 and 7`. It is read only when a text is
/// made.
#[derive(Clone, Copy)]
pub struct ConstraintName(*const CON);

/// The name of a constraint.
///
/// # Safety
/// `con` is valid as long as the name is used, its master and slave are NULL or valid.
pub unsafe fn constraint(con: *const CON) -> ConstraintName {
    ConstraintName(con)
}

/// A body as texts name it: `body 3`.
#[derive(Clone, Copy)]
pub struct BodyName(*const BODY);

/// The name of a body.
///
/// # Safety
/// `body` is valid as long as the name is used.
pub unsafe fn body(body: *const BODY) -> BodyName {
    BodyName(body)
}

/// The set of constraints of a body as texts name it.
#[derive(Clone, Copy)]
pub struct SetName(BodyName);

/// The name of the set of constraints of a body.
///
/// # Safety
/// `body` is valid as long as the name is used.
pub unsafe fn set_of(body: *const BODY) -> SetName {
    SetName(BodyName(body))
}

/// The enumerator of a kind of constraint, if it is one.
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
        // SAFETY: the caller of `constraint` promises a valid constraint with bodies that are NULL or valid.
        let (con, master, slave) = unsafe { (&*self.0, (*self.0).master.as_ref(), (*self.0).slave.as_ref()) };
        match kind(con.kind) {
            Some(kind) => write!(f, "constraint {} ({kind})", con.id)?,
            None => write!(f, "constraint {} (unknown kind {})", con.id, con.kind)?,
        }
        match (master, slave) {
            (Some(master), Some(slave)) => write!(f, " between bodies {} and {}", master.id, slave.id),
            (Some(body), None) | (None, Some(body)) => write!(f, " on body {}", body.id),
            (None, None) => f.write_str(" without bodies"),
        }
    }
}

impl fmt::Display for BodyName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        // SAFETY: the caller of `body` or `set_of` promises a valid body.
        write!(f, "body {}", unsafe { (*self.0).id })
    }
}

impl fmt::Display for SetName {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "the set of constraints of {}", self.0)
    }
}

//! Marks of the changes since the last successful update.
//!
//! Setters mark a body or a constraint in its table; a successful update clears the marks. The next update computes everything
//! again after an update that fails, if the step is another, and where the structure is rebuilt: h is in the Cholesky factors of h
//! A⁻¹, where no later scale gives the same bits.
#![forbid(unsafe_code)]

use super::body::{Body, Inertia};
use super::constraint::Constraint;
use super::id_table::{GONE, Table};

/// A velocity of the body has changed.
pub const VELOCITY: u8 = 1;
/// On a body: its configuration, its inertia, or the list of its constraints has changed. On a constraint: the place where it acts
/// has changed, or the constraint is new.
pub const CHANGED: u8 = 2;
/// The compliance of the constraint has changed.
pub const COMPLIANCE: u8 = 4;
/// The bodies of the constraint have changed.
pub const REATTACHED: u8 = 16;
/// The inverse callback of the body may give other numbers for the same columns. This mark is never cleared.
pub const UNSTEADY: u8 = 8;

/// The marks of a body that is new, or has another inertia.
pub fn of_body(inertia: &Inertia) -> u8 {
    if inertia.is_users() { CHANGED | UNSTEADY } else { CHANGED }
}

/// Clear the marks: everything has been computed.
pub fn settle(bodies: &mut Table<Body>, constraints: &mut Table<Constraint>) {
    bodies.all_mut().1.iter_mut().for_each(|mark| *mark &= UNSTEADY | GONE);
    constraints.all_mut().1.iter_mut().for_each(|mark| *mark &= GONE);
}

/// If at least one body in this number has changed, it is quicker to compute everything without looking at marks.
pub const BEYOND: usize = 3;

/// Whether enough bodies have changed that an update computes everything.
pub fn are_many(bodies: &Table<Body>) -> bool {
    many_have(CHANGED, bodies.marks())
}

/// Whether only velocities have changed, and on enough bodies that an update computes V and B of all rows.
pub fn are_pushed(bodies: &Table<Body>) -> bool {
    all_of(bodies.marks()) == VELOCITY && many_have(VELOCITY, bodies.marks())
}

fn many_have(mark: u8, marks: &[u8]) -> bool {
    BEYOND * marks.iter().filter(|own| **own & mark != 0).count() > marks.len()
}

/// The marks that at least one entry has.
pub fn all_of(marks: &[u8]) -> u8 {
    marks.iter().fold(0, |all, mark| all | mark)
}

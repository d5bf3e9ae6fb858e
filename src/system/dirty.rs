//! What has changed since the last successful update.
//!
//! Setters mark a body or a constraint in its table; a successful update takes the marks off. After an update that fails, after
//! one with another step, and where the structure is made anew, everything is done again: h is in the Cholesky factors of
//! h A⁻¹, where no later scale gives the same bits.
#![forbid(unsafe_code)]

use super::body::{Body, Inertia};
use super::constraint::Constraint;
use super::id_table::{GONE, Table};

/// Of a body: a velocity has changed.
pub const VELOCITY: u8 = 1;
/// Of a body: its configuration, what is known of A, or which constraints act on it. Of a constraint: where it acts, or it is
/// new.
pub const CHANGED: u8 = 2;
/// Of a constraint: its compliance.
pub const COMPLIANCE: u8 = 4;
/// Of a constraint: the bodies that it acts on.
pub const REATTACHED: u8 = 16;
/// Of a body: its solver may give other numbers for the same columns. This one is never taken off.
pub const UNSTEADY: u8 = 8;

/// The marks of a body that is new, or has another inertia.
pub fn of_body(inertia: &Inertia) -> u8 {
    if inertia.is_users() { CHANGED | UNSTEADY } else { CHANGED }
}

/// Take off the marks: everything has been made.
pub fn settle(bodies: &mut Table<Body>, constraints: &mut Table<Constraint>) {
    bodies.all_mut().1.iter_mut().for_each(|mark| *mark &= UNSTEADY | GONE);
    constraints.all_mut().1.iter_mut().for_each(|mark| *mark &= GONE);
}

/// From one in so many on it is quicker to make everything, without asking what has changed.
pub const BEYOND: usize = 3;

/// Whether so many bodies have changed that everything is made.
pub fn are_many(bodies: &Table<Body>) -> bool {
    many_have(CHANGED, bodies.marks())
}

/// Whether nothing but velocities have changed, and those of so many bodies that V and B of all rows are made.
pub fn are_pushed(bodies: &Table<Body>) -> bool {
    all_of(bodies.marks()) == VELOCITY && many_have(VELOCITY, bodies.marks())
}

fn many_have(mark: u8, marks: &[u8]) -> bool {
    BEYOND * marks.iter().filter(|own| **own & mark != 0).count() > marks.len()
}

/// The marks that any of them has.
pub fn all_of(marks: &[u8]) -> u8 {
    marks.iter().fold(0, |all, mark| all | mark)
}

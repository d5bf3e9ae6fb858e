//! Diagnosis of a V, B or W that is not finite: search its inputs for the cause. The search runs only after such a value was
//! found.

use std::{fmt, ptr};

use crate::math::{Block, is_finite};

use super::display;
use super::errors::{self, Code, invalid};
use super::host::body::{self, HostBody};
use super::host::body_point::{BodyPoint, Role};
use super::host::constraint;
use super::layout::*;

/// The error of a V or B that is not finite, computed from the bodies with these roles.
///
/// # Safety
/// The constraint and its bodies with these roles are valid.
#[cold]
pub unsafe fn of_velocities(con: *const CON, roles: &[Role]) -> Code {
    // SAFETY: the caller promises a valid constraint, and that its bodies with these roles are valid.
    unsafe { constraint::error(con, search(con, roles, true).unwrap_or_else(|| overflow("V or B"))) }
}

/// The error of `w`, the diagonal block of a constraint, if it or its inverse is not finite or too large.
///
/// # Safety
/// The constraint and its bodies are valid.
#[cold]
pub unsafe fn of_block(con: *const CON, w: &Block) -> Code {
    // SAFETY: the caller promises a valid constraint with valid bodies.
    unsafe {
        let code = match is_finite(w) {
            true => overflow("W or its inverse"),
            false => search(con, &Role::BOTH, false).unwrap_or_else(|| overflow("W")),
        };
        constraint::error(con, code)
    }
}

/// The error of blocks between two constraints that are not finite, although their diagonal blocks are.
///
/// # Safety
/// The constraints are valid, their bodies NULL or valid.
#[cold]
pub unsafe fn of_blocks_between(constraints: [*mut CON; 2]) -> Code {
    // SAFETY: the caller promises valid constraints.
    let [first, second] = constraints.map(|con| unsafe { display::constraint(con) });
    errors::about(format_args!("{first} and {second}"), not_finite("W between them"))
}

fn overflow(what: &str) -> Code {
    invalid!("{what} overflows, though all that it is made of is finite")
}

/// The error of a value that is not finite.
#[cold]
pub fn not_finite(value: impl fmt::Display) -> Code {
    invalid!("{value} is not finite")
}

/// The error of the first non-finite input of the velocities, or otherwise of W.
///
/// # Safety
/// As [`of_velocities`].
unsafe fn search(con: *const CON, roles: &[Role], of_velocities: bool) -> Option<Code> {
    // SAFETY: the caller promises a valid constraint, and that its bodies with these roles are valid.
    unsafe {
        if !is_finite(&(*con).base) {
            return Some(not_finite("its frame (base)"));
        }
        roles.iter().find_map(|&role| search_body(con, role, of_velocities))
    }
}

/// # Safety
/// As [`of_velocities`], for the body with this role, if there is one.
unsafe fn search_body(con: *const CON, role: Role, of_velocities: bool) -> Option<Code> {
    // SAFETY: the caller promises a valid constraint, and that its body with this role is NULL or valid.
    unsafe {
        let body = constraint::body_of(con, role);
        if body.is_null() || !of_velocities && constraint::is_contact_on_obstacle(con, body) {
            return None;
        }
        let id = (*body).id;
        let not_finite = |what: &str| Some(not_finite(format_args!("{what} of body {id}")));
        let place = BodyPoint::of(con, role, ptr::null_mut());
        if !is_finite(&place.point) {
            let name = if matches!(role, Role::Master) { "mpnt" } else { "spnt" };
            return Some(self::not_finite(format_args!("its point on body {id} ({name})")));
        }
        // Missing or ill-formed data was reported before.
        let view = HostBody::new(body, of_velocities).ok()?;
        if !matches!(view, HostBody::FiniteElement(_)) && !is_finite(&(*body).ref_center) {
            return not_finite("centre (ref_center)");
        }
        if view.rotation().is_some_and(|rotation| !is_finite(rotation)) {
            return not_finite("configuration");
        }
        if of_velocities {
            let (_, velocities) = view.moving_point(body, &place).ok()?;
            let are_finite = velocities.iter().all(|velocity| is_finite(velocity));
            return if are_finite { None } else { not_finite("velocity") };
        }
        if let HostBody::FiniteElement(mesh) = view
            && !mesh.has_finite_base(&place).ok()?
        {
            return not_finite("reduced base (evec)");
        }
        let inertia = body::inertia(body, view.dofs()).ok()?;
        if is_finite(inertia.values()) { None } else { not_finite("inverse") }
    }
}

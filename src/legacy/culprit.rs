//! Which value is not finite if V, B or W of a constraint is not. The search begins only when that is known.

use std::ptr;

use crate::block::{Block, is_finite};

use super::fault::{Error, Fault, Subject, Value};
use super::host::body::{self, Body};
use super::host::constraint;
use super::host::place::{Place, Role};
use super::layout::*;
use super::names;

/// The error of V or B that is not finite, as far as the bodies with these roles make it.
///
/// # Safety
/// The constraint is valid, and so are these of its bodies.
#[cold]
pub unsafe fn of_velocities(con: *const CON, roles: &[Role]) -> Error {
    // SAFETY: the caller promises a valid constraint, and that its bodies with these roles are valid.
    unsafe { constraint::error(con, found(search(con, roles, true), "V or B")) }
}

/// The error of `w`, W of a constraint, if it or its inverse is not finite, or too large to be rounded safely.
///
/// # Safety
/// The constraint and its bodies are valid.
#[cold]
pub unsafe fn of_block(con: *const CON, w: &Block) -> Error {
    // SAFETY: the caller promises a valid constraint with valid bodies.
    unsafe {
        let fault = match is_finite(w) {
            true => found(None, "W or its inverse"),
            false => found(search(con, &Role::BOTH, false), "W"),
        };
        constraint::error(con, fault)
    }
}

/// The error of blocks between two constraints that are not finite although the diagonal ones are.
///
/// # Safety
/// The constraints are valid, their bodies NULL or valid.
#[cold]
pub unsafe fn of_blocks_between(constraints: [*const CON; 2]) -> Error {
    // SAFETY: the caller promises valid constraints.
    let names = constraints.map(|con| unsafe { names::constraint(con) });
    Error { subject: Subject::Pair(names), fault: Fault::NotFinite(Value::Between) }
}

fn found(value: Option<Value>, what: &'static str) -> Fault {
    value.map_or(Fault::Overflow(what, "all that it is made of is"), Fault::NotFinite)
}

/// The first value that is not finite, of those that velocities or else W are made of.
///
/// # Safety
/// As [`of_velocities`].
unsafe fn search(con: *const CON, roles: &[Role], of_velocities: bool) -> Option<Value> {
    // SAFETY: the caller promises a valid constraint, and that its bodies with these roles are valid.
    unsafe {
        if !is_finite(&(*con).base) {
            return Some(Value::Frame);
        }
        roles.iter().find_map(|&role| search_body(con, role, of_velocities))
    }
}

/// # Safety
/// As [`of_velocities`], for the body with this role, if there is one.
unsafe fn search_body(con: *const CON, role: Role, of_velocities: bool) -> Option<Value> {
    // SAFETY: the caller promises a valid constraint, and that its body with this role is NULL or valid.
    unsafe {
        let body = constraint::body_of(con, role);
        if body.is_null() || !of_velocities && constraint::is_contact_on_obstacle(con, body) {
            return None;
        }
        let id = (*body).id;
        let place = Place::of(con, role, ptr::null_mut());
        if !is_finite(&place.point) {
            return Some(Value::Point(role, id));
        }
        // Missing or ill-formed data was reported before.
        let view = Body::new(body, of_velocities).ok()?;
        if !matches!(view, Body::FiniteElement(_)) && !is_finite(&(*body).ref_center) {
            return Some(Value::Center(id));
        }
        if view.rotation().is_some_and(|rotation| !is_finite(rotation)) {
            return Some(Value::Configuration(id));
        }
        if of_velocities {
            let (_, velocities) = view.moving_point(body, &place).ok()?;
            return velocities.iter().any(|velocity| !is_finite(velocity)).then_some(Value::Velocity(id));
        }
        if let Body::FiniteElement(mesh) = view
            && !mesh.has_finite_base(&place).ok()?
        {
            return Some(Value::ReducedBase(id));
        }
        let inertia = body::inertia(body, view.dofs()).ok()?;
        (!is_finite(inertia.values())).then_some(Value::Inverse(id))
    }
}

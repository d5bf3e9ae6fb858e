//! Which value is not finite if V, B or W of a constraint is not. The search begins only when that is known.

use std::{fmt, ptr};

use crate::block::{Block, is_finite};

use super::errors::{Code, fail};
use super::host::body::Body;
use super::host::place::{Place, Role};
use super::host::{constraint, inertia};
use super::layout::*;
use super::names;

/// A value that V, B and W are made of, with the id of its body.
enum Culprit {
    Frame,
    Point(Role, u32),
    Center(u32),
    Configuration(u32),
    Velocity(u32),
    ReducedBase(u32),
    Inverse(u32),
}

impl fmt::Display for Culprit {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Frame => f.write_str("its frame (base)"),
            Self::Point(Role::Master, id) => write!(f, "its point on body {id} (mpnt)"),
            Self::Point(Role::Slave, id) => write!(f, "its point on body {id} (spnt)"),
            Self::Center(id) => write!(f, "centre (ref_center) of body {id}"),
            Self::Configuration(id) => write!(f, "configuration of body {id}"),
            Self::Velocity(id) => write!(f, "velocity of body {id}"),
            Self::ReducedBase(id) => write!(f, "reduced base (evec) of body {id}"),
            Self::Inverse(id) => write!(f, "inverse of body {id}"),
        }
    }
}

/// The error of V or B that is not finite, as far as the bodies with these roles make it.
///
/// # Safety
/// The constraint is valid, and so are these of its bodies.
#[cold]
pub unsafe fn of_velocities(con: *const CON, roles: &[Role]) -> Code {
    // SAFETY: the caller promises a valid constraint, and that its bodies with these roles are valid.
    unsafe { report(con, "V or B", search(con, roles, true)) }
}

/// The error of `w`, W of a constraint, if it or its inverse is not finite, or too large to be rounded safely.
///
/// # Safety
/// The constraint and its bodies are valid.
#[cold]
pub unsafe fn of_block(con: *const CON, w: &Block) -> Code {
    // SAFETY: the caller promises a valid constraint with valid bodies.
    unsafe {
        match is_finite(w) {
            true => report(con, "W or its inverse", None),
            false => report(con, "W", search(con, &Role::BOTH, false)),
        }
    }
}

/// # Safety
/// The constraint is valid.
unsafe fn report(con: *const CON, what: &str, culprit: Option<Culprit>) -> Code {
    // SAFETY: the caller promises a valid constraint.
    let name = unsafe { names::constraint(con) };
    match culprit {
        Some(culprit) => fail!(Code::BugFound, "{name}: {culprit} is not finite"),
        None => fail!(Code::BugFound, "{name}: {what} overflows, though all that it is made of is finite"),
    }
}

/// The first value that is not finite, of those that velocities or else W are made of.
///
/// # Safety
/// As [`of_velocities`].
unsafe fn search(con: *const CON, roles: &[Role], of_velocities: bool) -> Option<Culprit> {
    // SAFETY: the caller promises a valid constraint, and that its bodies with these roles are valid.
    unsafe {
        if !is_finite(&(*con).base) {
            return Some(Culprit::Frame);
        }
        roles.iter().find_map(|&role| search_body(con, role, of_velocities))
    }
}

/// # Safety
/// As [`of_velocities`], for the body with this role, if there is one.
unsafe fn search_body(con: *const CON, role: Role, of_velocities: bool) -> Option<Culprit> {
    // SAFETY: the caller promises a valid constraint, and that its body with this role is NULL or valid.
    unsafe {
        let body = match role {
            Role::Master => (*con).master,
            Role::Slave => (*con).slave,
        };
        if body.is_null() || !of_velocities && constraint::is_contact_on_obstacle(con, body) {
            return None;
        }
        let (id, name) = ((*body).id, names::body(body));
        let place = Place::of(con, role, ptr::null_mut());
        if !is_finite(&place.point) {
            return Some(Culprit::Point(role, id));
        }
        // Missing or ill-formed data was reported before.
        let view = Body::new(body, of_velocities, &name).ok()?;
        if !matches!(view, Body::FiniteElement(_)) && !is_finite(&(*body).ref_center) {
            return Some(Culprit::Center(id));
        }
        if view.rotation().is_some_and(|rotation| !is_finite(rotation)) {
            return Some(Culprit::Configuration(id));
        }
        if of_velocities {
            let (_, velocities) = view.moving_point(body, &place, &name).ok()?;
            return velocities.iter().any(|velocity| !is_finite(velocity)).then_some(Culprit::Velocity(id));
        }
        if let Body::FiniteElement(mesh) = view
            && !mesh.has_finite_base(&place, &name).ok()?
        {
            return Some(Culprit::ReducedBase(id));
        }
        let inertia = inertia::of(body, view.dofs()).ok()?;
        (!is_finite(inertia.values())).then_some(Culprit::Inverse(id))
    }
}

/// The error of blocks between two constraints that are not finite although the diagonal ones are.
///
/// # Safety
/// The constraints are valid, their bodies NULL or valid.
pub unsafe fn of_blocks_between(constraints: [*const CON; 2]) -> Code {
    // SAFETY: the caller promises valid constraints.
    let [first, second] = constraints.map(|con| unsafe { names::constraint(con) });
    fail!(Code::BugFound, "{first} and {second}: W between them is not finite")
}

//! Constraints.

use crate::assembly::velocities::ConstraintSide;
use crate::io::dump::Label;
use crate::legacy::display;
use crate::legacy::errors::{self, Code, Result, invalid};
use crate::legacy::layout::*;

use super::body::HostBody;
use super::body_point::{BodyPoint, CachedLocations, Role};

/// Check that a constraint is of a known kind and has a master.
///
/// # Errors
/// [`Code::InvalidArgument`].
///
/// # Safety
/// `con` is valid, its bodies are NULL or valid.
#[inline(always)]
pub unsafe fn check(con: *const CON) -> Result {
    // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid.
    unsafe {
        check_kind(con)?;
        ensure!(!(*con).master.is_null(), invalid!("{}: no master", display::constraint(con)));
    }
    Ok(())
}

/// Check that a constraint is of a known kind.
///
/// # Errors
/// [`Code::InvalidArgument`].
///
/// # Safety
/// As [`check`].
#[inline(always)]
pub unsafe fn check_kind(con: *const CON) -> Result {
    // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid.
    unsafe {
        ensure!(display::kind((*con).kind).is_some(), invalid!("{}", display::constraint(con)));
    }
    Ok(())
}

/// Put a constraint's name before the thread's last error.
///
/// # Safety
/// As [`check`].
#[cold]
pub unsafe fn error(con: *const CON, code: Code) -> Code {
    // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid.
    errors::about(unsafe { display::constraint(con) }, code)
}

/// The label of a constraint in a dump.
///
/// # Safety
/// `con` has been checked ([`check`]); nobody writes its point and frame during `'a`.
pub unsafe fn label<'a>(con: *const CON) -> Label<'a> {
    // SAFETY: the caller promises a checked constraint, which is valid and has a master.
    unsafe {
        let slave = (*con).slave.as_ref().map_or(-1, |slave| slave.id as i32);
        Label {
            name: display::kind((*con).kind).unwrap_or_default(),
            kind: (*con).kind,
            point: &(*con).point,
            bodies: [(*(*con).master).id as i32, slave],
            base: &(*con).base,
        }
    }
}

/// Whether W omits this body: a contact does not move an obstacle.
///
/// # Safety
/// `con` and `body` are valid.
#[inline(always)]
pub unsafe fn is_contact_on_obstacle(con: *const CON, body: *const BODY) -> bool {
    // SAFETY: the caller promises a valid constraint and a valid body.
    unsafe { (*con).kind == CONTACT && (*body).kind == OBS }
}

/// The body with a role in a constraint; NULL if there is none.
///
/// # Safety
/// `con` is valid.
#[inline(always)]
pub unsafe fn body_of(con: *const CON, role: Role) -> *const BODY {
    // SAFETY: the caller promises a valid constraint.
    unsafe {
        match role {
            Role::Master => (*con).master,
            Role::Slave => (*con).slave,
        }
    }
}

/// One body of a constraint with its velocities.
///
/// # Errors
/// As [`HostBody::new`] and [`HostBody::moving_point`].
///
/// # Safety
/// The constraint and `body`, its body with this role, are valid.
#[inline(always)]
pub unsafe fn side<'a>(
    con: *const CON,
    role: Role,
    body: *const BODY,
    cached: CachedLocations,
) -> Result<ConstraintSide<'a>> {
    // SAFETY: the caller promises a valid constraint, and that the body with this role is valid.
    unsafe {
        let moving = HostBody::new(body, true)
            .and_then(|view| view.moving_point(body, &BodyPoint::of(con, role, cached)))
            .map_err(|code| error(con, code));
        let (point, [previous, current]) = moving?;
        let sign = match role {
            Role::Master => 1.0,
            Role::Slave => -1.0,
        };
        Ok(ConstraintSide { sign, frame: &(*con).base, point, previous, current })
    }
}

/// The roles in which a constraint acts on a body, with their signs. H of the constraint on the body is the signed sum of H at
/// these points.
///
/// # Safety
/// `con` is valid.
#[inline(always)]
pub unsafe fn roles_on(con: *const CON, body: *const BODY) -> impl Iterator<Item = (f64, Role)> {
    // SAFETY: the caller promises a valid constraint.
    let bodies = unsafe { [(*con).master, (*con).slave] };
    let roles = bodies.into_iter().zip([(1.0, Role::Master), (-1.0, Role::Slave)]);
    roles.filter(move |&(one, _)| one.cast_const() == body).map(|(_, role)| role)
}

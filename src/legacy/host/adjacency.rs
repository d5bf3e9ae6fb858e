//! Which constraints interact through a body.

use std::ptr;

use crate::kinematics::finite_element::{Element, adjacent, adjacent_separate};
use crate::legacy::display;
use crate::legacy::errors::{Result, invalid};
use crate::legacy::hooks::geometric_epsilon;
use crate::legacy::layout::*;

use super::body_point::BodyPoint;
use super::constraint;
use super::mesh::Mesh;

/// Decides which constraints interact with one constraint through one body.
pub enum Interaction<'a> {
    /// All do.
    Everything,
    /// The inverse couples only shared nodes.
    SharedNodes {
        /// The body.
        body: *const BODY,
        /// Its mesh.
        mesh: Mesh<'a>,
        /// The constraint's point on it.
        place: BodyPoint,
        /// The first element that may contain it.
        element: Element,
        /// The node of this element that coincides with it.
        node: Option<u32>,
    },
}

/// Whether constraints interact through a body only if they share nodes.
///
/// # Safety
/// `body` is valid.
pub unsafe fn is_by_nodes(body: *const BODY) -> bool {
    // SAFETY: the caller promises a valid body.
    unsafe { (*body).kind == FEM && (*body).scheme == SCH_DEF_EXP }
}

/// Check that the kind of a body is known.
///
/// # Errors
/// [`Code::InvalidArgument`].
///
/// # Safety
/// `body` is valid.
#[inline(always)]
pub unsafe fn check_kind(body: *const BODY) -> Result {
    // SAFETY: the caller promises a valid body.
    match unsafe { (*body).kind } {
        OBS | RIG | PRB | FEM => Ok(()),
        // SAFETY: as above.
        kind => Err(invalid!("body {}: unknown kind {kind}", unsafe { (*body).id })),
    }
}

impl<'a> Interaction<'a> {
    /// Prepare the decision for a constraint and one of its bodies.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] for an unknown kind of body, or an explicit finite-element body without a mesh.
    ///
    /// # Safety
    /// `con` and `body` are valid during `'a`.
    pub unsafe fn new(con: *const CON, body: *const BODY) -> Result<Self> {
        // SAFETY: the caller promises a valid constraint and a valid body.
        unsafe {
            match (*body).kind {
                FEM if is_by_nodes(body) => {
                    let place = place_on(con, body)?;
                    let mesh = Mesh::new(body, &place).map_err(|code| constraint::error(con, code))?;
                    let candidates = mesh.candidates(&place).map_err(|code| constraint::error(con, code))?;
                    let element = candidates.first;
                    let node = mesh.coincident_node(&element, &place, geometric_epsilon());
                    Ok(Self::SharedNodes { body, mesh, place, element, node })
                }
                _ => check_kind(body).map(|()| Self::Everything),
            }
        }
    }

    /// Whether another constraint of the body interacts with this one.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if its point has no elements.
    ///
    /// # Safety
    /// `other` and the arguments of [`Interaction::new`] are valid.
    pub unsafe fn allows(&self, other: *const CON) -> Result<bool> {
        let Self::SharedNodes { body, mesh, place, element, node } = self else { return Ok(true) };
        // SAFETY: the caller promises that `other` and the arguments of `new` are valid.
        unsafe {
            let other_place = place_on(other, *body)?;
            let others = mesh.candidates(&other_place).map_err(|code| constraint::error(other, code))?;
            if mesh.separate {
                return Ok(adjacent_separate(mesh.candidates(place)?.iter(), others.iter()));
            }
            let other = others.first;
            let coincident = || mesh.coincident_node(&other, &other_place, geometric_epsilon());
            Ok(adjacent((element, *node), (&other, coincident)))
        }
    }
}

/// The point of a constraint on a body; the master's point if the body is both.
///
/// # Safety
/// `con` and `body` are valid.
unsafe fn place_on(con: *const CON, body: *const BODY) -> Result<BodyPoint> {
    // SAFETY: the caller promises a valid constraint and a valid body.
    unsafe {
        let role = constraint::roles_on(con, body).next();
        role.map(|(_, role)| BodyPoint::of(con, role, ptr::null_mut())).ok_or_else(|| {
            let (name, id) = (display::constraint(con), (*body).id);
            invalid!("{name}: given with body {id}, which is neither of these")
        })
    }
}

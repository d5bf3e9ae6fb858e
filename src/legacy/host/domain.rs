//! The domain.

use crate::legacy::display;
use crate::legacy::errors::{Code, Result, invalid};
use crate::legacy::layout::*;

/// What an update computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UpdateKind {
    /// Everything.
    All,
    /// V, B, diagonal blocks, free energy, and the blocks of rows other than contacts.
    Penalty,
    /// V and B.
    Minimal,
}

/// The quantities that the domain's solver needs; all of them if there is no solver.
///
/// # Errors
/// [`Code::InvalidArgument`] if the kind is NEWTON_SOLVER and the solver is NULL.
///
/// # Safety
/// `dom` is valid, `dom->solfec` is NULL or valid, and `solfec->solver` has the type of its kind.
pub unsafe fn update_kind(dom: *const DOM) -> Result<UpdateKind> {
    // SAFETY: the caller promises a valid domain; solfec is NULL or valid, and its solver has the type of its kind.
    unsafe {
        let Some(solfec) = (*dom).solfec.as_ref() else { return Ok(UpdateKind::All) };
        match solfec.kind {
            PENALTY_SOLVER => Ok(UpdateKind::Penalty),
            NEWTON_SOLVER => match solfec.solver.cast::<NEWTON>().as_ref() {
                Some(newton) if newton.locdyn == LOCDYN_OFF => Ok(UpdateKind::Minimal),
                Some(_) => Ok(UpdateKind::All),
                None => Err(invalid!("solfec->solver is NULL for a NEWTON_SOLVER")),
            },
            _ => Ok(UpdateKind::All),
        }
    }
}

/// The time step h.
///
/// # Errors
/// [`Code::InvalidArgument`] if it is not finite.
///
/// # Safety
/// `dom` is valid.
pub unsafe fn step(dom: *const DOM) -> Result<f64> {
    // SAFETY: the caller promises a valid domain.
    let step = unsafe { (*dom).step };
    if step.is_finite() { Ok(step) } else { Err(invalid!("the time step is {step}")) }
}

/// The constraints of the domain, in the order of its list. The iteration does not end if the list is cyclic: see
/// [`comes_twice`].
///
/// # Safety
/// `dom` is valid, and nobody changes its list during the iteration.
pub unsafe fn constraints(dom: *const DOM) -> impl Iterator<Item = *mut CON> {
    let link = |con: *mut CON| if con.is_null() { None } else { Some(con) };
    // SAFETY: the caller promises a valid domain whose list nobody changes; constraints of the list are valid.
    unsafe { std::iter::successors(link((*dom).con), move |&con| link((*con).next)) }
}

/// The error of a list that contains a constraint twice.
///
/// # Safety
/// `con` and its bodies are valid.
#[cold]
pub unsafe fn comes_twice(con: *const CON) -> Code {
    // SAFETY: the caller promises a valid constraint with valid bodies.
    let name = unsafe { display::constraint(con) };
    invalid!("{name}: comes twice in dom->con, the list is cyclic")
}

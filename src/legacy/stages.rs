//! The stages of an assembly on bodies and constraints of the host, for whoever keeps the results: rows of this
//! library or a mirror of others. They read the host's structures and write none.

use std::fmt::Display;

use crate::assembly::diagonal::{Diagonal, Fault};
use crate::assembly::panel::{self, Panel};
use crate::assembly::velocities::free_velocities;
use crate::block::{Block, Vector, is_finite};
use crate::inertia::{FactorError, Freshness, Workspace};

use super::errors::{Code, fail};
use super::host::body::Body;
use super::host::domain::UpdateKind;
use super::host::place::Place;
use super::host::{constraint, inertia};
use super::layout::*;
use super::names;

/// V and B of a constraint.
///
/// # Errors
/// As [`constraint::sides`]; [`Code::BugFound`] if they are not finite.
///
/// # Safety
/// The constraint and its bodies are valid.
pub unsafe fn velocities(con: *const CON) -> Result<[Vector; 2], Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let (master, slave) = constraint::sides(con)?;
        let velocities = free_velocities(&(*con).base, &master, slave.as_ref());
        if velocities.iter().all(|velocity| is_finite(velocity)) {
            return Ok(velocities);
        }
        let name = names::constraint(con);
        Err(fail!(Code::BugFound, "{name}: its frame, or place or velocity of a body, is not finite"))
    }
}

/// H of constraints on a body, each in its slot of the panel, of which there are `count`.
///
/// # Errors
/// As [`Body::new`], [`Body::dense_point`] and the panel.
///
/// # Safety
/// The body and the constraints are valid.
pub unsafe fn fill_panel(
    panel: &mut Panel,
    body: *const BODY,
    count: usize,
    slots: impl Iterator<Item = (usize, *const CON)>,
) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let name = names::body(body);
        let view = Body::new(body, false, &name)?;
        let failed = |fault| panel_fault(&name, fault);
        match view {
            Body::FiniteElement(mesh) if mesh.is_nodal() => {
                let nodal = panel.start_nodal(count, mesh.mesh_nodes()).map_err(failed)?;
                for (slot, con, frame, sign, place) in places(slots, body) {
                    let name = names::constraint(con);
                    nodal.add_operator(slot, sign, &mesh.nodal_operator(&place, &frame, &name)?);
                }
            }
            _ => {
                let dense = panel.start_dense(count, view.freedoms()).map_err(failed)?;
                for (slot, con, frame, sign, place) in places(slots, body) {
                    let point = view.dense_point(&place, &names::constraint(con))?;
                    point.add_operator(sign, &frame, dense.operator_mut(slot));
                }
            }
        }
    }
    Ok(())
}

/// The places that constraints have on a body: slot, constraint, local frame, sign, place.
///
/// # Safety
/// The constraints are valid.
unsafe fn places(
    slots: impl Iterator<Item = (usize, *const CON)>,
    body: *const BODY,
) -> impl Iterator<Item = (usize, *const CON, Block, f64, Place)> {
    // SAFETY: promised by the caller.
    slots.flat_map(move |(slot, con)| unsafe {
        constraint::places_on(con, body).map(move |(sign, place)| (slot, con, (*con).base, sign, place))
    })
}

/// What A⁻¹ of a body makes of the operators in its panel.
///
/// # Errors
/// As [`inertia::of`] and the panel.
///
/// # Safety
/// The body is valid.
pub unsafe fn apply_inverse(
    panel: &mut Panel,
    body: *const BODY,
    step: f64,
    work: &mut Workspace,
) -> Result<Option<Freshness>, Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let name = names::body(body);
        let freedoms = Body::new(body, false, &name)?.freedoms();
        let inertia = inertia::of(body, freedoms)?;
        panel.apply(step, &inertia, work).map_err(|fault| panel_fault(&name, fault))
    }
}

/// The error that a fault of a body's panel is.
pub fn panel_fault(body: &dyn Display, fault: panel::Fault) -> Code {
    let code = match fault {
        panel::Fault::Memory => return fail!(Code::OutOfMemory, "{body}: no memory for its operators"),
        panel::Fault::Factor(FactorError::Matrix(_)) => Code::MatrixKind,
        panel::Fault::Factor(FactorError::NotFinite) => Code::BugFound,
        panel::Fault::Factor(FactorError::NotPositiveDefinite { .. }) => Code::CholFactor,
        panel::Fault::Factor(_) => Code::LuFactor,
    };
    fail!(code, "{body}: its matrix A: {fault}")
}

/// The diagonal block of a constraint, of what its bodies contribute, and its share of the free energy; rho for
/// [`UpdateKind::All`] only.
///
/// # Errors
/// [`Code::BugFound`] for what is not finite, [`Code::EigenDecomposition`], [`Code::LuFactor`] for a singular block.
///
/// # Safety
/// The constraint and its bodies are valid.
pub unsafe fn diagonal(
    con: *const CON,
    contributions: impl Iterator<Item = Block>,
    b: &Vector,
    kind: UpdateKind,
) -> Result<(Diagonal, f64), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let diagonal =
            Diagonal::new(contributions, kind == UpdateKind::All).map_err(|fault| unusable(con, fault))?;
        let share = diagonal.free_energy(b, prescribed_velocity(con));
        if share.is_finite() {
            return Ok((diagonal, share));
        }
        let name = names::constraint(con);
        Err(fail!(Code::BugFound, "{name}: B or the prescribed velocity Z[0] is not finite"))
    }
}

/// The velocity that a VELODIR prescribes along the third axis; 0 for other kinds.
///
/// # Safety
/// `con` is valid.
unsafe fn prescribed_velocity(con: *const CON) -> f64 {
    // SAFETY: promised by the caller.
    unsafe { if (*con).kind == VELODIR { (*con).Z[0] } else { 0.0 } }
}

/// # Safety
/// `con` and its bodies are valid.
unsafe fn unusable(con: *const CON, fault: Fault) -> Code {
    // SAFETY: promised by the caller.
    let name = unsafe { names::constraint(con) };
    match fault {
        Fault::NotFinite => fail!(Code::BugFound, "{name}: W or its inverse is not finite"),
        Fault::Eigenvalue => fail!(Code::EigenDecomposition, "{name}: no largest eigenvalue of W found"),
        Fault::Singular => fail!(Code::LuFactor, "{name}: singular W"),
    }
}

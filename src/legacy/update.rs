//! The way of one update, stage by stage.

use std::fmt::Display;

use crate::assembly::diagonal::{Diagonal, Fault};
use crate::assembly::velocities::free_velocities;
use crate::assembly::{pairs, panel};
use crate::block::{Block, is_finite};
use crate::inertia::{FactorError, Freshness, Workspace};

use super::errors::{Code, fail};
use super::host::body::Body;
use super::host::domain::{self, UpdateKind};
use super::host::place::Place;
use super::host::{constraint, inertia};
use super::layout::*;
use super::names;
use super::options;
use super::rows::{Attached, Module, Pair, Row, Slot, reconcile};
use super::stats::Phase;

/// Assemble; see `LOCDYN_Update_Begin`.
///
/// # Safety
/// The domain with all its bodies and constraints is valid.
pub unsafe fn begin(module: &mut Module) -> Result<(), Code> {
    module.follows_domain()?;
    let dom = module.domain()?;
    // SAFETY: promised by the caller.
    unsafe {
        let step = (*dom).step;
        if !step.is_finite() {
            return Err(fail!(Code::BugFound, "the time step is {step}"));
        }
        let kind = domain::update_kind(dom)?;
        let mut watch = module.tally.start();
        velocities(module, dom)?;
        watch.end(Phase::Velocities, &mut module.tally);
        if kind == UpdateKind::Minimal {
            return Ok(());
        }
        reconcile(module)?;
        for attached in module.bodies.bodies_mut() {
            fill_panel(attached)?;
        }
        watch.end(Phase::Operators, &mut module.tally);
        for attached in module.bodies.bodies_mut() {
            let freshness = apply_inverse(attached, step, &mut module.work)?;
            module.tally.count(freshness);
        }
        watch.end(Phase::Solves, &mut module.tally);
        module.face.free_energy = diagonals(module, kind)?;
        watch.end(Phase::Diagonal, &mut module.tally);
        off_diagonals(module, kind);
        watch.end(Phase::Pairs, &mut module.tally);
    }
    Ok(())
}

/// V and B of every constraint of the domain.
///
/// # Safety
/// As [`begin`].
unsafe fn velocities(module: &Module, dom: *const DOM) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        for con in domain::constraints(dom) {
            let row = module.rows.of(con)?;
            let (master, slave) = constraint::sides(con)?;
            let frame = (*con).base;
            let [v, b] = free_velocities(&frame, &master, slave.as_ref());
            if !is_finite(&v) || !is_finite(&b) {
                let name = names::constraint(con);
                return Err(fail!(
                    Code::BugFound,
                    "{name}: its frame, or place or velocity of a body, is not finite"
                ));
            }
            (*con).V = v;
            (*row).face.B = b;
        }
    }
    Ok(())
}

/// H of all rows on a body.
///
/// # Safety
/// As [`begin`]; the rows are reconciled with their constraints.
unsafe fn fill_panel(attached: &mut Attached) -> Result<(), Code> {
    let attached_to = attached.body;
    let (slots, panel) = attached.parts();
    // SAFETY: promised by the caller.
    unsafe {
        let name = names::body(attached_to);
        let body = Body::new(attached_to, false, &name)?;
        let failed = |fault| panel_fault(&name, fault);
        match body {
            Body::FiniteElement(mesh) if mesh.is_nodal() => {
                let nodal = panel.start_nodal(slots.len(), mesh.mesh_nodes()).map_err(failed)?;
                for (slot, con, frame, sign, place) in places(slots, attached_to) {
                    let name = names::constraint(con);
                    nodal.add_operator(slot, sign, &mesh.nodal_operator(&place, &frame, &name)?);
                }
            }
            _ => {
                let dense = panel.start_dense(slots.len(), body.freedoms()).map_err(failed)?;
                for (slot, con, frame, sign, place) in places(slots, attached_to) {
                    let point = body.dense_point(&place, &names::constraint(con))?;
                    point.add_operator(sign, &frame, dense.operator_mut(slot));
                }
            }
        }
    }
    Ok(())
}

/// What A⁻¹ of a body makes of the operators in its panel.
///
/// # Safety
/// As [`begin`].
unsafe fn apply_inverse(
    attached: &mut Attached,
    step: f64,
    work: &mut Workspace,
) -> Result<Option<Freshness>, Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let name = names::body(attached.body);
        let freedoms = Body::new(attached.body, false, &name)?.freedoms();
        let inertia = inertia::of(attached.body, freedoms)?;
        attached.panel.apply(step, &inertia, work).map_err(|fault| panel_fault(&name, fault))
    }
}

/// The places that the constraints of a body have on it: slot, constraint, local frame, sign, place.
///
/// # Safety
/// The rows in the slots are live, and their constraints valid.
unsafe fn places(
    slots: &[Slot],
    body: *const BODY,
) -> impl Iterator<Item = (usize, *const CON, Block, f64, Place)> {
    slots.iter().enumerate().flat_map(move |(slot, taken)| {
        let con = match *taken {
            // SAFETY: promised by the caller.
            Slot::Row(row) => Some(unsafe { (*row).face.con.cast_const() }),
            Slot::Free(_) => None,
        };
        // SAFETY: promised by the caller.
        con.into_iter().flat_map(move |con| unsafe {
            constraint::places_on(con, body).map(move |(sign, place)| (slot, con, (*con).base, sign, place))
        })
    })
}

fn panel_fault(body: &dyn Display, fault: panel::Fault) -> Code {
    let code = match fault {
        panel::Fault::Memory => return fail!(Code::OutOfMemory, "{body}: no memory for its operators"),
        panel::Fault::Factor(FactorError::Matrix(_)) => Code::MatrixKind,
        panel::Fault::Factor(FactorError::NotFinite) => Code::BugFound,
        panel::Fault::Factor(FactorError::NotPositiveDefinite { .. }) => Code::CholFactor,
        panel::Fault::Factor(_) => Code::LuFactor,
    };
    fail!(code, "{body}: its matrix A: {fault}")
}

/// W, A and, for [`UpdateKind::All`], rho of every row; returns the free energy.
///
/// # Safety
/// As [`begin`]; the panels are filled.
unsafe fn diagonals(module: &Module, kind: UpdateKind) -> Result<f64, Code> {
    let mut energy = 0.0;
    // SAFETY: promised by the caller; the list holds live rows.
    unsafe {
        for row in module.list() {
            let sides = (*row).sides.into_iter().flatten();
            let contributions = sides.map(|side| {
                let slot = side.slot as usize;
                module.bodies.body(side.body()).panel.block(slot, slot)
            });
            let diagonal = Diagonal::new(contributions, kind == UpdateKind::All)
                .map_err(|fault| unusable((*row).face.con, fault))?;
            let (con, b) = ((*row).face.con, (*row).face.B);
            let share = diagonal.free_energy(&b, prescribed_velocity(con));
            if !share.is_finite() {
                let name = names::constraint(con);
                return Err(fail!(Code::BugFound, "{name}: B or the prescribed velocity Z[0] is not finite"));
            }
            energy += share;
            write(row, &diagonal);
        }
    }
    Ok(energy)
}

/// # Safety
/// `row` is live.
unsafe fn write(row: *mut Row, diagonal: &Diagonal) {
    // SAFETY: promised by the caller.
    unsafe {
        (*row).face.W = diagonal.w;
        (*row).face.A = diagonal.a;
        if let Some(rho) = diagonal.rho {
            (*row).face.rho = rho;
        }
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

/// The blocks of all pairs, in the order in which they lie in memory; for [`UpdateKind::Penalty`] only those in rows
/// that are no contacts.
///
/// # Safety
/// As [`begin`]; the panels are filled.
unsafe fn off_diagonals(module: &Module, kind: UpdateKind) {
    let once = options::self_contact_once();
    let live = module.pairs.chunks().filter_map(|chunk| {
        // SAFETY: a chunk taken is a pair, live or dead, and each is seen once.
        let pair = unsafe { &mut *chunk.cast::<Pair>() };
        if !pair.is_live() {
            return None;
        }
        let coupling = if once && pair.is_repeated() { None } else { pair.coupling() };
        let [block, transpose] =
            pair.blocks().map(|(block, contact)| (kind == UpdateKind::All || !contact).then_some(block));
        Some(pairs::Pair { coupling, block, transpose })
    });
    pairs::assemble(|body| &module.bodies.body(body as u32).panel, live);
}

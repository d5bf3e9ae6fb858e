//! The way of one update, stage by stage.

use crate::assembly::diagonal::{Diagonal, Fault};
use crate::assembly::pairs;
use crate::assembly::velocities::free_velocities;
use crate::block::is_finite;

use super::errors::{Code, fail};
use super::host::domain::{self, UpdateKind};
use super::host::{body, constraint};
use super::layout::*;
use super::names;
use super::rows::{Attached, Module, Pair, Row, Slot, reconcile};

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
        velocities(module, dom)?;
        if kind == UpdateKind::Minimal {
            return Ok(());
        }
        reconcile(module)?;
        for attached in module.bodies.bodies_mut() {
            fill_panel(attached, step)?;
        }
        module.face.free_energy = diagonals(module, kind)?;
        off_diagonals(module, kind);
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

/// H and Y of all rows on a body.
///
/// # Safety
/// As [`begin`]; the rows are reconciled with their constraints.
unsafe fn fill_panel(attached: &mut Attached, step: f64) -> Result<(), Code> {
    let place = attached.body;
    let (slots, panel) = attached.parts();
    // SAFETY: promised by the caller.
    unsafe {
        let kinematics = body::kinematics(place)?;
        let inverse = body::inverse(place, kinematics.freedoms())?;
        let exhausted = |_| fail!(Code::OutOfMemory, "body {}: no memory for its operators", (*place).id);
        panel.resize(slots.len(), kinematics.freedoms()).map_err(exhausted)?;
        for (slot, taken) in slots.iter().enumerate() {
            let Slot::Row(row) = *taken else { continue };
            let con = (*row).face.con;
            let frame = (*con).base;
            for (sign, point) in constraint::roles_of(con, place) {
                kinematics.add_operator(sign, &point, &frame, panel.operator_mut(slot));
            }
        }
        panel.apply_inverse(step, &inverse);
    }
    Ok(())
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
    let live = module.pairs.chunks().filter_map(|chunk| {
        // SAFETY: a chunk taken is a pair, live or dead, and each is seen once.
        let pair = unsafe { &mut *chunk.cast::<Pair>() };
        if !pair.is_live() {
            return None;
        }
        let coupling = pair.coupling();
        let [block, transpose] =
            pair.blocks().map(|(block, contact)| (kind == UpdateKind::All || !contact).then_some(block));
        Some(pairs::Pair { coupling, block, transpose })
    });
    pairs::assemble(|body| &module.bodies.body(body as u32).panel, live);
}

//! The way of one update, stage by stage.

use crate::assembly::diagonal::Diagonal;
use crate::assembly::pairs;

use super::errors::Code;
use super::host::domain::{self, UpdateKind};
use super::layout::*;
use super::options;
#[cfg(feature = "mpi")]
use super::parallel;
#[cfg(feature = "mpi")]
use super::rows::external;
use super::rows::{Attached, Module, Pair, Row, Slot, reconcile};
use super::stages;
use super::stats::Phase;

/// Assemble; see `LOCDYN_Update_Begin`.
///
/// # Safety
/// The domain with all its bodies and constraints is valid.
pub unsafe fn begin(module: &mut Module) -> Result<(), Code> {
    let mut watch = module.tally.start();
    // SAFETY: promised by the caller.
    unsafe {
        #[cfg(feature = "mpi")]
        let (step, kind) = parallel::exchange::together(module, |module, world| {
            prepare(module, |module, dom| parallel::velocities::of_parents(module, dom, world))
        })?;
        #[cfg(not(feature = "mpi"))]
        let (step, kind) = prepare(module, |module, dom| velocities(module, dom))?;
        watch.end(Phase::Velocities, &mut module.tally);
        if kind == UpdateKind::Minimal {
            return Ok(());
        }
        reconcile(module)?;
        #[cfg(feature = "mpi")]
        external::rebuild(module, module.face.dom, kind)?;
        for attached in module.bodies.bodies_mut() {
            fill_panel(attached)?;
        }
        watch.end(Phase::Operators, &mut module.tally);
        for attached in module.bodies.bodies_mut() {
            let freshness =
                stages::apply_inverse(&mut attached.panel, attached.body, step, &mut module.work)?;
            module.tally.count(freshness);
        }
        watch.end(Phase::Solves, &mut module.tally);
        module.face.free_energy = diagonals(module, kind)?;
        watch.end(Phase::Diagonal, &mut module.tally);
        off_diagonals(module, kind);
        #[cfg(feature = "mpi")]
        external::assemble(module);
        watch.end(Phase::Pairs, &mut module.tally);
    }
    Ok(())
}

/// The time step and what is to be computed, behind `velocities`, which every kind of update begins with.
///
/// # Safety
/// As [`begin`].
unsafe fn prepare(
    module: &mut Module,
    velocities: impl FnOnce(&mut Module, *const DOM) -> Result<(), Code>,
) -> Result<(f64, UpdateKind), Code> {
    module.follows_domain()?;
    let dom = module.domain()?;
    // SAFETY: promised by the caller.
    let (step, kind) = unsafe { (domain::step(dom)?, domain::update_kind(dom)?) };
    velocities(module, dom)?;
    Ok((step, kind))
}

/// V and B of every constraint of the domain.
///
/// # Safety
/// As [`begin`].
#[cfg(not(feature = "mpi"))]
unsafe fn velocities(module: &Module, dom: *const DOM) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        for con in domain::constraints(dom) {
            let row = module.rows.of(con)?;
            let [v, b] = stages::velocities(con)?;
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
    let body = attached.body;
    let (slots, externals, panel) = attached.parts();
    let taken = slots.iter().enumerate().filter_map(|(slot, taken)| match *taken {
        // SAFETY: rows in slots are live.
        Slot::Row(row) => Some((slot, unsafe { (*row).face.con.cast_const() })),
        Slot::Free(_) => None,
    });
    let count = slots.len() + externals.len();
    let taken = taken.chain((slots.len()..).zip(externals.iter().copied()));
    // SAFETY: promised by the caller.
    unsafe { stages::fill_panel(panel, body, count, taken) }
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
            let (con, b) = ((*row).face.con, (*row).face.B);
            let (diagonal, share) = stages::diagonal(con, contributions, &b, kind)?;
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

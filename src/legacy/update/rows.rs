//! What belongs to a row alone: V and B, operators of rigid and pseudo-rigid bodies, diagonal blocks.
//!
//! Few rows at a time go through all three, so that constraints and rows are fetched from memory once.

use crate::assembly::dispatch::dispatch;
use crate::assembly::panel::root;
use crate::block::lanes::packed;
use crate::block::{Block, add};
use crate::legacy::errors::Code;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::rows::{Attachments, Module, Operators};
use crate::legacy::stages;
use crate::legacy::stats::{Phase, Stopwatch};

use super::tasks::Task;

/// Rows at a time: with what they point to, they fit a second-level cache.
const BATCH: usize = 64;

/// Update all rows that were gathered; returns the free energy.
///
/// # Errors
/// As the stages.
///
/// # Safety
/// The constraints and their bodies are valid; panels are ready, but for [`UpdateKind::Minimal`].
pub unsafe fn assemble(module: &mut Module, kind: UpdateKind, watch: &mut Stopwatch) -> Result<f64, Code> {
    let Module { tasks, bodies, tally, .. } = module;
    dispatch(
        #[inline(always)]
        || {
            for batch in tasks.chunks_mut(BATCH) {
                // SAFETY: promised by the caller.
                unsafe {
                    velocities(batch)?;
                    watch.end(Phase::Velocities, tally);
                    if kind == UpdateKind::Minimal {
                        continue;
                    }
                    let mut w = [[0.0; 9]; BATCH];
                    contributions(batch, bodies, &mut w);
                    watch.end(Phase::Operators, tally);
                    diagonals(batch, &w, kind)?;
                    watch.end(Phase::Diagonal, tally);
                }
            }
            Ok(tasks.iter().map(|task| task.energy).sum())
        },
    )
}

/// V and B.
///
/// # Safety
/// As [`assemble`].
#[inline(always)]
unsafe fn velocities(batch: &[Task]) -> Result<(), Code> {
    for &Task { con, row, .. } in batch.iter().filter(|task| task.is_listed) {
        // SAFETY: promised by the caller.
        unsafe {
            let [v, b] = stages::velocities(con)?;
            (*con).V = v;
            (*row).face.B = b;
        }
    }
    Ok(())
}

/// What the bodies of each row contribute to its diagonal block. Operators are written on the way, where that is left to
/// do.
///
/// # Safety
/// As [`assemble`].
#[inline(always)]
unsafe fn contributions(batch: &[Task], bodies: &Attachments, w: &mut [Block; BATCH]) {
    for (&Task { con, row, .. }, w) in batch.iter().zip(w) {
        // SAFETY: promised by the caller; the slot is this row's, nobody else writes or reads it during the stage, and
        // its memory is as large as the body has slots.
        unsafe {
            for side in (*row).sides.into_iter().flatten() {
                let attached = bodies.body(side.body());
                let slot = side.slot as usize;
                let contribution = match &attached.operators {
                    Operators::Rigid(root, slots) => {
                        let z = stages::rigid_slot(con, attached.body, root);
                        slots.add(slot).write(packed(&z));
                        packed(&root::square(&z))
                    }
                    Operators::PseudoRigid(root, slots) => {
                        let z = stages::pseudo_rigid_slot(con, attached.body, root);
                        slots.add(slot).write(packed(&z));
                        packed(&root::square(&z))
                    }
                    Operators::Complete => attached.panel.block(slot, slot),
                };
                add(w, &contribution);
            }
        }
    }
}

/// W, A and, for [`UpdateKind::All`], rho; shares of the free energy.
///
/// # Safety
/// As [`assemble`].
#[inline(always)]
unsafe fn diagonals(batch: &mut [Task], w: &[Block; BATCH], kind: UpdateKind) -> Result<(), Code> {
    for (task, w) in batch.iter_mut().zip(w) {
        // SAFETY: promised by the caller; the row is live.
        unsafe {
            let face = &mut (*task.row).face;
            let (diagonal, share) = stages::diagonal(task.con, w, &face.B, kind)?;
            task.energy = share;
            face.W = diagonal.w;
            face.A = diagonal.a;
            if let Some(rho) = diagonal.rho {
                face.rho = rho;
            }
        }
    }
    Ok(())
}

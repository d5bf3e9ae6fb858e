//! What belongs to a row alone: V and B, operators of rigid and pseudo-rigid bodies, diagonal blocks.
//!
//! Few rows at a time go through all three, so that constraints and rows are fetched from memory once.

use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::assembly::diagonal::Diagonal;
use crate::assembly::dispatch::dispatch;
use crate::block::lanes::{add, add_scaled, packed, vector};
use crate::block::{Block, Vector};
use crate::legacy::errors::Code;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::host::place::Role;
use crate::legacy::layout::BODY;
use crate::legacy::prefetch::fetch;
use crate::legacy::rows::{Attachments, Module, Operators};
use crate::legacy::stages::{self, Share};
use crate::legacy::stats::{Phase, Stopwatch};
use crate::threads::Team;

use super::VELOCITIES_AHEAD;
use super::disjoint::{Disjoint, Read, part};
use super::tasks::Task;

/// Rows at a time: with what they point to, they fit a second-level cache.
const BATCH: usize = 64;

/// What a row has before its bodies are asked.
const NOTHING: Share = Share { velocities: [[0.0; 4]; 2], w: [[0.0; 4]; 3], changed: false };

/// Rows a thread takes at a time.
const ROWS: usize = 4 * BATCH;

/// Update all rows that were gathered; returns the free energy.
///
/// # Errors
/// As the stages, of the first row that fails.
///
/// # Safety
/// The constraints and their bodies are valid; panels are ready, but for [`UpdateKind::Minimal`].
pub unsafe fn assemble(
    module: &mut Module,
    kind: UpdateKind,
    reuse: bool,
    team: &Team,
    watch: &mut Stopwatch,
) -> Result<f64, Code> {
    let Module { tasks, bodies, tally, .. } = module;
    let count = tasks.len();
    let has_failed = AtomicBool::new(false);
    if team.size() > 1 {
        let (tasks, bodies) = (Disjoint::new(tasks), Read(bodies));
        team.share(count.div_ceil(ROWS), &|_, number| {
            // SAFETY: each part is done once; the rest is promised by the caller.
            let result = unsafe {
                let tasks = tasks.range(part(number, ROWS, count));
                some(tasks, bodies.get(), kind, reuse, &mut |_| {})
            };
            if result.is_err() {
                has_failed.store(true, Ordering::Relaxed);
            }
        });
        watch.end(Phase::Velocities, tally);
    }
    // After a failure once more, in order and on this thread, whose the text of the error is to be.
    if team.size() == 1 || has_failed.into_inner() {
        // SAFETY: promised by the caller.
        unsafe { some(tasks, bodies, kind, reuse, &mut |phase| watch.end(phase, tally))? };
    }
    Ok(tasks.iter().map(|task| task.energy).sum())
}

/// Update some rows; `ended` is told of the end of each phase.
///
/// # Errors
/// As [`assemble`].
///
/// # Safety
/// As there; nobody else updates these rows.
unsafe fn some(
    tasks: &mut [Task],
    bodies: &Attachments,
    kind: UpdateKind,
    reuse: bool,
    ended: &mut dyn FnMut(Phase),
) -> Result<(), Code> {
    if kind == UpdateKind::Minimal {
        if !VELOCITIES_AHEAD {
            // SAFETY: promised by the caller.
            unsafe { velocities(tasks)? };
        }
        ended(Phase::Velocities);
        return Ok(());
    }
    dispatch(
        #[inline(always)]
        || {
            for start in (0..tasks.len()).step_by(BATCH) {
                let end = tasks.len().min(start + BATCH);
                let (batch, later) = tasks[start..].split_at_mut(end - start);
                // SAFETY: promised by the caller.
                unsafe {
                    fetch_ahead(batch, later, bodies);
                    let mut shares = [NOTHING; BATCH];
                    contributions(batch, bodies, &mut shares)?;
                    ended(Phase::Velocities);
                    diagonals(batch, &shares, kind, reuse)?;
                    ended(Phase::Diagonal);
                }
            }
            Ok(())
        },
    )
}

/// Ask for what is reached through what has been asked for before: constraints and rows two batches ahead, bodies one
/// batch ahead, their configurations and velocities now.
///
/// # Safety
/// As [`assemble`].
#[inline(always)]
unsafe fn fetch_ahead(batch: &[Task], later: &[Task], bodies: &Attachments) {
    // SAFETY: promised by the caller; what may be NULL is only asked for.
    unsafe {
        for task in later.iter().skip(BATCH).take(BATCH) {
            fetch(task.con);
            fetch(task.row);
        }
        for task in later.iter().take(BATCH) {
            for body in [(*task.con).master, (*task.con).slave] {
                fetch(body.wrapping_byte_add(offset_of!(BODY, ref_center)).cast::<Vector>());
                fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<[*mut f64; 2]>());
            }
            for side in (*task.row).sides.into_iter().flatten() {
                fetch(&raw const bodies.operators[side.body() as usize]);
            }
        }
        for task in batch {
            for body in [(*task.con).master, (*task.con).slave] {
                if let Some(body) = body.as_ref() {
                    fetch(body.conf.cast::<Block>());
                    fetch(body.velo.cast::<[f64; 12]>());
                }
            }
        }
    }
}

/// V and B alone.
///
/// # Safety
/// As [`assemble`].
unsafe fn velocities(tasks: &[Task]) -> Result<(), Code> {
    for task in tasks {
        // SAFETY: promised by the caller.
        unsafe { write_velocities(task, stages::velocities(task.con, (*task.row).known)?) };
    }
    Ok(())
}

/// V and B, and what the bodies of each row contribute to its diagonal block. Operators are written on the way, where that
/// is left to do.
///
/// # Safety
/// As [`assemble`].
#[inline(always)]
unsafe fn contributions(
    batch: &[Task],
    bodies: &Attachments,
    shares: &mut [Share; BATCH],
) -> Result<(), Code> {
    for (task, share) in batch.iter().zip(shares) {
        // SAFETY: promised by the caller.
        unsafe {
            contribution(task, bodies, share)?;
            if task.is_listed && !VELOCITIES_AHEAD {
                let [v, b] = &share.velocities;
                write_velocities(task, stages::finite(task.con, [vector(v), vector(b)])?);
            }
        }
    }
    Ok(())
}

/// Add what all bodies of a row contribute to what is `made`.
///
/// # Safety
/// As [`assemble`].
#[inline(always)]
unsafe fn contribution(
    &Task { con, row, .. }: &Task,
    bodies: &Attachments,
    made: &mut Share,
) -> Result<(), Code> {
    // SAFETY: promised by the caller; the slots are this row's, nobody else writes or reads them during the stage.
    unsafe {
        let mut left = [(*con).master, (*con).slave];
        for (side, body) in (*row).sides.into_iter().zip((*row).bodies) {
            let Some(side) = side else { continue };
            let (index, slot) = (side.body() as usize, side.slot as usize);
            let share = match &bodies.operators[index] {
                Operators::Rigid(root, slots) => stages::rigid_share(con, body, root, slots, slot)?,
                Operators::PseudoRigid(root, slots) => {
                    stages::pseudo_rigid_share(con, body, root, slots, slot)?
                }
                Operators::Complete => {
                    made.changed = true;
                    add(&mut made.w, &bodies.panels[index].columns(slot, slot));
                    continue;
                }
            };
            add(&mut made.w, &share.w);
            add(&mut made.velocities, &share.velocities);
            made.changed |= share.changed;
            left.iter_mut().filter(|left| **left == body).for_each(|left| *left = ptr::null_mut());
        }
        if VELOCITIES_AHEAD {
            left = [ptr::null_mut(); 2];
        }
        // Bodies without a root, and obstacles that W leaves out.
        for (body, role, sign) in [(left[0], Role::Master, 1.0), (left[1], Role::Slave, -1.0)] {
            if !body.is_null() {
                let local = stages::local_velocities(con, role, body, (*row).known)?;
                for (sum, [x, y, z]) in made.velocities.iter_mut().zip(local) {
                    add_scaled(sum, &[x, y, z, 0.0], sign);
                }
            }
        }
    }
    Ok(())
}

/// # Safety
/// As [`assemble`].
#[inline(always)]
unsafe fn write_velocities(task: &Task, [v, b]: [Vector; 2]) {
    // SAFETY: promised by the caller.
    unsafe {
        (*task.con).V = v;
        (*task.row).face.B = b;
    }
}

/// W, A and, for [`UpdateKind::All`], rho; shares of the free energy. With `reuse` what follows from operators that have
/// not changed is left as it is.
///
/// # Safety
/// As [`assemble`].
#[inline(always)]
unsafe fn diagonals(
    batch: &mut [Task],
    shares: &[Share; BATCH],
    kind: UpdateKind,
    reuse: bool,
) -> Result<(), Code> {
    for (task, share) in batch.iter_mut().zip(shares) {
        // SAFETY: promised by the caller; the row is live.
        unsafe {
            let face = &mut (*task.row).face;
            let diagonal = match reuse && !share.changed {
                true => Diagonal { w: face.W, a: face.A, rho: None },
                false => stages::diagonal(task.con, &packed(&share.w), kind)?,
            };
            task.energy = stages::free_energy(task.con, &diagonal, &face.B)?;
            face.W = diagonal.w;
            face.A = diagonal.a;
            if let Some(rho) = diagonal.rho {
                face.rho = rho;
            }
        }
    }
    Ok(())
}

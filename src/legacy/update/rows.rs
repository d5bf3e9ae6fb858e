//! What belongs to a row alone: V and B, operators of rigid and pseudo-rigid bodies, diagonal blocks.
//!
//! Few rows at a time go through all three, so that constraints and rows are fetched from memory once.

use std::mem::offset_of;
use std::ops::Range;
use std::ptr;

use crate::assembly::diagonal::Diagonal;
use crate::block::lanes::{Lanes, Level, Work, add, at_best, packed};
use crate::block::{Block, Vector};
use crate::first_error::FirstError;
use crate::legacy::errors::{Carried, Code, fail};
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::host::place::Role;
use crate::legacy::layout::BODY;
use crate::legacy::prefetch::fetch;
use crate::legacy::rows::{Attachments, Module, Operators, Way};
use crate::legacy::stages::{self, Share};
use crate::legacy::stats::{Phase, Stopwatch};
use crate::threads::Team;

use super::VELOCITIES_AHEAD;
use super::disjoint::{Disjoint, part};
use super::tasks::Task;

/// Rows at a time: with what they point to, they fit a second-level cache.
const BATCH: usize = 32;

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
    team: &mut Team,
    watch: &mut Stopwatch,
) -> Result<f64, Code> {
    let Module { tasks, bodies, tally, .. } = module;
    let count = tasks.len();
    if team.size() > 1 {
        let first_error = FirstError::default();
        let (tasks, bodies) = (Disjoint::new(tasks), &*bodies);
        team.share(count.div_ceil(ROWS), &|_, number| {
            // SAFETY: each part is done once; the rest is promised by the caller.
            let result = unsafe {
                let tasks = tasks.range(part(number, ROWS, count));
                at_best(Part::new(tasks, bodies, kind, reuse, &mut |_| {}))
            };
            if let Err(code) = result {
                first_error.note(number, Carried::last(code));
            }
        });
        watch.end(Phase::Velocities, tally);
        first_error.into_result().map_err(Carried::raise)?;
    } else {
        let mut ended = |phase| watch.end(phase, tally);
        // SAFETY: promised by the caller.
        at_best(unsafe { Part::new(tasks, bodies, kind, reuse, &mut ended) })?;
    }
    // Not `sum`, which starts at −0.
    let energy = tasks.iter().fold(0.0, |sum, task| sum + task.energy);
    match energy.is_finite() {
        true => Ok(energy),
        false => Err(fail!(Code::BugFound, "the free energy of all constraints together is not finite")),
    }
}

/// Some rows to be updated.
struct Part<'a> {
    tasks: &'a mut [Task],
    bodies: &'a Attachments,
    kind: UpdateKind,
    reuse: bool,
    ended: &'a mut dyn FnMut(Phase),
}

impl<'a> Part<'a> {
    /// `ended` is told of the end of each phase.
    ///
    /// # Safety
    /// As [`assemble`], until the work is done; nobody else updates these rows.
    unsafe fn new(
        tasks: &'a mut [Task],
        bodies: &'a Attachments,
        kind: UpdateKind,
        reuse: bool,
        ended: &'a mut dyn FnMut(Phase),
    ) -> Self {
        Self { tasks, bodies, kind, reuse, ended }
    }
}

impl Work for Part<'_> {
    type Output = Result<(), Code>;

    #[inline(always)]
    fn at<L: Level>(self, level: L) -> Result<(), Code> {
        let Self { tasks, bodies, kind, reuse, ended } = self;
        if kind == UpdateKind::Minimal {
            if !VELOCITIES_AHEAD {
                // SAFETY: promised to Part::new.
                unsafe { velocities(tasks)? };
            }
            ended(Phase::Velocities);
            return Ok(());
        }
        for start in (0..tasks.len()).step_by(BATCH) {
            let end = tasks.len().min(start + BATCH);
            // SAFETY: promised to Part::new.
            unsafe {
                let mut shares = [Share::none(level); BATCH];
                contributions(level, tasks, start..end, bodies, &mut shares)?;
                ended(Phase::Velocities);
                diagonals(level, &mut tasks[start..end], &shares, kind, reuse)?;
                ended(Phase::Diagonal);
            }
        }
        Ok(())
    }
}

/// How many places ahead constraints and rows are asked for, bodies that these lead to, and what bodies lead to.
const AHEAD: [usize; 3] = [64, 32, 12];

/// Ask for some of what the tasks that come some places later will need: evenly, as memory takes only so many requests at
/// a time.
///
/// # Safety
/// As [`assemble`].
#[inline(always)]
unsafe fn fetch_ahead(tasks: &[Task], place: usize, bodies: &Attachments) {
    // SAFETY: promised by the caller; what may be NULL is only asked for.
    unsafe {
        if let Some(task) = tasks.get(place + AHEAD[0]) {
            fetch(task.con);
            fetch(task.row);
        }
        if let Some(task) = tasks.get(place + AHEAD[1]) {
            for body in task.bodies {
                fetch(body.wrapping_byte_add(offset_of!(BODY, ref_center)).cast::<Vector>());
                fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<[*mut f64; 2]>());
            }
            for side in (*task.row).sides.into_iter().flatten() {
                let operators = &raw const bodies.operators[side.body() as usize];
                fetch(operators.cast::<[u8; Operators::RIGID]>());
            }
        }
        if let Some(task) = tasks.get(place + AHEAD[2]) {
            for body in task.bodies {
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
unsafe fn contributions<L: Level>(
    level: L,
    tasks: &[Task],
    batch: Range<usize>,
    bodies: &Attachments,
    shares: &mut [Share<L::Lanes>; BATCH],
) -> Result<(), Code> {
    for (place, share) in batch.zip(shares) {
        let task = &tasks[place];
        // SAFETY: promised by the caller.
        unsafe {
            fetch_ahead(tasks, place, bodies);
            contribution(level, task, bodies, share)?;
            if task.is_listed && !VELOCITIES_AHEAD {
                let [v, b] = share.velocities;
                write_velocities(task, stages::finite(task.con, &Role::BOTH, [v.vector(), b.vector()])?);
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
unsafe fn contribution<L: Level>(
    level: L,
    &Task { con, row, .. }: &Task,
    bodies: &Attachments,
    made: &mut Share<L::Lanes>,
) -> Result<(), Code> {
    // SAFETY: promised by the caller; the slots are this row's, nobody else writes or reads them during the stage.
    unsafe {
        let mut left = [(*con).master, (*con).slave];
        for k in 0..2 {
            let (Some(side), body) = ((*row).sides[k], (*row).bodies[k]) else { continue };
            let (index, slot) = (side.body() as usize, side.slot as usize);
            let Operators { way, root } = &bodies.operators[index];
            match way {
                Way::Rigid(slots) => stages::add_rigid_share(level, con, body, root, slots, slot, made)?,
                Way::PseudoRigid(slots) => {
                    stages::add_pseudo_rigid_share(level, con, body, root, slots, slot, made)?;
                }
                Way::Complete => {
                    made.changed = true;
                    add(&mut made.w, &bodies.panels[index].columns(level, slot, slot));
                    continue;
                }
            }
            for left in &mut left {
                *left = if *left == body { ptr::null_mut() } else { *left };
            }
        }
        if VELOCITIES_AHEAD || left == [ptr::null_mut(); 2] {
            return Ok(());
        }
        // Bodies without a root, and obstacles that W leaves out.
        for (body, role, sign) in [(left[0], Role::Master, 1.0), (left[1], Role::Slave, -1.0)] {
            if !body.is_null() {
                let local = stages::local_velocities(con, role, body, (*row).known)?;
                for (sum, local) in made.velocities.iter_mut().zip(local) {
                    *sum = *sum + level.of_vector(local) * sign;
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
unsafe fn diagonals<L: Level>(
    level: L,
    batch: &mut [Task],
    shares: &[Share<L::Lanes>; BATCH],
    kind: UpdateKind,
    reuse: bool,
) -> Result<(), Code> {
    for (tasks, shares) in batch.chunks_mut(4).zip(shares.chunks_exact(4)) {
        if let ([_, _, _, _], [a, b, c, d]) = (&*tasks, shares)
            && kind == UpdateKind::All
            && !reuse
            && let Some(diagonals) = Diagonal::four(level, [a.w, b.w, c.w, d.w])
        {
            for (task, diagonal) in tasks.iter_mut().zip(&diagonals) {
                // SAFETY: promised by the caller.
                unsafe { write_diagonal(task, diagonal)? };
            }
            continue;
        }
        for (task, share) in tasks.iter_mut().zip(shares) {
            // SAFETY: promised by the caller; the row is live.
            unsafe {
                let face = &(*task.row).face;
                let diagonal = match reuse && !share.changed && !(*task.row).is_stale {
                    true => Diagonal { w: face.W, a: face.A, rho: None },
                    false => stages::diagonal(task.con, &packed(&share.w), kind)?,
                };
                write_diagonal(task, &diagonal)?;
            }
        }
    }
    Ok(())
}

/// # Errors
/// As [`stages::free_energy`].
///
/// # Safety
/// As [`assemble`].
#[inline(always)]
unsafe fn write_diagonal(task: &mut Task, diagonal: &Diagonal) -> Result<(), Code> {
    // SAFETY: promised by the caller; the row is live.
    unsafe {
        let face = &mut (*task.row).face;
        task.energy = stages::free_energy(task.con, diagonal, &face.B)?;
        face.W = diagonal.w;
        face.A = diagonal.a;
        (*task.row).is_stale = false;
        if let Some(rho) = diagonal.rho {
            face.rho = rho;
        }
    }
    Ok(())
}

//! The steps of one update: [`gather`] gathers the constraints with their rows; these, the bodies that
//! they are attached to and the pairs of blocks are the [`scene`] that [`crate::assembly::update`] goes over.

mod scene;

use std::mem;

use crate::assembly::update::Phase;
use crate::assembly::update::bodies::{How, prepare};
use crate::assembly::update::pairs::assemble as assemble_pairs;
use crate::assembly::update::rows::{Wanted, assemble};
use crate::threads::Team;

use super::errors::{Code, fail};
use super::host::domain::{self, UpdateKind};
use super::options;
#[cfg(feature = "mpi")]
use super::parallel;
#[cfg(feature = "mpi")]
use super::rows::external;
use super::rows::{Attachments, LocalDynamics, gather as gather_rows};
use super::usage::Stopwatch;
use scene::{ALL, AS_WANTED, CHANGED, HostBodies, HostPairs, HostRows, PART};

/// Whether V and B are made before everything else, from what bodies on all processes do (`legacy::parallel`).
const VELOCITIES_AHEAD: bool = cfg!(feature = "mpi");

/// Assemble; see `LOCDYN_Update_Begin`.
///
/// # Safety
/// The domain with all its bodies and constraints is valid.
pub unsafe fn begin(module: &mut LocalDynamics) -> Result<(), Code> {
    let mut watch = module.tally.start();
    // Nothing counts as made until all of it is.
    let reusable = mem::take(&mut module.reusable);
    // This comes before the team is needed, so that its threads wake up meanwhile.
    let mut team = Team::if_it_pays(module.bodies.made.pays_for_threads(module.rows.pool.live()));
    // SAFETY: the caller promises a valid domain.
    unsafe {
        #[cfg(not(feature = "mpi"))]
        let (step, kind) = gather(module, &mut team)?;
        #[cfg(feature = "mpi")]
        let (step, kind) = parallel::exchange::together(module, |module, world| {
            let found = gather(module, &mut team)?;
            parallel::velocities::of_parents(module, world)?;
            Ok(found)
        })?;
        let settings = options::revision();
        // External blocks have slots of their own in each update, so nothing can be reused.
        let reuse =
            reusable == Some(settings) && kind == UpdateKind::All && options::reuse() && !VELOCITIES_AHEAD;
        watch.end(Phase::Velocities, &mut module.tally);
        match kind {
            UpdateKind::Minimal => make_rows(module, Wanted::Velocities, &mut team, &mut watch)?,
            _ => make_all(module, step, kind, reuse, &mut team, &mut watch)?,
        }
        module.reusable = (kind == UpdateKind::All).then_some(settings);
    }
    Ok(())
}

/// Collect the constraints; the time step, and what is to be computed.
///
/// # Safety
/// As [`begin`].
unsafe fn gather(module: &mut LocalDynamics, team: &mut Team) -> Result<(f64, UpdateKind), Code> {
    module.follows_domain()?;
    let dom = module.domain()?;
    // SAFETY: the caller promises a valid domain.
    unsafe {
        let step = domain::step(dom)?;
        let kind = domain::update_kind(dom)?;
        gather_rows(module, dom, kind, team)?;
        Ok((step, kind))
    }
}

/// Make operators, rows and pairs of what was gathered.
///
/// # Safety
/// As [`begin`].
unsafe fn make_all(
    module: &mut LocalDynamics,
    step: f64,
    kind: UpdateKind,
    reuse: bool,
    team: &mut Team,
    watch: &mut Stopwatch,
) -> Result<(), Code> {
    // SAFETY: the caller promises a valid domain; live rows are those of valid constraints.
    unsafe {
        #[cfg(feature = "mpi")]
        external::rebuild(module, kind)?;
        make_operators(module, step, team, watch)?;
        make_rows(module, Wanted::Diagonal { with_rho: kind == UpdateKind::All, reuse }, team, watch)?;
        let energy = free_energy(module)?;
        make_pairs(module, kind, reuse, team)?;
        #[cfg(feature = "mpi")]
        external::assemble(module)?;
        module.public.free_energy = energy;
    }
    watch.end(Phase::Pairs, &mut module.tally);
    Ok(())
}

/// # Safety
/// As [`begin`].
unsafe fn make_operators(
    module: &mut LocalDynamics,
    step: f64,
    team: &mut Team,
    watch: &mut Stopwatch,
) -> Result<(), Code> {
    let LocalDynamics { bodies: Attachments { bodies, made, .. }, tally, .. } = module;
    let how = How { step, complete: VELOCITIES_AHEAD };
    // SAFETY: the caller promises that bodies and constraints are valid.
    let bodies = unsafe { HostBodies::new(bodies) };
    let factors = prepare(&bodies, made, how, team, &mut |phase| watch.end(phase, tally))?;
    tally.count(factors.kept, factors.made);
    Ok(())
}

/// # Safety
/// As [`begin`].
unsafe fn make_rows(
    module: &mut LocalDynamics,
    wanted: Wanted,
    team: &mut Team,
    watch: &mut Stopwatch,
) -> Result<(), Code> {
    let LocalDynamics { bodies, tasks, tally, .. } = module;
    // SAFETY: the caller promises that constraints and bodies are valid; rows were gathered once each.
    let rows = unsafe { HostRows::new(tasks) };
    Ok(assemble(rows, &bodies.made, wanted, team, &mut |phase| watch.end(phase, tally))?)
}

/// The free energy of all rows, in their order.
///
/// # Errors
/// [`Code::BugFound`] if it is not finite.
fn free_energy(module: &LocalDynamics) -> Result<f64, Code> {
    // Not `sum`, which starts at −0.
    let energy = module.tasks.iter().fold(0.0, |sum, task| sum + task.energy);
    match energy.is_finite() {
        true => Ok(energy),
        false => Err(fail!(Code::BugFound, "the free energy of all constraints together is not finite")),
    }
}

/// # Safety
/// As [`begin`].
unsafe fn make_pairs(
    module: &mut LocalDynamics,
    kind: UpdateKind,
    reuse: bool,
    team: &mut Team,
) -> Result<(), Code> {
    let wanted = scene::Wanted { kind, reuse, once: options::self_contact_once() && !module.is_mirror() };
    let panels = &module.bodies.made.panels[..];
    for run in module.pairs.runs() {
        // SAFETY: the caller promises valid constraints; chunks in use are live pairs of live rows.
        let made = unsafe {
            match (kind, reuse, wanted.once) {
                (UpdateKind::All, false, false) => {
                    assemble_pairs(HostPairs::<ALL>::new(&run, wanted), PART, panels, team)
                }
                (UpdateKind::All, true, false) => {
                    assemble_pairs(HostPairs::<CHANGED>::new(&run, wanted), PART, panels, team)
                }
                _ => assemble_pairs(HostPairs::<AS_WANTED>::new(&run, wanted), PART, panels, team),
            }
        };
        made?;
    }
    Ok(())
}

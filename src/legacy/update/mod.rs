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
pub unsafe fn begin(dynamics: &mut LocalDynamics) -> Result<(), Code> {
    let mut watch = dynamics.tally.start();
    // Nothing counts as made until all of it is.
    let reusable = mem::take(&mut dynamics.reusable);
    // This comes before the team is needed, so that its threads wake up meanwhile.
    let mut team = Team::if_it_pays(dynamics.bodies.made.pays_for_threads(dynamics.rows.pool.live()));
    // SAFETY: the caller promises a valid domain.
    unsafe {
        #[cfg(not(feature = "mpi"))]
        let (step, kind) = gather(dynamics, &mut team)?;
        #[cfg(feature = "mpi")]
        let (step, kind) = parallel::exchange::together(dynamics, |dynamics, world| {
            let found = gather(dynamics, &mut team)?;
            parallel::velocities::of_parents(dynamics, world)?;
            Ok(found)
        })?;
        let settings = options::revision();
        // External blocks have slots of their own in each update, so nothing can be reused.
        let reuse =
            reusable == Some(settings) && kind == UpdateKind::All && options::reuse() && !VELOCITIES_AHEAD;
        watch.end(Phase::Velocities, &mut dynamics.tally);
        match kind {
            UpdateKind::Minimal => make_rows(dynamics, Wanted::Velocities, &mut team, &mut watch)?,
            _ => make_all(dynamics, step, kind, reuse, &mut team, &mut watch)?,
        }
        dynamics.reusable = (kind == UpdateKind::All).then_some(settings);
    }
    Ok(())
}

/// Collect the constraints; the time step, and what is to be computed.
///
/// # Safety
/// As [`begin`].
unsafe fn gather(dynamics: &mut LocalDynamics, team: &mut Team) -> Result<(f64, UpdateKind), Code> {
    dynamics.follows_domain()?;
    let dom = dynamics.domain()?;
    // SAFETY: the caller promises a valid domain.
    unsafe {
        let step = domain::step(dom)?;
        let kind = domain::update_kind(dom)?;
        gather_rows(dynamics, dom, kind, team)?;
        Ok((step, kind))
    }
}

/// Make operators, rows and pairs of what was gathered.
///
/// # Safety
/// As [`begin`].
unsafe fn make_all(
    dynamics: &mut LocalDynamics,
    step: f64,
    kind: UpdateKind,
    reuse: bool,
    team: &mut Team,
    watch: &mut Stopwatch,
) -> Result<(), Code> {
    // SAFETY: the caller promises a valid domain; live rows are those of valid constraints.
    unsafe {
        #[cfg(feature = "mpi")]
        external::rebuild(dynamics, kind)?;
        make_operators(dynamics, step, team, watch)?;
        make_rows(dynamics, Wanted::Diagonal { with_rho: kind == UpdateKind::All, reuse }, team, watch)?;
        let energy = free_energy(dynamics)?;
        make_pairs(dynamics, kind, reuse, team)?;
        #[cfg(feature = "mpi")]
        external::assemble(dynamics)?;
        dynamics.public.free_energy = energy;
    }
    watch.end(Phase::Pairs, &mut dynamics.tally);
    Ok(())
}

/// # Safety
/// As [`begin`].
unsafe fn make_operators(
    dynamics: &mut LocalDynamics,
    step: f64,
    team: &mut Team,
    watch: &mut Stopwatch,
) -> Result<(), Code> {
    let LocalDynamics { bodies: Attachments { bodies, made, .. }, tally, .. } = dynamics;
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
    dynamics: &mut LocalDynamics,
    wanted: Wanted,
    team: &mut Team,
    watch: &mut Stopwatch,
) -> Result<(), Code> {
    let LocalDynamics { bodies, gathered, tally, .. } = dynamics;
    // SAFETY: the caller promises that constraints and bodies are valid; rows were gathered once each.
    let rows = unsafe { HostRows::new(gathered) };
    Ok(assemble(rows, &bodies.made, wanted, team, &mut |phase| watch.end(phase, tally))?)
}

/// The free energy of all rows, in their order.
///
/// # Errors
/// [`Code::BugFound`] if it is not finite.
fn free_energy(dynamics: &LocalDynamics) -> Result<f64, Code> {
    // Not `sum`, which starts at −0.
    let energy = dynamics.gathered.iter().fold(0.0, |sum, entry| sum + entry.energy);
    match energy.is_finite() {
        true => Ok(energy),
        false => Err(fail!(Code::BugFound, "the free energy of all constraints together is not finite")),
    }
}

/// # Safety
/// As [`begin`].
unsafe fn make_pairs(
    dynamics: &mut LocalDynamics,
    kind: UpdateKind,
    reuse: bool,
    team: &mut Team,
) -> Result<(), Code> {
    let wanted = scene::Wanted { kind, reuse, once: options::self_contact_once() && !dynamics.is_mirror() };
    let panels = &dynamics.bodies.made.panels[..];
    for run in dynamics.pairs.runs() {
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

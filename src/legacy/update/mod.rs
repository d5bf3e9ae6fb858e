//! The steps of one update: [`gather`] collects the constraints with their rows. Together with the bodies to which they are
//! attached and the pairs of blocks they form the [`scene`] of [`crate::assembly::update`].

mod scene;

use std::ffi::c_int;
use std::mem;

use crate::assembly::bodies::{How, prepare};
use crate::assembly::pairs::assemble as assemble_pairs;
use crate::assembly::rows::{Wanted, assemble};
use crate::assembly::update::Phase;
use crate::team::Team;

use super::c_api::types::{LDY_REUSE, LDY_SELF_CONTACT_ONCE};
use super::errors::{Result, invalid};
use super::ffi::status;
use super::host::domain::{self, UpdateKind};
use super::layout::LOCDYN;
#[cfg(feature = "mpi")]
use super::mpi;
use super::options;
#[cfg(feature = "mpi")]
use super::rows::external;
use super::rows::{Attachments, GatheredRow, LocalDynamics, gather as gather_rows};
pub use scene::of_panel;
use scene::{HostBodies, HostPairs, HostRows, PART, VELOCITIES_AHEAD};

/// See `LOCDYN_Update_Begin`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_update_begin(ldy: *mut LOCDYN) -> c_int {
    status(|| {
        // SAFETY: the host promises a LOCDYN that nobody else uses meanwhile.
        let dynamics = unsafe { LocalDynamics::from_public(ldy) };
        #[cfg(feature = "mpi")]
        let dynamics = dynamics.map_err(mpi::exchange::withdraw);
        // SAFETY: the host promises that the domain is valid with all its bodies and constraints.
        unsafe { begin(dynamics?) }
    })
}

/// Assemble.
///
/// # Safety
/// The domain with all its bodies and constraints is valid.
pub unsafe fn begin(dynamics: &mut LocalDynamics) -> Result {
    dynamics.stats.start();
    // Nothing is reusable until the update is complete.
    let reusable = mem::take(&mut dynamics.reusable);
    // The team is requested early, so that its threads wake up meanwhile.
    let mut team = Team::if_it_pays(dynamics.bodies.made.pays_for_threads(dynamics.rows.pool.live(), true));
    // SAFETY: the caller promises a valid domain.
    unsafe {
        #[cfg(not(feature = "mpi"))]
        let (step, kind) = gather(dynamics, &mut team)?;
        #[cfg(feature = "mpi")]
        let (step, kind) = mpi::exchange::together(dynamics, |dynamics, world| {
            let found = gather(dynamics, &mut team)?;
            mpi::velocities::of_parents(dynamics, world)?;
            Ok(found)
        })?;
        let settings = options::revision();
        // External constraints get new slots in each update, so nothing can be reused.
        let reuse = reusable == Some(settings)
            && kind == UpdateKind::All
            && options::is_set(LDY_REUSE)
            && !VELOCITIES_AHEAD;
        dynamics.stats.end(Phase::Velocities);
        make(dynamics, step, kind, reuse, &mut team)?;
        dynamics.reusable = (kind == UpdateKind::All).then_some(settings);
    }
    Ok(())
}

/// Collect the constraints. Returns the time step and the kind of update.
///
/// # Safety
/// As [`begin`].
unsafe fn gather(dynamics: &mut LocalDynamics, team: &mut Team) -> Result<(f64, UpdateKind)> {
    dynamics.check_is_no_clone()?;
    let dom = dynamics.domain()?;
    // SAFETY: the caller promises a valid domain.
    unsafe {
        let step = domain::step(dom)?;
        let kind = domain::update_kind(dom)?;
        gather_rows(dynamics, dom, kind, team)?;
        Ok((step, kind))
    }
}

/// Compute operators, rows and pairs of the gathered constraints.
///
/// # Safety
/// As [`begin`].
unsafe fn make(
    dynamics: &mut LocalDynamics,
    step: f64,
    kind: UpdateKind,
    reuse: bool,
    team: &mut Team,
) -> Result {
    let once = options::is_set(LDY_SELF_CONTACT_ONCE) && dynamics.rows.mirrored.is_none();
    // SAFETY: the caller promises a valid domain with valid constraints and bodies. Each row was gathered once; chunks in use
    // are live pairs of live rows.
    unsafe {
        #[cfg(feature = "mpi")]
        if kind != UpdateKind::Minimal {
            external::rebuild(dynamics, kind)?;
        }
        let LocalDynamics { bodies: Attachments { bodies, made, .. }, gathered, pairs, stats, .. } = dynamics;
        if kind == UpdateKind::Minimal {
            let mut ended = |phase| stats.end(phase);
            return Ok(assemble(HostRows::new(gathered), made, Wanted::Velocities, team, &mut ended)?);
        }
        let how = How { step, complete: VELOCITIES_AHEAD };
        let factors = prepare(&HostBodies::new(bodies), made, how, team, &mut |phase| stats.end(phase))?;
        stats.factors_reused += factors.kept;
        stats.factorizations += factors.made;
        let wanted = Wanted::Diagonal { with_rho: kind == UpdateKind::All, reuse };
        assemble(HostRows::new(gathered), made, wanted, team, &mut |phase| stats.end(phase))?;
        let energy = free_energy(gathered)?;
        let wanted = scene::PairOptions { kind, reuse, once };
        // Prefetching restarts with each part, so a single thread takes whole slabs.
        let parts = pairs.parts(if team.size() > 1 { PART } else { usize::MAX });
        match wanted == scene::PairOptions::EVERYTHING {
            true => assemble_pairs(HostPairs::<true>::new(parts, wanted), 1, &made.panels, team)?,
            false => assemble_pairs(HostPairs::<false>::new(parts, wanted), 1, &made.panels, team)?,
        }
        #[cfg(feature = "mpi")]
        external::assemble(dynamics)?;
        dynamics.public.free_energy = energy;
    }
    dynamics.stats.end(Phase::Pairs);
    Ok(())
}

/// The free energy of all rows, in their order.
///
/// # Errors
/// [`Code::InvalidArgument`] if it is not finite.
fn free_energy(gathered: &[GatheredRow]) -> Result<f64> {
    // Not `sum`, which starts at −0.
    let energy = gathered.iter().fold(0.0, |sum, entry| sum + entry.energy);
    let why = "the free energy of all constraints together is not finite";
    ensure!(energy.is_finite(), invalid!("{why}"));
    Ok(energy)
}

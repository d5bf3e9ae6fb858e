//! The way of one update: [`tasks`] gathers the constraints with their rows, [`bodies`] readies the panels,
//! [`rows`] computes what belongs to a row alone, [`pairs`] the blocks between rows. The last three are shared by threads.

mod bodies;
mod disjoint;
mod pairs;
mod rows;
mod tasks;

pub use tasks::Task;

use std::mem;

use crate::threads::Team;

use super::errors::Code;
use super::host::domain::{self, UpdateKind};
use super::options;
#[cfg(feature = "mpi")]
use super::parallel;
use super::rows::Module;
#[cfg(feature = "mpi")]
use super::rows::external;
use super::stats::Phase;

/// Whether V and B are made ahead of everything else, of what bodies on all processes do (`legacy::parallel`).
const VELOCITIES_AHEAD: bool = cfg!(feature = "mpi");

/// Assemble; see `LOCDYN_Update_Begin`.
///
/// # Safety
/// The domain with all its bodies and constraints is valid.
pub unsafe fn begin(module: &mut Module) -> Result<(), Code> {
    let mut watch = module.tally.start();
    // Nothing counts as made until all of it is.
    let reusable = mem::take(&mut module.reusable);
    // Before it is needed: its threads wake up meanwhile.
    let mut team = Team::for_constraints(module.rows.pool.live());
    // SAFETY: promised by the caller.
    unsafe {
        #[cfg(not(feature = "mpi"))]
        let (step, kind) = gather(module, &mut team)?;
        #[cfg(feature = "mpi")]
        let (step, kind) = parallel::exchange::together(module, |module, world| {
            let found = gather(module, &mut team)?;
            parallel::velocities::of_parents(module, world)?;
            Ok(found)
        })?;
        // External blocks have slots of their own in each update: nothing is as before.
        let settings = options::revision();
        let reuse =
            reusable == Some(settings) && kind == UpdateKind::All && options::reuse() && !VELOCITIES_AHEAD;
        watch.end(Phase::Velocities, &mut module.tally);
        if kind != UpdateKind::Minimal {
            #[cfg(feature = "mpi")]
            external::rebuild(module, kind)?;
            if let Err(code) = bodies::prepare(module, step, reuse, &mut team, &mut watch) {
                // If a constraint knows what is wrong, its text says more.
                rows::assemble(module, UpdateKind::Minimal, false, &mut Team::alone(), &mut watch)?;
                return Err(code);
            }
        }
        let energy = rows::assemble(module, kind, reuse, &mut team, &mut watch)?;
        if kind != UpdateKind::Minimal {
            pairs::assemble(module, kind, reuse, &mut team)?;
            #[cfg(feature = "mpi")]
            external::assemble(module)?;
            module.face.free_energy = energy;
            watch.end(Phase::Pairs, &mut module.tally);
        }
        module.reusable = (kind == UpdateKind::All).then_some(settings);
    }
    Ok(())
}

/// Collect the constraints; the time step, and what is to be computed.
///
/// # Safety
/// As [`begin`].
unsafe fn gather(module: &mut Module, team: &mut Team) -> Result<(f64, UpdateKind), Code> {
    module.follows_domain()?;
    let dom = module.domain()?;
    // SAFETY: promised by the caller.
    unsafe {
        let step = domain::step(dom)?;
        let kind = domain::update_kind(dom)?;
        tasks::gather(module, dom, kind, team)?;
        Ok((step, kind))
    }
}

//! The way of one update: [`tasks`] gathers the constraints with their rows, [`bodies`] readies the panels,
//! [`rows`] computes what belongs to a row alone, [`pairs`] the blocks between rows. The last three are shared by threads.

mod bodies;
mod disjoint;
mod pairs;
mod rows;
mod tasks;

pub use tasks::Task;

use crate::threads::Team;

use super::errors::Code;
use super::host::domain::{self, UpdateKind};
use super::rows::Module;
use super::stats::Phase;

/// Constraints from which on threads pay.
const ENOUGH_FOR_A_TEAM: usize = 512;

/// Assemble; see `LOCDYN_Update_Begin`.
///
/// # Safety
/// The domain with all its bodies and constraints is valid.
pub unsafe fn begin(module: &mut Module) -> Result<(), Code> {
    module.follows_domain()?;
    let dom = module.domain()?;
    // SAFETY: promised by the caller.
    unsafe {
        let step = domain::step(dom)?;
        let kind = domain::update_kind(dom)?;
        let mut watch = module.tally.start();
        tasks::gather(module, dom, kind)?;
        watch.end(Phase::Velocities, &mut module.tally);
        let team = match module.tasks.len() {
            0..ENOUGH_FOR_A_TEAM => Team::alone(),
            _ => Team::gather(),
        };
        if kind != UpdateKind::Minimal {
            if let Err(code) = bodies::prepare(module, step, &team, &mut watch) {
                // If a constraint knows what is wrong, its text says more.
                rows::assemble(module, UpdateKind::Minimal, &Team::alone(), &mut watch)?;
                return Err(code);
            }
        }
        let energy = rows::assemble(module, kind, &team, &mut watch)?;
        if kind != UpdateKind::Minimal {
            module.face.free_energy = energy;
            pairs::assemble(module, kind, &team);
            watch.end(Phase::Pairs, &mut module.tally);
        }
    }
    Ok(())
}

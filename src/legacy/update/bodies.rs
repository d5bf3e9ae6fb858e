//! The panels of bodies.

use crate::assembly::panel::Panel;
use crate::legacy::errors::Code;
use crate::legacy::rows::{Attached, Module, Operators, Slot};
use crate::legacy::stages;
use crate::legacy::stats::{Phase, Stopwatch};

use super::VELOCITIES_AHEAD;

/// Ready the panels of all bodies: complete but for rigid and pseudo-rigid bodies, whose operators are left to their
/// constraints, which make V and B of them as well. Where V and B have been made, all are complete.
///
/// # Errors
/// As [`stages::start_panel`] and [`stages::apply_inverse`].
///
/// # Safety
/// The bodies with rows attached and their constraints are valid.
pub unsafe fn prepare(module: &mut Module, step: f64, watch: &mut Stopwatch) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        for (attached, panel, operators) in module.bodies.parts_mut() {
            *operators = start(attached, panel, step)?;
        }
        watch.end(Phase::Operators, &mut module.tally);
        for (attached, panel, _) in module.bodies.parts_mut() {
            let freshness = stages::apply_inverse(panel, attached.body, step, &mut module.work)?;
            module.tally.count(freshness);
        }
        watch.end(Phase::Solves, &mut module.tally);
    }
    Ok(())
}

/// # Safety
/// As [`prepare`].
unsafe fn start(attached: &Attached, panel: &mut Panel, step: f64) -> Result<Operators, Code> {
    let slots = attached.slots();
    let taken = slots.iter().enumerate().filter_map(|(slot, taken)| match *taken {
        // SAFETY: rows in slots are live.
        Slot::Row(row) => Some((slot, unsafe { (*row).face.con.cast_const() })),
        Slot::Free(_) => None,
    });
    if !VELOCITIES_AHEAD {
        // SAFETY: promised by the caller.
        return unsafe { stages::start_panel(panel, attached.body, step, slots.len(), taken) };
    }
    let externals = attached.externals();
    let taken = taken.chain((slots.len()..).zip(externals.iter().copied()));
    // SAFETY: promised by the caller.
    unsafe { stages::fill_panel(panel, attached.body, step, slots.len() + externals.len(), taken)? };
    Ok(Operators::Complete)
}

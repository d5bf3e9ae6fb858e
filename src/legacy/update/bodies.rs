//! The panels of bodies.

use crate::legacy::errors::Code;
use crate::legacy::rows::{Attached, Module, Slot};
use crate::legacy::stages;
use crate::legacy::stats::{Phase, Stopwatch};

/// Ready the panels of all bodies: complete but for rigid and pseudo-rigid bodies, whose operators are left to their
/// constraints.
///
/// # Errors
/// As [`stages::start_panel`] and [`stages::apply_inverse`].
///
/// # Safety
/// The bodies with rows attached and their constraints are valid.
pub unsafe fn prepare(module: &mut Module, step: f64, watch: &mut Stopwatch) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        for attached in module.bodies.bodies_mut() {
            fill(attached, step)?;
        }
        watch.end(Phase::Operators, &mut module.tally);
        for attached in module.bodies.bodies_mut() {
            let freshness =
                stages::apply_inverse(&mut attached.panel, attached.body, step, &mut module.work)?;
            module.tally.count(freshness);
        }
        watch.end(Phase::Solves, &mut module.tally);
    }
    Ok(())
}

/// # Safety
/// As [`prepare`].
unsafe fn fill(attached: &mut Attached, step: f64) -> Result<(), Code> {
    let body = attached.body;
    let (slots, panel, operators) = attached.parts();
    let taken = slots.iter().enumerate().filter_map(|(slot, taken)| match *taken {
        // SAFETY: rows in slots are live.
        Slot::Row(row) => Some((slot, unsafe { (*row).face.con.cast_const() })),
        Slot::Free(_) => None,
    });
    // SAFETY: promised by the caller.
    *operators = unsafe { stages::start_panel(panel, body, step, slots.len(), taken)? };
    Ok(())
}

//! The one exchange of an update.

use std::ffi::c_int;

use crate::ffi::caught;
use crate::legacy::errors::{Code, Result, fail};
use crate::legacy::rows::LocalDynamics;
use crate::memory::refill;

use super::arrange::Exchange;
use super::velocities;
use super::world::{Record, World, total};

/// Run `prepare`, the part of an update that computes this process's V and B and the records for others, then exchange the
/// records. Collective, even if `prepare` fails.
///
/// # Errors
/// The errors of `prepare`; [`Code::InvalidArgument`] if it fails on another rank, MPI fails, or a received record fits no constraint
/// of this process; [`Code::OutOfMemory`].
///
/// # Safety
/// The domain with all its constraints and their bodies is valid.
pub unsafe fn together<T>(
    dynamics: &mut LocalDynamics,
    prepare: impl FnOnce(&mut LocalDynamics, Option<&World>) -> Result<T>,
) -> Result<T> {
    dynamics.exchange.outbox.clear();
    (dynamics.exchange.messages, dynamics.exchange.message_bytes) = (0, 0);
    let Some(mut world) = World::current()? else { return prepare(dynamics, None) };
    let prepared = caught(|| {
        let result = prepare(dynamics, Some(&world))?;
        dynamics.exchange.outbox.sort(world.sent(), c_int::MAX)?;
        Ok(result)
    });
    let result = prepared.inspect_err(|_| world.withdraw())?;
    world.exchange_counts()?;
    // The other ranks already send and wait, and messages may be in transit to and from this process's memory: an error cannot
    // be undone.
    receive(&mut dynamics.exchange, &mut world).inspect_err(|_| World::give_up())?;
    let counts = world.received();
    let mut places = 0..;
    for (rank, &count) in counts.iter().enumerate() {
        for place in places.by_ref().take(count as usize) {
            let record = dynamics.exchange.inbox[place];
            // SAFETY: the caller promises a valid domain with valid constraints and bodies.
            unsafe { velocities::add(dynamics, rank, &record)? };
        }
    }
    Ok(result)
}

/// Report a missing local dynamics to the other ranks, which may have one. Returns the error again.
pub fn withdraw(code: Code) -> Code {
    if let Ok(Some(mut world)) = World::current() {
        world.withdraw();
    }
    code
}

fn receive(exchange: &mut Exchange, world: &mut World) -> Result {
    let count = total(world.received());
    refill(&mut exchange.inbox, count, Record::default())
        .map_err(|_| fail!(Code::OutOfMemory, "no memory for what comes from other ranks"))?;
    let out = &exchange.outbox.sorted[..];
    world.exchange(out, &mut exchange.inbox)?;
    exchange.messages = world.sent().iter().filter(|&&count| count > 0).count();
    exchange.message_bytes = size_of_val(out);
    Ok(())
}

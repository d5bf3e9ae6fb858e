//! The panels of bodies.

use std::mem::offset_of;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::assembly::panel::Panel;
use crate::assembly::panel::root::Root;
use crate::first_error::FirstError;
use crate::inertia::{Freshness, Workspace};
use crate::legacy::errors::{Carried, Code, fail};
use crate::legacy::layout::{BODY, MX};
use crate::legacy::prefetch::fetch;
use crate::legacy::rows::{Attached, Attachments, Module, Operators, Slot, Way};
use crate::legacy::stages::{self, Occupant};
use crate::legacy::stats::{Phase, Stopwatch};
use crate::threads::Team;

use super::VELOCITIES_AHEAD;
use super::disjoint::{Disjoint, part};

/// Bodies a thread takes at a time, where a body may be a mesh.
const BODIES: usize = 16;

/// Ready the panels of all bodies: complete but for rigid and pseudo-rigid bodies, whose operators are left to their
/// constraints, which make V and B of them as well; with `reuse` these find out whether they change. Where V and B have
/// been made, all are complete.
///
/// # Errors
/// As [`stages::start_panel`] and [`stages::apply_inverse`], of the first body that fails.
///
/// # Safety
/// The bodies with rows attached and their constraints are valid.
pub unsafe fn prepare(
    module: &mut Module,
    step: f64,
    reuse: bool,
    team: &mut Team,
    watch: &mut Stopwatch,
) -> Result<(), Code> {
    let Module { bodies: Attachments { bodies, panels, operators, .. }, works, tally, .. } = module;
    let missing = team.size().saturating_sub(works.len());
    works.try_reserve(missing).map_err(|_| fail!(Code::OutOfMemory, "no memory for an update"))?;
    works.resize_with(works.len().max(team.size()), Workspace::default);

    let start = |attached: &Attached, panel: &mut Panel, operators: &mut Operators, _: &mut Workspace| {
        // SAFETY: promised by the caller.
        operators.way = unsafe { start(attached, panel, &mut operators.root, step, reuse)? };
        Ok(None)
    };
    // SAFETY: promised by the caller.
    each(bodies, panels, operators, works, team, &start, &|ahead| unsafe { fetch_ahead(ahead) })?;
    watch.end(Phase::Operators, tally);
    let solve = |attached: &Attached, panel: &mut Panel, _: &mut Operators, work: &mut Workspace| {
        // SAFETY: promised by the caller.
        unsafe { stages::apply_inverse(panel, attached.body, step, work) }
    };
    let [kept, renewed] = each(bodies, panels, operators, works, team, &solve, &|_| {})?;
    tally.count(kept, renewed);
    watch.end(Phase::Solves, tally);
    Ok(())
}

/// How many places ahead bodies are asked for, matrices that these lead to, and the arrays of matrices.
const AHEAD: [usize; 3] = [24, 16, 8];

/// Ask for some of what the bodies that come some places later will need.
///
/// # Safety
/// As [`prepare`].
#[inline(always)]
unsafe fn fetch_ahead(bodies: &[Attached]) {
    // Free indices have no body. Of the others all that is read has been asked for before.
    let at = |ahead: usize| bodies.get(ahead).map_or(ptr::null_mut(), |attached| attached.body);
    let body = at(AHEAD[0]);
    fetch(body.cast::<[u8; 64]>());
    fetch(body.wrapping_byte_add(offset_of!(BODY, conf)).cast::<*mut f64>());
    fetch(body.wrapping_byte_add(offset_of!(BODY, inverse)).cast::<*mut MX>());
    // SAFETY: promised by the caller; what may be NULL is only asked for.
    unsafe {
        if let Some(body) = at(AHEAD[1]).as_ref() {
            fetch(body.inverse);
        }
        if let Some(matrix) = at(AHEAD[2]).as_ref().and_then(|body| body.inverse.as_ref()) {
            fetch(matrix.p);
            fetch(matrix.i);
            fetch(matrix.x.cast::<[f64; 18]>());
        }
    }
}

/// What is done for a body.
type Step<'a> = dyn Fn(&Attached, &mut Panel, &mut Operators, &mut Workspace) -> Result<Option<Freshness>, Code>
    + Sync
    + 'a;

/// Do something for each body with rows; returns how many factors were kept, and made.
fn each(
    bodies: &[Attached],
    panels: &mut [Panel],
    operators: &mut [Operators],
    works: &mut [Workspace],
    team: &mut Team,
    step: &Step,
    fetch: &(dyn Fn(&[Attached]) + Sync),
) -> Result<[usize; 2], Code> {
    let counts = [AtomicUsize::new(0), AtomicUsize::new(0)];
    let first_error = FirstError::default();
    {
        let (panels, operators, works) =
            (Disjoint::new(panels), Disjoint::new(operators), Disjoint::new(works));
        let count = panels.len();
        team.share(count.div_ceil(BODIES), &|member, number| {
            let range = part(number, BODIES, count);
            // SAFETY: each part is done once, and a member of the team is one thread.
            let (panels, operators, work) = unsafe {
                (
                    panels.range(range.clone()),
                    operators.range(range.clone()),
                    &mut works.range(member..member + 1)[0],
                )
            };
            let first = range.start;
            for (place, ((attached, panel), operators)) in
                (first..).zip(bodies[range].iter().zip(panels).zip(operators))
            {
                fetch(&bodies[place..]);
                if !attached.has_rows() {
                    continue;
                }
                match step(attached, panel, operators, work) {
                    Ok(Some(Freshness::Kept)) => drop(counts[0].fetch_add(1, Ordering::Relaxed)),
                    Ok(Some(_)) => drop(counts[1].fetch_add(1, Ordering::Relaxed)),
                    Ok(None) => {}
                    Err(code) => return first_error.note(place, Carried::last(code)),
                }
            }
        });
    }
    first_error.into_result().map_err(Carried::raise)?;
    Ok(counts.map(AtomicUsize::into_inner))
}

/// # Safety
/// As [`prepare`].
unsafe fn start(
    attached: &Attached,
    panel: &mut Panel,
    root: &mut Root,
    step: f64,
    reuse: bool,
) -> Result<Way, Code> {
    let slots = attached.slots();
    let taken = slots.iter().enumerate().filter_map(|(slot, taken)| match *taken {
        // SAFETY: rows in slots are live.
        Slot::Row(row) => unsafe {
            Some(Occupant { slot, con: (*row).face.con.cast_const(), known: (*row).known })
        },
        Slot::Free(_) => None,
    });
    if !VELOCITIES_AHEAD {
        // SAFETY: promised by the caller.
        return unsafe { stages::start_panel(panel, root, attached.body, step, reuse, slots.len(), taken) };
    }
    let externals = attached.externals();
    let external = |(slot, &con)| Occupant { slot, con, known: ptr::null_mut() };
    let taken = taken.chain((slots.len()..).zip(externals).map(external));
    // SAFETY: promised by the caller.
    unsafe { stages::fill_panel(panel, attached.body, step, slots.len() + externals.len(), taken)? };
    Ok(Way::Complete)
}

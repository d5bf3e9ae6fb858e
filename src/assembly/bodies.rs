//! The operators of bodies. Rows write the operators of bodies with a Cholesky factor of h A⁻¹; all others are complete.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::scene::{Bodies, KinematicsRef};
use super::update::BodyOperators;
use super::update::Phase;
use crate::body_operators::Panel;
use crate::body_operators::factored::{CholeskyOfInverse, Slots, Started, Target, Writer};
use crate::body_operators::general::General;
use crate::body_operators::nodal::NodalPanel;
use crate::body_operators::pseudo_rigid::PseudoRigidSlot;
use crate::first_error::FirstError;
use crate::inertia::{FactorStatus, InertiaRef, Inverse, Workspace};
use crate::kinematics::Point;
use crate::kinematics::finite_element::NodalOperator;
use crate::math::Block;
use crate::math::simd::{Plain, write};
use crate::memory::{collect, refill};
use crate::team::Team;

/// The largest number of bodies that a thread takes at a time.
const MOST: usize = 8;

/// The number of parts for each thread, so that no thread waits long for another.
const PARTS: usize = 16;

/// Parameters of the operators.
#[derive(Clone, Copy, Debug)]
pub struct How {
    /// The time step h.
    pub step: f64,
    /// Whether all operators are put into the panels; if not, rows write the operators of bodies with a Cholesky factor.
    pub complete: bool,
}

/// The numbers of factors of matrices A that were kept and made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FactorCounts {
    /// The number of factors that were still right.
    pub kept: usize,
    /// The number of factors that were made.
    pub made: usize,
}

/// Prepare the operators of all bodies with slots, except kept ones; `made` has a panel for each body.
///
/// # Errors
/// The error of the first body that cannot be started, else of the first whose A⁻¹ cannot be applied, else of the first whose
/// inverse callback fails.
pub fn prepare<B: Bodies>(
    bodies: &B,
    made: &mut BodyOperators,
    how: How,
    team: &mut Team,
    ended: &mut dyn FnMut(Phase),
) -> Result<FactorCounts, B::Fault> {
    let BodyOperators { panels, writers, works, heavy, stacked } = made;
    let missing = team.size().saturating_sub(works.len());
    works.try_reserve(missing).map_err(|_| bodies.memory())?;
    works.resize_with(works.len().max(team.size()), Workspace::default);

    let size = (panels.len() / (PARTS * team.size())).clamp(1, MOST);
    team.try_share_parts((&mut panels[..], &mut writers[..]), size, |first, (panels, writers)| {
        for (body, (panel, writer)) in (first..).zip(panels.iter_mut().zip(writers)) {
            bodies.fetch_ahead(body);
            if is_wanted(bodies, body) {
                start(bodies, body, panel, writer, how)?;
            }
        }
        Ok(())
    })?;
    ended(Phase::Operators);

    // Bodies without slots may still have an older panel.
    let is_heavy = |(body, panel): &(u32, &Panel)| is_wanted(bodies, *body as usize) && panel.needs_inverse();
    let waiting = || (0..).zip(&*panels).filter(is_heavy).map(|(body, _)| body);
    collect(heavy, waiting().count(), waiting()).map_err(|_| bodies.memory())?;
    let first_error = FirstError::default();
    let [kept, renewed] = [AtomicUsize::new(0), AtomicUsize::new(0)];
    team.share_chosen(works, panels, heavy, |work, body, panel| {
        match apply_inverse(bodies, body, panel, how.step, work) {
            Ok(Some(FactorStatus::Kept)) => drop(kept.fetch_add(1, Ordering::Relaxed)),
            Ok(Some(_)) => drop(renewed.fetch_add(1, Ordering::Relaxed)),
            Ok(None) => {}
            Err(fault) => first_error.note(body, Err(fault)),
        }
    });
    first_error.into_result()?;
    for (at, body) in heavy.iter().map(|&body| body as usize).enumerate() {
        // None if A⁻¹ is known, or was applied to this body's columns together with the columns of an earlier body.
        let Some(columns) = panels[body].columns_to_solve() else { continue };
        let take = |body: usize, panel: &mut Panel| {
            bodies.check_solved(body, panel.columns_to_solve().unwrap_or_default())?;
            panel.take_solved(how.step).map_err(|fault| bodies.fault(body, fault))
        };
        match bodies.member(body) {
            None => {
                bodies.solve(body, columns)?;
                take(body, &mut panels[body])?;
            }
            Some(member) => {
                let together = members(bodies, &heavy[at..], member.model);
                solve_stacked(bodies, panels, &together, member.size, stacked)?;
                together.clone().try_for_each(|(body, _)| take(body, &mut panels[body]))?;
            }
        }
    }
    ended(Phase::Solves);
    Ok(FactorCounts { kept: kept.into_inner(), made: renewed.into_inner() })
}

/// The largest number of values that are stacked at a time: 64 MB.
const MOST_STACKED: usize = 1 << 23;

/// The bodies of the model of the first waiting body, with their parts of the model's columns. Between them may be bodies that have
/// left the model, but no bodies of another model.
fn members<'a, B: Bodies>(
    bodies: &'a B,
    waiting: &'a [u32],
    model: usize,
) -> impl Iterator<Item = (usize, Range<usize>)> + Clone + use<'a, B> {
    let all = waiting.iter().map(|&body| (body as usize, bodies.member(body as usize)));
    let before_others =
        all.take_while(move |(_, member)| member.as_ref().is_none_or(|member| member.model == model));
    before_others.filter_map(|(body, member)| Some((body, member?.place)))
}

/// Let the inverse callback of a model work on the columns of some of its bodies at once: column k of each body is part of the
/// model's column k. A column of the model has `size` values, with zeros for bodies that have fewer columns.
fn solve_stacked<B: Bodies>(
    bodies: &B,
    panels: &mut [Panel],
    members: &(impl Iterator<Item = (usize, Range<usize>)> + Clone),
    size: usize,
    stacked: &mut Vec<f64>,
) -> Result<(), B::Fault> {
    let at_a_time = (MOST_STACKED / size.max(1)).max(1);
    let Some((first_body, _)) = members.clone().next() else { return Ok(()) };
    for first in (0..).step_by(at_a_time) {
        let mut rest = 0;
        for (body, place) in members.clone() {
            let columns = panels[body].columns_to_solve().map_or(0, |columns| columns.len() / place.len());
            rest = columns.saturating_sub(first).max(rest);
        }
        if rest == 0 {
            break;
        }
        refill(stacked, size * rest.min(at_a_time), 0.0).map_err(|_| bodies.memory())?;
        // Columns of bodies to stacked ones, and back.
        for is_solved in [false, true] {
            if is_solved {
                bodies.solve(first_body, stacked)?;
            }
            for (body, place) in members.clone() {
                let own = panels[body].columns_to_solve().unwrap_or_default();
                let own = own.chunks_exact_mut(place.len()).skip(first);
                for (own, column) in own.zip(stacked.chunks_exact_mut(size)) {
                    let part = &mut column[place.clone()];
                    if is_solved { own.copy_from_slice(part) } else { part.copy_from_slice(own) }
                }
            }
        }
    }
    Ok(())
}

/// Whether the panel of a body must be made.
#[inline(always)]
fn is_wanted<B: Bodies>(bodies: &B, body: usize) -> bool {
    !bodies.is_kept(body) && bodies.slots(body) > 0
}

/// Start the panel of a body.
#[inline]
fn start<B: Bodies>(
    bodies: &B,
    body: usize,
    panel: &mut Panel,
    writer: &mut Writer,
    how: How,
) -> Result<(), B::Fault> {
    let slots = bodies.slots(body);
    let failed = |fault| bodies.fault(body, fault);
    let kinematics = bodies.kinematics(body)?;
    let has_factor = renew_factor(bodies, body, &mut writer.factor, &kinematics, how.step)?;
    writer.target = Target::Complete;
    match kinematics {
        KinematicsRef::Rigid(rigid) if has_factor => {
            let Started { z, changed } = panel.start_rigid(slots).map_err(failed)?;
            if !how.complete {
                writer.target = Target::Rigid(Slots::new(z, changed));
                return Ok(());
            }
            changed.fill(true);
            for (slot, constraint) in bodies.constraints(body) {
                let mut h = bodies.action(body, constraint).rigid_columns(Plain, &rigid);
                writer.factor.apply(&mut h);
                write(&mut z[slot], &h);
            }
        }
        KinematicsRef::PseudoRigid(pseudo_rigid) if has_factor => {
            let Started { z, changed } = panel.start_pseudo_rigid(slots).map_err(failed)?;
            if !how.complete {
                writer.target = Target::PseudoRigid(Slots::new(z, changed));
                return Ok(());
            }
            changed.fill(true);
            for (slot, constraint) in bodies.constraints(body) {
                let h = bodies.action(body, constraint).pseudo_rigid_operator(Plain, &pseudo_rigid);
                PseudoRigidSlot::new(Plain, &writer.factor, &h).write(&mut z[slot]);
            }
        }
        KinematicsRef::Mesh { nodes, rotation, lifetime } => {
            let nodal = panel.start_nodal(slots, nodes, lifetime).map_err(failed)?;
            add_nodal(bodies, body, nodal, rotation)?;
        }
        _ => {
            let general = panel.start_general(slots, kinematics.dofs()).map_err(failed)?;
            add_general(bodies, body, general)?;
        }
    }
    Ok(())
}

/// Add the operators of a mesh; `rotation` is theirs.
fn add_nodal<B: Bodies>(
    bodies: &B,
    body: usize,
    nodal: &mut NodalPanel,
    rotation: Option<&Block>,
) -> Result<(), B::Fault> {
    for (slot, constraint) in bodies.constraints(body) {
        bodies.points(body, constraint, &mut |sign, frame, point| match point {
            Point::Mesh(location) => nodal.add(slot, sign, &NodalOperator::new(location, frame, rotation)),
            Point::Operator(operator, _) => {
                if let Some(operator) = operator.by_nodes() {
                    nodal.add(slot, sign, operator);
                }
            }
            _ => {}
        })?;
    }
    Ok(())
}

/// Add the operators of a body of any kind.
fn add_general<B: Bodies>(bodies: &B, body: usize, general: &mut General) -> Result<(), B::Fault> {
    let mut added = Ok(());
    for (slot, constraint) in bodies.constraints(body) {
        bodies.points(body, constraint, &mut |sign, frame, point| {
            if let (Ok(()), Err(fault)) = (&added, general.add(slot, sign, frame, point)) {
                added = Err(fault);
            }
        })?;
    }
    added.map_err(|fault| bodies.fault(body, fault))
}

/// Make `factor` the Cholesky factor of h A⁻¹ of a rigid or pseudo-rigid body; returns whether there is one.
fn renew_factor<B: Bodies>(
    bodies: &B,
    body: usize,
    factor: &mut CholeskyOfInverse,
    kinematics: &KinematicsRef,
    step: f64,
) -> Result<bool, B::Fault> {
    if !matches!(kinematics, KinematicsRef::Rigid(_) | KinematicsRef::PseudoRigid(_)) {
        return Ok(false);
    }
    let Some(InertiaRef::Inverse(Inverse::BlockDiagonal(inverse))) = bodies.inertia(body)? else {
        return Ok(false);
    };
    let blocks = match kinematics {
        KinematicsRef::PseudoRigid(_) => inverse.of_pseudo_rigid(),
        _ => inverse.of_rigid(),
    };
    Ok(blocks.is_some_and(|blocks| factor.collect(step, blocks)))
}

/// Apply A⁻¹ to the operators in a panel, unless the caller's inverse callback does.
fn apply_inverse<B: Bodies>(
    bodies: &B,
    body: usize,
    panel: &mut Panel,
    step: f64,
    work: &mut Workspace,
) -> Result<Option<FactorStatus>, B::Fault> {
    let failed = |fault| bodies.fault(body, fault);
    match bodies.inertia(body)? {
        Some(inertia) => panel.apply(step, &inertia, work).map_err(failed),
        None => panel.start_columns().map(|()| None).map_err(failed),
    }
}

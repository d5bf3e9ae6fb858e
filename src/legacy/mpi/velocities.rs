//! V and B from bodies with velocities on one process each: the parents' contributions, master minus slave.
//!
//! A constraint has at most one contribution per body, and sums start at 0: the result has the same bits in any order, and on a
//! single process.

use std::ptr;

use crate::legacy::display;
use crate::legacy::errors::{Result, invalid};
use crate::legacy::host::body_point::Role;
use crate::legacy::host::{constraint, map};
use crate::legacy::layout::*;
use crate::legacy::non_finite;
use crate::legacy::rows::{GatheredRow, LocalDynamics, RowNode, external};
use crate::math::{Vector, is_finite};

use super::world::{Record, World};

/// Compute the contributions of this process's parents to V and B of all gathered constraints of the domain, and the records of
/// their contributions to other processes' constraints.
///
/// # Errors
/// As in an update of one process; [`Code::InvalidArgument`] for a body that is neither parent nor child, or an external constraint
/// without another process.
///
/// # Safety
/// The domain with all its constraints and their bodies is valid.
pub unsafe fn of_parents(dynamics: &mut LocalDynamics, world: Option<&World>) -> Result {
    let dom = dynamics.domain()?;
    // SAFETY: the caller promises a valid domain with valid constraints and bodies.
    unsafe {
        for &GatheredRow { con, row, .. } in dynamics.gathered.iter().filter(|entry| entry.is_listed) {
            check_bodies(con)?;
            ((*con).V, (*row).public.B, (*row).contributors) = ([0.0; 3], [0.0; 3], 0);
            for role in Role::BOTH {
                if let Some(velocities) = contribution(con, role)? {
                    apply(row, role, &velocities)?;
                }
            }
        }
        external::each(dom, &mut dynamics.externals.walker, |con| {
            for role in Role::BOTH {
                if let Some(velocities) = contribution(con, role)? {
                    let record = Record::new((*con).id, role, velocities);
                    dynamics.exchange.outbox.push(owner(con, world)?, record)?;
                }
            }
            Ok(())
        })
    }
}

/// Whether this process has the body, with configuration and inverse; otherwise the body is a dummy, all zero.
///
/// # Safety
/// `body` is valid.
unsafe fn is_here(body: *const BODY) -> bool {
    // SAFETY: the caller promises a valid body.
    unsafe { (*body).flags & (BODY_PARENT | BODY_CHILD) != 0 }
}

/// # Safety
/// `con` is a valid constraint of this process.
unsafe fn check_bodies(con: *const CON) -> Result {
    // SAFETY: the caller promises a valid constraint with bodies that are NULL or valid.
    unsafe {
        constraint::check(con)?;
        for body in [(*con).master, (*con).slave] {
            if !body.is_null() && !is_here(body) {
                let (name, id) = (display::constraint(con), (*body).id);
                return Err(invalid!("{name}: body {id} is neither parent nor child here"));
            }
        }
    }
    Ok(())
}

/// The signed contribution of one of a constraint's bodies to V and B, if this process knows its velocity.
///
/// # Safety
/// `con` is valid and has been checked.
unsafe fn contribution(con: *const CON, role: Role) -> Result<Option<[Vector; 2]>> {
    // SAFETY: the caller promises a checked constraint with valid bodies.
    unsafe {
        let body = constraint::body_of(con, role);
        if body.is_null() || (*body).flags & BODY_PARENT == 0 {
            return Ok(None);
        }
        let velocities = constraint::side(con, role, body, ptr::null_mut())?.local_velocities();
        ensure!(is_finite(velocities.as_flattened()), non_finite::of_velocities(con, &[role]));
        Ok(Some(velocities))
    }
}

/// The rank with the row of an external constraint.
///
/// # Safety
/// `con` is valid.
unsafe fn owner(con: *const CON, world: Option<&World>) -> Result<usize> {
    // SAFETY: the caller promises a valid constraint.
    let (name, rank) = unsafe { (display::constraint(con), (*con).rank) };
    let (own, size) = world.map_or((0, 1), |world| (world.rank(), world.size()));
    match usize::try_from(rank) {
        Ok(rank) if rank == own => Err(invalid!("{name}: external on rank {own}, its owner")),
        Ok(rank) if rank < size => Ok(rank),
        _ => Err(invalid!("{name}: external on rank {own}, its owner {rank} is none of {size}")),
    }
}

/// Add the contribution received from a rank.
///
/// # Errors
/// [`Code::InvalidArgument`] if this process has no such constraint, or its body has contributed before.
///
/// # Safety
/// As [`of_parents`], which has been called.
pub unsafe fn add(dynamics: &LocalDynamics, rank: usize, record: &Record) -> Result {
    let (id, role) = (record.constraint, record.role());
    let astray = |why: &str| Err(invalid!("constraint {id}, which is external on rank {rank}, {why}"));
    // SAFETY: the caller promises a valid domain with valid constraints; a constraint with a row belongs to this process.
    unsafe {
        let Some(con) = map::with_id((*dynamics.domain()?).idc, id) else {
            return astray("is not found: the map idc is cyclic");
        };
        let con = con.cast::<CON>();
        if con.is_null() {
            return astray("is unknown here (not in idc)");
        }
        if (*con).id != id || !dynamics.rows.has(con) {
            return astray("has no row here");
        }
        let row = (*con).dia.cast::<RowNode>();
        if matches!(role, Role::Slave) && (*con).slave.is_null() {
            return astray("has no slave here");
        }
        if (*row).contributors & bit(role) != 0 {
            return astray("has a body that is a parent twice");
        }
        apply(row, role, &record.velocities)
    }
}

/// # Errors
/// [`Code::InvalidArgument`] if a sum overflows.
///
/// # Safety
/// `row` is live, its constraint valid.
unsafe fn apply(row: *mut RowNode, role: Role, [v, b]: &[Vector; 2]) -> Result {
    // SAFETY: the caller promises a live row with a valid constraint.
    unsafe {
        (*row).contributors |= bit(role);
        let con = (*row).public.con;
        (*con).V.iter_mut().zip(v).for_each(|(sum, share)| *sum += share);
        (*row).public.B.iter_mut().zip(b).for_each(|(sum, share)| *sum += share);
        // Each share is finite.
        ensure!(is_finite(&(*con).V) && is_finite(&(*row).public.B), non_finite::of_velocities(con, &[]));
    }
    Ok(())
}

fn bit(role: Role) -> u8 {
    1 << role as u8
}

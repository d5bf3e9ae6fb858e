//! Operators and local velocities of single points, for hosts that have none of their own.

use std::ffi::{c_int, c_short};
use std::ptr;

use crate::assembly::velocities::Side;
use crate::block::{Block, Vector, is_finite};
use crate::kinematics::Kinematics;

use super::errors::{Code, fail};
use super::host::body;
use super::layout::*;
use super::{matrix, names};

/// A point of a body and a local frame, as a host passes them.
struct Place {
    point: Vector,
    frame: Block,
}

/// # Safety
/// `body` is NULL or valid; `point` and `frame` are NULL or hold 3 and 9 values.
unsafe fn place(body: *const BODY, point: *const f64, frame: *const f64) -> Result<Place, Code> {
    if body.is_null() || point.is_null() || frame.is_null() {
        return Err(fail!(Code::BugFound, "body, X or E is NULL"));
    }
    // SAFETY: promised by the caller.
    unsafe { Ok(Place { point: *point.cast(), frame: *frame.cast() }) }
}

/// # Safety
/// `body` is valid.
unsafe fn finite(body: *const BODY, values: &[f64]) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    let id = unsafe { (*body).id };
    match is_finite(values) {
        true => Ok(()),
        false => Err(fail!(Code::BugFound, "body {id}: X, E, or its place or velocity, is not finite")),
    }
}

/// H of a rigid body or obstacle; see `ldy_rigid_operator`.
///
/// # Safety
/// As there.
pub unsafe fn rigid(
    body: *const BODY,
    point: *const f64,
    frame: *const f64,
    h: *mut f64,
) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        write_operator::<18>(body, point, frame, h, |kinematics, place| match kinematics {
            Kinematics::Rigid(rigid) => Some(rigid.operator(&place.point, &place.frame)),
            Kinematics::PseudoRigid(_) => None,
        })
    }
}

/// H of a pseudo-rigid body; see `ldy_pseudo_rigid_operator`.
///
/// # Safety
/// As there.
pub unsafe fn pseudo_rigid(
    body: *const BODY,
    point: *const f64,
    frame: *const f64,
    h: *mut f64,
) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        write_operator::<36>(body, point, frame, h, |kinematics, place| match kinematics {
            Kinematics::PseudoRigid(body) => Some(body.operator(&place.point, &place.frame)),
            Kinematics::Rigid(_) => None,
        })
    }
}

/// # Safety
/// `body` is NULL or valid; the arrays are NULL or have 3, 9 and `COUNT` values.
unsafe fn write_operator<const COUNT: usize>(
    body: *const BODY,
    point: *const f64,
    frame: *const f64,
    h: *mut f64,
    operator: impl FnOnce(Kinematics, &Place) -> Option<[f64; COUNT]>,
) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let place = place(body, point, frame)?;
        if h.is_null() {
            return Err(fail!(Code::BugFound, "H is NULL"));
        }
        let Some(values) = operator(body::kinematics(body)?, &place) else {
            return Err(fail!(Code::BugFound, "body {}: of another kind", (*body).id));
        };
        finite(body, &values)?;
        *h.cast() = values;
    }
    Ok(())
}

/// A new matrix with H; see `BODY_Gen_To_Loc_Operator`.
///
/// # Safety
/// As there.
pub unsafe fn new_operator(
    body: *const BODY,
    constraint_kind: c_short,
    point: *const f64,
    frame: *const f64,
) -> Result<*mut MX, Code> {
    // SAFETY: promised by the caller; the matrix made holds 3 × freedoms values.
    unsafe {
        let place = place(body, point, frame)?;
        if names::kind(constraint_kind.into()).is_none() {
            let id = (*body).id;
            return Err(fail!(Code::BugFound, "body {id}: unknown kind of constraint {constraint_kind}"));
        }
        let kinematics = body::kinematics(body)?;
        let freedoms = kinematics.freedoms();
        let a = matrix::create(MXDENSE, 3, freedoms as c_int, ptr::null(), ptr::null())?;
        if (*body).kind == OBS && c_int::from(constraint_kind) == CONTACT {
            return Ok(a);
        }
        let h = std::slice::from_raw_parts_mut((*a).x, 3 * freedoms);
        kinematics.add_operator(1.0, &place.point, &place.frame, h);
        match finite(body, h) {
            Ok(()) => Ok(a),
            Err(code) => {
                matrix::destroy(a);
                Err(code)
            }
        }
    }
}

/// Local velocities of a point; see `BODY_Local_Velo`.
///
/// # Safety
/// As there.
pub unsafe fn local_velocities(
    body: *const BODY,
    point: *const f64,
    frame: *const f64,
    previous: *mut f64,
    current: *mut f64,
) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        let place = place(body, point, frame)?;
        let kinematics = body::kinematics(body)?;
        let [before, now] = body::velocities(body, kinematics.freedoms())?;
        let side = Side { kinematics, previous: before, current: now, point: place.point };
        for (velocity, target) in side.local_velocities(&place.frame).into_iter().zip([previous, current]) {
            if let Some(target) = target.cast::<Vector>().as_mut() {
                finite(body, &velocity)?;
                *target = velocity;
            }
        }
    }
    Ok(())
}

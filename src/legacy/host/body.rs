//! Bodies.

use std::slice;

use crate::inertia::Inverse;
use crate::kinematics::Kinematics;
use crate::kinematics::pseudo_rigid::PseudoRigid;
use crate::kinematics::rigid::Rigid;
use crate::legacy::errors::{Code, fail};
use crate::legacy::layout::*;

use super::inverse;

/// How a body moves.
///
/// # Errors
/// [`Code::BugFound`] for an unknown kind or a missing configuration, [`Code::NotImplemented`] for finite elements.
///
/// # Safety
/// `body` is valid, its arrays have the sizes that its kind asks for, and nobody writes them during `'a`.
pub unsafe fn kinematics<'a>(body: *const BODY) -> Result<Kinematics<'a>, Code> {
    // SAFETY: promised by the caller; conf of a rigid body starts with the nine values of the rotation.
    unsafe {
        let center = &(*body).ref_center;
        match (*body).kind {
            OBS | RIG => match (*body).conf.cast::<[f64; 9]>().as_ref() {
                Some(rotation) => Ok(Kinematics::Rigid(Rigid { rotation, center })),
                None => Err(fail!(Code::BugFound, "body {}: conf is NULL", (*body).id)),
            },
            PRB => Ok(Kinematics::PseudoRigid(PseudoRigid { center })),
            FEM => Err(not_implemented(body)),
            kind => Err(fail!(Code::BugFound, "body {}: unknown kind {kind}", (*body).id)),
        }
    }
}

/// The previous and the current generalised velocity, `freedoms` values each.
///
/// # Errors
/// [`Code::BugFound`] if they are missing.
///
/// # Safety
/// As [`kinematics`].
pub unsafe fn velocities<'a>(body: *const BODY, freedoms: usize) -> Result<[&'a [f64]; 2], Code> {
    // SAFETY: promised by the caller; velo holds the current velocity, then the previous one.
    unsafe {
        let velo = (*body).velo.cast_const();
        if velo.is_null() {
            return Err(fail!(Code::BugFound, "body {}: velo is NULL", (*body).id));
        }
        Ok([slice::from_raw_parts(velo.add(freedoms), freedoms), slice::from_raw_parts(velo, freedoms)])
    }
}

/// The inverse inertia of a body with `freedoms` generalised velocities.
///
/// # Errors
/// [`Code::MatrixKind`] if it is missing, of unknown kind, ill-formed or of another size.
///
/// # Safety
/// As [`kinematics`]; `body->inverse` is NULL or a matrix whose arrays have the sizes that it states.
pub unsafe fn inverse<'a>(body: *const BODY, freedoms: usize) -> Result<Inverse<'a>, Code> {
    // SAFETY: promised by the caller.
    let (id, result) = unsafe { ((*body).id, inverse::view((*body).inverse)) };
    match result {
        Ok(inverse) if inverse.size() == freedoms => Ok(inverse),
        Ok(inverse) => {
            let size = inverse.size();
            Err(fail!(Code::MatrixKind, "body {id}: inverse of size {size} for {freedoms} velocities"))
        }
        Err(fault) => Err(fail!(fault.code(), "body {id}: inverse: {fault}")),
    }
}

/// Whether two constraints on a body are coupled through it, as far as their places matter.
///
/// # Errors
/// [`Code::NotImplemented`] for explicit finite elements, [`Code::BugFound`] for an unknown kind.
///
/// # Safety
/// `body` is valid.
pub unsafe fn couples_everything(body: *const BODY) -> Result<(), Code> {
    // SAFETY: promised by the caller.
    unsafe {
        match (*body).kind {
            OBS | RIG | PRB => Ok(()),
            FEM if (*body).scheme == SCH_DEF_EXP => Err(not_implemented(body)),
            FEM => Ok(()),
            kind => Err(fail!(Code::BugFound, "body {}: unknown kind {kind}", (*body).id)),
        }
    }
}

/// # Safety
/// `body` is valid.
unsafe fn not_implemented(body: *const BODY) -> Code {
    // SAFETY: promised by the caller.
    let id = unsafe { (*body).id };
    fail!(Code::NotImplemented, "body {id}: finite elements are not in this version")
}

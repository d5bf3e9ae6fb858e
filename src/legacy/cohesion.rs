//! The end of an update: cohesive contacts break.

use std::ffi::c_int;

use super::arguments::{self, entry};
use super::display;
use super::errors::{Result, invalid};
use super::host::domain::{UpdateKind, update_kind};
use super::layout::*;
use crate::math::is_finite;

/// Break cohesive contacts; see `LOCDYN_Update_End`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_update_end(ldy: *mut LOCDYN) -> c_int {
    // SAFETY: the list holds live rows, and the host promises a valid domain with valid constraints.
    entry!(ldy: dynamics => unsafe {
        if update_kind(ldy.domain()?)? != UpdateKind::Penalty {
            // All are checked before one breaks.
            for row in ldy.list() {
                is_exceeded((*row).public.con)?;
            }
            for row in ldy.list() {
                let con = (*row).public.con;
                if is_exceeded(con)? {
                    break_bond(con);
                }
            }
        }
    })
}

/// Whether a constraint is a cohesive contact whose reaction exceeds the strength of its bond.
///
/// # Errors
/// [`Code::InvalidArgument`] for a cohesive contact if the material is missing, reaction or cohesion is not finite, or friction is not
/// a number.
///
/// # Safety
/// `con` is a valid constraint.
unsafe fn is_exceeded(con: *const CON) -> Result<bool> {
    // SAFETY: the caller promises a valid constraint.
    unsafe {
        if (*con).kind != CONTACT || (*con).state & CON_COHESIVE == 0 {
            return Ok(false);
        }
        let failed = |why: &str| invalid!("{}: cohesive, and {why}", display::constraint(con));
        let material = (*con).mat.base.as_ref().ok_or_else(|| failed("mat.base is NULL"))?;
        if material.model == SPRING_DASHPOT {
            return Ok(false);
        }
        let cohesion = (*con).mat.state.as_ref().copied().unwrap_or(0.0) * (*con).area;
        ensure!(is_finite(&(*con).R), failed("its reaction R is not finite"));
        ensure!(cohesion.is_finite(), failed("its cohesion (mat.state[0] times area) is not finite"));
        ensure!(!material.friction.is_nan(), failed("its friction is not a number"));
        Ok(!holds((*con).R, cohesion, material.friction))
    }
}

/// # Safety
/// `con` is a valid contact, and nobody else uses it.
unsafe fn break_bond(con: *mut CON) {
    // SAFETY: the caller promises a valid contact that nobody else uses.
    unsafe {
        (*con).state &= !CON_COHESIVE;
        if let Some(state) = (*con).mat.state.as_mut() {
            *state = 0.0;
        }
    }
}

/// Whether a reaction is inside the friction cone shifted by cohesion.
fn holds([x, y, normal]: [f64; 3], cohesion: f64, friction: f64) -> bool {
    let tolerance = 1e-8 * cohesion;
    let shifted = normal + cohesion;
    let outside = shifted < tolerance || (x * x + y * y).sqrt() + tolerance >= friction * shifted;
    !outside
}

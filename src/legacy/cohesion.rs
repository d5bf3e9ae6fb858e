//! The end of an update: cohesive contacts break.

use std::ffi::c_int;

use super::arguments::{self, entry};
use super::errors::{Code, Result, fail};
use super::host::domain::{UpdateKind, update_kind};
use super::layout::*;
use super::names;

/// Break cohesive contacts; see `LOCDYN_Update_End`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_update_end(ldy: *mut LOCDYN) -> c_int {
    // SAFETY: the list holds live rows, and the host promises a valid domain with valid constraints.
    entry!(ldy: dynamics => unsafe {
        if update_kind(ldy.domain()?)? != UpdateKind::Penalty {
            for row in ldy.list() {
                let con = (*row).public.con;
                if (*con).kind == CONTACT && (*con).state & CON_COHESIVE != 0 {
                    break_if_exceeded(con)?;
                }
            }
        }
    })
}

/// # Safety
/// `con` is a valid contact.
unsafe fn break_if_exceeded(con: *mut CON) -> Result {
    // SAFETY: the caller promises a valid contact.
    unsafe {
        let material = (*con).mat.base.as_ref().ok_or_else(|| {
            fail!(Code::BugFound, "{}: cohesive, and mat.base is NULL", names::constraint(con))
        })?;
        if material.model == SPRING_DASHPOT {
            return Ok(());
        }
        let state = (*con).mat.state.as_mut();
        let cohesion = state.as_deref().copied().unwrap_or(0.0) * (*con).area;
        if !holds((*con).R, cohesion, material.friction) {
            (*con).state &= !CON_COHESIVE;
            if let Some(state) = state {
                *state = 0.0;
            }
        }
    }
    Ok(())
}

/// Whether a reaction lies inside the friction cone that cohesion has shifted.
fn holds([x, y, normal]: [f64; 3], cohesion: f64, friction: f64) -> bool {
    let tolerance = 1e-8 * cohesion;
    let shifted = normal + cohesion;
    let outside = shifted < tolerance || (x * x + y * y).sqrt() + tolerance >= friction * shifted;
    !outside
}

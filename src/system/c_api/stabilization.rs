//! The bias of a contact's law from its gap, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::invalid;
use crate::ffi::sized::caller_sized;
use crate::solve::Stabilization;

use super::arguments::{self, entry};

/// How contacts are stabilized. Set size, then the fields that differ from zero. If all are zero, penetrations stay as they are,
/// and contacts do not bounce.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_stabilization {
    /// sizeof (ldy_stabilization), set by the caller before the call.
    pub size: usize,
    /// The share of a penetration that one step removes, 0 to 1: Baumgarte's factor, or error reduction parameter. Often 0.1 to
    /// 0.3.
    pub erp: f64,
    /// The penetration that is left alone, not negative, so that contacts that rest stay in touch. For instance a thousandth of a
    /// body.
    pub slop: f64,
    /// The largest speed by which a penetration is removed; 0: no limit.
    pub max_speed: f64,
    /// Newton's coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// The approach speed up to which contacts do not bounce, so that they come to rest.
    pub bounce_speed: f64,
}

caller_sized!(ldy_stabilization, slop);

/// Compute the bias of the normal component of a contact's law, see ldy_law.
///
/// - stabilization: what to do with penetrations and impacts.
/// - gap: distance of the bodies along the normal, negative for a penetration.
/// - V_N: normal component of the velocity before the step, from ldy_rows.V; positive where the bodies separate.
/// - h: the step.
/// - bias: where to write it.
///
/// A contact that is open may close: U_N >= -gap / h. A penetration beyond the slop is removed with the speed erp (-gap - slop) /
/// h. A contact that is closed and approaches faster than bounce_speed leaves with restitution times its approach speed. The
/// larger of the speeds holds. For the drift of a joint, the bias of each component is erp times its error over h.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or not finite, a parameter is out of range, or h is not
/// positive. Then nothing is written.
///
/// # Safety
/// stabilization is NULL or valid and has the bytes that its size says; bias is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_contact_bias(
    stabilization: *const ldy_stabilization,
    gap: f64,
    V_N: f64,
    h: f64,
    bias: *mut f64,
) -> c_int {
    entry!(stabilization: sized_const, bias: place => {
        let ldy_stabilization { erp, slop, max_speed, restitution, bounce_speed, .. } = stabilization.read();
        let stabilization = Stabilization { erp, slop, max_speed, restitution, bounce_speed };
        let why = "gap, V_N or h is not finite, h is not positive, or a parameter of the stabilization is out of range";
        bias.put(stabilization.bias(gap, V_N, h).ok_or_else(|| invalid!("{why}"))?);
    })
}

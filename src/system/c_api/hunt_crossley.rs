//! The compliance and the bias of a compliant contact, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::invalid;
use crate::ffi::sized::caller_sized;
use crate::solve::HuntCrossley;

use super::arguments::{self, entry};

/// A compliant contact with the force k x^n (1 + 3/2 c dx/dt) for a penetration x > 0 (Hunt and Crossley, 1975). Set all fields.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_hunt_crossley {
    /// sizeof (ldy_hunt_crossley), set by the caller before the call.
    pub size: usize,
    /// k, positive.
    pub stiffness: f64,
    /// n, at least 1: 1 for a linear spring, 1.5 for Hertz's contact of spheres.
    pub exponent: f64,
    /// c, not negative, 1 over a velocity. An impact with a small speed v has the coefficient of restitution 1 - c v.
    pub damping: f64,
    /// The penetration, positive, below which the tangent of x^n at this penetration replaces x^n. The stiffness would vanish at
    /// zero.
    pub least_penetration: f64,
}

caller_sized!(ldy_hunt_crossley);

/// Compute compliance and bias of the normal component of a compliant contact, for this step.
///
/// - model: the force of the contact.
/// - gap: distance of the bodies along the normal, negative for a penetration.
/// - V_N: normal component of the velocity before the step, from ldy_rows.V; positive where the bodies separate.
/// - h: the step.
/// - compliance: where to write the normal entry of the diagonal for ldy_system_set_compliance. The other entries are zero.
/// - bias: where to write the bias of the normal component of the law, see ldy_law.
///
/// The force is linearized at the penetration and V_N, and taken at the end of the step, when the penetration is -gap - h U_N. With x
/// = max (-gap, least_penetration): R_N = k x^n (1 - 3/2 c U_N) - s (gap + x + h U_N), s = k n x^(n-1) max (1 - 3/2 c V_N, 0). So
/// R_N = -(U_N + bias) / compliance, and the contact's law leaves out what would pull.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or not finite, a parameter is out of range, h is not positive, or
/// a result overflows. Then nothing is written.
///
/// # Safety
/// model is NULL or valid and has the bytes that its size says; compliance and bias are NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_contact_compliance(
    model: *const ldy_hunt_crossley,
    gap: f64,
    V_N: f64,
    h: f64,
    compliance: *mut f64,
    bias: *mut f64,
) -> c_int {
    entry!(model: sized_const, compliance: place, bias: place => {
        let ldy_hunt_crossley { stiffness, exponent, damping, least_penetration, .. } = model.read();
        let model = HuntCrossley { stiffness, exponent, damping, least_penetration };
        let why = "gap, V_N or h is not finite, h is not positive, a parameter of the model is out of range, or a result overflows";
        let both = model.compliance(gap, V_N, h).ok_or_else(|| invalid!("{why}"))?;
        compliance.put(both.0);
        bias.put(both.1);
    })
}

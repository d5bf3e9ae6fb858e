//! The friction of a contact's law from its slip, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::invalid;
use crate::ffi::sized::caller_sized;
use crate::solve::FrictionCurve;

use super::arguments::{self, entry};

/// A coefficient of friction for each slip speed v: mu_k + (mu_s - mu_k) exp (-(v / v_s)^2) + c v, and mu_s up to the stick speed
/// (Stribeck's curve). Set size, then the fields that differ from zero.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_friction_curve {
    /// sizeof (ldy_friction_curve), set by the caller before the call.
    pub size: usize,
    /// mu_s, the coefficient of a contact that sticks, not negative.
    pub static_friction: f64,
    /// mu_k, the coefficient of a contact that slides fast, not negative.
    pub kinetic_friction: f64,
    /// v_s, the speed of the transition. 0: the coefficient is mu_k at any slip, so that a contact has static and kinetic friction.
    pub stribeck_speed: f64,
    /// c, the growth of the coefficient with the slip, 1 over a velocity, not negative.
    pub viscous: f64,
    /// The slip speed up to which a contact counts as sticking: the error of velocities in a solution.
    pub stick_speed: f64,
}

caller_sized!(ldy_friction_curve, stribeck_speed);

/// Compute the coefficient of friction of a contact's law, see ldy_law, from its slip in the last solution.
///
/// - curve: the coefficient for each slip speed.
/// - slip: |U_T| in the last solution, 0 for a contact that is new or open.
/// - friction: where to write it.
///
/// Use it once in each step, or solve a step again until the coefficients no longer change. docs/solvers/methods.md says what is
/// known of solutions.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, negative or not finite, or the coefficient overflows. Then
/// nothing is written.
///
/// # Safety
/// curve is NULL or valid and has the bytes that its size says; friction is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_contact_friction(
    curve: *const ldy_friction_curve,
    slip: f64,
    friction: *mut f64,
) -> c_int {
    entry!(curve: sized_const, friction: place => {
        let ldy_friction_curve {
            static_friction, kinetic_friction, stribeck_speed, viscous, stick_speed, ..
        } = curve.read();
        let curve = FrictionCurve { static_friction, kinetic_friction, stribeck_speed, viscous, stick_speed };
        let why = "the slip or a parameter of the friction curve is negative or not finite, or the coefficient overflows";
        friction.put(curve.friction(slip).ok_or_else(|| invalid!("{why}"))?);
    })
}

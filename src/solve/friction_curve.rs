//! Friction that depends on the slip: static and kinetic coefficient, Stribeck's curve. A contact's coefficient follows from its
//! slip in the last solution, so that the law of a step is Coulomb's.

use crate::math::powers::exp;

/// A coefficient of friction for each slip speed v:
///
/// μ (v) = μ_k + (μ_s − μ_k) exp (−(v / v_s)²) + c v, and μ_s up to the stick speed (Stribeck's curve in the form of Bo and Pavelescu,
/// Wear 82, 1982; Armstrong-Hélouvry, Dupont and Canudas de Wit, Automatica 30, 1994).
///
/// ```
/// use ldy::solve::FrictionCurve;
///
/// let steel = FrictionCurve { static_friction: 0.7, kinetic_friction: 0.5, stick_speed: 1e-6, ..FrictionCurve::default() };
/// assert_eq!([steel.friction(0.0), steel.friction(0.1)], [Some(0.7), Some(0.5)]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrictionCurve {
    /// μ_s, the coefficient of a contact that sticks, not negative.
    pub static_friction: f64,
    /// μ_k, the coefficient of a contact that slides fast, not negative.
    pub kinetic_friction: f64,
    /// v_s, the speed of the transition; 0: the coefficient is μ_k at any slip.
    pub stribeck_speed: f64,
    /// c, the growth of the coefficient with the slip, 1 over a velocity, not negative.
    pub viscous: f64,
    /// The slip speed up to which a contact counts as sticking: the error of velocities in a solution.
    pub stick_speed: f64,
}

impl FrictionCurve {
    /// The coefficient of a contact for the next step, or for the next iteration towards μ = μ (|U_T|). `slip` is |U_T| in the last
    /// solution, 0 for a contact that is new or open.
    ///
    /// `None` if a number is negative or not finite, or the coefficient is too large.
    pub fn friction(&self, slip: f64) -> Option<f64> {
        let Self { static_friction, kinetic_friction, stribeck_speed, viscous, stick_speed } = *self;
        let numbers = [static_friction, kinetic_friction, stribeck_speed, viscous, stick_speed, slip];
        if !numbers.iter().all(|x| *x >= 0.0 && x.is_finite()) {
            return None;
        }
        if slip <= stick_speed {
            return Some(static_friction);
        }
        let share = if stribeck_speed > 0.0 { exp(-(slip / stribeck_speed).powi(2)) } else { 0.0 };
        let coefficient = kinetic_friction + (static_friction - kinetic_friction) * share + viscous * slip;
        Some(coefficient).filter(|coefficient| coefficient.is_finite())
    }
}

//! Hunt and Crossley's contact as a compliance and a bias for each step.

use crate::math::powers::power;

/// A contact with the force F = k xⁿ (1 + (3/2) c ẋ) for a penetration x > 0 (K. H. Hunt and F. R. E. Crossley, Journal of Applied
/// Mechanics 42, 1975).
///
/// ```
/// use ldy::solve::HuntCrossley;
///
/// let spring = HuntCrossley { stiffness: 1e4, exponent: 1.0, damping: 0.0, least_penetration: 1e-6 };
/// // A linear spring: U + R / (h k) = x / h, implicit Euler.
/// let (compliance, bias) = spring.compliance(-0.001, -0.5, 0.01).unwrap();
/// assert!((compliance - 0.01).abs() < 1e-14 && (bias + 0.1).abs() < 1e-13);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct HuntCrossley {
    /// k, positive.
    pub stiffness: f64,
    /// n, at least 1: 1 for a linear spring, 3/2 for Hertz's contact of spheres.
    pub exponent: f64,
    /// c, not negative, 1 over a velocity. An impact with a small speed v has the coefficient of restitution 1 − c v.
    pub damping: f64,
    /// The penetration, positive, below which the tangent of xⁿ at this penetration replaces xⁿ. The stiffness would vanish at zero.
    pub least_penetration: f64,
}

impl HuntCrossley {
    /// The compliance and the bias of the normal component, for a contact that gets both in this step. `gap` is the distance of
    /// the bodies along the normal, negative for a penetration; `velocity` is the normal component of V, before the step; `step` is h.
    ///
    /// At the end of the step the penetration is −gap − h U_N, and ẋ = −U_N. With x = max (−gap, least penetration), xⁿ is linear
    /// in the change of the penetration, with the slope at the velocity before the step:
    ///
    /// R_N = k xⁿ (1 − (3/2) c U_N) − s (gap + x + h U_N), s = k n xⁿ⁻¹ max (1 − (3/2) c V_N, 0).
    ///
    /// So R_N = −(U_N + bias) / compliance, and the contact's law leaves out what would pull.
    ///
    /// `None` if a number is not finite, h is not positive, a parameter is out of range, or a result overflows.
    pub fn compliance(&self, gap: f64, velocity: f64, step: f64) -> Option<(f64, f64)> {
        let Self { stiffness, exponent, damping, least_penetration } = *self;
        let are_finite = [stiffness, exponent, damping, least_penetration, gap, velocity, step]
            .iter()
            .all(|x| x.is_finite());
        let are_positive = [stiffness, least_penetration, step].iter().all(|x| *x > 0.0);
        if !are_finite || !are_positive || exponent < 1.0 || damping < 0.0 {
            return None;
        }
        let damping = 1.5 * damping;
        let x = f64::max(-gap, least_penetration);
        let force = stiffness * power(x, exponent);
        let slope = exponent * force / x * f64::max(1.0 - damping * velocity, 0.0);
        let compliance = (damping * force + step * slope).recip();
        let bias = -(force - slope * (gap + x)) * compliance;
        (compliance.is_finite() && bias.is_finite()).then_some((compliance, bias))
    }
}

//! The bias of a contact's law from its gap: penetration that is removed little by little, gaps that may close, restitution.
#![forbid(unsafe_code)]

/// How contacts are stabilized. Lengths and velocities have the units of the system; the default removes nothing and does not
/// bounce.
///
/// ```
/// use ldy::solve::Stabilization;
///
/// let soft = Stabilization { erp: 0.2, slop: 0.001, ..Stabilization::default() };
/// // A penetration of 11 mm: a fifth of what is beyond the slop is removed in a step of 10 ms, with 0.2 m/s.
/// let bias = soft.bias(-0.011, 0.0, 0.01).unwrap();
/// assert!((bias + 0.2).abs() < 1e-12);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stabilization {
    /// The share of a penetration that one step removes, 0 to 1 (J. Baumgarte, Computer Methods in Applied Mechanics and
    /// Engineering 1, 1972; "error reduction parameter" in game engines).
    pub erp: f64,
    /// The penetration that is left alone, not negative: contacts that rest stay in touch.
    pub slop: f64,
    /// The largest speed by which a penetration is removed; 0: no limit.
    pub max_speed: f64,
    /// Newton's coefficient of restitution, 0 to 1.
    pub restitution: f64,
    /// The approach speed below which contacts do not bounce, so that they come to rest.
    pub bounce_speed: f64,
}

impl Stabilization {
    /// The bias of the normal component. `gap` is the distance of the bodies along the normal, negative for a penetration;
    /// `velocity` is the normal component of V, before the step; `step` is h.
    ///
    /// A contact that is open may close: U_N ≥ −gap / h. A penetration beyond the slop is removed with the speed erp (−gap −
    /// slop) / h. A contact that is closed and approaches faster than the bounce speed leaves with restitution times its approach
    /// speed. The larger of the speeds holds.
    ///
    /// `None` if a number is not finite, h is not positive, or a parameter is out of range.
    pub fn bias(&self, gap: f64, velocity: f64, step: f64) -> Option<f64> {
        let Self { erp, slop, max_speed, restitution, bounce_speed } = *self;
        let shares = [erp, restitution];
        let lengths = [slop, max_speed, bounce_speed];
        let are_right = shares.iter().all(|share| (0.0..=1.0).contains(share))
            && lengths.iter().all(|length| *length >= 0.0 && length.is_finite())
            && [gap, velocity, step].iter().all(|x| x.is_finite())
            && step > 0.0;
        if !are_right {
            return None;
        }
        if gap > 0.0 {
            return Some(gap / step).filter(|bias| bias.is_finite());
        }
        let wanted = erp * f64::max(-gap - slop, 0.0) / step;
        let push = if max_speed > 0.0 { wanted.min(max_speed) } else { wanted };
        let bounce = if -velocity > bounce_speed { -restitution * velocity } else { 0.0 };
        Some(-push.max(bounce)).filter(|bias| bias.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOME: Stabilization =
        Stabilization { erp: 0.25, slop: 0.5, max_speed: 3.0, restitution: 0.5, bounce_speed: 1.0 };

    #[test]
    fn gaps_close_and_penetrations_open() {
        assert_eq!(SOME.bias(0.25, -8.0, 0.125), Some(2.0));
        assert_eq!(SOME.bias(-0.5, 0.0, 0.125), Some(0.0));
        assert_eq!(SOME.bias(-1.5, 0.0, 0.125), Some(-2.0));
        assert_eq!(SOME.bias(-4.5, 0.0, 0.125), Some(-3.0));
        assert_eq!(Stabilization { max_speed: 0.0, ..SOME }.bias(-4.5, 0.0, 0.125), Some(-8.0));
    }

    #[test]
    fn closed_contacts_bounce_above_a_speed() {
        assert_eq!(SOME.bias(0.0, -1.0, 0.125), Some(0.0));
        assert_eq!(SOME.bias(0.0, -5.0, 0.125), Some(-2.5));
        assert_eq!(SOME.bias(0.0, 5.0, 0.125), Some(0.0));
        // The larger speed holds.
        assert_eq!(SOME.bias(-1.5, -5.0, 0.125), Some(-2.5));
        assert_eq!(SOME.bias(-1.5, -3.0, 0.125), Some(-2.0));
    }

    #[test]
    fn wrong_numbers_are_refused() {
        assert_eq!(SOME.bias(f64::NAN, 0.0, 1.0), None);
        assert_eq!(SOME.bias(0.0, f64::INFINITY, 1.0), None);
        assert_eq!(SOME.bias(0.0, 0.0, 0.0), None);
        assert_eq!(Stabilization { erp: 1.5, ..SOME }.bias(0.0, 0.0, 1.0), None);
        assert_eq!(Stabilization { slop: -1.0, ..SOME }.bias(0.0, 0.0, 1.0), None);
        assert_eq!(SOME.bias(1e308, 0.0, 1e-10), Some(f64::INFINITY).filter(|x| x.is_finite()));
    }
}

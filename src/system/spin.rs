//! Free rotation of rigid bodies: the change of the angular velocity in a step, and the rotation after it, by the method of J. C.
//! Simo and K. K. Wong, "Unconditionally stable algorithms for rigid body dynamics that exactly preserve energy and momentum",
//! International Journal for Numerical Methods in Engineering 31 (1991), 19–52. With the angular velocity Ω in the referential
//! frame:
//!
//! J Ω₁ = exp(−Θ) J Ω₀, Λ₁ = Λ₀ exp(Θ), Θ = h (Ω₀ + Ω₁) / 2.
//!
//! Λ J Ω, the angular momentum in the world, remains the same by construction. So does the energy: its change is
//! (Ω₀ + Ω₁)/2 · (J Ω₁ − J Ω₀), and exp(−Θ) does not change the component along Θ, which is parallel to Ω₀ + Ω₁.
//!
//! Sines and cosines are computed by series, so that results have the same bits with any C library.
#![forbid(unsafe_code)]

use crate::math::{Block, Vector, cross, difference, dot, inverse, is_finite, largest, solve, sum, times};

/// The largest rotation of one part of a step, in radians.
const MOST_ANGLE: f64 = 1.0;
/// The largest number of parts.
const MOST_PARTS: u32 = 1 << 12;
/// The largest number of Newton's steps for a part.
const MOST_STEPS: usize = 30;

/// The gyroscopic term: the change Ω₁ − Ω₀ of the angular velocity of a rigid body within h without a torque. J is the referential
/// inertia, Ω₀ is in the referential frame. To first order in h it is −h J⁻¹ (Ω × J Ω), as in Euler's equations; the method is of
/// second order and keeps energy and the length of J Ω to rounding, however long the step is. A step in which the body turns by
/// more than a radian is made in equal parts.
///
/// [`advance_rotation`] gives the rotation that belongs to it.
///
/// `None` if J is singular, something is not finite, or the body turns by more than about 4000 radians in the step.
pub fn gyroscopic_change(inertia: &Block, spin: &Vector, step: f64) -> Option<Vector> {
    // With angles y = h Ω the step does not occur, and J may have any scale.
    let start = spin.map(|x| step * x);
    let scale = largest(inertia);
    let inertia = inertia.map(|x| x / scale);
    if !is_finite(&start) || !is_finite(&inertia) {
        return None;
    }
    inverse(&inertia)?;
    if step == 0.0 || start == [0.0; 3] {
        return Some([0.0; 3]);
    }
    let mut parts = 1;
    while parts <= MOST_PARTS {
        let share = 1.0 / f64::from(parts);
        let first = start.map(|x| share * x);
        let mut angles = first;
        let end = (0..parts).try_for_each(|_| {
            angles = after(&inertia, &angles)?;
            Some(())
        });
        if end.is_some() {
            let change = difference(&angles, &first).map(|x| x / (share * step));
            return is_finite(&change).then_some(change);
        }
        parts *= 2;
    }
    None
}

/// y₁ with J y₁ = exp(−(y₀ + y₁)/2) J y₀ by Newton's method; `None` if it does not converge, or turns by more than a part may.
fn after(inertia: &Block, before: &Vector) -> Option<Vector> {
    let momentum = times(inertia, before);
    let size = length(&momentum);
    let (mut now, mut least) = (*before, f64::INFINITY);
    for _ in 0..MOST_STEPS {
        let half = sum(before, &now).map(|x| -0.5 * x);
        if dot(&half, &half) > 4.0 * MOST_ANGLE * MOST_ANGLE {
            return None;
        }
        let turned = rotated(&half, &momentum);
        let rest = difference(&turned, &times(inertia, &now));
        let error = length(&rest);
        if error <= 4.0 * f64::EPSILON * size || (error >= least && error <= 1e-13 * size) {
            return (dot(&half, &half) <= MOST_ANGLE * MOST_ANGLE).then_some(now);
        }
        least = error.min(least);
        let [more] = solve(&derivative(inertia, &half, &turned), [rest])?;
        now = sum(&now, &more);
    }
    None
}

/// The derivative of J y₁ − exp(θ) J y₀ with θ = −(y₀ + y₁)/2 and `turned` = exp(θ) J y₀: J − ½ turned^ T(θ), where
/// T(θ) = 1 + b θ^ + c θ^² gives the angular velocity of exp(θ) in the fixed frame.
fn derivative(inertia: &Block, angle: &Vector, turned: &Vector) -> Block {
    let (_, b, c) = series(dot(angle, angle));
    let mut derivative = *inertia;
    for j in 0..3 {
        let unit: Vector = std::array::from_fn(|i| f64::from(u8::from(i == j)));
        let rate = plus_products(&unit, angle, [b, c]);
        let column = cross(&rate, turned);
        (0..3).for_each(|i| derivative[3 * j + i] += 0.5 * column[i]);
    }
    derivative
}

fn length(x: &Vector) -> f64 {
    dot(x, x).sqrt()
}

/// exp(θ) v.
fn rotated(angle: &Vector, v: &Vector) -> Vector {
    let (a, b, _) = series(dot(angle, angle));
    plus_products(v, angle, [a, b])
}

/// v + a (ψ × v) + b (ψ × (ψ × v)).
fn plus_products(v: &Vector, angle: &Vector, [a, b]: [f64; 2]) -> Vector {
    let once = cross(angle, v);
    let twice = cross(angle, &once);
    std::array::from_fn(|i| v[i] + a * once[i] + b * twice[i])
}

/// sin t / t, (1 − cos t) / t² and (t − sin t) / t³ for t² = `x`, at most 4.
fn series(x: f64) -> (f64, f64, f64) {
    // Σ (−x)ᵏ / (2k + first)!
    let sum = |first: u32| {
        let (mut term, mut sum) = (1.0 / f64::from((1..=first).product::<u32>()), 0.0);
        for k in 0..16 {
            sum += term;
            let next = f64::from(2 * k + first);
            term *= -x / ((next + 1.0) * (next + 2.0));
        }
        sum
    };
    (sum(1), sum(2), sum(3))
}

/// The rotation of a rigid body after a step h in which its angular velocity changes from Ω₀ to Ω₁, both in the referential frame:
/// Λ₀ exp(h (Ω₀ + Ω₁)/2). With Ω₁ = Ω₀ + [`gyroscopic_change`] the angular momentum in the world remains the same to rounding, if
/// the body turns by at most a radian. The factor is orthonormal to rounding; Λ₀ is not made orthonormal again.
///
/// `None` if something is not finite.
pub fn advance_rotation(rotation: &Block, before: &Vector, after: &Vector, step: f64) -> Option<Block> {
    let angle: Vector = std::array::from_fn(|i| 0.5 * step * (before[i] + after[i]));
    if !is_finite(&angle) || !is_finite(rotation) {
        return None;
    }
    // A quaternion of a small angle, squared until the angle is the whole one.
    let (mut share, mut squares) = (0.5, 0);
    while largest(&angle) * share > 0.5 {
        (share, squares) = (0.5 * share, squares + 1);
    }
    let half = angle.map(|x| share * x);
    let (a, b, _) = series(dot(&half, &half));
    let mut w = 1.0 - b * dot(&half, &half);
    let mut v = half.map(|x| a * x);
    for _ in 0..squares {
        (w, v) = (w * w - dot(&v, &v), v.map(|x| 2.0 * w * x));
        let norm = (w * w + dot(&v, &v)).sqrt();
        (w, v) = (w / norm, v.map(|x| x / norm));
    }
    let turn: [Vector; 3] = std::array::from_fn(|j| {
        let unit: Vector = std::array::from_fn(|i| f64::from(u8::from(i == j)));
        let once = cross(&v, &unit);
        let twice = cross(&v, &once);
        std::array::from_fn(|i| unit[i] + 2.0 * (w * once[i] + twice[i]))
    });
    let mut turned = [0.0; 9];
    turned
        .chunks_exact_mut(3)
        .zip(&turn)
        .for_each(|(to, column)| to.copy_from_slice(&times(rotation, column)));
    is_finite(&turned).then_some(turned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::transposed_times;

    const UNIT: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

    fn diagonal([a, b, c]: Vector) -> Block {
        [a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c]
    }

    fn energy(inertia: &Block, spin: &Vector) -> f64 {
        0.5 * dot(spin, &times(inertia, spin))
    }

    /// The momentum in the world.
    fn momentum(rotation: &Block, inertia: &Block, spin: &Vector) -> Vector {
        times(rotation, &times(inertia, spin))
    }

    fn next(inertia: &Block, spin: &Vector, step: f64) -> Vector {
        sum(spin, &gyroscopic_change(inertia, spin, step).unwrap())
    }

    #[test]
    fn a_free_body_keeps_energy_and_momentum() {
        // Near the unstable axis; the second inertia is not diagonal.
        let general = [2.0, 0.3, -0.2, 0.3, 1.5, 0.1, -0.2, 0.1, 0.9];
        for (inertia, speed) in [(diagonal([1.0, 2.0, 3.0]), 50.0), (general, 50.0), (general, 3000.0)] {
            let mut spin = [0.02 * speed, speed, 0.01 * speed];
            let mut rotation = UNIT;
            let (first, at_first) = (energy(&inertia, &spin), momentum(&rotation, &inertia, &spin));
            let mut most: f64 = 0.0;
            for _ in 0..1000 {
                let after = next(&inertia, &spin, 0.01);
                rotation = advance_rotation(&rotation, &spin, &after, 0.01).unwrap();
                most = most.max((after[1] / speed - 1.0).abs());
                spin = after;
                assert!((energy(&inertia, &spin) / first - 1.0).abs() <= 1e-11);
            }
            // It tumbles.
            assert!(most > 0.5, "{most}");
            let now = momentum(&rotation, &inertia, &spin);
            let rest = length(&difference(&now, &at_first)) / length(&at_first);
            let size = length(&times(&inertia, &spin)) / length(&at_first) - 1.0;
            assert!(size.abs() <= 1e-11, "{size}");
            if speed == 50.0 {
                assert!(rest <= 1e-11, "{rest}");
            }
            for j in 0..3 {
                let column: Vector = std::array::from_fn(|i| rotation[3 * j + i]);
                let unit = transposed_times(&rotation, &column);
                assert!((0..3).all(|i| (unit[i] - f64::from(u8::from(i == j))).abs() < 1e-12));
            }
        }
    }

    /// The spin of a symmetric top turns about its axis with the rate (I₃ − I₁)/I₁ Ω₃; the error of the angle is of second order.
    #[test]
    fn a_symmetric_top_precesses_as_the_closed_form_says() {
        let (inertia, start, end) = (diagonal([1.0, 1.0, 1.6]), [3.0, 0.0, 20.0], 1.0_f64);
        let angle = 0.6 * 20.0 * end;
        let error = |steps: u32| {
            let step = end / f64::from(steps);
            let spin = (0..steps).fold(start, |spin, _| next(&inertia, &spin, step));
            assert!((spin[2] - 20.0).abs() < 1e-11 && (length(&[spin[0], spin[1], 0.0]) - 3.0).abs() < 1e-11);
            ((spin[0] - 3.0 * angle.cos()).powi(2) + (spin[1] - 3.0 * angle.sin()).powi(2)).sqrt()
        };
        let errors = [error(100), error(200), error(400)];
        assert!(errors[0] < 0.1, "{errors:?}");
        for pair in errors.windows(2) {
            assert!((pair[0] / pair[1] - 4.0).abs() < 0.2, "{errors:?}");
        }
    }

    #[test]
    fn small_steps_are_those_of_eulers_equations() {
        let (inertia, spin) = (diagonal([1.0, 2.0, 4.0]), [1.0, -2.0, 3.0]);
        let change = gyroscopic_change(&inertia, &spin, 1e-9).unwrap();
        let torque = cross(&spin, &times(&inertia, &spin));
        (0..3).for_each(|i| {
            assert!((change[i] + 1e-9 * torque[i] / inertia[4 * i]).abs() < 1e-14, "{change:?}");
        });
        // A step back undoes a step, and scales of units do not matter.
        let after = next(&inertia, &spin, 0.1);
        let back = next(&inertia, &after, -0.1);
        assert!(length(&difference(&back, &spin)) < 1e-13);
        let large = inertia.map(|x| x * 2.0_f64.powi(700));
        assert_eq!(next(&large, &spin, 0.1), after);
        let slow = next(&inertia, &spin.map(|x| x * 2.0_f64.powi(-300)), 0.1 * 2.0_f64.powi(300));
        assert_eq!(slow.map(|x| x * 2.0_f64.powi(300)), after);
    }

    #[test]
    fn what_does_not_turn_or_cannot() {
        let inertia = diagonal([1.0, 2.0, 3.0]);
        assert_eq!(gyroscopic_change(&inertia, &[0.0; 3], 0.1), Some([0.0; 3]));
        assert_eq!(gyroscopic_change(&inertia, &[1.0, 2.0, 3.0], 0.0), Some([0.0; 3]));
        assert_eq!(gyroscopic_change(&inertia, &[0.0, 5.0, 0.0], 0.1), Some([0.0; 3]));
        for (inertia, spin, step) in [
            (diagonal([1.0, 0.0, 3.0]), [1.0; 3], 0.1),
            ([0.0; 9], [1.0; 3], 0.1),
            (inertia, [f64::NAN, 0.0, 0.0], 0.1),
            (inertia, [1.0; 3], f64::INFINITY),
            (inertia, [1e300, 1.0, 0.0], 1e300),
            (inertia, [1e7, 1.0, 0.0], 1.0),
            ([f64::NAN; 9], [1.0; 3], 0.1),
        ] {
            assert_eq!(gyroscopic_change(&inertia, &spin, step), None, "{inertia:?} {spin:?} {step}");
        }
        assert_eq!(advance_rotation(&UNIT, &[0.0; 3], &[0.0; 3], 1.0), Some(UNIT));
        assert_eq!(advance_rotation(&UNIT, &[f64::NAN; 3], &[0.0; 3], 1.0), None);
        // A quarter of a turn, and many turns with it.
        for turns in [0.0, 1.0, 1000.0] {
            let angle = std::f64::consts::TAU * (turns + 0.25);
            let turned = advance_rotation(&UNIT, &[0.0, 0.0, angle], &[0.0, 0.0, angle], 1.0).unwrap();
            let expected = [0.0, 1.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 1.0];
            turned.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{turned:?}"));
        }
    }
}

//! Arithmetic of the cone, compared with its definitions.

use crate::math::{Vector, dot};
use crate::solve::cone::{Scaling, determinant, product, quotient, reach};
use testing::Random;

/// A point inside the cone.
fn inner(random: &mut Random) -> Vector {
    let [s, t] = [random.signed(), random.signed()];
    [s.hypot(t) + 0.01 + random.signed().abs(), s, t]
}

fn close(a: &Vector, b: &Vector, size: f64) {
    for (a, b) in a.iter().zip(b) {
        assert!((a - b).abs() <= 1e-9 * size, "{a} {b}");
    }
}

#[test]
fn quotients_are_those_of_products() {
    let mut random = Random::new(1);
    for _ in 0..1000 {
        let (x, d) = (inner(&mut random), [random.signed(), random.signed(), random.signed()]);
        let y = quotient(&d, &x);
        close(&product(&x, &y), &d, 1.0 + dot(&y, &y).sqrt());
    }
}

#[test]
fn a_scaling_takes_both_points_to_one() {
    let mut random = Random::new(2);
    for _ in 0..1000 {
        let (s, z) = (inner(&mut random), inner(&mut random));
        let scaling = Scaling::of(&s, &z);
        let (of_s, of_z) = (scaling.inverse_times(&s), scaling.times(&z));
        let size = 1.0 + dot(&of_s, &of_s);
        close(&of_s, &of_z, size);
        close(&scaling.inverse_times(&scaling.times(&s)), &s, 1e3 * size);
        let square = scaling.inverse_square();
        let twice = scaling.inverse_times(&scaling.inverse_times(&s));
        close(&square.map(|row| dot(&row, &s)), &twice, 1.0 + size * dot(&twice, &twice));
    }
}

#[test]
fn a_step_of_the_reach_ends_on_the_boundary() {
    let mut random = Random::new(3);
    let mut finite = 0;
    for _ in 0..1000 {
        let x = inner(&mut random);
        let d = [random.signed(), random.signed(), random.signed()];
        let at = |t: f64| -> Vector { std::array::from_fn(|i| x[i] + t * d[i]) };
        let is_inside = |x: &Vector| x[0] >= 0.0 && determinant(x) >= 0.0;
        let most = reach(&x, &d);
        let before = if most.is_finite() { 0.999 * most } else { 1e6 };
        (0..=20).for_each(|k| assert!(is_inside(&at(before * f64::from(k) / 20.0))));
        if most.is_finite() {
            finite += 1;
            assert!(!is_inside(&at(1.001 * most)));
        }
    }
    assert!((100..900).contains(&finite), "{finite}");
}

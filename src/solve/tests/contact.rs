//! The force of one contact against a search over all directions of sliding, and in special cases. `brute_force` compares it with its law.

use crate::math::{Block, Vector, times};
use crate::solve::frames::{Axes, NormalFirst, NormalThird};
use crate::solve::laws::Local;
use crate::solve::{Kind, Law};
use testing::Random;

fn solved<A: Axes>(w: &Block, q: &Vector, law: &Law, old: &Vector) -> Vector {
    Local::new::<A>(w, law).force::<A>(q, old, 0.0)
}

fn velocity(w: &Block, q: &Vector, r: &Vector) -> Vector {
    let own = times(w, r);
    std::array::from_fn(|i| q[i] + own[i])
}

/// All directions in which the contact can slide: where R_T = −friction R_N e with U_N = 0 leaves U_T along e. Found by steps and
/// bisection.
fn sliding_forces<A: Axes>(w: &Block, q: &Vector, friction: f64) -> Vec<Vector> {
    let force = |angle: f64| {
        let e = [angle.cos(), angle.sin()];
        let at = |i: usize, j: usize| w[3 * j + i];
        let resistance = at(A::N, A::N) - friction * (at(A::N, A::S) * e[0] + at(A::N, A::T) * e[1]);
        let n = -q[A::N] / resistance;
        let mut r = [0.0; 3];
        (r[A::N], r[A::S], r[A::T]) = (n, -friction * n * e[0], -friction * n * e[1]);
        r
    };
    let parts = |angle: f64| {
        let u = velocity(w, q, &force(angle));
        let e = [angle.cos(), angle.sin()];
        (e[0] * u[A::T] - e[1] * u[A::S], e[0] * u[A::S] + e[1] * u[A::T])
    };
    let steps = 2000;
    let angles = (0..steps).map(|k| std::f64::consts::TAU * f64::from(k) / f64::from(steps));
    let mut found = Vec::new();
    for from in angles {
        let (mut a, mut b) = (from, from + std::f64::consts::TAU / f64::from(steps));
        if parts(a).0.signum() == parts(b).0.signum() {
            continue;
        }
        for _ in 0..60 {
            let middle = 0.5 * (a + b);
            if parts(middle).0.signum() == parts(a).0.signum() { a = middle } else { b = middle }
        }
        if parts(a).1 > 0.0 && force(a)[A::N] > 0.0 && parts(a).0.abs() < 1e-6 {
            found.push(force(a));
        }
    }
    found
}

fn slides_in_a_direction_that_a_search_finds<A: Axes>() {
    let mut random = Random::new(1);
    let mut met = 0;
    for case in 0..4000 {
        let rank = [3, 4, 6, 12][case % 4];
        // Small compared with the least eigenvalue.
        let asymmetry = if rank > 4 { [0.0, 1e-3][case / 4 % 2] } else { 0.0 };
        let friction = [0.1, 0.5, 1.0, 3.0][case / 8 % 4];
        let (w, q, old) = (random.block(rank, asymmetry), random.array(), random.array());
        let r = solved::<A>(&w, &q, &Law::contact(friction), &old);
        let u = velocity(&w, &q, &r);
        if r[A::N] > 0.0 && u[A::S].hypot(u[A::T]) > 1e-6 {
            met += 1;
            let others = sliding_forces::<A>(&w, &q, friction);
            let near = |other: &Vector| (0..3).all(|i| (other[i] - r[i]).abs() < 1e-6 * (1.0 + r[i].abs()));
            assert!(others.iter().any(near), "case {case}: {r:?} is not among {others:?}");
        }
    }
    assert!(met > 300, "{met}");
}

#[test]
fn a_contact_slides_in_a_direction_that_a_search_finds() {
    slides_in_a_direction_that_a_search_finds::<NormalFirst>();
    slides_in_a_direction_that_a_search_finds::<NormalThird>();
}

/// W of a body that can only move along the normal: the force is against the velocity of the tangents, which it does not change.
#[test]
fn a_body_that_moves_along_the_normal_alone_has_friction() {
    let mut random = Random::new(2);
    for case in 0..2000 {
        let (q, friction): (Vector, f64) = (random.array(), [0.2, 0.9][case % 2]);
        let w = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0];
        let r = solved::<NormalThird>(&w, &q, &Law::contact(friction), &[0.0; 3]);
        let n = (-0.5 * q[2]).max(0.0);
        let share = -friction * n / q[0].hypot(q[1]);
        let expected = [share * q[0], share * q[1], n];
        assert!((0..3).all(|i| (r[i] - expected[i]).abs() < 1e-12), "{q:?} {r:?} {expected:?}");
    }
}

/// A contact that slides fast and hardly approaches: the normal force is the difference of two small numbers, and never a pull.
#[test]
fn a_contact_that_hardly_approaches_does_not_pull() {
    let mut random = Random::new(89);
    for case in 0..20_000 {
        let w = random.block([3, 4, 6, 12][case % 4], [0.0, 0.5][case / 4 % 2]);
        let friction = [0.1, 1.0, 1e6][case / 8 % 3];
        let mut q: Vector = random.array();
        q[2] = -10_f64.powf(-152.0 + 6.0 * random.signed());
        let r = solved::<NormalThird>(&w, &q, &Law::contact(friction), &random.array());
        let tangent = r[0].hypot(r[1]);
        assert!(r[2] >= 0.0 && tangent <= friction * r[2] * (1.0 + 1e-9), "case {case}: {w:?} {q:?} {r:?}");
    }
}

/// A velocity that no force can change does not change, without a NaN.
#[test]
fn nothing_acts_on_what_has_no_normal_part() {
    for w in [
        [0.0; 9],
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, -1.0],
    ] {
        let r = solved::<NormalThird>(&w, &[1.0, 2.0, -1.0], &Law::contact(0.5), &[0.0; 3]);
        assert_eq!(r, [0.0; 3]);
    }
}

/// A pull up to the cohesion is held, more tears the contact open.
#[test]
fn cohesion_holds_a_pull() {
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let law = Law { kind: Kind::contact([0.5; 2], 2.0), bias: [0.0; 3] };
    let near = |r: Vector, expected: Vector| (0..3).all(|i| (r[i] - expected[i]).abs() < 1e-14);
    let solve = |q: Vector| solved::<NormalThird>(&unit, &q, &law, &[0.0; 3]);
    assert!(near(solve([0.0, 0.0, 1.5]), [0.0, 0.0, -1.5]));
    assert!(near(solve([0.0, 0.0, 2.5]), [0.0, 0.0, -2.0]));
    // The cone begins at the cohesion: 0.5 · (−1 + 2) = 0.5.
    assert!(near(solve([0.25, 0.0, 1.0]), [-0.25, 0.0, -1.0]));
    assert!(near(solve([3.0, 0.0, 1.0]), [-0.5, 0.0, -1.0]));
}

/// The square of the last tangential force is zero or not precise, and the slip that it gives infinite.
#[test]
fn a_last_force_next_to_nothing_is_a_guess_like_none() {
    let (w, q) = ([2.0, 0.3, 0.1, 0.3, 3.0, 0.2, 0.1, 0.2, 4.0], [5.0, -3.0, -1.0]);
    let law = Law::contact(0.4);
    let wanted = solved::<NormalThird>(&w, &q, &law, &[0.0; 3]);
    assert!(wanted[2] > 0.0 && wanted[0] < 0.0);
    for size in [1e-320, 1e-250, 1e-200, 1e-160, 1e-150] {
        for towards in [[-1.0, 1.0], [-1.0, 0.0], [1.0, -1.0], [0.0, 1.0]] {
            let old = [size * towards[0], size * towards[1], size];
            let force = solved::<NormalThird>(&w, &q, &law, &old);
            (0..3)
                .for_each(|i| assert!((force[i] - wanted[i]).abs() < 1e-14, "{old:?}: {force:?} {wanted:?}"));
        }
    }
}

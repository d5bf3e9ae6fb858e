//! The force of one contact against its law, and against a search over all directions of sliding.

use crate::math::{Block, Vector, times};
use crate::solve::frames::{Axes, NormalFirst, NormalThird};
use crate::solve::laws::Local;
use crate::solve::{Kind, Law};
use testing::Random;

fn solved<A: Axes>(w: &Block, q: &Vector, law: &Law, old: &Vector) -> Vector {
    Local::new::<A>(w, law).force::<A>(q, old)
}

fn velocity(w: &Block, q: &Vector, r: &Vector) -> Vector {
    let own = times(w, r);
    std::array::from_fn(|i| q[i] + own[i])
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Sticking,
    Sliding,
}

/// The state in which the force obeys the law, up to errors that are small compared with q.
fn state<A: Axes>(w: &Block, q: &Vector, r: &Vector, friction: f64) -> Option<State> {
    let u = velocity(w, q, r);
    let small = 1e-9 * q.iter().map(|q| q.abs()).fold(0.0, f64::max);
    let tangents = |x: &Vector| [x[A::S], x[A::T]];
    let (ut, rt) = (tangents(&u), tangents(r));
    let size = |x: [f64; 2]| x[0].hypot(x[1]);
    if *r == [0.0; 3] && u[A::N] >= 0.0 {
        return Some(State::Open);
    }
    if u[A::N].abs() > small || r[A::N] < 0.0 {
        return None;
    }
    let most = friction * r[A::N];
    if size(ut) <= small && size(rt) <= most * (1.0 + 1e-12) {
        return Some(State::Sticking);
    }
    let against = ut[0] * rt[0] + ut[1] * rt[1];
    let slides =
        (size(rt) - most).abs() <= 1e-9 * most && (against + size(ut) * size(rt)).abs() <= small * most;
    slides.then_some(State::Sliding)
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

fn obeys_the_law_in_every_state<A: Axes>() {
    let mut random = Random::new(1);
    let mut met = [0; 3];
    for case in 0..4000 {
        let rank = [3, 4, 6, 12][case % 4];
        // Small compared with the least eigenvalue.
        let asymmetry = if rank > 4 { [0.0, 1e-3][case / 4 % 2] } else { 0.0 };
        let friction = [0.0, 0.1, 0.5, 1.0, 3.0, 1e6][case / 8 % 6];
        let (w, q, old) = (random.block(rank, asymmetry), random.array(), random.array());
        let r = solved::<A>(&w, &q, &Law::contact(friction), &old);
        let state = state::<A>(&w, &q, &r, friction);
        met[state.unwrap_or_else(|| panic!("case {case}: {w:?} {q:?} {friction}: {r:?}")) as usize] += 1;
        if state == Some(State::Sliding) && friction > 0.0 && friction < 10.0 {
            let others = sliding_forces::<A>(&w, &q, friction);
            let near = |other: &Vector| (0..3).all(|i| (other[i] - r[i]).abs() < 1e-6 * (1.0 + r[i].abs()));
            assert!(others.iter().any(near), "case {case}: {r:?} is not among {others:?}");
        }
    }
    assert!(met.iter().all(|&count| count > 300), "{met:?}");
}

#[test]
fn a_force_obeys_the_law_in_every_state() {
    obeys_the_law_in_every_state::<NormalFirst>();
    obeys_the_law_in_every_state::<NormalThird>();
}

/// W of a particle in a plane, and of a body that can only move along the normal: the tangential part is singular, or zero.
#[test]
fn singular_blocks_have_forces() {
    let mut random = Random::new(2);
    for case in 0..2000 {
        let q = random.array();
        let (planar, friction) = (random.array::<3>(), [0.2, 0.9][case % 2]);
        // Rank 2 with a positive normal part, and q in the range of W.
        let other = random.array::<3>();
        let w: Block = std::array::from_fn(|k| planar[k % 3] * planar[k / 3] + other[k % 3] * other[k / 3]);
        let free = std::array::from_fn(|i| q[0] * planar[i] + q[1] * other[i]);
        let r = solved::<NormalThird>(&w, &free, &Law::contact(friction), &[0.0; 3]);
        assert!(state::<NormalThird>(&w, &free, &r, friction).is_some(), "{w:?} {free:?} {r:?}");
        let normal_only = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0];
        let r = solved::<NormalThird>(&normal_only, &q, &Law::contact(friction), &[0.0; 3]);
        assert!(state::<NormalThird>(&normal_only, &q, &r, friction).is_some(), "{q:?} {r:?}");
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

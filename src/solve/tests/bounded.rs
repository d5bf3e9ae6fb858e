//! Bounds on one constraint's force against their law.

use crate::math::times;
use crate::solve::frames::NormalThird;
use crate::solve::laws::Local;
use crate::solve::{Kind, Law};
use testing::Random;

const FREE: [f64; 3] = [f64::INFINITY; 3];

fn law(lower: [f64; 3], upper: [f64; 3]) -> Law {
    Law { kind: Kind::Bounds { lower, upper }, bias: [0.0; 3] }
}

#[test]
fn forces_between_and_at_their_bounds_obey_the_law() {
    let mut random = Random::new(3);
    let mut met = [0; 3];
    for case in 0..3000 {
        let mut w = random.block([3, 5, 9][case % 3], if case % 3 > 0 { 1e-3 } else { 0.0 });
        if case % 4 == 3 {
            // Components that W does not connect.
            (0..9).filter(|k| k % 4 != 0).for_each(|k| w[k] = 0.0);
        }
        let (q, old) = (random.array(), random.array());
        let kinds = random.array();
        let lower = kinds.map(|kind| if kind < -0.5 { f64::NEG_INFINITY } else { kind.min(0.0) });
        let upper = kinds.map(|kind| if kind > 0.5 { f64::INFINITY } else { kind.max(0.3) });
        let r = Local::new::<NormalThird>(&w, &law(lower, upper)).force::<NormalThird>(&q, &old, 0.0);
        let own = times(&w, &r);
        for i in 0..3 {
            let u = q[i] + own[i];
            let small = 1e-9 * (1.0 + own.iter().map(|u| u.abs()).fold(0.0, f64::max));
            let state = if r[i] == lower[i] && u >= -small {
                0
            } else if r[i] == upper[i] && u <= small {
                1
            } else {
                assert!(lower[i] <= r[i] && r[i] <= upper[i] && u.abs() <= small, "case {case}: {r:?} {u}");
                2
            };
            met[state] += 1;
        }
    }
    assert!(met.iter().all(|&count| count > 500), "{met:?}");
}

#[test]
fn fixed_components_have_no_velocity() {
    let w = [2.0, 0.5, 0.0, 0.5, 1.0, 0.25, 0.0, 0.25, 4.0];
    let q = [1.0, -2.0, 3.0];
    let r =
        Local::new::<NormalThird>(&w, &law(FREE.map(|x| -x), FREE)).force::<NormalThird>(&q, &[0.0; 3], 0.0);
    let own = times(&w, &r);
    assert!((0..3).all(|i| (q[i] + own[i]).abs() < 1e-14), "{r:?}");
}

/// A link acts along the normal alone, and the rest of its block is zero.
#[test]
fn components_without_w_keep_their_force() {
    let mut w = [0.0; 9];
    w[8] = 2.0;
    let r = Local::new::<NormalThird>(&w, &law(FREE.map(|x| -x), FREE)).force::<NormalThird>(
        &[1.0, 1.0, -4.0],
        &[5.0, 6.0, 0.0],
        0.0,
    );
    assert_eq!(r, [5.0, 6.0, 2.0]);
}

/// Two equal rows of W: the common part of their velocities vanishes.
#[test]
fn singular_blocks_are_relaxed() {
    let w = [1.0, 1.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let r = Local::new::<NormalThird>(&w, &law(FREE.map(|x| -x), FREE)).force::<NormalThird>(
        &[-3.0, -3.0, 1.0],
        &[0.0; 3],
        0.0,
    );
    assert!((r[0] + r[1] - 3.0).abs() < 1e-12 && (r[2] + 1.0).abs() < 1e-12, "{r:?}");
}

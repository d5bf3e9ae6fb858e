//! The closest force that a law allows, against the definition of a projection.

use crate::solve::Kind;
use crate::solve::frames::NormalFirst;
use crate::solve::laws::{allowed, natural_map};
use testing::Random;

/// p is the projection of x on a convex set if p is in it and (x − p) · (y − p) ≤ 0 for all y in it.
#[test]
fn projections_are_closest_points() {
    let mut random = Random::new(4);
    for case in 0..300 {
        let friction = [0.0, 0.3, 1.0, 50.0][case % 4];
        let cohesion = [0.0, 0.5][case / 4 % 2];
        let kind = Kind::contact([friction; 2], cohesion);
        let mut x = random.array();
        if case % 5 == 0 {
            (x[1], x[2]) = (0.0, 0.0);
        }
        let p = allowed::<NormalFirst>(&kind, &x);
        assert!(p[1].hypot(p[2]) <= friction * (p[0] + cohesion) * (1.0 + 1e-14) + 1e-15, "{p:?}");
        for _ in 0..50 {
            let (direction, normal) = (random.array::<3>(), 1.0 + random.signed());
            let size = direction[1].hypot(direction[2]).max(1e-9);
            let slip = friction * normal * random.signed() / size;
            let y = [normal - cohesion, slip * direction[1], slip * direction[2]];
            let product: f64 = (0..3).map(|i| (x[i] - p[i]) * (y[i] - p[i])).sum();
            assert!(product <= 1e-12, "{x:?} {p:?} {y:?}");
        }
    }
}

#[test]
fn the_map_vanishes_where_the_law_holds() {
    let kind = Kind::contact([0.5; 2], 0.0);
    let map = |r, u| natural_map::<NormalFirst>(&kind, &r, &u, 0.7).map(|x| x.abs() < 1e-15);
    assert_eq!(map([0.0; 3], [1.0, 0.2, -0.3]), [true; 3]);
    assert_eq!(map([1.0, 0.3, 0.4], [0.0; 3]), [true; 3]);
    assert_eq!(map([2.0, 0.6, -0.8], [0.0, -0.3, 0.4]), [true; 3]);
    // Sliding along the force, penetrating, and pulling.
    assert_ne!(map([2.0, 0.6, -0.8], [0.0, 0.3, -0.4]), [true; 3]);
    assert_ne!(map([0.0; 3], [-1.0, 0.0, 0.0]), [true; 3]);
    assert_ne!(map([-1.0, 0.0, 0.0], [0.0; 3]), [true; 3]);
}

//! Contacts with moments: projections against their definition. `brute_force` has their forces.

use crate::solve::frames::{NormalFirst, NormalThird};
use crate::solve::rolling::{Coefficients, SpatialVector, sizes};
use testing::Random;

#[test]
fn projections_are_closest_points() {
    let mut random = Random::new(4);
    for case in 0..2000 {
        let coefficient = |number: usize| [0.0, 0.1, 1.0, 30.0][number % 4];
        let own = Coefficients {
            limits: [coefficient(case), coefficient(case / 4), coefficient(case / 16)],
            cohesion: 0.0,
        };
        let mut x: SpatialVector = [random.array(), random.array()];
        if case % 5 == 0 {
            (x[0][1], x[1][2]) = (0.0, 0.0);
        }
        let p = own.on_cone::<NormalThird>(&x);
        let of_p = sizes::<NormalThird>(&p);
        assert!((0..3).all(|i| of_p[i] <= own.limits[i] * p[0][2] * (1.0 + 1e-14) + 1e-15), "{x:?} {p:?}");
        for _ in 0..30 {
            let mut y: SpatialVector = [random.array(), random.array()];
            y[0][2] = 1.0 + random.signed();
            let of_y = sizes::<NormalThird>(&y);
            let shrink = |part: usize, share: f64| own.limits[part] * y[0][2] * share / of_y[part].max(1e-9);
            let [slide, roll, spin] = [0, 1, 2].map(|part| shrink(part, random.signed()));
            y = [
                [slide * y[0][0], slide * y[0][1], y[0][2]],
                [roll * y[1][0], roll * y[1][1], spin * y[1][2]],
            ];
            let product: f64 =
                (0..2).flat_map(|k| (0..3).map(move |i| (x[k][i] - p[k][i]) * (y[k][i] - p[k][i]))).sum();
            assert!(product <= 1e-12, "{x:?} {p:?} {y:?}");
        }
    }
}

/// Squares that overflow do not spoil the projection.
#[test]
fn huge_values_are_projected() {
    let own = Coefficients { limits: [0.5, 1.0, 2.0], cohesion: 0.0 };
    let x: SpatialVector = [[3.0, -4.0, 1.0], [0.5, 0.25, -3.0]];
    let p = own.on_cone::<NormalThird>(&x);
    let huge = own.on_cone::<NormalThird>(&x.map(|x| x.map(|x| x * 1e300)));
    for (p, huge) in p.as_flattened().iter().zip(huge.as_flattened()) {
        assert!((huge / 1e300 - p).abs() < 1e-14, "{p} {huge}");
    }
}

/// The map vanishes where the law holds, condition by condition.
#[test]
fn the_map_vanishes_where_the_law_holds() {
    let own = Coefficients { limits: [0.5, 0.1, 0.2], cohesion: 0.5 };
    let vanishes = |r: SpatialVector, u: SpatialVector| {
        own.natural_map::<NormalFirst>(&r, &u).as_flattened().iter().all(|x| x.abs() < 1e-15)
    };
    let none = [0.0; 3];
    assert!(vanishes([[-0.5, 0.0, 0.0], none], [[1.0, 0.2, -0.3], [0.3, 1.0, 2.0]]));
    assert!(vanishes([[1.5, 0.6, 0.8], [0.3, 0.1, 0.1]], [none; 2]));
    let limits: SpatialVector = [[1.5, 0.6, -0.8], [-0.4, 0.12, 0.16]];
    let slides: SpatialVector = [[0.0, -0.3, 0.4], [0.7, -0.3, -0.4]];
    assert!(vanishes(limits, slides));
    // Each wrong sign, and a moment beyond its limit.
    for (k, i) in [(0, 1), (0, 2), (1, 0), (1, 1), (1, 2)] {
        let mut wrong = slides;
        wrong[k][i] = -wrong[k][i];
        assert!(!vanishes(limits, wrong), "{k} {i}");
    }
    assert!(!vanishes([[1.5, 0.0, 0.0], [0.41, 0.0, 0.0]], [none; 2]));
    assert!(!vanishes([[1.5, 0.0, 0.0], [0.0, 0.15, 0.15]], [none; 2]));
}

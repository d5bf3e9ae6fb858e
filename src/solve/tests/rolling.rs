//! Contacts with moments: the force and moments of one contact against its law, and projections against their definition.

use crate::math::Block;
use crate::solve::frames::{Axes, NormalFirst, NormalThird};
use crate::solve::local::{ACCURACY, RollingContact};
use crate::solve::rolling::{Coefficients, SpatialVector, sizes};
use testing::Random;

/// Normal, friction, moments about the tangents, moment about the normal: row and lane.
fn lanes<A: Axes>() -> [(usize, usize); 6] {
    [(0, A::N), (0, A::S), (0, A::T), (1, A::S), (1, A::T), (1, A::N)]
}

/// A random positive semidefinite W of six scalar rows, whose moments have another unit, and a part that is not symmetric.
fn blocks<A: Axes>(random: &mut Random, rank: usize, asymmetry: f64, units: [f64; 2]) -> [[Block; 2]; 2] {
    let vectors: Vec<[f64; 6]> = (0..rank).map(|_| random.array()).collect();
    let lanes = lanes::<A>();
    let mut w = [[[0.0; 9]; 2]; 2];
    for (i, &(row, to)) in lanes.iter().enumerate() {
        for (j, &(column, from)) in lanes.iter().enumerate() {
            let sum: f64 = vectors.iter().map(|v| v[i] * v[j]).sum();
            w[row][column][3 * from + to] = units[row] * units[column] * (sum + asymmetry * random.signed());
        }
    }
    w
}

fn velocity(w: &[[Block; 2]; 2], q: &SpatialVector, r: &SpatialVector) -> SpatialVector {
    let made = |row: usize, i: usize| -> f64 {
        (0..2).flat_map(|column| (0..3).map(move |j| w[row][column][3 * j + i] * r[column][j])).sum()
    };
    std::array::from_fn(|row| std::array::from_fn(|i| q[row][i] + made(row, i)))
}

/// The states of the parts that obey the law, up to small errors: open is 0; otherwise 1, and 2, 4, 8 for parts at their limits.
fn state<A: Axes>(
    w: &[[Block; 2]; 2],
    q: &SpatialVector,
    r: &SpatialVector,
    own: &Coefficients,
) -> Option<usize> {
    let u = velocity(w, q, r);
    let root = |row: usize| ((0..3).map(|i| w[row][row][4 * i]).sum::<f64>() / 3.0).sqrt();
    let roots = [root(0), root(1)];
    let most = |x: &SpatialVector, units: [f64; 2]| {
        (0..2).flat_map(|k| x[k].map(|x| (x * units[k]).abs())).fold(0.0, f64::max)
    };
    // The unit of scaled velocities, with the rounding of W R.
    let size = most(q, roots.map(f64::recip)) + 1e-4 * most(r, roots);
    let small = 1e-9 * size;
    let mut r = *r;
    r[0][A::N] += own.cohesion;
    let normal = r[0][A::N];
    if r.as_flattened().iter().all(|&r| r == 0.0) && u[0][A::N] >= 0.0 {
        return Some(0);
    }
    if u[0][A::N].abs() > small * roots[0] || normal < 0.0 {
        return None;
    }
    let (forces, velocities) = (sizes::<A>(&r), sizes::<A>(&u));
    let parts: [&[(usize, usize)]; 3] = [&[(0, A::S), (0, A::T)], &[(1, A::S), (1, A::T)], &[(1, A::N)]];
    let mut state = 1;
    for (part, lanes) in parts.into_iter().enumerate() {
        let root = roots[lanes[0].0];
        let (most, force, slip) =
            (own.limits[part] * normal * root, forces[part] * root, velocities[part] / root);
        if slip <= small && force <= most + 1e-9 * size {
            continue;
        }
        let power: f64 = lanes.iter().map(|&(k, i)| r[k][i] * u[k][i]).sum();
        if (force - most).abs() > 1e-9 * (size + most) || (power + force * slip).abs() > small * (size + most)
        {
            return None;
        }
        state += 1 << (part + 1);
    }
    Some(state)
}

/// Random cases; returns how many had each state.
pub fn cases<A: Axes>(random: &mut Random, count: usize) -> [usize; 16] {
    let mut met = [0; 16];
    for case in 0..count {
        let rank = [6, 7, 9, 14][case % 4];
        let asymmetry = if rank > 7 { [0.0, 1e-3][case / 4 % 2] } else { 0.0 };
        let units = [1.0, [1.0, 1e-3, 50.0][case % 3]];
        let coefficient = |number: usize, length: f64| [0.0, 0.02, 0.3, 1.0, 1e6][number % 5] / length;
        let own = Coefficients {
            limits: [
                coefficient(case / 7 + 1, 1.0),
                coefficient(case / 35, units[1]),
                coefficient(case / 175, units[1]),
            ],
            cohesion: [0.0, 0.3][case / 2 % 2],
        };
        let w = blocks::<A>(random, rank, asymmetry, units);
        let mut q: SpatialVector = std::array::from_fn(|k| random.array::<3>().map(|x| units[k] * x));
        q[0][A::N] -= 0.5;
        let old: SpatialVector = std::array::from_fn(|k| random.array::<3>().map(|x| x / units[k]));
        let root = |row: usize| ((0..3).map(|i| w[row][row][4 * i]).sum::<f64>() / 3.0).sqrt();
        let local = RollingContact::new::<A>(&w, &own, [root(0), root(1)]);
        let r = local.force::<A>(&q, &old, 0.0);
        let found = state::<A>(&w, &q, &r, &own);
        if case % 8 == 0 {
            let near = (0..20).fold(old, |old, _| local.force::<A>(&q, &old, ACCURACY));
            assert_eq!(state::<A>(&w, &q, &near, &own), found, "case {case}");
        }
        met[found.unwrap_or_else(|| panic!("case {case}: {w:?} {q:?} {own:?}: {r:?}"))] += 1;
    }
    met
}

#[test]
fn force_and_moments_obey_the_law_in_every_state() {
    let [first, third] =
        [cases::<NormalFirst>(&mut Random::new(1), 6000), cases::<NormalThird>(&mut Random::new(2), 6000)];
    for met in [first, third] {
        assert!([0, 1, 3, 5, 7, 9, 11, 13, 15].iter().all(|&state| met[state] > 50), "{met:?}");
    }
}

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

//! The projections of the laws, their derivatives and the cones of their forces, against definitions.

use crate::math::Vector;
use crate::solve::Kind;
use crate::solve::frames::NormalFirst;
use crate::solve::laws::{LawKind, allowed, natural_map, of_kind};
use testing::Random;

/// Laws of all kinds whose forces do not depend on another row.
fn kinds() -> Vec<Kind> {
    let mut kinds = Vec::new();
    for friction in [0.0, 0.3, 1.0, 50.0] {
        for size in [0.0, 0.5] {
            kinds.push(Kind::contact([friction; 2], size));
            kinds.push(Kind::Expansion { friction, least_force: size });
        }
    }
    let lower = [f64::NEG_INFINITY, 0.0, -0.3];
    kinds.push(Kind::Bounds { lower, upper: [f64::INFINITY, f64::INFINITY, 0.3] });
    kinds
}

/// A force that the law allows.
fn any(kind: &Kind, random: &mut Random) -> Vector {
    let (friction, least, tip) = match *kind {
        Kind::Contact { friction, cohesion, .. } => (friction, -cohesion, -cohesion),
        Kind::Expansion { friction, least_force } => (friction, least_force, 0.0),
        Kind::Bounds { lower, upper } => {
            return std::array::from_fn(|i| (3.0 * random.signed()).clamp(lower[i], upper[i]));
        }
        Kind::Moments => unreachable!(),
    };
    let normal = least + [0.0, 1.0 + random.signed()][random.below(2)];
    let direction: [f64; 2] = random.array();
    let size = direction[0].hypot(direction[1]).max(1e-9);
    let push = friction * (normal - tip) * [1.0, random.signed()][random.below(2)] / size;
    [normal, push * direction[0], push * direction[1]]
}

/// p is the projection of x on a convex set if p is in it and (x − p) · (y − p) ≤ 0 for all y in it.
#[test]
fn projections_are_closest_points() {
    let mut random = Random::new(4);
    for kind in kinds() {
        for case in 0..60 {
            let mut x = random.array();
            if case % 5 == 0 {
                (x[1], x[2]) = (0.0, 0.0);
            }
            let p = allowed::<NormalFirst>(&kind, &x);
            let cone = match kind {
                Kind::Contact { friction, cohesion, .. } => Some((friction, -cohesion, -cohesion)),
                Kind::Expansion { friction, least_force } => Some((friction, least_force, 0.0)),
                _ => None,
            };
            if let Some((friction, least, tip)) = cone {
                assert!(p[0] >= least, "{kind:?} {p:?}");
                assert!(p[1].hypot(p[2]) <= friction * (p[0] - tip) * (1.0 + 1e-14) + 1e-15, "{p:?}");
            }
            for _ in 0..50 {
                let y = any(&kind, &mut random);
                let product: f64 = (0..3).map(|i| (x[i] - p[i]) * (y[i] - p[i])).sum();
                assert!(product <= 1e-12, "{kind:?} {x:?} {p:?} {y:?}");
            }
        }
    }
}

/// Differences of Alart and Curnier's projection, where they are the same on both sides.
#[test]
fn slopes_are_derivatives() {
    let mut random = Random::new(5);
    let step = 1e-6;
    for kind in kinds() {
        let mut smooth = 0;
        for _ in 0..300 {
            let (x, root): (Vector, f64) = (random.array(), 1.0 + 0.5 * random.signed());
            let at = |j: usize, step: f64| {
                let mut x = x;
                x[j] += step;
                of_kind!(&kind, law => law.projected::<NormalFirst>(&x, root))
            };
            let slope = of_kind!(&kind, law => law.slope::<NormalFirst>(&x, root));
            for j in 0..3 {
                let (before, here, after) = (at(j, -step), at(j, 0.0), at(j, step));
                for i in 0..3 {
                    let [left, right] = [(here[i] - before[i]) / step, (after[i] - here[i]) / step];
                    if (left - right).abs() < 1e-3 {
                        smooth += 1;
                        let expected = (after[i] - before[i]) / (2.0 * step);
                        assert!((slope[3 * j + i] - expected).abs() < 1e-3, "{kind:?} {x:?}: {i} {j}");
                    }
                }
            }
        }
        assert!(smooth > 2000, "{kind:?}: {smooth}");
    }
}

/// Before the first change the projection has its form, after it another one.
#[test]
fn first_changes_are_where_slopes_change_their_form() {
    let mut random = Random::new(6);
    for kind in kinds() {
        // The entries that are zero, one, and between.
        let form = |x: Vector, root: f64| {
            let slope = of_kind!(&kind, law => law.slope::<NormalFirst>(&x, root));
            slope.map(|entry| if entry == 0.0 || entry == 1.0 { entry } else { 0.5 })
        };
        let mut found = 0;
        for _ in 0..300 {
            let (x, d, root): (Vector, Vector, f64) =
                (random.array(), random.array(), 1.0 + 0.5 * random.signed());
            let at = |t: f64| std::array::from_fn(|i| x[i] + t * d[i]);
            let first = of_kind!(&kind, law => law.first_change::<NormalFirst>(&x, &d, root));
            for _ in 0..20 {
                let share = 0.5 + 0.499 * random.signed();
                let t = share * first.min(1e3);
                assert_eq!(form(at(t), root), form(x, root), "{kind:?} {x:?} {d:?}: {share} of {first}");
            }
            if first < 1e3 {
                found += 1;
                assert_ne!(form(at(1.0001 * first), root), form(x, root), "{kind:?} {x:?} {d:?}: {first}");
            }
        }
        assert!(found > 100, "{kind:?}: {found}");
    }
}

/// For each law: a, the largest a · R of its smallest forces, and the part of a along which forces can grow.
#[test]
fn reaches_are_largest_products() {
    let reach = |kind: Kind, a: Vector| of_kind!(&kind, law => law.reach::<NormalFirst>(&a));
    let contact = Kind::contact([0.5; 2], 2.0);
    assert_eq!(reach(contact, [-1.0, 1.0, 0.0]), (2.0, [0.0; 3]));
    assert_eq!(reach(contact, [1.0, 0.5, 0.0]), (-2.0, [1.0, 0.5, 0.0]));
    // The largest product over the disk with R_N = 2, whose radius is 1.
    let expansion = Kind::Expansion { friction: 0.5, least_force: 2.0 };
    assert_eq!(reach(expansion, [-1.0, 0.6, 0.8]), (-1.0, [0.0; 3]));
    assert_eq!(reach(expansion, [1.0, 0.0, -0.5]), (2.5, [1.0, 0.0, -0.5]));
    let (lower, upper) = ([f64::NEG_INFINITY, 1.0, -3.0], [f64::INFINITY, f64::INFINITY, 4.0]);
    let bounds = Kind::Bounds { lower, upper };
    assert_eq!(reach(bounds, [1.0, -2.0, 3.0]), (10.0, [1.0, 0.0, 0.0]));
    assert_eq!(reach(bounds, [0.0, 2.0, -3.0]), (11.0, [0.0, 2.0, 0.0]));
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
    // An expansion that opens has friction.
    let kind = Kind::Expansion { friction: 0.5, least_force: 2.0 };
    let map = |r, u| natural_map::<NormalFirst>(&kind, &r, &u, 0.7).map(|x| x.abs() < 1e-15);
    assert_eq!(map([2.0, 0.6, -0.8], [1.0, -0.3, 0.4]), [true; 3]);
    assert_eq!(map([2.0, 0.3, -0.4], [1.0, 0.0, 0.0]), [true; 3]);
    assert_eq!(map([3.0, 0.9, -1.2], [0.0, -0.3, 0.4]), [true; 3]);
    assert_ne!(map([3.0, 0.9, -1.2], [1.0, -0.3, 0.4]), [true; 3]);
    assert_ne!(map([2.0, 0.0, 0.0], [1.0, -0.3, 0.4]), [true; 3]);
}

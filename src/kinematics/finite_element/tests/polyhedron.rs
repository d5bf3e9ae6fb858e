use super::*;
use crate::kinematics::finite_element::polyhedron::box_distance;

/// Lower and upper bound of the distance by the conditional-gradient method of Gilbert with exact steps,
/// independent of simplices: the upper bound is the length of the vector, the lower one its support.
fn bounds(corners: &[Vector], point: &Vector) -> (f64, f64) {
    let arms: Vec<Vector3<f64>> = corners.iter().map(|c| Vector3::from(*c) - Vector3::from(*point)).collect();
    let mut weights = vec![0.0; arms.len()];
    weights[0] = 1.0;
    let mut lower: f64 = 0.0;
    let at = |weights: &[f64]| arms.iter().zip(weights).map(|(arm, &w)| arm * w).sum::<Vector3<f64>>();
    for _ in 0..20_000 {
        let v = at(&weights);
        let slope = |k: &usize| arms[*k].dot(&v);
        let toward = (0..arms.len()).min_by(|i, j| slope(i).total_cmp(&slope(j))).unwrap();
        let used = (0..arms.len()).filter(|&k| weights[k] > 0.0);
        let away = used.max_by(|i, j| slope(i).total_cmp(&slope(j))).unwrap();
        lower = lower.max(slope(&toward) / v.norm().max(f64::MIN_POSITIVE));
        if v.norm() - lower < 1e-14 {
            break;
        }
        // Shift weight from the worst to the best: a pairwise step, which converges linearly.
        let direction = arms[toward] - arms[away];
        let step = (-v.dot(&direction) / direction.norm_squared()).min(weights[away]);
        if step.is_nan() || step <= 0.0 {
            break;
        }
        weights[toward] += step;
        weights[away] -= step;
    }
    (lower, at(&weights).norm())
}

/// Nodes of an element, sometimes flattened or with coinciding nodes, and a point near it.
fn hull_and_point() -> impl Strategy<Value = (Vec<Vector>, Vector)> {
    let hull = shapes().prop_flat_map(|shape| (Just(shape), distorted(shape, 0.3)));
    (hull, vector(1.0), 0..6).prop_map(|((shape, mut corners), toward, fault)| {
        match fault {
            0 => corners.iter_mut().for_each(|c| c[2] = 0.25),
            1 => corners[1] = corners[0],
            2 => corners[3] = [0, 1, 2].map(|k| 0.5 * (corners[0][k] + corners[1][k])),
            _ => {}
        }
        let corners = corners[..shape.nodes()].to_vec();
        let reach = Vector3::from(corners[0]) - Vector3::from(corners[2]);
        let middle = corners.iter().map(|c| Vector3::from(*c)).sum::<Vector3<f64>>() / corners.len() as f64;
        (corners, (middle + Vector3::from(toward) * 1.5 * reach.norm()).into())
    })
}

proptest! {
    #[test]
    fn distance_lies_between_independent_bounds((corners, point) in hull_and_point()) {
        let d = distance(&corners, &point);
        let (lower, upper) = bounds(&corners, &point);
        prop_assert!(d >= lower - 1e-12 && d <= upper + 1e-12, "{lower} {d} {upper}");
        prop_assert!(box_distance(&corners, &point) <= d + 1e-14);
    }

    #[test]
    fn convex_combinations_are_inside((corners, _) in hull_and_point(), raw in prop::array::uniform8(0.0..1.0_f64)) {
        let total: f64 = raw[..corners.len()].iter().sum();
        let mut point = [0.0; 3];
        for (corner, weight) in corners.iter().zip(raw) {
            point.iter_mut().zip(corner).for_each(|(p, c)| *p += weight / total * c);
        }
        prop_assert!(distance(&corners, &point) < 1e-14);
    }
}

fn cube() -> Vec<Vector> {
    node_coordinates(ElementShape::Hexahedron)
}

#[test]
fn distances_from_a_cube_are_known() {
    for (point, expected) in [
        ([0.0; 3], 0.0),
        ([0.5, -0.5, 0.9], 0.0),
        ([1.0, 0.5, 0.0], 0.0),
        ([1.0, 1.0, 0.0], 0.0),
        ([1.0; 3], 0.0),
        ([2.0, 0.5, 0.0], 1.0),
        ([0.0, 0.0, -1.25], 0.25),
        ([4.0, 5.0, 0.0], 5.0),
        ([2.0, 3.0, -3.0], 3.0),
        ([1.0, 0.5, 1.0 + 1e-9], 1e-9),
        ([1.0 + 1e-13, 0.3, 0.2], 1e-13),
    ] {
        let d = distance(&cube(), &point);
        assert!((d - expected).abs() < 1e-15, "{point:?}: {d}");
    }
}

/// Points just below and above a face, an edge and a corner, far from the origin and for flat cubes: the side
/// is exact down to rounding.
#[test]
fn sides_are_right_close_to_the_surface() {
    for height in [1.0, 1e-3, 1e-6] {
        for shift in [0.0, 100.0] {
            let corners: Vec<Vector> =
                cube().iter().map(|[x, y, z]| [x + shift, y - shift, height * z]).collect();
            for gap in [1e-3, 1e-6, 1e-9, 1e-11] {
                for [x, y, z] in [[0.3, 0.2, 1.0], [0.3, 1.0, 1.0], [1.0, 1.0, 1.0], [0.0, 0.0, 1.0]] {
                    let above = [x + shift, y - shift, height * z + gap];
                    let exact = above[2] - height;
                    let d = distance(&corners, &above);
                    assert!((d - exact).abs() < 1e-6 * gap, "{height} {shift} {gap}: {d}");
                    if gap < height {
                        let below = [x + shift, y - shift, height * z - gap];
                        assert!(distance(&corners, &below) < 1e-14);
                    }
                }
            }
        }
    }
}

#[test]
fn flat_and_tiny_hulls_have_distances() {
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    assert_eq!(distance(&square, &[0.5, 0.5, 2.0]), 2.0);
    assert_eq!(distance(&square, &[0.5, 0.5, 0.0]), 0.0);
    // Beside the square, in its plane.
    assert_eq!(distance(&square, &[3.0, 0.5, 0.0]), 2.0);
    let line = [[0.0; 3], [1.0, 1.0, 1.0], [2.0, 2.0, 2.0], [0.5, 0.5, 0.5]];
    assert!((distance(&line, &[1.0, -1.0, 0.0]) - 2.0_f64.sqrt()).abs() < 1e-15);
    assert_eq!(distance(&[[1.0, 2.0, 3.0]; 5], &[1.0, 2.0, 4.0]), 1.0);
    assert_eq!(distance(&[[1.0, 2.0, 3.0]; 5], &[1.0, 2.0, 3.0]), 0.0);
    assert_eq!(distance(&[], &[0.0; 3]), f64::INFINITY);
}

use super::*;

fn shape_and_point() -> impl Strategy<Value = (ElementShape, Vector)> {
    (shapes(), vector(1.0)).prop_map(|(shape, unit)| (shape, inner_point(shape, &unit)))
}

fn sum(values: impl Iterator<Item = f64>) -> f64 {
    values.sum()
}

proptest! {
    #[test]
    fn functions_sum_to_one_and_reproduce_the_coordinates((shape, xi) in shape_and_point()) {
        let n = shape.functions(&xi);
        prop_assert!((sum(n.into_iter()) - 1.0).abs() < 1e-15);
        for k in 0..3 {
            let x = sum(node_coordinates(shape).iter().zip(n).map(|(node, n)| n * node[k]));
            prop_assert!((x - xi[k]).abs() < 1e-15, "{shape:?} {k}");
        }
        prop_assert!(n[shape.nodes()..].iter().all(|&n| n == 0.0));
    }

    #[test]
    fn derivatives_are_those_of_the_functions((shape, xi) in shape_and_point()) {
        let derivatives = shape.derivatives(&xi);
        let delta = 1e-5;
        for k in 0..3 {
            let moved = |by: f64| {
                let mut xi = xi;
                xi[k] += by;
                shape.functions(&xi)
            };
            let (behind, ahead) = (moved(-delta), moved(delta));
            for a in 0..MAX_NODES {
                let mut expected = (ahead[a] - behind[a]) / (2.0 * delta);
                if shape == ElementShape::Pyramid && k == 2 && a < 4 {
                    // The derivative of r that the library uses instead of the true one.
                    let [x, y, z] = xi;
                    let sign = [1.0, -1.0, 1.0, -1.0][a];
                    expected += sign * 0.25 * (x * y - x * y / (1.0 - z).powi(2));
                }
                prop_assert!((derivatives[a][k] - expected).abs() < 1e-6, "{shape:?} {a} {k}");
            }
        }
        for k in 0..3 {
            prop_assert!(sum(derivatives.iter().map(|d| d[k])).abs() < 1e-15);
        }
    }

    #[test]
    fn points_of_the_box_stay_and_others_are_clamped((shape, xi) in shape_and_point(), far in vector(9.0)) {
        prop_assert_eq!(shape.clamped(&xi), xi);
        let clamped = shape.clamped(&far);
        prop_assert_eq!(shape.clamped(&clamped), clamped);
        for k in 0..3 {
            let lowest = node_coordinates(shape).iter().map(|node| node[k]).fold(f64::MAX, f64::min);
            prop_assert_eq!(clamped[k], far[k].max(lowest).min(1.0));
        }
    }
}

#[test]
fn a_function_is_one_at_its_node_and_zero_at_the_others() {
    for shape in SHAPES {
        for (a, xi) in node_coordinates(shape).iter().enumerate() {
            let mut expected = [0.0; MAX_NODES];
            expected[a] = 1.0;
            assert_eq!(shape.functions(xi), expected, "{shape:?}");
        }
    }
}

#[test]
fn the_apex_of_a_pyramid_has_no_r() {
    let n = ElementShape::Pyramid.functions(&[0.5, 0.25, 1.0]);
    assert_eq!(n[..5], [0.21875, -0.09375, -0.15625, 0.03125, 1.0]);
    assert!(
        ElementShape::Pyramid.derivatives(&[0.5, 0.25, 1.0]).as_flattened().iter().all(|d| d.is_finite())
    );
}

#[test]
fn elements_are_checked() {
    assert_eq!(Element::new(&[0, 1, 2, 3], 4).unwrap().shape, ElementShape::Tetrahedron);
    assert_eq!(Element::new(&[0, 1, 2, 3], 4).unwrap().nodes(), [0, 1, 2, 3]);
    assert_eq!(Element::new(&[0, 1, 2, 4], 4), None);
    assert_eq!(Element::new(&[0, 1, -2, 3], 4), None);
    for count in [0, 1, 2, 3, 7, 9] {
        assert_eq!(Element::new(&vec![0; count], 4), None);
    }
}

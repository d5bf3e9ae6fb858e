use super::*;
use crate::kinematics::finite_element::element::interpolate;

fn element_and_point() -> impl Strategy<Value = (ElementShape, Corners, Vector)> {
    (shapes(), vector(1.0)).prop_flat_map(|(shape, unit)| {
        distorted(shape, 0.1).prop_map(move |corners| (shape, corners, inner_point(shape, &unit)))
    })
}

proptest! {
    #[test]
    fn points_inside_are_found((shape, corners, xi) in element_and_point()) {
        let point = interpolate(&shape.functions(&xi), &corners);
        let found = local_coordinates(shape, &corners, &point);
        // On a pyramid convergence is linear, and near the apex the wrong slope makes it slow.
        if shape == ElementShape::Pyramid && xi[2] > 0.8 {
            return Ok(());
        }
        let found = found.unwrap();
        let tolerance = if shape == ElementShape::Pyramid { 2e-8 } else { 1e-10 };
        for k in 0..3 {
            prop_assert!((found[k] - xi[k]).abs() < tolerance, "{shape:?} {found:?} {xi:?}");
        }
    }
}

/// A pyramid over a parallelogram has no r in its map, so Newton's method ends after two steps, exactly.
#[test]
fn a_straight_pyramid_is_mapped_exactly() {
    let mut corners = [[0.0; 3]; MAX_NODES];
    for (corner, [x, y, z]) in corners.iter_mut().zip(node_coordinates(ElementShape::Pyramid)) {
        *corner = [2.0 * x + 0.5 * y + 1.0, y, 3.0 * z];
    }
    for xi in [[0.25, -0.5, 0.125], [0.0, 0.0, 1.0], [1.0, -1.0, 0.0]] {
        let [x, y, z] = xi;
        let found =
            local_coordinates(ElementShape::Pyramid, &corners, &[2.0 * x + 0.5 * y + 1.0, y, 3.0 * z])
                .unwrap();
        assert!((0..3).all(|k| (found[k] - xi[k]).abs() < 1e-15), "{found:?}");
    }
}

/// A wedge whose triangle x < 1 is mapped by a bilinear map with the inverse known: x' = x (1 + z/2).
#[test]
fn a_tapered_wedge_is_inverted() {
    let mut corners = [[0.0; 3]; MAX_NODES];
    for (corner, [x, y, z]) in corners.iter_mut().zip(node_coordinates(ElementShape::Wedge)) {
        *corner = [x * (1.0 + 0.5 * z), y * (1.0 + 0.5 * z), z];
    }
    let found = local_coordinates(ElementShape::Wedge, &corners, &[0.3, 0.2, 0.5]).unwrap();
    let expected = [0.3 / 1.25, 0.2 / 1.25, 0.5];
    assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 1e-15), "{found:?}");
}

/// The same wedge close to z = 0: the second step is 7e-10 long, and so the last; what it adds counts.
#[test]
fn the_last_step_is_taken() {
    let mut corners = [[0.0; 3]; MAX_NODES];
    for (corner, [x, y, z]) in corners.iter_mut().zip(node_coordinates(ElementShape::Wedge)) {
        *corner = [x * (1.0 + 0.5 * z), y * (1.0 + 0.5 * z), z];
    }
    let z = 4e-9;
    let found = local_coordinates(ElementShape::Wedge, &corners, &[0.3, 0.2, z]).unwrap();
    let expected = [0.3 / (1.0 + 0.5 * z), 0.2 / (1.0 + 0.5 * z), z];
    assert!((0..3).all(|k| (found[k] - expected[k]).abs() < 1e-15), "{found:?}");
}

/// The first pivot of the Jacobian is zero: x = η, y = ζ, z = ξ.
#[test]
fn turned_elements_are_inverted() {
    for shape in SHAPES {
        let mut corners = [[0.0; 3]; MAX_NODES];
        for (corner, [x, y, z]) in corners.iter_mut().zip(node_coordinates(shape)) {
            *corner = [y, z, x];
        }
        let found = local_coordinates(shape, &corners, &[0.25, 0.125, 0.5]).unwrap();
        assert!((0..3).all(|k| (found[k] - [0.5, 0.25, 0.125][k]).abs() < 1e-15), "{shape:?} {found:?}");
    }
}

#[test]
fn points_outside_are_found_too_where_the_map_goes_on() {
    let mut corners = [[0.0; 3]; MAX_NODES];
    corners[..8].copy_from_slice(&node_coordinates(ElementShape::Hexahedron));
    let found = local_coordinates(ElementShape::Hexahedron, &corners, &[3.0, 0.0, -5.0]).unwrap();
    assert_eq!(ElementShape::Hexahedron.clamped(&found), [1.0, 0.0, -1.0]);
}

#[test]
fn degenerate_elements_have_none() {
    for shape in SHAPES {
        let mut flat = [[0.0; 3]; MAX_NODES];
        for (corner, [x, y, z]) in flat.iter_mut().zip(node_coordinates(shape)) {
            *corner = [x + 0.25 * z, y - 0.5 * z, 0.0];
        }
        assert_eq!(local_coordinates(shape, &flat, &[0.1, 0.1, 0.0]), None);
        assert_eq!(local_coordinates(shape, &[[1.0; 3]; 8], &[1.0; 3]), None);
        let mut corners = [[0.0; 3]; MAX_NODES];
        corners[..shape.nodes()].copy_from_slice(&node_coordinates(shape));
        assert_eq!(local_coordinates(shape, &corners, &[f64::NAN, 0.0, 0.0]), None);
        corners[1][2] = f64::INFINITY;
        assert!(local_coordinates(shape, &corners, &[0.1; 3]).is_none());
    }
}

/// x' = x (z + 1/2) + …: a hexahedron turned inside out through z = −1/2, where the points are out of reach.
#[test]
fn points_out_of_reach_have_none() {
    let mut corners = [[0.0; 3]; MAX_NODES];
    for (corner, [x, y, z]) in corners.iter_mut().zip(node_coordinates(ElementShape::Hexahedron)) {
        *corner = [x * y, y, x * z];
    }
    assert_eq!(local_coordinates(ElementShape::Hexahedron, &corners, &[0.3, 0.0, 0.4]), None);
}

/// A pyramid with a corner lifted, where the wrong slope makes convergence slow: of two heights the first takes all steps, the
/// second takes one more.
#[test]
fn no_step_is_left_out_or_added() {
    let xi = [0.25, -0.25, 0.5];
    let found = |height: f64| {
        let mut corners = [[0.0; 3]; MAX_NODES];
        corners[..5].copy_from_slice(&node_coordinates(ElementShape::Pyramid));
        corners[0][2] = height;
        let point = interpolate(&ElementShape::Pyramid.functions(&xi), &corners);
        local_coordinates(ElementShape::Pyramid, &corners, &point)
    };
    // Steps become shorter by a quarter: the last is 8e-10 long, and three times as much is left to go.
    let last = found(3.0546875).unwrap();
    assert!((0..3).all(|k| (last[k] - xi[k]).abs() < 3e-9), "{last:?}");
    assert_eq!(found(3.05859375), None);
}

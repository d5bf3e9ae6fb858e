use super::*;

/// Three cubes of edge 1 in a row along x, with shared nodes.
fn row_of_cubes() -> (Vec<Element>, Vec<Vector>) {
    let mesh: Vec<Vector> = (0..4)
        .flat_map(|i| [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[y, z]| [i, y, z].map(f64::from)))
        .collect();
    let element = |e: i32| {
        let nodes = [0, 4, 5, 1, 3, 7, 6, 2].map(|k| 4 * e + k);
        Element::new(&nodes, mesh.len()).unwrap()
    };
    ((0..3).map(element).collect(), mesh)
}

fn chosen(order: &[usize], point: Vector) -> usize {
    let (elements, mesh) = row_of_cubes();
    let found = choose(order.iter().map(|&e| elements[e]), &mesh, &point, 1e-6).unwrap();
    elements.iter().position(|e| *e == found).unwrap()
}

#[test]
fn the_first_that_holds_the_point_is_chosen() {
    assert_eq!(chosen(&[0, 1, 2], [1.5, 0.5, 0.5]), 1);
    // On a common face, and within the tolerance beside it.
    for x in [1.0, 1.0 - 9e-7, 1.0 + 9e-7] {
        assert_eq!(chosen(&[0, 1, 2], [x, 0.5, 0.5]), 0);
        assert_eq!(chosen(&[2, 1, 0], [x, 0.5, 0.5]), 1);
    }
    assert_eq!(chosen(&[0, 1, 2], [1.0 + 2e-6, 0.5, 0.5]), 1);
    assert_eq!(chosen(&[2, 1, 0], [1.0 - 2e-6, 0.5, 0.5]), 0);
    // Just outside the row, above an edge.
    assert_eq!(chosen(&[2, 1, 0], [1.5, 1.0 + 5e-7, 1.0 + 5e-7]), 1);
}

#[test]
fn else_the_nearest_is_chosen_and_the_first_of_equals() {
    assert_eq!(chosen(&[0, 1, 2], [1.75, 3.0, 0.5]), 1);
    assert_eq!(chosen(&[0, 1, 2], [9.0, 3.0, 0.5]), 2);
    assert_eq!(chosen(&[0, 2, 1], [-9.0, 3.0, 0.5]), 0);
    assert_eq!(chosen(&[0, 1, 2], [2.0, 3.0, 0.5]), 1);
    assert_eq!(chosen(&[2, 1, 0], [2.0, 3.0, 0.5]), 2);
}

#[test]
fn no_candidate_is_none() {
    assert_eq!(choose(std::iter::empty(), &[], &[0.0; 3], 1e-6), None);
}

#[test]
fn candidates_without_local_coordinates_are_judged_by_distance() {
    let mut mesh: Vec<Vector> = node_coordinates(ElementShape::Hexahedron);
    mesh.iter_mut().for_each(|node| node[2] = 0.0);
    mesh.extend(node_coordinates(ElementShape::Tetrahedron));
    let flat = Element::new(&[0, 1, 2, 3, 4, 5, 6, 7], mesh.len()).unwrap();
    let solid = Element::new(&[8, 9, 10, 11], mesh.len()).unwrap();
    let choose = |point| choose([flat, solid].into_iter(), &mesh, &point, 1e-6);
    assert_eq!(choose([0.1, 0.1, 0.0]), Some(flat));
    assert_eq!(choose([0.1, 0.1, 0.1]), Some(solid));
    assert_eq!(locate(flat, &mesh, &[0.1, 0.1, 0.0]), None);
}

proptest! {
    /// The shortcut by local coordinates gives the same result as distances alone.
    #[test]
    fn the_choice_is_that_by_distances(
        (shape, corners) in shapes().prop_flat_map(|shape| (Just(shape), distorted(shape, 0.4))),
        toward in vector(1.0), epsilon in prop_oneof![Just(1e-6), 0.0..0.5_f64],
    ) {
        let (element, mesh) = mesh_of(shape, &corners);
        let reach = (Vector3::from(corners[0]) - Vector3::from(corners[2])).norm();
        let point = (Vector3::from(corners[0]) + Vector3::from(toward) * reach).into();
        let decoy = Element::new(&[0, 0, 0, 0], mesh.len()).unwrap();
        let mut mesh = mesh;
        mesh[0] = point;
        let found = choose([element, decoy].into_iter(), &mesh, &point, epsilon).unwrap();
        prop_assert_eq!(found == element, distance(&corners[..shape.nodes()], &point) <= epsilon);
    }

    #[test]
    fn located_points_are_clamped(
        (shape, corners) in shapes().prop_flat_map(|shape| (Just(shape), distorted(shape, 0.05))), toward in vector(3.0),
    ) {
        let (element, mesh) = mesh_of(shape, &corners);
        let reach = (Vector3::from(corners[0]) - Vector3::from(corners[2])).norm();
        let point: Vector = (Vector3::from(corners[0]) + Vector3::from(toward) * reach).into();
        if let Some(location) = locate(element, &mesh, &point) {
            let free = local_coordinates(shape, &element.corners(&mesh), &point).unwrap();
            prop_assert_eq!(location, Location { element, xi: shape.clamped(&free) });
        }
    }
}

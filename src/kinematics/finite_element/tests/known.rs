use super::*;

/// Two elements on one mesh: a cube of edge 2 and one that shares a face with it.
fn two_cubes() -> (Vec<Element>, Vec<Vector>) {
    let mesh: Vec<Vector> = (0..3)
        .flat_map(|i| [[0, 0], [2, 0], [2, 2], [0, 2]].map(|[y, z]| [2 * i, y, z].map(f64::from)))
        .collect();
    let element = |e: i32| Element::new(&[0, 4, 5, 1, 3, 7, 6, 2].map(|k| 4 * e + k), mesh.len()).unwrap();
    (vec![element(0), element(1)], mesh)
}

#[test]
fn what_is_known_is_what_would_be_found() {
    let (elements, mesh) = two_cubes();
    let mut moved = mesh.clone();
    moved[6][1] += 0.25;
    let mut turned = mesh.clone();
    turned[0][2] = f64::from_bits(turned[0][2].to_bits() + 1);
    let (here, there, outside) = ([1.0, 0.5, 0.5], [1.5, 1.25, 0.5], [1e9, f64::NAN, 0.0]);
    let mut known = CachedLocation::default();
    // The same again, another point, another element, corners moved by much and by a bit, an error, and back each time.
    for (element, mesh, point) in [
        (0, &mesh, here),
        (0, &mesh, here),
        (0, &mesh, there),
        (1, &mesh, there),
        (0, &mesh, there),
        (0, &moved, there),
        (0, &mesh, there),
        (0, &turned, there),
        (0, &mesh, outside),
        (0, &mesh, there),
        (0, &mesh, here),
    ] {
        let expected = locate(elements[element], mesh, &point);
        let found = known.locate(elements[element], mesh, &point);
        match (found, expected) {
            (Some(found), Some(expected)) => {
                assert!(found.element == expected.element && found.xi == expected.xi, "{point:?}");
            }
            (found, expected) => assert!(found.is_none() && expected.is_none(), "{point:?}"),
        }
    }
}

/// Elements at the same place are still two elements.
#[test]
fn nodes_count_as_well_as_their_places() {
    let (elements, mesh) = two_cubes();
    let doubled = [&mesh[..], &mesh[..]].concat();
    let nodes: Vec<i32> =
        elements[0].nodes().iter().map(|&node| (node as usize + mesh.len()) as i32).collect();
    let other = Element::new(&nodes, doubled.len()).unwrap();
    let mut known = CachedLocation::default();
    for element in [elements[0], other, elements[0]] {
        assert_eq!(known.locate(element, &doubled, &[1.0, 0.5, 0.5]).unwrap().element, element);
    }
}

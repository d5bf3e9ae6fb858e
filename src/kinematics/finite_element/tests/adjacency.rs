use super::*;

/// Two tetrahedra with a common node and one apart.
fn elements() -> [Element; 3] {
    [[0, 1, 2, 3], [3, 4, 5, 6], [7, 8, 9, 10]].map(|nodes| Element::new(&nodes, 11).unwrap())
}

#[test]
fn elements_share_nodes_with_themselves_and_neighbors() {
    let [a, b, c] = elements();
    assert!(a.shares_node(&a) && a.shares_node(&b) && b.shares_node(&a));
    assert!(!a.shares_node(&c) && !c.shares_node(&b));
}

#[test]
fn separate_meshes_interact_through_any_pair_of_candidates() {
    let [a, b, c] = elements();
    let adjacent =
        |one: &[Element], two: &[Element]| adjacent_separate(one.iter().copied(), two.iter().copied());
    assert!(adjacent(&[c, a], &[b]));
    assert!(adjacent(&[b], &[c, a]));
    assert!(adjacent(&[c], &[a, c]));
    assert!(!adjacent(&[c], &[a, b]));
    assert!(!adjacent(&[], &[a]));
    assert!(!adjacent(&[a], &[]));
}

#[test]
fn points_at_different_nodes_do_not_interact() {
    let [a, b, c] = elements();
    assert!(!adjacent((&a, Some(0)), (&a, || Some(1))));
    assert!(adjacent((&a, Some(3)), (&b, || Some(3))));
    assert!(adjacent((&a, Some(0)), (&b, || None)));
    assert!(adjacent((&a, None), (&b, || Some(6))));
    assert!(adjacent((&a, None), (&a, || None)));
    assert!(!adjacent((&a, None), (&c, || None)));
    assert!(!adjacent((&a, Some(0)), (&c, || None)));
}

#[test]
fn coincident_nodes_are_found_in_order_with_an_open_tolerance() {
    let mut mesh = vec![[0.0; 3]; 11];
    for (k, node) in mesh.iter_mut().enumerate() {
        node[0] = k as f64;
    }
    let [a, ..] = elements();
    let at = |point| coincident_node(&a, &mesh, &point, 0.25);
    assert_eq!(at([2.0, 0.2, -0.2]), Some(2));
    assert_eq!(at([2.0, 0.25, 0.0]), None);
    assert_eq!(at([7.0, 0.0, 0.0]), None);
    let reversed = Element::new(&[3, 2, 1, 0], 11).unwrap();
    assert_eq!(coincident_node(&a, &mesh, &[1.5, 0.0, 0.0], 0.75), Some(1));
    assert_eq!(coincident_node(&reversed, &mesh, &[1.5, 0.0, 0.0], 0.75), Some(2));
    assert_eq!(at([f64::NAN, 0.0, 0.0]), None);
}

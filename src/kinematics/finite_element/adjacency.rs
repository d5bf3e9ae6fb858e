//! Decides whether two constraints of one body interact if its inverse couples only shared nodes. Finite elements with an
//! explicit scheme have such an inverse, which is diagonal.

use super::element::Element;
use crate::math::{Vector, difference};

/// Whether two constraints interact on a body with a mesh separate from its shape: one of the first constraint's candidate elements
/// equals, or shares a node with, one of the second constraint's.
pub fn adjacent_separate(
    mut one: impl Iterator<Item = Element>,
    two: impl Iterator<Item = Element> + Clone,
) -> bool {
    one.any(|element| two.clone().any(|other| element.shares_node(&other)))
}

/// Whether two constraints interact on a body whose mesh is its shape. Each is given by its element and the node that coincides with
/// its point, see [`coincident_node`]. Points at two different nodes do not interact; others do if, and only if, the elements share a
/// node. The second node is computed only if needed, since most elements share none.
pub fn adjacent(one: (&Element, Option<u32>), two: (&Element, impl FnOnce() -> Option<u32>)) -> bool {
    one.0.shares_node(two.0) && one.1.is_none_or(|node| two.1().is_none_or(|other| node == other))
}

/// The first node of the element that coincides with the referential `point`: all coordinate differences are less than
/// `epsilon`.
///
/// # Panics
/// If `mesh`, the referential positions of the nodes, has fewer nodes than the mesh of the element.
pub fn coincident_node(element: &Element, mesh: &[Vector], point: &Vector, epsilon: f64) -> Option<u32> {
    let coincides = |node: &&u32| {
        let gap = difference(point, &mesh[**node as usize]);
        gap.iter().all(|x| x.abs() < epsilon)
    };
    element.nodes().iter().find(coincides).copied()
}

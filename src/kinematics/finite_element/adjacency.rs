//! Which constraints of one body interact where its inverse couples only shared nodes: finite elements with
//! an explicit scheme, whose inverse inertia is diagonal.

use super::element::Element;
use crate::math::{Vector, difference};

/// Whether two constraints interact that lie on a body with a mesh separate from its shape: some element of
/// the one's candidates equals, or shares a node with, some element of the other's.
pub fn adjacent_separate(
    mut one: impl Iterator<Item = Element>,
    two: impl Iterator<Item = Element> + Clone,
) -> bool {
    one.any(|element| two.clone().any(|other| element.shares_node(&other)))
}

/// Whether two constraints interact on a body whose mesh is its shape, each given as its element and the node
/// that coincides with its point, see [`coincident_node`]: points at two different nodes do not, others do
/// if, and only if, the elements share a node. The second node is looked for if it matters: most elements share none.
pub fn adjacent(one: (&Element, Option<u32>), two: (&Element, impl FnOnce() -> Option<u32>)) -> bool {
    one.0.shares_node(two.0) && one.1.is_none_or(|node| two.1().is_none_or(|other| node == other))
}

/// The first node of the element, in its order, that coincides with the referential `point`: the largest
/// coordinate difference is below `epsilon`.
///
/// # Panics
/// If `mesh`, the referential places of the nodes, has fewer nodes than the element was made for.
pub fn coincident_node(element: &Element, mesh: &[Vector], point: &Vector, epsilon: f64) -> Option<u32> {
    let coincides = |node: &&u32| {
        let gap = difference(point, &mesh[**node as usize]);
        gap.iter().all(|x| x.abs() < epsilon)
    };
    element.nodes().iter().find(coincides).copied()
}

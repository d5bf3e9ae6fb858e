//! The element that contains a point, and the local coordinates of the point.

use super::element::{Corners, Element, interpolate};
use super::local_coordinates::local_coordinates;
use super::polyhedron::{box_distance, distance};
use crate::math::{Block, Vector, difference, dot, transposed_times};

/// An element and clamped local coordinates in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Location {
    /// The element.
    pub element: Element,
    /// ξ, in the box of the element's shape.
    pub xi: Vector,
}

impl Location {
    /// Eᵀ Σ N_a v_a of nodal velocities `v`, three values a node, in the frame E.
    ///
    /// # Panics
    /// If `v` ends before the element's last node.
    pub fn local_velocity(&self, frame: &Block, v: &[f64]) -> Vector {
        let weights = self.element.shape.functions(&self.xi);
        let mut sum = [0.0; 3];
        for (&node, weight) in self.element.nodes().iter().zip(weights) {
            let at = 3 * node as usize;
            sum.iter_mut().zip(&v[at..at + 3]).for_each(|(sum, v)| *sum += weight * v);
        }
        transposed_times(frame, &sum)
    }
}

/// The location of the referential `point` in the given element; `mesh` has the referential positions of the
/// nodes.
///
/// `None` if Newton's method finds no local coordinates.
pub fn locate(element: Element, mesh: &[Vector], point: &Vector) -> Option<Location> {
    let xi = local_coordinates(element.shape, &element.corners(mesh), point)?;
    Some(Location { element, xi: element.shape.clamped(&xi) })
}

/// The first candidate whose referential polyhedron, the convex hull of its nodes, is no farther than `epsilon` from `point`. If there
/// is none, the nearest candidate, or the first of several equally near; `None` if there are no candidates.
pub fn choose(
    mut candidates: impl Iterator<Item = Element> + Clone,
    mesh: &[Vector],
    point: &Vector,
    epsilon: f64,
) -> Option<Element> {
    let all = candidates.clone();
    candidates.find(|element| holds(element, mesh, point, epsilon)).or_else(|| {
        let far =
            all.map(|element| (distance(&element.corners(mesh)[..element.nodes().len()], point), element));
        let nearest = far.reduce(|nearest, other| if other.0 < nearest.0 { other } else { nearest });
        nearest.map(|(_, element)| element)
    })
}

/// Whether the point is no farther than `epsilon` from the convex hull of the element's nodes.
fn holds(element: &Element, mesh: &[Vector], point: &Vector, epsilon: f64) -> bool {
    let corners = element.corners(mesh);
    let nodes = &corners[..element.nodes().len()];
    if box_distance(nodes, point) > epsilon {
        return false;
    }
    // Local coordinates with no negative shape function give a convex combination of the nodes: if this point is near enough, so is the
    // hull. In nearly all cases this avoids the computation of the distance.
    if let Some(xi) = local_coordinates(element.shape, &corners, point) {
        let n = element.shape.functions(&xi);
        let gap = difference(point, &interpolate(&n, &corners));
        if n.iter().all(|&n| n >= 0.0) && dot(&gap, &gap) <= epsilon * epsilon {
            return true;
        }
    }
    distance(nodes, point) <= epsilon
}

/// A cache of the last located point.
#[derive(Clone, Copy, Debug, Default)]
pub struct CachedLocation {
    /// The last location, the point, and the corners: all that the local coordinates depend on.
    last: Option<(Location, Vector, Corners)>,
}

impl CachedLocation {
    /// [`locate`], or the last result if all arguments are bit-identical to the last ones.
    pub fn locate(&mut self, element: Element, mesh: &[Vector], point: &Vector) -> Option<Location> {
        if let Some((location, last_point, last_corners)) = &self.last
            && location.element == element
            && same_bits(last_point, point)
            && last_corners
                .iter()
                .zip(element.nodes())
                .all(|(last, &node)| same_bits(last, &mesh[node as usize]))
        {
            return Some(*location);
        }
        let location = locate(element, mesh, point)?;
        self.last = Some((location, *point, element.corners(mesh)));
        Some(location)
    }
}

fn same_bits(a: &Vector, b: &Vector) -> bool {
    a.map(f64::to_bits) == b.map(f64::to_bits)
}

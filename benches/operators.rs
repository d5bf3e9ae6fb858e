//! H of contacts on meshes, as a host of the neutral face makes it.

use ldy::system::Operator;

use crate::host::{State, frame};
use crate::said;
use crate::scenes::grid::Grid;
use crate::scenes::stacks::Motion;
use crate::scenes::{Body, Contact, Side, Vector};

/// Nodes with smaller shape functions are not seen by a point.
const NOTHING: f64 = 1e-12;

/// The operator of a contact on a mesh, `None` on other bodies. The operator on a co-rotational mesh takes velocities in
/// the axes of the body: Eᵀ N R.
///
/// # Errors
/// If the library refuses something.
pub fn of_mesh(
    body: &Body,
    state: &State,
    contact: &Contact,
    side: Side,
    sign: f64,
) -> Result<Option<Operator>, String> {
    let Body::Mesh { grid, .. } = body else { return Ok(None) };
    let mut nodes = weights(grid, side.element.unwrap_or(0), &contact.point);
    nodes.retain(|(_, weight)| weight.abs() > NOTHING);
    nodes.sort_by_key(|(node, _)| *node);
    let axes = frame(&contact.normal);
    let factor =
        turning(body, state).map_or(transposed(&axes), |rotation| product(&transposed(&axes), &rotation));
    let (nodes, weights): (Vec<i32>, Vec<f64>) =
        nodes.into_iter().map(|(node, weight)| (node as i32, sign * weight)).unzip();
    said(Operator::nodal(3 * grid.node_count(), &factor, &nodes, &weights)).map(Some)
}

/// A velocity in the axes of its body's operators: the axes of a co-rotational mesh turn.
pub fn in_body_axes(body: &Body, state: &State, velocity: &[f64]) -> Vec<f64> {
    let Some(rotation) = turning(body, state) else { return velocity.to_vec() };
    let own = |node: &[f64]| -> Vector {
        std::array::from_fn(|k| (0..3).map(|i| rotation[3 * k + i] * node[i]).sum())
    };
    velocity.chunks_exact(3).flat_map(own).collect()
}

fn turning(body: &Body, state: &State) -> Option<[f64; 9]> {
    state.rotation.filter(|_| matches!(body, Body::Mesh { motion: Motion::Corotational, .. }))
}

/// The nodes of an element and what each shape function is at a point.
fn weights(grid: &Grid, element: usize, point: &Vector) -> Vec<(usize, f64)> {
    let cell = [element % grid.cells, element / grid.cells % grid.cells, element / grid.cells / grid.cells];
    let size = grid.edges.map(|edge| edge / grid.cells as f64);
    let place: Vector = std::array::from_fn(|d| (point[d] - grid.low[d]) / size[d] - cell[d] as f64);
    let side = grid.cells + 1;
    let corners = (0..8).map(|corner| [corner % 2, corner / 2 % 2, corner / 4]);
    let node = |corner: [usize; 3]| {
        let factor = |d: usize| if corner[d] == 1 { place[d] } else { 1.0 - place[d] };
        let index = |d: usize| cell[d] + corner[d];
        (index(0) + side * (index(1) + side * index(2)), factor(0) * factor(1) * factor(2))
    };
    corners.map(node).collect()
}

fn transposed(a: &[f64; 9]) -> [f64; 9] {
    std::array::from_fn(|k| a[k % 3 * 3 + k / 3])
}

fn product(a: &[f64; 9], b: &[f64; 9]) -> [f64; 9] {
    std::array::from_fn(|k| (0..3).map(|i| a[3 * i + k % 3] * b[k / 3 * 3 + i]).sum())
}

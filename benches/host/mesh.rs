//! Meshes as hosts store them, with a pair of shape and object for every element.

use std::ffi::c_int;

use ldy::legacy::layout::*;

use super::array::Array;
use super::zeroed;
use crate::scenes::grid::Grid;

/// A mesh with its arrays.
pub struct Mesh {
    /// The shape of the body.
    pub shape: Array<SHAPE>,
    /// A pair for each element.
    pub pairs: Array<SGP>,
    _mesh: Array<MESH>,
    _nodes: Array<f64>,
    _elements: Array<ELEMENT>,
}

impl Mesh {
    /// The mesh of a box.
    pub fn new(grid: &Grid) -> Self {
        let nodes = Array::new(grid.nodes().into_iter().flatten());
        let elements = Array::new(grid.elements().into_iter().map(|nodes| {
            let nodes = nodes.map(|node| node as c_int);
            ELEMENT { r#type: 8, nodes, ..zeroed() }
        }));
        for k in 1..elements.len() {
            // SAFETY: the elements are this function's.
            unsafe {
                (*elements.at(k)).prev = elements.at(k - 1);
                (*elements.at(k - 1)).next = elements.at(k);
            }
        }
        // The list of elements is not read by the library, so the inner ones need none of their own.
        let mesh = Array::new([MESH {
            ref_nodes: nodes.first(),
            cur_nodes: nodes.first(),
            surfeles: elements.first(),
            surfeles_count: elements.len() as c_int,
            nodes_count: grid.node_count() as c_int,
            ..zeroed()
        }]);
        let shape = Array::new([SHAPE { kind: SHAPE_MESH, data: mesh.first().cast(), ..zeroed() }]);
        let pair =
            |k| SGP { shp: shape.first(), gobj: elements.at(k).cast(), kind: GOBJ_ELEMENT, ..zeroed() };
        let pairs = Array::new((0..elements.len()).map(pair));
        Self { shape, pairs, _mesh: mesh, _nodes: nodes, _elements: elements }
    }
}

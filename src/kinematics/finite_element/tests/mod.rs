//! Elements that the tests share.

mod adjacency;
mod element;
mod known;
mod local_coordinates;
mod location;
mod operator;
mod polyhedron;

use nalgebra::{Matrix3, Rotation3, Vector3};
use proptest::prelude::*;
use testing::matrices::block;

use super::*;
use crate::math::Vector;

const SHAPES: [ElementShape; 4] =
    [ElementShape::Tetrahedron, ElementShape::Pyramid, ElementShape::Wedge, ElementShape::Hexahedron];

/// Local coordinates of the nodes, from the meaning of each shape.
fn node_coordinates(shape: ElementShape) -> Vec<Vector> {
    let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    match shape {
        ElementShape::Tetrahedron => vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        ElementShape::Pyramid => {
            vec![[1.0, 1.0, 0.0], [-1.0, 1.0, 0.0], [-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 0.0, 1.0]]
        }
        ElementShape::Wedge => {
            [-1.0, 1.0].into_iter().flat_map(|z| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]]).collect()
        }
        ElementShape::Hexahedron => {
            [-1.0, 1.0].into_iter().flat_map(|z| square.map(|[x, y]| [x, y, z])).collect()
        }
    }
}

fn shapes() -> impl Strategy<Value = ElementShape> {
    prop::sample::select(&SHAPES[..])
}

fn vector(size: f64) -> impl Strategy<Value = Vector> {
    prop::array::uniform3(-size..size)
}

fn rotation() -> impl Strategy<Value = Matrix3<f64>> {
    vector(3.0).prop_map(|axis| *Rotation3::new(Vector3::from(axis)).matrix())
}

/// A point well inside the domain of the local coordinates.
fn inner_point(shape: ElementShape, unit: &Vector) -> Vector {
    let [x, y, z] = unit.map(|u| 0.05 + 0.9 * (0.5 * u + 0.5));
    match shape {
        ElementShape::Tetrahedron => [x * (1.0 - y) * (1.0 - z), y * (1.0 - z), z],
        ElementShape::Pyramid => [(2.0 * x - 1.0) * (1.0 - z), (2.0 * y - 1.0) * (1.0 - z), z],
        ElementShape::Wedge => [x * (1.0 - y), y, 2.0 * z - 1.0],
        ElementShape::Hexahedron => [2.0 * x - 1.0, 2.0 * y - 1.0, 2.0 * z - 1.0],
    }
}

/// Nodes of an element of some size, place and orientation, each node shifted by a part of the size.
fn distorted(shape: ElementShape, distortion: f64) -> impl Strategy<Value = Corners> {
    (rotation(), vector(10.0), 0.01..2.0_f64, prop::array::uniform8(vector(distortion))).prop_map(
        move |(turn, place, size, shifts)| {
            let mut corners = [[0.0; 3]; MAX_NODES];
            for ((corner, xi), shift) in corners.iter_mut().zip(node_coordinates(shape)).zip(shifts) {
                let x = turn * size * (Vector3::from(xi) + Vector3::from(shift)) + Vector3::from(place);
                *corner = x.into();
            }
            corners
        },
    )
}

/// The mesh of one element whose nodes have the numbers 2, 5, 8, … in falling order.
fn mesh_of(shape: ElementShape, corners: &Corners) -> (Element, Vec<Vector>) {
    let numbers: Vec<i32> = (0..shape.nodes() as i32).rev().map(|k| 3 * k + 2).collect();
    let mut mesh = vec![[f64::NAN; 3]; 3 * shape.nodes() + 1];
    for (&number, corner) in numbers.iter().zip(corners) {
        mesh[number as usize] = *corner;
    }
    (Element::new(&numbers, mesh.len()).unwrap(), mesh)
}

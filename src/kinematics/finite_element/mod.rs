//! Finite-element bodies, theory (45): H = Eᵀ N(X), with the shape functions of one element of the mesh.
//!
//! The computation for a point: an element that contains it ([`location`], with distances by [`polyhedron`]), its local
//! coordinates in the element ([`mod@local_coordinates`]), the shape functions ([`element`]), and H ([`operator`]).
//! [`adjacency`] decides whether constraints interact if the inverse couples only shared nodes.

pub mod adjacency;
pub mod element;
pub mod local_coordinates;
pub mod location;
pub mod operator;
pub mod polyhedron;

pub use adjacency::{adjacent, adjacent_separate, coincident_node};
pub use element::{Corners, Element, ElementShape, MAX_NODES};
pub use local_coordinates::local_coordinates;
pub use location::{CachedLocation, Location, choose, locate};
pub use operator::{NodalOperator, Reduced};
pub use polyhedron::distance;

#[cfg(test)]
mod tests;

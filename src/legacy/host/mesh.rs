//! Finite-element meshes and the elements that contain the points of constraints.

use std::{iter, slice};

use crate::kinematics::finite_element::{Element, Location, choose, coincident_node, locate};
use crate::legacy::errors::{Code, Result, fail, invalid};
use crate::legacy::layout::*;
use crate::math::Vector;

use super::body_point::BodyPoint;

/// The mesh of a finite-element body: its separate mesh if it has one, otherwise the mesh of the point's shape.
#[derive(Clone, Copy)]
pub struct Mesh<'a> {
    /// Referential positions of the nodes.
    pub nodes: &'a [Vector],
    /// Whether the mesh is separate from the body's shape.
    pub separate: bool,
}

/// The elements that may contain a point: its own element, or the elements of its convex.
#[derive(Clone, Copy)]
pub struct Candidates<'a> {
    /// The first element.
    pub first: Element,
    others: &'a [*mut ELEMENT],
    mesh_nodes: usize,
}

impl<'a> Mesh<'a> {
    /// The mesh for a point on a body.
    ///
    /// # Errors
    /// If there is none.
    ///
    /// # Safety
    /// `body` is valid, shape and object of the point are NULL or fit the body's kind, and nobody writes them during `'a`.
    pub unsafe fn new(body: *const BODY, place: &BodyPoint) -> Result<Self> {
        // SAFETY: the caller promises a valid body, and a shape and an object that fit its kind. The data of a mesh's shape is
        // the mesh, whose node positions are 3 × count values.
        unsafe {
            let id = (*body).id;
            let separate = !(*body).msh.is_null();
            let mesh = match place.shape.as_ref() {
                _ if separate => (*body).msh.cast_const(),
                Some(shape) => shape.data.cast_const().cast(),
                None => return Err(invalid!("no shape (SGP) on body {id}")),
            };
            let mesh = mesh.as_ref().ok_or_else(|| invalid!("body {id} has no mesh"))?;
            match (mesh.ref_nodes.is_null(), usize::try_from(mesh.nodes_count)) {
                (false, Ok(count)) if count > 0 => {
                    Ok(Self { nodes: slice::from_raw_parts(mesh.ref_nodes.cast(), count), separate })
                }
                _ => Err(invalid!("the mesh of body {id} has no nodes")),
            }
        }
    }

    /// The elements that may contain the point.
    ///
    /// # Errors
    /// If there are none, or one is malformed.
    ///
    /// # Safety
    /// As [`Mesh::new`]; the point is on the mesh's body, and `place` is not moved while the candidates are in use.
    // Without inlining, the result goes through memory, which costs a tenth of an update of meshes with an explicit scheme.
    #[inline(always)]
    pub unsafe fn candidates<'b>(&self, place: &'b BodyPoint) -> Result<Candidates<'b>> {
        // SAFETY: the caller promises a point on the mesh's body, whose object fits it; a convex holds nele elements of the
        // mesh.
        unsafe {
            let elements: &[*mut ELEMENT] = match (place.object.is_null(), self.separate) {
                (true, _) => &[],
                (false, false) => slice::from_ref(&*(&raw const place.object).cast()),
                (false, true) => {
                    let convex = &*place.object.cast::<CONVEX>();
                    match usize::try_from(convex.nele) {
                        Ok(count) if !convex.ele.is_null() => slice::from_raw_parts(convex.ele, count),
                        _ => &[],
                    }
                }
            };
            let [first, others @ ..] = elements else {
                return Err(invalid!("its point lies on no element"));
            };
            let mesh_nodes = self.nodes.len();
            let are_formed = others.iter().all(|&other| element(other, mesh_nodes).is_some());
            match element(*first, mesh_nodes).filter(|_| are_formed) {
                Some(first) => Ok(Candidates { first, others, mesh_nodes }),
                None => Err(invalid!("an element has unknown type or nodes")),
            }
        }
    }

    /// The location of the point in the mesh.
    ///
    /// # Errors
    /// As [`Mesh::candidates`]; also if the local coordinates are not found.
    ///
    /// # Safety
    /// As there.
    // Without inlining, the location is copied once more.
    #[inline(always)]
    pub unsafe fn location(&self, place: &BodyPoint, epsilon: f64) -> Result<Location> {
        // SAFETY: the caller promises a point on the mesh's body, whose elements stay valid. Its cached location is NULL or
        // valid, and used by this thread only.
        unsafe {
            let candidates = self.candidates(place)?;
            let chosen = match self.separate {
                true => choose(candidates.iter(), self.nodes, &place.point, epsilon),
                false => None,
            };
            let element = chosen.unwrap_or(candidates.first);
            let located = match place.cached.as_mut() {
                Some(cached) => cached.locate(element, self.nodes, &place.point),
                None => locate(element, self.nodes, &place.point),
            };
            located.ok_or_else(|| {
                let nodes = element.nodes();
                fail!(
                    Code::PointNotInElement,
                    "no local coordinates of its point in the element of nodes {nodes:?}"
                )
            })
        }
    }

    /// The node of the element that coincides with the point.
    pub fn coincident_node(&self, element: &Element, place: &BodyPoint, epsilon: f64) -> Option<u32> {
        coincident_node(element, self.nodes, &place.point, epsilon)
    }
}

impl Candidates<'_> {
    /// The elements, in the order in which they are tried.
    ///
    /// # Safety
    /// The elements are still valid.
    pub unsafe fn iter(&self) -> impl Iterator<Item = Element> + Clone {
        // SAFETY: the caller promises that the elements are still valid.
        let others = self.others.iter().filter_map(|&other| unsafe { element(other, self.mesh_nodes) });
        iter::once(self.first).chain(others)
    }
}

/// An element of a mesh with `mesh_nodes` nodes; `None` if its type or nodes are unknown.
///
/// # Safety
/// `element` is NULL or valid.
#[inline(always)]
unsafe fn element(element: *const ELEMENT, mesh_nodes: usize) -> Option<Element> {
    // SAFETY: the caller promises that the element is NULL or valid.
    let element = unsafe { element.as_ref() }?;
    let nodes = element.nodes.get(..usize::try_from(element.r#type).ok()?)?;
    Element::new(nodes, mesh_nodes)
}

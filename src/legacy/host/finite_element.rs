//! Finite-element bodies.

use std::slice;

use crate::inertia::cost::MatrixLifetime;
use crate::kinematics::Point;
use crate::kinematics::finite_element::{Location, Reduced};
use crate::legacy::display::null;
use crate::legacy::errors::{Code, Result, fail, invalid};
use crate::legacy::hooks::geometric_epsilon;
use crate::legacy::layout::*;
use crate::math::{Block, is_finite};

use super::body_point::BodyPoint;
use super::mesh::Mesh;

/// A finite-element body, checked.
#[derive(Clone, Copy)]
pub struct FiniteElementBody<'a> {
    body: *const BODY,
    is_reduced: bool,
    /// Number of generalized velocities.
    pub dofs: usize,
    /// The rotation that operators take from the configuration, if any.
    pub rotation: Option<&'a Block>,
    /// How long A is expected to last, if the body has A. The stiffness of a total Lagrangian body changes with its shape; a
    /// co-rotational body keeps its reference stiffness.
    pub lifetime: MatrixLifetime,
}

impl<'a> FiniteElementBody<'a> {
    /// Check a host's body. `velocities_only`: the update computes V and B only.
    ///
    /// # Errors
    /// If the form is unknown, or a configuration that it needs is missing.
    ///
    /// # Safety
    /// As [`super::body::HostBody::new`]; `body` is a finite-element body.
    pub unsafe fn new(body: *const BODY, velocities_only: bool) -> Result<Self> {
        // SAFETY: the caller promises a valid finite-element body; conf of a co-rotational body holds the rotation after dofs
        // values.
        unsafe {
            let id = (*body).id;
            let is_reduced = match (*body).form {
                TOTAL_LAGRANGIAN | BODY_COROTATIONAL => false,
                BODY_COROTATIONAL_MODAL | BODY_COROTATIONAL_REDUCED_ORDER => true,
                form => return Err(invalid!("body {id} of unknown form {form}")),
            };
            // V and B never use the operator of W: they come from velocities of mesh nodes, and their operator has no rotation.
            let is_turned =
                (*body).form == BODY_COROTATIONAL && (*body).scheme != SCH_DEF_EXP && !velocities_only;
            let dofs = match usize::try_from((*body).dofs) {
                Ok(dofs) if dofs > 0 => dofs,
                _ => return Err(invalid!("body {id} with dofs {}", (*body).dofs)),
            };
            let mut rotation = None;
            if is_reduced || is_turned {
                ensure!(!(*body).conf.is_null(), null("conf", body));
                rotation = Some(&*(*body).conf.add(dofs).cast::<Block>());
            }
            let lifetime = match (*body).form {
                TOTAL_LAGRANGIAN => MatrixLifetime::OneUpdate,
                _ => MatrixLifetime::ManyUpdates,
            };
            Ok(Self { body, is_reduced, dofs, rotation, lifetime })
        }
    }

    /// Whether H is stored by nodes; otherwise it is dense.
    pub fn is_nodal(&self) -> bool {
        !self.is_reduced
    }

    /// Number of mesh nodes of a nodal body.
    pub fn mesh_nodes(&self) -> usize {
        self.dofs / 3
    }

    /// Index of the first nodal velocity in velo.
    pub fn first_mesh_velocity(&self) -> usize {
        if self.is_nodal() { 0 } else { 4 * self.dofs }
    }

    /// The location of a point in the mesh, and the number of mesh nodes.
    ///
    /// # Errors
    /// As [`Mesh::location`]; also if mesh and dofs of a nodal body do not match.
    ///
    /// # Safety
    /// As [`Mesh::new`]; the point is on this body.
    #[inline(never)]
    pub unsafe fn location(&self, place: &BodyPoint) -> Result<(Location, usize)> {
        // SAFETY: the caller promises a valid body, and a point on it.
        unsafe {
            let mesh = Mesh::new(self.body, place)?;
            let (nodes, id) = (mesh.nodes.len(), (*self.body).id);
            if self.is_nodal() && self.dofs != 3 * nodes {
                let dofs = self.dofs;
                return Err(invalid!("body {id} with {nodes} mesh nodes and dofs {dofs}"));
            }
            Ok((mesh.location(place, geometric_epsilon())?, nodes))
        }
    }

    /// The point for an operator on the generalized velocities of this body.
    ///
    /// # Errors
    /// As [`FiniteElementBody::location`]; also if the base of a reduced body is missing or has another size.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn dense_point(&self, place: &BodyPoint) -> Result<Point<'a>> {
        // SAFETY: the caller promises a point on this body, which is valid with its base.
        unsafe {
            let (location, nodes) = self.location(place)?;
            match self.rotation {
                Some(rotation) if !self.is_nodal() => {
                    let (base, rows) = (self.base(3 * nodes)?, 3 * nodes);
                    Ok(Point::Reduced(Reduced { location, rotation, base, rows }))
                }
                _ => Ok(Point::Mesh(location)),
            }
        }
    }

    /// Whether Φ is finite or not needed.
    ///
    /// # Errors
    /// As [`FiniteElementBody::dense_point`].
    ///
    /// # Safety
    /// As there.
    pub unsafe fn has_finite_base(&self, place: &BodyPoint) -> Result<bool> {
        if self.is_nodal() {
            return Ok(true);
        }
        // SAFETY: the caller promises a point on this body, which is valid with its base.
        unsafe {
            let (_, nodes) = self.location(place)?;
            Ok(is_finite(self.base(3 * nodes)?))
        }
    }

    /// Φ, `rows` × dofs, column-major.
    ///
    /// # Safety
    /// `body->evec` is NULL or valid, with the number of values that it states.
    unsafe fn base(&self, rows: usize) -> Result<&'a [f64]> {
        // SAFETY: the caller promises that the base is NULL or valid; a dense matrix holds m n values.
        unsafe {
            let failed = |what: &str| {
                let id = (*self.body).id;
                fail!(Code::InvalidFormat, "the reduced base evec of body {id} is {what}")
            };
            let base = (*self.body).evec.as_ref().ok_or_else(|| failed("missing"))?;
            let sizes = [base.m, base.n].map(usize::try_from);
            let fits = base.kind == MXDENSE && !base.x.is_null() && sizes == [Ok(rows), Ok(self.dofs)];
            ensure!(fits, failed("of another size or kind"));
            Ok(slice::from_raw_parts(base.x, rows * self.dofs))
        }
    }
}

//! Operators and local velocities of single points, for hosts without functions of their own.

use std::ffi::{c_int, c_short, c_void};
use std::{ptr, slice};

use crate::assembly::velocities::ConstraintSide;
use crate::kinematics::finite_element::NodalOperator;
use crate::math::{Block, Vector, is_finite};

use super::arguments::{self, entry};
use super::errors::{self, Code, Result, invalid};
use super::ffi::status;
use super::host::body::HostBody;
use super::host::body_point::BodyPoint;
use super::host::domain::{UpdateKind, update_kind};
use super::layout::*;
use super::{display, matrix};

/// A host's request: a point of a body and a local frame.
#[derive(Clone, Copy)]
pub struct Request {
    /// The body.
    pub body: *const BODY,
    /// Shape and object of a finite-element body; may be NULL for others.
    pub shape: *const SHAPE,
    /// See `shape`.
    pub object: *const c_void,
    /// The referential point, 3 values.
    pub point: *const f64,
    /// The local frame, 9 values, column-major.
    pub frame: *const f64,
}

impl Request {
    /// A point of a body without a mesh.
    pub fn at(body: *const BODY, point: *const f64, frame: *const f64) -> Self {
        Self { body, shape: ptr::null(), object: ptr::null(), point, frame }
    }

    /// The point and the frame, checked.
    ///
    /// # Errors
    /// [`Code::InvalidArgument`] if body, point or frame is NULL.
    ///
    /// # Safety
    /// Each pointer is NULL or valid.
    unsafe fn place(&self) -> Result<(BodyPoint, Block)> {
        ensure!(
            !self.body.is_null() && !self.point.is_null() && !self.frame.is_null(),
            invalid!("body, X or E is NULL")
        );
        // SAFETY: body, point and frame are not NULL, and the caller promises that each pointer is NULL or valid.
        unsafe {
            let place = BodyPoint {
                point: *self.point.cast(),
                shape: self.shape,
                object: self.object,
                cached: ptr::null_mut(),
            };
            Ok((place, *self.frame.cast()))
        }
    }

    /// # Safety
    /// The body is valid.
    unsafe fn finite(&self, values: &[f64]) -> Result {
        // SAFETY: the caller promises a valid body.
        let id = unsafe { (*self.body).id };
        let why = "X, E, or its place or velocity, is not finite";
        ensure!(is_finite(values), invalid!("body {id}: {why}"));
        Ok(())
    }
}

fn of_body(id: u32, code: Code) -> Code {
    errors::about(format_args!("body {id}"), code)
}

/// Write H of a rigid or pseudo-rigid body; see `ldy_rigid_operator` and `ldy_pseudo_rigid_operator`. `COUNT` is the number of
/// values of H, which depends on the kind of the body.
///
/// # Safety
/// As there.
pub unsafe fn dense<const COUNT: usize>(request: &Request, h: *mut f64) -> Result {
    // SAFETY: the host promises that each pointer of the request is NULL or valid, and that `h` is NULL or large enough for H
    // of such a body.
    unsafe {
        let (place, frame) = request.place()?;
        ensure!(!h.is_null(), invalid!("H is NULL"));
        let id = (*request.body).id;
        let body = HostBody::new(request.body, true).map_err(|code| of_body(id, code))?;
        ensure!(
            !matches!(body, HostBody::FiniteElement(_)) && 3 * body.dofs() == COUNT,
            invalid!("body {id}: of another kind")
        );
        let mut values = [0.0; COUNT];
        body.dense_point(&place)?.add_operator(1.0, &frame, &mut values);
        request.finite(&values)?;
        *h.cast() = values;
    }
    Ok(())
}

/// Make a matrix with H for a kind of constraint; see `BODY_Gen_To_Loc_Operator`. The result goes to `*out`.
///
/// # Safety
/// As there; `out` is valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_operator(
    body: *mut BODY,
    constraint_kind: c_short,
    shape: *const SHAPE,
    object: *const c_void,
    point: *const f64,
    frame: *const f64,
    out: *mut *mut MX,
) -> c_int {
    let request = Request { body, shape, object, point, frame };
    // SAFETY: the host promises to BODY_Gen_To_Loc_Operator that the pointers of the request are valid.
    entry!(out: place => out.put(unsafe { new_operator(&request, constraint_kind) }?))
}

/// # Safety
/// As [`ldy_entry_operator`].
unsafe fn new_operator(request: &Request, constraint_kind: c_short) -> Result<*mut MX> {
    // SAFETY: the host promises to BODY_Gen_To_Loc_Operator that the body is valid and that the arrays have their sizes; the
    // new matrix has 3 × dofs values.
    unsafe {
        let (place, frame) = request.place()?;
        let id = (*request.body).id;
        let failed = |code| of_body(id, code);
        ensure!(
            display::kind(constraint_kind.into()).is_some(),
            invalid!("body {id}: unknown kind of constraint {constraint_kind}")
        );
        let dom = (*request.body).dom;
        let velocities_only = !dom.is_null() && update_kind(dom)? == UpdateKind::Minimal;
        let body = HostBody::new(request.body, velocities_only).map_err(failed)?;
        if let HostBody::FiniteElement(mesh) = body
            && mesh.is_nodal()
        {
            let (location, _) = mesh.location(&place).map_err(failed)?;
            let operator = NodalOperator::new(&location, &frame, mesh.rotation);
            request.finite(&operator.factor)?;
            return sparse(&operator, mesh.mesh_nodes());
        }
        let point = body.dense_point(&place).map_err(failed)?;
        let a = matrix::create(MXDENSE, 3, body.dofs() as c_int, ptr::null(), ptr::null())?;
        if (*request.body).kind == OBS && c_int::from(constraint_kind) == CONTACT {
            return Ok(a);
        }
        let h = slice::from_raw_parts_mut((*a).x, 3 * body.dofs());
        point.add_operator(1.0, &frame, h);
        request.finite(h).map(|()| a).inspect_err(|_| matrix::destroy(a))
    }
}

/// Make a matrix with the operator of a mesh in compressed columns.
fn sparse(operator: &NodalOperator, mesh_nodes: usize) -> Result<*mut MX> {
    let (columns, count) = (3 * mesh_nodes, operator.sparse_length());
    let a = matrix::columns(3, columns as c_int, count as c_int)?;
    // SAFETY: the new matrix has columns + 1 starts, and count rows and values.
    unsafe {
        operator.write_sparse(
            slice::from_raw_parts_mut((*a).p, columns + 1),
            slice::from_raw_parts_mut((*a).i, count),
            slice::from_raw_parts_mut((*a).x, count),
        );
    }
    Ok(a)
}

/// Check that a body has finite elements.
///
/// # Safety
/// `body` is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_check_finite_element(body: *const BODY) -> c_int {
    // SAFETY: the host promises that the body is NULL or valid.
    status(|| match unsafe { body.as_ref() } {
        Some(body) if body.kind == FEM => Ok(()),
        Some(body) => Err(invalid!("body {}: not a finite-element body", body.id)),
        None => Err(invalid!("body is NULL")),
    })
}

/// Local velocities of a point; see `BODY_Local_Velo`.
///
/// # Safety
/// As there.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_entry_local_velocities(
    body: *mut BODY,
    shape: *const SHAPE,
    object: *const c_void,
    point: *const f64,
    frame: *const f64,
    previous: *mut f64,
    current: *mut f64,
) -> c_int {
    let request = Request { body, shape, object, point, frame };
    // SAFETY: the host promises to BODY_Local_Velo that the body is valid and that the arrays have their sizes.
    status(|| unsafe {
        let (place, frame) = request.place()?;
        let moving = HostBody::new(body, true).and_then(|view| view.moving_point(body, &place));
        let (point, [before, now]) = moving.map_err(|code| of_body((*body).id, code))?;
        let side = ConstraintSide { sign: 1.0, frame: &frame, point, previous: before, current: now };
        let wanted = || {
            side.local_velocities().into_iter().zip([previous, current].map(|target| target.cast::<Vector>()))
        };
        for (velocity, _) in wanted().filter(|(_, target)| !target.is_null()) {
            request.finite(&velocity)?;
        }
        for (velocity, target) in wanted() {
            if let Some(target) = target.as_mut() {
                *target = velocity;
            }
        }
        Ok(())
    })
}

//! Bodies.

use std::fmt::Display;
use std::slice;

use crate::block::{Block, Vector};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::{self, PseudoRigid};
use crate::kinematics::rigid::{self, Rigid};
use crate::legacy::errors::{Code, fail};
use crate::legacy::layout::*;

use super::finite_element;
use super::place::Place;

/// A body as W knows it.
#[derive(Clone, Copy)]
pub enum Body<'a> {
    /// A rigid body or obstacle.
    Rigid(Rigid<'a>),
    /// A pseudo-rigid body.
    PseudoRigid(PseudoRigid<'a>),
    /// Finite elements.
    FiniteElement(finite_element::Body<'a>),
}

impl<'a> Body<'a> {
    /// The body behind what a host passes, `velocities_only` for an update that makes V and B alone; `subject` begins the
    /// text of an error.
    ///
    /// # Errors
    /// [`Code::BugFound`] for an unknown kind, or for what its kind needs and lacks; [`Code::MatrixKind`] without a
    /// reduced base.
    ///
    /// # Safety
    /// `body` is valid, its arrays have the sizes that its kind asks for, and nobody writes them during `'a`.
    #[inline(always)]
    pub unsafe fn new(body: *const BODY, velocities_only: bool, subject: &dyn Display) -> Result<Self, Code> {
        // SAFETY: the caller promises a valid body with the arrays of its kind; conf of a rigid one starts
        // with the nine values of the rotation.
        unsafe {
            let center: &Vector = &(*body).ref_center;
            match (*body).kind {
                OBS | RIG => match (*body).conf.cast::<Block>().as_ref() {
                    Some(rotation) => Ok(Self::Rigid(Rigid { rotation, center })),
                    None => Err(fail!(Code::BugFound, "{subject}: conf of body {} is NULL", (*body).id)),
                },
                PRB => Ok(Self::PseudoRigid(PseudoRigid { center })),
                FEM => finite_element::Body::new(body, velocities_only, subject).map(Self::FiniteElement),
                kind => Err(fail!(Code::BugFound, "{subject}: body {} of unknown kind {kind}", (*body).id)),
            }
        }
    }

    /// Number of generalised velocities that W knows.
    pub fn dofs(&self) -> usize {
        match self {
            Self::Rigid(_) => rigid::DOFS,
            Self::PseudoRigid(_) => pseudo_rigid::DOFS,
            Self::FiniteElement(fem) => fem.dofs,
        }
    }

    /// The rotation that operators take from the configuration, if they do.
    pub fn rotation(&self) -> Option<&'a Block> {
        match self {
            Self::Rigid(rigid) => Some(rigid.rotation),
            Self::PseudoRigid(_) => None,
            Self::FiniteElement(fem) => fem.rotation,
        }
    }

    /// The point at a place, tied to these velocities.
    ///
    /// # Errors
    /// As [`finite_element::Body::dense_point`].
    ///
    /// # Safety
    /// As [`Body::new`]; the place is on this body.
    pub unsafe fn dense_point(&self, place: &Place, subject: &dyn Display) -> Result<Point<'a>, Code> {
        match self {
            Self::Rigid(rigid) => Ok(Point::Rigid(*rigid, place.point)),
            Self::PseudoRigid(prb) => Ok(Point::PseudoRigid(*prb, place.point)),
            // SAFETY: the caller promises that this body is valid, and the place on it.
            Self::FiniteElement(fem) => unsafe { fem.dense_point(place, subject) },
        }
    }

    /// The point at a place, tied to the velocities that V and B are made of, and these velocities: first the
    /// previous, then the current one.
    ///
    /// # Errors
    /// [`Code::BugFound`] without velocities; as [`super::mesh::Mesh::location`] for finite elements.
    ///
    /// # Safety
    /// As [`Body::new`]; `body` is this body, and the place is on it.
    #[inline(always)]
    pub unsafe fn moving_point(
        &self,
        body: *const BODY,
        place: &Place,
        subject: &dyn Display,
    ) -> Result<(Point<'a>, [&'a [f64]; 2]), Code> {
        // SAFETY: the caller promises that this body is valid, and the place on it. velo holds the current
        // velocity, then the previous one; in a reduced body other values come before them.
        unsafe {
            let (point, start, count) = match self {
                Self::Rigid(rigid) => (Point::Rigid(*rigid, place.point), 0, rigid::DOFS),
                Self::PseudoRigid(prb) => (Point::PseudoRigid(*prb, place.point), 0, pseudo_rigid::DOFS),
                Self::FiniteElement(fem) => {
                    let (location, nodes) = fem.location(place, subject)?;
                    (Point::Mesh(location), fem.first_mesh_velocity(), 3 * nodes)
                }
            };
            let velo = (*body).velo.cast_const();
            if velo.is_null() {
                return Err(no_velocities(subject, body));
            }
            let current = slice::from_raw_parts(velo.add(start), count);
            let previous = slice::from_raw_parts(velo.add(start + count), count);
            Ok((point, [previous, current]))
        }
    }
}

/// The error of a body without velocities; `subject` begins its text.
///
/// # Safety
/// `body` is valid.
#[cold]
pub unsafe fn no_velocities(subject: &dyn Display, body: *const BODY) -> Code {
    // SAFETY: the caller promises a valid body.
    fail!(Code::BugFound, "{subject}: velo of body {} is NULL", unsafe { (*body).id })
}

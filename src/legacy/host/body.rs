//! Bodies.

use std::slice;

use crate::block::{Block, Vector};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::{self, PseudoRigid};
use crate::kinematics::rigid::{self, Rigid};
use crate::legacy::fault::Fault;
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
    /// The body behind what a host passes, `velocities_only` for an update that makes V and B alone.
    ///
    /// # Errors
    /// If its kind or form is unknown, or it lacks what these need.
    ///
    /// # Safety
    /// `body` is valid, its arrays have the sizes that its kind asks for, and nobody writes them during `'a`.
    #[inline(always)]
    pub unsafe fn new(body: *const BODY, velocities_only: bool) -> Result<Self, Fault> {
        // SAFETY: the caller promises a valid body with the arrays of its kind; conf of a rigid one starts
        // with the nine values of the rotation.
        unsafe {
            let center: &Vector = &(*body).ref_center;
            match (*body).kind {
                OBS | RIG => match (*body).conf.cast::<Block>().as_ref() {
                    Some(rotation) => Ok(Self::Rigid(Rigid { rotation, center })),
                    None => Err(Fault::Null("conf", (*body).id)),
                },
                PRB => Ok(Self::PseudoRigid(PseudoRigid { center })),
                FEM => finite_element::Body::new(body, velocities_only).map(Self::FiniteElement),
                kind => Err(Fault::Unknown("kind", (*body).id, kind)),
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
    pub unsafe fn dense_point(&self, place: &Place) -> Result<Point<'a>, Fault> {
        match self {
            Self::Rigid(rigid) => Ok(Point::Rigid(*rigid, place.point)),
            Self::PseudoRigid(prb) => Ok(Point::PseudoRigid(*prb, place.point)),
            // SAFETY: the caller promises that this body is valid, and the place on it.
            Self::FiniteElement(fem) => unsafe { fem.dense_point(place) },
        }
    }

    /// The point at a place, tied to the velocities that V and B are made of, and these velocities: first the
    /// previous, then the current one.
    ///
    /// # Errors
    /// If there are no velocities; as [`super::mesh::Mesh::location`] for finite elements.
    ///
    /// # Safety
    /// As [`Body::new`]; `body` is this body, and the place is on it.
    #[inline(always)]
    pub unsafe fn moving_point(
        &self,
        body: *const BODY,
        place: &Place,
    ) -> Result<(Point<'a>, [&'a [f64]; 2]), Fault> {
        // SAFETY: the caller promises that this body is valid, and the place on it. velo holds the current
        // velocity, then the previous one; in a reduced body other values come before them.
        unsafe {
            let (point, start, count) = match self {
                Self::Rigid(rigid) => (Point::Rigid(*rigid, place.point), 0, rigid::DOFS),
                Self::PseudoRigid(prb) => (Point::PseudoRigid(*prb, place.point), 0, pseudo_rigid::DOFS),
                Self::FiniteElement(fem) => {
                    let (location, nodes) = fem.location(place)?;
                    (Point::Mesh(location), fem.first_mesh_velocity(), 3 * nodes)
                }
            };
            let velo = (*body).velo.cast_const();
            if velo.is_null() {
                return Err(Fault::Null("velo", (*body).id));
            }
            let current = slice::from_raw_parts(velo.add(start), count);
            let previous = slice::from_raw_parts(velo.add(start + count), count);
            Ok((point, [previous, current]))
        }
    }
}

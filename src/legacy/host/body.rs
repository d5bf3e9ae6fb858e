//! Bodies, and `body->inverse`: A⁻¹, or A itself.

use std::ffi::c_int;
use std::{fmt, slice};

use crate::inertia::{BlockDiagonal, Defect, Dense, InertiaRef, Inverse, Matrix, Sparse, Structure};
use crate::kinematics::Point;
use crate::kinematics::pseudo_rigid::{self, PseudoRigid};
use crate::kinematics::rigid::{self, Rigid};
use crate::legacy::display::null;
use crate::legacy::errors::{self, Code, Result, fail, invalid};
use crate::legacy::layout::*;
use crate::math::{Block, Vector};

use super::body_point::BodyPoint;
use super::finite_element::FiniteElementBody;

/// A body as W knows it.
#[derive(Clone, Copy)]
pub enum HostBody<'a> {
    /// A rigid body or obstacle.
    Rigid(Rigid<'a>),
    /// A pseudo-rigid body.
    PseudoRigid(PseudoRigid<'a>),
    /// Finite elements.
    FiniteElement(FiniteElementBody<'a>),
}

impl<'a> HostBody<'a> {
    /// Check a host's body. `velocities_only`: the update computes V and B only.
    ///
    /// # Errors
    /// If its kind or form is unknown, or data that these need are missing.
    ///
    /// # Safety
    /// `body` is valid, its arrays have the sizes that its kind asks for, and nobody writes them during `'a`.
    #[inline(always)]
    pub unsafe fn new(body: *const BODY, velocities_only: bool) -> Result<Self> {
        // SAFETY: the caller promises a valid body with the arrays of its kind; conf of a rigid body starts with the nine
        // values of the rotation.
        unsafe {
            let center: &Vector = &(*body).ref_center;
            match (*body).kind {
                OBS | RIG => match (*body).conf.cast::<Block>().as_ref() {
                    Some(rotation) => Ok(Self::Rigid(Rigid { rotation, center })),
                    None => Err(null("conf", body)),
                },
                PRB => Ok(Self::PseudoRigid(PseudoRigid { center })),
                FEM => FiniteElementBody::new(body, velocities_only).map(Self::FiniteElement),
                kind => Err(invalid!("body {} of unknown kind {kind}", (*body).id)),
            }
        }
    }

    /// Number of generalized velocities in W.
    pub fn dofs(&self) -> usize {
        match self {
            Self::Rigid(_) => rigid::DOFS,
            Self::PseudoRigid(_) => pseudo_rigid::DOFS,
            Self::FiniteElement(fem) => fem.dofs,
        }
    }

    /// The rotation that operators take from the configuration, if any.
    pub fn rotation(&self) -> Option<&'a Block> {
        match self {
            Self::Rigid(rigid) => Some(rigid.rotation),
            Self::PseudoRigid(_) => None,
            Self::FiniteElement(fem) => fem.rotation,
        }
    }

    /// The point for an operator on the generalized velocities.
    ///
    /// # Errors
    /// As [`FiniteElementBody::dense_point`].
    ///
    /// # Safety
    /// As [`HostBody::new`]; the point is on this body.
    pub unsafe fn dense_point(&self, place: &BodyPoint) -> Result<Point<'a>> {
        match self {
            Self::Rigid(rigid) => Ok(Point::Rigid(*rigid, place.point)),
            Self::PseudoRigid(prb) => Ok(Point::PseudoRigid(*prb, place.point)),
            // SAFETY: the caller promises that this body is valid and that the point is on it.
            Self::FiniteElement(fem) => unsafe { fem.dense_point(place) },
        }
    }

    /// The point for an operator on the velocities from which V and B are computed, and these velocities: the previous one,
    /// then the current one.
    ///
    /// # Errors
    /// If there are no velocities; as [`super::mesh::Mesh::location`] for finite elements.
    ///
    /// # Safety
    /// As [`HostBody::new`]; `body` is this body, and the point is on it.
    #[inline(always)]
    pub unsafe fn moving_point(
        &self,
        body: *const BODY,
        place: &BodyPoint,
    ) -> Result<(Point<'a>, [&'a [f64]; 2])> {
        // SAFETY: the caller promises that this body is valid and that the point is on it. velo holds the current velocity,
        // then the previous one; in a reduced body, they come after other values.
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
            ensure!(!velo.is_null(), null("velo", body));
            let current = slice::from_raw_parts(velo.add(start), count);
            let previous = slice::from_raw_parts(velo.add(start + count), count);
            Ok((point, [previous, current]))
        }
    }
}

/// The inertia of a body with `dofs` generalized velocities.
///
/// # Errors
/// If `body->inverse` is missing, of unknown kind, ill-formed or of another size.
///
/// # Safety
/// `body` is valid, its inverse is NULL or a matrix whose arrays have the sizes that it states, and nobody writes them
/// during `'a`.
pub unsafe fn inertia<'a>(body: *const BODY, dofs: usize) -> Result<InertiaRef<'a>> {
    // SAFETY: the caller promises a valid body, whose inverse is NULL or a matrix with arrays of the sizes
    // that it states.
    let inertia = unsafe { view((*body).inverse) }.map_err(|code| errors::about("inverse", code))?;
    match inertia.size() {
        size if size == dofs => Ok(inertia),
        size => Err(fail!(Code::InvalidFormat, "inverse of size {size} for {dofs} velocities")),
    }
}

/// Whether a body has the matrix A instead of its inverse.
///
/// # Safety
/// As [`inertia`].
pub unsafe fn is_matrix(body: *const BODY) -> bool {
    // SAFETY: the caller promises a valid body, whose inverse is NULL or a matrix.
    let flags = unsafe { (*body).inverse.as_ref() }.map(|matrix| (matrix.kind, matrix.flags & MXIFAC));
    flags.is_some_and(|(kind, factored)| kind == MXCSC && factored != 0)
}

/// # Safety
/// `matrix` is NULL or as [`inertia`] asks for.
unsafe fn view<'a>(matrix: *const MX) -> Result<InertiaRef<'a>> {
    // SAFETY: the caller promises that the matrix is NULL or valid.
    let matrix = unsafe { matrix.as_ref() }.ok_or_else(|| ill_formed("missing"))?;
    let inverse = match matrix.kind {
        MXBD => {
            let count = ends(matrix.n)?;
            // SAFETY: p and i of a block-diagonal matrix hold one entry a block and one more.
            let (starts, rows) = unsafe { (array(matrix.p, count)?, array(matrix.i, count)?) };
            // SAFETY: x holds nzmax values, and at most that many are viewed.
            let values = unsafe { array(matrix.x, values(matrix, starts)?)? };
            ensure!(
                usize::try_from(matrix.m) == Ok(length(*rows.last().unwrap_or(&0))?),
                ill_formed(Defect::Size)
            );
            BlockDiagonal::new(starts, rows, values).map(Inverse::BlockDiagonal)
        }
        MXDENSE => {
            let size = square(matrix)?;
            // SAFETY: x of a dense matrix holds m n values; a square of an int fits a usize.
            Dense::new(size, unsafe { array(matrix.x, size * size)? }).map(Inverse::Dense)
        }
        MXCSC => {
            square(matrix)?;
            // SAFETY: p of compressed columns holds one entry a column and one more.
            let starts = unsafe { array(matrix.p, ends(matrix.n)?)? };
            let count = values(matrix, starts)?;
            // SAFETY: i and x hold nzmax entries, and at most that many are viewed.
            let (rows, values) = unsafe { (array(matrix.i, count)?, array(matrix.x, count)?) };
            if matrix.flags & MXIFAC != 0 {
                let positive_definite = matrix.flags & MXSPD != 0;
                let structure =
                    if positive_definite { Structure::PositiveDefinite } else { Structure::General };
                return Ok(InertiaRef::Matrix(Matrix { structure, starts, rows, values }));
            }
            Sparse::new(starts, rows, values).map(Inverse::Sparse)
        }
        kind => return Err(ill_formed(format_args!("unknown kind {kind}"))),
    };
    inverse.map(InertiaRef::Inverse).map_err(ill_formed)
}

const INCOMPLETE: &str = "arrays are missing or sizes negative";

#[cold]
fn ill_formed(why: impl fmt::Display) -> Code {
    fail!(Code::InvalidFormat, "{why}")
}

/// The number of values: the last of the starts of blocks or columns.
fn values(matrix: &MX, starts: &[c_int]) -> Result<usize> {
    let end = starts.last().copied().unwrap_or(0);
    if end > matrix.nzmax { Err(ill_formed(Defect::Starts)) } else { length(end) }
}

fn square(matrix: &MX) -> Result<usize> {
    if matrix.m == matrix.n { length(matrix.n) } else { Err(ill_formed("not square")) }
}

fn length(count: c_int) -> Result<usize> {
    usize::try_from(count).map_err(|_| ill_formed(INCOMPLETE))
}

/// The length of an array with one entry more than `count`.
fn ends(count: c_int) -> Result<usize> {
    Ok(length(count)? + 1)
}

/// # Safety
/// `pointer` is NULL or points to `count` values that nobody writes during `'a`.
unsafe fn array<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T]> {
    ensure!(!pointer.is_null(), ill_formed(INCOMPLETE));
    // SAFETY: the caller promises `count` values that nobody writes.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

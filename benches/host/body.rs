//! Bodies as hosts store them.

use std::ffi::{c_int, c_uint};
use std::ptr;

use ldy::legacy::layout::*;

use super::array::Array;
use super::matrix::Matrix;
use super::mesh::Mesh;
use super::zeroed;
use crate::scenes::stacks::Motion;
use crate::scenes::{Body, Lumped};
use testing::Random;

/// Largest generalized velocity.
const SPEED: f64 = 0.1;
/// Largest turn against the referential place.
const TURN: f64 = 1e-3;
/// Largest relative change of a stiffness that changes every step.
const STIFFENING: f64 = 1e-3;

/// The arrays that a body points to.
pub struct Arrays {
    conf: Array<f64>,
    velo: Array<f64>,
    inverse: Option<Matrix>,
    mesh: Option<Mesh>,
    /// Where conf has a rotation.
    rotation: Option<usize>,
}

/// A copy of what changes from one step to the next.
pub struct State {
    /// The free velocity, then the previous one.
    pub velocities: Vec<f64>,
    /// Of bodies that have one.
    pub rotation: Option<[f64; 9]>,
    /// The values of A⁻¹, or of A if that is to be factored; none of an obstacle.
    pub inertia: Vec<f64>,
}

impl Arrays {
    /// Make the arrays that a body of a scene points to.
    pub fn new(body: &Body) -> Self {
        let (configuration, dofs, rotation) = match body {
            Body::Obstacle | Body::Rigid(_) => (12, 6, Some(0)),
            Body::PseudoRigid(_) => (12, 12, None),
            Body::Mesh { grid, motion, .. } => {
                let dofs = 3 * grid.node_count();
                (dofs + 9, dofs, (*motion == Motion::Corotational).then_some(dofs))
            }
        };
        let arrays = Self {
            conf: Array::new(vec![0.0; configuration]),
            velo: Array::new(vec![0.0; 2 * dofs]),
            inverse: inverse(body),
            mesh: match body {
                Body::Mesh { grid, .. } => Some(Mesh::new(grid)),
                _ => None,
            },
            rotation: if matches!(body, Body::Obstacle) { None } else { rotation },
        };
        if let Some(start) = rotation {
            arrays.conf.write(start, IDENTITY);
        }
        arrays
    }

    /// The body itself, without its constraints.
    pub fn body(&self, id: usize, body: &Body) -> BODY {
        let common = BODY {
            id: id as c_uint,
            conf: self.conf.first(),
            velo: self.velo.first(),
            dofs: (self.velo.len() / 2) as c_int,
            inverse: self.inverse.as_ref().map_or(ptr::null_mut(), |inverse| inverse.face.first()),
            shape: self.mesh.as_ref().map_or(ptr::null_mut(), |mesh| mesh.shape.first()),
            ..zeroed()
        };
        match body {
            Body::Obstacle => BODY { kind: OBS, ..common },
            Body::Rigid(lumped) => {
                BODY { kind: RIG, ref_center: lumped.center, ref_mass: lumped.mass, ..common }
            }
            Body::PseudoRigid(lumped) => {
                let (center, mass) = (lumped.center, lumped.mass);
                BODY { kind: PRB, scheme: SCH_DEF_EXP, ref_center: center, ref_mass: mass, ..common }
            }
            Body::Mesh { motion, .. } => {
                let (form, scheme) = match motion {
                    Motion::Explicit => (TOTAL_LAGRANGIAN, SCH_DEF_EXP),
                    Motion::Corotational => (BODY_COROTATIONAL, SCH_DEF_LIM),
                    Motion::TotalLagrangian => (TOTAL_LAGRANGIAN, SCH_DEF_LIM),
                };
                BODY { kind: FEM, form, scheme, ..common }
            }
        }
    }

    /// The pair of shape and object for an element, NULL for none.
    pub fn pair(&self, element: Option<usize>) -> *mut SGP {
        match (&self.mesh, element) {
            (Some(mesh), Some(element)) => mesh.pairs.at(element),
            _ => ptr::null_mut(),
        }
    }

    /// A copy of what changes.
    pub fn state(&self) -> State {
        let conf = self.conf.copied();
        State {
            velocities: self.velo.copied(),
            rotation: self.rotation.map(|start| std::array::from_fn(|k| conf[start + k])),
            inertia: self.inverse.as_ref().map(|inverse| inverse.values.copied()).unwrap_or_default(),
        }
    }

    /// What changes from one step to the next: velocities, rotations, and A of total Lagrangian implicit meshes.
    pub fn advance(&self, body: &Body, random: &mut Random) {
        if matches!(body, Body::Obstacle) {
            return;
        }
        self.velo.write(0, (0..self.velo.len()).map(|_| SPEED * random.signed()));
        if let Some(start) = self.rotation {
            self.conf.write(start, rotation(TURN * random.signed()));
        }
        if let (Body::Mesh { motion: Motion::TotalLagrangian, matrices, .. }, Some(inverse)) =
            (body, &self.inverse)
        {
            inverse.values.write(0, matrices.implicit(1.0 + STIFFENING * random.signed()));
        }
    }
}

const IDENTITY: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// A rotation about (1, 2, 2)/3, column-major.
fn rotation(angle: f64) -> [f64; 9] {
    let axis = [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
    let (sin, cos) = angle.sin_cos();
    let cross = [0.0, axis[2], -axis[1], -axis[2], 0.0, axis[0], axis[1], -axis[0], 0.0];
    std::array::from_fn(|k| cos * IDENTITY[k] + sin * cross[k] + (1.0 - cos) * axis[k % 3] * axis[k / 3])
}

/// A⁻¹, or for implicit meshes A; none for an obstacle.
fn inverse(body: &Body) -> Option<Matrix> {
    let reciprocal = |value: f64| 1.0 / value;
    match body {
        Body::Obstacle => None,
        Body::Rigid(lumped) => {
            let moments = lumped.moments_of_inertia().map(reciprocal);
            Some(Matrix::blocks(&[moments, [reciprocal(lumped.mass); 3]]))
        }
        Body::PseudoRigid(Lumped { mass, second_moments, .. }) => {
            let moments = second_moments.map(reciprocal);
            Some(Matrix::blocks(&[moments, moments, moments, [reciprocal(*mass); 3]]))
        }
        Body::Mesh { motion: Motion::Explicit, matrices, .. } => {
            Some(Matrix::diagonal(matrices.mass.iter().copied().map(reciprocal).collect()))
        }
        Body::Mesh { matrices, .. } => {
            Some(Matrix::to_factor(matrices.starts.clone(), matrices.rows.clone(), matrices.implicit(1.0)))
        }
    }
}

//! The motion of the points of a body, to second order in the change of its configuration.

use crate::math::{Block, Vector, cross, difference, dot, sum, times, transposed_times};

/// A body in its present configuration.
#[derive(Clone, Copy, Debug)]
pub enum PosedBody {
    /// A point mass, 3 dofs.
    Particle {
        /// Its position.
        place: Vector,
    },
    /// A rigid body x = Λ (X − X̄) + x̄, 6 dofs, theory (43).
    Rigid {
        /// Λ, column-major.
        rotation: Block,
        /// X̄, the referential mass center.
        center: Vector,
        /// x̄, the position of the mass center.
        place: Vector,
    },
    /// A pseudo-rigid body x = F (X − X̄) + x̄, 12 dofs: F row by row, then x̄. Points depend linearly on the dofs, so only the
    /// rotation of a constraint's own direction contributes to K̃.
    PseudoRigid {
        /// F, column-major.
        gradient: Block,
        /// X̄, the referential mass center.
        center: Vector,
        /// x̄, the position of the mass center.
        place: Vector,
    },
    /// Any other body: constraints have operators instead of points on it, and operators have no geometric stiffness.
    General {
        /// The number of its dofs.
        dofs: usize,
    },
}

impl PosedBody {
    /// The number of its dofs.
    pub fn dofs(&self) -> usize {
        match self {
            Self::Particle { .. } => 3,
            Self::Rigid { .. } => 6,
            Self::PseudoRigid { .. } => 12,
            Self::General { dofs } => *dofs,
        }
    }

    /// The position x of the referential point X. For a particle, the position of the particle; for a general body, zeros.
    pub fn place(&self, point: &Vector) -> Vector {
        match self {
            Self::Particle { place } => *place,
            Self::General { .. } => [0.0; 3],
            Self::Rigid { rotation: map, center, place }
            | Self::PseudoRigid { gradient: map, center, place } => {
                sum(&times(map, &difference(point, center)), place)
            }
        }
    }

    /// H `change` in the spatial frame: the displacement of the point X, to first order.
    pub(super) fn moved(&self, point: &Vector, change: &[f64]) -> Vector {
        match self {
            Self::Particle { .. } => head(change),
            Self::General { .. } => [0.0; 3],
            Self::Rigid { rotation, center, .. } => {
                let arm = difference(point, center);
                sum(&times(rotation, &cross(&head(change), &arm)), &head(&change[3..]))
            }
            Self::PseudoRigid { center, .. } => {
                let arm = difference(point, center);
                std::array::from_fn(|i| dot(&head(&change[3 * i..]), &arm) + change[9 + i])
            }
        }
    }

    /// Add Hᵀ `force` for a force at the point X in the spatial frame.
    pub(super) fn add_force(&self, point: &Vector, force: &Vector, to: &mut [f64]) {
        match self {
            Self::Particle { .. } => add(to, force),
            Self::General { .. } => {}
            Self::Rigid { rotation, center, .. } => {
                let arm = difference(point, center);
                add(&mut to[..3], &cross(&arm, &transposed_times(rotation, force)));
                add(&mut to[3..], force);
            }
            Self::PseudoRigid { center, .. } => {
                let arm = difference(point, center);
                for (row, force) in to.chunks_exact_mut(3).zip(force) {
                    add(row, &arm.map(|arm| force * arm));
                }
                add(&mut to[9..], force);
            }
        }
    }

    /// Whether the body can rotate the axes of a contact. A particle has no orientation; a deformed body has several.
    pub(super) fn carries_axes(&self) -> bool {
        matches!(self, Self::Rigid { .. })
    }

    /// The rotation vector of `change` in the spatial frame.
    pub(super) fn turned(&self, change: &[f64]) -> Vector {
        match self {
            Self::Rigid { rotation, .. } => times(rotation, &head(change)),
            Self::Particle { .. } | Self::PseudoRigid { .. } | Self::General { .. } => [0.0; 3],
        }
    }

    /// Add the generalized force of a torque in the spatial frame.
    pub(super) fn add_torque(&self, torque: &Vector, to: &mut [f64]) {
        if let Self::Rigid { rotation, .. } = self {
            add(&mut to[..3], &transposed_times(rotation, torque));
        }
    }

    /// Add the second derivative of `covector` · x(X), times `change`, to `to`.
    pub(super) fn add_curvature(&self, point: &Vector, covector: &Vector, change: &[f64], to: &mut [f64]) {
        if let Self::Rigid { rotation, center, .. } = self {
            let (arm, covector) = (difference(point, center), transposed_times(rotation, covector));
            add(&mut to[..3], &second_turn(&arm, &covector, &head(change)));
        }
    }

    /// Add the second derivative of `covector` · `carried`, times `change`, for a vector that moves with the body, given in the spatial
    /// frame.
    pub(super) fn add_carried_curvature(
        &self,
        carried: &Vector,
        covector: &Vector,
        change: &[f64],
        to: &mut [f64],
    ) {
        if let Self::Rigid { rotation, .. } = self {
            let (carried, covector) =
                (transposed_times(rotation, carried), transposed_times(rotation, covector));
            add(&mut to[..3], &second_turn(&carried, &covector, &head(change)));
        }
    }
}

/// The second derivative of c · exp(θ) v at θ = 0, which is ½ (c vᵀ + v cᵀ) − (c · v) I, times `change`.
fn second_turn(v: &Vector, c: &Vector, change: &Vector) -> Vector {
    let (along_v, along_c, both) = (dot(v, change), dot(c, change), dot(c, v));
    std::array::from_fn(|i| 0.5 * (c[i] * along_v + v[i] * along_c) - both * change[i])
}

fn add(to: &mut [f64], x: &Vector) {
    to.iter_mut().zip(x).for_each(|(to, x)| *to += x);
}

fn head(values: &[f64]) -> Vector {
    [values[0], values[1], values[2]]
}

//! Pseudo-rigid bodies: homogeneous deformation, theory (44).

use super::operator::{Action, PlacementRef};
use crate::math::simd::{F64x4, Plain, SimdLevel, combination, packed};
use crate::math::{Block, Vector, difference};

/// The number of generalized velocities: the rate of the deformation gradient by rows, then the velocity of the mass center.
pub const DOFS: usize = 12;

/// X − X̄ and 1, the factor of the velocity of the mass center.
pub type Arm = [f64; 4];

/// A pseudo-rigid body: x = F (X − X̄) + x̄.
#[derive(Clone, Copy, Debug)]
pub struct PseudoRigid<'a> {
    /// X̄, the referential mass center.
    pub center: &'a Vector,
}

/// H = Eᵀ ⊗ aᵀ = Eᵀ [ (X − X̄)ᵀ in columns 3r..3r+3 of row r | I ], E the local frame.
#[derive(Clone, Copy, Debug)]
pub struct PseudoRigidOperator<L> {
    /// The columns of Eᵀ.
    pub axes: [L; 3],
    /// a. If master and slave are on this body, it is the difference of both, master minus slave.
    pub arm: Arm,
}

impl PseudoRigid<'_> {
    /// a of point X.
    #[inline(always)]
    pub fn arm(&self, point: &Vector) -> Arm {
        let [x, y, z] = difference(point, self.center);
        [x, y, z, 1.0]
    }

    /// H of point X in the frame E: 3 × dofs, column-major.
    pub fn operator(&self, point: &Vector, frame: &Block) -> [f64; 3 * DOFS] {
        let axes = Plain.transposed_columns(frame);
        packed(&PseudoRigidOperator { axes, arm: self.arm(point) }.columns())
    }
}

impl<L: F64x4> PseudoRigidOperator<L> {
    /// The columns of H.
    fn columns(&self) -> [L; DOFS] {
        let [x, y, z, one] = self.arm;
        let [a, b, c] = self.axes;
        [a * x, a * y, a * z, b * x, b * y, b * z, c * x, c * y, c * z, a * one, b * one, c * one]
    }

    /// H u.
    ///
    /// # Panics
    /// If `u` is shorter than the dofs.
    #[inline(always)]
    pub fn local_velocity(&self, level: impl SimdLevel<F64x4 = L>, u: &[f64]) -> L {
        let [x, y, z] = level.transposed_columns(&[u[0], u[1], u[2], u[3], u[4], u[5], u[6], u[7], u[8]]);
        let velocity = combination(&[x, y, z, level.of_vector([u[9], u[10], u[11]])], &self.arm);
        combination(&self.axes, &velocity.vector())
    }
}

impl Action<'_> {
    /// H at points of a pseudo-rigid body, master minus slave.
    ///
    /// # Panics
    /// If the constraint acts by operators: H then does not have this form.
    #[inline(always)]
    pub fn pseudo_rigid_operator<L: SimdLevel>(
        &self,
        level: L,
        body: &PseudoRigid,
    ) -> PseudoRigidOperator<L::F64x4> {
        let PlacementRef::Points { frame, points: [master, slave] } = self.placement else {
            unreachable!("a pseudo-rigid body with constraints by operators is a general one")
        };
        let mut arm = if self.roles[0] { body.arm(master) } else { [0.0; 4] };
        if self.roles[1] {
            for (arm, slave) in arm.iter_mut().zip(body.arm(slave)) {
                *arm -= slave;
            }
        }
        PseudoRigidOperator { axes: level.transposed_columns(frame), arm }
    }
}

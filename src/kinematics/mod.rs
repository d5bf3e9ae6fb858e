//! Kinematics: the operator H that maps the generalized velocity of a body to the local velocity of one of its points,
//! U = H u, theory (41), (42).
#![forbid(unsafe_code)]

pub mod finite_element;
pub mod nodal;
pub mod operator;
pub mod pseudo_rigid;
pub mod rigid;

use crate::math::simd::{F64x4, Plain, SimdLevel, combination};
use crate::math::{Block, Vector};
use finite_element::{Location, NodalOperator};
pub use nodal::Nodal;
pub use operator::{Action, Column, Operator, PlacementRef};

/// A point of a body, with the data that relate it to the generalized velocity of the body.
#[derive(Clone, Copy, Debug)]
pub enum Point<'a> {
    /// A referential point of a rigid body or obstacle: 6 dofs.
    Rigid(rigid::Rigid<'a>, Vector),
    /// A referential point of a pseudo-rigid body: 12 dofs.
    PseudoRigid(pseudo_rigid::PseudoRigid<'a>, Vector),
    /// A point of a mesh with nodal velocities: 3 dofs a node.
    Mesh(Location),
    /// A point of a mesh with the nodal velocities R Φ u.
    Reduced(finite_element::Reduced<'a>),
    /// No point: a group of rows of a given H, in its own frame.
    Operator(&'a Operator, usize),
}

impl Point<'_> {
    /// Add `sign` H in the axes `frame` (columns) to `h`: 3 × dofs, column-major.
    ///
    /// # Panics
    /// If `h` does not have the length that goes with the body.
    pub fn add_operator(&self, sign: f64, frame: &Block, h: &mut [f64]) {
        match self {
            Self::Rigid(body, point) => add(sign, &body.operator(point, frame), h),
            Self::PseudoRigid(body, point) => add(sign, &body.operator(point, frame), h),
            Self::Mesh(location) => NodalOperator::new(location, frame, None).add_to(sign, h),
            Self::Reduced(point) => point.add_operator(sign, frame, h),
            Self::Operator(operator, group) => operator.add_to(*group, sign, h),
        }
    }

    /// |H| |u|, with absolute values of the entries: the size of the terms of H u before cancellation. For reduced velocities the result
    /// is |H u|.
    ///
    /// # Panics
    /// If `u` is shorter than the body's dofs.
    pub fn local_magnitude(&self, frame: &Block, u: &[f64]) -> Vector {
        let mut sum = [0.0; 3];
        let mut add = |index: u32, column: Vector| {
            let u = u[index as usize];
            sum.iter_mut().zip(column).for_each(|(sum, h)| *sum += (h * u).abs());
        };
        match self {
            Self::Rigid(body, point) => columns(&body.operator(point, frame)).for_each(|(k, h)| add(k, h)),
            Self::PseudoRigid(body, point) => {
                columns(&body.operator(point, frame)).for_each(|(k, h)| add(k, h))
            }
            Self::Mesh(location) => NodalOperator::new(location, frame, None).each_column(add),
            Self::Reduced(point) => return point.local_velocity(frame, u).map(f64::abs),
            Self::Operator(operator, group) => {
                operator.each_column(*group, |Column { index, values }| add(index, values));
            }
        }
        sum
    }

    /// The local velocity H u of the point for the generalized velocity `u`.
    ///
    /// # Panics
    /// If `u` is shorter than the body's dofs.
    #[inline(always)]
    pub fn local_velocity(&self, frame: &Block, u: &[f64]) -> Vector {
        match self {
            Self::Rigid(body, point) => {
                let axes = Plain.transposed_columns(frame);
                combination(&body.columns(point, &axes), u).vector()
            }
            Self::PseudoRigid(body, point) => {
                let axes = Plain.transposed_columns(frame);
                pseudo_rigid::PseudoRigidOperator { axes, arm: body.arm(point) }
                    .local_velocity(Plain, u)
                    .vector()
            }
            Self::Mesh(location) => location.local_velocity(frame, u),
            Self::Reduced(point) => point.local_velocity(frame, u),
            Self::Operator(operator, group) => operator.times(*group, [u])[0],
        }
    }

    /// [`Point::local_velocity`] for two generalized velocities.
    #[inline(always)]
    pub fn local_velocities(&self, frame: &Block, velocities: [&[f64]; 2]) -> [Vector; 2] {
        match self {
            Self::Operator(operator, group) => operator.times(*group, velocities),
            _ => velocities.map(
                #[inline(always)]
                |u| self.local_velocity(frame, u),
            ),
        }
    }
}

/// The columns of a column-major operator, each with its index.
fn columns(operator: &[f64]) -> impl Iterator<Item = (u32, Vector)> {
    (0..).zip(operator.as_chunks().0.iter().copied())
}

fn add(sign: f64, operator: &[f64], h: &mut [f64]) {
    assert_eq!(operator.len(), h.len());
    h.iter_mut().zip(operator).for_each(|(h, operator)| *h += sign * operator);
}

#[cfg(test)]
mod tests;

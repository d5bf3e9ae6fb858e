//! The reference: W = h H A⁻¹ Hᵀ + C with dense matrices, for constraints of any number of scalar rows on any number of bodies.

use nalgebra::{DMatrix, DVector, Matrix3, Vector3};

use crate::blocks::firsts;

/// A body.
#[derive(Clone, Debug)]
pub struct Body {
    /// A⁻¹, zero for an obstacle.
    pub inverse: DMatrix<f64>,
    /// The previous and the free velocity.
    pub velocities: [DVector<f64>; 2],
    /// Whether it couples no constraints.
    pub is_obstacle: bool,
}

/// A constraint.
#[derive(Clone, Debug)]
pub struct Constraint {
    /// The number of its scalar rows.
    pub rows: usize,
    /// The bodies by their places, each with H, signs included. A body may be there twice.
    pub operators: Vec<(usize, DMatrix<f64>)>,
    /// Added to its diagonal block.
    pub compliance: Option<DMatrix<f64>>,
}

/// All of a system.
#[derive(Clone, Debug)]
pub struct Reference {
    /// H of all constraints and all bodies.
    pub h: DMatrix<f64>,
    /// A⁻¹ of all bodies.
    pub inverse: DMatrix<f64>,
    /// The step h.
    pub step: f64,
    /// W.
    pub w: DMatrix<f64>,
    /// V = H u of the previous velocities.
    pub v: DVector<f64>,
    /// B = H u of the free velocities.
    pub b: DVector<f64>,
    /// The first scalar row of each constraint, and the end.
    pub scalars: Vec<usize>,
    /// The first dof of each body, and the end.
    pub dofs: Vec<usize>,
    /// The columns of the blocks of each row, in ascending order.
    pub columns: Vec<Vec<usize>>,
}

impl Reference {
    /// Put the matrices together.
    pub fn new(bodies: &[Body], constraints: &[Constraint], step: f64) -> Self {
        let scalars = firsts(constraints.iter().map(|constraint| constraint.rows));
        let dofs = firsts(bodies.iter().map(|body| body.inverse.nrows()));
        let (rows, size) = (scalars[constraints.len()], dofs[bodies.len()]);
        let (mut h, mut inverse) = (DMatrix::zeros(rows, size), DMatrix::zeros(size, size));
        let mut velocities = [0, 1].map(|_| DVector::zeros(size));
        for (body, &first) in bodies.iter().zip(&dofs) {
            inverse.view_mut((first, first), body.inverse.shape()).copy_from(&body.inverse);
            for (all, own) in velocities.iter_mut().zip(&body.velocities) {
                all.rows_mut(first, own.len()).copy_from(own);
            }
        }
        for (constraint, &first) in constraints.iter().zip(&scalars) {
            for (body, operator) in &constraint.operators {
                let mut part = h.view_mut((first, dofs[*body]), operator.shape());
                part += operator;
            }
        }
        let mut w = &h * &inverse * h.transpose() * step;
        for (constraint, &first) in constraints.iter().zip(&scalars) {
            if let Some(compliance) = &constraint.compliance {
                let mut part = w.view_mut((first, first), compliance.shape());
                part += compliance;
            }
        }
        let is_on = |constraint: &Constraint, body: usize| constraint.operators.iter().any(|on| on.0 == body);
        let are_coupled = |one: &Constraint, other: &Constraint| {
            one.operators.iter().any(|&(body, _)| !bodies[body].is_obstacle && is_on(other, body))
        };
        let columns = constraints.iter().enumerate().map(|(row, one)| {
            let all = constraints.iter().enumerate();
            all.filter(|&(column, other)| column == row || are_coupled(one, other)).map(|all| all.0).collect()
        });
        let [v, b] = velocities.map(|velocity| &h * velocity);
        Self { step, w, v, b, columns: columns.collect(), h, inverse, scalars, dofs }
    }

    /// Hᵀ R of a body.
    pub fn force(&self, body: usize, reactions: &[f64]) -> DVector<f64> {
        let (first, end) = (self.dofs[body], self.dofs[body + 1]);
        self.h.columns(first, end - first).tr_mul(&DVector::from_column_slice(reactions))
    }

    /// The change of a body's velocity by reactions, h A⁻¹ Hᵀ R.
    pub fn change(&self, body: usize, reactions: &[f64]) -> DVector<f64> {
        let (first, size) = (self.dofs[body], self.dofs[body + 1] - self.dofs[body]);
        self.inverse.view((first, first), (size, size)) * self.force(body, reactions) * self.step
    }

    /// U = B + W R.
    pub fn velocities(&self, reactions: &[f64]) -> DVector<f64> {
        &self.b + &self.w * DVector::from_column_slice(reactions)
    }
}

/// H of a point of a rigid body, `arm` from its center in the referential configuration: spin in axes of the body, then velocity.
/// The master has the sign 1, the slave −1.
pub fn of_rigid(
    rotation: &Matrix3<f64>,
    arm: &Vector3<f64>,
    frame: &Matrix3<f64>,
    sign: f64,
) -> DMatrix<f64> {
    let mut h = DMatrix::zeros(3, 6);
    h.view_mut((0, 0), (3, 3)).copy_from(&(frame.transpose() * rotation * (-arm).cross_matrix() * sign));
    h.view_mut((0, 3), (3, 3)).copy_from(&(frame.transpose() * sign));
    h
}

/// H of a point of a pseudo-rigid body, `arm` from its center in the referential configuration: the rows of F, then velocity.
pub fn of_pseudo_rigid(arm: &Vector3<f64>, frame: &Matrix3<f64>, sign: f64) -> DMatrix<f64> {
    let mut h = DMatrix::zeros(3, 12);
    for i in 0..3 {
        let part = frame.row(i).transpose() * arm.transpose() * sign;
        h.view_mut((0, 3 * i), (3, 3)).copy_from(&part);
    }
    h.view_mut((0, 9), (3, 3)).copy_from(&(frame.transpose() * sign));
    h
}

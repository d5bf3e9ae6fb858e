//! K̃ of many constraints, matrix-free.

use super::constraint::ConstraintStiffness;
use super::{Error, LoadedConstraint, PosedBody, zeros};
use crate::math::Vector;
use crate::memory::{copied, with_capacity};

/// K̃ of constraints on bodies, ready for products. The dofs of the bodies are in the order of the list.
#[derive(Clone, Debug)]
pub struct Stiffness {
    pub(super) bodies: Vec<PosedBody>,
    pub(super) offsets: Vec<usize>,
    pub(super) elements: Vec<ConstraintStiffness>,
}

impl Stiffness {
    /// Prepare K̃ for bodies in their present configuration and constraints with their forces.
    ///
    /// # Errors
    /// If a force or a position is not finite, or if memory is exhausted. The error has the index of a constraint:
    /// - if its body is not in the list or has no points,
    /// - if it is a link with a force whose ends coincide,
    /// - if it is a contact with axes that its body cannot rotate.
    pub fn new(bodies: &[PosedBody], constraints: &[LoadedConstraint]) -> Result<Self, Error> {
        Self::take(bodies, constraints, |_| None)
    }

    /// [`Stiffness::new`] with given gaps d, master's point − slave's point in the spatial frame, one for each constraint. Positions of
    /// bodies and positions in space are not used.
    ///
    /// # Errors
    /// As [`Stiffness::new`].
    ///
    /// # Panics
    /// If the number of gaps is not the number of constraints.
    pub fn with_gaps(
        bodies: &[PosedBody],
        constraints: &[LoadedConstraint],
        gaps: &[Vector],
    ) -> Result<Self, Error> {
        assert_eq!(gaps.len(), constraints.len());
        Self::take(bodies, constraints, |index| Some(&gaps[index]))
    }

    fn take<'a>(
        bodies: &[PosedBody],
        constraints: &[LoadedConstraint],
        gap: impl Fn(usize) -> Option<&'a Vector>,
    ) -> Result<Self, Error> {
        let taken = copied(bodies)?;
        let (mut offsets, mut elements) =
            (with_capacity(bodies.len() + 1)?, with_capacity(constraints.len())?);
        offsets.push(0);
        offsets.extend(bodies.iter().scan(0, |end, body| {
            *end += body.dofs();
            Some(*end)
        }));
        for (index, constraint) in constraints.iter().enumerate() {
            elements.push(ConstraintStiffness::new(index, constraint, gap(index), bodies)?);
        }
        Ok(Self { bodies: taken, offsets, elements })
    }

    /// The number of dofs of all bodies together.
    pub fn dofs(&self) -> usize {
        self.offsets[self.bodies.len()]
    }

    /// The first dof of each body, then the number of dofs: bodies + 1 values.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Compute y = K̃ x.
    ///
    /// # Panics
    /// If the length of x or y is not the number of dofs.
    pub fn product(&self, x: &[f64], y: &mut [f64]) {
        assert!(x.len() == self.dofs() && y.len() == x.len());
        y.fill(0.0);
        for element in &self.elements {
            element.add_product(&self.bodies, &self.offsets, x, y);
        }
    }

    /// Add the gradient of the constrained quantity in a spatial direction: Hᵀ of the direction. `constraint` is an index in the
    /// list.
    ///
    /// # Panics
    /// If there is no such constraint, or the length of `to` is not the number of dofs.
    pub fn add_gradient(&self, constraint: usize, direction: &Vector, to: &mut [f64]) {
        assert_eq!(to.len(), self.dofs());
        self.elements[constraint].add_gradient(&self.bodies, &self.offsets, direction, to);
    }

    /// xᵀ K̃ x of each constraint alone, in the order of the list.
    ///
    /// # Errors
    /// If memory is exhausted.
    ///
    /// # Panics
    /// If the length of x is not the number of dofs.
    pub fn contributions(&self, x: &[f64]) -> Result<Vec<f64>, Error> {
        assert_eq!(x.len(), self.dofs());
        let (mut product, mut energies) = (zeros(x.len())?, zeros(self.elements.len())?);
        for (energy, element) in energies.iter_mut().zip(&self.elements) {
            element.add_product(&self.bodies, &self.offsets, x, &mut product);
            for body in element.bodies() {
                let dofs = self.offsets[body]..self.offsets[body + 1];
                let product = &mut product[dofs.clone()];
                *energy += product.iter().zip(&x[dofs]).map(|(y, x)| y * x).sum::<f64>();
                product.fill(0.0);
            }
        }
        Ok(energies)
    }
}

//! K̃ of many constraints, without a matrix.

use super::constraint::ConstraintStiffness;
use super::{Error, LoadedConstraint, PosedBody, zeros};
use crate::math::Vector;
use crate::memory::{collected, with_room};

/// K̃ of constraints on bodies, ready for products. The dofs of the bodies follow each other in the order of the
/// list.
#[derive(Clone, Debug)]
pub struct Stiffness {
    pub(super) bodies: Vec<PosedBody>,
    pub(super) offsets: Vec<usize>,
    pub(super) elements: Vec<ConstraintStiffness>,
}

impl Stiffness {
    /// Takes in the bodies in their present configuration and the constraints with the forces in them.
    ///
    /// # Errors
    /// Of the constraint, by its place in the list, that names a body which is not there or has no points, is a link under force
    /// whose ends coincide, or a contact with axes that its body cannot turn; if a force or a place is not finite, or memory is
    /// exhausted.
    pub fn new(bodies: &[PosedBody], constraints: &[LoadedConstraint]) -> Result<Self, Error> {
        Self::take(bodies, constraints, |_| None)
    }

    /// The same with d, master's point − slave's point in the axes of space, given for every constraint: places of bodies
    /// and places in space do not count.
    ///
    /// # Errors
    /// As [`Stiffness::new`].
    ///
    /// # Panics
    /// If there are not as many gaps as constraints.
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
        let taken = collected(bodies.len(), bodies.iter().copied())?;
        let (mut offsets, mut elements) = (with_room(bodies.len() + 1)?, with_room(constraints.len())?);
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

    /// How many dofs all bodies have together.
    pub fn dofs(&self) -> usize {
        self.offsets[self.bodies.len()]
    }

    /// Where the dofs of the bodies begin, and at last where they end: bodies + 1 values.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// y = K̃ x.
    ///
    /// # Panics
    /// If x or y has not as many values as there are dofs.
    pub fn product(&self, x: &[f64], y: &mut [f64]) {
        assert!(x.len() == self.dofs() && y.len() == x.len());
        y.fill(0.0);
        for element in &self.elements {
            element.add_product(&self.bodies, &self.offsets, x, y);
        }
    }

    /// Adds the gradient of what a constraint keeps in a direction of space: Hᵀ of the direction. `constraint` is its place in the
    /// list.
    ///
    /// # Panics
    /// If there is no such constraint, or `to` has not as many values as there are dofs.
    pub fn add_gradient(&self, constraint: usize, direction: &Vector, to: &mut [f64]) {
        assert_eq!(to.len(), self.dofs());
        self.elements[constraint].add_gradient(&self.bodies, &self.offsets, direction, to);
    }

    /// xᵀ K̃ x of every constraint alone, in their order.
    ///
    /// # Errors
    /// If memory is exhausted.
    ///
    /// # Panics
    /// If x has not as many values as there are dofs.
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

//! How any two slots of a mesh are coupled through A⁻¹, but for the axes of their constraints.

use std::collections::TryReserveError;

use super::operators::Shapes;
use crate::block::{Block, transposed};
use crate::inertia::NodalInverse;

/// K_αβ = Σ_a Σ_b N_a N'_b (A⁻¹)_ab of any two slots, so that W_αβ = h Q_α K_αβ Q_βᵀ. It stays while A and the
/// weights do: constraints turned with a co-rotational body cost two products a pair.
///
/// Stored are the blocks (α, β) with α ≤ β, α after α for every β, and of an unsymmetric A then those (β, α): as in
/// [`NodalInverse`] all grows at the end only.
#[derive(Debug, Default)]
pub struct Couplings {
    /// Of the factor of A that all blocks belong to.
    revision: Option<u64>,
    symmetric: bool,
    /// Of the slots that the blocks were made for.
    shapes: Shapes,
    blocks: Vec<Block>,
    /// The slots whose blocks have to be made anew, while they are.
    changed: Vec<bool>,
    /// Where the nodal inverse keeps each node of the shapes.
    places: Vec<u32>,
    /// Σ_b (A⁻¹)_ab N_b at every node a of the nodal inverse, for one slot at a time.
    response: Vec<Block>,
}

impl Couplings {
    /// Make the blocks those of these shapes and of the inverse with this revision, which holds all their nodes.
    ///
    /// # Errors
    /// If memory is exhausted; nothing is kept then.
    pub fn update(
        &mut self,
        shapes: &Shapes,
        inverse: &NodalInverse,
        revision: u64,
    ) -> Result<(), TryReserveError> {
        let same_inverse = self.revision == Some(revision) && self.symmetric == inverse.is_symmetric();
        self.revision = None;
        if !same_inverse {
            self.shapes.clear();
            self.symmetric = inverse.is_symmetric();
        }
        if self.find_changed(shapes)? {
            self.compute(shapes, inverse)?;
            self.shapes.copy(shapes)?;
        }
        self.revision = Some(revision);
        Ok(())
    }

    /// K_αβ with α = `row`, β = `column`.
    #[inline]
    pub fn block(&self, row: usize, column: usize) -> Block {
        match (self.symmetric, row <= column) {
            (true, true) => self.blocks[column * (column + 1) / 2 + row],
            (true, false) => transposed(&self.blocks[row * (row + 1) / 2 + column]),
            (false, true) => self.blocks[column * column + row],
            (false, false) => self.blocks[row * row + row + 1 + column],
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.shapes.bytes()
            + size_of::<Block>() * (self.blocks.capacity() + self.response.capacity())
            + size_of::<u32>() * self.places.capacity()
            + self.changed.capacity()
    }

    /// Note which slots changed; whether any did. Of an unsymmetric inverse all do, if one does.
    fn find_changed(&mut self, shapes: &Shapes) -> Result<bool, TryReserveError> {
        let Self { shapes: known, changed, symmetric, .. } = self;
        changed.clear();
        changed.try_reserve(shapes.len())?;
        changed.extend((0..shapes.len()).map(|slot| slot >= known.len() || !known.agrees(shapes, slot)));
        let any = changed.contains(&true);
        if any && !*symmetric {
            changed.fill(true);
        }
        Ok(any || shapes.len() != known.len())
    }

    fn compute(&mut self, shapes: &Shapes, inverse: &NodalInverse) -> Result<(), TryReserveError> {
        let count = shapes.len();
        let length = if self.symmetric { count * (count + 1) / 2 } else { count * count };
        self.blocks.truncate(length);
        self.blocks.try_reserve(length - self.blocks.len())?;
        self.blocks.resize(length, [0.0; 9]);
        self.places.clear();
        self.places.try_reserve(shapes.nodes().len())?;
        // Nodes of weights that were replaced may be there too, and need not be kept.
        self.places.extend(shapes.nodes().iter().map(|&node| inverse.slot(node).unwrap_or(0) as u32));
        self.response.clear();
        self.response.try_reserve(inverse.nodes().len())?;
        self.response.resize(inverse.nodes().len(), [0.0; 9]);
        for column in (0..count).filter(|&slot| self.changed[slot]) {
            let range = shapes.range(column);
            inverse.respond(&self.places[range.clone()], &shapes.weights()[range], &mut self.response);
            for row in 0..count {
                let sum = || sum_at(shapes, row, &self.places, &self.response);
                if !self.symmetric {
                    let after = if row <= column { column * column } else { row * row + row + 1 };
                    self.blocks[after + row.min(column)] = sum();
                } else if row <= column {
                    self.blocks[column * (column + 1) / 2 + row] = sum();
                } else if !self.changed[row] {
                    self.blocks[row * (row + 1) / 2 + column] = transposed(&sum());
                }
            }
        }
        Ok(())
    }
}

/// Σ_a N_a R_a over the nodes of a slot, which are at `places` among the responses R.
fn sum_at(shapes: &Shapes, slot: usize, places: &[u32], response: &[Block]) -> Block {
    let range = shapes.range(slot);
    let mut sum = [0.0; 9];
    for (&place, weight) in places[range.clone()].iter().zip(&shapes.weights()[range]) {
        sum.iter_mut().zip(response[place as usize]).for_each(|(sum, r)| *sum += weight * r);
    }
    sum
}

//! An A⁻¹ that couples no two nodes, as the inverse of a lumped mass: slots are coupled through the nodes they share.

use super::operators::{NodalOperators, Shapes};
use super::{times_times_transposed, times_transposed};
use crate::inertia::Inverse;
use crate::math::Block;
use crate::math::simd::SimdLevel;
use crate::memory::{self, bytes, collect};

/// The blocks (A⁻¹)_aa of the nodes, multiplied by the time step h.
#[derive(Debug, Default)]
pub struct Nodewise {
    /// Whether the blocks are h m_a⁻¹ I at all nodes of the operators.
    scalar: bool,
    /// If so, h m_a⁻¹ N_a for every weight N_a.
    scaled: Vec<f64>,
    /// If not, the blocks of all nodes of the mesh.
    blocks: Vec<Block>,
}

impl Nodewise {
    /// Take the blocks of an inverse; false, with nothing done, if it couples nodes.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn update(
        &mut self,
        step: f64,
        inverse: &Inverse,
        operators: &NodalOperators,
    ) -> memory::Result<bool> {
        if let Some(diagonal) = inverse.diagonal() {
            let shapes = &operators.shapes;
            self.scalar = true;
            self.scaled.clear();
            self.scaled.try_reserve(shapes.nodes.len())?;
            for (&node, weight) in shapes.nodes.iter().zip(&shapes.weights) {
                let values = &diagonal[3 * node as usize..][..3];
                self.scalar &= values[0] == values[1] && values[0] == values[2];
                self.scaled.push(step * values[0] * weight);
            }
            if self.scalar {
                return Ok(true);
            }
        }
        let Some(blocks) = inverse.node_blocks() else { return Ok(false) };
        self.scalar = false;
        collect(&mut self.blocks, blocks.len(), blocks.map(|block| block.map(|value| step * value)))?;
        Ok(true)
    }

    /// The columns of W_αβ with α = `row`, β = `column`; exactly zero if they share no node.
    #[inline(always)]
    pub fn columns<L: SimdLevel>(
        &self,
        level: L,
        operators: &NodalOperators,
        row: usize,
        column: usize,
    ) -> [L::F64x4; 3] {
        let own = level.columns(&operators.factors[row]);
        let other = &operators.factors[column];
        if !self.scalar {
            let sum = level.columns(&self.sum_of_blocks(&operators.shapes, row, column));
            return times_times_transposed(&own, &sum, other);
        }
        let sum = self.sum_of_scalars(&operators.shapes, row, column);
        if sum == 0.0 {
            return [level.zero(); 3];
        }
        let [x, y, z] = times_transposed(&own, other);
        [x * sum, y * sum, z * sum]
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.scaled) + bytes(&self.blocks)
    }

    /// Σ_a N_a h m_a⁻¹ N'_a over the nodes that two slots share.
    #[inline(always)]
    fn sum_of_scalars(&self, shapes: &Shapes, row: usize, column: usize) -> f64 {
        let (nodes, weights) = shapes.of(row);
        let (others, scaled) = (shapes.of(column).0, &self.scaled[shapes.range(column)]);
        let mut sum = 0.0;
        for (&node, weight) in nodes.iter().zip(weights) {
            // All are compared, which takes less than branches that no processor foresees.
            let found = others.iter().zip(scaled);
            sum += weight * found.fold(0.0, |last, (&other, &s)| if other == node { s } else { last });
        }
        sum
    }

    /// Σ_a N_a h (A⁻¹)_aa N'_a over the nodes that two slots share.
    fn sum_of_blocks(&self, shapes: &Shapes, row: usize, column: usize) -> Block {
        let ((nodes, weights), (others, other_weights)) = (shapes.of(row), shapes.of(column));
        let (mut i, mut j) = (0, 0);
        let mut sum = [0.0; 9];
        while i < nodes.len() && j < others.len() {
            let (own, other) = (nodes[i], others[j]);
            if own == other {
                let weight = weights[i] * other_weights[j];
                let block = &self.blocks[own as usize];
                sum.iter_mut().zip(block).for_each(|(sum, value)| *sum += weight * value);
            }
            i += usize::from(own <= other);
            j += usize::from(other <= own);
        }
        sum
    }
}

//! The entries of A⁻¹ on the nodes that contacts touch, kept as long as the factor of A is.

use super::{FactorError, Factored, Structure, Workspace};
use crate::block::{Block, transposed};

/// Slot of a node that is not kept.
const NONE: u32 = u32::MAX;

/// Nodes solved for at once.
const NODES_AT_ONCE: usize = 16;

/// Nodes kept beyond those in use: while there are no more than `SPARE` × the nodes in use + `SPARE_NODES`,
/// columns once computed stay, since contacts come back.
const SPARE: usize = 4;
const SPARE_NODES: usize = 64;

/// G = (A⁻¹)_CC for a growing set C of nodes, as 3×3 blocks.
///
/// A node gets the next free slot when it is first needed. Of a symmetric A the blocks (a, b) with slot a ≤
/// slot b are stored, b after b; otherwise those, and after them the blocks (b, a). The storage thus grows at
/// its end only. With c nodes it takes 72 c (c + 1) / 2 bytes, or 72 c².
///
/// A stored block (a, b) is solved for at b: the last bits of the entries depend on the order in which the
/// nodes were first needed.
#[derive(Debug, Default)]
pub struct NodalInverse {
    revision: Option<u64>,
    symmetric: bool,
    slots: Vec<u32>,
    nodes: Vec<u32>,
    blocks: Vec<Block>,
}

impl NodalInverse {
    /// Make sure that all blocks between the `needed` nodes, each given once, are there and belong to
    /// `factor`; returns the number of nodes that had to be solved for. Always to be called with the same
    /// [`Factored`], whose revision tells whether what is kept is still right.
    ///
    /// Nodes no longer needed are kept too, until there are many of them; then all is made anew.
    ///
    /// # Errors
    /// If there is no factor, the factor has no such node or its size is no multiple of three, or
    /// memory is exhausted; nothing is kept then.
    pub fn update(
        &mut self,
        factor: &Factored,
        needed: &[u32],
        work: &mut Workspace,
    ) -> Result<usize, FactorError> {
        let kept = self.revision == Some(factor.revision()) && 3 * self.slots.len() == factor.size();
        let missing = needed.iter().filter(|&&node| self.slot(node).is_none()).count();
        if kept && missing == 0 {
            return Ok(0);
        }
        if !kept || self.nodes.len() + missing > SPARE * needed.len() + SPARE_NODES {
            self.clear();
            self.symmetric = factor.structure() == Some(Structure::PositiveDefinite);
            let nodes = factor.size() / 3;
            self.slots.try_reserve_exact(nodes).map_err(|_| FactorError::Memory)?;
            self.slots.resize(nodes, NONE);
            self.revision = Some(factor.revision());
        }
        let before = self.nodes.len();
        let result = self.append(factor, needed, work);
        if result.is_err() {
            self.clear();
        }
        result.map(|()| self.nodes.len() - before)
    }

    /// Forget everything, keeping the memory.
    pub fn clear(&mut self) {
        self.revision = None;
        self.slots.clear();
        self.nodes.clear();
        self.blocks.clear();
    }

    /// The nodes kept, by slot.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// The slot of a node.
    pub fn slot(&self, node: u32) -> Option<usize> {
        self.slots.get(node as usize).filter(|&&slot| slot != NONE).map(|&slot| slot as usize)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * (self.slots.capacity() + self.nodes.capacity()) + size_of::<Block>() * self.blocks.capacity()
    }

    /// (A⁻¹)_ab of the nodes in slots a, b.
    #[inline]
    pub fn slot_block(&self, a: usize, b: usize) -> Block {
        match (self.symmetric, a <= b) {
            (true, true) => self.blocks[b * (b + 1) / 2 + a],
            (true, false) => transposed(&self.blocks[a * (a + 1) / 2 + b]),
            (false, true) => self.blocks[b * b + a],
            (false, false) => self.blocks[a * a + a + 1 + b],
        }
    }

    /// Whether A, and so A⁻¹, is symmetric.
    pub fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// The velocity of all kept nodes under a point's forces: for every slot a, Σ_b N_b (A⁻¹)_ab over the
    /// nodes b of the point, given by their slots, with their shape functions N_b. With it the coupling of the point
    /// with another is a sum over the nodes of that one alone: this pays where a point meets many others.
    ///
    /// # Panics
    /// If there is no such slot, or `response` is shorter than the number of nodes kept.
    pub fn respond(&self, slots: &[u32], weights: &[f64], response: &mut [Block]) {
        let response = &mut response[..self.nodes.len()];
        response.fill([0.0; 9]);
        for (&b, weight) in slots.iter().zip(weights) {
            let b = b as usize;
            let start = if self.symmetric { b * (b + 1) / 2 } else { b * b };
            let (upper, lower) = response.split_at_mut(b + 1);
            upper.iter_mut().zip(&self.blocks[start..]).for_each(|(sum, g)| add(sum, weight, g));
            for (a, sum) in (b + 1..).zip(lower) {
                if self.symmetric {
                    add(sum, weight, &transposed(&self.blocks[a * (a + 1) / 2 + b]));
                } else {
                    add(sum, weight, &self.blocks[a * a + a + 1 + b]);
                }
            }
        }
    }

    fn append(&mut self, factor: &Factored, needed: &[u32], work: &mut Workspace) -> Result<(), FactorError> {
        if !factor.size().is_multiple_of(3) || needed.iter().any(|&node| node as usize >= self.slots.len()) {
            return Err(FactorError::Matrix(super::Defect::Size));
        }
        let old = self.nodes.len();
        self.nodes.try_reserve(needed.len()).map_err(|_| FactorError::Memory)?;
        for &node in needed {
            if self.slots[node as usize] == NONE {
                self.slots[node as usize] = self.nodes.len() as u32;
                self.nodes.push(node);
            }
        }
        let count = self.nodes.len();
        let length = if self.symmetric { count * (count + 1) / 2 } else { count * count };
        self.blocks.try_reserve(length - self.blocks.len()).map_err(|_| FactorError::Memory)?;
        self.blocks.resize(length, [0.0; 9]);
        for first in (old..count).step_by(NODES_AT_ONCE) {
            self.compute(factor, first, count.min(first + NODES_AT_ONCE), work)?;
        }
        Ok(())
    }

    /// Blocks of the nodes in slots `first..end` with all in slots up to theirs.
    fn compute(
        &mut self,
        factor: &Factored,
        first: usize,
        end: usize,
        work: &mut Workspace,
    ) -> Result<(), FactorError> {
        let Self { nodes, blocks, symmetric, .. } = self;
        let start = |slot: usize| if *symmetric { slot * (slot + 1) / 2 } else { slot * slot };
        factor.solve_nodes(false, &nodes[first..end], work, |k, j, solution| {
            let b = first + k;
            let column = &mut blocks[start(b)..=start(b) + b];
            for (block, &node) in column.iter_mut().zip(&*nodes) {
                block[3 * j..3 * j + 3].copy_from_slice(&solution.at_node(node));
            }
        })?;
        if *symmetric {
            for b in first..end {
                let diagonal = &mut blocks[start(b) + b];
                (diagonal[1], diagonal[2], diagonal[5]) = (diagonal[3], diagonal[6], diagonal[7]);
            }
            return Ok(());
        }
        // Row b of A⁻¹ is column b of A⁻ᵀ.
        factor.solve_nodes(true, &nodes[first..end], work, |k, i, solution| {
            let b = first + k;
            let row = &mut blocks[start(b) + b + 1..start(b) + 2 * b + 1];
            for (block, &node) in row.iter_mut().zip(&*nodes) {
                [block[i], block[3 + i], block[6 + i]] = solution.at_node(node);
            }
        })
    }
}

/// `sum += weight g`.
#[inline(always)]
fn add(sum: &mut Block, weight: &f64, g: &Block) {
    sum.iter_mut().zip(g).for_each(|(sum, g)| *sum += weight * g);
}

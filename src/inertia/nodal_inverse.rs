//! The entries of A⁻¹ on the nodes that contacts touch, kept as long as the factor of A is.

use ldy_factor::SLOTS_AT_ONCE;

use super::{FactorError, Factored, Structure, Workspace};
use crate::block::{Block, transposed};

/// Slot of a node that is not kept.
const NONE: u32 = u32::MAX;

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
/// Which of a and b a block is solved for at, and so its last bits, depends on the order in which the nodes were first
/// needed.
#[derive(Debug, Default)]
pub struct NodalInverse {
    revision: Option<u64>,
    symmetric: bool,
    slots: Vec<u32>,
    nodes: Vec<u32>,
    blocks: Vec<Block>,
    /// Nodes in the order in which they are solved for.
    order: Vec<u32>,
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
    /// memory is exhausted; what is kept is then as before for want of memory, else nothing.
    pub fn update(
        &mut self,
        factor: &Factored,
        needed: &[u32],
        work: &mut Workspace,
    ) -> Result<usize, FactorError> {
        let kept = self.belongs_to(factor);
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
        match result {
            // As before: another attempt gives what this one would have given, to the bit.
            Err(FactorError::Memory) => self.truncate(before),
            Err(_) => self.clear(),
            Ok(()) => {}
        }
        result.map(|()| self.nodes.len() - before)
    }

    /// How many of the `needed` nodes would have to be solved for.
    pub fn count_missing(&self, factor: &Factored, needed: &[u32]) -> usize {
        let kept = self.belongs_to(factor);
        needed.iter().filter(|&&node| !kept || self.slot(node).is_none()).count()
    }

    /// Whether what is kept is of this factor.
    fn belongs_to(&self, factor: &Factored) -> bool {
        self.revision == Some(factor.revision()) && 3 * self.slots.len() == factor.size()
    }

    /// Forget everything, keeping the memory.
    pub fn clear(&mut self) {
        self.revision = None;
        self.slots.clear();
        self.nodes.clear();
        self.blocks.clear();
    }

    /// Forget the nodes from a slot on.
    fn truncate(&mut self, count: usize) {
        for node in self.nodes.drain(count..) {
            self.slots[node as usize] = NONE;
        }
        self.blocks.truncate(if self.symmetric { count * (count + 1) / 2 } else { count * count });
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
        4 * (self.slots.capacity() + self.nodes.capacity() + self.order.capacity())
            + size_of::<Block>() * self.blocks.capacity()
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
        if old == count {
            Ok(())
        } else if self.symmetric {
            self.compute_symmetric(factor, old, work)
        } else {
            self.compute_general(factor, old, work)
        }
    }

    /// All blocks of the nodes in slots from `old` on.
    ///
    /// The columns of a node are needed at the nodes solved for so far, those of the rest have them as rows. The nodes
    /// that are eliminated last come first, so that the part of the factor that takes part is small for most.
    fn compute_symmetric(
        &mut self,
        factor: &Factored,
        old: usize,
        work: &mut Workspace,
    ) -> Result<(), FactorError> {
        let Self { slots, nodes, blocks, order, .. } = self;
        order.clear();
        order.try_reserve(nodes.len()).map_err(|_| FactorError::Memory)?;
        order.extend_from_slice(nodes);
        order[old..].sort_unstable_by_key(|&node| std::cmp::Reverse(factor.position(node)));
        for first in (old..order.len()).step_by(SLOTS_AT_ONCE) {
            let end = order.len().min(first + SLOTS_AT_ONCE);
            let (wanted, batch) = (&order[..end], &order[first..end]);
            factor.solve_nodes(false, batch, wanted, work, |k, mut solution| {
                let b = slots[batch[k] as usize] as usize;
                for &node in &wanted[..=first + k] {
                    let a = slots[node as usize] as usize;
                    let block = solution.transposed_at_node(node);
                    if a <= b {
                        blocks[b * (b + 1) / 2 + a] = transposed(&block);
                    } else {
                        blocks[a * (a + 1) / 2 + b] = block;
                    }
                }
            })?;
        }
        for b in old..order.len() {
            let diagonal = &mut blocks[b * (b + 1) / 2 + b];
            (diagonal[1], diagonal[2], diagonal[5]) = (diagonal[3], diagonal[6], diagonal[7]);
        }
        Ok(())
    }

    /// Blocks of the nodes in slots from `old` on with all in slots up to theirs.
    fn compute_general(
        &mut self,
        factor: &Factored,
        old: usize,
        work: &mut Workspace,
    ) -> Result<(), FactorError> {
        let Self { nodes, blocks, .. } = self;
        factor.solve_nodes(false, &nodes[old..], nodes, work, |k, mut solution| {
            let b = old + k;
            let column = &mut blocks[b * b..=b * b + b];
            for (block, &node) in column.iter_mut().zip(&*nodes) {
                *block = transposed(&solution.transposed_at_node(node));
            }
        })?;
        // Row b of A⁻¹ is column b of A⁻ᵀ.
        factor.solve_nodes(true, &nodes[old..], nodes, work, |k, mut solution| {
            let b = old + k;
            let row = &mut blocks[b * b + b + 1..b * b + 2 * b + 1];
            for (block, &node) in row.iter_mut().zip(&*nodes) {
                *block = solution.transposed_at_node(node);
            }
        })
    }
}

/// `sum += weight g`.
#[inline(always)]
fn add(sum: &mut Block, weight: &f64, g: &Block) {
    sum.iter_mut().zip(g).for_each(|(sum, g)| *sum += weight * g);
}

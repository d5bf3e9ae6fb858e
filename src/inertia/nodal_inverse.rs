//! The entries of A⁻¹ on the nodes that contacts touch, kept as long as the factor of A is.

use ldy_factor::SLOTS_AT_ONCE;

use super::{FactorError, Factored, Structure, Workspace};
use crate::block::{Block, transposed};

/// Slot of a node that is not kept.
const NONE: u32 = u32::MAX;

/// Nodes kept beyond those in use: while there are no more than `SPARE` × the nodes in use + `SPARE_NODES` and memory
/// for them, entries once computed stay, since contacts come back. With each new node most of what is kept is solved for
/// anew, so there are few.
const SPARE: usize = 2;
const SPARE_NODES: usize = 16;

/// Most bytes for the entries.
const MOST_BYTES: usize = 1 << 30;

/// G = (A⁻¹)_CC for a growing set C of nodes, as 3×3 blocks.
///
/// A node gets the next free slot when it is first needed. Of a symmetric A the blocks (a, b) with slot a ≤
/// slot b are stored, b after b; otherwise those, and after them the blocks (b, a). The storage thus grows at
/// its end only. With c nodes it takes 72 c (c + 1) / 2 bytes, or 72 c².
///
/// The bits of a block depend on A alone, not on which nodes were needed when: of two nodes the one that the factor
/// eliminates first is solved for, without symmetry that of the column.
#[derive(Debug)]
pub struct NodalInverse {
    most_bytes: usize,
    revision: Option<u64>,
    symmetric: bool,
    slots: Vec<u32>,
    nodes: Vec<u32>,
    blocks: Vec<Block>,
    /// Nodes in the order in which they are solved for.
    order: Vec<u32>,
}

impl Default for NodalInverse {
    fn default() -> Self {
        Self::with_most_bytes(MOST_BYTES)
    }
}

impl NodalInverse {
    /// No entries, and at most so many bytes for those that are needed at once or kept.
    pub fn with_most_bytes(most_bytes: usize) -> Self {
        let (slots, nodes, blocks, order) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { most_bytes, revision: None, symmetric: false, slots, nodes, blocks, order }
    }

    /// Most bytes for the entries; it is left to the caller not to need more.
    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Bytes of the entries on so many nodes.
    pub fn bytes_of(nodes: usize, symmetric: bool) -> usize {
        block_count(nodes, symmetric).saturating_mul(size_of::<Block>())
    }

    /// Make sure that all blocks between the `needed` nodes, each given once, are there and belong to
    /// `factor`; returns the number of nodes that had no blocks yet. Always to be called with the same
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
        let kept = self.belongs_to(factor);
        let missing = needed.iter().filter(|&&node| self.slot(node).is_none()).count();
        if kept && missing == 0 {
            return Ok(0);
        }
        let count = self.nodes.len() + missing;
        let is_spare = count <= SPARE * needed.len() + SPARE_NODES;
        let result = if kept && is_spare && Self::bytes_of(count, self.symmetric) <= self.most_bytes {
            self.append(factor, needed, work)
        } else {
            self.start(factor).and_then(|()| self.append(factor, needed, work))
        };
        if result.is_err() {
            self.clear();
        }
        result
    }

    fn start(&mut self, factor: &Factored) -> Result<(), FactorError> {
        self.clear();
        self.symmetric = factor.structure() == Some(Structure::PositiveDefinite);
        let nodes = factor.size() / 3;
        self.slots.try_reserve_exact(nodes).map_err(|_| FactorError::Memory)?;
        self.slots.resize(nodes, NONE);
        self.revision = Some(factor.revision());
        Ok(())
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

    /// Give the nodes among the `needed` that have none slots and blocks; returns their number.
    fn append(
        &mut self,
        factor: &Factored,
        needed: &[u32],
        work: &mut Workspace,
    ) -> Result<usize, FactorError> {
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
        if count == old {
            return Ok(0);
        }
        let length = block_count(count, self.symmetric);
        // No more than needed: the entries are to stay below the most bytes.
        self.blocks.try_reserve_exact(length - self.blocks.len()).map_err(|_| FactorError::Memory)?;
        self.blocks.resize(length, [0.0; 9]);
        if self.symmetric {
            self.compute_symmetric(factor, old, work)?;
        } else {
            self.compute_general(factor, work)?;
        }
        Ok(count - old)
    }

    /// All blocks of the nodes in slots from `old` on.
    ///
    /// The nodes that are eliminated last come first, and each is solved for at those up to itself, so that the part of
    /// the factor that takes part is small for most. What comes before the first of the new nodes is there already.
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
        order.sort_unstable_by_key(|&node| std::cmp::Reverse(factor.position(node)));
        let slot = |node: u32| slots[node as usize] as usize;
        let first_new = order.iter().position(|&node| slot(node) >= old).unwrap_or(order.len());
        for first in (first_new..order.len()).step_by(SLOTS_AT_ONCE) {
            let end = order.len().min(first + SLOTS_AT_ONCE);
            let (wanted, batch) = (&order[..end], &order[first..end]);
            factor.solve_nodes(batch, wanted, work, |k, mut solution| {
                let b = slot(batch[k]);
                for &node in &wanted[..first + k] {
                    let a = slot(node);
                    let block = solution.transposed_at_node(node);
                    if a < b {
                        blocks[b * (b + 1) / 2 + a] = transposed(&block);
                    } else {
                        blocks[a * (a + 1) / 2 + b] = block;
                    }
                }
                let diagonal = &mut blocks[b * (b + 1) / 2 + b];
                *diagonal = solution.transposed_at_node(batch[k]);
                (diagonal[1], diagonal[2], diagonal[5]) = (diagonal[3], diagonal[6], diagonal[7]);
            })?;
        }
        Ok(())
    }

    /// All blocks. Those in the columns of old nodes at new ones take as many solves as all of them.
    fn compute_general(&mut self, factor: &Factored, work: &mut Workspace) -> Result<(), FactorError> {
        let Self { nodes, blocks, .. } = self;
        factor.solve_nodes(nodes, nodes, work, |b, mut solution| {
            for (a, &node) in nodes.iter().enumerate() {
                let place = if a <= b { b * b + a } else { a * a + a + 1 + b };
                blocks[place] = transposed(&solution.transposed_at_node(node));
            }
        })
    }
}

/// Blocks between so many nodes.
fn block_count(nodes: usize, symmetric: bool) -> usize {
    let square = nodes.saturating_mul(nodes);
    if symmetric { square.saturating_add(nodes) / 2 } else { square }
}

/// `sum += weight g`.
#[inline(always)]
fn add(sum: &mut Block, weight: &f64, g: &Block) {
    sum.iter_mut().zip(g).for_each(|(sum, g)| *sum += weight * g);
}

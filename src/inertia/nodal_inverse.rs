//! The entries of A⁻¹ on the nodes that contacts touch, kept as long as the factor of A is.

use std::{iter, mem};

use ldy_factor::SLOTS_AT_ONCE;

use super::{FactorError, Factored, Result, Structure, Workspace};
use crate::math::{Block, transposed};
use crate::memory::{bytes, collect, renew, resize};

/// Slot of a node that is not kept.
const NONE: u32 = u32::MAX;

/// A block that is not known.
const UNKNOWN: Block = [f64::NAN; 9];

/// Nodes kept beyond those in use: while there are no more than `SPARE` × the nodes in use + `SPARE_NODES` and memory
/// for them, entries once computed stay, since contacts come back.
const SPARE: usize = 4;
const SPARE_NODES: usize = 64;

/// Most bytes for the entries.
const MOST_BYTES: usize = 1 << 30;

/// G = (A⁻¹)_CC for a growing set C of nodes, as 3×3 blocks.
///
/// A node gets the next free slot when it is first needed, of several the one whose turn comes first. Of a symmetric
/// A the blocks (a, b) with slot a ≤ slot b are stored, b after b; otherwise those, and after them the blocks (b, a).
/// The storage thus grows at its end only. With c nodes it takes 72 c (c + 1) / 2 bytes, or 72 c².
///
/// A new node takes no solves for nodes that are no longer in use: some blocks of these are not known until they come back,
/// and then mostly by solves for them alone.
///
/// The bits of a block depend on A alone, not on which nodes were needed when: of two nodes the one that the factor
/// eliminates first is solved for, without symmetry that of the column.
#[derive(Debug, Default)]
pub struct NodalInverse {
    /// Most bytes for the entries, where they are not [`MOST_BYTES`].
    most_bytes: Option<usize>,
    revision: Option<u64>,
    /// Whether A, and so A⁻¹, is symmetric.
    pub symmetric: bool,
    slots: Vec<u32>,
    /// The nodes kept, by slot.
    pub nodes: Vec<u32>,
    blocks: Vec<Block>,
    /// Whether the node in a slot was needed last: all blocks between such nodes are known.
    complete: Vec<bool>,
    /// Nodes that are needed: those that are not complete before those that are, each in the order of elimination, last ones
    /// first.
    order: Vec<u32>,
    /// Nodes at which solutions are wanted.
    wanted: Vec<u32>,
}

impl NodalInverse {
    /// No entries, and at most so many bytes for those that are needed at once or kept.
    pub fn with_most_bytes(most_bytes: usize) -> Self {
        Self { most_bytes: Some(most_bytes), ..Self::default() }
    }

    /// Most bytes for the entries; it is left to the caller not to need more.
    pub fn most_bytes(&self) -> usize {
        self.most_bytes.unwrap_or(MOST_BYTES)
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
    pub fn update(&mut self, factor: &Factored, needed: &[u32], work: &mut Workspace) -> Result<usize> {
        let kept = self.belongs_to(factor);
        if kept && needed.iter().all(|&node| self.is_complete(node)) {
            return Ok(0);
        }
        let missing = needed.iter().filter(|&&node| self.slot(node).is_none()).count();
        let count = self.nodes.len() + missing;
        let is_spare = count <= SPARE * needed.len() + SPARE_NODES;
        let has_room = missing == 0 || is_spare && Self::bytes_of(count, self.symmetric) <= self.most_bytes();
        let result = if kept && has_room {
            self.append(factor, needed, work)
        } else {
            self.start(factor).and_then(|()| self.append(factor, needed, work))
        };
        if result.is_err() {
            self.clear();
        }
        result
    }

    fn start(&mut self, factor: &Factored) -> Result {
        self.clear();
        self.symmetric = factor.structure() == Some(Structure::PositiveDefinite);
        let nodes = factor.size() / 3;
        self.slots.try_reserve_exact(nodes)?;
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
        self.complete.clear();
    }

    /// The slot of a node.
    pub fn slot(&self, node: u32) -> Option<usize> {
        self.slots.get(node as usize).filter(|&&slot| slot != NONE).map(|&slot| slot as usize)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let numbers = [&self.slots, &self.nodes, &self.order, &self.wanted].map(Vec::capacity);
        size_of::<u32>() * numbers.iter().sum::<usize>() + self.complete.capacity() + bytes(&self.blocks)
    }

    /// (A⁻¹)_ab of the nodes in slots a, b; of nodes that were never needed together maybe not a number.
    #[inline]
    pub fn slot_block(&self, a: usize, b: usize) -> Block {
        let block = &self.blocks[place(self.symmetric, a, b)];
        if self.symmetric && a > b { transposed(block) } else { *block }
    }

    /// The velocity of all kept nodes under a point's forces: for every slot a, Σ_b N_b (A⁻¹)_ab over the
    /// nodes b of the point, given by their slots, with their shape functions N_b. With it the coupling of the point
    /// with another is a sum over the nodes of that one alone: this pays where a point meets many others. Maybe not a
    /// number at nodes that were never needed together with those of the point.
    ///
    /// # Panics
    /// If there is no such slot, or `response` is shorter than the number of nodes kept.
    #[inline(always)]
    pub fn respond(&self, slots: &[u32], weights: &[f64], response: &mut [Block]) {
        let response = &mut response[..self.nodes.len()];
        response.fill([0.0; 9]);
        for (&b, weight) in slots.iter().zip(weights) {
            let b = b as usize;
            let start = if self.symmetric { b * (b + 1) / 2 } else { b * b };
            let (upper, lower) = response.split_at_mut(b + 1);
            add(upper.as_flattened_mut(), weight, self.blocks[start..].as_flattened());
            for (a, sum) in (b + 1..).zip(lower) {
                if self.symmetric {
                    add(sum, weight, &transposed(&self.blocks[a * (a + 1) / 2 + b]));
                } else {
                    add(sum, weight, &self.blocks[a * a + a + 1 + b]);
                }
            }
        }
    }

    /// Give the nodes among the `needed` that have none slots, and compute all blocks between the `needed` nodes that are
    /// not known; returns the number of new slots.
    fn append(&mut self, factor: &Factored, needed: &[u32], work: &mut Workspace) -> Result<usize> {
        let are_nodes = needed.iter().all(|&node| (node as usize) < self.slots.len());
        ensure!(factor.size().is_multiple_of(3) && are_nodes, FactorError::Matrix(super::Defect::Size));
        let old = self.nodes.len();
        self.nodes.try_reserve(needed.len())?;
        let mut order = mem::take(&mut self.order);
        collect(&mut order, needed.iter().copied())?;
        order.sort_unstable_by_key(|&node| (self.is_complete(node), self.turn(factor, node)));
        for &node in &order {
            if self.slots[node as usize] == NONE {
                self.slots[node as usize] = self.nodes.len() as u32;
                self.nodes.push(node);
            }
        }
        let count = self.nodes.len();
        resize(&mut self.complete, count, false)?;
        let length = block_count(count, self.symmetric);
        // No more than needed: the entries are to stay below the most bytes.
        self.blocks.try_reserve_exact(length - self.blocks.len())?;
        self.blocks.resize(length, UNKNOWN);
        renew(&mut self.wanted, count, iter::empty())?;
        // Blocks between complete nodes are known.
        let (fresh, complete) = order.split_at(order.partition_point(|&node| !self.is_complete(node)));
        // At nodes that are not needed as well, should they come back.
        self.solve(factor, fresh, &order, true, work)?;
        self.solve(factor, complete, fresh, false, work)?;
        self.complete.fill(false);
        for &node in &order {
            self.complete[self.slots[node as usize] as usize] = true;
        }
        self.order = order;
        Ok(count - old)
    }

    /// Make sure of the blocks in some columns at the rows that are needed, of a symmetric A at those whose turn is not after
    /// that of the column; where a column is solved for, at these rows, or at `all` that are kept.
    fn solve(
        &mut self,
        factor: &Factored,
        columns: &[u32],
        needed: &[u32],
        all: bool,
        work: &mut Workspace,
    ) -> Result {
        let mut wanted = mem::take(&mut self.wanted);
        wanted.clear();
        // Without symmetry all rows are solved for at any rate.
        wanted.extend_from_slice(if all || !self.symmetric { &self.nodes } else { needed });
        wanted.sort_unstable_by_key(|&row| self.turn(factor, row));
        let mut columns = columns.iter();
        loop {
            let (mut batch, mut count) = ([0; SLOTS_AT_ONCE], 0);
            let unknown = columns.by_ref().filter(|&&column| self.lacks(factor, column, needed));
            for (place, &column) in batch.iter_mut().zip(unknown) {
                *place = column;
                count += 1;
            }
            let batch = &batch[..count];
            let Some(&last) = batch.last() else { break };
            factor.solve_nodes(batch, self.until(factor, &wanted, last), work, |k, mut solution| {
                for &row in self.until(factor, &wanted, batch[k]) {
                    self.put(row, batch[k], solution.transposed_at_node(row));
                }
            })?;
        }
        self.wanted = wanted;
        Ok(())
    }

    /// Those rows whose turn is not after that of a column; they are in the order of their turns.
    fn until<'a>(&self, factor: &Factored, rows: &'a [u32], column: u32) -> &'a [u32] {
        let turn = self.turn(factor, column);
        &rows[..rows.partition_point(|&row| self.turn(factor, row) <= turn)]
    }

    /// Whether a block that [`Self::solve`] makes sure of is not known.
    fn lacks(&self, factor: &Factored, column: u32, needed: &[u32]) -> bool {
        let turn = self.turn(factor, column);
        let is_unknown = |&row: &u32| self.blocks[self.place_of(row, column)][0].is_nan();
        needed.iter().filter(|&&row| self.turn(factor, row) <= turn).any(is_unknown)
    }

    /// Store the block (row, column), given its transpose; of a symmetric A also the block (column, row).
    fn put(&mut self, row: u32, column: u32, mut block: Block) {
        let place = self.place_of(row, column);
        if !self.symmetric || self.slots[row as usize] < self.slots[column as usize] {
            block = transposed(&block);
        } else if row == column {
            (block[1], block[2], block[5]) = (block[3], block[6], block[7]);
        }
        self.blocks[place] = block;
    }

    /// As [`place`] of two nodes that are kept.
    fn place_of(&self, row: u32, column: u32) -> usize {
        place(self.symmetric, self.slots[row as usize] as usize, self.slots[column as usize] as usize)
    }

    /// Whether a node is kept, and all its blocks with such nodes are known.
    fn is_complete(&self, node: u32) -> bool {
        self.slot(node).is_some_and(|slot| self.complete[slot])
    }

    /// Of a symmetric A the nodes that are eliminated last are solved for first, so that the part of the factor that takes
    /// part is small for most.
    fn turn(&self, factor: &Factored, node: u32) -> u32 {
        if self.symmetric { u32::MAX - factor.position(node) } else { 0 }
    }
}

/// Where the block (a, b) is among blocks that grow at their end only, b after b: of a symmetric matrix those with a ≤ b, or their
/// transposes, else those and after them the blocks (b, a).
#[inline]
pub fn place(symmetric: bool, a: usize, b: usize) -> usize {
    match (symmetric, a <= b) {
        (true, true) => b * (b + 1) / 2 + a,
        (true, false) => a * (a + 1) / 2 + b,
        (false, true) => b * b + a,
        (false, false) => a * a + a + 1 + b,
    }
}

/// Blocks between so many nodes.
pub fn block_count(nodes: usize, symmetric: bool) -> usize {
    let square = nodes.saturating_mul(nodes);
    if symmetric { square.saturating_add(nodes) / 2 } else { square }
}

/// `sum += weight g`.
#[inline(always)]
pub fn add(sum: &mut [f64], weight: &f64, g: &[f64]) {
    for (sum, g) in sum.iter_mut().zip(g) {
        *sum += weight * g;
    }
}

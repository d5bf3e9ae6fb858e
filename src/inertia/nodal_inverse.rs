//! The entries of A⁻¹ at the nodes that contacts touch, kept while the factor of A stays the same.

use std::{iter, mem};

use crate::factor::SLOTS_AT_ONCE;

use super::{FactorError, FactorResult, Factored, Structure, Workspace};
use crate::math::{Block, transposed};
use crate::memory::{bytes_of, collect, resize};

/// The slot of a node that is not kept.
const NONE: u32 = u32::MAX;

/// A block that is not known.
const UNKNOWN: Block = [f64::NAN; 9];

/// Limits for nodes that are kept but no longer in use. Their entries stay, since contacts come back, while there are no more than
/// `SPARE` × the nodes in use + `SPARE_NODES` nodes, and enough bytes.
const SPARE: usize = 4;
const SPARE_NODES: usize = 64;

/// The default limit for the bytes of the entries.
const MOST_BYTES: usize = 1 << 30;

/// G = (A⁻¹)_CC for a growing set C of nodes, as 3×3 blocks.
///
/// A node gets the next free slot when it is first needed; several new nodes get slots in the order of their turns. If A is
/// symmetric, the blocks (a, b) with slot a ≤ slot b are stored, first by b, then by a. Otherwise the blocks (b, a) follow for each b.
/// The storage therefore grows at its end only. With c nodes it takes 72 c (c + 1) / 2 bytes, or 72 c².
///
/// A new node causes no solves for nodes that are no longer in use. Some blocks of these nodes stay unknown until the nodes come back,
/// and then most solves are for these nodes alone.
///
/// The bits of a block depend on A alone, not on the history of needed nodes: a block of two nodes comes from the solve for the node
/// that the factor eliminates first. If A is not symmetric, it comes from the solve for the node of the column.
#[derive(Debug, Default)]
pub struct NodalInverse {
    /// The limit for the bytes of the entries, if it is not [`MOST_BYTES`].
    most_bytes: Option<usize>,
    revision: Option<u64>,
    /// Whether A, and so A⁻¹, is symmetric.
    pub symmetric: bool,
    slots: Vec<u32>,
    /// The nodes kept, by slot.
    pub nodes: Vec<u32>,
    blocks: Vec<Block>,
    /// Whether the node in a slot was needed in the last update. All blocks between such nodes are known.
    complete: Vec<bool>,
    /// The needed nodes: first the incomplete ones, then the complete ones, each group in the order of turns.
    order: Vec<u32>,
    /// The nodes at which a solve is to give the solution.
    wanted: Vec<u32>,
}

impl NodalInverse {
    /// An empty inverse with a limit for the bytes of the entries that are needed at once or kept.
    pub fn with_most_bytes(most_bytes: usize) -> Self {
        Self { most_bytes: Some(most_bytes), ..Self::default() }
    }

    /// The limit for the bytes of the entries. The caller must not need more.
    pub fn most_bytes(&self) -> usize {
        self.most_bytes.unwrap_or(MOST_BYTES)
    }

    /// The bytes of the entries at `nodes` nodes.
    pub fn bytes_of(nodes: usize, symmetric: bool) -> usize {
        block_count(nodes, symmetric).saturating_mul(size_of::<Block>())
    }

    /// Compute the missing blocks between the `needed` nodes, each given once, for `factor`. Returns the number of nodes that had no
    /// blocks yet. All calls must have the same [`Factored`], whose revision decides whether the kept entries are still valid.
    ///
    /// Nodes that are no longer needed are kept too. When there are too many, all entries are computed again.
    ///
    /// # Errors
    /// If there is no factor, the factor has no such node or its size is no multiple of three, or memory is exhausted. After an
    /// error nothing is kept.
    pub fn update(&mut self, factor: &Factored, needed: &[u32], work: &mut Workspace) -> FactorResult<usize> {
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

    fn start(&mut self, factor: &Factored) -> FactorResult {
        self.clear();
        self.symmetric = factor.structure() == Some(Structure::PositiveDefinite);
        let nodes = factor.size() / 3;
        self.slots.try_reserve_exact(nodes)?;
        self.slots.resize(nodes, NONE);
        self.revision = Some(factor.revision());
        Ok(())
    }

    /// Whether the kept entries belong to this factor.
    fn belongs_to(&self, factor: &Factored) -> bool {
        self.revision == Some(factor.revision()) && 3 * self.slots.len() == factor.size()
    }

    /// Remove all entries, but keep the memory.
    pub fn clear(&mut self) {
        self.revision = None;
        self.slots.clear();
        self.nodes.clear();
        self.blocks.clear();
        self.complete.clear();
    }

    /// The slot of a node, if it is kept.
    pub fn slot(&self, node: u32) -> Option<usize> {
        self.slots.get(node as usize).filter(|&&slot| slot != NONE).map(|&slot| slot as usize)
    }

    /// The bytes of memory held.
    pub fn bytes(&self) -> usize {
        bytes_of!(self.slots, self.nodes, self.order, self.wanted, self.complete, self.blocks)
    }

    /// (A⁻¹)_ab for the nodes in slots a and b; may be NaN if they were never needed together.
    #[inline]
    pub fn slot_block(&self, a: usize, b: usize) -> Block {
        let block = &self.blocks[place(self.symmetric, a, b)];
        if self.symmetric && a > b { transposed(block) } else { *block }
    }

    /// Write the velocity of all kept nodes under forces at a point: for each slot a, Σ_b N_b (A⁻¹)_ab over the nodes b of the point,
    /// given by their slots and shape functions N_b. The coupling of this point with another is then a sum over the nodes of the
    /// other point alone, which pays if a point meets many others. The response may be NaN at nodes that were never needed together
    /// with the nodes of the point.
    ///
    /// # Panics
    /// If there is no such slot, or `response` is shorter than the number of kept nodes.
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

    /// Give slots to the needed nodes that have none, and compute all unknown blocks between the needed nodes. Returns the number of
    /// new slots.
    fn append(&mut self, factor: &Factored, needed: &[u32], work: &mut Workspace) -> FactorResult<usize> {
        let are_nodes = needed.iter().all(|&node| (node as usize) < self.slots.len());
        ensure!(factor.size().is_multiple_of(3) && are_nodes, FactorError::Matrix(super::Defect::Size));
        let old = self.nodes.len();
        self.nodes.try_reserve(needed.len())?;
        let mut order = mem::take(&mut self.order);
        collect(&mut order, needed.len(), needed.iter().copied())?;
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
        // No more than needed, since the bytes of the entries are limited.
        self.blocks.try_reserve_exact(length - self.blocks.len())?;
        self.blocks.resize(length, UNKNOWN);
        collect(&mut self.wanted, count, iter::empty())?;
        // Blocks between complete nodes are known.
        let (fresh, complete) = order.split_at(order.partition_point(|&node| !self.is_complete(node)));
        // Also at nodes that are not needed, in case they come back.
        self.solve(factor, fresh, &order, true, work)?;
        self.solve(factor, complete, fresh, false, work)?;
        self.complete.fill(false);
        for &node in &order {
            self.complete[self.slots[node as usize] as usize] = true;
        }
        self.order = order;
        Ok(count - old)
    }

    /// Compute the unknown blocks in some columns at the needed rows; if A is symmetric, only at rows whose turn is not after the turn
    /// of the column. A solve for a column gives the blocks at these rows or, with `all`, at all kept rows.
    fn solve(
        &mut self,
        factor: &Factored,
        columns: &[u32],
        needed: &[u32],
        all: bool,
        work: &mut Workspace,
    ) -> FactorResult {
        let mut wanted = mem::take(&mut self.wanted);
        wanted.clear();
        // Without symmetry a solve computes all rows anyway.
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

    /// The rows whose turn is not after the turn of a column; `rows` are in the order of their turns.
    fn until<'a>(&self, factor: &Factored, rows: &'a [u32], column: u32) -> &'a [u32] {
        let turn = self.turn(factor, column);
        &rows[..rows.partition_point(|&row| self.turn(factor, row) <= turn)]
    }

    /// Whether a block that [`Self::solve`] has to compute is unknown.
    fn lacks(&self, factor: &Factored, column: u32, needed: &[u32]) -> bool {
        let turn = self.turn(factor, column);
        let is_unknown = |&row: &u32| self.blocks[self.place_of(row, column)][0].is_nan();
        needed.iter().filter(|&&row| self.turn(factor, row) <= turn).any(is_unknown)
    }

    /// Store the block (row, column), given its transpose. If A is symmetric, this is the block (column, row), too.
    fn put(&mut self, row: u32, column: u32, mut block: Block) {
        let place = self.place_of(row, column);
        if !self.symmetric || self.slots[row as usize] < self.slots[column as usize] {
            block = transposed(&block);
        } else if row == column {
            (block[1], block[2], block[5]) = (block[3], block[6], block[7]);
        }
        self.blocks[place] = block;
    }

    /// [`place`] for two kept nodes.
    fn place_of(&self, row: u32, column: u32) -> usize {
        place(self.symmetric, self.slots[row as usize] as usize, self.slots[column as usize] as usize)
    }

    /// Whether a node is kept, and all its blocks with other complete nodes are known.
    fn is_complete(&self, node: u32) -> bool {
        self.slot(node).is_some_and(|slot| self.complete[slot])
    }

    /// The turn of a node. If A is symmetric, nodes that are eliminated last come first, so that most solves need only a small part of
    /// the factor.
    fn turn(&self, factor: &Factored, node: u32) -> u32 {
        if self.symmetric { u32::MAX - factor.position(node) } else { 0 }
    }
}

/// The index of the block (a, b) in a storage that grows at its end only, ordered by b. It has the blocks with a ≤ b, or their
/// transposes; if the matrix is not symmetric, the blocks (b, a) follow for each b.
#[inline]
pub fn place(symmetric: bool, a: usize, b: usize) -> usize {
    match (symmetric, a <= b) {
        (true, true) => b * (b + 1) / 2 + a,
        (true, false) => a * (a + 1) / 2 + b,
        (false, true) => b * b + a,
        (false, false) => a * a + a + 1 + b,
    }
}

/// The number of blocks between `nodes` nodes.
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

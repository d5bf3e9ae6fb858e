//! H of the slots of a mesh, packed: the nodes with their weights, slot by slot, and the factors.

use std::cmp::Ordering;
use std::ops::Range;

use crate::math::Block;
use crate::memory::{self, bytes, collect, refill};

/// The nodes of the slots and their weights N_a, without nodes of weight zero: contacts are often at nodes or in
/// faces, where most shape functions vanish. H at node a is N_a Q.
#[derive(Debug, Default)]
pub struct NodalOperators {
    /// Nodes and weights.
    pub shapes: Shapes,
    /// Q of the slots.
    pub factors: Vec<Block>,
}

/// Nodes and weights of slots.
#[derive(Debug, Default)]
pub struct Shapes {
    /// The range of the nodes of a slot; empty for a free slot.
    ranges: Vec<[u32; 2]>,
    /// Nodes of all slots, ascending in every slot.
    pub nodes: Vec<u32>,
    /// Weights of all slots.
    pub weights: Vec<f64>,
}

impl NodalOperators {
    /// Start again with a number of slots, all free.
    pub fn start(&mut self, slots: usize) -> memory::Result {
        self.shapes.clear();
        refill(&mut self.shapes.ranges, slots, [0; 2])?;
        refill(&mut self.factors, slots, [0.0; 9])
    }

    /// Add nodes, ascending, with their weights to H of a slot; all operators of a slot have the same factor.
    pub fn add(
        &mut self,
        slot: usize,
        factor: &Block,
        weights: impl ExactSizeIterator<Item = (u32, f64)>,
    ) -> memory::Result {
        self.factors[slot] = *factor;
        self.shapes.add(slot, weights)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.shapes.bytes() + bytes(&self.factors)
    }
}

impl Shapes {
    /// Number of slots.
    pub fn len(&self) -> usize {
        self.ranges.len()
    }

    /// Nodes and weights of a slot; none if it is free.
    #[inline]
    pub fn of(&self, slot: usize) -> (&[u32], &[f64]) {
        let range = self.range(slot);
        (&self.nodes[range.clone()], &self.weights[range])
    }

    /// The range of the nodes of a slot among `nodes`.
    #[inline]
    pub fn range(&self, slot: usize) -> Range<usize> {
        let [start, end] = self.ranges[slot];
        start as usize..end as usize
    }

    /// Whether a slot has the same nodes in both, and the same weights to the bit.
    pub fn agrees(&self, other: &Self, slot: usize) -> bool {
        let ((nodes, weights), (others, other_weights)) = (self.of(slot), other.of(slot));
        let mut both = weights.iter().zip(other_weights);
        nodes == others && both.all(|(one, two)| one.to_bits() == two.to_bits())
    }

    /// An order of slots by their nodes and then their weights, independent of their places among the slots.
    pub fn compare(&self, one: usize, other: usize) -> Ordering {
        let ((nodes, weights), (others, other_weights)) = (self.of(one), self.of(other));
        let by_weight = || {
            let both = weights.iter().zip(other_weights);
            both.map(|(one, two)| one.total_cmp(two)).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
        };
        nodes.cmp(others).then_with(by_weight)
    }

    /// Forget all slots, keeping the memory.
    pub fn clear(&mut self) {
        self.ranges.clear();
        self.nodes.clear();
        self.weights.clear();
    }

    /// Become the same as another.
    pub fn copy(&mut self, other: &Self) -> memory::Result {
        self.clear();
        collect(&mut self.ranges, other.ranges.len(), other.ranges.iter().copied())?;
        collect(&mut self.nodes, other.nodes.len(), other.nodes.iter().copied())?;
        collect(&mut self.weights, other.weights.len(), other.weights.iter().copied())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.ranges) + bytes(&self.nodes) + bytes(&self.weights)
    }

    /// Add nodes, ascending, with their weights to a slot.
    fn add(&mut self, slot: usize, added: impl ExactSizeIterator<Item = (u32, f64)>) -> memory::Result {
        let had = self.range(slot);
        self.nodes.try_reserve(had.len() + added.len())?;
        self.weights.try_reserve(had.len() + added.len())?;
        let start = self.nodes.len();
        if had.is_empty() {
            added.for_each(|pair| self.push(pair));
        } else {
            self.merge(had, added);
        }
        self.ranges[slot] = [start as u32, self.nodes.len() as u32];
        Ok(())
    }

    /// Write the old and the new values of a slot after all others. Its old place stays unused: few constraints have two points on
    /// one body.
    fn merge(&mut self, had: Range<usize>, added: impl Iterator<Item = (u32, f64)>) {
        let mut old = had.start;
        for (node, weight) in added {
            while old < had.end && self.nodes[old] < node {
                self.push((self.nodes[old], self.weights[old]));
                old += 1;
            }
            if old < had.end && self.nodes[old] == node {
                self.push((node, self.weights[old] + weight));
                old += 1;
            } else {
                self.push((node, weight));
            }
        }
        (old..had.end).for_each(|k| self.push((self.nodes[k], self.weights[k])));
    }

    fn push(&mut self, (node, weight): (u32, f64)) {
        if weight != 0.0 {
            self.nodes.push(node);
            self.weights.push(weight);
        }
    }
}

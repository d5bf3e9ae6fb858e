//! W as a sum over bodies: W = Z Zᵀ, where row α of Z has a part for each node of the bodies that the constraint acts on. A node
//! stands for up to six velocities of one body, in coordinates in which the body's h A⁻¹ is the unit matrix: with h A⁻¹ = L Lᵀ of
//! a body, Z = H L. A rigid body is one node; a body of more velocities has several.

use std::array;
use std::iter::once;

use crate::math::Vector;
use crate::memory::{self, collect, push, refill};
use crate::rows::BlockRows;
use crate::rows::fault::{Error, Fault, check_size};
use crate::rows::pattern::range;

use super::problem::triples;

/// The difference of W and Z Zᵀ that is rounding, relative to the sizes of scalar rows of Z.
const SAME: f64 = 1e-8;

/// The number of velocities of a node.
pub const NODE: usize = 6;

/// The velocities of a node.
pub type NodeVector = [f64; NODE];

/// The part of a row at a node: 3 × 6, column by column.
pub type NodeBlock = [Vector; NODE];

/// Z of all rows, W = Z Zᵀ. A row of more than three scalar rows is two rows here: the first three, and the others. Scalar rows that a
/// row does not have are zero. Columns of Z come in nodes of six.
///
/// ```
/// use ldy::solve::BodyRows;
///
/// // One row of three on the velocities 0 to 2 of one body: W is the unit matrix.
/// let mut z = [0.0; 18];
/// (0..3).for_each(|i| z[6 * i + i] = 1.0);
/// let z = BodyRows::new(&[0, 1], &[0], &z)?;
/// assert_eq!((z.len(), z.nodes()), (1, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct BodyRows {
    nodes: usize,
    /// Row k has the parts `starts[k]..starts[k + 1]`.
    starts: Vec<u32>,
    node_of: Vec<u32>,
    blocks: Vec<NodeBlock>,
}

/// A source of Z; W is known without it.
pub trait BodyRowsSource: Sync {
    /// Write Z of all rows. Returns false if there is none, for example because a body gives A⁻¹ as a function only.
    ///
    /// # Errors
    /// If memory is exhausted.
    fn write_rows(&self, rows: &mut BodyRows) -> memory::Result<bool>;
}

impl BodyRowsSource for BodyRows {
    fn write_rows(&self, rows: &mut BodyRows) -> memory::Result<bool> {
        rows.nodes = self.nodes;
        collect(&mut rows.starts, self.starts.len(), self.starts.iter().copied())?;
        collect(&mut rows.node_of, self.node_of.len(), self.node_of.iter().copied())?;
        collect(&mut rows.blocks, self.blocks.len(), self.blocks.iter().copied())?;
        Ok(true)
    }
}

impl BodyRows {
    /// Make Z from its parts. Row k has the parts `starts[k]..starts[k + 1]`, each with a different node of `nodes` and 3 × 6 values, row
    /// by row.
    ///
    /// # Errors
    /// If the starts do not begin with 0, descend, or do not end with the number of nodes; if there are not 18 values for each part, or a
    /// node is negative or at least the number of parts; if memory is exhausted.
    pub fn new(starts: &[i32], nodes: &[i32], values: &[f64]) -> Result<Self, Error> {
        let parts = nodes.len();
        let ends = (starts.first(), starts.last()) == (Some(&0), Some(&(parts as i32)));
        let why = "the starts of Z are not those of its parts";
        ensure!(ends && starts.is_sorted(), Error::of_rows(Fault::Invalid(why)));
        let are_nodes = nodes.iter().all(|&node| usize::try_from(node).is_ok_and(|node| node < parts));
        ensure!(are_nodes, Error::of_rows(Fault::Invalid("a node of Z is negative or too large")));
        check_size("values of Z", 3 * NODE * parts, values.len())?;
        let mut z =
            Self { nodes: nodes.iter().max().map_or(0, |&most| most as usize + 1), ..Self::default() };
        collect(&mut z.starts, starts.len(), starts.iter().map(|&start| start as u32))?;
        collect(&mut z.node_of, parts, nodes.iter().map(|&node| node as u32))?;
        let (blocks, _) = values.as_chunks::<{ 3 * NODE }>();
        let column = |block: &[f64; 3 * NODE], j: usize| [block[j], block[NODE + j], block[2 * NODE + j]];
        collect(&mut z.blocks, parts, blocks.iter().map(|block| array::from_fn(|j| column(block, j))))?;
        Ok(z)
    }

    /// Check that W = Z Zᵀ to rounding, where W has blocks.
    ///
    /// # Errors
    /// If not; the error names the first such row. Also if memory is exhausted.
    pub(super) fn check(&self, w: &BlockRows) -> Result<(), Error> {
        let mut firsts = Vec::new();
        collect(&mut firsts, w.len() + 1, once(0))?;
        firsts.extend((0..w.len()).scan(0, |end, row| {
            *end += triples(w.height(row));
            Some(*end)
        }));
        check_size("rows of Z", firsts[w.len()], self.len())?;
        let place = |row: usize, i: usize| [firsts[row] + i / 3, i % 3];
        let size = |row: usize, i: usize| self.product(place(row, i), place(row, i)).sqrt();
        for row in 0..w.len() {
            let wrong = Error::of_row(row, Fault::Invalid("its blocks of W are not those of Z Zᵀ"));
            let height = w.height(row);
            ensure!((height..3 * triples(height)).all(|i| size(row, i) == 0.0), wrong);
            for (column, block) in w.row(row) {
                for (k, value) in block.iter().enumerate() {
                    let (i, j) = (k % height, k / height);
                    let error = (value - self.product(place(row, i), place(column, j))).abs();
                    let is_rounding = error <= SAME * size(row, i) * size(column, j);
                    ensure!(is_rounding, wrong);
                }
            }
        }
        Ok(())
    }

    /// The product of two scalar rows of Z.
    fn product(&self, [row, i]: [usize; 2], [other, j]: [usize; 2]) -> f64 {
        let ((nodes, blocks), (others, other_blocks)) = (self.row(row), self.row(other));
        let mut sum = 0.0;
        for (node, block) in nodes.iter().zip(blocks) {
            if let Some(k) = others.iter().position(|other| other == node) {
                sum += (0..NODE).map(|c| block[c][i] * other_blocks[k][c][j]).sum::<f64>();
            }
        }
        sum
    }

    /// Begin again with `nodes` nodes and no row.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn start(&mut self, nodes: usize) -> memory::Result {
        self.nodes = nodes;
        collect(&mut self.starts, 1, once(0))?;
        self.node_of.clear();
        self.blocks.clear();
        Ok(())
    }

    /// Add a part to the row under construction. The parts of a row belong to different nodes.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn push_part(&mut self, node: usize, block: &NodeBlock) -> memory::Result {
        push(&mut self.node_of, node as u32)?;
        push(&mut self.blocks, *block)
    }

    /// End the row under construction.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn end_row(&mut self) -> memory::Result {
        push(&mut self.starts, self.blocks.len() as u32)
    }

    /// Copy some of the rows, with the nodes that they have. `numbers` has a value for each node of all rows, all `u32::MAX`, also
    /// afterwards.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(super) fn copy(&mut self, all: &Self, rows: &[u32], numbers: &mut [u32]) -> memory::Result {
        let made = self.copy_rows(all, rows, numbers);
        for &row in rows {
            all.row(row as usize).0.iter().for_each(|&node| numbers[node as usize] = u32::MAX);
        }
        made
    }

    fn copy_rows(&mut self, all: &Self, rows: &[u32], numbers: &mut [u32]) -> memory::Result {
        self.start(0)?;
        for &row in rows {
            let (nodes, blocks) = all.row(row as usize);
            for (&node, block) in nodes.iter().zip(blocks) {
                let number = &mut numbers[node as usize];
                if *number == u32::MAX {
                    *number = self.nodes as u32;
                    self.nodes += 1;
                }
                self.push_part(*number as usize, block)?;
            }
            self.end_row()?;
        }
        Ok(())
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// Multiply each row by a factor for each of its components.
    pub(super) fn scale(&mut self, factor: impl Fn(usize) -> Vector) {
        for row in 0..self.len() {
            let factor = factor(row);
            for block in &mut self.blocks[range(&self.starts, row)] {
                for column in block {
                    (0..3).for_each(|i| column[i] *= factor[i]);
                }
            }
        }
    }

    /// The parts of a row: nodes and blocks.
    #[inline(always)]
    pub(crate) fn row(&self, row: usize) -> (&[u32], &[NodeBlock]) {
        let own = range(&self.starts, row);
        (&self.node_of[own.clone()], &self.blocks[own])
    }

    /// Move the scalar rows of each row to these lanes.
    pub(super) fn move_to_lanes(&mut self, lanes: impl Fn(usize) -> [u8; 3]) {
        for row in 0..self.len() {
            let lanes = lanes(row);
            for column in self.blocks[range(&self.starts, row)].as_flattened_mut() {
                let from = *column;
                (0..3).for_each(|i| column[usize::from(lanes[i])] = from[i]);
            }
        }
    }

    /// Z x of a row.
    #[inline(always)]
    pub(crate) fn times(&self, row: usize, x: &[NodeVector]) -> Vector {
        let (nodes, blocks) = self.row(row);
        let mut sum = [0.0; 3];
        for (&node, block) in nodes.iter().zip(blocks) {
            let x = &x[node as usize];
            for (column, x) in block.iter().zip(x) {
                (0..3).for_each(|i| sum[i] += column[i] * x);
            }
        }
        sum
    }

    /// Add the part of a node in Zᵀ y to x.
    #[inline(always)]
    pub(super) fn add_transposed(&self, parts: &[NodePart], y: &[Vector], x: &mut NodeVector) {
        for &NodePart { row, block } in parts {
            let y = &y[row as usize];
            for (x, column) in x.iter_mut().zip(&self.blocks[block as usize]) {
                *x += column[0] * y[0] + column[1] * y[1] + column[2] * y[2];
            }
        }
    }

    /// The index of a part in its row.
    #[inline(always)]
    pub(super) fn index_in_row(&self, part: &NodePart) -> usize {
        (part.block - self.starts[part.row as usize]) as usize
    }

    /// Write the pattern of Zᵀ Z: for each node the nodes that share a row with it, and itself.
    pub(super) fn write_pattern(&self, pattern: &mut NodePattern) -> memory::Result {
        let NodePattern { starts, columns, firsts, parts, marks } = pattern;
        refill(firsts, self.nodes + 2, 0)?;
        self.node_of.iter().for_each(|&node| firsts[node as usize + 2] += 1);
        (1..=self.nodes).for_each(|node| firsts[node + 1] += firsts[node]);
        refill(parts, self.node_of.len(), NodePart::default())?;
        for row in 0..self.len() {
            for block in range(&self.starts, row) {
                let at = &mut firsts[self.node_of[block] as usize + 1];
                parts[*at as usize] = NodePart { row: row as u32, block: block as u32 };
                *at += 1;
            }
        }
        firsts.pop();
        refill(marks, self.nodes, u32::MAX)?;
        collect(starts, self.nodes + 1, std::iter::once(0))?;
        columns.clear();
        for node in 0..self.nodes {
            let begin = columns.len();
            marks[node] = node as u32;
            push(columns, node as i32)?;
            for part in &parts[range(firsts, node)] {
                for &other in self.row(part.row as usize).0 {
                    if marks[other as usize] != node as u32 {
                        marks[other as usize] = node as u32;
                        push(columns, other as i32)?;
                    }
                }
            }
            columns[begin..].sort_unstable();
            starts.push(columns.len() as i32);
        }
        Ok(())
    }
}

/// A part of a row at a node.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodePart {
    pub row: u32,
    /// The index among the parts of all rows.
    block: u32,
}

/// The pattern of Zᵀ Z, the parts of each node, and a workspace.
#[derive(Debug, Default)]
pub(super) struct NodePattern {
    pub starts: Vec<i32>,
    pub columns: Vec<i32>,
    /// Node n has the parts `firsts[n]..firsts[n + 1]`, in the order of rows.
    firsts: Vec<u32>,
    parts: Vec<NodePart>,
    marks: Vec<u32>,
}

impl NodePattern {
    /// The index of a pair of nodes in the pattern, which has it.
    #[inline(always)]
    pub fn find(&self, row: usize, column: u32) -> usize {
        let own = range(&self.starts, row);
        own.start + self.columns[own].partition_point(|&other| (other as u32) < column)
    }

    /// The parts of a node.
    #[inline(always)]
    pub fn parts(&self, node: usize) -> &[NodePart] {
        &self.parts[range(&self.firsts, node)]
    }
}

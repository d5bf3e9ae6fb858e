//! Supernodes of a Cholesky factor: columns that follow each other and have nearly the same rows below. Together they form a dense panel.

use std::ops::Range;

use super::adjacency::Adjacency;
use super::tree::{NONE, Tree};
use super::{FactorError, MatrixCopy};
use crate::memory::{self, bytes_of, collected, push, repeated};

/// Four rows of a column of a panel.
pub type Lanes = [f64; 4];

/// The most columns of a supernode: four rows of it stay in the nearest cache.
pub const WIDEST: usize = 128;

/// The largest share of zeros in a supernode, by the largest number of columns.
const ZEROS: [(usize, f64); 4] = [(4, 1.0), (16, 0.8), (48, 0.1), (WIDEST, 0.05)];

/// Some columns of L. Its panel has strips of four rows, each column by column: the rows of its own columns, then the rows below. Each of
/// these parts begins with a new strip.
#[derive(Clone, Debug)]
pub struct Supernode {
    pub start: usize,
    /// The number of columns.
    pub width: usize,
    /// The rows below, in the list of all rows.
    pub rows: Range<usize>,
    /// Where the panel begins.
    pub offset: usize,
    /// The supernode of the first row below, `NONE` for a root.
    pub parent: u32,
    /// The children, in the list of all children.
    pub children: Range<usize>,
    /// Where the changes of later columns begin, in memory that is shared with other supernodes: left or right of the changes by its
    /// children.
    pub changes: usize,
    pub is_right: bool,
}

/// The supernodes of a pattern.
#[derive(Debug, Default)]
pub struct Supernodes {
    /// The row of the matrix at each place, and the place of each row.
    pub order: Vec<u32>,
    pub place: Vec<u32>,
    pub all: Vec<Supernode>,
    pub rows: Vec<u32>,
    /// The row in the parent's panel of each row.
    pub targets: Vec<u32>,
    pub children: Vec<u32>,
    /// The index of each entry of the matrix in the values of the panels.
    pub entries: Vec<u32>,
    /// The length of all panels, and of the changes that are kept at a time.
    pub length: usize,
    pub most_changes: usize,
}

impl Supernode {
    /// The end of its columns.
    #[inline(always)]
    pub fn end(&self) -> usize {
        self.start + self.width
    }

    /// The number of strips of its own rows.
    #[inline(always)]
    pub fn own_strips(&self) -> usize {
        self.width.div_ceil(4)
    }

    /// The number of strips of the rows below.
    #[inline(always)]
    pub fn strips_below(&self) -> usize {
        self.rows.len().div_ceil(4)
    }

    /// Its panel in the list of all values.
    #[inline(always)]
    pub fn panel(&self) -> Range<usize> {
        self.offset..self.offset + self.width * (self.own_strips() + self.strips_below())
    }

    /// The length of the matrix of changes: a square of the rows below, row by row.
    #[inline(always)]
    pub fn change_length(&self) -> usize {
        4 * self.strips_below() * self.strips_below()
    }
}

impl Supernodes {
    /// Find the supernodes of a matrix, given its lower triangle, in the order of a tree.
    ///
    /// # Errors
    /// If memory is exhausted, or the factor has more than 2³² values.
    pub fn new(tree: Tree, pattern: &Adjacency, matrix: &MatrixCopy) -> Result<Self, FactorError> {
        let mut new = Self { all: divide(&tree)?, ..Self::default() };
        let mut supernode_of: Vec<u32> = memory::with_capacity(tree.order.len())?;
        for (node, s) in new.all.iter().zip(0..) {
            supernode_of.extend((0..node.width).map(|_| s));
        }
        new.find_parents(&tree, &supernode_of)?;
        new.find_rows(&tree, pattern)?;
        new.find_changes();
        (new.order, new.place) = (tree.order, tree.place);
        new.find_entries(matrix, &supernode_of)?;
        Ok(new)
    }

    fn find_parents(&mut self, tree: &Tree, supernode_of: &[u32]) -> memory::Result {
        let Self { all, children, .. } = self;
        let mut counts = repeated(all.len() + 1, 0_usize)?;
        for node in all.iter_mut() {
            let parent = tree.parent[node.end() - 1];
            if parent != NONE {
                node.parent = supernode_of[parent as usize];
                counts[node.parent as usize] += 1;
            }
        }
        let mut end = 0;
        for (node, count) in all.iter_mut().zip(&counts) {
            node.children = end..end;
            end += count;
        }
        *children = repeated(end, 0)?;
        for s in 0..all.len() {
            let parent = all[s].parent as usize;
            if let Some(parent) = all.get_mut(parent) {
                children[parent.children.end] = s as u32;
                parent.children.end += 1;
            }
        }
        Ok(())
    }

    /// Find the rows below each supernode: its columns have them, or its children.
    fn find_rows(&mut self, tree: &Tree, pattern: &Adjacency) -> Result<(), FactorError> {
        let Self { all, rows, targets, children, length, .. } = self;
        let total = all.iter().map(|node| node.rows.len()).sum();
        *rows = memory::with_capacity(total)?;
        *targets = repeated(total, 0)?;
        let mut met = repeated(tree.order.len(), NONE)?;
        let mut row_in_panel = repeated(tree.order.len(), 0_u32)?;
        for s in 0..all.len() {
            let (first, end) = (rows.len(), all[s].end());
            let mut take = |rows: &mut Vec<u32>, row: u32| {
                if row as usize >= end && met[row as usize] != s as u32 {
                    met[row as usize] = s as u32;
                    rows.push(row);
                }
            };
            for column in all[s].start..end {
                let neighbors = pattern.of(tree.order[column] as usize);
                neighbors.iter().for_each(|&row| take(rows, tree.place[row as usize]));
            }
            let own_children = &children[all[s].children.clone()];
            for child in own_children {
                for k in all[*child as usize].rows.clone() {
                    let row = rows[k];
                    take(rows, row);
                }
            }
            rows[first..].sort_unstable();
            let node = &mut all[s];
            node.rows = first..rows.len();
            node.offset = *length;
            *length = node.panel().end;
            (0..node.width).for_each(|k| row_in_panel[node.start + k] = k as u32);
            let below = 4 * node.own_strips() as u32;
            rows[first..].iter().zip(below..).for_each(|(&row, k)| row_in_panel[row as usize] = k);
            for child in own_children {
                let range = all[*child as usize].rows.clone();
                for (target, &row) in targets[range.clone()].iter_mut().zip(&rows[range]) {
                    *target = row_in_panel[row as usize];
                }
            }
        }
        Ok(())
    }

    /// Place the matrices of changes on two stacks, from both ends of the memory: a supernode takes the changes by its children from
    /// one, and adds its own to the other.
    fn find_changes(&mut self) {
        let Self { all, children, most_changes, .. } = self;
        for s in (0..all.len()).rev() {
            all[s].is_right = all.get(all[s].parent as usize).is_some_and(|parent| !parent.is_right);
        }
        let mut lengths = [0, 0];
        for s in 0..all.len() {
            let (own, other) = if all[s].is_right { (1, 0) } else { (0, 1) };
            all[s].changes = lengths[own];
            lengths[own] += all[s].change_length();
            *most_changes = (lengths[0] + lengths[1]).max(*most_changes);
            if let Some(&first) = children[all[s].children.clone()].first() {
                lengths[other] = all[first as usize].changes;
            }
        }
        for node in all.iter_mut().filter(|node| node.is_right) {
            node.changes = *most_changes - node.changes - node.change_length();
        }
    }

    /// Find the place of each entry of the matrix.
    fn find_entries(&mut self, matrix: &MatrixCopy, supernode_of: &[u32]) -> Result<(), FactorError> {
        u32::try_from(4 * self.length).map_err(|_| FactorError::Memory)?;
        let Self { all, rows, place, entries, .. } = self;
        let columns = matrix.starts.windows(2).enumerate();
        let pairs = columns.flat_map(|(j, range)| {
            matrix.rows[range[0] as usize..range[1] as usize].iter().map(move |&i| (i as usize, j))
        });
        let index = |(i, j): (usize, usize)| {
            let (i, j) = (place[i] as usize, place[j] as usize);
            let (row, column) = (i.max(j), i.min(j));
            let node = &all[supernode_of[column] as usize];
            let row = if row < node.end() {
                row - node.start
            } else {
                let below = &rows[node.rows.clone()];
                4 * node.own_strips() + below.partition_point(|&other| (other as usize) < row)
            };
            (4 * (node.offset + node.width * (row / 4) + column - node.start) + row % 4) as u32
        };
        *entries = collected(matrix.rows.len(), pairs.map(index))?;
        Ok(())
    }

    /// The bytes of memory held.
    pub fn bytes(&self) -> usize {
        bytes_of!(self.all, self.order, self.place, self.rows, self.targets, self.children, self.entries)
    }

    /// The number of values in dense panels with all own rows.
    pub fn values(&self) -> usize {
        self.all.iter().map(|node| node.width * (node.width + node.rows.len())).sum()
    }
}

/// A supernode that may still grow.
struct GrowingSupernode {
    start: usize,
    end: usize,
    /// The rows below, and the number of entries that are zero.
    below: usize,
    zeros: usize,
}

impl GrowingSupernode {
    /// The part with the next part, if they may be one supernode.
    fn joined(&self, next: &Self) -> Option<Self> {
        let (width, more) = (next.end - self.start, next.end - next.start + next.below);
        let zeros = self.zeros + next.zeros + (self.end - self.start) * (more - self.below);
        let all = width * (width + 1) / 2 + width * next.below;
        let (_, most) = ZEROS.iter().find(|(widest, _)| width <= *widest)?;
        let part = Self { start: self.start, end: next.end, below: next.below, zeros };
        (zeros as f64 <= most * all as f64).then_some(part)
    }
}

/// Divide the columns into supernodes; their rows are only counted.
fn divide(tree: &Tree) -> memory::Result<Vec<Supernode>> {
    let mut parts: Vec<GrowingSupernode> = Vec::new();
    for column in 0..tree.order.len() {
        let mut part =
            GrowingSupernode { start: column, end: column + 1, below: tree.below[column] as usize, zeros: 0 };
        // The last parts may be branches of this one.
        while let Some(last) = parts.last()
            && (part.start..part.end).contains(&(tree.parent[last.end - 1] as usize))
            && let Some(joined) = last.joined(&part)
        {
            part = joined;
            parts.pop();
        }
        push(&mut parts, part)?;
    }
    let supernode = |part: &GrowingSupernode| Supernode {
        start: part.start,
        width: part.end - part.start,
        rows: 0..part.below,
        offset: 0,
        parent: NONE,
        children: 0..0,
        changes: 0,
        is_right: false,
    };
    collected(parts.len(), parts.iter().map(supernode))
}

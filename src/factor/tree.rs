//! The elimination tree of an order: the parent of a column of L is the row of the first entry below its diagonal (J. W. H. Liu, SIAM J.
//! Matrix Anal. Appl. 11, 1990, 134–172).

use super::adjacency::Adjacency;
use crate::memory::{self, collected, repeated};

pub const NONE: u32 = u32::MAX;

/// An order in which each column of L follows its descendants at once.
#[derive(Debug, Default)]
pub struct Tree {
    /// The row of the matrix at each place, and the place of each row.
    pub order: Vec<u32>,
    pub place: Vec<u32>,
    /// The parent of each column, `NONE` for a root.
    pub parent: Vec<u32>,
    /// The number of entries of L below the diagonal of each column.
    pub below: Vec<u32>,
}

impl Tree {
    /// Find the tree of a pattern and change the order such that descendants come at once before each column; fill and
    /// operations stay.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(pattern: &Adjacency, order: Vec<u32>) -> memory::Result<Self> {
        let count = order.len();
        let mut tree = Self {
            place: repeated(count, 0)?,
            parent: repeated(count, NONE)?,
            below: repeated(count, 0)?,
            order,
        };
        tree.number_places();
        tree.find_parents(pattern)?;
        let walk = postorder(&tree.parent)?;
        tree.take(&walk)?;
        tree.count_below(pattern)?;
        Ok(tree)
    }

    fn number_places(&mut self) {
        for (&row, k) in self.order.iter().zip(0..) {
            self.place[row as usize] = k;
        }
    }

    /// The neighbors of the row at a place that come before it, as places.
    fn earlier<'a>(&self, pattern: &'a Adjacency, k: usize) -> impl Iterator<Item = usize> + use<'a, '_> {
        let neighbors = pattern.of(self.order[k] as usize).iter();
        neighbors.map(|&row| self.place[row as usize] as usize).filter(move |&place| place < k)
    }

    fn find_parents(&mut self, pattern: &Adjacency) -> memory::Result {
        let count = self.order.len();
        // An ancestor of each column, the latest that is known.
        let mut ancestor = repeated(count, NONE)?;
        let mut parent = std::mem::take(&mut self.parent);
        for k in 0..count {
            for mut at in self.earlier(pattern, k) {
                while at != k {
                    let next = std::mem::replace(&mut ancestor[at], k as u32);
                    if next == NONE {
                        parent[at] = k as u32;
                        break;
                    }
                    at = next as usize;
                }
            }
        }
        self.parent = parent;
        Ok(())
    }

    /// Take the places in another order.
    fn take(&mut self, walk: &[u32]) -> memory::Result {
        let mut moved = repeated(walk.len(), 0_u32)?;
        for (&from, to) in walk.iter().zip(0..) {
            moved[from as usize] = to;
        }
        let parent = |&k: &u32| match self.parent[k as usize] {
            NONE => NONE,
            parent => moved[parent as usize],
        };
        self.parent = collected(walk.len(), walk.iter().map(parent))?;
        self.order = collected(walk.len(), walk.iter().map(|&k| self.order[k as usize]))?;
        self.number_places();
        Ok(())
    }

    /// Count the entries of each column: row k has entries in the columns on the paths from its neighbors up to k.
    fn count_below(&mut self, pattern: &Adjacency) -> memory::Result {
        let count = self.order.len();
        let mut below = std::mem::take(&mut self.below);
        let mut met = repeated(count, NONE)?;
        for k in 0..count {
            met[k] = k as u32;
            for mut at in self.earlier(pattern, k) {
                while met[at] != k as u32 {
                    met[at] = k as u32;
                    below[at] += 1;
                    at = self.parent[at] as usize;
                }
            }
        }
        self.below = below;
        Ok(())
    }
}

/// The places of a tree, given the parent of each or `NONE`, in an order in which each follows its descendants at once, the largest branch
/// last. A parent has a larger place than its children.
pub fn postorder(parents: &[u32]) -> memory::Result<Vec<u32>> {
    let count = parents.len();
    let mut sizes = repeated(count, 1_u32)?;
    for (k, &parent) in parents.iter().enumerate().filter(|(_, parent)| **parent != NONE) {
        sizes[parent as usize] += sizes[k];
    }
    let mut by_size: Vec<u32> = collected(count, 0..count as u32)?;
    by_size.sort_unstable_by_key(|&k| (sizes[k as usize], k));
    // The first place of each branch, given its end: branches of a parent are laid from their end to its own place.
    let mut ends = sizes;
    let mut end_of_roots = count as u32;
    let mut end = repeated(count, 0_u32)?;
    // Parents are larger than their branches.
    for &k in by_size.iter().rev() {
        let size = ends[k as usize];
        let last = match parents[k as usize] {
            NONE => &mut end_of_roots,
            parent => &mut end[parent as usize],
        };
        let own = *last - 1;
        *last -= size;
        // The branches of k end before it.
        end[k as usize] = own;
        ends[k as usize] = own;
    }
    let mut walk = repeated(count, 0)?;
    for (&place, k) in ends.iter().zip(0..) {
        walk[place as usize] = k;
    }
    Ok(walk)
}

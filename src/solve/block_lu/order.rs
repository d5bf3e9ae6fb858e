//! An order of least degree, and the fill of an elimination in this order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;

use crate::factor::{NONE, postorder};
use crate::memory::{self, collect, push, refill, repeated};
use crate::rows::pattern::range;

/// The rows of a matrix in the order of their elimination, and the blocks of the factors.
#[derive(Debug, Default)]
pub struct EliminationOrder {
    /// The row that is eliminated at each place.
    pub rows: Vec<u32>,
    /// The row at place k has blocks with the rows `later[starts[k]..starts[k + 1]]`, which are eliminated later.
    pub starts: Vec<u32>,
    pub later: Vec<u32>,
}

impl EliminationOrder {
    /// Order a pattern and its transpose. Returns the number of products of blocks in a factorization, or none if it exceeds `most`.
    /// The search then stops early.
    pub fn find(&mut self, starts: &[i32], columns: &[i32], most: u64) -> memory::Result<Option<u64>> {
        let count = starts.len() - 1;
        let mut neighbours = adjacency(starts, columns)?;
        let mut place = repeated(count, NONE)?;
        collect(&mut self.rows, count, iter::empty())?;
        collect(&mut self.starts, count + 1, iter::once(0))?;
        self.later.clear();
        // The heap keeps outdated degrees; a row whose degree has changed is pushed again.
        let mut degrees = BinaryHeap::new();
        degrees.try_reserve(count)?;
        degrees.extend(
            neighbours.iter().zip(0..).map(|(list, row): (&Vec<u32>, u32)| Reverse((list.len(), row))),
        );
        let mut merged = Vec::new();
        let mut products = 0;
        while let Some(Reverse((degree, pivot))) = degrees.pop() {
            if place[pivot as usize] != NONE || neighbours[pivot as usize].len() != degree {
                continue;
            }
            place[pivot as usize] = self.rows.len() as u32;
            self.rows.push(pivot);
            products += 2 * (degree as u64).pow(2);
            if products + rest(degree as u64, (count - self.rows.len()) as u64) > most {
                return Ok(None);
            }
            let around = std::mem::take(&mut neighbours[pivot as usize]);
            degrees.try_reserve(around.len())?;
            for &other in &around {
                merge(&neighbours[other as usize], &around, [pivot, other], &mut merged)?;
                std::mem::swap(&mut neighbours[other as usize], &mut merged);
                degrees.push(Reverse((neighbours[other as usize].len(), other)));
            }
            self.later.try_reserve(around.len())?;
            self.later.extend_from_slice(&around);
            self.starts.push(self.later.len() as u32);
        }
        self.walk_the_tree(&mut place)?;
        Ok(Some(products))
    }

    /// Change the order so that each row follows its own descendants in the tree of the elimination at once, the largest branch last;
    /// fill and products stay. `place` holds the place of each row.
    fn walk_the_tree(&mut self, place: &mut [u32]) -> memory::Result {
        let parent = |k: usize| {
            let places = self.later[range(&self.starts, k)].iter().map(|&row| place[row as usize]);
            places.min().unwrap_or(NONE)
        };
        let count = self.rows.len();
        let parents = memory::collected(count, (0..count).map(parent))?;
        let walk = postorder(&parents)?;
        self.take(&walk, place)
    }

    /// Take the places in another order.
    fn take(&mut self, walk: &[u32], place: &mut [u32]) -> memory::Result {
        let mut old = std::mem::take(self);
        refill(&mut self.rows, walk.len(), 0)?;
        for ((to, &from), k) in self.rows.iter_mut().zip(walk).zip(0..) {
            *to = old.rows[from as usize];
            place[*to as usize] = k;
        }
        collect(&mut self.starts, walk.len() + 1, iter::once(0))?;
        collect(&mut self.later, old.later.len(), iter::empty())?;
        for &from in walk {
            let list = &mut old.later[range(&old.starts, from as usize)];
            list.iter_mut().for_each(|row| *row = place[*row as usize]);
            list.sort_unstable();
            self.later.extend_from_slice(list);
            self.starts.push(self.later.len() as u32);
        }
        Ok(())
    }
}

/// A lower bound of the remaining products, after a row of the least degree has been eliminated and `left` rows remain: each of
/// these has at least `degree` − 1 neighbors. The bound is nearly exact if they form groups in which all rows are neighbors and
/// have no others.
fn rest(degree: u64, left: u64) -> u64 {
    left * degree.saturating_sub(1) * (2 * degree).saturating_sub(1) / 3
}

/// The pattern with its transpose, without the diagonal.
fn adjacency(starts: &[i32], columns: &[i32]) -> memory::Result<Vec<Vec<u32>>> {
    let rows = starts.len() - 1;
    let mut neighbours: Vec<Vec<u32>> = repeated(rows, Vec::new())?;
    for i in 0..rows {
        for &j in &columns[range(starts, i)] {
            let j = j as usize;
            if i != j {
                for (one, other) in [(i, j), (j, i)] {
                    push(&mut neighbours[one], other as u32)?;
                }
            }
        }
    }
    for list in &mut neighbours {
        list.sort_unstable();
        list.dedup();
    }
    Ok(neighbours)
}

/// Write the union of two ascending lists, without two members, to `into`.
fn merge(a: &[u32], b: &[u32], without: [u32; 2], into: &mut Vec<u32>) -> memory::Result {
    collect(into, a.len() + b.len(), iter::empty())?;
    let (mut i, mut j) = (0, 0);
    while i < a.len() || j < b.len() {
        let (x, y) = (a.get(i).copied().unwrap_or(NONE), b.get(j).copied().unwrap_or(NONE));
        let least = x.min(y);
        i += usize::from(x == least);
        j += usize::from(y == least);
        if !without.contains(&least) {
            into.push(least);
        }
    }
    Ok(())
}

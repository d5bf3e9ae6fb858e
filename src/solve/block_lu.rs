//! LU factors of a matrix of 3×3 blocks, with pivots on the diagonal, in an order of least degree.
//!
//! Order and fill belong to the pattern; a repeated factorization of the same pattern allocates nothing. Pivots are inverted with
//! partial pivoting within the block. No rows of different blocks are exchanged: the matrices here are (1 − P) + P M with M
//! positive definite and 0 ≤ P ≤ 1, whose leading blocks are regular in any order.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;

use crate::math::{Block, Vector, inverse, is_finite, times};
use crate::memory::{self, collect, push, refill, repeated};

/// The factors, and the pattern that they belong to.
#[derive(Debug, Default)]
pub struct BlockLu {
    /// The row of the matrix that is eliminated at each place, and the place of each row.
    order: Vec<u32>,
    place: Vec<u32>,
    /// Place k has the later places `later[starts[k]..starts[k + 1]]`, ascending.
    starts: Vec<u32>,
    later: Vec<u32>,
    /// The pivots before the elimination, their inverses after it.
    pivots: Vec<Block>,
    /// Blocks (k, later) and (later, k). In the factors, the former are multiplied by the inverse of the pivot.
    upper: Vec<Block>,
    lower: Vec<Block>,
    /// While a place is eliminated: lists of the earlier places that reach it, and the positions in their rows.
    first: Vec<u32>,
    next: Vec<u32>,
    cursor: Vec<u32>,
    /// Positions of the later places of the current place.
    position: Vec<u32>,
    /// A vector in the order of elimination.
    work: Vec<Vector>,
    /// The pattern.
    given_starts: Vec<i32>,
    given_columns: Vec<i32>,
    /// The target of each given block.
    targets: Vec<u32>,
    /// The number of products of blocks in a factorization, if it is at most `most`.
    products: Option<u64>,
    most: u64,
}

/// A lower bound of the remaining products, after a row of the least degree has been eliminated and `left` rows remain: each of
/// these has at least `degree` − 1 neighbors. The bound is nearly exact if they form groups in which all rows are neighbors and
/// have no others.
fn rest(degree: u64, left: u64) -> u64 {
    left * degree.saturating_sub(1) * (2 * degree).saturating_sub(1) / 3
}

const NONE: u32 = u32::MAX;

/// The largest number of products of blocks for which a factorization pays.
pub const MOST_PRODUCTS: u64 = 200_000_000;

impl BlockLu {
    /// Find order and fill of a pattern and its transpose, unless they are known from the last call. Returns the number of products
    /// of blocks in a factorization, or none if it exceeds `most`. The search then stops early, so that it takes no more time than
    /// `most` products are worth.
    pub fn analyse(&mut self, starts: &[i32], columns: &[i32], most: u64) -> memory::Result<Option<u64>> {
        let is_known = self.products.is_some() || self.most >= most;
        if is_known && self.given_starts == starts && self.given_columns == columns {
            return Ok(self.products.filter(|&products| products <= most));
        }
        self.given_starts.clear();
        self.most = most;
        self.products = self.eliminate_pattern(starts, columns)?;
        if self.products.is_some() {
            self.make_room()?;
            self.find_targets(starts, columns)?;
        }
        collect(&mut self.given_columns, columns.len(), columns.iter().copied())?;
        collect(&mut self.given_starts, starts.len(), starts.iter().copied())?;
        Ok(self.products)
    }

    /// Find order and fill; returns none if there are too many products.
    fn eliminate_pattern(&mut self, starts: &[i32], columns: &[i32]) -> memory::Result<Option<u64>> {
        let rows = starts.len() - 1;
        let mut neighbours = adjacency(starts, columns)?;
        refill(&mut self.place, rows, NONE)?;
        collect(&mut self.order, rows, iter::empty())?;
        collect(&mut self.starts, rows + 1, iter::once(0))?;
        self.later.clear();
        // The heap keeps outdated degrees; a row whose degree has changed is pushed again.
        let mut degrees = BinaryHeap::new();
        degrees.try_reserve(rows)?;
        degrees.extend(
            neighbours.iter().zip(0..).map(|(list, row): (&Vec<u32>, u32)| Reverse((list.len(), row))),
        );
        let mut merged = Vec::new();
        let mut products = 0;
        while let Some(Reverse((degree, pivot))) = degrees.pop() {
            if self.place[pivot as usize] != NONE || neighbours[pivot as usize].len() != degree {
                continue;
            }
            self.place[pivot as usize] = self.order.len() as u32;
            self.order.push(pivot);
            products += 2 * (degree as u64).pow(2);
            if products + rest(degree as u64, (rows - self.order.len()) as u64) > self.most {
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
        for place in &mut self.later {
            *place = self.place[*place as usize];
        }
        for range in self.starts.windows(2) {
            self.later[range[0] as usize..range[1] as usize].sort_unstable();
        }
        Ok(Some(products))
    }

    fn make_room(&mut self) -> memory::Result {
        let (rows, fill) = (self.order.len(), self.later.len());
        refill(&mut self.pivots, rows, [0.0; 9])?;
        refill(&mut self.work, rows, [0.0; 3])?;
        for list in [&mut self.upper, &mut self.lower] {
            refill(list, fill, [0.0; 9])?;
        }
        for list in [&mut self.first, &mut self.next, &mut self.cursor, &mut self.position] {
            refill(list, rows, NONE)?;
        }
        Ok(())
    }

    /// Find the target of each given block: the pivots first, then upper, then lower.
    fn find_targets(&mut self, starts: &[i32], columns: &[i32]) -> memory::Result {
        let Self { targets, place, starts: own, later, order, .. } = self;
        let (rows, fill) = (order.len(), later.len());
        let rows_of = starts.windows(2).enumerate();
        let pairs = rows_of.flat_map(|(row, range)| {
            columns[range[0] as usize..range[1] as usize].iter().map(move |&column| (row, column as usize))
        });
        let target = |(row, column): (usize, usize)| {
            let (from, to) = (place[row], place[column]);
            let (least, most) = (from.min(to) as usize, from.max(to));
            let start = own[least] as usize;
            // The pattern holds the block, or the block is a pivot.
            let at = start + later[start..own[least + 1] as usize].partition_point(|&place| place < most);
            (if from == to {
                least
            } else if from < to {
                rows + at
            } else {
                rows + fill + at
            }) as u32
        };
        collect(targets, columns.len(), pairs.map(target))
    }

    /// Factor the matrix with the block `block (row, k)` for the k-th block of the pattern; none is a zero block. Returns false if
    /// a pivot is singular.
    #[inline(always)]
    pub fn factorise(&mut self, block: impl Fn(usize, usize) -> Option<Block>) -> bool {
        self.upper.fill([0.0; 9]);
        self.lower.fill([0.0; 9]);
        let Self { pivots, upper, lower, targets, given_starts, .. } = self;
        let (rows, fill) = (pivots.len(), upper.len());
        for (row, range) in given_starts.windows(2).enumerate() {
            let range = range[0] as usize..range[1] as usize;
            for (k, &target) in range.clone().zip(&targets[range]) {
                if let Some(block) = block(row, k) {
                    let target = target as usize;
                    if target < rows {
                        pivots[target] = block;
                    } else if target < rows + fill {
                        upper[target - rows] = block;
                    } else {
                        lower[target - rows - fill] = block;
                    }
                }
            }
        }
        self.eliminate()
    }

    fn eliminate(&mut self) -> bool {
        let Self { starts, later, pivots, upper, lower, first, next, cursor, position, .. } = self;
        first.fill(NONE);
        let range = |k: usize| starts[k] as usize..starts[k + 1] as usize;
        for k in 0..pivots.len() {
            let own = range(k);
            for (i, &j) in later[own.clone()].iter().enumerate() {
                position[j as usize] = i as u32;
            }
            let (above, upper) = upper.split_at_mut(own.start);
            let (beside, lower) = lower.split_at_mut(own.start);
            // For each earlier place m with a block in column k: subtract the products with the later blocks of row m.
            let mut m = first[k];
            while m != NONE {
                let following = next[m as usize];
                let end = starts[m as usize + 1] as usize;
                let at = cursor[m as usize] as usize;
                let (left, right) = (&beside[at], &above[at]);
                subtract(&mut pivots[k], left, right);
                for i in at + 1..end {
                    let to = position[later[i] as usize] as usize;
                    subtract(&mut upper[to], left, &above[i]);
                    subtract(&mut lower[to], &beside[i], right);
                }
                link(first, next, cursor, later, m, at + 1, end);
                m = following;
            }
            let Some(pivot) = inverse(&pivots[k]).filter(|pivot| is_finite(pivot)) else {
                return false;
            };
            pivots[k] = pivot;
            let mut zero = true;
            for block in &mut upper[..own.len()] {
                zero &= block.iter().all(|&x| x == 0.0);
                *block = product(&pivot, block);
            }
            // A row whose later blocks are all zero changes no other row.
            if !zero {
                link(first, next, cursor, later, k as u32, own.start, own.end);
            }
        }
        true
    }

    /// Replace x by the solution.
    pub fn solve(&mut self, x: &mut [Vector]) {
        let Self { order, starts, later, pivots, upper, lower, work, .. } = self;
        for (to, &row) in work.iter_mut().zip(&*order) {
            *to = x[row as usize];
        }
        let range = |k: usize| starts[k] as usize..starts[k + 1] as usize;
        for k in 0..pivots.len() {
            work[k] = times(&pivots[k], &work[k]);
            let y = work[k];
            for i in range(k) {
                take(&mut work[later[i] as usize], &lower[i], &y);
            }
        }
        for k in (0..pivots.len()).rev() {
            let mut y = work[k];
            for i in range(k) {
                take(&mut y, &upper[i], &work[later[i] as usize]);
            }
            work[k] = y;
        }
        for (from, &row) in work.iter().zip(&*order) {
            x[row as usize] = *from;
        }
    }
}

/// Link place m to the column `later` at position `at`, its next block.
fn link(
    first: &mut [u32],
    next: &mut [u32],
    cursor: &mut [u32],
    later: &[u32],
    m: u32,
    at: usize,
    end: usize,
) {
    if at < end {
        let column = later[at] as usize;
        cursor[m as usize] = at as u32;
        next[m as usize] = first[column];
        first[column] = m;
    }
}

/// The pattern with its transpose, without the diagonal.
fn adjacency(starts: &[i32], columns: &[i32]) -> memory::Result<Vec<Vec<u32>>> {
    let rows = starts.len() - 1;
    let mut neighbours: Vec<Vec<u32>> = repeated(rows, Vec::new())?;
    for i in 0..rows {
        for &j in &columns[starts[i] as usize..starts[i + 1] as usize] {
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

/// `a b`.
#[inline(always)]
fn product(a: &Block, b: &Block) -> Block {
    let mut c = [0.0; 9];
    for j in 0..3 {
        for i in 0..3 {
            c[3 * j + i] = a[i] * b[3 * j] + a[3 + i] * b[3 * j + 1] + a[6 + i] * b[3 * j + 2];
        }
    }
    c
}

/// `c −= a b`.
#[inline(always)]
fn subtract(c: &mut Block, a: &Block, b: &Block) {
    let ab = product(a, b);
    for i in 0..9 {
        c[i] -= ab[i];
    }
}

/// `y −= a x`.
#[inline(always)]
fn take(y: &mut Vector, a: &Block, x: &Vector) {
    let ax = times(a, x);
    for i in 0..3 {
        y[i] -= ax[i];
    }
}

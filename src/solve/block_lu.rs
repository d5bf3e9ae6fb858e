//! LU factors of a matrix of N×N blocks, with pivots on the diagonal, in an order of least degree. The matrix of contacts has
//! blocks of three rows, the matrix of bodies has blocks of six.
//!
//! Order and fill belong to the pattern; a repeated factorization of the same pattern allocates nothing. Rows are exchanged within
//! a pivot only: the matrices here are (1 − P) + P M with M positive definite and 0 ≤ P ≤ 1, or close to a positive definite matrix,
//! and their leading blocks are regular in any order. A pivot has factors and no inverse: a matrix of bodies has entries that differ
//! by 1e11, and products with an inverse would lose the small ones.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::iter;

use crate::math::simd::{Kernel, SimdLevel, at_best};
use crate::memory::{self, collect, push, refill, repeated};
use crate::rows::pattern::{KeptPattern, range};

/// A block, column by column.
pub type Square<const N: usize> = [[f64; N]; N];

/// The factors, and the pattern that they belong to.
#[derive(Debug, Default)]
pub struct BlockLu<const N: usize> {
    /// The row of the matrix that is eliminated at each place, and the place of each row.
    order: Vec<u32>,
    place: Vec<u32>,
    /// Place k has the later places `later[starts[k]..starts[k + 1]]`, ascending.
    starts: Vec<u32>,
    later: Vec<u32>,
    /// The pivots before the elimination, their upper triangles after it.
    pivots: Vec<Square<N>>,
    /// The inverse of the lower triangle of each pivot, with the exchange of rows.
    turned: Vec<Square<N>>,
    /// Blocks (k, later) and (later, k).
    upper: Vec<Square<N>>,
    lower: Vec<Square<N>>,
    /// While a place is eliminated: lists of the earlier places that reach it, and the positions in their rows.
    first: Vec<u32>,
    next: Vec<u32>,
    cursor: Vec<u32>,
    /// Positions of the later places of the current place.
    position: Vec<u32>,
    /// A vector in the order of elimination.
    work: Vec<[f64; N]>,
    /// The pattern.
    given: KeptPattern,
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

impl<const N: usize> BlockLu<N> {
    /// Find order and fill of a pattern and its transpose, unless they are known from the last call. Returns the number of products
    /// of blocks in a factorization, or none if it exceeds `most`. The search then stops early, so that it takes no more time than
    /// `most` products are worth.
    pub fn analyse(&mut self, starts: &[i32], columns: &[i32], most: u64) -> memory::Result<Option<u64>> {
        let is_known = self.products.is_some() || self.most >= most;
        if is_known && self.given.is(starts, columns) {
            return Ok(self.products.filter(|&products| products <= most));
        }
        self.given.forget();
        self.most = most;
        self.products = self.eliminate_pattern(starts, columns)?;
        if self.products.is_some() {
            self.make_room()?;
            self.find_targets(starts, columns)?;
        }
        self.given.keep(starts, columns)?;
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
        refill(&mut self.pivots, rows, [[0.0; N]; N])?;
        refill(&mut self.turned, rows, [[0.0; N]; N])?;
        refill(&mut self.work, rows, [0.0; N])?;
        for list in [&mut self.upper, &mut self.lower] {
            refill(list, fill, [[0.0; N]; N])?;
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
    pub fn factorise(&mut self, block: impl Fn(usize, usize) -> Option<Square<N>>) -> bool {
        self.clear();
        for row in 0..self.pivots.len() {
            for k in range(self.given.starts(), row) {
                if let Some(block) = block(row, k) {
                    *self.block_mut(k) = block;
                }
            }
        }
        self.eliminate()
    }

    /// Make all blocks zero.
    pub fn clear(&mut self) {
        for list in [&mut self.pivots, &mut self.upper, &mut self.lower] {
            list.fill([[0.0; N]; N]);
        }
    }

    /// The k-th block of the pattern, before the elimination.
    #[inline(always)]
    pub fn block_mut(&mut self, k: usize) -> &mut Square<N> {
        let (rows, fill) = (self.pivots.len(), self.upper.len());
        let target = self.targets[k] as usize;
        if target < rows {
            &mut self.pivots[target]
        } else if target < rows + fill {
            &mut self.upper[target - rows]
        } else {
            &mut self.lower[target - rows - fill]
        }
    }

    /// Factor the matrix of the blocks. Returns false if a pivot is singular.
    pub fn eliminate(&mut self) -> bool {
        at_best(Elimination { lu: self })
    }

    /// Replace x by the solution.
    pub fn solve(&mut self, x: &mut [[f64; N]]) {
        at_best(Solution { lu: self, x });
    }
}

/// The elimination.
struct Elimination<'a, const N: usize> {
    lu: &'a mut BlockLu<N>,
}

impl<const N: usize> Kernel for Elimination<'_, N> {
    type Output = bool;

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) -> bool {
        let BlockLu { starts, later, pivots, turned, upper, lower, first, next, cursor, position, .. } =
            self.lu;
        first.fill(NONE);
        for k in 0..pivots.len() {
            let own = range(starts, k);
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
            if !split(&mut pivots[k], &mut turned[k]) {
                return false;
            }
            let mut zero = true;
            for block in &mut upper[..own.len()] {
                if block.as_flattened().iter().any(|&x| x != 0.0) {
                    zero = false;
                    *block = product(&turned[k], block);
                }
            }
            lower[..own.len()].iter_mut().for_each(|block| divide(block, &pivots[k]));
            // A row whose later blocks are all zero changes no other row.
            if !zero {
                link(first, next, cursor, later, k as u32, own.start, own.end);
            }
        }
        true
    }
}

/// The solution with the factors.
struct Solution<'a, const N: usize> {
    lu: &'a mut BlockLu<N>,
    x: &'a mut [[f64; N]],
}

impl<const N: usize> Kernel for Solution<'_, N> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) {
        let Self { lu, x } = self;
        let BlockLu { order, starts, later, pivots, turned, upper, lower, work, .. } = lu;
        for (to, &row) in work.iter_mut().zip(&*order) {
            *to = x[row as usize];
        }
        for k in 0..pivots.len() {
            work[k] = times(&turned[k], &work[k]);
            let y = work[k];
            for i in range(starts, k) {
                take(&mut work[later[i] as usize], &lower[i], &y);
            }
        }
        for k in (0..pivots.len()).rev() {
            let mut y = work[k];
            for i in range(starts, k) {
                take(&mut y, &upper[i], &work[later[i] as usize]);
            }
            work[k] = back(&pivots[k], y);
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

/// Replace a pivot by U, with the reciprocals of its diagonal, and write L⁻¹ P, for P A = L U. Returns false if the matrix is singular
/// or not finite.
#[inline(always)]
fn split<const N: usize>(a: &mut Square<N>, turned: &mut Square<N>) -> bool {
    *turned = std::array::from_fn(|j| std::array::from_fn(|i| f64::from(i == j)));
    for k in 0..N {
        let largest = |best: usize, i: usize| if a[k][i].abs() > a[k][best].abs() { i } else { best };
        let pivot = (k + 1..N).fold(k, largest);
        if pivot != k {
            a.iter_mut().chain(&mut *turned).for_each(|column| column.swap(k, pivot));
        }
        let scale = a[k][k].recip();
        if !scale.is_finite() {
            return false;
        }
        let mut factors = [0.0; N];
        (k + 1..N).for_each(|i| factors[i] = a[k][i] * scale);
        for column in a[k + 1..].iter_mut().chain(&mut *turned) {
            let x = column[k];
            (0..N).for_each(|i| column[i] -= factors[i] * x);
        }
        a[k][k] = scale;
    }
    a.as_flattened().iter().all(|x| x.is_finite())
}

/// `b U⁻¹`.
#[inline(always)]
fn divide<const N: usize>(b: &mut Square<N>, u: &Square<N>) {
    for (j, u) in u.iter().enumerate() {
        let (left, right) = b.split_at_mut(j);
        for (column, u) in left.iter().zip(u) {
            (0..N).for_each(|i| right[0][i] -= column[i] * u);
        }
        right[0].iter_mut().for_each(|x| *x *= u[j]);
    }
}

/// `U⁻¹ y`.
#[inline(always)]
fn back<const N: usize>(u: &Square<N>, mut y: [f64; N]) -> [f64; N] {
    for j in (0..N).rev() {
        y[j] *= u[j][j];
        let x = y[j];
        (0..j).for_each(|i| y[i] -= u[j][i] * x);
    }
    y
}

/// `a b`.
#[inline(always)]
fn product<const N: usize>(a: &Square<N>, b: &Square<N>) -> Square<N> {
    let mut c = [[0.0; N]; N];
    for (c, b) in c.iter_mut().zip(b) {
        *c = times(a, b);
    }
    c
}

/// `c −= a b`.
#[inline(always)]
fn subtract<const N: usize>(c: &mut Square<N>, a: &Square<N>, b: &Square<N>) {
    for (c, b) in c.iter_mut().zip(b) {
        take(c, a, b);
    }
}

/// `y −= a x`.
#[inline(always)]
fn take<const N: usize>(y: &mut [f64; N], a: &Square<N>, x: &[f64; N]) {
    let ax = times(a, x);
    for i in 0..N {
        y[i] -= ax[i];
    }
}

/// `a x`.
#[inline(always)]
fn times<const N: usize>(a: &Square<N>, x: &[f64; N]) -> [f64; N] {
    let mut y = [0.0; N];
    for (a, x) in a.iter().zip(x) {
        for i in 0..N {
            y[i] += a[i] * x;
        }
    }
    y
}

//! The linear equations of derivatives, A x = b with A = F + f + V W' or its transpose, W' = W / √(d d).
//!
//! A regular A has LU factors; few rows have dense ones. Otherwise x is the vector of least length among those with
//! the least |b − A x|. Few rows have an orthogonal decomposition that gives it. With more rows it is the limit of proximal points of
//! α r + A x = b, Aᵀ r = 0, whose matrix with −α in the last diagonal is symmetric and quasidefinite, so that it has LDLᵀ factors in any
//! order (Vanderbei 1995).

use crate::math::{Block, Vector, difference, largest, sum, times, transposed, transposed_times};
use crate::memory::{self, collect, refill, resize};
use crate::rows::pattern::range;
use crate::solve::block_lu::{BlockLu, Shape, Square, square};
use crate::team::Team;

use super::dense::{self, DenseMatrix};
use super::pattern::Pattern;

/// α. Singular values of A below it count as zero; those above are resolved by few proximal points.
const ALPHA: f64 = 1e-6;

/// A is singular if A x = b has solutions that are so much larger than b.
const HUGE: f64 = 1e10;

/// The most proximal points, and the change after which no other follows.
const POINTS: usize = 12;
const ENOUGH: f64 = 1e-12;

/// If the part of b that A x cannot equal is at most this share of b, it counts as rounding.
const ROUNDING: f64 = 1e-9;

/// The equations and their factors.
#[derive(Debug, Default)]
pub struct LinearizedEquations {
    /// The block of each entry of the pattern.
    values: Vec<Block>,
    lu: BlockLu<3>,
    dense: DenseMatrix,
    is_singular: bool,
    /// The factors of the larger matrix if A is singular.
    pairs: BlockLu<6>,
    /// r and x, and their changes.
    rests: Vec<Vector>,
    x: Vec<Vector>,
    changes: Vec<[f64; 6]>,
    work: Vec<Vector>,
}

impl LinearizedEquations {
    /// Factor A, whose blocks a function writes, one for each entry of the pattern. Returns false if not even the larger matrix has
    /// factors, since numbers overflow.
    pub fn factorize(
        &mut self,
        team: &mut Team,
        pattern: &Pattern,
        fill: impl FnOnce(&mut [Block]),
    ) -> memory::Result<bool> {
        let rows = pattern.rows.len();
        resize(&mut self.values, pattern.columns.len(), [0.0; 9])?;
        fill(&mut self.values);
        collect(&mut self.work, rows, (0..rows).map(probe))?;
        resize(&mut self.x, rows, [0.0; 3])?;
        self.is_singular = !self.factorize_regular(team, pattern)?;
        if !self.is_singular {
            return Ok(true);
        }
        if is_dense(pattern) {
            return self.dense.decompose(pattern, &self.values, ALPHA);
        }
        refill(&mut self.rests, rows, [0.0; 3])?;
        refill(&mut self.changes, rows, [0.0; 6])?;
        self.pairs.analyse(&pattern.starts, &pattern.columns, u64::MAX)?;
        let values = &self.values;
        let block = |row: usize, k: usize| {
            let is_diagonal = pattern.columns[k] as usize == row;
            Some(pair(&values[k], &values[pattern.mirrored[k] as usize], is_diagonal))
        };
        Ok(self.pairs.factorise(team, Shape::Symmetric, block))
    }

    /// Whether A is singular.
    pub fn is_singular(&self) -> bool {
        self.is_singular
    }

    /// Find LU factors, dense ones for few rows, and try them with the vector in `work`. Returns false if A is singular.
    fn factorize_regular(&mut self, team: &mut Team, pattern: &Pattern) -> memory::Result<bool> {
        let Self { values, lu, dense, work, .. } = self;
        if is_dense(pattern) {
            if !dense.factorize(pattern, values, work)? {
                return Ok(false);
            }
        } else {
            lu.analyse(&pattern.starts, &pattern.columns, u64::MAX)?;
            if !lu.factorise(team, Shape::Any, |_, k| Some(square(&values[k]))) {
                return Ok(false);
            }
            lu.solve(team, work);
        }
        // Not a number is not below.
        Ok(work.as_flattened().iter().all(|x| x.abs() < HUGE))
    }

    /// Replace b by x. Returns |b − A x| / |b|, which is zero up to rounding if A is regular.
    pub fn solve(&mut self, team: &mut Team, pattern: &Pattern, b: &mut [Vector]) -> f64 {
        let size = largest(b.as_flattened());
        if size == 0.0 {
            return 0.0;
        }
        if self.is_singular && !is_dense(pattern) {
            self.solve_pairs(team, pattern, b);
        } else {
            self.solve_factored(team, pattern, b);
        }
        largest(self.work.as_flattened()) / size
    }

    /// The part of b that A x cannot equal.
    pub fn outside(&self) -> &[Vector] {
        &self.work
    }

    fn solve_factored(&mut self, team: &mut Team, pattern: &Pattern, b: &mut [Vector]) {
        let Self { values, lu, dense, x, work, .. } = self;
        x.copy_from_slice(b);
        if is_dense(pattern) {
            // Rows are exchanged in the whole matrix, so that nothing is left to correct.
            dense.solve(x);
        } else {
            lu.solve(team, x);
            // One correction of what rounding has left.
            subtract(pattern, values, b, x, work);
            lu.solve(team, work);
            x.iter_mut().zip(&*work).for_each(|(x, change)| *x = sum(x, change));
        }
        subtract(pattern, values, b, x, work);
        b.copy_from_slice(x);
    }

    /// Rounding in r, which is large if b has a part that A x cannot equal, would change x where A does not see it. Hence a second
    /// solution for A x alone.
    fn solve_pairs(&mut self, team: &mut Team, pattern: &Pattern, b: &mut [Vector]) {
        self.find_points(team, pattern, b);
        subtract(pattern, &self.values, b, &self.x, &mut self.work);
        if largest(self.work.as_flattened()) <= ROUNDING * largest(b.as_flattened()) {
            b.copy_from_slice(&self.x);
            return;
        }
        b.iter_mut().zip(&self.work).for_each(|(b, outside)| *b = difference(b, outside));
        self.find_points(team, pattern, b);
        b.copy_from_slice(&self.x);
    }

    /// Find x by proximal points.
    fn find_points(&mut self, team: &mut Team, pattern: &Pattern, b: &[Vector]) {
        let Self { values, pairs, rests, x, changes, .. } = self;
        rests.fill([0.0; 3]);
        x.fill([0.0; 3]);
        for point in 0..POINTS {
            for (row, change) in changes.iter_mut().enumerate() {
                let mut first = std::array::from_fn(|i| b[row][i] - ALPHA * rests[row][i]);
                let mut second = [0.0; 3];
                let known = if point > 0 { range(&pattern.starts, row) } else { 0..0 };
                for k in known {
                    let other = pattern.columns[k] as usize;
                    first = difference(&first, &times(&values[k], &x[other]));
                    let turned = &values[pattern.mirrored[k] as usize];
                    second = difference(&second, &transposed_times(turned, &rests[other]));
                }
                *change = [first[0], first[1], first[2], second[0], second[1], second[2]];
            }
            pairs.solve(team, changes);
            let (mut change, mut most) = (0.0, 0.0);
            for (row, pair) in changes.iter().enumerate() {
                let [r0, r1, r2, x0, x1, x2] = *pair;
                rests[row] = sum(&rests[row], &[r0, r1, r2]);
                x[row] = sum(&x[row], &[x0, x1, x2]);
                change = f64::max(change, largest(&pair[3..]));
                most = f64::max(most, largest(&x[row]));
            }
            if change <= ENOUGH * most {
                break;
            }
        }
    }
}

/// Whether a dense matrix takes less time.
fn is_dense(pattern: &Pattern) -> bool {
    pattern.rows.len() <= dense::MOST_ROWS
}

/// Compute b − A x.
fn subtract(pattern: &Pattern, values: &[Block], b: &[Vector], x: &[Vector], rest: &mut [Vector]) {
    for (row, (rest, b)) in rest.iter_mut().zip(b).enumerate() {
        *rest = range(&pattern.starts, row)
            .fold(*b, |rest, k| difference(&rest, &times(&values[k], &x[pattern.columns[k] as usize])));
    }
}

/// Values of one size with changing signs: a vector that is in no subspace of interest.
pub fn probe(row: usize) -> Vector {
    std::array::from_fn(|lane| {
        // The multiplicative hash of Fibonacci (Knuth, volume 3, section 6.4).
        let hash = (3 * row + lane + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let share = (hash >> 40) as f64 / (1 << 24) as f64;
        if hash >> 39 & 1 == 0 { 0.5 + 0.5 * share } else { -0.5 - 0.5 * share }
    })
}

/// A block of the larger matrix, of A and of the block in the transposed place.
fn pair(block: &Block, other: &Block, is_diagonal: bool) -> Square<6> {
    let turned = transposed(other);
    let mut pair = [[0.0; 6]; 6];
    for j in 0..3 {
        pair[3 + j][..3].copy_from_slice(&block[3 * j..3 * j + 3]);
        pair[j][3..].copy_from_slice(&turned[3 * j..3 * j + 3]);
        if is_diagonal {
            pair[j][j] = ALPHA;
            pair[3 + j][3 + j] = -ALPHA;
        }
    }
    pair
}

//! The factor of a small positive definite matrix A = LᵀDL, L unit lower triangular.
//!
//! Rows are eliminated from the last to the first. If A is the mass matrix of a tree of joints, each after its parent, this causes no
//! fill: L has no entry where A has none, and L⁻ᵀHᵀ has none where H has none (R. Featherstone, Rigid Body Dynamics Algorithms, 2008,
//! chapter 6). For any matrix, zeros are skipped; a set of columns is a word of bits.
#![forbid(unsafe_code)]

use crate::math::is_finite;
use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best};
use crate::memory::{self, bytes_of, collect, resize};

use crate::factor::{MatrixCopy, check};

use super::{FactorError, FactorResult, FactorStatus, Matrix};

/// The largest number of rows of a small matrix: the number of bits in a word.
pub const MOST_ROWS: usize = u64::BITS as usize;

/// The bit of row 0 in a reversed word, in which the last row is the first bit.
const LAST_ROW: u64 = 1 << (MOST_ROWS - 1);

/// L and D of the last matrix, and a copy of that matrix: the same matrix is not factored again.
#[derive(Debug, Default)]
pub struct TreeFactor {
    matrix: MatrixCopy,
    /// The index in `rows` of each entry of the matrix.
    places: Vec<u32>,
    /// The remainder of A by rows; values right of the diagonal are arbitrary.
    rows: Vec<PaddedRow>,
    /// L by columns; values where L is zero are arbitrary.
    columns: Vec<PaddedRow>,
    /// For each row, the columns left of the diagonal where L may be nonzero.
    patterns: Vec<u64>,
    /// For each column, the rows below the diagonal where L may be nonzero; the last row is the first bit.
    below: Vec<u64>,
    /// For each row, the rows where L⁻ᵀx may be nonzero if x is zero in all other rows.
    reached: Vec<u64>,
    /// Whether these sets belong to the whole pattern of the matrix, that is, none of its values was zero.
    has_sets: bool,
    /// D⁻¹.
    reciprocals: Vec<f64>,
    is_ready: bool,
    revision: u64,
}

/// A row with one value for each bit of a word, so that the index of a bit is never out of range.
pub type PaddedRow = [f64; MOST_ROWS];

/// The indices of the set bits of a reversed word, descending. The word is reversed because the first set bit is the quickest to find.
#[inline(always)]
pub fn descending(reversed: u64) -> impl Iterator<Item = usize> {
    ascending(reversed).map(
        #[inline(always)]
        |bit| MOST_ROWS - 1 - bit,
    )
}

/// The indices of the set bits of a word, ascending.
#[inline(always)]
pub fn ascending(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(
        #[inline(always)]
        move || {
            let first = (bits != 0).then(|| bits.trailing_zeros())?;
            bits &= bits - 1;
            Some(first as usize)
        },
    )
}

impl TreeFactor {
    /// Factor a matrix, given by its lower triangle, unless it is bit-identical to the last one. It has at most [`MOST_ROWS`] rows.
    ///
    /// # Errors
    /// As [`super::Factored::update`]. There is no factor then, and the next update tries again.
    pub fn update(&mut self, matrix: &Matrix) -> FactorResult<FactorStatus> {
        let Matrix { starts, rows, values, .. } = *matrix;
        let same_pattern = rows.len() == values.len() && self.matrix.has_pattern(starts, rows);
        if same_pattern && self.is_ready && self.matrix.has_values(values) {
            return Ok(FactorStatus::Kept);
        }
        self.is_ready = false;
        self.revision += 1;
        if !same_pattern {
            self.has_sets = false;
            check(starts, rows, values, true)?;
            self.matrix.set_pattern(starts, rows)?;
            if self.list_places().is_err() {
                // A known pattern must always have its places.
                self.matrix = MatrixCopy::default();
                return Err(FactorError::Memory);
            }
        }
        ensure!(is_finite(values), FactorError::NotFinite);
        self.matrix.set_values(values);
        self.start()?;
        at_best(TreeElimination(self))?;
        self.is_ready = true;
        Ok(if same_pattern { FactorStatus::Values } else { FactorStatus::Pattern })
    }

    /// List the places of the entries, for a new pattern.
    fn list_places(&mut self) -> memory::Result {
        let Self { matrix, places, .. } = self;
        let entries = (0..).zip(matrix.starts.windows(2)).flat_map(|(column, range)| {
            let rows = matrix.rows[range[0] as usize..range[1] as usize].iter();
            rows.map(move |row| MOST_ROWS as u32 * row + column)
        });
        collect(places, matrix.rows.len(), entries)
    }

    /// Copy the lower triangle to the rows for the elimination, and find the sets of nonzero entries.
    fn start(&mut self) -> memory::Result {
        let Self { matrix, places, rows, columns, patterns, below, reached, reciprocals, .. } = self;
        let size = matrix.size();
        for words in [patterns, below, reached] {
            resize(words, size, 0)?;
        }
        resize(reciprocals, size, 0.0)?;
        for lines in [&mut *rows, columns] {
            resize(lines, size, [0.0; MOST_ROWS])?;
        }
        let width = size.next_multiple_of(4);
        rows.iter_mut().for_each(|row| row[..width].fill(0.0));
        let entries = rows.as_flattened_mut();
        for (place, value) in places.iter().zip(&matrix.values) {
            entries[*place as usize] = *value;
        }
        // Entries that are zero are skipped, too.
        let has_zeros = matrix.values.iter().fold(false, |any, value| any | (*value == 0.0));
        if has_zeros || !self.has_sets {
            self.find_sets();
        }
        self.has_sets = !has_zeros;
        Ok(())
    }

    /// Find the sets of entries where L and L⁻ᵀ may be nonzero.
    fn find_sets(&mut self) {
        let Self { matrix, places, patterns, below, reached, .. } = self;
        patterns.fill(0);
        below.fill(0);
        for (place, value) in places.iter().zip(&matrix.values) {
            patterns[*place as usize / MOST_ROWS] |=
                u64::from(*value != 0.0) << (*place as usize % MOST_ROWS);
        }
        for row in (0..patterns.len()).rev() {
            patterns[row] &= (1 << row) - 1;
            for column in ascending(patterns[row]) {
                patterns[column] |= patterns[row] & ((1 << column) - 1);
                below[column] |= LAST_ROW >> row;
            }
        }
        for row in 0..patterns.len() {
            let (mut all, mut left) = (1 << row | patterns[row], patterns[row]);
            // In a tree the nearest joint before this one reaches all others.
            while let Some(last) = left.checked_ilog2() {
                all |= reached[last as usize];
                left &= !reached[last as usize];
            }
            reached[row] = all;
        }
    }

    /// A number that changes whenever the factor changes.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    fn size(&self) -> usize {
        self.matrix.size()
    }

    /// Whether there is a factor.
    pub fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// The columns left of the diagonal where a row of L may be nonzero.
    #[cfg(test)]
    pub fn pattern(&self, row: usize) -> u64 {
        self.patterns[row]
    }

    /// The rows below the diagonal where a column of L may be nonzero, as a word for [`descending`].
    #[inline(always)]
    pub fn below(&self, column: usize) -> u64 {
        self.below[column]
    }

    /// A column of L.
    #[inline(always)]
    pub fn column(&self, column: usize) -> &PaddedRow {
        &self.columns[column]
    }

    /// The diagonal of D⁻¹.
    pub fn reciprocals(&self) -> &[f64] {
        &self.reciprocals
    }

    /// The rows where L⁻ᵀx may be nonzero if x is nonzero in `row` only.
    #[inline(always)]
    pub fn reached(&self, row: usize) -> u64 {
        self.reached[row]
    }

    /// Replace x by A⁻¹x.
    ///
    /// # Errors
    /// If there is no factor.
    ///
    /// # Panics
    /// If x is shorter than A has rows.
    pub fn solve(&self, x: &mut [f64]) -> FactorResult {
        ensure!(self.is_ready, FactorError::Missing);
        for row in (0..self.size()).rev() {
            for column in ascending(self.patterns[row]) {
                x[column] -= self.column(column)[row] * x[row];
            }
        }
        x.iter_mut().zip(&self.reciprocals).for_each(|(x, reciprocal)| *x *= reciprocal);
        for row in 0..self.size() {
            for column in ascending(self.patterns[row]) {
                x[row] -= self.column(column)[row] * x[column];
            }
        }
        Ok(())
    }

    /// The condition number κ₁(A) = ‖A‖₁ ‖A⁻¹‖₁.
    ///
    /// # Errors
    /// If there is no factor.
    pub fn condition(&self) -> FactorResult<f64> {
        let largest = |most: f64, x: &f64| most.max(*x);
        let (mut sums, mut most) = ([0.0; MOST_ROWS], 0.0);
        self.matrix.add_column_sums(true, &mut sums);
        for column in 0..self.size() {
            let mut x = [0.0; MOST_ROWS];
            x[column] = 1.0;
            self.solve(&mut x)?;
            most = largest(most, &x.iter().map(|x| x.abs()).sum());
        }
        Ok(most * sums.iter().fold(0.0, largest))
    }

    /// The bytes of memory held.
    pub fn bytes(&self) -> usize {
        let Self { matrix, places, rows, columns, reciprocals, patterns, below, reached, .. } = self;
        matrix.bytes() + bytes_of!(*places, *rows, *columns, *reciprocals, *patterns, *below, *reached)
    }
}

/// Computes L and D from A.
struct TreeElimination<'a>(&'a mut TreeFactor);

impl Kernel for TreeElimination<'_> {
    type Output = FactorResult;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let TreeFactor { rows, columns, patterns, reciprocals, .. } = self.0;
        for row in (0..rows.len().min(MOST_ROWS)).rev() {
            let (above, [own, ..]) = rows.split_at_mut(row) else { break };
            if own[row].is_nan() || own[row] <= 0.0 {
                return Err(FactorError::NotPositiveDefinite { row });
            }
            // No division by such a pivot: it would raise a floating-point exception, which a host may trap.
            if own[row] < f64::MIN_POSITIVE || own[row] == f64::INFINITY {
                return Err(FactorError::NotFinite);
            }
            let reciprocal = 1.0 / own[row];
            for column in ascending(patterns[row]) {
                let factor = own[column] * reciprocal;
                columns[column][row] = factor;
                let targets = above[column].as_chunks_mut().0.iter_mut();
                for (target, own) in targets.zip(own.as_chunks::<4>().0).take(column / 4 + 1) {
                    *target = (level.load(target) - level.load(own) * factor).values();
                }
            }
            reciprocals[row] = reciprocal;
        }
        Ok(())
    }
}

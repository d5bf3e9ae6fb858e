//! The factor of a small positive definite matrix A = LᵀDL, L unit lower triangular.
//!
//! Rows are eliminated from the last to the first. Where A is the mass matrix of a tree of joints, each behind its parent, L has
//! then no entry where A has none, and L⁻ᵀHᵀ none where H has none (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter
//! 6). What is zero is left out, of any matrix; a set of columns is a word of bits.
#![forbid(unsafe_code)]

use crate::math::is_finite;
use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best};
use crate::memory::{self, bytes, renew, resize};

use ldy_factor::{MatrixCopy, check};

use super::{FactorError, FactorStatus, Matrix, Result};

/// Most rows of a small matrix: as many as a word has bits.
pub const MOST_ROWS: usize = u64::BITS as usize;

/// The row of the first bit, where the last one is the first bit.
const LAST_ROW: u64 = 1 << (MOST_ROWS - 1);

/// L and D of the matrix that was factored last, and a copy of that: the same one is not factored again.
#[derive(Debug, Default)]
pub struct TreeFactor {
    matrix: MatrixCopy,
    /// Where each entry of it is in the rows.
    places: Vec<u32>,
    /// What is left of A row by row; right of the diagonal there is anything.
    rows: Vec<PaddedRow>,
    /// L column by column; where it is zero there is anything.
    columns: Vec<PaddedRow>,
    /// Of each row the columns left of the diagonal where L may not be zero.
    patterns: Vec<u64>,
    /// Of each column the rows below the diagonal where L may not be zero; the last row is the first bit.
    below: Vec<u64>,
    /// Of each row what L⁻ᵀ makes of a vector that is zero elsewhere may not be zero there.
    reached: Vec<u64>,
    /// Whether these sets are those of the pattern of the matrix: none of its values was zero.
    has_sets: bool,
    /// D⁻¹.
    reciprocals: Vec<f64>,
    is_ready: bool,
    revision: u64,
}

/// A row of as many values as a word has bits: no number of a bit lies outside.
pub type PaddedRow = [f64; MOST_ROWS];

/// The numbers of the bits of a word that is given from its last bit on, descending: the first bit that is set is quickest to find.
#[inline(always)]
pub fn descending(reversed: u64) -> impl Iterator<Item = usize> {
    ascending(reversed).map(
        #[inline(always)]
        |bit| MOST_ROWS - 1 - bit,
    )
}

/// The numbers of the bits of a word, ascending.
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
    /// Factor a matrix of which the lower triangle is given, unless it is the same, bit for bit; it has [`MOST_ROWS`] rows at most.
    ///
    /// # Errors
    /// As [`super::Factored::update`]. There is no factor then, and the next update tries anew.
    pub fn update(&mut self, matrix: &Matrix) -> Result<FactorStatus> {
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
                // Of a pattern that is known there are places.
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

    /// List where entries go, for another pattern.
    fn list_places(&mut self) -> memory::Result {
        let Self { matrix, places, .. } = self;
        let entries = (0..).zip(matrix.starts.windows(2)).flat_map(|(column, range)| {
            let rows = matrix.rows[range[0] as usize..range[1] as usize].iter();
            rows.map(move |row| MOST_ROWS as u32 * row + column)
        });
        renew(places, matrix.rows.len(), entries)
    }

    /// Put the lower triangle where it is eliminated, and find the sets of what is not zero.
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
        // Zeros that are given are left out, too.
        let has_zeros = matrix.values.iter().fold(false, |any, value| any | (*value == 0.0));
        if has_zeros || !self.has_sets {
            self.find_sets();
        }
        self.has_sets = !has_zeros;
        Ok(())
    }

    /// Find where L and what it makes may not be zero.
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
            // Of a tree the next joint before has all others behind it.
            while let Some(last) = left.checked_ilog2() {
                all |= reached[last as usize];
                left &= !reached[last as usize];
            }
            reached[row] = all;
        }
    }

    /// A number that changes whenever the factor does.
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

    /// The columns of L where a row may not be zero, left of the diagonal.
    #[cfg(test)]
    pub fn pattern(&self, row: usize) -> u64 {
        self.patterns[row]
    }

    /// The rows of L where a column may not be zero, below the diagonal: a word for [`descending`].
    #[inline(always)]
    pub fn below(&self, column: usize) -> u64 {
        self.below[column]
    }

    /// A column of L.
    #[inline(always)]
    pub fn column(&self, column: usize) -> &PaddedRow {
        &self.columns[column]
    }

    /// D⁻¹ of each row.
    pub fn reciprocals(&self) -> &[f64] {
        &self.reciprocals
    }

    /// Where L⁻ᵀ makes something that may not be zero of a vector that is zero but for one row.
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
    pub fn solve(&self, x: &mut [f64]) -> Result {
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
    pub fn condition(&self) -> Result<f64> {
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

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.matrix.bytes()
            + bytes(&self.places)
            + bytes(&self.rows)
            + bytes(&self.columns)
            + bytes(&self.reciprocals)
            + bytes(&self.patterns)
            + bytes(&self.below)
            + bytes(&self.reached)
    }
}

/// Make L and D of A.
struct TreeElimination<'a>(&'a mut TreeFactor);

impl Kernel for TreeElimination<'_> {
    type Output = Result;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let TreeFactor { rows, columns, patterns, reciprocals, .. } = self.0;
        for row in (0..rows.len().min(MOST_ROWS)).rev() {
            let (above, [own, ..]) = rows.split_at_mut(row) else { break };
            if own[row].is_nan() || own[row] <= 0.0 {
                return Err(FactorError::NotPositiveDefinite { row });
            }
            // Not divided by: a host may trap what that raises.
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

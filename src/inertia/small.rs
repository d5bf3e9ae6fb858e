//! The factor of a small positive definite matrix A = LᵀDL, L unit lower triangular.
//!
//! Rows are eliminated from the last to the first. Where A is the mass matrix of a tree of joints, each behind its parent, L has then
//! no entry where A has none, and L⁻ᵀHᵀ none where H has none (R. Featherstone, Rigid Body Dynamics Algorithms, 2008, chapter 6).
//! What is zero is left out, of any matrix; a set of columns is a word of bits.
#![forbid(unsafe_code)]

use crate::block::is_finite;
use crate::block::lanes::{F64x4, Kernel, SimdLevel, at_best};
use crate::memory::{bytes, refill};

use super::{Defect, FactorError, Matrix};

/// Most rows of a small matrix: as many as a word has bits.
pub const MOST_ROWS: usize = u64::BITS as usize;

/// L and D of the matrix that was factored last.
#[derive(Debug, Default)]
pub struct Small {
    size: usize,
    /// L row by row; right of the diagonal there is anything.
    rows: Vec<Row>,
    /// Of each row the columns left of the diagonal where L is not zero.
    patterns: Vec<u64>,
    /// D⁻¹.
    reciprocals: Vec<f64>,
    is_ready: bool,
}

/// A row of as many values as a word has bits: no number of a bit lies outside.
pub type Row = [f64; MOST_ROWS];

/// The numbers of the bits of a word, descending.
#[inline(always)]
pub fn descending(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(
        #[inline(always)]
        move || {
            let last = bits.checked_ilog2()?;
            bits ^= 1 << last;
            Some(last as usize)
        },
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

impl Small {
    /// Factor a matrix of which the lower triangle is given; it has [`MOST_ROWS`] rows at most.
    ///
    /// # Errors
    /// As [`super::Factored::update`]. There is no factor then.
    pub fn update(&mut self, matrix: &Matrix) -> Result<(), FactorError> {
        self.is_ready = false;
        let Matrix { starts, rows, values, .. } = *matrix;
        if !is_finite(values) {
            return Err(FactorError::NotFinite);
        }
        self.size = starts.len().saturating_sub(1);
        let memory = |_| FactorError::Memory;
        refill(&mut self.patterns, self.size, 0).map_err(memory)?;
        refill(&mut self.reciprocals, self.size, 0.0).map_err(memory)?;
        self.rows.try_reserve(self.size.saturating_sub(self.rows.len())).map_err(memory)?;
        self.rows.resize(self.size, [0.0; MOST_ROWS]);
        let width = self.size.next_multiple_of(4);
        self.rows.iter_mut().for_each(|row| row[..width].fill(0.0));
        if !self.take(starts, rows, values) {
            return Err(ldy_factor::check(starts, rows, values, true)
                .err()
                .unwrap_or(FactorError::Matrix(Defect::Triangle)));
        }
        at_best(Elimination(self))?;
        self.is_ready = true;
        Ok(())
    }

    /// Put a lower triangle where L will be; false if it is ill-formed.
    fn take(&mut self, starts: &[i32], rows: &[i32], values: &[f64]) -> bool {
        let has_ends = self.size > 0 && starts[0] == 0 && starts[self.size] as usize == values.len();
        has_ends
            && starts.windows(2).enumerate().all(|(column, range)| {
                let range = range[0] as usize..range[1] as usize;
                let (Some(own), Some(values)) = (rows.get(range.clone()), values.get(range)) else {
                    return false;
                };
                let mut least = column;
                let is_triangle = own.iter().zip(values).all(|(&row, value)| {
                    let row = row as usize;
                    let is_next = row >= least && row < self.size;
                    if is_next {
                        self.rows[row][column] = *value;
                        least = row + 1;
                    }
                    is_next
                });
                is_triangle && own.first() == Some(&(column as i32))
            })
            && rows.len() == values.len()
    }

    /// Forget the factor.
    pub fn clear(&mut self) {
        self.is_ready = false;
    }

    /// Whether there is a factor.
    pub fn is_ready(&self) -> bool {
        self.is_ready
    }

    /// The columns of L where a row is not zero, left of the diagonal.
    #[inline(always)]
    pub fn pattern(&self, row: usize) -> u64 {
        self.patterns[row]
    }

    /// A row of L.
    #[inline(always)]
    pub fn row(&self, row: usize) -> &Row {
        &self.rows[row]
    }

    /// D⁻¹ of each row.
    pub fn reciprocals(&self) -> &[f64] {
        &self.reciprocals
    }

    /// Where L⁻ᵀ makes of a vector something that may not be zero, given where the vector is not.
    #[inline(always)]
    pub fn reached(&self, from: u64) -> u64 {
        let (mut all, mut left) = (from, from);
        while let Some(last) = left.checked_ilog2() {
            all |= self.patterns[last as usize];
            left = all & ((1 << last) - 1);
        }
        all
    }

    /// Replace x by A⁻¹x.
    ///
    /// # Errors
    /// If there is no factor.
    ///
    /// # Panics
    /// If x is shorter than A has rows.
    pub fn solve(&self, x: &mut [f64]) -> Result<(), FactorError> {
        if !self.is_ready {
            return Err(FactorError::Missing);
        }
        for row in (0..self.size).rev() {
            for column in ascending(self.patterns[row]) {
                x[column] -= self.row(row)[column] * x[row];
            }
        }
        x.iter_mut().zip(&self.reciprocals).for_each(|(x, reciprocal)| *x *= reciprocal);
        for row in 0..self.size {
            for column in ascending(self.patterns[row]) {
                x[row] -= self.row(row)[column] * x[column];
            }
        }
        Ok(())
    }

    /// Replace x by Ax.
    fn multiply(&self, x: &mut [f64]) {
        for row in (0..self.size).rev() {
            for column in ascending(self.patterns[row]) {
                x[row] += self.row(row)[column] * x[column];
            }
        }
        x.iter_mut().zip(&self.reciprocals).for_each(|(x, reciprocal)| *x /= reciprocal);
        for row in 0..self.size {
            for column in ascending(self.patterns[row]) {
                x[column] += self.row(row)[column] * x[row];
            }
        }
    }

    /// The condition number κ₁(A) = ‖A‖₁ ‖A⁻¹‖₁.
    ///
    /// # Errors
    /// If there is no factor.
    pub fn condition(&self) -> Result<f64, FactorError> {
        let mut norms = [0.0_f64; 2];
        for column in 0..self.size {
            let mut unit = [0.0; MOST_ROWS];
            unit[column] = 1.0;
            let [mut of_matrix, mut of_inverse] = [unit; 2];
            self.multiply(&mut of_matrix);
            self.solve(&mut of_inverse)?;
            for (norm, x) in norms.iter_mut().zip([of_matrix, of_inverse]) {
                *norm = norm.max(x.iter().map(|x| x.abs()).sum());
            }
        }
        Ok(norms[0] * norms[1])
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.rows) + bytes(&self.reciprocals) + bytes(&self.patterns)
    }
}

/// Make L and D of A, which stands where L will.
struct Elimination<'a>(&'a mut Small);

impl Kernel for Elimination<'_> {
    type Output = Result<(), FactorError>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let Small { rows, patterns, reciprocals, .. } = self.0;
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
            let mut pattern = 0;
            for (column, value) in own[..row].iter().enumerate() {
                pattern |= u64::from(*value != 0.0) << column;
            }
            for column in ascending(pattern) {
                let factor = own[column] * reciprocal;
                let target = &mut above[column];
                let mut first = 0;
                while first < MOST_ROWS && first <= column {
                    let less = level.four(target, first) - level.four(own, first) * factor;
                    target[first..first + 4].copy_from_slice(&less.values());
                    first += 4;
                }
            }
            for value in &mut own[..row] {
                *value *= reciprocal;
            }
            (patterns[row], reciprocals[row]) = (pattern, reciprocal);
        }
        Ok(())
    }
}

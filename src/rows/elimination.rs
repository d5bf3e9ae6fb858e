//! Cholesky with pivoting of a dense positive semidefinite matrix, and the null vectors of the matrix.
//!
//! Rows are scaled to a diagonal of ones. The largest remainder of a diagonal entry is the next pivot, so that rounding errors do not
//! grow and the rank is safe. Each row that was not chosen is the sum of chosen rows in one way: this is its null vector.

use crate::memory::{collect, refill, resize};
use crate::rows::fault::{Error, Fault};

/// A diagonal entry below this share of the largest is the square of a rounding error.
const NOTHING: f64 = 1e-26;

/// A remainder below the negative of this is not a rounding error.
const NEGATIVE: f64 = 1e-4;

/// The state of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowState {
    /// Not chosen: the row depends on chosen ones.
    Open,
    Chosen,
    /// A zero row, or a row that was found to depend on earlier ones.
    Dependent,
}

/// A smaller entry of a null vector of the scaled matrix is a rounding error.
const ROUNDING: f64 = 1e-14;

/// The elimination of one matrix, with memory for the next one.
#[derive(Debug, Default)]
pub(crate) struct Elimination {
    pub states: Vec<RowState>,
    /// 1 / √W_ii; 0 for a zero row.
    pub scales: Vec<f64>,
    /// The null vectors of the scaled matrix, for each open row.
    pub null: Vec<f64>,
    /// The rows that are not zero: the pivots in their order, then the others.
    order: Vec<usize>,
    /// The remainder of the diagonal, in this order.
    left: Vec<f64>,
    /// The number of pivots, and the columns of the factor: in column k the entries of rows before k in the order are not used.
    chosen: usize,
    columns: Vec<f64>,
    column: Vec<f64>,
}

impl Elimination {
    /// Choose rows of a matrix of this size until all other rows depend on them: until the remainders are at most `tolerance`.
    /// `column` adds the entries of a column to zeros.
    ///
    /// # Errors
    /// If memory is exhausted, or the matrix is found to be indefinite; the error names the row.
    pub fn run(
        &mut self,
        size: usize,
        diagonal: impl Iterator<Item = f64>,
        column: impl Fn(usize, &mut [f64]),
        tolerance: f64,
    ) -> Result<(), Error> {
        self.start(size, diagonal)?;
        loop {
            let open = self.chosen..self.order.len();
            let is_better = |a: usize, b: usize| {
                self.left[b] > self.left[a] || (self.left[b] == self.left[a] && self.order[b] < self.order[a])
            };
            match open.reduce(|a, b| if is_better(a, b) { b } else { a }) {
                Some(place) if self.left[place] > tolerance => self.eliminate(place, &column)?,
                _ => return Ok(()),
            }
        }
    }

    fn start(&mut self, size: usize, diagonal: impl Iterator<Item = f64>) -> Result<(), Error> {
        let Self { states, scales, left, columns, null, order, chosen, column } = self;
        columns.clear();
        null.clear();
        *chosen = 0;
        refill(states, size, RowState::Open)?;
        refill(column, size, 0.0)?;
        collect(scales, size, diagonal)?;
        let largest = scales.iter().fold(0.0_f64, |largest, value| largest.max(*value));
        for (row, scale) in scales.iter_mut().enumerate() {
            if *scale < 0.0 {
                return Err(Error::of_row(row, Fault::NotPositive));
            }
            let is_zero = *scale <= NOTHING * largest;
            *scale = if is_zero { 0.0 } else { 1.0 / scale.sqrt() };
            if is_zero {
                states[row] = RowState::Dependent;
            }
        }
        collect(order, size, (0..size).filter(|&row| states[row] == RowState::Open))?;
        Ok(refill(left, order.len(), 1.0)?)
    }

    /// Make the null vector of each row that was not chosen: L₁₁⁻ᵀ times its row of the factor.
    pub fn make_null_vectors(&mut self) -> Result<(), Error> {
        let Self { states, columns, order, null, chosen, column, .. } = self;
        let (size, width) = (states.len(), order.len());
        null.clear();
        for open in *chosen..width {
            let first = null.len();
            resize(null, first + size, 0.0)?;
            let vector = &mut null[first..];
            vector[order[open]] = 1.0;
            let right = &mut column[..*chosen];
            right.iter_mut().enumerate().for_each(|(k, right)| *right = -columns[width * k + open]);
            for k in (0..*chosen).rev() {
                let entry = right[k] / columns[width * k + k];
                // Most null vectors have few entries.
                if entry.abs() > ROUNDING {
                    vector[order[k]] = entry;
                    right[..k]
                        .iter_mut()
                        .enumerate()
                        .for_each(|(j, right)| *right -= columns[width * j + k] * entry);
                }
            }
            scale(vector);
        }
        Ok(())
    }

    /// Make the row at a place of the order a pivot.
    fn eliminate(&mut self, place: usize, write: impl Fn(usize, &mut [f64])) -> Result<(), Error> {
        let Self { states, scales, left, columns, order, chosen, column, .. } = self;
        let (width, k) = (order.len(), *chosen);
        order.swap(k, place);
        left.swap(k, place);
        columns.chunks_exact_mut(width).for_each(|earlier| earlier.swap(k, place));
        let pivot = order[k];
        states[pivot] = RowState::Chosen;
        *chosen += 1;
        column.fill(0.0);
        write(pivot, column);
        let done = columns.len();
        resize(columns, done + width, 0.0)?;
        let (earlier, own) = columns.split_at_mut(done);
        let own = &mut own[k..];
        for (x, &row) in own.iter_mut().zip(&order[k..]) {
            *x = column[row] * scales[pivot] * scales[row];
        }
        for other in earlier.chunks_exact(width) {
            let factor = other[k];
            if factor != 0.0 {
                own.iter_mut().zip(&other[k..]).for_each(|(x, other)| *x -= factor * other);
            }
        }
        let root = left[k].sqrt();
        own.iter_mut().for_each(|x| *x /= root);
        for ((x, left), &row) in own.iter().zip(&mut left[k..]).zip(&order[k..]).skip(1) {
            *left -= x * x;
            if *left < -NEGATIVE {
                return Err(Error::of_row(row, Fault::NotPositive));
            }
        }
        Ok(())
    }
}

/// Make the largest entry of a vector 1.
pub(crate) fn scale(vector: &mut [f64]) {
    let largest = vector.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    if largest > 0.0 {
        vector.iter_mut().for_each(|value| *value /= largest);
    }
}

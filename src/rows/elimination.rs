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
pub(crate) enum State {
    /// Not chosen: the row depends on chosen ones.
    Open,
    Chosen,
    /// A zero row, or a row that was found to depend on earlier ones.
    Dependent,
}

/// The elimination of one matrix, with memory for the next one.
#[derive(Debug, Default)]
pub(crate) struct Elimination {
    pub states: Vec<State>,
    /// 1 / √W_ii; 0 for a zero row.
    pub scales: Vec<f64>,
    /// The null vectors of the scaled matrix, for each open row.
    pub null: Vec<f64>,
    /// The remainder of the diagonal.
    left: Vec<f64>,
    /// The columns of the factor, and their pivots.
    columns: Vec<f64>,
    pivots: Vec<usize>,
}

impl Elimination {
    /// Choose rows of a matrix of this size until all other rows depend on them: until the remainders are at most `tolerance`.
    /// `column` writes the nonzero entries of a column.
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
            let open = (0..size).filter(|&row| self.states[row] == State::Open);
            match open.reduce(|a, b| if self.left[b] > self.left[a] { b } else { a }) {
                Some(pivot) if self.left[pivot] > tolerance => self.eliminate(pivot, &column)?,
                _ => return Ok(()),
            }
        }
    }

    fn start(&mut self, size: usize, diagonal: impl Iterator<Item = f64>) -> Result<(), Error> {
        let Self { states, scales, left, columns, pivots, null } = self;
        columns.clear();
        null.clear();
        collect(pivots, size, std::iter::empty())?;
        refill(states, size, State::Open)?;
        refill(left, size, 1.0)?;
        collect(scales, size, diagonal)?;
        let largest = scales.iter().fold(0.0_f64, |largest, value| largest.max(*value));
        for (row, scale) in scales.iter_mut().enumerate() {
            ensure!(*scale >= 0.0, Error::of_row(row, Fault::NotPositive));
            let is_zero = *scale <= NOTHING * largest;
            *scale = if is_zero { 0.0 } else { 1.0 / scale.sqrt() };
            if is_zero {
                (states[row], left[row]) = (State::Dependent, 0.0);
            }
        }
        Ok(())
    }

    /// Make the null vector of each row that was not chosen: L₁₁⁻ᵀ times its row of the factor.
    pub fn make_null_vectors(&mut self) -> Result<(), Error> {
        let Self { states, columns, pivots, null, .. } = self;
        let size = states.len();
        null.clear();
        for row in (0..size).filter(|&row| states[row] == State::Open) {
            let first = null.len();
            resize(null, first + size, 0.0)?;
            let vector = &mut null[first..];
            vector[row] = 1.0;
            for (k, &pivot) in pivots.iter().enumerate().rev() {
                let column = &columns[size * k..][..size];
                let later = pivots[k + 1..].iter().map(|&later| column[later] * vector[later]).sum::<f64>();
                vector[pivot] = -(column[row] + later) / column[pivot];
            }
            scale(vector);
        }
        Ok(())
    }

    /// Make a row a pivot.
    fn eliminate(&mut self, pivot: usize, write: impl Fn(usize, &mut [f64])) -> Result<(), Error> {
        let Self { states, scales, left, columns, pivots, .. } = self;
        let size = left.len();
        states[pivot] = State::Chosen;
        pivots.push(pivot);
        let done = columns.len();
        resize(columns, done + size, 0.0)?;
        let (earlier, column) = columns.split_at_mut(done);
        write(pivot, column);
        column.iter_mut().zip(&*scales).for_each(|(x, scale)| *x = *x * scales[pivot] * scale);
        for other in earlier.chunks_exact(size) {
            let factor = other[pivot];
            if factor != 0.0 {
                column.iter_mut().zip(other).for_each(|(x, other)| *x -= factor * other);
            }
        }
        let root = left[pivot].sqrt();
        for (row, x) in column.iter_mut().enumerate() {
            *x /= root;
            if states[row] == State::Open {
                left[row] -= *x * *x;
                ensure!(left[row] >= -NEGATIVE, Error::of_row(row, Fault::NotPositive));
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

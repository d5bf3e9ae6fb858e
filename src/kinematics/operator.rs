//! Operators H that are given entry by entry, for bodies whose kinematics are known to the caller alone.

use crate::block::Vector;

/// An operator H of three rows.
#[derive(Debug)]
pub enum Operator {
    /// 3 × n, column-major.
    Dense(Vec<f64>),
    /// Compressed sparse columns: column j holds `values[starts[j]..starts[j + 1]]`, in `rows`, 0, 1 or 2.
    Sparse {
        /// First entries of the columns, and the end.
        starts: Vec<i32>,
        /// Row of each entry.
        rows: Vec<i32>,
        /// The entries.
        values: Vec<f64>,
    },
}

impl Operator {
    /// Number of columns.
    pub fn dofs(&self) -> usize {
        match self {
            Self::Dense(values) => values.len() / 3,
            Self::Sparse { starts, .. } => starts.len() - 1,
        }
    }

    /// Add `sign` H to `h`, 3 × n, column-major.
    #[inline(always)]
    pub fn add_to(&self, sign: f64, h: &mut [f64]) {
        self.each(|column, row, value| h[3 * column + row] += sign * value);
    }

    /// H u.
    pub fn times(&self, u: &[f64]) -> Vector {
        let mut local = [0.0; 3];
        self.each(|column, row, value| local[row] += value * u[column]);
        local
    }

    /// |H| |u|, absolute values entry by entry.
    pub fn times_magnitude(&self, u: &[f64]) -> Vector {
        let mut local = [0.0; 3];
        self.each(|column, row, value| local[row] += (value * u[column]).abs());
        local
    }

    /// Add Hᵀ x to `force`.
    pub fn add_transposed_times(&self, x: &Vector, force: &mut [f64]) {
        self.each(|column, row, value| force[column] += value * x[row]);
    }

    /// Visit column, row and value of every entry.
    #[inline(always)]
    fn each(&self, mut visit: impl FnMut(usize, usize, f64)) {
        match self {
            Self::Dense(values) => {
                values.iter().enumerate().for_each(|(k, value)| visit(k / 3, k % 3, *value))
            }
            Self::Sparse { starts, rows, values } => {
                for (column, range) in starts.windows(2).enumerate() {
                    let range = range[0] as usize..range[1] as usize;
                    rows[range.clone()]
                        .iter()
                        .zip(&values[range])
                        .for_each(|(row, value)| visit(column, *row as usize, *value));
                }
            }
        }
    }
}

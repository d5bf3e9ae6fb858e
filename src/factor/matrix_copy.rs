//! A copy of a sparse matrix, to find out whether a matrix is the same as before.

use std::collections::TryReserveError;

use super::{Defect, FactorError, ascends};

/// Compressed sparse columns of an n × n matrix, checked; rows ascend in each column.
#[derive(Clone, Debug, Default)]
pub struct MatrixCopy {
    /// The start of each column, then the end of the last.
    pub starts: Vec<u32>,
    /// The row of each entry.
    pub rows: Vec<u32>,
    /// The entries.
    pub values: Vec<f64>,
    /// The index of the k-th entry in the given arrays; empty if the given rows ascend.
    source: Vec<u32>,
}

impl MatrixCopy {
    /// n, the number of rows.
    pub fn size(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// Whether the pattern was made from the same starts and rows.
    pub fn has_pattern(&self, starts: &[i32], rows: &[i32]) -> bool {
        let same_rows = if self.source.is_empty() {
            same(&self.rows, rows, |a, b| a ^ b as u32)
        } else {
            rows.len() == self.rows.len()
                && self.rows.iter().zip(&self.source).all(|(&row, &k)| row == rows[k as usize] as u32)
        };
        same_rows && same(&self.starts, starts, |a, b| a ^ b as u32)
    }

    /// Whether the values are bit-identical.
    pub fn has_values(&self, values: &[f64]) -> bool {
        if self.source.is_empty() {
            same(&self.values, values, |a, b| a.to_bits() ^ b.to_bits())
        } else {
            self.values.iter().zip(&self.source).all(|(x, &k)| x.to_bits() == values[k as usize].to_bits())
        }
    }

    /// Copy starts and rows that [`check`] has accepted, and reserve memory for the values.
    ///
    /// # Errors
    /// If memory is exhausted. There is no matrix then.
    pub fn set_pattern(&mut self, starts: &[i32], rows: &[i32]) -> Result<(), TryReserveError> {
        let set = self.try_set_pattern(starts, rows);
        if set.is_err() {
            *self = Self::default();
        }
        set
    }

    fn try_set_pattern(&mut self, starts: &[i32], rows: &[i32]) -> Result<(), TryReserveError> {
        for (own, given) in [(&mut self.starts, starts), (&mut self.rows, rows)] {
            own.clear();
            own.try_reserve_exact(given.len())?;
            own.extend(given.iter().map(|&index| index as u32));
        }
        self.values.clear();
        self.values.try_reserve_exact(rows.len())?;
        self.values.resize(rows.len(), 0.0);
        self.source.clear();
        let columns = || starts.windows(2).map(|range| range[0] as usize..range[1] as usize);
        if !columns().all(|range| rows[range].is_sorted()) {
            self.source.try_reserve_exact(rows.len())?;
            self.source.extend(0..rows.len() as u32);
            for range in columns() {
                self.source[range].sort_unstable_by_key(|&k| rows[k as usize]);
            }
            self.rows.iter_mut().zip(&self.source).for_each(|(row, &k)| *row = rows[k as usize] as u32);
        }
        Ok(())
    }

    /// Copy the values, given in the order of the pattern's rows.
    ///
    /// # Panics
    /// If `values` has another length than the pattern.
    pub fn set_values(&mut self, values: &[f64]) {
        if self.source.is_empty() {
            self.values.copy_from_slice(values);
        } else {
            self.values.iter_mut().zip(&self.source).for_each(|(x, &k)| *x = values[k as usize]);
        }
    }

    /// Add the sum of magnitudes of each column to `sums`. With `lower`, the entries are the lower triangle of a symmetric
    /// matrix.
    pub fn add_column_sums(&self, lower: bool, sums: &mut [f64]) {
        for (j, range) in self.starts.windows(2).enumerate() {
            let range = range[0] as usize..range[1] as usize;
            for (&row, value) in self.rows[range.clone()].iter().zip(&self.values[range]) {
                sums[j] += value.abs();
                if lower && row as usize != j {
                    sums[row as usize] += value.abs();
                }
            }
        }
    }

    /// The bytes of memory held.
    pub fn bytes(&self) -> usize {
        4 * (self.starts.capacity() + self.rows.capacity() + self.source.capacity())
            + 8 * self.values.capacity()
    }
}

/// Whether two sequences are equal. The comparison goes by chunks, so that it runs at the speed of memory.
fn same<A: Copy, B: Copy, D>(one: &[A], two: &[B], differing_bits: impl Fn(A, B) -> D) -> bool
where
    D: Default + PartialEq + core::ops::BitOr<Output = D>,
{
    const CHUNK: usize = 64;
    one.len() == two.len()
        && one.chunks(CHUNK).zip(two.chunks(CHUNK)).all(|(one, two)| {
            let bits = one.iter().zip(two).fold(D::default(), |bits, (&a, &b)| bits | differing_bits(a, b));
            bits == D::default()
        })
}

/// Check that the columns describe a square matrix with each row at most once in a column. With `lower`, they must be the lower
/// triangle: in each column the diagonal first, then ascending rows.
pub fn check(starts: &[i32], rows: &[i32], values: &[f64], lower: bool) -> Result<(), FactorError> {
    let defect = |defect| Err(FactorError::Matrix(defect));
    let size = starts.len().saturating_sub(1);
    if size == 0 || rows.len() != values.len() {
        return defect(Defect::Size);
    }
    if !ascends(starts, values.len()) {
        return defect(Defect::Starts);
    }
    if !rows.iter().all(|&row| usize::try_from(row).is_ok_and(|row| row < size)) {
        return defect(Defect::Row);
    }
    let columns = || starts.windows(2).map(|range| &rows[range[0] as usize..range[1] as usize]);
    if columns().all(|rows| rows.is_sorted_by(|a, b| a < b)) {
        let diagonal_first = columns().enumerate().all(|(j, rows)| rows.first() == Some(&(j as i32)));
        return if lower && !diagonal_first { defect(Defect::Triangle) } else { Ok(()) };
    }
    if lower {
        return defect(Defect::Triangle);
    }
    // For each row, the last column that has it.
    let mut met = Vec::new();
    met.try_reserve_exact(size)?;
    met.resize(size, usize::MAX);
    for (j, rows) in columns().enumerate() {
        for &row in rows {
            if core::mem::replace(&mut met[row as usize], j) == j {
                return defect(Defect::Duplicate);
            }
        }
    }
    Ok(())
}

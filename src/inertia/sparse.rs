//! A sparse inverse in compressed columns: the diagonal inverse of explicit schemes, or any other.

use super::{Defect, ascends};

/// Compressed sparse columns of an n × n matrix.
#[derive(Clone, Copy, Debug)]
pub struct Sparse<'a> {
    pub(super) starts: &'a [i32],
    pub(super) rows: &'a [i32],
    pub(super) values: &'a [f64],
}

impl<'a> Sparse<'a> {
    /// Describe a matrix whose column j has the values `starts[j]..starts[j + 1]`, in rows `rows[..]`; n = `starts.len() − 1`.
    ///
    /// # Errors
    /// If the arrays do not fit each other, or an index is outside the matrix.
    pub fn new(starts: &'a [i32], rows: &'a [i32], values: &'a [f64]) -> Result<Self, Defect> {
        let size = starts.len().checked_sub(1).ok_or(Defect::Size)?;
        ensure!(rows.len() == values.len(), Defect::Size);
        ensure!(ascends(starts, values.len()), Defect::Starts);
        let is_inside = |&row: &i32| usize::try_from(row).is_ok_and(|row| row < size);
        ensure!(rows.iter().all(is_inside), Defect::Row);
        Ok(Self { starts, rows, values })
    }

    pub(super) fn size(&self) -> usize {
        self.starts.len() - 1
    }

    #[inline(always)]
    pub(super) fn each_in_column(&self, column: usize, mut visit: impl FnMut(usize, f64)) {
        for k in self.starts[column] as usize..self.starts[column + 1] as usize {
            visit(self.rows[k] as usize, self.values[k]);
        }
    }

    /// The values, if the matrix is diagonal with one value in each column.
    pub(super) fn diagonal(&self) -> Option<&[f64]> {
        let is_diagonal = self.rows.len() == self.size()
            && (0..).zip(self.starts).all(|(j, &start)| start == j)
            && (0..).zip(self.rows).all(|(j, &row)| row == j);
        is_diagonal.then_some(self.values)
    }

    /// Whether the entries couple no two nodes. Node a has the generalized velocities 3a, 3a + 1, 3a + 2.
    pub(super) fn couples_no_nodes(&self) -> bool {
        let of_one_node = |(j, range): (usize, &[i32])| {
            self.rows[range[0] as usize..range[1] as usize].iter().all(|&row| row as usize / 3 == j / 3)
        };
        self.size().is_multiple_of(3) && self.starts.windows(2).enumerate().all(of_one_node)
    }
}

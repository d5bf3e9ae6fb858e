//! Block-sparse rows with heights of their own, from dense matrices and as dense matrices.

use nalgebra::DMatrix;
use std::ops::Range;

/// Rows of blocks, each by columns.
#[derive(Clone, Debug)]
pub struct Blocks {
    /// Where each row begins in `columns`, and the end.
    pub starts: Vec<i32>,
    /// The block column of each block.
    pub columns: Vec<i32>,
    /// The values of all blocks.
    pub values: Vec<f64>,
    /// The first scalar row of each row, and the end.
    pub scalars: Vec<i32>,
    /// Where each block begins in `values`, and the end.
    pub places: Vec<usize>,
}

impl Blocks {
    /// The blocks of `w` that `is_there` picks by row and column; `heights` has the number of scalar rows of each row.
    pub fn new(w: &DMatrix<f64>, heights: &[usize], is_there: impl Fn(usize, usize) -> bool) -> Self {
        let firsts = firsts(heights.iter().copied());
        let mut blocks = Self {
            starts: vec![0],
            columns: vec![],
            values: vec![],
            scalars: firsts.iter().map(|&first| first as i32).collect(),
            places: vec![0],
        };
        for row in 0..heights.len() {
            for column in (0..heights.len()).filter(|&column| is_there(row, column)) {
                let block = w.view((firsts[row], firsts[column]), (heights[row], heights[column]));
                blocks.columns.push(column as i32);
                blocks.values.extend(block.iter());
                blocks.places.push(blocks.values.len());
            }
            blocks.starts.push(blocks.columns.len() as i32);
        }
        blocks
    }

    /// Whether each row has three scalar rows.
    pub fn are_of_three(&self) -> bool {
        self.scalars.iter().enumerate().all(|(row, &first)| first as usize == 3 * row)
    }

    /// The values as 3×3 blocks.
    pub fn of_three(&self) -> &[[f64; 9]] {
        self.values.as_chunks().0
    }
}

/// Where each of several lists begins in their concatenation, and the end.
pub fn firsts(sizes: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut firsts = vec![0];
    for size in sizes {
        firsts.push(firsts[firsts.len() - 1] + size);
    }
    firsts
}

/// The dense matrix of block rows of any heights: `scalars` returns the scalar rows of a row.
///
/// # Panics
/// If the columns of a row do not ascend.
pub fn dense(
    starts: &[i32],
    columns: &[i32],
    values: &[f64],
    scalars: impl Fn(usize) -> Range<usize>,
) -> DMatrix<f64> {
    let rows = starts.len() - 1;
    let size = rows.checked_sub(1).map_or(0, |last| scalars(last).end);
    let mut matrix = DMatrix::zeros(size, size);
    let mut rest = values;
    for row in 0..rows {
        let own = scalars(row);
        let columns = &columns[starts[row] as usize..starts[row + 1] as usize];
        assert!(columns.is_sorted_by(|a, b| a < b), "columns of row {row}: {columns:?}");
        for &column in columns {
            let other = scalars(column as usize);
            let (block, others) = rest.split_at(own.len() * other.len());
            rest = others;
            let block = DMatrix::from_column_slice(own.len(), other.len(), block);
            matrix.view_mut((own.start, other.start), block.shape()).copy_from(&block);
        }
    }
    assert!(rest.is_empty(), "{} values too many", rest.len());
    matrix
}

/// The dense matrix of rows of 3×3 blocks.
pub fn dense_of_three(starts: &[i32], columns: &[i32], values: &[[f64; 9]]) -> DMatrix<f64> {
    dense(starts, columns, values.as_flattened(), |row| 3 * row..3 * row + 3)
}

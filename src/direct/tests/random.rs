//! Random block-sparse W = H Hᵀ of bodies with six dofs: as a list of blocks, and dense.

use nalgebra::DMatrix;

use crate::block::Block;
use crate::direct::BlockRows;

/// Rows, and the dense matrix that they are.
pub struct Scene {
    pub starts: Vec<i32>,
    pub columns: Vec<i32>,
    pub values: Vec<Block>,
    pub dense: DMatrix<f64>,
}

impl Scene {
    /// Of the operators of constraints: three rows a constraint, six columns a body. Blocks of constraints that share no body are left
    /// out.
    pub fn of_operators(h: &DMatrix<f64>) -> Self {
        let (rows, bodies) = (h.nrows() / 3, h.ncols() / 6);
        let dense = h * h.transpose();
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let is_on = |row: usize, body: usize| h.view((3 * row, 6 * body), (3, 6)).amax() > 0.0;
        for row in 0..rows {
            for column in 0..rows {
                if row == column || (0..bodies).any(|body| is_on(row, body) && is_on(column, body)) {
                    columns.push(column as i32);
                    let block = dense.view((3 * row, 3 * column), (3, 3));
                    values.push(std::array::from_fn(|k| block[(k % 3, k / 3)]));
                }
            }
            starts.push(columns.len() as i32);
        }
        Self { starts, columns, values, dense }
    }

    pub fn rows(&self) -> BlockRows<'_> {
        BlockRows { starts: &self.starts, columns: &self.columns, values: &self.values }
    }
}

/// H of constraints between bodies one behind the other, with entries from a list.
pub fn chain(bodies: usize, pairs: &[(usize, usize)], entries: &[f64]) -> DMatrix<f64> {
    let mut h = DMatrix::zeros(3 * pairs.len(), 6 * bodies);
    let mut entries = entries.iter().cycle();
    for (row, &(one, other)) in pairs.iter().enumerate() {
        for body in [one % bodies, other % bodies] {
            h.view_mut((3 * row, 6 * body), (3, 6)).iter_mut().for_each(|x| *x += entries.next().unwrap());
        }
    }
    h
}

//! Random block-sparse W = H Hᵀ of bodies with six dofs: as a list of blocks, and dense.

use nalgebra::DMatrix;

use crate::rows::{BlockRows, RowLayout};

/// Rows, and the dense matrix that they are.
pub struct Scene {
    pub starts: Vec<i32>,
    pub columns: Vec<i32>,
    pub values: Vec<f64>,
    pub scalars: Vec<i32>,
    pub places: Vec<usize>,
    pub dense: DMatrix<f64>,
}

impl Scene {
    /// The scene for operators of constraints with three scalar rows.
    pub fn of_operators(h: &DMatrix<f64>) -> Self {
        Self::of_any_operators(h, &vec![3; h.nrows() / 3])
    }

    /// The scene for operators of constraints: `heights` rows for each constraint, six columns for each body. Blocks of constraints that
    /// share no body are left out.
    pub fn of_any_operators(h: &DMatrix<f64>, heights: &[usize]) -> Self {
        let bodies = h.ncols() / 6;
        let dense = h * h.transpose();
        let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
        let (mut firsts, mut places) = (vec![0], vec![0]);
        heights.iter().for_each(|height| firsts.push(firsts.last().unwrap() + height));
        let is_on = |row: usize, body: usize| h.view((firsts[row], 6 * body), (heights[row], 6)).amax() > 0.0;
        for row in 0..heights.len() {
            for column in 0..heights.len() {
                if row == column || (0..bodies).any(|body| is_on(row, body) && is_on(column, body)) {
                    columns.push(column as i32);
                    let block = dense
                        .view((firsts[row], firsts[column]), (heights[row], heights[column]))
                        .into_owned();
                    values.extend_from_slice(block.as_slice());
                    places.push(values.len());
                }
            }
            starts.push(columns.len() as i32);
        }
        let scalars = firsts.into_iter().map(|first| first as i32).collect();
        Self { starts, columns, values, scalars, places, dense }
    }

    /// The rows.
    pub fn rows(&self) -> BlockRows<'_> {
        let Self { starts, columns, values, scalars, places, .. } = self;
        BlockRows::new(starts, columns, values, Some(RowLayout::new(scalars, places).unwrap())).unwrap()
    }
}

/// H of constraints between pairs of bodies, with `heights` rows each and entries from a list.
pub fn chain(bodies: usize, pairs: &[(usize, usize)], heights: &[usize], entries: &[f64]) -> DMatrix<f64> {
    let mut h = DMatrix::zeros(heights.iter().sum(), 6 * bodies);
    let (mut entries, mut first) = (entries.iter().cycle(), 0);
    for (&(one, other), &height) in pairs.iter().zip(heights) {
        for body in [one % bodies, other % bodies] {
            let mut part = h.view_mut((first, 6 * body), (height, 6));
            part.iter_mut().for_each(|x| *x += entries.next().unwrap());
        }
        first += height;
    }
    h
}

/// Numbers of rows of `count` constraints: three, or any.
pub fn heights(count: usize, any: &[usize], are_three: bool) -> Vec<usize> {
    any[..count].iter().map(|&height| if are_three { 3 } else { height }).collect()
}

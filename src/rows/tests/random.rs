//! Random block-sparse W = H Hᵀ of bodies with six dofs: as a list of blocks, and dense.

use nalgebra::DMatrix;
use testing::blocks::{Blocks, firsts};

use crate::rows::{AnyBlockRows, Extents};

/// Rows, and the dense matrix that they are.
pub struct Scene {
    pub blocks: Blocks,
    pub dense: DMatrix<f64>,
}

impl Scene {
    /// Of the operators of constraints of three scalars.
    pub fn of_operators(h: &DMatrix<f64>) -> Self {
        Self::of_any_operators(h, &vec![3; h.nrows() / 3])
    }

    /// Of the operators of constraints: so many rows a constraint, six columns a body. Blocks of constraints that share no body are
    /// left out.
    pub fn of_any_operators(h: &DMatrix<f64>, heights: &[usize]) -> Self {
        let firsts = firsts(heights.iter().copied());
        let is_on = |row: usize, body: usize| h.view((firsts[row], 6 * body), (heights[row], 6)).amax() > 0.0;
        let share = |row, column| (0..h.ncols() / 6).any(|body| is_on(row, body) && is_on(column, body));
        let dense = h * h.transpose();
        let blocks = Blocks::new(&dense, heights, |row, column| row == column || share(row, column));
        Self { blocks, dense }
    }

    /// Of rows that all have three scalars, without saying so.
    pub fn rows(&self) -> AnyBlockRows<'_> {
        let Blocks { starts, columns, values, scalars, places } = &self.blocks;
        let extents = (!self.blocks.are_of_three()).then_some(Extents { scalars, values: places });
        AnyBlockRows { starts, columns, values, extents }
    }
}

/// H of constraints between bodies one behind the other, with so many rows each and entries from a list.
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

/// Numbers of rows of so many constraints: three, or any.
pub fn heights(count: usize, any: &[usize], are_three: bool) -> Vec<usize> {
    any[..count].iter().map(|&height| if are_three { 3 } else { height }).collect()
}

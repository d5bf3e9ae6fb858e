//! W of a problem in rows of three, and its products in scaled units.

use crate::math::{Block, Vector, times, transposed_times};
use crate::memory::{self, collect};
use crate::rows::Bsr3;
use crate::solve::rows_of_three::Padded;
use crate::team::Team;

/// The number of blocks from which threads pay.
const ENOUGH: usize = 2000;

/// W in rows of three.
#[derive(Debug, Default)]
pub struct MatrixOfThrees {
    pub padded: Padded,
    pub is_padded: bool,
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<Block>,
}

impl MatrixOfThrees {
    pub fn copy(&mut self, w: Bsr3) -> memory::Result {
        self.is_padded = false;
        collect(&mut self.starts, w.starts.len(), w.starts.iter().copied())?;
        collect(&mut self.columns, w.columns.len(), w.columns.iter().copied())?;
        collect(&mut self.values, w.values.len(), w.values.iter().copied())
    }

    pub fn rows(&self) -> Bsr3<'_> {
        if self.is_padded {
            return self.padded.matrix();
        }
        Bsr3 { starts: &self.starts, columns: &self.columns, values: &self.values }
    }

    pub fn team(&self) -> Team {
        Team::if_it_pays(self.rows().values.len() >= ENOUGH)
    }

    /// Compute W' y.
    pub fn multiply(&self, y: &[Vector], roots: &[f64], product: &mut [Vector]) {
        let w = self.rows();
        for (row, product) in product.iter_mut().enumerate() {
            let mut sum = [0.0; 3];
            for (column, block) in w.row(row) {
                let made = times(block, &y[column].map(|y| y / roots[column]));
                (0..3).for_each(|i| sum[i] += made[i]);
            }
            *product = sum.map(|sum| sum / roots[row]);
        }
    }

    /// Compute W'ᵀ v.
    pub fn multiply_transposed(&self, v: &[Vector], roots: &[f64], product: &mut [Vector]) {
        let w = self.rows();
        product.fill([0.0; 3]);
        for (row, v) in v.iter().enumerate().filter(|(_, v)| **v != [0.0; 3]) {
            let v = v.map(|v| v / roots[row]);
            for (column, block) in w.row(row) {
                let made = transposed_times(block, &v);
                (0..3).for_each(|i| product[column][i] += made[i]);
            }
        }
        product.iter_mut().zip(roots).for_each(|(product, root)| *product = product.map(|x| x / root));
    }
}

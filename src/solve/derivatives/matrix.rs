//! W of a problem in rows of three, and its products in scaled units.

use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best, combination};
use crate::math::{Block, Vector, times};
use crate::memory::{self, collect};
use crate::rows::Bsr3;
use crate::rows::pattern::KeptPattern;
use crate::solve::rows_of_three::Padded;
use crate::team::Team;

/// The number of blocks from which threads pay.
const ENOUGH: usize = 2000;

/// W in rows of three.
#[derive(Debug, Default)]
pub struct MatrixOfThrees {
    pub padded: Padded,
    pub is_padded: bool,
    pattern: KeptPattern,
    /// The blocks, unless they are padded.
    values: Vec<Block>,
}

impl MatrixOfThrees {
    /// Copy the blocks of W.
    pub fn copy(&mut self, values: &[Block]) -> memory::Result {
        self.is_padded = false;
        collect(&mut self.values, values.len(), values.iter().copied())
    }

    /// Keep the pattern of W. Returns false if it is that of the last call.
    pub fn keep_pattern(&mut self, starts: &[i32], columns: &[i32]) -> memory::Result<bool> {
        let is_new = !self.pattern.is(starts, columns);
        if is_new {
            self.pattern.keep(starts, columns)?;
        }
        Ok(is_new)
    }

    pub fn rows(&self) -> Bsr3<'_> {
        if self.is_padded {
            return self.padded.matrix();
        }
        Bsr3 { starts: self.pattern.starts(), columns: self.pattern.columns(), values: &self.values }
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

    /// Add Wᵀ v.
    pub fn add_transposed_product(&self, v: &[Vector], to: &mut [Vector]) {
        at_best(TransposedProduct { w: self.rows(), v, to });
    }
}

/// The sum of a vector and Wᵀ v.
struct TransposedProduct<'a> {
    w: Bsr3<'a>,
    v: &'a [Vector],
    to: &'a mut [Vector],
}

impl Kernel for TransposedProduct<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { w, v, to } = self;
        for (row, v) in v.iter().enumerate().filter(|(_, v)| **v != [0.0; 3]) {
            for (column, block) in w.row(row) {
                let made = combination(&level.transposed_columns(block), v);
                to[column] = (level.of_vector(to[column]) + made).vector();
            }
        }
    }
}

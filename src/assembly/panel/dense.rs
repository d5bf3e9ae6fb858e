//! Panels of bodies with few dofs: H and Y = h A⁻¹ Hᵀ of every slot, side by side in memory, W_αβ = H_α Y_β.

use std::collections::TryReserveError;
use std::ops::Range;

use super::Fault;
use crate::block::Block;
use crate::inertia::{Factored, Freshness, Inertia, Workspace};

/// H and Yᵀ of the slots of one body, each 3 × dofs, column-major, slot behind slot.
#[derive(Debug, Default)]
pub struct Dense {
    dofs: usize,
    operators: Vec<f64>,
    products: Vec<f64>,
    /// Columns of Hᵀ that wait for the caller's A⁻¹, dofs each.
    columns: Vec<f64>,
}

impl Dense {
    pub(super) fn start(&mut self, slots: usize, dofs: usize) -> Result<(), TryReserveError> {
        self.dofs = dofs;
        self.columns.clear();
        for values in [&mut self.operators, &mut self.products] {
            values.clear();
            values.try_reserve(3 * dofs * slots)?;
            values.resize(3 * dofs * slots, 0.0);
        }
        Ok(())
    }

    /// H of a slot, zero until written: 3 × dofs, column-major.
    pub fn operator_mut(&mut self, slot: usize) -> &mut [f64] {
        let values = self.values(slot);
        &mut self.operators[values]
    }

    pub(super) fn apply(
        &mut self,
        step: f64,
        inertia: &Inertia,
        factored: &mut Factored,
        work: &mut Workspace,
    ) -> Result<Option<Freshness>, Fault> {
        let length = 3 * self.dofs;
        match inertia {
            Inertia::Inverse(inverse) => {
                let slots = self.operators.chunks_exact(length).zip(self.products.chunks_exact_mut(length));
                slots.for_each(|(h, y)| inverse.apply(step, h, y));
                Ok(None)
            }
            Inertia::Matrix(matrix) => {
                let freshness = matrix.factor(factored, work)?;
                self.products.copy_from_slice(&self.operators);
                factored.solve(&mut self.products, work)?;
                self.products.iter_mut().for_each(|y| *y *= step);
                Ok(Some(freshness))
            }
        }
    }

    /// Put the operators into columns.
    pub(super) fn start_columns(&mut self) -> Result<(), TryReserveError> {
        let dofs = self.dofs;
        self.columns.clear();
        self.columns.try_reserve(self.operators.len())?;
        for h in self.operators.chunks_exact(3 * dofs) {
            self.columns.extend((0..3 * dofs).map(|k| h[3 * (k % dofs) + k / dofs]));
        }
        Ok(())
    }

    /// The columns that wait for A⁻¹.
    pub(super) fn columns_mut(&mut self) -> &mut [f64] {
        &mut self.columns
    }

    /// Make the products of columns that A⁻¹ has worked on.
    pub(super) fn take_columns(&mut self, step: f64) {
        let dofs = self.dofs;
        let length = 3 * dofs;
        for (y, columns) in self.products.chunks_exact_mut(length).zip(self.columns.chunks_exact(length)) {
            y.iter_mut().enumerate().for_each(|(k, y)| *y = step * columns[dofs * (k % 3) + k / 3]);
        }
        self.columns.clear();
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<f64>() * (self.operators.capacity() + self.products.capacity() + self.columns.capacity())
    }

    #[inline]
    pub(super) fn block(&self, row: usize, column: usize) -> Block {
        let (h, y) = (&self.operators[self.values(row)], &self.products[self.values(column)]);
        product(h, y)
    }

    fn values(&self, slot: usize) -> Range<usize> {
        3 * self.dofs * slot..3 * self.dofs * (slot + 1)
    }
}

/// H Y of H and Yᵀ, both 3 × n, column-major.
#[inline(always)]
pub(super) fn product(h: &[f64], y: &[f64]) -> Block {
    let mut w = [0.0; 9];
    for (h, y) in h.chunks_exact(3).zip(y.chunks_exact(3)) {
        for j in 0..3 {
            for i in 0..3 {
                w[3 * j + i] += h[i] * y[j];
            }
        }
    }
    w
}

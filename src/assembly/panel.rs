//! The panel of a body: H of every constraint on it, and Y = h A⁻¹ Hᵀ, side by side in memory.
//!
//! A constraint has a slot in the panel. H carries the sign of its side, so that W_αβ = H_α Y_β for any two slots.

use std::collections::TryReserveError;

use crate::block::Block;
use crate::inertia::Inverse;

/// H and Yᵀ of the slots of one body, each 3 × freedoms, column-major, slot behind slot.
#[derive(Default, Debug)]
pub struct Panel {
    freedoms: usize,
    operators: Vec<f64>,
    products: Vec<f64>,
}

impl Panel {
    /// Make room for `slots` slots of a body with `freedoms` generalised velocities. What the panel held is lost.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn resize(&mut self, slots: usize, freedoms: usize) -> Result<(), TryReserveError> {
        self.freedoms = freedoms;
        for values in [&mut self.operators, &mut self.products] {
            values.clear();
            values.try_reserve(3 * freedoms * slots)?;
            values.resize(3 * freedoms * slots, 0.0);
        }
        Ok(())
    }

    /// H of a slot, zero until written: 3 × freedoms, column-major.
    pub fn operator_mut(&mut self, slot: usize) -> &mut [f64] {
        &mut self.operators[slot_values(self.freedoms, slot)]
    }

    /// Y of every slot from its H, with the time step `step`; the inverse must have as many rows as the body has
    /// freedoms.
    pub fn apply_inverse(&mut self, step: f64, inverse: &Inverse) {
        let length = 3 * self.freedoms;
        for (h, y) in self.operators.chunks_exact(length).zip(self.products.chunks_exact_mut(length)) {
            inverse.apply(step, h, y);
        }
    }

    /// W_αβ = h H_α A⁻¹ H_βᵀ of the slots α = `row`, β = `column`, theory (68).
    #[inline]
    pub fn block(&self, row: usize, column: usize) -> Block {
        let h = &self.operators[slot_values(self.freedoms, row)];
        let y = &self.products[slot_values(self.freedoms, column)];
        match self.freedoms {
            6 => product::<18>(h, y),
            12 => product::<36>(h, y),
            _ => product_of_any_size(h, y),
        }
    }
}

fn slot_values(freedoms: usize, slot: usize) -> core::ops::Range<usize> {
    3 * freedoms * slot..3 * freedoms * (slot + 1)
}

/// H Y with a length known to the compiler, which then unrolls the loop.
#[inline]
fn product<const LENGTH: usize>(h: &[f64], y: &[f64]) -> Block {
    product_of_any_size(&h[..LENGTH], &y[..LENGTH])
}

#[inline(always)]
fn product_of_any_size(h: &[f64], y: &[f64]) -> Block {
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

#[cfg(test)]
mod tests {
    use nalgebra::{DMatrix, Matrix3, Matrix3xX};

    use super::*;
    use crate::inertia::Dense;

    #[test]
    fn blocks_are_products_of_operators_and_inverse() {
        for freedoms in [1, 6, 7, 12] {
            let value = |k: usize| ((k * 37 + 11) % 19) as f64 / 19.0 - 0.5;
            let inverse: Vec<f64> = (0..freedoms * freedoms).map(value).collect();
            let mut panel = Panel::default();
            panel.resize(3, freedoms).unwrap();
            for slot in 0..3 {
                let h = panel.operator_mut(slot).iter_mut().enumerate();
                h.for_each(|(k, h)| *h = value(k + 5 * slot));
            }
            panel.apply_inverse(0.125, &Inverse::Dense(Dense::new(freedoms, &inverse).unwrap()));
            let h = |slot: usize| Matrix3xX::from_fn(freedoms, |i, j| value(3 * j + i + 5 * slot));
            let inverse = DMatrix::from_column_slice(freedoms, freedoms, &inverse);
            for (row, column) in [(0, 1), (1, 0), (2, 2)] {
                let expected = 0.125 * h(row) * &inverse * h(column).transpose();
                let got = Matrix3::from_column_slice(&panel.block(row, column));
                assert!((got - expected).amax() < 1e-15, "{freedoms} {row} {column}");
            }
        }
    }
}

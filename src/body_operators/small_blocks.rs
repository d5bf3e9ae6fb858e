//! Blocks W_αβ of constraints with 1 to 6 rows, m × n and column-major.

use std::iter;

use super::general::RowsOfSlot;
use super::{Panel, PanelForm};
use crate::kinematics::operator::{GROUP, MOST_ROWS, groups, height};
use crate::math::is_finite;
use crate::math::simd::{F64x4, Kernel, SimdLevel};

/// The columns of W_αβ of two slots of a panel.
struct SlotPair<'a> {
    panel: &'a Panel,
    row: usize,
    column: usize,
}

impl Kernel for SlotPair<'_> {
    type Output = [[f64; 3]; 3];

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        self.panel.columns(level, self.row, self.column).map(F64x4::vector)
    }
}

/// The slots of a constraint on a body: one for each group of up to three rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotRange {
    /// The first slot.
    pub first: usize,
    /// Number of rows of the constraint, 1 to 6.
    pub rows: usize,
}

impl SlotRange {
    /// The slots, each with its first row and its number of rows.
    #[inline(always)]
    fn slots(self) -> impl Iterator<Item = (usize, usize, usize)> {
        (0..groups(self.rows)).map(
            #[inline(always)]
            move |group| (self.first + group, GROUP * group, height(self.rows, group)),
        )
    }
}

impl Panel {
    /// Write the blocks W_αβ of a constraint α with m rows and of consecutive constraints β_k on the same body, and their
    /// transposes.
    ///
    /// - `first_column`: the first slot of β_0; `heights`: the number of rows n_k of each β_k, N altogether.
    /// - `blocks`: m × N, column-major: consecutive blocks.
    /// - `transpose`: called once for each k, ascending; returns the place of the k-th transposed block, n_k × m, column-major.
    ///
    /// Returns the first k with a block that has an entry that is not finite. Blocks have the bits of [`Panel::columns`].
    ///
    /// # Panics
    /// If a length does not agree with the heights, or the panel has no such slots.
    #[inline(always)]
    pub fn write_blocks<'a, L: SimdLevel>(
        &self,
        level: L,
        row: SlotRange,
        first_column: usize,
        heights: impl Iterator<Item = usize> + Clone,
        blocks: &mut [f64],
        mut transpose: impl FnMut(usize) -> &'a mut [f64],
    ) -> Option<usize> {
        let m = row.rows;
        self.write_run_of(level, row, first_column, heights.clone(), blocks);
        let mut rest = &*blocks;
        for (k, n) in heights.clone().enumerate() {
            let (block, others) = rest.split_at(m * n);
            rest = others;
            write_transpose(m, n, block, transpose(k));
        }
        if is_finite(blocks) {
            return None;
        }
        let mut rest = &*blocks;
        heights.clone().position(|n| {
            let (block, others) = rest.split_at(m * n);
            rest = others;
            !is_finite(block)
        })
    }

    /// Add the block W_αβ through this body to `block`, m × n, column-major.
    ///
    /// # Panics
    /// If `block` does not have m n values, or the panel has no such slots.
    #[inline(always)]
    pub fn add_block<L: SimdLevel>(&self, level: L, row: SlotRange, column: SlotRange, block: &mut [f64]) {
        let mut own = [0.0; MOST_ROWS * MOST_ROWS];
        let own = &mut own[..row.rows * column.rows];
        self.write_run_of(level, row, column.first, iter::once(column.rows), own);
        block.iter_mut().zip(own).for_each(|(sum, own)| *sum += *own);
    }

    /// Write the blocks of a constraint and of a run of constraints: m × N, column-major.
    #[inline(always)]
    fn write_run_of<L: SimdLevel>(
        &self,
        level: L,
        row: SlotRange,
        first: usize,
        heights: impl Iterator<Item = usize>,
        blocks: &mut [f64],
    ) {
        let m = row.rows;
        if blocks.is_empty() {
            return;
        }
        if let (PanelForm::General, Some(large)) = (self.form, self.large.as_deref()) {
            for (slot, first_row, _) in row.slots() {
                let (general, rows) = (&large.general, &mut blocks[first_row..]);
                level.call(RowsOfSlot { general, row: slot, first, stride: m, rows });
            }
            return;
        }
        let (mut first, mut rest) = (first, blocks);
        for rows in heights {
            let (block, others) = rest.split_at_mut(m * rows);
            rest = others;
            let column = SlotRange { first, rows };
            for (own, first_row, height) in row.slots() {
                for (other, first_column, width) in column.slots() {
                    let columns = level.call(SlotPair { panel: self, row: own, column: other });
                    for (j, values) in (first_column..).zip(columns).take(width) {
                        block[m * j + first_row..][..height].copy_from_slice(&values[..height]);
                    }
                }
            }
            first += groups(rows);
        }
    }
}

/// Write the transpose of an m × n block; both are column-major.
#[inline(always)]
fn write_transpose(m: usize, n: usize, block: &[f64], to: &mut [f64]) {
    // The most frequent ones, without a call of memcpy.
    if let ([to], [value]) = (&mut *to, block) {
        *to = *value;
        return;
    }
    assert!(to.len() == m * n);
    if m == 1 || n == 1 {
        to.iter_mut().zip(block).for_each(|(to, value)| *to = *value);
        return;
    }
    for (j, column) in block.chunks_exact(m).enumerate() {
        for (i, value) in column.iter().enumerate() {
            to[n * i + j] = *value;
        }
    }
}

#[cfg(test)]
mod tests;

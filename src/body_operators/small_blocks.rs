//! Blocks W_αβ of constraints with 1 to 6 rows, m × n and column-major.

use super::general::{General, RowsOfSlot};
use super::{Panel, PanelForm};
use crate::kinematics::operator::{GROUP, MOST_ROWS, groups, height};
use crate::math::simd::{F64x4, Kernel, SimdLevel};
use crate::math::{copy_few, is_finite};

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

impl General {
    /// Write the blocks of a constraint and of others with consecutive slots from `first` on, consecutive and column-major. If the
    /// result is true, all values are finite.
    #[inline(always)]
    fn write_rows<L: SimdLevel>(&self, level: L, row: SlotRange, first: usize, blocks: &mut [f64]) -> bool {
        let mut are_finite = true;
        for (slot, first_row, _) in row.slots() {
            let rows = &mut blocks[first_row..];
            are_finite &= level.call(RowsOfSlot { general: self, row: slot, first, stride: row.rows, rows });
        }
        are_finite
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
        let (PanelForm::General, Some(large)) = (self.form, self.large.as_deref()) else {
            return self.write_threes(level, row, first_column, heights, blocks, transpose);
        };
        if blocks.is_empty() {
            return None;
        }
        let m = row.rows;
        let are_finite = large.general.write_rows(level, row, first_column, blocks);
        let mut rest = &*blocks;
        if m == 1 {
            level.call(TransposedRow { row: rest, transpose });
        } else {
            for (k, n) in heights.clone().enumerate() {
                let (block, others) = rest.split_at(m * n);
                rest = others;
                write_transpose(m, n, block, transpose(k));
            }
        }
        // A sum of finite entries may overflow: then entries are checked one by one.
        if are_finite || is_finite(blocks) {
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
        if let (PanelForm::General, Some(large)) = (self.form, self.large.as_deref()) {
            if let ([1, 1], [sum]) = ([row.rows, column.rows], &mut *block) {
                *sum += large.general.entry(level, row.first, column.first);
                return;
            }
            let mut own = [0.0; MOST_ROWS * MOST_ROWS];
            let own = &mut own[..row.rows * column.rows];
            large.general.write_rows(level, row, column.first, own);
            block.iter_mut().zip(own).for_each(|(sum, own)| *sum += *own);
            return;
        }
        for (own, i, height) in row.slots() {
            for (other, j, width) in column.slots() {
                let w = self.columns(level, own, other);
                for (k, column) in w.iter().enumerate().take(width) {
                    let to = &mut block[row.rows * (j + k) + i..][..height];
                    to.iter_mut().zip(column.vector()).for_each(|(sum, own)| *sum += own);
                }
            }
        }
    }

    /// As [`Panel::write_blocks`], for a body whose slots all have three rows, of which lower constraints use some.
    #[inline(always)]
    fn write_threes<'a, L: SimdLevel>(
        &self,
        level: L,
        row: SlotRange,
        mut first: usize,
        heights: impl Iterator<Item = usize>,
        blocks: &mut [f64],
        mut transpose: impl FnMut(usize) -> &'a mut [f64],
    ) -> Option<usize> {
        let (m, mut rest, mut failed) = (row.rows, blocks, None);
        for (k, n) in heights.enumerate() {
            let (block, others) = rest.split_at_mut(m * n);
            rest = others;
            let transpose = transpose(k);
            for (own, i, height) in row.slots() {
                for (other, j, width) in (SlotRange { first, rows: n }).slots() {
                    let Some(w) = self.finite_columns(level, [0, own, other], None) else {
                        failed = failed.or(Some(k));
                        continue;
                    };
                    put(&w, &mut block[m * j + i..], m, [height, width]);
                    put(&F64x4::transposed(w), &mut transpose[n * i + j..], n, [width, height]);
                }
            }
            first += groups(n);
        }
        failed
    }
}

/// Write the first rows and columns of a block into a matrix with `stride` rows; `to` begins with the first entry.
#[inline(always)]
fn put<F: F64x4>(columns: &[F; 3], to: &mut [f64], stride: usize, [height, width]: [usize; 2]) {
    // The loop has a known length, so that columns stay in registers.
    for (k, column) in columns.iter().enumerate() {
        if k == width {
            break;
        }
        let (values, to) = (column.vector(), &mut to[stride * k..]);
        match height {
            3 => to[..3].copy_from_slice(&values),
            2 => to[..2].copy_from_slice(&values[..2]),
            _ => to[0] = values[0],
        }
    }
}

/// Copies the blocks of one scalar row to the places of their transposes, which are as long.
struct TransposedRow<'r, T> {
    row: &'r [f64],
    transpose: T,
}

impl<'a, T: FnMut(usize) -> &'a mut [f64]> Kernel for TransposedRow<'_, T> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) {
        let Self { row: mut rest, mut transpose } = self;
        for k in 0.. {
            if rest.is_empty() {
                break;
            }
            let to = transpose(k);
            let (block, others) = rest.split_at(to.len());
            rest = others;
            copy_few(block, to);
        }
    }
}

/// Write the transpose of an m × n block; both are column-major.
#[inline(always)]
fn write_transpose(m: usize, n: usize, block: &[f64], to: &mut [f64]) {
    assert!(to.len() == m * n);
    if n == 1 {
        copy_few(block, to);
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

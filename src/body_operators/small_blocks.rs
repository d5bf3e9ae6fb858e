//! Blocks W_αβ of constraints with 1 to 6 rows, m × n and column-major.

use std::iter;

use super::general::RowsOfSlot;
use super::{Panel, PanelForm};
use crate::kinematics::operator::{GROUP, MOST_ROWS, groups, height};
use crate::math::is_finite;
use crate::math::simd::{F64x4, SimdLevel};

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
        let (PanelForm::General, Some(large)) = (self.form, self.large.as_deref()) else {
            return self.write_threes(level, row, first_column, heights, blocks, transpose);
        };
        if blocks.is_empty() {
            return None;
        }
        let m = row.rows;
        for (slot, first_row, _) in row.slots() {
            let (general, rows) = (&large.general, &mut blocks[first_row..]);
            level.call(RowsOfSlot { general, row: slot, first: first_column, stride: m, rows });
        }
        let mut rest = &*blocks;
        if m == 1 {
            for k in 0.. {
                if rest.is_empty() {
                    break;
                }
                let to = transpose(k);
                let (block, others) = rest.split_at(to.len());
                rest = others;
                copy(block, to);
            }
        } else {
            for (k, n) in heights.clone().enumerate() {
                let (block, others) = rest.split_at(m * n);
                rest = others;
                write_transpose(m, n, block, transpose(k));
            }
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
        let [mut own, mut transpose] = [[0.0; MOST_ROWS * MOST_ROWS]; 2];
        let [own, transpose] = [&mut own, &mut transpose].map(|all| &mut all[..row.rows * column.rows]);
        let (mut to, heights) = (iter::once(transpose), iter::once(column.rows));
        self.write_blocks(level, row, column.first, heights, own, |_| to.next().expect("one block"));
        block.iter_mut().zip(own).for_each(|(sum, own)| *sum += *own);
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

/// Copy values: most often one, without a call of memcpy.
#[inline(always)]
fn copy(from: &[f64], to: &mut [f64]) {
    match (from, &mut *to) {
        ([from], [to]) => *to = *from,
        _ => to.iter_mut().zip(from).for_each(|(to, from)| *to = *from),
    }
}

/// Write the transpose of an m × n block; both are column-major.
#[inline(always)]
fn write_transpose(m: usize, n: usize, block: &[f64], to: &mut [f64]) {
    assert!(to.len() == m * n);
    if n == 1 {
        copy(block, to);
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

//! Products with dense operands: Y = h A⁻¹ Hᵀ, tile by tile, and H Y.

use super::operators::{GeneralOperators, SlotColumns};
use super::triangular_solve::Lines;
use super::{MicroTile, WIDTH};
use crate::inertia::Inverse;
use crate::inertia::tree_factor::ascending;
use crate::kinematics::Column;
use crate::math::simd::{F64x4, Kernel, SimdLevel};
use crate::memory::{self, bytes, resize};

/// Y of all slots: consecutive tiles, with 12 values for each row.
#[derive(Debug, Default)]
pub struct Tiles {
    /// Rows of a tile.
    rows: usize,
    /// With one more row: the rows of a slot are read from its first value on.
    values: Vec<f64>,
}

/// The number of rows of a tile for a number of dofs: whole vectors, and at least one so that slots have places even if all
/// operators are zero.
pub fn rows_of(dofs: usize) -> usize {
    dofs.max(1).next_multiple_of(4)
}

impl Tiles {
    /// Make room for a number of tiles. The caller writes all rows of each slot.
    pub fn start(&mut self, tiles: usize, dofs: usize) -> memory::Result {
        self.rows = rows_of(dofs);
        let length = tiles * WIDTH * self.rows + WIDTH;
        resize(&mut self.values, length, 0.0)
    }

    /// A tile and the row after it.
    #[inline(always)]
    pub fn tile(&self, number: usize) -> &[f64] {
        let length = WIDTH * self.rows;
        &self.values[length * number..length * (number + 1) + WIDTH]
    }

    /// The rows of a tile.
    #[inline(always)]
    pub fn tile_mut(&mut self, number: usize) -> &mut [[f64; WIDTH]] {
        let length = WIDTH * self.rows;
        self.values[length * number..length * (number + 1)].as_chunks_mut().0
    }

    /// The place of Y of a slot.
    #[inline(always)]
    pub fn slot_mut(&mut self, slot: &SlotColumns) -> SlotMut<'_> {
        let (length, tile) = (WIDTH * self.rows, slot.tile as usize);
        SlotMut { values: &mut self.values[length * tile..length * (tile + 1)], first: slot.first.into() }
    }

    /// Y of a slot: from its first value in the tile to the end of the row after the tile.
    #[inline(always)]
    pub fn values_of(&self, slot: &SlotColumns) -> &[f64] {
        &self.tile(slot.tile as usize)[slot.first.into()..]
    }

    /// Y of an inverse with few entries.
    pub fn fill_sparse(&mut self, step: f64, operators: &GeneralOperators, inverse: &Inverse) {
        for slot in operators.slots() {
            let (mut y, height) = (self.slot_mut(slot), slot.height.into());
            (0..y.rows()).for_each(|row| y.row(row)[..height].fill(0.0));
            for Column { index, values } in operators.columns_of(slot) {
                let values = &values[..height];
                inverse.each_in_column(operators.touched[*index as usize] as usize, |row, value| {
                    if let Some(row) = operators.place(row) {
                        y.row(row).iter_mut().zip(values).for_each(|(sum, h)| *sum += value * h);
                    }
                });
            }
        }
        self.values.iter_mut().for_each(|y| *y *= step);
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.values)
    }
}

/// The columns of one slot.
pub struct SlotMut<'a> {
    values: &'a mut [f64],
    first: usize,
}

impl SlotMut<'_> {
    fn rows(&self) -> usize {
        self.values.len() / WIDTH
    }

    /// A row, from the first value of the slot to the end of the tile.
    #[inline(always)]
    pub fn row(&mut self, row: usize) -> &mut [f64] {
        &mut self.values[WIDTH * row..][self.first..WIDTH]
    }

    /// Write a row of a slot of R rows.
    #[inline(always)]
    fn put<const R: usize>(&mut self, row: usize, y: [f64; R]) {
        self.values[WIDTH * row + self.first..][..R].copy_from_slice(&y);
    }
}

/// Makes Y from an inverse at the touched dofs, whose columns have a value for each row of a tile.
pub struct FromInverse<'a> {
    pub step: f64,
    pub inverse: &'a [f64],
    pub operators: &'a GeneralOperators,
    pub tiles: &'a mut Tiles,
}

impl Kernel for FromInverse<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        for slot in self.operators.slots() {
            let h = self.operators.columns_of(slot);
            let y = self.tiles.slot_mut(slot);
            match slot.height {
                1 => all_rows::<L, 1>(level, self.step, self.inverse, h, y),
                2 => all_rows::<L, 2>(level, self.step, self.inverse, h, y),
                _ => all_rows::<L, 3>(level, self.step, self.inverse, h, y),
            }
        }
    }
}

/// Y of a slot of R rows.
#[inline(always)]
fn all_rows<L: SimdLevel, const R: usize>(
    level: L,
    step: f64,
    inverse: &[f64],
    h: &[Column],
    mut y: SlotMut,
) {
    let mut row = 0;
    while row + 12 <= y.rows() {
        some_rows::<L, 3, R>(level, step, inverse, row, h, &mut y);
        row += 12;
    }
    while row < y.rows() {
        some_rows::<L, 1, R>(level, step, inverse, row, h, &mut y);
        row += 4;
    }
}

/// 4 N rows of Y of a slot of R rows, from `row` on.
#[inline(always)]
fn some_rows<L: SimdLevel, const N: usize, const R: usize>(
    level: L,
    step: f64,
    inverse: &[f64],
    row: usize,
    h: &[Column],
    y: &mut SlotMut,
) {
    let rows = y.rows();
    let mut sums = [[level.zero(); R]; N];
    for Column { index, values } in h {
        let inverse = &inverse[rows * *index as usize + row..][..4 * N];
        for (n, sums) in sums.iter_mut().enumerate() {
            let a = level.four(inverse, 4 * n);
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = *sum + a * *value;
            }
        }
    }
    for (n, sums) in sums.into_iter().enumerate() {
        let mut columns = [[0.0; 4]; R];
        for (column, sum) in columns.iter_mut().zip(sums) {
            *column = (sum * step).values();
        }
        for i in 0..4 {
            let mut values = [0.0; R];
            for (value, column) in values.iter_mut().zip(&columns) {
                *value = column[i];
            }
            y.put(row + 4 * n + i, values);
        }
    }
}

/// The nonzero columns of H of a slot.
#[derive(Clone, Copy)]
pub enum HColumns<'a> {
    /// A list of columns.
    Listed(&'a [Column]),
    /// Z, which takes the place of H: at the dofs of a set, from value `first` of each line on.
    Reached { set: u64, lines: &'a Lines, first: usize },
}

/// R rows of H times 4 V columns of Y in each of T tiles, from the first value of each of `tiles` on.
#[inline(always)]
pub fn product<L: SimdLevel, const R: usize, const V: usize, const T: usize>(
    level: L,
    h: HColumns,
    tiles: [&[f64]; T],
) -> [[[L::F64x4; V]; R]; T] {
    let mut rows: [&[[f64; WIDTH]]; T] = [&[]; T];
    for t in 0..T {
        rows[t] = tiles[t].as_chunks().0;
    }
    let mut sums = [[[level.zero(); V]; R]; T];
    match h {
        HColumns::Listed(columns) => {
            for Column { index, values } in columns {
                for t in 0..T {
                    add_product(level, &values[..R], &rows[t][*index as usize], &mut sums[t]);
                }
            }
        }
        HColumns::Reached { set, lines, first } => {
            for row in ascending(set) {
                for t in 0..T {
                    add_product(level, &lines[row].0[first..first + R], &rows[t][row], &mut sums[t]);
                }
            }
        }
    }
    sums
}

/// Add a column of H times a row of Y.
#[inline(always)]
fn add_product<L: SimdLevel, const R: usize, const V: usize>(
    level: L,
    h: &[f64],
    y: &[f64; WIDTH],
    sums: &mut [[L::F64x4; V]; R],
) {
    let mut values = [level.zero(); V];
    for (v, value) in values.iter_mut().enumerate() {
        *value = level.four(y, 4 * v);
    }
    for k in 0..R {
        for v in 0..V {
            sums[k][v] = sums[k][v] + values[v] * h[k];
        }
    }
}

/// The rows of H Y of the slot that `y` begins with, for H of a slot with three rows.
#[inline(always)]
pub fn rows<L: SimdLevel>(level: L, h: HColumns, y: &[f64]) -> [L::F64x4; 3] {
    let [[[one], [two], [three]]] = product::<L, 3, 1, 1>(level, h, [y]);
    [one, two, three]
}

/// Write R rows of H times all columns of the tile `y`; the other rows are left as they are.
#[inline(always)]
pub fn write_micro_tile<L: SimdLevel, const R: usize>(
    level: L,
    h: HColumns,
    y: &[f64],
    micro_tile: &mut MicroTile,
) {
    let [sums] = product::<L, R, 3, 1>(level, h, [y]);
    for k in 0..R {
        for n in 0..3 {
            micro_tile[WIDTH * k + 4 * n..][..4].copy_from_slice(&sums[k][n].values());
        }
    }
}

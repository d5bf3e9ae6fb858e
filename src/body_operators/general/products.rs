//! Products with dense operands: Y = h A⁻¹ Hᵀ, tile by tile, and H Y.

use super::operators::Operators;
use super::{SLOTS, Strip, WIDTH};
use crate::inertia::Inverse;
use crate::kinematics::Column;
use crate::math::Vector;
use crate::math::simd::{F64x4, Kernel, SimdLevel};
use crate::memory::{self, bytes, resize};

/// Y of all slots: tile behind tile, 12 values for each row.
#[derive(Debug, Default)]
pub struct Tiles {
    /// Rows of a tile.
    rows: usize,
    /// With a row more: of a slot rows are read from its first value on.
    values: Vec<f64>,
}

/// Rows of a tile for so many dofs: whole vectors, and one where all operators are zero, so that slots have their places.
pub fn rows_of(dofs: usize) -> usize {
    dofs.max(1).next_multiple_of(4)
}

impl Tiles {
    /// Make room for the slots; all rows of each are to be written.
    pub fn start(&mut self, slots: usize, dofs: usize) -> memory::Result {
        self.rows = rows_of(dofs);
        let length = slots.div_ceil(SLOTS) * WIDTH * self.rows + WIDTH;
        resize(&mut self.values, length, 0.0)
    }

    /// A tile, with a row behind it.
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

    /// Where Y of a slot goes.
    #[inline(always)]
    pub fn slot_mut(&mut self, slot: usize) -> SlotMut<'_> {
        let length = WIDTH * self.rows;
        SlotMut {
            values: &mut self.values[length * (slot / SLOTS)..length * (slot / SLOTS + 1)],
            first: 3 * (slot % SLOTS),
        }
    }

    /// Y of an inverse with few entries.
    pub fn fill_sparse(&mut self, step: f64, operators: &Operators, inverse: &Inverse) {
        for slot in 0..operators.slots() {
            let mut y = self.slot_mut(slot);
            (0..y.rows()).for_each(|row| y.put(row, [0.0; 3]));
            for Column { index, values } in operators.of(slot) {
                inverse.each_in_column(operators.touched[*index as usize] as usize, |row, value| {
                    if let Some(row) = operators.place(row) {
                        y.add(row, values.map(|h| value * h));
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

/// The three columns of one slot.
pub struct SlotMut<'a> {
    values: &'a mut [f64],
    first: usize,
}

impl SlotMut<'_> {
    fn rows(&self) -> usize {
        self.values.len() / WIDTH
    }

    /// Write a row.
    #[inline(always)]
    pub fn put(&mut self, row: usize, y: Vector) {
        self.values[WIDTH * row + self.first..][..3].copy_from_slice(&y);
    }

    #[inline(always)]
    fn add(&mut self, row: usize, y: Vector) {
        self.values[WIDTH * row + self.first..][..3].iter_mut().zip(y).for_each(|(sum, y)| *sum += y);
    }
}

/// Make Y of an inverse at the dofs that are touched, whose columns have as many values as a tile has rows.
pub struct FromInverse<'a> {
    pub step: f64,
    pub inverse: &'a [f64],
    pub operators: &'a Operators,
    pub tiles: &'a mut Tiles,
}

impl Kernel for FromInverse<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        for slot in 0..self.operators.slots() {
            let h = self.operators.of(slot);
            let mut y = self.tiles.slot_mut(slot);
            let mut row = 0;
            while row + 12 <= y.rows() {
                some_rows::<L, 3>(level, self.step, self.inverse, row, h, &mut y);
                row += 12;
            }
            while row < y.rows() {
                some_rows::<L, 1>(level, self.step, self.inverse, row, h, &mut y);
                row += 4;
            }
        }
    }
}

/// 4 N rows of Y of a slot, from `row` on.
#[inline(always)]
fn some_rows<L: SimdLevel, const N: usize>(
    level: L,
    step: f64,
    inverse: &[f64],
    row: usize,
    h: &[Column],
    y: &mut SlotMut,
) {
    let rows = y.rows();
    let mut sums = [[level.zero(); 3]; N];
    for Column { index, values } in h {
        let inverse = &inverse[rows * *index as usize + row..][..4 * N];
        for (n, sums) in sums.iter_mut().enumerate() {
            let a = level.four(inverse, 4 * n);
            for (sum, value) in sums.iter_mut().zip(values) {
                *sum = *sum + a * *value;
            }
        }
    }
    for (n, [one, two, three]) in sums.into_iter().enumerate() {
        let [one, two, three] = [(one * step).values(), (two * step).values(), (three * step).values()];
        for (i, ((one, two), three)) in one.into_iter().zip(two).zip(three).enumerate() {
            y.put(row + 4 * n + i, [one, two, three]);
        }
    }
}

/// The rows of H Y of the slot that `y` begins with, in a tile.
#[inline(always)]
pub fn rows<L: SimdLevel>(level: L, h: &[Column], y: &[f64]) -> [L::F64x4; 3] {
    let y: &[[f64; WIDTH]] = y.as_chunks().0;
    let mut sums = [level.zero(); 3];
    for Column { index, values } in h {
        let y = level.four(&y[*index as usize], 0);
        for k in 0..3 {
            sums[k] = sums[k] + y * values[k];
        }
    }
    sums
}

/// H Y of all slots of a tile.
#[inline(always)]
pub fn write_strip<L: SimdLevel>(level: L, h: &[Column], y: &[f64], strip: &mut Strip) {
    let y: &[[f64; WIDTH]] = y.as_chunks().0;
    let mut sums = [[level.zero(); SLOTS - 1]; 3];
    for Column { index, values } in h {
        let y = &y[*index as usize];
        let y = [level.four(y, 0), level.four(y, 4), level.four(y, 8)];
        for k in 0..3 {
            for n in 0..3 {
                sums[k][n] = sums[k][n] + y[n] * values[k];
            }
        }
    }
    for k in 0..3 {
        for n in 0..3 {
            strip[WIDTH * k + 4 * n..][..4].copy_from_slice(&sums[k][n].values());
        }
    }
}

//! Products of block-sparse rows of W with one vector or several. Threads share rows; the bits of a row do not depend on the thread.
#![forbid(unsafe_code)]

use std::convert::Infallible;

use crate::math::Vector;
use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best};
use crate::math::small_symmetric::MOST_ROWS;
use crate::prefetch::fetch_beyond;
use crate::rows::block_rows::{BlockRows, Bsr3};
use crate::rows::layout::{Layout, RowLayout};
use crate::team::{Ragged, Team};

/// Several vectors in one slice `T`, shared or exclusive.
pub struct Columns<T> {
    /// The values.
    pub values: T,
    /// The number of values from the beginning of a vector to the beginning of the next.
    pub stride: usize,
}

/// A matrix that multiplies several vectors at once; E is its error.
pub(crate) trait Product<E> {
    /// Make y = W x for N vectors.
    fn multiply<const N: usize>(&mut self, x: [&[Vector]; N], y: [&mut [Vector]; N]) -> Result<(), E>;
}

/// The number of vectors that are multiplied at once: each block is read once for all of them.
const TOGETHER: usize = 4;

/// The number of values from the beginning of the first of `count` vectors to the end of the last.
pub fn extent(count: usize, stride: usize, length: usize) -> usize {
    match count {
        0 => 0,
        _ => (count - 1).saturating_mul(stride).saturating_add(length),
    }
}

/// Make y = W x for `count` vectors.
///
/// Each vector has a value for each scalar row of W; no stride is shorter than a vector, and the slices have all values.
pub fn multiply(rows: &BlockRows, count: usize, x: Columns<&[f64]>, y: Columns<&mut [f64]>) {
    let Some(layout) = rows.layout() else {
        let Some(blocks) = rows.as_threes() else { return };
        let Ok(()) = all::<Infallible>(&mut Assembled(blocks), (count, rows.len()), x, y);
        return;
    };
    let size = rows.scalar_count();
    for k in 0..count {
        let (x, y) = (&x.values[k * x.stride..][..size], &mut y.values[k * y.stride..][..size]);
        let y = Ragged { values: y, starts: layout.scalar_starts() };
        team_for(rows.columns().len()).share_evenly(y, |first, y| {
            multiply_rows(rows, layout, x, (first, y.starts.len() - 1), y.values)
        });
    }
}

/// Multiply `count` rows of W, from `first` on, by a vector. Rows whose blocks are all 3×3 have the bits of [`Assembled`]: they do not
/// depend on the heights of rows that have no block in common with them.
fn multiply_rows(
    rows: &BlockRows,
    layout: RowLayout,
    x: &[f64],
    (first, count): (usize, usize),
    mut y: &mut [f64],
) {
    for row in first..first + count {
        let height = layout.height(row);
        let (own, rest) = y.split_at_mut(height);
        y = rest;
        // A sum for each column of a triple.
        let mut sums = [[0.0; MOST_ROWS]; 3];
        for (column, block) in rows.row(row) {
            for (j, (values, x)) in block.chunks_exact(height).zip(&x[layout.scalars(column)]).enumerate() {
                sums[j % 3].iter_mut().zip(values).for_each(|(sum, value)| *sum += value * x);
            }
        }
        let [a, b, c] = &sums;
        own.iter_mut().enumerate().for_each(|(i, y)| *y = a[i] + b[i] + c[i]);
    }
}

/// Make y = W x for `count` vectors with three values for each of `rows` rows; no stride is shorter than a vector, and the slices
/// have all values.
///
/// # Errors
/// The first error of the product.
pub(crate) fn all<E>(
    product: &mut impl Product<E>,
    (count, rows): (usize, usize),
    x: Columns<&[f64]>,
    y: Columns<&mut [f64]>,
) -> Result<(), E> {
    if rows == 0 {
        return Ok(());
    }
    let x = Columns { values: &x.values[..extent(count, x.stride, 3 * rows)], ..x };
    let y = Columns { values: &mut y.values[..extent(count, y.stride, 3 * rows)], ..y };
    let together = x.values.chunks(TOGETHER * x.stride).zip(y.values.chunks_mut(TOGETHER * y.stride));
    for (x_values, y_values) in together {
        let x_of = |values| <[f64]>::as_chunks(values).0.split_at(rows).0;
        let x = x_values.chunks(x.stride).map(x_of);
        let y = y_values.chunks_mut(y.stride).map(|values| values.as_chunks_mut().0.split_at_mut(rows).0);
        let mut both = x.zip(y);
        if both.len() == TOGETHER {
            let (mut from, mut to) = ([&[][..]; TOGETHER], [(); TOGETHER].map(|()| &mut [][..]));
            for ((from, to), (x, y)) in from.iter_mut().zip(&mut to).zip(both) {
                (*from, *to) = (x, y);
            }
            product.multiply(from, to)?;
        } else {
            both.try_for_each(|(x, y)| product.multiply([x], [y]))?;
        }
    }
    Ok(())
}

/// A team of threads if there are enough blocks to make it pay.
pub(crate) fn team_for(blocks: usize) -> Team {
    const ENOUGH: usize = 30_000;
    Team::if_it_pays(blocks >= ENOUGH)
}

/// W as 3×3 blocks.
pub(crate) struct Assembled<'a>(pub Bsr3<'a>);

impl<E> Product<E> for Assembled<'_> {
    fn multiply<const N: usize>(&mut self, x: [&[Vector]; N], y: [&mut [Vector]; N]) -> Result<(), E> {
        let rows = &self.0;
        team_for(N * rows.values.len())
            .share_evenly(y, |first, y| at_best(AssembledRows { rows, first, x, y }));
        Ok(())
    }
}

/// The product of some rows of W, from `first` on, and N vectors.
struct AssembledRows<'a, const N: usize> {
    rows: &'a Bsr3<'a>,
    first: usize,
    x: [&'a [Vector]; N],
    y: [&'a mut [Vector]; N],
}

impl<const N: usize> Kernel for AssembledRows<'_, N> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { rows, first, x, mut y } = self;
        let values = rows.values.as_flattened();
        for row in 0..y[0].len() {
            let (start, end) = (rows.starts[first + row] as usize, rows.starts[first + row + 1] as usize);
            // There is a sum for each column of blocks, so that no addition waits for another.
            let mut sums = [[level.zero(); 3]; N];
            for k in start..end {
                let column = rows.columns[k] as usize;
                fetch_beyond(&rows.values[k]);
                // The last column is read with the first entry of the next block, if there is one.
                let w = match values[9 * k..].first_chunk::<10>() {
                    Some(w) => [level.four(w, 0), level.four(w, 3), level.four(w, 6)],
                    None => level.columns(&rows.values[k]),
                };
                for (sums, x) in sums.iter_mut().zip(&x) {
                    let x = &x[column];
                    for j in 0..3 {
                        sums[j] = sums[j] + w[j] * x[j];
                    }
                }
            }
            for (y, [a, b, c]) in y.iter_mut().zip(sums) {
                y[row] = (a + b + c).vector();
            }
        }
    }
}

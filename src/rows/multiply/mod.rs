//! Products with block-sparse rows of W, whoever has made them, of one vector or several. Threads share rows; what each computes
//! does not depend on it.
#![forbid(unsafe_code)]

mod any_rows;

use crate::math::Vector;
use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best};
use crate::prefetch::fetch_beyond;
use crate::rows::block_rows::BlockRows;
use crate::team::Team;

pub(crate) use any_rows::multiply;

/// Vectors, each of which begins `stride` values behind the one before it. `T` is a slice, shared or not.
pub struct Columns<T> {
    /// The values.
    pub values: T,
    /// From the beginning of one to that of the next.
    pub stride: usize,
}

/// What multiplies some vectors at a time; E is what may go wrong.
pub(crate) trait Product<E> {
    /// Make y = W x of N vectors.
    fn multiply<const N: usize>(&mut self, x: [&[Vector]; N], y: [&mut [Vector]; N]) -> Result<(), E>;
}

/// Vectors that are multiplied at a time: each block is read once for so many.
const TOGETHER: usize = 4;

/// How many values so many vectors of a length reach over.
pub fn extent(count: usize, stride: usize, length: usize) -> usize {
    match count {
        0 => 0,
        _ => (count - 1).saturating_mul(stride).saturating_add(length),
    }
}

/// Make y = W x of so many vectors, each of so many rows; the strides are no shorter, and all values are there.
///
/// # Errors
/// Those of the product.
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

/// A team if there is enough to multiply with.
pub(crate) fn team_for(blocks: usize) -> Team {
    const ENOUGH: usize = 30_000;
    Team::if_it_pays(blocks >= ENOUGH)
}

/// W as blocks.
pub(crate) struct Assembled<'a>(pub BlockRows<'a>);

impl<E> Product<E> for Assembled<'_> {
    fn multiply<const N: usize>(&mut self, x: [&[Vector]; N], y: [&mut [Vector]; N]) -> Result<(), E> {
        let rows = &self.0;
        team_for(N * rows.values.len())
            .share_evenly(y, |first, y| at_best(AssembledRows { rows, first, x, y }));
        Ok(())
    }
}

/// Some rows of W, from `first` on, times N vectors.
struct AssembledRows<'a, const N: usize> {
    rows: &'a BlockRows<'a>,
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
            // A sum for each column of blocks: they do not wait for each other.
            let mut sums = [[level.zero(); 3]; N];
            for k in start..end {
                let column = rows.columns[k] as usize;
                fetch_beyond(&rows.values[k]);
                // The last column is read with the block behind it, where there is one.
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

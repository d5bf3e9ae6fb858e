//! Products with rows of any number of scalars up to six.

use std::convert::Infallible;

use crate::rows::any_rows::AnyBlockRows;
use crate::rows::block_rows::BlockRows;
use crate::team::Ragged;

use super::{Assembled, Columns, all, team_for};

/// Make y = W x of so many vectors with a value for each scalar. The pattern of the rows has been checked, no stride is shorter
/// than a vector, and all values are there.
pub fn multiply(rows: &AnyBlockRows, count: usize, x: Columns<&[f64]>, y: Columns<&mut [f64]>) {
    let AnyBlockRows { starts, columns, values, extents } = *rows;
    let Some(extents) = extents else {
        let threes = BlockRows { starts, columns, values: values.as_chunks().0 };
        let Ok(()) = all::<Infallible>(&mut Assembled(threes), (count, rows.len()), x, y);
        return;
    };
    let size = rows.scalar_count();
    for k in 0..count {
        let (x, y) = (&x.values[k * x.stride..][..size], &mut y.values[k * y.stride..][..size]);
        let y = Ragged { values: y, starts: extents.scalars };
        team_for(columns.len()).share_evenly(y, |first, y| multiply_part(rows, first, x, y));
    }
}

/// Some rows of W, from `first` on, times a vector.
fn multiply_part(rows: &AnyBlockRows, first: usize, x: &[f64], y: Ragged<f64>) {
    let count = y.starts.len() - 1;
    let mut rest = y.values;
    for row in first..first + count {
        let height = rows.scalars(row).len();
        let (sums, later) = rest.split_at_mut(height);
        rest = later;
        sums.fill(0.0);
        for (column, block) in rows.row(row) {
            for (values, x) in block.chunks_exact(height).zip(&x[rows.scalars(column)]) {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value * x);
            }
        }
    }
}

//! Work on all rows, shared by a team of threads. Rows are taken in parts of a fixed size, so that sums have the same bits for any
//! number of threads.

use std::ops::Range;

use crate::memory::{self, refill};
use crate::team::{Team, part};

/// Rows in a part.
pub const ROWS: usize = 512;

/// Write a value for each row.
pub fn fill<T: Send>(team: &mut Team, values: &mut [T], value: impl Fn(usize) -> T + Sync) {
    team.share_parts(values, ROWS, |first, values| {
        (first..).zip(values).for_each(|(row, to)| *to = value(row));
    });
}

/// A sum for each part of the rows.
#[derive(Debug, Default)]
pub struct PartSums<T>(Vec<T>);

impl<T: Copy + Default + Send> PartSums<T> {
    /// Make room for this number of rows.
    pub fn prepare(&mut self, rows: usize) -> memory::Result {
        refill(&mut self.0, rows.div_ceil(ROWS), T::default())
    }

    /// The sums of all parts, in the order of rows.
    pub fn of(
        &mut self,
        team: &mut Team,
        rows: usize,
        sum: impl Fn(Range<usize>) -> T + Sync,
    ) -> impl Iterator<Item = T> {
        team.share_parts(&mut self.0[..], 1, |number, parts| {
            for (number, to) in (number..).zip(parts) {
                *to = sum(part(number, ROWS, rows));
            }
        });
        self.0.iter().copied()
    }
}

impl PartSums<f64> {
    /// The least value of all rows, infinity if there are none.
    pub fn least(&mut self, team: &mut Team, rows: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
        let least = |part: Range<usize>| part.map(&value).fold(f64::INFINITY, f64::min);
        self.of(team, rows, least).fold(f64::INFINITY, f64::min)
    }
}

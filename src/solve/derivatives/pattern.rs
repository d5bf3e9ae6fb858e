//! The rows of three whose forces depend on velocities, with the blocks that connect them, and their transposes.

use crate::memory::{self, collect, push, refill};
use crate::rows::Bsr3;
use crate::rows::pattern::range;

use super::linear_law::LinearLaw;

/// No block, or no place.
pub const NONE: u32 = u32::MAX;

/// The pattern of the equations. It is symmetric.
#[derive(Debug, Default)]
pub struct Pattern {
    /// The rows.
    pub rows: Vec<u32>,
    /// Row k has the entries `starts[k]..starts[k + 1]`.
    pub starts: Vec<i32>,
    /// The number of the row in `rows` that each entry connects with, ascending in a row.
    pub columns: Vec<i32>,
    /// The block of W of each entry, or [`NONE`].
    pub blocks: Vec<u32>,
    /// The entry of the transposed place.
    pub mirrored: Vec<u32>,
    /// The number of each row of the problem in `rows`, or [`NONE`].
    places: Vec<u32>,
    /// Row, column and block of each entry.
    entries: Vec<(u32, u32, u32)>,
}

impl Pattern {
    /// Find the pattern for linear laws. `is_new` tells whether the pattern of W has changed since the last call. Returns false if nothing
    /// has changed.
    pub fn find(&mut self, w: &Bsr3, laws: &[LinearLaw], is_new: bool) -> memory::Result<bool> {
        let unknown = || (0..laws.len()).filter(|&row| !laws[row].is_given()).map(|row| row as u32);
        if !is_new && unknown().eq(self.rows.iter().copied()) {
            return Ok(false);
        }
        let Self { rows, places, .. } = self;
        rows.clear();
        refill(places, laws.len(), NONE)?;
        for row in unknown() {
            places[row as usize] = rows.len() as u32;
            push(rows, row)?;
        }
        self.find_entries(w)?;
        let Self { rows, starts, columns, blocks, entries, .. } = self;
        let count = entries.len();
        collect(columns, count, entries.iter().map(|&(_, column, _)| column as i32))?;
        collect(blocks, count, entries.iter().map(|&(_, _, block)| block))?;
        refill(starts, rows.len() + 1, 0)?;
        entries.iter().for_each(|&(row, ..)| starts[row as usize + 1] += 1);
        (0..rows.len()).for_each(|k| starts[k + 1] += starts[k]);
        self.mirror()?;
        Ok(true)
    }

    /// List the blocks of the rows, and an entry without a block where only the transposed place has one.
    fn find_entries(&mut self, w: &Bsr3) -> memory::Result {
        let Self { rows, places, entries, .. } = self;
        entries.clear();
        let mut is_symmetric = true;
        for (k, &row) in (0..).zip(&*rows) {
            for block in w.range(row as usize) {
                let column = w.columns[block] as usize;
                if places[column] == NONE {
                    continue;
                }
                push(entries, (k, places[column], block as u32))?;
                if w.columns[w.range(column)].binary_search(&(row as i32)).is_err() {
                    is_symmetric = false;
                    push(entries, (places[column], k, NONE))?;
                }
            }
        }
        if !is_symmetric {
            entries.sort_unstable();
        }
        Ok(())
    }

    /// Find the transposed place of each entry. Columns ascend, so each row meets its entries in the columns in their order.
    fn mirror(&mut self) -> memory::Result {
        let Self { rows, starts, columns, mirrored, places, .. } = self;
        // The next entry of each row.
        collect(places, rows.len(), starts[..rows.len()].iter().map(|&start| start as u32))?;
        refill(mirrored, columns.len(), 0)?;
        for row in 0..rows.len() {
            for entry in range(starts, row) {
                let next = &mut places[columns[entry] as usize];
                mirrored[entry] = *next;
                *next += 1;
            }
        }
        Ok(())
    }
}

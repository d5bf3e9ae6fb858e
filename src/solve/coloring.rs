//! The order of a sweep: the order of memory, or a coloring. Rows are divided into chunks, in the order of memory. Chunks of one
//! color have no block in common, so that threads may process them at the same time with the same result. Chunks of this size keep
//! two advantages of the order of memory: neighbors are in the cache, and sweeps converge at the same rate. The order depends on
//! the pattern, not on the number of threads.

use crate::memory::{self, refill};
use crate::rows::pattern::{KeptPattern, range};
use crate::team::part;

/// Rows of a chunk.
pub const CHUNK: usize = 64;

/// With fewer rows, or fewer chunks of a color on average, threads do not pay.
pub const MANY: usize = 4000;
const MANY_CHUNKS: usize = 8;

/// The mark of rows without one of the colors 0..64: one thread processes all of them.
const NO_COLOR: u8 = 64;

/// The order of a pattern.
#[derive(Debug, Default)]
pub struct ColorOrder {
    /// Rows sorted by color, in each color in the order of memory; then the rows without a color.
    rows: Vec<u32>,
    /// The first index of each group in `rows`.
    begins: Vec<u32>,
    colors: Vec<u8>,
    /// The number of colors.
    count: usize,
    /// Colors of the neighbors of a chunk, as bits.
    taken: Vec<u64>,
    /// The pattern.
    given: KeptPattern,
}

/// A group of rows that are processed chunk by chunk.
#[derive(Clone, Copy, Debug)]
pub struct Group<'a> {
    /// The rows.
    pub rows: &'a [u32],
    /// Whether no two chunks of them have a block in common.
    pub are_independent: bool,
}

impl ColorOrder {
    /// Find the order of a pattern, unless the pattern has not changed since the last call.
    pub fn find(&mut self, starts: &[i32], columns: &[i32]) -> memory::Result {
        if self.given.is(starts, columns) {
            return Ok(());
        }
        self.given.forget();
        let rows = starts.len() - 1;
        refill(&mut self.colors, rows, NO_COLOR)?;
        self.count = if rows >= MANY { self.color(starts, columns)? } else { 0 };
        if MANY_CHUNKS * self.count > rows / CHUNK {
            self.colors.fill(NO_COLOR);
            self.count = 0;
        }
        self.sort()?;
        self.given.keep(starts, columns)
    }

    /// The groups, in order.
    pub fn groups(&self) -> impl Iterator<Item = Group<'_>> {
        (0..=self.count).map(|group| Group {
            rows: &self.rows[range(&self.begins, group)],
            are_independent: group < self.count,
        })
    }

    /// Give each chunk in turn the first color that no neighbor has; returns the number of colors. The pattern need not be
    /// symmetric.
    fn color(&mut self, starts: &[i32], columns: &[i32]) -> memory::Result<usize> {
        let Self { colors, taken, .. } = self;
        let rows = starts.len() - 1;
        let chunks = rows.div_ceil(CHUNK);
        refill(taken, chunks, 0)?;
        let bit = |color: u8| if color < NO_COLOR { 1 << color } else { 0 };
        let mut count = 0;
        for number in 0..chunks {
            let own = part(number, CHUNK, rows);
            let columns = &columns[starts[own.start] as usize..starts[own.end] as usize];
            let others =
                || columns.iter().map(|&column| column as usize).filter(|column| !own.contains(column));
            let color = others().fold(taken[number], |taken, row| taken | bit(colors[row])).trailing_ones();
            count = count.max(color as usize + 1);
            others().for_each(|row| taken[row / CHUNK] |= bit(color as u8));
            colors[own.clone()].fill(color as u8);
        }
        Ok(count)
    }

    /// Sort the rows into a group for each color, and the last group.
    fn sort(&mut self) -> memory::Result {
        let Self { rows, begins, colors, count, .. } = self;
        let group = |color: u8| usize::from(color).min(*count);
        refill(begins, *count + 2, 0)?;
        for &color in &*colors {
            begins[group(color) + 1] += 1;
        }
        for group in 0..=*count {
            begins[group + 1] += begins[group];
        }
        refill(rows, colors.len(), 0)?;
        for (row, &color) in colors.iter().enumerate() {
            let next = &mut begins[group(color)];
            rows[*next as usize] = row as u32;
            *next += 1;
        }
        // Each entry is now the first index of the next group.
        begins.copy_within(0..=*count, 1);
        begins[0] = 0;
        Ok(())
    }
}

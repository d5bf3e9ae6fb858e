//! The neighbors of each row in a pattern and its transpose.

use crate::memory::{self, repeated};

/// The neighbors of each row in ascending order, without the row itself.
#[derive(Debug, Default)]
pub struct Adjacency {
    starts: Vec<usize>,
    pub neighbors: Vec<u32>,
}

impl Adjacency {
    /// Find the neighbors in compressed columns and their transpose. `rows` ascend in each column.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn of_columns(starts: &[u32], rows: &[u32]) -> memory::Result<Self> {
        let count = starts.len() - 1;
        let column = |j: usize| &rows[starts[j] as usize..starts[j + 1] as usize];
        let mut ends = repeated(count + 1, 0_usize)?;
        let entries = || (0..count).flat_map(|j| column(j).iter().map(move |&i| (i as usize, j)));
        for (i, j) in entries().filter(|(i, j)| i != j) {
            ends[i] += 1;
            ends[j] += 1;
        }
        let mut total = 0;
        for end in &mut ends {
            total += std::mem::replace(end, total);
        }
        let mut neighbors = repeated(total, 0_u32)?;
        for (i, j) in entries().filter(|(i, j)| i != j) {
            for (one, other) in [(i, j), (j, i)] {
                neighbors[ends[one]] = other as u32;
                ends[one] += 1;
            }
        }
        // The ends of the lists are now in `ends`. An entry and its transpose have made a neighbor twice.
        let (mut to, mut from) = (0, 0);
        for end in &mut ends[..count] {
            let first = to;
            neighbors[from..*end].sort_unstable();
            for k in std::mem::replace(&mut from, *end)..*end {
                if to == first || neighbors[to - 1] != neighbors[k] {
                    neighbors[to] = neighbors[k];
                    to += 1;
                }
            }
            *end = first;
        }
        ends[count] = to;
        neighbors.truncate(to);
        Ok(Self { starts: ends, neighbors })
    }

    /// The number of rows.
    pub fn count(&self) -> usize {
        self.starts.len() - 1
    }

    /// The neighbors of a row.
    pub fn of(&self, row: usize) -> &[u32] {
        &self.neighbors[self.starts[row]..self.starts[row + 1]]
    }
}

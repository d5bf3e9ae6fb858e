//! W as a sum over bodies, for each island.

use std::sync::{Mutex, PoisonError};

use crate::memory::{self, refill};
use crate::solve::body_rows::{BodyRows, BodyRowsSource};

/// Z of all rows, which is made when the first island asks for it.
#[derive(Debug, Default)]
pub struct AllRows {
    /// Whether there is Z, if it is known.
    is_there: Option<bool>,
    rows: BodyRows,
    /// For copies.
    numbers: Vec<u32>,
}

/// The part of Z that belongs to the rows of an island.
pub struct BodiesOfIsland<'a> {
    pub all: &'a Mutex<AllRows>,
    pub bodies: &'a dyn BodyRowsSource,
    pub rows: &'a [u32],
}

impl AllRows {
    /// Forget Z of the last problem.
    pub fn forget(&mut self) {
        self.is_there = None;
    }

    fn make(&mut self, bodies: &dyn BodyRowsSource) -> memory::Result<bool> {
        if let Some(is_there) = self.is_there {
            return Ok(is_there);
        }
        let is_there = bodies.write_rows(&mut self.rows)?;
        refill(&mut self.numbers, self.rows.nodes(), u32::MAX)?;
        self.is_there = Some(is_there);
        Ok(is_there)
    }
}

impl BodyRowsSource for BodiesOfIsland<'_> {
    fn write_rows(&self, rows: &mut BodyRows) -> memory::Result<bool> {
        let all = &mut *self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let is_there = all.make(self.bodies)?;
        if is_there {
            rows.copy(&all.rows, self.rows, &mut all.numbers)?;
        }
        Ok(is_there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows on nodes: a part of row k at node n has the entries 10 k + n.
    struct Listed(&'static [&'static [usize]]);

    impl BodyRowsSource for Listed {
        fn write_rows(&self, rows: &mut BodyRows) -> memory::Result<bool> {
            rows.start(5)?;
            for (row, nodes) in self.0.iter().enumerate() {
                for &node in *nodes {
                    rows.push_part(node, &[[(10 * row + node) as f64; 3]; 6])?;
                }
                rows.end_row()?;
            }
            Ok(true)
        }
    }

    #[test]
    fn an_island_has_its_own_rows_on_nodes_of_its_own() {
        // Node 2 is on both islands, as a body whose velocities no force changes may be.
        let bodies = &Listed(&[&[3, 0], &[4, 1], &[2, 3], &[2, 4]]);
        let all = Mutex::new(AllRows::default());
        let mut made = BodyRows::default();
        let islands = [
            ([0, 2], [[0, 1], [2, 0]], [[3.0, 0.0], [22.0, 23.0]]),
            ([1, 3], [[0, 1], [2, 0]], [[14.0, 11.0], [32.0, 34.0]]),
        ];
        for (rows, nodes, entries) in islands.into_iter().chain(islands) {
            assert!(BodiesOfIsland { all: &all, bodies, rows: &rows }.write_rows(&mut made).unwrap());
            assert_eq!((made.len(), made.nodes()), (2, 3));
            for row in 0..2 {
                let (of_row, blocks) = made.row(row);
                assert_eq!(of_row, nodes[row]);
                assert_eq!(blocks.iter().map(|block| block[5][2]).collect::<Vec<_>>(), entries[row]);
            }
        }
    }
}

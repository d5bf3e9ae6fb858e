//! The islands of a pattern: rows are on one island if a path of blocks leads from one to the other.

use std::cmp::Reverse;

use crate::memory::{self, collect, push, refill};
use crate::rows::pattern::{KeptPattern, range};

/// The islands of the last pattern.
#[derive(Debug, Default)]
pub struct Components {
    /// The rows, island by island, ascending on each island.
    rows: Vec<u32>,
    /// The first index in `rows` of each island, and the end.
    starts: Vec<u32>,
    /// A row of the same island that is not larger, for each row; a row without a smaller one is the root of its island.
    parents: Vec<u32>,
    /// For each root, the next index in `rows`.
    next: Vec<u32>,
    /// The number of rows and the root of each island.
    roots: Vec<(Reverse<u32>, u32)>,
    /// The pattern.
    given: KeptPattern,
}

impl Components {
    /// Find the islands of a pattern, unless the pattern has not changed since the last call. Islands with more rows come first, and
    /// among islands of the same size those with smaller rows.
    pub fn find(&mut self, starts: &[i32], columns: &[i32]) -> memory::Result {
        if self.given.is(starts, columns) {
            return Ok(());
        }
        self.given.forget();
        self.join(starts, columns)?;
        self.sort()?;
        self.given.keep(starts, columns)
    }

    /// The number of islands.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// All rows, island by island.
    pub fn all(&self) -> &[u32] {
        &self.rows
    }

    /// The rows of an island.
    pub fn rows(&self, island: usize) -> &[u32] {
        &self.rows[range(&self.starts, island)]
    }

    /// The first index of each island in a list of all rows island by island, and the end.
    pub fn starts(&self) -> &[u32] {
        &self.starts
    }

    /// Join the islands of rows that have a block in common. The pattern need not be symmetric.
    fn join(&mut self, starts: &[i32], columns: &[i32]) -> memory::Result {
        let parents = &mut self.parents;
        let rows = starts.len() - 1;
        collect(parents, rows, 0..rows as u32)?;
        for row in 0..rows {
            let mut own = row as u32;
            for &column in &columns[range(starts, row)] {
                own = join(parents, own, column as u32);
            }
        }
        Ok(())
    }

    fn sort(&mut self) -> memory::Result {
        let Self { rows, starts, parents, next, roots, .. } = self;
        let count = parents.len();
        refill(next, count, 0)?;
        (0..count).for_each(|row| next[root(parents, row as u32) as usize] += 1);
        roots.clear();
        for (row, &size) in next.iter().enumerate().filter(|&(_, &size)| size > 0) {
            push(roots, (Reverse(size), row as u32))?;
        }
        roots.sort_unstable();
        collect(starts, roots.len() + 1, std::iter::once(0))?;
        let mut end = 0;
        for &(Reverse(size), root) in &*roots {
            next[root as usize] = end;
            end += size;
            starts.push(end);
        }
        refill(rows, count, 0)?;
        for row in 0..count as u32 {
            let next = &mut next[root(parents, row) as usize];
            rows[*next as usize] = row;
            *next += 1;
        }
        Ok(())
    }
}

/// Join the islands of two rows; return the root of both.
pub fn join(parents: &mut [u32], row: u32, column: u32) -> u32 {
    let (own, other) = (root(parents, row), root(parents, column));
    let least = own.min(other);
    parents[own.max(other) as usize] = least;
    least
}

/// The root of a row. Paths to the root become shorter on the way.
pub fn root(parents: &mut [u32], mut row: u32) -> u32 {
    loop {
        let parent = parents[row as usize];
        if parent == row {
            return row;
        }
        parents[row as usize] = parents[parent as usize];
        row = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn islands_of(starts: &[i32], columns: &[i32]) -> Vec<Vec<u32>> {
        let mut components = Components::default();
        components.find(starts, columns).unwrap();
        (0..components.len()).map(|island| components.rows(island).to_vec()).collect()
    }

    #[test]
    fn rows_with_a_path_of_blocks_are_on_one_island() {
        // 0 - 4, 1 - 3 - 5, 2, where each block is in one triangle only.
        let (starts, columns) = ([0, 2, 3, 4, 7, 8, 9], [0, 4, 1, 2, 1, 3, 5, 4, 5]);
        assert_eq!(islands_of(&starts, &columns), [vec![1, 3, 5], vec![0, 4], vec![2]]);
        assert_eq!(islands_of(&[0], &[]), Vec::<Vec<u32>>::new());
    }

    #[test]
    fn islands_of_random_patterns_are_those_of_a_search() {
        let mut random = testing::Random::new(5);
        for count in [1, 2, 10, 100, 400] {
            let mut others = vec![vec![]; count];
            for _ in 0..count * 2 / 3 {
                let mut any = || random.below(count);
                let (row, column) = (any(), any());
                others[row].push(column);
            }
            let (mut starts, mut columns) = (vec![0], vec![]);
            for (row, others) in others.iter_mut().enumerate() {
                others.push(row);
                others.sort_unstable();
                others.dedup();
                columns.extend(others.iter().map(|&column| column as i32));
                starts.push(columns.len() as i32);
            }
            let mut expected = search(&others);
            expected.sort_by_key(|rows| (Reverse(rows.len()), rows[0]));
            assert_eq!(islands_of(&starts, &columns), expected);
        }
    }

    /// Islands by a search from each row through blocks in both directions.
    fn search(others: &[Vec<usize>]) -> Vec<Vec<u32>> {
        let is_joined = |a: usize, b: usize| others[a].contains(&b) || others[b].contains(&a);
        let mut is_seen = vec![false; others.len()];
        let mut islands = vec![];
        for first in 0..others.len() {
            if is_seen[first] {
                continue;
            }
            is_seen[first] = true;
            let mut island = vec![first];
            let mut done = 0;
            while done < island.len() {
                let next = (0..others.len()).filter(|&row| !is_seen[row] && is_joined(island[done], row));
                let next: Vec<usize> = next.collect();
                next.iter().for_each(|&row| is_seen[row] = true);
                island.extend(next);
                done += 1;
            }
            island.sort_unstable();
            islands.push(island.iter().map(|&row| row as u32).collect());
        }
        islands
    }

    #[test]
    fn a_kept_pattern_that_changes_is_found_again() {
        let mut components = Components::default();
        let patterns: [(&[i32], &[i32]); 4] = [
            (&[0, 1, 2], &[0, 1]),
            (&[0, 2, 3], &[0, 1, 1]),
            (&[0, 1, 3], &[0, 0, 1]),
            (&[0, 1, 2], &[0, 1]),
        ];
        for (starts, columns) in patterns {
            components.find(starts, columns).unwrap();
            assert_eq!(components.len(), if columns.len() == 2 { 2 } else { 1 });
        }
    }
}

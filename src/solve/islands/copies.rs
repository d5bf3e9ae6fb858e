//! The problems of islands: copies of the rows of a problem, island by island.

use std::ops::Range;

use crate::math::{Block, Vector};
use crate::memory::{self, collect, push, refill};
use crate::rows::pattern::range;
use crate::solve::problem::{Law, Normal, Problem3};

use super::components::Components;

/// The rows of all islands, one island after the other. Columns and starts are those of the island's own problem.
#[derive(Debug, Default)]
pub struct Copies {
    /// One value more than rows for each island.
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<Block>,
    /// The first block of each island, and the end.
    blocks: Vec<usize>,
    b: Vec<Vector>,
    laws: Vec<Law>,
    scales: Vec<Vector>,
    normal: Normal,
    /// The index of each row on its island.
    places: Vec<u32>,
}

/// The problem of an island, its laws and the factors of its rows.
pub struct Copy<'a> {
    pub problem: Problem3<'a>,
    pub laws: &'a [Law],
    pub scales: &'a [Vector],
}

impl Copies {
    /// Copy the rows of a problem with these islands. There are as many `scales` as rows, or none.
    pub fn fill(
        &mut self,
        islands: &Components,
        problem: &Problem3,
        laws: &[Law],
        scales: &[Vector],
    ) -> memory::Result {
        let Self { starts, columns, values, blocks, b, places, .. } = self;
        let (rows, count) = (problem.rows(), problem.columns.len());
        self.normal = problem.normal;
        refill(places, rows, 0)?;
        collect(starts, rows + islands.len(), std::iter::empty())?;
        collect(columns, count, std::iter::empty())?;
        collect(values, count, std::iter::empty())?;
        collect(b, rows, std::iter::empty())?;
        blocks.clear();
        for island in 0..islands.len() {
            let own = islands.rows(island);
            (0..).zip(own).for_each(|(place, &row)| places[row as usize] = place);
            let first = values.len();
            push(blocks, first)?;
            starts.push(0);
            for &row in own {
                let range = problem.range(row as usize);
                values.extend_from_slice(&problem.values[range.clone()]);
                columns.extend(problem.columns[range].iter().map(|&column| places[column as usize] as i32));
                starts.push((values.len() - first) as i32);
                b.push(problem.b[row as usize]);
            }
        }
        push(blocks, values.len())?;
        let all = islands.all().iter().map(|&row| row as usize);
        collect(&mut self.laws, rows, all.clone().map(|row| laws[row]))?;
        collect(&mut self.scales, scales.len(), all.filter_map(|row| scales.get(row).copied()))
    }

    /// The copy of an island.
    pub fn of(&self, islands: &Components, island: usize) -> Copy<'_> {
        let rows = range(islands.starts(), island);
        let (starts, columns) = self.pattern(islands, island);
        let values = &self.values[range(&self.blocks, island)];
        let problem = Problem3 { starts, columns, values, b: &self.b[rows.clone()], normal: self.normal };
        let scales = if self.scales.is_empty() { &[] } else { &self.scales[rows.clone()] };
        Copy { problem, laws: &self.laws[rows], scales }
    }

    /// The starts and columns of an island.
    pub fn pattern(&self, islands: &Components, island: usize) -> (&[i32], &[i32]) {
        let rows = range(islands.starts(), island);
        (&self.starts[rows.start + island..=rows.end + island], &self.columns[range(&self.blocks, island)])
    }

    /// Whether B is zero with the biases in some copied rows.
    pub fn are_at_rest(&self, rows: Range<usize>) -> bool {
        let mut all = self.b[rows.clone()].iter().zip(&self.laws[rows]);
        all.all(|(b, law)| (0..3).all(|i| b[i] + law.bias[i] == 0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_island_has_the_values_of_its_rows() {
        let value = |k: usize| [k as f64; 9];
        let vector = |k: usize| [k as f64; 3];
        // Rows 0 and 2, and rows 1 and 3.
        let (starts, columns) = ([0, 2, 3, 5, 7], [0, 2, 1, 0, 2, 1, 3]);
        let values: Vec<Block> = (0..7).map(value).collect();
        let b: Vec<Vector> = (10..14).map(vector).collect();
        let scales: Vec<Vector> = (20..24).map(vector).collect();
        let laws: Vec<Law> = (1..5).map(|k| Law::contact(f64::from(k))).collect();
        let problem =
            Problem3 { starts: &starts, columns: &columns, values: &values, b: &b, normal: Normal::First };
        let (mut islands, mut copies) = (Components::default(), Copies::default());
        islands.find(&starts, &columns).unwrap();
        copies.fill(&islands, &problem, &laws, &scales).unwrap();
        let check = |island: usize, starts: &[i32], columns: &[i32], blocks: &[usize], rows: [usize; 2]| {
            let Copy { problem, laws: own, scales: factors } = copies.of(&islands, island);
            assert_eq!((problem.starts, problem.columns, problem.normal), (starts, columns, Normal::First));
            assert_eq!(problem.values, blocks.iter().map(|&k| value(k)).collect::<Vec<_>>());
            assert_eq!((problem.b, factors), (&rows.map(|row| b[row])[..], &rows.map(|row| scales[row])[..]));
            assert_eq!(own, rows.map(|row| laws[row]));
        };
        check(0, &[0, 2, 4], &[0, 1, 0, 1], &[0, 1, 3, 4], [0, 2]);
        check(1, &[0, 1, 3], &[0, 0, 1], &[2, 5, 6], [1, 3]);
        copies.fill(&islands, &problem, &laws, &[]).unwrap();
        assert!(copies.of(&islands, 1).scales.is_empty());
    }
}

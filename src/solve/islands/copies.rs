//! The problems of islands: copies of the rows of a problem, island by island.

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
        let blocks = self.blocks[island]..self.blocks[island + 1];
        let problem = Problem3 {
            starts: &self.starts[rows.start + island..=rows.end + island],
            columns: &self.columns[blocks.clone()],
            values: &self.values[blocks],
            b: &self.b[rows.clone()],
            normal: self.normal,
        };
        let scales = if self.scales.is_empty() { &[] } else { &self.scales[rows.clone()] };
        Copy { problem, laws: &self.laws[rows], scales }
    }
}

impl Copy<'_> {
    /// Whether B is zero with the biases.
    pub fn is_at_rest(&self) -> bool {
        let mut all = self.problem.b.iter().zip(self.laws);
        all.all(|(b, law)| (0..3).all(|i| b[i] + law.bias[i] == 0.0))
    }
}

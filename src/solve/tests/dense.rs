//! Problems of dense rows, W = G Gᵀ.

use crate::math::{Block, Vector};
use crate::memory;
use crate::rows::BlockRows;
use crate::solve::body_space::BodySpace;
use crate::solve::problem::Problem3;
use crate::solve::{BodyRows, BodyRowsSource, NODE, Normal, Problem};
use testing::Random;

/// A problem of dense rows.
pub struct Dense {
    pub starts: Vec<i32>,
    pub columns: Vec<i32>,
    pub values: Vec<Block>,
    pub b: Vec<Vector>,
    /// The rows of G, if W is made of them.
    pub g: Vec<Vec<f64>>,
}

impl BodyRowsSource for Dense {
    fn write_rows(&self, rows: &mut BodyRows) -> memory::Result<bool> {
        let nodes = self.g[0].len() / NODE;
        rows.start(nodes)?;
        for row in self.g.chunks_exact(3) {
            for node in 0..nodes {
                let part = std::array::from_fn(|k| std::array::from_fn(|i| row[i][NODE * node + k]));
                rows.push_part(node, &part)?;
            }
            rows.end_row()?;
        }
        Ok(true)
    }
}

impl Dense {
    /// W = `unit` · G Gᵀ, where G has `columns` columns.
    pub fn new(random: &mut Random, rows: usize, columns: usize, unit: f64) -> Self {
        let g: Vec<Vec<f64>> =
            (0..3 * rows).map(|_| (0..columns).map(|_| random.signed()).collect()).collect();
        let product = |i: usize, j: usize| unit * (0..columns).map(|k| g[i][k] * g[j][k]).sum::<f64>();
        let pairs = (0..rows).flat_map(|row| (0..rows).map(move |column| (row, column)));
        let block = |(row, column): (usize, usize)| -> Block {
            std::array::from_fn(|k| product(3 * row + k % 3, 3 * column + k / 3))
        };
        // Velocities that bodies can have: there is a solution if all contacts have friction.
        let v: Vec<f64> = (0..columns).map(|_| random.signed()).collect();
        let b = (0..3 * rows).map(|i| (0..columns).map(|k| g[i][k] * v[k]).sum::<f64>());
        Self {
            starts: (0..=rows).map(|row| (row * rows) as i32).collect(),
            columns: pairs.clone().map(|(_, column)| column as i32).collect(),
            values: pairs.map(block).collect(),
            b: b.collect::<Vec<_>>().as_chunks().0.to_vec(),
            g,
        }
    }

    /// The space of bodies, with these √d.
    pub fn body_space(&self, roots: &[f64]) -> BodySpace {
        let mut space = BodySpace::default();
        assert!(space.prepare(self, |row| [1.0 / roots[row]; 3]).unwrap());
        assert!(space.analyse(u64::MAX).unwrap().is_some());
        space
    }

    pub fn problem3(&self) -> Problem3<'_> {
        let Self { starts, columns, values, b, .. } = self;
        Problem3 { starts, columns, values, b, normal: Normal::Third }
    }

    pub fn problem(&self) -> Problem<'_> {
        let Self { starts, columns, values, b, .. } = self;
        let w = BlockRows::new(starts, columns, values.as_flattened(), None).unwrap();
        Problem { w, b: b.as_flattened(), normal: Normal::Third }
    }
}

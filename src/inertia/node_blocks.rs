//! A sparse inverse seen as 3×3 blocks of the nodes of a mesh.

use super::Sparse;
use crate::block::Block;

impl Sparse<'_> {
    /// The values, if they are those of a diagonal matrix, one in each column.
    pub(super) fn diagonal(&self) -> Option<&[f64]> {
        let is_diagonal = self.rows.len() == self.size()
            && (0..).zip(self.starts).all(|(j, &start)| start == j)
            && (0..).zip(self.rows).all(|(j, &row)| row == j);
        is_diagonal.then_some(self.values)
    }

    /// The 3×3 blocks of all nodes, if the entries couple no two nodes: generalised velocities 3a, 3a + 1, 3a + 2
    /// are those of node a.
    pub(super) fn blocks_of_nodes(&self) -> Option<impl Iterator<Item = Block>> {
        let of_one_node = |(j, range): (usize, &[i32])| {
            self.rows[range[0] as usize..range[1] as usize].iter().all(|&row| row as usize / 3 == j / 3)
        };
        let nodewise = self.size().is_multiple_of(3) && self.starts.windows(2).enumerate().all(of_one_node);
        nodewise.then(|| (0..self.size() / 3).map(|node| self.block_of_node(node)))
    }

    fn block_of_node(&self, node: usize) -> Block {
        let mut block = [0.0; 9];
        for (j, range) in self.starts[3 * node..3 * node + 4].windows(2).enumerate() {
            for k in range[0] as usize..range[1] as usize {
                block[3 * j + self.rows[k] as usize - 3 * node] += self.values[k];
            }
        }
        block
    }
}

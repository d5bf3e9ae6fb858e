//! 3×3 blocks of an inverse between two nodes of a mesh.

use super::Sparse;
use crate::block::Block;

/// An inverse seen as 3×3 blocks between nodes: generalised velocities 3a, 3a + 1, 3a + 2 are those of node a.
pub trait NodeBlocks {
    /// (A⁻¹)_ab; `None` if this inverse does not hold it.
    fn block(&self, a: u32, b: u32) -> Option<Block>;
}

impl NodeBlocks for Sparse<'_> {
    fn block(&self, a: u32, b: u32) -> Option<Block> {
        let (row, column) = (3 * a as usize, 3 * b as usize);
        if row + 3 > self.size() {
            return None;
        }
        let starts = self.starts.get(column..column + 4)?;
        let mut block = [0.0; 9];
        for (j, range) in starts.windows(2).enumerate() {
            for k in range[0] as usize..range[1] as usize {
                if let Some(i) = (self.rows[k] as usize).checked_sub(row).filter(|&i| i < 3) {
                    block[3 * j + i] += self.values[k];
                }
            }
        }
        Some(block)
    }
}

impl Sparse<'_> {
    /// The 3×3 blocks of all nodes, if no entry couples two nodes.
    pub(super) fn blocks_of_nodes(&self) -> Option<impl Iterator<Item = Block>> {
        let mut columns = self.starts.windows(2).enumerate();
        let nodewise = self.size() % 3 == 0
            && columns.all(|(j, range)| {
                self.rows[range[0] as usize..range[1] as usize].iter().all(|&row| row as usize / 3 == j / 3)
            });
        nodewise.then(|| (0..self.size() as u32 / 3).filter_map(|node| self.block(node, node)))
    }
}

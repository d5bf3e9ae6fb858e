//! A sparse inverse seen as one of the nodes of a mesh.

use super::Sparse;

impl Sparse<'_> {
    /// The values, if they are those of a diagonal matrix, one in each column.
    pub(super) fn diagonal(&self) -> Option<&[f64]> {
        let is_diagonal = self.rows.len() == self.size()
            && (0..).zip(self.starts).all(|(j, &start)| start == j)
            && (0..).zip(self.rows).all(|(j, &row)| row == j);
        is_diagonal.then_some(self.values)
    }

    /// Whether the entries couple no two nodes: generalised velocities 3a, 3a + 1, 3a + 2 are those of node a.
    pub(super) fn couples_no_nodes(&self) -> bool {
        let of_one_node = |(j, range): (usize, &[i32])| {
            self.rows[range[0] as usize..range[1] as usize].iter().all(|&row| row as usize / 3 == j / 3)
        };
        self.size().is_multiple_of(3) && self.starts.windows(2).enumerate().all(of_one_node)
    }
}

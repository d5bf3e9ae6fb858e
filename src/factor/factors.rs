//! Factors of a sparse matrix, symbolic and numeric: Cholesky LLᵀ with supernodes, or LU with row exchanges.

use super::adjacency::Adjacency;
use super::elimination::CholeskyElimination;
use super::lu::{Lu, LuSolve};
use super::matrix_copy::MatrixCopy;
use super::minimum_degree::minimum_degree;
use super::supernodes::{Lanes, Supernodes};
use super::tree::Tree;
use super::triangles::Triangles;
use super::workspace::{Need, Scratch};
use super::{Boxed, FactorError, Structure, Workspace, is_finite};
use crate::math::simd::at_best;
use crate::memory::{self, collect, repeated};

/// The factors.
pub enum Factors {
    /// P A Pᵀ = LLᵀ, and the panels of L.
    Cholesky(Boxed<Supernodes>, Vec<Lanes>),
    /// A with permuted rows and columns is LU.
    Lu(Boxed<Lu>),
}

/// The kind of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SolveKind {
    /// A⁻¹.
    Inverse,
    /// A⁻ᵀ.
    Transposed,
    /// L⁻¹P, for LLᵀ only.
    Half,
}

impl Factors {
    /// Compute order and symbolic factor of a pattern.
    pub fn of_pattern(structure: Structure, matrix: &MatrixCopy) -> Result<Self, FactorError> {
        let pattern = Adjacency::of_columns(&matrix.starts, &matrix.rows)?;
        let order = minimum_degree(&pattern)?;
        match structure {
            Structure::PositiveDefinite => {
                let tree = Tree::new(&pattern, order)?;
                let supernodes = Supernodes::new(tree, &pattern, matrix)?;
                let panels = repeated(supernodes.length, [0.0; 4])?;
                Ok(Self::Cholesky(Boxed::new(supernodes)?, panels))
            }
            Structure::General => Ok(Self::Lu(Boxed::new(Lu::new(order))?)),
        }
    }

    pub fn structure(&self) -> Structure {
        match self {
            Self::Cholesky(..) => Structure::PositiveDefinite,
            Self::Lu(..) => Structure::General,
        }
    }

    /// Write the index of each row of A in the columns that [`Self::solve`] works on.
    pub fn write_positions(&self, positions: &mut Vec<u32>) -> memory::Result {
        match self {
            Self::Cholesky(supernodes, _) => {
                collect(positions, supernodes.place.len(), supernodes.place.iter().copied())
            }
            // A solve permutes rows and columns of LU itself.
            Self::Lu(lu) => collect(positions, lu.size(), 0..lu.size() as u32),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Cholesky(supernodes, _) => supernodes.order.len(),
            Self::Lu(lu) => lu.size(),
        }
    }

    /// Compute the numeric factor of a matrix with the pattern of this symbolic factor.
    pub fn factorize(&mut self, matrix: &MatrixCopy, work: &mut Workspace) -> Result<(), FactorError> {
        match self {
            Self::Cholesky(supernodes, panels) => {
                let need = Need { changes: supernodes.most_changes, ..Need::default() };
                let Scratch { changes, .. } = work.take(need)?;
                panels.fill([0.0; 4]);
                let values = panels.as_flattened_mut();
                for (&entry, &value) in supernodes.entries.iter().zip(&matrix.values) {
                    values[entry as usize] = value;
                }
                at_best(CholeskyElimination { supernodes, panels, changes })
                    .map_err(|k| FactorError::NotPositiveDefinite { row: supernodes.order[k] as usize })?;
                if is_finite(panels.as_flattened()) { Ok(()) } else { Err(FactorError::NotFinite) }
            }
            Self::Lu(lu) => lu.factorize(matrix),
        }
    }

    /// The memory for a solve with `vectors` vectors of right-hand sides.
    pub fn solve_need(&self, vectors: usize) -> Need {
        let columns = self.size() * vectors;
        let permuted = if self.structure() == Structure::General { columns } else { 0 };
        Need { columns, permuted, marks: self.size(), ..Need::default() }
    }

    /// Solve the columns of the scratch memory in place. They have `vectors` vectors for each row, at the index by
    /// [`Self::write_positions`]. With `some`, only marked rows of a full solve are needed. LU has no half solve and does a full one.
    ///
    /// # Panics
    /// If there is no kernel for this number of vectors.
    pub fn solve(&self, which: SolveKind, vectors: usize, some: bool, scratch: &mut Scratch) {
        match vectors {
            1 => self.solve_vectors::<1>(which, some, scratch),
            2 => self.solve_vectors::<2>(which, some, scratch),
            3 => self.solve_vectors::<3>(which, some, scratch),
            _ => unreachable!("one to three vectors"),
        }
    }

    fn solve_vectors<const V: usize>(&self, which: SolveKind, some: bool, scratch: &mut Scratch) {
        let (x, _) = scratch.columns.as_chunks_mut::<V>();
        match self {
            Self::Cholesky(supernodes, panels) => {
                let marks = some.then_some(&mut *scratch.marks);
                at_best(Triangles::<V> { supernodes, panels, which, marks, x });
            }
            Self::Lu(lu) => {
                let (y, _) = scratch.permuted.as_chunks_mut::<V>();
                at_best(LuSolve { lu, which, x, y });
            }
        }
    }

    /// Call `visit` with the row of A and the pivot L_kk² for each pivot of LLᵀ, in the order of elimination.
    pub fn each_pivot(&self, mut visit: impl FnMut(usize, f64)) {
        let Self::Cholesky(supernodes, panels) = self else { return };
        for node in &supernodes.all {
            let panel = &panels[node.panel()];
            for k in 0..node.width {
                let root = panel[node.width * (k / 4) + k][k % 4];
                visit(supernodes.order[node.start + k] as usize, root * root);
            }
        }
    }

    /// See [`super::Factored::factor_length`].
    pub fn length(&self) -> usize {
        match self {
            Self::Cholesky(supernodes, _) => supernodes.values(),
            Self::Lu(lu) => lu.values(),
        }
    }

    /// The bytes of values and indices.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Cholesky(supernodes, panels) => supernodes.bytes() + memory::bytes(panels),
            Self::Lu(lu) => lu.bytes(),
        }
    }
}

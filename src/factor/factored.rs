//! An inverse inertia given as the matrix A itself: the library factors A, and solves apply A⁻¹.

use core::fmt;

use super::condition::inverse_norm;
use super::error::FactorError;
use super::factors::{Factors, SolveKind};
use super::is_finite;
use super::matrix_copy::{MatrixCopy, check};
use super::workspace::Workspace;

/// The most slots, of three right-hand sides each, in one solve: four rows of the right-hand sides fill the registers. Fewer slots also
/// meet fewer supernodes.
pub const SLOTS_AT_ONCE: usize = 4;

/// The structure of A, which determines the part that is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Symmetric and positive definite. The lower triangle is given: in each column the diagonal first, then ascending rows.
    PositiveDefinite,
    /// Any matrix. All entries are given, rows in any order.
    General,
}

/// The changes that an update found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorStatus {
    /// None: the matrix is bit-identical, and the factor was kept.
    Kept,
    /// The values changed, but not the pattern.
    Values,
    /// The pattern changed.
    Pattern,
}

/// A factored matrix and a copy of the matrix.
///
/// An update with the same matrix keeps everything. An update with the same pattern and other values keeps order, symbolic factor and
/// memory. A comparison with the copy decides.
#[derive(Default)]
pub struct Factored {
    matrix: MatrixCopy,
    factors: Option<Factors>,
    /// The index of row i of A in the columns that the factors solve.
    positions: Vec<u32>,
    /// Whether the factors belong to the matrix.
    ready: bool,
    revision: u64,
}

impl Factored {
    /// Factor A, given in compressed sparse columns: column j has the values `starts[j]..starts[j + 1]`, in rows
    /// `rows[..]`.
    ///
    /// # Errors
    /// If the columns are ill-formed or have a non-finite value, if A is not positive definite or is singular (a
    /// pivot is exactly zero: a badly conditioned matrix is no error), or if memory is exhausted. There is no
    /// factor then, and the next update tries again.
    pub fn update(
        &mut self,
        structure: Structure,
        starts: &[i32],
        rows: &[i32],
        values: &[f64],
        work: &mut Workspace,
    ) -> Result<FactorStatus, FactorError> {
        let same_pattern = self.structure() == Some(structure)
            && rows.len() == values.len()
            && self.matrix.has_pattern(starts, rows);
        if same_pattern && self.ready && self.matrix.has_values(values) {
            return Ok(FactorStatus::Kept);
        }
        self.ready = false;
        self.revision += 1;
        if !same_pattern {
            self.factors = None;
            check(starts, rows, values, structure == Structure::PositiveDefinite)?;
            self.matrix.set_pattern(starts, rows)?;
        }
        if !is_finite(values) {
            return Err(FactorError::NotFinite);
        }
        self.matrix.set_values(values);
        let factors = match &mut self.factors {
            Some(factors) => factors,
            none => {
                let factors = Factors::of_pattern(structure, &self.matrix)?;
                factors.write_positions(&mut self.positions)?;
                none.insert(factors)
            }
        };
        factors.factorize(&self.matrix, work)?;
        self.ready = true;
        Ok(if same_pattern { FactorStatus::Values } else { FactorStatus::Pattern })
    }

    /// The number of rows of A.
    #[inline]
    pub fn size(&self) -> usize {
        self.matrix.size()
    }

    /// The structure of A; `None` before the first update.
    #[inline]
    pub fn structure(&self) -> Option<Structure> {
        self.factors.as_ref().map(Factors::structure)
    }

    /// A number that changes whenever the factor changes.
    #[inline]
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// The number of values in one triangular factor. It is the number of multiplications of a half solve; a full solve takes twice
    /// this number. For LU it is the number of values in both: a multiplication with a value that is not in a dense panel takes twice as
    /// long, or a little more.
    pub fn factor_length(&self) -> usize {
        self.factors.as_ref().map_or(0, Factors::length)
    }

    /// The bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.matrix.bytes() + 4 * self.positions.capacity() + self.factors.as_ref().map_or(0, Factors::bytes)
    }

    /// Replace each panel Hᵢ by Yᵢᵀ = (A⁻¹Hᵢᵀ)ᵀ. Panels are 3 × n, column-major, contiguous. The bits of a panel depend on this
    /// panel and A alone, not on the other panels or their order.
    ///
    /// # Errors
    /// If there is no factor, or memory is exhausted.
    ///
    /// # Panics
    /// If the length of `panels` is no multiple of the length of a panel.
    pub fn solve(&self, panels: &mut [f64], work: &mut Workspace) -> Result<(), FactorError> {
        self.solve_panels(SolveKind::Inverse, panels, work)
    }

    /// Replace each panel Hᵢ by Yᵢᵀ = (L⁻¹P Hᵢᵀ)ᵀ, so that H_α A⁻¹ H_βᵀ = Y_αᵀ Y_β. Returns false, without a change, if A is
    /// not symmetric and has no such factor.
    ///
    /// # Errors
    /// As [`Self::solve`].
    ///
    /// # Panics
    /// As [`Self::solve`].
    pub fn half_solve(&self, panels: &mut [f64], work: &mut Workspace) -> Result<bool, FactorError> {
        let symmetric = self.structure() != Some(Structure::General);
        if symmetric {
            self.solve_panels(SolveKind::Half, panels, work)?;
        }
        Ok(symmetric)
    }

    /// Estimate the condition number κ₁(A) = ‖A‖₁ ‖A⁻¹‖₁: a lower bound, nearly always within a factor of three.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn condition(&self, work: &mut Workspace) -> Result<f64, FactorError> {
        let size = self.size();
        let mut x = Vec::new();
        x.try_reserve_exact(size)?;
        x.resize(size, 0.0);
        self.matrix.add_column_sums(self.structure() == Some(Structure::PositiveDefinite), &mut x);
        let norm = x.iter().copied().fold(0.0, f64::max);
        Ok(norm * inverse_norm(&mut x, |x, which| self.solve_column(which, x, work))?)
    }

    /// Call `visit` with the row of A and the pivot L_kk² for each pivot of LLᵀ, in the order of elimination; never for LU.
    ///
    /// # Errors
    /// If there is no factor.
    pub fn each_pivot(&self, visit: impl FnMut(usize, f64)) -> Result<(), FactorError> {
        self.ready_factors()?.each_pivot(visit);
        Ok(())
    }

    /// The position of the first row of a node in the order of elimination.
    ///
    /// # Panics
    /// If the matrix has no such node.
    #[inline]
    pub fn position(&self, node: u32) -> u32 {
        self.positions[3 * node as usize]
    }

    /// Solve for the three unit vectors of each node b. The arguments of `store` are the index of b in `nodes` and the columns 3b,
    /// 3b + 1, 3b + 2 of A⁻¹ at the `wanted` nodes. Their bits do not depend on the other nodes.
    pub fn solve_nodes(
        &self,
        nodes: &[u32],
        wanted: &[u32],
        work: &mut Workspace,
        mut store: impl FnMut(usize, SolvedColumns),
    ) -> Result<(), FactorError> {
        self.solve_slots(
            SolveRequest { which: SolveKind::Inverse, count: nodes.len(), wanted: Some(wanted) },
            work,
            &mut store,
            |_, k, mut columns| {
                let node = 3 * nodes[k] as usize;
                (0..3).for_each(|j| columns.at(node + j)[j] = 1.0);
            },
            |store, k, columns| store(k, SolvedColumns(columns)),
        )
    }

    fn solve_panels(
        &self,
        which: SolveKind,
        panels: &mut [f64],
        work: &mut Workspace,
    ) -> Result<(), FactorError> {
        let length = 3 * self.size();
        assert_eq!(panels.len() % length.max(1), 0);
        self.solve_slots(
            SolveRequest { which, count: panels.len() / length.max(1), wanted: None },
            work,
            panels,
            |panels, k, mut columns| {
                let rows = panels[length * k..][..length].chunks_exact(3).enumerate();
                rows.for_each(|(i, values)| columns.at(i).copy_from_slice(values));
            },
            |panels, k, mut columns| {
                let rows = panels[length * k..][..length].chunks_exact_mut(3).enumerate();
                rows.for_each(|(i, values)| values.copy_from_slice(columns.at(i)));
            },
        )
    }

    /// Replace the vector x by A⁻¹x.
    ///
    /// # Errors
    /// As [`Self::solve`].
    ///
    /// # Panics
    /// If x is shorter than A has rows.
    pub fn solve_vector(&self, x: &mut [f64], work: &mut Workspace) -> Result<(), FactorError> {
        self.solve_column(SolveKind::Inverse, x, work)
    }

    fn solve_column(&self, which: SolveKind, x: &mut [f64], work: &mut Workspace) -> Result<(), FactorError> {
        let factors = self.ready_factors()?;
        let mut scratch = work.take(factors.solve_need(1))?;
        self.positions.iter().zip(&*x).for_each(|(&at, x)| scratch.columns[at as usize][0] = *x);
        factors.solve(which, 1, false, &mut scratch);
        self.positions.iter().zip(x).for_each(|(&at, x)| *x = scratch.columns[at as usize][0]);
        Ok(())
    }

    /// Solve with the right-hand sides of all slots, in batches. `load` writes the right-hand sides of slot k into columns of zeros,
    /// `store` reads their solutions. Batches may be padded with zeros.
    fn solve_slots<Data: ?Sized>(
        &self,
        SolveRequest { which, count, wanted }: SolveRequest,
        work: &mut Workspace,
        data: &mut Data,
        load: impl Fn(&Data, usize, PermutedColumns),
        store: impl Fn(&mut Data, usize, PermutedColumns),
    ) -> Result<(), FactorError> {
        let factors = self.ready_factors()?;
        let positions = &self.positions;
        for first in (0..count).step_by(SLOTS_AT_ONCE) {
            let slots = SLOTS_AT_ONCE.min(count - first);
            let vectors = vectors(slots);
            let width = 4 * vectors;
            let mut scratch = work.take(factors.solve_need(vectors))?;
            for &node in wanted.unwrap_or_default() {
                let rows = &positions[3 * node as usize..][..3];
                rows.iter().for_each(|&row| scratch.marks[row as usize] = true);
            }
            for slot in 0..slots {
                let values = scratch.columns.as_flattened_mut();
                load(data, first + slot, PermutedColumns { values, width, slot, positions });
            }
            factors.solve(which, vectors, wanted.is_some(), &mut scratch);
            for slot in 0..slots {
                let values = scratch.columns.as_flattened_mut();
                store(data, first + slot, PermutedColumns { values, width, slot, positions });
            }
        }
        Ok(())
    }

    fn ready_factors(&self) -> Result<&Factors, FactorError> {
        self.factors.as_ref().filter(|_| self.ready).ok_or(FactorError::Missing)
    }
}

/// The number of vectors for the right-hand sides of some slots. Bits do not depend on it.
fn vectors(slots: usize) -> usize {
    match slots {
        1 | 2 => slots,
        _ => 3,
    }
}

/// The description of a solve.
struct SolveRequest<'a> {
    which: SolveKind,
    /// The number of slots, of three right-hand sides each.
    count: usize,
    /// The nodes at which the solutions are needed; `None` if at all of them.
    wanted: Option<&'a [u32]>,
}

/// The three columns of one slot in the columns of a batch, in the row order of the factors.
struct PermutedColumns<'a> {
    values: &'a mut [f64],
    width: usize,
    slot: usize,
    positions: &'a [u32],
}

impl PermutedColumns<'_> {
    /// The values of row i of A.
    #[inline]
    fn at(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[self.width * self.positions[i] as usize + 3 * self.slot..][..3]
    }
}

/// The three solved columns of a node.
pub struct SolvedColumns<'a>(PermutedColumns<'a>);

impl SolvedColumns<'_> {
    /// The rows at a node, as the columns of a block.
    #[inline]
    pub fn transposed_at_node(&mut self, node: u32) -> [f64; 9] {
        let mut block = [0.0; 9];
        for (i, rows) in block.chunks_exact_mut(3).enumerate() {
            rows.copy_from_slice(self.0.at(3 * node as usize + i));
        }
        block
    }
}

impl fmt::Debug for Factored {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Factored")
            .field("size", &self.size())
            .field("structure", &self.structure())
            .field("ready", &self.ready)
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}

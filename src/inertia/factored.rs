//! An inverse inertia given as the matrix A itself: A is factored here, and A⁻¹ applied by solves.

use core::fmt;

use faer::MatMut;

use super::condition::inverse_norm;
use super::factors::{Factors, Solve};
use super::matrix_copy::{MatrixCopy, check};
use super::{Defect, Workspace};
use crate::block::is_finite;

/// Right-hand sides solved at once: wide enough for the kernels to run at full speed, few enough to bound the
/// scratch memory.
const BATCH: usize = 48;

/// What is known of A, and so which part of it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Structure {
    /// Symmetric and positive definite: the lower triangle is given, in every column the diagonal first and
    /// then ascending rows.
    PositiveDefinite,
    /// All of A is given, rows in any order.
    General,
}

/// What an update had to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// Nothing: the matrix is the same, bit for bit.
    Kept,
    /// The values changed.
    Values,
    /// The pattern changed.
    Pattern,
}

/// Why A cannot be factored, or not be solved with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactorError {
    /// The columns do not describe a matrix, or not one of the size asked for.
    Matrix(Defect),
    /// A value of A or of its factor is not finite.
    NotFinite,
    /// A is not positive definite: the pivot of this row is not positive.
    NotPositiveDefinite {
        /// The row, in A's own order.
        row: usize,
    },
    /// A is singular: a pivot is exactly zero.
    Singular,
    /// Memory is exhausted.
    Memory,
    /// There is no factor, since no update was successful.
    Missing,
}

impl fmt::Display for FactorError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Matrix(defect) => defect.fmt(f),
            Self::NotFinite => f.write_str("non-finite value"),
            Self::NotPositiveDefinite { row } => write!(f, "not positive definite in row {row}"),
            Self::Singular => f.write_str("singular"),
            Self::Memory => f.write_str("out of memory"),
            Self::Missing => f.write_str("not factored"),
        }
    }
}

/// A factored matrix and a copy of the matrix it belongs to.
///
/// An update with the same matrix keeps everything; with the same pattern and other values it keeps order,
/// symbolic factor and memory. What is the same is found out by comparison with the copy.
///
/// Memory is reserved fallibly, here and in faer, with these exceptions, which abort: faer's buffers for
/// packing, one for each thread, made at its first larger product, and with LU small ones of its symbolic
/// analysis and of the numeric factor's lists of rows. Neither happens where pattern and memory are kept.
#[derive(Default)]
pub struct Factored {
    matrix: MatrixCopy,
    factors: Option<Factors>,
    /// Where row i of A lies in the columns that the factors solve.
    positions: Vec<u32>,
    /// Whether the factors are those of the matrix.
    ready: bool,
    revision: u64,
    survived: u32,
}

impl Factored {
    /// Make the factor that of A, in compressed sparse columns: column j holds the values
    /// `starts[j]..starts[j + 1]`, in rows `rows[..]`.
    ///
    /// # Errors
    /// If the columns are ill-formed or hold a non-finite value, if A is not positive definite or singular (a
    /// pivot is exactly zero: a badly conditioned matrix is no error), or if memory is exhausted. There is no
    /// factor then, and the next update tries anew.
    pub fn update(
        &mut self,
        structure: Structure,
        starts: &[i32],
        rows: &[i32],
        values: &[f64],
        work: &mut Workspace,
    ) -> Result<Freshness, FactorError> {
        let same_pattern = self.structure() == Some(structure)
            && rows.len() == values.len()
            && self.matrix.has_pattern(starts, rows);
        if same_pattern && self.ready && self.matrix.has_values(values) {
            self.survived = self.survived.saturating_add(1);
            return Ok(Freshness::Kept);
        }
        self.ready = false;
        self.survived = 0;
        self.revision += 1;
        if !same_pattern {
            self.factors = None;
            check(starts, rows, values, structure == Structure::PositiveDefinite)?;
            self.matrix.set_pattern(starts, rows).map_err(|_| FactorError::Memory)?;
        }
        if !is_finite(values) {
            return Err(FactorError::NotFinite);
        }
        self.matrix.set_values(values);
        let factors = match &mut self.factors {
            Some(factors) => factors,
            none => {
                let factors = Factors::of_pattern(structure, &self.matrix)?;
                factors.write_positions(&mut self.positions).map_err(|_| FactorError::Memory)?;
                none.insert(factors)
            }
        };
        factors.factorise(&self.matrix, work)?;
        self.ready = true;
        Ok(if same_pattern { Freshness::Values } else { Freshness::Pattern })
    }

    /// Number of rows of A.
    pub fn size(&self) -> usize {
        self.matrix.size()
    }

    /// What was said of A; `None` before the first update.
    pub fn structure(&self) -> Option<Structure> {
        self.factors.as_ref().map(Factors::structure)
    }

    /// A number that changes whenever the factor does.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Updates that found the matrix unchanged since its last change.
    pub fn survived(&self) -> u32 {
        self.survived
    }

    /// Numbers in one triangular factor: the multiplications of a half solve, half as many as of a whole one.
    /// For LU an upper bound.
    pub fn factor_length(&self) -> usize {
        self.factors.as_ref().map_or(0, Factors::length)
    }

    /// Bytes held; for LU an upper bound.
    pub fn bytes(&self) -> usize {
        self.matrix.bytes() + 4 * self.positions.capacity() + self.factors.as_ref().map_or(0, Factors::bytes)
    }

    /// Replace every panel Hᵢ by Yᵢᵀ = (A⁻¹Hᵢᵀ)ᵀ; panels are 3 × n, column-major, one behind the other.
    ///
    /// # Errors
    /// If there is no factor, or memory is exhausted.
    ///
    /// # Panics
    /// If `panels` is no whole number of panels.
    pub fn solve(&self, panels: &mut [f64], work: &mut Workspace) -> Result<(), FactorError> {
        self.solve_panels(Solve::Inverse, panels, work)
    }

    /// As [`Self::solve`] with A⁻ᵀ.
    ///
    /// # Errors
    /// As there.
    ///
    /// # Panics
    /// As there.
    pub fn solve_transposed(&self, panels: &mut [f64], work: &mut Workspace) -> Result<(), FactorError> {
        self.solve_panels(Solve::Transposed, panels, work)
    }

    /// Replace every panel Hᵢ by Yᵢᵀ = (L⁻¹P Hᵢᵀ)ᵀ, so that H_α A⁻¹ H_βᵀ = Y_αᵀ Y_β; false, with the panels
    /// as they were, if A has no such factor for want of symmetry.
    ///
    /// # Errors
    /// As [`Self::solve`].
    ///
    /// # Panics
    /// As there.
    pub fn half_solve(&self, panels: &mut [f64], work: &mut Workspace) -> Result<bool, FactorError> {
        let symmetric = self.structure() != Some(Structure::General);
        if symmetric {
            self.solve_panels(Solve::Half, panels, work)?;
        }
        Ok(symmetric)
    }

    /// Estimate of the condition number κ₁(A) = ‖A‖₁ ‖A⁻¹‖₁, from below and nearly always within a factor of
    /// three.
    ///
    /// # Errors
    /// As [`Self::solve`].
    pub fn condition(&self, work: &mut Workspace) -> Result<f64, FactorError> {
        let size = self.size();
        let mut x = Vec::new();
        x.try_reserve_exact(size).map_err(|_| FactorError::Memory)?;
        x.resize(size, 0.0);
        self.matrix.add_column_sums(self.structure() == Some(Structure::PositiveDefinite), &mut x);
        let norm = x.iter().copied().fold(0.0, f64::max);
        Ok(norm * inverse_norm(&mut x, |x, which| self.solve_column(which, x, work))?)
    }

    /// Solve for the three unit vectors of each node b: `store` is told the index of b in `nodes`, the
    /// component j = 0, 1, 2 of the unit vector, and column 3b + j of A⁻¹, or of A⁻ᵀ if `transposed`.
    pub(super) fn solve_nodes(
        &self,
        transposed: bool,
        nodes: &[u32],
        work: &mut Workspace,
        mut store: impl FnMut(usize, usize, Solution),
    ) -> Result<(), FactorError> {
        let which = if transposed { Solve::Transposed } else { Solve::Inverse };
        self.solve_columns(
            which,
            3 * nodes.len(),
            work,
            &mut store,
            |_, k, column, positions| column[positions[3 * nodes[k / 3] as usize + k % 3] as usize] = 1.0,
            |store, k, column, positions| store(k / 3, k % 3, Solution { column, positions }),
        )
    }

    fn solve_panels(
        &self,
        which: Solve,
        panels: &mut [f64],
        work: &mut Workspace,
    ) -> Result<(), FactorError> {
        let size = self.size();
        assert_eq!(panels.len() % (3 * size).max(1), 0);
        let row = |k: usize| 3 * size * (k / 3) + k % 3;
        self.solve_columns(
            which,
            panels.len() / size.max(1),
            work,
            panels,
            |panels, k, column, positions| {
                let values = panels[row(k)..].iter().step_by(3);
                positions.iter().zip(values).for_each(|(&at, value)| column[at as usize] = *value);
            },
            |panels, k, column, positions| {
                let values = panels[row(k)..].iter_mut().step_by(3);
                positions.iter().zip(values).for_each(|(&at, value)| *value = column[at as usize]);
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
        self.solve_column(Solve::Inverse, x, work)
    }

    fn solve_column(&self, which: Solve, x: &mut [f64], work: &mut Workspace) -> Result<(), FactorError> {
        self.solve_columns(
            which,
            1,
            work,
            x,
            |x, _, column, positions| positions.iter().zip(x).for_each(|(&at, x)| column[at as usize] = *x),
            |x, _, column, positions| positions.iter().zip(x).for_each(|(&at, x)| *x = column[at as usize]),
        )
    }

    /// Solve with `count` right-hand sides, a batch at a time. `load` writes right-hand side k into a column
    /// of zeros, row i to the place `positions[i]`, `store` reads the solution from the same places.
    fn solve_columns<Data: ?Sized>(
        &self,
        which: Solve,
        count: usize,
        work: &mut Workspace,
        data: &mut Data,
        load: impl Fn(&Data, usize, &mut [f64], &[u32]),
        store: impl Fn(&mut Data, usize, &[f64], &[u32]),
    ) -> Result<(), FactorError> {
        let factors = self.factors.as_ref().filter(|_| self.ready).ok_or(FactorError::Missing)?;
        let size = self.size();
        for first in (0..count).step_by(BATCH) {
            let width = BATCH.min(count - first);
            let (stack, x) = work.take(factors.solve_scratch(width), size * width)?;
            for (k, column) in x.chunks_exact_mut(size).enumerate() {
                load(data, first + k, column, &self.positions);
            }
            factors.solve(which, MatMut::from_column_major_slice_mut(x, size, width), stack);
            for (k, column) in x.chunks_exact(size).enumerate() {
                store(data, first + k, column, &self.positions);
            }
        }
        Ok(())
    }
}

/// A solved column, in the order of the factors.
#[derive(Clone, Copy)]
pub(super) struct Solution<'a> {
    column: &'a [f64],
    positions: &'a [u32],
}

impl Solution<'_> {
    /// The values of a node: rows 3a, 3a + 1, 3a + 2.
    pub(super) fn at_node(&self, node: u32) -> [f64; 3] {
        let positions = &self.positions[3 * node as usize..][..3];
        [0, 1, 2].map(|i| self.column[positions[i] as usize])
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

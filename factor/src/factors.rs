//! Factors of a sparse matrix by the library faer, in one thread: Cholesky LLᵀ with an approximate minimum
//! degree order, or LU with partial pivoting and COLAMD, both with supernodes.

use std::collections::TryReserveError;

use faer::linalg::cholesky::llt::factor::LltError;
use faer::prelude::ReborrowMut;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLltRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::sparse::linalg::triangular_solve::{
    solve_lower_triangular_in_place, solve_lower_triangular_transpose_in_place,
};
use faer::sparse::linalg::{LuError, SupernodalThreshold};
use faer::sparse::{FaerError, SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

use crate::boxed::Boxed;
use crate::is_finite;
use crate::matrix_copy::MatrixCopy;
use crate::reserve;
use crate::supernodal::{mark_ancestors, most_rows_below, solve_lower, solve_upper};
use crate::workspace::{Need, Scratch};
use crate::{FactorError, Structure, Workspace};

/// Supernodes are faster at every size: the kernels work on dense columns even if there is little fill.
const SUPERNODES: SupernodalThreshold = SupernodalThreshold::FORCE_SUPERNODAL;

/// The factors, symbolic and numeric.
pub(crate) enum Factors {
    /// P A Pᵀ = LLᵀ, and the values of L.
    Cholesky(Boxed<SymbolicCholesky<u32>>, Vec<f64>),
    /// A with permuted rows and columns is LU.
    Lu(Boxed<SymbolicLu<u32>>, Boxed<NumericLu<u32, f64>>),
}

/// The kind of a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solve {
    /// A⁻¹.
    Inverse,
    /// A⁻ᵀ.
    Transposed,
    /// L⁻¹P, for LLᵀ only.
    Half,
}

impl Factors {
    /// Compute order and symbolic factor of a pattern.
    pub(crate) fn of_pattern(structure: Structure, matrix: &MatrixCopy) -> Result<Self, FactorError> {
        let pattern = pattern(matrix);
        match structure {
            Structure::PositiveDefinite => {
                let parameters = CholeskySymbolicParams {
                    supernodal_flop_ratio_threshold: SUPERNODES,
                    ..Default::default()
                };
                let symbolic =
                    factorize_symbolic_cholesky(pattern, Side::Lower, SymmetricOrdering::Amd, parameters)?;
                let mut values = Vec::new();
                values.try_reserve_exact(symbolic.len_val())?;
                values.resize(symbolic.len_val(), 0.0);
                Ok(Self::Cholesky(Boxed::new(symbolic)?, values))
            }
            Structure::General => {
                let parameters =
                    LuSymbolicParams { supernodal_flop_ratio_threshold: SUPERNODES, ..Default::default() };
                reserve::order_of_lu(matrix.size(), matrix.rows.len())?;
                let symbolic = factorize_symbolic_lu(pattern, parameters)?;
                Ok(Self::Lu(Boxed::new(symbolic)?, Boxed::new(NumericLu::new())?))
            }
        }
    }

    pub(crate) fn structure(&self) -> Structure {
        match self {
            Self::Cholesky(..) => Structure::PositiveDefinite,
            Self::Lu(..) => Structure::General,
        }
    }

    /// Write the index of each row of A in the columns that [`Self::solve`] works on.
    pub(crate) fn write_positions(&self, positions: &mut Vec<u32>) -> Result<(), TryReserveError> {
        let size = self.size();
        positions.clear();
        positions.try_reserve_exact(size)?;
        match self {
            Self::Cholesky(symbolic, _) => match symbolic.perm() {
                Some(order) => positions.extend_from_slice(order.arrays().1),
                None => positions.extend(0..size as u32),
            },
            // faer permutes the columns of LU itself.
            Self::Lu(..) => positions.extend(0..size as u32),
        }
        Ok(())
    }

    fn size(&self) -> usize {
        match self {
            Self::Cholesky(symbolic, _) => symbolic.nrows(),
            Self::Lu(symbolic, _) => symbolic.nrows(),
        }
    }

    /// Compute the numeric factor of a matrix with the pattern of this symbolic factor.
    pub(crate) fn factorize(&mut self, matrix: &MatrixCopy, work: &mut Workspace) -> Result<(), FactorError> {
        let a = SparseColMatRef::new(pattern(matrix), matrix.values.as_slice());
        match self {
            Self::Cholesky(symbolic, values) => {
                let scratch = symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
                let Scratch { stack, .. } = work.take(Need { stack: scratch, ..Need::default() })?;
                let result = symbolic.factorize_numeric_llt(
                    values,
                    a,
                    Side::Lower,
                    Default::default(),
                    Par::Seq,
                    stack,
                    Default::default(),
                );
                if let Err(LltError::NonPositivePivot { index }) = result {
                    // faer counts from one without supernodes, and from zero with supernodes.
                    let index = match symbolic.raw() {
                        SymbolicCholeskyRaw::Simplicial(_) => index - 1,
                        SymbolicCholeskyRaw::Supernodal(_) => index,
                    };
                    let row = symbolic.perm().map_or(index, |order| order.arrays().0[index] as usize);
                    return Err(FactorError::NotPositiveDefinite { row });
                }
                if is_finite(values) { Ok(()) } else { Err(FactorError::NotFinite) }
            }
            Self::Lu(symbolic, numeric) => {
                let scratch = symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default());
                let Scratch { stack, .. } = work.take(Need { stack: scratch, ..Need::default() })?;
                match symbolic.factorize_numeric_lu(numeric, a, Par::Seq, stack, Default::default()) {
                    Ok(_) => {}
                    Err(LuError::SymbolicSingular { .. }) => return Err(FactorError::Singular),
                    Err(LuError::Generic(error)) => return Err(error.into()),
                }
                self.reject_zero_pivots(work)
            }
        }
    }

    /// The memory for a solve with `width` right-hand sides.
    pub(crate) fn solve_need(&self, width: usize) -> Need {
        let need = Need { columns: self.size() * width, marks: self.size(), ..Need::default() };
        match self {
            Self::Cholesky(symbolic, _) => match symbolic.raw() {
                SymbolicCholeskyRaw::Supernodal(symbolic) => {
                    Need { gathered: most_rows_below(symbolic) * width, ..need }
                }
                SymbolicCholeskyRaw::Simplicial(_) => need,
            },
            Self::Lu(symbolic, _) => {
                Need { stack: symbolic.solve_in_place_scratch::<f64>(width, Par::Seq), ..need }
            }
        }
    }

    /// Solve the columns of the scratch memory in place. They have `width` values for each row, at the index by
    /// [`Self::write_positions`]. With `some`, only marked rows of a full solve are needed. LU has no half solve and does a full one.
    pub(crate) fn solve(&self, which: Solve, width: usize, some: bool, scratch: &mut Scratch) {
        let Scratch { stack, columns, gathered, marks } = scratch;
        match self {
            Self::Cholesky(symbolic, values) => match symbolic.raw() {
                SymbolicCholeskyRaw::Supernodal(symbolic) => {
                    let l = SupernodalLltRef::new(symbolic, values);
                    solve_lower(l, columns, width, gathered);
                    if which != Solve::Half {
                        if some {
                            mark_ancestors(symbolic, marks);
                        }
                        solve_upper(l, columns, width, gathered, some.then_some(marks));
                    }
                }
                // The factor of a diagonal matrix takes no operations and has no supernodes.
                SymbolicCholeskyRaw::Simplicial(symbolic) => {
                    let l = SparseColMatRef::new(symbolic.factor(), values.as_slice());
                    let mut x = MatMut::from_row_major_slice_mut(columns, self.size(), width);
                    solve_lower_triangular_in_place(l, Conj::No, x.rb_mut(), Par::Seq);
                    if which != Solve::Half {
                        solve_lower_triangular_transpose_in_place(l, Conj::No, x, Par::Seq);
                    }
                }
            },
            Self::Lu(symbolic, numeric) => {
                let lu = LuRef::new_unchecked(symbolic, numeric);
                let x = MatMut::from_row_major_slice_mut(columns, self.size(), width);
                match which {
                    Solve::Transposed => lu.solve_transpose_in_place_with_conj(Conj::No, x, Par::Seq, stack),
                    Solve::Inverse | Solve::Half => lu.solve_in_place_with_conj(Conj::No, x, Par::Seq, stack),
                }
            }
        }
    }

    /// Call `visit` with the row of A and the pivot L_kk² for each pivot of LLᵀ, in the order of elimination.
    pub(crate) fn each_pivot(&self, mut visit: impl FnMut(usize, f64)) {
        let Self::Cholesky(symbolic, values) = self else { return };
        let mut pivot = |k: usize, root: f64| {
            let row = symbolic.perm().map_or(k, |order| order.arrays().0[k] as usize);
            visit(row, root * root);
        };
        match symbolic.raw() {
            SymbolicCholeskyRaw::Supernodal(symbolic) => {
                let l = SupernodalLltRef::<u32, f64>::new(symbolic, values);
                for node in (0..symbolic.n_supernodes()).map(|s| l.supernode(s)) {
                    (0..node.val().ncols()).for_each(|k| pivot(node.start() + k, node.val()[(k, k)]));
                }
            }
            // The diagonal is the first entry of each column.
            SymbolicCholeskyRaw::Simplicial(symbolic) => {
                let firsts = symbolic.col_ptr()[..symbolic.nrows()].iter().enumerate();
                firsts.for_each(|(k, &first)| pivot(k, values[first as usize]));
            }
        }
    }

    /// The number of values in one triangular factor. faer does not publish the number for LU: the upper bound of a dense factor
    /// replaces it.
    pub(crate) fn length(&self) -> usize {
        match self {
            Self::Cholesky(symbolic, _) => symbolic.len_val(),
            Self::Lu(..) => self.size() * (self.size() + 1) / 2,
        }
    }

    /// The bytes of values and indices; an upper bound where faer does not publish a length.
    pub(crate) fn bytes(&self) -> usize {
        let (values, indices) = match self {
            Self::Cholesky(symbolic, _) => match symbolic.raw() {
                SymbolicCholeskyRaw::Supernodal(s) => {
                    (self.length(), 2 * s.row_idx().len() + 5 * s.n_supernodes() + 2 * s.nrows())
                }
                SymbolicCholeskyRaw::Simplicial(s) => (self.length(), s.row_idx().len() + 4 * s.nrows()),
            },
            Self::Lu(..) => (2 * self.length(), 2 * self.length() + 8 * self.size()),
        };
        8 * values + 4 * indices
    }

    /// Return an error if a pivot is zero. faer does not publish the pivots of LU, but a division by a zero pivot leaves an infinity
    /// or a NaN in any solution.
    fn reject_zero_pivots(&self, work: &mut Workspace) -> Result<(), FactorError> {
        let mut scratch = work.take(self.solve_need(1))?;
        scratch.columns.fill(1.0);
        self.solve(Solve::Inverse, 1, false, &mut scratch);
        if is_finite(scratch.columns) { Ok(()) } else { Err(FactorError::Singular) }
    }
}

impl From<FaerError> for FactorError {
    /// An index that overflows means a factor of more than 2³¹ numbers.
    fn from(_: FaerError) -> Self {
        Self::Memory
    }
}

fn pattern(matrix: &MatrixCopy) -> SymbolicSparseColMatRef<'_, u32> {
    let size = matrix.size();
    SymbolicSparseColMatRef::new_unsorted_checked(size, size, &matrix.starts, None, &matrix.rows)
}

//! The results of an update.
#![forbid(unsafe_code)]

use std::ops::Range;

use num_traits::AsPrimitive;

use crate::ffi::large_pages;
use crate::math::small_symmetric;
use crate::rows::BlockRows;
use crate::solve::{Normal, Problem};

use super::error::Result;
use super::id_table::Id;

/// The rows of W with V, B and the diagonal blocks. Row k belongs to the k-th constraint in the order of insertion, without the
/// removed ones; m is the number of scalar rows of the constraint.
///
/// ```
/// use ldy::system::{Inertia, Kinematics, System};
///
/// let mut system = System::new();
/// let arm = system.add_body(2, Kinematics::General, Inertia::diagonal(&[1.0, 4.0])?)?;
/// for dof in 0..2 {
///     system.add_dof_constraint(arm, Some(dof), 1.0)?;
/// }
/// system.update(0.5)?;
/// let rows = system.results()?;
/// for row in 0..rows.w.len() {
///     for (column, block) in rows.w.row(row) {
///         let expected = if row != column { 0.0 } else { [0.5, 2.0][row] };
///         assert_eq!(block, [expected]);
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Ids of the constraints.
    pub ids: &'a [Id],
    /// W: m × n blocks.
    pub w: BlockRows<'a>,
    /// Free local velocities B, computed from the free generalized velocities: m values for each row.
    pub b: &'a [f64],
    /// Previous local velocities V.
    pub v: &'a [f64],
    /// Diagonal blocks, m × m, symmetric to the bit.
    pub diagonal: &'a [f64],
    /// Inverses of the diagonal blocks, symmetric to the bit; NaN where a block is singular.
    pub inverse: &'a [f64],
    /// The start of the diagonal block of each row, and the end; empty if all have nine values.
    pub squares: &'a [usize],
}

impl<'a> Rows<'a> {
    /// The contact problem of these rows; the third component of contacts is the normal one.
    pub fn problem(&self) -> Problem<'a> {
        Problem { w: self.w, b: self.b, normal: Normal::Third }
    }

    /// The range of a row's diagonal block in `diagonal` and `inverse`.
    #[inline(always)]
    pub fn square(&self, row: usize) -> Range<usize> {
        range_of(self.squares, row, 9)
    }

    /// Write the largest eigenvalue of each diagonal block, NaN where none is found.
    pub fn block_eigenvalues(&self, values: &mut [f64]) {
        for (row, value) in values.iter_mut().enumerate() {
            let block = &self.diagonal[self.square(row)];
            *value = small_symmetric::largest_eigenvalue(self.w.height(row), block);
        }
    }
}

/// The values of the results, in the order of rows and blocks. [`Structure`](super::structure::Structure) finds the values of each
/// row and block.
#[derive(Debug, Default)]
pub(super) struct Results {
    /// The blocks, column-major.
    pub values: Vec<f64>,
    /// Free local velocities.
    pub b: Vec<f64>,
    /// Previous local velocities.
    pub v: Vec<f64>,
    /// Diagonal blocks.
    pub diagonal: Vec<f64>,
    /// Inverses of diagonal blocks.
    pub inverse: Vec<f64>,
}

/// The range of a row's values. `starts` has the first value of each row, and the end; it is empty if all rows have `each` values.
#[inline(always)]
pub(super) fn range_of(starts: &[impl AsPrimitive<usize>], row: usize, each: usize) -> Range<usize> {
    if starts.is_empty() { each * row..each * (row + 1) } else { starts[row].as_()..starts[row + 1].as_() }
}

/// Set the length of a vector without touching the values that it has already.
pub(super) fn resized<T: Copy>(values: &mut Vec<T>, length: usize, value: T) -> Result {
    let before = values.capacity();
    values.try_reserve(length.saturating_sub(values.len()))?;
    if values.capacity() != before {
        large_pages::ask_for(values.as_ptr(), values.capacity());
    }
    values.resize(length, value);
    Ok(())
}

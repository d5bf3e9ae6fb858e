//! Off-diagonal blocks of bodies with a Cholesky factor of h A⁻¹, row by row.
//!
//! W_αβ = Z_α Z_βᵀ is the transpose of W_βα to the bit, so it does not matter which of them is computed. Both are computed, each in
//! its place: this takes less time than writing the transpose to another row, and rows are independent of each other.

use super::pairs::Coupling;
use crate::body_operators::Panel;
use crate::math::Block;
use crate::math::simd::{Kernel, SimdLevel, add, are_finite, at_best, write};
use crate::team::{Partition, Team};

/// Columns of a row that have consecutive slots in the panel of one body, or one that two bodies couple with the row.
#[derive(Clone, Copy, Debug)]
pub struct ColumnRun {
    /// The couplings of the first column with the row.
    pub couplings: [Option<Coupling>; 2],
    /// The number of columns; 1 if two bodies couple it.
    pub count: usize,
}

/// Rows of blocks that threads take parts of.
pub trait WholeRows: Partition {
    /// The face's error for a block that is not finite.
    type Fault: Send;

    /// Make the blocks of each run of these rows; diagonal blocks are put in their places afterwards. `make` returns whether
    /// the blocks are finite.
    ///
    /// # Errors
    /// The error of the first block that is not finite.
    fn each(&mut self, make: impl FnMut(&ColumnRun, &mut [Block]) -> bool) -> Result<(), Self::Fault>;
}

/// Make the blocks of all rows; panels are complete, and diagonal blocks finite. A thread takes `part` rows at a time.
///
/// # Errors
/// The error of the first block in order that is not finite. Later blocks may not have been written.
pub fn assemble<R: WholeRows>(
    rows: R,
    part: usize,
    panels: &[Panel],
    team: &mut Team,
) -> Result<(), R::Fault> {
    team.try_share_parts(rows, part, |_, rows| at_best(WholeRowsKernel { rows, panels }))
}

/// Makes the blocks of some rows.
struct WholeRowsKernel<'a, R> {
    rows: R,
    panels: &'a [Panel],
}

impl<R: WholeRows> Kernel for WholeRowsKernel<'_, R> {
    type Output = Result<(), R::Fault>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let Self { mut rows, panels } = self;
        rows.each(
            #[inline(always)]
            |run, blocks| make(level, panels, run, blocks),
        )
    }
}

/// Make the blocks of a run; false if one is not finite. Blocks of one body are always finite, see [`Panel::finite_columns`].
#[inline(always)]
fn make<L: SimdLevel>(level: L, panels: &[Panel], run: &ColumnRun, blocks: &mut [Block]) -> bool {
    match (run.couplings, blocks) {
        ([Some(first), Some(second)], [block]) => {
            let (mut w, more) = (columns(level, panels, first), columns(level, panels, second));
            add(&mut w, &more);
            write(block, &w);
            are_finite(&w)
        }
        ([Some(Coupling { body, row, column }), None], blocks) => {
            panels[body].write_run(level, row, column, blocks);
            true
        }
        _ => true,
    }
}

#[inline(always)]
fn columns<L: SimdLevel>(level: L, panels: &[Panel], coupling: Coupling) -> [L::F64x4; 3] {
    let Coupling { body, row, column } = coupling;
    panels[body].columns(level, row, column)
}

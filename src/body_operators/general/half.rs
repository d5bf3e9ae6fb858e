//! Z = L⁻ᵀHᵀ of a small A = LᵀDL: W_αβ = h Z_αᵀ D⁻¹ Z_β. Z takes the place of H, and h D⁻¹ Z that of Y: where A is that of a tree
//! of joints, Z has no more columns than H.
//!
//! What slots of the same tile have in common is computed once. Where one of them alone is zero, zeros are subtracted, which
//! changes no sum of blocks: the bits of a block depend on its own two slots and A.

use super::operators::Operators;
use super::products::Tiles;
use super::{SLOTS, WIDTH};
use crate::inertia::TreeFactor;
use crate::inertia::tree_factor::{MOST_ROWS, ascending, descending};
use crate::kinematics::Column;
use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best};
use crate::memory::{self, bytes, collect, resize};

/// A row of a tile, in whole registers: one that lies on two cache lines takes longer to read.
#[derive(Clone, Debug)]
#[repr(align(32))]
struct Line([f64; WIDTH]);

/// Room for Z.
#[derive(Debug, Default)]
pub struct Half {
    columns: Vec<Column>,
    /// Z of a tile.
    work: Vec<Line>,
    /// Of each slot the dofs where Z is not zero.
    reached: Vec<u64>,
}

impl Half {
    /// Make Z of the operators, and h D⁻¹ Z.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn make(
        &mut self,
        step: f64,
        factor: &TreeFactor,
        operators: &mut Operators,
        tiles: &mut Tiles,
    ) -> memory::Result {
        let slots = operators.slots();
        tiles.start(slots, operators.dofs)?;
        let Self { columns, work, reached } = self;
        resize(work, MOST_ROWS, Line([0.0; WIDTH]))?;
        let reached_from = |all: u64, column: &Column| all | factor.reached(column.index as usize);
        collect(reached, slots, (0..slots).map(|slot| operators.of(slot).iter().fold(0, reached_from)))?;
        let count = |reached: &u64| reached.count_ones() as usize;
        let empty = Column { index: 0, values: [0.0; 3] };
        resize(columns, reached.iter().map(count).sum(), empty)?;
        at_best(Solves { step, factor, operators, reached, tiles, columns, work });
        let mut end = 0;
        operators.replace(
            columns,
            reached.iter().map(|reached| {
                end += count(reached);
                end
            }),
        );
        Ok(())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.columns) + bytes(&self.work) + bytes(&self.reached)
    }
}

/// Solve for all slots, a tile at a time.
struct Solves<'a> {
    step: f64,
    factor: &'a TreeFactor,
    operators: &'a Operators,
    reached: &'a [u64],
    tiles: &'a mut Tiles,
    /// As many as all slots reach.
    columns: &'a mut [Column],
    work: &'a mut [Line],
}

impl Kernel for Solves<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { step, factor, operators, reached, tiles, mut columns, work } = self;
        let Some(work) = work.first_chunk_mut::<MOST_ROWS>() else { return };
        for (number, reached) in reached.chunks(SLOTS).enumerate() {
            let tile = tiles.tile_mut(number);
            let mut all = 0;
            for own in reached {
                all |= own;
            }
            let from_last = all.reverse_bits();
            for row in ascending(all) {
                work[row].0 = [0.0; WIDTH];
            }
            for k in 0..reached.len() {
                for Column { index, values } in operators.of(SLOTS * number + k) {
                    work[*index as usize].0[3 * k..][..3].copy_from_slice(values);
                }
            }
            for (row, reciprocal) in factor.reciprocals().iter().enumerate().rev() {
                // Where Z is zero, too: there may be anything.
                let mut z = [level.zero(); 3];
                if all >> row & 1 != 0 {
                    z = three(level, &work[row].0);
                    let l = factor.column(row);
                    for other in descending(factor.below(row) & from_last) {
                        let (l, other) = (l[other], three(level, &work[other].0));
                        z = [z[0] - other[0] * l, z[1] - other[1] * l, z[2] - other[2] * l];
                    }
                    put(&mut work[row].0, z);
                }
                let scale = step * reciprocal;
                put(&mut tile[row], [z[0] * scale, z[1] * scale, z[2] * scale]);
            }
            for (k, own) in reached.iter().enumerate() {
                let (to, rest) = std::mem::take(&mut columns).split_at_mut(own.count_ones() as usize);
                columns = rest;
                for (row, column) in ascending(*own).zip(to) {
                    if let Some(values) = work[row].0[3 * k..].first_chunk() {
                        *column = Column { index: row as u32, values: *values };
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn three<L: SimdLevel>(level: L, row: &[f64; WIDTH]) -> [L::F64x4; 3] {
    [level.four(row, 0), level.four(row, 4), level.four(row, 8)]
}

#[inline(always)]
fn put<L: F64x4>(row: &mut [f64; WIDTH], [x, y, z]: [L; 3]) {
    row[..4].copy_from_slice(&x.values());
    row[4..8].copy_from_slice(&y.values());
    row[8..].copy_from_slice(&z.values());
}

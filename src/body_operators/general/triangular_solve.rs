//! Z = L⁻ᵀHᵀ of a small A = LᵀDL: W_αβ = h Z_αᵀ D⁻¹ Z_β. Z takes the place of H, and h D⁻¹ Z takes the place of Y. If A belongs to
//! a tree of joints, Z has no more columns than H.
//!
//! Operations that slots of a tile share are computed once. If one of the slots alone is zero, zeros are subtracted, which changes
//! no sum of blocks: the bits of a block depend on its own two slots and A.

use super::WIDTH;
use super::operators::{GeneralOperators, SlotColumns};
use super::products::Tiles;
use crate::inertia::TreeFactor;
use crate::inertia::tree_factor::{MOST_ROWS, ascending, descending};
use crate::kinematics::Column;
use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best};
use crate::memory::{self, bytes, collect, resize};

/// A row of a tile, in whole registers: a row across two cache lines takes longer to read.
#[derive(Clone, Debug)]
#[repr(align(32))]
pub struct Line(pub [f64; WIDTH]);

/// Z of a tile, with a line for each dof that one of its slots reaches.
pub type Lines = [Line; MOST_ROWS];

/// Z of all slots.
#[derive(Debug, Default)]
pub struct TriangularSolve {
    lines: Vec<Line>,
    /// For each slot the dofs where Z is not zero.
    reached: Vec<u64>,
}

impl TriangularSolve {
    /// Make Z of the operators, and h D⁻¹ Z.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn make(
        &mut self,
        step: f64,
        factor: &TreeFactor,
        operators: &GeneralOperators,
        tiles: &mut Tiles,
    ) -> memory::Result {
        let count = operators.tiles().len();
        tiles.start(count, operators.dofs)?;
        let Self { lines, reached } = self;
        resize(lines, MOST_ROWS * count, Line([0.0; WIDTH]))?;
        let reached_from = |all: u64, column: &Column| all | factor.reached(column.index as usize);
        let slots = operators.slots().iter();
        collect(
            reached,
            slots.len(),
            slots.map(|slot| operators.columns_of(slot).iter().fold(0, reached_from)),
        )?;
        at_best(Solves { step, factor, operators, reached, tiles, lines });
        Ok(())
    }

    /// Z of a slot: the dofs where it is not zero, and the lines of the slot's tile.
    #[inline(always)]
    pub fn of(&self, number: usize, slot: &SlotColumns) -> (u64, &Lines) {
        (self.reached[number], &self.lines.as_chunks().0[slot.tile as usize])
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        bytes(&self.lines) + bytes(&self.reached)
    }
}

/// Solve for all slots, a tile at a time.
struct Solves<'a> {
    step: f64,
    factor: &'a TreeFactor,
    operators: &'a GeneralOperators,
    reached: &'a [u64],
    tiles: &'a mut Tiles,
    lines: &'a mut [Line],
}

impl Kernel for Solves<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { step, factor, operators, reached, tiles, lines } = self;
        let mut begin = 0;
        let ends = operators.tiles().iter().map(|tile| tile.end as usize);
        for (number, (end, work)) in ends.zip(lines.as_chunks_mut::<MOST_ROWS>().0).enumerate() {
            let tile = tiles.tile_mut(number);
            let (slots, reached) = (&operators.slots()[begin..end], &reached[begin..end]);
            begin = end;
            let mut all = 0;
            for own in reached {
                all |= own;
            }
            let from_last = all.reverse_bits();
            for row in ascending(all) {
                work[row].0 = [0.0; WIDTH];
            }
            for slot in slots {
                let h = operators.columns_of(slot);
                match slot.height {
                    1 => put_in::<1>(work, slot, h),
                    2 => put_in::<2>(work, slot, h),
                    _ => put_in::<3>(work, slot, h),
                }
            }
            for (row, reciprocal) in factor.reciprocals().iter().enumerate().rev() {
                // Also if Z is zero: the old values may be any.
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
        }
    }
}

/// Put Hᵀ of a slot of R rows into the columns of its tile.
#[inline(always)]
fn put_in<const R: usize>(work: &mut Lines, slot: &SlotColumns, h: &[Column]) {
    for Column { index, values } in h {
        work[*index as usize].0[slot.first.into()..][..R].copy_from_slice(&values[..R]);
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

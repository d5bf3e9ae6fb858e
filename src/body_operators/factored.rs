//! Panels of rigid and pseudo-rigid bodies, whose inverse is made of two 3×3 blocks: with h A⁻¹ = L Lᵀ a slot keeps
//! Z = H L alone, and W_αβ = Z_α Z_βᵀ.

use super::{PSEUDO_RIGID, RIGID};
use crate::inertia::BlockDiagonal;
use crate::kinematics::{pseudo_rigid, rigid};
use crate::math::simd::{F64x4, SimdLevel, combination};
use crate::math::{self, Block};
use crate::memory::{self, bytes, resize};
use crate::team::SlicePair;

/// The limit of rounding errors, relative to the diagonal: between the two halves of an inverse, and in a pivot.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The two blocks that an inverse is made of.
impl<'a> BlockDiagonal<'a> {
    /// J⁻¹ and I/m of a rigid body, or any two 3×3 blocks; `None` if the inverse has other blocks.
    #[inline]
    pub fn of_rigid(&self) -> Option<[&'a Block; 2]> {
        let mut blocks = self.blocks_of_three()?;
        match [blocks.next(), blocks.next(), blocks.next()] {
            [Some(turning), Some(moving), None] => Some([turning, moving]),
            _ => None,
        }
    }

    /// J⁻¹ and I/m of a pseudo-rigid body, A⁻¹ = diag (J⁻¹, J⁻¹, J⁻¹, I/m), 3×3; `None` unless A⁻¹ has exactly this form.
    #[inline]
    pub fn of_pseudo_rigid(&self) -> Option<[&'a Block; 2]> {
        let mut blocks = self.blocks_of_three()?;
        let [first, second, third] = [blocks.next()?, blocks.next()?, blocks.next()?];
        let moving = blocks.next()?;
        let isotropic = math::symmetric([moving[0], 0.0, 0.0, moving[0], 0.0, moving[0]]);
        let is_that = first == second && first == third && *moving == isotropic && blocks.next().is_none();
        is_that.then_some([first, moving])
    }

    /// The blocks, if all are 3×3.
    #[inline]
    fn blocks_of_three(&self) -> Option<impl Iterator<Item = &'a Block>> {
        let are_three = (0..).step_by(3).zip(self.rows).all(|(first, &row)| row == first);
        are_three.then(|| self.values.chunks_exact(9).filter_map(|block| block.try_into().ok()))
    }
}

/// L with h A⁻¹ = L Lᵀ for the two blocks of A⁻¹, followed in memory by its origins, which are not read for each slot.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CholeskyOfInverse {
    blocks: [Lower; 2],
    origins: [Origin; 2],
}

/// The step and the block of a factor.
#[derive(Clone, Copy, Debug)]
struct Origin {
    /// NaN if there is no factor.
    step: f64,
    block: Block,
}

/// A lower triangle: entries (0,0), (1,0), (2,0), (1,1), (2,1), (2,2).
type Lower = [f64; 6];

impl CholeskyOfInverse {
    /// No factor.
    pub const NONE: Self =
        Self { blocks: [[0.0; 6]; 2], origins: [Origin { step: f64::NAN, block: [0.0; 9] }; 2] };

    /// The factor of the two blocks of an inverse, times the time step; `None` if [`CholeskyOfInverse::collect`] returns false.
    #[cfg(test)]
    pub fn new(step: f64, inverse: [&Block; 2]) -> Option<Self> {
        let mut factor = Self::NONE;
        factor.collect(step, inverse).then_some(factor)
    }

    /// Make this the factor of the two blocks of an inverse, times the time step. An unchanged block keeps its factor. Returns
    /// false if a block is not symmetric up to rounding or not positive definite.
    pub fn collect(&mut self, step: f64, inverse: [&Block; 2]) -> bool {
        for (block, (lower, origin)) in inverse.into_iter().zip(self.blocks.iter_mut().zip(&mut self.origins))
        {
            if origin.is(step, block) {
                continue;
            }
            // There is no factor until the new one is complete.
            origin.step = f64::NAN;
            let Some(factor) = cholesky(step, block) else { return false };
            *lower = factor;
            *origin = Origin { step, block: *block };
        }
        true
    }

    /// Turn H of a rigid body into Z = H L, column by column.
    #[inline(always)]
    pub fn apply<L: F64x4>(&self, h: &mut [L; rigid::DOFS]) {
        for (h, l) in h.chunks_exact_mut(3).zip(&self.blocks) {
            let [x, y, z] = [h[0], h[1], h[2]];
            h[0] = combination(&[x, y, z], &l[..3]);
            h[1] = combination(&[y, z], &l[3..5]);
            h[2] = z * l[5];
        }
    }

    /// Lᵀ a of an arm a of a pseudo-rigid body: with H = Eᵀ ⊗ aᵀ it is Z = Eᵀ ⊗ (Lᵀ a)ᵀ.
    #[inline(always)]
    pub fn apply_to_arm(&self, [x, y, z, one]: pseudo_rigid::Arm) -> pseudo_rigid::Arm {
        let [deforming, moving] = &self.blocks;
        [
            x * deforming[0] + y * deforming[1] + z * deforming[2],
            y * deforming[3] + z * deforming[4],
            z * deforming[5],
            one * moving[0],
        ]
    }
}

impl Origin {
    #[inline(always)]
    fn is(&self, step: f64, block: &Block) -> bool {
        let pairs = self.block.iter().zip(block);
        let difference = pairs.fold(0, |bits, (old, new)| bits | (old.to_bits() ^ new.to_bits()));
        self.step == step && difference == 0
    }
}

/// The Cholesky factor of `step` times a symmetric block.
#[inline(always)]
fn cholesky(step: f64, b: &Block) -> Option<Lower> {
    let entry = |low: usize, high: usize, diagonal: f64| {
        let is_symmetric = (b[low] - b[high]).abs() <= ROUNDING * diagonal;
        is_symmetric.then_some(step * (0.5 * (b[low] + b[high])))
    };
    let a = [step * b[0], step * b[4], step * b[8]];
    let scale = b[0].abs().max(b[4].abs()).max(b[8].abs());
    let (a10, a20, a21) = (entry(1, 3, scale)?, entry(2, 6, scale)?, entry(5, 7, scale)?);
    let pivot = |left: f64, of: f64| (left > ROUNDING * of).then(|| left.sqrt());
    let l00 = pivot(a[0], 0.0)?;
    let (l10, l20) = (a10 / l00, a20 / l00);
    let l11 = pivot(a[1] - l10 * l10, a[1])?;
    let l21 = (a21 - l20 * l10) / l11;
    let l22 = pivot(a[2] - l20 * l20 - l21 * l21, a[2])?;
    Some([l00, l10, l20, l11, l21, l22])
}

/// Z of the slots of one body, consecutive: 3 × 6, column-major, for a rigid body; see [`pseudo_rigid`](super::pseudo_rigid) for
/// pseudo-rigid bodies.
#[derive(Debug, Default)]
pub(super) struct FactoredSlots {
    /// The number of values of a slot.
    length: usize,
    /// One more value than the slots have: products read four rows of a column.
    values: Vec<f64>,
    /// Whether Z of a slot has other bits than at the last update.
    changed: Vec<bool>,
}

/// The values to be written for the slots of one body: Z, and whether its bits differ from the bits in its place.
pub struct Started<'a, const LENGTH: usize> {
    /// Z of each slot; a new slot has values that equal no Z.
    pub z: &'a mut [[f64; LENGTH]],
    /// Whether Z changes.
    pub changed: &'a mut [bool],
}

impl FactoredSlots {
    /// Make room for `slots` slots, and return it.
    pub fn start<const LENGTH: usize>(&mut self, slots: usize) -> memory::Result<Started<'_, LENGTH>> {
        if self.length != LENGTH {
            self.clear();
            self.length = LENGTH;
        }
        let length = LENGTH * slots + 1;
        resize(&mut self.values, length, f64::NAN)?;
        resize(&mut self.changed, slots, true)?;
        let (z, _) = self.values.as_chunks_mut();
        Ok(Started { z, changed: &mut self.changed })
    }

    /// Let the next values of every slot count as changed.
    pub fn clear(&mut self) {
        self.values.clear();
    }

    /// Whether Z of a slot has other bits than at the last update.
    #[inline(always)]
    pub fn has_changed(&self, slot: usize) -> bool {
        self.changed[slot]
    }

    /// The place of Z of a slot.
    #[inline(always)]
    pub fn place(&self, slot: usize) -> *const f64 {
        self.values.as_ptr().wrapping_add(self.length * slot)
    }

    pub fn bytes(&self) -> usize {
        bytes(&self.values) + self.changed.capacity()
    }

    /// Z of two slots; the first slice has one more value at its end.
    #[inline(always)]
    pub fn pair<const LENGTH: usize>(&self, row: usize, column: usize) -> [&[f64]; 2] {
        let (row, column) = (LENGTH * row, LENGTH * column);
        [&self.values[row..row + LENGTH + 1], &self.values[column..column + LENGTH]]
    }

    /// Z of a slot, with one more value at its end, and Z of `count` slots from `first` on.
    #[inline(always)]
    pub fn run<const LENGTH: usize>(
        &self,
        row: usize,
        first: usize,
        count: usize,
    ) -> (&[f64], &[[f64; LENGTH]]) {
        let (row, first) = (LENGTH * row, LENGTH * first);
        let others = &self.values[first..first + LENGTH * count];
        (&self.values[row..row + LENGTH + 1], others.as_chunks().0)
    }
}

/// The data with which the operators of a body are written during an update. The first two cache lines have all data that rigid
/// bodies need.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Writer {
    /// The place of operators.
    pub target: Target,
    /// L for the operators still to be written; kept from one update to the next.
    pub factor: CholeskyOfInverse,
}

/// The place of the operators of a body.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// They are in the panel already.
    Complete,
    /// Z = H L is to be written to the slots of a rigid body.
    Rigid(Slots<RIGID>),
    /// The same for a pseudo-rigid body.
    PseudoRigid(Slots<PSEUDO_RIGID>),
}

const _: () = assert!(std::mem::offset_of!(Writer, factor) + 2 * size_of::<[f64; 6]>() <= Writer::RIGID);

impl Writer {
    /// Bytes from the beginning that rigid bodies need.
    pub const RIGID: usize = 128;

    /// The writer of a body without a panel.
    pub const NONE: Self = Self { target: Target::Complete, factor: CholeskyOfInverse::NONE };
}

impl Default for Writer {
    fn default() -> Self {
        Self::NONE
    }
}

/// The place of Z = H L of each slot, and whether it changes: for the owner of a slot.
pub type Slots<const LENGTH: usize> = SlicePair<[f64; LENGTH], bool>;

/// The place of Z of one slot.
pub struct Slot<'a, const LENGTH: usize> {
    z: &'a mut [f64; LENGTH],
    changed: &'a mut bool,
}

impl<'a, const LENGTH: usize> Slot<'a, LENGTH> {
    /// The slot that has these places.
    #[inline(always)]
    pub fn new((z, changed): (&'a mut [f64; LENGTH], &'a mut bool)) -> Self {
        Self { z, changed }
    }

    /// Let `write` write Z; note and return whether its bits change. Without `compare`, all count as changed.
    #[inline(always)]
    pub fn write(self, compare: bool, write: impl FnOnce(&mut [f64; LENGTH])) -> bool {
        let Self { z, changed } = self;
        *changed = if compare {
            let old = *z;
            write(z);
            old.iter().zip(&*z).any(|(old, new)| old.to_bits() != new.to_bits())
        } else {
            write(z);
            true
        };
        *changed
    }
}

/// X Xᵀ, column by column, of the columns of X.
#[inline(always)]
pub fn square<L: SimdLevel, const N: usize>(level: L, x: &[L::F64x4; N]) -> [L::F64x4; 3] {
    let mut w = [level.zero(); 3];
    for x in x {
        for (w, value) in w.iter_mut().zip(x.vector()) {
            *w = *w + *x * value;
        }
    }
    w
}

/// The columns of X, 3 × N, column-major. Each is read with the next value, so X has one more value.
#[inline(always)]
pub fn columns<L: SimdLevel, const N: usize>(level: L, x: &[f64]) -> [L::F64x4; N] {
    let mut columns = [level.zero(); N];
    for (k, column) in columns.iter_mut().enumerate() {
        *column = level.four(x, 3 * k);
    }
    columns
}

/// X Yᵀ of the columns of X and of Y, 3 × N, column-major.
#[inline(always)]
pub fn product<L: SimdLevel, const N: usize>(level: L, x: &[L::F64x4; N], y: &[f64]) -> [L::F64x4; 3] {
    let mut w = [level.zero(); 3];
    for (x, y) in x.iter().zip(y.chunks_exact(3)) {
        for (w, y) in w.iter_mut().zip(y) {
            *w = *w + *x * *y;
        }
    }
    w
}

#[cfg(test)]
mod tests;

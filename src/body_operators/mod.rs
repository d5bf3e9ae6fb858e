//! The panel of a body: the operators H of all constraints on it and the products of A⁻¹ with them, ready for blocks.
//!
//! A constraint has a slot in the panel for each group of up to three scalar rows. H includes the sign of its side, so that
//! W_αβ = h H_α A⁻¹ H_βᵀ for any two slots, theory (68). Rigid and pseudo-rigid bodies with a Cholesky factor of h A⁻¹ keep H L
//! ([`factored`]), pseudo-rigid ones in the short form of [`pseudo_rigid`]. [`nodal`] is for meshes, where H touches few nodes;
//! [`general`] is for all other bodies.

pub mod factored;
pub mod general;
pub mod nodal;
pub mod product;
pub mod pseudo_rigid;
mod small_blocks;

use crate::inertia::cost::MatrixLifetime;
use crate::inertia::{
    Boxed, FactorError, FactorResult, FactorStatus, Factored, InertiaRef, TreeFactor, Workspace,
};
use crate::kinematics::rigid;
use crate::math::Block;
use crate::math::simd::{F64x4, Kernel, Plain, SimdLevel, are_finite, packed, write};
use crate::prefetch::fetch_beyond;

use factored::{FactoredSlots, Started};
use general::{General, LastStrip};
use nodal::NodalPanel;
pub use small_blocks::SlotRange;

/// The number of values in a slot of a rigid body.
pub const RIGID: usize = 3 * rigid::DOFS;
/// The number of values in a slot of a pseudo-rigid body.
pub const PSEUDO_RIGID: usize = pseudo_rigid::VALUES;

/// The panel of a body. Expensive parts, as the factor of A, are kept from one update to the next.
#[derive(Debug, Default)]
pub struct Panel {
    form: PanelForm,
    slots: FactoredSlots,
    /// The parts that most bodies do not need. They are apart so that panels are close together in memory.
    large: Option<Boxed<Large>>,
}

#[derive(Debug, Default)]
struct Large {
    general: General,
    nodal: NodalPanel,
    factored: Factored,
}

#[derive(Clone, Copy, Debug, Default)]
enum PanelForm {
    #[default]
    Rigid,
    PseudoRigid,
    General,
    Nodal,
}

impl Large {
    /// The factor of a small A.
    fn small(&self, form: PanelForm) -> Option<&TreeFactor> {
        self.general.small().filter(|_| matches!(form, PanelForm::General))
    }
}

impl Panel {
    /// Start again with `slots` slots of a rigid body with a Cholesky factor. The caller writes Z = H L of every slot, 3 × 6,
    /// column-major.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn start_rigid(&mut self, slots: usize) -> FactorResult<Started<'_, RIGID>> {
        self.form = PanelForm::Rigid;
        Ok(self.slots.start::<RIGID>(slots)?)
    }

    /// Start again with `slots` slots of a pseudo-rigid body with a Cholesky factor. The caller writes every
    /// [`pseudo_rigid::PseudoRigidSlot`].
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn start_pseudo_rigid(&mut self, slots: usize) -> FactorResult<Started<'_, PSEUDO_RIGID>> {
        self.form = PanelForm::PseudoRigid;
        Ok(self.slots.start::<PSEUDO_RIGID>(slots)?)
    }

    /// Start again with `slots` slots of any operators, all zero, of a body with `dofs` dofs. A slot takes its height from the
    /// operator that is added to it ([`General::add`]).
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn start_general(&mut self, slots: usize, dofs: usize) -> FactorResult<&mut General> {
        self.form = PanelForm::General;
        self.slots.clear();
        let general = &mut self.large()?.general;
        general.start(slots, dofs)?;
        Ok(general)
    }

    /// Start again with `slots` slots of nodal operators of a mesh of `nodes` nodes, all empty. `lifetime` is for a body that
    /// gives A.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn start_nodal(
        &mut self,
        slots: usize,
        nodes: usize,
        lifetime: MatrixLifetime,
    ) -> FactorResult<&mut NodalPanel> {
        self.form = PanelForm::Nodal;
        self.slots.clear();
        let nodal = &mut self.large()?.nodal;
        nodal.start(slots, nodes, lifetime)?;
        Ok(nodal)
    }

    fn large(&mut self) -> FactorResult<&mut Large> {
        if self.large.is_none() {
            self.large = Some(Boxed::new(Large::default())?);
        }
        self.large.as_deref_mut().ok_or(FactorError::Memory)
    }

    /// Apply A⁻¹ to general and nodal operators, with the time step `step`; `inertia` has a row for each dof of the body. A body
    /// with a Cholesky factor needs no work. Returns the status of the factor of A, if there is one.
    ///
    /// # Errors
    /// If memory is exhausted, or a matrix cannot be factored.
    pub fn apply(
        &mut self,
        step: f64,
        inertia: &InertiaRef,
        work: &mut Workspace,
    ) -> FactorResult<Option<FactorStatus>> {
        match (self.form, self.large.as_deref_mut()) {
            (PanelForm::General, Some(large)) => {
                large.general.apply(step, inertia, &mut large.factored, work)
            }
            (PanelForm::Nodal, Some(large)) => large.nodal.apply(step, inertia, &mut large.factored, work),
            _ => Ok(None),
        }
    }

    /// Put general operators into columns for an A⁻¹ that only the caller can apply ([`Panel::columns_to_solve`]).
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn start_columns(&mut self) -> FactorResult {
        match (self.form, self.large.as_deref_mut()) {
            (PanelForm::General, Some(large)) => large.general.start_columns(),
            _ => Ok(()),
        }
    }

    /// The columns of Hᵀ of all slots, consecutive, if they wait for A⁻¹; each has a value for each dof. A slot has a column for
    /// each of its rows, and slots follow in their order. The caller replaces these columns by A⁻¹ times them.
    pub fn columns_to_solve(&mut self) -> Option<&mut [f64]> {
        match (self.form, self.large.as_deref_mut()) {
            // A panel with nodal operators may still have columns of general ones, left by an inverse callback that failed.
            (PanelForm::General, Some(large)) => {
                Some(&mut large.general.columns[..]).filter(|columns| !columns.is_empty())
            }
            _ => None,
        }
    }

    /// The slot that a column of [`Panel::columns_to_solve`] belongs to.
    pub fn slot_of_column(&self, column: usize) -> Option<usize> {
        self.large.as_deref()?.general.slot_of_column(column)
    }

    /// Make the products from the columns after the caller has applied A⁻¹.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn take_solved(&mut self, step: f64) -> FactorResult {
        self.large.as_deref_mut().map_or(Ok(()), |large| large.general.take_solved(step))
    }

    /// The last factor of A, if this body has one: whether A is small, and the revision of the factor.
    pub fn revision(&self) -> Option<(bool, u64)> {
        let large = self.large.as_deref()?;
        Some(match large.small(self.form) {
            Some(small) => (true, small.revision()),
            None => (false, large.factored.revision()),
        })
    }

    /// Replace x by A⁻¹x with the factor of A that was made last.
    ///
    /// # Errors
    /// If there is none, or memory is exhausted.
    pub fn solve(&self, x: &mut [f64], work: &mut Workspace) -> FactorResult {
        let large = self.large.as_deref().ok_or(FactorError::Missing)?;
        match large.small(self.form) {
            Some(small) => Ok(small.solve(x)?),
            None => Ok(large.factored.solve_vector(x, work)?),
        }
    }

    /// Whether the operator of a slot, or its product with A⁻¹, may have other bits than at the last update. Only bodies with a
    /// Cholesky factor know; for others the result is true.
    #[inline(always)]
    pub fn has_changed(&self, slot: usize) -> bool {
        !matches!(self.form, PanelForm::Rigid | PanelForm::PseudoRigid) || self.slots.has_changed(slot)
    }

    /// The place of Z of a slot, if the body has a Cholesky factor; for prefetches.
    #[inline(always)]
    pub fn place(&self, slot: usize) -> *const f64 {
        self.slots.place(slot)
    }

    /// Whether the panel has nodal operators.
    pub fn is_nodal(&self) -> bool {
        matches!(self.form, PanelForm::Nodal)
    }

    /// Whether [`Panel::apply`] must still apply A⁻¹ to the operators.
    pub fn needs_inverse(&self) -> bool {
        matches!(self.form, PanelForm::General | PanelForm::Nodal)
    }

    /// Estimate of the condition number of the matrix A that was factored last; 1 if there is none.
    ///
    /// # Errors
    /// As [`Factored::condition`].
    pub fn condition(&self, work: &mut Workspace) -> FactorResult<f64> {
        let Some(large) = self.large.as_deref() else { return Ok(1.0) };
        match large.small(self.form) {
            Some(small) => Ok(small.condition()?),
            None => Ok(large.factored.condition(work)?),
        }
    }

    /// The bytes held for operators and products, and for factors and entries of A⁻¹.
    pub fn bytes(&self) -> [usize; 2] {
        let [operators, factors] = self.large.as_ref().map_or([0, 0], |large| {
            let operators = size_of::<Large>() + large.general.bytes() + large.nodal.bytes();
            let entries = large.general.entries_bytes() + large.nodal.entries_bytes();
            [operators, entries + large.factored.bytes()]
        });
        [self.slots.bytes() + operators, factors]
    }

    /// W_αβ of the slots α = `row`, β = `column`, theory (68).
    pub fn block(&self, row: usize, column: usize) -> Block {
        packed(&self.columns(Plain, row, column))
    }

    /// The columns of W_αβ. Rows that slot α does not have are zero; columns that slot β does not have may hold any value. No entry
    /// is −0: a sum that starts from 0 never is −0, and 0 is added to all others.
    #[inline(always)]
    pub fn columns<L: SimdLevel>(&self, level: L, row: usize, column: usize) -> [L::F64x4; 3] {
        match self.columns_of_factored(level, row, column) {
            Some(columns) => columns,
            None => self.columns_of_large(level, row, column),
        }
    }

    /// As [`Panel::columns`]; `None` if an entry is not finite although the diagonal blocks of both slots are. Only general and
    /// nodal operators are checked, without the columns that slot β does not have: with W_αβ = Z_α Z_βᵀ no entry is larger than the
    /// root of the product of two diagonal entries (Cauchy–Schwarz).
    ///
    /// If columns of a row are computed in turn, `last` keeps values of the previous call that this call also needs; `body` is a
    /// number of this panel.
    #[inline(always)]
    pub fn finite_columns<L: SimdLevel>(
        &self,
        level: L,
        [body, row, column]: [usize; 3],
        last: Option<&mut LastStrip>,
    ) -> Option<[L::F64x4; 3]> {
        if let Some(columns) = self.columns_of_factored(level, row, column) {
            return Some(columns);
        }
        let columns = match (self.form, self.large.as_deref(), last) {
            (PanelForm::General, Some(large), Some(last)) => {
                large.general.columns_in_turn(level, body, row, column, last)
            }
            _ => self.columns_of_large(level, row, column),
        };
        let is_finite = match self.height(column) {
            1 => are_finite(&[columns[0]]),
            2 => are_finite(&[columns[0], columns[1]]),
            _ => are_finite(&columns),
        };
        is_finite.then_some(columns)
    }

    /// The number of kept rows of a slot: 1 to 3 in a general panel, 3 in others.
    #[inline(always)]
    fn height(&self, slot: usize) -> usize {
        match (self.form, self.large.as_deref()) {
            (PanelForm::General, Some(large)) => large.general.height(slot),
            _ => 3,
        }
    }

    /// Write the blocks W_αβ of a slot α = `row` and the slots β from `first` on, of a body with a Cholesky factor.
    #[inline(always)]
    pub fn write_run<L: SimdLevel>(&self, level: L, row: usize, first: usize, blocks: &mut [Block]) {
        match self.form {
            PanelForm::Rigid => {
                let (x, ys) = self.slots.run::<RIGID>(row, first, blocks.len());
                let x = factored::columns::<L, { rigid::DOFS }>(level, x);
                write_each(
                    blocks,
                    ys,
                    #[inline(always)]
                    |y| factored::product(level, &x, y),
                );
            }
            PanelForm::PseudoRigid => {
                let (x, ys) = self.slots.run::<PSEUDO_RIGID>(row, first, blocks.len());
                write_each(
                    blocks,
                    ys,
                    #[inline(always)]
                    |y| pseudo_rigid::product(level, x, y),
                );
            }
            PanelForm::General | PanelForm::Nodal => {}
        }
    }

    /// Write the blocks W_αβ of a slot α = `row` and the slots β from `first` on, all of three rows, and the transpose of each to
    /// the place that `transpose` returns. Returns the first block with an entry that is not finite, as [`Panel::finite_columns`]
    /// finds it.
    #[inline(always)]
    pub fn write_pairs<'a, L: SimdLevel>(
        &self,
        level: L,
        [row, first]: [usize; 2],
        blocks: &mut [Block],
        mut transpose: impl FnMut(usize) -> &'a mut Block,
    ) -> Option<usize> {
        match (self.form, self.large.as_deref()) {
            (PanelForm::Rigid, _) => {
                let (x, ys) = self.slots.run::<RIGID>(row, first, blocks.len());
                let x = factored::columns::<L, { rigid::DOFS }>(level, x);
                write_both(
                    blocks,
                    ys,
                    transpose,
                    #[inline(always)]
                    |y| factored::product(level, &x, y),
                );
                None
            }
            (PanelForm::PseudoRigid, _) => {
                let (x, ys) = self.slots.run::<PSEUDO_RIGID>(row, first, blocks.len());
                write_both(
                    blocks,
                    ys,
                    transpose,
                    #[inline(always)]
                    |y| pseudo_rigid::product(level, x, y),
                );
                None
            }
            (PanelForm::General, Some(large)) => {
                large.general.write_pairs(level, [row, first], blocks, transpose)
            }
            _ => {
                let mut failed = None;
                for (k, block) in blocks.iter_mut().enumerate() {
                    match self.finite_columns(level, [0, row, first + k], None) {
                        Some(w) => {
                            write(block, &w);
                            write(transpose(k), &F64x4::transposed(w));
                        }
                        None => failed = failed.or(Some(k)),
                    }
                }
                failed
            }
        }
    }

    /// The columns of W_αβ of a body with a Cholesky factor.
    #[inline(always)]
    fn columns_of_factored<L: SimdLevel>(
        &self,
        level: L,
        row: usize,
        column: usize,
    ) -> Option<[L::F64x4; 3]> {
        match self.form {
            PanelForm::Rigid => {
                let [x, y] = self.slots.pair::<RIGID>(row, column);
                Some(factored::product(level, &factored::columns::<L, { rigid::DOFS }>(level, x), y))
            }
            PanelForm::PseudoRigid => {
                let [x, y] = self.slots.pair::<PSEUDO_RIGID>(row, column);
                Some(pseudo_rigid::product(level, x, y))
            }
            PanelForm::General | PanelForm::Nodal => None,
        }
    }

    #[inline(always)]
    fn columns_of_large<L: SimdLevel>(&self, level: L, row: usize, column: usize) -> [L::F64x4; 3] {
        let [x, y, z] = level.apart(ColumnsOfLarge { panel: self, row, column });
        [level.load(&x), level.load(&y), level.load(&z)]
    }
}

/// Write blocks, whose columns `product` makes of each y.
#[inline(always)]
fn write_each<F: F64x4, Y>(blocks: &mut [Block], ys: &[Y], product: impl Fn(&Y) -> [F; 3]) {
    for (block, y) in blocks.iter_mut().zip(ys) {
        fetch_beyond(block);
        write(block, &product(y));
    }
}

/// Write blocks, whose columns `product` makes of each y, and the transpose of each to the place that `transpose` returns.
#[inline(always)]
fn write_both<'a, F: F64x4, Y>(
    blocks: &mut [Block],
    ys: &[Y],
    mut transpose: impl FnMut(usize) -> &'a mut Block,
    product: impl Fn(&Y) -> [F; 3],
) {
    for (k, (block, y)) in blocks.iter_mut().zip(ys).enumerate() {
        // The place is computed before the block is written: the processor then need not wait to find that neither depends on the
        // other.
        let transpose = transpose(k);
        let w = product(y);
        write(block, &w);
        write(transpose, &F64x4::transposed(w));
    }
}

/// The columns of W_αβ of a body without a Cholesky factor.
struct ColumnsOfLarge<'a> {
    panel: &'a Panel,
    row: usize,
    column: usize,
}

impl Kernel for ColumnsOfLarge<'_> {
    type Output = [[f64; 4]; 3];

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let Self { panel, row, column } = self;
        let [x, y, z] = match (panel.form, panel.large.as_deref()) {
            (PanelForm::General, Some(large)) => large.general.columns(level, row, column),
            (PanelForm::Nodal, Some(large)) => large.nodal.columns(level, row, column),
            _ => return [[0.0; 4]; 3],
        };
        [x.values(), y.values(), z.values()]
    }
}

#[cfg(test)]
mod tests;

//! Panels of bodies with any operators: of each slot the columns of H that are not zero, and Y = h A⁻¹ Hᵀ at the dofs that any
//! slot touches, W_αβ = H_α Y_β.
//!
//! Y lies in tiles of four slots: of each dof the 12 values side by side that a row of H is multiplied with at once. A sum has its
//! terms in the order of the columns of H, whatever the processor's vectors; columns that are zero add nothing. So the bits of a
//! block depend neither on vectors nor on whether an operator was given dense or sparse. Of a small A to be factored, Z stands in
//! the place of H, see `half`.

mod half;
mod operators;
mod products;

use crate::inertia::cost::InverseCounts as Counts;
use crate::inertia::{
    Dense, FactorStatus, Factored, InertiaRef, Inverse, NodalInverse, Result, TreeFactor, Workspace,
};
use crate::kinematics::Point;
use crate::math::simd::{F64x4, SimdLevel, at_best, write};
use crate::math::{Block, Real, is_finite};
use crate::memory::{collect, refill};

use half::Half;
use operators::Operators;
use products::{FromInverse, Tiles};

/// Slots of a tile.
const SLOTS: usize = 4;
/// Columns of a tile.
const WIDTH: usize = 3 * SLOTS;

/// H and Y of the slots of one body.
#[derive(Debug, Default)]
pub struct General {
    operators: Operators,
    tiles: Tiles,
    /// A⁻¹ at the dofs that slots touch, column by column: as many values each as a tile has rows.
    inverse: Vec<f64>,
    /// Revision of the factor that the inverse is of, if it is of one, and the dofs.
    inverse_of: Option<u64>,
    inverse_dofs: Vec<u32>,
    nodal_inverse: NodalInverse,
    /// The factor of the last A that was small, and whether A is.
    small: TreeFactor,
    is_small: bool,
    half: Half,
    /// Nodes that slots touch.
    nodes: Vec<u32>,
    /// Columns of Hᵀ on which A⁻¹ works, dofs each.
    pub(super) columns: Vec<f64>,
}

/// W_αβ of a slot α and the slots β of a tile: three rows of 12 values. A place more is read with the last.
type Strip = [f64; 3 * WIDTH + 1];

/// The strip that was made last, and what it is of. Numbers that change at different times do not lie side by side: a processor
/// waits for what has just been written in parts and is read as a whole.
#[derive(Debug)]
#[repr(C)]
pub struct LastStrip {
    tile: usize,
    values: Strip,
    /// Body and row, as one number.
    of: u64,
}

impl LastStrip {
    /// None yet.
    pub const NONE: Self = Self { tile: usize::MAX, values: [0.0; 3 * WIDTH + 1], of: u64::MAX };
}

impl General {
    pub(super) fn start(&mut self, slots: usize, dofs: usize) -> Result {
        self.columns.clear();
        self.is_small = false;
        Ok(self.operators.start(slots, dofs)?)
    }

    /// Add `sign` times the operator of a point, in the axes `frame`, to H of a slot, which is zero at first.
    ///
    /// # Errors
    /// If memory is exhausted.
    ///
    /// # Panics
    /// If there is no such slot, or the operator has not as many columns as the body has dofs.
    pub fn add(&mut self, slot: usize, sign: f64, frame: &Block, point: &Point) -> Result {
        Ok(self.operators.add(slot, sign, frame, point)?)
    }

    /// Let H of a slot be what is given, 3 × dofs, column-major.
    #[cfg(test)]
    pub(crate) fn add_dense(&mut self, slot: usize, h: &[f64]) {
        let columns = (0..).zip(h.as_chunks().0.iter().copied());
        let operator = crate::kinematics::Operator::of_columns(h.len() as u32 / 3, columns).unwrap();
        self.add(slot, 1.0, &[0.0; 9], &Point::Operator(&operator)).unwrap();
    }

    pub(super) fn apply(
        &mut self,
        step: f64,
        inertia: &InertiaRef,
        factored: &mut Factored,
        work: &mut Workspace,
    ) -> Result<Option<FactorStatus>> {
        match inertia {
            InertiaRef::Inverse(Inverse::Dense(inverse)) => {
                self.operators.list_touched(false)?;
                self.take_dense(inverse)?;
                self.take_products_with_inverse(step)?;
                Ok(None)
            }
            InertiaRef::Inverse(inverse) => {
                self.operators.list_touched(false)?;
                self.tiles.start(self.operators.slots(), self.operators.touched.len())?;
                self.tiles.fill_sparse(step, &self.operators, inverse);
                Ok(None)
            }
            InertiaRef::Matrix(matrix) if matrix.is_small() => {
                let Self { operators, tiles, small, half, is_small, .. } = self;
                let freshness = small.update(matrix)?;
                *is_small = true;
                half.make(step, small, operators, tiles)?;
                Ok(Some(freshness))
            }
            InertiaRef::Matrix(matrix) => {
                let freshness = matrix.factor(factored, work)?;
                if self.has_nodes_to_solve_for(factored)? {
                    self.take_nodal_inverse(factored, work)?;
                    self.take_products_with_inverse(step)?;
                } else {
                    self.write_columns(|dof, k| 3 * dof + k)?;
                    factored.solve(&mut self.columns, work)?;
                    self.take_columns(step, |dof, k| 3 * dof + k)?;
                }
                Ok(Some(freshness))
            }
        }
    }

    /// Put the operators into columns for an A⁻¹ that the caller alone knows.
    pub(super) fn start_columns(&mut self) -> Result {
        self.operators.list_touched(false)?;
        let dofs = self.operators.dofs;
        self.write_columns(|dof, k| dofs * k + dof)
    }

    /// Make Y of columns that A⁻¹ has worked on.
    pub(super) fn take_solved(&mut self, step: f64) -> Result {
        let dofs = self.operators.dofs;
        self.take_columns(step, |dof, k| dofs * k + dof)
    }

    /// The factor of A, if A is small.
    pub(super) fn small(&self) -> Option<&TreeFactor> {
        Some(&self.small).filter(|_| self.is_small)
    }

    /// Bytes held, but for the entries of A⁻¹.
    pub(super) fn bytes(&self) -> usize {
        let part_of_dense = if self.inverse_of.is_none() { self.inverse.capacity() } else { 0 };
        self.operators.bytes()
            + self.tiles.bytes()
            + self.half.bytes()
            + size_of::<f64>() * (self.columns.capacity() + part_of_dense)
            + size_of::<u32>() * (self.nodes.capacity() + self.inverse_dofs.capacity())
    }

    /// Bytes held for the factor of a small A, and for the entries of A⁻¹, of which there are none but those that a factor gave.
    pub(super) fn entries_bytes(&self) -> usize {
        let of_factor = if self.inverse_of.is_some() { self.inverse.capacity() } else { 0 };
        self.nodal_inverse.bytes() + self.small.bytes() + size_of::<f64>() * of_factor
    }

    /// The columns of W_αβ.
    #[inline(always)]
    pub(super) fn columns<L: SimdLevel>(&self, level: L, row: usize, column: usize) -> [L::F64x4; 3] {
        let y = &self.tiles.tile(column / SLOTS)[3 * (column % SLOTS)..];
        F64x4::transposed(products::rows(level, self.operators.of(row), y))
    }

    /// As [`General::columns`], where columns of a row are asked for one after the other; `body` is a number of this one.
    #[inline(always)]
    pub(super) fn columns_in_turn<L: SimdLevel>(
        &self,
        level: L,
        body: usize,
        row: usize,
        column: usize,
        last: &mut LastStrip,
    ) -> [L::F64x4; 3] {
        let (tile, slot) = (column / SLOTS, column % SLOTS);
        let of = (body as u64) << 32 | row as u64;
        if last.tile != tile || last.of != of {
            (last.tile, last.of) = (tile, of);
            products::write_strip(level, self.operators.of(row), self.tiles.tile(tile), &mut last.values);
        }
        let mut rows = [level.zero(); 3];
        for (k, row) in rows.iter_mut().enumerate() {
            *row = level.four(&last.values, WIDTH * k + 3 * slot);
        }
        F64x4::transposed(rows)
    }

    /// Write the blocks W_αβ of a slot and others side by side, and their transposes; the first that is not finite.
    #[inline(always)]
    pub(super) fn write_pairs<'a, L: SimdLevel>(
        &self,
        level: L,
        [row, first]: [usize; 2],
        blocks: &mut [Block],
        mut transpose: impl FnMut(usize) -> &'a mut Block,
    ) -> Option<usize> {
        let h = self.operators.of(row);
        let mut strip: Strip = [0.0; 3 * WIDTH + 1];
        let (mut sum, mut done) = (level.zero(), 0);
        while done < blocks.len() {
            let (tile, slot) = ((first + done) / SLOTS, (first + done) % SLOTS);
            let (y, end) = (self.tiles.tile(tile), blocks.len().min(done + SLOTS - slot));
            // A whole strip takes about as long as two blocks.
            let is_alone = end - done == 1;
            if !is_alone {
                products::write_strip(level, h, y, &mut strip);
            }
            for (k, block) in blocks[done..end].iter_mut().enumerate() {
                let mut rows = [level.zero(); 3];
                if is_alone {
                    rows = products::rows(level, h, &y[3 * slot..]);
                } else {
                    for (i, row) in rows.iter_mut().enumerate() {
                        *row = level.four(&strip, WIDTH * i + 3 * (slot + k));
                    }
                }
                let columns = F64x4::transposed(rows);
                write(block, &columns);
                write(transpose(done + k), &rows);
                sum = sum + columns[0] + columns[1] + columns[2];
            }
            done = end;
        }
        // A sum of finite entries may overflow: then they are looked at one by one.
        if sum.all_finite() { None } else { blocks.iter().position(|block| !is_finite(block)) }
    }

    /// Let the inverse be part of a dense one.
    fn take_dense(&mut self, dense: &Dense) -> Result {
        let Self { operators, inverse, inverse_of, .. } = self;
        let touched = &operators.touched;
        let rows = products::rows_of(touched.len());
        *inverse_of = None;
        inverse.clear();
        inverse.try_reserve(rows * touched.len())?;
        for &dof in touched {
            let column = &dense.values[dense.size * dof as usize..][..dense.size];
            if touched.len() == column.len() {
                inverse.extend_from_slice(column);
            } else {
                inverse.extend(touched.iter().map(|&row| column[row as usize]));
            }
            inverse.resize(inverse.len().next_multiple_of(rows.max(1)), 0.0);
        }
        Ok(())
    }

    /// Whether the body has nodes, and A⁻¹ at those that slots touch takes less time than solves for all slots; then they are
    /// listed.
    fn has_nodes_to_solve_for(&mut self, factored: &Factored) -> Result<bool> {
        let Self { operators, nodal_inverse, nodes, .. } = self;
        let has_nodes = operators.dofs.is_multiple_of(3);
        operators.list_touched(has_nodes)?;
        let touched = &operators.touched;
        let counts = Counts {
            dofs: touched.len(),
            constraints: operators.slots(),
            columns: operators.column_count(),
            factor_length: factored.factor_length(),
        };
        if !has_nodes || !counts.inverse_pays(nodal_inverse.most_bytes()) {
            return Ok(false);
        }
        collect(nodes, touched.len().div_ceil(3), touched.iter().step_by(3).map(|dof| dof / 3))?;
        Ok(true)
    }

    /// Let the inverse be that of the factor at the nodes, unless it is already.
    fn take_nodal_inverse(&mut self, factored: &Factored, work: &mut Workspace) -> Result {
        let Self { operators, inverse, inverse_of, inverse_dofs, nodal_inverse, nodes, .. } = self;
        let touched = &operators.touched;
        if *inverse_of == Some(factored.revision()) && inverse_dofs == touched {
            return Ok(());
        }
        *inverse_of = None;
        nodal_inverse.update(factored, nodes, work)?;
        let rows = products::rows_of(touched.len());
        refill(inverse, rows * touched.len(), 0.0)?;
        collect(inverse_dofs, touched.len(), touched.iter().copied())?;
        for (column, &other) in nodes.iter().enumerate() {
            for (row, &node) in nodes.iter().enumerate() {
                let (Some(a), Some(b)) = (nodal_inverse.slot(node), nodal_inverse.slot(other)) else {
                    continue;
                };
                let block = nodal_inverse.slot_block(a, b);
                for (j, values) in block.chunks_exact(3).enumerate() {
                    inverse[rows * (3 * column + j) + 3 * row..][..3].copy_from_slice(values);
                }
            }
        }
        *inverse_of = Some(factored.revision());
        Ok(())
    }

    fn take_products_with_inverse(&mut self, step: f64) -> Result {
        let Self { operators, tiles, inverse, .. } = self;
        tiles.start(operators.slots(), operators.touched.len())?;
        at_best(FromInverse { step, inverse, operators, tiles });
        Ok(())
    }

    /// Write Hᵀ of every slot, where `place` has it for dof and row.
    fn write_columns(&mut self, place: impl Fn(usize, usize) -> usize) -> Result {
        let Self { operators, columns, .. } = self;
        let length = 3 * operators.dofs;
        refill(columns, length * operators.slots(), 0.0)?;
        for (slot, h) in columns.chunks_exact_mut(length).enumerate() {
            for column in operators.of(slot) {
                let dof = operators.touched[column.index as usize] as usize;
                column.values.iter().enumerate().for_each(|(k, value)| h[place(dof, k)] = *value);
            }
        }
        Ok(())
    }

    /// Make Y of what A⁻¹ has made of these.
    fn take_columns(&mut self, step: f64, place: impl Fn(usize, usize) -> usize) -> Result {
        let Self { operators, tiles, columns, .. } = self;
        tiles.start(operators.slots(), operators.touched.len())?;
        let length = 3 * operators.dofs;
        for (slot, y) in columns.chunks_exact(length).enumerate() {
            let mut to = tiles.slot_mut(slot);
            for (row, &dof) in operators.touched.iter().enumerate() {
                to.put(row, [0, 1, 2].map(|k| step * y[place(dof as usize, k)]));
            }
        }
        columns.clear();
        Ok(())
    }
}

#[cfg(test)]
mod tests;

//! Panels of bodies with any operators: the nonzero columns of H for each slot, and Y = h A⁻¹ Hᵀ at the dofs that any slot touches,
//! W_αβ = H_α Y_β.
//!
//! A slot has 1 to 3 rows of H and a scalar column of Y for each row. Tiles of 12 columns keep Y: each has, for each dof, 12
//! adjacent values, which one row of H multiplies at a time. A slot takes the next columns, all in the same tile: a tile has four
//! slots of three rows, or twelve slots of one row.
//!
//! A sum has its terms in the order of the columns of H, for vectors of any width; zero columns add nothing. So the bits of a block
//! depend on its own two slots and A alone, not on vectors, on neighbors in tiles, or on whether an operator was given dense or
//! sparse. If A is given and small, Z takes the place of H, see `triangular_solve`.

mod operators;
mod products;
mod triangular_solve;

use crate::inertia::cost::InverseCounts as Counts;
use crate::inertia::{
    Dense, FactorResult, FactorStatus, Factored, InertiaRef, Inverse, NodalInverse, TreeFactor, Workspace,
};
use crate::kinematics::{Column, Point};
use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best, write};
use crate::math::{Block, Real, is_finite};
use crate::memory::{bytes_of, collect, refill};

use operators::{GeneralOperators, SlotColumns};
use products::{FromInverse, HColumns, Tiles};
use triangular_solve::TriangularSolve;

/// The number of columns of a tile.
const WIDTH: usize = 12;

/// H and Y of the slots of one body.
#[derive(Debug, Default)]
pub struct General {
    operators: GeneralOperators,
    tiles: Tiles,
    /// A⁻¹ at the dofs that slots touch, column by column: a column has a value for each row of a tile.
    inverse: Vec<f64>,
    /// The revision of the factor from which the inverse was computed, if it was, and the dofs.
    inverse_of: Option<u64>,
    inverse_dofs: Vec<u32>,
    nodal_inverse: NodalInverse,
    /// The factor of the last A that was small, and whether A is.
    small: TreeFactor,
    is_small: bool,
    triangular_solve: TriangularSolve,
    /// Nodes that slots touch.
    nodes: Vec<u32>,
    /// Columns of Hᵀ to which A⁻¹ is applied; each has `dofs` values.
    pub(super) columns: Vec<f64>,
}

/// W_αβ of a slot α and the slots β of a tile: three rows of 12 values. Four values are read at a time, from any of them on.
type MicroTile = [f64; 3 * WIDTH + 3];

/// The last strip, with its tile, body and row. Numbers that change at different times are not adjacent: a processor waits if it
/// reads as a whole values that were just written in parts.
#[derive(Debug)]
#[repr(C)]
pub struct LastStrip {
    tile: usize,
    values: MicroTile,
    /// Body and row, as one number.
    of: u64,
}

impl LastStrip {
    /// No strip yet.
    pub const NONE: Self = Self { tile: usize::MAX, values: [0.0; 3 * WIDTH + 3], of: u64::MAX };
}

impl General {
    pub(super) fn start(&mut self, slots: usize, dofs: usize) -> FactorResult {
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
    /// If there is no such slot, or the operator does not have a column for each dof of the body.
    pub fn add(&mut self, slot: usize, sign: f64, frame: &Block, point: &Point) -> FactorResult {
        Ok(self.operators.add(slot, sign, frame, point)?)
    }

    /// Set H of a slot, 3 × dofs, column-major.
    #[cfg(test)]
    pub(crate) fn add_dense(&mut self, slot: usize, h: &[f64]) {
        let columns = (0..).zip(h.as_chunks().0.iter().copied());
        let operator = crate::kinematics::Operator::of_columns(h.len() as u32 / 3, columns).unwrap();
        self.add(slot, 1.0, &[0.0; 9], &Point::Operator(&operator, 0)).unwrap();
    }

    pub(super) fn apply(
        &mut self,
        step: f64,
        inertia: &InertiaRef,
        factored: &mut Factored,
        work: &mut Workspace,
    ) -> FactorResult<Option<FactorStatus>> {
        self.operators.lay_out()?;
        match inertia {
            InertiaRef::Inverse(Inverse::Dense(inverse)) => {
                self.operators.list_touched(false)?;
                self.take_dense(inverse)?;
                self.take_products_with_inverse(step)?;
                Ok(None)
            }
            InertiaRef::Inverse(inverse) => {
                self.operators.list_touched(false)?;
                self.tiles.start(self.operators.tiles().len(), self.operators.touched.len())?;
                self.tiles.fill_sparse(step, &self.operators, inverse);
                Ok(None)
            }
            InertiaRef::Matrix(matrix) if matrix.is_small() => {
                let Self { operators, tiles, small, triangular_solve, is_small, .. } = self;
                let freshness = small.update(matrix)?;
                triangular_solve.make(step, small, operators, tiles)?;
                *is_small = true;
                Ok(Some(freshness))
            }
            InertiaRef::Matrix(matrix) => {
                let freshness = matrix.factor(factored, work)?;
                if self.has_nodes_to_solve_for(factored)? {
                    self.take_nodal_inverse(factored, work)?;
                    self.take_products_with_inverse(step)?;
                } else {
                    let dofs = self.operators.dofs;
                    let place = |column| (3 * dofs * (column / 3) + column % 3, 3);
                    self.write_columns(3 * dofs * self.operators.width().div_ceil(3), place)?;
                    factored.solve(&mut self.columns, work)?;
                    self.take_columns(step, place)?;
                }
                Ok(Some(freshness))
            }
        }
    }

    /// Put the operators into columns for an A⁻¹ that only the caller can apply.
    pub(super) fn start_columns(&mut self) -> FactorResult {
        self.operators.lay_out()?;
        self.operators.list_touched(false)?;
        let dofs = self.operators.dofs;
        self.write_columns(dofs * self.operators.width(), |column| (dofs * column, 1))
    }

    /// The slot of a scalar column, see [`super::Panel::columns_to_solve`].
    pub(super) fn slot_of_column(&self, column: usize) -> Option<usize> {
        let mut end = 0;
        self.operators.slots().iter().position(|slot| {
            end += usize::from(slot.height);
            column < end
        })
    }

    /// Make Y from columns to which A⁻¹ was applied.
    pub(super) fn take_solved(&mut self, step: f64) -> FactorResult {
        let dofs = self.operators.dofs;
        self.take_columns(step, |column| (dofs * column, 1))
    }

    /// The factor of A, if A is small.
    pub(super) fn small(&self) -> Option<&TreeFactor> {
        Some(&self.small).filter(|_| self.is_small)
    }

    /// The bytes held, without the entries of A⁻¹.
    pub(super) fn bytes(&self) -> usize {
        let part_of_dense = if self.inverse_of.is_none() { bytes_of!(self.inverse) } else { 0 };
        self.operators.bytes()
            + self.tiles.bytes()
            + self.triangular_solve.bytes()
            + part_of_dense
            + bytes_of!(self.columns, self.nodes, self.inverse_dofs)
    }

    /// The bytes held for the factor of a small A, and for the entries of A⁻¹ that were computed from a factor: no others are kept.
    pub(super) fn entries_bytes(&self) -> usize {
        let of_factor = if self.inverse_of.is_some() { self.inverse.capacity() } else { 0 };
        self.nodal_inverse.bytes() + self.small.bytes() + size_of::<f64>() * of_factor
    }

    /// The columns of W_αβ, see [`super::Panel::columns`].
    #[inline(always)]
    pub(super) fn columns<L: SimdLevel>(&self, level: L, row: usize, column: usize) -> [L::F64x4; 3] {
        let y = self.tiles.values_of(&self.operators.slots()[column]);
        let h = self.rows_of(row);
        F64x4::transposed(match self.height(row) {
            3 => products::rows(level, h, y),
            height => level.call(ShortRows { height, h, y }).map(|row| level.load(&row)),
        })
    }

    /// W_αβ of slots of one row.
    #[inline(always)]
    pub(super) fn entry<L: SimdLevel>(&self, level: L, row: usize, column: usize) -> f64 {
        let y = self.tiles.values_of(&self.operators.slots()[column]);
        let [[[entry]]] = products::product::<L, 1, 1, 1>(level, self.rows_of(row), [y]);
        entry.vector()[0]
    }

    /// As [`General::columns`], if columns of a row are computed in turn; `body` is a number of this body.
    #[inline(always)]
    pub(super) fn columns_in_turn<L: SimdLevel>(
        &self,
        level: L,
        body: usize,
        row: usize,
        column: usize,
        last: &mut LastStrip,
    ) -> [L::F64x4; 3] {
        let slots = self.operators.slots();
        let SlotColumns { tile, first, .. } = slots[column];
        let tile = tile as usize;
        let of = (body as u64) << 32 | row as u64;
        if last.tile != tile || last.of != of {
            (last.tile, last.of) = (tile, of);
            self.write_micro_tile(level, row, tile, &mut last.values);
        }
        let mut rows = [level.zero(); 3];
        for (k, row) in rows.iter_mut().enumerate() {
            *row = level.four(&last.values, WIDTH * k + usize::from(first));
        }
        F64x4::transposed(rows)
    }

    /// Write rows of W for a slot and all columns of a tile, with zeros for the rows that the slot does not have.
    #[inline(always)]
    fn write_micro_tile<L: SimdLevel>(&self, level: L, row: usize, tile: usize, to: &mut MicroTile) {
        let (h, y) = (self.rows_of(row), self.tiles.tile(tile));
        match self.height(row) {
            3 => products::write_micro_tile::<L, 3>(level, h, y, to),
            height => level.call(ShortMicroTile { height, h, y, to }),
        }
    }

    /// H of a slot, or Z in its place.
    #[inline(always)]
    fn rows_of(&self, number: usize) -> HColumns<'_> {
        let slot = &self.operators.slots()[number];
        if self.is_small {
            let (set, lines) = self.triangular_solve.of(number, slot);
            return HColumns::Reached { set, lines, first: slot.first.into() };
        }
        HColumns::Listed(self.operators.columns_of(slot))
    }

    /// The height of a slot.
    #[inline(always)]
    pub(super) fn height(&self, slot: usize) -> usize {
        self.operators.slots()[slot].height.into()
    }

    /// Write the blocks W_αβ of a slot of three rows and some adjacent slots of three rows, and their transposes; returns the first
    /// that is not finite.
    #[inline(always)]
    pub(super) fn write_pairs<'a, L: SimdLevel>(
        &self,
        level: L,
        [row, first]: [usize; 2],
        blocks: &mut [Block],
        mut transpose: impl FnMut(usize) -> &'a mut Block,
    ) -> Option<usize> {
        let (h, slots) = (self.rows_of(row), self.operators.slots());
        let mut micro_tile: MicroTile = [0.0; 3 * WIDTH + 3];
        let (mut sum, mut done) = (level.zero(), 0);
        while done < blocks.len() {
            let SlotColumns { tile, first: place, .. } = slots[first + done];
            let (tile, place) = (tile as usize, usize::from(place));
            let y = self.tiles.tile(tile);
            let end = blocks.len().min(self.operators.tiles()[tile].end as usize - first);
            // The products with a whole tile take about as long as those with two slots.
            let is_alone = end - done == 1;
            if !is_alone {
                products::write_micro_tile::<L, 3>(level, h, y, &mut micro_tile);
            }
            for (k, block) in blocks[done..end].iter_mut().enumerate() {
                let mut rows = [level.zero(); 3];
                if is_alone {
                    rows = products::rows(level, h, &y[place..]);
                } else {
                    for (i, row) in rows.iter_mut().enumerate() {
                        *row = level.four(&micro_tile, WIDTH * i + place + 3 * k);
                    }
                }
                let columns = F64x4::transposed(rows);
                write(block, &columns);
                write(transpose(done + k), &rows);
                sum = sum + columns[0] + columns[1] + columns[2];
            }
            done = end;
        }
        // A sum of finite entries may overflow: then entries are checked one by one.
        if sum.all_finite() { None } else { blocks.iter().position(|block| !is_finite(block)) }
    }

    /// Take the inverse from a dense one.
    fn take_dense(&mut self, dense: &Dense) -> FactorResult {
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
    fn has_nodes_to_solve_for(&mut self, factored: &Factored) -> FactorResult<bool> {
        let Self { operators, nodal_inverse, nodes, .. } = self;
        let has_nodes = operators.dofs.is_multiple_of(3);
        operators.list_touched(has_nodes)?;
        let touched = &operators.touched;
        let counts = Counts {
            dofs: touched.len(),
            constraints: operators.width().div_ceil(3),
            columns: operators.column_count(),
            factor_length: factored.factor_length(),
        };
        if !has_nodes || !counts.inverse_pays(nodal_inverse.most_bytes()) {
            return Ok(false);
        }
        collect(nodes, touched.len().div_ceil(3), touched.iter().step_by(3).map(|dof| dof / 3))?;
        Ok(true)
    }

    /// Compute the inverse at the nodes from the factor, unless it is there already.
    fn take_nodal_inverse(&mut self, factored: &Factored, work: &mut Workspace) -> FactorResult {
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

    fn take_products_with_inverse(&mut self, step: f64) -> FactorResult {
        let Self { operators, tiles, inverse, .. } = self;
        tiles.start(operators.tiles().len(), operators.touched.len())?;
        at_best(FromInverse { step, inverse, operators, tiles });
        Ok(())
    }

    /// Write Hᵀ of all slots, scalar column after scalar column, into `length` values. `place` returns a column's first
    /// place and the step from one dof to the next.
    fn write_columns(&mut self, length: usize, place: impl Fn(usize) -> (usize, usize)) -> FactorResult {
        let Self { operators, columns: all, .. } = self;
        refill(all, length, 0.0)?;
        let mut first = 0;
        for slot in operators.slots() {
            let height = usize::from(slot.height);
            for Column { index, values } in operators.columns_of(slot) {
                let dof = operators.touched[*index as usize] as usize;
                for (column, value) in (first..).zip(&values[..height]) {
                    let (start, step) = place(column);
                    all[start + step * dof] = *value;
                }
            }
            first += height;
        }
        Ok(())
    }

    /// Make Y of these columns once A⁻¹ has been applied to them.
    fn take_columns(&mut self, step: f64, place: impl Fn(usize) -> (usize, usize)) -> FactorResult {
        let Self { operators, tiles, columns: all, .. } = self;
        tiles.start(operators.tiles().len(), operators.touched.len())?;
        let mut first = 0;
        for slot in operators.slots() {
            let (height, mut to) = (usize::from(slot.height), tiles.slot_mut(slot));
            for (row, &dof) in operators.touched.iter().enumerate() {
                for (column, y) in (first..).zip(&mut to.row(row)[..height]) {
                    let (start, stride) = place(column);
                    *y = step * all[start + stride * dof as usize];
                }
            }
            first += height;
        }
        all.clear();
        Ok(())
    }
}

/// Put the first `width` columns of R rows into a matrix with `stride` rows, column-major, see [`RowsOfSlot`]. Returns the columns that
/// follow.
#[inline(always)]
fn put_rows<'a, F: F64x4, const R: usize, const V: usize>(
    stride: usize,
    width: usize,
    rows: &[[F; V]; R],
    to: &'a mut [f64],
) -> &'a mut [f64] {
    if stride == 1 {
        // Values beyond the width are overwritten with values of the next tile.
        if to.len() >= 4 * V {
            for (v, values) in rows[0].iter().enumerate() {
                to[4 * v..4 * v + 4].copy_from_slice(&values.values());
            }
        } else {
            for (v, values) in rows[0].iter().enumerate() {
                let to = to.get_mut(4 * v..).unwrap_or_default();
                to.iter_mut().zip(values.values()).for_each(|(to, value)| *to = value);
            }
        }
    } else {
        let mut values = [[[0.0; 4]; V]; R];
        for (to, row) in values.as_flattened_mut().iter_mut().zip(rows.as_flattened()) {
            *to = row.values();
        }
        for (c, column) in to.chunks_mut(stride).take(width).enumerate() {
            for (to, values) in column.iter_mut().zip(&values) {
                *to = values.as_flattened()[c];
            }
        }
    }
    to.split_at_mut(to.len().min(stride * width)).1
}

/// The sum of the vectors of some rows.
#[inline(always)]
fn sum_of<F: F64x4, const R: usize, const V: usize>(mut sum: F, rows: &[[F; V]; R]) -> F {
    for row in rows.as_flattened() {
        sum = sum + *row;
    }
    sum
}

/// The rows of H Y of a slot with one or two rows; the other rows are zero.
struct ShortRows<'a> {
    height: usize,
    h: HColumns<'a>,
    y: &'a [f64],
}

impl Kernel for ShortRows<'_> {
    type Output = [[f64; 4]; 3];

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let Self { height, h, y } = self;
        let mut rows = [[0.0; 4]; 3];
        if height == 1 {
            let [[[one]]] = products::product::<L, 1, 1, 1>(level, h, [y]);
            rows[0] = one.values();
        } else {
            let [[[one], [two]]] = products::product::<L, 2, 1, 1>(level, h, [y]);
            (rows[0], rows[1]) = (one.values(), two.values());
        }
        rows
    }
}

/// The rows of W for a slot with one or two rows and all columns of a tile, with zeros for the rows that the slot does not have.
struct ShortMicroTile<'a> {
    height: usize,
    h: HColumns<'a>,
    y: &'a [f64],
    to: &'a mut MicroTile,
}

impl Kernel for ShortMicroTile<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { height, h, y, to } = self;
        match height {
            1 => products::write_micro_tile::<L, 1>(level, h, y, to),
            _ => products::write_micro_tile::<L, 2>(level, h, y, to),
        }
        to[WIDTH * height..].fill(0.0);
    }
}

/// Rows of W for one slot and for the scalar columns from slot `first` on, until `rows` is full. W has `stride` rows, column-major;
/// `rows` begins with the first entry and ends with the last column, which may be cut after the last row. If the result is true, all
/// entries are finite.
pub(super) struct RowsOfSlot<'a> {
    pub general: &'a General,
    pub row: usize,
    pub first: usize,
    pub stride: usize,
    pub rows: &'a mut [f64],
}

impl Kernel for RowsOfSlot<'_> {
    type Output = bool;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> bool {
        match self.general.height(self.row) {
            1 => self.write::<L, 1>(level),
            2 => self.write::<L, 2>(level),
            _ => self.write::<L, 3>(level),
        }
    }
}

impl RowsOfSlot<'_> {
    /// Write the rows of a slot of R rows.
    #[inline(always)]
    fn write<L: SimdLevel, const R: usize>(self, level: L) -> bool {
        let Self { general: General { operators, tiles, .. }, row, first, stride, mut rows } = self;
        let h = self.general.rows_of(row);
        let SlotColumns { tile, first: place, .. } = operators.slots()[first];
        let (mut tile, mut place, mut sum) = (tile as usize, usize::from(place), level.zero());
        while !rows.is_empty() {
            let left = rows.len().div_ceil(stride);
            let own = usize::from(operators.tiles()[tile].width) - place;
            let width = left.min(own);
            let y = &tiles.tile(tile)[place..];
            match width {
                // One row alone keeps a processor busy with two tiles only.
                _ if R == 1 && left > own => {
                    tile += 1;
                    let [one, two] = products::product::<L, R, 3, 2>(level, h, [y, tiles.tile(tile)]);
                    rows = put_rows(stride, width, &one, rows);
                    let width = usize::from(operators.tiles()[tile].width).min(left - width);
                    rows = put_rows(stride, width, &two, rows);
                    sum = sum_of(sum_of(sum, &one), &two);
                }
                ..=4 => {
                    let [one] = products::product::<L, R, 1, 1>(level, h, [y]);
                    rows = put_rows(stride, width, &one, rows);
                    sum = sum_of(sum, &one);
                }
                5..=8 => {
                    let [one] = products::product::<L, R, 2, 1>(level, h, [y]);
                    rows = put_rows(stride, width, &one, rows);
                    sum = sum_of(sum, &one);
                }
                _ => {
                    let [one] = products::product::<L, R, 3, 1>(level, h, [y]);
                    rows = put_rows(stride, width, &one, rows);
                    sum = sum_of(sum, &one);
                }
            }
            (tile, place) = (tile + 1, 0);
        }
        sum.all_finite()
    }
}

#[cfg(test)]
mod tests;

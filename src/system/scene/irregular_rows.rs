//! Values of a row alone, in systems that have irregular rows.

use crate::assembly::irregular_rows::{IrregularRows, IrregularSide};
use crate::body_operators::RIGID;
use crate::body_operators::factored::{Slot, Slots};
use crate::math::{Block, Vector, copy_few};
use crate::system::error::{Error, Fault};
use crate::team::{Numbered, Partition, Ragged};

use super::Scene;
use super::rows::{DIAGONAL, VELOCITY};

/// The results of some rows.
pub trait RowResults: Partition {
    /// Whether rows may be irregular.
    const MAY_BE_IRREGULAR: bool;

    /// Store V and B of a row.
    fn set_velocities(&mut self, row: usize, velocities: [&[f64]; 2]);

    /// Store the diagonal block of a row and its inverse.
    fn set_diagonal(&mut self, row: usize, block: &[f64], inverse: &[f64]);
}

/// B and V of rows, their diagonal blocks and the inverses of these; all rows are regular.
pub type RegularResults<'a> = ((&'a mut [Vector], &'a mut [Vector]), (&'a mut [Block], &'a mut [Block]));

impl RowResults for RegularResults<'_> {
    const MAY_BE_IRREGULAR: bool = false;

    #[inline(always)]
    fn set_velocities(&mut self, row: usize, [v, b]: [&[f64]; 2]) {
        self.0.1[row].copy_from_slice(v);
        self.0.0[row].copy_from_slice(b);
    }

    #[inline(always)]
    fn set_diagonal(&mut self, row: usize, block: &[f64], inverse: &[f64]) {
        self.1.0[row].copy_from_slice(block);
        self.1.1[row].copy_from_slice(inverse);
    }
}

/// B and V of rows of any height, their diagonal blocks and the inverses of these. Both of a pair have the same starts, and a row has
/// as many values as its height says.
pub type IrregularResults<'a> =
    ((Ragged<'a, f64>, Ragged<'a, f64>), (Ragged<'a, f64, usize>, Ragged<'a, f64, usize>));

impl RowResults for IrregularResults<'_> {
    const MAY_BE_IRREGULAR: bool = true;

    #[inline(always)]
    fn set_velocities(&mut self, row: usize, [v, b]: [&[f64]; 2]) {
        let start = self.0.0.start(row);
        copy_few(v, &mut self.0.1.values[start..start + v.len()]);
        copy_few(b, &mut self.0.0.values[start..start + b.len()]);
    }

    #[inline(always)]
    fn set_diagonal(&mut self, row: usize, block: &[f64], inverse: &[f64]) {
        let start = self.1.0.start(row);
        copy_few(block, &mut self.1.0.values[start..start + block.len()]);
        copy_few(inverse, &mut self.1.1.values[start..start + inverse.len()]);
    }
}

impl<R: RowResults> IrregularRows for Numbered<R, &Scene<'_>> {
    type Fault = Error;

    fn height(&self, row: usize) -> usize {
        self.context.structure.height(self.first + row)
    }

    fn side_count(&self, row: usize) -> usize {
        self.context.structure.all_ends(self.first + row).len()
    }

    fn side(&self, row: usize, k: usize) -> Option<IrregularSide<'_>> {
        let (scene, row) = (self.context, self.first + row);
        let operator = scene.constraint(row).operator(k)?;
        let place = scene.structure.all_ends(row)[k] as usize;
        let body = scene.body(place).1;
        let velocities = [body.previous_velocity(), body.velocity()];
        Some(IrregularSide { operator, velocities, place: scene.structure.place_on(row, place) })
    }

    fn add_compliance(&self, row: usize, block: &mut [f64]) {
        if !self.context.has_compliance {
            return;
        }
        let constraint = self.context.constraint(self.first + row);
        let Some(irregular) = constraint.irregular.as_ref().filter(|own| own.is_added_to()) else { return };
        let rows = constraint.rows();
        for j in 0..rows {
            for i in j..rows {
                block[rows * j + i] += irregular.added(rows, i, j);
            }
        }
    }

    fn slot(&mut self, row: usize, k: usize, group: usize, slots: &Slots<RIGID>) -> Slot<'_, RIGID> {
        let place = self.side(row, k).and_then(|side| side.place).expect("the body is no obstacle");
        // SAFETY: the structure gives each row slots of its own, and this row is in no other part; the update started the panels
        // and does not touch them until all rows are made.
        Slot::new(unsafe { slots.at(place.slot + group) })
    }

    fn set_velocities(&mut self, row: usize, velocities: [&[f64]; 2]) {
        self.things.set_velocities(row, velocities);
    }

    fn set_diagonal(&mut self, row: usize, block: &[f64], inverse: &[f64]) {
        self.things.set_diagonal(row, block, inverse);
    }

    #[cold]
    fn fault(&self, row: usize, is_velocity: bool) -> Error {
        let what = if is_velocity { VELOCITY } else { DIAGONAL };
        self.context.failed(self.first + row, Fault::NotFinite(what))
    }
}

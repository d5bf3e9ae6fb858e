//! Groups of three scalar rows. Products through bodies go over groups; each has a slot on the bodies of its row. If all rows are
//! regular, each row is a group. Vectors with three values for each group have zeros where a row has fewer.
#![forbid(unsafe_code)]

use std::iter;

use crate::math::Vector;
use crate::memory::{self, collect, refill};
use crate::system::structure::Structure;

/// The groups of the rows of a structure with irregular rows.
#[derive(Debug, Default)]
pub(in crate::system) struct Groups {
    /// The row of each group.
    rows: Vec<u32>,
    /// The group of each slot, body after body.
    slots: Vec<u32>,
    /// The first group of each row.
    firsts: Vec<u32>,
}

impl Groups {
    /// List the groups of a structure.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn list(&mut self, structure: &Structure) -> memory::Result {
        let Self { rows, slots, firsts } = self;
        let count = (0..structure.len()).map(|row| structure.groups(row)).sum();
        collect(rows, count, iter::empty())?;
        collect(firsts, structure.len(), iter::empty())?;
        for row in 0..structure.len() {
            firsts.push(rows.len() as u32);
            rows.extend(iter::repeat_n(row as u32, structure.groups(row)));
        }
        collect(slots, structure.all_slots(), iter::empty())?;
        for body in 0..structure.slot_starts().len().saturating_sub(1) {
            let mut before = u32::MAX;
            for &row in structure.rows_on(body) {
                slots.push(firsts[row as usize] + u32::from(row == before));
                before = row;
            }
        }
        Ok(())
    }

    /// The number of groups.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// The group of each slot, body after body.
    pub fn of_slots(&self) -> &[u32] {
        &self.slots
    }

    /// The row of a group, and its number among the groups of the row.
    pub fn row(&self, group: usize) -> (usize, usize) {
        let row = self.rows[group] as usize;
        (row, group - self.firsts[row] as usize)
    }

    /// Write a vector with a value for each scalar row as one with three for each group.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn pad(&self, structure: &Structure, x: &[f64], padded: &mut Vec<f64>) -> memory::Result {
        refill(padded, 3 * self.len(), 0.0)?;
        for (row, &first) in self.firsts.iter().enumerate() {
            let own = &x[structure.scalars(row)];
            padded[3 * first as usize..][..own.len()].copy_from_slice(own);
        }
        Ok(())
    }

    /// Write a vector with three values for each group as one with a value for each scalar row.
    pub fn unpad(&self, structure: &Structure, padded: &[Vector], y: &mut [f64]) {
        for (row, &first) in self.firsts.iter().enumerate() {
            let own = &mut y[structure.scalars(row)];
            let count = own.len();
            own.copy_from_slice(&padded[first as usize..].as_flattened()[..count]);
        }
    }
}

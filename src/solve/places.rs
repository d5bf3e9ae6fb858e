//! Where the scalar rows of a problem are among rows of three.

use crate::math::Vector;
use crate::memory::{self, push, refill};

/// The lanes of rows of three that have a scalar row.
#[derive(Clone, Copy, Debug)]
pub struct UsedLanes<'a>(&'a [[bool; 3]]);

impl UsedLanes<'_> {
    /// Whether a lane of a row has a scalar row.
    pub fn has(&self, row: usize, lane: usize) -> bool {
        self.0[row][lane]
    }
}

/// The row of three and the lane of each scalar row.
#[derive(Debug, Default)]
pub struct Places {
    pub of_scalars: Vec<(u32, u32)>,
    used: Vec<[bool; 3]>,
}

impl Places {
    /// Keep the places of all scalar rows.
    pub fn keep(&mut self, rows: usize, places: impl Iterator<Item = (usize, usize)>) -> memory::Result {
        self.of_scalars.clear();
        refill(&mut self.used, rows, [false; 3])?;
        for (row, lane) in places {
            push(&mut self.of_scalars, (row as u32, lane as u32))?;
            self.used[row][lane] = true;
        }
        Ok(())
    }

    /// Write a value for each scalar row into vectors, and zeros into lanes without a scalar row, or everywhere if there are no values.
    pub fn scatter(&self, scalars: Option<&[f64]>, vectors: &mut [Vector]) {
        let scalars = scalars.unwrap_or_default();
        // Scalar rows are out of order only where lanes have none.
        if scalars.len() == 3 * vectors.len() {
            vectors.as_flattened_mut().copy_from_slice(scalars);
            return;
        }
        vectors.fill([0.0; 3]);
        for (&(row, lane), value) in self.of_scalars.iter().zip(scalars) {
            vectors[row as usize][lane as usize] = *value;
        }
    }

    /// Read the value of each scalar row from vectors.
    pub fn gather(&self, vectors: &[Vector], scalars: &mut [f64]) {
        if scalars.len() == 3 * vectors.len() {
            scalars.copy_from_slice(vectors.as_flattened());
            return;
        }
        for (&(row, lane), value) in self.of_scalars.iter().zip(scalars) {
            *value = vectors[row as usize][lane as usize];
        }
    }

    pub fn lanes(&self) -> UsedLanes<'_> {
        UsedLanes(&self.used)
    }

    /// The row and lane of a scalar row.
    pub fn of(&self, scalar: usize) -> (usize, usize) {
        let (row, lane) = self.of_scalars[scalar];
        (row as usize, lane as usize)
    }
}

//! Scratch memory of factorizations and solves, kept between calls.

use super::supernodes::Lanes;
use crate::memory::{self, bytes_of};

/// Scratch memory for any number of factored matrices, one after another. It grows to the need of the largest and
/// stays.
#[derive(Default)]
pub struct Workspace {
    changes: Vec<Lanes>,
    columns: Vec<Lanes>,
    permuted: Vec<Lanes>,
    marks: Vec<bool>,
}

/// The need of one factorization or solve.
#[derive(Clone, Copy, Debug, Default)]
pub struct Need {
    /// The number of vectors for changes of later columns, written before they are read.
    pub changes: usize,
    /// The number of vectors of right-hand sides, zero at first.
    pub columns: usize,
    /// The number of vectors of permuted right-hand sides, written before they are read.
    pub permuted: usize,
    /// The number of marks, none set at first.
    pub marks: usize,
}

/// The memory for a [`Need`].
pub struct Scratch<'a> {
    pub changes: &'a mut [Lanes],
    pub columns: &'a mut [Lanes],
    pub permuted: &'a mut [Lanes],
    pub marks: &'a mut [bool],
}

impl Workspace {
    /// The bytes of memory held.
    pub fn bytes(&self) -> usize {
        bytes_of!(self.changes, self.columns, self.permuted, self.marks)
    }

    /// Provide scratch memory of the needed size.
    pub fn take(&mut self, need: Need) -> memory::Result<Scratch<'_>> {
        let Self { changes, columns, permuted, marks } = self;
        memory::refill(columns, need.columns, [0.0; 4])?;
        memory::refill(marks, need.marks, false)?;
        for (values, length) in [(&mut *changes, need.changes), (&mut *permuted, need.permuted)] {
            memory::resize(values, length.max(values.len()), [0.0; 4])?;
        }
        Ok(Scratch {
            changes: &mut changes[..need.changes],
            columns,
            permuted: &mut permuted[..need.permuted],
            marks,
        })
    }
}

impl core::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        write!(f, "Workspace of {} bytes", self.bytes())
    }
}

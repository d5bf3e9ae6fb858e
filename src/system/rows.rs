//! The results of an update.
#![forbid(unsafe_code)]

use crate::ffi::large_pages;
use crate::math::{Block, Vector};

use super::error::Result;

/// The rows of W and what goes with them: row k belongs to the k-th constraint in the order of insertion, those removed
/// left out.
#[derive(Clone, Copy, Debug)]
pub struct Rows<'a> {
    /// Ids of the constraints.
    pub ids: &'a [i64],
    /// Row k has the blocks `starts[k]..starts[k + 1]`.
    pub starts: &'a [i32],
    /// Column of each block, ascending in a row, the diagonal among them.
    pub columns: &'a [i32],
    /// The blocks, column-major.
    pub values: &'a [Block],
    /// Free local velocities, of the free generalised velocities.
    pub b: &'a [Vector],
    /// Previous local velocities.
    pub v: &'a [Vector],
    /// Diagonal blocks, symmetric to the bit.
    pub diagonal: &'a [Block],
    /// Their inverses, symmetric to the bit; NaN where a block is singular.
    pub inverse: &'a [Block],
}

/// Where results are kept.
#[derive(Debug, Default)]
pub(super) struct Results {
    pub values: Vec<Block>,
    pub b: Vec<Vector>,
    pub v: Vec<Vector>,
    pub diagonal: Vec<Block>,
    pub inverse: Vec<Block>,
}

/// Make a vector so long, without touching what is there already.
pub(super) fn resized<T: Copy>(values: &mut Vec<T>, length: usize, value: T) -> Result {
    let before = values.capacity();
    values.try_reserve(length.saturating_sub(values.len()))?;
    if values.capacity() != before {
        large_pages::ask_for(values.as_ptr(), values.capacity());
    }
    values.resize(length, value);
    Ok(())
}

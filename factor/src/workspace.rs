//! Scratch memory of factorizations and solves, kept between calls.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};

use crate::error::FactorError;
use crate::reserve;

/// Alignment of the memory, in bytes: a cache line, or two.
const ALIGNMENT: usize = 128;

/// Scratch memory for any number of factored matrices, one after another. It grows to the need of the largest and
/// stays.
#[derive(Default)]
pub struct Workspace {
    memory: Option<MemBuffer>,
    columns: Vec<f64>,
    gathered: Vec<f64>,
    marks: Vec<bool>,
}

/// The need of one factorization or solve.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Need {
    /// Scratch memory.
    pub stack: StackReq,
    /// The number of values that are zero at first.
    pub columns: usize,
    /// The number of values that are written before they are read.
    pub gathered: usize,
    /// The number of marks, none set at first.
    pub marks: usize,
}

/// The memory for a [`Need`].
pub(crate) struct Scratch<'a> {
    pub stack: &'a mut MemStack,
    pub columns: &'a mut [f64],
    pub gathered: &'a mut [f64],
    pub marks: &'a mut [bool],
}

impl Workspace {
    /// The bytes of memory held.
    pub fn bytes(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len())
            + 8 * (self.columns.capacity() + self.gathered.capacity())
            + self.marks.capacity()
    }

    /// Provide scratch memory of at least the needed size. The calling thread then also has its buffer for packing.
    pub(crate) fn take(&mut self, need: Need) -> Result<Scratch<'_>, FactorError> {
        reserve::packing_buffer()?;
        let required = need.stack;
        let fits = self.memory.as_mut().is_some_and(|memory| MemStack::new(memory).can_hold(required));
        if !fits {
            let size = required.size_bytes().max(self.memory.as_ref().map_or(0, |memory| memory.len()));
            self.memory = None;
            // All have the same alignment, so that the size that fits does not depend on the address.
            let required = StackReq::new_aligned::<u8>(size, required.align_bytes().max(ALIGNMENT));
            self.memory = Some(MemBuffer::try_new(required).map_err(|_| FactorError::Memory)?);
        }
        self.columns.clear();
        grow(&mut self.columns, need.columns, 0.0)?;
        grow(&mut self.gathered, need.gathered, 0.0)?;
        self.marks.clear();
        grow(&mut self.marks, need.marks, false)?;
        match &mut self.memory {
            Some(memory) => Ok(Scratch {
                stack: MemStack::new(memory),
                columns: &mut self.columns,
                gathered: &mut self.gathered,
                marks: &mut self.marks,
            }),
            None => Err(FactorError::Memory),
        }
    }
}

/// Extend a vector to a length with copies of a value.
fn grow<T: Copy>(values: &mut Vec<T>, length: usize, value: T) -> Result<(), FactorError> {
    if values.len() < length {
        values.try_reserve(length - values.len())?;
        values.resize(length, value);
    }
    Ok(())
}

impl core::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        write!(f, "Workspace of {} bytes", self.bytes())
    }
}

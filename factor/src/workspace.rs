//! Scratch memory of factorizations and solves, kept from one to the next.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};

use crate::error::FactorError;
use crate::reserve;

/// Alignment of the memory, in bytes: a cache line, or two.
const ALIGNMENT: usize = 128;

/// Scratch memory for any number of factored matrices, one after another. It grows to what the largest needs
/// and stays.
#[derive(Default)]
pub struct Workspace {
    memory: Option<MemBuffer>,
    columns: Vec<f64>,
    gathered: Vec<f64>,
    marks: Vec<bool>,
}

/// What one factorization or solve needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Need {
    /// Scratch memory.
    pub stack: StackReq,
    /// Numbers, all zero at first.
    pub columns: usize,
    /// Numbers that are written before they are read.
    pub gathered: usize,
    /// Marks, none set at first.
    pub marks: usize,
}

/// What was asked for.
pub(crate) struct Scratch<'a> {
    pub stack: &'a mut MemStack,
    pub columns: &'a mut [f64],
    pub gathered: &'a mut [f64],
    pub marks: &'a mut [bool],
}

impl Workspace {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len())
            + 8 * (self.columns.capacity() + self.gathered.capacity())
            + self.marks.capacity()
    }

    /// Scratch memory of at least the size needed. The calling thread has its buffer for packing then, too.
    pub(crate) fn take(&mut self, need: Need) -> Result<Scratch<'_>, FactorError> {
        reserve::packing_buffer()?;
        let required = need.stack;
        let fits = self.memory.as_mut().is_some_and(|memory| MemStack::new(memory).can_hold(required));
        if !fits {
            let size = required.size_bytes().max(self.memory.as_ref().map_or(0, |memory| memory.len()));
            self.memory = None;
            // One alignment for all, so that what fits does not depend on the address.
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

/// Fill up to a length with a value.
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

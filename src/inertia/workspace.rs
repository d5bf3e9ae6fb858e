//! Scratch memory of factorisations and solves, kept from one to the next.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};

use super::factored::FactorError;

/// Alignment of the memory, in bytes: a cache line, or two.
const ALIGNMENT: usize = 128;

/// Scratch memory for any number of factored matrices, one after another. It grows to what the largest needs
/// and stays.
#[derive(Default)]
pub struct Workspace {
    memory: Option<MemBuffer>,
    columns: Vec<f64>,
}

impl Workspace {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.memory.as_ref().map_or(0, |memory| memory.len()) + 8 * self.columns.capacity()
    }

    /// Scratch memory of at least the required size, and `length` numbers, all zero.
    pub(super) fn take(
        &mut self,
        required: StackReq,
        length: usize,
    ) -> Result<(&mut MemStack, &mut [f64]), FactorError> {
        let fits = self.memory.as_mut().is_some_and(|memory| MemStack::new(memory).can_hold(required));
        if !fits {
            let size = required.size_bytes().max(self.memory.as_ref().map_or(0, |memory| memory.len()));
            self.memory = None;
            // One alignment for all, so that what fits does not depend on the address.
            let required = StackReq::new_aligned::<u8>(size, required.align_bytes().max(ALIGNMENT));
            self.memory = Some(MemBuffer::try_new(required).map_err(|_| FactorError::Memory)?);
        }
        self.columns.clear();
        self.columns.try_reserve(length).map_err(|_| FactorError::Memory)?;
        self.columns.resize(length, 0.0);
        match &mut self.memory {
            Some(memory) => Ok((MemStack::new(memory), &mut self.columns)),
            None => Err(FactorError::Memory),
        }
    }
}

impl core::fmt::Debug for Workspace {
    fn fmt(&self, f: &mut core::fmt::Formatter) -> core::fmt::Result {
        write!(f, "Workspace of {} bytes", self.bytes())
    }
}

//! A box that memory is reserved for fallibly.

use core::ops::{Deref, DerefMut};

use super::FactorError;

/// A value on the heap. `Box::new` would abort where memory is exhausted.
#[derive(Debug)]
pub(crate) struct Boxed<T>(Box<[T; 1]>);

impl<T> Boxed<T> {
    /// Move a value to the heap.
    pub(crate) fn new(value: T) -> Result<Self, FactorError> {
        let mut place = Vec::new();
        place.try_reserve_exact(1).map_err(|_| FactorError::Memory)?;
        place.push(value);
        place.into_boxed_slice().try_into().map(Self).map_err(|_| FactorError::Memory)
    }

    /// As a box of one.
    pub(crate) fn into_box(self) -> Box<[T; 1]> {
        self.0
    }
}

impl<T> Deref for Boxed<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0[0]
    }
}

impl<T> DerefMut for Boxed<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0[0]
    }
}

//! A box with fallible allocation.

use core::ops::{Deref, DerefMut};

use super::FactorError;

/// A value on the heap. `Box::new` would abort if memory is exhausted.
#[derive(Debug)]
pub struct Boxed<T>(Box<[T; 1]>);

impl<T> Boxed<T> {
    /// Move a value to the heap.
    pub fn new(value: T) -> Result<Self, FactorError> {
        let mut place = Vec::new();
        place.try_reserve_exact(1)?;
        place.push(value);
        place.into_boxed_slice().try_into().map(Self).map_err(|_| FactorError::Memory)
    }

    /// The box of an array of one. `Box<[T; 1]>` can become `Box<dyn Trait>` if the trait is implemented for `[T; 1]`.
    pub fn into_box(self) -> Box<[T; 1]> {
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

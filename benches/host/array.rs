//! Arrays for C: an address that stays, and no reference that would forbid others to write.

/// Values on the heap, reached through a raw pointer.
pub struct Array<T> {
    values: *mut [T],
}

impl<T> Array<T> {
    /// An array of these values.
    pub fn new(values: impl IntoIterator<Item = T>) -> Self {
        let values: Box<[T]> = values.into_iter().collect();
        Self { values: Box::into_raw(values) }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// The first value.
    pub fn first(&self) -> *mut T {
        self.values.cast()
    }

    /// The value with an index.
    ///
    /// # Panics
    /// If there is none.
    pub fn at(&self, index: usize) -> *mut T {
        assert!(index < self.len());
        // SAFETY: the index is in the array.
        unsafe { self.first().add(index) }
    }

    /// A copy of the values.
    pub fn copied(&self) -> Vec<T>
    where
        T: Copy,
    {
        // SAFETY: the indices are in the array, and nobody writes it now.
        (0..self.len()).map(|index| unsafe { *self.at(index) }).collect()
    }

    /// Overwrite the values from an index on.
    ///
    /// # Panics
    /// If they do not fit.
    pub fn write(&self, index: usize, values: impl IntoIterator<Item = T>) {
        for (k, value) in values.into_iter().enumerate() {
            // SAFETY: at() checks the index, and no reference to a value lives.
            unsafe { *self.at(index + k) = value };
        }
    }
}

impl<T> Drop for Array<T> {
    fn drop(&mut self) {
        // SAFETY: the pointer comes from a box, which nobody else frees.
        drop(unsafe { Box::from_raw(self.values) });
    }
}

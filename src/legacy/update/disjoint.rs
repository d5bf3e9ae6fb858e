//! What threads share during a stage.

use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

/// A slice whose elements go to different threads.
pub struct Disjoint<'a, T> {
    first: *mut T,
    length: usize,
    _elements: PhantomData<&'a mut [T]>,
}

// SAFETY: each element is used by one thread at a time, as Disjoint::range demands; the host's structures that elements
// point to may be used from any thread.
unsafe impl<T> Sync for Disjoint<'_, T> {}

impl<'a, T> Disjoint<'a, T> {
    /// A slice to be taken apart.
    pub fn new(elements: &'a mut [T]) -> Self {
        Self { first: elements.as_mut_ptr(), length: elements.len(), _elements: PhantomData }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Some of the elements.
    ///
    /// # Safety
    /// No element is in two ranges that are in use at a time.
    ///
    /// # Panics
    /// If the range does not lie in the slice.
    #[allow(clippy::mut_from_ref, reason = "disjoint, as promised by the caller")]
    pub unsafe fn range(&self, range: Range<usize>) -> &mut [T] {
        assert!(range.start <= range.end && range.end <= self.length);
        // SAFETY: the range lies in the slice, and is used here alone.
        unsafe { slice::from_raw_parts_mut(self.first.add(range.start), range.end - range.start) }
    }
}

/// Something that threads only read.
pub struct Read<'a, T: ?Sized>(pub &'a T);

// SAFETY: what is read is not written during the stage; raw pointers in it lead to structures of the host and of this
// library, which may be used from any thread.
unsafe impl<T: ?Sized> Sync for Read<'_, T> {}

impl<'a, T: ?Sized> Read<'a, T> {
    /// It.
    pub fn get(&self) -> &'a T {
        self.0
    }
}

/// The part with a number, if `count` things are dealt in parts of `size`.
pub fn part(number: usize, size: usize, count: usize) -> Range<usize> {
    number * size..count.min((number + 1) * size)
}

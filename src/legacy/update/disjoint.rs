//! What is dealt to threads during a stage.

use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

use crate::legacy::rows::{Attached, Attachments, Operators, Pair};

use super::tasks::Task;

// Pointers to structures of the host and to rows are the only reason why these are not Send and Sync of themselves. None of
// them has a safe function that follows such a pointer: who does so promises that no other thread writes what it leads to.
// Nothing of what they lead to belongs to a thread.

// SAFETY: see above.
unsafe impl Send for Task {}
// SAFETY: see above.
unsafe impl Sync for Task {}
// SAFETY: see above.
unsafe impl Sync for Attached {}
// SAFETY: see above.
unsafe impl Send for Operators {}
// SAFETY: see above.
unsafe impl Sync for Attachments {}
// SAFETY: see above.
unsafe impl Send for Pair {}

/// A slice whose elements go to different threads.
pub struct Disjoint<'a, T> {
    first: *mut T,
    length: usize,
    _elements: PhantomData<&'a mut [T]>,
}

// SAFETY: who has a shared reference gets at elements by Disjoint::range alone, whose caller promises that no element is in
// the hands of two threads: elements are sent to threads, not shared between them.
unsafe impl<T: Send> Sync for Disjoint<'_, T> {}

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

/// The part with a number, if `count` things are dealt in parts of `size`.
pub fn part(number: usize, size: usize, count: usize) -> Range<usize> {
    number * size..count.min((number + 1) * size)
}

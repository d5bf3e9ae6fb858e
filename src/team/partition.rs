//! Sequences that the threads of a team divide: no two threads have the same item.

use std::marker::PhantomData;
use std::ops::Range;
use std::slice;

use num_traits::AsPrimitive;

use super::Team;
use crate::first_error::FirstError;

/// A sequence that can be divided into parts.
///
/// # Safety
/// Parts with disjoint ranges share nothing that one of them could change.
pub unsafe trait Partition: Sized {
    /// The sequence while threads take parts of it.
    type Shared: Sync;

    /// The number of items.
    fn count(&self) -> usize;

    /// Convert the sequence, so that threads can take parts.
    fn shared(self) -> Self::Shared;

    /// The items in a range of indices, which is within the sequence.
    ///
    /// # Safety
    /// No index is in two parts that are in use at the same time.
    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> Self;
}

/// A slice while threads take parts of it.
pub struct SharedSlice<'a, T> {
    first: *mut T,
    count: usize,
    _things: PhantomData<&'a mut [T]>,
}

// SAFETY: items are reached through a shared reference by Partition::part, SharedSlice::at and SharedSlice::some_at alone. Their callers
// promise that no two threads have the same item: items are sent to threads, not shared between them.
unsafe impl<T: Send> Sync for SharedSlice<'_, T> {}

impl<T> Clone for SharedSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for SharedSlice<'_, T> {}

impl<'a, T> SharedSlice<'a, T> {
    /// The item at an index.
    ///
    /// # Panics
    /// If there is no such item.
    ///
    /// # Safety
    /// Nobody else uses the item while this reference is used.
    #[inline(always)]
    pub unsafe fn at(&self, place: usize) -> &'a mut T {
        assert!(place < self.count);
        // SAFETY: the slice has such an item; the caller promises that nobody else uses it.
        unsafe { &mut *self.first.add(place) }
    }

    /// The items in a range of indices.
    ///
    /// # Panics
    /// If there are no such items.
    ///
    /// # Safety
    /// Nobody else uses the items while this reference is used.
    #[inline(always)]
    pub unsafe fn some_at(&self, places: Range<usize>) -> &'a mut [T] {
        let Range { start, end } = places;
        assert!(start <= end);
        assert!(end <= self.count);
        // SAFETY: the slice has such items; the caller promises that nobody else uses them.
        unsafe { slice::from_raw_parts_mut(self.first.add(start), end - start) }
    }

    /// The address of an item, for a prefetch; the slice need not have such an item.
    #[inline(always)]
    pub fn address(&self, place: usize) -> *const T {
        self.first.wrapping_add(place)
    }
}

// SAFETY: parts of disjoint ranges are disjoint slices.
unsafe impl<'a, T: Send> Partition for &'a mut [T] {
    type Shared = SharedSlice<'a, T>;

    fn count(&self) -> usize {
        self.len()
    }

    fn shared(self) -> SharedSlice<'a, T> {
        SharedSlice { first: self.as_mut_ptr(), count: self.len(), _things: PhantomData }
    }

    unsafe fn part(shared: &SharedSlice<'a, T>, range: Range<usize>) -> Self {
        // SAFETY: the caller promises that the items of the range are in no other part.
        unsafe { shared.some_at(range) }
    }
}

// SAFETY: parts with disjoint ranges are disjoint in both sequences.
unsafe impl<A: Partition, B: Partition> Partition for (A, B) {
    type Shared = (A::Shared, B::Shared);

    fn count(&self) -> usize {
        self.0.count().min(self.1.count())
    }

    fn shared(self) -> Self::Shared {
        (self.0.shared(), self.1.shared())
    }

    unsafe fn part((a, b): &Self::Shared, range: Range<usize>) -> Self {
        // SAFETY: the caller promises that the range has no index in common with another part.
        unsafe { (A::part(a, range.clone()), B::part(b, range)) }
    }
}

// SAFETY: parts with disjoint ranges are disjoint in each of the sequences.
unsafe impl<D: Partition, const N: usize> Partition for [D; N] {
    type Shared = [D::Shared; N];

    fn count(&self) -> usize {
        self.iter().map(D::count).min().unwrap_or(0)
    }

    fn shared(self) -> Self::Shared {
        self.map(D::shared)
    }

    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> Self {
        // SAFETY: the caller promises that the range has no index in common with another part.
        shared.each_ref().map(|shared| unsafe { D::part(shared, range.clone()) })
    }
}

/// Rows of different lengths, contiguous: row k is `values[starts[k] - starts[0]..starts[k + 1] - starts[0]]`.
pub struct Ragged<'a, T, S = i32> {
    /// The values of all rows.
    pub values: &'a mut [T],
    /// The start of each row, then the end of the last; ascending.
    pub starts: &'a [S],
}

impl<T, S: AsPrimitive<usize>> Ragged<'_, T, S> {
    /// Where the values of a row begin.
    #[inline(always)]
    pub fn start(&self, row: usize) -> usize {
        self.starts[row].as_() - self.starts[0].as_()
    }

    /// The values of a row.
    #[inline(always)]
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        let own = self.start(row)..self.start(row + 1);
        &mut self.values[own]
    }
}

/// Rows while threads take parts of them.
pub struct SharedRagged<'a, T, S> {
    values: SharedSlice<'a, T>,
    starts: &'a [S],
}

impl<T, S: AsPrimitive<usize>> SharedRagged<'_, T, S> {
    fn start(&self, row: usize) -> usize {
        self.starts[row].as_() - self.starts[0].as_()
    }
}

// SAFETY: starts ascend, which `shared` checks: different rows have different values.
unsafe impl<'a, T: Send, S: AsPrimitive<usize> + PartialOrd + Sync> Partition for Ragged<'a, T, S> {
    type Shared = SharedRagged<'a, T, S>;

    fn count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// # Panics
    /// If starts do not ascend.
    fn shared(self) -> Self::Shared {
        assert!(self.starts.is_sorted());
        SharedRagged { values: self.values.shared(), starts: self.starts }
    }

    unsafe fn part(shared: &Self::Shared, rows: Range<usize>) -> Self {
        let range = shared.start(rows.start)..shared.start(rows.end);
        // SAFETY: the caller promises that no row is in another part; rows have no values in common.
        let values = unsafe { <&mut [T]>::part(&shared.values, range) };
        Self { values, starts: &shared.starts[rows.start..=rows.end] }
    }
}

/// A sequence that knows the indices of its items, with a context that all parts share.
pub struct Numbered<D, C> {
    /// The index of the first item.
    pub first: usize,
    /// The items.
    pub things: D,
    /// The context.
    pub context: C,
}

// SAFETY: parts with disjoint ranges have disjoint items.
unsafe impl<D: Partition, C: Copy + Sync> Partition for Numbered<D, C> {
    type Shared = Numbered<D::Shared, C>;

    fn count(&self) -> usize {
        self.things.count()
    }

    fn shared(self) -> Self::Shared {
        Numbered { first: self.first, things: self.things.shared(), context: self.context }
    }

    unsafe fn part(shared: &Self::Shared, range: Range<usize>) -> Self {
        let first = shared.first + range.start;
        // SAFETY: the caller promises that the range has no index in common with another part.
        Self { first, things: unsafe { D::part(&shared.things, range) }, context: shared.context }
    }
}

/// The indices in part `number`, if `count` items are divided into parts of `size`.
pub fn part(number: usize, size: usize, count: usize) -> Range<usize> {
    number * size..count.min((number + 1) * size)
}

impl Team {
    /// Call `work` for each part of `size` items, and wait until all are done. Its arguments are the index of the first item and the
    /// part.
    ///
    /// # Panics
    /// As [`Team::share`].
    pub fn share_parts<D: Partition>(&mut self, things: D, size: usize, work: impl Fn(usize, D) + Sync) {
        let count = things.count();
        let shared = things.shared();
        self.share(count.div_ceil(size), &|_, number| {
            let range = part(number, size, count);
            // SAFETY: `share` calls `work` once for each part, and no two parts have an index in common.
            work(range.start, unsafe { D::part(&shared, range) });
        });
    }

    /// [`Team::share_parts`] in parts of [`Team::part_of`] items.
    ///
    /// # Panics
    /// As [`Team::share`].
    pub fn share_evenly<D: Partition>(&mut self, things: D, work: impl Fn(usize, D) + Sync) {
        let size = self.part_of(things.count());
        self.share_parts(things, size, work);
    }

    /// [`Team::share_parts`] for work that may fail.
    ///
    /// # Errors
    /// The error of the first part in order that fails; all parts are tried.
    ///
    /// # Panics
    /// As [`Team::share`].
    pub fn try_share_parts<D: Partition, E: Send>(
        &mut self,
        things: D,
        size: usize,
        work: impl Fn(usize, D) -> Result<(), E> + Sync,
    ) -> Result<(), E> {
        let first_error = FirstError::default();
        self.share_parts(things, size, |first, part| first_error.note(first, work(first, part)));
        first_error.into_result()
    }

    /// Call `work` for each chosen item, one at a time. Its arguments are the tool of the member that calls it, the index of the item,
    /// and the item.
    ///
    /// # Panics
    /// As [`Team::share`]; also if there are fewer tools than members, or if the chosen indices do not ascend or exceed the items.
    pub fn share_chosen<W: Send, T: Send>(
        &mut self,
        tools: &mut [W],
        things: &mut [T],
        chosen: &[u32],
        work: impl Fn(&mut W, usize, &mut T) + Sync,
    ) {
        assert!(chosen.is_sorted_by(|a, b| a < b));
        let (tools, things) = (tools.shared(), things.shared());
        self.share(chosen.len(), &|member, number| {
            let place = chosen[number] as usize;
            // SAFETY: a member is one thread, and `share` calls this once for each part. Indices ascend, so none is chosen twice.
            let (tool, thing) = unsafe { (tools.at(member), things.at(place)) };
            work(tool, place, thing);
        });
    }
}

/// Two slices of one length that threads write at the same time, each index by one thread.
#[derive(Debug)]
pub struct SlicePair<A, B> {
    first: *mut A,
    second: *mut B,
    count: u32,
}

impl<A, B> Clone for SlicePair<A, B> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A, B> Copy for SlicePair<A, B> {}

// SAFETY: items are used through SlicePair::at alone, whose caller promises that no other thread uses the same index.
unsafe impl<A: Send, B: Send> Send for SlicePair<A, B> {}
// SAFETY: items are used through SlicePair::at alone, whose caller promises that no other thread uses the same index.
unsafe impl<A: Send, B: Send> Sync for SlicePair<A, B> {}

impl<A, B> SlicePair<A, B> {
    /// The items of two slices at the indices that both have and that a `u32` can hold.
    pub fn new(first: &mut [A], second: &mut [B]) -> Self {
        let count = u32::try_from(first.len().min(second.len())).unwrap_or(u32::MAX);
        Self { first: first.as_mut_ptr(), second: second.as_mut_ptr(), count }
    }

    /// The items at an index.
    ///
    /// # Panics
    /// If there are no such items.
    ///
    /// # Safety
    /// The slices' memory has not been moved, freed or used otherwise since; nobody else uses these items during `'a`.
    #[inline(always)]
    pub unsafe fn at<'a>(self, place: usize) -> (&'a mut A, &'a mut B) {
        assert!(place < self.count as usize);
        // SAFETY: both slices have such an item; the caller promises that their memory is valid and that nobody else uses the items.
        unsafe { (&mut *self.first.add(place), &mut *self.second.add(place)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::team::tests::with_team;

    #[test]
    fn each_item_is_in_one_part() {
        for members in [1, 3] {
            with_team(members, |team| {
                let (mut a, mut b) = ([0; 103], vec![0usize; 103]);
                team.share_parts((&mut a[..], &mut b[..]), 10, |first, (a, b)| {
                    assert!(a.len() == b.len() && (a.len() == 10 || first == 100));
                    for (k, (a, b)) in a.iter_mut().zip(b).enumerate() {
                        *a += 1;
                        *b += first + k;
                    }
                });
                assert!(a == [1; 103] && b.iter().enumerate().all(|(k, b)| k == *b));
            });
        }
    }

    #[test]
    fn parts_of_ragged_rows_have_their_values() {
        with_team(2, |team| {
            let starts = [2, 2, 5, 6, 6, 9];
            let mut values = [0; 7];
            team.share_parts(Ragged { values: &mut values, starts: &starts }, 2, |first, rows| {
                assert_eq!(rows.values.len() as i32, rows.starts[rows.count()] - rows.starts[0]);
                rows.values.iter_mut().for_each(|value| *value += first);
            });
            assert_eq!(values, [0, 0, 0, 2, 4, 4, 4]);
        });
    }

    #[test]
    #[should_panic(expected = "is_sorted")]
    fn rows_that_overlap_are_refused() {
        Team::alone().share_parts(Ragged { values: &mut [0; 4], starts: &[0, 3, 2, 4] }, 1, |_, _| ());
    }

    #[test]
    fn chosen_items_come_one_at_a_time_with_the_tool_of_the_member() {
        with_team(2, |team| {
            let (mut tools, mut things) = ([0, 0], [0; 9]);
            team.share_chosen(&mut tools, &mut things, &[1, 4, 8], |tool, place, thing| {
                *tool += 1;
                *thing += place;
            });
            assert_eq!((tools.iter().sum::<i32>(), things), (3, [0, 1, 0, 0, 4, 0, 0, 0, 8]));
        });
    }

    #[test]
    #[should_panic(expected = "a < b")]
    fn nothing_is_chosen_twice() {
        Team::alone().share_chosen(&mut [0], &mut [0; 3], &[1, 1], |_, _, _| ());
    }

    #[test]
    #[should_panic(expected = "place < self.count")]
    fn there_is_no_pair_after_the_last() {
        // SAFETY: nobody else uses the arrays.
        unsafe { *SlicePair::new(&mut [0; 3], &mut [0; 4]).at(3).0 = 1 };
    }

    #[test]
    #[should_panic(expected = "place < self.count")]
    fn there_is_no_item_after_the_last() {
        // SAFETY: nobody else uses the array.
        unsafe { *(&mut [0; 3][..]).shared().at(3) = 1 };
    }
}

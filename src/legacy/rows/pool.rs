//! Memory for chunks of one size. Addresses do not change. The first free chunk is taken, so that chunks taken in turn are
//! adjacent.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::collections::TryReserveError;
use std::ptr;
use std::slice;

pub use super::bit_set::WORD;

use crate::ffi::large_pages;
use crate::team::part;

use super::bit_set::BitSet;

/// Number of chunks in the first slab.
const FIRST_SLAB: usize = 64;

/// Number of bytes at which slabs stop growing; a single larger request gets a larger slab.
const LARGEST_SLAB: usize = 64 << 20;

/// Chunks for one `T` each, in slabs of memory. Each slab is twice as large as the previous one.
pub struct ChunkPool<T> {
    slabs: Vec<Slab<T>>,
    /// Slabs before this one have no free chunk.
    current: usize,
    /// The word of this slab from which chunks are taken, its first chunk, and the bits of its free chunks.
    word: usize,
    first: *mut T,
    free_bits: u64,
    free: usize,
    /// Chunks of the slab that was searched last; see [`ChunkPool::spans`].
    last_span: Cell<SlabSpan>,
}

struct Slab<T> {
    first: *mut T,
    /// Which chunks are in use.
    in_use: BitSet,
    /// Chunks from this index on were never taken.
    taken: usize,
}

/// Memory is exhausted.
#[derive(Debug)]
pub struct Exhausted;

impl From<TryReserveError> for Exhausted {
    fn from(_: TryReserveError) -> Self {
        Self
    }
}

impl<T> Default for ChunkPool<T> {
    fn default() -> Self {
        const { assert!(size_of::<T>() > 0) };
        Self {
            slabs: Vec::new(),
            current: 0,
            word: 0,
            first: ptr::null_mut(),
            free_bits: 0,
            free: 0,
            last_span: Cell::new(SlabSpan::NONE),
        }
    }
}

impl<T> ChunkPool<T> {
    /// Ensure that the next `count` chunks can be taken.
    pub fn reserve(&mut self, count: usize) -> Result<(), Exhausted> {
        if count > self.free { self.grow(count - self.free) } else { Ok(()) }
    }

    fn grow(&mut self, missing: usize) -> Result<(), Exhausted> {
        let doubled = self.slabs.last().map_or(FIRST_SLAB, |slab| 2 * slab.in_use.len());
        let count = missing.max(doubled.min(LARGEST_SLAB / size_of::<T>())).next_multiple_of(WORD);
        self.slabs.try_reserve(1)?;
        let in_use = BitSet::new(count)?;
        let layout = slab_layout::<T>(count).ok_or(Exhausted)?;
        // SAFETY: the size is not zero, neither chunk size nor count is.
        let first = unsafe { alloc(layout) };
        ensure!(!first.is_null(), Exhausted);
        large_pages::ask_for(first, layout.size());
        self.slabs.push(Slab { first: first.cast(), in_use, taken: 0 });
        self.free += count;
        Ok(())
    }

    /// Take a chunk, with arbitrary contents.
    ///
    /// # Panics
    /// If no chunk is left: see [`ChunkPool::reserve`].
    pub fn take(&mut self) -> *mut T {
        self.take_run(1).0
    }

    /// Take adjacent chunks, at least one and at most `most`. Returns the first chunk and their number.
    ///
    /// # Panics
    /// As [`ChunkPool::take`].
    #[inline]
    pub fn take_run(&mut self, most: usize) -> (*mut T, usize) {
        if self.free_bits == 0 {
            self.find_free_word();
        }
        let within = self.free_bits.trailing_zeros();
        let count = ((self.free_bits >> within).trailing_ones() as usize).min(most);
        self.free_bits &= !((u64::MAX >> (WORD - count)) << within);
        let slab = &mut self.slabs[self.current];
        slab.in_use.words[self.word] = !self.free_bits;
        slab.taken = slab.taken.max(WORD * self.word + within as usize + count);
        self.free -= count;
        (self.first.wrapping_add(within as usize), count)
    }

    /// Find the first word with free chunks.
    #[inline(never)]
    fn find_free_word(&mut self) {
        loop {
            let slab = &mut self.slabs[self.current];
            if let Some(word) = slab.in_use.first_open() {
                self.word = word;
                (self.first, self.free_bits) =
                    (slab.first.wrapping_add(WORD * word), !slab.in_use.words[word]);
                return;
            }
            self.current += 1;
        }
    }

    /// Release a chunk.
    ///
    /// # Safety
    /// The chunk was taken from this pool, and nobody uses it any more.
    pub unsafe fn release(&mut self, chunk: *mut T) {
        if let Some((slab, index)) = self.find(chunk.addr()) {
            self.slabs[slab].in_use.clear(index);
            (self.current, self.free_bits) = (self.current.min(slab), 0);
            self.free += 1;
        }
    }

    /// The index of the slab, and in the slab, of the chunk with this address.
    #[inline]
    fn find(&self, address: usize) -> Option<(usize, usize)> {
        // Start with the newest slab, which has half of all chunks.
        let mut slabs = self.slabs.iter().enumerate().rev();
        slabs.find_map(|(k, slab)| slab.index_of(address).map(|index| (k, index)))
    }

    /// Number of chunks in use.
    pub fn live(&self) -> usize {
        self.slabs.iter().map(|slab| slab.in_use.len()).sum::<usize>() - self.free
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.slabs.iter().map(|slab| slab.in_use.len() * size_of::<T>() + slab.in_use.bytes()).sum()
    }

    /// Number of chunks, in use or not.
    pub fn capacity(&self) -> usize {
        self.slabs.iter().map(|slab| slab.in_use.len()).sum()
    }

    /// A unique number below [`ChunkPool::capacity`] for the address of a chunk in use.
    pub fn position(&self, address: usize) -> Option<usize> {
        let (slab, index) = self.find(address)?;
        let before: usize = self.slabs[..slab].iter().map(|slab| slab.in_use.len()).sum();
        self.slabs[slab].in_use.has(index).then_some(before + index)
    }

    /// Whether a chunk in use has this address.
    pub fn owns(&self, address: usize) -> bool {
        self.find(address).is_some_and(|(slab, index)| self.slabs[slab].in_use.has(index))
    }

    /// Whether an address is between the first and the last chunk ever taken of a slab, inclusive. The slab that was searched
    /// last comes first.
    #[inline(always)]
    pub fn spans(&self, address: usize) -> bool {
        self.last_span.get().spans(address) || {
            let used = self.slabs.iter().rev().filter(|slab| slab.taken > 0);
            let mut spans = used
                .map(|slab| SlabSpan { first: slab.first.addr(), last: size_of::<T>() * (slab.taken - 1) });
            spans.find(|slab| slab.spans(address)).inspect(|&found| self.last_span.set(found)).is_some()
        }
    }

    /// All chunks in use, slab by slab in the order of their addresses.
    pub fn chunks(&self) -> impl Iterator<Item = *mut T> {
        let parts = self.parts(usize::MAX);
        (0..parts.count()).flat_map(move |number| parts.part(number))
    }

    /// Chunks that were in use once and are free now.
    pub fn given_back(&self) -> impl Iterator<Item = *mut T> {
        self.slabs.iter().flat_map(|slab| {
            let unused = (0..slab.taken).filter(|&index| !slab.in_use.has(index));
            // SAFETY: the chunk is in the slab.
            unused.map(|index| unsafe { slab.first.add(index) })
        })
    }

    /// All chunks in use, in parts of at most `size` words.
    pub fn parts(&self, size: usize) -> ChunkParts<'_, T> {
        ChunkParts { slabs: &self.slabs, size }
    }
}

impl<T> Drop for ChunkPool<T> {
    fn drop(&mut self) {
        for slab in &self.slabs {
            if let Some(layout) = slab_layout::<T>(slab.in_use.len()) {
                // SAFETY: the slab was allocated with this layout.
                unsafe { dealloc(slab.first.cast(), layout) };
            }
        }
    }
}

/// The addresses of the chunks of a slab that were ever taken.
#[derive(Clone, Copy)]
struct SlabSpan {
    /// Address of the first chunk.
    first: usize,
    /// Offset of the last chunk from the first.
    last: usize,
}

impl SlabSpan {
    /// No chunks.
    const NONE: Self = Self { first: usize::MAX, last: 0 };

    #[inline(always)]
    fn spans(&self, address: usize) -> bool {
        address.wrapping_sub(self.first) <= self.last
    }
}

impl<T> Slab<T> {
    /// The words that have chunks in use.
    fn words(&self) -> &[u64] {
        &self.in_use.words[..self.taken.div_ceil(WORD)]
    }

    /// The index of the chunk with this address, if there is one.
    #[inline]
    fn index_of(&self, address: usize) -> Option<usize> {
        let offset = address.wrapping_sub(self.first.addr());
        let index = offset / size_of::<T>();
        (index < self.in_use.len() && offset == index * size_of::<T>()).then_some(index)
    }
}

/// All chunks in use, in parts of at most `size` adjacent words, [`WORD`] chunks each.
pub struct ChunkParts<'a, T> {
    slabs: &'a [Slab<T>],
    size: usize,
}

// SAFETY: parts return pointers to chunks, no references, and write nothing themselves. A function that dereferences such a
// pointer promises that no other thread uses the chunk: chunks are sent to threads, not shared between them.
unsafe impl<T: Send> Sync for ChunkParts<'_, T> {}

impl<T> Clone for ChunkParts<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ChunkParts<'_, T> {}

impl<'a, T> ChunkParts<'a, T> {
    /// Number of parts.
    pub fn count(self) -> usize {
        self.slabs.iter().map(|slab| slab.words().len().div_ceil(self.size)).sum()
    }

    /// The chunks of the part with this number; none if there is no such part.
    pub fn part(self, mut number: usize) -> Chunks<'a, T> {
        for slab in self.slabs {
            let words = slab.words();
            let count = words.len().div_ceil(self.size);
            if number < count {
                let range = part(number, self.size, words.len());
                let base = slab.first.wrapping_add(WORD * range.start).wrapping_sub(WORD);
                return Chunks { words: words[range].iter(), bits: 0, base };
            }
            number -= count;
        }
        Chunks { words: [].iter(), bits: 0, base: ptr::null_mut() }
    }
}

/// Iterator over chunks in use, in memory order. It is small, since a hot loop keeps two of them in registers.
pub struct Chunks<'a, T> {
    /// The words after the current one.
    words: slice::Iter<'a, u64>,
    /// The remaining bits of the current word, and its first chunk. Before the first word, the base is one word too low.
    bits: u64,
    base: *mut T,
}

impl<T> Iterator for Chunks<'_, T> {
    type Item = *mut T;

    #[inline(always)]
    fn next(&mut self) -> Option<*mut T> {
        while self.bits == 0 {
            self.bits = *self.words.next()?;
            self.base = self.base.wrapping_add(WORD);
        }
        let chunk = self.base.wrapping_add(self.bits.trailing_zeros() as usize);
        self.bits &= self.bits - 1;
        Some(chunk)
    }
}

/// The layout of a slab, aligned to cache lines.
fn slab_layout<T>(count: usize) -> Option<Layout> {
    Layout::array::<T>(count).and_then(|layout| layout.align_to(64)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Chunk = [u64; 5];

    fn pool() -> ChunkPool<Chunk> {
        ChunkPool::default()
    }

    #[test]
    fn chunks_are_distinct_and_the_first_free_one_is_taken() {
        let mut pool = pool();
        pool.reserve(1000).unwrap();
        let taken: Vec<*mut Chunk> = (0..1000).map(|_| pool.take()).collect();
        for (k, &chunk) in taken.iter().enumerate() {
            // SAFETY: the chunk belongs to this test.
            unsafe { *chunk = [k as u64; 5] };
        }
        for (k, &chunk) in taken.iter().enumerate() {
            // SAFETY: the chunk belongs to this test.
            assert_eq!(unsafe { *chunk }, [k as u64; 5]);
        }
        assert_eq!((pool.live(), pool.capacity()), (1000, 1024));
        for k in [700, 3, 64, 999] {
            // SAFETY: nobody uses the chunk any more.
            unsafe { pool.release(taken[k]) };
        }
        assert_eq!(pool.live(), 996);
        pool.reserve(4).unwrap();
        assert_eq!([3, 64, 700, 999].map(|k| taken[k]), [(); 4].map(|()| pool.take()));
        assert!(pool.bytes() >= 1000 * size_of::<Chunk>());
    }

    #[test]
    fn chunks_given_back_are_taken_first() {
        let mut pool = pool();
        pool.reserve(300).unwrap();
        let taken: Vec<*mut Chunk> = (0..200).map(|_| pool.take()).collect();
        assert_eq!((pool.live(), pool.chunks().collect::<Vec<_>>()), (200, taken.clone()));
        let gone = [5, 63, 64, 130, 199].map(|k| taken[k]);
        // SAFETY: nobody uses the chunks any more.
        gone.iter().for_each(|&chunk| unsafe { pool.release(chunk) });
        assert_eq!(pool.given_back().collect::<Vec<_>>(), gone);
        assert_eq!(gone[..3], [(); 3].map(|()| pool.take()));
        // SAFETY: as above.
        unsafe { pool.release(gone[1]) };
        assert_eq!([gone[1], gone[3], gone[4]], [(); 3].map(|()| pool.take()));
        assert_eq!((pool.live(), pool.given_back().count()), (200, 0));
    }

    #[test]
    fn memory_is_spanned_as_far_as_chunks_were_taken() {
        let mut pool = pool();
        assert!(!pool.spans(0) && !pool.spans(usize::MAX - 1));
        pool.reserve(100).unwrap();
        let taken: Vec<usize> = (0..90).map(|_| pool.take().addr()).collect();
        pool.reserve(300).unwrap();
        let later: Vec<usize> = (0..150).map(|_| pool.take().addr()).collect();
        for address in [taken[0], later[120], taken[70], later[149], later[0]] {
            assert!(pool.spans(address) && pool.spans(address));
        }
        let behind = later[149] + size_of::<Chunk>();
        assert!(!pool.spans(behind) && !pool.spans(0));
    }

    #[test]
    fn memory_next_to_a_slab_is_not_owned() {
        let mut pool = pool();
        pool.reserve(FIRST_SLAB).unwrap();
        let taken: Vec<usize> = (0..FIRST_SLAB).map(|_| pool.take().addr()).collect();
        let (before, behind) = (taken[0] - size_of::<Chunk>(), taken[FIRST_SLAB - 1] + size_of::<Chunk>());
        assert_eq!(pool.capacity(), FIRST_SLAB);
        for address in [before, behind] {
            assert!(!pool.owns(address) && pool.position(address).is_none());
        }
    }

    #[test]
    fn only_chunks_in_use_are_owned_and_listed() {
        let mut pool = pool();
        assert!(!pool.owns(0));
        pool.reserve(100).unwrap();
        let mut taken: Vec<usize> = (0..70).map(|_| pool.take().addr()).collect();
        pool.reserve(500).unwrap();
        taken.extend((0..430).map(|_| pool.take().addr()));
        assert!(taken.iter().all(|&address| pool.owns(address)));
        assert!(!pool.owns(taken[0] + 8) && !pool.owns(taken[499] + size_of::<Chunk>()));
        assert_eq!(pool.chunks().map(|chunk| chunk.addr()).collect::<Vec<_>>(), taken);
        let gone = [0, 1, 63, 64, 69, 70, 300].map(|k| taken[k]);
        let chunks: Vec<*mut Chunk> = pool.chunks().filter(|chunk| gone.contains(&chunk.addr())).collect();
        // SAFETY: nobody uses the chunks any more.
        chunks.iter().for_each(|&chunk| unsafe { pool.release(chunk) });
        taken.retain(|address| !gone.contains(address));
        for size in [1, 2, 5] {
            let parts = pool.parts(size);
            let chunks = (0..parts.count() + 1).map(|number| parts.part(number).map(|chunk| chunk.addr()));
            let parts: Vec<Vec<usize>> = chunks.map(Iterator::collect).collect();
            let reach = |part: &Vec<usize>| part.last().map_or(0, |last| last - part[0]);
            assert!(parts.iter().all(|part| reach(part) < size * WORD * size_of::<Chunk>()), "{size}");
            assert_eq!(parts.concat(), taken, "{size}");
        }
        assert_eq!(pool.chunks().map(|chunk| chunk.addr()).collect::<Vec<_>>(), taken);
        assert_eq!(pool.given_back().collect::<Vec<_>>(), chunks);
        assert!(gone.iter().all(|&address| !pool.owns(address) && pool.position(address).is_none()));
        let mut positions: Vec<_> = taken.iter().map(|&address| pool.position(address).unwrap()).collect();
        positions.dedup();
        assert!(positions.len() == taken.len() && positions.is_sorted());
        assert!(*positions.last().unwrap() < pool.capacity());
    }

    #[test]
    fn large_slabs_are_like_small_ones() {
        let mut pool = ChunkPool::<[u8; 4096]>::default();
        pool.reserve(2000).unwrap();
        let chunks: Vec<*mut [u8; 4096]> = (0..2000).map(|_| pool.take()).collect();
        // SAFETY: the chunks belong to this test.
        chunks.iter().for_each(|chunk| unsafe { chunk.write([7; 4096]) });
        assert_eq!(pool.chunks().collect::<Vec<_>>(), chunks);
    }
}

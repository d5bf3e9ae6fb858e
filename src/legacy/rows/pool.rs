//! Memory for chunks of one size. Addresses do not change. The first free chunk is taken, so that chunks taken one
//! after the other lie one after the other.

use std::alloc::{Layout, alloc, dealloc};
use std::cell::Cell;
use std::collections::TryReserveError;
use std::ptr;
use std::slice;

pub use super::hidden_flags::WORD;

use crate::ffi::large_pages;
use crate::team::part;

use super::hidden_flags::Bits;

/// Chunks of the first block of memory.
const FIRST_BLOCK: usize = 64;

/// Blocks stop growing at this many bytes.
const LARGEST_BLOCK: usize = 64 << 20;

/// Chunks for a `T` each in blocks of memory, each block twice as large as the one before.
pub struct Pool<T> {
    blocks: Vec<Block<T>>,
    /// Blocks before this one have no free chunk.
    current: usize,
    /// The word of this block that chunks are taken from, its first chunk, and which of its chunks are free.
    place: usize,
    first: *mut T,
    open: u64,
    free: usize,
    /// Chunks of the block that was looked into last; see [`Pool::spans`].
    near: Cell<Near>,
}

struct Block<T> {
    first: *mut T,
    /// Which chunks are in use.
    in_use: Bits,
    /// No chunk from this one on was ever taken.
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

impl<T> Default for Pool<T> {
    fn default() -> Self {
        const { assert!(size_of::<T>() > 0) };
        Self {
            blocks: Vec::new(),
            current: 0,
            place: 0,
            first: ptr::null_mut(),
            open: 0,
            free: 0,
            near: Cell::new(Near::NONE),
        }
    }
}

impl<T> Pool<T> {
    /// Make sure that the next `count` chunks can be taken.
    pub fn reserve(&mut self, count: usize) -> Result<(), Exhausted> {
        if count > self.free { self.grow(count - self.free) } else { Ok(()) }
    }

    fn grow(&mut self, missing: usize) -> Result<(), Exhausted> {
        let doubled = self.blocks.last().map_or(FIRST_BLOCK, |block| 2 * block.in_use.len());
        let count = missing.max(doubled.min(LARGEST_BLOCK / size_of::<T>())).next_multiple_of(WORD);
        self.blocks.try_reserve(1)?;
        let in_use = Bits::new(count)?;
        let layout = block_layout::<T>(count).ok_or(Exhausted)?;
        // SAFETY: the size is not zero, neither chunk size nor count is.
        let first = unsafe { alloc(layout) };
        ensure!(!first.is_null(), Exhausted);
        large_pages::ask_for(first, layout.size());
        self.blocks.push(Block { first: first.cast(), in_use, taken: 0 });
        self.free += count;
        Ok(())
    }

    /// A chunk, with whatever is in it.
    ///
    /// # Panics
    /// If there is none left: see [`Pool::reserve`].
    pub fn take(&mut self) -> *mut T {
        self.take_side_by_side(1).0
    }

    /// Chunks that lie side by side, at least one and at most so many: the first one, and how many.
    ///
    /// # Panics
    /// As [`Pool::take`].
    #[inline]
    pub fn take_side_by_side(&mut self, most: usize) -> (*mut T, usize) {
        if self.open == 0 {
            self.go_on();
        }
        let within = self.open.trailing_zeros();
        let count = ((self.open >> within).trailing_ones() as usize).min(most);
        self.open &= !((u64::MAX >> (WORD - count)) << within);
        let block = &mut self.blocks[self.current];
        block.in_use.words[self.place] = !self.open;
        block.taken = block.taken.max(WORD * self.place + within as usize + count);
        self.free -= count;
        (self.first.wrapping_add(within as usize), count)
    }

    /// Find the first word with free chunks.
    #[inline(never)]
    fn go_on(&mut self) {
        loop {
            let block = &mut self.blocks[self.current];
            if let Some(place) = block.in_use.first_open() {
                self.place = place;
                (self.first, self.open) =
                    (block.first.wrapping_add(WORD * place), !block.in_use.words[place]);
                return;
            }
            self.current += 1;
        }
    }

    /// Give a chunk back.
    ///
    /// # Safety
    /// The chunk was taken from this pool, and nobody uses it any more.
    pub unsafe fn give(&mut self, chunk: *mut T) {
        if let Some((block, index)) = self.find(chunk.addr()) {
            self.blocks[block].in_use.clear(index);
            (self.current, self.open) = (self.current.min(block), 0);
            self.free += 1;
        }
    }

    /// The block and the index in it of the chunk with this address, if there is one.
    #[inline]
    fn find(&self, address: usize) -> Option<(usize, usize)> {
        // Newest first: it holds half of all chunks.
        let mut blocks = self.blocks.iter().enumerate().rev();
        blocks.find_map(|(k, block)| block.index_of(address).map(|index| (k, index)))
    }

    /// Number of chunks in use.
    pub fn live(&self) -> usize {
        self.blocks.iter().map(|block| block.in_use.len()).sum::<usize>() - self.free
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.in_use.len() * size_of::<T>() + block.in_use.bytes()).sum()
    }

    /// Number of chunks, in use or not.
    pub fn capacity(&self) -> usize {
        self.blocks.iter().map(|block| block.in_use.len()).sum()
    }

    /// A number below [`Pool::capacity`] for this address and no other, if it is that of a chunk in use.
    pub fn position(&self, address: usize) -> Option<usize> {
        let (block, index) = self.find(address)?;
        let before: usize = self.blocks[..block].iter().map(|block| block.in_use.len()).sum();
        self.blocks[block].in_use.has(index).then_some(before + index)
    }

    /// Whether an address is that of a chunk in use.
    pub fn owns(&self, address: usize) -> bool {
        self.find(address).is_some_and(|(block, index)| self.blocks[block].in_use.has(index))
    }

    /// Whether an address lies in memory from the beginning of a chunk to that of another in the same block, where all chunks were
    /// taken once. The block that was looked into last comes first.
    #[inline(always)]
    pub fn spans(&self, address: usize) -> bool {
        self.near.get().spans(address) || {
            let used = self.blocks.iter().rev().filter(|block| block.taken > 0);
            let mut spans = used
                .map(|block| Near { first: block.first.addr(), last: size_of::<T>() * (block.taken - 1) });
            spans.find(|block| block.spans(address)).inspect(|&found| self.near.set(found)).is_some()
        }
    }

    /// All chunks in use, block by block in the order of their addresses.
    pub fn chunks(&self) -> impl Iterator<Item = *mut T> {
        let parts = self.parts(usize::MAX);
        (0..parts.count()).flat_map(move |number| parts.part(number))
    }

    /// Chunks that were in use once and are not now.
    pub fn given_back(&self) -> impl Iterator<Item = *mut T> {
        self.blocks.iter().flat_map(|block| {
            let unused = (0..block.taken).filter(|&index| !block.in_use.has(index));
            // SAFETY: the chunk lies in the block.
            unused.map(|index| unsafe { block.first.add(index) })
        })
    }

    /// All chunks in use, in parts of at most so many words.
    pub fn parts(&self, size: usize) -> Parts<'_, T> {
        Parts { blocks: &self.blocks, size }
    }
}

impl<T> Drop for Pool<T> {
    fn drop(&mut self) {
        for block in &self.blocks {
            if let Some(layout) = block_layout::<T>(block.in_use.len()) {
                // SAFETY: the block was allocated with this layout.
                unsafe { dealloc(block.first.cast(), layout) };
            }
        }
    }
}

/// The chunks of a block of memory that were taken.
#[derive(Clone, Copy)]
struct Near {
    /// Address of the first.
    first: usize,
    /// How much greater that of the last one is.
    last: usize,
}

impl Near {
    /// No block.
    const NONE: Self = Self { first: usize::MAX, last: 0 };

    #[inline(always)]
    fn spans(&self, address: usize) -> bool {
        address.wrapping_sub(self.first) <= self.last
    }
}

impl<T> Block<T> {
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

/// All chunks in use, in parts: at most so many words, [`WORD`] chunks each, that lie side by side.
pub struct Parts<'a, T> {
    blocks: &'a [Block<T>],
    size: usize,
}

// SAFETY: parts give pointers to chunks, no references, and write nothing themselves. A function that follows such a
// pointer promises that no other thread uses the chunk: chunks are sent to threads, not shared between them.
unsafe impl<T: Send> Sync for Parts<'_, T> {}

impl<T> Clone for Parts<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Parts<'_, T> {}

impl<'a, T> Parts<'a, T> {
    /// Number of parts.
    pub fn count(self) -> usize {
        self.blocks.iter().map(|block| block.words().len().div_ceil(self.size)).sum()
    }

    /// The chunks of the part with a number; none if there is no such part.
    pub fn part(self, mut number: usize) -> Chunks<'a, T> {
        for block in self.blocks {
            let words = block.words();
            let count = words.len().div_ceil(self.size);
            if number < count {
                let range = part(number, self.size, words.len());
                let base = block.first.wrapping_add(WORD * range.start).wrapping_sub(WORD);
                return Chunks { words: words[range].iter(), bits: 0, base };
            }
            number -= count;
        }
        Chunks { words: [].iter(), bits: 0, base: ptr::null_mut() }
    }
}

/// Chunks in use, in the order in which they lie in memory. A hot loop keeps two of these in registers.
pub struct Chunks<'a, T> {
    /// Those behind the one at hand.
    words: slice::Iter<'a, u64>,
    /// What is left of the word at hand, and its first chunk; at first that of the word before.
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

/// Blocks start at cache lines.
fn block_layout<T>(count: usize) -> Option<Layout> {
    Layout::array::<T>(count).and_then(|layout| layout.align_to(64)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Chunk = [u64; 5];

    fn pool() -> Pool<Chunk> {
        Pool::default()
    }

    #[test]
    fn chunks_are_distinct_and_the_first_free_one_is_taken() {
        let mut pool = pool();
        pool.reserve(1000).unwrap();
        let taken: Vec<*mut Chunk> = (0..1000).map(|_| pool.take()).collect();
        for (k, &chunk) in taken.iter().enumerate() {
            // SAFETY: the chunk is this test's.
            unsafe { *chunk = [k as u64; 5] };
        }
        for (k, &chunk) in taken.iter().enumerate() {
            // SAFETY: the chunk is this test's.
            assert_eq!(unsafe { *chunk }, [k as u64; 5]);
        }
        assert_eq!((pool.live(), pool.capacity()), (1000, 1024));
        for k in [700, 3, 64, 999] {
            // SAFETY: nobody uses the chunk any more.
            unsafe { pool.give(taken[k]) };
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
        gone.iter().for_each(|&chunk| unsafe { pool.give(chunk) });
        assert_eq!(pool.given_back().collect::<Vec<_>>(), gone);
        assert_eq!(gone[..3], [(); 3].map(|()| pool.take()));
        // SAFETY: as above.
        unsafe { pool.give(gone[1]) };
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
    fn what_lies_beside_a_block_is_not_owned() {
        let mut pool = pool();
        pool.reserve(FIRST_BLOCK).unwrap();
        let taken: Vec<usize> = (0..FIRST_BLOCK).map(|_| pool.take().addr()).collect();
        let (before, behind) = (taken[0] - size_of::<Chunk>(), taken[FIRST_BLOCK - 1] + size_of::<Chunk>());
        assert_eq!(pool.capacity(), FIRST_BLOCK);
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
        chunks.iter().for_each(|&chunk| unsafe { pool.give(chunk) });
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
    fn large_blocks_are_like_small_ones() {
        let mut pool = Pool::<[u8; 4096]>::default();
        pool.reserve(2000).unwrap();
        let chunks: Vec<*mut [u8; 4096]> = (0..2000).map(|_| pool.take()).collect();
        // SAFETY: the chunks are this test's.
        chunks.iter().for_each(|chunk| unsafe { chunk.write([7; 4096]) });
        assert_eq!(pool.chunks().collect::<Vec<_>>(), chunks);
    }
}

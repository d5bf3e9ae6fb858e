//! Memory for chunks of one size: addresses stay, chunks come zeroed, what is given back is used again.

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::collections::TryReserveError;
use std::{ptr, slice};

/// Chunks of the first block of memory.
const FIRST_BLOCK: usize = 64;

/// Bytes from which on blocks stop growing.
const LARGEST_BLOCK: usize = 64 << 20;

/// Chunks in blocks of memory, each block twice as large as the one before.
pub struct Pool {
    chunk: Layout,
    blocks: Vec<Block>,
    /// The first block that has chunks never taken.
    current: usize,
    /// Chunks given back: a list through their first words.
    dead: *mut u8,
    dead_count: usize,
}

struct Block {
    first: *mut u8,
    /// Chunks.
    count: usize,
    /// Chunks taken at least once; they lie at the start.
    used: usize,
}

/// Memory is exhausted.
#[derive(Debug)]
pub struct Exhausted;

impl From<TryReserveError> for Exhausted {
    fn from(_: TryReserveError) -> Self {
        Self
    }
}

impl Pool {
    /// A pool of chunks for a `T`.
    pub const fn new<T>() -> Self {
        let chunk = Layout::new::<T>();
        assert!(chunk.size() >= size_of::<*mut u8>() && chunk.size().is_multiple_of(chunk.align()));
        Self { chunk, blocks: Vec::new(), current: 0, dead: ptr::null_mut(), dead_count: 0 }
    }

    /// Make sure that the next `count` calls of [`Pool::take`] find a chunk.
    pub fn reserve(&mut self, count: usize) -> Result<(), Exhausted> {
        let fresh: usize = self.blocks[self.current..].iter().map(|block| block.count - block.used).sum();
        let missing = count.saturating_sub(self.dead_count + fresh);
        if missing > 0 { self.grow(missing) } else { Ok(()) }
    }

    fn grow(&mut self, missing: usize) -> Result<(), Exhausted> {
        let doubled = self.blocks.last().map_or(FIRST_BLOCK, |block| 2 * block.count);
        let count = missing.max(doubled.min(LARGEST_BLOCK / self.chunk.size()));
        self.blocks.try_reserve(1)?;
        let layout = block_layout(self.chunk, count).ok_or(Exhausted)?;
        // SAFETY: the size is not zero, neither chunk size nor count is.
        let first = unsafe { alloc_zeroed(layout) };
        if first.is_null() {
            return Err(Exhausted);
        }
        self.blocks.push(Block { first, count, used: 0 });
        Ok(())
    }

    /// A zeroed chunk.
    ///
    /// # Panics
    /// If there is none left: see [`Pool::reserve`].
    pub fn take(&mut self) -> *mut u8 {
        if !self.dead.is_null() {
            let chunk = self.dead;
            // SAFETY: dead chunks belong to the pool, are held by nobody, and their first word is the next one.
            self.dead = unsafe { chunk.cast::<*mut u8>().replace(ptr::null_mut()) };
            self.dead_count -= 1;
            return chunk;
        }
        while self.blocks[self.current].used == self.blocks[self.current].count {
            self.current += 1;
        }
        let block = &mut self.blocks[self.current];
        block.used += 1;
        // SAFETY: used <= count, so the chunk lies in the block.
        unsafe { block.first.add((block.used - 1) * self.chunk.size()) }
    }

    /// Give a chunk back. But for its first word it is zero from now on.
    ///
    /// # Safety
    /// The chunk was taken from this pool, and nobody uses it any more.
    pub unsafe fn give(&mut self, chunk: *mut u8) {
        // SAFETY: the chunk belongs to the pool and is at least as large as a pointer.
        unsafe {
            chunk.write_bytes(0, self.chunk.size());
            chunk.cast::<*mut u8>().write(self.dead);
        }
        self.dead = chunk;
        self.dead_count += 1;
    }

    /// Number of chunks in use.
    pub fn live(&self) -> usize {
        self.taken() - self.dead_count
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.blocks.iter().map(|block| block.count * self.chunk.size()).sum()
    }

    /// Chunks taken at least once.
    pub fn taken(&self) -> usize {
        self.blocks.iter().map(|block| block.used).sum()
    }

    /// Which of [`Pool::chunks`] has this address, if one has.
    pub fn position(&self, address: usize) -> Option<usize> {
        let mut before = self.taken();
        // Newest first: it holds half of all chunks.
        self.blocks.iter().rev().find_map(|block| {
            before -= block.used;
            let offset = address.wrapping_sub(block.first.addr());
            let size = self.chunk.size();
            (offset < block.used * size && offset.is_multiple_of(size)).then_some(before + offset / size)
        })
    }

    /// Whether an address is that of a chunk taken at least once.
    pub fn owns(&self, address: usize) -> bool {
        self.position(address).is_some()
    }

    /// The number of chunks taken and not given back; `None` if those given back have been written to since.
    pub fn in_use(&self) -> Option<usize> {
        let mut chunk = self.dead;
        for _ in 0..self.dead_count {
            if !self.owns(chunk.addr()) {
                return None;
            }
            // SAFETY: a chunk of the pool, filled with zeros or values ever since it was allocated.
            let bytes = unsafe { slice::from_raw_parts(chunk, self.chunk.size()) };
            let (link, rest) = bytes.split_at(size_of::<*mut u8>());
            if rest.iter().any(|&byte| byte != 0) {
                return None;
            }
            // SAFETY: the link is as large as a pointer, and its alignment is that of a chunk.
            chunk = unsafe { link.as_ptr().cast::<*mut u8>().read() };
        }
        chunk.is_null().then(|| self.taken() - self.dead_count)
    }

    /// All chunks taken at least once, block by block in the order of their addresses.
    pub fn chunks(&self) -> impl Iterator<Item = *mut u8> {
        let size = self.chunk.size();
        self.runs().flat_map(move |(first, count)| {
            // SAFETY: the chunk lies in its block.
            (0..count).map(move |k| unsafe { first.add(k * size) })
        })
    }

    /// The chunks of [`Pool::chunks`] as runs without gaps: the first of each, and their number.
    pub fn runs(&self) -> impl Iterator<Item = (*mut u8, usize)> {
        self.blocks.iter().map(|block| (block.first, block.used))
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        for block in &self.blocks {
            if let Some(layout) = block_layout(self.chunk, block.count) {
                // SAFETY: the block was allocated with this layout.
                unsafe { dealloc(block.first, layout) };
            }
        }
    }
}

/// Blocks start at cache lines.
fn block_layout(chunk: Layout, count: usize) -> Option<Layout> {
    Layout::from_size_align(chunk.size().checked_mul(count)?, chunk.align().max(64)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    type Chunk = [u64; 5];

    fn pool() -> Pool {
        Pool::new::<Chunk>()
    }

    #[test]
    fn chunks_are_zeroed_distinct_and_reused() {
        let mut pool = pool();
        pool.reserve(1000).unwrap();
        let mut taken: Vec<*mut Chunk> = (0..1000).map(|_| pool.take().cast()).collect();
        for &chunk in &taken {
            // SAFETY: the chunk is this test's.
            unsafe {
                assert_eq!(*chunk, [0; 5]);
                *chunk = [7; 5];
            }
        }
        let last = taken.pop().unwrap();
        // SAFETY: nobody uses the chunk any more.
        unsafe { pool.give(last.cast()) };
        assert_eq!(pool.live(), 999);
        pool.reserve(1).unwrap();
        let again: *mut Chunk = pool.take().cast();
        assert_eq!(again, last);
        // SAFETY: the chunk is this test's.
        assert_eq!(unsafe { *again }, [0; 5]);
        taken.sort();
        taken.dedup();
        assert_eq!(taken.len(), 999);
        assert_eq!(pool.live(), 1000);
        assert!(pool.bytes() >= 1000 * size_of::<Chunk>());
    }

    #[test]
    fn only_taken_chunks_are_owned_and_listed() {
        let mut pool = pool();
        assert!(!pool.owns(0));
        pool.reserve(100).unwrap();
        let taken: Vec<usize> = (0..70).map(|_| pool.take().addr()).collect();
        pool.reserve(500).unwrap();
        assert!(taken.iter().all(|&address| pool.owns(address)));
        assert!(!pool.owns(taken[0] + 8) && !pool.owns(taken[69] + size_of::<Chunk>()));
        let listed: Vec<usize> = pool.chunks().map(|chunk| chunk.addr()).collect();
        assert_eq!(listed, taken);
        assert!(listed.is_sorted());
        assert_eq!(
            (pool.taken(), pool.position(taken[69]), pool.position(taken[3] + 8)),
            (70, Some(69), None)
        );
    }

    #[test]
    fn positions_go_on_from_block_to_block() {
        let mut pool = pool();
        pool.reserve(FIRST_BLOCK).unwrap();
        let first: Vec<*mut u8> = (0..FIRST_BLOCK).map(|_| pool.take()).collect();
        pool.reserve(1).unwrap();
        assert_eq!(pool.position(pool.blocks[1].first.addr()), None);
        let next = pool.take();
        assert_eq!(pool.position(next.addr()), Some(FIRST_BLOCK));
        assert_eq!(pool.position(first[5].addr()), Some(5));
        assert_eq!(pool.chunks().nth(FIRST_BLOCK), Some(next));
    }

    #[test]
    fn damage_to_chunks_given_back_is_seen() {
        let mut pool = pool();
        pool.reserve(9).unwrap();
        let taken: Vec<*mut u8> = (0..9).map(|_| pool.take()).collect();
        for &chunk in &taken {
            // SAFETY: the chunk is this test's.
            unsafe { chunk.cast::<Chunk>().write([7; 5]) };
        }
        assert_eq!(pool.in_use(), Some(9));
        for &chunk in &taken[3..6] {
            // SAFETY: nobody uses the chunk any more.
            unsafe { pool.give(chunk) };
        }
        assert_eq!(pool.in_use(), Some(6));
        for word in 1..5 {
            let place = taken[4].cast::<u64>();
            // SAFETY: the word lies in the chunk; what it held is put back.
            unsafe {
                place.add(word).write(1 << (8 * word));
                assert_eq!(pool.in_use(), None);
                place.add(word).write(0);
            }
        }
        let links = [taken[3], taken[5], taken[8], ptr::null_mut(), ptr::without_provenance_mut(8)];
        for link in links {
            let place = taken[4].cast::<*mut u8>();
            // SAFETY: the chunk belongs to the pool and is large enough; what it held is put back.
            unsafe {
                let held = place.replace(link);
                assert_eq!(pool.in_use().is_some(), link == held);
                place.write(held);
            }
        }
    }
}

//! Memory that faer takes without a way to say that there is none: it is asked for, and given back, just before faer does.
//! Then only another thread that takes it in between can make the process abort.

use std::cell::Cell;
use std::hint::black_box;

use faer::dyn_stack::{MemBuffer, StackReq};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::sparse::linalg::colamd;
use faer::sparse::linalg::lu::supernodal::factorize_supernodal_symbolic_lu_scratch;
use faer::{Accum, MatMut, MatRef, Par};

use crate::FactorError;

/// What the crate private-gemm-x86 takes for packing, once for each thread: two parts as large as a third-level cache of
/// 2 MiB, in pages. It would ask the system for the size of the cache with its feature `std`, which faer does not set.
const PACKING: StackReq = StackReq::new_aligned::<u8>(4 << 20, 4096);

/// What the C library notes down to free such a buffer at the end of its thread, and to spare.
const NOTE: StackReq = StackReq::new::<u64>(32);

thread_local! {
    /// Whether this thread has its buffer for packing.
    static HAS_BUFFER: Cell<bool> = const { Cell::new(false) };
}

/// Have faer make the buffer in which the calling thread packs matrices that it multiplies, if it has none.
///
/// # Errors
/// If memory is exhausted; nothing is made then.
pub(crate) fn packing_buffer() -> Result<(), FactorError> {
    if !HAS_BUFFER.get() {
        give_back([take(PACKING)?, take(NOTE)?]);
        smallest_product();
        HAS_BUFFER.set(true);
    }
    Ok(())
}

/// A product of 1 × 1 matrices. Into a triangle, as faer packs for the smallest of these, too.
fn smallest_product() {
    let (one, mut product) = ([1.0], [0.0]);
    let factor = || MatRef::from_column_major_slice(&one, 1, 1);
    matmul(
        MatMut::from_column_major_slice_mut(&mut product, 1, 1),
        BlockStructure::TriangularLower,
        Accum::Replace,
        factor(),
        BlockStructure::Rectangular,
        factor(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
    black_box(product);
}

/// Make sure that there is memory for the symbolic LU of an n × n pattern until its columns are in order. COLAMD cannot
/// report that it does not get the last two of these lists.
///
/// # Errors
/// If memory is exhausted.
pub(crate) fn order_of_lu(n: usize, entries: usize) -> Result<(), FactorError> {
    let indices = StackReq::new::<u32>;
    let scratch = StackReq::or(
        colamd::order_scratch::<u32>(n, n, entries),
        StackReq::all_of(&[
            indices(4 * n),
            indices(n + 1),
            indices(entries),
            StackReq::or(indices(6 * n), factorize_supernodal_symbolic_lu_scratch::<u32>(n, n)),
        ]),
    );
    let list = || take(indices(n));
    give_back([take(scratch)?, list()?, list()?, list()?, list()?, list()?]);
    Ok(())
}

fn take(memory: StackReq) -> Result<MemBuffer, FactorError> {
    MemBuffer::try_new(memory).map_err(|_| FactorError::Memory)
}

/// A compiler may leave out memory that nobody looks at.
fn give_back<const N: usize>(memory: [MemBuffer; N]) {
    drop(black_box(memory));
}

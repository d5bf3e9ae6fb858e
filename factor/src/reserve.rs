//! Memory that faer takes without a way to report that there is none. These functions reserve it, and free it again, just before faer
//! takes it. The process can then abort only if another thread takes the memory in between.

use std::cell::Cell;
use std::hint::black_box;

use faer::dyn_stack::{MemBuffer, StackReq};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::sparse::linalg::colamd;
use faer::sparse::linalg::lu::supernodal::factorize_supernodal_symbolic_lu_scratch;
use faer::{Accum, MatMut, MatRef, Par};

use crate::FactorError;

/// The memory that the crate private-gemm-x86 takes for packing, once for each thread: two parts of 2 MiB, its default size of a
/// third-level cache, in pages. With its feature `std`, which faer does not set, it would query the size of the cache.
const PACKING: StackReq = StackReq::new_aligned::<u8>(4 << 20, 4096);

/// The memory in which the C library records that it has to free such a buffer at the end of the thread, and a reserve.
const NOTE: StackReq = StackReq::new::<u64>(32);

thread_local! {
    /// Whether this thread has its buffer for packing.
    static HAS_BUFFER: Cell<bool> = const { Cell::new(false) };
}

/// Make faer allocate the buffer in which the calling thread packs the matrices of a product, unless the thread has one.
///
/// # Errors
/// If memory is exhausted; nothing is allocated then.
pub(crate) fn packing_buffer() -> Result<(), FactorError> {
    if !HAS_BUFFER.get() {
        give_back([take(PACKING)?, take(NOTE)?]);
        smallest_product();
        HAS_BUFFER.set(true);
    }
    Ok(())
}

/// Multiply 1 × 1 matrices. The product goes to a triangle, since faer then packs even the smallest matrices.
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

/// Check that there is memory for the symbolic LU of an n × n pattern until its columns are in order. COLAMD cannot report that there
/// is no memory for the last two of these lists.
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

/// Free the memory. Without `black_box` a compiler may leave out memory that nobody reads.
fn give_back<const N: usize>(memory: [MemBuffer; N]) {
    drop(black_box(memory));
}

//! SIMD with four lanes, which are one vector register. The lanes are either the three rows of a column, with an unused fourth
//! lane, or the same quantity of four items.
//!
//! A [`SimdLevel`] is an instruction set: every processor has [`Plain`], most have [`Avx2`]. [`at_best`] chooses. No level uses fused
//! multiply-add, so all levels give the same bits.

/// Implements operators of a vector type.
macro_rules! operators {
    ($lanes:ident: $($operator:ident<$other:ty>::$name:ident = |$a:ident, $b:ident| $result:expr;)+) => {$(
        impl $operator<$other> for $lanes {
            type Output = Self;

            #[inline(always)]
            fn $name(self, $b: $other) -> Self {
                let $a = self;
                $result
            }
        }
    )+};
}

#[cfg(target_arch = "x86_64")]
mod avx2;
mod plain;

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;
pub use plain::Plain;

use std::sync::atomic::{AtomicBool, Ordering};

use super::real::Real;
use super::{Block, Vector, is_finite};

/// Four numbers in SIMD lanes.
pub trait F64x4: Real {
    /// The four lanes.
    fn values(self) -> [f64; 4];

    /// The three rows of a block, given its columns.
    fn transposed(columns: [Self; 3]) -> [Self; 3];

    /// The first three lanes.
    #[inline(always)]
    fn vector(self) -> Vector {
        let [x, y, z, _] = self.values();
        [x, y, z]
    }
}

/// An instruction set.
pub trait SimdLevel: Copy {
    /// The vector type.
    type F64x4: F64x4;

    /// The vector with these lanes.
    fn load(self, values: &[f64; 4]) -> Self::F64x4;

    /// Compute one kernel within another. It is inlined if vectors are registers. Otherwise its code is much larger and goes to a
    /// function of its own, which is compiled once for all callers.
    fn apart<W: Kernel>(self, work: W) -> W::Output;

    /// Compute a kernel in a function of its own, which is compiled once for all callers.
    fn call<W: Kernel>(self, work: W) -> W::Output;

    /// A vector of zeros.
    #[inline(always)]
    fn zero(self) -> Self::F64x4 {
        self.load(&[0.0; 4])
    }

    /// The vector with three values and zero.
    #[inline(always)]
    fn of_vector(self, [x, y, z]: Vector) -> Self::F64x4 {
        self.load(&[x, y, z, 0.0])
    }

    /// The four values that begin at index `first`: a column and the value that follows it.
    ///
    /// # Panics
    /// If there are fewer than four.
    #[inline(always)]
    fn four(self, values: &[f64], first: usize) -> Self::F64x4 {
        match values[first..first + 4].first_chunk() {
            Some(values) => self.load(values),
            None => unreachable!("four values"),
        }
    }

    /// The columns of `b`.
    #[inline(always)]
    fn columns(self, b: &Block) -> [Self::F64x4; 3] {
        [self.four(b, 0), self.four(b, 3), self.of_vector([b[6], b[7], b[8]])]
    }

    /// The columns of bᵀ.
    #[inline(always)]
    fn transposed_columns(self, b: &Block) -> [Self::F64x4; 3] {
        F64x4::transposed(self.columns(b))
    }
}

/// Write columns without their fourth lanes: 3 × N, column-major.
///
/// # Panics
/// If the length of `to` is not 3 N.
#[inline(always)]
pub fn write<L: F64x4, const N: usize>(to: &mut [f64], columns: &[L; N]) {
    assert!(to.len() == 3 * N);
    // All four lanes are written at a time, except for the last column: the next column overwrites the fourth.
    for (k, column) in columns.iter().enumerate() {
        let length = if k + 1 < N { 4 } else { 3 };
        to[3 * k..3 * k + length].copy_from_slice(&column.values()[..length]);
    }
}

/// The columns in the storage order of [`write()`].
///
/// # Panics
/// If `LENGTH` is not 3 N.
#[inline(always)]
pub fn packed<L: F64x4, const N: usize, const LENGTH: usize>(columns: &[L; N]) -> [f64; LENGTH] {
    let mut values = [0.0; LENGTH];
    write(&mut values, columns);
    values
}

/// Σ_k x_k c_k for columns c_k.
///
/// # Panics
/// If there are fewer values than columns, or no columns.
#[inline(always)]
pub fn combination<L: F64x4, const N: usize>(columns: &[L; N], x: &[f64]) -> L {
    let x = &x[..N];
    let mut sum = columns[0] * x[0];
    for k in 1..N {
        sum = sum + columns[k] * x[k];
    }
    sum
}

/// Compute `a += b`, column by column.
#[inline(always)]
pub fn add<L: F64x4, const N: usize>(a: &mut [L; N], b: &[L; N]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = *a + *b;
    }
}

/// Whether all entries of columns are finite. A fourth lane must be finite if the other three are.
#[inline(always)]
pub fn are_finite<L: F64x4, const N: usize>(columns: &[L; N]) -> bool {
    let mut sum = columns[0];
    for column in &columns[1..] {
        sum = sum + *column;
    }
    // A sum of finite entries may overflow: the entries are then checked one by one.
    sum.all_finite() || columns.iter().all(|column| is_finite(&column.vector()))
}

/// A computation that works at any level.
///
/// The compiler uses the level only for code that is inlined into the kernel. Vectors may therefore go through functions that are
/// always inlined and through loops, but not through closures that are arguments of iterators or of methods of arrays.
pub trait Kernel {
    /// The result.
    type Output;

    /// Compute at a level. Implementations are always inlined.
    fn at<L: SimdLevel>(self, level: L) -> Self::Output;
}

static IS_AVX2_FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// Forbid or allow AVX2 from now on, for comparisons.
pub fn forbid_avx2(is_forbidden: bool) {
    IS_AVX2_FORBIDDEN.store(is_forbidden, Ordering::Relaxed);
}

/// Compute at the best level that the processor has and that is not forbidden.
#[inline(always)]
pub fn at_best<W: Kernel>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(level) = allowed_avx2() {
        return level.compute(work);
    }
    plain(work)
}

/// Compute at the plain level. This function is compiled once for each kernel.
#[inline(never)]
fn plain<W: Kernel>(work: W) -> W::Output {
    work.at(Plain)
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn allowed_avx2() -> Option<Avx2> {
    if IS_AVX2_FORBIDDEN.load(Ordering::Relaxed) { None } else { Avx2::new() }
}

/// Whether [`at_best`] uses AVX2.
pub fn uses_avx2() -> bool {
    #[cfg(target_arch = "x86_64")]
    return allowed_avx2().is_some();
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The results of all levels that the processor has.
#[cfg(test)]
pub(crate) fn at_all<W: Kernel + Copy>(work: W) -> Vec<W::Output> {
    #[cfg(target_arch = "x86_64")]
    let wide = Avx2::new().map(|level| level.compute(work));
    #[cfg(not(target_arch = "x86_64"))]
    let wide = None;
    std::iter::once(work.at(Plain)).chain(wide).collect()
}

#[cfg(test)]
mod tests;

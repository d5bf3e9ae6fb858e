//! Four numbers side by side, which is one vector register: three rows of a column, where the fourth lane never counts, or
//! the same number of four things.
//!
//! A [`SimdLevel`] is what a processor has for them: [`Plain`] is on every one, [`Avx2`] on most. [`at_best`] chooses. No level
//! fuses a product into a sum, so all give the same bits.

/// Operators of a kind of lanes.
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

/// Four numbers side by side.
pub trait F64x4: Real {
    /// The numbers.
    fn values(self) -> [f64; 4];

    /// The rows of three columns.
    fn transposed(columns: [Self; 3]) -> [Self; 3];

    /// The first three.
    #[inline(always)]
    fn vector(self) -> Vector {
        let [x, y, z, _] = self.values();
        [x, y, z]
    }
}

/// A way to have lanes.
pub trait SimdLevel: Copy {
    /// Its lanes.
    type F64x4: F64x4;

    /// Lanes with these numbers.
    fn load(self, values: &[f64; 4]) -> Self::F64x4;

    /// Compute within other work: inlined where lanes are registers; otherwise, where it is much larger, in a function of its own,
    /// which is compiled once for all who call it.
    fn apart<W: Kernel>(self, work: W) -> W::Output;

    /// Zeros.
    #[inline(always)]
    fn zero(self) -> Self::F64x4 {
        self.load(&[0.0; 4])
    }

    /// Three values, and zero.
    #[inline(always)]
    fn of_vector(self, [x, y, z]: Vector) -> Self::F64x4 {
        self.load(&[x, y, z, 0.0])
    }

    /// Four of the values, from a place on: a column, where another one follows.
    ///
    /// # Panics
    /// If there are fewer.
    #[inline(always)]
    fn four(self, values: &[f64], first: usize) -> Self::F64x4 {
        match values[first..first + 4].first_chunk() {
            Some(values) => self.load(values),
            None => unreachable!("four values"),
        }
    }

    /// The columns of b.
    #[inline(always)]
    fn columns(self, b: &Block) -> [Self::F64x4; 3] {
        [self.four(b, 0), self.four(b, 3), self.of_vector([b[6], b[7], b[8]])]
    }

    /// Columns k = 0, 1, 2 of bᵀ.
    #[inline(always)]
    fn transposed_columns(self, b: &Block) -> [Self::F64x4; 3] {
        F64x4::transposed(self.columns(b))
    }
}

/// Write columns side by side, without their fourth lanes: 3 × N, column-major.
///
/// # Panics
/// If `to` does not have 3 N places.
#[inline(always)]
pub fn write<L: F64x4, const N: usize>(to: &mut [f64], columns: &[L; N]) {
    assert!(to.len() == 3 * N);
    // All four lanes at a time: the next column is written over the fourth, but for the last.
    for (k, column) in columns.iter().enumerate() {
        let length = if k + 1 < N { 4 } else { 3 };
        to[3 * k..3 * k + length].copy_from_slice(&column.values()[..length]);
    }
}

/// Columns side by side, as [`write()`] has them.
///
/// # Panics
/// If `LENGTH` is not 3 N.
#[inline(always)]
pub fn packed<L: F64x4, const N: usize, const LENGTH: usize>(columns: &[L; N]) -> [f64; LENGTH] {
    let mut values = [0.0; LENGTH];
    write(&mut values, columns);
    values
}

/// Σ_k x_k c_k of columns c_k.
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

/// `a += b`, column by column.
#[inline(always)]
pub fn add<L: F64x4, const N: usize>(a: &mut [L; N], b: &[L; N]) {
    for (a, b) in a.iter_mut().zip(b) {
        *a = *a + *b;
    }
}

/// Whether all entries of columns are finite; fourth lanes are finite if these are.
#[inline(always)]
pub fn are_finite<L: F64x4, const N: usize>(columns: &[L; N]) -> bool {
    let mut sum = columns[0];
    for column in &columns[1..] {
        sum = sum + *column;
    }
    // A sum of finite entries may overflow: then they are looked at one by one.
    sum.all_finite() || columns.iter().all(|column| is_finite(&column.vector()))
}

/// What can be computed at any level.
///
/// It is compiled for the level as far as everything in it is inlined: lanes go through functions that always are, and
/// through loops, not through closures that are handed to iterators or to methods of arrays.
pub trait Kernel {
    /// What comes of it.
    type Output;

    /// Compute it; always inlined.
    fn at<L: SimdLevel>(self, level: L) -> Self::Output;
}

static IS_AVX2_FORBIDDEN: AtomicBool = AtomicBool::new(false);

/// Do without AVX2 from now on, or no longer: for comparisons.
pub fn forbid_avx2(is_forbidden: bool) {
    IS_AVX2_FORBIDDEN.store(is_forbidden, Ordering::Relaxed);
}

/// Compute at the best level that the processor has, and that is not forbidden.
#[inline(always)]
pub fn at_best<W: Kernel>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(level) = allowed_avx2() {
        return level.compute(work);
    }
    plain(work)
}

/// Compiled once for each kind of work, wherever it is done.
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

/// What each level that the processor has computes.
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

//! Vectors on processors with AVX2: registers.

use std::arch::x86_64::{__m256d, _CMP_LE_OQ, _CMP_LT_OQ};
use std::ops::{Add, Div, Mul, Sub};

use pulp::x86::V3;
use pulp::{NullaryFnOnce, cast};

use super::{F64x4, Kernel, SimdLevel};
use crate::math::real::Real;

/// The proof that the processor has AVX2 and the extensions that came with it.
#[derive(Clone, Copy, Debug)]
pub struct Avx2(V3);

/// A register, with the proof that the processor has it.
#[derive(Clone, Copy, Debug)]
pub struct Register(V3, __m256d);

impl Avx2 {
    /// The level, if the processor has it.
    #[inline(always)]
    pub fn new() -> Option<Self> {
        V3::try_new().map(Self)
    }

    /// Compute at this level. This function is compiled once for each kernel.
    #[inline(never)]
    pub fn compute<W: Kernel>(self, work: W) -> W::Output {
        self.0.vectorize(Compiled { level: self, work })
    }
}

/// A kernel that is compiled for the level.
struct Compiled<W> {
    level: Avx2,
    work: W,
}

impl<W: Kernel> NullaryFnOnce for Compiled<W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.work.at(self.level)
    }
}

impl SimdLevel for Avx2 {
    type F64x4 = Register;

    #[inline(always)]
    fn load(self, values: &[f64; 4]) -> Register {
        Register(self.0, cast(*values))
    }

    #[inline(always)]
    fn apart<W: Kernel>(self, work: W) -> W::Output {
        // A call for each block would add a tenth to the instructions of an update of bodies with shape functions.
        work.at(self)
    }

    #[inline(always)]
    fn call<W: Kernel>(self, work: W) -> W::Output {
        self.compute(work)
    }
}

impl F64x4 for Register {
    #[inline(always)]
    fn values(self) -> [f64; 4] {
        cast(self.1)
    }

    #[inline(always)]
    fn transposed([Self(v3, a), Self(_, b), Self(_, c)]: [Self; 3]) -> [Self; 3] {
        // a0 b0 a2 b2, a1 b1 a3 b3.
        let (even, odd) = (v3.avx._mm256_unpacklo_pd(a, b), v3.avx._mm256_unpackhi_pd(a, b));
        // a0 b0 with c0 c1, a1 b1 with c1 c1, a2 b2 with c2 c3.
        [
            Self(v3, v3.avx._mm256_permute2f128_pd::<0x20>(even, c)),
            Self(v3, v3.avx._mm256_permute2f128_pd::<0x20>(odd, v3.avx._mm256_unpackhi_pd(c, c))),
            Self(v3, v3.avx._mm256_permute2f128_pd::<0x31>(even, c)),
        ]
    }
}

impl Register {
    /// The register with the same number in all lanes.
    #[inline(always)]
    fn same(self, value: f64) -> __m256d {
        self.0.avx._mm256_set1_pd(value)
    }
}

operators! {
    Register:
    Add<Self>::add = |x, y| Self(x.0, x.0.avx._mm256_add_pd(x.1, y.1));
    Sub<Self>::sub = |x, y| Self(x.0, x.0.avx._mm256_sub_pd(x.1, y.1));
    Mul<Self>::mul = |x, y| Self(x.0, x.0.avx._mm256_mul_pd(x.1, y.1));
    Div<Self>::div = |x, y| Self(x.0, x.0.avx._mm256_div_pd(x.1, y.1));
    Add<f64>::add = |x, value| Self(x.0, x.0.avx._mm256_add_pd(x.1, x.same(value)));
    Mul<f64>::mul = |x, value| Self(x.0, x.0.avx._mm256_mul_pd(x.1, x.same(value)));
}

impl Real for Register {
    #[inline(always)]
    fn abs(self) -> Self {
        Self(self.0, self.0.avx._mm256_andnot_pd(self.same(-0.0), self.1))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        Self(self.0, self.0.avx._mm256_sqrt_pd(self.1))
    }

    #[inline(always)]
    fn reciprocal(self) -> Self {
        Self(self.0, self.0.avx._mm256_div_pd(self.same(1.0), self.1))
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self(self.0, self.0.avx._mm256_max_pd(self.1, other.1))
    }

    #[inline(always)]
    fn select_le(self, bound: Self, yes: Self, no: Self) -> Self {
        let chosen = self.0.avx._mm256_cmp_pd::<_CMP_LE_OQ>(self.1, bound.1);
        Self(self.0, self.0.avx._mm256_blendv_pd(no.1, yes.1, chosen))
    }

    #[inline(always)]
    fn all_below(self, bound: Self) -> bool {
        let below = self.0.avx._mm256_cmp_pd::<_CMP_LT_OQ>(self.1, bound.1);
        self.0.avx._mm256_movemask_pd(below) == 0b1111
    }

    #[inline(always)]
    fn all_finite(self) -> bool {
        self.abs().all_below(Self(self.0, self.same(f64::INFINITY)))
    }

    #[inline(always)]
    fn normalizer(values: &[Self; 6]) -> Option<(Self, Self)> {
        /// All exponent bits.
        const EXPONENT: u64 = f64::INFINITY.to_bits();
        /// Twice the exponent bias, as exponent bits.
        const TWICE: i64 = 2046 << (f64::MANTISSA_DIGITS - 1);

        let v3 = values[0].0;
        // 0 x is NaN if x is not finite, and so is any sum with it.
        let (mut largest, mut noughts) = (values[0].abs(), values[0] * 0.0);
        for value in &values[1..] {
            largest = largest.max(value.abs());
            noughts = noughts + *value * 0.0;
        }
        // The reciprocal of 2¹⁰²³ and more is subnormal.
        let ends = [f64::MIN_POSITIVE, 0.5 * f64::MAX].map(|end| Self(v3, v3.avx._mm256_set1_pd(end)));
        if !(ends[0].all_below(largest) && largest.all_below(ends[1]) && noughts.all_finite()) {
            return None;
        }
        let unit = v3.avx._mm256_and_pd(largest.1, v3.avx._mm256_set1_pd(f64::from_bits(EXPONENT)));
        let twice = v3.avx._mm256_set1_epi64x(TWICE);
        let scale = v3.avx2._mm256_sub_epi64(twice, v3.avx._mm256_castpd_si256(unit));
        Some((Self(v3, v3.avx._mm256_castsi256_pd(scale)), Self(v3, unit)))
    }
}

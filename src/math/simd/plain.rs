//! Vectors on every processor.

use std::ops::{Add, Div, Mul, Sub};

use super::{F64x4, Kernel, SimdLevel};
use crate::math::real::Real;

/// Arrays of four numbers. The compiler may use the vectors that every processor of the target has.
#[derive(Clone, Copy, Debug)]
pub struct Plain;

/// Four numbers.
#[derive(Clone, Copy, Debug)]
pub struct PlainF64x4([f64; 4]);

impl SimdLevel for Plain {
    type F64x4 = PlainF64x4;

    #[inline(always)]
    fn load(self, values: &[f64; 4]) -> PlainF64x4 {
        PlainF64x4(*values)
    }

    #[inline(always)]
    fn apart<W: Kernel>(self, work: W) -> W::Output {
        super::plain(work)
    }

    #[inline(always)]
    fn call<W: Kernel>(self, work: W) -> W::Output {
        super::plain(work)
    }
}

impl F64x4 for PlainF64x4 {
    #[inline(always)]
    fn values(self) -> [f64; 4] {
        self.0
    }

    #[inline(always)]
    fn transposed([PlainF64x4(a), PlainF64x4(b), PlainF64x4(c)]: [Self; 3]) -> [Self; 3] {
        [
            PlainF64x4([a[0], b[0], c[0], 0.0]),
            PlainF64x4([a[1], b[1], c[1], 0.0]),
            PlainF64x4([a[2], b[2], c[2], 0.0]),
        ]
    }
}

impl PlainF64x4 {
    #[inline(always)]
    fn each(self, operation: impl Fn(f64) -> f64) -> Self {
        let Self([a, b, c, d]) = self;
        Self([operation(a), operation(b), operation(c), operation(d)])
    }

    #[inline(always)]
    fn with(self, other: Self, operation: impl Fn(f64, f64) -> f64) -> Self {
        let (Self([a, b, c, d]), Self([e, f, g, h])) = (self, other);
        Self([operation(a, e), operation(b, f), operation(c, g), operation(d, h)])
    }
}

operators! {
    PlainF64x4:
    Add<Self>::add = |x, y| x.with(y, |a, b| a + b);
    Sub<Self>::sub = |x, y| x.with(y, |a, b| a - b);
    Mul<Self>::mul = |x, y| x.with(y, |a, b| a * b);
    Div<Self>::div = |x, y| x.with(y, |a, b| a / b);
    Add<f64>::add = |x, value| x.each(|a| a + value);
    Mul<f64>::mul = |x, value| x.each(|a| a * value);
}

impl Real for PlainF64x4 {
    #[inline(always)]
    fn abs(self) -> Self {
        self.each(f64::abs)
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.each(f64::sqrt)
    }

    #[inline(always)]
    fn reciprocal(self) -> Self {
        self.each(|a| 1.0 / a)
    }

    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.with(other, f64::max)
    }

    #[inline(always)]
    fn select_le(self, bound: Self, yes: Self, no: Self) -> Self {
        let mut chosen = no;
        for k in 0..4 {
            if self.0[k] <= bound.0[k] {
                chosen.0[k] = yes.0[k];
            }
        }
        chosen
    }

    #[inline(always)]
    fn all_below(self, bound: Self) -> bool {
        self.0.iter().zip(&bound.0).all(|(a, b)| a < b)
    }

    #[inline(always)]
    fn all_finite(self) -> bool {
        self.0.iter().all(|a| a.is_finite())
    }

    #[inline(always)]
    fn normalizer(values: &[Self; 6]) -> Option<(Self, Self)> {
        let (mut scale, mut unit) = ([0.0; 4], [0.0; 4]);
        for k in 0..4 {
            (scale[k], unit[k]) = f64::normalizer(&values.map(|value| value.0[k]))?;
        }
        Some((Self(scale), Self(unit)))
    }
}

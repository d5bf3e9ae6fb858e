//! The solution of a system of equations with the factors.

use std::ops::Range;

use crate::math::simd::{F64x4, Kernel, SimdLevel};

use super::block::{back, times};
use super::numbers::Numbers;
use super::supernodes::{LuSupernode, LuSupernodes, STRIP, VECTORS};

/// A part of a solution, for the places of some sections; vectors are in the order of the elimination.
pub struct LuSolution<'a, const N: usize> {
    pub supernodes: &'a LuSupernodes,
    pub numbers: &'a Numbers<N>,
    /// The vector of these places, the first of them.
    pub x: &'a mut [[f64; N]],
    pub first_place: usize,
    /// The vector of other places: their changes by these places, then their solution.
    pub outside: &'a mut [[f64; N]],
    pub index_outside: &'a [u32],
    /// The rows of one supernode.
    pub work: &'a mut [f64],
}

/// The direction of a solution: with L, or with U.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Substitution {
    Forward,
    Backward,
}

/// The solution in one direction for some supernodes.
pub struct Pass<'s, 'a, const N: usize> {
    pub solution: &'s mut LuSolution<'a, N>,
    pub way: Substitution,
    pub which: Range<usize>,
}

impl<const N: usize> Kernel for Pass<'_, '_, N> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { solution, way, which } = self;
        let supernodes = &solution.supernodes.all[which];
        match way {
            Substitution::Forward => {
                supernodes.iter().for_each(|supernode| solution.forward(level, supernode))
            }
            Substitution::Backward => {
                supernodes.iter().rev().for_each(|supernode| solution.backward(level, supernode))
            }
        }
    }
}

impl<const N: usize> LuSolution<'_, N> {
    /// The vector of a row below a supernode; `at` is its index among the rows of all supernodes.
    #[inline(always)]
    fn below(&mut self, at: usize) -> &mut [f64; N] {
        let place = self.supernodes.rows[at] as usize - self.first_place;
        match self.x.get_mut(place) {
            Some(x) => x,
            None => &mut self.outside[self.index_outside[at] as usize],
        }
    }

    /// Solve with L for the places of a supernode, and change the rows below.
    #[inline(always)]
    fn forward<L: SimdLevel>(&mut self, level: L, supernode: &LuSupernode) {
        let layers = supernode.layers::<N>();
        self.work[..STRIP * layers].fill(0.0);
        for (k, place) in supernode.places.clone().enumerate() {
            let mut y = self.x[place - self.first_place];
            for (y, change) in y.iter_mut().zip(&self.work[N * k..]) {
                *y -= change;
            }
            let y = times(&self.numbers.turned[place], &y);
            self.x[place - self.first_place] = y;
            for layer in N * (k + 1) / STRIP..layers {
                let first = supernode.layer::<N>(0, layer).start + N * k;
                for v in 0..VECTORS {
                    let at = STRIP * layer + 4 * v;
                    let mut sum = level.four(self.work, at);
                    for (strip, &y) in self.numbers.panels[first..first + N].iter().zip(&y) {
                        sum = sum + level.load(&strip.0[v]) * y;
                    }
                    self.work[at..at + 4].copy_from_slice(&sum.values());
                }
            }
        }
        for (at, k) in supernode.rows.clone().zip(supernode.width()..) {
            let change: [f64; N] = std::array::from_fn(|i| self.work[N * k + i]);
            for (x, change) in self.below(at).iter_mut().zip(&change) {
                *x -= change;
            }
        }
    }

    /// Solve with U for the places of a supernode.
    #[inline(always)]
    fn backward<L: SimdLevel>(&mut self, level: L, supernode: &LuSupernode) {
        let (layers, height) = (supernode.layers::<N>(), N * supernode.height());
        // The parts of the places follow in turn.
        self.work[..N * supernode.width()].fill(0.0);
        for (at, k) in supernode.rows.clone().zip(supernode.width()..) {
            let x = *self.below(at);
            self.work[N * k..N * (k + 1)].copy_from_slice(&x);
        }
        self.work[height..STRIP * layers].fill(0.0);
        for (k, place) in supernode.places.clone().enumerate().rev() {
            let mut sums = [level.zero(); N];
            for layer in N * (k + 1) / STRIP..layers {
                let first = supernode.layer::<N>(1, layer).start + N * k;
                for v in 0..VECTORS {
                    let x = level.four(self.work, STRIP * layer + 4 * v);
                    for (sum, strip) in sums.iter_mut().zip(&self.numbers.panels[first..first + N]) {
                        *sum = *sum + level.load(&strip.0[v]) * x;
                    }
                }
            }
            let mut y = self.x[place - self.first_place];
            for (y, sum) in y.iter_mut().zip(&sums) {
                let [a, b, c, d] = sum.values();
                *y -= (a + b) + (c + d);
            }
            let y = back(&self.numbers.pivots[place], y);
            self.x[place - self.first_place] = y;
            self.work[N * k..N * (k + 1)].copy_from_slice(&y);
        }
    }
}

//! The solution of a system of equations with the factors.

use crate::math::simd::{F64x4, Kernel, SimdLevel};

use super::block::{Square, back, times};
use super::supernodes::{STRIP, Strip, Supernode, Supernodes, VECTORS};

/// The solution; `x` is in the order of the elimination.
pub struct Solution<'a, const N: usize> {
    pub supernodes: &'a Supernodes,
    pub panels: &'a [Strip],
    pub pivots: &'a [Square<N>],
    pub turned: &'a [Square<N>],
    pub x: &'a mut [[f64; N]],
    /// The rows of one supernode.
    pub work: &'a mut [f64],
}

impl<const N: usize> Kernel for Solution<'_, N> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(mut self, level: L) {
        for supernode in &self.supernodes.all {
            self.forward(level, supernode);
        }
        for supernode in self.supernodes.all.iter().rev() {
            self.backward(level, supernode);
        }
    }
}

impl<const N: usize> Solution<'_, N> {
    /// Solve with L for the places of a supernode, and change the rows below.
    #[inline(always)]
    fn forward<L: SimdLevel>(&mut self, level: L, supernode: &Supernode) {
        let layers = supernode.layers::<N>();
        self.work[..STRIP * layers].fill(0.0);
        for (k, place) in supernode.places.clone().enumerate() {
            let mut y = self.x[place];
            for (y, change) in y.iter_mut().zip(&self.work[N * k..]) {
                *y -= change;
            }
            let y = times(&self.turned[place], &y);
            self.x[place] = y;
            for layer in N * (k + 1) / STRIP..layers {
                let first = supernode.layer::<N>(0, layer).start + N * k;
                for v in 0..VECTORS {
                    let at = STRIP * layer + 4 * v;
                    let mut sum = level.four(self.work, at);
                    for (strip, &y) in self.panels[first..first + N].iter().zip(&y) {
                        sum = sum + level.load(&strip.0[v]) * y;
                    }
                    self.work[at..at + 4].copy_from_slice(&sum.values());
                }
            }
        }
        let rows = &self.supernodes.rows[supernode.rows.clone()];
        for (&row, change) in rows.iter().zip(self.work[N * supernode.width()..].chunks_exact(N)) {
            for (x, change) in self.x[row as usize].iter_mut().zip(change) {
                *x -= change;
            }
        }
    }

    /// Solve with U for the places of a supernode.
    #[inline(always)]
    fn backward<L: SimdLevel>(&mut self, level: L, supernode: &Supernode) {
        let (layers, height) = (supernode.layers::<N>(), N * supernode.height());
        let rows = &self.supernodes.rows[supernode.rows.clone()];
        // The parts of the places follow in turn.
        self.work[..N * supernode.width()].fill(0.0);
        for (&row, work) in rows.iter().zip(self.work[N * supernode.width()..].chunks_exact_mut(N)) {
            work.copy_from_slice(&self.x[row as usize]);
        }
        self.work[height..STRIP * layers].fill(0.0);
        for (k, place) in supernode.places.clone().enumerate().rev() {
            let mut sums = [level.zero(); N];
            for layer in N * (k + 1) / STRIP..layers {
                let first = supernode.layer::<N>(1, layer).start + N * k;
                for v in 0..VECTORS {
                    let x = level.four(self.work, STRIP * layer + 4 * v);
                    for (sum, strip) in sums.iter_mut().zip(&self.panels[first..first + N]) {
                        *sum = *sum + level.load(&strip.0[v]) * x;
                    }
                }
            }
            let mut y = self.x[place];
            for (y, sum) in y.iter_mut().zip(&sums) {
                let [a, b, c, d] = sum.values();
                *y -= (a + b) + (c + d);
            }
            let y = back(&self.pivots[place], y);
            self.x[place] = y;
            self.work[N * k..N * (k + 1)].copy_from_slice(&y);
        }
    }
}

//! Diagonal blocks and their derived values: W_αα (69), A_αα = W_αα⁻¹, rho = 1/λ_max(W_αα), the free energy.

use crate::math::simd::{F64x4, SimdLevel};
use crate::math::{self, Block, Vector, is_finite};

/// Largest entry of a diagonal block.
const LARGEST: f64 = f64::MAX / 4.0;

/// Why a diagonal block cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiagonalFault {
    /// W_αα or a value derived from it is not finite.
    NotFinite,
    /// The eigenvalue iteration failed.
    Eigenvalue,
    /// A pivot of W_αα is exactly zero.
    Singular,
}

/// A diagonal block with its derived values.
#[derive(Clone, Copy, Debug)]
pub struct Diagonal {
    /// W_αα, symmetric to the bit.
    pub w: Block,
    /// W_αα⁻¹.
    pub a: Block,
    /// 1/λ_max(W_αα), if wanted.
    pub rho: Option<f64>,
}

impl Diagonal {
    /// Derive everything from W_αα, symmetric up to rounding; rho only if `with_rho`.
    ///
    /// # Errors
    /// If the block is not finite, has no largest eigenvalue to be found, or is singular, in this order.
    pub fn new(w: &Block, with_rho: bool) -> Result<Self, DiagonalFault> {
        let w = math::mirrored(w);
        // Well below the largest number, so that rounding takes no block that these bound beyond it.
        ensure!(w.iter().all(|entry| entry.abs() <= LARGEST), DiagonalFault::NotFinite);
        // 1 where it is not wanted: compilers may divide by it all the same, and hosts may trap divisions by zero.
        let largest = match with_rho {
            true => math::largest_eigenvalue(&w).ok_or(DiagonalFault::Eigenvalue)?,
            false => 1.0,
        };
        let a = math::inverse_symmetric(&w).ok_or(DiagonalFault::Singular)?;
        let rho = with_rho.then_some(1.0 / largest);
        // W = 0 is singular, above; an eigenvalue of 0 may still come out of rounding.
        let are_finite = is_finite(&a) && rho.is_none_or(f64::is_finite);
        if are_finite { Ok(Self { w, a, rho }) } else { Err(DiagonalFault::NotFinite) }
    }

    /// Whether A may be nothing but rounding errors: the product of the largest magnitudes of W and A is too large.
    pub fn is_hopeless(&self) -> bool {
        const HOPELESS: f64 = 1.0 / (64.0 * f64::EPSILON);
        let is_product_hopeless = || {
            let product = math::largest(&self.w) * math::largest(&self.a);
            product.is_nan() || product > HOPELESS
        };
        self.a[0].is_nan() || is_product_hopeless()
    }

    /// ½ (Bᵀ A B + A₃₃ z²), z the prescribed velocity along the third axis, 0 if there is none.
    #[inline(always)]
    pub fn free_energy(&self, b: &Vector, prescribed: f64) -> f64 {
        0.5 * (math::quadratic_form(&self.a, b) + self.a[8] * prescribed * prescribed)
    }
}

/// Four blocks side by side, each with its largest eigenvalue if rho is wanted. This takes longest, since its operations wait for
/// each other: a processor works on two fours at a time, if they are made before all else.
#[derive(Clone, Copy)]
pub struct Four<F> {
    /// Entries (0, 0), (1, 0), (2, 0), (1, 1), (2, 1), (2, 2).
    lower: [F; 6],
    largest: Option<F>,
}

impl<F: F64x4> Four<F> {
    /// Four blocks, column by column; `None` if one of them calls for more than closed forms.
    #[inline(always)]
    pub fn new(level: impl SimdLevel<F64x4 = F>, blocks: [[F; 3]; 4], with_rho: bool) -> Option<Self> {
        let mut lower = [[0.0; 4]; 6];
        for (k, columns) in blocks.into_iter().enumerate() {
            let [first, second, third] = [columns[0].values(), columns[1].values(), columns[2].values()];
            let entries = [first[0], first[1], first[2], second[1], second[2], third[2]];
            for (lower, entry) in lower.iter_mut().zip(entries) {
                lower[k] = entry;
            }
        }
        let [w00, w10, w20, w11, w21, w22] = [
            level.load(&lower[0]),
            level.load(&lower[1]),
            level.load(&lower[2]),
            level.load(&lower[3]),
            level.load(&lower[4]),
            level.load(&lower[5]),
        ];
        let largest = match with_rho {
            true => Some(math::largest_eigenvalues([w00, w11, w22, w21, w20, w10])?),
            false => None,
        };
        Some(Self { lower: [w00, w10, w20, w11, w21, w22], largest })
    }

    /// As [`Diagonal::new`], to the bit, of each; `None` if one of them is an error or calls for more than closed forms.
    #[inline(always)]
    pub fn diagonals(&self, level: impl SimdLevel<F64x4 = F>) -> Option<[Diagonal; 4]> {
        let [w00, _, _, w11, _, w22] = self.lower;
        let inverse = math::inverse_positive_definite(self.lower)?;
        // No division by zero any more, which a host may trap.
        let rho = self.largest.map(|largest| largest.reciprocal().values());
        // An eigenvalue bounds all entries: this one says that they are not too large. So do the entries of the diagonal of a
        // positive definite block.
        let are_small = match rho {
            Some(rho) => rho.iter().all(|&rho| rho >= f64::MIN_POSITIVE),
            None => (w00 + w11 + w22).all_below(level.load(&[LARGEST; 4])),
        };
        if !are_small {
            return None;
        }
        let [mut w, mut a] = [[[0.0; 4]; 6]; 2];
        for (w, entries) in w.iter_mut().zip(self.lower) {
            *w = entries.values();
        }
        for (a, entries) in a.iter_mut().zip(inverse) {
            if !entries.all_finite() {
                return None;
            }
            *a = entries.values();
        }
        let mut diagonals = [Diagonal { w: [0.0; 9], a: [0.0; 9], rho: None }; 4];
        for (k, diagonal) in diagonals.iter_mut().enumerate() {
            *diagonal = Diagonal { w: kth(&w, k), a: kth(&a, k), rho: rho.map(|rho| rho[k]) };
        }
        Some(diagonals)
    }
}

/// The k-th of four symmetric blocks, of the entries of all.
#[inline(always)]
fn kth(lower: &[[f64; 4]; 6], k: usize) -> Block {
    math::symmetric([lower[0][k], lower[1][k], lower[2][k], lower[3][k], lower[4][k], lower[5][k]])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::simd::{Kernel, at_all};
    use proptest::prelude::*;

    #[test]
    fn blocks_are_mirrored() {
        let w = [3.0, 1.0, 0.0, 1.0 + 1e-15, 3.0, 0.0, 0.0, 0.0, 2.0];
        let diagonal = Diagonal::new(&w, true).unwrap();
        assert_eq!(diagonal.w, [3.0, 1.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 2.0]);
        assert!((diagonal.rho.unwrap() - 0.25).abs() < 1e-16);
        assert!((diagonal.a[0] - 0.375).abs() < 1e-16 && (diagonal.a[8] - 0.5).abs() < 1e-16);
        // ½ (8/3·... ) by hand: B = (1, 1, 2): BᵀAB = 0.375 + 0.375 − 0.25 + 2 = 2.5; A₃₃ z² = 4.5.
        assert!((diagonal.free_energy(&[1.0, 1.0, 2.0], 0.0) - 1.25).abs() < 1e-15);
        assert!((diagonal.free_energy(&[1.0, 1.0, 2.0], 3.0) - 3.5).abs() < 1e-15);
        assert_eq!(Diagonal::new(&w, false).unwrap().rho, None);
    }

    #[derive(Clone, Copy)]
    struct Together([Block; 4], bool);

    impl Kernel for Together {
        type Output = Option<[Diagonal; 4]>;

        #[inline(always)]
        fn at<L: SimdLevel>(self, level: L) -> Self::Output {
            let [a, b, c, d] = &self.0;
            let blocks = [level.columns(a), level.columns(b), level.columns(c), level.columns(d)];
            Four::new(level, blocks, self.1)?.diagonals(level)
        }
    }

    fn bits(diagonal: &Diagonal) -> Vec<u64> {
        let values = diagonal.w.iter().chain(&diagonal.a).chain(&diagonal.rho);
        values.map(|value| value.to_bits()).collect()
    }

    /// A block Xᵀ X + s I, of any scale; up to two rows of X are zero.
    fn positive_definite() -> impl Strategy<Value = Block> {
        let entries = prop::array::uniform9(-1.0..1.0_f64);
        (entries, 1e-6..1.0_f64, -300..300_i32, 0..3_usize).prop_map(|(x, shift, power, zeros)| {
            let x = std::array::from_fn(|k| if k % 3 < zeros { 0.0 } else { x[k] });
            let mut b = math::transposed_product(&x, &x);
            [0, 4, 8].into_iter().for_each(|k| b[k] += shift);
            b.map(|value| value * 2.0_f64.powi(power))
        })
    }

    proptest! {
        #[test]
        fn four_at_once_have_the_bits_of_each_alone(blocks in prop::array::uniform4(positive_definite())) {
            for with_rho in [false, true] {
                for together in at_all(Together(blocks, with_rho)) {
                    for (together, block) in together.unwrap().iter().zip(&blocks) {
                        prop_assert_eq!(bits(together), bits(&Diagonal::new(block, with_rho).unwrap()));
                    }
                }
            }
        }
    }

    #[test]
    fn entries_that_are_zero_have_no_sign() {
        // The last ones go by elimination.
        for w in [
            [2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0],
            [2.0, 0.0, 0.0, 0.0, 2.0, -1.0, 0.0, -1.0, 2.0],
            [2.0, -1.0, 0.0, -1.0, 2.0, 0.0, 0.0, 0.0, 2.0],
            [2.0, 0.0, -1.0, 0.0, 2.0, 0.0, -1.0, 0.0, 2.0],
            [-2.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 2.0],
            [2.0, 0.0, 0.0, 0.0, -2.0, -1.0, 0.0, -1.0, -2.0],
        ] {
            let alone = Diagonal::new(&w, false).unwrap();
            let together = at_all(Together([w; 4], true)).into_iter().flatten().flatten();
            for Diagonal { w, a, .. } in std::iter::once(alone).chain(together) {
                assert!(!math::has_negative_zero(&w) && !math::has_negative_zero(&a), "{a:?}");
            }
        }
    }

    #[test]
    fn one_that_is_not_simple_keeps_all_four() {
        let good = [3.0, 1.0, 0.0, 1.0, 3.0, 0.0, 0.0, 0.0, 2.0];
        let indefinite = [0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0];
        for k in 0..4 {
            for odd in [
                [0.0; 9],
                [f64::NAN; 9],
                [1e-310, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
                // The last pivot has no finite reciprocal.
                [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1e-310],
                // Entries that are too large, though all results are finite.
                [f64::MAX / 3.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0],
                indefinite,
            ] {
                let mut blocks = [good; 4];
                assert!(at_all(Together(blocks, true)).iter().all(Option::is_some));
                blocks[k] = odd;
                for with_rho in [false, true] {
                    assert!(at_all(Together(blocks, with_rho)).iter().all(Option::is_none), "{odd:?}");
                }
            }
        }
    }

    #[test]
    fn unusable_blocks_are_told() {
        let fault = |w: Block| Diagonal::new(&w, true).unwrap_err();
        assert_eq!(fault([0.0; 9]), DiagonalFault::Singular);
        assert_eq!(fault([f64::NAN; 9]), DiagonalFault::NotFinite);
        assert_eq!(fault([1e-310, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]), DiagonalFault::NotFinite);
        // Finite, but too close to the largest number.
        assert_eq!(fault([f64::MAX / 3.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]), DiagonalFault::NotFinite);
    }
}

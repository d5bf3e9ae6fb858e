//! Blocks.

use crate::math::Block;

/// A block, column by column.
pub type Square<const N: usize> = [[f64; N]; N];

/// The unit matrix.
#[inline(always)]
pub fn unit<const N: usize>() -> Square<N> {
    std::array::from_fn(|j| std::array::from_fn(|i| f64::from(i == j)))
}

/// The columns of a block.
pub fn square(block: &Block) -> Square<3> {
    std::array::from_fn(|j| std::array::from_fn(|i| block[3 * j + i]))
}

/// Replace a pivot by U, with the reciprocals of its diagonal, and write L⁻¹ P, for P A = L U. Returns false if the matrix is singular
/// or not finite.
#[inline(always)]
pub fn split<const N: usize>(a: &mut Square<N>, turned: &mut Square<N>) -> bool {
    *turned = unit();
    for k in 0..N {
        let largest = |best: usize, i: usize| if a[k][i].abs() > a[k][best].abs() { i } else { best };
        let pivot = (k + 1..N).fold(k, largest);
        if pivot != k {
            a.iter_mut().chain(&mut *turned).for_each(|column| column.swap(k, pivot));
        }
        let scale = a[k][k].recip();
        if !scale.is_finite() {
            return false;
        }
        let mut factors = [0.0; N];
        (k + 1..N).for_each(|i| factors[i] = a[k][i] * scale);
        for column in a[k + 1..].iter_mut().chain(&mut *turned) {
            let x = column[k];
            (0..N).for_each(|i| column[i] -= factors[i] * x);
        }
        a[k][k] = scale;
    }
    a.as_flattened().iter().all(|x| x.is_finite())
}

/// `U⁻¹ y`.
#[inline(always)]
pub fn back<const N: usize>(u: &Square<N>, mut y: [f64; N]) -> [f64; N] {
    for j in (0..N).rev() {
        y[j] *= u[j][j];
        let x = y[j];
        (0..j).for_each(|i| y[i] -= u[j][i] * x);
    }
    y
}

/// `a x`.
#[inline(always)]
pub fn times<const N: usize>(a: &Square<N>, x: &[f64; N]) -> [f64; N] {
    let mut y = [0.0; N];
    for (a, x) in a.iter().zip(x) {
        for i in 0..N {
            y[i] += a[i] * x;
        }
    }
    y
}

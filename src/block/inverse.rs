//! The inverse of a 3×3 block.

use super::Block;

/// The inverse of `b` by Gaussian elimination with partial pivoting; `None` if a pivot is exactly zero.
///
/// A badly conditioned block is inverted like any other.
pub fn inverse(b: &Block) -> Option<Block> {
    let mut a = *b;
    let mut x: Block = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    for k in 0..3 {
        let pivot =
            (k..3).fold(k, |best, i| if a[3 * k + i].abs() > a[3 * k + best].abs() { i } else { best });
        if a[3 * k + pivot] == 0.0 {
            return None;
        }
        for j in 0..3 {
            a.swap(3 * j + k, 3 * j + pivot);
            x.swap(3 * j + k, 3 * j + pivot);
        }
        for i in k + 1..3 {
            let factor = a[3 * k + i] / a[3 * k + k];
            for j in 0..3 {
                a[3 * j + i] -= factor * a[3 * j + k];
                x[3 * j + i] -= factor * x[3 * j + k];
            }
        }
    }
    for column in x.chunks_exact_mut(3) {
        for i in (0..3).rev() {
            let known: f64 = (i + 1..3).map(|j| a[3 * j + i] * column[j]).sum();
            column[i] = (column[i] - known) / a[3 * i + i];
        }
    }
    Some(x)
}

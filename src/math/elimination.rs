//! Gaussian elimination of small dense systems.

use super::simd::{F64x4, Kernel, SimdLevel, at_best};

/// The rows of a system A x = b, in vectors of four: a row of A, then the entry of b, then zeros.
struct Elimination<'a> {
    rows: &'a mut [[f64; 4]],
    size: usize,
}

/// With at most this number of vectors in a row, loops over them are unrolled.
const MOST_UNROLLED: usize = 4;

/// The number of vectors of a row of a system with this number of equations.
pub fn width(size: usize) -> usize {
    (size + 1).div_ceil(4)
}

/// Solve A x = b by elimination with partial pivoting (Golub and Van Loan, Matrix Computations, 3.4). `rows` has a row for each entry of
/// x: a row of A, the entry of b, and zeros up to [`width`] vectors. Returns false if a pivot is zero or not finite; x and `rows` are of
/// no use then.
///
/// # Panics
/// If `rows` is too short.
pub fn solve(rows: &mut [[f64; 4]], x: &mut [f64]) -> bool {
    let size = x.len();
    let width = width(size);
    let rows = &mut rows[..size * width];
    if !at_best(Elimination { rows, size }) {
        return false;
    }
    for k in (0..size).rev() {
        let row = rows[k * width..][..width].as_flattened();
        let sum = row[k + 1..size].iter().zip(&x[k + 1..]).fold(row[size], |sum, (entry, x)| sum - entry * x);
        x[k] = sum / row[k];
    }
    true
}

impl Kernel for Elimination<'_> {
    type Output = bool;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> bool {
        let Self { rows, size } = self;
        // With a known width this takes half of the time.
        match width(size) {
            1 => eliminate(level, rows, size, 1),
            2 => eliminate(level, rows, size, 2),
            3 => eliminate(level, rows, size, 3),
            4 => eliminate(level, rows, size, 4),
            width => eliminate(level, rows, size, width),
        }
    }
}

/// Eliminate the entries below the diagonal. Returns false if a pivot is zero or not finite.
#[inline(always)]
fn eliminate<L: SimdLevel>(level: L, rows: &mut [[f64; 4]], size: usize, width: usize) -> bool {
    for k in 0..size {
        let (place, lane) = (k / 4, k % 4);
        let entry = |row: &[[f64; 4]]| row[place][lane];
        let (top, below) = rows[k * width..].split_at_mut(width);
        let (mut pivot, mut most) = (None, entry(top).abs());
        for (row, values) in below.chunks_exact(width).enumerate() {
            let value = entry(values).abs();
            if value > most {
                (pivot, most) = (Some(row), value);
            }
        }
        if let Some(row) = pivot {
            top.swap_with_slice(&mut below[row * width..][..width]);
        }
        let own = entry(top);
        if own == 0.0 || !own.is_finite() {
            return false;
        }
        let inverse = own.recip();
        // Entries before the next column are not read any more.
        let first = if width > MOST_UNROLLED { (k + 1) / 4 } else { 0 };
        for row in below.chunks_exact_mut(width) {
            let factor = entry(row) * inverse;
            if factor == 0.0 {
                continue;
            }
            for (entries, top) in row[first..].iter_mut().zip(&top[first..]) {
                *entries = (level.load(entries) - level.load(top) * factor).values();
            }
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::Random;

    /// The solution of A x = b by [`solve`].
    fn solved(a: &[&[f64]], b: &[f64]) -> Option<Vec<f64>> {
        let size = b.len();
        let mut rows = vec![[0.0; 4]; size * width(size)];
        for (row, (a, b)) in rows.chunks_exact_mut(width(size)).zip(a.iter().zip(b)) {
            let row = row.as_flattened_mut();
            row[..size].copy_from_slice(a);
            row[size] = *b;
        }
        let mut x = vec![0.0; size];
        solve(&mut rows, &mut x).then_some(x)
    }

    #[test]
    fn the_solution_of_random_systems_obeys_the_equations() {
        let mut random = Random::new(1);
        for size in 1..=12 {
            let a: Vec<Vec<f64>> = (0..size).map(|_| (0..size).map(|_| random.signed()).collect()).collect();
            let b: Vec<f64> = (0..size).map(|_| random.signed()).collect();
            let x = solved(&a.iter().map(|row| &row[..]).collect::<Vec<_>>(), &b).unwrap();
            for (row, b) in a.iter().zip(&b) {
                let product: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
                assert!((product - b).abs() < 1e-11, "{size}");
            }
        }
    }

    #[test]
    fn pivots_are_exchanged_and_singular_matrices_refused() {
        assert_eq!(solved(&[&[0.0, 2.0], &[4.0, 1.0]], &[3.0, 5.0]).unwrap(), [0.875, 1.5]);
        assert!(solved(&[&[1.0, 2.0], &[2.0, 4.0]], &[1.0, 1.0]).is_none());
        assert!(solved(&[&[f64::NAN]], &[1.0]).is_none());
    }
}

//! Gaussian elimination of small dense systems.

use super::real::Real;
use super::simd::{F64x4, Kernel, SimdLevel, at_best};

/// The columns of a system A x = b: the columns of A, then b.
struct Elimination<'a> {
    columns: &'a mut [[f64; 4]],
    pivots: &'a mut [u32],
    x: &'a mut [f64],
}

/// The same after an elimination, for another b.
struct Substitution<'a> {
    columns: &'a mut [[f64; 4]],
    pivots: &'a [u32],
    x: &'a mut [f64],
}

/// A pivot stays on the diagonal unless an entry below is this times as large. Exchanges would take longer than the elimination.
const MOST_BELOW: f64 = 4.0;

/// Ones from a lane on.
const FROM: [[f64; 4]; 4] =
    [[1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0], [0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 0.0, 1.0]];

/// The number of vectors of a column of a system with this number of equations.
pub fn width(size: usize) -> usize {
    size.div_ceil(4)
}

/// Solve A x = b by elimination with threshold pivoting (Golub and Van Loan, Matrix Computations, 3.4, with exchanges of rows by a large
/// factor alone). `columns` has the columns of A, then b: each has its entries, and zeros up to [`width`] vectors. Returns false if a
/// pivot is zero or not finite; x and `columns` are of no use then. Otherwise `columns` and `pivots`, one for each row, are for
/// [`solve_again`].
///
/// # Panics
/// If `columns` or `pivots` are too short.
pub fn solve(columns: &mut [[f64; 4]], pivots: &mut [u32], x: &mut [f64]) -> bool {
    let columns = &mut columns[..(x.len() + 1) * width(x.len())];
    at_best(Elimination { columns, pivots, x })
}

/// Replace another b by the solution.
///
/// # Panics
/// If `columns` or `pivots` are too short.
pub fn solve_again(columns: &mut [[f64; 4]], pivots: &[u32], x: &mut [f64]) {
    let columns = &mut columns[..(x.len() + 1) * width(x.len())];
    at_best(Substitution { columns, pivots, x });
}

impl Kernel for Elimination<'_> {
    type Output = bool;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> bool {
        let Self { columns, pivots, x } = self;
        let width = width(x.len());
        for k in 0..x.len() {
            let columns = &mut columns[k * width..];
            let is_exchanged = has_larger(level, &columns[..width], k);
            pivots[k] = if is_exchanged { exchange(columns, width, k) as u32 } else { k as u32 };
            let inverse = columns[k / 4][k % 4].recip();
            if !inverse.is_finite() || inverse == 0.0 {
                return false;
            }
            let mut first = (k + 1) / 4;
            while first < width {
                // With a known number of vectors this takes half of the time.
                match width - first {
                    1 => subtract::<L, 1>(level, columns, width, k, inverse, first),
                    2 => subtract::<L, 2>(level, columns, width, k, inverse, first),
                    3 => subtract::<L, 3>(level, columns, width, k, inverse, first),
                    _ => subtract::<L, 4>(level, columns, width, k, inverse, first),
                }
                first += 4;
            }
            columns[k / 4][k % 4] = inverse;
        }
        substitute(level, columns, width, x);
        true
    }
}

impl Kernel for Substitution<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { columns, pivots, x } = self;
        let width = width(x.len());
        let (factors, b) = columns.split_at_mut(x.len() * width);
        b.as_flattened_mut()[..x.len()].copy_from_slice(x);
        for (k, column) in factors.chunks_exact(width.max(1)).enumerate() {
            b.as_flattened_mut().swap(k, pivots[k] as usize);
            let share = b[k / 4][k % 4] * column[k / 4][k % 4];
            let first = (k + 1) / 4;
            let mut lanes = level.load(&FROM[(k + 1) % 4]);
            for (b, column) in b[first..].iter_mut().zip(&column[first..]) {
                *b = (level.load(b) - level.load(column) * lanes * share).values();
                lanes = level.load(&FROM[0]);
            }
        }
        substitute(level, columns, width, x);
    }
}

/// Whether a column has an entry below row k that is much larger than the entry in row k.
#[inline(always)]
fn has_larger<L: SimdLevel>(level: L, column: &[[f64; 4]], k: usize) -> bool {
    let first = (k + 1) / 4;
    let Some(own) = column.get(first) else { return false };
    let mut largest = (level.load(own) * level.load(&FROM[(k + 1) % 4])).abs();
    for own in &column[first + 1..] {
        largest = largest.max(level.load(own).abs());
    }
    let enough = MOST_BELOW * column[k / 4][k % 4].abs();
    let [a, b, c, d] = largest.values();
    a > enough || b > enough || c > enough || d > enough
}

/// Exchange row k and the one with the largest entry below it in the first column. Returns this row.
#[inline(never)]
fn exchange(columns: &mut [[f64; 4]], width: usize, k: usize) -> usize {
    let of_column = columns[..width].as_flattened();
    let larger =
        |best: usize, row: usize| if of_column[row].abs() > of_column[best].abs() { row } else { best };
    let pivot = (k + 1..of_column.len()).fold(k, larger);
    columns.chunks_exact_mut(width).for_each(|column| column.as_flattened_mut().swap(k, pivot));
    pivot
}

/// Eliminate the entries of the first column in V vectors, below row k.
#[inline(always)]
fn subtract<L: SimdLevel, const V: usize>(
    level: L,
    columns: &mut [[f64; 4]],
    width: usize,
    k: usize,
    inverse: f64,
    first: usize,
) {
    let (own, later) = columns.split_at_mut(width);
    let Some(own) = own[first..].first_chunk::<V>() else { unreachable!("V vectors") };
    let mut factors = [level.zero(); V];
    for v in 0..V {
        factors[v] = level.load(&own[v]) * inverse;
    }
    if first == (k + 1) / 4 {
        factors[0] = factors[0] * level.load(&FROM[(k + 1) % 4]);
    }
    for column in later.chunks_exact_mut(width) {
        let factor = column[k / 4][k % 4];
        let Some(own) = column[first..].first_chunk_mut::<V>() else { unreachable!("V vectors") };
        for v in 0..V {
            own[v] = (level.load(&own[v]) - factors[v] * factor).values();
        }
    }
}

/// Solve with U, whose diagonal has reciprocals. Rows from k on are not read after x_k is known, and get any values.
#[inline(always)]
fn substitute<L: SimdLevel>(level: L, columns: &mut [[f64; 4]], width: usize, x: &mut [f64]) {
    let (columns, b) = columns.split_at_mut(x.len() * width);
    for k in (0..x.len()).rev() {
        let column = &columns[k * width..][..k / 4 + 1];
        let value = b[k / 4][k % 4] * column[k / 4][k % 4];
        x[k] = value;
        for (b, own) in b.iter_mut().zip(column) {
            *b = (level.load(b) - level.load(own) * value).values();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testing::Random;

    /// The solution of A x = b by [`solve`].
    fn solved(a: &[&[f64]], b: &[f64]) -> Option<Vec<f64>> {
        let size = b.len();
        let mut columns = vec![[0.0; 4]; (size + 1) * width(size)];
        for (k, column) in columns.chunks_exact_mut(width(size)).enumerate() {
            for (row, entry) in column.as_flattened_mut()[..size].iter_mut().enumerate() {
                *entry = if k < size { a[row][k] } else { b[row] };
            }
        }
        let mut x = vec![0.0; size];
        let mut pivots = vec![0; size];
        if !solve(&mut columns, &mut pivots, &mut x) {
            return None;
        }
        let mut again = b.to_vec();
        solve_again(&mut columns, &pivots, &mut again);
        assert!(x.iter().zip(&again).all(|(x, y)| (x - y).abs() < 1e-9 * (1.0 + x.abs())));
        Some(x)
    }

    #[test]
    fn the_solution_of_random_systems_obeys_the_equations() {
        let mut random = Random::new(1);
        for size in (1..=36).chain([64]) {
            let a: Vec<Vec<f64>> = (0..size).map(|_| (0..size).map(|_| random.signed()).collect()).collect();
            let b: Vec<f64> = (0..size).map(|_| random.signed()).collect();
            let x = solved(&a.iter().map(|row| &row[..]).collect::<Vec<_>>(), &b).unwrap();
            for (row, b) in a.iter().zip(&b) {
                let product: f64 = row.iter().zip(&x).map(|(a, x)| a * x).sum();
                assert!((product - b).abs() < 1e-10, "{size}");
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

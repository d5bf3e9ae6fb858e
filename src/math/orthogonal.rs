//! The complete orthogonal decomposition of small dense matrices (Golub and Van Loan, Matrix Computations, 5.5.2): A P = Q [R 0; 0 0] Zᵀ.
//! It gives the vector of least length among those with the least |b − A x|, also where A is singular.

use crate::memory::{self, collect, refill};

use super::simd::{F64x4, Kernel, SimdLevel, at_best};

/// A decomposition, with its memory.
#[derive(Debug, Default)]
pub struct Orthogonal {
    size: usize,
    /// The columns of R, each with zeros up to whole vectors, and the vectors and scales of the reflections that Q is made of.
    columns: Vec<[f64; 4]>,
    vectors: Vec<[f64; 4]>,
    scales: Vec<f64>,
    /// The column of A at each place of R.
    places: Vec<u32>,
    rank: usize,
    /// The same for the transpose of R, if A is singular.
    turned: Vec<[f64; 4]>,
    turned_vectors: Vec<[f64; 4]>,
    turned_scales: Vec<f64>,
    work: Vec<[f64; 4]>,
}

/// Householder's reflections 1 − scale v vᵀ of columns to a triangle. The columns are exchanged if they have places.
struct Reflections<'a> {
    columns: &'a mut [[f64; 4]],
    vectors: &'a mut [[f64; 4]],
    places: &'a mut [u32],
    scales: &'a mut [f64],
    width: usize,
}

/// The replacement of b by the solution, in the order of places.
struct Solution<'a> {
    own: &'a Orthogonal,
    b: &'a mut [[f64; 4]],
}

impl Orthogonal {
    /// Decompose a matrix of this size. Its columns have zeros up to whole vectors. Entries on the diagonal of R less than `small` count
    /// as zero. Returns false if numbers overflow.
    pub fn factorize(&mut self, size: usize, matrix: &[[f64; 4]], small: f64) -> memory::Result<bool> {
        let width = size.div_ceil(4);
        let Self { columns, vectors, places, scales, work, .. } = self;
        collect(columns, size * width, matrix[..size * width].iter().copied())?;
        refill(vectors, size * width, [0.0; 4])?;
        refill(scales, size, 0.0)?;
        refill(work, width, [0.0; 4])?;
        collect(places, size, 0..size as u32)?;
        at_best(Reflections { columns, vectors, places, scales, width });
        let diagonal = |k: usize| columns[k * width..].as_flattened()[k].abs();
        self.size = size;
        self.rank = (0..size).take_while(|&k| diagonal(k) >= small).count();
        let is_finite = (0..size).all(|k| diagonal(k).is_finite());
        if self.rank < size {
            self.turn(width)?;
        }
        Ok(is_finite)
    }

    /// Decompose the transpose of the first rows of R.
    fn turn(&mut self, width: usize) -> memory::Result {
        let Self { size, rank, columns, turned, turned_vectors, turned_scales, .. } = self;
        refill(turned, *rank * width, [0.0; 4])?;
        refill(turned_vectors, *rank * width, [0.0; 4])?;
        refill(turned_scales, *rank, 0.0)?;
        for (k, to) in turned.chunks_exact_mut(width).enumerate() {
            for (column, to) in to.as_flattened_mut()[..*size].iter_mut().enumerate().skip(k) {
                *to = columns[column * width..].as_flattened()[k];
            }
        }
        let (columns, vectors, scales) = (turned, turned_vectors, turned_scales);
        at_best(Reflections { columns, vectors, places: &mut [], scales, width });
        Ok(())
    }

    /// Replace b by x.
    pub fn solve(&mut self, b: &mut [f64]) {
        let mut work = std::mem::take(&mut self.work);
        work.as_flattened_mut()[..b.len()].copy_from_slice(b);
        at_best(Solution { own: self, b: &mut work });
        for (&place, value) in self.places.iter().zip(work.as_flattened()) {
            b[place as usize] = *value;
        }
        self.work = work;
    }
}

impl Kernel for Reflections<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { columns, vectors, places, scales, width } = self;
        // Before its turn, a column has the square of what is left of it as its scale.
        for (column, square) in columns.chunks_exact(width).zip(&mut *scales) {
            *square = product(level, column, column);
        }
        for k in 0..scales.len() {
            if !places.is_empty() {
                let larger = |best: usize, j: usize| if scales[j] > scales[best] { j } else { best };
                let pivot = (k + 1..scales.len()).fold(k, larger);
                scales.swap(k, pivot);
                places.swap(k, pivot);
                for v in 0..width {
                    columns.swap(k * width + v, pivot * width + v);
                }
            }
            let norm = scales[k].sqrt();
            let (columns, vector) = (&mut columns[k * width..], &mut vectors[k * width..][..width]);
            let (own, later) = columns.split_at_mut(width);
            vector.copy_from_slice(own);
            let (own, values) = (own.as_flattened_mut(), vector.as_flattened_mut());
            let entry = own[k];
            let top = if entry > 0.0 { -norm } else { norm };
            scales[k] = if norm > 0.0 { (norm * (norm + entry.abs())).recip() } else { 0.0 };
            values[..k].fill(0.0);
            values[k] -= top;
            own[k] = top;
            own[k + 1..].fill(0.0);
            for (column, place) in later.chunks_exact_mut(width).zip(k + 1..) {
                reflect(level, vector, scales[k], column, k / 4);
                scales[place] = square_after(level, column, k);
            }
        }
    }
}

impl Kernel for Solution<'_> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { own, b } = self;
        let Orthogonal {
            size, columns, vectors, scales, rank, turned, turned_vectors, turned_scales, ..
        } = own;
        let width = size.div_ceil(4);
        for (k, vector) in vectors.chunks_exact(width).enumerate().take(*rank) {
            reflect(level, vector, scales[k], b, k / 4);
        }
        if rank == size {
            for (k, column) in columns.chunks_exact(width).enumerate().rev() {
                let value = b[k / 4][k % 4] / column[k / 4][k % 4];
                for (b, column) in b.iter_mut().zip(&column[..=k / 4]) {
                    *b = (level.load(b) - level.load(column) * value).values();
                }
                b[k / 4][k % 4] = value;
            }
            return;
        }
        b.as_flattened_mut()[*rank..].fill(0.0);
        for (k, column) in turned.chunks_exact(width).enumerate() {
            let (known, rest) = b.as_flattened_mut().split_at_mut(k);
            let column = column.as_flattened();
            rest[0] = known.iter().zip(column).fold(rest[0], |sum, (x, entry)| sum - x * entry) / column[k];
        }
        for (k, vector) in turned_vectors.chunks_exact(width).enumerate().rev() {
            reflect(level, vector, turned_scales[k], b, k / 4);
        }
    }
}

/// Compute x − scale v (v · x) from a vector on: v is zero before it.
#[inline(always)]
fn reflect<L: SimdLevel>(level: L, v: &[[f64; 4]], scale: f64, x: &mut [[f64; 4]], first: usize) {
    let (v, x) = (&v[first..], &mut x[first..]);
    let share = scale * product(level, v, x);
    for (x, v) in x.iter_mut().zip(v) {
        *x = (level.load(x) - level.load(v) * share).values();
    }
}

#[inline(always)]
fn product<L: SimdLevel>(level: L, x: &[[f64; 4]], y: &[[f64; 4]]) -> f64 {
    let mut sum = level.zero();
    for (x, y) in x.iter().zip(y) {
        sum = sum + level.load(x) * level.load(y);
    }
    let [a, b, c, d] = sum.values();
    (a + b) + (c + d)
}

/// The square of the part of a column after row k.
#[inline(always)]
fn square_after<L: SimdLevel>(level: L, column: &[[f64; 4]], k: usize) -> f64 {
    let first = (k + 1) / 4;
    let later = column.get(first + 1..).unwrap_or_default();
    let mixed = column.get(first).map_or(0.0, |own| own[(k + 1) % 4..].iter().map(|x| x * x).sum());
    mixed + product(level, later, later)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::simd::forbid_avx2;
    use testing::Random;

    /// The decomposition of a product of random matrices with this rank, and the matrix by columns.
    fn decomposed(random: &mut Random, size: usize, rank: usize) -> (Orthogonal, Vec<Vec<f64>>) {
        let [left, right]: [Vec<Vec<f64>>; 2] =
            std::array::from_fn(|_| (0..size).map(|_| random.values(rank)).collect());
        let product = |i: usize, j: usize| left[i].iter().zip(&right[j]).map(|(x, y)| x * y).sum::<f64>();
        let columns: Vec<Vec<f64>> = (0..size).map(|j| (0..size).map(|i| product(i, j)).collect()).collect();
        let mut own = Orthogonal::default();
        let mut matrix = vec![[0.0; 4]; size * size.div_ceil(4)];
        for (to, from) in matrix.chunks_exact_mut(size.div_ceil(4)).zip(&columns) {
            to.as_flattened_mut()[..size].copy_from_slice(from);
        }
        assert!(own.factorize(size, &matrix, 1e-9).unwrap());
        (own, columns)
    }

    /// The product with the transpose.
    fn turned(columns: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
        columns.iter().map(|column| column.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
    }

    #[test]
    fn solutions_have_least_errors_and_least_length() {
        let mut random = Random::new(3);
        for size in 1..=24 {
            for rank in [size, size - 1, size / 2, 0] {
                let (mut own, columns) = decomposed(&mut random, size, rank);
                assert_eq!(own.rank, rank);
                let b: Vec<f64> = random.values(size);
                let mut x = b.clone();
                own.solve(&mut x);
                // b − A x is orthogonal to all columns, and x to the null space.
                let mut rest = b;
                for (column, x) in columns.iter().zip(&x) {
                    rest.iter_mut().zip(column).for_each(|(rest, a)| *rest -= a * x);
                }
                let largest = |values: &[f64]| values.iter().fold(0.0, |most, x| f64::max(most, x.abs()));
                let scale = 1.0 + largest(&x);
                assert!(largest(&turned(&columns, &rest)) < 1e-11 * scale, "{size} {rank}");
                let mut again = (0..size)
                    .map(|i| columns.iter().zip(&x).map(|(c, x)| c[i] * x).sum())
                    .collect::<Vec<f64>>();
                own.solve(&mut again);
                let error = again.iter().zip(&x).fold(0.0, |most, (x, y)| f64::max(most, (x - y).abs()));
                assert!(error < 1e-9 * scale, "{size} {rank} {error}");
            }
        }
    }

    #[test]
    fn all_levels_give_the_same_bits() {
        for rank in [11, 7] {
            let solutions = [true, false].map(|is_forbidden| {
                forbid_avx2(is_forbidden);
                let mut random = Random::new(4);
                let mut x: Vec<f64> = random.values(11);
                decomposed(&mut random, 11, rank).0.solve(&mut x);
                x.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            });
            assert_eq!(solutions[0], solutions[1]);
        }
    }
}

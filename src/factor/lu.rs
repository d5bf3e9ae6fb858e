//! LU of a sparse matrix with row exchanges: each column is solved with the columns before it (J. R. Gilbert and T. Peierls, SIAM J. Sci.
//! Stat. Comput. 9, 1988, 862–874).
//!
//! The columns are in an order of minimum degree of the pattern with its transpose. A row on the diagonal of this order stays there unless
//! its pivot is small: matrices of mechanics are nearly symmetric, and their factors then have little fill.

use super::factors::SolveKind;
use super::matrix_copy::MatrixCopy;
use super::supernodes::Lanes;
use super::tree::NONE;
use super::triangles::{load, scale, store, subtract};
use super::{FactorError, is_finite};
use crate::math::simd::{Kernel, SimdLevel};
use crate::memory::{self, bytes_of, push, refill};

/// A pivot on the diagonal has at least this share of the largest magnitude in its column.
const SHARE: f64 = 0.1;

/// Columns of a triangular factor.
#[derive(Debug, Default)]
struct TriangularFactor {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl TriangularFactor {
    fn clear(&mut self, count: usize) -> memory::Result {
        self.rows.clear();
        self.values.clear();
        self.starts.clear();
        self.starts.try_reserve_exact(count + 1)?;
        self.starts.push(0);
        Ok(())
    }

    fn push(&mut self, row: u32, value: f64) -> memory::Result {
        push(&mut self.rows, row)?;
        push(&mut self.values, value)
    }

    /// The entries of column k.
    #[inline(always)]
    fn of(&self, k: usize) -> impl Iterator<Item = (usize, f64)> {
        let range = self.starts[k]..self.starts[k + 1];
        self.rows[range.clone()].iter().zip(&self.values[range]).map(|(&row, &value)| (row as usize, value))
    }

    fn bytes(&self) -> usize {
        bytes_of!(self.starts, self.rows, self.values)
    }
}

/// L, without its diagonal of ones, and U of a matrix with permuted rows and columns.
#[derive(Debug, Default)]
pub struct Lu {
    /// The column of the matrix at each place.
    order: Vec<u32>,
    /// The place of each row; `NONE` while it has no pivot.
    place: Vec<u32>,
    lower: TriangularFactor,
    /// The part above the diagonal.
    upper: TriangularFactor,
    pivots: Vec<f64>,
    search: Search,
}

/// The rows that a column has entries in.
#[derive(Debug, Default)]
struct Search {
    x: Vec<f64>,
    /// The column that met each row last.
    met: Vec<u32>,
    /// The path of the search: rows, and the next entry of their columns of L.
    path: Vec<(u32, usize)>,
    /// The rows that were met, each before those that reach it.
    found: Vec<u32>,
}

impl Lu {
    /// Make factors without values for this order of columns.
    pub fn new(order: Vec<u32>) -> Self {
        Self { order, ..Self::default() }
    }

    /// The number of rows.
    pub fn size(&self) -> usize {
        self.order.len()
    }

    /// Compute the factors of a matrix.
    ///
    /// # Errors
    /// If a column has no pivot, a value of a factor is not finite, or memory is exhausted.
    pub fn factorize(&mut self, matrix: &MatrixCopy) -> Result<(), FactorError> {
        let count = self.size();
        refill(&mut self.place, count, NONE)?;
        self.lower.clear(count)?;
        self.upper.clear(count)?;
        memory::collect(&mut self.pivots, count, std::iter::empty())?;
        self.search.clear(count)?;
        for k in 0..count {
            let column = self.order[k];
            let range = matrix.starts[column as usize] as usize..matrix.starts[column as usize + 1] as usize;
            let (rows, values) = (&matrix.rows[range.clone()], &matrix.values[range]);
            self.search.find(rows, k as u32, &self.lower, &self.place);
            for (&row, &value) in rows.iter().zip(values) {
                self.search.x[row as usize] = value;
            }
            self.solve_column()?;
            self.choose_pivot(k, column)?;
        }
        for row in &mut self.lower.rows {
            *row = self.place[*row as usize];
        }
        let all = [&self.pivots, &self.lower.values, &self.upper.values];
        if all.iter().all(|values| is_finite(values)) { Ok(()) } else { Err(FactorError::NotFinite) }
    }

    /// Solve with the columns of L so far; rows with a pivot become a column of U.
    fn solve_column(&mut self) -> memory::Result {
        let Self { search, lower, upper, place, .. } = self;
        for &row in search.found.iter().rev() {
            let k = place[row as usize];
            if k != NONE {
                let value = search.x[row as usize];
                for (other, factor) in lower.of(k as usize) {
                    search.x[other] -= value * factor;
                }
                upper.push(k, value)?;
            }
        }
        upper.starts.push(upper.rows.len());
        Ok(())
    }

    /// Choose the pivot of place k; the other rows without a pivot become a column of L.
    fn choose_pivot(&mut self, k: usize, column: u32) -> Result<(), FactorError> {
        let Self { search, lower, place, pivots, .. } = self;
        let left = || search.found.iter().filter(|&&row| place[row as usize] == NONE);
        let size = |row: u32| search.x[row as usize].abs();
        let (mut pivot, mut largest) = (NONE, 0.0);
        for &row in left() {
            if size(row) > largest {
                (pivot, largest) = (row, size(row));
            }
        }
        if pivot == NONE {
            let is_nan = left().any(|&row| search.x[row as usize].is_nan());
            return Err(if is_nan { FactorError::NotFinite } else { FactorError::Singular });
        }
        let has_diagonal = search.met[column as usize] == k as u32 && place[column as usize] == NONE;
        if has_diagonal && size(column) >= SHARE * largest {
            pivot = column;
        }
        let value = search.x[pivot as usize];
        for &row in left().filter(|&&row| row != pivot) {
            lower.push(row, search.x[row as usize] / value)?;
        }
        lower.starts.push(lower.rows.len());
        pivots.push(value);
        place[pivot as usize] = k as u32;
        Ok(())
    }

    /// The number of values in both factors.
    pub fn values(&self) -> usize {
        self.size() + self.lower.values.len() + self.upper.values.len()
    }

    /// The bytes of memory held.
    pub fn bytes(&self) -> usize {
        let Search { x, met, path, found } = &self.search;
        self.lower.bytes()
            + self.upper.bytes()
            + bytes_of!(self.order, self.place, self.pivots, *x, *met, *path, *found)
    }
}

impl Search {
    fn clear(&mut self, count: usize) -> memory::Result {
        refill(&mut self.x, count, 0.0)?;
        refill(&mut self.met, count, NONE)?;
        memory::collect(&mut self.path, count, std::iter::empty())?;
        memory::collect(&mut self.found, count, std::iter::empty())
    }

    /// Find the rows of L⁻¹a for a column with these rows, and set them to zero.
    fn find(&mut self, rows: &[u32], column: u32, lower: &TriangularFactor, place: &[u32]) {
        let Self { x, met, path, found } = self;
        found.clear();
        let begin = |row: u32| match place[row as usize] {
            NONE => 0,
            k => lower.starts[k as usize],
        };
        for &row in rows {
            if met[row as usize] != column {
                met[row as usize] = column;
                path.push((row, begin(row)));
            }
            while let Some((row, next)) = path.last_mut() {
                let end = match place[*row as usize] {
                    NONE => 0,
                    k => lower.starts[k as usize + 1],
                };
                if *next < end {
                    let other = lower.rows[*next];
                    *next += 1;
                    if met[other as usize] != column {
                        met[other as usize] = column;
                        path.push((other, begin(other)));
                    }
                } else {
                    x[*row as usize] = 0.0;
                    found.push(*row);
                    path.pop();
                }
            }
        }
    }
}

/// A solve with `V` vectors of right-hand sides in each row of x; `y` is scratch memory of the same size.
pub struct LuSolve<'a, const V: usize> {
    pub lu: &'a Lu,
    pub which: SolveKind,
    pub x: &'a mut [[Lanes; V]],
    pub y: &'a mut [[Lanes; V]],
}

impl<const V: usize> Kernel for LuSolve<'_, V> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { lu, which, x, y } = self;
        let count = lu.size();
        if which == SolveKind::Transposed {
            for (y, &column) in y.iter_mut().zip(&lu.order) {
                *y = x[column as usize];
            }
            for k in 0..count {
                solve_row(level, &lu.upper, k, Some(lu.pivots[k]), y);
            }
            for k in (0..count).rev() {
                solve_row(level, &lu.lower, k, None, y);
            }
            for (x, &k) in x.iter_mut().zip(&lu.place) {
                *x = y[k as usize];
            }
        } else {
            for (x, &k) in x.iter().zip(&lu.place) {
                y[k as usize] = *x;
            }
            for k in 0..count {
                solve_column(level, &lu.lower, k, None, y);
            }
            for k in (0..count).rev() {
                solve_column(level, &lu.upper, k, Some(lu.pivots[k]), y);
            }
            for (y, &column) in y.iter().zip(&lu.order) {
                x[column as usize] = *y;
            }
        }
    }
}

/// Divide row k by its pivot, and subtract its products with a column from other rows.
#[inline(always)]
fn solve_column<L: SimdLevel, const V: usize>(
    level: L,
    columns: &TriangularFactor,
    k: usize,
    pivot: Option<f64>,
    y: &mut [[Lanes; V]],
) {
    let mut value = load(level, &y[k]);
    if let Some(pivot) = pivot {
        scale(&mut value, 1.0 / pivot);
        store(&value, &mut y[k]);
    }
    for (row, factor) in columns.of(k) {
        let mut other = load(level, &y[row]);
        subtract(&mut other, &value, factor);
        store(&other, &mut y[row]);
    }
}

/// Subtract the products of other rows with a column from row k, and divide it by its pivot.
#[inline(always)]
fn solve_row<L: SimdLevel, const V: usize>(
    level: L,
    columns: &TriangularFactor,
    k: usize,
    pivot: Option<f64>,
    y: &mut [[Lanes; V]],
) {
    let mut value = load(level, &y[k]);
    for (row, factor) in columns.of(k) {
        let other = load(level, &y[row]);
        subtract(&mut value, &other, factor);
    }
    if let Some(pivot) = pivot {
        scale(&mut value, 1.0 / pivot);
    }
    store(&value, &mut y[k]);
}

//! Solves with a supernodal factor LLᵀ that skip zeros and rows that are not needed.
//!
//! The right-hand sides of a row are contiguous vectors. A right-hand side with few entries, such as one node's, meets only the
//! supernodes on the path from its entries to the root of the elimination tree. A needed row depends only on the supernodes on its own
//! path. Each value is the difference of the same products in the same order, for any number of right-hand sides and lanes.

#![allow(clippy::needless_range_loop, reason = "indices are those of the formulas")]

use super::factors::SolveKind;
use super::supernodes::{Lanes, Supernodes};
use crate::math::simd::{F64x4, Kernel, SimdLevel};

/// A solve with `V` vectors of right-hand sides in each row.
pub struct Triangles<'a, const V: usize> {
    pub supernodes: &'a Supernodes,
    pub panels: &'a [Lanes],
    pub which: SolveKind,
    /// The rows that are needed; those on which they depend are marked, too. All if there are no marks.
    pub marks: Option<&'a mut [bool]>,
    pub x: &'a mut [[Lanes; V]],
}

impl<const V: usize> Kernel for Triangles<'_, V> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { supernodes, panels, which, marks, x } = self;
        solve_lower(level, supernodes, panels, x);
        if which != SolveKind::Half {
            let marks = marks.map(|marks| {
                mark_ancestors(supernodes, marks);
                &*marks
            });
            solve_upper(level, supernodes, panels, x, marks);
        }
    }
}

/// Mark all rows on which the marked ones depend in [`solve_upper`].
fn mark_ancestors(supernodes: &Supernodes, marks: &mut [bool]) {
    for node in &supernodes.all {
        let own = &mut marks[node.start..node.end()];
        if own.contains(&true) {
            own.fill(true);
            supernodes.rows[node.rows.clone()].iter().for_each(|&row| marks[row as usize] = true);
        }
    }
}

/// The number of rows that are computed at a time, if there are enough; a strip.
const ROWS: usize = 4;

/// Compute x = L⁻¹x.
#[inline(always)]
fn solve_lower<L: SimdLevel, const V: usize>(
    level: L,
    supernodes: &Supernodes,
    panels: &[Lanes],
    x: &mut [[Lanes; V]],
) {
    for node in &supernodes.all {
        let (done, rest) = x.split_at_mut(node.end());
        let own = &mut done[node.start..];
        if own.iter().flatten().flatten().all(|x| *x == 0.0) {
            continue;
        }
        let (triangle, below) = panels[node.panel()].split_at(node.width * node.own_strips());
        for (strip, first) in triangle.chunks_exact(node.width).zip((0..).step_by(4)) {
            let count = node.width - first;
            if count >= ROWS {
                own_rows::<L, V, ROWS>(level, strip, 0, first, own);
            } else {
                for row in 0..count {
                    own_rows::<L, V, 1>(level, strip, row, first + row, own);
                }
            }
        }
        let rows = &supernodes.rows[node.rows.clone()];
        for (strip, rows) in below.chunks_exact(node.width).zip(rows.chunks(ROWS)) {
            if rows.len() == ROWS {
                rows_below::<L, V, ROWS>(level, strip, 0, rows, node.end(), own, rest);
            } else {
                for row in 0..rows.len() {
                    rows_below::<L, V, 1>(level, strip, row, &rows[row..], node.end(), own, rest);
                }
            }
        }
    }
}

/// Solve some own rows of a supernode, from `first` on. They begin at `row` of a strip.
#[inline(always)]
fn own_rows<L: SimdLevel, const V: usize, const R: usize>(
    level: L,
    strip: &[Lanes],
    row: usize,
    first: usize,
    own: &mut [[Lanes; V]],
) {
    let (earlier, own) = own.split_at_mut(first);
    let (earlier_columns, columns) = strip.split_at(first);
    let (own, columns) = (&mut own[..R], &columns[..R]);
    let mut sums = [[level.zero(); V]; R];
    for r in 0..R {
        sums[r] = load(level, &own[r]);
    }
    subtract_rows(level, &mut sums, earlier_columns, row, earlier);
    for r in 0..R {
        for e in 0..r {
            let earlier = sums[e];
            subtract(&mut sums[r], &earlier, columns[e][(row + r) % 4]);
        }
        scale(&mut sums[r], 1.0 / columns[r][(row + r) % 4]);
        store(&sums[r], &mut own[r]);
    }
}

/// Change some rows below a supernode, which begin at `row` of a strip. `rest` has the right-hand sides from its end on.
#[inline(always)]
fn rows_below<L: SimdLevel, const V: usize, const R: usize>(
    level: L,
    strip: &[Lanes],
    row: usize,
    rows: &[u32],
    end: usize,
    own: &[[Lanes; V]],
    rest: &mut [[Lanes; V]],
) {
    let mut sums = [[level.zero(); V]; R];
    for r in 0..R {
        sums[r] = load(level, &rest[rows[r] as usize - end]);
    }
    subtract_rows(level, &mut sums, strip, row, own);
    for r in 0..R {
        store(&sums[r], &mut rest[rows[r] as usize - end]);
    }
}

/// Compute x = L⁻ᵀx. With marks, at least the marked rows are computed.
#[inline(always)]
fn solve_upper<L: SimdLevel, const V: usize>(
    level: L,
    supernodes: &Supernodes,
    panels: &[Lanes],
    x: &mut [[Lanes; V]],
    marks: Option<&[bool]>,
) {
    for node in supernodes.all.iter().rev() {
        if marks.is_some_and(|marks| !marks[node.start]) {
            continue;
        }
        let (own, rest) = x.split_at_mut(node.end());
        let own = &mut own[node.start..];
        let (triangle, below) = panels[node.panel()].split_at(node.width * node.own_strips());
        let rows = &supernodes.rows[node.rows.clone()];
        for (strip, rows) in below.chunks_exact(node.width).zip(rows.chunks(ROWS)) {
            if rows.len() == ROWS {
                columns_above::<L, V, ROWS>(level, strip, 0, rows, node.end(), own, rest);
            } else {
                for row in 0..rows.len() {
                    columns_above::<L, V, 1>(level, strip, row, &rows[row..], node.end(), own, rest);
                }
            }
        }
        let mut end = node.width;
        while !end.is_multiple_of(ROWS) {
            end -= 1;
            own_columns::<L, V, 1>(level, triangle, end, own);
        }
        while end > 0 {
            end -= ROWS;
            own_columns::<L, V, ROWS>(level, triangle, end, own);
        }
    }
}

/// Change all own rows of a supernode by some rows below it, which begin at `row` of a strip. The strip is read once, in its order.
#[inline(always)]
fn columns_above<L: SimdLevel, const V: usize, const R: usize>(
    level: L,
    strip: &[Lanes],
    row: usize,
    rows: &[u32],
    end: usize,
    own: &mut [[Lanes; V]],
    rest: &[[Lanes; V]],
) {
    let mut x = [[level.zero(); V]; R];
    for r in 0..R {
        x[r] = load(level, &rest[rows[r] as usize - end]);
    }
    for (column, own) in strip.iter().zip(own) {
        let mut sum = load(level, own);
        for r in 0..R {
            subtract(&mut sum, &x[r], column[(row + r) % 4]);
        }
        store(&sum, own);
    }
}

/// Solve with some columns of a triangle, from `first` on. Later rows come first, from the last to the next, so that the order does not
/// depend on `R`.
#[inline(always)]
fn own_columns<L: SimdLevel, const V: usize, const R: usize>(
    level: L,
    triangle: &[Lanes],
    first: usize,
    own: &mut [[Lanes; V]],
) {
    let width = own.len();
    let entry = |row: usize, column: usize| triangle[width * (row / 4) + column][row % 4];
    let mut sums = [[level.zero(); V]; R];
    for r in 0..R {
        sums[r] = load(level, &own[first + r]);
    }
    for row in (first + R..width).rev() {
        let columns = &triangle[width * (row / 4) + first..][..R];
        let x = load(level, &own[row]);
        for r in 0..R {
            subtract(&mut sums[r], &x, columns[r][row % 4]);
        }
    }
    for r in (0..R).rev() {
        for later in (r + 1..R).rev() {
            let x = sums[later];
            subtract(&mut sums[r], &x, entry(first + later, first + r));
        }
        scale(&mut sums[r], 1.0 / entry(first + r, first + r));
        store(&sums[r], &mut own[first + r]);
    }
}

/// Subtract the products of rows of a strip, from `row` on, with x.
#[inline(always)]
fn subtract_rows<L: SimdLevel, const V: usize, const R: usize>(
    level: L,
    sums: &mut [[L::F64x4; V]; R],
    strip: &[Lanes],
    row: usize,
    x: &[[Lanes; V]],
) {
    for (column, x) in strip.iter().zip(x) {
        let x = load(level, x);
        for r in 0..R {
            subtract(&mut sums[r], &x, column[(row + r) % 4]);
        }
    }
}

/// Subtract a multiple of a row.
#[inline(always)]
pub fn subtract<F: F64x4, const V: usize>(sum: &mut [F; V], x: &[F; V], factor: f64) {
    for v in 0..V {
        sum[v] = sum[v] - x[v] * factor;
    }
}

/// Multiply a row.
#[inline(always)]
pub fn scale<F: F64x4, const V: usize>(sum: &mut [F; V], factor: f64) {
    for v in 0..V {
        sum[v] = sum[v] * factor;
    }
}

/// Load a row.
#[inline(always)]
pub fn load<L: SimdLevel, const V: usize>(level: L, row: &[Lanes; V]) -> [L::F64x4; V] {
    let mut values = [level.zero(); V];
    for v in 0..V {
        values[v] = level.load(&row[v]);
    }
    values
}

/// Store a row.
#[inline(always)]
pub fn store<F: F64x4, const V: usize>(values: &[F; V], row: &mut [Lanes; V]) {
    for v in 0..V {
        row[v] = values[v].values();
    }
}

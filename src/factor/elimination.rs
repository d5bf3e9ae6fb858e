//! The multifrontal method: each supernode takes the changes of its children, is factored as a dense panel, and passes the changes of later
//! columns to its parent (I. S. Duff and J. K. Reid, ACM Trans. Math. Softw. 9, 1983, 302–325).
//!
//! Each entry is the difference of the same products in the same order on any processor, with any number of lanes.

#![allow(clippy::needless_range_loop, reason = "indices are those of the formulas")]

use super::supernodes::{Lanes, Supernode, Supernodes, WIDEST};
use crate::math::simd::{F64x4, Kernel, SimdLevel};

/// The elimination of all supernodes. The panels have the entries of the matrix at first.
pub struct CholeskyElimination<'a> {
    pub supernodes: &'a Supernodes,
    pub panels: &'a mut [Lanes],
    pub changes: &'a mut [Lanes],
}

impl Kernel for CholeskyElimination<'_> {
    /// The place of the first pivot that is not positive.
    type Output = Result<(), usize>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Result<(), usize> {
        let Self { supernodes, panels, changes } = self;
        for node in &supernodes.all {
            let panel = &mut panels[node.panel()];
            let own_children = &supernodes.children[node.children.clone()];
            let child = |&child: &u32| &supernodes.all[child as usize];
            let end = node.changes + node.change_length();
            let (left, right) = changes.split_at_mut(if node.is_right { node.changes } else { end });
            let (own, others, first) = if node.is_right {
                (&mut right[..node.change_length()], &*left, 0)
            } else {
                (&mut left[node.changes..], &*right, end)
            };
            own.fill([0.0; 4]);
            for child in own_children.iter().map(child) {
                let change = &others[child.changes - first..][..child.change_length()];
                add_changes(child, change, &supernodes.targets[child.rows.clone()], node, panel, own);
            }
            let (triangle, below) = panel.split_at_mut(node.width * node.own_strips());
            let mut inverse = [0.0; WIDEST];
            factor_triangle(level, triangle, node.width, &mut inverse).map_err(|k| node.start + k)?;
            solve_below(level, triangle, &inverse, below, node.width);
            change_later(level, below, node, own);
        }
        Ok(())
    }
}

/// Add the changes by a child to a panel and to its own changes.
#[inline(always)]
fn add_changes(
    child: &Supernode,
    change: &[Lanes],
    targets: &[u32],
    node: &Supernode,
    panel: &mut [Lanes],
    own: &mut [Lanes],
) {
    let (change, panel, own) = (change.as_flattened(), panel.as_flattened_mut(), own.as_flattened_mut());
    let first_below = 4 * node.own_strips() as u32;
    let in_panel = targets.partition_point(|&target| target < first_below);
    let own_targets = &targets[in_panel..];
    // As in a supernode that is the only child of the next.
    let are_contiguous = own_targets
        .first()
        .zip(own_targets.last())
        .is_some_and(|(&first, &last)| (last - first) as usize + 1 == own_targets.len());
    let length = 4 * child.strips_below();
    let own_length = 4 * node.strips_below();
    for (i, &target) in targets.iter().enumerate() {
        let (row, target) = (&change[length * i..][..i + 1], target as usize);
        let (left, right) = row.split_at(in_panel.min(row.len()));
        let place = 4 * node.width * (target / 4) + target % 4;
        for (value, &column) in left.iter().zip(targets) {
            panel[place + 4 * column as usize] += value;
        }
        if !right.is_empty() {
            let to = &mut own[own_length * (target - first_below as usize)..][..own_length];
            if are_contiguous {
                let to = &mut to[(own_targets[0] - first_below) as usize..];
                to.iter_mut().zip(right).for_each(|(to, value)| *to += value);
            } else {
                for (value, &column) in right.iter().zip(own_targets) {
                    to[(column - first_below) as usize] += value;
                }
            }
        }
    }
}

/// Factor the own rows of a panel, and write the inverse of the diagonal. The error is the column of a pivot that is not positive.
#[inline(always)]
fn factor_triangle<L: SimdLevel>(
    level: L,
    triangle: &mut [Lanes],
    width: usize,
    inverse: &mut [f64; WIDEST],
) -> Result<(), usize> {
    for strip in 0..width.div_ceil(4) {
        let (earlier, own) = triangle.split_at_mut(width * strip);
        let own = &mut own[..width];
        for (block, other) in earlier.chunks_exact(width).enumerate() {
            solve_columns(level, [own], other, inverse, 4 * block);
        }
        let first = 4 * strip;
        let count = (width - first).min(4);
        let mut square = [[0.0; 4]; 4];
        let mut block = [[level.zero(); 4]];
        load(level, &[own], first, count, &mut block);
        subtract_products(level, &mut block, [&own[..first]], &own[..first]);
        for c in 0..count {
            square[c] = block[0][c].values();
        }
        for c in 0..count {
            let pivot = square[c][c];
            if pivot.is_nan() || pivot <= 0.0 {
                return Err(first + c);
            }
            let root = pivot.sqrt();
            inverse[first + c] = 1.0 / root;
            square[c][..c].fill(0.0);
            square[c][c] = root;
            square[c][c + 1..].iter_mut().for_each(|x| *x *= inverse[first + c]);
            for later in c + 1..count {
                let factor = square[c][later];
                for r in 0..4 {
                    square[later][r] -= square[c][r] * factor;
                }
            }
        }
        own[first..first + count].copy_from_slice(&square[..count]);
    }
    Ok(())
}

/// Compute the rows below a triangle: L₂₁ = A₂₁L₁₁⁻ᵀ.
#[inline(always)]
fn solve_below<L: SimdLevel>(
    level: L,
    triangle: &[Lanes],
    inverse: &[f64; WIDEST],
    below: &mut [Lanes],
    width: usize,
) {
    let mut pairs = below.chunks_exact_mut(2 * width);
    for pair in &mut pairs {
        let (one, two) = pair.split_at_mut(width);
        for (block, other) in triangle.chunks_exact(width).enumerate() {
            solve_columns(level, [&mut *one, &mut *two], other, inverse, 4 * block);
        }
    }
    let last = pairs.into_remainder();
    if !last.is_empty() {
        for (block, other) in triangle.chunks_exact(width).enumerate() {
            solve_columns(level, [&mut *last], other, inverse, 4 * block);
        }
    }
}

/// Compute up to four columns, from `first` on, of some strips. `other` has the rows of these columns in the triangle.
#[inline(always)]
fn solve_columns<L: SimdLevel, const S: usize>(
    level: L,
    strips: [&mut [Lanes]; S],
    other: &[Lanes],
    inverse: &[f64; WIDEST],
    first: usize,
) {
    let count = (other.len() - first).min(4);
    let mut block = [[level.zero(); 4]; S];
    let strips = strips.map(|strip| &mut strip[..first + count]);
    load(level, &strips, first, count, &mut block);
    subtract_products(level, &mut block, std::array::from_fn(|s| &strips[s][..first]), &other[..first]);
    for c in 0..4 {
        if c < count {
            let scale = inverse[first + c];
            for s in 0..S {
                for earlier in 0..c {
                    block[s][c] = block[s][c] - block[s][earlier] * other[first + earlier][c];
                }
                block[s][c] = block[s][c] * scale;
                strips[s][first + c] = block[s][c].values();
            }
        }
    }
}

/// Load up to four columns of some strips.
#[inline(always)]
fn load<L: SimdLevel, const S: usize>(
    level: L,
    strips: &[&mut [Lanes]; S],
    first: usize,
    count: usize,
    block: &mut [[L::F64x4; 4]; S],
) {
    for s in 0..S {
        for c in 0..4 {
            if c < count {
                block[s][c] = level.load(&strips[s][first + c]);
            }
        }
    }
}

/// Subtract the products of the columns of strips with the four rows of another strip.
#[inline(always)]
fn subtract_products<L: SimdLevel, const S: usize>(
    level: L,
    block: &mut [[L::F64x4; 4]; S],
    strips: [&[Lanes]; S],
    other: &[Lanes],
) {
    let count = other.len();
    let strips = strips.map(|strip| &strip[..count]);
    for k in 0..count {
        let factors = &other[k];
        for s in 0..S {
            let column = level.load(&strips[s][k]);
            for c in 0..4 {
                block[s][c] = block[s][c] - column * factors[c];
            }
        }
    }
}

/// The number of strips whose products with all rows are computed before the next ones: they stay in the cache, and rows of the changes
/// are read in runs.
const STRIPS: usize = 8;

/// Subtract L₂₁L₂₁ᵀ from the changes, in their lower triangle. A row of the changes has its columns in vectors of four.
#[inline(always)]
fn change_later<L: SimdLevel>(level: L, below: &[Lanes], node: &Supernode, changes: &mut [Lanes]) {
    let (width, strips) = (node.width, node.strips_below());
    let strip = |k: usize| &below[width * k..][..width];
    for start in (0..strips).step_by(STRIPS) {
        for row in start..strips {
            let rows = &mut changes[4 * strips * row..][..4 * strips];
            for first in (start..=row.min(start + STRIPS - 1)).step_by(2) {
                if first < row {
                    change_block(level, [strip(first), strip(first + 1)], strip(row), rows, first);
                } else {
                    change_block(level, [strip(first)], strip(row), rows, first);
                }
            }
        }
    }
}

/// Change four rows in the columns of some strips.
#[inline(always)]
fn change_block<L: SimdLevel, const S: usize>(
    level: L,
    strips: [&[Lanes]; S],
    other: &[Lanes],
    rows: &mut [Lanes],
    first: usize,
) {
    let length = rows.len() / 4;
    let mut block = [[level.zero(); 4]; S];
    for s in 0..S {
        for c in 0..4 {
            block[s][c] = level.load(&rows[length * c + first + s]);
        }
    }
    subtract_products(level, &mut block, strips, other);
    for s in 0..S {
        for c in 0..4 {
            rows[length * c + first + s] = block[s][c].values();
        }
    }
}

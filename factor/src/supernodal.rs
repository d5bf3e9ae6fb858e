//! Solves with a supernodal factor LLᵀ that skip zeros and rows that are not needed.
//!
//! The right-hand sides of a row are contiguous, `x[width * i + k]`, so that the values which a supernode exchanges with other rows are
//! gathered and added in runs. A right-hand side with few entries, such as one node's, meets only the supernodes on the path from its
//! entries to the root of the elimination tree. A needed row depends only on the supernodes on its own path.

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::prelude::{Reborrow, ReborrowMut};
use faer::sparse::linalg::cholesky::supernodal::{SupernodalLltRef, SymbolicSupernodalCholesky};
use faer::{Accum, MatMut, MatRef, Par};

/// The largest number of rows that a supernode has below its own.
pub(crate) fn most_rows_below(symbolic: &SymbolicSupernodalCholesky<u32>) -> usize {
    (0..symbolic.n_supernodes()).map(|s| symbolic.supernode(s).pattern().len()).max().unwrap_or(0)
}

/// Mark all rows on which the marked ones depend in [`solve_upper`].
pub(crate) fn mark_ancestors(symbolic: &SymbolicSupernodalCholesky<u32>, marks: &mut [bool]) {
    for (s, (&start, &end)) in symbolic.supernode_begin().iter().zip(symbolic.supernode_end()).enumerate() {
        let own = &mut marks[start as usize..end as usize];
        if own.contains(&true) {
            own.fill(true);
            symbolic.supernode(s).pattern().iter().for_each(|&row| marks[row as usize] = true);
        }
    }
}

/// Compute x = L⁻¹x. `gathered` must hold [`most_rows_below`] rows.
pub(crate) fn solve_lower(l: SupernodalLltRef<u32, f64>, x: &mut [f64], width: usize, gathered: &mut [f64]) {
    for s in 0..l.symbolic().n_supernodes() {
        let node = l.supernode(s);
        let (own, below, size) = (node.val(), node.pattern(), node.val().ncols());
        let (done, rest) = x.split_at_mut(width * (node.start() + size));
        let done = &mut done[width * node.start()..];
        if done.iter().all(|x| *x == 0.0) {
            continue;
        }
        let (triangle, lower) = own.split_at_row(size);
        let mut done = MatMut::from_row_major_slice_mut(done, size, width);
        solve_lower_triangular_in_place(triangle, done.rb_mut(), Par::Seq);
        let gathered = &mut gathered[..width * below.len()];
        let product = MatMut::from_row_major_slice_mut(&mut *gathered, below.len(), width);
        matmul(product, Accum::Replace, lower, done.rb(), 1.0, Par::Seq);
        for (&row, values) in below.iter().zip(gathered.chunks_exact(width)) {
            let target = &mut rest[width * (row as usize - node.start() - size)..][..width];
            target.iter_mut().zip(values).for_each(|(x, value)| *x -= value);
        }
    }
}

/// Compute x = L⁻ᵀx. With marks, at least the marked rows are computed.
pub(crate) fn solve_upper(
    l: SupernodalLltRef<u32, f64>,
    x: &mut [f64],
    width: usize,
    gathered: &mut [f64],
    marks: Option<&[bool]>,
) {
    for s in (0..l.symbolic().n_supernodes()).rev() {
        let node = l.supernode(s);
        if marks.is_some_and(|marks| !marks[node.start()]) {
            continue;
        }
        let (own, below, size) = (node.val(), node.pattern(), node.val().ncols());
        let (todo, rest) = x.split_at_mut(width * (node.start() + size));
        let gathered = &mut gathered[..width * below.len()];
        for (&row, values) in below.iter().zip(gathered.chunks_exact_mut(width)) {
            values.copy_from_slice(&rest[width * (row as usize - node.start() - size)..][..width]);
        }
        let (triangle, lower) = own.split_at_row(size);
        let mut todo = MatMut::from_row_major_slice_mut(&mut todo[width * node.start()..], size, width);
        let gathered = MatRef::from_row_major_slice(gathered, below.len(), width);
        matmul(todo.rb_mut(), Accum::Add, lower.transpose(), gathered, -1.0, Par::Seq);
        solve_upper_triangular_in_place(triangle.transpose(), todo, Par::Seq);
    }
}

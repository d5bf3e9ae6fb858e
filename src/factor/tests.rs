use nalgebra::DMatrix;
use proptest::prelude::*;
use testing::Random;
use testing::matrices::{compressed, inverse_of};

use super::adjacency::Adjacency;
use super::elimination::CholeskyElimination;
use super::factors::{Factors, SolveKind};
use super::lu::{Lu, LuSolve};
use super::minimum_degree::minimum_degree;
use super::supernodes::{Lanes, Supernodes, WIDEST};
use super::tree::{NONE, Tree};
use super::triangles::Triangles;
use super::*;
use crate::math::simd::{Kernel, Plain, at_best};

fn lower(full: &DMatrix<f64>) -> MatrixCopy {
    copy(full, |i, j| i >= j)
}

fn copy(full: &DMatrix<f64>, is_in: impl Fn(usize, usize) -> bool) -> MatrixCopy {
    let (starts, rows, values) = compressed(full, |i, j| is_in(i, j) && (i == j || full[(i, j)] != 0.0));
    let mut matrix = MatrixCopy::default();
    matrix.set_pattern(&starts, &rows).unwrap();
    matrix.set_values(&values);
    matrix
}

fn adjacency(matrix: &MatrixCopy) -> Adjacency {
    Adjacency::of_columns(&matrix.starts, &matrix.rows).unwrap()
}

/// The pattern of L for an order, by elimination of a dense matrix of flags.
fn fill(full: &DMatrix<f64>, order: &[u32]) -> DMatrix<bool> {
    let n = full.nrows();
    let at = |i: usize, j: usize| full[(order[i] as usize, order[j] as usize)];
    let mut l = DMatrix::from_fn(n, n, |i, j| i == j || at(i, j) != 0.0 || at(j, i) != 0.0);
    for k in 0..n {
        let below: Vec<usize> = (k + 1..n).filter(|&i| l[(i, k)]).collect();
        below.iter().for_each(|&j| below.iter().for_each(|&i| l[(i, j)] = true));
    }
    DMatrix::from_fn(n, n, |i, j| i >= j && l[(i, j)])
}

fn count(pattern: &DMatrix<bool>) -> usize {
    pattern.iter().filter(|&&is_in| is_in).count()
}

/// The least fill when a row of exactly least degree comes next, the first of several.
fn exact_fill(full: &DMatrix<f64>) -> usize {
    let n = full.nrows();
    let mut near = DMatrix::from_fn(n, n, |i, j| i != j && (full[(i, j)] != 0.0 || full[(j, i)] != 0.0));
    let mut left: Vec<usize> = (0..n).collect();
    let mut entries = n;
    while !left.is_empty() {
        let degree = |i: usize| left.iter().filter(|&&j| near[(i, j)]).count();
        let at = (0..left.len()).min_by_key(|&at| degree(left[at])).unwrap();
        let pivot = left.remove(at);
        let around: Vec<usize> = left.iter().copied().filter(|&j| near[(pivot, j)]).collect();
        entries += around.len();
        for &i in &around {
            for &j in &around {
                near[(i, j)] = i != j;
            }
        }
    }
    entries
}

/// Three unknowns at each node of a grid, which all neighbors couple.
fn grid(nodes: [usize; 3], seed: u64) -> DMatrix<f64> {
    let mut random = Random::new(seed);
    let n = nodes.iter().product::<usize>();
    let place = |k: usize| [k % nodes[0], k / nodes[0] % nodes[1], k / nodes[0] / nodes[1]];
    let mut full = DMatrix::zeros(3 * n, 3 * n);
    for a in 0..n {
        for b in 0..=a {
            if place(a).iter().zip(place(b)).all(|(x, y)| x.abs_diff(y) < 2) {
                for (i, j) in (0..9).map(|k| (3 * a + k / 3, 3 * b + k % 3)) {
                    full[(i, j)] = random.signed();
                    full[(j, i)] = full[(i, j)];
                }
            }
        }
    }
    for i in 0..3 * n {
        full[(i, i)] = 60.0;
    }
    full
}

/// A matrix whose first and last rows are full.
fn arrow(n: usize) -> DMatrix<f64> {
    let is_in = |i: usize, j: usize| i == j || [i, j].iter().any(|&k| k == 0 || k == n - 1);
    DMatrix::from_fn(n, n, |i, j| if i == j { 3.0 * n as f64 } else { f64::from(is_in(i, j)) })
}

/// The factor as dense matrices: its order and L.
fn dense_factor(supernodes: &Supernodes, panels: &[Lanes]) -> DMatrix<f64> {
    let n = supernodes.order.len();
    let mut l = DMatrix::zeros(n, n);
    for node in &supernodes.all {
        let panel = &panels[node.panel()];
        for k in 0..node.width {
            let at = |row: usize| panel[node.width * (row / 4) + k][row % 4];
            for row in 0..node.width {
                l[(node.start + row, node.start + k)] = at(row);
            }
            for (row, &below) in supernodes.rows[node.rows.clone()].iter().enumerate() {
                l[(below as usize, node.start + k)] = at(4 * node.own_strips() + row);
            }
        }
    }
    l
}

fn check_cholesky(full: &DMatrix<f64>) {
    let matrix = lower(full);
    let pattern = adjacency(&matrix);
    let order = minimum_degree(&pattern).unwrap();
    let tree = Tree::new(&pattern, order).unwrap();
    let l = fill(full, &tree.order);
    for k in 0..full.nrows() {
        let below: Vec<usize> = (k + 1..full.nrows()).filter(|&i| l[(i, k)]).collect();
        assert_eq!(tree.below[k] as usize, below.len());
        assert_eq!(tree.parent[k], below.first().map_or(NONE, |&row| row as u32));
        assert_eq!(tree.place[tree.order[k] as usize] as usize, k);
    }
    let mut factors = Factors::of_pattern(Structure::PositiveDefinite, &matrix).unwrap();
    let mut work = Workspace::default();
    factors.factorize(&matrix, &mut work).unwrap();
    check_solve(full, &factors, &mut work);
    let Factors::Cholesky(supernodes, panels) = factors else { panic!("no Cholesky factor") };
    let dense = dense_factor(&supernodes, &panels);
    let permuted = DMatrix::from_fn(full.nrows(), full.nrows(), |i, j| {
        full[(supernodes.order[i] as usize, supernodes.order[j] as usize)]
    });
    assert_eq!(dense, dense.lower_triangle());
    assert!((&dense * dense.transpose() - &permuted).amax() < 1e-14 * full.amax());
    assert!(supernodes.all.iter().all(|node| node.width <= WIDEST));
}

/// A x = b for three right-hand sides of ones, ascending and alternating numbers.
fn check_solve(full: &DMatrix<f64>, factors: &Factors, work: &mut Workspace) {
    let n = full.nrows();
    let b = DMatrix::from_fn(n, 3, |i, j| [1.0, i as f64, (-1.0_f64).powi(i as i32)][j]);
    let mut positions = vec![];
    factors.write_positions(&mut positions).unwrap();
    let mut scratch = work.take(factors.solve_need(1)).unwrap();
    for i in 0..n {
        for j in 0..3 {
            scratch.columns[positions[i] as usize][j] = b[(i, j)];
        }
    }
    factors.solve(SolveKind::Inverse, 1, false, &mut scratch);
    let x = DMatrix::from_fn(n, 3, |i, j| scratch.columns[positions[i] as usize][j]);
    assert!((full * x - &b).amax() < 1e-12 * b.amax());
}

fn permutation(order: &[u32]) -> Vec<u32> {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    sorted
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(testing::cases(60)))]

    #[test]
    fn factors_agree_with_dense_matrices(size in 1..90_usize, neighbors in 0..5_usize, seed in any::<u64>()) {
        check_cholesky(&Random::new(seed).sparse(size, neighbors, true));
    }

    /// The bound of a degree finds orders about as good as the degree itself.
    #[test]
    fn orders_have_little_fill(size in 1..60_usize, neighbors in 0..4_usize, seed in any::<u64>()) {
        let full = Random::new(seed).sparse(size, neighbors, true);
        let order = minimum_degree(&adjacency(&lower(&full))).unwrap();
        prop_assert_eq!(permutation(&order), (0..size as u32).collect::<Vec<_>>());
        prop_assert!(10 * count(&fill(&full, &order)) <= 13 * exact_fill(&full) + 100);
    }

    #[test]
    fn all_levels_give_the_same_bits(size in 1..120_usize, neighbors in 0..6_usize, seed in any::<u64>()) {
        let full = Random::new(seed).sparse(size, neighbors, true);
        let matrix = lower(&full);
        let pattern = adjacency(&matrix);
        let tree = Tree::new(&pattern, minimum_degree(&pattern).unwrap()).unwrap();
        let supernodes = Supernodes::new(tree, &pattern, &matrix).unwrap();
        let mut plain = vec![[0.0; 4]; supernodes.length];
        for (&entry, &value) in supernodes.entries.iter().zip(&matrix.values) {
            plain.as_flattened_mut()[entry as usize] = value;
        }
        let mut best = plain.clone();
        let mut changes = vec![[f64::NAN; 4]; supernodes.most_changes];
        let supernodes = &supernodes;
        CholeskyElimination { supernodes, panels: &mut plain, changes: &mut changes }.at(Plain).unwrap();
        changes.fill([f64::NAN; 4]);
        at_best(CholeskyElimination { supernodes, panels: &mut best, changes: &mut changes }).unwrap();
        prop_assert_eq!(bits(&plain), bits(&best));
        let x: Vec<Lanes> = Random::new(seed).values(12 * size).as_chunks().0.to_vec();
        let (mut one, mut two) = (x.clone(), x.clone());
        let solve = |x| Triangles::<3> { supernodes, panels: &best, which: SolveKind::Inverse, marks: None, x };
        solve(one.as_chunks_mut().0).at(Plain);
        at_best(solve(two.as_chunks_mut().0));
        prop_assert_eq!(bits(&one), bits(&two));
        // Fewer right-hand sides.
        let mut narrow: Vec<Lanes> = x.chunks(3).flat_map(|row| row[..2].to_vec()).collect();
        let x = narrow.as_chunks_mut().0;
        at_best(Triangles::<2> { supernodes, panels: &best, which: SolveKind::Inverse, marks: None, x });
        let expected: Vec<Lanes> = one.chunks(3).flat_map(|row| row[..2].to_vec()).collect();
        prop_assert_eq!(bits(&narrow), bits(&expected));
    }

    #[test]
    fn general_factors_have_the_same_bits_and_transposes(
        size in 1..60_usize, neighbors in 1..5_usize, seed in any::<u64>(),
    ) {
        // Rows are cyclically shifted, so that no pivot is on the diagonal.
        let regular = Random::new(seed).sparse(size, neighbors, false);
        let full = DMatrix::from_fn(size, size, |i, j| regular[((i + 1) % size, j)]);
        let matrix = copy(&full, |i, j| full[(i, j)] != 0.0);
        let mut lu = Lu::new(minimum_degree(&adjacency(&matrix)).unwrap());
        lu.factorize(&matrix).unwrap();
        let x = Random::new(seed).values(4 * size);
        let inverse = inverse_of(&full);
        for (which, inverse) in [(SolveKind::Inverse, inverse.clone()), (SolveKind::Transposed, inverse.transpose())] {
            let solved = |is_plain: bool| {
                let (mut x, mut y) = (x.as_chunks::<4>().0.to_vec(), vec![[0.0; 4]; size]);
                let (columns, scratch) = (x.as_chunks_mut().0, y.as_chunks_mut().0);
                let solve = LuSolve::<1> { lu: &lu, which, x: columns, y: scratch };
                if is_plain { solve.at(Plain) } else { at_best(solve) }
                x
            };
            prop_assert_eq!(bits(&solved(true)), bits(&solved(false)));
            let expected = inverse * DMatrix::from_row_slice(size, 4, &x);
            let found = DMatrix::from_row_slice(size, 4, solved(true).as_flattened());
            prop_assert!((found - &expected).amax() < 1e-12 * expected.amax().max(1.0));
        }
    }
}

fn bits(values: &[Lanes]) -> Vec<u64> {
    values.as_flattened().iter().map(|x| x.to_bits()).collect()
}

#[test]
fn grids_blocks_and_full_matrices() {
    check_cholesky(&grid([4, 4, 3], 1));
    check_cholesky(&grid([9, 1, 1], 2));
    check_cholesky(&arrow(1));
    check_cholesky(&arrow(80));
    // Wider than a supernode may be.
    check_cholesky(&Random::new(3).definite(2 * WIDEST + 3));
    // Two parts without a common row.
    let part = grid([3, 2, 2], 4);
    let n = part.nrows();
    check_cholesky(&DMatrix::from_fn(
        2 * n,
        2 * n,
        |i, j| {
            if i / n == j / n { part[(i % n, j % n)] } else { 0.0 }
        },
    ));
}

/// An elimination that starts with the full rows would fill all.
#[test]
fn full_rows_come_last() {
    let full = arrow(200);
    let order = minimum_degree(&adjacency(&lower(&full))).unwrap();
    assert_eq!(count(&fill(&full, &order)), 3 * 200 - 3);
    assert_eq!(permutation(&order[198..]), [0, 199]);
}

/// A sheet has much less fill than in the order of its nodes.
#[test]
fn sheets_are_not_eliminated_row_by_row() {
    let full = grid([12, 12, 1], 5);
    let order = minimum_degree(&adjacency(&lower(&full))).unwrap();
    let natural: Vec<u32> = (0..order.len() as u32).collect();
    let [own, natural] = [&order, &natural].map(|order| count(&fill(&full, order)));
    assert!(10 * own < 9 * natural, "{own} {natural}");
}

/// The diagonal stays where it is large enough: a matrix with a symmetric pattern has the fill of its Cholesky factor.
#[test]
fn large_diagonals_are_pivots() {
    let mut full = grid([4, 3, 3], 6);
    // Larger than the diagonal, but not ten times as large.
    (full[(51, 0)], full[(0, 51)]) = (100.0, 100.0);
    let matrix = copy(&full, |i, j| full[(i, j)] != 0.0);
    let order = minimum_degree(&adjacency(&matrix)).unwrap();
    let expected = 2 * count(&fill(&full, &order)) - order.len();
    let mut lu = Lu::new(order);
    lu.factorize(&matrix).unwrap();
    assert_eq!(lu.values(), expected);
}

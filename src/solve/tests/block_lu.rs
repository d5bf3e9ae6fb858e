//! Sparse factors against dense ones.

use nalgebra::{DMatrix, DVector};

use crate::math::{Block, Vector};
use crate::solve::block_lu::{BlockLu, MOST_PRODUCTS, Shape, Square, square};
use crate::team::{self, Team};
use testing::{Random, blocks::dense_of_three};

/// A diagonally dominant matrix with a random pattern.
struct Sparse {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<Block>,
}

impl Sparse {
    fn random(rows: usize, density: f64, random: &mut Random) -> Self {
        let mut sparse = Self { starts: vec![0], columns: Vec::new(), values: Vec::new() };
        for i in 0..rows {
            for j in 0..rows {
                if i == j || random.signed() < 2.0 * density - 1.0 {
                    sparse.columns.push(j as i32);
                    let own = if i == j { 4.0 } else { 0.0 };
                    sparse
                        .values
                        .push(std::array::from_fn(|k| random.signed() + if k % 4 == 0 { own } else { 0.0 }));
                }
            }
            sparse.starts.push(sparse.columns.len() as i32);
        }
        sparse
    }

    fn dense(&self) -> DMatrix<f64> {
        dense_of_three(&self.starts, &self.columns, &self.values)
    }
}

#[test]
fn solutions_agree_with_dense_ones() {
    let mut random = Random::new(5);
    let mut lu = BlockLu::<3>::default();
    for (rows, density) in [(1, 1.0), (2, 0.5), (7, 0.3), (30, 0.1), (30, 1.0), (60, 0.04)] {
        let sparse = Sparse::random(rows, density, &mut random);
        assert!(lu.analyse(&sparse.starts, &sparse.columns, MOST_PRODUCTS).unwrap().is_some());
        assert!(lu.factorise(&mut Team::alone(), Shape::Any, |_, k| Some(square(&sparse.values[k]))));
        let right: Vec<Vector> = (0..rows).map(|_| random.array()).collect();
        let mut x = right.clone();
        lu.solve(&mut Team::alone(), &mut x);
        let expected = sparse.dense().lu().solve(&DVector::from_column_slice(right.as_flattened())).unwrap();
        let error = (DVector::from_column_slice(x.as_flattened()) - &expected).amax();
        assert!(error < 1e-10 * expected.amax(), "{rows} rows: {error}");
    }
}

/// Rows of the unit matrix, as open contacts have them.
#[test]
fn rows_without_blocks_beside_the_diagonal_are_solved() {
    let mut random = Random::new(6);
    let mut sparse = Sparse::random(20, 0.2, &mut random);
    let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let given = |row: usize, k: usize, sparse: &Sparse| {
        let is_diagonal = sparse.columns[k] as usize == row;
        if row.is_multiple_of(3) { is_diagonal.then_some(unit) } else { Some(sparse.values[k]) }
    };
    let mut lu = BlockLu::<3>::default();
    lu.analyse(&sparse.starts, &sparse.columns, MOST_PRODUCTS).unwrap();
    assert!(lu.factorise(&mut Team::alone(), Shape::Any, |row, k| {
        given(row, k, &sparse).map(|block| square(&block))
    }));
    let right: Vec<Vector> = (0..20).map(|_| random.array()).collect();
    let mut x = right.clone();
    lu.solve(&mut Team::alone(), &mut x);
    for row in 0..20 {
        for k in sparse.starts[row] as usize..sparse.starts[row + 1] as usize {
            sparse.values[k] = given(row, k, &sparse).unwrap_or_default();
        }
    }
    let expected = sparse.dense().lu().solve(&DVector::from_column_slice(right.as_flattened())).unwrap();
    let error = (DVector::from_column_slice(x.as_flattened()) - &expected).amax();
    assert!(error < 1e-10 * expected.amax(), "{error}");
}

#[test]
fn singular_pivots_and_too_much_work_are_told() {
    let mut lu = BlockLu::<3>::default();
    assert_eq!(lu.analyse(&[0, 1], &[0], 0), Ok(Some(0)));
    assert!(!lu.factorise(&mut Team::alone(), Shape::Any, |_, _| Some([[0.0; 3]; 3])));
    assert!(lu.factorise(&mut Team::alone(), Shape::Any, |_, _| Some([
        [2.0, 0.0, 0.0],
        [0.0, 2.0, 0.0],
        [0.0, 0.0, 2.0]
    ])));
    // A full matrix: two products for each pair of rows after each pivot.
    let rows = 1200;
    let starts: Vec<i32> = (0..=rows).map(|row| row * rows).collect();
    let columns: Vec<i32> = (0..rows * rows).map(|k| k % rows).collect();
    assert_eq!(lu.analyse(&starts, &columns, MOST_PRODUCTS), Ok(None));
    assert_eq!(lu.analyse(&starts, &columns, MOST_PRODUCTS), Ok(None));
    let two = |lu: &mut BlockLu<3>, most| lu.analyse(&[0, 2, 4], &[0, 1, 0, 1], most);
    assert_eq!(
        [1, 2, 3, 1, 2].map(|most| two(&mut lu, most).unwrap()),
        [None, Some(2), Some(2), None, Some(2)]
    );
}

/// Full parts with nothing in common: the remaining work is known from the first pivot on, and is refused only if it is too much.
#[test]
fn no_less_work_than_allowed_is_refused() {
    let (parts, size) = (3, 20);
    let starts: Vec<i32> = (0..=parts * size).map(|row| row * size).collect();
    let columns: Vec<i32> =
        (0..parts * size).flat_map(|row| (0..size).map(move |k| row / size * size + k)).collect();
    let products = parts as u64 * (0..size as u64).map(|later| 2 * later * later).sum::<u64>();
    for (most, expected) in [(products - 1, None), (products, Some(products))] {
        assert_eq!(BlockLu::<3>::default().analyse(&starts, &columns, most), Ok(expected));
    }
}

/// Entries of a chain of joints: stiff couplings of 1e11 between blocks of six, and masses of 1. Products with inverses of pivots
/// would lose the masses.
#[test]
fn stiff_chains_keep_their_small_entries() {
    let (nodes, stiff) = (12, 1e11);
    let starts: Vec<i32> = std::iter::once(0)
        .chain((0..nodes).scan(0, |end, k| {
            *end += if k == 0 || k == nodes - 1 { 2 } else { 3 };
            Some(*end)
        }))
        .collect();
    let columns: Vec<i32> =
        (0..nodes).flat_map(|k| (k - 1..=k + 1).filter(|&j| (0..nodes).contains(&j))).collect();
    // A joint of three rows, a and b, between neighbors: K = 1 + stiff Σ (a − b)ᵀ (a − b).
    let mut random = Random::new(9);
    let joints: Vec<[[[f64; 6]; 3]; 2]> =
        (1..nodes).map(|_| std::array::from_fn(|_| std::array::from_fn(|_| random.array()))).collect();
    let size = 6 * nodes as usize;
    let mut dense = DMatrix::<f64>::identity(size, size);
    for (k, ends) in joints.iter().enumerate() {
        for (one, other) in ends[0].iter().zip(&ends[1]) {
            let full = DVector::from_fn(size, |i, _| match i / 6 {
                node if node == k => one[i % 6],
                node if node == k + 1 => other[i % 6],
                _ => 0.0,
            });
            dense += stiff * &full * full.transpose();
        }
    }
    let mut lu = BlockLu::<6>::default();
    lu.analyse(&starts, &columns, MOST_PRODUCTS).unwrap();
    let at = |row: usize, column: usize| -> Square<6> {
        std::array::from_fn(|j| std::array::from_fn(|i| dense[(6 * row + i, 6 * column + j)]))
    };
    assert!(lu.factorise(&mut Team::alone(), Shape::Any, |row, k| Some(at(row, columns[k] as usize))));
    let x: Vec<[f64; 6]> = (0..nodes).map(|_| random.array()).collect();
    let mut made = x.clone();
    lu.solve(&mut Team::alone(), &mut made);
    // The error of the solution is as small as in a backward stable method, 1e-16 times the condition number.
    let back = &dense * DVector::from_column_slice(made.as_flattened());
    let error = (back - DVector::from_column_slice(x.as_flattened())).amax();
    let scale = stiff * made.as_flattened().iter().fold(0.0, |most, x| f64::max(most, x.abs()));
    assert!(error < 1e-13 * scale, "{error} {scale}");
}

/// Neighbors on a grid of squares.
struct Grid<const N: usize> {
    starts: Vec<i32>,
    columns: Vec<i32>,
    blocks: Vec<Square<N>>,
}

impl<const N: usize> Grid<N> {
    fn random(side: i32) -> Self {
        let mut random = Random::new(11);
        let mut grid = Self { starts: vec![0], columns: Vec::new(), blocks: Vec::new() };
        for i in 0..side * side {
            for (dx, dy) in (0..9).map(|k| (k % 3 - 1, k / 3 - 1)) {
                let (x, y) = (i % side + dx, i / side + dy);
                if (0..side).contains(&x) && (0..side).contains(&y) {
                    let own = if dx == 0 && dy == 0 { 20.0 } else { 0.0 };
                    grid.columns.push(y * side + x);
                    grid.blocks.push(std::array::from_fn(|j| {
                        std::array::from_fn(|i| random.signed() + if i == j { own } else { 0.0 })
                    }));
                }
            }
            grid.starts.push(grid.columns.len() as i32);
        }
        grid
    }

    /// The symmetric part.
    fn symmetric(&self) -> Self {
        let rows = self.starts.len() - 1;
        let at = |row: usize, column: i32| {
            let range = self.starts[row] as usize..self.starts[row + 1] as usize;
            self.blocks[range.start + self.columns[range].binary_search(&column).unwrap()]
        };
        let blocks = (0..rows).flat_map(|row| {
            self.columns[self.starts[row] as usize..self.starts[row + 1] as usize].iter().map(
                move |&column| {
                    let (block, other) = (at(row, column), at(column as usize, row as i32));
                    std::array::from_fn(|j| std::array::from_fn(|i| 0.5 * (block[j][i] + other[i][j])))
                },
            )
        });
        Self { blocks: blocks.collect(), starts: self.starts.clone(), columns: self.columns.clone() }
    }

    fn solve(&self, team: &mut Team, shape: Shape, right: &[[f64; N]]) -> Vec<[f64; N]> {
        let mut lu = BlockLu::<N>::default();
        lu.analyse(&self.starts, &self.columns, MOST_PRODUCTS).unwrap();
        assert!(lu.factorise(team, shape, |_, k| Some(self.blocks[k])));
        let mut x = right.to_vec();
        lu.solve(team, &mut x);
        x
    }

    /// The largest entry of A x − b.
    fn error(&self, x: &[[f64; N]], right: &[[f64; N]]) -> f64 {
        let mut largest = 0.0;
        for (row, b) in right.iter().enumerate() {
            let mut lack = b.map(|b| -b);
            for k in self.starts[row] as usize..self.starts[row + 1] as usize {
                for (column, x) in self.blocks[k].iter().zip(&x[self.columns[k] as usize]) {
                    (0..N).for_each(|i| lack[i] += column[i] * x);
                }
            }
            largest = lack.iter().fold(largest, |most, x| f64::max(most, x.abs()));
        }
        largest
    }
}

/// Supernodes of many widths, whose rows below belong to several others; in the larger grid also branches.
fn check_grid<const N: usize>(side: i32) {
    let grid = Grid::<N>::random(side);
    let mut random = Random::new(12);
    let right: Vec<[f64; N]> = (0..side * side).map(|_| random.array()).collect();
    for (grid, shape) in [(&grid, Shape::Any), (&grid.symmetric(), Shape::Symmetric)] {
        let x = grid.solve(&mut Team::alone(), shape, &right);
        let error = grid.error(&x, &right);
        assert!(error < 1e-14 * f64::from(side) * 20.0, "{N} {side} {shape:?}: {error}");
        for threads in [2, 3] {
            team::ask(threads);
            let y = grid.solve(&mut Team::gather(), shape, &right);
            assert!(y == x, "{N} {side} {shape:?}: {threads} threads");
        }
    }
    team::ask(1);
}

#[test]
fn grids_are_solved_with_the_same_bits_in_any_number_of_threads() {
    [1, 2, 5, 9, 24].into_iter().for_each(check_grid::<3>);
    [1, 2, 5, 9, 16].into_iter().for_each(check_grid::<6>);
}

/// A singular pivot in a branch, and one in the trunk.
#[test]
fn singular_pivots_of_branches_are_told() {
    let mut grid = Grid::<3>::random(24);
    for place in [0, 24 * 24 / 2, 24 * 24 - 1] {
        let row = grid.starts[place] as usize..grid.starts[place + 1] as usize;
        let kept = grid.blocks.clone();
        grid.blocks[row].fill([[0.0; 3]; 3]);
        let mut lu = BlockLu::<3>::default();
        lu.analyse(&grid.starts, &grid.columns, MOST_PRODUCTS).unwrap();
        assert!(!lu.factorise(&mut Team::alone(), Shape::Any, |_, k| Some(grid.blocks[k])));
        grid.blocks = kept;
        assert!(lu.factorise(&mut Team::alone(), Shape::Any, |_, k| Some(grid.blocks[k])));
    }
}

/// One pattern after the other, symmetric matrices and others, and a singular one between them.
#[test]
fn factors_do_not_depend_on_earlier_ones() {
    let mut random = Random::new(13);
    let mut lu = BlockLu::<3>::default();
    for side in [5, 24, 5] {
        let grid = Grid::<3>::random(side);
        let symmetric = grid.symmetric();
        let right: Vec<[f64; 3]> = (0..side * side).map(|_| random.array()).collect();
        let cases = [(&symmetric, Shape::Symmetric), (&grid, Shape::Any), (&symmetric, Shape::Symmetric)];
        for (grid, shape) in cases {
            lu.analyse(&grid.starts, &grid.columns, MOST_PRODUCTS).unwrap();
            assert!(!lu.factorise(&mut Team::alone(), shape, |row, k| (row > 3).then_some(grid.blocks[k])));
            assert!(lu.factorise(&mut Team::alone(), shape, |_, k| Some(grid.blocks[k])));
            let mut x = right.clone();
            lu.solve(&mut Team::alone(), &mut x);
            assert!(x == grid.solve(&mut Team::alone(), shape, &right), "{side} {shape:?}");
        }
    }
}

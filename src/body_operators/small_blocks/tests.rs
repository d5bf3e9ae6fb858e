use std::iter;

use nalgebra::{DMatrix, DVector, Matrix3};
use proptest::prelude::*;

use super::*;
use crate::body_operators::factored;
use crate::body_operators::general::LastStrip;
use crate::body_operators::tests::given_inverse::Known;
use crate::inertia::cost::MatrixLifetime;
use crate::inertia::{BlockDiagonal, Dense, InertiaRef, Inverse, Workspace};
use crate::kinematics::rigid;
use crate::kinematics::{Action, Nodal, Operator, PlacementRef, Point};
use crate::math::Block;
use crate::math::simd::{Kernel, Plain, at_all, at_best, forbid_avx2, write};

#[derive(Clone, Debug)]
struct Case {
    known: Known,
    inverse: DMatrix<f64>,
    /// H of each constraint, m × n.
    operators: Vec<DMatrix<f64>>,
}

const STEP: f64 = 0.25;

/// Some constraints with numbers of rows out of `heights`, on a body.
fn case(heights: Vec<usize>) -> impl Strategy<Value = Case> {
    let known =
        vec![Known::Dense, Known::Diagonal, Known::Sparse, Known::Matrix, Known::Matrix, Known::Callback];
    let known = prop::sample::select(known);
    // A matrix with more rows is factored in another way.
    let dofs = prop_oneof![6 => 1..40_usize, 1 => 63..70_usize];
    (known, dofs, 0..12_usize).prop_flat_map(move |(known, dofs, count)| {
        let values = |count| prop::collection::vec(-1.0..1.0_f64, count);
        let operator = (
            prop::sample::select(heights.clone()),
            values(6 * dofs),
            prop::collection::vec(0..3_u8, 6 * dofs),
        )
            .prop_map(move |(rows, values, kept)| {
                let entry = |i, j| values[6 * j + i] * f64::from(u8::from(kept[6 * j + i] > 0));
                DMatrix::from_fn(rows, dofs, entry)
            });
        (values(dofs * dofs), prop::collection::vec(operator, count)).prop_map(move |(values, operators)| {
            let inverse = known.inverse(dofs, values);
            Case { known, inverse, operators }
        })
    })
}

fn any_case() -> impl Strategy<Value = Case> {
    prop_oneof![2 => case((1..=6).collect()), 1 => case(vec![1]), 1 => case(vec![3])]
}

fn operator(h: &DMatrix<f64>) -> Operator {
    let column = |j: usize| std::array::from_fn(|i| if i < h.nrows() { h[(i, j)] } else { f64::NAN });
    let columns = (0..h.ncols()).map(|j| (j as u32, column(j)));
    Operator::of_rows(h.nrows(), h.ncols() as u32, columns).unwrap()
}

impl Case {
    fn dofs(&self) -> usize {
        self.inverse.nrows()
    }

    fn panel(&self) -> Panel {
        let mut panel = Panel::default();
        self.fill(&mut panel);
        panel
    }

    fn fill(&self, panel: &mut Panel) {
        let (dofs, ranges) = (self.dofs(), self.ranges());
        let slots = ranges.iter().map(|range| groups(range.rows)).sum();
        let general = panel.start_general(slots, dofs).unwrap();
        for (h, range) in self.operators.iter().zip(&ranges) {
            for group in 0..groups(range.rows) {
                // The sum of two points: 2 H − H.
                let (twice, once) = (operator(&(2.0 * h)), operator(h));
                let slot = range.first + group;
                general.add(slot, 1.0, &[0.0; 9], &Point::Operator(&twice, group)).unwrap();
                general.add(slot, -1.0, &[0.0; 9], &Point::Operator(&once, group)).unwrap();
            }
        }
        if !self.known.apply(panel, STEP, &self.inverse) {
            panel.start_columns().unwrap();
            let scalars: usize = self.operators.iter().map(|h| h.nrows()).sum();
            let mut slots = ranges.iter().flat_map(|range| range.slots());
            let mut column = 0;
            let is_next_slot = |slot, (expected, _, height): (usize, usize, usize)| {
                assert_eq!(slot, expected);
                height
            };
            while let Some(slot) = panel.slot_of_column(column) {
                let height = is_next_slot(slot, slots.next().unwrap());
                assert!((0..height).all(|k| panel.slot_of_column(column + k) == Some(slot)));
                column += height;
            }
            assert_eq!(column, scalars);
            match panel.columns_to_solve() {
                Some(x) => {
                    assert_eq!(x.len(), scalars * dofs);
                    // Column by column, so that its bits do not depend on other columns.
                    for x in x.chunks_exact_mut(dofs) {
                        let solved = &self.inverse * DVector::from_column_slice(x);
                        x.copy_from_slice(solved.as_slice());
                    }
                    panel.take_solved(STEP).unwrap();
                }
                None => assert_eq!(scalars, 0),
            }
        }
    }

    fn ranges(&self) -> Vec<SlotRange> {
        let mut next = 0;
        let range = |h: &DMatrix<f64>| {
            let first = next;
            next += groups(h.nrows());
            SlotRange { first, rows: h.nrows() }
        };
        self.operators.iter().map(range).collect()
    }

    /// h H_α A⁻¹ H_βᵀ.
    fn expected(&self, row: usize, column: usize) -> DMatrix<f64> {
        STEP * &self.operators[row] * &self.inverse * self.operators[column].transpose()
    }
}

/// All blocks of some constraints, made in every way that there is.
#[derive(Clone, Copy)]
struct Blocks<'a>(&'a Panel, &'a [SlotRange]);

impl Kernel for Blocks<'_> {
    type Output = Vec<Vec<u64>>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let Self(panel, ranges) = self;
        let bits = |block: &[f64]| block.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        let (mut all, mut last) = (vec![], LastStrip::NONE);
        for (alpha, row) in ranges.iter().enumerate() {
            let m = row.rows;
            for column in ranges {
                let n = column.rows;
                let mut block = vec![f64::NAN; m * n];
                let mut back = vec![0.0; m * n];
                let mut to = iter::once(&mut back[..]);
                let heights = iter::once(n);
                panel.write_blocks(level, *row, column.first, heights, &mut block, |_| to.next().unwrap());
                assert!(is_finite(&block));
                let mut sum = vec![0.0; m * n];
                panel.add_block(level, *row, *column, &mut sum);
                assert_eq!(bits(&sum), bits(&block), "sum");
                for (own, i, height) in row.slots() {
                    for (other, j, width) in column.slots() {
                        let alone = panel.columns(level, own, other);
                        let in_turn = panel.finite_columns(level, [7, own, other], Some(&mut last)).unwrap();
                        assert!(panel.finite_columns(level, [7, own, other], None).is_some());
                        for k in 0..width {
                            let [alone, in_turn] = [alone[k].vector(), in_turn[k].vector()];
                            assert_eq!(bits(&alone), bits(&in_turn));
                            assert_eq!(bits(&alone[..height]), bits(&block[m * (j + k) + i..][..height]));
                            assert_eq!(
                                alone[height..],
                                [0.0; 3][height..],
                                "rows that the slot does not have"
                            );
                        }
                    }
                }
                all.push(bits(&block));
            }
            let expected = &all[ranges.len() * alpha..];
            // Runs from any constraint to any other.
            for first in [alpha / 2, alpha] {
                for end in [first, ranges.len().min(first + 1), (first + ranges.len()) / 2, ranges.len()] {
                    let run = &ranges[first..end.max(first)];
                    let width: usize = run.iter().map(|range| range.rows).sum();
                    let mut blocks = vec![f64::NAN; m * width];
                    let mut back: Vec<_> = run.iter().map(|range| vec![f64::NAN; m * range.rows]).collect();
                    let mut to = back.iter_mut().enumerate();
                    let first_slot = run.first().map_or(0, |range| range.first);
                    let heights = run.iter().map(|range| range.rows);
                    let failed = panel.write_blocks(level, *row, first_slot, heights, &mut blocks, |k| {
                        let (number, to) = to.next().unwrap();
                        assert_eq!(number, k);
                        to
                    });
                    assert_eq!(failed, None);
                    assert_eq!(bits(&blocks), expected[first..first + run.len()].concat());
                    for ((block, range), back) in expected[first..].iter().zip(run).zip(&back) {
                        let block = DMatrix::from_column_slice(m, range.rows, block);
                        assert_eq!(bits(back), block.transpose().as_slice());
                    }
                }
            }
            // Slots of three rows, side by side.
            let threes = ranges[alpha..].iter().take_while(|range| range.rows == 3).count();
            let (mut run, mut back) = (vec![[0.0; 9]; threes], vec![[0.0; 9]; threes]);
            let mut to = back.iter_mut();
            let failed = panel.write_pairs(level, [row.first; 2], &mut run, |_| to.next().unwrap());
            assert_eq!(failed, None);
            for (block, expected) in run.iter().zip(&expected[alpha..]) {
                assert_eq!(bits(block), *expected);
            }
        }
        all
    }
}

fn check(case: &Case, blocks: &[Vec<Vec<u64>>]) -> Result<(), TestCaseError> {
    prop_assert!(blocks.iter().all(|of_level| *of_level == blocks[0]), "the same bits at all levels");
    let scale = case.inverse.amax() * case.dofs() as f64;
    let count = case.operators.len();
    for (row, column) in (0..count).flat_map(|row| (0..count).map(move |column| (row, column))) {
        let expected = case.expected(row, column);
        let found = blocks[0][count * row + column].iter().map(|&bits| f64::from_bits(bits));
        let found = DMatrix::from_iterator(expected.nrows(), expected.ncols(), found);
        prop_assert!((expected - found).amax() <= 1e-13 * scale, "{row} {column}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testing::cases(40), ..ProptestConfig::default() })]

    #[test]
    fn blocks_are_products_of_dense_matrices(case in any_case(), other in any_case()) {
        let (panel, ranges) = (case.panel(), case.ranges());
        let blocks = at_all(Blocks(&panel, &ranges));
        check(&case, &blocks)?;
        // Y has the same bits without AVX2.
        forbid_avx2(true);
        let plain = case.panel();
        forbid_avx2(false);
        prop_assert_eq!(&at_all(Blocks(&plain, &ranges)), &blocks);
        // An earlier use of a panel has no effect.
        let mut used = other.panel();
        case.fill(&mut used);
        prop_assert_eq!(&at_all(Blocks(&used, &ranges)), &blocks);
    }

    /// The bits of an entry do not depend on the other rows of its constraint, nor on neighbors in a tile.
    #[test]
    fn one_row_constraints_have_the_bits_of_rows_of_higher_ones(case in any_case()) {
        // The way to apply A⁻¹ of a large matrix depends on the number of slots.
        prop_assume!(case.known != Known::Matrix || case.dofs() <= 64);
        let rows = case.operators.iter().flat_map(|h| (0..h.nrows()).map(move |i| h.rows(i, 1).into_owned()));
        let apart = Case { operators: rows.collect(), ..case.clone() };
        let of = |case: &Case| {
            let (panel, ranges) = (case.panel(), case.ranges());
            let pairs = ranges.iter().flat_map(|row| ranges.iter().map(move |column| (*row, *column)));
            let block = |(row, column): (SlotRange, SlotRange)| {
                let mut block = vec![0.0; row.rows * column.rows];
                panel.add_block(Plain, row, column, &mut block);
                assert!(is_finite(&block));
                block.into_iter().map(f64::to_bits).collect::<Vec<_>>()
            };
            pairs.map(block).collect::<Vec<_>>()
        };
        let (blocks, entries) = (of(&case), of(&apart));
        let (mut scalar, total) = (0, apart.operators.len());
        for (row, h) in case.operators.iter().enumerate() {
            let mut other_scalar = 0;
            for (column, other) in case.operators.iter().enumerate() {
                let block = &blocks[case.operators.len() * row + column];
                for (j, i) in (0..other.nrows()).flat_map(|j| (0..h.nrows()).map(move |i| (j, i))) {
                    let entry = &entries[total * (scalar + i) + other_scalar + j];
                    prop_assert_eq!(entry[0], block[h.nrows() * j + i], "{} {}", row, column);
                }
                other_scalar += other.nrows();
            }
            scalar += h.nrows();
        }
    }
}

/// Every pair of heights, next to neighbors that move it to another place of its tile.
#[test]
fn all_pairs_of_heights() {
    let value = |k: usize| ((k * 7919 + 104729) % 1009) as f64 / 1009.0 - 0.5;
    let inverse = DMatrix::from_fn(9, 9, |i, j| value(9 * i.max(j) + i.min(j)) + f64::from(u8::from(i == j)));
    for (m, n) in (1..=6).flat_map(|m| (1..=6).map(move |n| (m, n))) {
        for before in 0..=12 {
            let heights = std::iter::repeat_n(1, before).chain([m, n, m]);
            let operator = |(k, rows)| DMatrix::from_fn(rows, 9, |i, j| value(100 * k + 9 * i + j));
            let operators = heights.enumerate().map(operator).collect();
            let case = Case { known: Known::Dense, inverse: inverse.clone(), operators };
            check(&case, &at_all(Blocks(&case.panel(), &case.ranges()))).unwrap();
        }
    }
}

/// Entries that are not finite are found in any constraint of a run, and only in the columns that a slot has.
#[test]
fn entries_that_are_not_finite() {
    for (rows, bad) in (1..=6).flat_map(|rows| (0..9).map(move |bad| (rows, bad))) {
        let mut operators = vec![DMatrix::from_element(rows, 2, 1.0); 9];
        operators[bad][(rows - 1, 1)] = f64::MAX;
        let case = Case { known: Known::Diagonal, inverse: DMatrix::from_element(2, 2, 0.0), operators };
        let mut panel = Panel::default();
        let ranges = case.ranges();
        let general = panel.start_general(groups(rows) * 9, 2).unwrap();
        for (h, range) in case.operators.iter().zip(&ranges) {
            for group in 0..groups(rows) {
                let operator = operator(h);
                general.add(range.first + group, 1.0, &[0.0; 9], &Point::Operator(&operator, group)).unwrap();
            }
        }
        let values = [1.0, 1e300];
        let inverse = BlockDiagonal::new(&[0, 1, 2], &[0, 1, 2], &values).unwrap();
        panel
            .apply(1.0, &InertiaRef::Inverse(Inverse::BlockDiagonal(inverse)), &mut Workspace::default())
            .unwrap();
        struct First<'a>(&'a Panel, &'a [SlotRange], usize);
        impl Kernel for First<'_> {
            type Output = [Option<usize>; 2];

            #[inline(always)]
            fn at<L: SimdLevel>(self, level: L) -> Self::Output {
                let Self(panel, ranges, first) = self;
                let (m, heights) = (ranges[0].rows, ranges[first..].iter().map(|range| range.rows));
                let mut blocks = vec![0.0; m * m * (ranges.len() - first)];
                let mut back = blocks.clone();
                let mut to = back.chunks_exact_mut(m * m);
                let slot = ranges[first].first;
                let own = (first + 1) % 9;
                let in_run = panel
                    .write_blocks(level, ranges[own], slot, heights, &mut blocks, |_| to.next().unwrap());
                let one_by_one = (first..9).position(|column| {
                    let mut slots = ranges[own]
                        .slots()
                        .flat_map(|(a, ..)| ranges[column].slots().map(move |(b, ..)| [a, b]));
                    let mut last = LastStrip::NONE;
                    slots.any(|[a, b]| panel.finite_columns(level, [0, a, b], Some(&mut last)).is_none())
                });
                [in_run, one_by_one]
            }
        }
        for first in 0..8 {
            let own = (first + 1) % 9;
            let expected = if own == bad { Some(0) } else { bad.checked_sub(first) };
            assert_eq!(at_best(First(&panel, &ranges, first)), [expected; 2], "{rows} {bad}");
        }
    }
}

/// A body with a Cholesky factor and a mesh keep slots of three rows, of which lower constraints use a part.
#[test]
fn panels_with_slots_of_three_rows() {
    let value = |k: usize| ((k * 7919 + 104729) % 1009) as f64 / 1009.0 - 0.5;
    let ranges: Vec<_> = [1, 3, 2, 6, 4, 5]
        .into_iter()
        .scan(0, |next, rows| {
            let first = *next;
            *next += groups(rows);
            Some(SlotRange { first, rows })
        })
        .collect();
    let h = |range: &SlotRange| {
        DMatrix::from_fn(range.rows, rigid::DOFS, |i, j| value(100 * range.first + 6 * i + j))
    };
    let operators: Vec<_> = ranges.iter().map(h).collect();
    let turning = Matrix3::new(2.0, 0.1, 0.2, 0.1, 3.0, 0.3, 0.2, 0.3, 1.5);
    let moving = Matrix3::from_diagonal_element(0.75);
    let mut inverse = DMatrix::zeros(6, 6);
    inverse.view_mut((0, 0), (3, 3)).copy_from(&turning);
    inverse.view_mut((3, 3), (3, 3)).copy_from(&moving);
    let blocks: [Block; 2] = [turning, moving].map(|block| block.as_slice().try_into().unwrap());
    let factor = factored::CholeskyOfInverse::new(STEP, blocks.each_ref()).unwrap();
    let mut panel = Panel::default();
    let factored::Started { z, .. } = panel.start_rigid(9).unwrap();
    for (range, h) in ranges.iter().zip(&operators) {
        let operator = operator(h);
        for (group, (slot, ..)) in range.slots().enumerate() {
            let action = Action {
                roles: [true, false],
                placement: PlacementRef::Operators([Some(&operator), None]),
                group,
            };
            let body = rigid::Rigid { rotation: &[0.0; 9], center: &[0.0; 3] };
            let mut columns = action.rigid_columns(Plain, &body);
            factor.apply(&mut columns);
            write(&mut z[slot], &columns);
        }
    }
    let case = Case { known: Known::Dense, inverse, operators };
    check(&case, &at_all(Blocks(&panel, &ranges))).unwrap();

    // Two nodes, three rows.
    let operators: Vec<_> = (0..4)
        .map(|k| Nodal {
            factor: std::array::from_fn(|i| value(20 * k + i)),
            weights: vec![(k as u32 % 2, 1.5)],
        })
        .collect();
    let nodal = panel.start_nodal(4, 2, MatrixLifetime::ManyUpdates).unwrap();
    operators.iter().enumerate().for_each(|(slot, operator)| nodal.add(slot, 1.0, operator));
    let inverse = DMatrix::from_fn(6, 6, |i, j| value(i.max(j) * 6 + i.min(j)));
    let dense = Inverse::Dense(Dense::new(6, inverse.as_slice()).unwrap());
    panel.apply(STEP, &InertiaRef::Inverse(dense), &mut Workspace::default()).unwrap();
    let dense = |nodal: &Nodal| {
        let mut h = vec![0.0; 18];
        nodal.add_to(1.0, &mut h);
        DMatrix::from_vec(3, 6, h)
    };
    let case = Case { known: Known::Dense, inverse, operators: operators.iter().map(dense).collect() };
    check(&case, &at_all(Blocks(&panel, &case.ranges()))).unwrap();
}

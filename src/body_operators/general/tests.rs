use nalgebra::{DMatrix, Matrix3xX};
use proptest::prelude::*;

use super::*;
use crate::body_operators::Panel;
use crate::body_operators::tests::given_inverse::Known;
use crate::kinematics::Operator;
use crate::math::simd::{Kernel, at_all, forbid_avx2, packed};
use crate::math::transposed;

#[derive(Clone, Debug)]
struct Case {
    known: Known,
    inverse: DMatrix<f64>,
    /// H of each slot, and whether it is given dense, without zeros, or in two parts.
    operators: Vec<(Matrix3xX<f64>, usize)>,
}

fn case() -> impl Strategy<Value = Case> {
    let known = prop::sample::select(vec![
        Known::Dense,
        Known::Diagonal,
        Known::Sparse,
        Known::Matrix,
        Known::Callback,
    ]);
    // Larger matrices are factored in another way.
    let dofs = prop_oneof![6 => 1..40_usize, 1 => 60..70_usize];
    (known, dofs, 0..15_usize).prop_flat_map(|(known, dofs, slots)| {
        let values = |count| prop::collection::vec(-1.0..1.0_f64, count);
        // Some columns are zero; in some operators, all are.
        let operator = (values(3 * dofs), prop::collection::vec(0..3_u8, dofs), 0..3_usize).prop_map(
            |(values, kept, way)| {
                let mut h = Matrix3xX::from_vec(values);
                for (mut column, kept) in h.column_iter_mut().zip(kept) {
                    column *= f64::from(u8::from(kept > 0 || way == 1));
                }
                (h, way)
            },
        );
        (values(dofs * dofs), prop::collection::vec(operator, slots)).prop_map(move |(values, operators)| {
            let inverse = known.inverse(dofs, values);
            Case { known, inverse, operators }
        })
    })
}

impl Case {
    fn dofs(&self) -> usize {
        self.inverse.nrows()
    }

    /// A panel with everything in it, of the time step 1/4.
    fn panel(&self) -> Panel {
        let mut panel = Panel::default();
        self.fill(&mut panel);
        panel
    }

    fn fill(&self, panel: &mut Panel) {
        let dofs = self.dofs();
        let general = panel.start_general(self.operators.len(), dofs).unwrap();
        for (slot, (h, way)) in self.operators.iter().enumerate() {
            if *way < 2 {
                general.add_dense(slot, h.as_slice());
                continue;
            }
            // The rest of some columns is added with the other sign.
            let mut first = h.clone();
            first.column_iter_mut().step_by(2).for_each(|mut column| column *= 0.5);
            general.add_dense(slot, first.as_slice());
            let rest =
                (first - h).column_iter().map(|column| [column[0], column[1], column[2]]).collect::<Vec<_>>();
            let rest = Operator::of_columns(dofs as u32, (0..).zip(rest.iter().copied())).unwrap();
            general.add(slot, -1.0, &[0.0; 9], &Point::Operator(&rest, 0)).unwrap();
        }
        if !self.known.apply(panel, 0.25, &self.inverse) {
            panel.start_columns().unwrap();
            if let Some(x) = panel.columns_to_solve() {
                let solved = &self.inverse * DMatrix::from_column_slice(dofs, x.len() / dofs, x);
                x.copy_from_slice(solved.as_slice());
                panel.take_solved(0.25).unwrap();
            }
        }
    }
}

/// All blocks of a panel: one by one, and row by row.
#[derive(Clone, Copy)]
struct Blocks<'a>(&'a Panel, usize);

impl Kernel for Blocks<'_> {
    type Output = Vec<[u64; 9]>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let Self(panel, slots) = self;
        let (mut blocks, mut last) = (vec![], LastStrip::NONE);
        for row in 0..slots {
            for column in 0..slots {
                let alone: Block = packed(&panel.columns(level, row, column));
                let in_turn = panel.finite_columns(level, [7, row, column], Some(&mut last)).unwrap();
                assert_eq!(packed::<_, 3, 9>(&in_turn), alone, "{row} {column}");
                blocks.push(alone.map(f64::to_bits));
            }
            // Blocks of several slots at once, from any slot on, and their transposes.
            let first = row / 2;
            let (mut run, mut back) = (vec![[0.0; 9]; slots - first], vec![[0.0; 9]; slots - first]);
            let mut to = back.iter_mut();
            assert_eq!(panel.write_pairs(level, [row, first], &mut run, |_| to.next().unwrap()), None);
            let expected = &blocks[slots * row + first..];
            assert!(run.iter().map(|block| block.map(f64::to_bits)).eq(expected.iter().copied()));
            assert!(back.iter().map(transposed).eq(run.iter().copied()));
        }
        blocks
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: testing::cases(120), ..ProptestConfig::default() })]

    #[test]
    fn blocks_are_products_of_dense_matrices(case in case()) {
        let slots = case.operators.len();
        let panel = case.panel();
        let blocks = at_all(Blocks(&panel, slots));
        prop_assert!(blocks.iter().all(|of_level| *of_level == blocks[0]), "the same bits at all levels");
        for row in 0..slots {
            let of_row = 0.25 * &case.operators[row].0 * &case.inverse;
            for column in 0..slots {
                let expected = &of_row * case.operators[column].0.transpose();
                let found = Matrix3xX::from_column_slice(&blocks[0][slots * row + column].map(f64::from_bits));
                let scale = case.inverse.amax() * case.dofs() as f64;
                prop_assert!((expected - found).amax() <= 1e-13 * scale, "{row} {column}");
            }
        }
        // Y, too, has the same bits without AVX2.
        forbid_avx2(true);
        let plain = case.panel();
        forbid_avx2(false);
        prop_assert_eq!(&at_all(Blocks(&plain, slots)), &blocks);
    }

    /// Earlier contents of a panel have no effect.
    #[test]
    fn panels_can_be_used_again(first in case(), second in case()) {
        let slots = second.operators.len();
        let mut panel = first.panel();
        second.fill(&mut panel);
        prop_assert_eq!(at_all(Blocks(&panel, slots)), at_all(Blocks(&second.panel(), slots)));
        second.fill(&mut panel);
        prop_assert_eq!(at_all(Blocks(&panel, slots)), at_all(Blocks(&second.panel(), slots)));
    }
}

#[test]
fn operators_that_are_zero_have_blocks_of_zeros() {
    for known in [Known::Dense, Known::Diagonal, Known::Sparse, Known::Matrix, Known::Callback] {
        let case =
            Case { known, inverse: DMatrix::identity(6, 6), operators: vec![(Matrix3xX::zeros(6), 0); 6] };
        let blocks = at_all(Blocks(&case.panel(), 6));
        assert!(blocks.iter().flatten().flatten().all(|bits| *bits == 0), "{known:?}");
    }
}

use nalgebra::{Matrix3, Matrix3xX};

use super::*;
use crate::block::lanes::{Plain, Work, at_all, packed};
use crate::block::{Block, transposed_product};

/// Numbers that look random, between −½ and ½.
fn value(k: usize) -> f64 {
    ((k * 7919 + 104729) % 1009) as f64 / 1009.0 - 0.5
}

/// A block that is positive definite, another one for each `k`.
fn positive_definite(k: usize) -> Block {
    let x = std::array::from_fn(|i| value(9 * k + i));
    let mut b = transposed_product(&x, &x);
    [0, 4, 8].into_iter().for_each(|i| b[i] += 0.1);
    b
}

const STARTS: [i32; 6] = [0, 9, 18, 27, 36, 45];
const ROWS: [i32; 6] = [0, 3, 6, 9, 12, 15];

fn inverse(blocks: &[f64]) -> BlockDiagonal<'_> {
    let count = blocks.len() / 9;
    BlockDiagonal::new(&STARTS[..=count], &ROWS[..=count], blocks).unwrap()
}

/// L Lᵀ of each block.
fn squares(root: &Root, count: usize) -> Vec<Matrix3<f64>> {
    let lower = |[a, b, c, d, e, f]: Lower| Matrix3::new(a, 0.0, 0.0, b, d, 0.0, c, e, f);
    root.blocks[..count].iter().map(|l| lower(*l) * lower(*l).transpose()).collect()
}

#[test]
fn its_square_is_the_inverse_times_the_step() {
    for count in [1, 2, 4] {
        let blocks: Vec<f64> = (0..count).flat_map(positive_definite).collect();
        let root = Root::new(0.25, &inverse(&blocks)).unwrap();
        for (square, block) in squares(&root, count).iter().zip(blocks.chunks(9)) {
            assert!((square - 0.25 * Matrix3::from_column_slice(block)).amax() < 1e-16);
        }
    }
}

#[test]
fn most_inverses_have_none() {
    let good = positive_definite(0);
    let has_root = |step, blocks: &[f64]| Root::new(step, &inverse(blocks)).is_some();
    let with = |k: usize, value: f64| {
        let mut block = good;
        block[k] = value;
        [good, block].concat()
    };
    assert!(has_root(0.1, &with(3, good[3])));
    // Half of the rounding that is let through, and ten times that.
    assert!(has_root(0.1, &with(3, good[3] + 8.0 * f64::EPSILON * good[0])));
    assert!(!has_root(0.1, &with(3, good[3] + 160.0 * f64::EPSILON * good[0])), "not symmetric");
    assert!(!has_root(0.1, &with(4, -good[4])), "indefinite");
    assert!(!has_root(0.1, &with(8, f64::NAN)));
    assert!(!has_root(0.1, &[0.0; 9]));
    for step in [0.0, -0.1, f64::NAN] {
        assert!(!has_root(step, &good), "a step of {step}");
    }
    assert!(!has_root(0.1, &[good; 5].concat()), "more than four blocks");
    let one = BlockDiagonal::new(&[0, 1], &[0, 1], &[1.0]).unwrap();
    assert!(Root::new(0.1, &one).is_none(), "not 3×3");
}

#[test]
fn renewed_it_is_as_if_made_anew() {
    let of = |numbers: &[usize]| -> Vec<f64> { numbers.iter().flat_map(|&k| positive_definite(k)).collect() };
    let bad = [positive_definite(0), [0.0; 9]].concat();
    let mut root = Root::NONE;
    // The same, another step, another block, fewer blocks and more, none, and all back again.
    for (step, blocks) in [
        (0.1, of(&[0, 1])),
        (0.1, of(&[0, 1])),
        (0.2, of(&[0, 1])),
        (0.2, of(&[2, 1])),
        (0.2, of(&[2, 3])),
        (0.1, of(&[2])),
        (0.1, of(&[2, 3, 4, 5])),
        (0.1, bad),
        (0.1, of(&[0, 3])),
        (0.2, of(&[0, 1])),
    ] {
        let anew = Root::new(step, &inverse(&blocks));
        assert_eq!(root.renew(step, &inverse(&blocks)), anew.is_some());
        if let Some(anew) = anew {
            let count = blocks.len() / 9;
            assert_eq!(root.blocks[..count], anew.blocks[..count]);
        }
    }
}

/// Z of two slots, the block between them, and the diagonal block of the first.
#[derive(Clone, Copy)]
struct Products<const FREEDOMS: usize, const LENGTH: usize>([[f64; LENGTH]; 2], Root);

impl<const FREEDOMS: usize, const LENGTH: usize> Work for Products<FREEDOMS, LENGTH> {
    type Output = [Block; 2];

    #[inline(always)]
    fn at<L: Level>(self, level: L) -> [Block; 2] {
        let mut roots = Roots::default();
        let mut first = [level.zero(); FREEDOMS];
        for (slot, h) in self.0.iter().enumerate() {
            let mut lanes = [level.zero(); FREEDOMS];
            for (lanes, column) in lanes.iter_mut().zip(h.chunks(3)) {
                *lanes = level.of_vector([column[0], column[1], column[2]]);
            }
            self.1.apply(&mut lanes);
            roots.start::<LENGTH>(2).unwrap().z[slot] = packed(&lanes);
            if slot == 0 {
                first = lanes;
            }
        }
        [packed(&roots.columns::<L, LENGTH>(level, 0, 1)), packed(&square(level, &first))]
    }
}

fn check_products<const FREEDOMS: usize, const LENGTH: usize>() {
    let blocks: Vec<f64> = (0..FREEDOMS / 3).flat_map(positive_definite).collect();
    let h: [[f64; LENGTH]; 2] = [0, 1].map(|slot| std::array::from_fn(|k| value(k + 1000 * slot)));
    let root = Root::new(0.5, &inverse(&blocks)).unwrap();
    let found = at_all(Products::<FREEDOMS, LENGTH>(h, root));
    let mut product = Matrix3xX::zeros(FREEDOMS);
    for (k, block) in blocks.chunks(9).enumerate() {
        let part = Matrix3::from_column_slice(&h[0][9 * k..9 * k + 9]) * Matrix3::from_column_slice(block);
        product.columns_mut(3 * k, 3).copy_from(&(0.5 * part));
    }
    for (slot, block) in [1, 0].into_iter().zip(&found[0]) {
        let expected = &product * Matrix3xX::from_column_slice(&h[slot]).transpose();
        assert!((Matrix3::from_column_slice(block) - expected).amax() < 1e-15, "{FREEDOMS}");
    }
    assert!(found.iter().all(|blocks| *blocks == found[0]), "levels differ");
}

#[test]
fn products_are_h_times_inverse_times_h() {
    check_products::<6, 18>();
    check_products::<12, 36>();
}

#[test]
fn changes_are_told_of_slots() {
    let mut roots = Roots::default();
    let write = |slots: Slots<18>, slot: usize, z: [f64; 18]| {
        slots.changed[slot] = slots.z[slot].map(f64::to_bits) != z.map(f64::to_bits);
        slots.z[slot] = z;
    };
    for (slot, z, changes) in
        [(0, 1.0, true), (0, 1.0, false), (1, 1.0, true), (0, 2.0, true), (1, 1.0, false)]
    {
        write(roots.start(2).unwrap(), slot, [z; 18]);
        assert_eq!(roots.has_changed(slot), changes);
    }
    roots.forget(1);
    write(roots.start(2).unwrap(), 1, [1.0; 18]);
    assert!(roots.has_changed(1));
    // A body of another kind, and more slots.
    assert!(roots.start::<36>(3).unwrap().z[2][35].is_nan());
    assert_eq!(roots.columns::<Plain, 36>(Plain, 0, 0).map(|column| column.vector()).len(), 3);
}

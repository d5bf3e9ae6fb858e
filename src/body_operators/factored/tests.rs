use nalgebra::{Matrix3, Matrix3x6, Matrix4, Matrix6};

use super::*;
use crate::body_operators::{PSEUDO_RIGID, RIGID, pseudo_rigid as panel};
use crate::inertia::BlockDiagonal;
use crate::math::simd::{Kernel, at_all, packed};
use crate::math::{Block, has_negative_zero, transposed_product};

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

fn lower([a, b, c, d, e, f]: Lower) -> Matrix3<f64> {
    Matrix3::new(a, 0.0, 0.0, b, d, 0.0, c, e, f)
}

#[test]
fn its_square_is_the_inverse_times_the_step() {
    let inverse = [positive_definite(0), positive_definite(1)];
    let factor = CholeskyOfInverse::new(0.25, inverse.each_ref()).unwrap();
    for (l, block) in factor.blocks.iter().zip(&inverse) {
        let square = lower(*l) * lower(*l).transpose();
        assert!((square - 0.25 * Matrix3::from_column_slice(block)).amax() < 1e-16);
    }
}

#[test]
fn most_inverses_have_none() {
    let good = positive_definite(0);
    let has_factor = |step, other: &Block| {
        let found =
            [[&good, other], [other, &good]].map(|inverse| CholeskyOfInverse::new(step, inverse).is_some());
        assert_eq!(found[0], found[1]);
        found[0]
    };
    let with = |k: usize, value: f64| {
        let mut block = good;
        block[k] = value;
        block
    };
    assert!(has_factor(0.1, &good));
    // Half of the rounding limit, and ten times the limit.
    assert!(has_factor(0.1, &with(3, good[3] + 8.0 * f64::EPSILON * good[0])));
    assert!(!has_factor(0.1, &with(3, good[3] + 160.0 * f64::EPSILON * good[0])), "not symmetric");
    assert!(!has_factor(0.1, &with(4, -good[4])), "indefinite");
    // The second pivot is zero up to rounding.
    assert!(
        !has_factor(0.1, &[1.0, 1.0, 0.0, 1.0, 1.0 + 4.0 * f64::EPSILON, 0.0, 0.0, 0.0, 1.0]),
        "singular"
    );
    assert!(!has_factor(0.1, &with(8, f64::NAN)));
    assert!(!has_factor(0.1, &[0.0; 9]));
    for step in [0.0, -0.1, f64::NAN] {
        assert!(!has_factor(step, &good), "a step of {step}");
    }
}

const STARTS: [i32; 6] = [0, 9, 18, 27, 36, 45];
const ROWS: [i32; 6] = [0, 3, 6, 9, 12, 15];

#[test]
fn inverses_are_known_by_their_blocks() {
    let [turning, other] = [positive_definite(0), positive_definite(1)];
    let moving = [0.25, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0, 0.0, 0.25];
    let kinds = |blocks: &[Block]| {
        let (count, values) = (blocks.len(), blocks.concat());
        let inverse = BlockDiagonal::new(&STARTS[..=count], &ROWS[..=count], &values).unwrap();
        [inverse.of_rigid(), inverse.of_pseudo_rigid()].map(|blocks| blocks.map(|[a, b]| [*a, *b]))
    };
    assert_eq!(kinds(&[turning, other]), [Some([turning, other]), None]);
    assert_eq!(kinds(&[turning, turning, turning, moving]), [None, Some([turning, moving])]);
    for blocks in [
        [other, turning, turning, moving],
        [turning, other, turning, moving],
        [turning, turning, other, moving],
        [turning, turning, turning, other],
        [f64::NAN; 4].map(|nan| [nan; 9]),
    ] {
        assert_eq!(kinds(&blocks), [None, None]);
    }
    for k in 0..9 {
        let mut anisotropic = moving;
        anisotropic[k] = f64::from_bits(anisotropic[k].to_bits() + 1);
        assert_eq!(kinds(&[turning, turning, turning, anisotropic]), [None, None], "entry {k}");
    }
    assert_eq!(kinds(&[turning, turning, turning, moving, moving]), [None, None]);
    assert_eq!(kinds(&[turning, turning, turning]), [None, None]);
    assert_eq!(kinds(&[turning]), [None, None]);
    let ones = BlockDiagonal::new(&[0, 1, 2], &[0, 1, 2], &[1.0, 1.0]).unwrap();
    assert!(ones.of_rigid().is_none() && ones.of_pseudo_rigid().is_none(), "not 3×3");
}

#[test]
fn renewed_it_is_as_if_made_anew() {
    let good = [0, 1, 2, 3].map(positive_definite);
    let bad = [0.0; 9];
    let mut factor = CholeskyOfInverse::NONE;
    // The same, another step, another block, none, and all back again.
    for (step, inverse) in [
        (0.1, [&good[0], &good[1]]),
        (0.1, [&good[0], &good[1]]),
        (0.2, [&good[0], &good[1]]),
        (0.2, [&good[2], &good[1]]),
        (0.2, [&good[2], &good[3]]),
        (0.2, [&bad, &good[3]]),
        (0.2, [&good[2], &good[3]]),
        (0.1, [&good[0], &bad]),
        (0.1, [&good[0], &good[3]]),
        (0.2, [&good[0], &good[1]]),
    ] {
        let anew = CholeskyOfInverse::new(step, inverse);
        assert_eq!(factor.collect(step, inverse), anew.is_some());
        if let Some(anew) = anew {
            assert_eq!(factor.blocks, anew.blocks);
        }
    }
}

const STEP: f64 = 0.5;

fn inverse() -> [Block; 2] {
    [positive_definite(0), [0.75, 0.0, 0.0, 0.0, 0.75, 0.0, 0.0, 0.0, 0.75]]
}

/// The block between two slots, and the diagonal block of the first.
#[derive(Clone, Copy)]
struct OfRigid([[f64; RIGID]; 2], CholeskyOfInverse);

impl Kernel for OfRigid {
    type Output = [Block; 2];

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> [Block; 2] {
        let mut slots = FactoredSlots::default();
        let mut squares = [[level.zero(); 3]; 2];
        for (slot, h) in self.0.iter().enumerate() {
            let mut z = [level.zero(); rigid::DOFS];
            for (z, column) in z.iter_mut().zip(h.chunks(3)) {
                *z = level.of_vector([column[0], column[1], column[2]]);
            }
            self.1.apply(&mut z);
            slots.start::<RIGID>(2).unwrap().z[slot] = packed(&z);
            squares[slot] = square(level, &z);
        }
        let [x, y] = slots.pair::<RIGID>(0, 1);
        [packed(&product(level, &columns::<L, { rigid::DOFS }>(level, x), y)), packed(&squares[0])]
    }
}

/// The same of a pseudo-rigid body: Eᵀ and the arm of two slots.
#[derive(Clone, Copy)]
struct OfPseudoRigid([(Block, pseudo_rigid::Arm); 2], CholeskyOfInverse);

impl Kernel for OfPseudoRigid {
    type Output = [Block; 2];

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> [Block; 2] {
        let mut slots = FactoredSlots::default();
        let mut squares = [[level.zero(); 3]; 2];
        for (slot, (axes, arm)) in self.0.iter().enumerate() {
            let h = pseudo_rigid::PseudoRigidOperator { axes: level.columns(axes), arm: *arm };
            let z = panel::PseudoRigidSlot::new(level, &self.1, &h);
            z.write(&mut slots.start::<PSEUDO_RIGID>(2).unwrap().z[slot]);
            squares[slot] = z.square();
        }
        let [x, y] = slots.pair::<PSEUDO_RIGID>(0, 1);
        [packed(&panel::product(level, x, y)), packed(&squares[0])]
    }
}

/// Blocks found at all levels against h H_0 A⁻¹ H_1ᵀ and h H_0 A⁻¹ H_0ᵀ.
fn check_products(found: &[[Block; 2]], expected: [Matrix3<f64>; 2]) {
    for (block, expected) in found[0].iter().zip(expected) {
        assert!((Matrix3::from_column_slice(block) - expected).amax() < 1e-15);
    }
    assert!(found.iter().all(|blocks| *blocks == found[0]), "levels differ");
}

#[test]
fn products_of_rigid_bodies() {
    let h = [0, 1000].map(|start| std::array::from_fn(|k| value(k + start)));
    let found = at_all(OfRigid(h, CholeskyOfInverse::new(STEP, inverse().each_ref()).unwrap()));
    let mut a = Matrix6::zeros();
    for (k, block) in inverse().iter().enumerate() {
        a.fixed_view_mut::<3, 3>(3 * k, 3 * k).copy_from(&Matrix3::from_column_slice(block));
    }
    let h = h.map(|h| Matrix3x6::from_column_slice(&h));
    check_products(&found, [1, 0].map(|other: usize| STEP * h[0] * a * h[other].transpose()));
}

/// Against the sum over all parts of H and A⁻¹.
#[test]
fn products_of_pseudo_rigid_bodies() {
    let slot = |start| {
        let numbers: [f64; 13] = std::array::from_fn(|k| value(k + start));
        (numbers[..9].try_into().unwrap(), numbers[9..].try_into().unwrap())
    };
    let slots: [(Block, pseudo_rigid::Arm); 2] = [slot(0), slot(1000)];
    let found = at_all(OfPseudoRigid(slots, CholeskyOfInverse::new(STEP, inverse().each_ref()).unwrap()));
    let [turning, moving] = inverse();
    let mut arms = Matrix4::zeros();
    arms.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::from_column_slice(&turning));
    arms[(3, 3)] = moving[0];
    // H = Eᵀ [ (x y z) in three rows | I ]: with the columns of a kind side by side it is x Eᵀ, y Eᵀ, z Eᵀ, 1 Eᵀ.
    let term = |(row, column): (usize, usize), other: usize| {
        let axes = |slot: usize| Matrix3::from_column_slice(&slots[slot].0);
        let [x, y] = [slots[0].1[row], slots[other].1[column]];
        STEP * x * arms[(row, column)] * y * axes(0) * axes(other).transpose()
    };
    let places = || (0..4).flat_map(|row| (0..4).map(move |column| (row, column)));
    check_products(&found, [1, 0].map(|other| places().map(|place| term(place, other)).sum()));
}

#[test]
fn entries_that_are_zero_have_no_sign() {
    let identity = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    let factor = CholeskyOfInverse::new(STEP, [&identity, &identity]).unwrap();
    // Axes along the axes of space, of any sign, and zeros of both signs.
    let frame: Block = [0.0, -1.0, 0.0, -0.0, -0.0, 1.0, -1.0, 0.0, 0.0];
    for (own, other) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
        let slots = [own, other].map(|sign| (frame, [0.0, sign, 0.0, 0.5 * sign]));
        let h = slots.map(|(frame, _)| std::array::from_fn(|k| slots[0].1[1] * frame[k % 9]));
        for blocks in at_all(OfRigid(h, factor)).into_iter().chain(at_all(OfPseudoRigid(slots, factor))) {
            for block in blocks {
                assert_eq!(block.iter().filter(|&&entry| entry == 0.0).count(), 6);
                assert!(!has_negative_zero(&block), "{own} {other}: {block:?}");
            }
        }
    }
}

#[test]
fn changes_are_told_of_slots() {
    let mut slots = FactoredSlots::default();
    let write = |slots: Started<18>, slot: usize, z: [f64; 18]| {
        slots.changed[slot] = slots.z[slot].map(f64::to_bits) != z.map(f64::to_bits);
        slots.z[slot] = z;
    };
    for (slot, z, changes) in
        [(0, 1.0, true), (0, 1.0, false), (1, 1.0, true), (0, 2.0, true), (1, 1.0, false)]
    {
        write(slots.start(2).unwrap(), slot, [z; 18]);
        assert_eq!(slots.has_changed(slot), changes);
    }
    // A body of another kind, and more slots.
    assert!(slots.start::<13>(3).unwrap().z[2][12].is_nan());
    assert_eq!(slots.pair::<13>(2, 0).map(<[f64]>::len), [14, 13]);
}

#[test]
fn a_slot_changes_with_any_bit() {
    let (mut z, mut changed) = ([0.0; RIGID], false);
    for place in [0, RIGID - 1] {
        for (value, changes) in
            [(0.0, false), (-0.0, true), (-0.0, false), (f64::NAN, true), (f64::NAN, false), (0.0, true)]
        {
            let slot = Slot { z: &mut z, changed: &mut changed };
            assert_eq!(slot.write(true, |z| z[place] = value), changes, "{place} {value}");
            assert_eq!(changed, changes);
        }
    }
}

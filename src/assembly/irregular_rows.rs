//! The values of one irregular row: a row that does not have three scalar rows, or that has more than two bodies. They are V and B,
//! operators of rigid bodies with a Cholesky factor, the diagonal block and its inverse.
//!
//! Three scalar rows of the row at a time are a group: it has a slot of its own in the operators of each body.

use super::diagonal::Diagonal;
use super::scene::{PanelSlot, RowPart};
use super::update::BodyOperators;
use crate::body_operators::factored::{Slot, Slots, Target, Writer, columns, product};
use crate::body_operators::{RIGID, SlotRange};
use crate::kinematics::operator::groups;
use crate::kinematics::{Action, Operator, PlacementRef, rigid};
use crate::math::simd::{F64x4, SimdLevel, write};
use crate::math::small_symmetric::{self, MOST_ROWS};
use crate::math::{Block, is_finite};

/// A body of an irregular row.
#[derive(Clone, Copy, Debug)]
pub struct IrregularSide<'a> {
    /// H of the row.
    pub operator: &'a Operator,
    /// The previous and the current velocity of the body.
    pub velocities: [&'a [f64]; 2],
    /// The first slot of the row; `None` for an obstacle.
    pub place: Option<PanelSlot>,
}

/// The irregular rows among rows that one thread makes, by index.
pub trait IrregularRows {
    /// The error of a row that cannot be made.
    type Fault;

    /// The number of scalar rows, 1 to 6.
    fn height(&self, row: usize) -> usize;

    /// The number of bodies, the ground included.
    fn side_count(&self, row: usize) -> usize;

    /// The k-th body, unless it is the ground; no body is there twice.
    fn side(&self, row: usize, k: usize) -> Option<IrregularSide<'_>>;

    /// Add the lower triangle of the symmetric matrix that is added to the diagonal block.
    fn add_compliance(&self, row: usize, block: &mut [f64]);

    /// The slot of a group on its k-th body, which is rigid.
    fn slot(&mut self, row: usize, k: usize, group: usize, slots: &Slots<RIGID>) -> Slot<'_, RIGID>;

    /// Store V and B, finite.
    fn set_velocities(&mut self, row: usize, velocities: [&[f64]; 2]);

    /// Store the diagonal block, symmetric to the bit, and its inverse, which is NaN if the block is singular.
    fn set_diagonal(&mut self, row: usize, block: &[f64], inverse: &[f64]);

    /// The error of a velocity, or else of a diagonal block, that is not finite.
    fn fault(&self, row: usize, is_velocity: bool) -> Self::Fault;
}

/// Make an irregular row, or the part of it that is wanted.
///
/// # Errors
/// If V, B or the diagonal block is not finite.
#[inline(always)]
pub fn make<L: SimdLevel, F>(
    level: L,
    rows: &mut dyn IrregularRows<Fault = F>,
    row: usize,
    part: RowPart,
    bodies: &BodyOperators,
) -> Result<(), F> {
    match rows.height(row) {
        // Most irregular rows have one scalar row: without loops, they take half of the time.
        1 => make_at_most::<L, F, 1>(level, rows, [row, 1], part, bodies),
        height => make_at_most::<L, F, MOST_ROWS>(level, rows, [row, height], part, bodies),
    }
}

/// Make an irregular row of `height` scalar rows, at most `MOST`.
#[inline(always)]
fn make_at_most<L: SimdLevel, F, const MOST: usize>(
    level: L,
    rows: &mut dyn IrregularRows<Fault = F>,
    [row, height]: [usize; 2],
    part: RowPart,
    bodies: &BodyOperators,
) -> Result<(), F> {
    let (mut velocities, mut block) = ([[0.0; MOST]; 2], [[0.0; MOST]; MOST]);
    let block = &mut block.as_flattened_mut()[..height * height];
    for k in 0..rows.side_count(row) {
        let Some(IrregularSide { operator, velocities: of_body, place }) = rows.side(row, k) else {
            continue;
        };
        for group in 0..groups(height) {
            for (sum, local) in velocities.iter_mut().zip(operator.times(group, of_body)) {
                sum[3 * group..].iter_mut().zip(local).for_each(|(sum, local)| *sum += local);
            }
        }
        if let (RowPart::All, Some(place)) = (part, place) {
            add_side(level, rows, [row, k, height], place, bodies, block);
        }
    }
    let [v, b] = velocities.each_ref().map(|velocity| &velocity[..height]);
    if !is_finite(v) || !is_finite(b) {
        return Err(rows.fault(row, true));
    }
    rows.set_velocities(row, [v, b]);
    if part != RowPart::All {
        return Ok(());
    }
    rows.add_compliance(row, block);
    for j in 1..height {
        for i in 0..j {
            block[height * j + i] = block[height * i + j];
        }
    }
    if !is_finite(block) {
        return Err(rows.fault(row, false));
    }
    let mut inverse = [[0.0; MOST]; MOST];
    let inverse = &mut inverse.as_flattened_mut()[..height * height];
    invert(height, block, inverse);
    rows.set_diagonal(row, block, inverse);
    Ok(())
}

/// Add one body's part of the lower triangle of the diagonal block, and write Z = H L if rows write it.
#[inline(always)]
fn add_side<L: SimdLevel, F>(
    level: L,
    rows: &mut dyn IrregularRows<Fault = F>,
    [row, k, height]: [usize; 3],
    PanelSlot { body, slot }: PanelSlot,
    bodies: &BodyOperators,
    block: &mut [f64],
) {
    let groups = groups(height);
    let Writer { target, factor } = &bodies.writers[body];
    let Target::Rigid(slots) = target else {
        let own = SlotRange { first: slot, rows: height };
        bodies.panels[body].add_block(level, own, own, block);
        return;
    };
    // One more place is read with the last column.
    let mut z = [[0.0; RIGID + 1]; 2];
    for (group, z) in z.iter_mut().enumerate().take(groups) {
        let operator = rows.side(row, k).map(|side| side.operator);
        let placement = PlacementRef::Operators([operator, None]);
        let mut h = Action { roles: [true, false], placement, group }.columns_of_operators(level);
        factor.apply(&mut h);
        write(&mut z[..RIGID], &h);
        rows.slot(row, k, group, slots).write(false, |to| to.copy_from_slice(&z[..RIGID]));
    }
    for left in 0..groups {
        for right in 0..=left {
            let w = product(level, &columns::<L, { rigid::DOFS }>(level, &z[left]), &z[right][..RIGID]);
            let (count, width) = ((height - 3 * left).min(3), (height - 3 * right).min(3));
            for (j, column) in w.iter().enumerate().take(width) {
                let to = &mut block[height * (3 * right + j) + 3 * left..][..count];
                to.iter_mut().zip(column.vector()).for_each(|(sum, value)| *sum += value);
            }
        }
    }
}

/// Write the inverse of a symmetric block; NaN if it is singular. Three rows have the bits of regular ones.
#[inline(always)]
fn invert(height: usize, block: &[f64], inverse: &mut [f64]) {
    match <&Block>::try_from(block) {
        Ok(block) => inverse.copy_from_slice(&match Diagonal::new(block, false) {
            Ok(made) if !made.is_hopeless() => made.a,
            _ => [f64::NAN; 9],
        }),
        Err(_) => small_symmetric::invert(height, block, inverse),
    }
}

//! The values of one row alone: V and B, operators of bodies with a Cholesky factor, diagonal blocks.
//!
//! Rows go through all three in small batches, so that their data is fetched from memory once.

use super::irregular_rows;
use super::scene::{PanelSlot, RowFault, RowPart, RowsOfThread};
use super::update::{BodyOperators, Phase};
use crate::assembly::diagonal::{Diagonal, Four};
use crate::assembly::velocities::free_velocities;
use crate::body_operators::factored::{CholeskyOfInverse, Slots, Target, Writer};
use crate::body_operators::pseudo_rigid::PseudoRigidSlot;
use crate::body_operators::{PSEUDO_RIGID, RIGID, factored};
use crate::kinematics::pseudo_rigid::DOFS as PSEUDO_RIGID_DOFS;
use crate::kinematics::rigid;
use crate::math::simd::{F64x4, Kernel, SimdLevel, add, are_finite, at_best, combination, packed, write};
use crate::team::Team;

/// The number of rows in a batch: with their data, they fit a second-level cache, and clearing the sums for them takes little of an update
/// of few rows.
const BATCH: usize = 16;

/// The parts of rows that are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// V and B alone; no operators of bodies are ready.
    Velocities,
    /// V and B alone; the operators of bodies are unchanged since the last update.
    VelocitiesAgain,
    /// V, B and diagonal blocks.
    Diagonal {
        /// Whether rho is wanted.
        with_rho: bool,
        /// Whether diagonal blocks are kept if nothing has changed for them.
        reuse: bool,
    },
}

/// Make all rows; the operators of `bodies` are ready, except with [`Wanted::Velocities`].
///
/// # Errors
/// The error of the first row that fails.
pub fn assemble<R: RowsOfThread>(
    rows: R,
    bodies: &BodyOperators,
    wanted: Wanted,
    team: &mut Team,
    ended: &mut dyn FnMut(Phase),
) -> Result<(), R::Fault> {
    if team.size() == 1 {
        return at_best(RowsKernel { rows, bodies, wanted, ended });
    }
    let part = team.part_of(rows.count()).next_multiple_of(BATCH);
    let made = team.try_share_parts(rows, part, |_, rows| {
        at_best(RowsKernel { rows, bodies, wanted, ended: &mut |_| {} })
    });
    ended(Phase::Velocities);
    made
}

/// Makes some rows.
struct RowsKernel<'a, R> {
    rows: R,
    bodies: &'a BodyOperators,
    wanted: Wanted,
    ended: &'a mut dyn FnMut(Phase),
}

impl<R: RowsOfThread> Kernel for RowsKernel<'_, R> {
    type Output = Result<(), R::Fault>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let Self { mut rows, bodies, wanted, ended } = self;
        let count = rows.count();
        let (with_rho, reuse) = match wanted {
            Wanted::Velocities if !R::WITH_VELOCITIES => return Ok(()),
            Wanted::Velocities => return velocities_alone(level, &mut rows),
            Wanted::VelocitiesAgain => return velocities_again(level, &mut rows, bodies),
            Wanted::Diagonal { with_rho, reuse } => (with_rho, reuse),
        };
        if rows.are_all_wanted() {
            for first in (0..count).step_by(BATCH) {
                let batch = RowBatch::new(
                    BATCH.min(count - first),
                    #[inline(always)]
                    |at| first + at,
                );
                make(level, &mut rows, batch, bodies, [with_rho, reuse], ended)?;
            }
            return Ok(());
        }
        let mut next = rows.next_wanted(0);
        while next < count {
            let (mut chosen, mut size) = ([0; BATCH], 0);
            while size < BATCH && next < count {
                chosen[size] = next;
                (size, next) = (size + 1, rows.next_wanted(next + 1));
            }
            let batch = RowBatch::new(
                size,
                #[inline(always)]
                |at| chosen[at],
            );
            make(level, &mut rows, batch, bodies, [with_rho, reuse], ended)?;
        }
        Ok(())
    }
}

/// Rows that go through all steps together, ascending.
#[derive(Clone, Copy)]
struct RowBatch<F> {
    /// The number of rows.
    size: usize,
    /// The place of the k-th row.
    row: F,
}

impl<F: Fn(usize) -> usize> RowBatch<F> {
    #[inline(always)]
    fn new(size: usize, row: F) -> Self {
        Self { size, row }
    }
}

/// Make the rows of a batch.
#[inline(always)]
fn make<L: SimdLevel, R: RowsOfThread>(
    level: L,
    rows: &mut R,
    batch: RowBatch<impl Fn(usize) -> usize + Copy>,
    bodies: &BodyOperators,
    [with_rho, reuse]: [bool; 2],
    ended: &mut dyn FnMut(Phase),
) -> Result<(), R::Fault> {
    let mut shares = [Share::none(level); BATCH];
    let made = shares_of(level, rows, batch, bodies, reuse, &mut shares);
    ended(Phase::Velocities);
    // The first fault in order is reported, also among the rows before.
    let size = made.as_ref().map_or_else(|(at, _)| *at, |()| batch.size);
    diagonals(level, rows, RowBatch { size, ..batch }, &shares, with_rho, reuse)?;
    ended(Phase::Diagonal);
    made.map_err(|(_, fault)| fault)
}

/// V and B of all rows.
#[inline(always)]
fn velocities_alone<L: SimdLevel, R: RowsOfThread>(level: L, rows: &mut R) -> Result<(), R::Fault> {
    for row in 0..rows.count() {
        let roles = rows.roles(row);
        let made = free_velocities((0..2).filter(|&role| roles[role]).map(|role| rows.side(row, role)))?;
        set_velocities(rows, row, made.map(|velocity| level.of_vector(velocity)))?;
    }
    Ok(())
}

/// V and B of rows that want them, with the bits that they have if all parts are made.
#[inline(always)]
fn velocities_again<L: SimdLevel, R: RowsOfThread>(
    level: L,
    rows: &mut R,
    bodies: &BodyOperators,
) -> Result<(), R::Fault> {
    let mut next = rows.next_wanted(0);
    while next < rows.count() {
        let row = next;
        next = rows.next_wanted(row + 1);
        rows.fetch_ahead(row);
        if !rows.is_regular(row) {
            make_irregular(level, rows, row, RowPart::Velocities, bodies)?;
            continue;
        }
        let velocities = match rows.rigid_ends(row) {
            Some(ends) => ends.velocities(level),
            None => {
                let mut share = Share::none(level);
                add_share(level, rows, row, bodies, [false, false], &mut share)?;
                share.velocities
            }
        };
        set_velocities(rows, row, velocities)?;
    }
    Ok(())
}

#[inline(always)]
fn set_velocities<R: RowsOfThread>(
    rows: &mut R,
    row: usize,
    [v, b]: [impl F64x4; 2],
) -> Result<(), R::Fault> {
    let velocities = [v.vector(), b.vector()];
    if !are_finite(&[v, b]) {
        return rows.refuse(row, RowFault::Velocities);
    }
    rows.set_velocities(row, velocities);
    Ok(())
}

/// The sums over a row's bodies.
#[derive(Clone, Copy)]
struct Share<F> {
    /// H v of the previous and the current velocity.
    velocities: [F; 2],
    /// W_αα.
    w: [F; 3],
    /// Whether an operator has other bits than at the update before.
    changed: bool,
}

impl<F: F64x4> Share<F> {
    /// Nothing yet.
    #[inline(always)]
    fn none(level: impl SimdLevel<F64x4 = F>) -> Self {
        Self { velocities: [level.zero(); 2], w: [level.zero(); 3], changed: false }
    }

    #[inline(always)]
    fn add(&mut self, w: [F; 3], changed: bool) {
        add(&mut self.w, &w);
        self.changed |= changed;
    }
}

/// V and B, and the parts of each row's bodies in its diagonal block, for the rows of a batch. Operators that are still to be
/// written are written on the way. An error comes with the place of its row in the batch.
#[inline(always)]
fn shares_of<L: SimdLevel, R: RowsOfThread>(
    level: L,
    rows: &mut R,
    batch: RowBatch<impl Fn(usize) -> usize>,
    bodies: &BodyOperators,
    reuse: bool,
    shares: &mut [Share<L::F64x4>; BATCH],
) -> Result<(), (usize, R::Fault)> {
    for (at, share) in (0..batch.size).zip(shares) {
        let row = (batch.row)(at);
        rows.fetch_ahead(row);
        rows.fetch_writers_ahead(row, bodies);
        if !rows.is_regular(row) {
            let part = rows.part(row);
            make_irregular(level, rows, row, part, bodies).map_err(|fault| (at, fault))?;
            continue;
        }
        let is_whole = rows.part(row) == RowPart::All;
        add_share(level, rows, row, bodies, [is_whole, reuse], share).map_err(|fault| (at, fault))?;
        if R::WITH_VELOCITIES && rows.wants_velocities(row) {
            set_velocities(rows, row, share.velocities).map_err(|fault| (at, fault))?;
        }
        if is_whole && let Some(compliance) = rows.compliance(row) {
            add(&mut share.w, &level.columns(compliance));
        }
    }
    Ok(())
}

/// Add the parts of all bodies of a row to `share`: the velocities, and for a whole row the diagonal block.
#[inline(always)]
fn add_share<L: SimdLevel, R: RowsOfThread>(
    level: L,
    rows: &mut R,
    row: usize,
    bodies: &BodyOperators,
    [is_whole, reuse]: [bool; 2],
    share: &mut Share<L::F64x4>,
) -> Result<(), R::Fault> {
    let mut left = rows.roles(row);
    let compare = reuse && !rows.is_new(row);
    for (k, place) in rows.places(row).into_iter().enumerate() {
        let Some(PanelSlot { body, slot }) = place else { continue };
        let Writer { target, factor } = &bodies.writers[body];
        let wanted = [is_whole, compare];
        let added = match target {
            Target::Rigid(slots) => add_rigid(level, rows, [row, k], slots, factor, wanted, share)?,
            Target::PseudoRigid(slots) => {
                add_pseudo_rigid(level, rows, [row, k], slots, factor, wanted, share)?
            }
            Target::Complete => {
                if is_whole {
                    share.add(bodies.panels[body].columns(level, slot, slot), true);
                }
                [false; 2]
            }
        };
        left = [left[0] & !added[0], left[1] & !added[1]];
    }
    if R::WITH_VELOCITIES && left != [false; 2] {
        // Bodies without a Cholesky factor, and obstacles that W leaves out.
        for (role, _) in left.into_iter().enumerate().filter(|(_, is_left)| *is_left) {
            let local = rows.side(row, role)?.local_velocities();
            for (sum, local) in share.velocities.iter_mut().zip(local) {
                *sum = *sum + level.of_vector(local);
            }
        }
    }
    Ok(())
}

/// Add the part of the rigid body at the row's place k. Returns the roles of the body.
#[inline(always)]
fn add_rigid<L: SimdLevel, R: RowsOfThread>(
    level: L,
    rows: &mut R,
    [row, k]: [usize; 2],
    slots: &Slots<RIGID>,
    factor: &CholeskyOfInverse,
    [is_whole, compare]: [bool; 2],
    share: &mut Share<L::F64x4>,
) -> Result<[bool; 2], R::Fault> {
    let action = rows.action(row, k);
    let roles = action.roles;
    let mut h = action.rigid_columns(level, &rows.rigid(row, k));
    let [previous, current] = rows.velocities::<{ rigid::DOFS }>(row, k)?;
    add(&mut share.velocities, &[combination(&h, previous), combination(&h, current)]);
    if is_whole {
        factor.apply(&mut h);
        let changed = rows.slot(row, k, slots).write(
            compare,
            #[inline(always)]
            |z| write(z, &h),
        );
        share.add(factored::square(level, &h), changed);
    }
    Ok(roles)
}

/// As [`add_rigid`], for a pseudo-rigid body.
#[inline(always)]
fn add_pseudo_rigid<L: SimdLevel, R: RowsOfThread>(
    level: L,
    rows: &mut R,
    [row, k]: [usize; 2],
    slots: &Slots<PSEUDO_RIGID>,
    factor: &CholeskyOfInverse,
    [is_whole, compare]: [bool; 2],
    share: &mut Share<L::F64x4>,
) -> Result<[bool; 2], R::Fault> {
    let action = rows.action(row, k);
    let roles = action.roles;
    let h = action.pseudo_rigid_operator(level, &rows.pseudo_rigid(row, k));
    let [previous, current] = rows.velocities::<PSEUDO_RIGID_DOFS>(row, k)?;
    let velocities = [h.local_velocity(level, previous), h.local_velocity(level, current)];
    add(&mut share.velocities, &velocities);
    if is_whole {
        let z = PseudoRigidSlot::new(level, factor, &h);
        let changed = rows.slot(row, k, slots).write(
            compare,
            #[inline(always)]
            |place| z.write(place),
        );
        share.add(z.square(), changed);
    }
    Ok(roles)
}

/// Make an irregular row.
#[inline(always)]
fn make_irregular<L: SimdLevel, R: RowsOfThread>(
    level: L,
    rows: &mut R,
    row: usize,
    part: RowPart,
    bodies: &BodyOperators,
) -> Result<(), R::Fault> {
    match rows.irregular() {
        Some(rows) => irregular_rows::make(level, rows, row, part, bodies),
        None => Ok(()),
    }
}

/// Diagonal blocks and their derived values. With `reuse`, the values of unchanged operators are kept.
#[inline(always)]
fn diagonals<L: SimdLevel, R: RowsOfThread>(
    level: L,
    rows: &mut R,
    batch: RowBatch<impl Fn(usize) -> usize>,
    shares: &[Share<L::F64x4>; BATCH],
    with_rho: bool,
    reuse: bool,
) -> Result<(), R::Fault> {
    let mut fours = [None; BATCH / 4];
    for (four, first) in fours.iter_mut().zip((0..batch.size).step_by(4)) {
        let mut places = first..batch.size.min(first + 4);
        let are_whole = places.all(
            #[inline(always)]
            |at| {
                let row = (batch.row)(at);
                rows.part(row) == RowPart::All && rows.is_regular(row)
            },
        );
        if let (Some([a, b, c, d]), true) = (shares[first..batch.size].first_chunk(), are_whole && !reuse) {
            *four = Four::new(level, [a.w, b.w, c.w, d.w], with_rho);
        }
    }
    for (four, first) in fours.iter().zip((0..batch.size).step_by(4)) {
        if let Some(four) = four
            && let Some(diagonals) = four.diagonals(level)
        {
            for (at, diagonal) in (first..).zip(&diagonals) {
                rows.set_diagonal((batch.row)(at), diagonal)?;
            }
            continue;
        }
        for (at, share) in (first..batch.size).zip(&shares[first..]).take(4) {
            let row = (batch.row)(at);
            if rows.part(row) != RowPart::All || !rows.is_regular(row) {
                continue;
            }
            let kept = if reuse && !share.changed { rows.kept(row) } else { None };
            let w = packed(&share.w);
            let made = match kept {
                Some(kept) => Ok(kept),
                None => Diagonal::new(&w, with_rho),
            };
            match made {
                Ok(diagonal) => rows.set_diagonal(row, &diagonal)?,
                Err(fault) => rows.refuse(row, RowFault::Diagonal(w, fault))?,
            }
        }
    }
    Ok(())
}

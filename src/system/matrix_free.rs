//! Products with W through the bodies, as h H A⁻¹ Hᵀ x without its blocks. Threads share bodies and rows; what each computes does
//! not depend on it.

mod velocity_increments;

use std::ops::Range;

use crate::assembly::update::BodyOperators;
use crate::body_operators::Panel;
use crate::body_operators::product::Sum;
use crate::inertia;
use crate::kinematics::{Point, pseudo_rigid};
use crate::math::simd::{F64x4, Kernel, SimdLevel, at_best};
use crate::math::{self, Vector};
use crate::memory::refill;
use crate::prefetch::fetch;
use crate::rows::multiply::{Product, team_for};
use crate::team::{Numbered, Ragged, Team};

use super::body::{Body, Inertia, finite};
use super::constraint::Constraint;
use super::error::{Error, Result};
use super::id_table::{Id, Table};
use super::rows::resized;
use super::shared_solver::Models;
use super::structure::Structure;
use velocity_increments::{Changes, Tool};

/// What is needed to go through the bodies. Those have no gaps, and the structure is that of both tables.
pub(super) struct Bodies<'a> {
    pub bodies: &'a Table<Body>,
    pub models: &'a Models,
    pub constraints: &'a Table<Constraint>,
    pub structure: &'a Structure,
    pub made: &'a BodyOperators,
    pub step: f64,
    /// Whether some constraints have a compliance.
    pub has_compliance: bool,
}

/// W through bodies.
pub(super) struct ThroughBodies<'a> {
    pub through: Bodies<'a>,
    pub scratch: &'a mut Scratch,
}

impl Product<Error> for ThroughBodies<'_> {
    fn multiply<const N: usize>(&mut self, x: [&[Vector]; N], mut y: [&mut [Vector]; N]) -> Result {
        let Self { through, scratch } = self;
        through.change_others(x, scratch)?;
        let mut team = team_for(N * through.structure.columns().len());
        let is_alone = team.size() == 1;
        if is_alone {
            y.iter_mut().for_each(|y| y.fill([0.0; 3]));
            at_best(BodyAfterBody { through, x, y: &mut y });
        } else {
            through.write_shares(x, &mut team, scratch)?;
        }
        let Scratch { shares, changes, .. } = &**scratch;
        if !is_alone || !changes.are_none() || through.has_compliance {
            let through = &*through;
            let shares = (!is_alone).then_some(shares.as_chunks().0);
            team.share_evenly(y, |first, y| {
                at_best(RowsThroughBodies { through, shares, changes, first, x, y })
            });
        }
        Ok(())
    }
}

/// Visit what some bodies with a factor add to their rows, of which Z is read once: of each vector and slot its number among those of
/// all bodies, its row, and the share, if there is a factor.
#[inline(always)]
fn each_share<L: SimdLevel, const N: usize>(
    level: L,
    through: &Bodies,
    bodies: Range<usize>,
    x: [&[Vector]; N],
    mut visit: impl FnMut(usize, [usize; 2], Option<L::F64x4>),
) {
    let (panels, starts) = (&through.made.panels[..], through.structure.slot_starts());
    for body in bodies {
        if let Some(ahead) = panels.get(body + BODIES_AHEAD) {
            fetch(ahead.place(0).cast::<[f64; 4 * 18]>());
        }
        let (panel, rows, start) = (&panels[body], through.structure.rows_on(body), starts[body]);
        for (k, x) in x.iter().enumerate() {
            let sum = sum_of(level, panel, rows, x);
            for (slot, &row) in rows.iter().enumerate() {
                visit(k, [start + slot, row as usize], panel.times_sum(level, slot, &sum));
            }
        }
    }
}

/// All bodies with a factor, one after the other: what each adds to its rows. A row has two bodies at most, and two numbers have the
/// same sum either way: so have rows that [`RowsThroughBodies`] makes.
struct BodyAfterBody<'a, 'y, const N: usize> {
    through: &'a Bodies<'a>,
    x: [&'a [Vector]; N],
    y: &'a mut [&'y mut [Vector]; N],
}

impl<const N: usize> Kernel for BodyAfterBody<'_, '_, N> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { through, x, y } = self;
        each_share(
            level,
            through,
            0..through.made.panels.len(),
            x,
            #[inline(always)]
            |k, [_, row], share| {
                if let Some(share) = share {
                    let y = &mut y[k][row];
                    *y = (level.of_vector(*y) + share).vector();
                }
            },
        );
    }
}

/// Σ Zᵀ x of a body; zero if it has no factor.
#[inline(always)]
fn sum_of<L: SimdLevel>(level: L, panel: &Panel, rows: &[u32], x: &[Vector]) -> Sum {
    let mut lanes = [level.zero(); 4];
    for (slot, &row) in rows.iter().enumerate() {
        panel.add_to_sum(level, slot, &x[row as usize], &mut lanes);
    }
    let [a, b, c, d] = lanes;
    [a.vector(), b.vector(), c.vector(), d.vector()]
}

/// How many bodies ahead to prefetch what is read of panels.
const BODIES_AHEAD: usize = 16;

/// What some bodies, from `first` on, add to their rows, slot by slot: nothing without a factor.
struct SharesOfBodies<'a, const N: usize> {
    through: &'a Bodies<'a>,
    first: usize,
    x: [&'a [Vector]; N],
    shares: Ragged<'a, [Vector; N], usize>,
}

impl<const N: usize> Kernel for SharesOfBodies<'_, N> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { through, first, x, shares: Ragged { values, starts } } = self;
        each_share(
            level,
            through,
            first..first + starts.len() - 1,
            x,
            #[inline(always)]
            |k, [slot, _], share| values[slot - starts[0]][k] = share.map_or([0.0; 3], F64x4::vector),
        );
    }
}

/// Some rows of W, from `first` on, of the shares of bodies with a factor, unless these have been added, and the velocity changes of
/// others.
struct RowsThroughBodies<'a, const N: usize> {
    through: &'a Bodies<'a>,
    shares: Option<&'a [[Vector; N]]>,
    changes: &'a Changes,
    first: usize,
    x: [&'a [Vector]; N],
    y: [&'a mut [Vector]; N],
}

/// How many rows ahead to prefetch shares.
const AHEAD: usize = 32;

impl<const N: usize> Kernel for RowsThroughBodies<'_, N> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) {
        let Self { through, shares, changes, first, x, mut y } = self;
        let Bodies { structure, has_compliance, .. } = through;
        let starts = structure.slot_starts();
        let has_others = !changes.are_none();
        for row in 0..y[0].len() {
            let places = structure.places(first + row);
            if let Some(shares) = shares
                && first + row + AHEAD < structure.len()
            {
                for place in structure.places(first + row + AHEAD).into_iter().flatten() {
                    fetch(&raw const shares[starts[place.body] + place.slot]);
                }
            }
            for (k, (x, y)) in x.iter().zip(&mut y).enumerate() {
                let mut sum = if shares.is_some() { level.zero() } else { level.of_vector(y[row]) };
                for place in places.into_iter().flatten() {
                    if let Some(shares) = shares {
                        sum = sum + level.of_vector(shares[starts[place.body] + place.slot][k]);
                    }
                    if has_others
                        && let Some(change) = changes.of(place.body, k, structure.dofs(place.body).len())
                    {
                        sum = sum + level.of_vector(through.times_operators(first + row, place.body, change));
                    }
                }
                if *has_compliance && let Some(compliance) = through.compliance(first + row) {
                    sum = sum + level.of_vector(math::times(&math::mirrored(compliance), &x[first + row]));
                }
                y[row] = sum.vector();
            }
        }
    }
}

impl Bodies<'_> {
    /// Write to `scratch` what all bodies with a factor add to their rows.
    ///
    /// # Errors
    /// If memory is exhausted.
    fn write_shares<const N: usize>(
        &self,
        x: [&[Vector]; N],
        team: &mut Team,
        scratch: &mut Scratch,
    ) -> Result {
        resized(&mut scratch.shares, N * self.structure.all_slots(), [0.0; 3])?;
        let values = scratch.shares.as_chunks_mut().0;
        let shares = Ragged { values, starts: self.structure.slot_starts() };
        team.share_evenly(Numbered { first: 0, things: shares, context: self }, |_, part| {
            let Numbered { first, things: shares, context: through } = part;
            at_best(SharesOfBodies { through, first, x, shares });
        });
        Ok(())
    }

    /// Write to `scratch` the free velocities of all bodies with h A⁻¹ Hᵀ x added.
    pub fn write_velocities(&self, x: &[f64], scratch: &mut Scratch) -> Result {
        let x = x.as_chunks().0;
        self.change_others([x], scratch)?;
        resized(&mut scratch.sums, self.bodies.len(), [[0.0; 3]; 4])?;
        let things = Numbered { first: 0, things: &mut scratch.sums[..], context: self };
        team_for(self.structure.columns().len()).share_evenly(things, |_, part| {
            for (place, change) in (part.first..).zip(part.things) {
                part.context.write_change(place, x, change);
            }
        });
        refill(&mut scratch.velocities, self.structure.all_dofs(), 0.0)?;
        for (place, (id, body)) in self.bodies.iter().enumerate() {
            let own = self.structure.dofs(place);
            let velocity = &mut scratch.velocities[own.clone()];
            // Nothing acts on the others, and their matrices have no factors.
            if !self.structure.rows_on(place).is_empty() {
                let sum = &scratch.sums[place].as_flattened();
                let dofs = own.len();
                velocity.copy_from_slice(scratch.changes.of(place, 0, dofs).unwrap_or_else(|| &sum[..dofs]));
            }
            velocity.iter_mut().zip(body.velocity()).for_each(|(velocity, free)| *velocity += free);
            finite("its velocity with the reactions R", velocity)
                .map_err(|fault| Error::of_body(id, fault))?;
        }
        Ok(())
    }

    /// Write h A⁻¹ Hᵀ x of the body at a place, if it has a factor. What A⁻¹ itself makes of a force has less rounding than what
    /// its factor does twice.
    fn write_change(&self, place: usize, x: &[Vector], change: &mut Sum) {
        let Some(body) = &self.bodies.things()[place] else { return };
        if let Ok(Some(inertia::InertiaRef::Inverse(inverse))) = body.inertia().view()
            && self.made.panels[place].has_factor()
            && let Some(change) = change.as_flattened_mut().get_mut(..body.dofs())
        {
            let mut force = [0.0; pseudo_rigid::DOFS];
            let force = &mut force[..change.len()];
            self.add_force(place, x, force);
            inverse.apply_to_vector(force, change);
            change.iter_mut().for_each(|value| *value *= self.step);
        }
    }

    /// Add Hᵀ x of the body at a place to `force`.
    pub fn add_force(&self, place: usize, x: &[Vector], force: &mut [f64]) {
        let (id, Some(body)) = (self.bodies.ids()[place], &self.bodies.things()[place]) else { return };
        let mut add = |row: usize| {
            if let Some(constraint) = self.constraint(row) {
                add_transposed(constraint, id, body, &x[row], force);
            }
        };
        match body.inertia() {
            // No list has the rows on an obstacle.
            Inertia::Obstacle => {
                (0..x.len()).filter(|&row| self.structure.ends(row).contains(&(place as u32))).for_each(add)
            }
            _ => self.structure.rows_on(place).iter().for_each(|&row| add(row as usize)),
        }
    }

    fn constraint(&self, row: usize) -> Option<&Constraint> {
        self.constraints.things()[self.structure.entry(row)].as_ref()
    }

    fn compliance(&self, row: usize) -> Option<&math::Block> {
        self.constraint(row)?.compliance()
    }

    /// H u of a row on a body, signs included.
    fn times_operators(&self, row: usize, place: usize, u: &[f64]) -> Vector {
        let mut sum = [0.0; 3];
        if let (Some(constraint), Some(body)) = (self.constraint(row), &self.bodies.things()[place]) {
            for (sign, frame, point) in constraint.points_on(self.bodies.ids()[place], body) {
                let local = point.local_velocity(frame, u);
                sum.iter_mut().zip(local).for_each(|(sum, value)| *sum += sign * value);
            }
        }
        sum
    }
}

/// Room for what products go through.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// h A⁻¹ Hᵀ x of each body.
    sums: Vec<Sum>,
    /// What bodies with a factor add to their rows: body by body and slot by slot, of each vector.
    shares: Vec<Vector>,
    changes: Changes,
    tools: Vec<Tool>,
    /// Velocities of all bodies, one behind the other.
    velocities: Vec<f64>,
}

impl Scratch {
    /// Some of the velocities written last.
    pub fn velocities(&self, dofs: std::ops::Range<usize>) -> &[f64] {
        &self.velocities[dofs]
    }
}

/// Add Hᵀ x of a constraint on a body, signs included.
fn add_transposed(constraint: &Constraint, id: Id, body: &Body, x: &Vector, force: &mut [f64]) {
    for (sign, frame, point) in constraint.points_on(id, body) {
        if let Point::Operator(operator) = point {
            operator.add_transposed_times(x, force);
            continue;
        }
        // Bodies with points have at most so many dofs.
        let mut h = [0.0; 3 * pseudo_rigid::DOFS];
        if let Some(h) = h.get_mut(..3 * force.len()) {
            point.add_operator(sign, frame, h);
            let columns = h.chunks_exact(3);
            force.iter_mut().zip(columns).for_each(|(f, h)| *f += h[0] * x[0] + h[1] * x[1] + h[2] * x[2]);
        }
    }
}

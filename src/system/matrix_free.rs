//! Products with W through the bodies, as h H A⁻¹ Hᵀ x without its blocks. Threads share bodies and rows; the results do not depend
//! on the shares.

mod groups;
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
use crate::team::{Numbered, Ragged};

use super::body::{Body, Inertia, finite};
use super::body_rows::BodyFactors;
use super::constraint::Constraint;
use super::error::{Error, Result};
use super::id_table::{Id, Table};
use super::inverse_callback::Models;
use super::rows::resized;
use super::structure::Structure;
pub(super) use groups::Groups;
use velocity_increments::{Changes, Tool};

/// The parts of a system that products through bodies need. The table of bodies has no gaps, and the structure belongs to both
/// tables.
pub(super) struct BodiesOfProducts<'a> {
    pub bodies: &'a Table<Body>,
    pub models: &'a Models,
    pub constraints: &'a Table<Constraint>,
    pub structure: &'a Structure,
    pub made: &'a BodyOperators,
    pub step: f64,
    /// The groups of rows, unless each row is a group.
    pub groups: Option<&'a Groups>,
    /// Whether some constraints have a compliance.
    pub has_compliance: bool,
}

/// The product with W through bodies.
pub(super) struct ThroughBodies<'a> {
    pub through: BodiesOfProducts<'a>,
    pub scratch: &'a mut ProductScratch,
}

impl Product<Error> for ThroughBodies<'_> {
    fn multiply<const N: usize>(&mut self, x: [&[Vector]; N], mut y: [&mut [Vector]; N]) -> Result {
        let Self { through, scratch } = self;
        through.change_others(x, scratch)?;
        let mut team = team_for(N * through.structure.columns().len());
        // A row on more than two bodies has the same bits for any number of threads if it is summed up in one order.
        let is_alone = team.size() == 1 && through.groups.is_none();
        if is_alone {
            y.iter_mut().for_each(|y| y.fill([0.0; 3]));
            at_best(BodyAfterBody { through, x, y: &mut y });
        } else {
            resized(&mut scratch.shares, N * through.structure.all_slots(), [0.0; 3])?;
            let values = scratch.shares.as_chunks_mut().0;
            let shares = Ragged { values, starts: through.structure.slot_starts() };
            team.share_evenly(Numbered { first: 0, things: shares, context: &*through }, |_, part| {
                let Numbered { first, things: shares, context: through } = part;
                at_best(SharesOfBodies { through, first, x, shares });
            });
        }
        let ProductScratch { shares, changes, .. } = &**scratch;
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

/// Visit the shares that some bodies with a factor add to their rows. Z of each body is read once. For each vector and slot `visit`
/// gets the number of the slot among the slots of all bodies, its row, and the share, if there is a factor.
#[inline(always)]
fn each_share<L: SimdLevel, const N: usize>(
    level: L,
    through: &BodiesOfProducts,
    bodies: Range<usize>,
    x: [&[Vector]; N],
    mut visit: impl FnMut(usize, [usize; 2], Option<L::F64x4>),
) {
    let (panels, starts) = (&through.made.panels[..], through.structure.slot_starts());
    for body in bodies {
        if let Some(ahead) = panels.get(body + BODIES_AHEAD) {
            fetch(ahead.place(0).cast::<[f64; 4 * 18]>());
        }
        let (panel, rows, start) = (&panels[body], through.groups_on(body), starts[body]);
        for (k, x) in x.iter().enumerate() {
            let sum = sum_of(level, panel, rows, x);
            for (slot, &row) in rows.iter().enumerate() {
                visit(k, [start + slot, row as usize], panel.times_sum(level, slot, &sum));
            }
        }
    }
}

/// The shares of all bodies with a factor, added to rows body by body. A row has two bodies at most, and two numbers have the same
/// sum in either order: the rows have the same bits as by [`RowsThroughBodies`].
struct BodyAfterBody<'a, 'y, const N: usize> {
    through: &'a BodiesOfProducts<'a>,
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

/// How many bodies ahead to prefetch the numbers of panels.
const BODIES_AHEAD: usize = 16;

/// The shares that some bodies, from `first` on, add to their rows, slot by slot; zero without a factor.
struct SharesOfBodies<'a, const N: usize> {
    through: &'a BodiesOfProducts<'a>,
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

/// Some rows of the product, from `first` on: the sum of the shares of bodies with a factor, unless these have been added, and of
/// the velocity increments of other bodies.
struct RowsThroughBodies<'a, const N: usize> {
    through: &'a BodiesOfProducts<'a>,
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
        let BodiesOfProducts { structure, has_compliance, .. } = through;
        let starts = structure.slot_starts();
        let has_others = !changes.are_none();
        for group in 0..y[0].len() {
            let (row, part) = through.row(first + group);
            let sides = structure.all_sides(row);
            if let Some(shares) = shares
                && through.groups.is_none()
                && row + AHEAD < structure.len()
            {
                for place in structure.places(row + AHEAD).into_iter().flatten() {
                    fetch(&raw const shares[starts[place.body] + place.slot]);
                }
            }
            for (k, (x, y)) in x.iter().zip(&mut y).enumerate() {
                let mut sum = if shares.is_some() { level.zero() } else { level.of_vector(y[group]) };
                for side in sides {
                    let (body, slot) = (side.body as usize, side.slot as usize + part);
                    if let Some(shares) = shares {
                        sum = sum + level.of_vector(shares[starts[body] + slot][k]);
                    }
                    if has_others && let Some(change) = changes.of(body, k, structure.dofs(body).len()) {
                        sum = sum + level.of_vector(through.times_operators(row, part, body, change));
                    }
                }
                if *has_compliance && let Some(compliance) = through.compliance(row) {
                    sum = sum + level.of_vector(math::times(&math::mirrored(compliance), &x[first + group]));
                }
                y[group] = sum.vector();
            }
        }
    }
}

impl BodiesOfProducts<'_> {
    /// Write to `scratch` the free velocities of all bodies with h A⁻¹ Hᵀ x added.
    pub fn write_velocities(&self, x: &[f64], scratch: &mut ProductScratch) -> Result {
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
            // Nothing acts on the other bodies, and their matrices have no factors.
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

    /// Write h A⁻¹ Hᵀ x of the body at a place, if it has a factor. A product with A⁻¹ itself has less rounding than two products
    /// with its factor.
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
        let mut add = |group: usize| {
            let (row, part) = self.row(group);
            if let Some(constraint) = self.constraint(row) {
                add_transposed(constraint, (id, body), part, &x[group], force);
            }
        };
        match body.inertia() {
            // Rows on an obstacle are in no list.
            Inertia::Obstacle => {
                let is_on =
                    |group: &usize| self.structure.all_ends(self.row(*group).0).contains(&(place as u32));
                (0..x.len()).filter(is_on).for_each(add)
            }
            _ => self.groups_on(place).iter().for_each(|&group| add(group as usize)),
        }
    }

    /// Add Hᵀ x of a group on the body at a place to `force`.
    pub fn add_row(&self, group: usize, place: usize, x: &Vector, force: &mut [f64]) {
        let (row, part) = self.row(group);
        if let (Some(constraint), Some(body)) = (self.constraint(row), &self.bodies.things()[place]) {
            add_transposed(constraint, (self.bodies.ids()[place], body), part, x, force);
        }
    }

    /// The group of each slot of a body.
    #[inline(always)]
    fn groups_on(&self, body: usize) -> &[u32] {
        match self.groups {
            None => self.structure.rows_on(body),
            Some(groups) => {
                let starts = self.structure.slot_starts();
                &groups.of_slots()[starts[body]..starts[body + 1]]
            }
        }
    }

    /// The row of a group, and its number among the groups of the row.
    #[inline(always)]
    pub fn row(&self, group: usize) -> (usize, usize) {
        self.groups.map_or((group, 0), |groups| groups.row(group))
    }

    pub fn constraint(&self, row: usize) -> Option<&Constraint> {
        self.constraints.things()[self.structure.entry(row)].as_ref()
    }

    fn compliance(&self, row: usize) -> Option<&math::Block> {
        self.constraint(row)?.compliance()
    }

    /// H u of a group of a row on a body, signs included.
    pub fn times_operators(&self, row: usize, group: usize, place: usize, u: &[f64]) -> Vector {
        let mut sum = [0.0; 3];
        if let (Some(constraint), Some(body)) = (self.constraint(row), &self.bodies.things()[place]) {
            constraint.each_point_on(self.bodies.ids()[place], body, group, |sign, frame, point| {
                let local = point.local_velocity(frame, u);
                sum.iter_mut().zip(local).for_each(|(sum, value)| *sum += sign * value);
            });
        }
        sum
    }
}

/// The memory that products keep for the next one.
#[derive(Debug, Default)]
pub(super) struct ProductWorkspace {
    pub groups: Groups,
    /// A vector and its product, with three values for each group.
    pub padded: [Vec<f64>; 2],
    /// Factors of bodies, and rows of operators.
    pub factors: BodyFactors,
    pub scratch: ProductScratch,
    /// The generalized force on a body.
    pub force: Vec<f64>,
}

/// The sums, shares and velocities of bodies.
#[derive(Debug, Default)]
pub(super) struct ProductScratch {
    /// h A⁻¹ Hᵀ x of each body.
    sums: Vec<Sum>,
    /// The shares that bodies with a factor add to their rows: body by body and slot by slot, for each vector.
    shares: Vec<Vector>,
    changes: Changes,
    tools: Vec<Tool>,
    /// Velocities of all bodies in turn.
    velocities: Vec<f64>,
}

impl ProductScratch {
    /// Some of the velocities of the last call of [`BodiesOfProducts::write_velocities`].
    pub fn velocities(&self, dofs: std::ops::Range<usize>) -> &[f64] {
        &self.velocities[dofs]
    }
}

/// Add Hᵀ x to `force`, where H is the signed sum of the points' H.
fn add_transposed(
    constraint: &Constraint,
    (id, body): (Id, &Body),
    group: usize,
    x: &Vector,
    force: &mut [f64],
) {
    constraint.each_point_on(id, body, group, |sign, frame, point| {
        if let Point::Operator(operator, group) = point {
            operator.add_transposed_times(*group, x, force);
            return;
        }
        // Bodies with points have at most this number of dofs.
        let mut h = [0.0; 3 * pseudo_rigid::DOFS];
        if let Some(h) = h.get_mut(..3 * force.len()) {
            point.add_operator(sign, frame, h);
            let columns = h.chunks_exact(3);
            force.iter_mut().zip(columns).for_each(|(f, h)| *f += h[0] * x[0] + h[1] * x[1] + h[2] * x[2]);
        }
    });
}

//! Products with W: from its blocks, and through the bodies as h H A⁻¹ Hᵀ x without them.
#![forbid(unsafe_code)]

use crate::assembly::panel::Panel;
use crate::block::lanes::{F64x4, Plain, SimdLevel};
use crate::block::{self, Vector};
use crate::inertia::{self, FactorError, Workspace};
use crate::kinematics::{Point, pseudo_rigid};

use super::body::{Body, Inertia, finite};
use super::constraint::Constraint;
use super::error::{Error, Fault};
use super::rows::Rows;
use super::structure::{Structure, filled};
use super::table::{Id, Table};

/// y = W x of the blocks, three values a row.
pub(super) fn assembled(rows: &Rows, x: &[f64], y: &mut [f64]) {
    for (range, y) in rows.starts.windows(2).zip(y.chunks_exact_mut(3)) {
        let range = range[0] as usize..range[1] as usize;
        let mut sum = Plain.zero();
        for (&column, w) in rows.columns[range.clone()].iter().zip(&rows.values[range]) {
            let x = &x[3 * column as usize..][..3];
            let columns = Plain.columns(w);
            columns.iter().zip(x).for_each(|(column, x)| sum = sum + *column * *x);
        }
        y.copy_from_slice(&sum.vector());
    }
}

/// What is needed to go through the bodies. Tables have no gaps, and the structure is theirs.
pub(super) struct Bodies<'a> {
    pub bodies: &'a Table<Body>,
    pub constraints: &'a Table<Constraint>,
    pub structure: &'a Structure,
    pub panels: &'a [Panel],
    pub step: f64,
}

impl Bodies<'_> {
    /// y = W x, compliance included.
    pub fn times(&self, x: &[f64], y: &mut [f64], scratch: &mut Scratch) -> Result<(), Error> {
        y.fill(0.0);
        for (place, (id, body)) in self.bodies.iter().enumerate() {
            let rows = self.structure.rows_on(place);
            if rows.is_empty() {
                continue;
            }
            let change = self.velocity_change(place, id, body, x, scratch)?;
            for &row in rows {
                if let Some(constraint) = self.constraint(row) {
                    let local = times_operators(constraint, id, body, change);
                    at_mut(y, row).iter_mut().zip(local).for_each(|(y, local)| *y += local);
                }
            }
        }
        for (row, (_, constraint)) in self.constraints.iter().enumerate() {
            if let Some(compliance) = constraint.compliance() {
                let local = block::times(&block::mirrored(compliance), &at(x, row as u32));
                at_mut(y, row as u32).iter_mut().zip(local).for_each(|(y, local)| *y += local);
            }
        }
        Ok(())
    }

    /// Write to `scratch` the free velocities of all bodies with h A⁻¹ Hᵀ x added.
    pub fn write_velocities(&self, x: &[f64], scratch: &mut Scratch) -> Result<(), Error> {
        let mut velocities = std::mem::take(&mut scratch.velocities);
        let result = self.write_velocities_to(&mut velocities, x, scratch);
        scratch.velocities = velocities;
        result
    }

    fn write_velocities_to(
        &self,
        velocities: &mut Vec<f64>,
        x: &[f64],
        scratch: &mut Scratch,
    ) -> Result<(), Error> {
        velocities.clear();
        velocities.try_reserve(self.bodies.iter().map(|(_, body)| body.dofs()).sum())?;
        for (place, (id, body)) in self.bodies.iter().enumerate() {
            let first = velocities.len();
            velocities.extend_from_slice(body.velocity());
            // Nothing acts on the others, and their matrices have no factors.
            if self.structure.rows_on(place).is_empty() {
                continue;
            }
            let change = self.velocity_change(place, id, body, x, scratch)?;
            let velocity = &mut velocities[first..];
            velocity.iter_mut().zip(change).for_each(|(velocity, change)| *velocity += change);
            finite("its velocity with the reactions R", velocity)
                .map_err(|fault| Error::of_body(id, fault))?;
        }
        Ok(())
    }

    /// Add Hᵀ x of a body to `force`.
    pub fn add_force(&self, place: usize, id: Id, body: &Body, x: &[f64], force: &mut [f64]) {
        if let Inertia::Obstacle = body.inertia() {
            // No list has the rows on an obstacle.
            for (row, (_, constraint)) in self.constraints.iter().enumerate() {
                add_transposed(constraint, id, body, &at(x, row as u32), force);
            }
            return;
        }
        for &row in self.structure.rows_on(place) {
            if let Some(constraint) = self.constraint(row) {
                add_transposed(constraint, id, body, &at(x, row), force);
            }
        }
    }

    /// h A⁻¹ Hᵀ x of a body.
    pub fn velocity_change<'s>(
        &self,
        place: usize,
        id: Id,
        body: &Body,
        x: &[f64],
        scratch: &'s mut Scratch,
    ) -> Result<&'s [f64], Error> {
        filled(&mut scratch.force, body.dofs(), 0.0)?;
        filled(&mut scratch.change, body.dofs(), 0.0)?;
        self.add_force(place, id, body, x, &mut scratch.force);
        apply_inverse(body, self.panels.get(place), scratch).map_err(|fault| Error::of_body(id, fault))?;
        scratch.change.iter_mut().for_each(|value| *value *= self.step);
        Ok(&scratch.change)
    }

    fn constraint(&self, row: u32) -> Option<&Constraint> {
        self.constraints.things()[self.structure.entry(row as usize)].as_ref()
    }
}

/// Room for the generalised vectors of one body, and for solves.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    force: Vec<f64>,
    change: Vec<f64>,
    /// Velocities of all bodies, one behind the other.
    velocities: Vec<f64>,
    work: Workspace,
}

impl Scratch {
    /// Some of the velocities written last.
    pub fn velocities(&self, dofs: std::ops::Range<usize>) -> &[f64] {
        &self.velocities[dofs]
    }
}

/// Make the change A⁻¹ times the force.
fn apply_inverse(
    body: &Body,
    panel: Option<&Panel>,
    Scratch { force, change, work, .. }: &mut Scratch,
) -> Result<(), Fault> {
    let defect = |defect| Fault::Matrix(FactorError::Matrix(defect));
    match (body.inertia(), body.inertia().view().map_err(defect)?) {
        (Inertia::Solver(solver), _) => {
            change.copy_from_slice(force);
            match solver.solve(change.len(), change) {
                0 => {}
                code => return Err(Fault::Solver(code)),
            }
        }
        (_, None) => change.fill(0.0),
        (_, Some(inertia::Inertia::Inverse(inverse))) => inverse.apply_to_vector(force, change),
        (_, Some(inertia::Inertia::Matrix(_))) => {
            change.copy_from_slice(force);
            let factored = panel.and_then(Panel::factored).ok_or(FactorError::Missing)?;
            factored.solve_vector(change, work)?;
        }
    }
    Ok(())
}

/// H u of a constraint on a body, signs included.
fn times_operators(constraint: &Constraint, id: Id, body: &Body, u: &[f64]) -> Vector {
    let mut sum = [0.0; 3];
    for (sign, frame, point) in constraint.points_on(id, body) {
        sum.iter_mut().zip(point.local_velocity(frame, u)).for_each(|(sum, value)| *sum += sign * value);
    }
    sum
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

fn at(x: &[f64], row: u32) -> Vector {
    let x = &x[3 * row as usize..][..3];
    [x[0], x[1], x[2]]
}

fn at_mut(y: &mut [f64], row: u32) -> &mut [f64] {
    &mut y[3 * row as usize..][..3]
}

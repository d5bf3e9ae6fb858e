//! Velocity increments h A⁻¹ Hᵀ x in products, for bodies without a Cholesky factor of h A⁻¹. A may have any form.

use crate::first_error::FirstError;
use crate::inertia::{self, FactorError, Workspace};
use crate::math::Vector;
use crate::memory::{collect, refill};
use crate::system::body::{Body, Inertia};
use crate::system::error::{Checked, Error, Fault, Result};
use crate::system::structure::NOWHERE;
use crate::team::Team;

use super::{BodiesOfProducts, ProductScratch};

/// The number of dofs of bodies without a factor from which on threads share the work: the cost of A⁻¹ grows with the square of the
/// dofs of a body.
const ENOUGH_DOFS: usize = 200;

/// The velocity increments of bodies without a Cholesky factor of h A⁻¹.
#[derive(Debug, Default)]
pub(super) struct Changes {
    all: Vec<VelocityIncrement>,
    /// For each body the index of its entry; empty if all have a factor.
    which: Vec<u32>,
    /// The entries of bodies without inverse callbacks, which any thread may compute.
    shared: Vec<u32>,
}

impl Changes {
    /// Whether all bodies have a factor.
    pub(super) fn are_none(&self) -> bool {
        self.all.is_empty()
    }

    /// h A⁻¹ Hᵀ x of the body at a place, of vector k, if it has no factor.
    pub(super) fn of(&self, body: usize, k: usize, dofs: usize) -> Option<&[f64]> {
        let change = self.all.get(*self.which.get(body)? as usize)?;
        change.values.get(dofs * k..dofs * (k + 1))
    }
}

/// h A⁻¹ Hᵀ x of a body, for each vector in turn.
#[derive(Debug, Default)]
struct VelocityIncrement {
    /// Place of the body.
    body: usize,
    values: Vec<f64>,
}

/// The workspace of a thread that applies A⁻¹.
#[derive(Debug, Default)]
pub(super) struct Tool {
    force: Vec<f64>,
    work: Workspace,
}

impl BodiesOfProducts<'_> {
    /// Compute y = A⁻¹ x for the body at a place.
    ///
    /// # Errors
    /// If A⁻¹ cannot be applied.
    pub(in crate::system) fn apply_inverse(
        &self,
        place: usize,
        x: &[f64],
        y: &mut [f64],
        work: &mut Workspace,
    ) -> Checked {
        let Some(body) = &self.bodies.things()[place] else { return Ok(()) };
        let defect = |defect| Fault::Matrix(FactorError::Matrix(defect));
        match (body.inertia(), body.inertia().view().map_err(defect)?) {
            (Inertia::Solver(solver), _) => {
                y.copy_from_slice(x);
                match solver.solve(y.len(), y) {
                    0 => {}
                    code => return Err(Fault::Solver(code)),
                }
            }
            (_, None) => y.fill(0.0),
            (_, Some(inertia::InertiaRef::Inverse(inverse))) => inverse.apply_to_vector(x, y),
            (_, Some(inertia::InertiaRef::Matrix(_))) => {
                y.copy_from_slice(x);
                self.made.panels[place].solve(y, work)?;
            }
        }
        Ok(())
    }

    /// Compute h A⁻¹ Hᵀ x of the bodies without a factor, one body at a time. Only the calling thread uses inverse callbacks.
    ///
    /// # Errors
    /// The error of the first body whose A⁻¹ cannot be applied; also if memory is exhausted.
    pub(super) fn change_others<const N: usize>(
        &self,
        x: [&[Vector]; N],
        scratch: &mut ProductScratch,
    ) -> Result {
        let is_other = |place: &usize| {
            !self.structure.rows_on(*place).is_empty() && !self.made.panels[*place].has_factor()
        };
        let others = (0..self.bodies.len()).filter(is_other);
        let ProductScratch { changes: Changes { all: changes, which, shared }, tools, .. } = scratch;
        which.clear();
        let count = others.clone().count();
        changes.truncate(count);
        if count == 0 {
            return Ok(());
        }
        changes.try_reserve(count - changes.len())?;
        changes.resize_with(count, VelocityIncrement::default);
        refill(which, self.bodies.len(), NOWHERE)?;
        let mut all_dofs = 0;
        for ((number, change), body) in changes.iter_mut().enumerate().zip(others) {
            change.body = body;
            which[body] = number as u32;
            let dofs = self.structure.dofs(body).len();
            refill(&mut change.values, N * dofs, 0.0)?;
            all_dofs += dofs;
        }

        let mut team = Team::if_it_pays(count > 1 && N * all_dofs >= ENOUGH_DOFS);
        tools.try_reserve(team.size().saturating_sub(tools.len()))?;
        tools.resize_with(team.size().max(tools.len()), Tool::default);
        let first_error = FirstError::default();
        let inertia =
            |change: &VelocityIncrement| self.bodies.things()[change.body].as_ref().map(Body::inertia);
        let has_solver = |change: &VelocityIncrement| inertia(change).is_some_and(Inertia::is_users);
        let without_solver = (0..).zip(&*changes).filter(|(_, change)| !has_solver(change));
        collect(shared, count, without_solver.map(|(number, _)| number))?;
        let make = |tool: &mut Tool, change: &mut VelocityIncrement| {
            first_error.note(change.body, self.make_change(x, tool, change));
        };
        team.share_chosen(tools, changes, shared, |tool, _, change| make(tool, change));
        let mut last_model = None;
        for at in 0..count {
            match inertia(&changes[at]) {
                Some(Inertia::Solver(_)) => make(&mut tools[0], &mut changes[at]),
                // The bodies of a shared inverse callback follow each other, with no body of another one between them.
                Some(Inertia::Member(member)) if last_model != Some(member.model) => {
                    last_model = Some(member.model);
                    let body = changes[at].body;
                    let made = self.make_changes(x, member.model, &mut tools[0], &mut changes[at..]);
                    first_error.note(body, made);
                }
                _ => {}
            }
        }
        first_error.into_result()
    }

    /// Compute the increments of the bodies of a shared inverse callback; `changes` begins with the first of them. The callback is
    /// called once for each vector, so that each product has the bits that it has alone.
    fn make_changes<const N: usize>(
        &self,
        x: [&[Vector]; N],
        model: usize,
        tool: &mut Tool,
        changes: &mut [VelocityIncrement],
    ) -> Result {
        let size = self.models.size(model);
        refill(&mut tool.force, N * size, 0.0)?;
        let first_body = changes[0].body;
        for is_solved in [false, true] {
            if is_solved {
                for column in tool.force.chunks_exact_mut(size) {
                    match self.models.solve(model, column) {
                        0 => {}
                        code => {
                            return Err(Error::of_body(self.bodies.ids()[first_body], Fault::Solver(code)));
                        }
                    }
                }
            }
            for change in &mut *changes {
                let place = match self.bodies.things()[change.body].as_ref().map(Body::inertia) {
                    Some(Inertia::Member(member)) if member.model == model => member.place.clone(),
                    Some(Inertia::Member(_)) => break,
                    _ => continue,
                };
                let values = change.values.chunks_exact_mut(place.len());
                for ((column, values), x) in tool.force.chunks_exact_mut(size).zip(values).zip(x) {
                    let own = &mut column[place.clone()];
                    match is_solved {
                        false => self.add_force(change.body, x, own),
                        true => {
                            values.iter_mut().zip(own).for_each(|(value, made)| *value = *made * self.step)
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// Compute the increment of a body without a factor.
    fn make_change<const N: usize>(
        &self,
        x: [&[Vector]; N],
        tool: &mut Tool,
        change: &mut VelocityIncrement,
    ) -> Result {
        let place = change.body;
        let Some(body) = &self.bodies.things()[place] else { return Ok(()) };
        for (x, values) in x.iter().zip(change.values.chunks_exact_mut(body.dofs())) {
            refill(&mut tool.force, body.dofs(), 0.0)?;
            self.add_force(place, x, &mut tool.force);
            self.apply_inverse(place, &tool.force, values, &mut tool.work)
                .map_err(|fault| Error::of_body(self.bodies.ids()[place], fault))?;
            values.iter_mut().for_each(|value| *value *= self.step);
        }
        Ok(())
    }
}

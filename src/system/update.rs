//! The way of one update: panels body by body, then rows, then what is left of the diagonal.
#![forbid(unsafe_code)]

use std::sync::Mutex;

use crate::assembly::diagonal::Diagonal;
use crate::assembly::pairs::Coupling;
use crate::assembly::panel::homogeneous;
use crate::assembly::panel::root::Root;
use crate::block::lanes::{Lanes as _, Level, Plain, add, combination, packed};
use crate::block::{Block, Vector, is_finite, mirrored, transposed};
use crate::first_error::FirstError;
use crate::inertia::{FactorError, Workspace};
use crate::kinematics::pseudo_rigid::{self, PseudoRigid};
use crate::kinematics::rigid::{self, Rigid};
use crate::threads::Team;

use super::body::{Body, Inertia, Kinematics};
use super::constraint::{Constraint, Placement};
use super::error::{Error, Fault, Subject};
use super::rows::Results;
use super::structure::{Structure, filled};
use super::table::{Id, Table};

type Lanes = <Plain as Level>::Lanes;

/// Bodies that a thread takes at a time, where one may be a large matrix.
const BODIES: usize = 16;

/// Rows that a thread takes at a time.
const ROWS: usize = 256;

/// Assemble everything; tables have no gaps, and the structure is theirs.
///
/// # Errors
/// Of the first body whose matrix cannot be factored, else of the first whose solver fails, else of the first constraint
/// whose values are not finite.
pub(super) fn assemble(
    bodies: &mut Table<Body>,
    constraints: &Table<Constraint>,
    structure: &mut Structure,
    results: &mut Results,
    works: &mut Vec<Mutex<Workspace>>,
    step: f64,
) -> Result<(), Error> {
    let mut team = Team::for_constraints(structure.len());
    let missing = team.size().saturating_sub(works.len());
    works.try_reserve(missing)?;
    works.resize_with(works.len().max(team.size()), Mutex::default);
    let scene = Scene { constraints: constraints.entries(), structure, step };
    scene.ready_panels(bodies.entries_mut(), works, &mut team)?;

    let Results { values, b, v, diagonal, inverse } = results;
    let (rows, blocks) = (structure.len(), structure.columns().len());
    for blocks_of in [(&mut *values, blocks), (&mut *diagonal, rows), (&mut *inverse, rows)] {
        resized(blocks_of.0, blocks_of.1, [0.0; 9])?;
    }
    resized(b, rows, [0.0; 3])?;
    resized(v, rows, [0.0; 3])?;
    let scene = Scene { constraints: constraints.entries(), structure, step };
    scene.write_rows(bodies, Part { first: 0, values, b, v, diagonal, inverse }, &mut team)?;
    structure.each_mirrored(|k, counterpart| values[counterpart] = transposed(&values[k]));
    Ok(())
}

/// As [`filled`], without touching what is there already.
fn resized<T: Copy>(values: &mut Vec<T>, length: usize, value: T) -> Result<(), Error> {
    values.try_reserve(length.saturating_sub(values.len()))?;
    values.resize(length, value);
    Ok(())
}

struct Scene<'a> {
    /// In the order of rows.
    constraints: &'a [(Id, Option<Constraint>)],
    structure: &'a Structure,
    step: f64,
}

impl Scene<'_> {
    /// The constraint of a row.
    fn constraint(&self, row: usize) -> Option<&Constraint> {
        self.constraints[row].1.as_ref()
    }

    /// The constraints of some rows, by their places among these.
    fn constraints_of(&self, rows: &[u32]) -> impl Iterator<Item = (usize, &Constraint)> {
        let constraints = rows.iter().map(|&row| self.constraint(row as usize)).enumerate();
        constraints.filter_map(|(k, constraint)| Some((k, constraint?)))
    }

    /// Fill and complete the panels of all bodies with rows; those of the user's solvers on this thread.
    fn ready_panels(
        &self,
        bodies: &mut [(Id, Option<Body>)],
        works: &[Mutex<Workspace>],
        team: &mut Team,
    ) -> Result<(), Error> {
        let first_error = FirstError::default();
        {
            let parts = bodies.len().div_ceil(BODIES);
            let chunks = Mutex::new(bodies.chunks_mut(BODIES).enumerate());
            team.share(parts, &|member, _| {
                let Some((number, chunk)) = held(&chunks).next() else { return };
                for (k, (id, body)) in chunk.iter_mut().enumerate() {
                    let place = number * BODIES + k;
                    let Some(body) = body else { continue };
                    if let Err(fault) = self.ready_panel(*id, place, body, &mut held(&works[member])) {
                        first_error.note(place, Error::of_body(*id, fault));
                    }
                }
            });
        }
        first_error.into_result()?;
        for (id, body) in bodies.iter_mut() {
            if let Some(body) = body {
                solve(body, self.step).map_err(|fault| Error::of_body(*id, fault))?;
            }
        }
        Ok(())
    }

    fn ready_panel(&self, id: Id, place: usize, body: &mut Body, work: &mut Workspace) -> Result<(), Fault> {
        let rows = self.structure.rows_on(place);
        resized(&mut body.locals, rows.len(), [[0.0; 3]; 2]).map_err(|error| error.fault)?;
        if rows.is_empty() {
            return Ok(());
        }
        let defect = |defect| Fault::Matrix(FactorError::Matrix(defect));
        let are_points = || self.constraints_of(rows).all(|(_, constraint)| constraint.is_at_points());
        let blocks = match (body.inertia.blocks().map_err(defect)?, &body.kinematics) {
            (Some(inverse), Kinematics::Rigid { .. }) => inverse.of_rigid(),
            (Some(inverse), Kinematics::PseudoRigid { .. }) if are_points() => inverse.of_pseudo_rigid(),
            _ => None,
        };
        let root = blocks.and_then(|blocks| Root::new(self.step, blocks));
        let (previous, free) = body.velocities.split_at(body.velocities.len() / 2);
        let velocities = [previous, free];
        match (&body.kinematics, root) {
            (Kinematics::Rigid { rotation, center }, Some(root)) => {
                let rigid = Rigid { rotation, center };
                let slots = body.panel.start_rigid(rows.len())?;
                for (k, constraint) in self.constraints_of(rows) {
                    let mut h = signed_columns(constraint, id, &rigid);
                    body.locals[k] = velocities.map(|velocity| combination(&h, velocity).vector());
                    root.apply(&mut h);
                    slots.z[k] = packed(&h);
                }
            }
            (Kinematics::PseudoRigid { center }, Some(root)) => {
                let pseudo_rigid = PseudoRigid { center };
                let slots = body.panel.start_pseudo_rigid(rows.len())?;
                for (k, constraint) in self.constraints_of(rows) {
                    let Some(h) = pseudo_rigid_operator(constraint, id, &pseudo_rigid) else { continue };
                    body.locals[k] = velocities.map(|velocity| h.local_velocity(Plain, velocity).vector());
                    homogeneous::Slot::new(Plain, &root, &h).write(&mut slots.z[k]);
                }
            }
            _ => {
                self.write_dense(id, rows, body)?;
                if let Some(inertia) = body.inertia.view().map_err(defect)? {
                    body.panel.apply(self.step, &inertia, work)?;
                }
            }
        }
        Ok(())
    }

    /// H and H of both velocities for all slots of any other body.
    fn write_dense(&self, id: Id, rows: &[u32], body: &mut Body) -> Result<(), Fault> {
        let mut panel = std::mem::take(&mut body.panel);
        let mut locals = std::mem::take(&mut body.locals);
        let result = panel.start_dense(rows.len(), body.freedoms()).map(|dense| {
            for (slot, constraint) in self.constraints_of(rows) {
                add_operators(constraint, id, body, dense.operator_mut(slot));
                locals[slot] = local_velocities(constraint, id, body);
            }
        });
        (body.panel, body.locals) = (panel, locals);
        Ok(result?)
    }

    /// Everything that belongs to rows, but for blocks left of the diagonal.
    fn write_rows(&self, bodies: &Table<Body>, all: Part, team: &mut Team) -> Result<(), Error> {
        let first_error = FirstError::default();
        let rest = Mutex::new(all);
        team.share(self.structure.len().div_ceil(ROWS), &|_, _| {
            let part = held(&rest).split(self.structure);
            if let Err((row, error)) = self.write_part(bodies, part) {
                first_error.note(row, error);
            }
        });
        first_error.into_result()
    }

    #[inline(always)]
    fn write_part(&self, bodies: &Table<Body>, part: Part) -> Result<(), (usize, Error)> {
        let starts = self.structure.starts();
        let base = starts[part.first] as usize;
        for (k, (b, v)) in part.b.iter_mut().zip(part.v).enumerate() {
            let row = part.first + k;
            let Some(constraint) = self.constraint(row) else { continue };
            let failed = |fault| {
                let subject = Subject::Constraint(self.constraints[row].0, constraint.bodies());
                Err((row, Error { subject, fault }))
            };
            let mut w = [Plain.zero(); 3];
            let mut local = [[0.0; 3]; 2];
            for side in self.structure.sides(row) {
                let Some(body) = bodies.entries()[side.body as usize].1.as_ref() else { continue };
                add(&mut w, &body.panel.columns(Plain, side.slot as usize, side.slot as usize));
                add_locals(&mut local, &body.locals[side.slot as usize]);
            }
            if self.structure.sides(row).count() < constraint.distinct_bodies() {
                self.add_obstacles(constraint, bodies, &mut local);
            }
            if let Some(compliance) = constraint.compliance() {
                add(&mut w, &Plain.columns(compliance));
            }
            [*v, *b] = local;
            if !(is_finite(b) && is_finite(v)) {
                return failed(Fault::NotFinite("its velocity V or B"));
            }
            let diagonal = mirrored(&packed(&w));
            if !is_finite(&diagonal) {
                return failed(Fault::NotFinite("its diagonal block of W"));
            }
            part.diagonal[k] = diagonal;
            part.inverse[k] = inverse_of(&diagonal);
            let first = self.structure.diagonal(row) - base;
            part.values[first] = diagonal;
            let blocks = &mut part.values[first + 1..starts[row + 1] as usize - base];
            for (block, (_, couplings)) in blocks.iter_mut().zip(self.structure.later(row)) {
                let [first, second] = couplings;
                let mut w = coupled(bodies, first);
                if second.is_some() {
                    match first {
                        Some(_) => add(&mut w, &coupled(bodies, second)),
                        None => w = coupled(bodies, second),
                    }
                }
                *block = packed(&w);
            }
            if let Some(place) = blocks.iter().position(|block| !is_finite(block)) {
                let other = self.structure.later(row).nth(place).map_or(row, |(column, _)| column);
                return failed(Fault::NotFiniteBlock(self.constraints[other].0));
            }
        }
        Ok(())
    }

    /// Velocities of obstacles, which no panel holds.
    fn add_obstacles(&self, constraint: &Constraint, bodies: &Table<Body>, local: &mut [Vector; 2]) {
        for (k, id) in constraint.bodies().into_iter().enumerate() {
            let Some(id) = id.filter(|_| k == 0 || constraint.bodies()[0] != id) else { continue };
            if let Some(body) = bodies.get(id).filter(|body| matches!(body.inertia, Inertia::Obstacle)) {
                add_locals(local, &local_velocities(constraint, id, body));
            }
        }
    }
}

/// The block of a coupling, column by column.
#[inline(always)]
fn coupled(bodies: &Table<Body>, coupling: Option<Coupling>) -> [Lanes; 3] {
    let Some(Coupling { body, row, column }) = coupling else { return [Plain.zero(); 3] };
    match &bodies.entries()[body].1 {
        Some(body) => body.panel.columns(Plain, row, column),
        None => [Plain.zero(); 3],
    }
}

/// The inverse of a diagonal block; NaN if the block is singular, or cannot be told from a singular one.
#[inline(always)]
fn inverse_of(w: &Block) -> Block {
    /// Entries of the inverse are rounding errors if the product of the largest magnitudes is above this.
    const HOPELESS: f64 = 1.0 / (64.0 * f64::EPSILON);
    let largest = |b: &Block| b.iter().fold(0.0, |largest, value| f64::max(largest, value.abs()));
    match Diagonal::new(w, false) {
        Ok(diagonal) if largest(w) * largest(&diagonal.a) <= HOPELESS => diagonal.a,
        _ => [f64::NAN; 9],
    }
}

/// Rows to be written, from `first` on.
struct Part<'a> {
    first: usize,
    values: &'a mut [Block],
    b: &'a mut [Vector],
    v: &'a mut [Vector],
    diagonal: &'a mut [Block],
    inverse: &'a mut [Block],
}

impl<'a> Part<'a> {
    /// Take away the first [`ROWS`] rows, or those that are left.
    fn split(&mut self, structure: &Structure) -> Part<'a> {
        let (first, count) = (self.first, self.b.len().min(ROWS));
        let starts = structure.starts();
        let blocks = (starts[first + count] - starts[first]) as usize;
        self.first += count;
        Part {
            first,
            values: front(&mut self.values, blocks),
            b: front(&mut self.b, count),
            v: front(&mut self.v, count),
            diagonal: front(&mut self.diagonal, count),
            inverse: front(&mut self.inverse, count),
        }
    }
}

fn front<'a, T>(slice: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (front, rest) = std::mem::take(slice).split_at_mut(count);
    *slice = rest;
    front
}

/// The columns of H of a constraint on a rigid body, master minus slave if it is both.
fn signed_columns(constraint: &Constraint, id: Id, body: &Rigid) -> [Lanes; rigid::FREEDOMS] {
    let is = |k: usize| constraint.bodies[k] == Some(id);
    match &constraint.placement {
        Placement::Points { frame, points } => {
            let axes = Plain.transposed_columns(frame);
            let mut h = [Plain.zero(); rigid::FREEDOMS];
            if is(0) {
                h = body.columns(&points[0], &axes);
            }
            if is(1) {
                let slave = body.columns(&points[1], &axes);
                h.iter_mut().zip(slave).for_each(|(h, slave)| *h = *h - slave);
            }
            h
        }
        Placement::Operators(operators) => {
            let mut h = [[0.0; 4]; rigid::FREEDOMS];
            for (_, operator) in operators.iter().enumerate().filter(|(k, _)| is(*k)) {
                let operator = operator.iter();
                operator.for_each(|operator| operator.each(|column, row, value| h[column][row] += value));
            }
            h.map(|column| Plain.load(&column))
        }
    }
}

/// H of a constraint at points of a pseudo-rigid body, master minus slave if it is both; `None` if it has operators.
fn pseudo_rigid_operator(
    constraint: &Constraint,
    id: Id,
    body: &PseudoRigid,
) -> Option<pseudo_rigid::Operator<Lanes>> {
    let Placement::Points { frame, points } = &constraint.placement else { return None };
    let mut arm = [0.0; 4];
    for ((point, owner), sign) in points.iter().zip(constraint.bodies).zip([1.0, -1.0]) {
        if owner == Some(id) {
            arm.iter_mut().zip(body.arm(point)).for_each(|(sum, arm)| *sum += sign * arm);
        }
    }
    Some(pseudo_rigid::Operator { axes: Plain.transposed_columns(frame), arm })
}

/// Add H of a constraint on a body to `h`, 3 × n, column-major.
pub(super) fn add_operators(constraint: &Constraint, id: Id, body: &Body, h: &mut [f64]) {
    for (k, sign) in [1.0, -1.0].into_iter().enumerate().filter(|(k, _)| constraint.bodies[*k] == Some(id)) {
        match &constraint.placement {
            Placement::Points { frame, points } => {
                if let Some(point) = body.point(&points[k]) {
                    point.add_operator(sign, frame, h);
                }
            }
            Placement::Operators(operators) => {
                if let Some(operator) = &operators[k] {
                    operator.add_to(h);
                }
            }
        }
    }
}

/// What a body adds to V and B of a constraint.
fn local_velocities(constraint: &Constraint, id: Id, body: &Body) -> [Vector; 2] {
    [body.previous_velocity(), body.velocity()]
        .map(|velocity| times_operators(constraint, id, body, velocity))
}

/// H u of a constraint on a body, signs included.
pub(super) fn times_operators(constraint: &Constraint, id: Id, body: &Body, u: &[f64]) -> Vector {
    let mut sum = [0.0; 3];
    for (k, sign) in [1.0, -1.0].into_iter().enumerate().filter(|(k, _)| constraint.bodies[*k] == Some(id)) {
        let local = match &constraint.placement {
            Placement::Points { frame, points } => {
                let local = body.point(&points[k]).map(|point| point.local_velocity(frame, u));
                local.map(|local| local.map(|value| sign * value))
            }
            Placement::Operators(operators) => operators[k].as_ref().map(|operator| operator.times(u)),
        };
        sum.iter_mut().zip(local.unwrap_or_default()).for_each(|(sum, value)| *sum += value);
    }
    sum
}

#[inline(always)]
fn add_locals(sum: &mut [Vector; 2], local: &[Vector; 2]) {
    sum.iter_mut()
        .zip(local)
        .for_each(|(sum, local)| sum.iter_mut().zip(local).for_each(|(sum, value)| *sum += value));
}

/// Let the user's solver, if the body has one, work on the operators of all slots at once.
fn solve(body: &mut Body, step: f64) -> Result<(), Fault> {
    let (freedoms, slots) = (body.freedoms(), body.locals.len());
    let Body { inertia: Inertia::Solver(solver), panel, columns, .. } = body else { return Ok(()) };
    if slots == 0 {
        return Ok(());
    }
    filled(columns, 3 * freedoms * slots, 0.0).map_err(|error| error.fault)?;
    panel.apply_with(step, |products| {
        // 3 × n panels to columns of n values, and back.
        for (panel, to) in products.chunks_exact(3 * freedoms).zip(columns.chunks_exact_mut(3 * freedoms)) {
            panel.iter().enumerate().for_each(|(k, value)| to[freedoms * (k % 3) + k / 3] = *value);
        }
        match solver.solve(freedoms, columns) {
            0 => {}
            code => return Err(Fault::Solver(code)),
        }
        for (panel, from) in products.chunks_exact_mut(3 * freedoms).zip(columns.chunks_exact(3 * freedoms)) {
            panel.iter_mut().enumerate().for_each(|(k, value)| *value = from[freedoms * (k % 3) + k / 3]);
        }
        Ok(())
    })
}

/// Locked; what a panic has left is made anew by the next update.
pub(super) fn held<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

//! Derivatives of a function of a step by the data of its system, by the chain of W = h H A⁻¹ Hᵀ, B = H u and u⁺ = u + h A⁻¹ Hᵀ R.
//!
//! Let x be the derivatives by B, so that those by W are x Rᵀ, and w the derivatives of the function by u⁺ itself. With p = Hᵀ x + w,
//! a = A⁻¹ p and b = A⁻¹ Hᵀ R of each body the derivatives are p by u, h p (Hᵀ R)ᵀ by A⁻¹, −h a bᵀ by A, x (u + h b)ᵀ + h R aᵀ by H,
//! Σ p · b by h, and x Rᵀ by a compliance.
#![forbid(unsafe_code)]

mod points;

use std::sync::PoisonError;

use crate::fault::check_size;
use crate::inertia;
use crate::kinematics::rigid::DOFS;
use crate::math::{Block, Vector, of_columns};
use crate::memory::{collect, refill};
use crate::solve::{Derivatives, Fit, LawChange};

use super::body::{Body, Inertia, finite};
use super::constraint::Placement;
use super::error::{Error, Fault, Result, unknown};
use super::id_table::Id;
use super::joints::BySide;
use super::matrix_free::{BodiesOfProducts, ProductWorkspace};
use super::model::System;

/// Derivatives of a function of a step by the data of its system: see [`System::gradient`]. They do not change when the system does.
#[derive(Debug, Default)]
pub struct Gradient {
    step: f64,
    by_step: f64,
    /// The ids of all bodies, and the first velocity of each, and the end.
    bodies: Vec<Id>,
    starts: Vec<usize>,
    /// p, Hᵀ R, a, b and u of all bodies.
    vectors: [Vec<f64>; 5],
    poses: Vec<Pose>,
    /// The number of mass blocks of the angular or deformation velocities: one of a rigid body, three of a pseudo-rigid one.
    blocks: Vec<u8>,
    /// The ids of all constraints, and the first scalar row of each, and the end.
    constraints: Vec<Id>,
    scalars: Vec<usize>,
    places: Vec<Place>,
    /// x and R.
    by_b: Vec<f64>,
    forces: Vec<f64>,
    work: inertia::Workspace,
    by_forces: Vec<f64>,
}

/// Derivatives by the configuration of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// By Λ, column-major; its entries count as independent of each other.
    pub rotation: Block,
    /// By X̄, the referential mass center.
    pub center: Vector,
    /// By the position in the world, see [`System::set_positions`]: joints by axes whose points are apart depend on it.
    pub position: Vector,
}

/// Derivatives by the place of a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// By the frame E, or the axes of a joint on its master, column-major; its entries count as independent of each other.
    pub frame: Block,
    /// By the axes of a joint on its slave; zero of other constraints.
    pub slave_frame: Block,
    /// By the referential points of master and slave.
    pub points: [Vector; 2],
}

/// The places of p, a and b.
const P: usize = 0;
const A: usize = 2;
const B: usize = 3;

impl System {
    /// Compute the derivatives of a function L of a step by all data of the system: of forces R and velocities U of the constraints after
    /// the step, and of the velocities u⁺ = u + h A⁻¹ Hᵀ R of the bodies, see [`System::apply_reactions`]. The data are as at the last
    /// update.
    ///
    /// - `derivatives`: of the solution `forces` of the last update, see [`System::compute_derivatives`].
    /// - `by_forces`, `by_u`: ∂L/∂R and ∂L/∂U, a value for each scalar row; none: zero.
    /// - `by_velocities`: ∂L/∂u⁺, the values of all bodies in the order of ids; none: zero.
    /// - `by_laws`: where to write the derivatives by the numbers of the laws, one for each row.
    /// - `gradient`: the others. Its memory is used again.
    ///
    /// # Errors
    /// If there was no successful update since the last change of anything, an array has the wrong length, a value is not finite, A⁻¹
    /// of a body cannot be applied, or memory is exhausted. If A⁻¹ cannot be applied or memory is exhausted, `gradient` is
    /// empty afterwards; else it has not changed.
    #[allow(clippy::too_many_arguments, reason = "each is another part of the chain")]
    pub fn gradient(
        &self,
        derivatives: &mut Derivatives,
        forces: &[f64],
        by_forces: Option<&[f64]>,
        by_u: Option<&[f64]>,
        by_velocities: Option<&[f64]>,
        by_laws: Option<&mut [LawChange]>,
        gradient: &mut Gradient,
    ) -> Result<Fit> {
        self.results()?;
        let dofs = self.structure.all_dofs();
        self.check_count(forces.len())?;
        finite("a force", forces).map_err(Error::of_system)?;
        let w = by_velocities.unwrap_or_default();
        check_size("derivatives by velocities", dofs, by_velocities.map_or(dofs, <[f64]>::len))
            .map_err(Error::of_system)?;
        finite("a derivative by a velocity", w).map_err(Error::of_system)?;
        derivatives.check_adjoint(1, by_forces, by_u).map_err(|error| self.of_row(error))?;
        let rows = derivatives.row_count();
        let given = by_laws.as_ref().map_or(rows, |laws| laws.len());
        check_size("derivatives by laws", rows, given).map_err(Error::of_system)?;
        let made = gradient.make(self, derivatives, forces, [by_forces, by_u, by_velocities], by_laws);
        if made.is_err() {
            *gradient = Gradient::default();
        }
        made
    }
}

impl Gradient {
    /// The derivative by the step h of the update. The free velocities and the biases count as given: their own dependence on h is the
    /// caller's.
    pub fn by_step(&self) -> f64 {
        self.by_step
    }

    /// The derivatives by B, a value for each scalar row; those by W are their products with the forces.
    pub fn by_b(&self) -> &[f64] {
        &self.by_b
    }

    /// The derivatives by the free velocity of a body.
    ///
    /// # Errors
    /// If there was no body with this id.
    pub fn by_velocity(&self, body: Id) -> Result<&[f64]> {
        Ok(&self.vectors[P][self.dofs(self.body(body)?)])
    }

    /// Write the derivatives by A of a body, n × n, column-major and symmetric: those by each pair of entries are the sum of both.
    ///
    /// # Errors
    /// If there was no body with this id, or the number of values is wrong.
    pub fn by_matrix(&self, body: Id, values: &mut [f64]) -> Result {
        let place = self.body(body)?;
        let dofs = self.dofs(place);
        let n = dofs.len();
        let checked = check_size("derivatives by its matrix", n * n, values.len());
        checked.map_err(|fault| Error::of_body(body, fault))?;
        for (j, column) in values.chunks_exact_mut(n.max(1)).enumerate() {
            (0..n).for_each(|i| column[i] = self.by_entry(dofs.start + i, dofs.start + j));
        }
        Ok(())
    }

    /// The derivatives by the mass of a rigid or pseudo-rigid body, and by its referential inertia, or Euler tensor, column-major and
    /// symmetric.
    ///
    /// # Errors
    /// If there was no such body with this id.
    pub fn by_inertia(&self, body: Id) -> Result<(f64, Block)> {
        let place = self.body(body)?;
        let count = usize::from(self.blocks[place]);
        let why = Fault::Invalid("it is neither rigid nor pseudo-rigid, or has another matrix");
        ensure!(count > 0, Error::of_body(body, why));
        let first = self.starts[place];
        let block = |k: usize| -> Block {
            let column = |j: usize| [0, 1, 2].map(|i| self.by_entry(first + 3 * k + i, first + 3 * k + j));
            of_columns([column(0), column(1), column(2)])
        };
        let mut tensor = [0.0; 9];
        (0..count).for_each(|k| tensor.iter_mut().zip(block(k)).for_each(|(sum, value)| *sum += value));
        let mass = block(count);
        Ok((mass[0] + mass[4] + mass[8], tensor))
    }

    /// The derivatives by the configuration of a rigid or pseudo-rigid body, with the frames and points of its constraints as they are.
    ///
    /// # Errors
    /// If there was no body with this id.
    pub fn by_pose(&self, body: Id) -> Result<&Pose> {
        Ok(&self.poses[self.body(body)?])
    }

    /// The derivatives by frame and points of a constraint, or by the axes and points of a joint; zero if operators place it.
    ///
    /// # Errors
    /// If there was no constraint with this id.
    pub fn by_place(&self, constraint: Id) -> Result<&Place> {
        Ok(&self.places[self.row(constraint)?])
    }

    /// Write the derivatives by the operator H of a constraint on a body, signs included, m × n, column-major. H of several bodies
    /// or of points is the sum of its parts.
    ///
    /// # Errors
    /// If there was no such constraint or body, or the number of values is wrong. It is not checked that the constraint acts on the body.
    pub fn by_operator(&self, constraint: Id, body: Id, values: &mut [f64]) -> Result {
        let (row, place) = (self.row(constraint)?, self.body(body)?);
        let (rows, dofs) = (self.scalars[row]..self.scalars[row + 1], self.dofs(place));
        let checked = check_size("derivatives by its operator", rows.len() * dofs.len(), values.len());
        checked.map_err(|fault| Error::of_body(body, fault))?;
        for (column, dof) in values.chunks_exact_mut(rows.len().max(1)).zip(dofs) {
            column.iter_mut().zip(rows.clone()).for_each(|(to, row)| *to = self.by_operator_entry(row, dof));
        }
        Ok(())
    }

    /// Write the derivatives by the compliance of a constraint, m × m, column-major: x Rᵀ, made symmetric.
    ///
    /// # Errors
    /// If there was no constraint with this id, or the number of values is wrong.
    pub fn by_compliance(&self, constraint: Id, values: &mut [f64]) -> Result {
        let row = self.row(constraint)?;
        let rows = self.scalars[row]..self.scalars[row + 1];
        let m = rows.len();
        check_size("derivatives by its compliance", m * m, values.len()).map_err(Error::of_system)?;
        let entry = |i: usize, j: usize| self.by_b[rows.start + i] * self.forces[rows.start + j];
        for (k, to) in values.iter_mut().enumerate() {
            *to = 0.5 * (entry(k % m, k / m) + entry(k / m, k % m));
        }
        Ok(())
    }

    /// Compute all of it; `by` are the derivatives by forces, velocities of constraints and velocities of bodies.
    fn make(
        &mut self,
        system: &System,
        derivatives: &mut Derivatives,
        forces: &[f64],
        by: [Option<&[f64]>; 3],
        by_laws: Option<&mut [LawChange]>,
    ) -> Result<Fit> {
        let [given, by_u, w] = by;
        self.list(system)?;
        refill(&mut self.by_b, forces.len(), 0.0)?;
        // ∂L/∂R with what u⁺ adds, h H A⁻¹ w.
        refill(&mut self.by_forces, forces.len(), 0.0)?;
        if let Some(given) = given {
            self.by_forces.copy_from_slice(given);
        }
        if let Some(w) = w {
            self.add_by_velocities(system, w)?;
        }
        let Self { by_forces, by_b, .. } = self;
        let fit = derivatives.adjoint(Some(by_forces), by_u, by_b, by_laws);
        let fit = fit.map_err(|error| system.of_row(error))?;
        collect(&mut self.forces, forces.len(), forces.iter().copied())?;
        self.follow(system, w.unwrap_or_default())?;
        Ok(fit)
    }

    fn body(&self, id: Id) -> Result<usize> {
        self.bodies.binary_search(&id).map_err(|_| Error::of_body(id, Fault::Unknown))
    }

    fn row(&self, id: Id) -> Result<usize> {
        self.constraints.binary_search(&id).map_err(|_| unknown(id))
    }

    fn dofs(&self, place: usize) -> std::ops::Range<usize> {
        self.starts[place]..self.starts[place + 1]
    }

    /// The derivative by an entry of A, as if it was in both halves.
    fn by_entry(&self, i: usize, j: usize) -> f64 {
        let [_, _, a, b, _] = &self.vectors;
        -0.5 * self.step * (a[i] * b[j] + a[j] * b[i])
    }

    fn by_operator_entry(&self, row: usize, dof: usize) -> f64 {
        let [_, _, a, b, u] = &self.vectors;
        self.by_b[row] * (u[dof] + self.step * b[dof]) + self.step * self.forces[row] * a[dof]
    }

    /// List bodies and constraints.
    fn list(&mut self, system: &System) -> Result {
        let Self { bodies, starts, constraints, scalars, places, poses, blocks, vectors, .. } = self;
        let structure = &system.structure;
        let count = system.bodies.len();
        collect(bodies, count, system.bodies.ids().iter().copied())?;
        let ends = (0..count).map(|place| structure.dofs(place).end);
        collect(starts, count + 1, std::iter::once(0).chain(ends))?;
        collect(constraints, structure.len(), structure.ids().iter().copied())?;
        let ends = (0..structure.len()).map(|row| structure.scalars(row).end);
        collect(scalars, structure.len() + 1, std::iter::once(0).chain(ends))?;
        refill(places, structure.len(), Place::default())?;
        refill(poses, count, Pose::default())?;
        let of_blocks = |body: &Option<Body>| match body.as_ref().map(Body::inertia) {
            Some(Inertia::Blocks { count, .. }) => *count as u8 - 1,
            _ => 0,
        };
        collect(blocks, count, system.bodies.things().iter().map(of_blocks))?;
        vectors.iter_mut().try_for_each(|vector| refill(vector, structure.all_dofs(), 0.0))?;
        self.step = system.step;
        Ok(())
    }

    /// Add h H A⁻¹ w to the derivatives by forces.
    fn add_by_velocities(&mut self, system: &System, w: &[f64]) -> Result {
        let workspace = &mut *system.workspace.lock().unwrap_or_else(PoisonError::into_inner);
        let ProductWorkspace { groups, .. } = workspace;
        let has_irregular = system.structure.has_irregular();
        if has_irregular {
            groups.list(&system.structure)?;
        }
        let through = system.through_bodies(has_irregular.then_some(&*groups));
        let Self { vectors, work, by_forces, scalars, step, starts, .. } = self;
        let changes = &mut vectors[A];
        through.apply_all_inverses(w, changes, work)?;
        let count = if has_irregular { groups.len() } else { system.structure.len() };
        for group in 0..count {
            let (row, part) = through.row(group);
            let mut sum = [0.0; 3];
            for side in system.structure.all_sides(row) {
                let place = side.body as usize;
                let own =
                    through.times_operators(row, part, place, &changes[starts[place]..starts[place + 1]]);
                (0..3).for_each(|i| sum[i] += own[i]);
            }
            let to = &mut by_forces[scalars[row]..scalars[row + 1]][3 * part..];
            to.iter_mut().zip(sum).for_each(|(to, sum)| *to += *step * sum);
        }
        Ok(())
    }

    /// Compute all vectors, and what follows from them.
    fn follow(&mut self, system: &System, w: &[f64]) -> Result {
        let workspace = &mut *system.workspace.lock().unwrap_or_else(PoisonError::into_inner);
        let ProductWorkspace { groups, padded: [padded, _], .. } = workspace;
        let Self { vectors: [p, q, a, b, u], by_b, forces, work, starts, .. } = self;
        p[..w.len()].copy_from_slice(w);
        for (x, to) in [(by_b, &mut *p), (forces, &mut *q)] {
            let (groups, x) = system.in_groups(groups, padded, x)?;
            let through = system.through_bodies(groups);
            for place in 0..system.bodies.len() {
                through.add_force(place, x.as_chunks().0, &mut to[starts[place]..starts[place + 1]]);
            }
        }
        let through = system.through_bodies(None);
        through.apply_all_inverses(p, a, work)?;
        through.apply_all_inverses(q, b, work)?;
        for (place, body) in system.bodies.things().iter().enumerate() {
            if let Some(body) = body {
                u[starts[place]..starts[place + 1]].copy_from_slice(body.velocity());
            }
        }
        self.by_step = self.vectors[P].iter().zip(&self.vectors[B]).map(|(p, b)| p * b).sum();
        for row in 0..self.constraints.len() {
            self.follow_points(&through, row);
        }
        self.follow_joints(system)
    }

    /// Add the derivatives by the place of a constraint at points, and by the configurations of its bodies.
    fn follow_points(&mut self, through: &BodiesOfProducts, row: usize) {
        let Some(constraint) = through.constraint(row) else { return };
        let Placement::Points { frame, points } = constraint.placement() else { return };
        for (role, (sign, id)) in [1.0, -1.0].into_iter().zip(constraint.bodies()).enumerate() {
            let Some(place) = id.and_then(|id| self.body(id).ok()) else { continue };
            let Some(body) = &through.bodies.things()[place] else { continue };
            let (first, start) = (self.scalars[row], self.starts[place]);
            let column = |k: usize| [0, 1, 2].map(|i| sign * self.by_operator_entry(first + i, start + k));
            let made = BySide::of_point(body.kinematics(), &points[role], frame, column);
            made.iter().for_each(|made| self.add_side(row, role, 0, Some(place), made));
        }
    }

    /// Add the derivatives by axes and points of joints, and by the configurations of their bodies.
    ///
    /// # Errors
    /// None: a joint stays on rigid bodies.
    fn follow_joints(&mut self, system: &System) -> Result {
        for k in 0..system.joints.len() {
            let entries = |id: Id, body: Id, i: usize| {
                let (Ok(row), Ok(place)) = (self.row(id), self.body(body)) else { return [0.0; DOFS] };
                let (row, start) = (self.scalars[row] + i, self.starts[place]);
                std::array::from_fn(|dof| self.by_operator_entry(row, start + dof))
            };
            let (id, bodies, sides) = system.reverse_joint(k, entries).map_err(Error::of_system)?;
            let row = self.row(id)?;
            for (role, (body, side)) in bodies.into_iter().zip(&sides).enumerate() {
                let body = body.map(|body| self.body(body)).transpose()?;
                self.add_side(row, role, role, body, side);
            }
        }
        Ok(())
    }

    /// Add the derivatives by the master's side (role 0) or the slave's side (role 1) of a constraint, on a body or the ground; `frame`:
    /// whose frame that side has, 0 or 1.
    fn add_side(&mut self, row: usize, role: usize, frame: usize, body: Option<usize>, side: &BySide) {
        let add = |to: &mut [f64], values: &[f64], sign: f64| {
            to.iter_mut().zip(values).for_each(|(to, value)| *to += sign * value);
        };
        let place = &mut self.places[row];
        place.points[role] = side.point;
        let to = if frame == 0 { &mut place.frame } else { &mut place.slave_frame };
        add(to, &side.frame, 1.0);
        if let Some(body) = body {
            let pose = &mut self.poses[body];
            add(&mut pose.rotation, &side.rotation, 1.0);
            add(&mut pose.center, &side.point, -1.0);
            add(&mut pose.position, &side.position, 1.0);
        }
    }
}

impl BodiesOfProducts<'_> {
    /// Compute y = A⁻¹ x for all bodies. Those without constraints have y = 0: an update does not factor their A, and R does not reach
    /// them. Only the calling thread uses inverse callbacks.
    ///
    /// # Errors
    /// The error of the first body whose A⁻¹ cannot be applied; also if memory is exhausted.
    fn apply_all_inverses(&self, x: &[f64], y: &mut [f64], work: &mut inertia::Workspace) -> Result {
        let (mut of_model, mut last_model) = (Vec::new(), None);
        let member_of = |place: usize| match self.bodies.things()[place].as_ref().map(Body::inertia) {
            Some(Inertia::Member(member)) => Some(member),
            _ => None,
        };
        for place in 0..self.bodies.len() {
            let dofs = self.structure.dofs(place);
            let own = |fault| Error::of_body(self.bodies.ids()[place], fault);
            let Some(member) = member_of(place) else {
                if self.structure.rows_on(place).is_empty() {
                    y[dofs].fill(0.0);
                    continue;
                }
                self.apply_inverse(place, &x[dofs.clone()], &mut y[dofs], work).map_err(own)?;
                continue;
            };
            // One callback applies A⁻¹ of all bodies of a model, which follow each other.
            if last_model != Some(member.model) {
                last_model = Some(member.model);
                refill(&mut of_model, self.models.size(member.model), 0.0)?;
                for other in place..self.bodies.len() {
                    if let Some(own) = member_of(other).filter(|own| own.model == member.model) {
                        of_model[own.place.clone()].copy_from_slice(&x[self.structure.dofs(other)]);
                    }
                }
                let code = self.models.solve(member.model, &mut of_model);
                ensure!(code == 0, own(Fault::Solver(code)));
            }
            y[dofs].copy_from_slice(&of_model[member.place.clone()]);
        }
        Ok(())
    }
}

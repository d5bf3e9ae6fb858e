//! The system: bodies, constraints, and what an update makes of them.
#![forbid(unsafe_code)]

use std::sync::{Mutex, PoisonError};

use crate::assembly::update::BodyOperators;
use crate::block::{Block, Vector};
use crate::eigen::{self, Estimate, Failure, Problem};
use crate::memory::with_room;
use crate::products::{self, Assembled, Columns};

use super::any_rows::Spread;
use super::body::{Body, Inertia, Kinematics, Solve, as_many, finite, of_size, orthonormal, same_bits};
use super::changes::{self, Plan};
use super::constraint::{Constraint, Operator, Placement, check_compliance};
use super::error::{Checked, Error, Fault, Result, Subject};
use super::jacobian::Room;
use super::kept::Kept;
use super::mixed::{MOST_BODIES, Mixed};
use super::models::{Member, Models};
use super::product::{Bodies, Scratch, ThroughBodies};
use super::rows::{Results, Rows};
use super::structure::Structure;
use super::table::{Id, Table};
use super::update::close_up;

/// Bodies and constraints, and the rows of W = h H A⁻¹ Hᵀ (+ compliance) with V and B.
///
/// Rows have the order in which constraints were inserted; where one is removed the later ones move up. Ids of bodies and
/// constraints are never used again. Results are there from a successful [`System::update`] to the next change.
#[derive(Debug, Default)]
pub struct System {
    pub(super) bodies: Table<Body>,
    /// What some of them are parts of.
    pub(super) models: Models,
    /// Those that are rows of three; all that there are, unless `mixed` knows others.
    pub(super) constraints: Table<Constraint>,
    /// What is kept with each constraint, under its id.
    pub(super) kept: Table<Kept>,
    pub(super) mixed: Option<Mixed>,
    pub(super) structure: Structure,
    pub(super) results: Results,
    /// The operators of bodies, as they stood at the last update.
    pub(super) made: BodyOperators,
    /// How many constraints have a compliance.
    pub(super) compliances: usize,
    /// Room for products through the bodies.
    scratch: Mutex<Scratch>,
    pub(super) spread: Mutex<Spread>,
    /// Room for what setters of many operators look at.
    pub(super) room: Room,
    /// What the next update makes again.
    pub(super) plan: Plan,
    /// The step of the last update.
    pub(super) step: f64,
    /// Whether frames and rotations need not be orthonormal.
    takes_any_axes: bool,
    /// Whether the structure is that of the constraints.
    pub(super) is_structured: bool,
    /// Whether everything that is not marked in the tables has been made, for this step: an update that fails leaves nothing that
    /// counts as made.
    pub(super) is_made: bool,
    /// Whether the results are those of bodies and constraints.
    pub(super) is_fresh: bool,
    /// Whether the operators are: velocities may have changed.
    pub(super) has_operators: bool,
}

impl System {
    /// A system without bodies.
    pub fn new() -> Self {
        Self::default()
    }

    // ---- bodies

    /// Insert a body with a given number of generalised velocities, all zero.
    ///
    /// # Errors
    /// As [`Body::new`].
    pub fn insert_body(&mut self, dofs: usize, kinematics: Kinematics, inertia: Inertia) -> Result<Id> {
        let id = self.bodies.next();
        let body = Body::new(dofs, kinematics, inertia).map_err(|fault| Error::of_body(id, fault))?;
        self.check_rotation(id, &kinematics)?;
        let marks = changes::of_body(&body.inertia);
        let id = self.bodies.insert(body, marks)?;
        self.structure_changes();
        Ok(id)
    }

    /// Insert a rigid body: its mass, its referential inertia about the mass centre, Λ, and X̄.
    ///
    /// # Errors
    /// As [`Inertia::rigid`] and [`Body::new`].
    pub fn insert_rigid(
        &mut self,
        mass: f64,
        inertia: &Block,
        rotation: &Block,
        center: &Vector,
    ) -> Result<Id> {
        let inertia =
            Inertia::rigid(mass, inertia).map_err(|fault| Error::of_body(self.bodies.next(), fault))?;
        self.insert_body(6, Kinematics::Rigid { rotation: *rotation, center: *center }, inertia)
    }

    /// Insert a pseudo-rigid body: its mass, its Euler tensor about the mass centre, and X̄.
    ///
    /// # Errors
    /// As [`Inertia::pseudo_rigid`] and [`Body::new`].
    pub fn insert_pseudo_rigid(&mut self, mass: f64, euler: &Block, center: &Vector) -> Result<Id> {
        let inertia =
            Inertia::pseudo_rigid(mass, euler).map_err(|fault| Error::of_body(self.bodies.next(), fault))?;
        self.insert_body(12, Kinematics::PseudoRigid { center: *center }, inertia)
    }

    /// Insert the bodies of a model, with given numbers of generalised velocities, all zero: one solver applies A⁻¹ of all of them, which
    /// couples no two of them. It gets columns in which the bodies' generalised velocities lie one behind the other in this order, as
    /// many columns as the body that needs most; what belongs to a body that needs fewer is zero in the others. In each update it is
    /// called once, or more often where columns would take too much memory ([`crate::assembly::update::bodies`]).
    ///
    /// The ids of the bodies follow one after the other; the first of them. Each may be removed alone, or be given another inertia: what
    /// belongs to it is then zero. The solver goes with the last of them.
    ///
    /// # Errors
    /// If there are no bodies, one has no velocities, there are more than an `i32` can count, or memory is exhausted. Then nothing has
    /// changed.
    pub fn insert_model(&mut self, sizes: &[usize], solver: impl Solve + 'static) -> Result<Id> {
        let first = self.bodies.next();
        let failed = |k: usize, fault: Fault| Error::of_body(first + k as Id, fault);
        let memory = |_| failed(0, Fault::Memory);
        ensure!(!sizes.is_empty(), failed(0, Fault::Invalid("a model has at least one body")));
        let mut size = 0_usize;
        for (k, dofs) in sizes.iter().enumerate() {
            let end = size.checked_add(*dofs).filter(|&end| i32::try_from(end).is_ok());
            size =
                end.ok_or(failed(k, Fault::Invalid("its model has more velocities than an int can count")))?;
        }
        let model = self.models.reserve().map_err(memory)?;
        self.bodies.reserve(sizes.len()).map_err(memory)?;
        let mut bodies = with_room(sizes.len()).map_err(memory)?;
        let mut end = 0;
        for (k, &dofs) in sizes.iter().enumerate() {
            let inertia = Inertia::Member(Member { model, place: end..end + dofs });
            bodies.push(Body::new(dofs, Kinematics::General, inertia).map_err(|fault| failed(k, fault))?);
            end += dofs;
        }
        self.models.insert(model, solver, size, sizes.len()).map_err(|fault| failed(0, fault))?;
        for body in bodies {
            let marks = changes::of_body(&body.inertia);
            self.bodies.insert(body, marks)?;
        }
        self.structure_changes();
        Ok(first)
    }

    /// Remove a body that no constraint acts on.
    ///
    /// # Errors
    /// If there is none with this id, or a constraint acts on it.
    pub fn remove_body(&mut self, id: Id) -> Result {
        if self.body(id)?.users > 0 {
            let mut users = self.constraints.iter().filter(|(_, user)| user.bodies.contains(&Some(id)));
            let user = users.next().map_or(0, |(user, _)| self.owner(user, 0));
            return Err(Error::of_body(id, Fault::InUse(user)));
        }
        if let Some(Body { inertia: Inertia::Member(member), .. }) = self.bodies.remove(id) {
            self.models.leave(&member);
        }
        self.structure_changes();
        if self.bodies.is_sparse() {
            // It may have rows of constraints that are gone, on bodies that are.
            self.structure.forget();
            close_up(&mut self.bodies, &mut self.structure, &mut self.made)?;
        }
        Ok(())
    }

    /// A body.
    ///
    /// # Errors
    /// If there is none with this id.
    pub fn body(&self, id: Id) -> Result<&Body> {
        self.bodies.get(id).ok_or(Error::of_body(id, Fault::Unknown))
    }

    /// All bodies, in the order of insertion.
    pub fn bodies(&self) -> impl Iterator<Item = (Id, &Body)> + Clone {
        self.bodies.iter()
    }

    /// Set Λ of a rigid body.
    ///
    /// # Errors
    /// If there is none with this id, the body is of another kind, or the rotation is not finite.
    pub fn set_rotation(&mut self, id: Id, rotation: &Block) -> Result {
        let kinematics = self.turned(id, rotation)?;
        self.change_body(id, |body, mark| {
            if body.set_kinematics(kinematics)? {
                *mark |= changes::CHANGED;
            }
            Ok(())
        })
    }

    /// How the points of a rigid body move with another Λ.
    ///
    /// # Errors
    /// As [`System::set_rotation`].
    pub(super) fn turned(&self, id: Id, rotation: &Block) -> Result<Kinematics> {
        let kinematics = Kinematics::Rigid { rotation: *rotation, center: *self.rigid(id)?.1 };
        kinematics.check().map_err(|fault| Error::of_body(id, fault))?;
        self.check_rotation(id, &kinematics)?;
        Ok(kinematics)
    }

    fn check_rotation(&self, id: Id, kinematics: &Kinematics) -> Result {
        let checked = if self.takes_any_axes { Ok(()) } else { kinematics.check_rotation() };
        checked.map_err(|fault| Error::of_body(id, fault))
    }

    /// Whether frames and rotations that are not orthonormal are taken as they are, from now on; at first they are refused.
    pub fn take_any_axes(&mut self, any: bool) {
        self.takes_any_axes = any;
    }

    /// Set what is known of A. The kind may change, but not to or from that of obstacles while constraints act on the body.
    ///
    /// # Errors
    /// If there is none with this id, the sizes differ, or the above.
    pub fn set_inertia(&mut self, id: Id, inertia: Inertia) -> Result {
        let body = self.body(id)?;
        let is_obstacle = |inertia: &Inertia| matches!(inertia, Inertia::Obstacle);
        if body.users > 0 && is_obstacle(body.inertia()) != is_obstacle(&inertia) {
            let what = "it cannot become an obstacle, or stop being one, while constraints act on it";
            return Err(Error::of_body(id, Fault::Invalid(what)));
        }
        let marks = changes::of_body(&inertia);
        let mut before = None;
        self.change_body(id, |body, mark| {
            before = Some(body.set_inertia(inertia)?);
            *mark = marks | *mark & !changes::UNSTEADY;
            Ok(())
        })?;
        if let Some(Inertia::Member(member)) = before {
            self.models.leave(&member);
        }
        Ok(())
    }

    /// As [`System::set_inertia`] by [`Inertia::dense`], in the memory of a dense A⁻¹ where the body has one.
    ///
    /// # Errors
    /// As there. Nothing has changed then.
    pub fn set_dense(&mut self, id: Id, size: usize, inverse: &[f64]) -> Result {
        self.replace_inertia(id, |own| own.replace_dense(size, inverse), || Inertia::dense(size, inverse))
    }

    /// As [`System::set_inertia`] by [`Inertia::matrix`]; where the body has a matrix with the same columns and rows, these are not checked
    /// again, and the memory is the same.
    ///
    /// # Errors
    /// As there. Nothing has changed then.
    pub fn set_matrix(&mut self, id: Id, starts: &[i32], rows: &[i32], values: &[f64]) -> Result {
        self.replace_inertia(
            id,
            |own| own.replace_matrix(starts, rows, values),
            || Inertia::matrix(starts, rows, values),
        )
    }

    fn replace_inertia(
        &mut self,
        id: Id,
        replace: impl FnOnce(&mut Inertia) -> Checked<bool>,
        make: impl FnOnce() -> Checked<Inertia>,
    ) -> Result {
        let failed = |fault| Error::of_body(id, fault);
        let (body, mark) = self.bodies.get_mut(id).ok_or(failed(Fault::Unknown))?;
        if !replace(&mut body.inertia).map_err(failed)? {
            return self.set_inertia(id, make().map_err(failed)?);
        }
        *mark |= changes::CHANGED;
        self.values_change();
        Ok(())
    }

    /// Set the free generalised velocity, of which B is made.
    ///
    /// # Errors
    /// If there is no such body, or there are not as many values or they are not finite.
    pub fn set_velocity(&mut self, id: Id, velocity: &[f64]) -> Result {
        self.set_either_velocity(id, velocity, Body::velocity_mut)
    }

    /// Set the previous generalised velocity, of which V is made.
    ///
    /// # Errors
    /// As [`System::set_velocity`].
    pub fn set_previous_velocity(&mut self, id: Id, velocity: &[f64]) -> Result {
        self.set_either_velocity(id, velocity, Body::previous_velocity_mut)
    }

    pub(super) fn check_velocity(&self, id: Id, velocity: &[f64]) -> Result {
        let failed = |fault| Error::of_body(id, fault);
        of_size("its generalised velocity", velocity, self.body(id)?.dofs()).map_err(failed)?;
        finite("its generalised velocity", velocity).map_err(failed)
    }

    fn set_either_velocity(
        &mut self,
        id: Id,
        velocity: &[f64],
        place: impl FnOnce(&mut Body) -> &mut [f64],
    ) -> Result {
        self.check_velocity(id, velocity)?;
        self.is_fresh = false;
        if let Some((body, mark)) = self.bodies.get_mut(id) {
            let place = place(body);
            if !same_bits(place, velocity) {
                place.copy_from_slice(velocity);
                *mark |= changes::VELOCITY;
            }
        }
        Ok(())
    }

    fn change_body(&mut self, id: Id, change: impl FnOnce(&mut Body, &mut u8) -> Checked) -> Result {
        let (body, mark) = self.bodies.get_mut(id).ok_or(Error::of_body(id, Fault::Unknown))?;
        change(body, mark).map_err(|fault| Error::of_body(id, fault))?;
        self.values_change();
        Ok(())
    }

    /// The id that the next body will have.
    pub fn next_body(&self) -> Id {
        self.bodies.next()
    }

    /// The id that the next constraint will have.
    pub fn next_constraint(&self) -> Id {
        self.mixed.as_ref().map_or(self.constraints.next(), Mixed::next)
    }

    /// Number of rows of the last update.
    pub fn row_count(&self) -> usize {
        if self.is_structured { self.kept.len() } else { 0 }
    }

    // ---- constraints

    /// Insert a constraint between points of bodies; `None` is the ground. U = Eᵀ (velocity of the master's point − velocity
    /// of the slave's), E = `frame` with the local axes as columns. Points are referential; that of the ground does not count.
    ///
    /// # Errors
    /// If there is no such body, a body has no points, both are the ground, something is not finite, the frame is not
    /// orthonormal, or memory is exhausted.
    pub fn insert_constraint(
        &mut self,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Result<Id> {
        self.insert_placed(bodies, Placement::at_points(frame, points))
    }

    /// Insert a constraint by operators, one for each body that is not the ground: U = H_master u_master + H_slave u_slave,
    /// signs included.
    ///
    /// # Errors
    /// If there is no such body, an operator is missing or of another size, both are the ground, or memory is exhausted.
    pub fn insert_operators(
        &mut self,
        bodies: [Option<Id>; 2],
        operators: [Option<Operator>; 2],
    ) -> Result<Id> {
        self.insert_placed(bodies, Ok(Placement::Operators(operators)))
    }

    fn insert_placed(&mut self, bodies: [Option<Id>; 2], placement: Checked<Placement>) -> Result<Id> {
        let subject = Subject::Constraint(self.next_constraint(), bodies);
        let failed = |fault| Error { subject, fault };
        let placement = placement.map_err(failed)?;
        self.check_placement(bodies, &placement).map_err(failed)?;
        let constraint = Constraint { bodies, placement, compliance: None };
        self.all_or_nothing(|system| system.put_triple(constraint)).map_err(|_| failed(Fault::Memory))
    }

    pub(super) fn check_placement(&self, bodies: [Option<Id>; 2], placement: &Placement) -> Checked {
        ensure!(bodies != [None, None], Fault::Invalid("both of its bodies are the ground"));
        if let (Placement::Points { frame, .. }, false) = (placement, self.takes_any_axes) {
            orthonormal("its frame is not orthonormal to within 1e-8", frame)?;
        }
        for (k, id) in bodies.into_iter().enumerate() {
            let body = id.map(|id| self.bodies.get(id).ok_or(Fault::NoBody(id))).transpose()?;
            match (body, placement) {
                (None, Placement::Points { .. }) => {}
                (Some(body), Placement::Points { .. }) if body.kinematics().dofs().is_some() => {}
                (Some(_), Placement::Points { .. }) => {
                    return Err(Fault::Invalid(
                        "a body of it is neither rigid nor pseudo-rigid and has no points",
                    ));
                }
                (body, Placement::Operators(operators)) => match (body, &operators[k]) {
                    (None, None) => {}
                    (Some(body), Some(operator)) => {
                        as_many("columns of its operator H", body.dofs(), operator.dofs())?;
                    }
                    _ => return Err(Fault::Invalid("it needs one operator H for each of its bodies")),
                },
            }
        }
        Ok(())
    }

    /// Remove a constraint: later rows move up.
    ///
    /// # Errors
    /// If there is none with this id.
    pub fn remove_constraint(&mut self, id: Id) -> Result {
        self.rows_of(id)?;
        let mut list = [0; MOST_BODIES];
        let bodies = self.bodies_of(id, &mut list);
        let has_compliance = self.constraint(id).is_ok_and(|constraint| constraint.compliance.is_some());
        self.compliances -= usize::from(has_compliance);
        match &mut self.mixed {
            Some(mixed) => mixed.remove(&mut self.constraints, id),
            None => drop(self.constraints.remove(id)),
        }
        self.kept.remove(id);
        self.mark_bodies(bodies.iter().copied(), |users| *users -= 1);
        if self.constraints.is_sparse() {
            self.constraints.close_up();
        }
        if self.kept.is_sparse() {
            self.kept.close_up();
        }
        self.structure_changes();
        Ok(())
    }

    /// Give a constraint at points another frame and other points.
    ///
    /// # Errors
    /// If there is none with this id, it was inserted with operators, or something is not finite.
    pub fn move_constraint(&mut self, id: Id, frame: &Block, points: [Vector; 2]) -> Result {
        let bodies = self.constraint(id)?.bodies;
        self.rebind_constraint(id, bodies, frame, points)
    }

    /// Give a constraint at points other bodies, with a frame and points on these: it keeps its row, its id and what is kept with it.
    ///
    /// # Errors
    /// As [`System::insert_constraint`] and [`System::move_constraint`].
    pub fn rebind_constraint(
        &mut self,
        id: Id,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Result {
        let (before, placement) = (self.constraint(id)?.bodies, self.check_move(id, bodies, frame, points)?);
        if before != bodies {
            self.mark_bodies(before.into_iter().flatten(), |users| *users -= 1);
            self.mark_bodies(bodies.into_iter().flatten(), |users| *users += 1);
            self.structure_changes();
        }
        self.change_constraint(id, |constraint, mark| {
            if constraint.bodies != bodies {
                constraint.bodies = bodies;
                *mark |= changes::REBOUND | changes::CHANGED;
            }
            if !constraint.placement.has_points_of(&placement) {
                *mark |= changes::CHANGED;
            }
            constraint.placement = placement;
        })
    }

    /// The placement of a constraint at points of these bodies.
    ///
    /// # Errors
    /// As [`System::rebind_constraint`].
    pub(super) fn check_move(
        &self,
        id: Id,
        bodies: [Option<Id>; 2],
        frame: &Block,
        points: [Vector; 2],
    ) -> Result<Placement> {
        let is_at_points = self.constraint(id)?.is_at_points();
        let failed = |fault| Error { subject: Subject::Constraint(id, bodies), fault };
        ensure!(is_at_points, failed(Fault::Invalid(OTHER_KIND)));
        let placement = Placement::at_points(frame, points).map_err(failed)?;
        self.check_placement(bodies, &placement).map_err(failed)?;
        Ok(placement)
    }

    /// Give a constraint by operators other ones.
    ///
    /// # Errors
    /// If there is none with this id, it was inserted at points, or an operator is missing or of another size.
    pub fn set_operators(&mut self, id: Id, operators: [Option<Operator>; 2]) -> Result {
        let constraint = self.constraint(id)?;
        let bodies = constraint.bodies;
        let failed = |fault| Error { subject: Subject::Constraint(id, bodies), fault };
        ensure!(!constraint.is_at_points(), failed(Fault::Invalid(OTHER_KIND)));
        let placement = Placement::Operators(operators);
        self.check_placement(bodies, &placement).map_err(failed)?;
        self.room.forget();
        self.change_constraint(id, |constraint, mark| {
            *mark |= changes::CHANGED;
            constraint.placement = placement;
        })
    }

    /// Set what is added to the diagonal block of a constraint, symmetric; `None`: nothing.
    ///
    /// # Errors
    /// If there is none with this id, or the compliance is not finite or not symmetric.
    pub fn set_compliance(&mut self, id: Id, compliance: Option<Block>) -> Result {
        let subject = Subject::Constraint(id, self.constraint(id)?.bodies);
        if let Some(compliance) = &compliance {
            check_compliance(3, compliance).map_err(|fault| Error { subject, fault })?;
        }
        if let Some((kept, _)) = self.kept.get_mut(id) {
            kept.compliance = compliance;
        }
        self.put_compliance(id)
    }

    pub(super) fn change_constraint(
        &mut self,
        id: Id,
        change: impl FnOnce(&mut Constraint, &mut u8),
    ) -> Result {
        let triple = self.triple(id)?;
        let (constraint, mark) = self.constraints.get_mut(triple).ok_or(unknown(id))?;
        change(constraint, mark);
        self.values_change();
        Ok(())
    }

    /// A constraint of three rows on one or two bodies.
    ///
    /// # Errors
    /// If there is none with this id, or it is of another kind.
    pub fn constraint(&self, id: Id) -> Result<&Constraint> {
        self.constraints.get(self.triple(id)?).ok_or(unknown(id))
    }

    /// All constraints of three rows on one or two bodies, in the order of rows.
    pub fn constraints(&self) -> impl Iterator<Item = (Id, &Constraint)> + Clone {
        self.constraints.iter().filter_map(|(triple, constraint)| match &self.mixed {
            Some(mixed) => {
                let owner = mixed.owner(triple, 0)?;
                (mixed.triple(&self.constraints, owner) == Ok(triple)).then_some((owner, constraint))
            }
            None => Some((triple, constraint)),
        })
    }

    /// The constraint that has a lane of a row of three.
    pub(super) fn owner(&self, triple: Id, lane: usize) -> Id {
        self.mixed.as_ref().and_then(|mixed| mixed.owner(triple, lane)).unwrap_or(triple)
    }

    /// The row of a constraint.
    ///
    /// # Errors
    /// If there is none with this id, or no update since the last change.
    pub fn row(&self, id: Id) -> Result<usize> {
        self.rows_of(id)?;
        self.needs(self.is_structured)?;
        match &self.mixed {
            Some(mixed) => mixed.view.ids().binary_search(&(id as i64)).map_err(|_| unknown(id)),
            None => self.structure.row(id).ok_or(unknown(id)),
        }
    }

    // ---- results

    /// The rows of W and what goes with them.
    ///
    /// # Errors
    /// If there was no successful update since the last change, or a constraint has not three rows on one or two bodies.
    pub fn rows(&self) -> Result<Rows<'_>> {
        self.needs(self.is_fresh)?;
        self.check_all_triples()?;
        Ok(self.latest_rows())
    }

    pub(super) fn latest_rows(&self) -> Rows<'_> {
        let Results { values, b, v, diagonal, inverse, .. } = &self.results;
        let (starts, columns) = (self.structure.starts(), self.structure.columns());
        let ids = self.mixed.as_ref().map_or(self.structure.ids(), |mixed| mixed.view.ids());
        Rows { ids, starts, columns, values, b, v, diagonal, inverse }
    }

    /// y = W x, of the blocks.
    ///
    /// # Errors
    /// If there was no update since anything but velocities changed, or x or y have not three values a row.
    pub fn times(&self, x: &[f64], y: &mut [f64]) -> Result {
        self.check_vectors(&[x, y])?;
        self.times_columns(1, alone(x), alone(y))
    }

    /// As [`System::times`], of `count` vectors at once: quicker than one after the other, with the same bits.
    ///
    /// # Errors
    /// As there, and if a stride is shorter than a vector, or a vector reaches beyond the values.
    pub fn times_columns(&self, count: usize, x: Columns<&[f64]>, y: Columns<&mut [f64]>) -> Result {
        self.check_columns(count, [(x.stride, x.values.len()), (y.stride, y.values.len())])?;
        self.multiply(&mut Assembled(self.latest_rows().blocks()), count, x, y)
    }

    /// y = W x as h H A⁻¹ Hᵀ x (+ compliance), without the blocks: through each body.
    ///
    /// # Errors
    /// As [`System::times`], and if a solver fails or memory is exhausted.
    pub fn times_through_bodies(&self, x: &[f64], y: &mut [f64]) -> Result {
        self.check_vectors(&[x, y])?;
        self.times_columns_through_bodies(1, alone(x), alone(y))
    }

    /// As [`System::times_through_bodies`], of `count` vectors at once: quicker than one after the other, with the same bits.
    ///
    /// # Errors
    /// As there and as [`System::times_columns`].
    pub fn times_columns_through_bodies(
        &self,
        count: usize,
        x: Columns<&[f64]>,
        y: Columns<&mut [f64]>,
    ) -> Result {
        self.check_columns(count, [(x.stride, x.values.len()), (y.stride, y.values.len())])?;
        let scratch = &mut *self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        self.multiply(&mut ThroughBodies { through: self.through_bodies(), scratch }, count, x, y)
    }

    /// Whether `count` vectors can have these strides and numbers of values.
    fn check_columns(&self, count: usize, shapes: [(usize, usize); 2]) -> Result {
        self.needs(self.has_operators)?;
        let length = self.scalar_count();
        let failed = |what, expected, found| Error::of_system(Fault::Size { what, expected, found });
        for (stride, found) in shapes {
            ensure!(stride >= length, failed("a stride of vectors of three values a row", length, stride));
            let expected = products::extent(count, stride, length);
            ensure!(found >= expected, failed("vectors of three values a row", expected, found));
        }
        Ok(())
    }

    /// Add the generalised force Hᵀ R of all constraints on a body to `force`.
    ///
    /// # Errors
    /// As [`System::times`]; if there is no such body, or `force` is of another size.
    pub fn add_force(&self, id: Id, reactions: &[f64], force: &mut [f64]) -> Result {
        self.check_vectors(&[reactions])?;
        let body = self.body(id)?;
        of_size("the generalised force", force, body.dofs()).map_err(|fault| Error::of_body(id, fault))?;
        if let Some(place) = self.bodies.place(id) {
            let through = self.through_bodies();
            self.with_spread(reactions, |reactions| {
                through.add_force(place, reactions.as_chunks().0, force);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// Add h A⁻¹ Hᵀ R to the free velocity of every body, theory (50): the velocity at the end of the step.
    ///
    /// B is that of the velocity before, so [`System::rows`] needs another update; products do not.
    ///
    /// # Errors
    /// As [`System::times_through_bodies`], and if a reaction or a velocity is not finite. No velocity has changed then.
    pub fn add_reactions(&mut self, reactions: &[f64]) -> Result {
        self.check_vectors(&[reactions])?;
        finite("a reaction R", reactions).map_err(Error::of_system)?;
        let scratch = &mut *self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        let through = self.through_bodies();
        self.with_spread(reactions, |reactions| through.write_velocities(reactions, scratch))?;
        let Self { bodies, structure, .. } = self;
        let (bodies, marks) = bodies.all_mut();
        for (place, (body, mark)) in bodies.iter_mut().zip(marks).enumerate() {
            if let Some(body) = body {
                body.velocity_mut().copy_from_slice(scratch.velocities(structure.dofs(place)));
                *mark |= changes::VELOCITY;
            }
        }
        self.is_fresh = false;
        Ok(())
    }

    /// Estimate the largest eigenvalue of W by the method of Lanczos on its blocks: see [`Problem::largest_eigenvalue`].
    ///
    /// # Errors
    /// As [`System::times`], and if memory is exhausted or the tolerance is not a number.
    pub fn largest_eigenvalue(&self, tolerance: f64, most_products: usize) -> Result<Estimate> {
        self.needs(self.has_operators)?;
        ensure!(!tolerance.is_nan(), Error::of_system(Fault::NotFinite("the tolerance")));
        let size = self.scalar_count();
        // By then every eigenvalue has been found, whatever the tolerance.
        let most = most_products.min(4 * size + 20);
        let stiffness = |x: &[f64], y: &mut [f64]| self.times(x, y);
        let mut problem = Problem { size, stiffness, inverse_mass: eigen::no_mass };
        problem.largest_eigenvalue(tolerance, most).map_err(|failure| match failure {
            Failure::Product(error) => error,
            Failure::Memory => Error::of_system(Fault::Memory),
            Failure::NotFinite | Failure::NotPositive | Failure::NothingMoves => {
                Error::of_system(Fault::NotFinite("a product with W"))
            }
        })
    }

    fn through_bodies(&self) -> Bodies<'_> {
        let Self { bodies, models, constraints, structure, made, step, .. } = self;
        let has_compliance = self.compliances > 0;
        Bodies { bodies, models, constraints, structure, made, step: *step, has_compliance }
    }

    fn check_vectors(&self, vectors: &[&[f64]]) -> Result {
        vectors.iter().try_for_each(|vector| self.check_count(vector.len()))
    }

    /// Whether products are there, and of vectors with so many values.
    pub(super) fn check_count(&self, found: usize) -> Result {
        self.needs(self.has_operators)?;
        as_many("a vector of three values a row", self.scalar_count(), found).map_err(Error::of_system)
    }

    pub(super) fn needs(&self, has: bool) -> Result {
        if has { Ok(()) } else { Err(Error::of_system(Fault::Stale)) }
    }

    pub(super) fn values_change(&mut self) {
        self.is_fresh = false;
        self.has_operators = false;
    }

    pub(super) fn structure_changes(&mut self) {
        self.values_change();
        self.is_structured = false;
        self.room.forget();
    }
}

/// What is wrong where points are given for operators, or the other way round.
pub(super) const OTHER_KIND: &str = "it is placed at points or by operators H as it was inserted";

/// One vector.
fn alone<T: AsRef<[f64]>>(values: T) -> Columns<T> {
    Columns { stride: values.as_ref().len(), values }
}

/// The error of an id that no constraint has.
pub(super) fn unknown(id: Id) -> Error {
    Error { subject: Subject::Constraint(id, [None, None]), fault: Fault::Unknown }
}

//! Bodies come, go, and change.
#![forbid(unsafe_code)]

use crate::math::{Block, Vector};
use crate::memory::with_room;
use crate::rows::fault::check_size;
use crate::system::body::{Body, Inertia, Kinematics, Member, Solve, finite, same_bits};
use crate::system::dirty;
use crate::system::error::{Checked, Error, Fault, Result};
use crate::system::id_table::Id;

use super::System;

impl System {
    /// Insert a body with a given number of generalised velocities, all zero.
    ///
    /// # Errors
    /// As [`Body::new`].
    pub fn insert_body(&mut self, dofs: usize, kinematics: Kinematics, inertia: Inertia) -> Result<Id> {
        let id = self.bodies.next();
        let body = Body::new(dofs, kinematics, inertia).map_err(|fault| Error::of_body(id, fault))?;
        self.check_rotation(id, &kinematics)?;
        let marks = dirty::of_body(&body.inertia);
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

    /// Insert the bodies of a model, with given numbers of generalised velocities, all zero: one solver applies A⁻¹ of all of them,
    /// which couples no two of them. It gets columns in which the bodies' generalised velocities lie one behind the other in this
    /// order, as many columns as the body that needs most; what belongs to a body that needs fewer is zero in the others. In each
    /// update it is called once, or more often where columns would take too much memory ([`crate::assembly::bodies`]).
    ///
    /// The ids of the bodies follow one after the other; the first of them. Each may be removed alone, or be given another inertia:
    /// what belongs to it is then zero. The solver goes with the last of them.
    ///
    /// # Errors
    /// If there are no bodies, one has no velocities, there are more than an `i32` can count, or memory is exhausted. Then nothing
    /// has changed.
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
            let marks = dirty::of_body(&body.inertia);
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
            self.close_up_bodies()?;
        }
        Ok(())
    }

    /// Close the gaps that removed bodies have left; the structure has no rows on them.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub(in crate::system) fn close_up_bodies(&mut self) -> Result {
        if self.bodies.has_gaps() {
            self.structure.close_up(&self.bodies)?;
            let bodies = self.bodies.things();
            self.made.retain(|place| bodies.get(place).is_some_and(Option::is_some));
            self.bodies.close_up();
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
                *mark |= dirty::CHANGED;
            }
            Ok(())
        })
    }

    /// How the points of a rigid body move with another Λ.
    ///
    /// # Errors
    /// As [`System::set_rotation`].
    pub(in crate::system) fn turned(&self, id: Id, rotation: &Block) -> Result<Kinematics> {
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
        let marks = dirty::of_body(&inertia);
        let mut before = None;
        self.change_body(id, |body, mark| {
            before = Some(body.set_inertia(inertia)?);
            *mark = marks | *mark & !dirty::UNSTEADY;
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

    /// As [`System::set_inertia`] by [`Inertia::matrix`]; where the body has a matrix with the same columns and rows, these are not
    /// checked again, and the memory is the same.
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
        *mark |= dirty::CHANGED;
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

    pub(in crate::system) fn check_velocity(&self, id: Id, velocity: &[f64]) -> Result {
        let failed = |fault| Error::of_body(id, fault);
        check_size("its generalised velocity", self.body(id)?.dofs(), velocity.len())
            .map_err(|fault| failed(fault.into()))?;
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
                *mark |= dirty::VELOCITY;
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
}

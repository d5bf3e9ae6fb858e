//! Inserts, removes and changes bodies.
#![forbid(unsafe_code)]

use crate::fault::check_size;
use crate::math::{Block, Vector};
use crate::memory::with_capacity;
use crate::system::axes::ROTATION;
use crate::system::body::{Body, Inertia, Kinematics, finite, same_bits};
use crate::system::bulk::{EntryError, EntryResult};
use crate::system::constraint::Constraint;
use crate::system::dirty;
use crate::system::error::{Checked, Error, Fault, Result};
use crate::system::id_table::{Id, Table};
use crate::system::inverse_callback::{Member, Solve};

use super::System;

/// The error of a body that cannot be removed, since a constraint acts on it.
pub(in crate::system) fn in_use(constraints: &Table<Constraint>, id: Id) -> Error {
    let mut users = constraints.iter().filter(|(_, user)| user.all_bodies().any(|body| body == id));
    Error::of_body(id, Fault::InUse(users.next().map_or(0, |(user, _)| user)))
}

impl System {
    /// Insert a body with a given number of generalized velocities, all zero.
    ///
    /// # Errors
    /// As [`Body::new`].
    pub fn add_body(&mut self, dofs: usize, kinematics: Kinematics, inertia: Inertia) -> Result<Id> {
        let mut inertia = Some(inertia);
        let inserted = self.add_bodies(1, |_| match inertia.take() {
            Some(inertia) => Body::new(dofs, kinematics, inertia),
            None => Err(Fault::Unknown),
        });
        inserted.map_err(|error| error.error)
    }

    /// Insert `count` bodies, all or none; `body` makes each. Their ids follow each other from the one that is returned.
    ///
    /// # Errors
    /// The error of the first entry that is not valid, or whose rotation is not orthonormal. Also if memory is exhausted. Nothing
    /// has changed then.
    pub fn add_bodies(
        &mut self,
        count: usize,
        mut body: impl FnMut(usize) -> Checked<Body>,
    ) -> EntryResult<Id> {
        let first = self.bodies.next();
        let mut bodies = with_capacity(count).map_err(Error::from)?;
        for entry in 0..count {
            let failed = |error| EntryError { entry: Some(entry), error };
            let refused = |fault| failed(Error::of_new_body(fault));
            let mut body = body(entry).map_err(refused)?;
            if let Kinematics::Rigid { rotation, .. } = &mut body.kinematics {
                *rotation = self.options.axes(rotation, &ROTATION).map_err(refused)?;
            }
            bodies.push(body);
        }
        self.bodies.reserve(count).map_err(Error::from)?;
        self.put_bodies(bodies)?;
        Ok(first)
    }

    /// Put bodies that have been checked into the table, which has room for them.
    fn put_bodies(&mut self, bodies: Vec<Body>) -> Result {
        for body in bodies {
            let marks = dirty::of_body(&body.inertia);
            self.bodies.insert(body, marks)?;
        }
        self.structure_changes();
        Ok(())
    }

    /// Set the mass and the referential inertia of a rigid body, or the mass and the Euler tensor of a pseudo-rigid one.
    ///
    /// # Errors
    /// If there is no body with this id, the body is of another kind, or as for [`System::set_inertia`].
    pub fn set_mass(&mut self, id: Id, mass: f64, inertia: &Block) -> Result {
        let made = match self.body(id)?.kinematics() {
            Kinematics::Rigid { .. } => Inertia::rigid(mass, inertia),
            Kinematics::PseudoRigid { .. } => Inertia::pseudo_rigid(mass, inertia),
            Kinematics::General => {
                Err(Fault::Invalid("it is neither rigid nor pseudo-rigid and has no mass"))
            }
        };
        self.set_inertia(id, made.map_err(|fault| Error::of_body(id, fault))?)
    }

    /// Insert a rigid body: its mass, its referential inertia about the mass center, Λ, and X̄.
    ///
    /// # Errors
    /// As [`Inertia::rigid`] and [`Body::new`].
    pub fn add_rigid(&mut self, mass: f64, inertia: &Block, rotation: &Block, center: &Vector) -> Result<Id> {
        let inertia = Inertia::rigid(mass, inertia).map_err(Error::of_new_body)?;
        self.add_body(6, Kinematics::Rigid { rotation: *rotation, center: *center }, inertia)
    }

    /// Insert a pseudo-rigid body: its mass, its Euler tensor about the mass center, and X̄.
    ///
    /// # Errors
    /// As [`Inertia::pseudo_rigid`] and [`Body::new`].
    pub fn add_pseudo_rigid(&mut self, mass: f64, euler: &Block, center: &Vector) -> Result<Id> {
        let inertia = Inertia::pseudo_rigid(mass, euler).map_err(Error::of_new_body)?;
        self.add_body(12, Kinematics::PseudoRigid { center: *center }, inertia)
    }

    /// Insert bodies with a shared inverse callback, with given numbers of generalized velocities, all zero. The callback applies
    /// A⁻¹ of all of them; A⁻¹ couples no two of them. The callback gets columns that hold the generalized velocities of all bodies
    /// in this order. The number of columns is the largest number that a body needs; if a body needs fewer, its entries in the
    /// other columns are zero. An update calls the callback once, or more often if columns would need too much memory
    /// ([`crate::assembly::bodies`]).
    ///
    /// Return the id of the first body; the ids follow each other. Each body may be removed alone, or may get another inertia: its
    /// entries are then zero. The callback is dropped with the last of the bodies.
    ///
    /// # Errors
    /// If there are no bodies, one has no velocities, there are more than an `i32` can count, or memory is exhausted. Then nothing
    /// has changed.
    pub fn add_model(&mut self, sizes: &[usize], solver: impl Solve + 'static) -> Result<Id> {
        let first = self.bodies.next();
        let memory = |_| Error::of_new_body(Fault::Memory);
        ensure!(!sizes.is_empty(), Error::of_new_body(Fault::Invalid("a model has at least one body")));
        let mut size = 0_usize;
        for dofs in sizes {
            let end = size.checked_add(*dofs).filter(|&end| i32::try_from(end).is_ok());
            size = end.ok_or(Error::of_new_body(Fault::TooLarge("its model has more velocities")))?;
        }
        let model = self.models.reserve().map_err(memory)?;
        self.bodies.reserve(sizes.len()).map_err(memory)?;
        let mut bodies = with_capacity(sizes.len()).map_err(memory)?;
        let mut end = 0;
        for &dofs in sizes {
            let inertia = Inertia::Member(Member { model, place: end..end + dofs });
            bodies.push(Body::new(dofs, Kinematics::General, inertia).map_err(Error::of_new_body)?);
            end += dofs;
        }
        self.models.insert(model, solver, size, sizes.len()).map_err(Error::of_new_body)?;
        self.put_bodies(bodies)?;
        Ok(first)
    }

    /// Remove a body that no constraint acts on.
    ///
    /// # Errors
    /// If there is no body with this id, or a constraint acts on it.
    pub fn remove_body(&mut self, id: Id) -> Result {
        if self.body(id)?.users > 0 {
            return Err(in_use(&self.constraints, id));
        }
        self.take_body(id);
        self.close_up_sparse_bodies()
    }

    /// Close the gaps of removed bodies if there are many.
    ///
    /// # Errors
    /// If memory is exhausted. The gaps stay then.
    pub(in crate::system) fn close_up_sparse_bodies(&mut self) -> Result {
        if self.bodies.is_sparse() {
            // The structure may have rows of removed constraints on removed bodies.
            self.structure.forget();
            self.close_up_bodies()?;
        }
        Ok(())
    }

    /// Remove a body that has been checked.
    pub(in crate::system) fn take_body(&mut self, id: Id) {
        if let Some(Body { inertia: Inertia::Member(member), .. }) = self.bodies.remove(id) {
            self.models.leave(&member);
        }
        self.structure_changes();
    }

    /// Close the gaps of removed bodies; the structure has no rows on them.
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
    /// If there is no body with this id.
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
    /// If there is no body with this id, the body is of another kind, or the rotation is not finite.
    pub fn set_rotation(&mut self, id: Id, rotation: &Block) -> Result {
        let kinematics = self.turned(id, rotation)?;
        self.change_body(id, |body, mark| {
            if body.set_kinematics(kinematics)? {
                *mark |= dirty::CHANGED;
            }
            Ok(())
        })
    }

    /// The motion of the points of a rigid body with another Λ.
    ///
    /// # Errors
    /// As [`System::set_rotation`].
    pub(in crate::system) fn turned(&self, id: Id, rotation: &Block) -> Result<Kinematics> {
        let center = *self.rigid(id)?.1;
        let failed = |fault| Error::of_body(id, fault);
        Kinematics::Rigid { rotation: *rotation, center }.check().map_err(failed)?;
        let rotation = self.options.axes(rotation, &ROTATION).map_err(failed)?;
        Ok(Kinematics::Rigid { rotation, center })
    }

    /// Set the inertia of a body. The kind may change; but while constraints act on the body, an obstacle stays an obstacle, and
    /// another body does not become one.
    ///
    /// # Errors
    /// If there is no body with this id, the sizes differ, or the kind may not change.
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

    /// Set the inertia by [`Inertia::dense`], in the memory of a dense A⁻¹ if the body has one.
    ///
    /// # Errors
    /// As for [`System::set_inertia`] and [`Inertia::dense`]. Nothing has changed then.
    pub fn set_dense(&mut self, id: Id, size: usize, inverse: &[f64]) -> Result {
        self.replace_inertia(id, |own| own.replace_dense(size, inverse), || Inertia::dense(size, inverse))
    }

    /// Set the inertia by [`Inertia::matrix`]. If the body has a matrix with the same columns and rows, these are not checked
    /// again, and the memory is the same.
    ///
    /// # Errors
    /// As for [`System::set_inertia`] and [`Inertia::matrix`]. Nothing has changed then.
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

    /// Set the free generalized velocity, from which B is computed.
    ///
    /// # Errors
    /// If there is no such body, the number of values is wrong, or they are not finite.
    pub fn set_velocity(&mut self, id: Id, velocity: &[f64]) -> Result {
        self.set_velocities(1, false, |_| (id, velocity)).map_err(|error| error.error)
    }

    /// Set the previous generalized velocity, from which V is computed.
    ///
    /// # Errors
    /// As [`System::set_velocity`].
    pub fn set_previous_velocity(&mut self, id: Id, velocity: &[f64]) -> Result {
        self.set_velocities(1, true, |_| (id, velocity)).map_err(|error| error.error)
    }

    pub(in crate::system) fn check_velocity(&self, id: Id, velocity: &[f64]) -> Result {
        let failed = |fault| Error::of_body(id, fault);
        check_size("its generalized velocity", self.body(id)?.dofs(), velocity.len()).map_err(failed)?;
        finite("its generalized velocity", velocity).map_err(failed)
    }

    /// Set a velocity that has been checked.
    pub(in crate::system) fn put_velocity(&mut self, id: Id, is_previous: bool, velocity: &[f64]) {
        self.is_fresh = false;
        if let Some((body, mark)) = self.bodies.get_mut(id) {
            let place = body.velocity_mut(is_previous);
            if !same_bits(place, velocity) {
                place.copy_from_slice(velocity);
                *mark |= dirty::VELOCITY;
            }
        }
    }

    fn change_body(&mut self, id: Id, change: impl FnOnce(&mut Body, &mut u8) -> Checked) -> Result {
        let (body, mark) = self.bodies.get_mut(id).ok_or(Error::of_body(id, Fault::Unknown))?;
        change(body, mark).map_err(|fault| Error::of_body(id, fault))?;
        self.values_change();
        Ok(())
    }
}

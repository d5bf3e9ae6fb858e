//! Many bodies or constraints at once as C sees them; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::errors::{Code, Result, fail};
use crate::system::{AtPoints, Id};

use super::arguments::{self, entry, null};
use super::bodies::is_previous;
use super::strided::Strided;
use super::{LDY_GROUND, ldy_system};

/// Insert many constraints at points, as ldy_system_add_point_constraint inserts one. The function inserts all of them or none.
///
/// In this function and the following ones each array has count entries. Its stride is the number of BYTES from the beginning of
/// one entry to the next, a multiple of 8, so that entries may be members of your structures. If the stride of an array that is
/// read is 0, its first entry is used for all. An int must be able to number the entries. If an entry is refused, nothing
/// changes, and the text has its index, counted from 0.
///
/// - masters, slaves: an id each, or LDY_GROUND. slaves NULL: all slaves are the ground. bodies_stride: for both.
/// - frames: 9 values each.
/// - master_points, slave_points: 3 values each; not read for the ground, and NULL is allowed if all of them are the ground.
///   points_stride: for both.
/// - constraint: where to write the id of the first constraint; the others have the following ids.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, or
/// ldy_system_add_point_constraint refuses an entry.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_point_constraints(
    system: *mut ldy_system,
    masters: *const i64,
    slaves: *const i64,
    bodies_stride: usize,
    frames: *const f64,
    frames_stride: usize,
    master_points: *const f64,
    slave_points: *const f64,
    points_stride: usize,
    count: usize,
    constraint: *mut i64,
) -> c_int {
    entry!(system: exclusive, masters: strided((count, bodies_stride, 1)),
           slaves: optional strided((count, bodies_stride, 1)), frames: strided((count, frames_stride, 9)),
           master_points: optional strided((count, points_stride, 3)),
           slave_points: optional strided((count, points_stride, 3)), constraint: place => {
        system.reserve_constraints(count)?;
        let sides = GivenSides { ids: [Some(masters), slaves], points: [master_points, slave_points] };
        sides.check(count, |k| sides.bodies(k))?;
        constraint.put(system.add_point_constraints(count, |k| sides.place(&frames, k))? as i64);
    })
}

/// Set frames and points of many constraints at points, and their bodies unless masters is NULL. The function sets all of them or
/// none.
///
/// Constraints keep their rows, ids, compliances, tags and reactions. If bodies change, the next update recomputes these bodies,
/// as after constraints are inserted and removed.
///
/// - constraints: an id each.
/// - masters, slaves, frames, master_points, slave_points and their strides: as in ldy_system_add_point_constraints. masters
///   NULL: bodies do not change, and slaves is not read.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an
/// argument is NULL, a stride is not a multiple of 8, it has operators, or ldy_system_add_point_constraint refuses an entry.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_move_constraints(
    system: *mut ldy_system,
    constraints: *const i64,
    constraints_stride: usize,
    masters: *const i64,
    slaves: *const i64,
    bodies_stride: usize,
    frames: *const f64,
    frames_stride: usize,
    master_points: *const f64,
    slave_points: *const f64,
    points_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: exclusive, constraints: ids((count, constraints_stride, "constraint")),
           masters: optional strided((count, bodies_stride, 1)), slaves: optional strided((count, bodies_stride, 1)),
           frames: strided((count, frames_stride, 9)), master_points: optional strided((count, points_stride, 3)),
           slave_points: optional strided((count, points_stride, 3)) => {
        let are_others = masters.is_some();
        let sides = GivenSides { ids: [masters, slaves.filter(|_| are_others)], points: [master_points, slave_points] };
        let bodies = |k: usize| match are_others {
            true => Some(sides.bodies(k)),
            false => None,
        };
        let all = |k: usize| {
            bodies(k).or(system.constraint(constraints.id(k)).ok().map(|own| own.bodies())).unwrap_or_default()
        };
        sides.check(count, all)?;
        let mut places = Vec::new();
        places.try_reserve_exact(count).map_err(|_| fail!(Code::OutOfMemory, "points: out of memory"))?;
        places.extend((0..count).map(|k| sides.points(all(k), k)));
        let entry = |k: usize| (constraints.id(k), bodies(k), frames.array(k), places[k]);
        system.move_constraints(count, entry)?;
    })
}

/// Return frames and points of many constraints, as they were given.
///
/// - constraints: an id each.
/// - frames: where to write 9 values each.
/// - master_points, slave_points: where to write 3 values each; for the ground, the given values or zero.
///
/// Each of the three results may be NULL: not wanted.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if another argument is NULL, a
/// stride is not a multiple of 8 or less than an entry, or it has operators. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_point_frames(
    system: *const ldy_system,
    constraints: *const i64,
    constraints_stride: usize,
    frames: *mut f64,
    frames_stride: usize,
    master_points: *mut f64,
    slave_points: *mut f64,
    points_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, constraints: ids((count, constraints_stride, "constraint")),
           frames: optional strided_mut((count, frames_stride, 9)),
           master_points: optional strided_mut((count, points_stride, 3)),
           slave_points: optional strided_mut((count, points_stride, 3)) => {
        system.point_frames(count, |k| constraints.id(k), |k, frame, points| {
            for (to, values) in [(&frames, &frame[..]), (&master_points, &points[0]), (&slave_points, &points[1])] {
                if let Some(to) = to {
                    to.put(k, values);
                }
            }
        })?;
    })
}

/// Set the compliances of many constraints, as ldy_system_set_compliance sets one. The function sets all of them or none.
///
/// - constraints: an id each.
/// - compliances: n values each: m^2 or m for constraints of m rows, or 0 for no compliance.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride
/// is not a multiple of 8, or ldy_system_set_compliance refuses an entry.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_compliances(
    system: *mut ldy_system,
    constraints: *const i64,
    constraints_stride: usize,
    compliances: *const f64,
    compliances_stride: usize,
    n: usize,
    count: usize,
) -> c_int {
    entry!(system: exclusive, constraints: ids((count, constraints_stride, "constraint")),
           compliances: strided((count, compliances_stride, n)) => {
        system.set_compliances(count, |k| (constraints.id(k), compliances.at(k)))?;
    })
}

/// Set the tags of constraints: a tag is any number by which the program finds a constraint again. The function sets all of them
/// or none.
///
/// The tag of a new constraint is 0. It remains until the constraint is removed. Results do not depend on it.
///
/// - constraints: an id each.
/// - tags: a tag each.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or a
/// stride is not a multiple of 8.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_tags(
    system: *mut ldy_system,
    constraints: *const i64,
    constraints_stride: usize,
    tags: *const u64,
    tags_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: exclusive, constraints: ids((count, constraints_stride, "constraint")),
           tags: strided((count, tags_stride, 1)) => {
        system.set_tags(count, |k| (constraints.id(k), tags.at(k)[0]))?;
    })
}

/// Remove many constraints, as ldy_system_remove_constraint removes one. The function removes all of them or none.
///
/// - constraints: count different ids.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride
/// is not a multiple of 8, or an id is there twice.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_remove_constraints(
    system: *mut ldy_system,
    constraints: *const i64,
    constraints_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: exclusive, constraints: ids((count, constraints_stride, "constraint")) => {
        system.remove_constraints(count, |k| constraints.id(k))?;
    })
}

/// Remove many bodies, as ldy_system_remove_body removes one. The function removes all of them or none.
///
/// - bodies: count different ids.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not
/// a multiple of 8, a constraint acts on a body, or an id is there twice.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_remove_bodies(
    system: *mut ldy_system,
    bodies: *const i64,
    bodies_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: exclusive, bodies: ids((count, bodies_stride, "body")) => {
        system.remove_bodies(count, |k| bodies.id(k))?;
    })
}

/// Set velocities of many bodies, as ldy_system_set_velocity sets one. The function sets all of them or none.
///
/// - which: LDY_VELOCITY_FREE or LDY_VELOCITY_PREVIOUS.
/// - bodies: an id each.
/// - n: number of generalized velocities, the same for all of these bodies.
/// - velocities: n values each.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not
/// a multiple of 8, n is not its number of velocities, or a value is not finite.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_velocities(
    system: *mut ldy_system,
    which: i32,
    bodies: *const i64,
    bodies_stride: usize,
    velocities: *const f64,
    velocities_stride: usize,
    n: usize,
    count: usize,
) -> c_int {
    entry!(system: exclusive, bodies: ids((count, bodies_stride, "body")),
           velocities: strided((count, velocities_stride, n)) => {
        system.set_velocities(count, is_previous(which)?, |k| (bodies.id(k), velocities.at(k)))?;
    })
}

/// Return velocities of many bodies, as ldy_system_velocity returns one.
///
/// - which: LDY_VELOCITY_FREE or LDY_VELOCITY_PREVIOUS.
/// - bodies: an id each.
/// - n: number of generalized velocities, the same for all of these bodies.
/// - velocities: where to write n values each.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not
/// a multiple of 8 or less than an entry, or n is not its number of velocities. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_velocities(
    system: *const ldy_system,
    which: i32,
    bodies: *const i64,
    bodies_stride: usize,
    velocities: *mut f64,
    velocities_stride: usize,
    n: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, bodies: ids((count, bodies_stride, "body")),
           velocities: strided_mut((count, velocities_stride, n)) => {
        system.velocities(count, n, is_previous(which)?, |k| bodies.id(k), |k, velocity| velocities.put(k, velocity))?;
    })
}

/// Set the rotations of many rigid bodies or obstacles, 9 values each, as ldy_system_set_rotation sets one. The function sets all
/// of them or none.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not
/// a multiple of 8, or ldy_system_set_rotation refuses an entry.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_rotations(
    system: *mut ldy_system,
    bodies: *const i64,
    bodies_stride: usize,
    rotations: *const f64,
    rotations_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: exclusive, bodies: ids((count, bodies_stride, "body")),
           rotations: strided((count, rotations_stride, 9)) => {
        system.set_rotations(count, |k| (bodies.id(k), rotations.array(k)))?;
    })
}

/// Return the rotations of many rigid bodies or obstacles.
///
/// - bodies: an id each.
/// - rotations: where to write 9 values each.
///
/// Returns 0, LDY_ERROR_NOT_FOUND if there is no such body, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not
/// a multiple of 8 or less than an entry, or it is of another kind. After an error nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_rotations(
    system: *const ldy_system,
    bodies: *const i64,
    bodies_stride: usize,
    rotations: *mut f64,
    rotations_stride: usize,
    count: usize,
) -> c_int {
    entry!(system: shared, bodies: ids((count, bodies_stride, "body")),
           rotations: strided_mut((count, rotations_stride, 9)) => {
        system.rotations(count, |k| bodies.id(k), |k, rotation| rotations.put(k, rotation))?;
    })
}

/// Masters and slaves with their points.
pub(crate) struct GivenSides<'a> {
    pub ids: [Option<Strided<'a, i64>>; 2],
    pub points: [Option<Strided<'a, f64>>; 2],
}

impl GivenSides<'_> {
    /// Check that ids are possible, and that the points of all bodies are there.
    pub fn check(&self, count: usize, bodies: impl Fn(usize) -> [Option<Id>; 2]) -> Result {
        self.check_ids()?;
        for (side, name) in ["master_points", "slave_points"].into_iter().enumerate() {
            if self.points[side].is_none() && (0..count).any(|k| bodies(k)[side].is_some()) {
                return Err(null(name));
            }
        }
        Ok(())
    }

    /// Check that ids are possible.
    pub fn check_ids(&self) -> Result {
        self.ids.iter().flatten().try_for_each(|ids| ids.checked("body", Some(LDY_GROUND)).map(|_| ()))
    }

    /// Master and slave.
    pub fn bodies(&self, entry: usize) -> [Option<Id>; 2] {
        self.ids.map(|ids| {
            let ids = ids?;
            (ids.at(entry)[0] != LDY_GROUND).then(|| ids.id(entry))
        })
    }

    /// Bodies, frame and points.
    pub fn place(&self, frames: &Strided<f64>, entry: usize) -> AtPoints {
        let bodies = self.bodies(entry);
        AtPoints { bodies, frame: frames.array(entry), points: self.points(bodies, entry) }
    }

    /// The points of master and slave; points of the ground are zero.
    pub fn points(&self, bodies: [Option<Id>; 2], entry: usize) -> [[f64; 3]; 2] {
        [0, 1].map(|side| match (bodies[side], self.points[side]) {
            (Some(_), Some(points)) => points.array(entry),
            _ => [0.0; 3],
        })
    }
}

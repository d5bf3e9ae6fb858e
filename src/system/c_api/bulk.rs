//! Many bodies or constraints at once as C sees them; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_longlong, c_ulonglong};

use crate::ffi::errors::{Code, Result, fail};
use crate::system::{AtPoints, EntryError, Id};

use super::arguments::{self, entry, null};
use super::strided::Strided;
use super::{LDY_GROUND, ldy_system};

/// Insert many constraints at points, as ldy_system_add_constraint does one: all of them, or none.
///
/// Of this function and those that follow: arrays have count entries; of each a stride says how many BYTES lie from the beginning
/// of one entry to that of the next, a multiple of 8, so that entries may be parts of structures. A stride of 0 has the first entry
/// stand for all, where it is read. A bad entry is named with its number, counted from 0, and then nothing has changed.
///
/// masters, slaves: an id each, or LDY_GROUND; slaves NULL: all are the ground. bodies_stride: of both. frames: 9 values each.
/// master_points, slave_points: 3 values each; not read for the ground, and NULL if it is all of them. points_stride: of both.
/// constraint: where to put the id of the first; those of the others follow one after the other.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, a stride that is no multiple of 8, or what ldy_system_add_constraint refuses).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_add_constraints(
    system: *mut ldy_system,
    count: usize,
    masters: *const c_longlong,
    slaves: *const c_longlong,
    bodies_stride: usize,
    frames: *const f64,
    frames_stride: usize,
    master_points: *const f64,
    slave_points: *const f64,
    points_stride: usize,
    constraint: *mut c_longlong,
) -> c_int {
    entry!(system: exclusive, masters: strided((count, bodies_stride, 1)),
           slaves: optional strided((count, bodies_stride, 1)), frames: strided((count, frames_stride, 9)),
           master_points: optional strided((count, points_stride, 3)),
           slave_points: optional strided((count, points_stride, 3)), constraint: place => {
        let sides = GivenSides { ids: [Some(masters), slaves], points: [master_points, slave_points] };
        sides.check(count, |k| sides.bodies(k))?;
        constraint.put(system.insert_constraints(count, |k| sides.place(&frames, k))? as c_longlong);
    })
}

/// Give many constraints at points other frames and points, and other bodies if masters is not NULL: all of them, or none. They
/// keep their rows, ids, compliances, tags and reactions; where bodies are others, the next update does these bodies again, as after
/// constraints were added and removed.
///
/// constraints: an id each. masters, slaves, frames, points with their strides: as in ldy_system_add_constraints; masters NULL:
/// bodies stay, and slaves is not read.
///
/// Returns 0, 1 (no memory) or 52 (NULL argument, a stride that is no multiple of 8, no such constraint, one with operators, or
/// what ldy_system_add_constraint refuses).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_move_constraints(
    system: *mut ldy_system,
    count: usize,
    constraints: *const c_longlong,
    constraints_stride: usize,
    masters: *const c_longlong,
    slaves: *const c_longlong,
    bodies_stride: usize,
    frames: *const f64,
    frames_stride: usize,
    master_points: *const f64,
    slave_points: *const f64,
    points_stride: usize,
) -> c_int {
    entry!(system: exclusive, constraints: constraint_ids((count, constraints_stride)),
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

/// Tell frames and points of many constraints, as they were given.
///
/// constraints: an id each. frames: 9 values each. master_points, slave_points: 3 values each; of the ground, as given or zero.
/// Each of the three may be NULL: not wanted.
///
/// Returns 0 or 52 (NULL argument, a stride that is no multiple of 8 or less than an entry, no such constraint, one with
/// operators); then nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_placements(
    system: *const ldy_system,
    count: usize,
    constraints: *const c_longlong,
    constraints_stride: usize,
    frames: *mut f64,
    frames_stride: usize,
    master_points: *mut f64,
    slave_points: *mut f64,
    points_stride: usize,
) -> c_int {
    entry!(system: shared, constraints: constraint_ids((count, constraints_stride)),
           frames: optional strided_mut((count, frames_stride, 9)),
           master_points: optional strided_mut((count, points_stride, 3)),
           slave_points: optional strided_mut((count, points_stride, 3)) => {
        let [mut frames, mut masters, mut slaves] = [frames, master_points, slave_points];
        system.placements(count, |k| constraints.id(k), |k, frame, points| {
            for (to, values) in [(&mut frames, &frame[..]), (&mut masters, &points[0]), (&mut slaves, &points[1])] {
                if let Some(to) = to {
                    to.put(k, values);
                }
            }
        })?;
    })
}

/// Set the compliances of many constraints, 9 values each, as ldy_system_set_compliance does one: all of them, or none.
///
/// Returns 0 or 52 (NULL argument, a stride that is no multiple of 8, no such constraint, or what ldy_system_set_compliance
/// refuses).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_compliances(
    system: *mut ldy_system,
    count: usize,
    constraints: *const c_longlong,
    constraints_stride: usize,
    compliances: *const f64,
    compliances_stride: usize,
) -> c_int {
    entry!(system: exclusive, constraints: constraint_ids((count, constraints_stride)),
           compliances: strided((count, compliances_stride, 9)) => {
        system.set_compliances(count, |k| (constraints.id(k), compliances.at(k)))?;
    })
}

/// Set the tags of many constraints, as ldy_system_set_tag does one: all of them, or none.
///
/// Returns 0 or 52 (NULL argument, a stride that is no multiple of 8, no such constraint).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_tags(
    system: *mut ldy_system,
    count: usize,
    constraints: *const c_longlong,
    constraints_stride: usize,
    tags: *const c_ulonglong,
    tags_stride: usize,
) -> c_int {
    entry!(system: exclusive, constraints: constraint_ids((count, constraints_stride)),
           tags: strided((count, tags_stride, 1)) => {
        system.set_tags(count, |k| (constraints.id(k), tags.at(k)[0]))?;
    })
}

/// Remove many constraints, as ldy_system_remove_constraint does one: all of them, or none.
///
/// constraints: an id each, none twice. Returns 0 or 52 (NULL argument, a stride that is no multiple of 8, no such constraint, an
/// id twice).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_remove_constraints(
    system: *mut ldy_system,
    count: usize,
    constraints: *const c_longlong,
    constraints_stride: usize,
) -> c_int {
    entry!(system: exclusive, constraints: constraint_ids((count, constraints_stride)) => {
        system.remove_constraints(count, |k| constraints.id(k))?;
    })
}

/// Set the free velocities of many bodies, n values each, as ldy_system_set_velocity does one: all of them, or none.
///
/// bodies: an id each. n: the number of generalised velocities of each of them.
///
/// Returns 0 or 52 (NULL argument, a stride that is no multiple of 8, no such body, one with another n, not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_velocities(
    system: *mut ldy_system,
    count: usize,
    bodies: *const c_longlong,
    bodies_stride: usize,
    n: usize,
    velocities: *const f64,
    velocities_stride: usize,
) -> c_int {
    entry!(system: exclusive, bodies: body_ids((count, bodies_stride)),
           velocities: strided((count, velocities_stride, n)) => {
        system.set_velocities(count, false, |k| (bodies.id(k), velocities.at(k)))?;
    })
}

/// Set the previous velocities of many bodies; as ldy_system_set_velocities.
///
/// Returns 0 or 52 (as there).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_previous_velocities(
    system: *mut ldy_system,
    count: usize,
    bodies: *const c_longlong,
    bodies_stride: usize,
    n: usize,
    velocities: *const f64,
    velocities_stride: usize,
) -> c_int {
    entry!(system: exclusive, bodies: body_ids((count, bodies_stride)),
           velocities: strided((count, velocities_stride, n)) => {
        system.set_velocities(count, true, |k| (bodies.id(k), velocities.at(k)))?;
    })
}

/// Tell the free velocities of many bodies, n values each, as ldy_system_velocity does of one.
///
/// Returns 0 or 52 (NULL argument, a stride that is no multiple of 8 or less than an entry, no such body, one with another n); then
/// nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_velocities(
    system: *const ldy_system,
    count: usize,
    bodies: *const c_longlong,
    bodies_stride: usize,
    n: usize,
    velocities: *mut f64,
    velocities_stride: usize,
) -> c_int {
    entry!(system: shared, bodies: body_ids((count, bodies_stride)),
           velocities: strided_mut((count, velocities_stride, n)) => {
        let mut velocities = velocities;
        system.velocities(count, n, |k| bodies.id(k), |k, velocity| velocities.put(k, velocity))?;
    })
}

/// Set the rotations of many rigid bodies or obstacles, 9 values each, as ldy_system_set_rotation does one: all of them, or none.
///
/// Returns 0 or 52 (NULL argument, a stride that is no multiple of 8, no such body, another kind, not finite).
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_set_rotations(
    system: *mut ldy_system,
    count: usize,
    bodies: *const c_longlong,
    bodies_stride: usize,
    rotations: *const f64,
    rotations_stride: usize,
) -> c_int {
    entry!(system: exclusive, bodies: body_ids((count, bodies_stride)),
           rotations: strided((count, rotations_stride, 9)) => {
        system.set_rotations(count, |k| (bodies.id(k), rotations.array(k)))?;
    })
}

/// Tell the rotations of many rigid bodies or obstacles, 9 values each.
///
/// Returns 0 or 52 (NULL argument, a stride that is no multiple of 8 or less than an entry, no such body, another kind); then
/// nothing is written.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_rotations(
    system: *const ldy_system,
    count: usize,
    bodies: *const c_longlong,
    bodies_stride: usize,
    rotations: *mut f64,
    rotations_stride: usize,
) -> c_int {
    entry!(system: shared, bodies: body_ids((count, bodies_stride)),
           rotations: strided_mut((count, rotations_stride, 9)) => {
        let mut rotations = rotations;
        system.rotations(count, |k| bodies.id(k), |k, rotation| rotations.put(k, rotation))?;
    })
}

/// The error's text becomes the last one of the thread.
impl From<EntryError> for Code {
    fn from(error: EntryError) -> Self {
        let code = error.error.into();
        fail!(code, "{error}")
    }
}

/// Masters and slaves with their points.
pub(super) struct GivenSides<'a> {
    pub ids: [Option<Strided<'a, c_longlong>>; 2],
    pub points: [Option<Strided<'a, f64>>; 2],
}

impl GivenSides<'_> {
    /// Check that ids are possible, and that the points of all bodies are there.
    pub fn check(&self, count: usize, bodies: impl Fn(usize) -> [Option<Id>; 2]) -> Result {
        for ids in self.ids.iter().flatten() {
            ids.checked("body", Some(LDY_GROUND))?;
        }
        for (side, name) in ["master_points", "slave_points"].into_iter().enumerate() {
            if self.points[side].is_none() && (0..count).any(|k| bodies(k)[side].is_some()) {
                return Err(null(name));
            }
        }
        Ok(())
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

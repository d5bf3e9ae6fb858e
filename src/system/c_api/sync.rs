//! Constraints matched with a list by keys, as C sees them; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::ffi::sized::caller_sized;
use crate::system::{Keyed, Synced};

use super::arguments::{self, entry};
use super::bulk::GivenSides;
use super::laws::check_kinds;
use super::ldy_system;
use super::solve::{law_of, ldy_law};

/// The changes that ldy_system_sync_constraints has made.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_sync_report {
    /// sizeof (ldy_sync_report), set by the caller before the call.
    pub size: usize,
    /// Number of constraints whose keys were known.
    pub kept: usize,
    /// Number of new constraints.
    pub inserted: usize,
    /// Number of constraints that were removed.
    pub removed: usize,
    /// The id of the first new constraint, or -1. New constraints have consecutive ids in the order of entries, and all older ids
    /// are smaller.
    pub first_inserted: i64,
}

caller_sized!(ldy_sync_report, inserted);

/// Make the constraints with keys equal to a list, for instance to the contacts that were found in this step. The function does
/// all of it, or nothing.
///
/// The program gives each entry a key, any number by which it knows a contact again. This function matches keys with the
/// constraints that earlier calls of it have inserted:
///
/// - A known key: the constraint gets bodies, frame and points of the entry. It keeps id, row, compliance and regularization,
///   reaction (ldy_system_stored_reactions), and law (ldy_system_set_law) unless the entry has a law. If its frame changes, the
///   reaction is expressed in the new axes, so that the force on the bodies in the world is the same, and a solver begins with
///   it. If master and slave change places, the sign of the reaction changes, too.
/// - A new key: a constraint is inserted as by ldy_system_add_point_constraint, after all others, with zero reaction.
/// - A key that is no longer in the list: the constraint is removed.
///
/// Constraints that were inserted by other functions have no key and are not touched. The key of a constraint is its tag:
/// ldy_system_tags returns keys in the order of rows, and ldy_system_set_tags changes the key. If two constraints have the same
/// key then, the one with the smaller id is kept, and the other is removed. The functions that move, change or remove constraints
/// take constraints with keys, too; a constraint that was removed has no key any more.
///
/// Rows have to be updated after it. If only frames and points have changed, the pattern of W stays.
///
/// - count: number of entries; 0 removes all constraints with keys. Strides are bytes, see ldy_system_add_point_constraints.
/// - keys: a key each, none twice.
/// - masters, slaves, frames, master_points, slave_points: as in ldy_system_add_point_constraints.
/// - laws: a law each, or NULL; laws_stride 0: the first is for all. A law of kind LDY_LAW_NONE, or NULL: a known constraint
///   keeps its law, and a new one has none.
/// - constraints: where to write the id of the constraint of each entry; NULL: not wanted.
/// - report: NULL: not wanted.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY or LDY_ERROR_INVALID_ARGUMENT (NULL argument, a stride that is no multiple of 8, a key
/// twice, an entry that ldy_system_add_point_constraint or ldy_system_set_law refuses: the text names the entry). After an error
/// nothing has changed, and the last update still has its results.
///
/// # Safety
/// system comes from ldy_system_create; arrays are NULL or have count entries of the sizes and strides given; constraints
/// overlaps no values that are read; report is NULL or valid and has the bytes that its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_system_sync_constraints(
    system: *mut ldy_system,
    keys: *const u64,
    keys_stride: usize,
    masters: *const i64,
    slaves: *const i64,
    bodies_stride: usize,
    frames: *const f64,
    frames_stride: usize,
    master_points: *const f64,
    slave_points: *const f64,
    points_stride: usize,
    laws: *const ldy_law,
    laws_stride: usize,
    constraints: *mut i64,
    constraints_stride: usize,
    count: usize,
    report: *mut ldy_sync_report,
) -> c_int {
    entry!(system: exclusive, keys: strided((count, keys_stride, 1)), masters: strided((count, bodies_stride, 1)),
           slaves: optional strided((count, bodies_stride, 1)), frames: strided((count, frames_stride, 9)),
           master_points: optional strided((count, points_stride, 3)),
           slave_points: optional strided((count, points_stride, 3)),
           laws: optional strided((count, laws_stride, 1)),
           constraints: optional strided_mut((count, constraints_stride, 1)), report: optional sized => {
        let sides = GivenSides { ids: [Some(masters), slaves], points: [master_points, slave_points] };
        sides.check(count, |k| sides.bodies(k))?;
        if let Some(laws) = &laws {
            check_kinds(count, laws, |_| None)?;
        }
        let entry = |k: usize| {
            let law = laws.as_ref().and_then(|laws| law_of(&laws.at(k)[0]));
            Keyed { key: keys.at(k)[0], place: sides.place(&frames, k), law }
        };
        let mut constraints = constraints;
        let synced = system.sync_constraints(count, entry, |k, id| {
            if let Some(constraints) = &mut constraints {
                constraints.put(k, &[id as i64]);
            }
        })?;
        if let Some(report) = report {
            let Synced { kept, inserted, removed, first_inserted } = synced;
            let first_inserted = first_inserted.map_or(-1, |id| id as i64);
            let size = size_of::<ldy_sync_report>();
            report.fill(&ldy_sync_report { size, kept, inserted, removed, first_inserted });
        }
    })
}

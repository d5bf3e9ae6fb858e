//! Constraints of systems across processes in C; part of `include/ldy_parallel.h`.

use std::ffi::c_int;

use crate::system::c_api::arguments::{self, entry};
use crate::system::c_api::bulk::GivenSides;

use super::handles::ldy_parallel;

/// Insert many constraints at points on this process, as ldy_system_add_point_constraints, under global ids of any order. The function
/// inserts all of them or none. It is not collective.
///
/// - constraints: an id each, which no constraint of any process has. constraints_stride: bytes from one id to the next.
/// - masters, slaves, frames, master_points, slave_points and their strides: as in ldy_system_add_point_constraints.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a stride is not a multiple of 8, a
/// constraint of this process has one of the ids, or ldy_system_add_point_constraint refuses an entry. If a constraint of another
/// process on the same bodies has one of the ids, the next ldy_parallel_update returns the error.
///
/// # Safety
/// parallel comes from ldy_parallel_create; arrays are NULL or have count entries of the sizes and strides given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_add_point_constraints(
    parallel: *mut ldy_parallel,
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
    entry!(parallel: exclusive, constraints: ids((count, constraints_stride, "constraint")),
           masters: strided((count, bodies_stride, 1)), slaves: optional strided((count, bodies_stride, 1)),
           frames: strided((count, frames_stride, 9)), master_points: optional strided((count, points_stride, 3)),
           slave_points: optional strided((count, points_stride, 3)) => {
        let sides = GivenSides { ids: [Some(masters), slaves], points: [master_points, slave_points] };
        sides.check(count, |k| sides.bodies(k))?;
        let system = parallel.system_mut();
        system.add_point_constraints_under(count, |k| constraints.id(k), |k| sides.place(&frames, k))?;
    })
}

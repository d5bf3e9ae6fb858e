//! Partitions in C; part of `include/ldy_parallel.h`.

use std::ffi::c_int;

use crate::memory::collected;
use crate::parallel::mpi::agreement::Call;
use crate::parallel::partition::Partition;
use crate::system::c_api::arguments::{self, entry};

use super::collective;
use super::handles::ldy_parallel;

/// Find a partition of bodies and constraints for ldy_parallel_migrate, by recursive coordinate bisection (Berger and Bokhari 1987).
/// Collective; a process may pass none.
///
/// Each process gets the bodies in a box, and its weight differs from the mean by at most 1.5 times the largest weight of a body. Ranks
/// of bodies have the same values for any present partition: weights are integers, and bodies with equal coordinates are ordered by
/// their ids. An obstacle and a body with weight 0 get the process of the box where they are, and change no box. A body that is not in a
/// list stays with its owner, as a body with an inverse callback must.
///
/// A constraint gets the process of its first body that is no obstacle, or of its first body if it acts on obstacles alone. It stays where
/// it is if one of its bodies has an inverse callback.
///
/// - bodies: body_count ids of own bodies.
/// - points: 3 coordinates of each body; NULL: its position, see ldy_system_set_positions.
/// - weights: a number of each body, not negative; NULL: 1 + the number of constraints on it, on any process.
/// - body_ranks: where to write the rank of each body.
/// - constraints: constraint_count ids of own constraints.
/// - constraint_ranks: where to write the rank of each constraint.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if a body or constraint does not belong to this process, or
/// LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a body is there twice, has an inverse callback or no position, a point is not
/// finite, or a weight is negative. All processes return the same error. Nothing moves.
///
/// # Safety
/// parallel comes from ldy_parallel_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_partition(
    parallel: *mut ldy_parallel,
    bodies: *const i64,
    points: *const f64,
    weights: *const i32,
    body_ranks: *mut i32,
    body_count: usize,
    constraints: *const i64,
    constraint_ranks: *mut i32,
    constraint_count: usize,
) -> c_int {
    let size = size_of::<i64>();
    let write = |ranks: &mut [i32], found: &[u32]| {
        ranks.iter_mut().zip(found).for_each(|(rank, &found)| *rank = found as i32);
    };
    collective!(parallel, Call::Partition; bodies: ids((body_count, size, "body")),
                points: optional strided((body_count, 3 * size, 3)), weights: optional values(body_count),
                body_ranks: values_mut(body_count), constraints: ids((constraint_count, size, "constraint")),
                constraint_ranks: values_mut(constraint_count);
                own = collected(body_count, bodies.ids()), others = collected(constraint_count, constraints.ids()) => {
        let place = points.map(|points| move |k: usize| points.array(k));
        let places = place.as_ref().map(|place| place as &dyn Fn(usize) -> [f64; 3]);
        let given = Partition { bodies: &own, places, weights, constraints: &others };
        let (of_bodies, of_constraints) = parallel.partition(&given)?;
        write(body_ranks, &of_bodies);
        write(constraint_ranks, &of_constraints);
        Ok(())
    })
}

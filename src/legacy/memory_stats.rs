//! Statistics of a local dynamics: memory and work.

use super::c_api::types::ldy_stats;
use super::errors::Result;
use super::layout::LOCDYN;
use super::rows::LocalDynamics;
use crate::ffi::sized::sized;

/// Write the statistics; see `ldy_get_stats`.
///
/// # Safety
/// As there.
pub unsafe fn get(ldy: *const LOCDYN, stats: *mut ldy_stats) -> Result {
    // SAFETY: the host promises to ldy_get_stats that ldy comes from LOCDYN_Create; nothing is written to it.
    let dynamics = unsafe { LocalDynamics::from_public(ldy.cast_mut())? };
    // SAFETY: the host promises to ldy_get_stats that stats has the bytes that its size states.
    let place = unsafe { sized("stats", stats)? };
    let panels = dynamics.bodies.made.panels.iter().map(|panel| panel.bytes());
    let [operator_bytes, factor_bytes] =
        panels.fold([0, 0], |sum, part| [sum[0] + part[0], sum[1] + part[1]]);
    let [velocities_time, operators_time, solves_time, diagonal_time, pairs_time] = dynamics.stats.times;
    let stats = ldy_stats {
        size: size_of::<ldy_stats>(),
        rows: dynamics.rows.pool.live(),
        blocks: 2 * dynamics.pairs.live(),
        row_bytes: dynamics.rows.bytes(),
        block_bytes: dynamics.pairs.bytes(),
        operator_bytes,
        factor_bytes,
        scratch_bytes: dynamics.bodies.bytes() + dynamics.scratch_bytes(),
        factorisations: dynamics.stats.factorizations,
        factors_reused: dynamics.stats.factors_reused,
        velocities_time,
        operators_time,
        solves_time,
        diagonal_time,
        pairs_time,
        ..ldy_stats::default()
    };
    #[cfg(feature = "mpi")]
    let stats = ldy_stats {
        block_bytes: stats.block_bytes + dynamics.externals.bytes(),
        scratch_bytes: stats.scratch_bytes + dynamics.exchange.bytes(),
        external_blocks: dynamics.externals.live,
        messages: dynamics.exchange.messages,
        message_bytes: dynamics.exchange.message_bytes,
        ..stats
    };
    place.fill(&stats);
    Ok(())
}

//! Contact solvers of systems across processes in C; part of `include/ldy_parallel.h`.

use std::ffi::c_int;

use crate::ffi::errors::{Code, Result, fail, invalid};
use crate::ffi::sized::CallerStruct;
use crate::parallel::Mode;
use crate::parallel::mpi::agreement::Call;
use crate::solve::Options;
use crate::system::c_api::arguments::{self, entry};
use crate::system::c_api::solve::{
    Chosen, NORMAL_OF_SYSTEMS, ldy_contact_solver_options, ldy_contact_solver_report, tell,
};

use super::collective;
use super::handles::ldy_parallel;

/// A mode: forces have the same bits for any number of processes and any partition.
pub const LDY_PARALLEL_SAME_BITS: i32 = 0;
/// A mode: Gauss-Seidel within a process; processes share the mass of a body that several of them change at once (mass splitting: Tonge,
/// Benevolenski and Voroshilov, SIGGRAPH 2012). There are fewer messages, forces depend on the partition, and it takes about as many
/// sweeps as the other mode.
pub const LDY_PARALLEL_FAST: i32 = 1;

/// Find forces R that obey the laws of all constraints, with the rows of the last update. Collective.
///
/// The method is Gauss-Seidel with momentum. In LDY_PARALLEL_SAME_BITS, the order of constraints that share a body depends on their ids
/// alone: 64 consecutive ids follow each other, so give close ids to close constraints. Laws are those kept with the constraints, see
/// ldy_system_set_law.
///
/// - options: as in ldy_contact_solver_solve, the same on all processes; NULL: defaults. method is LDY_METHOD_AUTOMATIC or
///   LDY_METHOD_GAUSS_SEIDEL, which mean the same here. canonical, max_work and progress must be 0 or NULL.
/// - mode: LDY_PARALLEL_SAME_BITS or LDY_PARALLEL_FAST.
/// - R: a value for each scalar row of this process's constraints, in the order of their ids: the initial guess, then the forces.
/// - count: ldy_parallel_scalar_count.
/// - report: where to write the result, the same on all processes except seconds and worst; NULL: not wanted. worst is the row of the
///   local system that contributes most to the residual, or -1 if it belongs to another process. work is 0.
///
/// Returns 0 even if the solution did not converge: see report->status. Returns LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS if
/// there was no successful update since the last change, LDY_ERROR_NOT_IMPLEMENTED if the options ask for what is not there, or
/// LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, count or mode is wrong, a constraint has no law, a value is not finite, or options
/// differ. All processes return the same error, and R has not changed then.
///
/// # Safety
/// parallel comes from ldy_parallel_create; R is NULL or has count values; options and report are NULL or valid and have the bytes that
/// their size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_parallel_solve(
    parallel: *mut ldy_parallel,
    options: *const ldy_contact_solver_options,
    mode: i32,
    R: *mut f64,
    count: usize,
    report: *mut ldy_contact_solver_report,
) -> c_int {
    collective!(parallel, Call::Solve; options: optional sized_const, R: values_mut(count), report: optional sized;
                chosen = read(options, mode) => {
        let (options, mode) = chosen;
        let result = parallel.solve(&options, mode, R)?;
        tell(report, &result, options.measure, parallel.history());
        Ok(())
    })
}

/// The options and the mode.
fn read(options: Option<CallerStruct<ldy_contact_solver_options>>, mode: i32) -> Result<(Options, Mode)> {
    let chosen = Chosen::read(options)?;
    chosen.check_for_systems(NORMAL_OF_SYSTEMS)?;
    let why = "options->progress is not NULL: there is no progress function across processes";
    ensure!(!chosen.has_progress(), fail!(Code::NotImplemented, "{why}"));
    let mode = match mode {
        LDY_PARALLEL_SAME_BITS => Mode::SameBits,
        LDY_PARALLEL_FAST => Mode::Fast,
        _ => return Err(invalid!("mode is {mode}; expected one of LDY_PARALLEL_*")),
    };
    Ok((chosen.options, mode))
}

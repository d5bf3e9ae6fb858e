//! Many systems at once, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;
use std::slice;

use crate::ffi::errors::{Code, Result, fail};
use crate::ffi::handle::{self, Handle};
use crate::ffi::sized::CallerStruct;
use crate::memory::{collect, refill};
use crate::solve::LawChange;
use crate::system::{Batch, ByResults, System};

use super::arguments::{self, entry, null};
use super::batch_strided::StridedVectors;
use super::derivatives::{ldy_fit, told};
use super::ldy_system;
use super::solve::{Chosen, NORMAL_OF_SYSTEMS, ldy_contact_solver_options, ldy_law, status_of};

/// The memory for many systems at once: a contact solver and derivatives for each. Threads take one system after the other (see
/// ldy_set_threads), and each system has the bits that it has alone. A call that repeats the number of systems and their
/// patterns allocates nothing. One thread at a time may use it.
#[derive(Default)]
pub struct ldy_batch {
    pub(super) batch: Batch,
    addresses: Vec<usize>,
    pub(super) changes: Vec<LawChange>,
    pub(super) strided: StridedVectors,
}

impl Handle for ldy_batch {
    type Core = Self;
}

/// Create a batch.
///
/// - batch: where to write it. Destroy it with ldy_batch_destroy.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if batch is NULL.
///
/// # Safety
/// batch is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_batch_create(batch: *mut *mut ldy_batch) -> c_int {
    entry!(batch: place => batch.put(handle::made("batch", ldy_batch::default())?))
}

/// Destroy a batch; NULL is allowed.
///
/// # Safety
/// batch is NULL or comes from ldy_batch_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_batch_destroy(batch: *mut ldy_batch) {
    // SAFETY: the C program promises that the batch comes from ldy_batch_create and that it does not use it any more.
    unsafe { handle::destroy(batch) };
}

/// Update many systems, as ldy_system_update does for one system. All are tried, also after an error. The calling thread updates the
/// systems that have inverse callbacks.
///
/// - systems: count systems, all different.
/// - h: the step of all of them.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a system is NULL or is there twice, or the error
/// of the first system that could not be updated; the text has its place in systems, counted from 0.
///
/// # Safety
/// batch comes from ldy_batch_create; systems is NULL or has count systems, each NULL or from ldy_system_create.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_batch_update(
    batch: *mut ldy_batch,
    systems: *const *mut ldy_system,
    count: usize,
    h: f64,
) -> c_int {
    entry!(batch: exclusive, systems: values(count) => {
        batch.check(systems)?;
        // SAFETY: no pointer is NULL or there twice. The C program promises that they come from ldy_system_create, where a system
        // begins, and that nobody else uses them. Nothing is written to the array itself.
        let systems = unsafe { slice::from_raw_parts_mut(systems.as_ptr().cast::<&mut System>().cast_mut(), count) };
        batch.batch.update(systems, h)?;
    })
}

/// Solve the contact problems of many systems, as ldy_contact_solver_solve does for one system, with kept laws. All
/// are tried, also after an error.
///
/// - systems: count systems, all different.
/// - options: NULL: the defaults. Each system has the same ones: a limit of sweeps or work belongs to each system, so that a hard one
///   does not keep the others waiting. There is no progress function.
/// - R: the forces of all systems, initial guesses and results.
/// - starts: count + 1 values: the first value of each system in R, from 0 on, and the end.
/// - statuses, residuals: where to write count values each, see ldy_contact_solver_report; NULL: not wanted. A system with an error has
///   the status -1.
///
/// Returns 0, also if solutions did not converge, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a system is
/// NULL or is there twice, or starts do not fit, or the error of the first system that could not be solved; the text has its place in
/// systems, counted from 0. R of a system with an error has not changed.
///
/// # Safety
/// batch comes from ldy_batch_create; systems is NULL or has count systems, each NULL or from ldy_system_create; the other arrays are
/// NULL or have the sizes given, and do not overlap; options is NULL or valid, and has the bytes that its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_batch_solve(
    batch: *mut ldy_batch,
    systems: *const *mut ldy_system,
    count: usize,
    options: *const ldy_contact_solver_options,
    R: *mut f64,
    starts: *const usize,
    statuses: *mut i32,
    residuals: *mut f64,
) -> c_int {
    entry!(batch: exclusive, systems: values(count), options: optional sized_const, starts: values(count + 1),
           R: values_mut(starts[count]), statuses: optional values_mut(count), residuals: optional values_mut(count) => {
        batch.check(systems)?;
        let chosen = chosen_of_batch(options)?;
        // SAFETY: as in ldy_batch_update; systems are only read.
        let systems = unsafe { slice::from_raw_parts(systems.as_ptr().cast::<&System>(), count) };
        let (mut statuses, mut residuals) = (statuses, residuals);
        statuses.iter_mut().for_each(|statuses| statuses.fill(-1));
        let measure = chosen.options.measure;
        batch.batch.solve(systems, &chosen.options, R, starts, |place, report| {
            statuses.iter_mut().for_each(|statuses| statuses[place] = status_of(report.status));
            residuals.iter_mut().for_each(|residuals| residuals[place] = report.residual.by(measure));
        })?;
    })
}

/// Compute y = W x for each of many systems, as ldy_system_multiply does for one system. All are tried, also after an error.
///
/// - systems: count systems, all different.
/// - x: a vector for each system, without gaps between them.
/// - y: where to write the products.
/// - starts: count + 1 values: the first value of each system in x and y, from 0 on, and the end.
///
/// Returns 0, LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a system is NULL or is there twice, or starts do not fit, or the error of
/// the first system whose W is not known; the text has its place in systems, counted from 0. y of a system with an error has not changed.
///
/// # Safety
/// batch comes from ldy_batch_create; systems is NULL or has count systems, each NULL or from ldy_system_create; the other arrays are
/// NULL or have the sizes given, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_batch_multiply(
    batch: *mut ldy_batch,
    systems: *const *mut ldy_system,
    count: usize,
    x: *const f64,
    y: *mut f64,
    starts: *const usize,
) -> c_int {
    entry!(batch: exclusive, systems: values(count), starts: values(count + 1), x: values(starts[count]),
           y: values_mut(starts[count]) => {
        batch.check(systems)?;
        // SAFETY: as in ldy_batch_update; systems are only read.
        let systems = unsafe { slice::from_raw_parts(systems.as_ptr().cast::<&System>(), count) };
        batch.batch.multiply(systems, x, y, starts)?;
    })
}

/// Compute for each of many systems the derivatives of a function of its forces and velocities by B and by laws. It does what
/// ldy_derivatives_compute and ldy_derivatives_adjoint do for one system, with the laws that are kept with the constraints. All are
/// tried, also after an error.
///
/// - systems: count systems, all different.
/// - R: the solutions of all systems.
/// - by_R, by_U: the derivatives of the functions.
/// - by_B: where to write their derivatives by B.
/// - by_laws: where to write their derivatives by the numbers of laws, one law for each constraint, in the order of systems and rows, see
///   ldy_derivatives_adjoint; NULL: not wanted. Nothing is written after an error. law_count is the number of constraints of all systems,
///   or 0.
/// - starts: count + 1 values: the first value of each system in R, by_R, by_U and by_B, from 0 on, and the end.
/// - fits: where to write count values, how well the equations of each system could be solved; NULL: not wanted.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a system is NULL or is there twice, or starts do
/// not fit, or the error of the first system that has no derivatives; the text has its place in systems, counted from 0.
///
/// # Safety
/// batch comes from ldy_batch_create; systems is NULL or has count systems, each NULL or from ldy_system_create; the other arrays are
/// NULL or have the sizes given, and those that are written do not overlap others.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_batch_adjoint(
    batch: *mut ldy_batch,
    systems: *const *mut ldy_system,
    count: usize,
    R: *const f64,
    by_R: *const f64,
    by_U: *const f64,
    by_B: *mut f64,
    by_laws: *mut ldy_law,
    law_count: usize,
    starts: *const usize,
    fits: *mut ldy_fit,
) -> c_int {
    entry!(batch: exclusive, systems: values(count), starts: values(count + 1), R: values(starts[count]), by_R: values(starts[count]),
           by_U: values(starts[count]), by_B: values_mut(starts[count]), by_laws: optional values_mut(law_count),
           fits: optional values_mut(count) => {
        batch.check(systems)?;
        ensure!(by_laws.is_some() || law_count == 0, null("by_laws"));
        let ldy_batch { batch, changes, .. } = batch;
        refill(changes, law_count, LawChange::default()).map_err(|_| no_memory())?;
        // SAFETY: as in ldy_batch_update; systems are only read.
        let systems = unsafe { slice::from_raw_parts(systems.as_ptr().cast::<&System>(), count) };
        let by = ByResults { forces: R, by_forces: by_R, by_velocities: by_U };
        let mut fits = fits;
        let wanted = by_laws.is_some().then_some(&mut changes[..]);
        batch.adjoint(systems, by, by_B, wanted, starts, |place, fit, is_solution| {
            fits.iter_mut().for_each(|fits| fits[place] = ldy_fit::new(fit, is_solution));
        })?;
        if let Some(by_laws) = by_laws {
            by_laws.iter_mut().zip(changes).for_each(|(to, change)| *to = told(*change));
        }
    })
}

impl ldy_batch {
    /// Check that no system is NULL or there twice.
    pub(super) fn check(&mut self, systems: &[*mut ldy_system]) -> Result {
        let null = systems.iter().position(|system| system.is_null());
        ensure!(
            null.is_none(),
            fail!(Code::InvalidArgument, "systems[{}] is NULL", null.unwrap_or_default())
        );
        let addresses = systems.iter().map(|system| system.addr());
        collect(&mut self.addresses, systems.len(), addresses).map_err(|_| no_memory())?;
        self.addresses.sort_unstable();
        let twice = self.addresses.windows(2).find(|pair| pair[0] == pair[1]);
        let place = twice.and_then(|pair| systems.iter().position(|system| system.addr() == pair[0]));
        ensure!(
            place.is_none(),
            fail!(Code::InvalidArgument, "systems[{}] is there twice", place.unwrap_or_default())
        );
        Ok(())
    }
}

/// The options of all systems of a batch.
pub(super) fn chosen_of_batch(options: Option<CallerStruct<ldy_contact_solver_options>>) -> Result<Chosen> {
    let chosen = Chosen::read(options)?;
    chosen.check_for_systems(NORMAL_OF_SYSTEMS)?;
    let why = "options->progress is not NULL: a batch has no progress function";
    ensure!(!chosen.has_progress(), fail!(Code::InvalidArgument, "{why}"));
    Ok(chosen)
}

pub(super) fn no_memory() -> Code {
    fail!(Code::OutOfMemory, "batch: out of memory")
}

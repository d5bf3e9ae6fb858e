//! Derivatives of a solution by its data, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::ffi::errors::{Code, Result, Whereabouts, fail, located};
use crate::ffi::handle::{self, Handle};
use crate::memory::{collect, refill};
use crate::rows::fault;
use crate::solve::{Derivatives, Fit, KinkKind, Law, LawChange, Normal, Problem, outer_product};
use crate::system::Id;

use super::arguments::{self, entry, null};
use super::ldy_system;
use super::rows::ldy_rows;
use super::solve::{LDY_LAW_NONE, laws_of_rows, ldy_law, read_laws};

/// A kind of kink: a contact has neither force nor normal velocity. Its force counts as constant.
pub const LDY_KINK_TOUCHING: i32 = 0;
/// A kind of kink: a contact has the largest friction and does not slide. It counts as sticking.
pub const LDY_KINK_SLIDING: i32 = 1;
/// A kind of kink: a contact has the largest moment about its tangents and does not roll. It counts as sticking.
pub const LDY_KINK_ROLLING: i32 = 2;
/// A kind of kink: a contact has the largest moment about its normal and does not spin. It counts as sticking.
pub const LDY_KINK_SPINNING: i32 = 3;
/// A kind of kink: a component of the force is at a bound, and its velocity is zero. Its force counts as constant.
pub const LDY_KINK_BOUND: i32 = 4;

/// A place where a solution is at a kink: changes of the data to one side have other derivatives than those to the other side.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_kink {
    /// The id of the constraint, or the number of its row if the derivatives were computed from rows.
    pub constraint: i64,
    /// The scalar row of the constraint, from 0; the first one of the force along both tangents, or of the moments about both.
    pub component: i32,
    /// One of LDY_KINK_TOUCHING, LDY_KINK_SLIDING, LDY_KINK_ROLLING, LDY_KINK_SPINNING, LDY_KINK_BOUND.
    pub kind: i32,
}

/// How well the equations of derivatives could be solved.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_fit {
    /// The largest share of a right-hand side that the equations cannot have, between 0 and 1; 0 up to rounding if they are regular.
    /// ldy_derivatives_forward: the change of the data leads to other states of constraints, or to a problem without a solution.
    /// ldy_derivatives_adjoint: the function depends on forces that have no derivatives.
    pub outside: f64,
    /// 1 if the equations are singular, so that only a part of the forces has derivatives. The changes of the others are those with
    /// the least sum of d dR^2, where d is a third of the trace of the diagonal block of W. Else 0.
    pub is_singular: i32,
    /// 1 if the residual of the forces is at most the tolerance. Else 0: the derivatives belong to no solution.
    pub is_solution: i32,
}

/// Derivatives of the forces R and the velocities U of a solution by all data of its problem. They do not depend on the system or
/// rows they were computed from. One thread at a time may use them.
#[derive(Default)]
pub struct ldy_derivatives {
    pub(super) derivatives: Derivatives,
    /// The laws of rows of three.
    laws: Vec<Law>,
    /// Whether each row is a contact with one coefficient of friction.
    is_isotropic: Vec<bool>,
    /// The ids of the rows, if a system has them.
    ids: Vec<Id>,
    pub(super) changes: Vec<LawChange>,
}

impl Handle for ldy_derivatives {
    type Core = Self;
}

/// Create derivatives. They have no rows until ldy_derivatives_compute or ldy_derivatives_compute_rows succeeds.
///
/// - derivatives: where to write them. Destroy them with ldy_derivatives_destroy.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if derivatives is NULL.
///
/// # Safety
/// derivatives is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_derivatives_create(derivatives: *mut *mut ldy_derivatives) -> c_int {
    entry!(derivatives: place => derivatives.put(handle::made("derivatives", ldy_derivatives::default())?))
}

/// Destroy derivatives; NULL is allowed.
///
/// # Safety
/// derivatives is NULL or comes from ldy_derivatives_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_derivatives_destroy(derivatives: *mut ldy_derivatives) {
    // SAFETY: the C program promises that they come from ldy_derivatives_create and that it does not use them any more.
    unsafe { handle::destroy(derivatives) };
}

/// Prepare the derivatives of a known solution, for the rows of the last update of a system.
///
/// - laws, law_count: as in ldy_contact_solver_solve.
/// - R: count values, the known solution. Solve with a tolerance that is a hundred times smaller than the one here.
/// - tolerance: velocities and forces below it count as zero, measured as LDY_MEASURE_SCALED in each group of rows that blocks of W
///   connect. Forces with a larger residual are accepted; is_solution of ldy_fit is 0 then. 0: 1e-6.
///
/// The memory of earlier derivatives is used again. Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS if there was no
/// successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if the tolerance is not between 0 and 1, or for the
/// reasons of ldy_contact_solver_solve; the text names the constraint. After an error the derivatives have not changed, but have no
/// rows if memory is exhausted.
///
/// # Safety
/// derivatives comes from ldy_derivatives_create and system from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_derivatives_compute(
    derivatives: *mut ldy_derivatives,
    system: *const ldy_system,
    laws: *const ldy_law,
    law_count: usize,
    R: *const f64,
    count: usize,
    tolerance: f64,
) -> c_int {
    entry!(derivatives: exclusive, system: shared, laws: optional values(law_count), R: values(count) => {
        ensure!(laws.is_some() || law_count == 0, null("laws"));
        laws_of_rows(system, laws, &mut derivatives.laws)?;
        let ldy_derivatives { derivatives: own, laws: of_rows, .. } = &mut *derivatives;
        system.compute_derivatives(own, of_rows, R, tolerance)?;
        derivatives.finish(laws, system.results()?.ids)?;
    })
}

/// Prepare the derivatives of a known solution, for any block-sparse rows.
///
/// - rows: as in ldy_contact_solver_solve_rows.
/// - laws: law_count laws, one for each row.
/// - normal_first: not 0 if the first component of contacts is the normal one, as in FCLIB. Else it is the last.
/// - R, count, tolerance: as in ldy_derivatives_compute.
///
/// Returns the codes of ldy_derivatives_compute, or LDY_ERROR_INVALID_ARGUMENT if the rows are ill-formed; the text names the row.
/// After an error as there.
///
/// # Safety
/// derivatives comes from ldy_derivatives_create; rows is NULL or valid and has the bytes that its size says, and its arrays have
/// the lengths that it says; the other arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_derivatives_compute_rows(
    derivatives: *mut ldy_derivatives,
    rows: *const ldy_rows,
    laws: *const ldy_law,
    law_count: usize,
    normal_first: c_int,
    R: *const f64,
    count: usize,
    tolerance: f64,
) -> c_int {
    entry!(derivatives: exclusive, rows: rows_with_b, laws: values(law_count), R: values(count) => {
        let (w, b) = rows;
        let normal = if normal_first == 0 { Normal::Third } else { Normal::First };
        read_laws(&w, laws, &mut derivatives.laws)?;
        let ldy_derivatives { derivatives: own, laws: of_rows, .. } = &mut *derivatives;
        own.compute(&Problem { w, b, normal }, of_rows, R, tolerance)?;
        derivatives.finish(Some(laws), &[])?;
    })
}

/// Compute the changes of forces and velocities that belong to small changes of the data: one change or several.
///
/// - velocities: count values for each change, dB + dW R.
/// - laws: law_count laws for each change, one for each row: each field has the change of the number that has this name; kind is not
///   read. Fields that the law of the row does not have are ignored; friction_2 is one of them if the law has one coefficient of
///   friction. NULL, with law_count 0: laws do not change.
/// - dR, dU: where to write count values for each change. bias is a number of the law: its change is no part of dU.
/// - count: number of scalar rows.
/// - columns: number of changes; the arrays of all changes follow each other.
/// - fit: where to write how well the equations could be solved; NULL: not wanted.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, a change is not
/// finite, or numbers overflow; the text names the constraint of a change. After an error nothing is written.
///
/// # Safety
/// derivatives comes from ldy_derivatives_create; arrays are NULL or have the sizes given, and those that are written do not overlap
/// others; fit is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_derivatives_forward(
    derivatives: *mut ldy_derivatives,
    velocities: *const f64,
    laws: *const ldy_law,
    law_count: usize,
    dR: *mut f64,
    dU: *mut f64,
    count: usize,
    columns: usize,
    fit: *mut ldy_fit,
) -> c_int {
    let all = count.saturating_mul(columns);
    let all_laws = law_count.saturating_mul(columns);
    entry!(derivatives: exclusive, velocities: values(all), laws: optional values(all_laws), dR: values_mut(all),
           dU: values_mut(all), fit: wanted => {
        ensure!(laws.is_some() || law_count == 0, null("laws"));
        let ldy_derivatives { derivatives: own, changes, is_isotropic, ids, .. } = derivatives;
        check_size("changes of velocities", own.scalar_count(), count)?;
        check_size("changes of laws", own.row_count(), if laws.is_some() { law_count } else { own.row_count() })?;
        read_changes(laws.unwrap_or_default(), is_isotropic, changes)?;
        let found = own.forward(velocities, laws.map(|_| &changes[..]), dR, dU).map_err(|error| named(error, ids))?;
        fit.put(ldy_fit::new(&found, own.is_solution()));
    })
}

/// Compute the derivatives of functions L of forces and velocities by all data: of one function or of several.
///
/// - by_R, by_U: count values for each function, its derivatives by R and by U. NULL: zero.
/// - by_B: where to write count values for each function, its derivatives by B. Those by W are by_B R^T, see ldy_rows_outer_product.
/// - by_laws: where to write law_count laws for each function, one for each row: each field has the derivative by the number that has
///   this name, kind is LDY_LAW_NONE. Where both bounds of a component are the same, each has a half of the derivative by the force.
///   NULL, with law_count 0: not wanted.
/// - count: number of scalar rows.
/// - columns: number of functions; the arrays of all functions follow each other.
/// - fit: where to write how well the equations could be solved; NULL: not wanted.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, a derivative is not
/// finite, or numbers overflow; the text names the constraint of a derivative. After an error nothing is written.
///
/// # Safety
/// derivatives comes from ldy_derivatives_create; arrays are NULL or have the sizes given, and those that are written do not overlap
/// others; fit is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_derivatives_adjoint(
    derivatives: *mut ldy_derivatives,
    by_R: *const f64,
    by_U: *const f64,
    by_B: *mut f64,
    by_laws: *mut ldy_law,
    law_count: usize,
    count: usize,
    columns: usize,
    fit: *mut ldy_fit,
) -> c_int {
    let all = count.saturating_mul(columns);
    let all_laws = law_count.saturating_mul(columns);
    entry!(derivatives: exclusive, by_R: optional values(all), by_U: optional values(all), by_B: values_mut(all),
           by_laws: optional values_mut(all_laws), fit: wanted => {
        ensure!(by_laws.is_some() || law_count == 0, null("by_laws"));
        let ldy_derivatives { derivatives: own, changes, is_isotropic, ids, .. } = derivatives;
        check_size("derivatives by B", own.scalar_count(), count)?;
        check_size("by_laws", own.row_count(), if by_laws.is_some() { law_count } else { own.row_count() })?;
        refill(changes, all_laws, LawChange::default()).map_err(|_| no_memory())?;
        let wanted = by_laws.is_some().then_some(&mut changes[..]);
        let found = own.adjoint(by_R, by_U, by_B, wanted).map_err(|error| named(error, ids))?;
        write_laws(changes, is_isotropic, by_laws.unwrap_or_default());
        fit.put(ldy_fit::new(&found, own.is_solution()));
    })
}

/// Return where the solution is at a kink, in the order of rows. Derivatives belong to one side there.
///
/// - kinks: where to write up to capacity kinks.
/// - capacity: number of values of kinks; 0 to get the count alone.
/// - count: where to write the number of kinks, also if it is above capacity; NULL: not wanted.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if derivatives is NULL, or kinks is NULL and capacity is not 0.
///
/// # Safety
/// derivatives comes from ldy_derivatives_create; kinks is NULL or has capacity values; count is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_derivatives_kinks(
    derivatives: *const ldy_derivatives,
    kinks: *mut ldy_kink,
    capacity: usize,
    count: *mut usize,
) -> c_int {
    entry!(derivatives: shared, kinks: values_mut(capacity), count: wanted => {
        count.put(derivatives.derivatives.kinks().count());
        for (to, kink) in kinks.iter_mut().zip(derivatives.derivatives.kinks()) {
            *to = ldy_kink {
                constraint: derivatives.constraint(kink.row),
                component: kink.component as i32,
                kind: match kink.kind {
                    KinkKind::Touching => LDY_KINK_TOUCHING,
                    KinkKind::Sliding => LDY_KINK_SLIDING,
                    KinkKind::Rolling => LDY_KINK_ROLLING,
                    KinkKind::Spinning => LDY_KINK_SPINNING,
                    KinkKind::Bound => LDY_KINK_BOUND,
                },
            };
        }
    })
}

/// Return the constraints whose forces have no derivatives, in the order of rows: the equations leave their changes open, as where W
/// is singular.
///
/// - constraints: where to write up to capacity ids or rows.
/// - capacity: number of values of constraints; 0 to get the count alone.
/// - count: where to write the number of these constraints, also if it is above capacity; NULL: not wanted.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if derivatives is NULL, constraints is NULL and capacity is not
/// 0, or numbers overflow.
///
/// # Safety
/// derivatives comes from ldy_derivatives_create; constraints is NULL or has capacity values; count is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_derivatives_undetermined(
    derivatives: *mut ldy_derivatives,
    constraints: *mut i64,
    capacity: usize,
    count: *mut usize,
) -> c_int {
    entry!(derivatives: exclusive, constraints: values_mut(capacity), count: wanted => {
        let rows = derivatives.derivatives.undetermined()?;
        count.put(rows.len());
        for (to, row) in constraints.iter_mut().zip(rows) {
            *to = derivatives.constraint(row);
        }
    })
}

/// Write the blocks of x y^T in the pattern of W: with the derivatives by B as x and the forces R as y, these are the derivatives by W.
///
/// - rows: as in ldy_rows_multiply; only its pattern is read.
/// - x, y: count values, one for each scalar row.
/// - values: where to write value_count values, as the values of rows are stored.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong or the rows are ill-formed. After an error
/// nothing is written.
///
/// # Safety
/// rows is NULL or valid and has the bytes that its size says, and its arrays have the lengths that it says; the other arrays are
/// NULL or have the sizes given, and values does not overlap them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_rows_outer_product(
    rows: *const ldy_rows,
    x: *const f64,
    y: *const f64,
    count: usize,
    values: *mut f64,
    value_count: usize,
) -> c_int {
    entry!(rows: block_rows, x: values(count), y: values(count), values: values_mut(value_count) => {
        outer_product(&rows, x, y, values)?;
    })
}

impl ldy_derivatives {
    /// Keep the ids of rows, and which rows are contacts with one coefficient of friction: by the kinds of given laws, or by the
    /// coefficients of kept ones.
    fn finish(&mut self, given: Option<&[ldy_law]>, of_rows: &[Id]) -> Result {
        let Self { laws, is_isotropic, derivatives, ids, .. } = self;
        let of_row = |(row, law): (usize, usize)| match given {
            Some(given) => given[row].has_one_coefficient(),
            None => laws[law].kind.is_isotropic(),
        };
        let made =
            collect(is_isotropic, derivatives.row_count(), derivatives.first_laws().enumerate().map(of_row))
                .and_then(|()| collect(ids, of_rows.len(), of_rows.iter().copied()));
        made.map_err(|_| {
            *self = Self::default();
            no_memory()
        })
    }

    /// Write the derivatives in `changes`.
    pub(super) fn write_laws(&self, to: &mut [ldy_law]) {
        write_laws(&self.changes, &self.is_isotropic, to);
    }

    /// The id of a row, or its number.
    fn constraint(&self, row: usize) -> i64 {
        self.ids.get(row).map_or(row as i64, |&id| id as i64)
    }
}

/// The error of a row as one of its constraint, if rows have ids.
fn named(error: fault::Error, ids: &[Id]) -> Code {
    let Some((row, &id)) = error.row.and_then(|row| Some((row, ids.get(row)?))) else { return error.into() };
    let place = Whereabouts { constraint: id as i64, row: row as i64, ..Whereabouts::NOWHERE };
    located(Code::InvalidArgument, format_args!("constraint {id}: {}", error.fault), place)
}

/// Read changes of the laws of all rows, once or several times. A contact with one coefficient of friction has the same change for both
/// tangents.
fn read_changes(given: &[ldy_law], is_isotropic: &[bool], changes: &mut Vec<LawChange>) -> Result {
    let read = given.iter().zip(is_isotropic.iter().cycle()).map(|(law, &is_isotropic)| {
        let &ldy_law { friction, cohesion, rolling_friction, torsional_friction, lower, upper, bias, .. } =
            law;
        let friction_2 = if is_isotropic { friction } else { law.friction_2 };
        LawChange { friction, friction_2, cohesion, rolling_friction, torsional_friction, lower, upper, bias }
    });
    collect(changes, given.len(), read).map_err(|_| no_memory())
}

/// Write derivatives by the numbers of the laws of all rows, once or several times; contacts with one coefficient of friction have one
/// derivative by it.
fn write_laws(changes: &[LawChange], is_isotropic: &[bool], to: &mut [ldy_law]) {
    for ((to, change), &is_isotropic) in to.iter_mut().zip(changes).zip(is_isotropic.iter().cycle()) {
        *to = told(if is_isotropic { change.joined() } else { *change });
    }
}

pub(super) fn told(change: LawChange) -> ldy_law {
    let LawChange { friction, friction_2, cohesion, rolling_friction, torsional_friction, .. } = change;
    let LawChange { lower, upper, bias, .. } = change;
    let kind = LDY_LAW_NONE;
    ldy_law { kind, friction, friction_2, cohesion, rolling_friction, torsional_friction, lower, upper, bias }
}

impl ldy_fit {
    pub(super) fn new(fit: &Fit, is_solution: bool) -> Self {
        Self { outside: fit.outside, is_singular: fit.is_singular.into(), is_solution: is_solution.into() }
    }
}

pub(super) fn no_memory() -> Code {
    fail!(Code::OutOfMemory, "derivatives: out of memory")
}

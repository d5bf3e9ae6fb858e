//! All solutions with the velocities of a known one, in C; part of `include/ldy_system.h`.

use std::ffi::c_int;

use crate::fault::check_size;
use crate::ffi::errors::{Code, Result, Whereabouts, fail, located};
use crate::ffi::handle::{self, Handle};
use crate::memory::copied;
use crate::solve::{Normal, Problem, SolutionSet};
use crate::system::Id;

use super::arguments::{self, entry, null};
use super::ldy_system;
use super::rows::ldy_rows;
use super::solve::{laws_of_rows, ldy_law, read_laws};

/// The solutions of a contact problem with the velocities U of a known solution R: all forces R' with W (R' - R) = 0 that obey
/// the laws with U. It does not depend on the system or rows it was computed from. One thread at a time may use it.
#[derive(Default)]
pub struct ldy_solution_set {
    set: SolutionSet,
    /// The ids of the rows, if a system has them.
    ids: Option<Vec<Id>>,
}

impl Handle for ldy_solution_set {
    type Core = Self;
}

/// Create a solution set. It has no rows until ldy_solution_set_compute or ldy_solution_set_compute_rows succeeds.
///
/// - set: where to write it. Destroy it with ldy_solution_set_destroy.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if set is NULL.
///
/// # Safety
/// set is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_solution_set_create(set: *mut *mut ldy_solution_set) -> c_int {
    entry!(set: place => set.put(handle::made("set", ldy_solution_set::default())?))
}

/// Destroy a solution set; NULL is allowed.
///
/// # Safety
/// set is NULL or comes from ldy_solution_set_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_solution_set_destroy(set: *mut ldy_solution_set) {
    // SAFETY: the C program promises that the set comes from ldy_solution_set_create and that it does not use it any more.
    unsafe { handle::destroy(set) };
}

/// Find all solutions with the velocities of a known one, for the rows of the last update of a system.
///
/// - laws, law_count: as in ldy_contact_solver_solve.
/// - R: count values, the known solution. Solve with a tolerance that is a hundred times smaller than the one here.
/// - tolerance: the largest LDY_MEASURE_SCALED residual of R in each group of rows that blocks of W connect. Velocities below it,
///   measured in the same way, count as zero. 0: 1e-6.
///
/// W is symmetric. Rows that blocks connect are one dense problem: up to n^3 operations and 8 n^2 bytes for n scalar rows that can
/// have forces.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS if there was no successful update since the last change,
/// LDY_ERROR_NOT_POSITIVE_DEFINITE if W is found to be indefinite, or LDY_ERROR_INVALID_ARGUMENT if R is no solution, W is not
/// symmetric, the tolerance is not between 0 and 1, or for the reasons of ldy_contact_solver_solve; the text names the
/// constraint. After an error the set has not changed.
///
/// # Safety
/// set comes from ldy_solution_set_create and system from ldy_system_create; arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_solution_set_compute(
    set: *mut ldy_solution_set,
    system: *const ldy_system,
    laws: *const ldy_law,
    law_count: usize,
    R: *const f64,
    count: usize,
    tolerance: f64,
) -> c_int {
    entry!(set: exclusive, system: shared, laws: optional values(law_count), R: values(count) => {
        ensure!(laws.is_some() || law_count == 0, null("laws"));
        let mut of_rows = Vec::new();
        laws_of_rows(system, laws, &mut of_rows)?;
        let ids = copied(system.results()?.ids).map_err(|_| no_memory())?;
        *set = ldy_solution_set { set: system.solution_set(&of_rows, R, tolerance)?, ids: Some(ids) };
    })
}

/// Find all solutions with the velocities of a known one, for any block-sparse rows.
///
/// - rows: as in ldy_contact_solver_solve_rows, but W is symmetric.
/// - laws: law_count laws, one for each row.
/// - normal_first: not 0 if the first component of contacts is the normal one, as in FCLIB. Else it is the last.
/// - R, count, tolerance: as in ldy_solution_set_compute.
///
/// Returns the codes of ldy_solution_set_compute, or LDY_ERROR_INVALID_ARGUMENT if the rows are ill-formed; the text names the
/// row. After an error the set has not changed.
///
/// # Safety
/// set comes from ldy_solution_set_create; rows is NULL or valid and has the bytes that its size says, and its arrays have the
/// lengths that it says; the other arrays are NULL or have the sizes given.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_solution_set_compute_rows(
    set: *mut ldy_solution_set,
    rows: *const ldy_rows,
    laws: *const ldy_law,
    law_count: usize,
    normal_first: c_int,
    R: *const f64,
    count: usize,
    tolerance: f64,
) -> c_int {
    entry!(set: exclusive, rows: rows_with_b, laws: values(law_count), R: values(count) => {
        let (w, b) = rows;
        let mut of_rows = Vec::new();
        read_laws(&w, laws, &mut of_rows)?;
        let normal = if normal_first == 0 { Normal::Third } else { Normal::First };
        let found = SolutionSet::new(&Problem { w, b, normal }, &of_rows, R, tolerance)?;
        *set = ldy_solution_set { set: found, ids: None };
    })
}

/// Return which components of the force are the same in all solutions of a set.
///
/// - determined: where to write count values: 1 if the component is the same in all solutions, up to rounding. 0 if a null vector
///   of W changes it within the linear span of the forces that the laws allow with U. If cones forbid each such change, the
///   interval of ldy_solution_set_intervals is a point.
/// - count: number of scalar rows.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.
///
/// # Safety
/// set comes from ldy_solution_set_create; determined is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_solution_set_determined(
    set: *const ldy_solution_set,
    determined: *mut u8,
    count: usize,
) -> c_int {
    entry!(set: shared, determined: values_mut(count) => {
        check_size("determined", set.set.scalar_count(), count)?;
        determined.iter_mut().zip(set.set.determined()).for_each(|(to, flag)| *to = u8::from(flag));
    })
}

/// Return the least and the greatest value of each component of forces over all solutions of a set.
///
/// - constraints: constraint_count ids, or numbers of rows if the set was computed from rows. NULL, with constraint_count 0: all,
///   in the order of rows.
/// - least, greatest: where to write count values each, one for each scalar row of these constraints. INFINITY if there is no limit,
///   or one that is 1e8 times larger than the forces that change together. Errors are about 1e-8 times these forces.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an
/// argument is NULL or a count is wrong. After an error nothing is written.
///
/// # Safety
/// set comes from ldy_solution_set_create; arrays are NULL or have the sizes given, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_solution_set_intervals(
    set: *mut ldy_solution_set,
    constraints: *const i64,
    constraint_count: usize,
    least: *mut f64,
    greatest: *mut f64,
    count: usize,
) -> c_int {
    entry!(set: exclusive, constraints: optional values(constraint_count), least: values_mut(count), greatest: values_mut(count) => {
        ensure!(constraints.is_some() || constraint_count == 0, null("constraints"));
        let number = constraints.map_or(set.set.row_count(), <[i64]>::len);
        let mut rows = Vec::new();
        rows.try_reserve_exact(number).map_err(|_| no_memory())?;
        for k in 0..number {
            rows.push(constraints.map_or(Ok(k), |ids| set.row(ids[k]))?);
        }
        let intervals = set.set.intervals(&rows)?;
        check_size("least and greatest", intervals.len(), count)?;
        for ((to_least, to_greatest), [low, high]) in least.iter_mut().zip(greatest).zip(intervals) {
            (*to_least, *to_greatest) = (low, high);
        }
    })
}

/// Return the constraints whose forces can change together with one component of a force: for each of them there is a null vector
/// of W that changes this component and a component of the constraint. There are none if the component is determined.
///
/// - constraint: its id, or the number of its row if the set was computed from rows.
/// - component: the component of its force, counted from 0.
/// - causes: where to write up to capacity ids or rows in the order of rows.
/// - capacity: number of values of causes; 0 to get the count alone.
/// - cause_count: where to write the number of causes, also if it is above capacity; NULL: not wanted.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_NOT_FOUND if there is no such constraint, or LDY_ERROR_INVALID_ARGUMENT if an
/// argument is NULL or the constraint has no such component.
///
/// # Safety
/// set comes from ldy_solution_set_create; causes is NULL or has capacity values; cause_count is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_solution_set_causes(
    set: *mut ldy_solution_set,
    constraint: i64,
    component: i32,
    causes: *mut i64,
    capacity: usize,
    cause_count: *mut usize,
) -> c_int {
    entry!(set: exclusive, causes: values_mut(capacity), cause_count: wanted => {
        let row = set.row(constraint)?;
        let rows = set.set.causes(row, usize::try_from(component).unwrap_or(usize::MAX))?;
        cause_count.put(rows.len());
        for (to, row) in causes.iter_mut().zip(rows) {
            *to = set.ids.as_ref().map_or(row as i64, |ids| ids[row] as i64);
        }
    })
}

/// Return the canonical forces of a set: those with the least sum of d R^2 among all its solutions, where d is a third of the trace
/// of the diagonal block of W (the mean of the diagonal entries of up to three scalar rows). They are unique. See canonical of
/// ldy_contact_solver_options.
///
/// - R: where to write count values, one for each scalar row.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL or count is wrong.
///
/// # Safety
/// set comes from ldy_solution_set_create; R is NULL or has count values.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_solution_set_canonical(
    set: *mut ldy_solution_set,
    R: *mut f64,
    count: usize,
) -> c_int {
    entry!(set: exclusive, R: values_mut(count) => set.set.canonical(R)?)
}

impl ldy_solution_set {
    /// The row of a constraint of the caller.
    fn row(&self, constraint: i64) -> Result<usize> {
        let row = match &self.ids {
            // Ids ascend from row to row.
            Some(ids) => Id::try_from(constraint).ok().and_then(|id| ids.binary_search(&id).ok()),
            None => usize::try_from(constraint).ok().filter(|&row| row < self.set.row_count()),
        };
        let place = Whereabouts { constraint, ..Whereabouts::NOWHERE };
        let text = format_args!("constraint {constraint}: there is no such constraint in the set");
        row.ok_or_else(|| located(Code::NotFound, text, place))
    }
}

fn no_memory() -> Code {
    fail!(Code::OutOfMemory, "set: out of memory")
}

//! Contact solvers, C(U, R) = 0, in C; part of `include/ldy_system.h`.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::time::Duration;

use crate::ffi::errors::{Code, Result, fail, invalid};
use crate::ffi::handle::{self, Handle};
use crate::ffi::sized::{CallerStruct, caller_sized};
use crate::rows::fault::check_size;
use crate::solve::{
    BlockRows, Kind, Law, Measure, Method, Normal, Options, Problem, Progress, Report, Solver, Status,
};
use crate::system::{RowLaw, System};

use super::arguments::{self, entry, null};
use super::ldy_system;
use super::rows::ldy_rows;

/// A kind of law: none. ldy_system_law writes it for a constraint that has no law.
pub const LDY_LAW_NONE: i32 = 0;
/// A kind of law: contact with Coulomb friction. 0 <= R_N + cohesion, 0 <= U_N, and one of them is zero. The friction R_T opposes
/// U_T, with |R_T| <= friction (R_N + cohesion). Valid for constraints with three rows (two tangents, then the normal), and with
/// two rows (the tangent, then the normal) for contacts in a plane. With normal_first of the options the normal comes first.
pub const LDY_LAW_CONTACT: i32 = 1;
/// A kind of law: U = 0 in all components.
pub const LDY_LAW_FIXED: i32 = 2;
/// A kind of law: lower <= R <= upper, component by component. U is zero if R is between the bounds, >= 0 at the lower bound, <=
/// 0 at the upper bound.
pub const LDY_LAW_BOUNDS: i32 = 3;
/// A kind of law: contact with a friction coefficient for each tangent, |(R_1 / friction, R_2 / friction_2)| <= R_N + cohesion.
/// R_T is the admissible force that dissipates most. Valid for constraints with three rows, and, with rolling_friction and
/// torsional_friction, for those with four to six rows.
pub const LDY_LAW_ORTHOTROPIC_CONTACT: i32 = 4;
/// A kind of law: contact with rolling and torsional friction, valid for constraints with four to six rows. The first three rows
/// are those of LDY_LAW_CONTACT. Then come the angular velocity about the normal (four rows), about both tangents (five), or about
/// all three axes in the order of the first rows (six). R has moments there. The moment about the tangents opposes its angular
/// velocity and is at most rolling_friction (R_N + cohesion); the moment about the normal opposes its angular velocity and is at
/// most torsional_friction (R_N + cohesion).
pub const LDY_LAW_ROLLING_CONTACT: i32 = 5;
/// A kind of law: contact in the expansion phase of an impact, Poisson's restitution. 0 <= R_N - lower[0], 0 <= U_N, and one of them is
/// zero. The friction R_T opposes U_T, with |R_T| <= friction R_N, also if U_N > 0. lower[0] is e times R_N of the compression phase.
/// Valid for the rows of LDY_LAW_CONTACT.
pub const LDY_LAW_EXPANSION: i32 = 6;

/// The law of a constraint: a relation between its force R and its velocity U. In all laws U means U + bias. lower, upper and
/// bias have one value for each scalar row; further values are not read.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct ldy_law {
    /// One of LDY_LAW_CONTACT, LDY_LAW_FIXED, LDY_LAW_BOUNDS, LDY_LAW_ORTHOTROPIC_CONTACT, LDY_LAW_ROLLING_CONTACT,
    /// LDY_LAW_EXPANSION.
    pub kind: i32,
    /// Contacts: Coulomb's coefficient, not negative. Orthotropic contacts: the coefficient along the first tangent.
    pub friction: f64,
    /// Orthotropic contacts only: the coefficient along the second tangent, not negative. Either coefficient may be 0.
    pub friction_2: f64,
    /// Contacts: the largest tensile force, not negative.
    pub cohesion: f64,
    /// Rolling and orthotropic contacts: the coefficient of rolling friction, a length, not negative; 0 without rows about the
    /// tangents.
    pub rolling_friction: f64,
    /// Rolling and orthotropic contacts: the coefficient of torsional friction, a length, not negative; 0 without a row about the
    /// normal.
    pub torsional_friction: f64,
    /// Bounds: lower bounds of R; may be -INFINITY. Expansion: lower[0] is the least normal force, not negative.
    pub lower: [f64; 6],
    /// Bounds: upper bounds of R, not below the lower bounds; may be INFINITY.
    pub upper: [f64; 6],
    /// Added to U. Restitution: e V_N if V_N < 0. A contact that is still open: gap / h. A prescribed velocity v: -v.
    pub bias: [f64; 6],
}

/// A measure: the larger of the two others.
pub const LDY_MEASURE_BOTH: i32 = 0;
/// A measure: |R - P (R - U - friction |U_T| n)| / |B + bias|. P is the projection onto the forces that laws allow.
pub const LDY_MEASURE_NATURAL: i32 = 1;
/// A measure: LDY_MEASURE_NATURAL in units in which diagonal blocks have trace 3. It is the same in all units.
pub const LDY_MEASURE_SCALED: i32 = 2;

/// A method: Gauss-Seidel, and Newton's method where it is expected to be faster.
pub const LDY_METHOD_AUTOMATIC: i32 = 0;
/// A method: Gauss-Seidel alone.
pub const LDY_METHOD_GAUSS_SEIDEL: i32 = 1;
/// A method: Newton's method from the start, with Gauss-Seidel where it fails.
pub const LDY_METHOD_NEWTON: i32 = 2;

/// A progress function of the program.
///
/// - residual: the smallest residual so far, by the measure of the options.
/// - sweeps, steps: number of sweeps and steps so far.
/// - data: the pointer of the options.
///
/// Returns 0 to continue. Any other value ends the solution with LDY_STATUS_STOPPED. Only the thread that called the solver calls
/// it; with a progress function one thread solves all islands. It must return normally, and must not call functions of the solver
/// or system in use.
pub type ldy_progress =
    Option<unsafe extern "C" fn(residual: f64, sweeps: i32, steps: i32, data: *mut c_void) -> c_int>;

/// Options of a contact solver. A field that is zero has its default: set size, then the fields that differ.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_contact_solver_options {
    /// sizeof (ldy_contact_solver_options), set by the caller before the call.
    pub size: usize,
    /// The solution converges when the residual is at most this; default 1e-8.
    pub tolerance: f64,
    /// One of LDY_MEASURE_BOTH, LDY_MEASURE_NATURAL, LDY_MEASURE_SCALED.
    pub measure: i32,
    /// One of LDY_METHOD_AUTOMATIC, LDY_METHOD_GAUSS_SEIDEL, LDY_METHOD_NEWTON.
    pub method: i32,
    /// Limit for the number of sweeps over each island, or over all rows if these form one island; default 100000.
    pub max_sweeps: i32,
    /// For ldy_contact_solver_solve_rows: not 0 if the first component is the normal one, as in FCLIB. Else it is the last. The
    /// contacts of a system have it last, and ldy_contact_solver_solve refuses another value than 0.
    pub normal_first: i32,
    /// Limit for the elapsed time, in seconds; default: no limit. INFINITY is no limit either; a negative number or NaN is an
    /// error. With a limit, results depend on the clock.
    pub time_limit: f64,
    /// A progress function that is called each time that the residual is computed, or NULL.
    pub progress: ldy_progress,
    /// Passed to progress.
    pub data: *mut c_void,
    /// Limit for the work, in units of ldy_contact_solver_report.work; default: no limit. It does not depend on a clock: results
    /// are the same in each run.
    pub max_work: u64,
    /// Not 0: return canonical forces. Among all solutions with the velocities of the one that was found, these have the least sum of
    /// d R^2, where d is a third of the trace of the diagonal block of W. They do not depend on the initial guess or on the order of
    /// constraints. The solution is found to 1e-12 for this, or as far as limits and rounding allow; if its residual is above the
    /// tolerance, its forces remain. W must be symmetric. Memory is allocated.
    pub canonical: i32,
    /// 0.
    pub reserved: i32,
}

caller_sized!(ldy_contact_solver_options, measure);

/// A status: the residual is within the tolerance.
pub const LDY_STATUS_CONVERGED: i32 = 0;
/// A status: the limit of sweeps was reached.
pub const LDY_STATUS_SWEEP_LIMIT: i32 = 1;
/// A status: the time limit was reached.
pub const LDY_STATUS_TIME_LIMIT: i32 = 2;
/// A status: the residual no longer decreases, because of rounding or because there is no solution.
pub const LDY_STATUS_STALLED: i32 = 3;
/// A status: the problem is proved infeasible. It has no solution, or none without forces that are huge compared with B.
/// ldy_contact_solver_conflict returns the constraints that contradict each other.
pub const LDY_STATUS_INFEASIBLE: i32 = 4;
/// A status: progress returned a value other than 0.
pub const LDY_STATUS_STOPPED: i32 = 5;
/// A status: the limit of work was reached.
pub const LDY_STATUS_WORK_LIMIT: i32 = 6;

/// The result of a contact solver.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct ldy_contact_solver_report {
    /// sizeof (ldy_contact_solver_report), set by the caller before the call.
    pub size: usize,
    /// The status: LDY_STATUS_CONVERGED, LDY_STATUS_SWEEP_LIMIT, LDY_STATUS_TIME_LIMIT, LDY_STATUS_STALLED,
    /// LDY_STATUS_INFEASIBLE, LDY_STATUS_STOPPED or LDY_STATUS_WORK_LIMIT.
    pub status: i32,
    /// Number of Gauss-Seidel sweeps. If the rows form several islands, which no block of W connects: of the island with the most
    /// sweeps.
    pub sweeps: i32,
    /// Number of steps of Newton's method, of the island with the most steps.
    pub steps: i32,
    /// The row that contributes most to the residual.
    pub worst: i32,
    /// The residual of the returned forces, by the measure of the options.
    pub residual: f64,
    /// The same by LDY_MEASURE_NATURAL.
    pub natural_residual: f64,
    /// The same by LDY_MEASURE_SCALED.
    pub scaled_residual: f64,
    /// The residual of the initial guess, by the measure of the options.
    pub initial_residual: f64,
    /// Elapsed time in seconds.
    pub seconds: f64,
    /// Residuals of the largest island in the order of their computation: the first 1000, and at most 64 for each of its rows.
    /// Valid until the solver's next call.
    pub history: *const f64,
    /// Number of values of history.
    pub history_count: usize,
    /// Work, counted from sizes and patterns. A unit is about a nanosecond of a processor of 2025. It is the same in each run. A
    /// limit of work is divided among islands and checked between sweeps and steps, so that each island exceeds its part by at
    /// most one of them.
    pub work: u64,
}

caller_sized!(ldy_contact_solver_report, sweeps);

/// A contact solver with memory that is used again: a problem with the same pattern as the previous one is solved without
/// allocation, unless it has no solution. One thread at a time may use it.
#[derive(Default)]
pub struct ldy_contact_solver {
    pub(super) solver: Solver,
    laws: Vec<Law>,
    /// Whether the last problem was given as rows, so that its constraints have no ids.
    pub(super) is_of_rows: bool,
}

impl Handle for ldy_contact_solver {
    type Core = Self;
}

/// Create a contact solver.
///
/// - solver: where to write it. Destroy it with ldy_contact_solver_destroy.
///
/// Returns 0, LDY_ERROR_OUT_OF_MEMORY, or LDY_ERROR_INVALID_ARGUMENT if solver is NULL.
///
/// # Safety
/// solver is NULL or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_contact_solver_create(solver: *mut *mut ldy_contact_solver) -> c_int {
    entry!(solver: place => solver.put(handle::made("solver", ldy_contact_solver::default())?))
}

/// Destroy a contact solver; NULL is allowed.
///
/// # Safety
/// solver is NULL or comes from ldy_contact_solver_create, and is not used afterwards.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_contact_solver_destroy(solver: *mut ldy_contact_solver) {
    // SAFETY: the C program promises that the solver comes from ldy_contact_solver_create and that it does not use it any more.
    unsafe { handle::destroy(solver) };
}

/// Write options for steps in real time: Gauss-Seidel alone, at most 100 sweeps, tolerance 1e-3.
///
/// So the work of a step is bounded, and the same in each run. Use the forces of the last step as the initial guess (see
/// ldy_system_store_reactions and ldy_system_sync_constraints). The solver returns the best forces it has found; many steps end
/// with LDY_STATUS_SWEEP_LIMIT.
///
/// - options: where to write the options; set its size. Fields that are not named above are zero.
///
/// Returns 0, or LDY_ERROR_INVALID_ARGUMENT if options is NULL or its size is wrong.
///
/// # Safety
/// options is NULL or valid, and has the bytes that its size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_contact_solver_options_real_time(
    options: *mut ldy_contact_solver_options,
) -> c_int {
    entry!(options: sized => {
        let Options { tolerance, max_sweeps, .. } = Options::real_time();
        options.fill(&ldy_contact_solver_options {
            size: size_of::<ldy_contact_solver_options>(),
            tolerance,
            measure: LDY_MEASURE_BOTH,
            method: LDY_METHOD_GAUSS_SEIDEL,
            max_sweeps: count(max_sweeps),
            normal_first: 0,
            time_limit: 0.0,
            progress: None,
            data: ptr::null_mut(),
            max_work: 0,
            canonical: 0,
            reserved: 0,
        });
    })
}

/// Solve C(U, R) = 0 with U = B + W R for the rows of the last update of a system.
///
/// The rows are not copied, unless a constraint has other than three rows or a law is orthotropic.
///
/// - laws: law_count laws, one for each row. NULL, with law_count 0: the laws that are kept with the constraints, see
///   ldy_system_set_law.
/// - options: NULL: the defaults.
/// - R: count values, three for each row (one for each scalar row). In: the initial guess, for instance the forces of the last
///   step or zeros. Out: the best forces that were found. These obey their laws: no contact exceeds its cohesion or its friction,
///   and no bound is exceeded.
/// - report: where to write the report; set its size. NULL: not wanted.
///
/// Returns 0 even if the solution did not converge: see report->status. Returns LDY_ERROR_OUT_OF_MEMORY, LDY_ERROR_STALE_RESULTS
/// if there was no successful update since the last change, or LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is
/// wrong, a law is LDY_LAW_NONE, of unknown kind or not valid, a constraint has no kept law, or a value is not finite; the text
/// names the constraint. After an error R has not changed.
///
/// # Safety
/// solver comes from ldy_contact_solver_create and system from ldy_system_create; arrays are NULL or have the sizes given;
/// options and report are NULL or valid, and have the bytes that their size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_contact_solver_solve(
    solver: *mut ldy_contact_solver,
    system: *const ldy_system,
    laws: *const ldy_law,
    law_count: usize,
    options: *const ldy_contact_solver_options,
    R: *mut f64,
    count: usize,
    report: *mut ldy_contact_solver_report,
) -> c_int {
    entry!(solver: exclusive, system: shared, laws: optional values(law_count), options: optional sized_const, R: values_mut(count),
           report: optional sized => {
        ensure!(laws.is_some() || law_count == 0, null("laws"));
        let options = Chosen::read(options)?;
        options.check_for_systems(NORMAL_OF_SYSTEMS)?;
        let ldy_contact_solver { solver, laws: kept, is_of_rows } = solver;
        laws_of_rows(system, laws, kept)?;
        let mut progress = options.progress();
        let progress = progress.as_mut().map(|progress| progress as &mut Progress);
        let result = system.solve_with(solver, kept, &options.options, R, progress)?;
        *is_of_rows = false;
        tell(report, &result, options.options.measure, solver.history());
    })
}

/// Solve C(U, R) = 0 with U = B + W R for any block-sparse rows.
///
/// - rows: size, rows, blocks, starts, columns, values, B, scalar_starts and value_starts are read, as ldy_system_results sets
///   them. The last two are both NULL or both not NULL. Columns ascend within a row, and each row has a diagonal block. W need
///   not be symmetric.
/// - laws: law_count laws, one for each row.
/// - options, R, count, report: as in ldy_contact_solver_solve.
///
/// Returns 0 even if the solution did not converge: see report->status. Returns LDY_ERROR_OUT_OF_MEMORY, or
/// LDY_ERROR_INVALID_ARGUMENT if an argument is NULL, a count is wrong, the rows are ill-formed, a law is LDY_LAW_NONE, of
/// unknown kind or not valid, or a value is not finite; the text names the row. After an error R has not changed.
///
/// # Safety
/// solver comes from ldy_contact_solver_create; rows is NULL or valid and has the bytes that its size says, and its arrays have
/// the lengths that it says; the other arrays are NULL or have the sizes given, and R does not overlap them; options and report
/// are NULL or valid, and have the bytes that their size says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ldy_contact_solver_solve_rows(
    solver: *mut ldy_contact_solver,
    rows: *const ldy_rows,
    laws: *const ldy_law,
    law_count: usize,
    options: *const ldy_contact_solver_options,
    R: *mut f64,
    count: usize,
    report: *mut ldy_contact_solver_report,
) -> c_int {
    entry!(solver: exclusive, rows: rows_with_b, laws: values(law_count), options: optional sized_const, R: values_mut(count),
           report: optional sized => {
        let chosen = Chosen::read(options)?;
        let Chosen { options, normal, .. } = chosen;
        let ldy_contact_solver { solver, laws: kept, is_of_rows } = solver;
        let (w, b) = rows;
        read_laws(&w, laws, kept)?;
        let problem = Problem { w, b, normal };
        let result = match &mut chosen.progress() {
            Some(progress) => solver.solve_with_progress(&problem, kept, &options, R, progress)?,
            None => solver.solve(&problem, kept, &options, R)?,
        };
        *is_of_rows = true;
        tell(report, &result, options.measure, solver.history());
    })
}

pub(crate) const NORMAL_OF_SYSTEMS: &str = "options->normal_first is not 0: the contacts of a system have the normal last; \
    reorder the rows of operators, or call ldy_contact_solver_solve_rows with ldy_system_results";

/// Options as the core has them, and the normal component.
pub(crate) struct Chosen {
    pub options: Options,
    normal: Normal,
    progress: ldy_progress,
    data: *mut c_void,
}

impl Chosen {
    /// Check that the normal comes last, as in the rows of systems.
    pub fn check_for_systems(&self, text: &str) -> Result {
        ensure!(self.normal == Normal::Third, invalid!("{text}"));
        Ok(())
    }

    /// Whether there is a progress function.
    pub fn has_progress(&self) -> bool {
        self.progress.is_some()
    }

    pub fn read(given: Option<CallerStruct<ldy_contact_solver_options>>) -> Result<Self> {
        let mut options = Options::default();
        let Some(given) = given.map(|given| given.read()) else {
            return Ok(Self { options, normal: Normal::Third, progress: None, data: ptr::null_mut() });
        };
        if given.tolerance != 0.0 {
            options.tolerance = given.tolerance;
        }
        options.measure = match given.measure {
            LDY_MEASURE_BOTH => Measure::Both,
            LDY_MEASURE_NATURAL => Measure::Natural,
            LDY_MEASURE_SCALED => Measure::Scaled,
            other => {
                return Err(invalid!("options->measure is {other}; expected one of LDY_MEASURE_*"));
            }
        };
        options.method = match given.method {
            LDY_METHOD_AUTOMATIC => Method::Automatic,
            LDY_METHOD_GAUSS_SEIDEL => Method::GaussSeidel,
            LDY_METHOD_NEWTON => Method::Newton,
            other => {
                return Err(invalid!("options->method is {other}; expected one of LDY_METHOD_*"));
            }
        };
        match usize::try_from(given.max_sweeps) {
            Ok(0) => {}
            Ok(sweeps) => options.max_sweeps = sweeps,
            Err(_) => {
                return Err(invalid!("options->max_sweeps is {}; it must not be negative", given.max_sweeps));
            }
        }
        options.canonical = given.canonical != 0;
        if given.max_work != 0 {
            options.max_work = Some(given.max_work);
        }
        if given.time_limit != 0.0 {
            let is_time = given.time_limit.is_sign_positive() && !given.time_limit.is_nan();
            ensure!(
                is_time,
                invalid!("options->time_limit is {}; it must not be negative or NaN", given.time_limit)
            );
            // A time too long for a duration is no limit.
            options.time_limit = Duration::try_from_secs_f64(given.time_limit).ok();
        }
        let normal = if given.normal_first == 0 { Normal::Third } else { Normal::First };
        Ok(Self { options, normal, progress: given.progress, data: given.data })
    }

    /// The program's function, if there is one.
    fn progress(&self) -> Option<impl FnMut(&Report) -> bool> {
        let Self { data, options: Options { measure, .. }, .. } = *self;
        self.progress.map(|progress| {
            // SAFETY: the C program promises a function that takes these arguments, and its own data; this thread has called it.
            move |report: &Report| unsafe {
                progress(report.residual.by(measure), count(report.sweeps), count(report.steps), data) == 0
            }
        })
    }
}

/// Read the given laws of a system's rows, or the kept ones.
pub(super) fn laws_of_rows(system: &System, given: Option<&[ldy_law]>, laws: &mut Vec<Law>) -> Result {
    match given {
        Some(given) => read_laws(&system.results()?.w, given, laws),
        None => Ok(system.row_laws(laws)?),
    }
}

/// Read the laws of rows. A row with more than three scalar rows gets two laws.
pub(super) fn read_laws(rows: &BlockRows, given: &[ldy_law], laws: &mut Vec<Law>) -> Result {
    check_size("laws", rows.len(), given.len())?;
    laws.clear();
    laws.try_reserve(2 * given.len()).map_err(|_| fail!(Code::OutOfMemory, "laws: out of memory"))?;
    for (row, law) in given.iter().enumerate() {
        let unknown = || invalid!("laws[{row}].kind is {}; expected one of LDY_LAW_*", law.kind);
        laws.extend(law_of(law).ok_or_else(unknown)?.parts(rows.height(row)));
    }
    Ok(())
}

impl ldy_law {
    /// Whether its kind is one of the kinds above.
    pub(super) fn is_known(&self) -> bool {
        (LDY_LAW_NONE..=LDY_LAW_EXPANSION).contains(&self.kind)
    }

    /// Whether its contacts have one coefficient of friction for both tangents.
    pub(super) fn has_one_coefficient(&self) -> bool {
        matches!(self.kind, LDY_LAW_CONTACT | LDY_LAW_ROLLING_CONTACT)
    }
}

/// Convert a law to a law of the core; none if its kind is LDY_LAW_NONE or unknown.
pub(super) fn law_of(law: &ldy_law) -> Option<RowLaw> {
    let ldy_law { friction, friction_2, cohesion, lower, upper, bias, .. } = *law;
    let ldy_law { rolling_friction, torsional_friction, .. } = *law;
    let kind = match law.kind {
        LDY_LAW_CONTACT => Kind::contact([friction; 2], cohesion),
        LDY_LAW_ROLLING_CONTACT | LDY_LAW_ORTHOTROPIC_CONTACT => {
            let is_isotropic = law.kind == LDY_LAW_ROLLING_CONTACT;
            let friction_2 = if is_isotropic { friction } else { friction_2 };
            Kind::Contact { friction, friction_2, cohesion, rolling_friction, torsional_friction }
        }
        LDY_LAW_FIXED => Kind::Bounds { lower: [f64::NEG_INFINITY; 6], upper: [f64::INFINITY; 6] },
        LDY_LAW_BOUNDS => Kind::Bounds { lower, upper },
        LDY_LAW_EXPANSION => Kind::Expansion { friction, least_force: lower[0] },
        _ => return None,
    };
    Some(Law { kind, bias })
}

/// Convert the law of a constraint with `rows` scalar rows to C.
pub(super) fn told(law: Option<&RowLaw>, rows: usize) -> ldy_law {
    let bias = law.map_or([0.0; 6], |law| law.bias);
    let mut to = ldy_law { kind: LDY_LAW_NONE, bias, ..ldy_law::default() };
    match law.map(|law| law.kind) {
        None | Some(Kind::Moments) => {}
        Some(Kind::Contact { friction, friction_2, cohesion, rolling_friction, torsional_friction }) => {
            let is_isotropic = friction == friction_2;
            to.kind = match is_isotropic {
                true if rows > 3 => LDY_LAW_ROLLING_CONTACT,
                true => LDY_LAW_CONTACT,
                false => LDY_LAW_ORTHOTROPIC_CONTACT,
            };
            (to.friction, to.cohesion) = (friction, cohesion);
            (to.rolling_friction, to.torsional_friction) = (rolling_friction, torsional_friction);
            to.friction_2 = if is_isotropic { 0.0 } else { friction_2 };
        }
        Some(Kind::Bounds { lower, upper }) => {
            let are = |bounds: &[f64; 6], bound: f64| bounds[..rows].iter().all(|&x| x == bound);
            let is_fixed = are(&lower, f64::NEG_INFINITY) && are(&upper, f64::INFINITY);
            to.kind = if is_fixed { LDY_LAW_FIXED } else { LDY_LAW_BOUNDS };
            if !is_fixed {
                (to.lower, to.upper) = (lower, upper);
            }
        }
        Some(Kind::Expansion { friction, least_force }) => {
            (to.kind, to.friction, to.lower[0]) = (LDY_LAW_EXPANSION, friction, least_force);
        }
    }
    to
}

fn count(number: usize) -> c_int {
    i32::try_from(number).unwrap_or(i32::MAX)
}

pub(crate) fn tell(
    place: Option<CallerStruct<ldy_contact_solver_report>>,
    report: &Report,
    measure: Measure,
    history: &[f64],
) {
    let Some(place) = place else { return };
    place.fill(&ldy_contact_solver_report {
        size: size_of::<ldy_contact_solver_report>(),
        status: status_of(report.status),
        sweeps: count(report.sweeps),
        steps: count(report.steps),
        // Another process has the row if there is none.
        worst: if report.residual.worst == usize::MAX { -1 } else { count(report.residual.worst) },
        residual: report.residual.by(measure),
        natural_residual: report.residual.natural,
        scaled_residual: report.residual.scaled,
        initial_residual: report.initial.by(measure),
        seconds: report.time.as_secs_f64(),
        history: history.as_ptr(),
        history_count: history.len(),
        work: report.work,
    });
}

/// The status in C.
pub(super) fn status_of(status: Status) -> i32 {
    match status {
        Status::Converged => LDY_STATUS_CONVERGED,
        Status::SweepLimit => LDY_STATUS_SWEEP_LIMIT,
        Status::TimeLimit => LDY_STATUS_TIME_LIMIT,
        Status::Stalled => LDY_STATUS_STALLED,
        Status::Infeasible => LDY_STATUS_INFEASIBLE,
        Status::Stopped => LDY_STATUS_STOPPED,
        Status::WorkLimit => LDY_STATUS_WORK_LIMIT,
    }
}

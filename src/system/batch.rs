//! Many systems at once: threads take one system after the other. Each system has the bits that it has alone.
#![forbid(unsafe_code)]

use crate::fault::check_size;
use crate::first_error::FirstError;
use crate::memory::{collect, refill};
use crate::solve::{Derivatives, Fit, Law, LawChange, Options, Report, Solver};
use crate::team::{Partition, Ragged, Team};

use super::body::Body;
use super::bulk::{EntryError, EntryResult};
use super::error::Error;
use super::model::System;

/// The memory for many systems: a solver and derivatives for each. A call for systems with the patterns of the last call allocates
/// nothing.
///
/// ```
/// use ldy::solve::{Law, Options, Status};
/// use ldy::system::{Batch, System};
///
/// let unit = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
/// let mut systems = Vec::new();
/// for mass in [1.0, 2.0, 3.0] {
///     let mut system = System::new();
///     let ball = system.add_rigid(mass, &unit, &unit, &[0.0; 3])?;
///     system.set_velocity(ball, &[0.0, 0.0, 0.0, 0.0, 0.0, -1.0])?;
///     let contact = system.add_point_constraint([Some(ball), None], &unit, [[0.0; 3]; 2])?;
///     system.set_law(contact, Some(Law::contact(0.5).into()))?;
///     systems.push(system);
/// }
/// let mut batch = Batch::default();
/// batch.update(&mut systems.iter_mut().collect::<Vec<_>>(), 0.1)?;
/// let (mut forces, mut reports) = ([0.0; 9], Vec::new());
/// let starts = [0, 3, 6, 9];
/// let systems: Vec<&System> = systems.iter().collect();
/// batch.solve(&systems, &Options::default(), &mut forces, &starts, |_, report| reports.push(report.status))?;
/// assert_eq!(reports, [Status::Converged; 3]);
/// assert!([10.0, 20.0, 30.0].iter().zip(forces.chunks(3)).all(|(force, own)| (own[2] - force).abs() < 1e-6));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Batch {
    members: Vec<SystemWorkspace>,
    /// The first row of each system, and the end.
    row_starts: Vec<usize>,
}

/// The memory for one system.
#[derive(Debug, Default)]
struct SystemWorkspace {
    solver: Solver,
    laws: Vec<Law>,
    derivatives: Derivatives,
    report: Option<Report>,
    fit: Fit,
}

/// Derivatives of a function by forces and velocities of the constraints of all systems.
#[derive(Clone, Copy, Debug)]
pub struct ByResults<'a> {
    /// The solutions.
    pub forces: &'a [f64],
    /// ∂L/∂R.
    pub by_forces: &'a [f64],
    /// ∂L/∂U.
    pub by_velocities: &'a [f64],
}

impl Batch {
    /// Update each system with the step h, see [`System::update`]. All are tried. The calling thread updates those with inverse
    /// callbacks.
    ///
    /// # Errors
    /// The error of the first system that could not be updated, with its place; also if memory is exhausted.
    pub fn update(&mut self, systems: &mut [&mut System], step: f64) -> EntryResult {
        let first_error = FirstError::default();
        let mut team = Team::if_it_pays(systems.len() > 1);
        let note = |place: usize, system: &mut System| first_error.note(place, system.update(step));
        team.share_parts(&mut *systems, 1, |place, part| {
            part.iter_mut().filter(|system| !system.has_callbacks()).for_each(|system| note(place, system));
        });
        for (place, system) in systems.iter_mut().enumerate().filter(|(_, system)| system.has_callbacks()) {
            note(place, system);
        }
        placed(first_error)
    }

    /// Solve each system with the laws that are kept with its constraints, see [`System::solve`]. All are tried, each with the same
    /// options: a limit of work belongs to each system.
    ///
    /// - `forces`: of all systems, initial guesses and results; `starts` has the first value of each system, and the end.
    /// - `tell`: called with the place and the report of each system that was solved, in their order.
    ///
    /// # Errors
    /// The error of the first system that could not be solved, with its place; also if `starts` do not fit, or memory is exhausted.
    pub fn solve(
        &mut self,
        systems: &[&System],
        options: &Options,
        forces: &mut [f64],
        starts: &[usize],
        tell: impl FnMut(usize, &Report),
    ) -> EntryResult {
        check(systems, starts, &[forces.len()])?;
        self.solve_parts(systems, options, Ragged { values: forces, starts }, tell)
    }

    /// Do the same as [`Batch::solve`] for forces of each system in a slice of its own.
    ///
    /// # Errors
    /// The errors of [`Batch::solve`]; also if there is not a slice for each system.
    pub fn solve_each(
        &mut self,
        systems: &[&System],
        options: &Options,
        forces: &mut [&mut [f64]],
        tell: impl FnMut(usize, &Report),
    ) -> EntryResult {
        check_slices(systems, forces.len())?;
        self.solve_parts(systems, options, forces, tell)
    }

    fn solve_parts<'a>(
        &mut self,
        systems: &[&System],
        options: &Options,
        forces: impl Vectors<'a, f64>,
        mut tell: impl FnMut(usize, &Report),
    ) -> EntryResult {
        let first_error = FirstError::default();
        let members = prepared(&mut self.members, systems.len())?;
        let work = (&mut *members, forces);
        Team::if_it_pays(systems.len() > 1).share_parts(work, 1, |place, (members, forces)| {
            let [member] = members else { return };
            member.report = None;
            let SystemWorkspace { solver, laws, .. } = member;
            let system = systems[place];
            let made =
                system.row_laws(laws).and_then(|()| system.solve(solver, laws, options, forces.first()));
            match made {
                Ok(report) => member.report = Some(report),
                Err(error) => first_error.note(place, Err(error)),
            }
        });
        for (place, member) in members.iter().enumerate() {
            member.report.iter().for_each(|report| tell(place, report));
        }
        placed(first_error)
    }

    /// Compute y = W x for each system, see [`System::multiply`]. All are tried.
    ///
    /// `x`, `y`: a vector for each system; `starts` has the first value of each system, and the end.
    ///
    /// # Errors
    /// The error of the first system whose W is not known, with its place; also if `starts` do not fit.
    pub fn multiply(&self, systems: &[&System], x: &[f64], y: &mut [f64], starts: &[usize]) -> EntryResult {
        check(systems, starts, &[x.len(), y.len()])?;
        let x = |place: usize| &x[starts[place]..starts[place + 1]];
        multiply_parts(systems, x, Ragged { values: y, starts })
    }

    /// Do the same as [`Batch::multiply`] for vectors of each system in a slice of its own: `x (place)` of a system is multiplied.
    ///
    /// # Errors
    /// The errors of [`Batch::multiply`]; also if there is not a slice for each system.
    pub fn multiply_each<'a>(
        &self,
        systems: &[&System],
        x: impl Fn(usize) -> &'a [f64] + Sync,
        y: &mut [&mut [f64]],
    ) -> EntryResult {
        check_slices(systems, y.len())?;
        multiply_parts(systems, x, y)
    }

    /// Compute for each system the derivatives of a function by B, and by the numbers of all laws, see [`Derivatives::adjoint`], with
    /// the laws that are kept with its constraints. All are tried.
    ///
    /// - `by`: solutions, and derivatives by forces and velocities; `starts` has the first value of each system, and the end.
    /// - `by_b`: where to write the derivatives by B.
    /// - `by_laws`: where to write the derivatives by laws, one for each constraint, in the order of systems and rows; none: not wanted.
    ///   Contacts whose two coefficients of friction are equal have one derivative by both, in `friction`.
    /// - `tell`: called with the place of each system, how well its equations could be solved, and whether its forces are a solution.
    ///
    /// # Errors
    /// The error of the first system whose derivatives could not be computed, with its place; also if `starts` or `by_laws` do not fit, or
    /// memory is exhausted.
    pub fn adjoint(
        &mut self,
        systems: &[&System],
        by: ByResults,
        by_b: &mut [f64],
        by_laws: Option<&mut [LawChange]>,
        starts: &[usize],
        tell: impl FnMut(usize, &Fit, bool),
    ) -> EntryResult {
        check(systems, starts, &[by.forces.len(), by.by_forces.len(), by.by_velocities.len(), by_b.len()])?;
        let Self { members, row_starts } = self;
        let is_wanted = by_laws.is_some();
        match &by_laws {
            Some(by_laws) => find_rows(systems, by_laws.len(), row_starts)?,
            None => refill(row_starts, systems.len() + 1, 0).map_err(Error::from)?,
        }
        let by_laws = Ragged { values: by_laws.unwrap_or_default(), starts: row_starts };
        let by = |place: usize| {
            let own = starts[place]..starts[place + 1];
            let [forces, by_forces, by_velocities] =
                [by.forces, by.by_forces, by.by_velocities].map(|values| &values[own.clone()]);
            ByResults { forces, by_forces, by_velocities }
        };
        let work = (Ragged { values: by_b, starts }, by_laws);
        adjoint_parts(prepared(members, systems.len())?, systems, by, work, is_wanted, tell)
    }

    /// Do the same as [`Batch::adjoint`] for vectors of each system in slices of its own: `by (place)` has those of a system.
    ///
    /// # Errors
    /// The errors of [`Batch::adjoint`]; also if there is not a slice for each system.
    pub fn adjoint_each<'a>(
        &mut self,
        systems: &[&System],
        by: impl Fn(usize) -> ByResults<'a> + Sync,
        by_b: &mut [&mut [f64]],
        by_laws: Option<&mut [&mut [LawChange]]>,
        tell: impl FnMut(usize, &Fit, bool),
    ) -> EntryResult {
        check_slices(systems, by_b.len())?;
        let Self { members, row_starts } = self;
        let members = prepared(members, systems.len())?;
        if let Some(by_laws) = by_laws {
            check_slices(systems, by_laws.len())?;
            return adjoint_parts(members, systems, by, (by_b, by_laws), true, tell);
        }
        refill(row_starts, systems.len() + 1, 0).map_err(Error::from)?;
        let none = Ragged { values: &mut [], starts: row_starts };
        adjoint_parts(members, systems, by, (by_b, none), false, tell)
    }
}

/// The vectors of some systems, which threads share.
trait Vectors<'a, T>: Partition {
    /// The vector of the first of them.
    fn first(self) -> &'a mut [T];
}

impl<'a, T: Send> Vectors<'a, T> for Ragged<'a, T, usize> {
    fn first(self) -> &'a mut [T] {
        self.values
    }
}

impl<'a, T: Send> Vectors<'a, T> for &'a mut [&mut [T]] {
    fn first(self) -> &'a mut [T] {
        self.iter_mut().next().map_or(&mut [], |own| own)
    }
}

fn multiply_parts<'a, 'b>(
    systems: &[&System],
    x: impl Fn(usize) -> &'a [f64] + Sync,
    y: impl Vectors<'b, f64>,
) -> EntryResult {
    let first_error = FirstError::default();
    Team::if_it_pays(systems.len() > 1).share_parts(y, 1, |place, y| {
        first_error.note(place, systems[place].multiply(x(place), y.first()));
    });
    placed(first_error)
}

fn adjoint_parts<'a, 'b>(
    members: &mut [SystemWorkspace],
    systems: &[&System],
    by: impl Fn(usize) -> ByResults<'a> + Sync,
    results: (impl Vectors<'b, f64>, impl Vectors<'b, LawChange>),
    is_wanted: bool,
    mut tell: impl FnMut(usize, &Fit, bool),
) -> EntryResult {
    let first_error = FirstError::default();
    let work = (&mut *members, results);
    Team::if_it_pays(systems.len() > 1).share_parts(work, 1, |place, (members, (by_b, by_laws))| {
        let [member] = members else { return };
        member.fit = Fit::default();
        let by_laws = is_wanted.then(|| by_laws.first());
        first_error.note(place, member.adjoint(systems[place], by(place), by_b.first(), by_laws));
    });
    for (place, SystemWorkspace { fit, derivatives, .. }) in members.iter().enumerate() {
        tell(place, fit, derivatives.is_solution());
    }
    placed(first_error)
}

impl SystemWorkspace {
    /// The derivatives of one system.
    fn adjoint(
        &mut self,
        system: &System,
        ByResults { forces, by_forces, by_velocities }: ByResults,
        by_b: &mut [f64],
        mut by_laws: Option<&mut [LawChange]>,
    ) -> Result<(), Error> {
        let Self { laws, derivatives, fit, .. } = self;
        system.row_laws(laws)?;
        system.compute_derivatives(derivatives, laws, forces, 0.0)?;
        let found = derivatives.adjoint(Some(by_forces), Some(by_velocities), by_b, by_laws.as_deref_mut());
        *fit = found.map_err(|error| system.of_row(error))?;
        for (change, law) in by_laws.into_iter().flatten().zip(derivatives.first_laws()) {
            if laws[law].kind.is_isotropic() {
                *change = change.joined();
            }
        }
        Ok(())
    }
}

/// The memory for this number of systems.
fn prepared(members: &mut Vec<SystemWorkspace>, count: usize) -> Result<&mut [SystemWorkspace], Error> {
    members.try_reserve(count.saturating_sub(members.len()))?;
    members.resize_with(count.max(members.len()), SystemWorkspace::default);
    Ok(&mut members[..count])
}

/// Find the first row of each system, and the end, which must be `count`.
fn find_rows(systems: &[&System], count: usize, starts: &mut Vec<usize>) -> Result<(), EntryError> {
    let mut end = 0;
    collect(starts, systems.len() + 1, std::iter::once(0)).map_err(Error::from)?;
    for (place, system) in systems.iter().enumerate() {
        let rows = system.results().map_err(|error| EntryError { entry: Some(place), error })?;
        end += rows.w.len();
        starts.push(end);
    }
    let why = "the derivatives by laws are not as many as the rows of all systems";
    ensure!(end == count, EntryError { entry: None, error: Error::of_system(super::Fault::Invalid(why)) });
    Ok(())
}

/// Check the starts of systems in vectors of these lengths.
fn check(systems: &[&System], starts: &[usize], lengths: &[usize]) -> Result<(), EntryError> {
    let all = |error| EntryError { entry: None, error };
    let why = super::Fault::Invalid(
        "the starts of systems do not begin with 0, do not ascend, or do not end with the number of values",
    );
    let last = starts.last().copied();
    let fits = starts.len() == systems.len() + 1
        && starts[0] == 0
        && starts.is_sorted()
        && lengths.iter().all(|&length| Some(length) == last);
    ensure!(fits, all(Error::of_system(why)));
    Ok(())
}

/// Check that there is a slice for each system.
fn check_slices(systems: &[&System], found: usize) -> Result<(), EntryError> {
    let checked = check_size("slices of vectors", systems.len(), found);
    checked.map_err(|fault| EntryError { entry: None, error: Error::of_system(fault) })
}

fn placed(first_error: FirstError<Error>) -> EntryResult {
    first_error.into_placed().map_err(|(place, error)| EntryError { entry: Some(place), error })
}

impl System {
    /// The numbers of scalar rows and of rows of the last update; zeros if W is not known, which is found where it is needed.
    pub(super) fn vector_sizes(&self) -> [usize; 2] {
        match self.has_operators {
            true => [self.structure.scalar_count(), self.structure.len()],
            false => [0; 2],
        }
    }

    /// Whether inverse callbacks apply A⁻¹ of some bodies.
    fn has_callbacks(&self) -> bool {
        self.bodies.things().iter().flatten().any(|body: &Body| body.inertia().is_users())
    }
}

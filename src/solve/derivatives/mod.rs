//! Derivatives of the solution of a contact problem by its data, by the theorem of implicit functions.
//!
//! `linear_law` says what each law demands of small changes; where a solution is at a kink it takes a fixed side and tells the caller.
//! The rows whose forces depend on velocities (`pattern`) then have linear equations for the changes of their forces (`equations`), and
//! the transposed equations give the derivatives of a function of forces and velocities by all data at once.

mod dense;
mod equations;
mod law_change;
mod linear_law;
mod matrix;
mod outer_product;
mod pattern;
mod ways;

use crate::math::{Vector, is_finite, largest};
use crate::memory::{self, collect, push, refill, resize};
use crate::rows::Bsr3;
use crate::rows::fault::{Error, Fault, check_size};
use crate::rows::pattern::range;

use super::frames::{Axes, NormalFirst, NormalThird};
use super::islands::Components;
use super::laws::{LawKind, of_kind};
use super::places::Places;
use super::problem::{Law, Normal, Problem, Problem3};
use super::rows_of_three::PaddedProblem;
use super::state::{Measurement, Solution, State};
use equations::{LinearizedEquations, probe};
pub use law_change::LawChange;
pub use linear_law::{Bound, Kink3, KinkKind, LawPart, LinearLaw};
use matrix::MatrixOfThrees;
pub use outer_product::outer_product;
use pattern::Pattern;
use ways::{Vectors, Way};

/// The default tolerance.
const TOLERANCE: f64 = 1e-6;

/// Forces of a null vector below this share of its largest one are determined.
const SMALL: f64 = 1e-6;

/// A place where a solution is at a kink: the derivative belongs to one side, see [`KinkKind`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kink {
    /// The row.
    pub row: usize,
    /// The component of the row: the first one of a part with several components.
    pub component: usize,
    /// The kind of the kink.
    pub kind: KinkKind,
}

/// How well the equations of a derivative could be solved.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Fit {
    /// Whether the equations are singular, so that only a part of the forces has derivatives: the result has the least sum of d R²
    /// then, where d is a third of the trace of the diagonal block of W.
    pub is_singular: bool,
    /// The share of the right-hand side that the equations cannot have, between 0 and 1. [`Derivatives::forward`]: the change takes
    /// the problem to other states, or to one without a solution. [`Derivatives::adjoint`]: the function depends on forces that have
    /// no derivative.
    pub outside: f64,
}

/// Derivatives of forces R and velocities U of a solution by the data of its problem.
///
/// ```
/// use ldy::solve::{BlockRows, Derivatives, Law, LawChange, Normal, Problem};
///
/// // A body of unit mass slides: R = (−μ N, 0, N) with N = 3, so U_1 = 2 − μ N.
/// let w = BlockRows::new(&[0, 1], &[0], &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0], None)?;
/// let problem = Problem { w, b: &[2.0, 0.0, -3.0], normal: Normal::Third };
/// let mut derivatives = Derivatives::new(&problem, &[Law::contact(0.5)], &[-1.5, 0.0, 3.0], 0.0)?;
/// let (mut by_b, mut by_laws) = ([0.0; 3], [LawChange::default()]);
/// derivatives.adjoint(None, Some(&[1.0, 0.0, 0.0]), &mut by_b, Some(&mut by_laws))?;
/// assert_eq!(by_b.map(|x| (x * 1e12).round() / 1e12), [1.0, 0.0, 0.5]);
/// assert!((by_laws[0].friction + by_laws[0].friction_2 + 3.0).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct Derivatives {
    matrix: MatrixOfThrees,
    groups: Components,
    state: State,
    measurement: Measurement,
    zeros: Vec<f64>,
    /// Whether the next lists are those of rows with three scalar rows each, which depend on their number alone.
    are_threes: bool,
    /// The row of each row of three, and whether it has moments.
    rows: Vec<u32>,
    is_of_moments: Vec<bool>,
    places: Places,
    /// The first scalar row of each row, and the end.
    starts: Vec<u32>,
    laws: Vec<LinearLaw>,
    kinks: Vec<Kink3>,
    pattern: Pattern,
    equations: [LinearizedEquations; 2],
    /// Whether the equations of each way have factors.
    is_factored: [bool; 2],
    residual: f64,
    tolerance: f64,
    work: Vectors,
}

impl Fit {
    /// The worse of two.
    pub fn or_worse(self, other: Self) -> Self {
        let is_singular = self.is_singular || other.is_singular;
        Self { is_singular, outside: f64::max(self.outside, other.outside) }
    }
}

impl Derivatives {
    /// Prepare the derivatives of the solution `forces`.
    ///
    /// `tolerance`: 0 is the default, 1e-6. Velocities and forces below it, in the units of the residual
    /// [`scaled`](super::Residual::scaled) of each group of rows that blocks connect, count as zero. Solve with a tolerance that is a
    /// hundred times smaller. Forces with a larger residual are accepted, and [`Derivatives::is_solution`] is false then.
    ///
    /// W need not be symmetric.
    ///
    /// # Errors
    /// As [`Solver::solve`](super::Solver::solve), and if the tolerance is not between 0 and 1.
    pub fn new(problem: &Problem, laws: &[Law], forces: &[f64], tolerance: f64) -> Result<Self, Error> {
        let mut own = Self::default();
        own.compute(problem, laws, forces, tolerance)?;
        Ok(own)
    }

    /// Do the same as [`Derivatives::new`] with the memory of earlier derivatives. For a pattern and states of laws that were the last
    /// ones, nothing is allocated.
    ///
    /// # Errors
    /// As [`Derivatives::new`]. After an error nothing has changed, but there are no rows if memory is exhausted.
    pub fn compute(
        &mut self,
        problem: &Problem,
        laws: &[Law],
        forces: &[f64],
        tolerance: f64,
    ) -> Result<(), Error> {
        problem.check(laws, Some(forces))?;
        let why = "the tolerance is not between 0 and 1";
        ensure!((0.0..1.0).contains(&tolerance), Error::of_rows(Fault::Invalid(why)));
        self.tolerance = if tolerance == 0.0 { TOLERANCE } else { tolerance };
        let found = self.find(problem, laws, forces);
        if found.is_err() {
            *self = Self::default();
        }
        found
    }

    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The number of scalar rows.
    pub fn scalar_count(&self) -> usize {
        self.places.of_scalars.len()
    }

    /// The place of each row's law, the first one if it has two, among those that were given.
    pub(crate) fn first_laws(&self) -> impl Iterator<Item = usize> {
        (0..self.rows.len()).filter(|&law| law == 0 || self.rows[law] != self.rows[law - 1])
    }

    /// The largest scaled residual of the forces in a group of rows that blocks connect.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// Whether the residual of the forces is at most the tolerance. Otherwise derivatives belong to no solution.
    pub fn is_solution(&self) -> bool {
        self.residual <= self.tolerance
    }

    /// Where the solution is at a kink, in the order of rows.
    pub fn kinks(&self) -> impl Iterator<Item = Kink> {
        self.kinks.iter().map(|&Kink3 { row, lane, kind }| {
            let component = self.component(row, lane);
            Kink { row: self.rows[row] as usize, component, kind }
        })
    }

    /// The rows whose forces have no derivatives, ascending: the equations leave their changes open, as if W is singular. Forces of the
    /// other rows and all velocities that do not depend on these forces have derivatives.
    ///
    /// # Errors
    /// If numbers overflow, or memory is exhausted.
    pub fn undetermined(&mut self) -> Result<Vec<usize>, Error> {
        self.factorize(Way::Adjoint)?;
        let Self { equations, pattern, work, rows, matrix, .. } = self;
        let equations = &mut equations[Way::Adjoint as usize];
        let mut found = Vec::new();
        if !equations.is_singular() {
            return Ok(found);
        }
        collect(&mut work.x, pattern.rows.len(), (0..pattern.rows.len()).map(probe))?;
        equations.solve(&mut matrix.team(), pattern, &mut work.x);
        let null = equations.outside();
        let most = SMALL * largest(null.as_flattened());
        for (&row, null) in pattern.rows.iter().zip(null) {
            if largest(null) > most {
                push(&mut found, rows[row as usize] as usize)?;
            }
        }
        found.dedup();
        Ok(found)
    }

    /// Compute the changes of forces and velocities that belong to a small change of data, or to each of several.
    ///
    /// - `velocities`: dB + dW R, a value for each scalar row.
    /// - `laws`: changes of the laws, one for each row; none: no change.
    /// - `force_changes`, `velocity_changes`: dR and dU, a value for each scalar row.
    ///
    /// In each array the parts of several changes follow each other. The bias is a part of the law: dU does not have its change. Returns
    /// the worst fit.
    ///
    /// # Errors
    /// If an array has the wrong length, a change is not finite, numbers overflow, or memory is exhausted. Nothing is written then.
    pub fn forward(
        &mut self,
        velocities: &[f64],
        laws: Option<&[LawChange]>,
        force_changes: &mut [f64],
        velocity_changes: &mut [f64],
    ) -> Result<Fit, Error> {
        let (count, rows) = (self.scalar_count(), self.row_count());
        let columns = self.columns("changes of velocities", velocities.len())?;
        self.check_forward(columns, velocities, laws)?;
        check_size("changes of forces", velocities.len(), force_changes.len())?;
        check_size("changes of velocities", velocities.len(), velocity_changes.len())?;
        self.factorize(Way::Forward)?;
        let mut worst = Fit::default();
        for column in 0..columns {
            let own = part(column, count);
            let laws = laws.map(|laws| &laws[part(column, rows)]);
            worst = worst.or_worse(self.change(&velocities[own.clone()], laws));
            let Self { work: Vectors { y, v, .. }, places, state: State { roots, .. }, .. } = self;
            for (scalar, at) in own.enumerate() {
                let (row, lane) = places.of(scalar);
                force_changes[at] = y[row][lane] / roots[row];
                velocity_changes[at] = v[row][lane] * roots[row] + velocities[at];
            }
        }
        Ok(worst)
    }

    /// Compute the derivatives of a function of forces and velocities by all data, or of each of several functions.
    ///
    /// - `by_forces`, `by_velocities`: ∂L/∂R and ∂L/∂U, a value for each scalar row; none: zero.
    /// - `by_b`: ∂L/∂B, a value for each scalar row. The derivative by W is ∂L/∂B Rᵀ, see [`outer_product`].
    /// - `by_laws`: the derivatives by the numbers of each law, one for each row. A contact with one coefficient of friction has the
    ///   sum of those by `friction` and `friction_2`.
    ///
    /// In each array the parts of several functions follow each other. Returns the worst fit.
    ///
    /// # Errors
    /// If an array has the wrong length, a derivative is not finite, numbers overflow, or memory is exhausted. Nothing is written then.
    pub fn adjoint(
        &mut self,
        by_forces: Option<&[f64]>,
        by_velocities: Option<&[f64]>,
        by_b: &mut [f64],
        by_laws: Option<&mut [LawChange]>,
    ) -> Result<Fit, Error> {
        let (count, rows) = (self.scalar_count(), self.row_count());
        let columns = self.columns("derivatives by B", by_b.len())?;
        self.check_adjoint(columns, by_forces, by_velocities)?;
        let (needed, mut by_laws) = (columns * rows, by_laws);
        check_size("derivatives by laws", needed, by_laws.as_ref().map_or(needed, |laws| laws.len()))?;
        self.factorize(Way::Adjoint)?;
        let mut worst = Fit::default();
        for column in 0..columns {
            let own = part(column, count);
            let [by_forces, by_velocities] = [by_forces, by_velocities].map(|by| Some(&by?[own.clone()]));
            let by_laws = by_laws.as_deref_mut().map(|laws| &mut laws[part(column, rows)]);
            worst = worst.or_worse(self.multipliers(by_forces, by_velocities, by_laws.is_some()));
            self.read_multipliers(by_velocities, &mut by_b[own], by_laws);
        }
        Ok(worst)
    }

    /// The number of columns in an array of this length: each has a value for each scalar row.
    fn columns(&self, what: &'static str, length: usize) -> Result<usize, Error> {
        let count = self.scalar_count();
        let columns = length.checked_div(count).map_or(0, |columns| columns.max(length.min(1)));
        check_size(what, columns * count, length)?;
        Ok(columns)
    }

    /// Check the changes of [`Derivatives::forward`].
    fn check_forward(
        &self,
        columns: usize,
        velocities: &[f64],
        laws: Option<&[LawChange]>,
    ) -> Result<(), Error> {
        self.check_finite("a change of its velocity", velocities)?;
        let Some(laws) = laws else { return Ok(()) };
        check_size("changes of laws", columns * self.row_count(), laws.len())?;
        let bad = laws.iter().position(|change| !change.is_finite());
        let row = bad.map(|place| place % self.row_count());
        ensure!(row.is_none(), Error { row, fault: Fault::NotFinite("a change of its law") });
        Ok(())
    }

    /// Check the derivatives of [`Derivatives::adjoint`] in this number of columns.
    pub(crate) fn check_adjoint(
        &self,
        columns: usize,
        by_forces: Option<&[f64]>,
        by_velocities: Option<&[f64]>,
    ) -> Result<(), Error> {
        let count = columns * self.scalar_count();
        for (name, what, values) in [
            ("derivatives by forces", "a derivative by its force", by_forces),
            ("derivatives by velocities", "a derivative by its velocity", by_velocities),
        ] {
            check_size(name, count, values.map_or(count, <[f64]>::len))?;
            self.check_finite(what, values.unwrap_or_default())?;
        }
        Ok(())
    }

    fn check_finite(&self, what: &'static str, values: &[f64]) -> Result<(), Error> {
        if is_finite(values) {
            return Ok(());
        }
        let bad = values.iter().position(|value| !value.is_finite()).unwrap_or(0);
        let scalar = bad % self.scalar_count();
        let row = self.starts.partition_point(|&start| start as usize <= scalar) - 1;
        Err(Error::of_row(row, Fault::NotFinite(what)))
    }

    /// The component of a row that a lane has; 0 for a padded lane.
    fn component(&self, row: usize, lane: usize) -> usize {
        let own = range(&self.starts, self.rows[row] as usize);
        own.clone().position(|scalar| self.places.of(scalar) == (row, lane)).unwrap_or(0)
    }

    fn find(&mut self, problem: &Problem, laws: &[Law], forces: &[f64]) -> Result<(), Error> {
        if let Some(w) = problem.w.as_threes() {
            if !self.are_threes || self.row_count() != problem.w.len() {
                self.find_places(problem, laws)?;
                let count = problem.w.len();
                collect(&mut self.rows, count, 0..count as u32)?;
                self.places.keep(count, (0..3 * count).map(|scalar| (scalar / 3, scalar % 3)))?;
                self.are_threes = true;
            }
            self.matrix.copy(w.values)?;
            let problem = Problem3::new(w, problem.b.as_chunks().0, problem.normal);
            return self.find_in_threes(&problem, laws, forces.as_chunks().0);
        }
        self.are_threes = false;
        self.find_places(problem, laws)?;
        let Self { matrix, rows, places, .. } = self;
        let mut padded = std::mem::take(&mut matrix.padded);
        padded.fill(problem, laws, forces)?;
        matrix.is_padded = true;
        places.keep(laws.len(), padded.places(&problem.w))?;
        let PaddedProblem { problem, laws, forces, rows: of_triples, .. } = padded.parts(problem.normal);
        collect(rows, laws.len(), of_triples.iter().copied())?;
        self.find_in_threes(&problem, laws, forces)?;
        self.matrix.padded = padded;
        Ok(())
    }

    fn find_places(&mut self, problem: &Problem, laws: &[Law]) -> memory::Result {
        let ends = (0..problem.w.len()).map(|row| problem.w.scalars(row).end as u32);
        collect(&mut self.starts, problem.w.len() + 1, std::iter::once(0).chain(ends))?;
        collect(&mut self.is_of_moments, laws.len(), laws.iter().map(Law::is_of_moments))
    }

    fn find_in_threes(&mut self, problem: &Problem3, laws: &[Law], forces: &[Vector]) -> Result<(), Error> {
        let is_new = self.matrix.keep_pattern(problem.starts, problem.columns)?;
        if is_new {
            self.groups.find(problem.starts, problem.columns)?;
        }
        self.state.find(problem, laws, forces)?;
        match problem.normal {
            Normal::First => self.linearize::<NormalFirst>(problem, laws, forces)?,
            Normal::Third => self.linearize::<NormalThird>(problem, laws, forces)?,
        }
        self.is_factored = [false; 2];
        let w = Bsr3 { starts: problem.starts, columns: problem.columns, values: problem.values };
        if self.pattern.find(&w, &self.laws, is_new)? {
            self.make_room()?;
        }
        Ok(())
    }

    fn linearize<A: Axes>(
        &mut self,
        problem: &Problem3,
        laws: &[Law],
        forces: &[Vector],
    ) -> Result<(), Error> {
        let Self { state, groups, measurement, zeros, residual, tolerance, kinks, .. } = self;
        refill(zeros, laws.len(), 0.0)?;
        *residual = 0.0;
        state.measure::<A>(problem, laws, forces, groups, measurement, |rows, size, of_group, _| {
            *residual = residual.max(of_group / size);
            rows.iter().for_each(|&row| zeros[row as usize] = *tolerance * size);
            Ok(())
        })?;
        kinks.clear();
        let State { velocities, roots, .. } = &*state;
        let lanes = self.places.lanes();
        let solution = Solution { laws, forces, velocities, roots, zeros, lanes };
        resize(&mut self.laws, laws.len(), LinearLaw::default())?;
        for (row, law) in self.laws.iter_mut().enumerate() {
            *law = LinearLaw::default();
            of_kind!(&laws[row].kind, kind => kind.linearized::<A>(&solution, row, law, kinks)?);
        }
        Ok(())
    }
}

/// The part of a column in an array with `each` values for each.
fn part(column: usize, each: usize) -> std::ops::Range<usize> {
    column * each..(column + 1) * each
}

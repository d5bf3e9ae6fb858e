//! Which forces are unique, and how far the others can change: the solutions with the velocities of a known one.
//!
//! Let R be a solution and U its velocity. The forces R' with W (R' − R) = 0 that obey each law with U are all solutions with this U.
//! They form a convex set, R_0 + D t with t in cones (`faces`). Its directions are the null space of Dᵀ W D, which falls into small
//! independent parts (`null_space`, `parts`). The least and the greatest value of a component are cone programs of a part
//! (`program`), as is the solution with the least forces.
//!
//! U itself is unique if nothing has friction, and among solutions in which the same contacts slide with the same speeds.

mod faces;
mod null_space;
mod parts;
mod program;

use std::ops::Range;

use crate::math::{Vector, is_finite};
use crate::memory::{self, collect, push, refill, with_capacity};
use crate::rows::elimination::Elimination;
use crate::rows::fault::{Error, Fault, check_size};
use crate::rows::pattern::range;

use super::frames::{Axes, NormalFirst, NormalThird};
use super::islands::Components;
use super::places::Places;
use super::problem::{Law, Normal, Problem, Problem3};
use super::rows_of_three::{Padded, PaddedProblem};
use super::state::{Measurement, Solution, State};
pub use faces::{Cone, Faces, NONE};
use null_space::NullSpace;
use parts::{PartProgram, Parts};
use program::ProgramOutcome;

/// The default tolerance.
const TOLERANCE: f64 = 1e-6;

/// The least tolerance for the result of a solver, and its tolerance relative to the residual.
const SHARP: f64 = 1e-9;
const MARGIN: f64 = 100.0;

/// The goals for the errors of intervals, and of canonical forces before they are polished, relative to the forces of a part.
const INTERVAL: f64 = 1e-9;
const CANONICAL: f64 = 1e-10;

/// W and its transpose may differ by this share of the diagonal entries.
const ASYMMETRY: f64 = 1e-9;

/// The solutions with the velocities of a known one.
///
/// ```
/// use ldy::solve::{BlockRows, Law, Normal, Problem, SolutionSet};
///
/// // Two props under one load: each carries any part of it.
/// let values = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0].repeat(4);
/// let w = BlockRows::new(&[0, 2, 4], &[0, 1, 0, 1], &values, None)?;
/// let problem = Problem { w, b: &[0.0, 0.0, -3.0, 0.0, 0.0, -3.0], normal: Normal::Third };
/// let laws = [Law::contact(0.0); 2];
/// let mut set = SolutionSet::new(&problem, &laws, &[0.0, 0.0, 1.0, 0.0, 0.0, 2.0], 0.0)?;
/// assert_eq!(set.determined().collect::<Vec<_>>(), [true, true, false, true, true, false]);
/// let [least, greatest] = set.intervals(&[1])?[2];
/// assert!(least.abs() < 1e-8 && (greatest - 3.0).abs() < 1e-8);
/// assert_eq!(set.causes(0, 2)?, [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Default)]
pub struct SolutionSet {
    faces: Faces,
    null: NullSpace,
    parts: Parts,
    places: Places,
    /// The laws of rows of three, and the row of each.
    laws: Vec<Law>,
    rows: Vec<u32>,
    /// The first scalar row of each row, and the end.
    starts: Vec<u32>,
    roots: Vec<f64>,
    /// Scaled velocities and forces below this are zero, for each row of three.
    zeros: Vec<f64>,
    program: PartProgram,
}

impl SolutionSet {
    /// Find the solutions with the velocities of the solution `forces`.
    ///
    /// `tolerance`: 0 is the default, 1e-6. In each group of rows that blocks connect, the residual
    /// [`scaled`](super::Residual::scaled) of the forces must be at most the tolerance, and velocities below the tolerance count as
    /// zero, with the same divisor. Solve with a tolerance that is a hundred times smaller, as the default of
    /// [`Options`](super::Options).
    ///
    /// W is symmetric and positive semidefinite. The function takes up to 8 n² bytes and n³ operations for a group in which n scalar
    /// rows can have forces.
    ///
    /// # Errors
    /// As [`Solver::solve`](super::Solver::solve), and if the forces are no solution, W is not symmetric or found to be indefinite,
    /// or the tolerance is not between 0 and 1.
    pub fn new(problem: &Problem, laws: &[Law], forces: &[f64], tolerance: f64) -> Result<Self, Error> {
        check_size("forces", problem.w.scalar_count(), forces.len())?;
        for row in 0..problem.w.len() {
            ensure!(
                is_finite(&forces[problem.w.scalars(row)]),
                Error::of_row(row, Fault::NotFinite("its force"))
            );
        }
        problem.check(laws, None)?;
        let why = "the tolerance is not between 0 and 1";
        ensure!((0.0..1.0).contains(&tolerance), Error::of_rows(Fault::Invalid(why)));
        Self::find(problem, laws, forces, Some(if tolerance == 0.0 { TOLERANCE } else { tolerance }))
    }

    /// The same for a checked problem and the result of a solver: velocities are zero as far as the residual of each group shows.
    pub(super) fn of_solution(problem: &Problem, laws: &[Law], forces: &[f64]) -> Result<Self, Error> {
        Self::find(problem, laws, forces, None)
    }

    fn find(problem: &Problem, laws: &[Law], forces: &[f64], tolerance: Option<f64>) -> Result<Self, Error> {
        let mut set = Self::default();
        let ends = (0..problem.w.len()).map(|row| problem.w.scalars(row).end as u32);
        collect(&mut set.starts, problem.w.len() + 1, std::iter::once(0).chain(ends))?;
        if let Some(w) = problem.w.as_threes() {
            let rows = problem.w.len();
            collect(&mut set.rows, rows, 0..rows as u32)?;
            set.places.keep(rows, (0..3 * rows).map(|scalar| (scalar / 3, scalar % 3)))?;
            let problem = Problem3::new(w, problem.b.as_chunks().0, problem.normal);
            set.find_all(&problem, laws, forces.as_chunks().0, tolerance)?;
        } else {
            let mut padded = Padded::default();
            padded.fill(problem, laws, forces)?;
            let triples = laws.len();
            set.places.keep(triples, padded.places(&problem.w))?;
            let PaddedProblem { problem, laws, forces, rows, .. } = padded.parts(problem.normal);
            collect(&mut set.rows, triples, rows.iter().copied())?;
            set.find_all(&problem, laws, forces, tolerance)?;
        }
        Ok(set)
    }

    /// Whether each scalar component of the force is the same in all solutions with the velocities of the known one.
    ///
    /// The answer "yes" is certain up to rounding. "No" means that the component changes along a null vector of W in the linear span of
    /// the forces that the laws allow. If cones forbid each such change, [`SolutionSet::intervals`] gives a point.
    pub fn determined(&self) -> impl Iterator<Item = bool> {
        (0..self.scalar_count()).map(|scalar| self.moving(scalar).is_none())
    }

    /// The number of rows.
    pub fn row_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The number of scalar rows.
    pub fn scalar_count(&self) -> usize {
        self.places.of_scalars.len()
    }

    /// The least and the greatest value of each component of the forces of some rows over all solutions with the velocities of the known
    /// one: infinite if there is no limit, or if it is 1e8 times larger than the forces that change together.
    ///
    /// # Errors
    /// If there is no such row, or memory is exhausted.
    pub fn intervals(&mut self, rows: &[usize]) -> Result<Vec<[f64; 2]>, Error> {
        let mut intervals = Vec::new();
        for &row in rows {
            for scalar in self.scalars(row)? {
                push(&mut intervals, self.interval(scalar)?)?;
            }
        }
        Ok(intervals)
    }

    /// The rows whose forces can change together with a component of the force of a row, ascending: for each of them there is a null
    /// vector that changes this component and a component of the row. There are none if the component is determined.
    ///
    /// # Errors
    /// If there is no such row or component, or memory is exhausted.
    pub fn causes(&mut self, row: usize, component: usize) -> Result<Vec<usize>, Error> {
        let own = self.scalars(row)?;
        let why = "there is no such component of its force";
        ensure!(component < own.len(), Error::of_row(row, Fault::Invalid(why)));
        let mut rows = Vec::new();
        let Some((k, _)) = self.moving(own.start + component) else { return Ok(rows) };
        let circuits = self.null.circuits(k);
        for other in 0..self.faces.directions.len() {
            if self.null.moves[other] && self.null.circuits(other) == circuits {
                push(&mut rows, self.rows[self.faces.directions[other].row] as usize)?;
            }
        }
        rows.dedup();
        Ok(rows)
    }

    /// Write the forces with the least sum of d R² among all solutions with these velocities, where d is a third of the trace of the
    /// diagonal block of W: they are unique.
    ///
    /// # Errors
    /// If the number of forces is wrong, or memory is exhausted. The forces are unchanged then.
    pub fn canonical(&mut self, forces: &mut [f64]) -> Result<(), Error> {
        check_size("forces", self.scalar_count(), forces.len())?;
        let mut values = with_capacity(self.faces.directions.len())?;
        values.extend(self.faces.directions.iter().map(|own| own.value));
        for index in 0..self.parts.all.len() {
            self.make_least(self.parts.all[index], &mut values)?;
        }
        for (scalar, force) in forces.iter_mut().enumerate() {
            let (row, lane) = self.places.of(scalar);
            let own = self.faces.of_component(&self.laws, row, lane);
            *force = self.faces.base[row][lane] + own.map_or(0.0, |(k, factor)| factor * values[k]);
        }
        Ok(())
    }

    /// The scalar rows of a row.
    fn scalars(&self, row: usize) -> Result<Range<usize>, Error> {
        ensure!(row < self.row_count(), Error::of_row(row, Fault::Unknown));
        Ok(range(&self.starts, row))
    }

    fn interval(&mut self, scalar: usize) -> Result<[f64; 2], Error> {
        let (row, lane) = self.places.of(scalar);
        let base = self.faces.base[row][lane];
        let Some((k, factor)) = self.faces.of_component(&self.laws, row, lane) else { return Ok([base; 2]) };
        if !self.null.moves[k] {
            return Ok([base + factor * self.faces.directions[k].value; 2]);
        }
        let mut ends = [0.0; 2];
        for (end, sign) in ends.iter_mut().zip([factor.signum(), -factor.signum()]) {
            *end = base + factor * self.extreme(k, sign)?;
        }
        Ok(ends)
    }

    /// The direction that moves a component and that a null vector moves, if there is one, and how much it moves the component.
    fn moving(&self, scalar: usize) -> Option<(usize, f64)> {
        let (row, lane) = self.places.of(scalar);
        self.faces.of_component(&self.laws, row, lane).filter(|&(k, _)| self.null.moves[k])
    }

    /// The least value of t of a direction, or the greatest one if the sign is negative.
    fn extreme(&mut self, direction: usize, sign: f64) -> memory::Result<f64> {
        let Self { faces, null, parts, program, roots, zeros, .. } = self;
        program.make(parts.of_direction(direction), parts, faces, null, roots, zeros)?;
        let place = program.place(direction);
        program.write_linear(|k| if k == place { sign } else { 0.0 })?;
        let outcome = program.program.solve(&program.linear, 0.0, INTERVAL);
        if outcome == ProgramOutcome::Unbounded {
            return Ok(-sign * f64::INFINITY);
        }
        let change = program.change(place, program.program.solution());
        let (now, weight) = (faces.directions[direction].value, program.directions[place].1);
        // The known solution is one of the set.
        Ok(now + sign * (sign * change).min(0.0) * program.size / weight)
    }

    /// Write the values of the directions of a part that make the least forces.
    fn make_least(&mut self, part: u32, values: &mut [f64]) -> memory::Result {
        let Self { faces, null, parts, program, roots, zeros, .. } = self;
        program.make(part, parts, faces, null, roots, zeros)?;
        let size = program.size;
        let mut forces = memory::copied(&program.directions)?;
        for (k, force) in &mut forces {
            let own = &faces.directions[*k as usize];
            // With cohesion R_0 is not zero.
            let rest: f64 = (0..2)
                .filter(|&j| own.vectors[j] != [0.0; 3])
                .flat_map(|j| (0..3).map(move |i| (j, i)))
                .map(|(j, i)| roots[own.row + j].powi(2) * own.vectors[j][i] * faces.base[own.row + j][i])
                .sum();
            *force = (*force * own.value + rest / *force) / size;
        }
        program.write_linear(|k| forces[k].1)?;
        if !program.program.solve_without_cones(&program.linear) {
            program.program.solve(&program.linear, 1.0, CANONICAL);
            program.program.polish(&program.linear, 1.0);
        }
        for (place, &(k, weight)) in program.directions.iter().enumerate() {
            values[k as usize] += program.change(place, program.program.solution()) * size / weight;
        }
        Ok(())
    }

    /// Find the faces, the null space and its parts.
    fn find_all(
        &mut self,
        problem: &Problem3,
        laws: &[Law],
        forces: &[Vector],
        tolerance: Option<f64>,
    ) -> Result<(), Error> {
        let mut groups = Components::default();
        groups.find(problem.starts, problem.columns)?;
        let mut state = State::default();
        state.find(problem, laws, forces)?;
        self.check_symmetry(problem, &state)?;
        collect(&mut self.laws, laws.len(), laws.iter().copied())?;
        collect(&mut self.roots, laws.len(), state.roots.iter().copied())?;
        refill(&mut self.zeros, laws.len(), 0.0)?;
        match problem.normal {
            Normal::First => self.find_in::<NormalFirst>(problem, forces, &state, &groups, tolerance)?,
            Normal::Third => self.find_in::<NormalThird>(problem, forces, &state, &groups, tolerance)?,
        }
        let Self { faces, null, parts, .. } = self;
        null.start(faces.directions.len())?;
        let (mut elimination, mut rows) = (Elimination::default(), Vec::new());
        for group in 0..groups.len() {
            let own = groups.rows(group);
            let first = own.iter().copied().filter(|&row| !laws[row as usize].is_of_moments());
            collect(&mut rows, own.len(), first)?;
            let added = null.add_group(problem, laws, faces, &mut rows, &mut elimination);
            added.map_err(|error| Error { row: error.row.map(|row| self.rows[row] as usize), ..error })?;
        }
        Ok(parts.find(faces, null)?)
    }

    fn find_in<A: Axes>(
        &mut self,
        problem: &Problem3,
        forces: &[Vector],
        state: &State,
        groups: &Components,
        tolerance: Option<f64>,
    ) -> Result<(), Error> {
        let Self { faces, places, laws, roots, zeros, rows: numbers, .. } = self;
        let room = &mut Measurement::default();
        state.measure::<A>(problem, laws, forces, groups, room, |rows, size, residual, worst| {
            let zero = tolerance.map_or((SHARP * size).max(MARGIN * residual), |tolerance| tolerance * size);
            rows.iter().for_each(|&row| zeros[row as usize] = zero);
            let why =
                "the forces are no solution: the residual of its group of rows is larger than the tolerance";
            let is_solution = residual <= zero;
            ensure!(is_solution, Error::of_row(numbers[worst] as usize, Fault::Invalid(why)));
            Ok(())
        })?;
        let (velocities, lanes) = (&state.velocities[..], places.lanes());
        Ok(faces.find::<A>(&Solution { laws, forces, velocities, roots, zeros, lanes })?)
    }

    fn check_symmetry(&self, problem: &Problem3, state: &State) -> Result<(), Error> {
        for row in 0..problem.rows() {
            for (column, w) in problem.row(row).filter(|(column, _)| *column >= row) {
                let range = problem.range(column);
                let of_row = problem.columns[range.clone()].binary_search(&(row as i32));
                let other = of_row.map_or([0.0; 9], |k| problem.values[range.start + k]);
                let most = ASYMMETRY * (state.weights[row] * state.weights[column]).sqrt();
                let is_right = (0..9).all(|k| (w[k] - other[3 * (k % 3) + k / 3]).abs() <= most);
                let why = "its blocks of W are not symmetric";
                ensure!(is_right, Error::of_row(self.rows[row] as usize, Fault::Invalid(why)));
            }
        }
        Ok(())
    }
}

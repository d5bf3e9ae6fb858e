//! An interior point method for the laws as a convex program, from any start. Forces and velocities stay inside their cones, and
//! predictor and corrector drive their products to zero, after Mehrotra (1992).
//!
//! In the scaled unknowns y = √d R and v = U / √d, and with T = diag (μ, 1, 1) on normal and tangents, a contact has s = T y and z
//! = T⁻¹ v + |v_T| n, both in the cone |x_T| ≤ x_N. The term |v_T| of de Saxcé is computed from the velocity before a step and kept
//! through the step. Where nothing slides the program is convex; where a contact slides, the term follows. A step solves (M + D) δy
//! = b, M = W scaled, where D is the inverse square of the scaling that maps s and z to one point: `contact_space` does so with
//! the blocks of W, `bodies` with a matrix of the bodies.
#![allow(clippy::needless_range_loop, reason = "indices are those of the formulas")]

mod bodies;
mod contact_space;

use std::ops::Range;

use crate::math::{Vector, dot, is_finite, length};
use crate::memory::{self, refill};
use crate::solve::block_lu::Shape;
use crate::team::Team;

pub use contact_space::ContactSpace;

use super::body_space::BodySpace;
use super::cone::{self, Scaling};
use super::frames::Axes;
use super::laws::{LawKind, of_kind};
use super::parts::{PartSums, ROWS};
use super::problem::{Law, Problem3};
use super::residual::velocity;

/// The share of the way to the boundary that a step may go.
const SHARE: f64 = 0.98;

/// The least width of a start, relative to the size of B.
const LEAST_WIDTH: f64 = 1e-6;

/// The regularization added to the diagonal, for dependent equations.
const ALPHA: f64 = 1e-11;

/// The square of this, times the mean product, is added to |v_T|² where the direction of v_T is needed.
const ROUNDED: f64 = 0.1;

/// After a step shorter than this, steps foresee less.
const SHORT: f64 = 0.02;
const LESS: f64 = 0.7;

/// After a step longer than this, steps foresee more: this share of the rest.
const LONG: f64 = 0.9;
const MORE: f64 = 0.2;

/// The corrections of the solution for the corrector. Errors of the predictor matter less.
const CORRECTIONS: usize = 2;

/// The goal for the mean product is at least this times the mean squared error of the velocities.
const AHEAD: f64 = 0.01;

/// The input of a step.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    pub problem: &'a Problem3<'a>,
    pub laws: &'a [Law],
    pub q: &'a [Vector],
    /// √d of each constraint.
    pub roots: &'a [f64],
    /// ‖B‖, scaled.
    pub size: f64,
}

/// The state of a row other than y.
#[derive(Clone, Copy, Debug, Default)]
struct InteriorRow {
    /// The scaled velocity, and the velocity that the forces make.
    v: Vector,
    /// For a contact, z. For bounds, the parts of v at lower bounds and at upper bounds.
    z: Vector,
    upper: Vector,
    scaling: Scaling,
    /// W z.
    lambda: Vector,
    /// The changes of the predictor.
    change: Vector,
    change_z: Vector,
    change_upper: Vector,
    /// The direction of v_T, times the foreseen share.
    towards: [f64; 2],
}

/// The space in which the equations of a step are solved.
#[derive(Debug)]
pub enum Space<'a> {
    Contacts(ContactSpace<'a>),
    Bodies(&'a mut BodySpace),
}

impl Space<'_> {
    fn factorise<A: Axes>(
        &mut self,
        team: &mut Team,
        shape: Shape,
        program: &Program,
        y: &[Vector],
        rows: &[InteriorRow],
    ) -> bool {
        match self {
            Self::Contacts(space) => space.factorise::<A>(team, program, y, rows),
            Self::Bodies(space) => bodies::factorise::<A>(team, shape, space, program, y, rows),
        }
    }

    fn solve(&mut self, team: &mut Team, step: &mut [Vector], corrections: usize) {
        match self {
            Self::Contacts(space) => space.solve(team, step),
            Self::Bodies(space) => space.solve(team, step, corrections),
        }
    }

    /// Compute the velocities after a step of this length along the last solution.
    fn advance<A: Axes>(
        &mut self,
        team: &mut Team,
        program: &Program,
        long: f64,
        y: &[Vector],
        rows: &mut [InteriorRow],
    ) {
        match self {
            Self::Contacts(_) => ContactSpace::velocities::<A>(team, program, y, rows),
            Self::Bodies(space) => {
                space.advance(long);
                bodies::velocities(team, space, program, rows);
            }
        }
    }
}

/// How interior steps begin.
#[derive(Clone, Copy, Debug)]
pub struct Start {
    /// How far inside the cones, relative to the size of B.
    pub width: f64,
    /// The share of the change of |v_T| that steps foresee. With the whole change steps become short where many contacts slide,
    /// without it many are needed.
    pub share: f64,
    /// Whether steps aim closer to the solution. They are fewer then, unless many contacts have neither force nor velocity: these
    /// make the following steps short.
    pub is_bold: bool,
}

/// The state, and a workspace for steps.
#[derive(Debug, Default)]
pub struct Interior {
    y: Vec<Vector>,
    rows: Vec<InteriorRow>,
    step: Vec<Vector>,
    /// The foreseen share of the change of |v_T|.
    share: f64,
    is_bold: bool,
    /// The parts of sums over rows, and of the length of a step.
    sums: PartSums<Complementarity>,
    reaches: PartSums<f64>,
}

/// The sums of the products of forces and velocities, of their number, and of the squared errors of the velocities.
#[derive(Clone, Copy, Debug, Default)]
struct Complementarity {
    sum: f64,
    count: f64,
    lack: f64,
}

/// The kind of a lane with bounds.
pub enum Lane {
    /// Lower and upper bound, at least one finite.
    Bounded(f64, f64),
    Free,
    Pinned(f64),
}

impl Program<'_> {
    fn lane<A: Axes>(&self, row: usize, i: usize) -> Option<Lane> {
        of_kind!(&self.laws[row].kind, law => law.lane::<A>(i, self.roots[row]))
    }

    fn friction(&self, row: usize) -> f64 {
        of_kind!(&self.laws[row].kind, law => law.frictions()).map_or(0.0, |[friction, _]| friction)
    }

    fn cohesion<A: Axes>(&self, row: usize) -> Vector {
        let mut shift = [0.0; 3];
        if let Some(cohesion) = of_kind!(&self.laws[row].kind, law => law.cohesion()) {
            shift[A::N] = cohesion * self.roots[row];
        }
        shift
    }

    /// The scaled force: y without the cohesion.
    fn scaled_force<A: Axes>(&self, row: usize, y: &Vector) -> Vector {
        let shift = self.cohesion::<A>(row);
        std::array::from_fn(|i| y[i] - shift[i])
    }

    /// The force.
    fn force<A: Axes>(&self, row: usize, y: &Vector) -> Vector {
        self.scaled_force::<A>(row, y).map(|force| force / self.roots[row])
    }

    /// The scaled velocity that forces y make.
    fn velocity<A: Axes>(&self, row: usize, y: &[Vector]) -> Vector {
        let force = |column: usize| self.force::<A>(column, &y[column]);
        velocity(self.problem, row, &self.q[row], force).map(|u| u / self.roots[row])
    }
}

/// Return s of a contact: normal, tangents.
#[inline(always)]
fn inner<A: Axes>(y: &Vector, friction: f64) -> Vector {
    [friction * y[A::N], y[A::S], y[A::T]]
}

/// T⁻¹ v.
#[inline(always)]
fn outer<A: Axes>(v: &Vector, friction: f64) -> Vector {
    [v[A::N] / friction, v[A::S], v[A::T]]
}

/// Move x into the cone: x + (width + distance from the cone) n.
#[inline(always)]
fn inside(x: Vector, width: f64) -> Vector {
    [x[0].max(length(x[1], x[2])) + width, x[1], x[2]]
}

impl Interior {
    /// Begin near these forces.
    pub fn begin<A: Axes>(
        &mut self,
        team: &mut Team,
        program: &Program,
        space: &mut Space,
        forces: &[Vector],
        start: &Start,
    ) -> memory::Result {
        let count = forces.len();
        self.sums.prepare(count)?;
        self.reaches.prepare(count)?;
        refill(&mut self.y, count, [0.0; 3])?;
        refill(&mut self.rows, count, InteriorRow::default())?;
        refill(&mut self.step, count, [0.0; 3])?;
        self.share = start.share;
        self.is_bold = start.is_bold;
        let width = start.width.max(LEAST_WIDTH) * program.size / (count.max(1) as f64).sqrt();
        for (row, y) in self.y.iter_mut().enumerate() {
            let (shift, root) = (program.cohesion::<A>(row), program.roots[row]);
            *y = std::array::from_fn(|i| forces[row][i] * root + shift[i]);
        }
        ContactSpace::velocities::<A>(team, program, &self.y, &mut self.rows);
        for (row, (y, state)) in self.y.iter_mut().zip(&mut self.rows).enumerate() {
            let friction = program.friction(row);
            if friction > 0.0 {
                let s = inside(inner::<A>(y, friction), width);
                y[A::N] = s[0] / friction;
                let v = outer::<A>(&state.v, friction);
                state.z = inside([v[0] + length(v[1], v[2]), v[1], v[2]], width);
            }
            for i in 0..3 {
                match program.lane::<A>(row, i) {
                    Some(Lane::Bounded(lower, upper)) => {
                        let margin = width.min(0.25 * (upper - lower));
                        y[i] = y[i].max(lower + margin).min(upper - margin);
                        state.z[i] = if lower.is_finite() { state.v[i].max(0.0) + width } else { 0.0 };
                        state.upper[i] = if upper.is_finite() { (-state.v[i]).max(0.0) + width } else { 0.0 };
                    }
                    Some(Lane::Pinned(value)) => y[i] = value,
                    Some(Lane::Free) | None => {}
                }
            }
        }
        match space {
            Space::Bodies(space) => {
                space.begin(team, |row| program.scaled_force::<A>(row, &self.y[row]));
                bodies::velocities(team, space, program, &mut self.rows);
            }
            Space::Contacts(_) => ContactSpace::velocities::<A>(team, program, &self.y, &mut self.rows),
        }
        Ok(())
    }

    /// The mean product of forces and velocities, and the mean squared error of the velocities.
    fn products<A: Axes>(&mut self, team: &mut Team, program: &Program) -> (f64, f64) {
        let Self { y, rows, sums, .. } = self;
        let mut all = Complementarity::default();
        for part in sums.of(team, y.len(), |part| products_of::<A>(program, part, y, rows)) {
            all = Complementarity {
                sum: all.sum + part.sum,
                count: all.count + part.count,
                lack: all.lack + part.lack,
            };
        }
        let count = f64::max(all.count, 1.0);
        (all.sum / count, all.lack / count)
    }

    /// Compute scalings, and the directions of sliding.
    fn scale<A: Axes>(&mut self, team: &mut Team, program: &Program, mean: f64) {
        let Self { y, rows, share, .. } = self;
        team.share_parts(&mut rows[..], ROWS, |first, rows| {
            for (row, state) in (first..).zip(rows) {
                let friction = program.friction(row);
                if friction > 0.0 {
                    state.scaling = Scaling::of(&inner::<A>(&y[row], friction), &state.z);
                    state.lambda = state.scaling.times(&state.z);
                    let [s, t] = [state.v[A::S], state.v[A::T]];
                    let slip = (s * s + t * t + ROUNDED * ROUNDED * mean).sqrt();
                    let share = if slip > 0.0 { *share / slip } else { 0.0 };
                    state.towards = [share * s, share * t];
                }
            }
        });
    }

    /// Fill the right-hand side of a step: of the predictor, or, with its products, of the corrector towards `goal`.
    fn right_side<A: Axes>(&mut self, team: &mut Team, program: &Program, goal: Option<f64>) {
        let Self { y, rows, step, .. } = self;
        team.share_parts(&mut step[..], ROWS, |first, step| {
            for (row, right) in (first..).zip(step) {
                *right = rows[row].right_side::<A>(program, row, &y[row], goal);
            }
        });
    }

    /// Compute the changes of z that belong to the step.
    fn follow<A: Axes>(&mut self, team: &mut Team, program: &Program, goal: Option<f64>) {
        let Self { y, rows, step, .. } = self;
        team.share_parts(&mut rows[..], ROWS, |first, rows| {
            for (row, state) in (first..).zip(rows) {
                state.follow::<A>(program, row, &y[row], step[row], goal);
            }
        });
    }

    /// The longest step that stays inside.
    fn reach<A: Axes>(&mut self, team: &mut Team, program: &Program) -> f64 {
        let Self { y, rows, reaches, .. } = self;
        reaches.least(team, y.len(), |row| rows[row].reach::<A>(program, row, &y[row]))
    }

    /// Make a step of predictor and corrector and write the new `forces`. Returns the length of the step, or none if the matrix is
    /// singular.
    pub fn step<A: Axes>(
        &mut self,
        team: &mut Team,
        program: &Program,
        space: &mut Space,
        forces: &mut [Vector],
    ) -> Option<f64> {
        let (mean, lack) = self.products::<A>(team, program);
        self.scale::<A>(team, program, mean);
        // Without a foreseen change all matrices are symmetric.
        let shape = if self.share == 0.0 { Shape::Symmetric } else { Shape::Any };
        if !space.factorise::<A>(team, shape, program, &self.y, &self.rows) {
            return None;
        }
        self.right_side::<A>(team, program, None);
        space.solve(team, &mut self.step, 0);
        self.follow::<A>(team, program, None);
        let left = 1.0 - self.reach::<A>(team, program).min(1.0);
        // Mehrotra takes the cube.
        let wanted = if self.is_bold { left * left } else { left };
        let goal = (wanted * mean).max((AHEAD * lack).min(mean));
        self.right_side::<A>(team, program, Some(goal));
        space.solve(team, &mut self.step, CORRECTIONS);
        self.follow::<A>(team, program, Some(goal));
        let long = (SHARE * self.reach::<A>(team, program)).min(1.0);
        if !long.is_finite() || !is_finite(self.step.as_flattened()) {
            return None;
        }
        if long < SHORT {
            self.share *= LESS;
        } else if long > LONG {
            self.share += MORE * (1.0 - self.share);
        }
        let Self { y, rows, .. } = self;
        team.share_parts((&mut y[..], (&mut rows[..], forces)), ROWS, |first, (y, (rows, forces))| {
            for (row, (y, (state, force))) in (first..).zip(y.iter_mut().zip(rows.iter_mut().zip(forces))) {
                for i in 0..3 {
                    y[i] += long * state.change[i];
                    state.z[i] += long * state.change_z[i];
                    state.upper[i] += long * state.change_upper[i];
                }
                *force = program.force::<A>(row, y);
            }
        });
        space.advance::<A>(team, program, long, y, rows);
        Some(long)
    }
}

/// The sums of some rows.
fn products_of<A: Axes>(
    program: &Program,
    part: Range<usize>,
    y: &[Vector],
    rows: &[InteriorRow],
) -> Complementarity {
    let Complementarity { mut sum, mut count, mut lack } = Complementarity::default();
    for row in part {
        let (friction, y, state) = (program.friction(row), &y[row], &rows[row]);
        if friction > 0.0 {
            sum += dot(&inner::<A>(y, friction), &state.z);
            count += 1.0;
            let missing = state.missing::<A>(friction);
            lack += dot(&missing, &missing);
        }
        for i in 0..3 {
            if let Some(Lane::Bounded(lower, upper)) = program.lane::<A>(row, i) {
                if lower.is_finite() {
                    sum += (y[i] - lower) * state.z[i];
                    count += 1.0;
                }
                if upper.is_finite() {
                    sum += (upper - y[i]) * state.upper[i];
                    count += 1.0;
                }
                let missing = state.v[i] - state.z[i] + state.upper[i];
                lack += missing * missing;
            }
        }
    }
    Complementarity { sum, count, lack }
}

impl InteriorRow {
    /// T⁻¹ v + |v_T| n − z of a contact.
    #[inline(always)]
    fn missing<A: Axes>(&self, friction: f64) -> Vector {
        let v = outer::<A>(&self.v, friction);
        [v[0] + length(v[1], v[2]) - self.z[0], v[1] - self.z[1], v[2] - self.z[2]]
    }

    /// The right-hand side of the row.
    fn right_side<A: Axes>(&self, program: &Program, row: usize, y: &Vector, goal: Option<f64>) -> Vector {
        let friction = program.friction(row);
        let mut right = [0.0; 3];
        if friction > 0.0 {
            let wanted = self.wanted::<A>(friction, goal);
            let missing = self.missing::<A>(friction);
            right[A::N] = friction * (wanted[0] - missing[0]);
            right[A::S] = wanted[1] - missing[1];
            right[A::T] = wanted[2] - missing[2];
        }
        for (i, right) in right.iter_mut().enumerate() {
            match program.lane::<A>(row, i) {
                Some(Lane::Bounded(lower, upper)) => {
                    let [z, above] = self.wanted_of_lane(y, i, lower, upper, goal);
                    let missing = self.v[i] - self.z[i] + self.upper[i];
                    *right = z - above - missing;
                }
                Some(Lane::Free) => *right = -self.v[i],
                Some(Lane::Pinned(_)) => *right = 0.0,
                None => {}
            }
        }
        right
    }

    /// Compute the changes of z that belong to a step of y.
    fn follow<A: Axes>(
        &mut self,
        program: &Program,
        row: usize,
        y: &Vector,
        step: Vector,
        goal: Option<f64>,
    ) {
        let friction = program.friction(row);
        let (mut z, mut above) = ([0.0; 3], [0.0; 3]);
        if friction > 0.0 {
            let wanted = self.wanted::<A>(friction, goal);
            let scaled = self.scaling.inverse_times(&inner::<A>(&step, friction));
            let taken = self.scaling.inverse_times(&scaled);
            z = std::array::from_fn(|i| wanted[i] - taken[i]);
        }
        for i in 0..3 {
            if let Some(Lane::Bounded(lower, upper)) = program.lane::<A>(row, i) {
                let [to_z, to_above] = self.wanted_of_lane(y, i, lower, upper, goal);
                z[i] = if lower.is_finite() { to_z - self.z[i] / (y[i] - lower) * step[i] } else { 0.0 };
                above[i] =
                    if upper.is_finite() { to_above + self.upper[i] / (upper - y[i]) * step[i] } else { 0.0 };
            }
        }
        self.change = step;
        self.change_z = z;
        self.change_upper = above;
    }

    /// The longest step of the row that stays inside.
    fn reach<A: Axes>(&self, program: &Program, row: usize, y: &Vector) -> f64 {
        let mut most = f64::INFINITY;
        let friction = program.friction(row);
        if friction > 0.0 {
            most = most.min(cone::reach(&inner::<A>(y, friction), &inner::<A>(&self.change, friction)));
            most = most.min(cone::reach(&self.z, &self.change_z));
        }
        let mut until = |value: f64, change: f64| {
            if change < 0.0 {
                most = most.min(-value / change);
            }
        };
        for i in 0..3 {
            if let Some(Lane::Bounded(lower, upper)) = program.lane::<A>(row, i) {
                if lower.is_finite() {
                    until(y[i] - lower, self.change[i]);
                    until(self.z[i], self.change_z[i]);
                }
                if upper.is_finite() {
                    until(upper - y[i], -self.change[i]);
                    until(self.upper[i], self.change_upper[i]);
                }
            }
        }
        most
    }

    /// The foreseen change of μ |v_T| for a change of v.
    #[inline(always)]
    fn foreseen<A: Axes>(&self, friction: f64, change: &Vector) -> f64 {
        friction * (self.towards[0] * change[A::S] + self.towards[1] * change[A::T])
    }

    /// D of a lane with bounds.
    #[inline(always)]
    fn stiffness(&self, y: &Vector, i: usize, lower: f64, upper: f64) -> f64 {
        self.z[i] / (y[i] - lower) + self.upper[i] / (upper - y[i])
    }

    /// The target of z of a contact without the part that depends on the step of y.
    #[inline(always)]
    fn wanted<A: Axes>(&self, friction: f64, goal: Option<f64>) -> Vector {
        let Some(goal) = goal else { return self.z.map(|z| -z) };
        let square = cone::product(&self.lambda, &self.lambda);
        let of_s = self.scaling.inverse_times(&inner::<A>(&self.change, friction));
        let second = cone::product(&of_s, &self.scaling.times(&self.change_z));
        let mut d: Vector = std::array::from_fn(|i| -square[i] - second[i]);
        d[0] += goal;
        self.scaling.inverse_times(&cone::quotient(&d, &self.lambda))
    }

    /// The target of a lane with bounds, for the lower and the upper bound.
    #[inline(always)]
    fn wanted_of_lane(&self, y: &Vector, i: usize, lower: f64, upper: f64, goal: Option<f64>) -> [f64; 2] {
        let (at_lower, at_upper) = match goal {
            None => (0.0, 0.0),
            Some(goal) => {
                (goal - self.change[i] * self.change_z[i], goal + self.change[i] * self.change_upper[i])
            }
        };
        let z = if lower.is_finite() { at_lower / (y[i] - lower) - self.z[i] } else { 0.0 };
        let above = if upper.is_finite() { at_upper / (upper - y[i]) - self.upper[i] } else { 0.0 };
        [z, above]
    }
}

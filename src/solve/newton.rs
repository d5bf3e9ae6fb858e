//! A semismooth Newton method for the last digits, after Alart and Curnier (1991), with a proximal term.
//!
//! In the scaled unknowns y = √d R and v = U / √d the laws are F = y − P (y − v) = 0, where P takes the normal part to its positive
//! part and the tangential part to the disk whose radius is friction times that. With M = W' + α I, the scaled W and the
//! proximal term, a step solves ((1 − P') + P' M) δ = −F.

use std::ops::Range;

use crate::math::{Block, UNIT, Vector, difference, dot, inverse, is_finite, sum};
use crate::memory::{self, refill};
use crate::team::Team;

use super::block_lu::{BlockLu, Shape, Square};
use super::body_space::{BodySpace, RowEquation};
use super::frames::Axes;
use super::laws::moments::MomentLimits;
use super::laws::{LawKind, of_kind};
use super::parts::{PartSums, ROWS, fill};
use super::problem::{Law, Problem3};
use super::rolling::Coefficients;

/// The corrections of a solution in the space of bodies.
const CORRECTIONS: usize = 1;

/// The length of a shortened step over the way to the first change.
const LONGER: f64 = 1.05;

/// The equations of a problem, scaled.
#[derive(Clone, Copy, Debug)]
pub struct Equations<'a> {
    pub problem: &'a Problem3<'a>,
    pub laws: &'a [Law],
    /// √d of each constraint.
    pub roots: &'a [f64],
    /// α of contacts and limits, and the center of the proximal term.
    pub alpha: f64,
    /// α of joints.
    pub alpha_of_joints: f64,
    pub center: &'a [Vector],
    /// The velocities that the current forces make.
    pub velocities: &'a [Vector],
}

/// The workspace of a step.
#[derive(Debug, Default)]
pub struct Newton {
    lu: BlockLu<3>,
    /// −F, then the step, scaled.
    step: Vec<Vector>,
    /// P'.
    slopes: Vec<Block>,
    /// The derivatives of the moments' projections by the normal force, in the rows of moments; empty if there are no moments.
    pulls: Vec<Vector>,
    /// The parts of ‖F‖².
    sums: PartSums<[f64; 2]>,
    /// The forces and y − v before the step.
    before: Vec<Vector>,
    arguments: Vec<Vector>,
    /// The shares of the step before the first change, for parts of the rows.
    shares: PartSums<f64>,
}

impl Newton {
    /// Prepare the workspace for the pattern of a problem. Returns the number of products of blocks in a step, or none if it
    /// exceeds `most`.
    pub fn prepare(&mut self, problem: &Problem3, laws: &[Law], most: u64) -> memory::Result<Option<u64>> {
        self.prepare_rows(problem.rows(), laws.iter().any(Law::is_of_moments))?;
        self.lu.analyse(problem.starts, problem.columns, most)
    }

    /// The factors, for other matrices of the same pattern.
    pub fn lu(&mut self) -> &mut BlockLu<3> {
        &mut self.lu
    }

    /// Make room for steps in the space of bodies, which need no pattern.
    pub fn prepare_rows(&mut self, rows: usize, has_moments: bool) -> memory::Result {
        refill(&mut self.step, rows, [0.0; 3])?;
        refill(&mut self.slopes, rows, [0.0; 9])?;
        refill(&mut self.pulls, if has_moments { rows } else { 0 }, [0.0; 3])?;
        refill(&mut self.before, rows, [0.0; 3])?;
        refill(&mut self.arguments, rows, [0.0; 3])?;
        self.shares.prepare(rows)?;
        self.sums.prepare(rows)
    }

    /// ‖F‖ without and with the proximal term.
    pub fn norms<A: Axes>(&mut self, team: &mut Team, equations: &Equations, forces: &[Vector]) -> [f64; 2] {
        let mut squares = [0.0; 2];
        for part in self.sums.of(team, forces.len(), |part| equations.squares::<A>(part, forces)) {
            (0..2).for_each(|i| squares[i] += part[i]);
        }
        squares.map(f64::sqrt)
    }

    /// Make a whole step from `forces`, in the space of bodies if it is given. Returns false and leaves `forces` unchanged if there
    /// is no step.
    pub fn step<A: Axes>(
        &mut self,
        team: &mut Team,
        equations: &Equations,
        bodies: Option<&mut BodySpace>,
        forces: &mut [Vector],
    ) -> bool {
        let Self { lu, step, slopes, pulls, before, arguments, .. } = self;
        before.copy_from_slice(forces);
        fill(team, arguments, |row| equations.argument::<A>(row, forces));
        equations.linearise::<A>(team, forces, step, slopes);
        equations.pull::<A>(team, forces, pulls);
        match bodies {
            Some(space) => {
                if !space.factorise(team, Shape::Any, |row| equations.of_bodies(row, &slopes[row])) {
                    return false;
                }
                space.solve(team, step, CORRECTIONS);
            }
            None => {
                let is_regular = lu.factorise(
                    team,
                    Shape::Any,
                    #[inline(always)]
                    |row, k| match pulls.get(row) {
                        Some(pull) => equations.block_with_pull::<A>(row, k, &slopes[row], pull),
                        None => equations.block(row, k, &slopes[row]),
                    },
                );
                if !is_regular {
                    return false;
                }
                lu.solve(team, step);
            }
        }
        for (step, root) in step.iter_mut().zip(equations.roots) {
            *step = step.map(|x| x / root);
        }
        if !is_finite(step.as_flattened()) {
            return false;
        }
        for (force, step) in forces.iter_mut().zip(step) {
            *force = std::array::from_fn(|i| force[i] + step[i]);
        }
        true
    }
}

impl Newton {
    /// Shorten the last step to a little more than the way to the first change: a contact begins to slide, to stick or to open, or a
    /// bound is reached. `equations` have the velocities after the step. Returns false and leaves `forces` unchanged if nothing
    /// changes on the way.
    ///
    /// With the proximal term whole steps often lead to the solution. Where they do not, a search along them for a smaller ‖F‖ gets
    /// stuck at the change. After the change, the next step has other equations.
    pub fn shorten<A: Axes>(
        &mut self,
        team: &mut Team,
        equations: &Equations,
        forces: &mut [Vector],
    ) -> bool {
        let Self { before, arguments, shares, .. } = self;
        let first_change = |row: usize| {
            let x = &arguments[row];
            let change = difference(&equations.argument::<A>(row, forces), x);
            let (law, root) = (&equations.laws[row].kind, equations.roots[row]);
            of_kind!(law, law => law.first_change::<A>(x, &change, root))
        };
        let share = LONGER * shares.least(team, forces.len(), first_change);
        if share >= 1.0 {
            return false;
        }
        for (force, before) in forces.iter_mut().zip(before) {
            *force = std::array::from_fn(|i| before[i] + share * (force[i] - before[i]));
        }
        true
    }
}

impl Equations<'_> {
    /// y − v of a row, with the proximal term.
    #[inline(always)]
    fn argument<A: Axes>(&self, row: usize, forces: &[Vector]) -> Vector {
        let (y, [_, v]) = self.at::<A>(row, forces);
        difference(&y, &v)
    }

    #[inline(always)]
    pub fn alpha(&self, row: usize) -> f64 {
        if self.laws[row].is_joint() { self.alpha_of_joints } else { self.alpha }
    }

    /// Return y and v of a row, v without and with the proximal term.
    #[inline(always)]
    fn at<A: Axes>(&self, row: usize, forces: &[Vector]) -> (Vector, [Vector; 2]) {
        let u = self.velocities[row];
        let root = self.roots[row];
        let mut r = forces[row];
        if let Some(cohesion) = of_kind!(&self.laws[row].kind, law => law.cohesion()) {
            r[A::N] += cohesion;
        }
        let y = r.map(|r| r * root);
        let center = &self.center[row];
        let v = u.map(|u| u / root);
        let share = self.alpha(row) * root;
        (y, [v, sum(&v, &difference(&forces[row], center).map(|x| share * x))])
    }

    /// The parts of some rows in ‖F‖², without and with the proximal term.
    fn squares<A: Axes>(&self, part: Range<usize>, forces: &[Vector]) -> [f64; 2] {
        let mut squares = [0.0; 2];
        for row in part {
            let (y, velocities) = self.at::<A>(row, forces);
            for (which, (square, v)) in squares.iter_mut().zip(&velocities).enumerate() {
                let x = difference(&y, v);
                let p = if self.laws[row].is_of_moments() {
                    self.limits::<A>(row, forces, which).projected::<A>(&x)
                } else {
                    of_kind!(&self.laws[row].kind, law => law.projected::<A>(&x, self.roots[row]))
                };
                let error = difference(&y, &p);
                *square += dot(&error, &error);
            }
        }
        squares
    }

    /// Compute −F and P'.
    fn linearise<A: Axes>(
        &self,
        team: &mut Team,
        forces: &[Vector],
        minus: &mut [Vector],
        slopes: &mut [Block],
    ) {
        team.share_parts((minus, slopes), ROWS, |first, (minus, slopes)| {
            for (row, (minus, slope)) in (first..).zip(minus.iter_mut().zip(slopes)) {
                (*minus, *slope) = self.linearise_row::<A>(row, forces);
            }
        });
    }

    /// −F and P' of a row.
    #[inline(always)]
    pub fn linearise_row<A: Axes>(&self, row: usize, forces: &[Vector]) -> (Vector, Block) {
        let (y, [_, v]) = self.at::<A>(row, forces);
        let x = difference(&y, &v);
        if self.laws[row].is_of_moments() {
            let limits = self.limits::<A>(row, forces, 1);
            return (difference(&limits.projected::<A>(&x), &y), limits.slope::<A>(&x));
        }
        of_kind!(&self.laws[row].kind, law => {
            (difference(&law.projected::<A>(&x, self.roots[row]), &y), law.slope::<A>(&x, self.roots[row]))
        })
    }

    /// Block k, of this row, of (1 − P') + P' M; none if the block is zero.
    #[inline(always)]
    pub fn block(&self, row: usize, k: usize, slope: &Block) -> Option<Square<3>> {
        let column = self.problem.columns[k] as usize;
        let mut block = [[0.0; 3]; 3];
        if slope.iter().any(|&x| x != 0.0) {
            let w = &self.problem.values[k];
            let scale = 1.0 / (self.roots[row] * self.roots[column]);
            // Where a contact sticks there is nothing to multiply.
            let is_unit = *slope == UNIT;
            for j in 0..3 {
                let w = [w[3 * j] * scale, w[3 * j + 1] * scale, w[3 * j + 2] * scale];
                for i in 0..3 {
                    block[j][i] = match is_unit {
                        true => w[i],
                        false => slope[i] * w[0] + slope[3 + i] * w[1] + slope[6 + i] * w[2],
                    };
                }
            }
        } else if column != row {
            return None;
        }
        if column == row {
            for j in 0..3 {
                for i in 0..3 {
                    block[j][i] += f64::from(i == j) - (1.0 - self.alpha(row)) * slope[3 * j + i];
                }
            }
        }
        Some(block)
    }

    /// The limits of the moments in a row: of rolling, of torsion, without (0) or with (1) the proximal term; and the change of the
    /// limits with the normal component of y − v.
    fn limits<A: Axes>(&self, row: usize, forces: &[Vector], which: usize) -> MomentLimits {
        let own = row.checked_sub(1).and_then(|before| Coefficients::of(self.laws, before));
        let Some(own) = own else { return MomentLimits::default() };
        let (y, velocities) = self.at::<A>(row - 1, forces);
        let normal = y[A::N] - velocities[which][A::N];
        let [_, rolling, torsion] = own.scaled([self.roots[row - 1], self.roots[row]]).limits;
        let is_pressed = f64::from(normal > 0.0);
        let slopes = [is_pressed * rolling, is_pressed * torsion];
        MomentLimits { limits: slopes.map(|slope| slope * normal), slopes }
    }

    /// Compute the derivatives of the moments' projections by the normal force.
    fn pull<A: Axes>(&self, team: &mut Team, forces: &[Vector], pulls: &mut [Vector]) {
        fill(team, pulls, |row| self.pull_of_row::<A>(row, forces));
    }

    /// The derivative of the projection of moments by the normal force; zero of other rows.
    pub fn pull_of_row<A: Axes>(&self, row: usize, forces: &[Vector]) -> Vector {
        if !self.laws[row].is_of_moments() {
            return [0.0; 3];
        }
        let (y, [_, v]) = self.at::<A>(row, forces);
        self.limits::<A>(row, forces, 1).pull::<A>(&difference(&y, &v))
    }

    /// The block as [`Self::block`] has it, with the derivative by the normal force, which belongs to the row before.
    pub fn block_with_pull<A: Axes>(
        &self,
        row: usize,
        k: usize,
        slope: &Block,
        pull: &Vector,
    ) -> Option<Square<3>> {
        let block = self.block(row, k, slope);
        if *pull == [0.0; 3] {
            return block;
        }
        let mut block = block.unwrap_or_default();
        let column = self.problem.columns[k] as usize;
        // Both rows have the same columns.
        let before = self.problem.range(row - 1).start + (k - self.problem.range(row).start);
        debug_assert_eq!(self.problem.columns[before] as usize, column);
        let w = &self.problem.values[before];
        let scale = 1.0 / (self.roots[row - 1] * self.roots[column]);
        for j in 0..3 {
            let mut along = w[3 * j + A::N] * scale;
            if column == row - 1 && j == A::N {
                along -= 1.0 - self.alpha(row - 1);
            }
            (0..3).for_each(|i| block[j][i] += pull[i] * along);
        }
        Some(block)
    }

    /// (1 − (1 − α) P')⁻¹ and P' of a row.
    #[inline(always)]
    fn of_bodies(&self, row: usize, slope: &Block) -> RowEquation {
        let kept: Block = std::array::from_fn(|i| f64::from(i % 4 == 0) - (1.0 - self.alpha(row)) * slope[i]);
        // A singular row has no inverse. The factorization fails then.
        let inverse = inverse(&kept).unwrap_or([f64::NAN; 9]);
        RowEquation { inverse: [inverse, UNIT], factor: *slope }
    }
}

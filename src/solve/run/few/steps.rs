//! Steps of Newton's method in small problems, with a dense matrix.

use crate::math::{Block, Vector, elimination, is_finite};
use crate::memory::{self, refill};
use crate::solve::frames::Axes;
use crate::solve::gauss_seidel::Force;
use crate::solve::newton::Equations;
use crate::solve::options::Status;

use super::super::steps::ALPHA_OF_JOINTS;
use super::{Few, Given, VERY_FEW};

/// The maximum of steps in a trial.
const MOST_STEPS: usize = 6;

/// Steps go on while a residual is at most this times the last one: the next step often mends what one has moved too far.
const MOST_GROWTH: f64 = 2.0;

/// α relative to the residual, and its minimum: W is often singular, and without α steps would be too long by far.
const ALPHA: f64 = 0.03;
const LEAST_ALPHA: f64 = 1e-9;

impl<const N: usize> Few<'_, '_, N> {
    /// Make steps as long as the residual does not grow, each from allowed forces and followed by a sweep: contacts that a step has moved
    /// from sticking to sliding, or opened, are often moved back by that.
    pub fn steps<A: Axes>(&mut self) -> memory::Result<Option<Status>> {
        let mut before = self.given.begun.outcome.report.residual.by(self.given.task.options.measure);
        for step in 1..=MOST_STEPS {
            if !self.step::<A>(LEAST_ALPHA.max(ALPHA * before))? {
                break;
            }
            self.sweep::<A>();
            let residual = self.look::<A>()?;
            if let Some(end) = self.over() {
                return Ok(Some(end));
            }
            if step > 1 && residual > MOST_GROWTH * before {
                break;
            }
            before = residual;
        }
        Ok(None)
    }

    /// Make a step from the allowed forces; returns false if there is none.
    fn step<A: Axes>(&mut self, alpha: f64) -> memory::Result<bool> {
        self.given.begun.outcome.report.steps += 1;
        let Self { given: Given { task, .. }, rows, roots, allowed, velocities, .. } = self;
        let equations = Equations {
            problem: task.problem,
            laws: task.laws,
            roots,
            alpha,
            alpha_of_joints: alpha.min(ALPHA_OF_JOINTS),
            center: allowed,
            velocities,
        };
        let (mut minus, mut slopes) = ([[0.0; 3]; N], [[0.0; 9]; N]);
        for row in 0..*rows {
            (minus[row], slopes[row]) = equations.linearise_row::<A>(row, allowed);
        }
        let is_flat = self.is_flat
            && minus[..*rows].iter().all(|minus| minus[A::T] == 0.0)
            && slopes[..*rows].iter().all(are_apart::<A>);
        let mut step = [[0.0; 3]; N];
        let matrix = &mut *self.given.kept.matrix;
        let is_made = match is_flat {
            true => solve::<A, 2>(
                &equations,
                [A::N.min(A::S), A::N.max(A::S)],
                &minus,
                &slopes,
                matrix,
                &mut step[..*rows],
            )?,
            false => solve::<A, 3>(&equations, [0, 1, 2], &minus, &slopes, matrix, &mut step[..*rows])?,
        };
        if is_made {
            for row in 0..*rows {
                let root = roots[row];
                self.now[row] = Force::new(&std::array::from_fn(|i| allowed[row][i] + step[row][i] / root));
            }
        }
        Ok(is_made)
    }
}

/// Whether a block does not connect the second tangent with other components.
pub(super) fn are_apart<A: Axes>(block: &Block) -> bool {
    [A::N, A::S].iter().all(|&i| block[3 * i + A::T] == 0.0 && block[3 * A::T + i] == 0.0)
}

/// Solve for the step in D lanes of each row, in scaled units. Returns false if there is none.
#[inline(always)]
fn solve<A: Axes, const D: usize>(
    equations: &Equations,
    lanes: [usize; D],
    minus: &[Vector],
    slopes: &[Block],
    matrix: &mut Vec<[f64; 4]>,
    step: &mut [Vector],
) -> memory::Result<bool> {
    let size = D * step.len();
    let width = elimination::width(size);
    refill(matrix, size * width, [0.0; 4])?;
    for (row, of_row) in matrix.chunks_exact_mut(D * width).enumerate() {
        let of_row = of_row.as_flattened_mut();
        (0..D).for_each(|i| of_row[4 * width * i + size] = minus[row][lanes[i]]);
        let pull = equations.pull_of_row::<A>(row, equations.center);
        let has_pull = pull != [0.0; 3];
        for k in equations.problem.range(row) {
            let block = match has_pull {
                true => equations.block_with_pull::<A>(row, k, &slopes[row], &pull),
                false => equations.block(row, k, &slopes[row]),
            };
            let Some(block) = block else { continue };
            let column = D * equations.problem.columns[k] as usize;
            for (i, of_lane) in of_row.chunks_exact_mut(4 * width).enumerate() {
                (0..D).for_each(|j| of_lane[column + j] = block[lanes[j]][lanes[i]]);
            }
        }
    }
    let mut solution = [[0.0; D]; VERY_FEW];
    let solution = &mut solution[..step.len()];
    if !elimination::solve(matrix, solution.as_flattened_mut()) || !is_finite(solution.as_flattened()) {
        return Ok(false);
    }
    for (step, solution) in step.iter_mut().zip(solution) {
        lanes.into_iter().zip(solution).for_each(|(lane, &mut value)| step[lane] = value);
    }
    Ok(true)
}

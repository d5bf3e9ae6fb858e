//! Steps of Newton's method in small problems, with a dense matrix.

use crate::math::{elimination, is_finite};
use crate::memory::{self, refill};
use crate::solve::frames::Axes;
use crate::solve::gauss_seidel::Force;
use crate::solve::newton::Equations;
use crate::solve::options::Status;

use super::super::steps::ALPHA_OF_JOINTS;
use super::{Few, Given, Kept};

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
        let Self { given, rows, roots, allowed, velocities, .. } = self;
        let Given { task, begun, kept: Kept { matrix, .. }, .. } = given;
        begun.outcome.report.steps += 1;
        let equations = Equations {
            problem: task.problem,
            laws: task.laws,
            roots,
            alpha,
            alpha_of_joints: alpha.min(ALPHA_OF_JOINTS),
            center: allowed,
            velocities,
        };
        let size = 3 * *rows;
        let width = elimination::width(size);
        refill(matrix, size * width, [0.0; 4])?;
        for row in 0..*rows {
            let (minus, slope) = equations.linearise_row::<A>(row, allowed);
            let pull = equations.pull_of_row::<A>(row, allowed);
            let of_row = matrix[3 * row * width..][..3 * width].as_flattened_mut();
            (0..3).for_each(|i| of_row[4 * width * i + size] = minus[i]);
            for k in task.problem.range(row) {
                let Some(block) = equations.block_with_pull::<A>(row, k, &slope, &pull) else { continue };
                let column = 3 * task.problem.columns[k] as usize;
                for (j, of_column) in block.iter().enumerate() {
                    (0..3).for_each(|i| of_row[4 * width * i + column + j] = of_column[i]);
                }
            }
        }
        let mut step = [[0.0; 3]; N];
        let scalars = step[..*rows].as_flattened_mut();
        if !elimination::solve(matrix, scalars) || !is_finite(scalars) {
            return Ok(false);
        }
        for row in 0..*rows {
            let root = roots[row];
            self.now[row] = Force::new(&std::array::from_fn(|i| allowed[row][i] + step[row][i] / root));
        }
        Ok(true)
    }
}

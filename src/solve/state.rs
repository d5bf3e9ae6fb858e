//! The state of given forces: their velocities, the residual of each group of rows, and what counts as zero there.

use crate::math::Vector;
use crate::math::simd::at_best;
use crate::memory::{self, collect, resize};
use crate::rows::fault::Error;

use super::anisotropic::{Scaled, is_anisotropic};
use super::frames::Axes;
use super::islands::Components;
use super::places::UsedLanes;
use super::problem::{Law, Problem3};
use super::residual::{Velocities, scaled_part, weights};
use super::workspace::diagonal;

/// The velocities of given forces. The memory is used again.
#[derive(Debug, Default)]
pub struct State {
    /// B with the biases.
    q: Vec<Vector>,
    /// d of each row, a third of the trace of its diagonal block.
    pub weights: Vec<f64>,
    /// √d.
    pub roots: Vec<f64>,
    /// U with the biases.
    pub velocities: Vec<Vector>,
}

/// A known solution, row by row.
pub struct Solution<'a> {
    pub laws: &'a [Law],
    pub forces: &'a [Vector],
    /// U with the biases.
    pub velocities: &'a [Vector],
    /// √d.
    pub roots: &'a [f64],
    /// Scaled velocities and forces that are not larger count as zero.
    pub zeros: &'a [f64],
    /// The lanes that have a scalar row.
    pub lanes: UsedLanes<'a>,
}

/// The memory of a measurement.
#[derive(Debug, Default)]
pub struct Measurement {
    scaled: Scaled,
    state: State,
}

impl State {
    /// Compute the velocities.
    pub fn find(&mut self, problem: &Problem3, laws: &[Law], forces: &[Vector]) -> memory::Result {
        let rows = problem.rows();
        let biased = problem.b.iter().zip(laws).map(|(b, law)| std::array::from_fn(|i| b[i] + law.bias[i]));
        collect(&mut self.q, rows, biased)?;
        let found = weights(problem, |row| &problem.values[diagonal(problem, row)]);
        collect(&mut self.weights, rows, found)?;
        collect(&mut self.roots, rows, self.weights.iter().map(|d| d.sqrt()))?;
        resize(&mut self.velocities, rows, [0.0; 3])?;
        at_best(Velocities { problem, q: &self.q, forces, velocities: &mut self.velocities });
        Ok(())
    }

    /// Call `tell` for each group with its rows, the size of its scaled velocities, the scaled residual of the forces, which is not
    /// divided by the size, and the row that contributes most to it.
    pub fn measure<A: Axes>(
        &self,
        problem: &Problem3,
        laws: &[Law],
        forces: &[Vector],
        groups: &Components,
        Measurement { scaled, state }: &mut Measurement,
        mut tell: impl FnMut(&[u32], f64, f64, usize) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let measured = if laws.iter().any(is_anisotropic) {
            // The units in which friction is the same in all directions.
            scaled.prepare(problem, laws, forces)?;
            let (problem, laws, forces, _) = scaled.parts(problem);
            state.find(&problem, laws, forces)?;
            Measured { laws, forces, state }
        } else {
            Measured { laws, forces, state: self }
        };
        (0..groups.len()).map(|group| groups.rows(group)).try_for_each(|rows| {
            let (residual, worst) = measured.residual::<A>(rows);
            tell(rows, self.size(rows, forces), residual, worst)
        })
    }

    /// The size of scaled velocities of rows: of B; of forces if B is zero.
    fn size(&self, rows: &[u32], forces: &[Vector]) -> f64 {
        let rows = || rows.iter().map(|&row| row as usize);
        let square = |v: &Vector, root: f64| v.iter().map(|x| (x * root) * (x * root)).sum::<f64>();
        let size = rows().map(|row| square(&self.q[row], self.roots[row].recip())).sum::<f64>().sqrt();
        let of_forces = || rows().map(|row| square(&forces[row], self.roots[row])).sum::<f64>().sqrt();
        [size, of_forces(), 1.0].into_iter().find(|&size| size > 0.0).unwrap_or(1.0)
    }
}

/// The data of a residual.
struct Measured<'a> {
    laws: &'a [Law],
    forces: &'a [Vector],
    state: &'a State,
}

impl Measured<'_> {
    /// The scaled residual of rows, and the row that contributes most.
    fn residual<A: Axes>(&self, rows: &[u32]) -> (f64, usize) {
        let Self { laws, forces, state: State { weights, velocities, .. } } = self;
        let (mut square, mut most, mut worst) = (0.0, 0.0, rows.first().map_or(0, |&row| row as usize));
        for row in rows.iter().map(|&row| row as usize) {
            let part = scaled_part::<A>(laws, weights, forces, velocities, row);
            square += part;
            if part > most {
                (most, worst) = (part, row);
            }
        }
        (square.sqrt(), worst)
    }
}

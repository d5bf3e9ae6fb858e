//! The velocities U = B + W R of all rows.

use crate::math::Vector;
use crate::team::Team;

use super::body_space::BodySpace;
use super::parts::fill;
use super::problem::Problem3;
use super::residual::velocity;

/// What velocities are made of.
pub struct Input<'a> {
    pub problem: &'a Problem3<'a>,
    /// B with the biases.
    pub q: &'a [Vector],
    /// √d of each constraint, by which the rows of bodies are scaled.
    pub roots: &'a [f64],
    pub forces: &'a [Vector],
}

/// Compute the velocities with the blocks of W, or, if they are given, through the bodies.
pub fn compute(team: &mut Team, input: &Input, bodies: Option<&mut BodySpace>, velocities: &mut [Vector]) {
    let &Input { problem, q, roots, forces } = input;
    match bodies {
        Some(space) => {
            let made = space.products(team, |row| forces[row].map(|force| roots[row] * force));
            fill(team, velocities, |row| {
                let (q, made) = (&q[row], made.of(row));
                std::array::from_fn(|i| q[i] + roots[row] * made[i])
            });
        }
        None => fill(team, velocities, |row| {
            velocity(
                problem,
                row,
                &q[row],
                #[inline(always)]
                |column| forces[column],
            )
        }),
    }
}

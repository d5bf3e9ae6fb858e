//! The equations of a step in the space of contacts: (M + D) δy = b, with 3×3 blocks in the pattern of W.

use crate::math::Vector;
use crate::team::Team;

use super::{ALPHA, InteriorRow, Lane, Program};
use crate::solve::block_lu::{BlockLu, Shape, Square};
use crate::solve::frames::Axes;
use crate::solve::parts::ROWS;

/// The factors of M + D belong to Newton's method too, which has the same pattern.
#[derive(Debug)]
pub struct ContactSpace<'a> {
    pub lu: &'a mut BlockLu<3>,
}

impl ContactSpace<'_> {
    /// Factor M + D. Returns false if the matrix is singular.
    pub(super) fn factorise<A: Axes>(
        &mut self,
        team: &mut Team,
        program: &Program,
        y: &[Vector],
        rows: &[InteriorRow],
    ) -> bool {
        self.lu.factorise(
            team,
            Shape::Any,
            #[inline(always)]
            |row, k| Some(block::<A>(program, &y[row], &rows[row], row, k)),
        )
    }

    /// Replace b by δy.
    pub(super) fn solve(&mut self, team: &mut Team, step: &mut [Vector]) {
        self.lu.solve(team, step);
    }

    /// Write the velocities that y makes.
    pub(super) fn velocities<A: Axes>(
        team: &mut Team,
        program: &Program,
        y: &[Vector],
        rows: &mut [InteriorRow],
    ) {
        team.share_parts(rows, ROWS, |first, rows| {
            for (row, state) in (first..).zip(rows) {
                state.v = program.velocity::<A>(row, y);
            }
        });
    }
}

/// Block k, of this row, of M + D; rows of pinned lanes are rows of the unit matrix.
#[inline(always)]
fn block<A: Axes>(program: &Program, y: &Vector, state: &InteriorRow, row: usize, k: usize) -> Square<3> {
    let column = program.problem.columns[k] as usize;
    let w = &program.problem.values[k];
    let scale = 1.0 / (program.roots[row] * program.roots[column]);
    let mut block: Square<3> = std::array::from_fn(|j| std::array::from_fn(|i| w[3 * j + i] * scale));
    let friction = program.friction(row);
    if friction > 0.0 {
        for column in &mut block {
            column[A::N] += state.foreseen::<A>(friction, column);
        }
        if column == row {
            let square = state.scaling.inverse_square();
            let (axes, factors) = ([A::N, A::S, A::T], [friction, 1.0, 1.0]);
            for (i, &to) in axes.iter().enumerate() {
                block[to][to] += ALPHA;
                for (j, &from) in axes.iter().enumerate() {
                    block[from][to] += square[i][j] * factors[i] * factors[j];
                }
            }
        }
        return block;
    }
    for i in 0..3 {
        match program.lane::<A>(row, i) {
            Some(Lane::Pinned(_)) => {
                for (j, block) in block.iter_mut().enumerate() {
                    block[i] = f64::from(column == row && i == j);
                }
            }
            Some(Lane::Bounded(lower, upper)) if column == row => {
                block[i][i] += state.stiffness(y, i, lower, upper);
            }
            _ if column == row => block[i][i] += ALPHA,
            _ => {}
        }
    }
    block
}

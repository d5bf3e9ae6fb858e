//! The equations of a step in the space of bodies: D δy + (1 + E) Z δx = b. E is the foreseen change of |v_T|. With cohesion, y is the
//! sum of force and cohesion, and the force alone makes x.
//!
//! The velocities x of bodies are kept from step to step and not computed from y again: v = Z x + q has small errors then. Each
//! step corrects errors of the equation x = Zᵀ y.

use crate::math::{UNIT, Vector};
use crate::team::Team;

use super::{ALPHA, InteriorRow, Lane, Program};
use crate::solve::block_lu::Shape;
use crate::solve::body_space::{BodySpace, RowEquation};
use crate::solve::frames::Axes;
use crate::solve::parts::ROWS;

/// Write the velocities v = Z x + q.
pub fn velocities(team: &mut Team, space: &BodySpace, program: &Program, rows: &mut [InteriorRow]) {
    team.share_parts(rows, ROWS, |first, rows| {
        for (row, state) in (first..).zip(rows) {
            let made = space.velocity(row);
            let root = program.roots[row];
            state.v = std::array::from_fn(|i| program.q[row][i] / root + made[i]);
        }
    });
}

/// Factor the matrix of the equations. Returns false if it is singular.
pub fn factorise<A: Axes>(
    team: &mut Team,
    shape: Shape,
    space: &mut BodySpace,
    program: &Program,
    y: &[Vector],
    rows: &[InteriorRow],
) -> bool {
    let is_regular = space.factorise(team, shape, |row| equation::<A>(program, row, &y[row], &rows[row]));
    space.correct(team, |row| program.scaled_force::<A>(row, &y[row]));
    is_regular
}

/// D⁻¹ and 1 + E of a row.
#[inline(always)]
fn equation<A: Axes>(program: &Program, row: usize, y: &Vector, state: &InteriorRow) -> RowEquation {
    let friction = program.friction(row);
    let mut factor = UNIT;
    let mut inverse = [0.0; 9];
    if friction > 0.0 {
        // D⁻¹ = T⁻¹ W W T⁻¹.
        let [mut left, mut right] = [inverse; 2];
        let (axes, divisors) = ([A::N, A::S, A::T], [friction, 1.0, 1.0]);
        let scaling = state.scaling.matrix();
        for (i, &to) in axes.iter().enumerate() {
            for (j, &from) in axes.iter().enumerate() {
                left[3 * from + to] = scaling[i][j] / divisors[i];
                right[3 * from + to] = scaling[i][j] / divisors[j];
            }
        }
        for column in factor.as_chunks_mut().0 {
            column[A::N] += state.foreseen::<A>(friction, column);
        }
        return RowEquation { inverse: [left, right], factor };
    }
    for i in 0..3 {
        inverse[4 * i] = match program.lane::<A>(row, i) {
            Some(Lane::Bounded(lower, upper)) => state.stiffness(y, i, lower, upper).max(ALPHA).recip(),
            Some(Lane::Free) => ALPHA.recip(),
            Some(Lane::Pinned(_)) | None => 0.0,
        };
    }
    RowEquation { inverse: [inverse, UNIT], factor }
}

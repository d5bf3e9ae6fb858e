//! Steps of Newton's method in small problems, with a dense matrix.

use crate::math::{Block, Vector, elimination, is_finite};
use crate::memory::{self, refill};
use crate::solve::block_lu;
use crate::solve::frames::Axes;
use crate::solve::gauss_seidel::Force;
use crate::solve::newton::Equations;
use crate::solve::options::Status;

use super::super::steps::ALPHA_OF_JOINTS;
use super::{Few, Given};

/// The maximum of steps in a trial.
const MOST_STEPS: usize = 6;

/// Steps go on while a residual is at most this times the last one: the next step often mends what one has moved too far.
const MOST_GROWTH: f64 = 2.0;

/// α relative to the residual, and its minimum: W is often singular, and without α steps would be too long by far.
const ALPHA: f64 = 0.03;
const LEAST_ALPHA: f64 = 1e-9;

/// The place of a row that is no unknown.
const KNOWN: usize = usize::MAX;

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
            true => solve::<A, 2, N>(
                &equations,
                [A::N.min(A::S), A::N.max(A::S)],
                &minus,
                &slopes,
                matrix,
                &mut step[..*rows],
            )?,
            false => solve::<A, 3, N>(&equations, [0, 1, 2], &minus, &slopes, matrix, &mut step[..*rows])?,
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

/// Solve for the step in D lanes of each row, in scaled units. Returns false if there is none. A row whose projection is constant has the
/// equation δ = −F and is no unknown: an open contact, for example.
#[inline(always)]
fn solve<A: Axes, const D: usize, const N: usize>(
    equations: &Equations,
    lanes: [usize; D],
    minus: &[Vector],
    slopes: &[Block],
    matrix: &mut Vec<[f64; 4]>,
    step: &mut [Vector],
) -> memory::Result<bool> {
    let mut places = [KNOWN; N];
    let mut count = 0;
    for (row, place) in places.iter_mut().enumerate().take(step.len()) {
        if slopes[row] == [0.0; 9] && equations.pull_of_row::<A>(row, equations.center) == [0.0; 3] {
            step[row] = minus[row];
        } else {
            *place = count;
            count += 1;
        }
    }
    let size = D * count;
    let width = elimination::width(size);
    refill(matrix, size * width, [0.0; 4])?;
    let unknown = places.iter().enumerate().filter(|&(_, &place)| place != KNOWN);
    for ((row, _), of_row) in unknown.clone().zip(matrix.chunks_exact_mut(D * width)) {
        let of_row = of_row.as_flattened_mut();
        let right = fill::<A, D>(equations, lanes, row, (minus, &slopes[row]), &places, of_row);
        (0..D).for_each(|i| of_row[4 * width * i + size] = right[i]);
    }
    let mut solution = [[0.0; D]; N];
    let solution = &mut solution[..count];
    if !elimination::solve(matrix, solution.as_flattened_mut()) {
        return Ok(false);
    }
    for ((row, _), solution) in unknown.zip(solution) {
        lanes.into_iter().zip(solution).for_each(|(lane, &mut value)| step[row][lane] = value);
    }
    Ok(is_finite(step.as_flattened()))
}

/// Write the blocks of the unknowns of a row, which `places` numbers. Returns the right-hand side, −F without what is known.
#[inline(always)]
fn fill<A: Axes, const D: usize>(
    equations: &Equations,
    lanes: [usize; D],
    row: usize,
    (minus, slope): (&[Vector], &Block),
    places: &[usize],
    of_row: &mut [f64],
) -> [f64; D] {
    let stride = of_row.len() / D;
    let pull = equations.pull_of_row::<A>(row, equations.center);
    let has_pull = pull != [0.0; 3];
    let mut right = lanes.map(|lane| minus[row][lane]);
    for k in equations.problem.range(row) {
        let column = equations.problem.columns[k] as usize;
        let place = places[column];
        if place == KNOWN && minus[column] == [0.0; 3] {
            continue;
        }
        let block = match has_pull {
            true => equations.block_with_pull::<A>(row, k, slope, &pull),
            false => equations.block(row, k, slope),
        };
        let Some(block) = block else { continue };
        if place == KNOWN {
            let made = block_lu::times(&block, &minus[column]);
            (0..D).for_each(|i| right[i] -= made[lanes[i]]);
            continue;
        }
        for (i, of_lane) in of_row.chunks_exact_mut(stride).enumerate() {
            (0..D).for_each(|j| of_lane[D * place + j] = block[lanes[j]][lanes[i]]);
        }
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{difference, sum};
    use crate::solve::frames::NormalThird;
    use crate::solve::problem::{Law, Normal, Problem3};
    use testing::Random;

    const ROWS: usize = 3;

    /// The equations with all rows, computed from the blocks.
    #[test]
    fn steps_obey_the_equations_of_all_rows() {
        let mut random = Random::new(5);
        let (starts, columns) = ([0, 3, 6, 9], [0, 1, 2, 0, 1, 2, 0, 1, 2]);
        let (laws, b) = ([Law::contact(0.5); ROWS], [[0.0; 3]; ROWS]);
        let mut met = [0; ROWS + 1];
        for _ in 0..100 {
            let h: [[f64; 9]; 9] = std::array::from_fn(|_| random.array());
            let entry = |i: usize, j: usize| h[i].iter().zip(&h[j]).map(|(x, y)| x * y).sum::<f64>();
            let values: [Block; 9] =
                std::array::from_fn(|k| std::array::from_fn(|i| entry(k / 3 * 3 + i % 3, k % 3 * 3 + i / 3)));
            let problem = Problem3 {
                starts: &starts,
                columns: &columns,
                values: &values,
                b: &b,
                normal: Normal::Third,
            };
            let [velocities, center]: [[Vector; ROWS]; 2] =
                std::array::from_fn(|_| std::array::from_fn(|_| random.array()));
            let equations = Equations {
                problem: &problem,
                laws: &laws,
                roots: &[1.0, 0.5, 2.0],
                alpha: 0.1,
                alpha_of_joints: 0.1,
                center: &center,
                velocities: &velocities,
            };
            let rows: [(Vector, Block); ROWS] =
                std::array::from_fn(|row| equations.linearise_row::<NormalThird>(row, &center));
            let (minus, slopes) = (rows.map(|row| row.0), rows.map(|row| row.1));
            met[slopes.iter().filter(|slope| **slope == [0.0; 9]).count()] += 1;
            let mut step = [[0.0; 3]; ROWS];
            assert!(
                solve::<NormalThird, 3, 4>(&equations, [0, 1, 2], &minus, &slopes, &mut vec![], &mut step)
                    .unwrap()
            );
            for row in 0..ROWS {
                let made = (0..ROWS).fold([0.0; 3], |made, column| {
                    let block = equations.block(row, ROWS * row + column, &slopes[row]).unwrap_or_default();
                    sum(&made, &block_lu::times(&block, &step[column]))
                });
                let error = difference(&made, &minus[row]);
                assert!(error.iter().all(|x| x.abs() < 1e-9), "{error:?}");
            }
        }
        assert!(met.iter().all(|&count| count > 3), "{met:?}");
    }
}

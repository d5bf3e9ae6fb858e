//! Steps of Newton's method in small problems, with a dense matrix.

use crate::math::simd::at_best;
use crate::math::{Block, Vector, elimination, is_finite};
use crate::memory::{self, refill};
use crate::solve::frames::Axes;
use crate::solve::gauss_seidel::Force;
use crate::solve::newton::Equations;
use crate::solve::options::Status;

use super::super::steps::ALPHA_OF_JOINTS;
use super::unknowns::{DenseEquations, RowUnknowns};
use super::{Few, Given};

/// The maximum of steps in a trial.
const MOST_STEPS: usize = 10;

/// Steps go on while a residual is at most this times the last one: the next step often mends what one has moved too far.
const MOST_GROWTH: f64 = 10.0;

/// α relative to the residual in the first trial, and its minimum: W is often singular, and without α steps would be too long by far.
pub(super) const ALPHA: f64 = 0.03;
const LEAST_ALPHA: f64 = 1e-9;

impl<const N: usize> Few<'_, '_, N> {
    /// Make steps with this α relative to the residual, as long as the residual does not grow much, each from allowed forces and followed
    /// by a sweep: contacts that a step has moved from sticking to sliding, or opened, are often moved back by that.
    pub fn steps<A: Axes>(&mut self, alpha: f64) -> memory::Result<Option<Status>> {
        let mut before = self.given.begun.outcome.report.residual.by(self.given.task.options.measure);
        for step in 1..=MOST_STEPS {
            if !self.step::<A>(LEAST_ALPHA.max(alpha * before))? {
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
        let Self { given: Given { task, .. }, rows, roots, inverses, allowed, velocities, .. } = self;
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
        let lists = (&mut minus[..*rows], &slopes[..*rows], &inverses[..*rows]);
        let is_made = solve::<A, N>(&equations, lists, is_flat, self.given.kept.matrix)?;
        if is_made {
            for row in 0..*rows {
                let (step, inverse) = (&minus[row], inverses[row]);
                self.now[row] = Force::new(&std::array::from_fn(|i| allowed[row][i] + step[i] * inverse));
            }
        }
        Ok(is_made)
    }
}

/// Whether a block does not connect the second tangent with other components.
pub(super) fn are_apart<A: Axes>(block: &Block) -> bool {
    [A::N, A::S].iter().all(|&i| block[3 * i + A::T] == 0.0 && block[3 * A::T + i] == 0.0)
}

/// Solve for the step, in scaled units, where −F was. Returns false if there is none. In a plane the steps of second tangents are zero.
#[inline(always)]
fn solve<A: Axes, const N: usize>(
    equations: &Equations,
    (minus, slopes, inverses): (&mut [Vector], &[Block], &[f64]),
    is_flat: bool,
    matrix: &mut Vec<[f64; 4]>,
) -> memory::Result<bool> {
    let mut unknowns = [RowUnknowns::default(); N];
    let mut size = 0;
    for (row, slope) in slopes.iter().enumerate() {
        unknowns[row].find::<A>(&minus[row], slope, size, is_flat);
        size += unknowns[row].count;
        let pull = equations.pull_of_row::<A>(row, equations.center);
        if pull != [0.0; 3] {
            let before = unknowns[row - 1];
            unknowns[row].pull_by::<A>(&before, pull);
        }
    }
    let unknowns = &unknowns[..slopes.len()];
    refill(matrix, (size + 1) * elimination::width(size) + 1, [0.0; 4])?;
    at_best(DenseEquations { equations, inverses, minus, unknowns, columns: matrix, size });
    let (mut z, mut pivots) = ([[0.0; 3]; N], [[0; 3]; N]);
    let z = &mut z.as_flattened_mut()[..size];
    if !elimination::solve(matrix, pivots.as_flattened_mut(), z) {
        return Ok(false);
    }
    for (step, own) in minus.iter_mut().zip(unknowns) {
        *step = own.step(step, z);
    }
    Ok(is_finite(minus.as_flattened()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::simd::forbid_avx2;
    use crate::math::{difference, sum};
    use crate::solve::block_lu;
    use crate::solve::frames::NormalThird;
    use crate::solve::problem::{Kind, Law, Normal, Problem3};
    use testing::Random;

    const ROWS: usize = 4;
    const COUNT: usize = ROWS * ROWS;

    /// A contact with moments, one without, and bounds.
    fn laws() -> [Law; ROWS] {
        let contact = Kind::Contact {
            friction: 0.5,
            friction_2: 0.5,
            cohesion: 0.0,
            rolling_friction: 0.3,
            torsional_friction: 0.2,
        };
        let bounds = Kind::Bounds { lower: [-0.5, 0.0, -0.1], upper: [0.5, 1.0, 0.1] };
        [contact, Kind::Moments, Law::contact(0.5).kind, bounds].map(|kind| Law { kind, bias: [0.0; 3] })
    }

    /// The blocks of H Hᵀ.
    fn blocks(h: &[[f64; 9]; 3 * ROWS]) -> [Block; COUNT] {
        let entry = |i: usize, j: usize| h[i].iter().zip(&h[j]).map(|(x, y)| x * y).sum::<f64>();
        std::array::from_fn(|k| std::array::from_fn(|i| entry(k / ROWS * 3 + i % 3, k % ROWS * 3 + i / 3)))
    }

    /// Call a function with the equations for these blocks.
    fn with_equations<T>(
        values: &[Block; COUNT],
        [velocities, center]: &[[Vector; ROWS]; 2],
        function: impl FnOnce(&Equations) -> T,
    ) -> T {
        let starts: [i32; ROWS + 1] = std::array::from_fn(|row| (ROWS * row) as i32);
        let columns: [i32; COUNT] = std::array::from_fn(|k| (k % ROWS) as i32);
        let (laws, b, normal) = (&laws(), &[[0.0; 3]; ROWS], Normal::Third);
        function(&Equations {
            problem: &Problem3 { starts: &starts, columns: &columns, values, b, normal },
            laws,
            roots: &[1.0, 0.5, 2.0, 1.5],
            alpha: 0.1,
            alpha_of_joints: 0.1,
            center,
            velocities,
        })
    }

    /// −F, P' and the step of each row.
    fn solved(equations: &Equations, is_flat: bool) -> ([Vector; ROWS], [Block; ROWS], [Vector; ROWS]) {
        let rows: [(Vector, Block); ROWS] =
            std::array::from_fn(|row| equations.linearise_row::<NormalThird>(row, equations.center));
        let (minus, slopes) = (rows.map(|row| row.0), rows.map(|row| row.1));
        let (mut step, inverses) = (minus, [1.0, 2.0, 0.5, 1.0 / 1.5]);
        let lists = (&mut step[..], &slopes[..], &inverses[..]);
        assert!(solve::<NormalThird, ROWS>(equations, lists, is_flat, &mut vec![]).unwrap());
        (minus, slopes, step)
    }

    /// The equations of all rows, computed from the blocks.
    #[test]
    fn steps_obey_the_equations_of_all_rows() {
        let mut random = Random::new(5);
        let (mut ranks, mut pulls) = ([0; 4], 0);
        for _ in 0..300 {
            let values = blocks(&std::array::from_fn(|_| random.array()));
            let state = std::array::from_fn(|_| std::array::from_fn(|_| random.array()));
            with_equations(&values, &state, |equations| {
                let (minus, slopes, step) = solved(equations, false);
                for row in 0..ROWS {
                    let pull = equations.pull_of_row::<NormalThird>(row, equations.center);
                    let mut own = RowUnknowns::default();
                    own.find::<NormalThird>(&minus[row], &slopes[row], 0, false);
                    ranks[own.count] += 1;
                    pulls += usize::from(pull != [0.0; 3]);
                    let made = (0..ROWS).fold([0.0; 3], |made, column| {
                        let k = ROWS * row + column;
                        let block = equations.block_with_pull::<NormalThird>(row, k, &slopes[row], &pull);
                        sum(&made, &block_lu::times(&block.unwrap_or_default(), &step[column]))
                    });
                    let error = difference(&made, &minus[row]);
                    assert!(error.iter().all(|x| x.abs() < 1e-9), "{error:?}");
                }
            });
        }
        assert!(ranks.iter().all(|&count| count > 30) && pulls > 30, "{ranks:?} {pulls}");
    }

    #[test]
    fn all_levels_give_the_same_bits() {
        let mut random = Random::new(7);
        for _ in 0..50 {
            let values = blocks(&std::array::from_fn(|_| random.array()));
            let state = std::array::from_fn(|_| std::array::from_fn(|_| random.array()));
            with_equations(&values, &state, |equations| {
                let steps = [true, false].map(|is_forbidden| {
                    forbid_avx2(is_forbidden);
                    solved(equations, false).2.map(|step| step.map(f64::to_bits))
                });
                assert_eq!(steps[0], steps[1]);
            });
        }
    }

    #[test]
    fn in_a_plane_steps_are_the_same_without_second_tangents() {
        let mut random = Random::new(6);
        for _ in 0..100 {
            // Each second tangent has a column of its own.
            let h = std::array::from_fn(|i| match i % 3 {
                1 => std::array::from_fn(|k| f64::from(k == 4 + i / 3)),
                _ => std::array::from_fn(|k| if k < 4 { random.signed() } else { 0.0 }),
            });
            let state: [[Vector; ROWS]; 2] =
                std::array::from_fn(|_| std::array::from_fn(|_| [random.signed(), 0.0, random.signed()]));
            with_equations(&blocks(&h), &state, |equations| {
                let [all, without] = [false, true].map(|is_flat| solved(equations, is_flat).2);
                for (all, without) in all.iter().zip(&without) {
                    let error = difference(all, without);
                    assert!(error.iter().all(|x| x.abs() < 1e-9), "{error:?}");
                }
            });
        }
    }
}

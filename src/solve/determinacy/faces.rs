//! Which forces each law allows with the velocity of a solution, as R = R_0 + Σ d_k t_k with values t in cones.
//!
//! An open contact has no direction d. A part of a contact that slides, rolls or spins has its largest force, against its velocity: it
//! grows with the normal force, in one direction. The other components have a direction each, and the cones
//! |t_part / coefficient| ≤ t_N. A component with bounds has a direction where its velocity is zero.

use crate::math::Vector;
use crate::memory::{self, push, refill};
use crate::solve::frames::Axes;
use crate::solve::problem::{Kind, Law};
use crate::solve::rolling::Coefficients;

use crate::solve::places::Lanes;

/// No direction.
pub const NONE: usize = usize::MAX;

/// A direction in which the force of a constraint can change.
#[derive(Clone, Copy, Debug)]
pub struct Direction {
    /// The row.
    pub row: usize,
    /// The direction in the row; for a contact with moments also in the next row.
    pub vectors: [Vector; 2],
    /// t in the solution.
    pub value: f64,
}

/// A cone: (shift + f_0 t_0, f_1 t_1, f_2 t_2) with the values of up to three directions.
#[derive(Clone, Copy, Debug)]
pub struct Cone {
    pub directions: [usize; 3],
    pub factors: Vector,
    pub shift: f64,
}

/// The solution, row by row.
pub struct Solution<'a> {
    pub laws: &'a [Law],
    pub forces: &'a [Vector],
    /// U with the biases.
    pub velocities: &'a [Vector],
    /// √d.
    pub roots: &'a [f64],
    /// Scaled velocities that are not larger count as zero.
    pub zeros: &'a [f64],
    /// The lanes that have a scalar row.
    pub lanes: Lanes<'a>,
}

/// The directions and cones of all rows.
#[derive(Debug, Default)]
pub struct Faces {
    /// Ascending in their rows.
    pub directions: Vec<Direction>,
    pub cones: Vec<Cone>,
    /// R_0.
    pub base: Vec<Vector>,
    /// The first direction of each row, and the end. `of_row` finds the row before for rows of moments.
    starts: Vec<u32>,
}

impl Faces {
    /// Find the directions and cones.
    pub fn find<A: Axes>(&mut self, solution: &Solution) -> memory::Result {
        let rows = solution.laws.len();
        self.directions.clear();
        self.cones.clear();
        self.starts.clear();
        refill(&mut self.base, rows, [0.0; 3])?;
        for (row, law) in solution.laws.iter().enumerate() {
            push(&mut self.starts, self.directions.len() as u32)?;
            match law.kind {
                Kind::Contact { .. } => self.add_contact::<A>(solution, row)?,
                Kind::Bounds { lower, upper } => self.add_bounds(solution, row, &lower, &upper)?,
                Kind::Moments => {}
            }
        }
        push(&mut self.starts, self.directions.len() as u32)
    }

    /// The directions that act in a row, and which of their two vectors does.
    pub fn of_row(&self, laws: &[Law], row: usize) -> (std::ops::Range<usize>, usize) {
        let part = usize::from(laws[row].is_of_moments());
        (self.starts[row - part] as usize..self.starts[row - part + 1] as usize, part)
    }

    /// The direction that moves a component, if there is one, and how much it does so.
    pub fn of_component(&self, laws: &[Law], row: usize, lane: usize) -> Option<(usize, f64)> {
        let (own, part) = self.of_row(laws, row);
        let entry = |k: usize| self.directions[k].vectors[part][lane];
        own.map(|k| (k, entry(k))).find(|&(_, entry)| entry != 0.0)
    }

    fn push_direction(&mut self, row: usize, vectors: [Vector; 2], value: f64) -> memory::Result<usize> {
        push(&mut self.directions, Direction { row, vectors, value })?;
        Ok(self.directions.len() - 1)
    }

    fn add_contact<A: Axes>(&mut self, solution: &Solution, row: usize) -> memory::Result {
        let &Solution { laws, forces, velocities, roots, zeros, .. } = solution;
        let Kind::Contact { friction, friction_2, cohesion, .. } = laws[row].kind else { return Ok(()) };
        self.base[row][A::N] = -cohesion;
        if velocities[row][A::N] / roots[row] > zeros[row] {
            return Ok(());
        }
        let [_, rolling, torsion] = Coefficients::of(laws, row).map_or([0.0; 3], |own| own.limits);
        let parts: [&[(usize, usize, f64)]; 3] = [
            &[(0, A::S, friction), (0, A::T, friction_2)],
            &[(1, A::S, rolling), (1, A::T, rolling)],
            &[(1, A::N, torsion)],
        ];
        let normal = (forces[row][A::N] + cohesion).max(0.0);
        let mut ray = [[0.0; 3]; 2];
        ray[0][A::N] = 1.0;
        let top = self.push_direction(row, ray, normal)?;
        let mut is_limited = false;
        for part in parts {
            let own = || {
                part.iter()
                    .copied()
                    .filter(|&(k, lane, most)| most > 0.0 && solution.lanes.has(row + k, lane))
            };
            let size = |value: &dyn Fn(usize, usize, f64) -> f64| {
                own().map(|(k, lane, most)| value(k, lane, most).powi(2)).sum::<f64>().sqrt()
            };
            let speed = size(&|k, lane, _| velocities[row + k][lane] / roots[row + k]);
            if speed > zeros[row] {
                let speed = size(&|k, lane, most| most * velocities[row + k][lane]);
                for (k, lane, most) in own() {
                    let u = velocities[row + k][lane];
                    if u.abs() / roots[row + k] > zeros[row] {
                        ray[k][lane] = -most * most * u / speed;
                    }
                }
                continue;
            }
            let force = size(&|k, lane, most| forces[row + k][lane] / most);
            let share = if force > normal { normal / force } else { 1.0 };
            let mut cone = Cone { directions: [top, NONE, NONE], factors: [1.0, 0.0, 0.0], shift: 0.0 };
            for (i, (k, lane, most)) in (1..).zip(own()) {
                let mut vectors = [[0.0; 3]; 2];
                vectors[k][lane] = 1.0;
                cone.directions[i] = self.push_direction(row, vectors, share * forces[row + k][lane])?;
                cone.factors[i] = most.recip();
            }
            if cone.directions[1] != NONE {
                is_limited = true;
                push(&mut self.cones, cone)?;
            }
        }
        self.directions[top].vectors = ray;
        if is_limited {
            return Ok(());
        }
        push(&mut self.cones, Cone { directions: [top, NONE, NONE], factors: [1.0, 0.0, 0.0], shift: 0.0 })
    }

    fn add_bounds(
        &mut self,
        solution: &Solution,
        row: usize,
        lower: &Vector,
        upper: &Vector,
    ) -> memory::Result {
        for i in (0..3).filter(|&i| solution.lanes.has(row, i)) {
            let (lower, upper) = (lower[i], upper[i]);
            let u = solution.velocities[row][i] / solution.roots[row];
            if lower == upper || (u > solution.zeros[row] && lower.is_finite()) {
                self.base[row][i] = lower;
                continue;
            }
            if u < -solution.zeros[row] && upper.is_finite() {
                self.base[row][i] = upper;
                continue;
            }
            let mut vectors = [[0.0; 3]; 2];
            vectors[0][i] = 1.0;
            let value = solution.forces[row][i].clamp(lower, upper);
            let own = self.push_direction(row, vectors, value)?;
            for (bound, sign) in [(lower, 1.0), (upper, -1.0)] {
                if bound.is_finite() {
                    let (directions, factors) = ([own, NONE, NONE], [sign, 0.0, 0.0]);
                    push(&mut self.cones, Cone { directions, factors, shift: -sign * bound })?;
                }
            }
        }
        Ok(())
    }
}

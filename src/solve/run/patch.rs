//! Patches of large heaps: the rows that hold most of the residual, and the rows around them. A patch is solved by itself while all
//! other forces stay. Sweeps may lead the forces of a few sliding contacts round in circles, and these hold the residual of the whole.

use std::time::Instant;

use crate::math::{Block, Vector, sum};
use crate::memory::{self, collect, push, refill};
use crate::solve::frames::Axes;
use crate::solve::islands::Islands;
use crate::solve::options::{Method, Options, Report};
use crate::solve::problem::{Law, Problem3};
use crate::solve::residual::{Norms, Sums, velocity};

use super::{Room, Run, Source, Task};

/// The maximum of rows that a patch begins with, and the share of the residual's square that they are to hold. If they hold less than
/// the least share, the error is everywhere, and sweeps are quicker.
const MOST_CHOSEN: usize = 100;
const CHOSEN: f64 = 0.9;
const LEAST_CHOSEN: f64 = 0.5;

/// Rows around them are added up to about this number.
const ROWS: usize = 500;

/// The residual of a patch is to be at most this times the residual of the whole, or this times the tolerance if that is more.
const OF_RESIDUAL: f64 = 0.1;
const OF_TOLERANCE: f64 = 0.2;

/// The limit of work, in sweeps over all rows.
const MOST_WORK: f64 = 100.0;

/// The place of a row outside.
const OUTSIDE: u32 = u32::MAX;

/// The problem of a patch, and the workspace of its solution.
#[derive(Debug, Default)]
pub(super) struct Patch {
    /// Rows with their parts of the residual's square.
    parts: Vec<(f64, u32)>,
    /// The rows of the patch, ascending when it is complete.
    rows: Vec<u32>,
    /// The place of each row of the whole problem on the patch.
    places: Vec<u32>,
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<Block>,
    b: Vec<Vector>,
    laws: Vec<Law>,
    forces: Vec<Vector>,
    /// One set, once a patch has been solved: a patch may have several islands.
    islands: Vec<Islands>,
}

impl Patch {
    /// Choose the rows with the largest parts of a sum, and rows around them. Returns false if too many rows hold the sum.
    fn choose(
        &mut self,
        problem: &Problem3,
        laws: &[Law],
        part: impl Fn(usize) -> f64,
    ) -> memory::Result<bool> {
        let Self { parts, rows, places, .. } = self;
        let count = problem.rows();
        collect(parts, count, (0..count).map(|row| (part(row), row as u32)))?;
        let sum: f64 = parts.iter().map(|part| part.0).sum();
        // Rows with the same part have an order, too.
        let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        if count > MOST_CHOSEN {
            parts.select_nth_unstable_by(MOST_CHOSEN, order);
            parts.truncate(MOST_CHOSEN);
        }
        parts.sort_unstable_by(order);
        refill(places, count, OUTSIDE)?;
        rows.clear();
        let mut held = 0.0;
        for &(part, row) in &*parts {
            if held >= CHOSEN * sum {
                break;
            }
            held += part;
            add_constraint(laws, row as usize, rows, places)?;
        }
        // There is nothing to choose if the sum is zero or not finite.
        if !(held.is_finite() && held > LEAST_CHOSEN * sum) {
            return Ok(false);
        }
        let mut next = 0;
        while next < rows.len() && rows.len() < ROWS {
            for (column, _) in problem.row(rows[next] as usize).take(ROWS) {
                add_constraint(laws, column, rows, places)?;
            }
            next += 1;
        }
        rows.sort_unstable();
        (0..).zip(&*rows).for_each(|(place, &row)| places[row as usize] = place);
        Ok(true)
    }

    /// Write the problem of the chosen rows. B has the velocities of the forces outside.
    fn fill(&mut self, problem: &Problem3, laws: &[Law], forces: &[Vector]) -> memory::Result {
        let Self { rows, places, starts, columns, values, b, .. } = self;
        let own = rows.iter().map(|&row| row as usize);
        collect(&mut self.laws, own.len(), own.clone().map(|row| laws[row]))?;
        collect(&mut self.forces, own.len(), own.clone().map(|row| forces[row]))?;
        let of_outside = |column: usize| if places[column] == OUTSIDE { forces[column] } else { [0.0; 3] };
        let all = own.clone().map(|row| velocity(problem, row, &problem.b[row], of_outside));
        collect(b, own.len(), all)?;
        collect(starts, own.len() + 1, std::iter::once(0))?;
        columns.clear();
        values.clear();
        for row in own {
            for (column, block) in problem.row(row) {
                if places[column] != OUTSIDE {
                    push(columns, places[column] as i32)?;
                    push(values, *block)?;
                }
            }
            starts.push(columns.len() as i32);
        }
        Ok(())
    }

    /// Solve the problem to a scaled residual that is not divided by B, with `weights` of all rows of the whole problem.
    fn solve(
        &mut self,
        problem: &Problem3,
        weights: &[f64],
        residual: f64,
        options: Options,
    ) -> memory::Result<Report> {
        let Self { rows, starts, columns, values, b, laws, forces, islands, .. } = self;
        let squares = rows
            .iter()
            .zip(b.iter().zip(&*laws))
            .map(|(&row, (b, law))| Norms::squares(law, &sum(b, &law.bias), weights[row as usize]));
        let norms = Norms::of_rows(squares);
        let options = Options { tolerance: residual / norms.scaled(), ..options };
        if islands.is_empty() {
            push(islands, Islands::default())?;
        }
        let task = Task {
            problem: &Problem3 { starts, columns, values, b, normal: problem.normal },
            source: Source { bodies: None, scales: &[] },
            laws,
            options: &options,
        };
        islands[0].solve(&task, forces, None)
    }
}

/// Add the rows of a constraint: its moments have a row of their own.
fn add_constraint(laws: &[Law], row: usize, rows: &mut Vec<u32>, places: &mut [u32]) -> memory::Result {
    let first = row - usize::from(laws[row].is_of_moments());
    let count = 1 + usize::from(laws.get(first + 1).is_some_and(Law::is_of_moments));
    for (row, place) in (first..).zip(&mut places[first..first + count]) {
        if *place == OUTSIDE {
            *place = 0;
            push(rows, row as u32)?;
        }
    }
    Ok(())
}

impl Run<'_, '_> {
    /// Solve the patch of the worst rows after a look, and begin sweeps again with its forces. Returns the work in sweeps, or nothing if
    /// there is no patch.
    pub(super) fn solve_patch<A: Axes>(&mut self) -> memory::Result<Option<f64>> {
        let Self { problem, laws, options, .. } = *self;
        let sweep_cost = self.sweep_cost();
        let left = options.max_work.map_or(u64::MAX, |most| most.saturating_sub(self.work()));
        let Room { memory, patch, allowed, velocities, now, .. } = &mut *self.room;
        let weights = &memory.weights;
        let sums = |rows| Sums::new::<A>(laws, weights, allowed, velocities, rows);
        let part = |row: usize| sums(row..row + 1).scaled().0.powi(2);
        if !patch.choose(problem, laws, part)? {
            return Ok(None);
        }
        patch.fill(problem, laws, allowed)?;
        let residual = OF_RESIDUAL * sums(0..laws.len()).scaled().0;
        let tolerance = OF_TOLERANCE * options.tolerance * self.norms.scaled();
        let own = Options {
            // Sweeps have failed already.
            method: Method::Newton,
            max_work: Some(left.min((MOST_WORK * sweep_cost) as u64)),
            time_limit: self.deadline.map(|end| end.saturating_duration_since(Instant::now())),
            ..*options
        };
        let report = patch.solve(problem, weights, residual.max(tolerance), own)?;
        for (&row, force) in patch.rows.iter().zip(&patch.forces) {
            now[row as usize] = *force;
        }
        self.spent += report.work as f64;
        self.report.steps += report.steps;
        self.begin_again();
        Ok(Some(report.work as f64 / sweep_cost))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::UNIT;
    use crate::solve::frames::NormalThird;
    use crate::solve::laws::allowed;
    use crate::solve::problem::{Kind, Normal};
    use testing::Random;

    const COUNT: usize = 2 * ROWS;

    /// A chain: W has the blocks 3 · 1 on its diagonal, and beside it blocks whose entries are at most 0.4.
    #[derive(Clone)]
    struct Chain {
        starts: Vec<i32>,
        columns: Vec<i32>,
        values: Vec<Block>,
        b: Vec<Vector>,
    }

    impl Chain {
        fn new(random: &mut Random) -> Self {
            let beside: Vec<Block> = (0..COUNT).map(|_| random.array::<9>().map(|x| 0.4 * x)).collect();
            let transpose = |w: &Block| std::array::from_fn(|k| w[k % 3 * 3 + k / 3]);
            let (mut starts, mut columns, mut values) = (vec![0], vec![], vec![]);
            for row in 0..COUNT {
                for column in row.saturating_sub(1)..COUNT.min(row + 2) {
                    columns.push(column as i32);
                    values.push(match row.cmp(&column) {
                        std::cmp::Ordering::Less => beside[row],
                        std::cmp::Ordering::Equal => UNIT.map(|x| 3.0 * x),
                        std::cmp::Ordering::Greater => transpose(&beside[column]),
                    });
                }
                starts.push(columns.len() as i32);
            }
            Self { starts, columns, values, b: (0..COUNT).map(|_| random.array()).collect() }
        }

        fn problem(&self) -> Problem3<'_> {
            let Self { starts, columns, values, b } = self;
            Problem3 { starts, columns, values, b, normal: Normal::Third }
        }
    }

    /// The forces of the patch are those that the laws ask for, in the velocities of all rows, while the others are kept.
    #[test]
    fn a_patch_is_solved_among_the_forces_outside() {
        let mut random = Random::new(3);
        let chain = Chain::new(&mut random);
        let mut laws = vec![Law::contact(0.5); COUNT];
        laws.iter_mut().for_each(|law| law.bias = random.array().map(|x: f64| 100.0 * x));
        let problem = chain.problem();
        let random_force = |law: &Law| allowed::<NormalThird>(&law.kind, &random.array());
        let mut forces: Vec<Vector> = laws.iter().map(random_force).collect();
        let weights = vec![3.0; COUNT];
        let residual = |forces: &[Vector], row: usize| {
            let q = |row: usize| sum(&problem.b[row], &laws[row].bias);
            let velocities: Vec<Vector> =
                (0..COUNT).map(|row| velocity(&problem, row, &q(row), |column| forces[column])).collect();
            Sums::new::<NormalThird>(&laws, &weights, forces, &velocities, row..row + 1).scaled().0
        };
        let mut patch = Patch::default();
        // Sweeps end just below the residual that is asked for.
        let (most, options) = (1e-6, Options { method: Method::GaussSeidel, ..Options::default() });
        // Again, with other rows.
        for worst in [[100, 130], [COUNT - 1, 0]] {
            let part = |row: usize| if worst.contains(&row) { 1.0 } else { 1e-4 };
            assert!(patch.choose(&problem, &laws, part).unwrap());
            patch.fill(&problem, &laws, &forces).unwrap();
            patch.solve(&problem, &weights, most, options).unwrap();
            assert!((ROWS..ROWS + 2).contains(&patch.rows.len()), "{}", patch.rows.len());
            assert!(patch.rows.is_sorted());
            for (&row, force) in patch.rows.iter().zip(&patch.forces) {
                forces[row as usize] = *force;
            }
            let own = |row: usize| patch.rows.binary_search(&(row as u32)).is_ok();
            assert!(worst.iter().all(|&row| own(row)));
            let norm = |is_own: bool| {
                let all = (0..COUNT).filter(|&row| own(row) == is_own).map(|row| residual(&forces, row));
                all.map(|x| x * x).sum::<f64>().sqrt()
            };
            assert!(norm(true) <= most, "{}", norm(true));
            assert!(norm(false) > 0.1);
        }
    }

    /// Each input of a patch changes, alone and with another.
    #[test]
    fn a_patch_that_is_kept_has_the_forces_of_a_new_one() {
        let mut random = Random::new(5);
        let mut inputs = || {
            let chain = Chain::new(&mut random);
            let forces: Vec<Vector> = (0..COUNT).map(|_| random.array()).collect();
            let laws = vec![Law { bias: random.array(), ..Law::contact(0.2 + random.signed().abs()) }; COUNT];
            (chain, laws, forces, vec![3.0 + random.signed().abs(); COUNT], random.below(COUNT))
        };
        let both = [inputs(), inputs()];
        let solve = |patch: &mut Patch, changed: usize| {
            let of = |input: usize| &both[changed >> input & 1];
            let chain = Chain { b: of(1).0.b.clone(), ..of(0).0.clone() };
            let (laws, forces, weights, worst) = (&of(2).1, &of(3).2, &of(4).3, of(5).4);
            let part = |row: usize| f64::from(row == worst);
            assert!(patch.choose(&chain.problem(), laws, part).unwrap());
            patch.fill(&chain.problem(), laws, forces).unwrap();
            let options = Options { method: Method::Newton, ..Options::default() };
            patch.solve(&chain.problem(), weights, 1e-6, options).unwrap();
            patch.forces.clone()
        };
        let mut kept = Patch::default();
        for (i, j) in (0..6).flat_map(|i| (0..=i).map(move |j| (i, j))) {
            solve(&mut kept, 0);
            let changed = 1 << i | 1 << j;
            let new = solve(&mut Patch::default(), changed);
            assert_eq!(solve(&mut kept, changed), new, "{i} {j}");
        }
    }

    #[test]
    fn there_is_no_patch_if_many_rows_hold_the_residual_or_one_is_not_finite() {
        let chain = Chain::new(&mut Random::new(4));
        let laws = [Law::contact(0.5); COUNT];
        let mut patch = Patch::default();
        let mut choose = |part: &dyn Fn(usize) -> f64| patch.choose(&chain.problem(), &laws, part).unwrap();
        assert!(!choose(&|_| 1.0));
        assert!(choose(&|row| if row < MOST_CHOSEN { 1.0 } else { 0.9 * MOST_CHOSEN as f64 / COUNT as f64 }));
        for wrong in [f64::NAN, f64::INFINITY] {
            assert!(!choose(&|row| if row == 7 { wrong } else { 0.0 }));
        }
    }

    #[test]
    fn moments_come_with_their_contact() {
        let mut laws = [Law::contact(0.5); 4];
        laws[2] = Law { kind: Kind::Moments, bias: [0.0; 3] };
        for (row, expected) in [(0, vec![0]), (1, vec![1, 2]), (2, vec![1, 2]), (3, vec![3])] {
            let (mut rows, mut places) = (vec![], [OUTSIDE; 4]);
            add_constraint(&laws, row, &mut rows, &mut places).unwrap();
            add_constraint(&laws, row, &mut rows, &mut places).unwrap();
            assert_eq!(rows, expected);
        }
    }
}

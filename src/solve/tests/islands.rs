//! Problems of several islands against the islands alone.

use crate::math::{Block, Vector};
use crate::memory;
use crate::rows::BlockRows;
use crate::solve::{
    BodyRows, BodyRowsSource, Kind, Law, Method, NODE, Normal, Options, Problem, Report, Solver, Status,
};
use testing::Random;

use super::dense::Dense;

/// Dense problems side by side, their rows mixed.
struct Mixed {
    islands: Vec<Dense>,
    laws: Vec<Vec<Law>>,
    /// The island of each row, and the row's place on it.
    places: Vec<(usize, usize)>,
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<Block>,
    b: Vec<Vector>,
}

impl Mixed {
    fn new(random: &mut Random, sizes: &[usize], law: impl Fn(usize) -> Law) -> Self {
        let units = random.values(sizes.len());
        let islands: Vec<Dense> = (sizes.iter().zip(units))
            .map(|(&rows, unit)| Dense::new(random, rows, NODE * (2 + rows / 3), 0.1 + unit.abs()))
            .collect();
        let laws = sizes.iter().map(|&rows| (0..rows).map(&law).collect()).collect();
        // Any order of islands in which the rows of each ascend.
        let (mut left, mut places) = (sizes.to_vec(), vec![]);
        while let Some(most) = left.len().checked_sub(1).filter(|_| left.iter().any(|&left| left > 0)) {
            let island = random.below(most + 1);
            if left[island] > 0 {
                places.push((island, sizes[island] - left[island]));
                left[island] -= 1;
            }
        }
        let mut mixed =
            Self { islands, laws, places, starts: vec![0], columns: vec![], values: vec![], b: vec![] };
        for &(island, place) in &mixed.places {
            let dense = &mixed.islands[island];
            let mut row = dense.values[place * sizes[island]..].iter();
            for (column, &(other, _)) in mixed.places.iter().enumerate() {
                if other == island {
                    mixed.columns.push(column as i32);
                    mixed.values.extend(row.next());
                }
            }
            mixed.b.push(dense.b[place]);
            mixed.starts.push(mixed.columns.len() as i32);
        }
        mixed
    }

    fn problem(&self) -> Problem<'_> {
        let w = BlockRows::new(&self.starts, &self.columns, self.values.as_flattened(), None).unwrap();
        Problem { w, b: self.b.as_flattened(), normal: Normal::Third }
    }

    /// Values of the rows of islands, in the order of the whole.
    fn mix<T: Copy>(&self, of_islands: &[Vec<T>]) -> Vec<T> {
        self.places.iter().map(|&(island, place)| of_islands[island][place]).collect()
    }

    fn solve(
        &self,
        solver: &mut Solver,
        options: &Options,
        has_bodies: bool,
        forces: &mut [Vector],
    ) -> Report {
        let bodies = has_bodies.then_some(self as &dyn BodyRowsSource);
        let (laws, forces) = (self.mix(&self.laws), forces.as_flattened_mut());
        solver.solve_with_bodies(&self.problem(), bodies, &laws, options, forces, None).unwrap()
    }
}

impl BodyRowsSource for Mixed {
    fn write_rows(&self, rows: &mut BodyRows) -> memory::Result<bool> {
        let nodes: Vec<usize> = self.islands.iter().map(|dense| dense.g[0].len() / NODE).collect();
        rows.start(nodes.iter().sum())?;
        for &(island, place) in &self.places {
            let first: usize = nodes[..island].iter().sum();
            let own = &self.islands[island].g[3 * place..];
            for node in 0..nodes[island] {
                let part = std::array::from_fn(|k| std::array::from_fn(|i| own[i][NODE * node + k]));
                rows.push_part(first + node, &part)?;
            }
            rows.end_row()?;
        }
        Ok(true)
    }
}

fn law(row: usize) -> Law {
    match row % 5 {
        3 => Law::fixed(),
        4 => Law {
            kind: Kind::Bounds { lower: [-0.3, 0.0, f64::NEG_INFINITY], upper: [0.2, f64::INFINITY, 0.1] },
            bias: [0.1, 0.0, 0.0],
        },
        _ => Law::contact(0.4),
    }
}

fn orthotropic(row: usize) -> Law {
    let rubs = Kind::contact([0.5, 0.2], 0.1);
    if row.is_multiple_of(2) { Law { kind: rubs, bias: [0.0; 3] } } else { law(row) }
}

#[test]
fn islands_have_the_bits_that_they_have_alone() {
    let mut random = Random::new(3);
    let mut kept = Solver::new();
    let methods = [Method::Automatic, Method::GaussSeidel, Method::Newton];
    for (number, sizes) in
        [&[1, 1][..], &[2, 5, 3], &[24, 1, 12, 7, 1, 24], &[35, 20], &[1; 50]].iter().enumerate()
    {
        let law = if number % 2 == 0 { law } else { orthotropic };
        let mixed = Mixed::new(&mut random, sizes, law);
        for (method, has_bodies) in methods.into_iter().flat_map(|method| [(method, false), (method, true)]) {
            let options = Options { tolerance: 1e-7, method, max_sweeps: 50, ..Options::default() };
            let begin: Vec<Vec<Vector>> =
                sizes.iter().map(|&rows| (0..rows).map(|_| random.array()).collect()).collect();
            let mut alone = begin.clone();
            let (reports, histories): (Vec<Report>, Vec<Vec<f64>>) =
                (mixed.islands.iter().zip(&mixed.laws).zip(&mut alone))
                    .map(|((dense, laws), forces)| {
                        let bodies = has_bodies.then_some(dense as &dyn BodyRowsSource);
                        let (problem, forces) = (dense.problem(), forces.as_flattened_mut());
                        let mut solver = Solver::new();
                        let report = solver.solve_with_bodies(&problem, bodies, laws, &options, forces, None);
                        (report.unwrap(), solver.history().to_vec())
                    })
                    .unzip();
            let mut forces = mixed.mix(&begin);
            let report = mixed.solve(&mut kept, &options, has_bodies, &mut forces);
            assert_eq!(forces, mixed.mix(&alone), "{sizes:?} {method:?} {has_bodies}");
            let largest = sizes.iter().max();
            let mut of_largest =
                histories.iter().zip(sizes.iter()).filter(|&(_, rows)| Some(rows) == largest);
            assert!(of_largest.any(|(history, _)| history == kept.history()));
            let most = |of: fn(&Report) -> usize| reports.iter().map(of).max().unwrap();
            assert_eq!(report.sweeps, most(|report| report.sweeps));
            assert_eq!(report.steps, most(|report| report.steps));
            assert_eq!(report.work, reports.iter().map(|report| report.work).sum::<u64>());
            let all_converged = reports.iter().all(|report| report.status == Status::Converged);
            assert_eq!(
                report.status == Status::Converged,
                all_converged || report.residual.scaled.max(report.residual.natural) <= 1e-7
            );
            let (island, place) = mixed.places[report.residual.worst];
            assert_eq!(place, reports[island].residual.worst);
        }
    }
}

#[test]
fn work_is_divided_and_the_same_everywhere() {
    let mut random = Random::new(8);
    let mixed = Mixed::new(&mut random, &[20, 10, 40, 1], law);
    let solve = |work: Option<u64>| {
        let options = Options { tolerance: 0.0, max_sweeps: 300, max_work: work, ..Options::default() };
        let mut forces = vec![[0.0; 3]; mixed.b.len()];
        let report = mixed.solve(&mut Solver::new(), &options, false, &mut forces);
        (report, forces)
    };
    let (all, _) = solve(None);
    let most = all.work / 20;
    let (part, forces) = solve(Some(most));
    assert_eq!(part.status, Status::WorkLimit);
    assert!(part.work > most / 2 && part.work < 2 * most, "{} {most}", part.work);
    let (again, same) = solve(Some(most));
    assert_eq!((again.work, again.sweeps, again.steps, same), (part.work, part.sweeps, part.steps, forces));
    // Without any work, laws are obeyed and nothing else is done.
    let (none, forces) = solve(Some(0));
    assert_eq!((none.status, none.work, none.residual), (Status::WorkLimit, 0, none.initial));
    assert!(forces.iter().all(|force| *force == [0.0; 3]));
}

#[test]
fn time_that_is_over_ends_each_island() {
    let mut random = Random::new(9);
    let mixed = Mixed::new(&mut random, &[5, 5, 50], law);
    let options =
        Options { tolerance: 0.0, time_limit: Some(std::time::Duration::ZERO), ..Options::default() };
    let mut forces = vec![[0.0; 3]; mixed.b.len()];
    let report = mixed.solve(&mut Solver::new(), &options, false, &mut forces);
    assert_eq!((report.status, report.sweeps), (Status::TimeLimit, 0));
}

#[test]
fn an_island_without_velocities_has_no_forces() {
    let mut random = Random::new(10);
    let mut mixed = Mixed::new(&mut random, &[6, 6], |_| Law::contact(0.5));
    let at_rest = |mixed: &Mixed, row: usize| mixed.places[row].0 == 1;
    for row in 0..12 {
        if at_rest(&mixed, row) {
            mixed.b[row] = [0.0; 3];
        }
    }
    let mut forces = vec![[0.1, 0.0, 1e-9]; 12];
    let report = mixed.solve(&mut Solver::new(), &Options::default(), false, &mut forces);
    assert!(report.status == Status::Converged && report.residual.scaled <= 1e-8, "{report:?}");
    assert!((0..12).all(|row| forces[row] == [0.0; 3] || !at_rest(&mixed, row)));
    assert!(forces.iter().any(|force| *force != [0.0; 3]));
}

#[test]
fn progress_is_that_of_the_whole() {
    let mut random = Random::new(12);
    let mixed = Mixed::new(&mut random, &[20, 3, 8], law);
    let laws = mixed.mix(&mixed.laws);
    let options = Options { tolerance: 1e-6, ..Options::default() };
    let begin = vec![[0.3, 0.0, -1.0]; mixed.b.len()];
    let solve = |stop: usize| {
        let (mut forces, mut seen) = (begin.clone(), Vec::<Report>::new());
        let watch = &mut |report: &Report| {
            seen.push(*report);
            seen.len() < stop
        };
        let forces_of = forces.as_flattened_mut();
        let report =
            Solver::new().solve_with_progress(&mixed.problem(), &laws, &options, forces_of, watch).unwrap();
        (report, forces, seen)
    };
    let (report, forces, seen) = solve(usize::MAX);
    let mut expected = begin.clone();
    let unseen = mixed.solve(&mut Solver::new(), &options, false, &mut expected);
    assert_eq!(
        (report.residual, report.initial, forces),
        (unseen.residual, unseen.initial, expected.clone())
    );
    assert_eq!((report.sweeps, report.steps, report.work), (unseen.sweeps, unseen.steps, unseen.work));
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b;
    let [first, last] = [seen.first().unwrap(), seen.last().unwrap()];
    assert!(
        near(first.residual.scaled, report.initial.scaled)
            && near(last.residual.natural, report.residual.natural)
    );
    assert!(seen.iter().all(|seen| seen.initial == first.initial));
    assert!(seen.is_sorted_by(|a, b| a.work <= b.work && a.sweeps <= b.sweeps && a.time <= b.time));
    // A stop leaves the forces that solve small islands; those of the others obey cones and bounds.
    let (stopped, forces, _) = solve(seen.len() - 1);
    assert_eq!(stopped.status, Status::Stopped);
    for ((force, expected), (island, _)) in forces.iter().zip(&expected).zip(&mixed.places) {
        assert!(*island == 0 || force == expected);
    }
    let (stopped, forces, seen) = solve(1);
    assert_eq!(
        (stopped.status, stopped.residual, stopped.sweeps, seen.len()),
        (Status::Stopped, stopped.initial, 0, 1)
    );
    for (force, law) in forces.iter().zip(&laws) {
        match law.kind {
            Kind::Contact { .. } | Kind::Moments | Kind::Expansion { .. } => assert_eq!(*force, [0.0; 3]),
            Kind::Bounds { lower, upper } => {
                (0..3).for_each(|i| assert!((lower[i]..=upper[i]).contains(&force[i])))
            }
        }
    }
}

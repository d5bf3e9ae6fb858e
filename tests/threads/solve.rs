//! Problems large enough for threads: the same bits for any number of them, and a second problem of the same pattern is solved
//! without allocating.

use ldy::rows::BlockRows;
use ldy::solve::{Derivatives, Law, Method, Normal, Options, Problem, Report, Solver, Status};
use ldy::system::System;
use testing::allocator::own_allocations;

use crate::Threads;

/// Particles in columns side by side, each on the one below it and against those beside it.
struct Heap {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<[f64; 9]>,
    b: Vec<[f64; 3]>,
    laws: Vec<Law>,
}

/// Contacts on a grid, each coupled with those beside it.
const SIDE: usize = 17;

impl Heap {
    fn new(stride: usize) -> Self {
        let count = SIDE * SIDE * SIDE;
        let wave = |k: usize| (0.7 * k as f64).sin();
        let cell = |row: usize| {
            let place = row * stride % count;
            [place % SIDE, place / SIDE % SIDE, place / SIDE / SIDE]
        };
        let mut row_of = vec![0; count];
        for row in 0..count {
            let [i, j, k] = cell(row);
            row_of[i + SIDE * (j + SIDE * k)] = row;
        }
        let mut heap = Self {
            starts: vec![0],
            columns: Vec::new(),
            values: Vec::new(),
            b: (0..count).map(|row| [0.3 * wave(row), 0.2 * wave(row + 1), -1.0 + wave(row + 2)]).collect(),
            laws: vec![Law::contact(0.4); count],
        };
        for row in 0..count {
            let place = cell(row);
            let mut neighbours = vec![row];
            for axis in 0..3 {
                for step in [-1, 1] {
                    let mut other = place;
                    other[axis] = other[axis].wrapping_add_signed(step);
                    if other[axis] < SIDE {
                        neighbours.push(row_of[other[0] + SIDE * (other[1] + SIDE * other[2])]);
                    }
                }
            }
            neighbours.sort_unstable();
            for column in neighbours {
                let x = if column == row { 1.0 } else { -0.16 };
                heap.columns.push(column as i32);
                heap.values.push([x, 0.0, 0.02 * x, 0.0, x, 0.0, 0.02 * x, 0.0, x]);
            }
            heap.starts.push(heap.columns.len() as i32);
        }
        heap
    }

    fn solve(&self, solver: &mut Solver, method: Method) -> (Report, Vec<[f64; 3]>) {
        let mut forces = vec![[0.0; 3]; self.b.len()];
        let report = self.solve_from(solver, method, &mut forces);
        (report, forces)
    }

    fn solve_from(&self, solver: &mut Solver, method: Method, forces: &mut [[f64; 3]]) -> Report {
        let Self { starts, columns, values, b, laws } = self;
        let w = BlockRows::new(starts, columns, values.as_flattened(), None).unwrap();
        let problem = Problem { w, b: b.as_flattened(), normal: Normal::Third };
        let options = Options { tolerance: 1e-9, method, max_sweeps: 60, ..Options::default() };
        solver.solve(&problem, laws, &options, forces.as_flattened_mut()).unwrap()
    }

    /// Each contact twice, with the same blocks.
    fn twice(&self) -> Self {
        let rows = self.b.len();
        let mut all = Self { starts: vec![0], columns: vec![], values: vec![], b: vec![], laws: vec![] };
        for row in (0..rows).chain(0..rows) {
            let own = self.starts[row] as usize..self.starts[row + 1] as usize;
            for shift in [0, rows as i32] {
                all.columns.extend(self.columns[own.clone()].iter().map(|column| column + shift));
                all.values.extend_from_slice(&self.values[own.clone()]);
            }
            all.starts.push(all.columns.len() as i32);
            all.b.push(self.b[row]);
            all.laws.push(self.laws[row]);
        }
        all
    }

    /// Check that a solution after a change of values allocates nothing.
    fn allocates_nothing_again(mut self, method: Method) {
        let mut solver = Solver::new();
        let (_, mut forces) = self.solve(&mut solver, method);
        self.b[7] = [0.1, 0.2, -2.0];
        let before = own_allocations();
        let report = self.solve_from(&mut solver, method, &mut forces);
        assert_eq!((own_allocations(), report.sweeps > 0), (before, true));
    }
}

/// Heaps of different sizes that do not touch each other.
fn heaps() -> Heap {
    let mut all = Heap { starts: vec![0], columns: vec![], values: vec![], b: vec![], laws: vec![] };
    for rows in [3, 40, 1, 500, 1, 120, 60, 1, 33] {
        let heap = Heap::new(1);
        let first = all.b.len() as i32;
        for row in 0..rows {
            let own = heap.starts[row] as usize..heap.starts[row + 1] as usize;
            for (column, value) in heap.columns[own.clone()].iter().zip(&heap.values[own]) {
                if *column < rows as i32 {
                    all.columns.push(column + first);
                    all.values.push(*value);
                }
            }
            all.starts.push(all.columns.len() as i32);
        }
        all.b.extend(&heap.b[..rows]);
        all.laws.extend(&heap.laws[..rows]);
    }
    all
}

/// Contacts in rows side by side, each coupled with those beside it in its row.
fn lines() -> Heap {
    let mut all = Heap { starts: vec![0], columns: vec![], values: vec![], b: vec![], laws: vec![] };
    let wave = |k: usize| (0.7 * k as f64).sin();
    for row in 0..50 * 15 {
        for column in row - usize::from(row % 15 > 0)..=row + usize::from(row % 15 < 14) {
            let x = if column == row { 1.0 } else { -0.3 };
            all.columns.push(column as i32);
            all.values.push([x, 0.0, 0.02 * x, 0.0, x, 0.0, 0.02 * x, 0.0, x]);
        }
        all.starts.push(all.columns.len() as i32);
        all.b.push([0.3 * wave(row), 0.2 * wave(row + 1), -1.0 + wave(row + 2)]);
        all.laws.push(Law::contact(0.4));
    }
    all
}

/// Pairs of rows on a particle each, every third of them between walls that approach each other.
fn presses() -> Heap {
    let mut all = Heap { starts: vec![0], columns: vec![], values: vec![], b: vec![], laws: vec![] };
    for pair in 0..100 {
        let approach = if pair % 3 == 0 { -1.0 } else { 1.0 };
        for row in 0..2 {
            for column in 0..2 {
                // Another lever for each pair.
                let arm = |row: i32| if row == 0 { 1.0 } else { -1.0 - 0.01 * f64::from(pair) };
                let x = arm(row) * arm(column);
                all.columns.push(2 * pair + column);
                all.values.push([1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, x]);
            }
            all.starts.push(all.columns.len() as i32);
            // The initial velocities are a proof.
            let speed = if row == 0 { 1.0 + 0.01 * f64::from(pair) } else { 1.0 };
            all.b.push([0.1, 0.0, approach * speed]);
        }
        all.laws.extend([Law::contact(0.3); 2]);
    }
    all
}

#[test]
fn conflicts_do_not_depend_on_the_number_of_threads() {
    let (threads, presses) = (Threads::new(), presses());
    let solve = |count| {
        threads.set(count);
        let mut solver = Solver::new();
        let (report, _) = presses.solve(&mut solver, Method::Newton);
        assert_eq!(report.status, Status::Infeasible);
        solver.conflict().to_vec()
    };
    let expected = solve(1);
    assert_eq!(expected.iter().map(|multiplier| multiplier.constraint % 6).max(), Some(1));
    assert_eq!((expected.len(), expected.last().map(|multiplier| multiplier.group)), (2 * 34, Some(33)));
    for count in [2, 3, 7] {
        for _ in 0..5 {
            assert!(solve(count) == expected, "{count} threads");
        }
    }
}

#[test]
fn islands_do_not_depend_on_the_number_of_threads() {
    let threads = Threads::new();
    let heaps = heaps();
    for method in [Method::GaussSeidel, Method::Automatic] {
        let solve = |count| {
            threads.set(count);
            let mut solver = Solver::new();
            let (report, forces) = heaps.solve(&mut solver, method);
            let Report { status, residual, initial, sweeps, steps, work, .. } = report;
            (forces, status, residual, initial, sweeps, steps, work, solver.history().to_vec())
        };
        let expected = solve(1);
        for count in [2, 3, 7] {
            for _ in 0..20 {
                assert!(solve(count) == expected, "{count} threads");
            }
        }
    }
    threads.set(2);
    heaps.allocates_nothing_again(Method::Automatic);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let threads = Threads::new();
    // In the order of the grid, and in one in which most chunks are neighbors of each other.
    for stride in [1, 1811] {
        let heap = Heap::new(stride);
        for method in [Method::GaussSeidel, Method::Automatic] {
            let solve = |count| {
                threads.set(count);
                let mut solver = Solver::new();
                let (report, forces) = heap.solve(&mut solver, method);
                (forces, report.residual, report.sweeps, report.steps, solver.history().to_vec())
            };
            let expected = solve(1);
            assert!(expected.2 > 6 && expected.1.natural < 1e-3, "{:?}", expected.1);
            for count in [2, 3, 7] {
                assert!(solve(count) == expected, "{count} threads, stride {stride}");
            }
        }
    }
    threads.set(2);
    Heap::new(1).allocates_nothing_again(Method::GaussSeidel);
}

/// A wall of bricks on the ground, two units wide and one high, each on the halves of two others.
fn wall(width: usize, courses: usize) -> System {
    const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    const H: f64 = 0.01;
    let mut system = System::new();
    let mut below: Vec<(Option<_>, f64)> = (0..=width).map(|k| (None, 2.0 * k as f64 - 1.0)).collect();
    for course in 0..courses {
        let height = course as f64;
        let mut own = Vec::new();
        for k in 0..width {
            let x = (2 * k + course % 2) as f64;
            let inertia = [1.0 / 6.0, 0.0, 0.0, 0.0, 5.0 / 12.0, 0.0, 0.0, 0.0, 5.0 / 12.0];
            let brick = system.add_rigid(1.0, &inertia, &UNIT, &[x, 0.0, height + 0.5]).unwrap();
            system.set_velocity(brick, &[0.0, 0.0, 0.0, 0.0, 0.0, -9.81 * H]).unwrap();
            for &(other, place) in &below {
                let (low, high) = (f64::max(x - 1.0, place - 1.0), f64::min(x + 1.0, place + 1.0));
                if low < high {
                    for (x, y) in [(low, -0.5), (low, 0.5), (high, -0.5), (high, 0.5)] {
                        let points = [[x, y, height]; 2];
                        system.add_point_constraint([Some(brick), other], &UNIT, points).unwrap();
                    }
                }
            }
            own.push((Some(brick), x));
        }
        below = own;
    }
    system.update(H).unwrap();
    system
}

/// Interior steps, Newton's steps and large factors, whose branches and trunk threads share.
#[test]
fn structures_do_not_depend_on_the_number_of_threads() {
    let threads = Threads::new();
    let system = wall(32, 20);
    let rows = system.results().unwrap().w.len();
    assert!(rows > 4500, "{rows} rows");
    let laws = vec![Law::contact(0.6); rows];
    let solve = |count, solver: &mut Solver| {
        threads.set(count);
        let mut forces = vec![0.0; 3 * rows];
        let options = Options { tolerance: 1e-8, ..Options::default() };
        let report = system.solve(solver, &laws, &options, &mut forces).unwrap();
        assert_eq!(report.status, Status::Converged);
        (forces, report.residual, report.sweeps, report.steps, solver.history().to_vec())
    };
    let expected = solve(1, &mut Solver::new());
    assert!(expected.3 > 4);
    for count in [2, 3, 7] {
        let solver = &mut Solver::new();
        assert!(solve(count, solver) == expected, "{count} threads");
        assert!(solve(1, solver) == expected, "one thread after {count}");
    }
}

/// Derivatives of contacts, regular or singular: each contact may be there twice, so that its forces have none.
#[test]
fn derivatives_do_not_depend_on_threads() {
    let team = Threads::new();
    for (heap, twice) in [(lines(), false), (lines().twice(), true)] {
        let (_, forces) = heap.solve(&mut Solver::new(), Method::Automatic);
        let Heap { starts, columns, values, b, laws } = &heap;
        let w = BlockRows::new(starts, columns, values.as_flattened(), None).unwrap();
        let problem = Problem { w, b: b.as_flattened(), normal: Normal::Third };
        let made = [1, 2, 3].map(|count| {
            team.set(count);
            let mut own = Derivatives::new(&problem, laws, forces.as_flattened(), 1e-4).unwrap();
            let (mut dr, mut du, mut by_b) =
                (vec![0.0; 3 * laws.len()], vec![0.0; 3 * laws.len()], vec![0.0; 3 * laws.len()]);
            let fit = own.forward(problem.b, None, &mut dr, &mut du).unwrap();
            own.adjoint(Some(problem.b), Some(problem.b), &mut by_b, None).unwrap();
            assert!(fit.is_singular == twice && dr.iter().any(|x| *x != 0.0));
            [dr, du, by_b].map(|values| values.into_iter().map(f64::to_bits).collect::<Vec<_>>())
        });
        assert!(made[0] == made[1] && made[0] == made[2]);
    }
}

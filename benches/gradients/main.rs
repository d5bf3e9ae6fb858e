//! The time of the derivatives of a function of forces and velocities by all data, over one cold solution to 1e-8.
//!
//! A line `gradient SCENE dofs=N contacts=N friction=X singular=0|1 solve_us=X prepare_us=X adjoint_us=X` for each scene, then a line
//! `target NAME VALUE LIMIT` for each aim. `prepare` linearizes all laws, `adjoint` factors the equations and solves them. Times are
//! processor times of one thread, the least of many, in turns.

use ldy::solve::{BlockRows, Derivatives, Law, LawChange, Normal, Options, Problem, Solver, Status};
use ldy::system::System;
use ldy_benches::feet::feet;
use ldy_benches::{thread_milliseconds, threads};
use testing::Random;

const FRICTION: f64 = 0.5;
/// With this all contacts stick, where a body comes straight down.
const LARGE_FRICTION: f64 = 5.0;
/// The velocities of a body that does not, beside 1.
const SIDEWAYS: f64 = 0.2;

/// The most microseconds for a robot arm and for a humanoid.
const MOST_FOR_ARM: f64 = 5.0;
const MOST_FOR_HUMANOID: f64 = 95.0;
/// Over one solution, at most: of small problems, and of a wall.
const MOST_OVER_SOLVE: f64 = 1.0;
const MOST_OVER_SOLVE_OF_WALL: f64 = 0.5;

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// W with its free velocities.
struct Rows {
    starts: Vec<i32>,
    columns: Vec<i32>,
    values: Vec<f64>,
    b: Vec<f64>,
}

impl Rows {
    /// One body of many dofs that comes down on its feet: each has four contacts, one at each corner.
    fn of_robot(dofs: usize, contacts: usize, sideways: f64, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let h = feet(&mut random, dofs, contacts);
        let u: Vec<f64> =
            (0..dofs).map(|k| if k % 6 == 2 { -1.0 } else { sideways * random.signed() }).collect();
        let b = h.iter().map(|row| row.iter().zip(&u).map(|(h, u)| h * u).sum()).collect();
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        for row in 0..contacts {
            for column in 0..contacts {
                columns.push(column as i32);
                for j in 0..3 {
                    for i in 0..3 {
                        let (x, y) = (&h[3 * row + i], &h[3 * column + j]);
                        values.push(x.iter().zip(y).map(|(x, y)| x * y).sum());
                    }
                }
            }
        }
        let starts = (0..=contacts).map(|row| (row * contacts) as i32).collect();
        Self { starts, columns, values, b }
    }

    /// A wall of bricks in running bond that falls with the speed 1: each brick has two points on each of the bricks below.
    fn of_wall(width: usize, height: usize) -> Self {
        let mut system = System::new();
        let inertia = [2.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 5.0].map(|moment| moment / 12.0);
        let mut below: Vec<Option<ldy::system::Id>> = vec![None; width + 1];
        for level in 0..height {
            let mut own = Vec::new();
            for k in 0..width + 1 - level % 2 {
                let x = (2 * k + level % 2) as f64;
                let place = [x, 0.0, level as f64 + 0.5];
                let body = system.add_rigid(1.0, &inertia, &UNIT, &place).expect("a brick");
                system.set_velocity(body, &[0.0, 0.0, 0.0, 0.0, 0.0, -1.0]).expect("a velocity");
                for (side, shift) in [(0, -0.5), (1, 0.5)] {
                    // In even levels the first brick below on the left is missing, and the last one on the right.
                    let index = (k + side + level % 2).checked_sub(1);
                    let other =
                        if level == 0 { Some(None) } else { index.and_then(|k| below.get(k)).copied() };
                    let Some(other) = other else { continue };
                    for y in [-0.4, 0.4] {
                        let point = [x + shift, y, level as f64];
                        system
                            .add_point_constraint([Some(body), other], &UNIT, [point; 2])
                            .expect("a contact");
                    }
                }
                own.push(Some(body));
            }
            below = own;
        }
        system.update(1.0).expect("rows");
        let problem = system.results().expect("rows").problem();
        let (w, b) = (problem.w, problem.b.to_vec());
        Self { starts: w.starts().to_vec(), columns: w.columns().to_vec(), values: w.values().to_vec(), b }
    }

    fn problem(&self) -> Problem<'_> {
        let w = BlockRows::new(&self.starts, &self.columns, &self.values, None).expect("rows");
        Problem { w, b: &self.b, normal: Normal::Third }
    }
}

/// Microseconds.
#[derive(Clone, Copy)]
struct Times {
    solve: f64,
    prepare: f64,
    adjoint: f64,
}

impl Times {
    fn gradient(&self) -> f64 {
        self.prepare + self.adjoint
    }
}

fn time<T>(least: &mut f64, work: impl FnOnce() -> T) -> T {
    let begin = thread_milliseconds();
    let result = work();
    *least = least.min(1e3 * (thread_milliseconds() - begin));
    result
}

/// Measure a scene; several calls of each kind in a turn, since the clock is coarse.
fn measure(name: &str, dofs: usize, friction: f64, rows: &Rows, turns: usize, calls: usize) -> Times {
    let problem = rows.problem();
    let contacts = problem.w.len();
    let laws = vec![Law::contact(friction); contacts];
    let (mut solver, mut derivatives) = (Solver::new(), Derivatives::default());
    let mut random = Random::new(3);
    let by = [random.values(3 * contacts), random.values(3 * contacts)];
    let (mut by_b, mut by_laws) = (vec![0.0; 3 * contacts], vec![LawChange::default(); contacts]);
    let mut times = Times { solve: f64::INFINITY, prepare: f64::INFINITY, adjoint: f64::INFINITY };
    let mut is_singular = false;
    let mut forces = vec![0.0; 3 * contacts];
    for _ in 0..turns {
        time(&mut times.solve, || {
            for _ in 0..calls {
                forces.fill(0.0);
                let report = solver.solve(&problem, &laws, &Options::default(), &mut forces).expect("forces");
                assert_eq!(report.status, Status::Converged);
            }
        });
        time(&mut times.prepare, || {
            for _ in 0..calls {
                derivatives.compute(&problem, &laws, &forces, 0.0).expect("derivatives");
            }
        });
        let mut both = f64::INFINITY;
        time(&mut both, || {
            for _ in 0..calls {
                derivatives.compute(&problem, &laws, &forces, 0.0).expect("derivatives");
                let fit = derivatives.adjoint(Some(&by[0]), Some(&by[1]), &mut by_b, Some(&mut by_laws));
                is_singular = fit.expect("a gradient").is_singular;
            }
        });
        times.adjoint = times.adjoint.min(both - times.prepare);
    }
    let Times { solve, prepare, adjoint } = times;
    let times = Times {
        solve: solve / calls as f64,
        prepare: prepare / calls as f64,
        adjoint: adjoint / calls as f64,
    };
    let Times { solve, prepare, adjoint } = times;
    println!(
        "gradient {name} dofs={dofs} contacts={contacts} friction={friction} singular={} solve_us={solve:.1} prepare_us={prepare:.1} \
         adjoint_us={adjoint:.1}",
        u8::from(is_singular)
    );
    times
}

fn main() {
    threads::set(1);
    let arms = [(7, 2, FRICTION, SIDEWAYS), (9, 4, FRICTION, SIDEWAYS), (9, 4, LARGE_FRICTION, 0.0)];
    let arms = arms.map(|(dofs, contacts, friction, sideways)| {
        measure("arm", dofs, friction, &Rows::of_robot(dofs, contacts, sideways, 1), 20, 2000)
    });
    let humanoids = [8, 16, 24].map(|contacts| {
        measure("humanoid", 36, FRICTION, &Rows::of_robot(36, contacts, SIDEWAYS, 2), 20, 100)
    });
    let wall = measure("wall", 1500, FRICTION, &Rows::of_wall(12, 20), 5, 1);
    let worst = |times: &[Times], of: fn(&Times) -> f64| times.iter().map(of).fold(0.0, f64::max);
    let over_solve = |times: &Times| times.gradient() / times.solve;
    println!("target gradient-arm {:.3} {MOST_FOR_ARM}", worst(&arms, Times::gradient));
    println!("target gradient-humanoid {:.3} {MOST_FOR_HUMANOID}", worst(&humanoids, Times::gradient));
    let all: Vec<Times> = arms.into_iter().chain(humanoids).collect();
    println!("target gradient-over-solve {:.3} {MOST_OVER_SOLVE}", worst(&all, over_solve));
    println!("target gradient-over-solve-wall {:.3} {MOST_OVER_SOLVE_OF_WALL}", over_solve(&wall));
}

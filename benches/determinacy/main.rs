//! What it costs to know which forces of a stack of bricks are unique: all intervals, and canonical forces, over one solution to 1e-8.
//!
//! A line `determinacy bricks=N contacts=N solve_ms=X set_ms=X intervals_ms=X canonical_ms=X`, then a line `target NAME VALUE LIMIT` for
//! each aim. Times are processor times of one thread, the least of many, in turns.

use ldy::solve::{Law, Options, Solver};
use ldy::system::System;
use ldy_benches::{thread_milliseconds, threads};

const BRICKS: usize = 20;
const FRICTION: f64 = 0.5;
const ROUNDS: usize = 15;

/// All intervals, and a solution with canonical forces, over a plain solution, at most.
const MOST_FOR_INTERVALS: f64 = 20.0;
const MOST_FOR_CANONICAL: f64 = 2.0;

const UNIT: [f64; 9] = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];

/// Bricks that fall with the speed 1, each with four contacts, a bit apart from the axis of the stack.
fn stack() -> System {
    let mut system = System::new();
    let mut below = None;
    for level in 0..BRICKS {
        let (height, shift) = (level as f64, 0.02 * (level % 3) as f64);
        let inertia = [2.0, 0.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 5.0].map(|moment| moment / 12.0);
        let body = system.add_rigid(1.0, &inertia, &UNIT, &[shift, 0.0, height + 0.5]).expect("a brick");
        system.set_velocity(body, &[0.0, 0.0, 0.0, 0.0, 0.0, -1.0]).expect("a velocity");
        for (x, y) in [(-0.9, -0.4), (0.9, -0.4), (0.9, 0.4), (-0.9, 0.4)] {
            let point = [shift + x, y, height];
            system.add_point_constraint([Some(body), below], &UNIT, [point; 2]).expect("a contact");
        }
        below = Some(body);
    }
    system.update(1.0).expect("rows");
    system
}

fn time<T>(least: &mut f64, work: impl FnOnce() -> T) -> T {
    let begin = thread_milliseconds();
    let result = work();
    *least = least.min(thread_milliseconds() - begin);
    result
}

fn main() {
    threads::set(1);
    let system = stack();
    let laws = vec![Law::contact(FRICTION); system.constraint_count()];
    let rows: Vec<usize> = (0..laws.len()).collect();
    let mut least = [f64::INFINITY; 4];
    let [solve, set, intervals, canonical] = &mut least;
    let (plain, sharp) = (Options::default(), Options { canonical: true, ..Options::default() });
    for _ in 0..ROUNDS {
        let solved = |options: &Options| {
            let mut forces = vec![0.0; 3 * laws.len()];
            let report = system.solve(&mut Solver::new(), &laws, options, &mut forces).expect("forces");
            (report, forces)
        };
        let (_, forces) = time(solve, || solved(&plain));
        time(canonical, || solved(&sharp));
        let mut found = time(set, || system.solution_set(&laws, &forces, 0.0)).expect("solutions");
        time(intervals, || found.intervals(&rows)).expect("intervals");
    }
    let [solve, set, intervals, canonical] = least;
    println!(
        "determinacy bricks={BRICKS} contacts={} solve_ms={solve:.3} set_ms={set:.3} intervals_ms={intervals:.3} \
         canonical_ms={canonical:.3}",
        laws.len()
    );
    println!("target determinacy-intervals-over-solve {:.3} {MOST_FOR_INTERVALS}", (set + intervals) / solve);
    println!("target canonical-over-solve {:.3} {MOST_FOR_CANONICAL}", canonical / solve);
}

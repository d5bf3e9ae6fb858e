//! The friction of one step of a pile of five thousand spheres: this library's solver, with one thread and with two, beside a plain
//! Gauss–Seidel, from the forces of the step before and from zeros.
//!
//! A line a beginning, `pile spheres=N contacts=N tolerance=T start=warm|cold ms=X two_threads_ms=X sweeps=N steps=N textbook_ms=X
//! textbook_sweeps=N over_textbook=X`, then a line `target NAME VALUE LIMIT` for each aim. Every solver is a new one, as contacts
//! change from step to step: work that is done once for a pattern counts. With the argument `threads`, the gain by a second one alone.

mod scene;
mod textbook;

use std::time::Instant;

use ldy::legacy::c_api::additions::ldy_set_threads;
use ldy::solve::{Method, Options, Report, Solver, Status};
use ldy_benches::thread_milliseconds;
use scene::{COUNT, Pile, Step};

/// Steps that are made first: after them spheres rest on each other.
const STEPS: usize = 100;
const REPETITIONS: usize = 2;
const TOLERANCE: f64 = 1e-4;
/// Steps of the textbook to the force of one contact in a sweep; the quicker choice counts.
const TEXTBOOK_STEPS: [usize; 2] = [1, 10];
/// Most sweeps of the textbook, and how many are between two looks at the residual.
const TEXTBOOK_SWEEPS: usize = 20_000;
const BETWEEN: usize = 5;
/// Short solves for the gain by a second thread: the least times of many say more than long ones on a machine with other work.
const SHORT_SWEEPS: usize = 16;
const SHORT_REPETITIONS: usize = 200;

fn main() {
    set_threads(2);
    let rough =
        Options { tolerance: 1e-3, method: Method::GaussSeidel, max_sweeps: 60, ..Options::default() };
    let mut pile = Pile::new();
    pile.settle(STEPS, &mut Solver::new(), &rough);
    let step = pile.problem();
    let options = Options { tolerance: TOLERANCE, ..Options::default() };
    if !std::env::args().any(|argument| argument == "threads") {
        beside_textbook(&step, &options);
    }
    let short = Options { method: Method::GaussSeidel, max_sweeps: SHORT_SWEEPS, ..options };
    let [(one, _), (two, _)] = in_turns(&step, &step.warm, &short, SHORT_REPETITIONS);
    println!("pile-threads sweeps={SHORT_SWEEPS} ms={one:.2} two_threads_ms={two:.2}");
    println!("target solve-2-threads {:.3} 0.6", two / one);
}

/// Lines for both beginnings, and the aim.
fn beside_textbook(step: &Step, options: &Options) {
    let mut over_textbook = f64::INFINITY;
    for (name, start) in [("cold", vec![[0.0; 3]; step.warm.len()]), ("warm", step.warm.clone())] {
        let [(one, report), (two, same)] = in_turns(step, &start, options, REPETITIONS);
        assert_eq!((report.status, report.residual), (Status::Converged, same.residual));
        let ours = TEXTBOOK_STEPS.map(|steps| textbook(step, &start, steps));
        let (plain, sweeps) = ours.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).expect("two");
        over_textbook = one / plain;
        println!(
            "pile spheres={COUNT} contacts={} tolerance={TOLERANCE:e} start={name} ms={one:.1} two_threads_ms={two:.1} \
             sweeps={} steps={} textbook_ms={plain:.1} textbook_sweeps={sweeps} over_textbook={over_textbook:.3}",
            start.len(),
            report.sweeps,
            report.steps,
        );
    }
    println!("target pile-5000 {over_textbook:.3} 0.33");
}

fn set_threads(count: i32) {
    assert_eq!(ldy_set_threads(count), 0);
}

/// With one thread and with two, the least milliseconds, and what came out. The time of one thread is processor time.
fn in_turns(step: &Step, start: &[[f64; 3]], options: &Options, repetitions: usize) -> [(f64, Report); 2] {
    let mut best = [(f64::INFINITY, Report::default()); 2];
    for _ in 0..repetitions {
        for (best, count) in best.iter_mut().zip(1..) {
            set_threads(count);
            let mut forces = start.to_vec();
            let begin = (Instant::now(), thread_milliseconds());
            let report = step
                .system
                .solve(&mut Solver::new(), &step.laws, options, forces.as_flattened_mut())
                .expect("forces");
            let ms = match count {
                1 => thread_milliseconds() - begin.1,
                _ => 1e3 * begin.0.elapsed().as_secs_f64(),
            };
            if ms < best.0 {
                *best = (ms, report);
            }
        }
    }
    best
}

/// The time of the sweeps in milliseconds, without the time for the residual; and the number of sweeps.
fn textbook(step: &Step, start: &[[f64; 3]], steps: usize) -> (f64, usize) {
    let rows = step.system.results().expect("rows");
    let problem = rows.problem();
    let mut forces = start.to_vec();
    let (mut ms, mut count) = (0.0, 0);
    while textbook::residual(&problem, &step.laws, &forces) > TOLERANCE && count < TEXTBOOK_SWEEPS {
        let begin = thread_milliseconds();
        (0..BETWEEN).for_each(|_| textbook::sweep(&problem, &step.laws, &mut forces, steps));
        ms += thread_milliseconds() - begin;
        count += BETWEEN;
    }
    (ms, count)
}

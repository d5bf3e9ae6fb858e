//! Many systems at once: small contact problems one after the other, and 1,024 humanoids on their feet in a batch.
//!
//! Then humanoids of MuJoCo, if the Python that the environment variable LDY_PYTHON names has it: see `beside_mujoco`.
//!
//! A line `batch tiny contacts=4 solve_us=X` and lines `batch humanoids systems=1024 contacts=N threads=T set_us=X update_us=X solve_us=X`,
//! elapsed times for each system, then a line `target NAME VALUE LIMIT` for each aim. Times are the least of many, in turns.

mod beside_mujoco;

use std::process::ExitCode;
use std::time::Instant;

use ldy::solve::{BlockRows, Law, Normal, Options, Problem, Solver, Status};
use ldy::system::{Batch, Id, Inertia, Kinematics, Operator, System};
use ldy_benches::feet::feet;
use ldy_benches::threads;
use testing::Random;

const SYSTEMS: usize = 1024;
/// The velocities of a humanoid, as MuJoCo's.
const DOFS: usize = 27;
/// Contacts of its feet, four each.
const CONTACTS: usize = 8;
const FRICTION: f64 = 0.7;
const STEP: f64 = 0.003;

const TINY: usize = 2000;
const ROUNDS: usize = 20;

/// The most microseconds for four contacts, and the time of two threads over that of one.
const MOST_FOR_TINY: f64 = 5.0;
const MOST_FOR_TWO: f64 = 0.55;

fn time<T>(least: &mut f64, count: usize, work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    *least = least.min(1e6 * begin.elapsed().as_secs_f64() / count as f64);
    result
}

/// Problems of four contacts with different free velocities.
fn tiny() -> f64 {
    let mut random = Random::new(1);
    let h = feet(&mut random, 9, 4);
    let product = |i: usize, j: usize| h[i].iter().zip(&h[j]).map(|(x, y)| x * y).sum::<f64>();
    let (mut columns, mut values) = (Vec::new(), Vec::new());
    for row in 0..4 {
        for column in 0..4 {
            columns.push(column as i32);
            values.extend((0..9).map(|k| product(3 * row + k % 3, 3 * column + k / 3)));
        }
    }
    let starts = [0, 4, 8, 12, 16];
    let w = BlockRows::new(&starts, &columns, &values, None).expect("rows");
    let bs: Vec<Vec<f64>> = (0..TINY)
        .map(|_| {
            let u: Vec<f64> = (0..9).map(|k| if k == 2 { -1.0 } else { 0.3 * random.signed() }).collect();
            h.iter().map(|row| row.iter().zip(&u).map(|(h, u)| h * u).sum()).collect()
        })
        .collect();
    let (mut solver, laws, mut least) = (Solver::new(), [Law::contact(FRICTION); 4], f64::INFINITY);
    for _ in 0..ROUNDS {
        time(&mut least, TINY, || {
            for b in &bs {
                let problem = Problem { w, b, normal: Normal::Third };
                let mut forces = [0.0; 12];
                let report = solver.solve(&problem, &laws, &Options::default(), &mut forces).expect("forces");
                assert_eq!(report.status, Status::Converged);
            }
        });
    }
    println!("batch tiny contacts=4 solve_us={least:.2}");
    least
}

/// A humanoid with its body and its A⁻¹.
struct Humanoid {
    system: System,
    body: Id,
    contacts: Vec<Id>,
    inverse: Vec<f64>,
    rows: Vec<Vec<f64>>,
    velocity: Vec<f64>,
}

impl Humanoid {
    fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let root: Vec<f64> = random.values(DOFS * DOFS);
        let mut inverse = vec![0.0; DOFS * DOFS];
        for i in 0..DOFS {
            for j in 0..=i {
                let sum: f64 = (0..DOFS).map(|k| root[DOFS * k + i] * root[DOFS * k + j]).sum();
                let entry = sum / DOFS as f64 + if i == j { 1.0 } else { 0.0 };
                (inverse[DOFS * i + j], inverse[DOFS * j + i]) = (entry, entry);
            }
        }
        let rows = feet(&mut random, DOFS, CONTACTS);
        let mut system = System::new();
        let inertia = Inertia::dense(DOFS, &inverse).expect("an inertia");
        let body = system.add_body(DOFS, Kinematics::General, inertia).expect("a body");
        let mut contacts = Vec::new();
        for contact in 0..CONTACTS {
            let operator = Operator::dense(3, DOFS, &operator(&rows, contact)).expect("an operator");
            let id = system.add_constraint_rows(&[body], vec![operator]).expect("a contact");
            system.set_law(id, Some(Law::contact(FRICTION).into())).expect("a law");
            contacts.push(id);
        }
        let velocity = (0..DOFS).map(|k| if k % 6 == 2 { -0.5 } else { 0.1 * random.signed() }).collect();
        Self { system, body, contacts, inverse, rows, velocity }
    }

    /// New matrices and velocities, as after a step.
    fn set(&mut self) {
        let Self { system, body, contacts, inverse, rows, velocity } = self;
        system.set_dense(*body, DOFS, inverse).expect("an inertia");
        system.set_velocity(*body, velocity).expect("a velocity");
        for (contact, id) in contacts.iter().enumerate() {
            let operator = Operator::dense(3, DOFS, &operator(rows, contact)).expect("an operator");
            system.set_operators(*id, vec![operator]).expect("operators");
        }
    }
}

fn operator(rows: &[Vec<f64>], contact: usize) -> Vec<f64> {
    (0..3 * DOFS).map(|k| rows[3 * contact + k % 3][k / 3]).collect()
}

/// Microseconds of an update and a solution to 1e-6 for each humanoid.
fn humanoids(all: &mut [Humanoid], count: usize) -> f64 {
    threads::set(count);
    let starts: Vec<usize> = (0..=SYSTEMS).map(|k| 3 * CONTACTS * k).collect();
    let mut batch = Batch::default();
    let options = Options { tolerance: 1e-6, ..Options::default() };
    let [mut set, mut update, mut solve] = [f64::INFINITY; 3];
    for _ in 0..ROUNDS {
        time(&mut set, SYSTEMS, || all.iter_mut().for_each(Humanoid::set));
        let mut systems: Vec<&mut System> = all.iter_mut().map(|one| &mut one.system).collect();
        time(&mut update, SYSTEMS, || batch.update(&mut systems, STEP)).expect("rows");
        let systems: Vec<&System> = all.iter().map(|one| &one.system).collect();
        let mut forces = vec![0.0; starts[SYSTEMS]];
        let mut converged = 0;
        let tell =
            |_, report: &ldy::solve::Report| converged += usize::from(report.status == Status::Converged);
        time(&mut solve, SYSTEMS, || batch.solve(&systems, &options, &mut forces, &starts, tell))
            .expect("forces");
        assert_eq!(converged, SYSTEMS);
    }
    println!(
        "batch humanoids systems={SYSTEMS} contacts={CONTACTS} threads={count} set_us={set:.2} update_us={update:.2} \
         solve_us={solve:.2}"
    );
    update + solve
}

fn main() -> ExitCode {
    // SAFETY: nothing has started a thread yet.
    unsafe { threads::one_for_others() };
    threads::set(1);
    let tiny = tiny();
    let mut all: Vec<Humanoid> = (0..SYSTEMS as u64).map(Humanoid::new).collect();
    let one = humanoids(&mut all, 1);
    let two = humanoids(&mut all, 2);
    println!("target batch-tiny {tiny:.3} {MOST_FOR_TINY}");
    println!("target batch-humanoids-2-threads {:.3} {MOST_FOR_TWO}", two / one);
    if let Err(text) = beside_mujoco::measure() {
        eprintln!("bench-batch: {text}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

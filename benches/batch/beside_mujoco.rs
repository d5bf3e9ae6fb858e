//! 1,024 humanoids of MuJoCo, standing and lying: constraints set, updated and solved in a batch, and MuJoCo's mj_fwdConstraint.
//!
//! Both begin without forces. MuJoCo's contacts are soft and those here hard, so that solutions differ.

use ldy::solve::{Kind, Law, Options, Report, Status};
use ldy::system::{Batch, Id, Inertia, Jacobian, Kinematics, System};
use ldy_benches::peer::Peer;
use ldy_benches::turns::{self, Measured};
use ldy_benches::{median, said, thread_milliseconds, threads};

const SYSTEMS: usize = 1024;
const TOLERANCE: f64 = 1e-6;

/// Milliseconds of the parts of a step of all humanoids, and the sweeps and Newton steps of all solutions.
#[derive(Clone, Copy, Default)]
struct Times {
    set: f64,
    update: f64,
    solve: f64,
    sweeps: usize,
    steps: usize,
}

/// The calls of MuJoCo. The first one has the cones that are here, and begins without forces, too.
const CALLS: [&str; 4] = ["elliptic-cold", "elliptic-warm", "pyramidal-cold", "pyramidal-warm"];

/// A humanoid: what MuJoCo computes for it, and its system.
struct MujocoHumanoid {
    inverse: Vec<f64>,
    velocity: Vec<f64>,
    jacobian: Vec<f64>,
    laws: Vec<Law>,
    system: System,
    body: Id,
    constraints: Vec<Id>,
}

impl MujocoHumanoid {
    /// The next one in a file that mujoco_batch.py has written.
    fn read(numbers: &mut impl Iterator<Item = f64>, h: f64) -> Result<Self, String> {
        let mut take = |count: usize| {
            let taken: Vec<f64> = numbers.take(count).collect();
            if taken.len() == count { Ok(taken) } else { Err("the file of humanoids ends too early") }
        };
        let counts: Vec<usize> = take(3)?.iter().map(|&count| count as usize).collect();
        let [dofs, count, rows] = counts[..] else { return Err("no counts".into()) };
        let (inverse, velocity, jacobian) = (take(dofs * dofs)?, take(dofs)?, take(rows * dofs)?);
        let (mut heights, mut laws) = (vec![], vec![]);
        for _ in 0..count {
            let numbers = take(6)?;
            let kind = match numbers[1] {
                friction if friction >= 0.0 => Kind::contact([friction, numbers[2]], 0.0),
                _ => Kind::Bounds { lower: [0.0; 3], upper: [f64::INFINITY; 3] },
            };
            heights.push(numbers[0] as usize);
            laws.push(Law { kind, bias: [numbers[3], numbers[4], numbers[5]] });
        }
        let mut system = System::new();
        let inertia = said(Inertia::dense(dofs, &inverse))?;
        let body = said(system.add_body(dofs, Kinematics::General, inertia))?;
        let shape = Jacobian::Dense { values: &jacobian, shape: [rows, dofs], strides: [dofs, 1] };
        said(system.add_jacobian([body].into_iter(), heights.into_iter(), &shape))?;
        let constraints = system.constraints().map(|(id, _)| id).collect();
        let mut made = Self { inverse, velocity, jacobian, laws, system, body, constraints };
        made.set()?;
        said(made.system.update(h))?;
        Ok(made)
    }

    /// All that changes in a step: matrices, velocities and laws.
    fn set(&mut self) -> Result<(), String> {
        let Self { inverse, velocity, jacobian, laws, system, body, constraints } = self;
        let dofs = velocity.len();
        let shape =
            Jacobian::Dense { values: jacobian, shape: [jacobian.len() / dofs, dofs], strides: [dofs, 1] };
        said(system.set_dense(*body, dofs, inverse))?;
        said(system.set_velocity(*body, velocity))?;
        said(system.set_jacobian([*body].into_iter(), constraints.iter().copied(), &shape))?;
        said(system.set_laws(laws.len(), |k| (constraints[k], Some(laws[k].into()))))
    }
}

/// A step of all humanoids.
fn step(all: &mut [MujocoHumanoid], batch: &mut Batch, starts: &[usize], h: f64) -> Result<Times, String> {
    let begin = thread_milliseconds();
    all.iter_mut().try_for_each(MujocoHumanoid::set)?;
    let set = thread_milliseconds();
    let mut systems: Vec<&mut System> = all.iter_mut().map(|one| &mut one.system).collect();
    said(batch.update(&mut systems, h))?;
    let updated = thread_milliseconds();
    let systems: Vec<&System> = all.iter().map(|one| &one.system).collect();
    let mut forces = vec![0.0; starts[all.len()]];
    let options = Options { tolerance: TOLERANCE, ..Options::default() };
    let (mut times, mut missed) = (Times::default(), 0);
    let count = |_, report: &Report| {
        missed += usize::from(report.status != Status::Converged);
        times.sweeps += report.sweeps;
        times.steps += report.steps;
    };
    said(batch.solve(&systems, &options, &mut forces, starts, count))?;
    let solved = thread_milliseconds();
    if missed > 0 {
        return Err(format!("{missed} of {SYSTEMS} solutions have not converged"));
    }
    Ok(Times { set: set - begin, update: updated - set, solve: solved - updated, ..times })
}

/// Measure both in turns, and print the target. Without MuJoCo a line says so.
///
/// # Errors
/// If MuJoCo does not answer, or a solution does not converge.
pub fn measure() -> Result<(), String> {
    let file = format!("{}/humanoids", env!("CARGO_TARGET_TMPDIR"));
    let model = concat!(env!("CARGO_MANIFEST_DIR"), "/../python/examples/humanoid.xml");
    let Some(peer) = Peer::start("humanoids", "mujoco_batch.py", &[&SYSTEMS.to_string(), model, &file])?
    else {
        return Ok(());
    };
    threads::set(1);
    let h = peer.number("step")?;
    let bytes = said(std::fs::read(&file))?;
    let mut numbers = bytes.as_chunks().0.iter().map(|bytes| f64::from_le_bytes(*bytes));
    let mut all =
        (0..SYSTEMS).map(|_| MujocoHumanoid::read(&mut numbers, h)).collect::<Result<Vec<_>, String>>()?;
    let mut starts = vec![0];
    for one in &all {
        starts.push(starts[starts.len() - 1] + one.jacobian.len() / one.velocity.len());
    }
    let (peer, parts) = (std::cell::RefCell::new(peer), std::cell::RefCell::new(vec![]));
    let mut batch = Batch::default();
    let own: Measured = Box::new(|count| {
        (0..count)
            .map(|_| {
                let times = step(&mut all, &mut batch, &starts, h)?;
                parts.borrow_mut().push(times);
                Ok(times.set + times.update + times.solve)
            })
            .collect()
    });
    let others = CALLS.map(|call| -> Measured { Box::new(|count| peer.borrow_mut().measure(call, count)) });
    let medians = turns::medians(&mut [own].into_iter().chain(others).collect::<Vec<_>>())?;
    report(&peer.into_inner(), &medians, &parts.into_inner())
}

/// A line for each, in microseconds for a humanoid.
fn report(peer: &Peer, medians: &[f64], parts: &[Times]) -> Result<(), String> {
    let each = |milliseconds: f64| 1e3 * milliseconds / SYSTEMS as f64;
    let of = |part: fn(&Times) -> f64| each(median(&parts.iter().map(part).collect::<Vec<_>>()));
    let mean = |count: usize| count as f64 / SYSTEMS as f64;
    println!(
        "batch mujoco-humanoids systems={SYSTEMS} contacts={} rows={} set_us={:.2} update_us={:.2} solve_us={:.2} us={:.2} \
         sweeps={:.1} newton_steps={:.1}",
        peer.text("contacts")?,
        peer.text("rows")?,
        of(|times| times.set),
        of(|times| times.update),
        of(|times| times.solve),
        each(medians[0]),
        mean(parts[0].sweeps),
        mean(parts[0].steps),
    );
    // What Python and its clock take is no part of MuJoCo's time.
    let python = peer.number("python_ms")?;
    let others: Vec<f64> = medians[1..].iter().map(|milliseconds| each(milliseconds - python)).collect();
    for (call, time) in CALLS.iter().zip(&others) {
        println!(
            "peer mujoco-humanoids call=mj_fwdConstraint {call} us={time:.2} version={}",
            peer.text("version")?
        );
    }
    println!("target batch-humanoids {:.3} 1.0", each(medians[0]) / others[0]);
    Ok(())
}

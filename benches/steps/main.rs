//! Sequences of steps as a simulator runs them: each step has a warm start from the forces of the step before, matched by key.
//!
//! `steps --tolerances "1e-3 1e-4" FILES` prints a line for each file and tolerance. Times are processor times of the contact
//! solver alone. `--method gauss-seidel` or `newton` selects that method. `--limit SECONDS` ends a step that takes longer; it
//! counts as not solved.

use std::env;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use ldy::solve::{Method, Options, Solver, Status};
use ldy_benches::thread_milliseconds as milliseconds;
use problem_files::scenes::Sequence;

/// The number of measured sweeps, and of the sweeps before them.
const SWEEPS: usize = 32;
const FIRST_SWEEPS: usize = 8;

struct Arguments {
    tolerances: Vec<f64>,
    method: Method,
    limit: Option<f64>,
    /// Print a line for each step.
    verbose: bool,
    files: Vec<PathBuf>,
}

impl Arguments {
    fn parse() -> Result<Self, String> {
        let mut parsed = Self {
            tolerances: vec![1e-3, 1e-4, 1e-6],
            method: Method::Automatic,
            limit: None,
            verbose: false,
            files: Vec::new(),
        };
        let mut words = env::args().skip(1);
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            let number = |text: &str| text.parse::<f64>().map_err(|_| format!("no number: {text}"));
            match word.as_str() {
                "--tolerances" => {
                    parsed.tolerances = value()?.split_whitespace().map(number).collect::<Result<_, _>>()?;
                }
                "--method" => {
                    parsed.method = match value()?.as_str() {
                        "gauss-seidel" => Method::GaussSeidel,
                        "newton" => Method::Newton,
                        _ => Method::Automatic,
                    };
                }
                "--limit" => parsed.limit = Some(number(&value()?)?),
                "--verbose" => parsed.verbose = true,
                // An argument that `cargo bench` adds.
                "--bench" => {}
                _ => parsed.files.push(word.into()),
            }
        }
        Ok(parsed)
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::parse() {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("steps: {message}");
            return ExitCode::from(2);
        }
    };
    let mut failed = false;
    for file in &arguments.files {
        if let Err(error) = run(file, &arguments) {
            println!("steps {}: {error}", file.display());
            failed = true;
        }
    }
    ExitCode::from(u8::from(failed))
}

fn run(file: &Path, arguments: &Arguments) -> Result<(), Box<dyn std::error::Error>> {
    let sequence = Sequence::read(file)?;
    let name = file.file_stem().unwrap_or_default().display().to_string();
    let mut steps = Vec::new();
    for number in 0..sequence.steps() {
        let step = sequence.step(number);
        steps.push((step.system()?, step.laws(), step));
    }
    let mut sweep: Vec<f64> = Vec::new();
    for (system, laws, step) in &steps {
        let mut solver = Solver::new();
        let mut time = |sweeps: usize| -> Result<f64, Box<dyn std::error::Error>> {
            let options = Options {
                tolerance: 0.0,
                method: Method::GaussSeidel,
                max_sweeps: sweeps,
                ..Options::default()
            };
            let mut forces = vec![0.0; step.scalars()];
            let begin = milliseconds();
            system.solve(&mut solver, laws, &options, &mut forces)?;
            Ok(milliseconds() - begin)
        };
        time(FIRST_SWEEPS)?;
        let short = time(FIRST_SWEEPS)?;
        sweep.push((time(FIRST_SWEEPS + SWEEPS)? - short) / SWEEPS as f64);
    }
    for &tolerance in &arguments.tolerances {
        let (mut times, mut solved, mut sweeps, mut newton) = (Vec::new(), 0, 0, 0);
        let mut solver = Solver::new();
        let mut last: Option<Vec<f64>> = None;
        for (number, (system, laws, step)) in steps.iter().enumerate() {
            let mut forces = match &last {
                Some(last) => sequence.warm(number, last),
                None => vec![0.0; step.scalars()],
            };
            let options = Options { tolerance, method: arguments.method, ..Options::default() };
            let begin = milliseconds();
            let report = match arguments.limit {
                Some(limit) => {
                    let watch = &mut |_: &_| milliseconds() - begin < 1e3 * limit;
                    system.solve_with_progress(&mut solver, laws, &options, &mut forces, watch)?
                }
                None => system.solve(&mut solver, laws, &options, &mut forces)?,
            };
            let time = milliseconds() - begin;
            if arguments.verbose {
                println!(
                    "  {number} ms={time:.3} sweeps={} steps={} end={:?} residual={:.1e} first={:.1e}",
                    report.sweeps,
                    report.steps,
                    report.status,
                    report.residual.by(options.measure),
                    report.initial.by(options.measure)
                );
            }
            times.push(time);
            solved += usize::from(report.status == Status::Converged);
            sweeps += report.sweeps;
            newton += report.steps;
            last = Some(forces);
        }
        print_line(&name, tolerance, &mut times, solved, &mut sweep, [sweeps, newton]);
    }
    Ok(())
}

fn print_line(
    name: &str,
    tolerance: f64,
    times: &mut [f64],
    solved: usize,
    sweep: &mut [f64],
    counts: [usize; 2],
) {
    times.sort_by(f64::total_cmp);
    sweep.sort_by(f64::total_cmp);
    let count = times.len();
    let at = |share: f64| times[((share * count as f64).ceil() as usize).clamp(1, count) - 1];
    let (maximum, plain) = (times[count - 1], sweep[sweep.len() / 2]);
    println!(
        "steps {name} tolerance={tolerance:e} steps={count} solved={solved} median_ms={:.3} p99_ms={:.3} max_ms={maximum:.3} \
         sweep_ms={plain:.5} max_sweeps={:.0} p99_sweeps={:.0} mean_ms={:.3} sweeps={} newton={}",
        at(0.5),
        at(0.99),
        maximum / plain,
        at(0.99) / plain,
        times.iter().sum::<f64>() / count as f64,
        counts[0] / count,
        counts[1] / count,
    );
}

//! Solves frictional contact problems from files: `solve --tolerance 1e-8 --out FOLDER a.npz b.npz` prints a line for each problem
//! and writes its forces to FOLDER/a.npy. The exit status is 1 if a problem misses the tolerance or cannot be read.

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{env, error, fs};

use ldy::solve::{Options, Report, Solver, Status};
use problem_files::archive::{self, Archive};
use problem_files::problems::MatrixProblem;
use problem_files::scenes;

struct Arguments {
    tolerance: f64,
    out: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Arguments {
    fn parse(mut words: impl Iterator<Item = OsString>) -> Result<Self, String> {
        let mut parsed = Self { tolerance: 1e-8, out: None, files: Vec::new() };
        while let Some(word) = words.next() {
            if word == "--tolerance" {
                let text = words.next().unwrap_or_default();
                let number = text.to_str().and_then(|text| text.parse().ok());
                parsed.tolerance = number.ok_or_else(|| format!("no tolerance: {}", text.display()))?;
            } else if word == "--out" {
                parsed.out = Some(words.next().ok_or("--out needs a folder")?.into());
            } else {
                parsed.files.push(word.into());
            }
        }
        if parsed.files.is_empty() {
            return Err("no files; usage: solve [--tolerance 1e-8] [--out FOLDER] FILE...".into());
        }
        Ok(parsed)
    }
}

fn main() -> ExitCode {
    let arguments = match Arguments::parse(env::args_os().skip(1)) {
        Ok(arguments) => arguments,
        Err(message) => {
            eprintln!("solve: {message}");
            return ExitCode::from(2);
        }
    };
    ExitCode::from(status(solve_all(&arguments, &mut io::stdout())))
}

/// The exit status, from the number of files that failed.
fn status(failed: io::Result<usize>) -> u8 {
    match failed {
        Ok(failed) => u8::from(failed > 0),
        // The reader of the output, for instance `head`, has enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => 0,
        Err(error) => {
            eprintln!("solve: the output cannot be written: {error}");
            2
        }
    }
}

/// Solve the files; returns how many failed.
///
/// # Errors
/// If a line cannot be written.
fn solve_all(arguments: &Arguments, out: &mut impl Write) -> io::Result<usize> {
    let (mut passed, mut failed) = (0, 0);
    for file in &arguments.files {
        match solve(file, arguments) {
            Ok((converged, line)) => {
                writeln!(out, "{line}")?;
                *if converged { &mut passed } else { &mut failed } += 1;
            }
            Err(error) => {
                writeln!(out, "solve {}: {error}", file.display())?;
                failed += 1;
            }
        }
    }
    writeln!(out, "{passed} passed, {failed} failed")?;
    Ok(failed)
}

/// Solve a file; returns whether the tolerance was met, and the line about it.
fn solve(file: &Path, arguments: &Arguments) -> Result<(bool, String), Box<dyn error::Error>> {
    let options = Options { tolerance: arguments.tolerance, ..Options::default() };
    let archive = &mut Archive::open(file)?;
    let (rows, report, forces) =
        if archive.has("vf") { solve_bodies(archive, &options)? } else { solve_matrix(archive, &options)? };
    let name = file.file_stem().unwrap_or_default();
    if let Some(folder) = &arguments.out {
        fs::create_dir_all(folder)?;
        let mut target = folder.join(name).into_os_string();
        target.push(".npy");
        archive::write(Path::new(&target), &forces)?;
    }
    let line = format!(
        "solve {} contacts={rows} residual={:.2e} sweeps={} ms={:.3} steps={} natural={:.2e} scaled={:.2e} worst={} end={:?}",
        name.display(),
        report.residual.by(options.measure),
        report.sweeps,
        1e3 * report.time.as_secs_f64(),
        report.steps,
        report.residual.natural,
        report.residual.scaled,
        report.residual.worst,
        report.status,
    );
    Ok((report.status == Status::Converged, line))
}

type Solved = Result<(usize, Report, Vec<f64>), Box<dyn error::Error>>;

/// Solve bodies and constraints; the forces are in the order of the file.
fn solve_bodies(archive: &mut Archive, options: &Options) -> Solved {
    let step = scenes::read_step(archive)?;
    let system = step.system()?;
    let mut forces = step.forces.clone();
    let report = system.solve(&mut Solver::new(), &step.laws(), options, &mut forces)?;
    Ok((step.laws.len(), report, forces))
}

/// Solve rows with a given matrix, or M and H; the forces are in the order of the file.
fn solve_matrix(archive: &mut Archive, options: &Options) -> Solved {
    let read = if archive.has("M_data") { MatrixProblem::read_global } else { MatrixProblem::read_local };
    let mut problem = read(archive)?;
    let report = problem.solve(options)?;
    Ok((problem.rows(), report, problem.forces))
}

#[cfg(test)]
mod tests;

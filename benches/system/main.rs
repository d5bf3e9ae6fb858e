//! Updates through the neutral face beside those through the legacy face, on the same scenes: `make bench-system`, see
//! docs/developers/measured/legacy.md.
//!
//! Arguments name scenes; without any, all of [`scenes::NAMES`], [`articulated`] and [`mixed`] are measured, and then `little`:
//! what little changes cost, what one limit of a joint beside contacts costs, and products.

mod articulated;
mod blas;
mod measure;
mod mixed;
mod odd_row;
mod one_limit;
mod products;
mod reuse;

use std::io::{BufRead as _, BufReader};
use std::process::{Command, ExitCode, Stdio};

use ldy_benches::{said, scenes, threads};
use measure::Beside;
use testing::allocator::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// First argument of a process that measures one scene, before its name.
const ONE: &str = "--one";
/// Name of the case that is no scene of the legacy face.
const ARTICULATED: &str = "articulated-64";
/// Name of the case of rows of other than three scalars.
const MIXED: &str = "mixed-rows";
/// The argument that asks for nothing but what little changes, and products.
const LITTLE: &str = "little";
/// The most that an update through the neutral face may take, over that through the legacy face.
const MOST: f64 = 1.1;

fn main() -> ExitCode {
    // SAFETY: nothing has started a thread yet.
    unsafe { threads::one_for_others() };
    // cargo adds --bench to what the user gives.
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let result = match &named[..] {
        [] => in_processes(&scenes::NAMES.map(String::from))
            .and_then(|()| articulated::measure())
            .and_then(|()| mixed::measure())
            .and_then(|()| little()),
        [name] if name == ARTICULATED => articulated::measure(),
        [name] if name == MIXED => mixed::measure(),
        [one] if one == LITTLE => little(),
        [one, name] if one == ONE => measure(name),
        names => in_processes(names),
    };
    if let Err(text) = result {
        eprintln!("bench-system: {text}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Measure each scene in a process of its own, so that none sees the memory that another left, and print the target.
fn in_processes(names: &[String]) -> Result<(), String> {
    let program = said(std::env::current_exe())?;
    let mut worst: Option<(f64, String)> = None;
    for name in names {
        let mut process = said(Command::new(&program).args([ONE, name]).stdout(Stdio::piped()).spawn())?;
        let output = process.stdout.take().ok_or("no pipe")?;
        for line in BufReader::new(output).lines() {
            let line = said(line)?;
            println!("{line}");
            if let Some(ratio) = counted(&line)?
                && worst.as_ref().is_none_or(|(worst, _)| ratio > *worst)
            {
                let threads = value(&line, "threads").unwrap_or_default();
                worst = Some((ratio, format!("scene={name} threads={threads}")));
            }
        }
        let status = said(process.wait())?;
        if !status.success() {
            return Err(format!("{name}: {status}"));
        }
    }
    if let Some((ratio, place)) = worst {
        println!("slowest over the legacy face: {place}");
        println!("target neutral-over-legacy {ratio:.3} {MOST}");
    }
    Ok(())
}

/// The ratio of a line that counts for the target: both faces make blocks for the same pairs of rows.
fn counted(line: &str) -> Result<Option<f64>, String> {
    let number = |key| -> Result<f64, String> { said(value(line, key).ok_or(key)?.parse()) };
    Ok((number("pairs")? == number("legacy_pairs")?).then_some(number("over_legacy")?))
}

/// The value of a key in a line.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.split_whitespace()
        .filter_map(|pair| pair.split_once('='))
        .find(|(name, _)| *name == key)
        .map(|(_, value)| value)
}

fn little() -> Result<(), String> {
    reuse::measure()?;
    one_limit::measure()?;
    odd_row::measure()?;
    products::measure()
}

fn measure(name: &str) -> Result<(), String> {
    let scene = scenes::by_name(name)
        .ok_or_else(|| format!("no scene {name}; there are, for instance: {}", scenes::NAMES.join(" ")))?;
    Beside::measure(scene, |beside| println!("bench {name} face=neutral {beside}"))
}

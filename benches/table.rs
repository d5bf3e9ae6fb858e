//! Measures updates of scenes against the time that the lists themselves take: `make bench`, see docs/developers/measured/legacy.md.
//!
//! Arguments name scenes, as `hub-16`; without any, all of [`scenes::NAMES`] are measured, and the target [`OVERSUBSCRIBED`],
//! which may be named too. The environment variable
//! LDY_TEXTBOOK may name a shared library made of benches/textbook/update.c, to measure that beside.

mod measure;
mod targets;

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::time::Duration;

use ldy_benches::{scenes, threads};
use measure::{Figures, Textbook, Updates, oversubscribed};
use testing::allocator::Allocator;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// The target: what two threads cost where they get no processors.
const OVERSUBSCRIBED: &str = "oversubscribed";
/// First argument of the processes that keep the processors busy, before the id of their parent.
const BUSY: &str = "--busy";

fn main() -> ExitCode {
    // SAFETY: nothing has started a thread yet.
    unsafe { threads::one_for_others() };
    // cargo adds --bench to what the user gives.
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let result = match &named[..] {
        [] => in_processes(
            &scenes::NAMES.into_iter().chain([OVERSUBSCRIBED]).map(String::from).collect::<Vec<_>>(),
        ),
        [name] if name == OVERSUBSCRIBED => measure_oversubscribed(),
        [name, parent] if name == BUSY => stay_busy(parent),
        [name] => measure(name),
        names => in_processes(names),
    };
    if let Err(text) = result {
        eprintln!("bench: {text}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

/// Measure each scene in a process of its own, so that none sees the memory that another left, and print the targets that
/// follow from their lines.
fn in_processes(names: &[String]) -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut lines = vec![];
    for name in names {
        let mut child = Command::new(&program)
            .arg(name)
            .stdout(Stdio::piped())
            .spawn()
            .map_err(|error| error.to_string())?;
        for line in child.stdout.take().into_iter().flat_map(|output| BufReader::new(output).lines()) {
            let line = line.map_err(|error| error.to_string())?;
            println!("{line}");
            lines.push(line);
        }
        let status = child.wait().map_err(|error| error.to_string())?;
        if !status.success() {
            return Err(format!("{name}: {status}"));
        }
    }
    targets::of(&lines).for_each(|target| println!("{target}"));
    Ok(())
}

fn measure_oversubscribed() -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let busy = || {
        let mut command = Command::new(&program);
        command.args([BUSY, &std::process::id().to_string()]);
        command
    };
    println!("{}", oversubscribed::target(busy)?);
    Ok(())
}

fn stay_busy(parent: &str) -> Result<(), String> {
    oversubscribed::stay_busy(parent.parse().map_err(|_| format!("no process {parent}"))?);
    Ok(())
}

fn measure(name: &str) -> Result<(), String> {
    let scene = scenes::by_name(name)
        .ok_or_else(|| format!("no scene {name}; there are, for instance: {}", scenes::NAMES.join(" ")))?;
    let textbook = std::env::var("LDY_TEXTBOOK").ok().filter(|path| !path.is_empty());
    let textbook = textbook.map(|path| Textbook::open(&path)).transpose()?;
    let figures = Figures::measure(scene, textbook.as_ref());
    for (k, updates) in figures.updates.iter().enumerate() {
        let rest = if k == 0 { of_scene(&figures) } else { String::new() };
        println!("bench {name} {}{rest}", of_updates(&figures, updates));
    }
    Ok(())
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}

/// What every line has.
fn of_updates(figures: &Figures, updates: &Updates) -> String {
    let Updates { threads, update, touch, least, allocations } = updates;
    let per_block = |time: &Duration| time.as_secs_f64() * 1e9 / figures.blocks as f64;
    format!(
        "constraints={} blocks={} update_ms={:.4} touch_ms={:.4} ratio={:.2} threads={threads} \
         stream_ms={:.4} least_update_ms={:.4} least_touch_ms={:.4} \
         update_ns_per_block={:.2} touch_ns_per_block={:.2} stream_ns_per_block={:.2} allocations_per_update={allocations}",
        figures.constraints,
        figures.blocks,
        milliseconds(*update),
        milliseconds(*touch),
        update.as_secs_f64() / touch.as_secs_f64(),
        milliseconds(figures.stream),
        milliseconds(least[0]),
        milliseconds(least[1]),
        per_block(update),
        per_block(touch),
        per_block(&figures.stream),
    )
}

/// Figures that do not depend on the number of threads.
fn of_scene(figures: &Figures) -> String {
    let Figures { building, .. } = figures;
    let mut text = format!(
        " first_update_ms={:.3} bytes_per_block={:.0} insert_ns_per_block={:.1} first_insert_ns_per_block={:.1}",
        milliseconds(figures.first_update),
        figures.bytes_per_block,
        building.insert,
        building.first_insert,
    );
    for (order, nanoseconds) in measure::ORDERS.iter().zip(building.remove) {
        text += &format!(" remove_{order}_ns_per_block={nanoseconds:.1}");
    }
    if let Some(nanoseconds) = building.textbook_insert {
        text += &format!(
            " textbook_insert_ns_per_block={nanoseconds:.1} insert_over_textbook={:.2}",
            building.insert / nanoseconds
        );
    }
    if let Some(bytes) = figures.resident_peak {
        text += &format!(" resident_peak_mib={}", bytes >> 20);
    }
    if let Some(beside) = &figures.beside_textbook {
        text += &format!(
            " textbook_ms={:.4} beside_textbook_ms={:.4} speedup={:.1} textbook_ns_per_block={:.2} \
             least_textbook_ms={:.4} textbook_turns={} textbook_difference={:.1e}",
            milliseconds(beside.textbook),
            milliseconds(beside.library),
            beside.textbook.as_secs_f64() / beside.library.as_secs_f64(),
            beside.textbook.as_secs_f64() * 1e9 / figures.blocks as f64,
            milliseconds(beside.least),
            beside.turns,
            beside.difference,
        );
    }
    text
}

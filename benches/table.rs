//! Measures updates of scenes against the time that the lists themselves take: `make bench`, see docs/performance.md.
//!
//! Arguments name scenes, as `hub-16`; without any, all of [`scenes::NAMES`] are measured.

mod counting;
mod host;
mod measure;
mod scenes;

use std::process::ExitCode;
use std::time::Duration;

use measure::Figures;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;

fn main() -> ExitCode {
    // cargo adds --bench to what the user gives.
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let names = if named.is_empty() { scenes::NAMES.map(String::from).into() } else { named };
    for name in names {
        let Some(scene) = scenes::by_name(&name) else {
            eprintln!("bench: no scene {name}; there are, for instance: {}", scenes::NAMES.join(" "));
            return ExitCode::from(2);
        };
        report(&name, &Figures::measure(scene));
    }
    ExitCode::SUCCESS
}

fn report(name: &str, figures: &Figures) {
    let ms = |time: Duration| time.as_secs_f64() * 1e3;
    let ratio = ms(figures.update) / ms(figures.touch);
    let per_block = |time: Duration| time.as_secs_f64() * 1e9 / figures.blocks as f64;
    println!(
        "bench {name} constraints={} blocks={} update_ms={:.4} touch_ms={:.4} ratio={ratio:.2} threads=1 \
         first_update_ms={:.3} least_update_ms={:.4} least_touch_ms={:.4} stream_ms={:.4} update_ns_per_block={:.2} touch_ns_per_block={:.2} \
         insert_ns_per_block={:.1} remove_ns_per_block={:.1} bytes_per_block={:.0} allocations_per_update={}",
        figures.constraints,
        figures.blocks,
        ms(figures.update),
        ms(figures.touch),
        ms(figures.first_update),
        ms(figures.least[0]),
        ms(figures.least[1]),
        ms(figures.stream),
        per_block(figures.update),
        per_block(figures.touch),
        figures.insert_nanoseconds,
        figures.remove_nanoseconds,
        figures.bytes_per_block,
        figures.allocations,
    );
}

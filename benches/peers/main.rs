//! Updates in turns with MuJoCo's assembly of the same scene: `make bench-peers`, see docs/performance.md.
//!
//! Arguments name scenes of spheres; the environment variable LDY_PYTHON a Python that has MuJoCo.

#[allow(dead_code, reason = "the table measures more of it")]
#[path = "../host/mod.rs"]
mod host;
#[allow(dead_code, reason = "the table has more scenes")]
#[path = "../scenes/mod.rs"]
mod scenes;
#[path = "../threads.rs"]
mod threads;

mod peer;

use std::process::ExitCode;
use std::time::Instant;

use host::Host;
use peer::Peer;
use scenes::STEP;

const NAMES: [&str; 4] = ["spheres-8", "spheres-16", "hub-16", "hub-32"];
/// Updates, and calls of the peer, at a time; the first of them finds what the other left in the caches and does not
/// count.
const CALLS: usize = 5;
/// Largest relative difference that counts as rounding.
const TOLERANCE: f64 = 1e-9;
/// How often each has its turn, after one turn that does not count.
const TURNS: usize = 6;

fn main() -> ExitCode {
    let named: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let names = if named.is_empty() { NAMES.map(String::from).into() } else { named };
    for name in names {
        if let Err(text) = measure(&name) {
            eprintln!("bench-peers: {name}: {text}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

fn measure(name: &str) -> Result<(), String> {
    let scene = scenes::by_name(name).ok_or("no such scene")?;
    let mut peer = Peer::start(name)?;
    let mut host = Host::new(scene);
    host.insert_all();
    host.update();
    if peer.number("contacts")? != host.constraint_count() as f64 {
        return Err(format!("{} contacts here, {} there", host.constraint_count(), peer.text("contacts")?));
    }
    let difference = (trace(&host) / peer.number("trace")? - 1.0).abs();
    if difference.is_nan() || difference > TOLERANCE {
        return Err(format!("the sums of the diagonal of W differ by {difference:e}"));
    }
    let mut own = threads::COUNTS.map(|_| vec![]);
    let mut others = vec![];
    for turn in 0..=TURNS {
        for (count, own) in threads::COUNTS.into_iter().zip(&mut own) {
            threads::set(count);
            let times = std::array::from_fn(|_| update(&mut host));
            count_turn(turn, times, own);
        }
        count_turn(turn, peer.turn()?, &mut others);
    }
    let other = median(&mut others);
    for (count, own) in threads::COUNTS.into_iter().zip(&mut own) {
        let own = median(own);
        println!(
            "peer {name} mujoco_ms={other:.4} ldy_ms={own:.4} ratio={:.2} mujoco_contacts={} threads={count} \
             contacts={} mujoco_blocks={} blocks={} trace_difference={difference:.1e} jacobian={} version={}",
            other / own,
            peer.text("contacts")?,
            host.constraint_count(),
            peer.text("blocks")?,
            host.block_count(),
            peer.text("jacobian")?,
            peer.text("version")?,
        );
    }
    Ok(())
}

fn count_turn(turn: usize, times: [f64; CALLS], counted: &mut Vec<f64>) {
    if turn > 0 {
        counted.extend(&times[1..]);
    }
}

/// An update in a new step, in milliseconds.
fn update(host: &mut Host) -> f64 {
    host.advance();
    let start = Instant::now();
    host.update();
    start.elapsed().as_secs_f64() * 1e3
}

/// The sum of the diagonal of W, over h.
fn trace(host: &Host) -> f64 {
    // SAFETY: the row is live, and nobody writes it now.
    let of_row = |row: *mut ldy::legacy::layout::DIAB| unsafe { (*row).W[0] + (*row).W[4] + (*row).W[8] };
    host.rows().map(of_row).sum::<f64>() / STEP
}

fn median(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

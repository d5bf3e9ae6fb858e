//! What threads cost where they get no processors.

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::time;
use ldy_benches::host::Host;
use ldy_benches::median;
use ldy_benches::scenes;
use ldy_benches::threads;

/// The scene: about 1.2 thousand rows.
const SCENE: &str = "boxes-5";
/// Updates before those that count.
const WARM_UP: usize = 20;
/// Updates with each number of threads.
const TURNS: usize = 301;
/// How long a host does other things between two updates.
const PAUSE: Duration = Duration::from_micros(200);
/// Most of the figure that is all right.
const MOST: f64 = 1.2;

/// A process that keeps a processor busy, ended when dropped.
struct Busy(Child);

impl Drop for Busy {
    fn drop(&mut self) {
        // Where that fails the process has ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The time of an update with two threads over that with one, medians of turns, while two other processes, `busy`, keep
/// two processors busy: the line of the target.
///
/// # Errors
/// If the other processes cannot be started.
pub fn target(busy: impl Fn() -> Command) -> Result<String, String> {
    let scene = scenes::by_name(SCENE).ok_or("no scene")?;
    let mut host = Host::new(scene);
    host.insert_all();
    let start = |_| busy().spawn().map(Busy).map_err(|error| error.to_string());
    let others: Vec<Busy> = (0..2).map(start).collect::<Result<_, _>>()?;
    let mut times = [vec![], vec![]];
    for turn in 0..WARM_UP + TURNS {
        for (count, times) in [1, 2].into_iter().zip(&mut times) {
            threads::set(count);
            host.advance();
            let update = time(|| host.update());
            if turn >= WARM_UP {
                times.push(update);
            }
            let start = Instant::now();
            while start.elapsed() < PAUSE {}
        }
    }
    drop(others);
    let [one, two] = times.map(|times| median(&times).as_secs_f64() * 1e3);
    Ok(format!(
        "target oversubscribed {:.3} {MOST} scene={SCENE} constraints={} update_ms_1={one:.4} update_ms_2={two:.4}",
        two / one,
        host.constraint_count(),
    ))
}

/// Keep a processor busy until the process with this id, the parent, has ended.
pub fn stay_busy(parent: u32) {
    while std::os::unix::process::parent_id() == parent {
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(1) {}
    }
}

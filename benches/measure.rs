//! What is measured of a scene.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::counting;
use crate::host::Host;
use crate::scenes::Scene;
use crate::scenes::random::Random;

/// Updates before those that count.
const WARM_UP: usize = 3;
/// Fewest updates that count.
const LEAST_UPDATES: usize = 20;
/// Most updates that count, for scenes where they are quick.
const MOST_UPDATES: usize = 200;
/// How long to measure updates if there are more of them than the fewest.
const ENOUGH: Duration = Duration::from_secs(2);
/// One row of so many is removed and inserted again.
const ROWS_A_REMOVAL: usize = 10;
/// How often that is done.
const EXCHANGES: usize = 7;

/// The figures of one scene; times of one operation, medians but for the first update.
pub struct Figures {
    /// Number of constraints.
    pub constraints: usize,
    /// Number of off-diagonal blocks.
    pub blocks: usize,
    /// The first update.
    pub first_update: Duration,
    /// Later updates.
    pub update: Duration,
    /// Walking the lists and rewriting all blocks.
    pub touch: Duration,
    /// The shortest update and the shortest touch: other processes only ever add to these.
    pub least: [Duration; 2],
    /// Storing all blocks in the order of their addresses.
    pub stream: Duration,
    /// Inserting a row, over its blocks, in nanoseconds.
    pub insert_nanoseconds: f64,
    /// Removing a row, over its blocks, in nanoseconds.
    pub remove_nanoseconds: f64,
    /// What the library holds after all updates, over the blocks.
    pub bytes_per_block: f64,
    /// Heap allocations of one later update, the most of all.
    pub allocations: u64,
}

impl Figures {
    /// Measure a scene.
    pub fn measure(scene: Scene) -> Self {
        let mut host = Host::new(scene);
        let of_host = counting::live_bytes();
        host.insert_all();
        let blocks = host.block_count();
        host.advance();
        let first_update = time(|| host.update());

        let (mut updates, mut touches, mut allocations) = (vec![], vec![], 0);
        let start = Instant::now();
        while updates.len() < WARM_UP + LEAST_UPDATES
            || start.elapsed() < ENOUGH && updates.len() < WARM_UP + MOST_UPDATES
        {
            host.advance();
            let before = counting::allocations();
            let update = time(|| host.update());
            if updates.len() >= WARM_UP {
                allocations = allocations.max(counting::allocations() - before);
            }
            updates.push(update);
            touches.push(time(|| touch(&host)));
        }
        let bytes = counting::live_bytes().saturating_sub(of_host);
        let stream = stream(&host, updates.len());
        let [remove_nanoseconds, insert_nanoseconds] = exchange_rows(&host);
        Self {
            constraints: host.constraint_count(),
            blocks,
            first_update,
            update: median(&updates[WARM_UP..]),
            touch: median(&touches[WARM_UP..]),
            least: [&updates, &touches]
                .map(|times| *times[WARM_UP..].iter().min().expect("updates that count")),
            stream,
            insert_nanoseconds,
            remove_nanoseconds,
            bytes_per_block: bytes as f64 / blocks as f64,
            allocations,
        }
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort();
    times[times.len() / 2]
}

/// Walk the rows and each row's blocks, and rewrite the nine values of every block.
fn touch(host: &Host) {
    for row in host.rows() {
        for block in host.blocks(row) {
            for k in 0..9 {
                // SAFETY: the block is live, and nobody else uses it now.
                unsafe {
                    let value = (&raw mut (*block).W).cast::<f64>().add(k);
                    value.write_volatile(value.read_volatile());
                }
            }
        }
    }
}

/// Store 72 bytes into every block in the order of the addresses.
fn stream(host: &Host, repetitions: usize) -> Duration {
    let mut blocks: Vec<_> = host.rows().flat_map(|row| host.blocks(row)).collect();
    blocks.sort();
    let store = |value: f64| {
        for &block in &blocks {
            // SAFETY: the block is live, and nobody else uses it now.
            unsafe { (*block).W = [value; 9] };
        }
    };
    let times: Vec<_> = (0..repetitions).map(|k| time(|| store(black_box(k as f64)))).collect();
    median(&times)
}

/// Remove rows in random order and insert them again in another: nanoseconds a block of each.
fn exchange_rows(host: &Host) -> [f64; 2] {
    let mut random = Random(2);
    let mut order: Vec<usize> = (0..host.constraint_count()).collect();
    let count = order.len().div_ceil(ROWS_A_REMOVAL);
    let mut times = [vec![], vec![]];
    for _ in 0..EXCHANGES {
        shuffle(&mut order, &mut random);
        let chosen = &mut order[..count];
        let before = host.block_count();
        let removal = time(|| chosen.iter().for_each(|&k| host.remove(k)));
        let blocks = (before - host.block_count()) as f64;
        shuffle(chosen, &mut random);
        let insertion = time(|| chosen.iter().for_each(|&k| host.insert(k)));
        for (times, time) in times.iter_mut().zip([removal, insertion]) {
            times.push(time.as_secs_f64() * 1e9 / blocks);
        }
    }
    times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    })
}

fn shuffle(order: &mut [usize], random: &mut Random) {
    for k in (1..order.len()).rev() {
        order.swap(k, random.below(k + 1));
    }
}

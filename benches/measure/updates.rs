//! Updates in the steady state, in turns with walks along the lists.

use std::time::{Duration, Instant};

use super::lists::touch;
use super::time;
use ldy_benches::host::Host;
use ldy_benches::median;
use ldy_benches::threads;
use testing::allocator;

/// Updates before those that count.
const WARM_UP: usize = 3;
/// Fewest updates that count.
const LEAST: usize = 20;
/// Most updates that count, for scenes where they are quick.
const MOST: usize = 200;
/// How long to measure if there are more updates than the fewest.
const ENOUGH: Duration = Duration::from_secs(2);

/// Updates with one number of threads; times are medians.
pub struct Updates {
    /// Number of threads.
    pub threads: usize,
    /// An update.
    pub update: Duration,
    /// Walking the lists and rewriting all blocks.
    pub touch: Duration,
    /// The shortest update and the shortest touch: other processes only ever add to these.
    pub least: [Duration; 2],
    /// Heap allocations of one update, the most of all.
    pub allocations: u64,
}

impl Updates {
    /// Measure updates of a scene that was updated before.
    pub fn measure(host: &mut Host, count: usize) -> Self {
        threads::set(count);
        let (mut updates, mut touches, mut allocations) = (vec![], vec![], 0);
        for _ in 0..WARM_UP {
            host.advance();
            host.update();
            touch(host);
        }
        let start = Instant::now();
        while updates.len() < LEAST || start.elapsed() < ENOUGH && updates.len() < MOST {
            host.advance();
            let before = allocator::allocations();
            let update = time(|| host.update());
            allocations = allocations.max(allocator::allocations() - before);
            updates.push(update);
            touches.push(time(|| touch(host)));
        }
        Self {
            threads: count,
            update: median(&updates),
            touch: median(&touches),
            least: [&updates, &touches].map(|times| times.iter().copied().min().unwrap_or_default()),
            allocations,
        }
    }
}

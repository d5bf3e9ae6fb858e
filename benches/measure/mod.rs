//! Measurements of a scene.

mod building;
mod lists;
mod memory;
pub mod oversubscribed;
mod textbook;
mod updates;

use std::time::{Duration, Instant};

use building::Building;
pub use building::ORDERS;
use ldy_benches::host::Host;
use ldy_benches::scenes::Scene;
use ldy_benches::threads;
use testing::allocator;
pub use textbook::{SideBySide, Textbook};
pub use updates::Updates;

/// The figures of one scene.
pub struct Figures {
    /// Number of constraints.
    pub constraints: usize,
    /// Number of off-diagonal blocks.
    pub blocks: usize,
    /// The first update.
    pub first_update: Duration,
    /// Later updates, for each number of threads.
    pub updates: Vec<Updates>,
    /// Bytes that the library holds after all updates, over the blocks.
    pub bytes_per_block: f64,
    /// Most memory that the process had by then, host included, in bytes; `None` where the system does not report it.
    pub resident_peak: Option<u64>,
    /// Storing all blocks in the order of their addresses.
    pub stream: Duration,
    /// Against the textbook's update, if that is there and affordable.
    pub beside_textbook: Option<SideBySide>,
    /// Making and removing all rows.
    pub building: Building,
}

impl Figures {
    /// Measure a scene, and the textbook's update beside the library's if it is given.
    pub fn measure(scene: Scene, textbook: Option<&Textbook>) -> Self {
        let mut host = Host::new(scene);
        let of_host = allocator::live_bytes();
        let first_build = time(|| host.insert_all());
        let blocks = host.block_count();
        host.advance();
        let first_update = time(|| host.update());
        let updates = threads::COUNTS.iter().map(|&threads| Updates::measure(&mut host, threads)).collect();
        let bytes = allocator::live_bytes().saturating_sub(of_host);
        let resident_peak = memory::resident_peak();
        let stream = lists::stream(&host);
        let beside_textbook = textbook.and_then(|textbook| textbook.measure(&mut host));
        Self {
            constraints: host.constraint_count(),
            blocks,
            first_update,
            updates,
            bytes_per_block: bytes as f64 / blocks as f64,
            resident_peak,
            stream,
            beside_textbook,
            building: Building::measure(&host, blocks, first_build, textbook),
        }
    }
}

fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

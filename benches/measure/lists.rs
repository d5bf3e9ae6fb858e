//! The time of a walk through the lists.

use std::hint::black_box;
use std::time::Duration;

use super::time;
use ldy_benches::host::Host;
use ldy_benches::median;

/// How often blocks are stored.
const STREAMS: usize = 21;

/// Walk the rows and each row's blocks, and rewrite the nine values of every block.
pub fn touch(host: &Host) {
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
pub fn stream(host: &Host) -> Duration {
    let mut blocks: Vec<_> = host.rows().flat_map(|row| host.blocks(row)).collect();
    blocks.sort_unstable();
    let store = |value: f64| {
        for &block in &blocks {
            // SAFETY: the block is live, and nobody else uses it now.
            unsafe { (*block).W = [value; 9] };
        }
    };
    let times: Vec<_> = (0..STREAMS).map(|k| time(|| store(black_box(k as f64)))).collect();
    median(&times)
}

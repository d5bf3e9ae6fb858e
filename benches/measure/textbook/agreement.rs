//! Whether two updates of the same lists give the same.

use ldy::legacy::layout::DIAB;

use ldy_benches::host::Host;
use ldy_benches::{apart, largest};

/// Largest difference that counts as rounding, relative to the size of what is compared.
const TOLERANCE: f64 = 1e-12;

/// What an update writes.
pub struct Results {
    rows: Vec<Row>,
    /// Off-diagonal blocks, row by row.
    blocks: Vec<[f64; 9]>,
    free_energy: f64,
}

struct Row {
    w: [f64; 9],
    a: [f64; 9],
    b: [f64; 3],
    rho: f64,
}

impl Results {
    /// Copy what the last update wrote.
    pub fn of(host: &Host) -> Self {
        let blocks = host.rows().flat_map(|row| host.blocks(row));
        Self {
            rows: host.rows().map(Row::of).collect(),
            // SAFETY: the block is live, and nobody writes it now.
            blocks: blocks.map(|block| unsafe { (*block).W }).collect(),
            free_energy: host.free_energy(),
        }
    }

    /// The largest relative difference to what another update wrote since: of blocks of W relative to what the
    /// diagonal blocks allow, of B to the largest of all.
    ///
    /// # Panics
    /// If it is more than rounding, or something is not finite.
    pub fn compare(&self, host: &Host) -> f64 {
        let speed = self.rows.iter().map(|row| largest(&row.b)).fold(f64::MIN_POSITIVE, f64::max);
        let mut worst = Worst(0.0);
        worst.meet(
            "free energy",
            relative(&[self.free_energy], &[host.free_energy()], self.free_energy.abs()),
        );
        let mut blocks = self.blocks.iter();
        for (own, row) in self.rows.iter().zip(host.rows()) {
            let found = Row::of(row);
            worst.meet("B", relative(&own.b, &found.b, speed));
            worst.meet("diagonal W", relative(&own.w, &found.w, largest(&own.w)));
            worst.meet("A", relative(&own.a, &found.a, largest(&own.a)));
            worst.meet("rho", relative(&[own.rho], &[found.rho], own.rho));
            // In this order: a zip takes from its first iterator before it sees the end of the second.
            for (block, expected) in host.blocks(row).zip(blocks.by_ref()) {
                // SAFETY: the block and its neighbor are live, and nobody writes them now.
                let (found, neighbour) = unsafe { ((*block).W, (*(*block).dia).W) };
                let scale = (largest(&own.w) * largest(&neighbour)).sqrt();
                worst.meet("off-diagonal W", relative(expected, &found, scale));
            }
        }
        worst.0
    }
}

struct Worst(f64);

impl Worst {
    fn meet(&mut self, what: &str, difference: f64) {
        // A comparison that is no number counts as difference.
        assert!(difference <= TOLERANCE, "{what}: the library and the textbook differ by {difference:e}");
        self.0 = self.0.max(difference);
    }
}

impl Row {
    fn of(row: *mut DIAB) -> Self {
        // SAFETY: the row is live, and nobody writes it now.
        unsafe { Self { w: (*row).W, a: (*row).A, b: (*row).B, rho: (*row).rho } }
    }
}

fn relative(expected: &[f64], found: &[f64], scale: f64) -> f64 {
    apart(expected, found) / scale
}

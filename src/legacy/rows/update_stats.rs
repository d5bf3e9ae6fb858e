//! Statistics of updates.

use std::time::Instant;

use crate::assembly::update::Phase;

/// Statistics of updates that cannot be derived from the rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateStats {
    /// Matrices factored.
    pub factorizations: usize,
    /// Factors that were still valid.
    pub factors_reused: usize,
    /// Seconds of the last update.
    pub times: [f64; PHASES],
    /// End of its last phase.
    last: Option<Instant>,
}

const PHASES: usize = Phase::Pairs as usize + 1;

impl UpdateStats {
    /// Reset the times at the beginning of an update.
    pub fn start(&mut self) {
        (self.times, self.last) = ([0.0; PHASES], Some(Instant::now()));
    }

    /// End a phase, and begin the next one. A phase may end several times.
    pub fn end(&mut self, phase: Phase) {
        let now = Instant::now();
        let last = self.last.replace(now).unwrap_or(now);
        self.times[phase as usize] += (now - last).as_secs_f64();
    }
}

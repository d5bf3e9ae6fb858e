//! What updates did, and for how long.

use std::time::Instant;

use crate::assembly::update::Phase;

/// What updates did: the part of the statistics that cannot be derived.
#[derive(Clone, Copy, Debug, Default)]
pub struct UpdateStats {
    /// Matrices factored.
    pub factorizations: usize,
    /// Factors that were found still right.
    pub factors_reused: usize,
    /// Seconds of the last update.
    pub times: [f64; PHASES],
    /// When its last phase ended.
    last: Option<Instant>,
}

const PHASES: usize = Phase::Pairs as usize + 1;

impl UpdateStats {
    /// Forget the times of the update before.
    pub fn start(&mut self) {
        (self.times, self.last) = ([0.0; PHASES], Some(Instant::now()));
    }

    /// A phase ends here for now, and the next one begins.
    pub fn end(&mut self, phase: Phase) {
        let now = Instant::now();
        let last = self.last.replace(now).unwrap_or(now);
        self.times[phase as usize] += (now - last).as_secs_f64();
    }
}

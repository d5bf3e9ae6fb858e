//! What updates did, and for how long.

use std::time::Instant;

use crate::assembly::update::Phase;

/// What updates did: the part of the statistics that cannot be derived.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tally {
    /// Matrices factored.
    pub factorisations: usize,
    /// Factors that were found still right.
    pub factors_reused: usize,
    /// Seconds of the last update.
    pub times: [f64; PHASES],
}

const PHASES: usize = Phase::Pairs as usize + 1;

impl Tally {
    /// Forget the times of the update before.
    pub fn start(&mut self) -> Stopwatch {
        self.times = [0.0; PHASES];
        Stopwatch(Instant::now())
    }

    /// Count factors that were found still right, and those that were made.
    pub fn count(&mut self, kept: usize, made: usize) {
        self.factors_reused += kept;
        self.factorisations += made;
    }
}

/// The time since the last phase ended.
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// A phase ends here for now, and the next one begins.
    pub fn end(&mut self, phase: Phase, tally: &mut Tally) {
        let now = Instant::now();
        tally.times[phase as usize] += (now - self.0).as_secs_f64();
        self.0 = now;
    }
}

//! The limits of a solution, divided among its islands.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::solve::options::Options;
use crate::solve::problem::Problem3;
use crate::solve::run::sweep_cost;

/// The limits of all islands together. An island gets the part of work that its sweeps have in the sweeps of all islands, and the
/// same part of the time that is left when it begins. The limit of sweeps is that of each island.
pub struct Limits<'a> {
    options: &'a Options,
    begin: Instant,
    /// The cost of a sweep over all islands, and over those that have not begun.
    cost: u64,
    left: AtomicU64,
}

impl<'a> Limits<'a> {
    pub fn new(options: &'a Options, begin: Instant, problem: &Problem3) -> Self {
        let cost = sweep_cost(problem) as u64;
        Self { options, begin, cost, left: AtomicU64::new(cost) }
    }

    /// The options of an island that begins now, while this number of threads solve islands.
    pub fn begin(&self, island: &Problem3, threads: usize) -> Options {
        if self.options.max_work.is_none() && self.options.time_limit.is_none() {
            return *self.options;
        }
        let own = sweep_cost(island) as u64;
        let left = self.left.fetch_sub(own.min(self.cost), Ordering::Relaxed);
        let part = |most: u64| (u128::from(most) * u128::from(own) / u128::from(self.cost.max(1))) as u64;
        let share = (threads as f64 * own as f64 / left as f64).min(1.0);
        let time = |most: Duration| most.saturating_sub(self.begin.elapsed()).mul_f64(share);
        Options {
            max_work: self.options.max_work.map(part),
            time_limit: self.options.time_limit.map(time),
            ..*self.options
        }
    }
}

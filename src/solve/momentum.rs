//! Momentum over sweeps: each begins beyond the forces of the last one, by a share of what that one has changed since the one before
//! it. What moves slowly and steadily, as forces through high heaps do, comes about 1 / (1 − share) times as far in a sweep. The
//! share is at its full from the beginning, as long as changes do not grow.

/// The share; far below, sweeps are not much fewer, and with 0.95 forces of heaps oscillate without end.
const SHARE: f64 = 0.85;

/// Sweeps before it begins, and the slow rate that it begins with. Fewer sweeps say nothing of either.
const CALM_SWEEPS: usize = 16;
const SLOW: f64 = 0.85;

/// Sweeps whose changes are summed up, and by how much their squares are more than those of as many before where it does harm.
const WINDOW: usize = 16;
const GROWTH: f64 = 4.0;

/// The share, and whether it does harm.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    share: f64,
    may_begin: bool,
    sweeps: usize,
    sum: f64,
    last: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Self { share: 0.0, may_begin: true, sweeps: 0, sum: 0.0, last: f64::INFINITY }
    }
}

impl Momentum {
    /// Zero: there is none.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Begin if so many sweeps came to a slow and steady rate; whether it does.
    pub fn begins(&mut self, sweeps: usize, rate: f64) -> bool {
        let begins = self.may_begin && sweeps >= CALM_SWEEPS && (SLOW..1.0).contains(&rate);
        if begins {
            *self = Self { share: SHARE, may_begin: false, ..Self::default() };
        }
        begins
    }

    /// Never again.
    pub fn end(&mut self) {
        *self = Self { may_begin: false, ..Self::default() };
    }

    /// A sweep has made changes with this square: what is left of each change is doubled where they grow, and soon there is no
    /// momentum.
    pub fn after(&mut self, change: f64) {
        self.sum += change;
        self.sweeps += 1;
        if self.share == 0.0 || self.sweeps < WINDOW {
            return;
        }
        let grows = self.sum > GROWTH * self.last || !self.sum.is_finite();
        let share = if grows { (2.0 * self.share - 1.0).max(0.0) } else { self.share };
        *self = Self { share, sweeps: 0, sum: 0.0, last: self.sum, ..*self };
    }
}

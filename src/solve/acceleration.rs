//! Momentum over sweeps: each begins beyond the forces of the last one, by a share of what that one has changed since the one
//! before it. What moves slowly and steadily, as forces through high heaps do, comes about 1 / (1 − share) times as far in a sweep.
//! The share becomes what the slowest changes ask for, as long as changes do not grow.

/// The largest share: with 0.95 forces of heaps oscillate without end.
const MOST: f64 = 0.85;

/// Sweeps before it begins, and the slow rate that it begins with. Fewer sweeps say nothing of either.
const CALM_SWEEPS: usize = 16;
const SLOW: f64 = 0.85;

/// Sweeps whose changes are summed up, and by how much their squares are more than those of as many before where it does harm.
const WINDOW: usize = 8;
const GROWTH: f64 = 4.0;

/// The share that makes most of sweeps with this rate: what moves slowest does so without swinging, as Nesterov's method has it.
fn best(rate: f64) -> f64 {
    let root = (1.0 - rate.min(1.0)).sqrt();
    (1.0 - root) / (1.0 + root)
}

/// A root of this degree, a power of two. Of a power the bits would depend on the processor.
pub fn root(value: f64, degree: usize) -> f64 {
    (0..degree.ilog2()).fold(value, |root, _| root.sqrt())
}

/// The share, and the largest that does no harm.
#[derive(Clone, Copy, Debug)]
pub struct Momentum {
    share: f64,
    most: f64,
    sweeps: usize,
    sum: f64,
    last: f64,
}

impl Default for Momentum {
    fn default() -> Self {
        Self { share: 0.0, most: MOST, sweeps: 0, sum: 0.0, last: f64::INFINITY }
    }
}

impl Momentum {
    /// Zero: there is none.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Begin if so many sweeps came to a slow and steady rate; whether it does.
    pub fn begins(&mut self, sweeps: usize, rate: f64) -> bool {
        let begins =
            self.share == 0.0 && self.most > 0.0 && sweeps >= CALM_SWEEPS && (SLOW..1.0).contains(&rate);
        if begins {
            *self = Self { share: best(rate).min(self.most), ..Self::default() };
        }
        begins
    }

    /// Never again.
    pub fn end(&mut self) {
        *self = Self { most: 0.0, ..Self::default() };
    }

    /// A sweep has made changes with this square: the share becomes more where they say that without it they would be slower than
    /// was known. Where they grow, what a share leaves is doubled for good, and soon there is no momentum.
    pub fn after(&mut self, change: f64) {
        self.sum += change;
        self.sweeps += 1;
        if self.share == 0.0 || self.sweeps < WINDOW {
            return;
        }
        let Self { share, most, sum, last, .. } = *self;
        let grows = sum > GROWTH * last || !sum.is_finite();
        let most = if grows { (2.0 * share - 1.0).max(0.0) } else { most };
        // With a share β the rate r of what is slow obeys r² = ρ ((1 + β) r − β), where ρ is its rate without.
        let rate = root(sum / last, 2 * WINDOW);
        let known = (1.0 + share) * rate - share;
        let share = if known > 0.0 { share.max(best(rate * rate / known)) } else { share };
        *self = Self { share: share.min(most), most, sweeps: 0, sum: 0.0, last: sum };
    }
}

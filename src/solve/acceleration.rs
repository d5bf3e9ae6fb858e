//! Momentum over sweeps. Each sweep begins beyond the forces of the last one, by a share of their change since the sweep before it.
//! Forces that change slowly and steadily, as in high heaps, move about 1 / (1 − share) times as far in a sweep. The share grows to
//! the best value for the slowest changes, unless changes grow.

/// The largest share: with 0.95 sweeps over heaps of rods and spheres take longer.
const MOST: f64 = 0.9;

/// Sweeps before momentum begins, and the slow rate at which it begins. Fewer sweeps do not show the rate.
const CALM_SWEEPS: usize = 16;
const SLOW: f64 = 0.85;

/// Sweeps over which squared changes are summed, and the growth of this sum from which momentum does harm.
const WINDOW: usize = 8;
const GROWTH: f64 = 4.0;

/// The best share for sweeps with this rate: the slowest changes do not oscillate, as in Nesterov's method.
fn best(rate: f64) -> f64 {
    let root = (1.0 - rate.min(1.0)).sqrt();
    (1.0 - root) / (1.0 + root)
}

/// The root of this degree, a power of two. It repeats square roots, since the bits of `powf` would depend on the processor.
pub fn root(value: f64, degree: usize) -> f64 {
    (0..degree.ilog2()).fold(value, |root, _| root.sqrt())
}

/// The share of momentum, and the largest share that does no harm.
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
    /// The share; zero if there is no momentum.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Begin if the sweeps have come to a slow and steady rate; returns whether momentum begins.
    pub fn begins(&mut self, sweeps: usize, rate: f64) -> bool {
        let begins =
            self.share == 0.0 && self.most > 0.0 && sweeps >= CALM_SWEEPS && (SLOW..1.0).contains(&rate);
        if begins {
            *self = Self { share: best(rate).min(self.most), ..Self::default() };
        }
        begins
    }

    /// Forget the changes of the sweeps so far.
    pub fn restart(&mut self) {
        *self = Self { share: self.share, most: self.most, ..Self::default() };
    }

    /// End momentum for good.
    pub fn end(&mut self) {
        *self = Self { most: 0.0, ..Self::default() };
    }

    /// Note the squared change of a sweep. The share grows if the changes show that sweeps without momentum would be slower than
    /// was known. If changes grow, 1 − share is doubled for good, so that repeated growth soon ends momentum.
    pub fn after(&mut self, change: f64) {
        self.sum += change;
        self.sweeps += 1;
        if self.share == 0.0 || self.sweeps < WINDOW {
            return;
        }
        let Self { share, most, sum, last, .. } = *self;
        let grows = sum > GROWTH * last || !sum.is_finite();
        let most = if grows { (2.0 * share - 1.0).max(0.0) } else { most };
        // With a share β the rate r of slow changes obeys r² = ρ ((1 + β) r − β), where ρ is the rate without momentum.
        let rate = root(sum / last, 2 * WINDOW);
        let known = (1.0 + share) * rate - share;
        let share = if known > 0.0 { share.max(best(rate * rate / known)) } else { share };
        *self = Self { share: share.min(most), most, sweeps: 0, sum: 0.0, last: sum };
    }
}

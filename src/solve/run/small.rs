//! The beginning of small problems: few sweeps, then a few steps, since a step costs as much as some sweeps there.

use crate::memory;
use crate::solve::frames::Axes;
use crate::solve::options::Status;

use super::steps::ALPHA_OF_JOINTS;
use super::{Run, VERY_FEW};

/// The trials. The sweeps before the first one cost this share of a step, and before the next one `MORE` times as much.
const TRIALS: usize = 2;
const SHARE: f64 = 0.5;
const MORE: f64 = 4.0;
const LEAST_SWEEPS: usize = 2;

/// The maximum of steps in a trial.
const MOST_STEPS: usize = 4;

/// α relative to the residual, and its minimum: W is often singular, and without α steps would be too long by far.
const ALPHA: f64 = 0.1;
const LEAST_ALPHA: f64 = 1e-9;

impl Run<'_, '_> {
    /// Try a few steps after few sweeps, if the problem is small.
    pub(super) fn begin_small<A: Axes>(&mut self) -> memory::Result<Option<Status>> {
        if self.problem.rows() > VERY_FEW || !self.has_factors_of_contacts()? {
            return Ok(None);
        }
        let mut sweeps = SHARE * self.cost_of_newton / self.sweep_cost();
        for _ in 0..TRIALS {
            if let Some(end) = self.sweeps::<A>(LEAST_SWEEPS.max(sweeps as usize), false)? {
                return Ok(Some(end));
            }
            if let Some(end) = self.few_steps::<A>() {
                return Ok(Some(end));
            }
            self.room.now.copy_from_slice(&self.room.best);
            self.begin_again();
            sweeps *= MORE;
        }
        Ok(None)
    }

    /// Make steps as long as the residual decreases, each from allowed forces and followed by a sweep: contacts that a step has moved
    /// from sticking to sliding, or opened, are often moved back by that.
    fn few_steps<A: Axes>(&mut self) -> Option<Status> {
        self.alpha_of_joints = ALPHA_OF_JOINTS;
        let mut before = self.best_residual();
        for step in 1..=MOST_STEPS {
            let room = &mut *self.room;
            room.now.copy_from_slice(&room.allowed);
            room.center.copy_from_slice(&room.allowed);
            if !self.step::<A>(LEAST_ALPHA.max(ALPHA * before)) {
                break;
            }
            self.begin_again();
            self.sweep::<A>();
            self.room.sweeps.read(&mut self.room.now);
            let residual = self.look::<A>().by(self.options.measure);
            if let Some(end) = self.over() {
                return Some(end);
            }
            if step > 1 && residual > before {
                break;
            }
            before = residual;
        }
        None
    }
}

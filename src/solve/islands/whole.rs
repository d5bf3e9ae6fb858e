//! The report of a problem from the outcomes of its islands.

use std::time::Duration;

use crate::memory::{self, collect};
use crate::solve::options::{Options, Report, Status};
use crate::solve::residual::{Norms, Sums};
use crate::solve::run::Outcome;

use super::components::Components;

/// The report of all islands. Sweeps and steps are those of the island with the most.
pub fn report(islands: &Components, outcomes: &[Outcome], options: &Options, time: Duration) -> Report {
    let norms = Norms::of_all(outcomes.iter().map(|outcome| outcome.norms));
    let (mut first, mut best) = (Sums::default(), Sums::default());
    let mut whole = Report { status: Status::Converged, ..Report::default() };
    for (island, outcome) in outcomes.iter().enumerate() {
        let rows = islands.rows(island);
        first.add(&outcome.first.of_rows(rows));
        best.add(&outcome.best.of_rows(rows));
        add(&mut whole, &outcome.report);
        if rank(outcome.report.status) > rank(whole.status) {
            whole.status = outcome.report.status;
        }
    }
    whole.initial = first.over(&norms);
    whole.residual = best.over(&norms);
    whole.time = time;
    if whole.residual.by(options.measure) <= options.tolerance {
        whole.status = Status::Converged;
    }
    whole
}

/// Add the work of an island.
fn add(whole: &mut Report, island: &Report) {
    whole.sweeps = whole.sweeps.max(island.sweeps);
    whole.steps = whole.steps.max(island.steps);
    whole.work += island.work;
}

/// The status of the whole is that of the island whose status has the highest rank: first what ended all, then what other limits
/// would not change.
fn rank(end: Status) -> u8 {
    match end {
        Status::Converged => 0,
        Status::SweepLimit => 1,
        Status::WorkLimit => 2,
        Status::TimeLimit => 3,
        Status::Stalled => 4,
        Status::Infeasible => 5,
        Status::Stopped => 6,
    }
}

/// The progress of all islands, while these are solved from the last one to the first.
pub struct Whole<'a> {
    islands: &'a Components,
    norms: Norms,
    /// The report of the islands that have ended.
    report: Report,
    /// The sums of the islands that have ended, and of the initial guess on all islands before each one.
    done: Sums,
    ahead: &'a [Sums],
}

impl<'a> Whole<'a> {
    /// Begin with the outcomes of the initial guess.
    pub fn new(
        islands: &'a Components,
        outcomes: &[Outcome],
        ahead: &'a mut Vec<Sums>,
    ) -> memory::Result<Self> {
        let norms = Norms::of_all(outcomes.iter().map(|outcome| outcome.norms));
        let mut first = Sums::default();
        let before = outcomes.iter().enumerate().map(|(island, outcome)| {
            let before = first;
            first.add(&outcome.first.of_rows(islands.rows(island)));
            before
        });
        collect(ahead, outcomes.len(), before)?;
        let report = Report { initial: first.over(&norms), ..Report::default() };
        Ok(Self { islands, norms, report, done: Sums::default(), ahead })
    }

    /// The progress while an island has made this report and these sums.
    pub fn with(&self, island: usize, report: &Report, best: &Sums, time: Duration) -> Report {
        let mut sums = self.ahead[island];
        sums.add(&self.done);
        sums.add(&best.of_rows(self.islands.rows(island)));
        let mut whole = Report { residual: sums.over(&self.norms), time, ..self.report };
        add(&mut whole, report);
        whole
    }

    /// Note that an island has ended.
    pub fn end(&mut self, island: usize, outcome: &Outcome) {
        self.done.add(&outcome.best.of_rows(self.islands.rows(island)));
        add(&mut self.report, &outcome.report);
    }
}

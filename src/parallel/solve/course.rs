//! The course of a solution: sweeps of Gauss–Seidel with momentum, as in one process.
#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use crate::ffi::errors::{Code, Result};
use crate::math::Vector;
use crate::memory::{collect, refill};
use crate::parallel::exact_sum::ExactSum;
use crate::parallel::mpi::exchange::{Letters, Traffic, no_memory};
use crate::parallel::mpi::group::Group;
use crate::parallel::row_exchange::RowExchange;
use crate::parallel::system::ParallelSystem;
use crate::solve::parts_of_solution::{
    BETWEEN, MOVING_RATE, MOVING_SWEEPS, Memory, Momentum, NormalThird, Norms, PaddedProblem, Problem3, RATE,
    Rate, Sums, Sweeps, allowed_in_row, fill, is_anisotropic, root, velocity,
};
use crate::solve::{Law, Normal, Options, Report, Status};
use crate::team::Team;

use super::order::{Color, Order};
use super::sums::{largest, sum, sums};
use super::{Mode, Workspace};

/// With fewer rows threads do not pay.
const MANY: usize = 4000;

/// The share of a change that a row on the boundary makes in the fast mode: processes change the sides of a body at once. It is halved
/// where squared changes, summed over windows of sweeps, do not decrease from window to window a few times in a row: a share of 2 / n
/// converges if n processes change one body. Once is no reason, since changes grow where momentum begins.
const RELAXATION: f64 = 0.7;
const LEAST_RELAXATION: f64 = 1.0 / 32.0;
const DECREASE: f64 = 0.999;
const MOST_WINDOWS: usize = 3;
const WINDOW: usize = 16;

/// The most residuals in the history.
const MOST_NOTES: usize = 1000;

/// A solution under way.
struct Course<'a> {
    group: &'a Group,
    traffic: &'a mut Traffic,
    problem: Problem3<'a>,
    laws: &'a [Law],
    memory: &'a mut Memory,
    sweeps: &'a mut Sweeps,
    colors: &'a mut [Color],
    own: &'a [[u32; 2]],
    vectors: Vectors<'a>,
    options: &'a Options,
    mode: Mode,
    team: Team,
    norms: Norms,
    /// The rows of three of all processes.
    rows: f64,
    /// The squared change of the last sweep.
    changed: f64,
    momentum: Momentum,
    relaxation: Relaxation,
    rate: Rate,
    begin: Instant,
    /// The time limit as all processes see it.
    is_late: bool,
    report: Report,
}

/// The share of changes on the boundary in the fast mode, and the changes of the last sweeps.
struct Relaxation {
    share: f64,
    sum: f64,
    last: f64,
    sweeps: usize,
    /// Windows in a row in which changes have not decreased.
    windows: usize,
}

impl Default for Relaxation {
    fn default() -> Self {
        Self { share: RELAXATION, sum: 0.0, last: f64::INFINITY, sweeps: 0, windows: 0 }
    }
}

impl Relaxation {
    /// Note the squared change of a sweep; returns whether the share has become smaller.
    fn after(&mut self, change: f64) -> bool {
        self.sum += change;
        self.sweeps += 1;
        if self.sweeps < WINDOW {
            return false;
        }
        let windows = if self.sum < DECREASE * self.last { 0 } else { self.windows + 1 };
        let is_smaller = windows == MOST_WINDOWS && self.share > LEAST_RELAXATION;
        let share = if is_smaller { 0.5 * self.share } else { self.share };
        let windows = if windows == MOST_WINDOWS { 0 } else { windows };
        *self = Self { share, sum: 0.0, last: self.sum, sweeps: 0, windows };
        is_smaller
    }
}

struct Vectors<'a> {
    now: &'a mut Vec<Vector>,
    allowed: &'a mut Vec<Vector>,
    velocities: &'a mut Vec<Vector>,
    best: &'a mut Vec<Vector>,
    changes: &'a mut Vec<f64>,
    history: &'a mut Vec<f64>,
}

impl ParallelSystem {
    /// Solve a checked problem in the workspace. Collective.
    pub(super) fn solve_in(
        &mut self,
        room: &mut Workspace,
        options: &Options,
        mode: Mode,
        forces: &mut [f64],
    ) -> Result<Report> {
        let begin = Instant::now();
        self.list_input(room, forces)?;
        let Self { group, traffic, system, rows, .. } = self;
        let results = system.results()?;
        let problem = results.problem();
        let Workspace { padded, scaled, laws, forces: all, .. } = room;
        let threes = problem.w.as_threes();
        let made = match threes {
            Some(_) => Ok(()),
            None => padded.fill(&problem, laws, all).map_err(Code::from),
        };
        group.agree(made)?;
        let (problem3, laws3, forces3) = match threes {
            Some(w) => {
                (Problem3::new(w, problem.b.as_chunks().0, Normal::Third), &laws[..], all.as_chunks_mut().0)
            }
            None => {
                let PaddedProblem { problem, laws, forces, .. } = padded.parts(Normal::Third);
                (problem, laws, forces)
            }
        };
        let has_two = laws3.iter().any(is_anisotropic);
        let made = if has_two { scaled.prepare(&problem3, laws3, forces3) } else { Ok(()) };
        group.agree(made.map_err(no_memory))?;
        let (problem3, laws3, forces3) = match has_two {
            true => {
                let (problem, laws, forces, _) = scaled.parts(&problem3);
                (problem, laws, forces)
            }
            false => (problem3, laws3, forces3),
        };
        let Workspace { order, memory, sweeps, now, allowed, velocities, best, changes, history, .. } = room;
        let Order { colors, own, .. } = order;
        let vectors = Vectors { now, allowed, velocities, best, changes, history };
        let mut course = Course {
            group,
            traffic,
            problem: problem3,
            laws: laws3,
            memory,
            sweeps,
            colors,
            own,
            vectors,
            options,
            mode,
            team: Team::if_it_pays(mode == Mode::SameBits && own.len() >= MANY),
            norms: Norms::default(),
            rows: 0.0,
            changed: 0.0,
            momentum: Momentum::default(),
            relaxation: Relaxation::default(),
            rate: Rate::default(),
            begin,
            is_late: false,
            report: Report::default(),
        };
        let prepared = course.prepare(forces3).map_err(no_memory);
        course.group.agree(prepared)?;
        course.share_weights(rows)?;
        let status = course.run()?;
        let mut report = Report { status, time: begin.elapsed(), ..course.report };
        forces3.copy_from_slice(best);
        if has_two {
            match threes {
                Some(_) => scaled.read(all.as_chunks_mut().0),
                None => scaled.read(padded.parts(Normal::Third).forces),
            }
        }
        if threes.is_none() {
            let PaddedProblem { rows, .. } = padded.parts(Normal::Third);
            for residual in [&mut report.residual, &mut report.initial] {
                residual.worst = rows.get(residual.worst).map_or(usize::MAX, |&row| row as usize);
            }
            padded.read_forces(&problem.w, all);
        }
        self.gather(&room.forces, forces)?;
        Ok(report)
    }
}

impl Course<'_> {
    fn prepare(&mut self, forces: &[Vector]) -> crate::memory::Result {
        let rows = self.problem.rows();
        self.memory.prepare::<NormalThird>(&self.problem, self.laws)?;
        self.sweeps.prepare_rows(rows)?;
        let Vectors { now, allowed, velocities, best, changes, history } = &mut self.vectors;
        for vector in [now, allowed, velocities, best] {
            collect(vector, rows, forces.iter().copied())?;
        }
        let most = self.colors.iter().map(|color| color.interior.len().max(color.boundary.len())).max();
        refill(changes, most.unwrap_or(0), 0.0)?;
        collect(history, MOST_NOTES, std::iter::empty())
    }

    /// The weights of rows whose diagonal block is not positive, and of rows of the halo.
    fn share_weights(&mut self, exchange: &RowExchange) -> Result {
        let problem = self.problem;
        let trace = |row: usize| {
            let diagonal = problem.row(row).find(|&(column, _)| column == row);
            diagonal.map_or(0.0, |(_, w)| (w[0] + w[4] + w[8]) / 3.0)
        };
        let own = || self.own.iter().flat_map(|range| range[0] as usize..range[1] as usize);
        let most = largest(self.group, own().map(trace).fold(0.0, f64::max))?;
        let instead = if most > 0.0 { most } else { 1.0 };
        for row in own() {
            if trace(row) <= 0.0 {
                // A row that nothing couples is an island of its own.
                let instead = if problem.range(row).len() > 1 { instead } else { 1.0 };
                (self.memory.weights[row], self.memory.roots[row]) = (instead, instead.sqrt());
            }
        }
        let letters = Letters::new(self.group).and_then(|mut letters| {
            for (rank, rows) in self.colors.iter().flat_map(Color::out) {
                let words = letters.to(*rank);
                rows.iter()
                    .try_for_each(|&row| words.put(self.memory.weights[row as usize].to_bits()))
                    .map_err(no_memory)?;
            }
            Ok(letters)
        });
        let messages = Letters::exchange(self.group, letters, self.traffic)?;
        for list in &exchange.inbox {
            let mut words = messages
                .iter()
                .filter(|message| message.rank == list.rank)
                .flat_map(|message| &message.words);
            for (_, rows) in self.colors.iter().flat_map(Color::inbox).filter(|(rank, _)| *rank == list.rank)
            {
                for (&row, &word) in rows.iter().zip(&mut words) {
                    let weight = f64::from_bits(word);
                    (self.memory.weights[row as usize], self.memory.roots[row as usize]) =
                        (weight, weight.sqrt());
                }
            }
        }
        Ok(())
    }

    fn run(&mut self) -> Result<Status> {
        let mut squares = [ExactSum::default(); 2];
        let mut count = 0;
        for row in self.own.iter().flat_map(|range| range[0] as usize..range[1] as usize) {
            let of_row = Norms::squares(&self.laws[row], &self.memory.q[row], self.memory.weights[row]);
            squares.iter_mut().zip(of_row).for_each(|(sum, square)| sum.add(square));
            count += 1;
        }
        let (squares, rows) = sums(self.group, &squares, count)?;
        (self.norms, self.rows) = (Norms::of(squares), rows);
        self.report.initial = self.look()?;
        self.sweeps.begin(self.vectors.now);
        let mut ratio = self.ratio();
        loop {
            if let Some(end) = self.over() {
                return Ok(end);
            }
            let number = self.report.sweeps;
            let change = self.sweep()?;
            let span = if self.momentum.share() > 0.0 { MOVING_RATE } else { RATE };
            let changes = &mut self.rate.changes;
            let before = changes[(number + MOVING_RATE - span) % MOVING_RATE];
            changes[number % MOVING_RATE] = change;
            // The scaled residual is about as large as the change.
            let estimate = change * ratio;
            let is_near = estimate <= 2.0 * self.options.tolerance;
            let is_last = self.report.sweeps >= self.options.max_sweeps;
            if is_near || !estimate.is_finite() || number % BETWEEN == BETWEEN - 1 || is_last || self.is_late
            {
                self.sweeps.read(self.vectors.now);
                self.look()?;
                ratio = self.ratio();
            } else if number >= self.rate.steady && self.momentum.begins(number, root(change / before, span))
            {
                self.sweeps.rest();
                self.rate.steady = number + MOVING_SWEEPS;
            }
        }
    }

    /// Make a sweep; returns the scaled norm of the change, relative to B.
    fn sweep(&mut self) -> Result<f64> {
        if self.momentum.share() > 0.0 {
            let (share, mean) = (self.momentum.share(), self.changed / self.rows);
            let weights = &self.memory.weights;
            self.sweeps.push_beyond::<NormalThird>(&mut self.team, self.laws, weights, share, mean);
        }
        let mut squares = ExactSum::default();
        match self.mode {
            Mode::SameBits => self.relax_colors(&mut squares)?,
            Mode::Fast => self.relax_all(&mut squares)?,
        }
        self.changed = sum(self.group, &squares)?;
        self.momentum.after(self.changed);
        if self.mode == Mode::Fast && self.relaxation.after(self.changed) {
            self.momentum.restart();
        }
        self.report.sweeps += 1;
        self.is_late = self.is_time_over()?;
        Ok(self.changed.sqrt() / self.norms.scaled())
    }

    /// Relax the rows of each color; the forces on the boundary go to other processes while the interior is relaxed.
    fn relax_colors(&mut self, squares: &mut ExactSum) -> Result {
        let Self { group, traffic, problem, memory, sweeps, colors, team, vectors, .. } = self;
        let changes = &mut *vectors.changes;
        let mut relax = |ranges: &[[u32; 2]]| {
            let changes = &mut changes[..ranges.len()];
            sweeps.relax_ranges::<NormalThird>(team, problem, memory, ranges, changes);
            changes.iter().for_each(|&change| squares.add(change));
        };
        for (number, color) in colors.iter_mut().enumerate() {
            relax(&color.boundary);
            color.send(group, traffic, number, sweeps)?;
            relax(&color.interior);
            color.receive(group, sweeps)?;
        }
        Ok(())
    }

    /// Relax all rows of this process in turn with the forces of other processes of the last sweep, then exchange forces. Forces on the
    /// boundary make a share of their change: sides of a body that change at once would do too much.
    fn relax_all(&mut self, squares: &mut ExactSum) -> Result {
        let Self { group, traffic, problem, memory, sweeps, colors, vectors, relaxation, .. } = self;
        let Some(color) = colors.first_mut() else { return Ok(()) };
        let Vectors { changes, velocities: before, .. } = vectors;
        let boundary = || color.boundary.iter().flat_map(|range| range[0] as usize..range[1] as usize);
        boundary().for_each(|row| before[row] = sweeps.force(row));
        let changes = &mut changes[..color.interior.len()];
        sweeps.relax_ranges::<NormalThird>(&mut Team::alone(), problem, memory, &color.interior, changes);
        changes.iter().for_each(|&change| squares.add(change));
        for row in boundary() {
            let (old, new) = (before[row], sweeps.force(row));
            sweeps.set_force(row, &std::array::from_fn(|i| old[i] + relaxation.share * (new[i] - old[i])));
        }
        color.send(group, traffic, 0, sweeps)?;
        color.receive(group, sweeps)
    }

    /// Compute the residual of the closest forces that the laws allow, and keep these if they are the best so far.
    fn look(&mut self) -> Result<crate::solve::Residual> {
        let Self { team, laws, problem, memory, own, group, norms, options, .. } = self;
        let Vectors { now, allowed, velocities, best, history, .. } = &mut self.vectors;
        let now = &now[..];
        fill(team, allowed, |row| allowed_in_row::<NormalThird>(laws, row, now));
        let allowed = &allowed[..];
        fill(team, velocities, |row| velocity(problem, row, &memory.q[row], |column| allowed[column]));
        let mut squares = [ExactSum::default(); 2];
        let (mut worst, mut is_huge) = ((0, 0.0), false);
        for range in own.iter() {
            for row in range[0] as usize..range[1] as usize {
                let of_row =
                    Sums::new::<NormalThird>(laws, &memory.weights, allowed, velocities, row..row + 1);
                let [natural, scaled] = of_row.squares();
                squares[0].add(natural);
                squares[1].add(scaled);
                if scaled > worst.1 {
                    worst = (row, scaled);
                }
                is_huge |= norms.are_huge(&memory.weights[row..=row], &allowed[row..=row], options.tolerance);
            }
        }
        let (squares, _) = sums(group, &squares, 0)?;
        let most = largest(group, worst.1)?;
        let mut flags = [i64::from(is_huge)];
        group.max(&mut flags)?;
        let place = if worst.1 == most && most > 0.0 { worst.0 } else { usize::MAX };
        let residual = Sums::of_squares(squares, (place, most)).over(norms);
        let value = residual.by(options.measure);
        let is_first = history.is_empty();
        if history.len() < MOST_NOTES {
            history.push(value);
        }
        // Where W R is mostly rounding, it may seem to be the solution of a problem that has none.
        let counts = value > options.tolerance || flags[0] == 0;
        if is_first || counts && value < self.report.residual.by(options.measure) {
            self.report.residual = residual;
            best.copy_from_slice(allowed);
        }
        Ok(residual)
    }

    /// The ratio of the chosen residual to the scaled one, at least 1.
    fn ratio(&self) -> f64 {
        let residual = &self.report.residual;
        let ratio = residual.by(self.options.measure) / residual.scaled;
        if ratio.is_finite() { ratio.max(1.0) } else { 1.0 }
    }

    /// Whether the time is over on any process.
    fn is_time_over(&self) -> Result<bool> {
        let Some(limit) = self.options.time_limit else { return Ok(false) };
        let elapsed: Duration = self.begin.elapsed();
        let mut flags = [i64::from(elapsed >= limit)];
        self.group.max(&mut flags)?;
        Ok(flags[0] != 0)
    }

    /// The status, if the solution is to end now.
    fn over(&self) -> Option<Status> {
        if self.report.residual.by(self.options.measure) <= self.options.tolerance {
            Some(Status::Converged)
        } else if self.report.sweeps >= self.options.max_sweeps {
            Some(Status::SweepLimit)
        } else if self.is_late {
            Some(Status::TimeLimit)
        } else {
            None
        }
    }
}

//! The course of a solution: sweeps of Gauss–Seidel with momentum, as in one process.
#![forbid(unsafe_code)]

use std::time::{Duration, Instant};

use crate::ffi::errors::Result;
use crate::math::Vector;
use crate::memory::{collect, refill};
use crate::parallel::exact_sum::ExactSum;
use crate::parallel::mpi::exchange::{Letters, Traffic, no_memory};
use crate::parallel::mpi::group::Group;
use crate::parallel::row_exchange::RowExchange;
use crate::parallel::system::ParallelSystem;
use crate::solve::parts_of_solution::{
    BETWEEN, MOVING_RATE, MOVING_SWEEPS, Memory, Momentum, NormalThird, Norms, Prepared, Problem3, RATE,
    Rate, Sums, Sweeps, allowed_in_row, fill, root, velocity,
};
use crate::solve::{Law, Options, Report, Status};
use crate::team::Team;

use super::order::{Color, ColorPart, Sequence};
use super::splitting::SplitRows;
use super::sums::{largest, sum, sums};
use super::{Mode, Workspace};

/// With fewer rows threads do not pay.
const MANY: usize = 4000;

/// The most residuals in the history.
const MOST_NOTES: usize = 1000;

/// The vectors of a solution, kept for the next one.
#[derive(Debug, Default)]
pub struct Buffers {
    memory: Memory,
    sweeps: Sweeps,
    split: SplitRows,
    now: Vec<Vector>,
    allowed: Vec<Vector>,
    velocities: Vec<Vector>,
    best: Vec<Vector>,
    changes: Vec<f64>,
    /// The residuals of the last solution.
    pub history: Vec<f64>,
}

/// A solution under way.
struct Course<'a> {
    group: &'a Group,
    traffic: &'a mut Traffic,
    problem: Problem3<'a>,
    laws: &'a [Law],
    order: &'a mut Sequence,
    room: &'a mut Buffers,
    options: &'a Options,
    mode: Mode,
    team: Team,
    begin: Instant,
    state: CourseState,
}

/// How far a solution is.
#[derive(Default)]
struct CourseState {
    norms: Norms,
    /// The rows of three of all processes.
    rows: f64,
    /// The squared change of the last sweep.
    changed: f64,
    momentum: Momentum,
    rate: Rate,
    /// The time limit as all processes see it.
    is_late: bool,
    report: Report,
}

impl ParallelSystem {
    /// Solve a checked problem in the workspace. Collective.
    pub(super) fn solve_in(
        &mut self,
        workspace: &mut Workspace,
        options: &Options,
        mode: Mode,
        forces: &mut [f64],
    ) -> Result<Report> {
        let begin = Instant::now();
        self.list_input(&mut workspace.threes, forces)?;
        let Self { group, traffic, system, rows, .. } = self;
        let problem = system.results()?.problem();
        let Workspace { order, threes, room } = workspace;
        group.agree(threes.fill(&problem))?;
        let (problem3, laws, all) = threes.parts(&problem);
        let team = Team::if_it_pays(mode == Mode::SameBits && order.own.len() >= MANY);
        let state = CourseState::default();
        let mut course = Course {
            group,
            traffic,
            problem: problem3,
            laws,
            order,
            room,
            options,
            mode,
            team,
            begin,
            state,
        };
        let prepared = course.prepare(all).map_err(no_memory);
        course.group.agree(prepared)?;
        course.share_weights(rows)?;
        let status = course.run()?;
        let mut report = Report { status, time: begin.elapsed(), ..course.state.report };
        all.copy_from_slice(&room.best);
        for residual in [&mut report.residual, &mut report.initial] {
            residual.worst = threes.row(residual.worst);
        }
        self.gather(threes.read(&self.system.results()?.w), forces)?;
        Ok(report)
    }
}

impl Course<'_> {
    fn prepare(&mut self, forces: &[Vector]) -> crate::memory::Result {
        let rows = self.problem.rows();
        let Buffers { memory, sweeps, split, now, allowed, velocities, best, changes, history } = self.room;
        memory.prepare::<NormalThird>(&self.problem, self.laws)?;
        if self.mode == Mode::Fast {
            split.prepare(&self.order.split)?;
            split.compute(&self.order.split, &self.problem, self.laws, memory);
        }
        sweeps.prepare_rows(rows)?;
        for vector in [now, allowed, velocities, best] {
            collect(vector, rows, forces.iter().copied())?;
        }
        let most = self.order.colors.iter().flat_map(|color| &color.parts).map(ColorPart::len).max();
        refill(changes, most.unwrap_or(0), 0.0)?;
        collect(history, MOST_NOTES, std::iter::empty())
    }

    /// The weights of rows of the halo, which may depend on rows that are not here.
    fn share_weights(&mut self, exchange: &mut RowExchange) -> Result {
        let Self { group, traffic, order, room, .. } = self;
        let Memory { weights, roots, .. } = &mut room.memory;
        let letters = Letters::new(group).and_then(|mut letters| {
            for (rank, rows) in order.colors.iter().flat_map(Color::out) {
                let words = letters.to(*rank);
                rows.iter()
                    .try_for_each(|&row| words.put(weights[row as usize].to_bits()))
                    .map_err(no_memory)?;
            }
            Ok(letters)
        });
        let messages = Letters::exchange_with(group, letters, &mut exchange.partners, traffic)?;
        for list in &exchange.inbox {
            let mut words = messages
                .iter()
                .filter(|message| message.rank == list.rank)
                .flat_map(|message| &message.words);
            let rows = order.colors.iter().flat_map(Color::inbox).filter(|(rank, _)| *rank == list.rank);
            for (&row, &word) in rows.flat_map(|(_, rows)| rows).zip(&mut words) {
                let weight = f64::from_bits(word);
                (weights[row as usize], roots[row as usize]) = (weight, weight.sqrt());
            }
        }
        Ok(())
    }

    fn run(&mut self) -> Result<Status> {
        let mut squares = [ExactSum::default(); 2];
        let mut count = 0;
        let Memory { q, weights, .. } = &self.room.memory;
        for row in self.order.own_rows() {
            let of_row = Norms::squares(&self.laws[row], &q[row], weights[row]);
            squares.iter_mut().zip(of_row).for_each(|(sum, square)| sum.add(square));
            count += 1;
        }
        let (squares, rows) = sums(self.group, &squares, count)?;
        (self.state.norms, self.state.rows) = (Norms::of(squares), rows);
        self.state.report.initial = self.look()?;
        self.room.sweeps.begin(&self.room.now);
        let mut ratio = self.ratio();
        loop {
            if let Some(end) = self.over() {
                return Ok(end);
            }
            let number = self.state.report.sweeps;
            let change = self.sweep()?;
            let CourseState { momentum, rate, report, is_late, .. } = &mut self.state;
            let span = if momentum.share() > 0.0 { MOVING_RATE } else { RATE };
            let before = rate.changes[(number + MOVING_RATE - span) % MOVING_RATE];
            rate.changes[number % MOVING_RATE] = change;
            // The scaled residual is about as large as the change.
            let estimate = change * ratio;
            let is_near = estimate <= 2.0 * self.options.tolerance;
            let is_last = report.sweeps >= self.options.max_sweeps;
            if is_near || !estimate.is_finite() || number % BETWEEN == BETWEEN - 1 || is_last || *is_late {
                self.room.sweeps.read(&mut self.room.now);
                self.look()?;
                ratio = self.ratio();
            } else if number >= rate.steady && momentum.begins(number, root(change / before, span)) {
                self.room.sweeps.rest();
                rate.steady = number + MOVING_SWEEPS;
            }
        }
    }

    /// Make a sweep; returns the scaled norm of the change, relative to B.
    fn sweep(&mut self) -> Result<f64> {
        let share = self.state.momentum.share();
        if share > 0.0 {
            let mean = self.state.changed / self.state.rows;
            let Buffers { sweeps, memory, .. } = &mut *self.room;
            sweeps.push_beyond::<NormalThird>(&mut self.team, self.laws, &memory.weights, share, mean);
        }
        let changed = sum(self.group, &self.relax()?)?;
        let is_late = self.is_time_over()?;
        let CourseState { momentum, report, norms, .. } = &mut self.state;
        momentum.after(changed);
        let Buffers { split, memory, .. } = &mut *self.room;
        if self.mode == Mode::Fast && split.after(changed) {
            split.compute(&self.order.split, &self.problem, self.laws, memory);
            momentum.restart();
        }
        report.sweeps += 1;
        let relative = changed.sqrt() / norms.scaled();
        (self.state.changed, self.state.is_late) = (changed, is_late);
        Ok(relative)
    }

    /// Relax the rows of each color; the forces on the boundary go to other processes while the interior is relaxed. The fast mode has one
    /// color: the rows of this process in turn, with the forces of other processes of the last sweep.
    fn relax(&mut self) -> Result<ExactSum> {
        let Self { group, traffic, problem, order, room, team, mode, .. } = self;
        let Buffers { memory, sweeps, split, velocities, changes, .. } = &mut **room;
        let mut squares = ExactSum::default();
        let (prepared, team_size) = (&memory.prepared(), team.size());
        let mut relax = |problem: &Problem3, prepared: &Prepared, ranges: &[[u32; 2]]| {
            let changes = &mut changes[..ranges.len()];
            sweeps.relax_ranges::<NormalThird>(team, problem, prepared, ranges, changes);
            changes.iter().for_each(|&change| squares.add(change));
        };
        if *mode == Mode::Fast {
            split.free_velocities(&order.split, problem, sweeps, &memory.q, velocities);
        }
        let is_alone = team_size == 1;
        for (number, color) in order.colors.iter_mut().enumerate() {
            let is_split = |range: &[u32; 2]| *mode == Mode::Fast && order.split.has(range[0] as usize);
            for rows in color.parts[0].groups(is_alone) {
                for ranges in rows.chunk_by(|one, other| is_split(one) == is_split(other)) {
                    if is_split(&ranges[0]) {
                        let split = split.problem(&order.split, problem);
                        relax(&split, &Prepared { q: velocities, ..*prepared }, ranges);
                    } else {
                        relax(problem, prepared, ranges);
                    }
                }
            }
            color.send(group, traffic, number, sweeps)?;
            color.parts[1].groups(is_alone).for_each(|ranges| relax(problem, prepared, ranges));
            color.receive(group, sweeps)?;
        }
        Ok(squares)
    }

    /// Compute the residual of the closest forces that the laws allow, and keep these if they are the best so far.
    fn look(&mut self) -> Result<crate::solve::Residual> {
        let Self { team, laws, problem, order, room, group, options, state, .. } = self;
        let Buffers { memory, now, allowed, velocities, best, history, .. } = &mut **room;
        let CourseState { norms, report, .. } = state;
        let now = &now[..];
        fill(team, allowed, |row| allowed_in_row::<NormalThird>(laws, row, now));
        let allowed = &allowed[..];
        fill(team, velocities, |row| velocity(problem, row, &memory.q[row], |column| allowed[column]));
        let mut squares = [ExactSum::default(); 2];
        let (mut worst, mut is_huge) = ((0, 0.0), false);
        for row in order.own_rows() {
            let of_row = Sums::new::<NormalThird>(laws, &memory.weights, allowed, velocities, row..row + 1);
            let [natural, scaled] = of_row.squares();
            squares[0].add(natural);
            squares[1].add(scaled);
            if scaled > worst.1 {
                worst = (row, scaled);
            }
            is_huge |= norms.are_huge(&memory.weights[row..=row], &allowed[row..=row], options.tolerance);
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
        if is_first || counts && value < report.residual.by(options.measure) {
            report.residual = residual;
            best.copy_from_slice(allowed);
        }
        Ok(residual)
    }

    /// The ratio of the chosen residual to the scaled one, at least 1.
    fn ratio(&self) -> f64 {
        self.state.report.residual.ratio_to_scaled(self.options.measure)
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
        if self.state.report.residual.by(self.options.measure) <= self.options.tolerance {
            Some(Status::Converged)
        } else if self.state.report.sweeps >= self.options.max_sweeps {
            Some(Status::SweepLimit)
        } else if self.state.is_late {
            Some(Status::TimeLimit)
        } else {
            None
        }
    }
}

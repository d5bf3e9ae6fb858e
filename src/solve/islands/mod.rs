//! Islands: groups of rows that no block connects. Each is a problem of its own, with its own method, status and tolerance, and its
//! forces do not depend on other islands. So the residual of the whole is within the tolerance, too: the squares of residuals and
//! of B are sums over islands.
//!
//! Several threads solve islands. An island has the same bits on any thread.

mod bodies;
mod components;
mod copies;
mod limits;
mod whole;

use std::mem;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::math::Vector;
use crate::memory::{self, collect, push, refill};
use crate::rows::pattern::range;
use crate::team::{Ragged, Team};

use super::body_rows::BodyRowsSource;
use super::coloring::MANY;
use super::conflict::{self, Multiplier};
use super::options::{Progress, Report, Status};
use super::residual::Sums;
use super::run::{Observer, Outcome, Room, Source, Task, VERY_FEW};
use bodies::{AllRows, BodiesOfIsland};
pub use components::{Components, join, root};
use copies::{Copies, Copy};
use limits::Limits;
use whole::Whole;

/// The number of rows in a batch of several islands.
const ROWS: u32 = 32;

/// With fewer rows on islands that one thread solves, a second thread does not pay.
const ENOUGH: usize = 96;

/// The islands of a problem and the workspace of their solutions.
#[derive(Debug, Default)]
pub struct Islands {
    components: Components,
    copies: Copies,
    forces: Vec<Vector>,
    outcomes: Vec<Outcome>,
    batches: Batches,
    /// A room for each batch, which keeps what depends on the pattern alone.
    rooms: Vec<Room>,
    /// For the progress of the whole.
    ahead: Vec<Sums>,
    all_rows: Mutex<AllRows>,
    /// The multipliers of the last problem's proof that it has no solution.
    conflict: Vec<Multiplier>,
}

/// Islands that are solved one after another in the same room: one island, or several small ones, with the same pattern unless their
/// rows are few.
#[derive(Debug, Default)]
struct Batches {
    /// The first island of each batch and its first index in the list of rows; then the ends.
    islands: Vec<u32>,
    rows: Vec<u32>,
    /// The number of batches whose sweeps several threads share.
    shared: usize,
}

/// What all threads read.
struct IslandsInput<'a> {
    islands: &'a Components,
    copies: &'a Copies,
    source: Source<'a>,
    all_rows: &'a Mutex<AllRows>,
    limits: Limits<'a>,
}

impl Islands {
    /// Solve a problem. The forces are those to begin with, and the best ones afterwards.
    ///
    /// # Errors
    /// If memory is exhausted. The forces are unchanged then.
    pub fn solve(
        &mut self,
        task: &Task,
        forces: &mut [Vector],
        progress: Option<&mut Progress>,
    ) -> memory::Result<Report> {
        let begin = Instant::now();
        self.components.find(task.problem.starts, task.problem.columns)?;
        self.rooms.iter_mut().for_each(|room| room.conflict.clear());
        if self.components.len() < 2 {
            if self.rooms.is_empty() {
                push(&mut self.rooms, Room::default())?;
            }
            let room = &mut self.rooms[0];
            let outcome = match progress {
                Some(progress) => {
                    let mut observer =
                        |report: &Report, _: &_| progress(&Report { time: begin.elapsed(), ..*report });
                    room.solve(task, forces, &mut observer)?
                }
                None => room.solve(task, forces, &mut |_, _| true)?,
            };
            self.take_conflict(outcome.report.status);
            return Ok(Report { time: begin.elapsed(), ..outcome.report });
        }
        self.prepare(task)?;
        self.begin(forces)?;
        match progress {
            Some(progress) => self.solve_with_progress(task, forces, begin, progress)?,
            None => self.solve_all(task, begin)?,
        }
        self.gather_conflict()?;
        let rows = self.components.all();
        rows.iter().zip(&self.forces).for_each(|(&row, force)| forces[row as usize] = *force);
        let report = whole::report(&self.components, &self.outcomes, task.options, begin.elapsed());
        self.take_conflict(report.status);
        Ok(report)
    }

    /// The residuals of the last solution, of the largest island if there are several.
    pub fn history(&self) -> &[f64] {
        self.rooms.first().map_or(&[], |room| &room.history)
    }

    /// The multipliers of the last problem's proof that it has no solution.
    pub fn conflict(&self) -> &[Multiplier] {
        &self.conflict
    }

    /// The same, for changes.
    pub fn conflict_mut(&mut self) -> &mut Vec<Multiplier> {
        &mut self.conflict
    }

    /// Move the multipliers of all islands to the first room.
    fn gather_conflict(&mut self) -> memory::Result {
        let Some((first, others)) = self.rooms.split_first_mut() else { return Ok(()) };
        first.conflict.try_reserve(others.iter().map(|room| room.conflict.len()).sum())?;
        others.iter_mut().for_each(|room| first.conflict.append(&mut room.conflict));
        conflict::order(&mut first.conflict);
        Ok(())
    }

    /// Replace the multipliers of the last problem by those in the first room, if they belong to the status.
    fn take_conflict(&mut self, status: Status) {
        match self.rooms.first_mut() {
            Some(room) if status == Status::Infeasible => mem::swap(&mut self.conflict, &mut room.conflict),
            _ => self.conflict.clear(),
        }
    }

    fn prepare(&mut self, task: &Task) -> memory::Result {
        let Self { components, copies, batches, rooms, all_rows, .. } = self;
        copies.fill(components, task.problem, task.laws, task.source.scales)?;
        batches.divide(components, copies)?;
        rooms.try_reserve(batches.len().saturating_sub(rooms.len()))?;
        while rooms.len() < batches.len() {
            rooms.push(Room::default());
        }
        all_rows.get_mut().unwrap_or_else(PoisonError::into_inner).forget();
        refill(&mut self.outcomes, components.len(), Outcome::default())
    }

    /// Set the forces to begin with.
    fn begin(&mut self, forces: &[Vector]) -> memory::Result {
        let Self { components, copies, .. } = self;
        collect(&mut self.forces, forces.len(), components.all().iter().map(|&row| forces[row as usize]))?;
        for island in 0..components.len() {
            // An island at rest has no scale of its own. No force is its solution, unless a law forbids that.
            let rows = range(components.starts(), island);
            if copies.are_at_rest(rows.clone()) {
                self.forces[rows].fill([0.0; 3]);
            }
        }
        Ok(())
    }

    /// Solve all islands: large ones one after another, each with all threads, then batches of others by any thread each.
    fn solve_all(&mut self, task: &Task, begin: Instant) -> memory::Result {
        let Self { components, copies, forces, outcomes, batches, rooms, all_rows, .. } = self;
        let parts = IslandsInput::new(components, copies, all_rows, task, begin);
        let (shared, count) = (batches.shared, batches.len());
        let rows = forces.len() - batches.rows[shared] as usize;
        let teams = [
            (Team::alone(), 0..shared),
            (Team::if_it_pays(count > shared + 1 && rows >= ENOUGH), shared..count),
        ];
        for (mut team, own) in teams {
            let threads = team.size();
            let things = (batches.of(own.clone(), forces, outcomes), &mut rooms[own.clone()]);
            team.try_share_parts(
                things,
                1,
                |batch, ((mut forces, mut outcomes), rooms)| -> memory::Result {
                    let islands = range(&batches.islands, own.start + batch);
                    let first = batches.rows[own.start + batch] as usize;
                    let (forces, outcomes) = (forces.row_mut(0), outcomes.row_mut(0));
                    for (island, outcome) in islands.zip(outcomes) {
                        let rows = range(components.starts(), island);
                        let forces = &mut forces[rows.start - first..rows.end - first];
                        *outcome = parts.solve(island, threads, &mut rooms[0], forces, &mut |_, _| true)?;
                    }
                    Ok(())
                },
            )?;
        }
        Ok(())
    }

    /// Compute the outcome of the initial guess for each island, which stops after its first look. The forces become allowed ones.
    fn look_at_all(&mut self, task: &Task, begin: Instant) -> memory::Result {
        let Self { components, copies, forces, outcomes, batches, rooms, all_rows, .. } = self;
        let parts = IslandsInput::new(components, copies, all_rows, task, begin);
        for (batch, room) in rooms[..batches.len()].iter_mut().enumerate() {
            for island in range(&batches.islands, batch) {
                let own = &mut forces[range(components.starts(), island)];
                outcomes[island] = parts.solve(island, 1, room, own, &mut |_, _| false)?;
            }
        }
        Ok(())
    }

    /// Solve all islands one after another, small ones first, and report the progress of the whole.
    fn solve_with_progress(
        &mut self,
        task: &Task,
        forces: &[Vector],
        begin: Instant,
        progress: &mut Progress,
    ) -> memory::Result {
        self.look_at_all(task, begin)?;
        self.begin(forces)?;
        let Self { components, copies, forces, outcomes, batches, rooms, all_rows, ahead, .. } = self;
        let parts = IslandsInput::new(components, copies, all_rows, task, begin);
        let (mut whole, mut goes_on) = (Whole::new(components, outcomes, ahead)?, true);
        for batch in (0..batches.len()).rev() {
            for island in range(&batches.islands, batch).rev() {
                // Islands after a stop look at their forces once, so that these obey bounds and cones.
                let mut observer = |report: &Report, best: &Sums| {
                    goes_on = goes_on && progress(&whole.with(island, report, best, begin.elapsed()));
                    goes_on
                };
                let own = &mut forces[range(components.starts(), island)];
                let outcome = parts.solve(island, 1, &mut rooms[batch], own, &mut observer)?;
                whole.end(island, &outcome);
                outcomes[island] = outcome;
            }
        }
        Ok(())
    }
}

impl<'a> IslandsInput<'a> {
    fn new(
        islands: &'a Components,
        copies: &'a Copies,
        all_rows: &'a Mutex<AllRows>,
        task: &Task<'a>,
        begin: Instant,
    ) -> Self {
        let limits = Limits::new(task.options, begin, task.problem);
        Self { islands, copies, source: task.source, all_rows, limits }
    }

    /// Solve an island while this number of threads solve islands.
    fn solve(
        &self,
        island: usize,
        threads: usize,
        room: &mut Room,
        forces: &mut [Vector],
        observer: &mut Observer,
    ) -> memory::Result<Outcome> {
        let Copy { problem, laws, scales } = self.copies.of(self.islands, island);
        let options = &self.limits.begin(&problem, threads);
        let (all, rows) = (self.all_rows, self.islands.rows(island));
        let bodies = self.source.bodies.map(|bodies| BodiesOfIsland { all, bodies, rows });
        let bodies = bodies.as_ref().map(|bodies| bodies as &dyn BodyRowsSource);
        let source = Source { bodies, scales };
        let before = room.conflict.len();
        let outcome = room.solve(&Task { problem: &problem, source, laws, options }, forces, observer)?;
        for multiplier in &mut room.conflict[before..] {
            multiplier.constraint = rows[multiplier.constraint as usize].into();
            multiplier.group = rows[0] as usize;
        }
        Ok(outcome)
    }
}

impl Batches {
    fn divide(&mut self, islands: &Components, copies: &Copies) -> memory::Result {
        let starts = islands.starts();
        self.islands.clear();
        self.rows.clear();
        self.shared = 0;
        let mut end = 0;
        for (island, &start) in starts[..islands.len()].iter().enumerate() {
            // Few rows seldom need what rooms keep of a pattern. The first room has the history of the largest island.
            let is_few = self.islands.len() > 1 && islands.rows(island).len() <= VERY_FEW;
            let is_like_last =
                || is_few || copies.pattern(islands, island) == copies.pattern(islands, island - 1);
            if start >= end || !is_like_last() {
                push(&mut self.islands, island as u32)?;
                push(&mut self.rows, start)?;
                end = start + ROWS;
            }
            self.shared += usize::from(islands.rows(island).len() >= MANY);
        }
        push(&mut self.islands, islands.len() as u32)?;
        push(&mut self.rows, starts[islands.len()])
    }

    fn len(&self) -> usize {
        self.islands.len() - 1
    }

    /// The forces and outcomes of some of the batches.
    fn of<'a>(
        &'a self,
        batches: Range<usize>,
        forces: &'a mut [Vector],
        outcomes: &'a mut [Outcome],
    ) -> (Ragged<'a, Vector, u32>, Ragged<'a, Outcome, u32>) {
        let part = |starts: &[u32]| starts[batches.start] as usize..starts[batches.end] as usize;
        let starts = batches.start..batches.end + 1;
        (
            Ragged { values: &mut forces[part(&self.rows)], starts: &self.rows[starts.clone()] },
            Ragged { values: &mut outcomes[part(&self.islands)], starts: &self.islands[starts] },
        )
    }
}

//! Bodies that several processes change at once, in the fast mode. If constraints of k processes act on a body, each of these processes
//! relaxes its constraints with k times the inverse mass, as if it had a k-th of the body. The changes of all processes together then
//! never do too much: with W′ the blocks of a process for such masses, the sum of its W′ over processes is at least W (Tonge, Benevolenski
//! and Voroshilov: Mass splitting for jitter-free parallel rigid body simulation, 2012). Rows that are relaxed in turn do less than rows
//! that are solved together, so that a factor between 1 and k mostly suffices, and takes fewer sweeps.
//!
//! Blocks of W are not known body by body. A block of two constraints with one common body is multiplied by k of this body, and one with
//! two common bodies by the larger k: the difference of both is positive semidefinite, too. If any constraint acts on more bodies, the
//! factor is 1 + Σ (k − 1) over the common bodies.
#![forbid(unsafe_code)]

use std::mem;

use crate::ffi::errors::{Code, Result, fail};
use crate::math::{Block, Vector};
use crate::memory::{self, push, refill};
use crate::parallel::system::ParallelSystem;
use crate::solve::Law;
use crate::solve::parts_of_solution::{Memory, NormalThird, Problem3, Sweeps, velocity};
use crate::system::Id;

/// The part of k − 1 by which the factor of a block is larger than 1. A packing of spheres on eight processes takes 245 sweeps with a half
/// and 323 with all of it.
const SHARE: f64 = 0.5;

/// The part is 1 if squared changes, summed over windows of sweeps, do not decrease from window to window a few times in a row. Once is no
/// reason, since changes grow where momentum begins.
const DECREASE: f64 = 0.999;
const MOST_WINDOWS: usize = 3;
const WINDOW: usize = 16;

/// The rows on split bodies, and the factors of their blocks.
#[derive(Debug, Default)]
pub struct Splitting {
    /// Row k of three has the blocks `starts[k]..starts[k + 1]`: the blocks of W if it is on a split body, otherwise none.
    starts: Vec<i32>,
    columns: Vec<i32>,
    /// k − 1 of each block; zero in columns of other processes.
    more: Vec<f64>,
}

/// The blocks of the rows on split bodies, and the changes of the last sweeps.
#[derive(Debug, Default)]
pub struct SplitRows {
    values: Vec<Block>,
    share: f64,
    sum: f64,
    last: f64,
    sweeps: usize,
    /// Windows in a row in which changes have not decreased.
    windows: usize,
}

/// A body, and the number of processes with constraints on it.
type Split = (Id, u32);

impl Splitting {
    /// Whether a row of three is on a split body.
    pub fn has(&self, row: usize) -> bool {
        self.starts[row] < self.starts[row + 1]
    }
}

impl ParallelSystem {
    /// The bodies on which this process and others have constraints.
    fn split_bodies(&self) -> Result<Vec<Split>> {
        let mut uses = Vec::new();
        let mut halo = self.halo.iter().peekable();
        for (id, constraint) in self.system.constraints() {
            let rank = halo.next_if(|(other, _)| *other == id).map_or(self.rank() as u32, |&(_, rank)| rank);
            for body in constraint.all_bodies().filter(|&body| !self.system.is_obstacle(body)) {
                push(&mut uses, (body, rank))?;
            }
        }
        uses.sort_unstable();
        uses.dedup();
        let mut split = Vec::new();
        for users in uses.chunk_by(|one, other| one.0 == other.0) {
            if users.len() > 1 && users.iter().any(|&(_, rank)| rank as usize == self.rank()) {
                push(&mut split, (users[0].0, users.len() as u32))?;
            }
        }
        Ok(split)
    }

    /// List the rows on split bodies; row k is the rows of three `firsts[k]..firsts[k + 1]`.
    pub(super) fn list_splitting(&self, firsts: &[u32]) -> Result<Splitting> {
        let results = self.system.results()?;
        let split = self.split_bodies()?;
        let has_many = self.own_constraints().any(|(_, constraint)| constraint.all_bodies().count() > 2);
        let threes = |row: usize| firsts[row]..firsts[row + 1];
        let mut splitting = Splitting::default();
        memory::resize(&mut splitting.starts, firsts[results.ids.len()] as usize + 1, 0)?;
        let mut own = self.rows.own.iter().peekable();
        for (row, &id) in results.ids.iter().enumerate() {
            let is_own = own.next_if(|&&own| own as usize == row).is_some();
            let mut bodies = Vec::new();
            for body in self.system.constraint(id)?.all_bodies().filter(|_| is_own) {
                if let Ok(place) = split.binary_search_by_key(&body, |split| split.0) {
                    push(&mut bodies, split[place])?;
                }
            }
            for three in threes(row) {
                for &column in
                    results.w.columns()[results.w.blocks(row)].iter().filter(|_| !bodies.is_empty())
                {
                    let more = self.more(&bodies, results.ids[column as usize], has_many)?;
                    for other in threes(column as usize) {
                        push(&mut splitting.columns, other as i32)?;
                        push(&mut splitting.more, more)?;
                    }
                }
                let end = i32::try_from(splitting.columns.len());
                splitting.starts[three as usize + 1] = end.map_err(|_| {
                    fail!(Code::TooLarge, "rows on split bodies have more blocks than an i32 can count")
                })?;
            }
        }
        Ok(splitting)
    }

    /// k − 1 for the block of a row on these split bodies, and of another row.
    fn more(&self, bodies: &[Split], other: Id, has_many: bool) -> Result<f64> {
        if self.is_halo(other) {
            return Ok(0.0);
        }
        let other = self.system.constraint(other)?;
        let common = bodies.iter().filter(|split| other.all_bodies().any(|body| body == split.0));
        let more = common.map(|split| f64::from(split.1 - 1));
        Ok(if has_many { more.sum() } else { more.fold(0.0, f64::max) })
    }
}

impl SplitRows {
    /// Begin a solution.
    pub fn prepare(&mut self, splitting: &Splitting) -> memory::Result {
        refill(&mut self.values, splitting.more.len(), [0.0; 9])?;
        *self = Self {
            values: mem::take(&mut self.values),
            share: SHARE,
            last: f64::INFINITY,
            ..Self::default()
        };
        Ok(())
    }

    /// Compute the blocks, and the local problems of these blocks.
    pub fn compute(&mut self, splitting: &Splitting, problem: &Problem3, laws: &[Law], memory: &mut Memory) {
        let rows = (0..problem.rows()).filter(|&row| splitting.has(row));
        let blocks = rows.flat_map(|row| problem.row(row)).zip(&splitting.more);
        for (value, ((_, block), more)) in self.values.iter_mut().zip(blocks) {
            *value = block.map(|value| (1.0 + self.share * more) * value);
        }
        memory.replace_locals::<NormalThird>(&self.problem(splitting, problem), laws);
    }

    /// Note the squared change of a sweep; returns whether the factors have become larger.
    pub fn after(&mut self, change: f64) -> bool {
        self.sum += change;
        self.sweeps += 1;
        if self.sweeps < WINDOW {
            return false;
        }
        self.windows = if self.sum < DECREASE * self.last { 0 } else { self.windows + 1 };
        (self.last, self.sum, self.sweeps) = (self.sum, 0.0, 0);
        let is_larger = self.windows == MOST_WINDOWS && self.share < 1.0;
        if is_larger {
            self.share = 1.0;
        }
        is_larger
    }

    /// The problem with these blocks, which has the rows on split bodies only.
    pub fn problem<'a>(&'a self, splitting: &'a Splitting, problem: &Problem3<'a>) -> Problem3<'a> {
        Problem3 { starts: &splitting.starts, columns: &splitting.columns, values: &self.values, ..*problem }
    }

    /// Compute the free velocities for these blocks: current forces have the same velocities as with W.
    pub fn free_velocities(
        &self,
        splitting: &Splitting,
        problem: &Problem3,
        sweeps: &Sweeps,
        q: &[Vector],
        free: &mut [Vector],
    ) {
        let split = self.problem(splitting, problem);
        for row in (0..problem.rows()).filter(|&row| splitting.has(row)) {
            let [with, without] =
                [&split, problem].map(|problem| velocity(problem, row, &q[row], |other| sweeps.force(other)));
            free[row] = std::array::from_fn(|i| q[row][i] + (without[i] - with[i]));
        }
    }
}

//! Sweeps of Gauss–Seidel, by a team of threads.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::math::{Vector, difference, dot};
use crate::memory::{self, collect, refill};
#[cfg(feature = "mpi")]
use crate::prefetch::fetch;
use crate::team::{Team, part};

use super::coloring::{CHUNK, ColorOrder};
use super::frames::Axes;
use super::laws::{Local, allowed};
use super::local::RollingContact;
use super::problem::{Law, Problem3};
use super::residual::velocity;
use super::workspace::Memory;

/// Rows ahead of which the forces of a row's neighbors, its blocks, and its other data are prefetched.
#[cfg(feature = "mpi")]
const NEXT: usize = 2;
#[cfg(feature = "mpi")]
const NEAR: usize = 5;
#[cfg(feature = "mpi")]
const FAR: usize = 10;

/// Columns in a cache line.
#[cfg(feature = "mpi")]
const COLUMNS_OF_LINE: usize = 16;

/// Rows in a part of a thread's work on momentum.
const PUSHED: usize = 1024;

/// A force turns back if its last sweep moved it against momentum, and if its squared change is larger than this times the mean. Its
/// part of momentum is multiplied by `TURNED` then, and otherwise grows by `REGAINED`. A few forces that oscillate for ever would
/// hold the residual of all others.
const LARGE: f64 = 3.0;
const TURNED: f64 = 0.5;
const REGAINED: f64 = 0.003;

/// The forces during sweeps, and the order of sweeps.
#[derive(Debug, Default)]
pub struct Sweeps {
    order: ColorOrder,
    forces: Vec<Force>,
    pasts: Vec<Past>,
    /// The squared change of each chunk of a group, and of the last sweep.
    changes: Vec<f64>,
    changed: f64,
}

/// What momentum knows of a force.
#[derive(Clone, Copy, Debug)]
struct Past {
    /// The force before and after the last push.
    before: Vector,
    pushed: Vector,
    /// The part of momentum that the force gets, at most 1.
    part: f64,
}

/// A force that one thread writes while others may read its neighbors, but not this force: in a sweep no thread reads a force that
/// changes. On current processors such loads and stores cost no more than plain ones.
#[derive(Debug)]
pub struct Force([AtomicU64; 3]);

/// Data of a sweep beside the problem: B with the biases, d = tr W_αα / 3 and the local problem of each row, and local problems of
/// contacts with moments.
pub struct Prepared<'a> {
    pub q: &'a [Vector],
    pub weights: &'a [f64],
    pub locals: &'a [Local],
    pub rolling: &'a [RollingContact],
    /// As [`LocalLaw::force`](super::laws::LocalLaw::force) takes it.
    pub accuracy: f64,
}

impl Force {
    pub fn new(force: &Vector) -> Self {
        Self(force.map(|x| AtomicU64::new(x.to_bits())))
    }

    #[inline(always)]
    pub fn load(&self) -> Vector {
        let [x, y, z] = &self.0;
        [x, y, z].map(|x| f64::from_bits(x.load(Ordering::Relaxed)))
    }

    #[inline(always)]
    fn store(&self, force: &Vector) {
        for (x, value) in self.0.iter().zip(force) {
            x.store(value.to_bits(), Ordering::Relaxed);
        }
    }
}

impl Sweeps {
    /// Find the order of a problem, and prepare the workspace.
    pub fn prepare(&mut self, problem: &Problem3) -> memory::Result {
        self.order.find(problem.starts, problem.columns)?;
        self.prepare_rows(problem.rows())
    }

    /// Prepare the workspace for sweeps in an order that the caller has.
    pub fn prepare_rows(&mut self, rows: usize) -> memory::Result {
        let zeros = std::iter::repeat_with(|| Force(Default::default())).take(rows);
        collect(&mut self.forces, rows, zeros)?;
        refill(&mut self.pasts, rows, Past { before: [0.0; 3], pushed: [0.0; 3], part: 1.0 })?;
        refill(&mut self.changes, rows.div_ceil(CHUNK), 0.0)
    }

    /// Set the initial forces.
    pub fn begin(&self, forces: &[Vector]) {
        self.forces.iter().zip(forces).for_each(|(to, from)| to.store(from));
    }

    /// Reset momentum: the next push does not move the forces. They keep their parts of momentum.
    pub fn rest(&mut self) {
        for (force, past) in self.forces.iter().zip(&mut self.pasts) {
            let now = force.load();
            *past = Past { before: now, pushed: now, ..*past };
        }
    }

    /// Move the forces by a share of their change since the last push, times the part of each force. A part becomes smaller where
    /// O'Donoghue and Candès (2015) restart the whole method.
    pub fn push<A: Axes>(&mut self, team: &mut Team, laws: &[Law], weights: &[f64], share: f64) {
        let mean = self.changed / laws.len() as f64;
        self.push_beyond::<A>(team, laws, weights, share, mean);
    }

    /// As [`Sweeps::push`], where `mean` is the mean squared change of all rows in the last sweep.
    pub fn push_beyond<A: Axes>(
        &mut self,
        team: &mut Team,
        laws: &[Law],
        weights: &[f64],
        share: f64,
        mean: f64,
    ) {
        let forces = &self.forces;
        let large = LARGE * mean;
        team.share_parts(&mut self.pasts[..], PUSHED, |first, pasts| {
            for (row, past) in (first..).zip(pasts) {
                let now = forces[row].load();
                let (gone, moved) = (difference(&now, &past.before), difference(&now, &past.pushed));
                let is_large = weights[row] * dot(&moved, &moved) > large;
                let turns = is_large && dot(&moved, &gone) < 0.0;
                let part = if turns { TURNED * past.part } else { (past.part + REGAINED).min(1.0) };
                let beyond = std::array::from_fn(|i| now[i] + share * part * gone[i]);
                let pushed = allowed::<A>(&laws[row].kind, &beyond);
                forces[row].store(&pushed);
                *past = Past { before: now, pushed, part };
            }
        });
    }

    /// Read the current forces.
    pub fn read(&self, forces: &mut [Vector]) {
        self.forces.iter().zip(forces).for_each(|(from, to)| *to = from.load());
    }

    /// Make each row in turn obey its law while all other forces are kept. Returns the square of the scaled norm of all changes.
    pub fn sweep<A: Axes>(&mut self, team: &mut Team, problem: &Problem3, memory: &Memory) -> f64 {
        let prepared = &memory.prepared();
        if memory.rolling.is_empty() {
            return self.relax_all(team, |forces, row| relax::<A>(forces, problem, prepared, row));
        }
        self.relax_all(team, |forces, row| relax_any::<A>(forces, problem, prepared, row))
    }

    /// Make the rows of some ranges obey their laws, and write the squared change of each range. No block connects rows of two ranges.
    #[cfg(feature = "mpi")]
    pub fn relax_ranges<A: Axes>(
        &self,
        team: &mut Team,
        problem: &Problem3,
        prepared: &Prepared,
        ranges: &[[u32; 2]],
        changes: &mut [f64],
    ) {
        let forces = &self.forces[..];
        if prepared.rolling.is_empty() {
            relax_ranges(team, forces, problem, prepared, ranges, changes, |row| {
                relax::<A>(forces, problem, prepared, row)
            });
        } else {
            relax_ranges(team, forces, problem, prepared, ranges, changes, |row| {
                relax_any::<A>(forces, problem, prepared, row)
            });
        }
    }

    /// The force of a row.
    #[cfg(feature = "mpi")]
    pub fn force(&self, row: usize) -> Vector {
        self.forces[row].load()
    }

    /// Set the force of a row that another process has changed.
    #[cfg(feature = "mpi")]
    pub fn set_force(&self, row: usize, force: &Vector) {
        self.forces[row].store(force);
    }

    /// Call a function for each row, which changes its force and returns the square of the scaled norm of the change. Returns the sum.
    #[inline(always)]
    fn relax_all(&mut self, team: &mut Team, relax: impl Fn(&[Force], usize) -> f64 + Sync) -> f64 {
        let Self { order, forces, changes, changed, .. } = self;
        let forces = &*forces;
        *changed = 0.0;
        for group in order.groups() {
            let count = group.rows.len();
            let changes = &mut changes[..count.div_ceil(CHUNK)];
            let work = |first: usize, changes: &mut [f64]| {
                for (number, change) in changes.iter_mut().enumerate() {
                    let rows = &group.rows[part(first + number, CHUNK, count)];
                    *change = rows.iter().map(|&row| relax(forces, row as usize)).sum();
                }
            };
            if group.are_independent {
                team.share_parts(&mut *changes, 1, work);
            } else {
                work(0, changes);
            }
            *changed += changes.iter().sum::<f64>();
        }
        *changed
    }
}

/// Relax the rows of ranges, and write the sum of each range. Rows of one color are far from each other in memory: what a row needs is
/// prefetched while the rows before it are relaxed.
#[cfg(feature = "mpi")]
#[inline(always)]
fn relax_ranges(
    team: &mut Team,
    forces: &[Force],
    problem: &Problem3,
    prepared: &Prepared,
    ranges: &[[u32; 2]],
    changes: &mut [f64],
    relax: impl Fn(usize) -> f64 + Sync,
) {
    team.share_parts(changes, CHUNK, |first, changes| {
        let ranges = &ranges[first..][..changes.len()];
        for (k, (&[row, end], change)) in ranges.iter().zip(changes).enumerate() {
            if let Some(&[later, _]) = ranges.get(k + FAR) {
                fetch(problem.starts[later as usize..].as_ptr());
                fetch(prepared.q[later as usize..].as_ptr());
                fetch(prepared.locals[later as usize..].as_ptr());
            }
            if let Some(&[near, _]) = ranges.get(k + NEAR) {
                let blocks = problem.range(near as usize);
                problem.columns[blocks.clone()]
                    .chunks(COLUMNS_OF_LINE)
                    .for_each(|columns| fetch(columns.as_ptr()));
                problem.values[blocks].iter().for_each(|block| fetch(block));
            }
            if let Some(&[next, _]) = ranges.get(k + NEXT) {
                let columns = &problem.columns[problem.range(next as usize)];
                columns.iter().for_each(|&column| fetch(&forces[column as usize]));
            }
            *change = (row..end).map(|row| relax(row as usize)).sum();
        }
    });
}

/// Make a row obey its law, with the moments in the next row if it has moments. Returns the square of the scaled norm of the change.
pub fn relax_any<A: Axes>(forces: &[Force], problem: &Problem3, prepared: &Prepared, row: usize) -> f64 {
    match prepared.locals[row] {
        Local::Pair(pair) => {
            relax_pair::<A>(forces, problem, prepared, row, &prepared.rolling[pair as usize])
        }
        // The row before it changes it. Both have the same neighbors, so that no other thread is there.
        Local::Moments(_) => 0.0,
        _ => relax::<A>(forces, problem, prepared, row),
    }
}

/// Make a row obey its law. Returns the square of the scaled norm of the change.
#[inline(always)]
fn relax<A: Axes>(forces: &[Force], problem: &Problem3, prepared: &Prepared, row: usize) -> f64 {
    let Prepared { q, weights, locals, accuracy, .. } = prepared;
    let old = forces[row].load();
    // Without the row's own force the sum is the velocity from the other forces.
    forces[row].store(&[0.0; 3]);
    let others = velocity(
        problem,
        row,
        &q[row],
        #[inline(always)]
        |column| forces[column].load(),
    );
    let new = locals[row].force::<A>(&others, &old, *accuracy);
    forces[row].store(&new);
    let change = difference(&new, &old);
    weights[row] * dot(&change, &change)
}

/// Make a contact with moments obey its law. Returns the square of the scaled norm of the changes.
fn relax_pair<A: Axes>(
    forces: &[Force],
    problem: &Problem3,
    prepared: &Prepared,
    row: usize,
    local: &RollingContact,
) -> f64 {
    let rows = [row, row + 1];
    let old = rows.map(|row| forces[row].load());
    rows.iter().for_each(|&row| forces[row].store(&[0.0; 3]));
    let others = rows.map(|row| velocity(problem, row, &prepared.q[row], |column| forces[column].load()));
    let new = local.force::<A>(&others, &old, prepared.accuracy);
    let mut square = 0.0;
    for (k, row) in rows.into_iter().enumerate() {
        forces[row].store(&new[k]);
        let change = difference(&new[k], &old[k]);
        square += prepared.weights[row] * dot(&change, &change);
    }
    square
}

//! Sweeps of Gauss–Seidel, by a team of threads.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::math::{Vector, difference};
use crate::memory::{self, collect, refill};
use crate::team::{Team, part};

use super::coloring::{CHUNK, Order};
use super::frames::Axes;
use super::law;
use super::problem::{Law, Problem3};
use super::residual::velocity;
use super::workspace::Memory;

/// Rows in a part of a thread's work on momentum.
const PUSHED: usize = 1024;

/// The forces during sweeps, and the order of sweeps.
#[derive(Debug, Default)]
pub struct Sweeps {
    order: Order,
    forces: Vec<Force>,
    /// The forces one sweep earlier, if there is momentum.
    before: Vec<Vector>,
    /// The squared change of each chunk of a group.
    changes: Vec<f64>,
}

/// A force that one thread writes while others may read its neighbors, but not this force: in a sweep no thread reads a force that
/// changes. On current processors such loads and stores cost no more than plain ones.
#[derive(Debug)]
struct Force([AtomicU64; 3]);

impl Force {
    #[inline(always)]
    fn load(&self) -> Vector {
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
        let rows = problem.rows();
        self.order.find(problem.starts, problem.columns)?;
        let zeros = std::iter::repeat_with(|| Force(Default::default())).take(rows);
        collect(&mut self.forces, rows, zeros)?;
        refill(&mut self.before, rows, [0.0; 3])?;
        refill(&mut self.changes, rows.div_ceil(CHUNK), 0.0)
    }

    /// Set the initial forces.
    pub fn begin(&self, forces: &[Vector]) {
        self.forces.iter().zip(forces).for_each(|(to, from)| to.store(from));
    }

    /// Reset momentum: the next push does not move the forces.
    pub fn rest(&mut self) {
        self.forces.iter().zip(&mut self.before).for_each(|(from, to)| *to = from.load());
    }

    /// Move the forces by a share of their change since the last push.
    pub fn push<A: Axes>(&mut self, team: &mut Team, laws: &[Law], share: f64) {
        let forces = &self.forces;
        team.share_parts(&mut self.before[..], PUSHED, |first, before| {
            for (row, before) in (first..).zip(before) {
                let now = forces[row].load();
                let beyond = std::array::from_fn(|i| now[i] + share * (now[i] - before[i]));
                forces[row].store(&law::allowed::<A>(&laws[row].kind, &beyond));
                *before = now;
            }
        });
    }

    /// Read the current forces.
    pub fn read(&self, forces: &mut [Vector]) {
        self.forces.iter().zip(forces).for_each(|(from, to)| *to = from.load());
    }

    /// Make each row in turn obey its law while all other forces are kept. Returns the square of the scaled norm of all changes.
    pub fn sweep<A: Axes>(&mut self, team: &mut Team, problem: &Problem3, memory: &Memory) -> f64 {
        let Self { order, forces, changes, .. } = self;
        let Memory { q, weights, locals, .. } = memory;
        let forces = &*forces;
        let relax = |row: usize| {
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
            let new = locals[row].force::<A>(&others, &old);
            forces[row].store(&new);
            let change = difference(&new, &old);
            weights[row] * (change[0] * change[0] + change[1] * change[1] + change[2] * change[2])
        };
        let mut changed = 0.0;
        for group in order.groups() {
            let count = group.rows.len();
            let changes = &mut changes[..count.div_ceil(CHUNK)];
            let work = |first: usize, changes: &mut [f64]| {
                for (number, change) in changes.iter_mut().enumerate() {
                    let rows = &group.rows[part(first + number, CHUNK, count)];
                    *change = rows.iter().map(|&row| relax(row as usize)).sum();
                }
            };
            if group.are_independent {
                team.share_parts(&mut *changes, 1, work);
            } else {
                work(0, changes);
            }
            changed += changes.iter().sum::<f64>();
        }
        changed
    }
}

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

/// Rows that a thread pushes at a time.
const PUSHED: usize = 1024;

/// Forces while sweeps are made, and the order of these.
#[derive(Debug, Default)]
pub struct Sweeps {
    order: Order,
    forces: Vec<Force>,
    /// Those after the sweep before the last one, where there is momentum.
    before: Vec<Vector>,
    /// Of each chunk of a group, the square of its change.
    changes: Vec<f64>,
}

/// Written by one thread while others may read neighbours, none of which it is: in a sweep nobody reads a force that changes. On
/// the processors at hand such loads and stores cost what plain ones do.
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
    /// Find the order, and make room.
    pub fn prepare(&mut self, problem: &Problem3) -> memory::Result {
        let rows = problem.rows();
        self.order.find(problem.starts, problem.columns)?;
        let zeros = std::iter::repeat_with(|| Force(Default::default())).take(rows);
        collect(&mut self.forces, rows, zeros)?;
        refill(&mut self.before, rows, [0.0; 3])?;
        refill(&mut self.changes, rows.div_ceil(CHUNK), 0.0)
    }

    /// Begin with these forces.
    pub fn begin(&self, forces: &[Vector]) {
        self.forces.iter().zip(forces).for_each(|(to, from)| to.store(from));
    }

    /// Have forces not move when they are pushed next.
    pub fn rest(&mut self) {
        self.forces.iter().zip(&mut self.before).for_each(|(from, to)| *to = from.load());
    }

    /// Move forces on by a share of what the last sweep has changed since the one before it.
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

    /// The forces that have been reached.
    pub fn read(&self, forces: &mut [Vector]) {
        self.forces.iter().zip(forces).for_each(|(from, to)| *to = from.load());
    }

    /// Have each row in turn obey its law while all other forces are kept; the square of the norm of all changes, scaled.
    pub fn sweep<A: Axes>(&mut self, team: &mut Team, problem: &Problem3, memory: &Memory) -> f64 {
        let Self { order, forces, changes, .. } = self;
        let Memory { q, weights, locals, .. } = memory;
        let forces = &*forces;
        let relax = |row: usize| {
            let old = forces[row].load();
            // Without the row's own force the sum is the velocity that the others make.
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

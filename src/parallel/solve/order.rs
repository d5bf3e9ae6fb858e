//! The order of rows in a sweep, and the messages of each color.
#![forbid(unsafe_code)]

use std::ffi::c_int;

use crate::ffi::errors::Result;
use crate::memory::{self, push, repeated};
use crate::parallel::coloring::NONE;
use crate::parallel::mpi::exchange::{Flight, Message, Traffic, no_memory};
use crate::parallel::mpi::group::Group;
use crate::parallel::row_exchange::RowsOfRank;
use crate::parallel::system::ParallelSystem;
use crate::rows::BlockRows;
use crate::solve::parts_of_solution::Sweeps;

use super::Mode;
use super::schedule::stages;
use super::splitting::Splitting;

/// The rows of one color on this process, as ranges of rows of three.
#[derive(Debug, Default)]
pub struct Color {
    /// Rows with blocks in columns of the halo, or in the halo of others: they come first, so that messages start early.
    pub boundary: Vec<[u32; 2]>,
    /// All other rows.
    pub interior: Vec<[u32; 2]>,
    /// The rows that one thread relaxes before the message of this color, and while it is under way, where all colors have the same bits.
    pub alone: [Vec<[u32; 2]>; 2],
    /// Rows of three that go to each neighbor, and those that come.
    out: Vec<(usize, Vec<u32>)>,
    inbox: Vec<(usize, Vec<u32>)>,
    flight: Flight,
}

/// The order of all rows.
#[derive(Debug, Default)]
pub struct Order {
    pub colors: Vec<Color>,
    /// All own rows, ascending, as ranges of rows of three.
    pub own: Vec<[u32; 2]>,
    /// In the fast mode.
    pub split: Splitting,
    mode: Option<Mode>,
}

/// Messages of colors have tags from here on; MPI has at least 32768.
const FIRST_TAG: c_int = 16;
const TAGS: usize = 16384;

impl Order {
    pub fn is_of(&self, mode: Mode) -> bool {
        self.mode == Some(mode)
    }

    /// All own rows of three, ascending.
    pub fn own_rows(&self) -> impl Iterator<Item = usize> {
        self.own.iter().flat_map(|range| range[0] as usize..range[1] as usize)
    }
}

/// The first row of three of each row, and the end.
fn firsts(w: &BlockRows) -> memory::Result<Vec<u32>> {
    let mut list = memory::with_capacity(w.len() + 1)?;
    list.push(0);
    let mut end = 0;
    for row in 0..w.len() {
        end += w.height(row).div_ceil(3) as u32;
        list.push(end);
    }
    Ok(list)
}

impl Color {
    /// The rows that are relaxed before the message, and while it is under way; by one thread alone, or by a team.
    pub fn lists(&self, is_alone: bool) -> [&[[u32; 2]]; 2] {
        let Self { alone: [before, after], boundary, interior, .. } = self;
        if is_alone { [before, after] } else { [boundary, interior] }
    }

    /// The rows of three that go to each neighbor.
    pub fn out(&self) -> &[(usize, Vec<u32>)] {
        &self.out
    }

    /// The rows of three that come from each neighbor.
    pub fn inbox(&self) -> &[(usize, Vec<u32>)] {
        &self.inbox
    }

    /// Begin to send the forces of this color.
    pub fn send(&mut self, group: &Group, traffic: &mut Traffic, number: usize, sweeps: &Sweeps) -> Result {
        let Self { out, flight, .. } = self;
        for ((_, rows), message) in out.iter().zip(&mut flight.out) {
            for (words, &row) in message.words.chunks_exact_mut(3).zip(rows) {
                words
                    .iter_mut()
                    .zip(sweeps.force(row as usize))
                    .for_each(|(to, force)| *to = force.to_bits());
            }
        }
        flight.start(group, FIRST_TAG + (number % TAGS) as c_int, traffic)
    }

    /// Wait for the forces of this color from other processes.
    pub fn receive(&mut self, group: &Group, sweeps: &Sweeps) -> Result {
        let Self { inbox, flight, .. } = self;
        flight.finish(group)?;
        for ((_, rows), message) in inbox.iter().zip(&flight.inbox) {
            for (words, &row) in message.words.as_chunks::<3>().0.iter().zip(rows) {
                sweeps.set_force(row as usize, &words.map(f64::from_bits));
            }
        }
        Ok(())
    }

    fn add_rows(lists: &mut Vec<(usize, Vec<u32>)>, rank: usize, range: [u32; 2]) -> memory::Result {
        if lists.last().is_none_or(|list| list.0 != rank) {
            push(lists, (rank, Vec::new()))?;
        }
        let Some((_, rows)) = lists.last_mut() else { return Ok(()) };
        (range[0]..range[1]).try_for_each(|row| push(rows, row))
    }

    fn make_room(&mut self) -> memory::Result {
        let Self { out, inbox, flight, .. } = self;
        for (lists, messages) in [(out, &mut flight.out), (inbox, &mut flight.inbox)] {
            for (rank, rows) in lists.iter() {
                push(messages, Message { rank: *rank, words: repeated(3 * rows.len(), 0)? })?;
            }
        }
        Ok(())
    }
}

impl ParallelSystem {
    /// List the rows of each color. Collective.
    ///
    /// # Errors
    /// The same on all processes: if memory is exhausted.
    pub(super) fn make_order(&mut self, mode: Mode) -> Result {
        self.solver.forget_order();
        let colors = match mode {
            Mode::SameBits => self.color_rows()?,
            // One color: rows of this process in the order of ids, and messages after them.
            Mode::Fast => Vec::new(),
        };
        let mut most =
            [colors.iter().filter(|&&color| color != NONE).max().map_or(0, |&color| i64::from(color))];
        self.group.max(&mut most)?;
        let listed = self.list_order(&colors, most[0] as usize + 1, mode);
        self.group.agree(listed.as_ref().map(|_| ()).map_err(|&code| code))?;
        self.solver.order = listed?;
        Ok(())
    }

    fn list_order(&self, colors: &[u16], count: usize, mode: Mode) -> Result<Order> {
        let w = self.system.results()?.w;
        let firsts = firsts(&w).map_err(no_memory)?;
        let colors = self.list_colors(colors, count, &firsts, mode).map_err(no_memory)?;
        colors.iter().try_for_each(|color| color.flight.reserve(&self.group))?;
        let own = self.rows.own.iter().map(|&row| [firsts[row as usize], firsts[row as usize + 1]]);
        let own = memory::collected(self.rows.own.len(), own).map_err(no_memory)?;
        let split = if mode == Mode::Fast { self.list_splitting(&firsts)? } else { Splitting::default() };
        Ok(Order { colors, own, split, mode: Some(mode) })
    }

    fn list_colors(
        &self,
        colors: &[u16],
        count: usize,
        firsts: &[u32],
        mode: Mode,
    ) -> memory::Result<Vec<Color>> {
        let Ok(results) = self.system.results() else { return Ok(Vec::new()) };
        let w = &results.w;
        let range = |row: u32| [firsts[row as usize], firsts[row as usize + 1]];
        let color = |row: u32| colors.get(row as usize).map_or(0, |&color| usize::from(color));
        let mut lists = memory::with_capacity(count)?;
        lists.resize_with(count, Color::default);
        let mut is_boundary = repeated(w.len(), false)?;
        for list in &self.rows.inbox {
            for &row in &list.rows {
                for &column in &w.columns()[w.blocks(row as usize)] {
                    is_boundary[column as usize] = true;
                }
            }
        }
        let shared = self.rows.out.iter().flat_map(|list| &list.rows);
        shared.for_each(|&row| is_boundary[row as usize] = true);
        for &row in &self.rows.own {
            let Color { boundary, interior, .. } = &mut lists[color(row)];
            push(if is_boundary[row as usize] { boundary } else { interior }, range(row))?;
        }
        if mode == Mode::SameBits {
            let stages = stages(*w, colors, &self.rows.own, &is_boundary, count)?;
            for (Color { alone, .. }, stage) in lists.iter_mut().zip(&stages) {
                for (to, rows) in alone.iter_mut().zip(stage) {
                    *to = memory::collected(rows.len(), rows.iter().map(|&row| range(row)))?;
                }
            }
        }
        let add = |rows: &[RowsOfRank], lists: &mut [Color], is_out: bool| -> memory::Result {
            for list in rows {
                for &row in &list.rows {
                    let Color { out, inbox, .. } = &mut lists[color(row)];
                    Color::add_rows(if is_out { out } else { inbox }, list.rank, range(row))?;
                }
            }
            Ok(())
        };
        add(&self.rows.out, &mut lists, true)?;
        add(&self.rows.inbox, &mut lists, false)?;
        lists.iter_mut().try_for_each(Color::make_room)?;
        Ok(lists)
    }
}

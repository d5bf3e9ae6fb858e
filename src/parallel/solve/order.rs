//! The order of rows in a sweep, and the messages of each color.
#![forbid(unsafe_code)]

use std::ffi::c_int;

use crate::ffi::errors::Result;
use crate::memory::{self, push, repeated};
use crate::parallel::coloring::Precedence;
use crate::parallel::mpi::exchange::{Flight, Message, Traffic};
use crate::parallel::mpi::group::Group;
use crate::parallel::row_exchange::RowsOfRank;
use crate::parallel::system::ParallelSystem;
use crate::rows::BlockRows;
use crate::solve::parts_of_solution::Sweeps;

use super::Mode;
use super::schedule::{Stage, StageInput, stages};
use super::splitting::Splitting;

/// Rows that are relaxed without messages between them, as ranges of rows of three.
#[derive(Debug, Default)]
pub struct ColorPart {
    alone: Vec<[u32; 2]>,
    shared: Vec<[u32; 2]>,
    ends: Vec<u32>,
}

/// The rows of one color on this process.
#[derive(Debug, Default)]
pub struct Color {
    /// Rows that are relaxed before the message of this color: those with blocks in columns of the halo, which are the rows in the halos of
    /// others, and those that come before them. And rows that are relaxed while the message is under way.
    pub parts: [ColorPart; 2],
    /// Rows of three that go to each neighbor, and those that come.
    out: Vec<(usize, Vec<u32>)>,
    inbox: Vec<(usize, Vec<u32>)>,
    flight: Flight,
}

/// The order of all rows.
#[derive(Debug, Default)]
pub struct Sequence {
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

impl Sequence {
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

impl ColorPart {
    fn new(stage: &Stage, range: impl Fn(u32) -> [u32; 2]) -> memory::Result<Self> {
        let [alone, shared] = [&stage.alone, &stage.shared]
            .map(|rows| memory::collected(rows.len(), rows.iter().map(|&row| range(row))));
        Ok(Self { alone: alone?, shared: shared?, ends: memory::copied(&stage.ends)? })
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.alone.len()
    }

    /// All rows, in the order for one thread; or groups of them. No block of W connects two rows of such a group.
    pub fn groups(&self, is_alone: bool) -> impl Iterator<Item = &[[u32; 2]]> {
        let Self { alone, shared, ends } = self;
        let begins = std::iter::once(0).chain(ends.iter().copied());
        let groups = begins.zip(ends).map(|(begin, &end)| &shared[begin as usize..end as usize]);
        is_alone.then_some(&alone[..]).into_iter().chain(groups.filter(move |_| !is_alone))
    }
}

impl Color {
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
        // In the fast mode there is one color: rows of this process in the order of ids, and messages after them.
        let (colors, precedence) = match mode {
            Mode::SameBits => self.color_rows().map(|(colors, precedence)| (colors, Some(precedence)))?,
            Mode::Fast => (Vec::new(), None),
        };
        let own = self.rows.own.iter().filter_map(|&row| colors.get(row as usize));
        let mut most = [own.max().map_or(0, |&color| i64::from(color))];
        self.group.max(&mut most)?;
        self.solver.order =
            self.group.agree(self.list_order(&colors, most[0] as usize + 1, precedence.as_ref()))?;
        Ok(())
    }

    fn list_order(&self, colors: &[u32], count: usize, precedence: Option<&Precedence>) -> Result<Sequence> {
        let w = self.system.results()?.w;
        let firsts = firsts(&w)?;
        let is_fast = precedence.is_none();
        let colors = self.list_colors(&w, colors, count, &firsts, precedence)?;
        colors.iter().try_for_each(|color| color.flight.reserve(&self.group))?;
        let own = self.rows.own.iter().map(|&row| [firsts[row as usize], firsts[row as usize + 1]]);
        let own = memory::collected(self.rows.own.len(), own)?;
        let split = if is_fast { self.list_splitting(&firsts)? } else { Splitting::default() };
        let mode = Some(if is_fast { Mode::Fast } else { Mode::SameBits });
        Ok(Sequence { colors, own, split, mode })
    }

    /// The own rows with blocks in columns of the halo. Other processes have them in their halos.
    fn boundary(&self, w: &BlockRows) -> memory::Result<Vec<bool>> {
        let mut is_boundary = repeated(w.len(), false)?;
        let shared = self.rows.out.iter().flat_map(|list| &list.rows);
        shared.for_each(|&row| is_boundary[row as usize] = true);
        Ok(is_boundary)
    }

    fn list_colors(
        &self,
        w: &BlockRows,
        colors: &[u32],
        count: usize,
        firsts: &[u32],
        precedence: Option<&Precedence>,
    ) -> memory::Result<Vec<Color>> {
        let range = |row: u32| [firsts[row as usize], firsts[row as usize + 1]];
        let color = |row: u32| colors.get(row as usize).map_or(0, |&color| color as usize);
        let is_boundary = self.boundary(w)?;
        let own = &self.rows.own;
        let stages = match precedence {
            Some(precedence) => {
                stages(&StageInput { w: *w, precedence, colors, count, own, is_boundary: &is_boundary })?
            }
            None => {
                let of = |boundary: bool| {
                    let rows = own.iter().filter(|&&row| is_boundary[row as usize] == boundary);
                    memory::collected(own.len(), rows.copied())
                };
                let stages = [of(true)?, of(false)?].map(|alone| Stage { alone, ..Stage::default() });
                memory::collected(1, std::iter::once(stages))?
            }
        };
        let mut lists = memory::with_capacity(count)?;
        for [before, during] in &stages {
            let parts = [ColorPart::new(before, range)?, ColorPart::new(during, range)?];
            lists.push(Color { parts, ..Color::default() });
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

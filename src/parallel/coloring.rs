//! Colors of constraints: no block of W connects two of one color. A constraint gets the first color that no neighbor before it has, in
//! the order of hashed ids (Jones and Plassmann, 1993): the colors belong to the pattern of all processes, for any partition.
#![forbid(unsafe_code)]

use crate::ffi::errors::{Code, Result, fail};
use crate::memory::{self, repeated};
use crate::rows::BlockRows;
use crate::system::Id;

use super::color_rounds::Rounds;
use super::mpi::exchange::no_memory;
use super::system::ParallelSystem;

/// Stands for a row without a color.
pub const NONE: u16 = u16::MAX;

/// Stands for a row that gets no color any more, since a process has an error.
pub const HALTED: u16 = NONE - 1;

/// A number that looks random (Steele, Lea and Flood: Fast splittable pseudorandom number generators, 2014).
fn hashed(id: Id) -> u64 {
    let mut x = id.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// Whether a constraint gets its color before another one.
fn is_before(one: Id, other: Id) -> bool {
    (hashed(one), one) < (hashed(other), other)
}

/// The coloring of the rows of a process under way.
pub struct Coloring<'a> {
    w: BlockRows<'a>,
    ids: &'a [Id],
    is_own: &'a [bool],
    colors: &'a mut [u16],
    /// The neighbors of each own row that get their colors before it and have none.
    waiting: Vec<u32>,
    ready: Vec<u32>,
    /// Whether a process has an error: rows get no colors any more.
    is_halted: bool,
    /// Colors of neighbors, as bits.
    taken: Vec<u64>,
}

impl Coloring<'_> {
    fn others(&self, row: usize) -> impl Iterator<Item = usize> + use<'_> {
        let columns = &self.w.columns()[self.w.blocks(row)];
        columns.iter().map(|&column| column as usize).filter(move |&column| column != row)
    }

    /// Count the neighbors that own rows wait for.
    fn begin(&mut self, own: &[u32]) {
        for &row in own {
            let before =
                self.others(row as usize).filter(|&other| is_before(self.ids[other], self.ids[row as usize]));
            let count = before.count() as u32;
            self.waiting[row as usize] = count;
            if count == 0 {
                self.ready.push(row);
            }
        }
    }

    /// Give colors to all rows that wait for none, unless a process has an error.
    fn advance(&mut self) -> Result {
        while let Some(row) = self.ready.pop().filter(|_| !self.is_halted) {
            let row = row as usize;
            self.taken.fill(0);
            let mut taken = std::mem::take(&mut self.taken);
            for color in self.others(row).map(|other| self.colors[other]).filter(|&color| color != NONE) {
                let word = usize::from(color) / 64;
                if word >= taken.len() {
                    memory::resize(&mut taken, word + 1, 0).map_err(no_memory)?;
                }
                taken[word] |= 1 << (color % 64);
            }
            let full = taken.iter().take_while(|&&word| word == u64::MAX).count();
            let color = 64 * full + taken.get(full).map_or(0, |word| word.trailing_ones() as usize);
            self.taken = taken;
            let color = u16::try_from(color).ok().filter(|&color| color < HALTED);
            self.colors[row] =
                color.ok_or_else(|| fail!(Code::TooLarge, "more than 65534 constraints act on one body"))?;
            self.release(row);
        }
        Ok(())
    }

    /// The color of a row for a message.
    pub fn color(&self, row: u32) -> u16 {
        if self.is_halted { HALTED } else { self.colors[row as usize] }
    }

    /// Take the color of a row of another process; returns whether it has one or gets none.
    pub fn receive(&mut self, row: u32, color: u16) -> bool {
        match color {
            NONE => return false,
            HALTED => self.is_halted = true,
            _ => {
                self.colors[row as usize] = color;
                self.release(row as usize);
            }
        }
        true
    }

    /// The own rows after this one wait for one row less.
    fn release(&mut self, row: usize) {
        for k in self.w.blocks(row) {
            let other = self.w.columns()[k] as usize;
            if other != row && self.is_own[other] && is_before(self.ids[row], self.ids[other]) {
                self.waiting[other] -= 1;
                if self.waiting[other] == 0 {
                    // There is room for all own rows, and each of them gets ready once.
                    self.ready.push(other as u32);
                }
            }
        }
    }
}

impl ParallelSystem {
    /// Find the color of each local row. Collective; the rows are up to date.
    ///
    /// # Errors
    /// The same on all processes: if memory is exhausted, or there are too many colors.
    pub(super) fn color_rows(&mut self) -> Result<Vec<u16>> {
        let Self { group, traffic, system, rows, .. } = self;
        let results = system.results()?;
        let count = results.ids.len();
        let prepared = || {
            let mut is_own = repeated(count, false)?;
            rows.own.iter().for_each(|&row| is_own[row as usize] = true);
            let waiting = repeated(count, 0_u32)?;
            let rounds = Rounds::new(&rows.out, &rows.inbox)?;
            Ok((is_own, repeated(count, NONE)?, waiting, memory::with_capacity(count)?, rounds))
        };
        let prepared =
            prepared().map_err(no_memory::<std::collections::TryReserveError>).and_then(|prepared| {
                prepared.4.reserve(group)?;
                Ok(prepared)
            });
        group.agree(prepared.as_ref().map(|_| ()).map_err(|&code| code))?;
        let (is_own, mut colors, waiting, ready, mut rounds) = prepared?;
        let mut coloring = Coloring {
            w: results.w,
            ids: results.ids,
            is_own: &is_own,
            colors: &mut colors,
            waiting,
            ready,
            is_halted: false,
            taken: Vec::new(),
        };
        coloring.begin(&rows.own);
        let mut made = Ok(());
        loop {
            if made.is_ok() {
                made = coloring.advance();
            }
            coloring.is_halted |= made.is_err();
            if rounds.are_over() {
                break;
            }
            rounds.next(group, traffic, &mut coloring)?;
        }
        group.agree(made)?;
        Ok(colors)
    }
}

//! Colors of constraints: no block of W connects two of one color. A constraint gets the first color that no neighbor before it has, in
//! the order of hashed ids (Jones and Plassmann, 1993): the colors belong to the pattern of all processes, for any partition.
#![forbid(unsafe_code)]

use crate::ffi::errors::{Code, Result, fail};
use crate::io::words::Words;
use crate::memory::{self, push, repeated};
use crate::rows::BlockRows;
use crate::system::Id;

use super::mpi::exchange::{Letters, Message, no_memory};
use super::mpi::group::Group;
use super::row_exchange::RowExchange;
use super::system::ParallelSystem;

/// Stands for a row without a color.
pub const NONE: u16 = u16::MAX;

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
struct Coloring<'a> {
    w: BlockRows<'a>,
    ids: &'a [Id],
    is_own: &'a [bool],
    colors: &'a mut [u16],
    /// The neighbors of each own row that get their colors before it and have none.
    waiting: Vec<u32>,
    ready: Vec<u32>,
    /// Own rows that have got a color since the last message.
    new: Vec<u32>,
    /// Colors of neighbors, as bits.
    taken: Vec<u64>,
}

impl Coloring<'_> {
    fn others(&self, row: usize) -> impl Iterator<Item = usize> + use<'_> {
        let columns = &self.w.columns()[self.w.blocks(row)];
        columns.iter().map(|&column| column as usize).filter(move |&column| column != row)
    }

    /// Give colors to all rows that wait for none.
    fn advance(&mut self) -> Result {
        while let Some(row) = self.ready.pop() {
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
            let color = u16::try_from(color).ok().filter(|&color| color != NONE);
            self.colors[row] =
                color.ok_or_else(|| fail!(Code::TooLarge, "more than 65535 constraints act on one body"))?;
            push(&mut self.new, row as u32).map_err(no_memory)?;
            self.release(row)?;
        }
        Ok(())
    }

    /// The own rows after this one wait for one row less.
    fn release(&mut self, row: usize) -> Result {
        for k in self.w.blocks(row) {
            let other = self.w.columns()[k] as usize;
            if other != row && self.is_own[other] && is_before(self.ids[row], self.ids[other]) {
                self.waiting[other] -= 1;
                if self.waiting[other] == 0 {
                    push(&mut self.ready, other as u32).map_err(no_memory)?;
                }
            }
        }
        Ok(())
    }

    /// The new colors for the processes that have the rows in their halos.
    fn letters(&mut self, group: &Group, rows: &RowExchange) -> Result<Letters> {
        let mut letters = Letters::new(group)?;
        self.new.sort_unstable();
        for list in &rows.out {
            let words: &mut Words = letters.to(list.rank);
            for (place, &row) in list.rows.iter().enumerate() {
                if self.new.binary_search(&row).is_ok() {
                    let color = self.colors[row as usize];
                    words.put((place as u64) << 16 | u64::from(color)).map_err(no_memory)?;
                }
            }
        }
        Ok(letters)
    }

    /// Take the colors of rows of the halo.
    fn receive(&mut self, rows: &RowExchange, message: &Message) -> Result {
        let list = rows.inbox.iter().find(|list| list.rank == message.rank);
        for &word in &message.words {
            let Some(&row) = list.and_then(|list| list.rows.get((word >> 16) as usize)) else { continue };
            self.colors[row as usize] = word as u16;
            self.release(row as usize)?;
        }
        Ok(())
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
            Ok((is_own, repeated(count, NONE)?, repeated(count, 0_u32)?, memory::with_capacity(count)?))
        };
        let prepared = prepared().map_err(no_memory::<std::collections::TryReserveError>);
        group.agree(prepared.as_ref().map(|_| ()).map_err(|&code| code))?;
        let (is_own, mut colors, waiting, ready) = prepared?;
        let mut coloring = Coloring {
            w: results.w,
            ids: results.ids,
            is_own: &is_own,
            colors: &mut colors,
            waiting,
            ready,
            new: Vec::new(),
            taken: Vec::new(),
        };
        for &row in &rows.own {
            let row = row as usize;
            let before =
                coloring.others(row).filter(|&other| is_before(results.ids[other], results.ids[row]));
            coloring.waiting[row] = before.count() as u32;
            if coloring.waiting[row] == 0 {
                coloring.ready.push(row as u32);
            }
        }
        let mut left = rows.own.len();
        loop {
            let advanced = coloring.advance();
            left -= coloring.new.len();
            let letters = advanced.and_then(|()| coloring.letters(group, rows));
            let messages = Letters::exchange(group, letters, traffic)?;
            coloring.new.clear();
            let received = messages.iter().try_for_each(|message| coloring.receive(rows, message));
            let mut state = [group.code_of(received), i64::from(left > 0)];
            group.max(&mut state)?;
            group.fail_if(state[0], received)?;
            if state[1] == 0 {
                break;
            }
        }
        Ok(colors)
    }
}

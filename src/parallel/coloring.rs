//! The order of constraints in sweeps, and their colors.
//!
//! Ids are divided into blocks. Blocks are in the order of hashed numbers, as single constraints are in the coloring of Jones and Plassmann
//! (1993), and the ids of a block ascend: the order belongs to the pattern of all processes, for any partition, and rows that are
//! near in memory mostly follow each other. The color of a row is the length of its longest chain of messages, each of which waits for the
//! one before. If a block of W connects rows of two processes, their colors differ.
#![forbid(unsafe_code)]

use crate::ffi::errors::Result;
use crate::memory::{self, collected, push, repeated};
use crate::rows::BlockRows;
use crate::system::Id;

use super::color_rounds::Rounds;
use super::system::ParallelSystem;

/// Stands for a row without a color.
pub const NONE: u32 = u32::MAX;

/// Blocks have 2⁶ ids. Larger ones are not faster, and make more colors if processes share them.
const BLOCK: u32 = 6;

/// A number that looks random (Steele, Lea and Flood: Fast splittable pseudorandom number generators, 2014).
fn hashed(number: u64) -> u64 {
    let mut x = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}

/// The order of rows in a sweep.
pub struct Precedence {
    /// The hashed block of each row.
    keys: Vec<u64>,
}

impl Precedence {
    /// The order of rows with these ids, which ascend.
    pub fn new(ids: &[Id]) -> memory::Result<Self> {
        Ok(Self { keys: collected(ids.len(), ids.iter().map(|id| hashed(id >> BLOCK)))? })
    }

    /// Whether a row comes before another one.
    pub fn is_before(&self, one: usize, other: usize) -> bool {
        (self.keys[one], one) < (self.keys[other], other)
    }
}

/// The coloring of the rows of a process under way.
pub struct Coloring<'a> {
    w: BlockRows<'a>,
    precedence: &'a Precedence,
    is_own: &'a [bool],
    colors: &'a mut [u32],
    /// The neighbors of each own row that come before it and have no color.
    waiting: Vec<u32>,
    ready: Vec<u32>,
    /// Rows of the halo, with the own rows that come after them.
    followers: Vec<[u32; 2]>,
}

impl Coloring<'_> {
    fn others(&self, row: usize) -> impl Iterator<Item = usize> + use<'_> {
        let columns = &self.w.columns()[self.w.blocks(row)];
        columns.iter().map(|&column| column as usize).filter(move |&column| column != row)
    }

    /// Count the neighbors for which each own row waits.
    fn begin(&mut self, own: &[u32]) -> memory::Result {
        self.waiting = repeated(self.w.len(), 0)?;
        self.ready = memory::with_capacity(own.len())?;
        for &row in own {
            for k in self.w.blocks(row as usize) {
                let other = self.w.columns()[k] as usize;
                if self.precedence.is_before(other, row as usize) {
                    self.waiting[row as usize] += 1;
                    if !self.is_own[other] {
                        push(&mut self.followers, [other as u32, row])?;
                    }
                }
            }
            if self.waiting[row as usize] == 0 {
                self.ready.push(row);
            }
        }
        self.followers.sort_unstable();
        Ok(())
    }

    /// Give colors to all rows that wait for none.
    fn advance(&mut self) {
        while let Some(row) = self.ready.pop() {
            let row = row as usize;
            let before = self.others(row).filter(|&other| self.precedence.is_before(other, row));
            let color = before.map(|other| self.colors[other] + u32::from(!self.is_own[other])).max();
            self.colors[row] = color.unwrap_or(0);
            for k in self.w.blocks(row) {
                let other = self.w.columns()[k] as usize;
                if self.is_own[other] && self.precedence.is_before(row, other) {
                    self.release(other as u32);
                }
            }
        }
    }

    /// The color of a row for a message.
    pub fn color(&self, row: u32) -> u32 {
        self.colors[row as usize]
    }

    /// Take the color of a row of another process; returns whether it has one.
    pub fn receive(&mut self, row: u32, color: u32) -> bool {
        if color == NONE {
            return false;
        }
        self.colors[row as usize] = color;
        let first = self.followers.partition_point(|pair| pair[0] < row);
        let count = self.followers[first..].partition_point(|pair| pair[0] == row);
        for k in first..first + count {
            self.release(self.followers[k][1]);
        }
        true
    }

    /// An own row waits for one row less. There is room for all own rows, and each of them gets ready once.
    fn release(&mut self, row: u32) {
        self.waiting[row as usize] -= 1;
        if self.waiting[row as usize] == 0 {
            self.ready.push(row);
        }
    }
}

impl ParallelSystem {
    /// Find the color of each local row, and the order of rows. Collective; the rows are up to date.
    ///
    /// # Errors
    /// The same on all processes: if memory is exhausted.
    pub(super) fn color_rows(&mut self) -> Result<(Vec<u32>, Precedence)> {
        let Self { group, traffic, system, rows, .. } = self;
        let results = system.results()?;
        let count = results.ids.len();
        let prepared = || -> memory::Result<_> {
            let mut is_own = repeated(count, false)?;
            rows.own.iter().for_each(|&row| is_own[row as usize] = true);
            Ok((is_own, repeated(count, NONE)?, Precedence::new(results.ids)?))
        };
        let (is_own, mut colors, precedence) = group.agree(prepared())?;
        let mut coloring = Coloring {
            w: results.w,
            precedence: &precedence,
            is_own: &is_own,
            colors: &mut colors,
            waiting: Vec::new(),
            ready: Vec::new(),
            followers: Vec::new(),
        };
        let mut begin = || -> Result<Rounds> {
            coloring.begin(&rows.own)?;
            let rounds = Rounds::new(&rows.out, &rows.inbox)?;
            rounds.reserve(group)?;
            Ok(rounds)
        };
        let mut rounds = group.agree(begin())?;
        coloring.advance();
        while !rounds.are_over() {
            rounds.next(group, traffic, &mut coloring)?;
            coloring.advance();
        }
        drop(coloring);
        Ok((colors, precedence))
    }
}

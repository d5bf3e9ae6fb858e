//! The rows that share a body with a row, which have blocks with it, in systems without irregular rows.
#![forbid(unsafe_code)]

use std::ops::Range;

use crate::assembly::pairs::Coupling;

use super::{Side, Structure};

impl Structure {
    /// The rows after `row` that share a body with it, ascending, with what couples `row` with them: each body in its place.
    pub fn later(&self, row: usize) -> Later<'_> {
        Later(self.rests(row, |side| side.slot as usize + 1..self.rows_on(side.body as usize).len()))
    }

    /// The rows after `row` that share a body with it, in runs of slots.
    #[inline(always)]
    pub fn later_runs(&self, row: usize) -> Runs<'_> {
        Runs(self.rests(row, |side| side.slot as usize + 1..self.rows_on(side.body as usize).len()))
    }

    /// The rows before `row` that share a body with it, ascending, with what couples `row` with them.
    pub fn earlier(&self, row: usize) -> impl Iterator<Item = (usize, [Option<Coupling>; 2])> {
        let others = Later(self.rests(row, |side| 0..side.slot as usize));
        let swapped = |Coupling { body, row, column }| Coupling { body, row: column, column: row };
        others.map(move |(column, [one, other])| (column, [one.map(swapped), other.map(swapped)]))
    }

    /// The row and all rows that share a body with it, as [`Structure::later`], but in runs of slots.
    #[inline(always)]
    pub fn runs(&self, row: usize) -> Runs<'_> {
        Runs(self.rests(row, |side| 0..self.rows_on(side.body as usize).len()))
    }

    /// The rows on each body of a row in some of its slots.
    #[inline(always)]
    pub(super) fn rests(&self, row: usize, slots: impl Fn(Side) -> Range<usize>) -> [Rest<'_>; 2] {
        let [one, other] = self.sides.firsts[row];
        [self.rest(one, &slots), self.rest(other, &slots)]
    }

    #[inline(always)]
    pub(super) fn rest(&self, side: Side, slots: &impl Fn(Side) -> Range<usize>) -> Rest<'_> {
        if !side.is_there() {
            return Rest::default();
        }
        let (Side { body, slot: own }, slots) = (side, slots(side));
        Rest { body, own, next: slots.start as u32, rows: &self.rows_on(body as usize)[slots] }
    }
}

/// Columns of a row that have consecutive slots on one body, or one that two bodies couple with the row.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The couplings of the first column with the row.
    pub couplings: [Option<Coupling>; 2],
    /// The number of columns; 1 if two bodies couple it.
    pub count: usize,
}

/// See [`Structure::later`].
pub struct Later<'a>(pub(super) [Rest<'a>; 2]);

/// Rows on a body that are still to come, slot by slot.
#[derive(Clone, Copy, Default)]
pub(super) struct Rest<'a> {
    body: u32,
    /// First slot of the row at hand.
    own: u32,
    /// Slot of the first of them.
    next: u32,
    pub(super) rows: &'a [u32],
}

impl Rest<'_> {
    /// The next row.
    #[inline(always)]
    pub(super) fn row(&self) -> Option<u32> {
        self.rows.first().copied()
    }

    /// What couples it with the row at hand.
    #[inline(always)]
    fn take(&mut self) -> Option<Coupling> {
        self.take_some(1)
    }

    /// What couples it with the row at hand; `count` slots are taken.
    #[inline(always)]
    pub(super) fn take_some(&mut self, count: usize) -> Option<Coupling> {
        let column = self.next as usize;
        self.rows = &self.rows[count..];
        self.next += count as u32;
        Some(Coupling { body: self.body as usize, row: self.own as usize, column })
    }

    /// All rows before another one.
    #[inline(always)]
    fn take_before(&mut self, row: Option<u32>) -> Run {
        let count = match row {
            Some(row) => self.rows.iter().take_while(|&&own| own < row).count(),
            None => self.rows.len(),
        };
        Run { couplings: [self.take_some(count), None], count }
    }
}

/// See [`Structure::runs`].
pub struct Runs<'a>([Rest<'a>; 2]);

impl Iterator for Runs<'_> {
    type Item = Run;

    #[inline(always)]
    fn next(&mut self) -> Option<Run> {
        let [one, other] = &mut self.0;
        match (one.row(), other.row()) {
            (None, None) => None,
            (Some(row), Some(same)) if row == same => {
                Some(Run { couplings: [one.take(), other.take()], count: 1 })
            }
            (Some(row), later) if later.is_none_or(|later| row < later) => Some(one.take_before(later)),
            (later, _) => Some(other.take_before(later)),
        }
    }
}

impl Iterator for Later<'_> {
    type Item = (usize, [Option<Coupling>; 2]);

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        let [one, other] = &mut self.0;
        let (row, couplings) = match (one.row(), other.row()) {
            (None, None) => return None,
            (Some(row), Some(same)) if row == same => (row, [one.take(), other.take()]),
            (Some(row), None) => (row, [one.take(), None]),
            (Some(row), Some(later)) if row < later => (row, [one.take(), None]),
            (_, Some(row)) => (row, [None, other.take()]),
        };
        Some((row as usize, couplings))
    }
}

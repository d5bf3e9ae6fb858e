//! The shares of threads.
#![forbid(unsafe_code)]

use std::iter;
use std::ops::Range;

use crate::memory::collect;
use crate::system::error::Result;
use crate::system::structure::Structure;

/// The order in which pairs are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PairOrder {
    /// The order in which products with operators of any form are quickest.
    ByRows,
    /// The order in memory of the entries of inverse matrices of meshes.
    ByColumns,
}

/// Rows that a thread computes at a time, with all pairs that have one of them as the first row, or as the second row if pairs are
/// computed by columns.
#[derive(Debug, Default)]
pub struct PartOfPairs<Place = i32> {
    pub(super) rows: Range<usize>,
    /// The rows of these pairs, and maybe some between them.
    pub(super) reach: Range<usize>,
    /// The place of the first block of each row of the reach; found when the part is first used.
    firsts: Vec<Place>,
    /// The place of the next block of each row.
    cursors: Vec<Place>,
}

impl<Place: Copy> PartOfPairs<Place> {
    /// The place of the next block of each row of the reach before anything is written; `first` finds it.
    #[inline(always)]
    pub(super) fn start(&mut self, first: impl Fn(usize) -> Place) -> &mut [Place] {
        if self.firsts.is_empty() {
            self.firsts.extend(self.reach.clone().map(first));
        }
        self.cursors.clear();
        self.cursors.extend_from_slice(&self.firsts);
        &mut self.cursors
    }
}

/// The shares of threads in all pairs, kept until the structure changes.
#[derive(Debug, Default)]
pub struct PartsOfPairs<Place = i32> {
    parts: Vec<PartOfPairs<Place>>,
    /// The order, whether there is a plan of the pairs, and the number of threads.
    made_for: Option<(PairOrder, bool, usize)>,
}

impl<Place: Copy + Default> PartsOfPairs<Place> {
    /// Discard the parts: the structure changes.
    pub fn forget(&mut self) {
        self.made_for = None;
    }

    /// Parts for a number of threads. All have about the same number of pairs, or the same number of rows if there is a plan of the
    /// pairs.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn of(
        &mut self,
        structure: &Structure,
        order: PairOrder,
        is_planned: bool,
        threads: usize,
    ) -> Result<&mut [PartOfPairs<Place>]> {
        let wanted = Some((order, is_planned, threads));
        if self.made_for != wanted {
            self.made_for = None;
            self.make(structure, order, is_planned, threads)?;
            self.made_for = wanted;
        }
        Ok(&mut self.parts)
    }

    fn make(&mut self, structure: &Structure, order: PairOrder, is_planned: bool, threads: usize) -> Result {
        /// The number of parts for each of several threads, and the least number of pairs of a part.
        const PARTS: usize = 8;
        const LEAST: usize = 512;
        let parts = &mut self.parts;
        let (rows, pairs) = (structure.len(), (structure.columns().len() - structure.len()) / 2);
        let count = if threads == 1 { 1 } else { (pairs / LEAST).clamp(1, PARTS * threads) };
        parts.try_reserve(count.saturating_sub(parts.len()))?;
        parts.resize_with(count, PartOfPairs::default);
        if is_planned {
            let ends = (0..=count).map(|k| rows * k / count);
            parts.iter_mut().zip(ends.clone().zip(ends.skip(1))).for_each(|(part, (a, b))| part.rows = a..b);
            return Ok(());
        }
        let (mut row, mut before) = (0, 0);
        for (k, part) in (1..).zip(&mut *parts) {
            (part.rows, part.reach) = (row..row, row..row);
            while row < rows && (k == count || before < pairs * k / count) {
                let [first, last] = [row, row + 1].map(|row| structure.starts()[row] as usize);
                let (diagonal, last) = (structure.diagonal(row), last - 1);
                let (own, furthest) = match order {
                    PairOrder::ByRows => (last - diagonal, last),
                    PairOrder::ByColumns => (diagonal - first, first),
                };
                before += own;
                let furthest = structure.columns()[furthest] as usize;
                part.reach = part.reach.start.min(furthest)..part.reach.end.max(1 + row.max(furthest));
                row += 1;
            }
            part.rows.end = row;
            for places in [&mut part.firsts, &mut part.cursors] {
                collect(places, part.reach.len(), iter::empty())?;
            }
        }
        Ok(())
    }
}

/// The number of rows that a thread computes at a time if no row depends on another one.
pub fn part_of_rows(rows: usize, threads: usize) -> usize {
    if threads == 1 { rows.max(1) } else { (rows / (16 * threads)).clamp(16, 256) }
}

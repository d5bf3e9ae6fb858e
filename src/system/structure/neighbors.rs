//! The rows that share a body with a row, which have blocks with it.
#![forbid(unsafe_code)]

use std::array;
use std::ops::Range;

use crate::assembly::pairs::Coupling;
use crate::assembly::whole_rows::ColumnRun;

use super::{MOST_BODIES, Side, Structure};

/// Number of couplings of a row on at most two bodies.
const FEW: usize = 2;

/// For rows with regular columns alone, as in systems without irregular rows.
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
    fn rests(&self, row: usize, slots: impl Fn(Side) -> Range<usize>) -> [Rest<'_>; 2] {
        let [one, other] = self.sides.firsts[row];
        [self.rest(one, &slots), self.rest(other, &slots)]
    }

    #[inline(always)]
    fn rest(&self, side: Side, slots: &impl Fn(Side) -> Range<usize>) -> Rest<'_> {
        if !side.is_there() {
            return Rest::default();
        }
        let (Side { body, slot: own }, slots) = (side, slots(side));
        Rest { body, own, next: slots.start as u32, rows: &self.rows_on(body as usize)[slots] }
    }
}

/// See [`Structure::later`].
pub struct Later<'a>([Rest<'a>; 2]);

/// Rows on a body that are still to come, slot by slot.
#[derive(Clone, Copy, Default)]
struct Rest<'a> {
    body: u32,
    /// First slot of the row at hand.
    own: u32,
    /// Slot of the first of them.
    next: u32,
    rows: &'a [u32],
}

impl Rest<'_> {
    /// The next row.
    #[inline(always)]
    fn row(&self) -> Option<u32> {
        self.rows.first().copied()
    }

    /// What couples it with the row at hand.
    #[inline(always)]
    fn take(&mut self) -> Option<Coupling> {
        self.take_some(1)
    }

    /// What couples it with the row at hand; `count` slots are taken.
    #[inline(always)]
    fn take_some(&mut self, count: usize) -> Option<Coupling> {
        let column = self.next as usize;
        self.rows = &self.rows[count..];
        self.next += count as u32;
        Some(Coupling { body: self.body as usize, row: self.own as usize, column })
    }

    /// All rows before another one.
    #[inline(always)]
    fn take_before(&mut self, row: Option<u32>) -> ColumnRun {
        let count = match row {
            Some(row) => self.rows.iter().take_while(|&&own| own < row).count(),
            None => self.rows.len(),
        };
        ColumnRun { couplings: [self.take_some(count), None], count }
    }
}

/// See [`Structure::runs`].
pub struct Runs<'a>([Rest<'a>; 2]);

impl Iterator for Runs<'_> {
    type Item = ColumnRun;

    #[inline(always)]
    fn next(&mut self) -> Option<ColumnRun> {
        let [one, other] = &mut self.0;
        match (one.row(), other.row()) {
            (None, None) => None,
            (Some(row), Some(same)) if row == same => {
                Some(ColumnRun { couplings: [one.take(), other.take()], count: 1 })
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

/// In systems with irregular rows.
impl Structure {
    /// Whether a row has more than two bodies, obstacles left out: the following functions take N = [`MOST_BODIES`] for it, else N
    /// = 2.
    #[inline(always)]
    pub fn is_on_many(&self, row: usize) -> bool {
        self.all_sides(row).len() > FEW
    }

    /// The number of columns of a regular row, from its first `columns` on, that have three scalars.
    #[inline(always)]
    pub fn even_columns(&self, row: usize, columns: &[i32]) -> usize {
        self.layout.even_columns(row, columns)
    }

    /// The rows from `first` on that share a body with an earlier `row` on at most two bodies, ascending, in runs.
    #[inline(always)]
    pub fn later_runs_from(&self, row: usize, first: u32) -> RunsOfAny<'_, FEW> {
        let slots = |side: Side| {
            let (own, rows) = (side.slot as usize, self.rows_on(side.body as usize));
            own + rows[own..].iter().take_while(|&&other| other < first).count()..rows.len()
        };
        let (is_regular, rests) = (self.is_regular(row), self.rests(row, slots));
        RunsOfAny { structure: self, is_regular, most: usize::MAX, rests, count: FEW }
    }

    /// The rows after `row` that share a body with it, ascending, in runs.
    #[inline(always)]
    pub fn later_runs_of_any<const N: usize>(&self, row: usize) -> RunsOfAny<'_, N> {
        self.runs_in(row, usize::MAX, |side, end| side.slot as usize + self.groups(row)..end)
    }

    /// The rows after `row` that share a body with it, ascending, each in a run of its own.
    #[inline(always)]
    pub fn later_of_any<const N: usize>(&self, row: usize) -> RunsOfAny<'_, N> {
        self.runs_in(row, 1, |side, end| side.slot as usize + self.groups(row)..end)
    }

    /// Call a function with each row in some slots of the bodies of `row`, ascending. `slots` finds them, given a body of the row
    /// and the number of its slots.
    #[inline(always)]
    pub(super) fn each_in(
        &self,
        row: usize,
        slots: impl Fn(Side, usize) -> Range<usize>,
        mut each: impl FnMut(usize),
    ) {
        let sides = self.all_sides(row);
        if sides.len() > FEW {
            self.runs_in::<MOST_BODIES>(row, 1, slots).map(|run| run.row).for_each(each);
            return;
        }
        let rows = |k: usize| {
            sides.get(k).map_or(&[][..], |&side| {
                let all = self.rows_on(side.body as usize);
                &all[slots(side, all.len())]
            })
        };
        // Two ascending lists; a row with two slots is there twice.
        let (mut one, mut other) = (rows(0).iter().peekable(), rows(1).iter().peekable());
        while let Some(&next) = one.peek().into_iter().chain(other.peek()).min() {
            while one.next_if_eq(&next).is_some() {}
            while other.next_if_eq(&next).is_some() {}
            each(*next as usize);
        }
    }

    /// The rows in some slots of the bodies of `row`, in runs of at most `most` rows.
    #[inline(always)]
    fn runs_in<const N: usize>(
        &self,
        row: usize,
        most: usize,
        slots: impl Fn(Side, usize) -> Range<usize>,
    ) -> RunsOfAny<'_, N> {
        let sides = self.all_sides(row);
        debug_assert!(sides.len() <= N, "a row has at most N bodies");
        let slots = |side: Side| slots(side, self.rows_on(side.body as usize).len());
        let rests = array::from_fn(|k| sides.get(k).map_or(Rest::default(), |&side| self.rest(side, &slots)));
        RunsOfAny {
            structure: self,
            is_regular: self.is_regular(row),
            most,
            rests,
            count: sides.len().min(N),
        }
    }
}

/// Rows β that share bodies with a row α. There are several only if one body alone couples all of them with α, their slots are
/// consecutive, and α is irregular, or all of them are regular, or all are irregular.
#[derive(Clone, Copy, Debug)]
pub struct RunOfAny<const N: usize> {
    /// The first row.
    pub row: usize,
    /// Number of rows.
    pub count: usize,
    /// What couples the first row with α, in the order of α's bodies; nothing after the last. Slots are first slots.
    pub couplings: [Option<Coupling>; N],
}

/// See [`Structure::later_runs_of_any`].
#[derive(Clone)]
pub struct RunsOfAny<'a, const N: usize> {
    structure: &'a Structure,
    /// Whether α is regular.
    is_regular: bool,
    /// Largest number of rows in a run.
    pub(super) most: usize,
    rests: [Rest<'a>; N],
    /// Number of bodies.
    count: usize,
}

impl<const N: usize> RunsOfAny<'_, N> {
    /// The next run of a row on at most two bodies: without loops over bodies, these stay in registers.
    #[inline(always)]
    fn next_of_few(&mut self) -> Option<RunOfAny<N>> {
        let [one, other] = [self.rests[0].row(), self.rests[1].row()];
        let mut couplings = [None; N];
        let (first, count) = match (one, other) {
            (Some(row), Some(same)) if row == same => {
                let slots = self.structure.groups(row as usize);
                couplings[0] = self.rests[0].take_some(slots);
                couplings[1] = self.rests[1].take_some(slots);
                (row, 1)
            }
            (Some(row), later) if later.is_none_or(|later| row < later) => {
                let [count, slots] = self.run_of(self.rests[0].rows, later.unwrap_or(u32::MAX));
                couplings[0] = self.rests[0].take_some(slots);
                (row, count)
            }
            (later, Some(row)) => {
                let [count, slots] = self.run_of(self.rests[1].rows, later.unwrap_or(u32::MAX));
                couplings[0] = self.rests[1].take_some(slots);
                (row, count)
            }
            (_, None) => return None,
        };
        Some(RunOfAny { row: first as usize, count, couplings })
    }

    /// Number of rows and of slots of the run that begins with these slots of one body; rows from `end` on are not in it.
    #[inline(always)]
    fn run_of(&self, rows: &[u32], end: u32) -> [usize; 2] {
        if !self.is_regular && self.most > 1 {
            let rows = &rows[..rows.partition_point(|&row| row < end)];
            // A row with two slots is there twice.
            let count = 1 + rows.iter().zip(&rows[1..]).filter(|(one, next)| one != next).count();
            return [count, rows.len()];
        }
        let layout = &self.structure.layout;
        let kind = layout.is_regular(rows[0] as usize);
        let [mut count, mut slots] = [0, 0];
        while count < self.most
            && let Some(&row) = rows.get(slots).filter(|&&row| row < end)
            && layout.is_regular(row as usize) == kind
        {
            count += 1;
            slots += layout.groups(row as usize);
        }
        [count, slots]
    }
}

impl<const N: usize> Iterator for RunsOfAny<'_, N> {
    type Item = RunOfAny<N>;

    #[inline(always)]
    fn next(&mut self) -> Option<Self::Item> {
        if N == FEW {
            return self.next_of_few();
        }
        /// After all rows.
        const NONE: u32 = u32::MAX;
        // The first row, how many bodies have it, one of them, and the first row after it on another body.
        let (mut first, mut holders, mut holder, mut other) = (NONE, 0, 0, NONE);
        for (k, row) in self.rests[..self.count].iter().map(|rest| rest.row().unwrap_or(NONE)).enumerate() {
            if row < first {
                (first, holders, holder, other) = (row, 1, k, first);
            } else if row == first {
                holders += 1;
            } else {
                other = other.min(row);
            }
        }
        if first == NONE {
            return None;
        }
        let (row, mut couplings) = (first as usize, [None; N]);
        if holders == 1 {
            let [count, slots] = self.run_of(self.rests[holder].rows, other);
            couplings[0] = self.rests[holder].take_some(slots);
            return Some(RunOfAny { row, count, couplings });
        }
        let slots = self.structure.groups(row);
        let held = self.rests[..self.count].iter_mut().filter(|rest| rest.row() == Some(first));
        couplings.iter_mut().zip(held).for_each(|(coupling, rest)| *coupling = rest.take_some(slots));
        Some(RunOfAny { row, count: 1, couplings })
    }
}

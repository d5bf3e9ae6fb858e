//! Blocks between rows, where all rows are regular.

use crate::assembly::pairs::{Maker, Pair, PairRun, Pairs};
use crate::assembly::whole_rows::ColumnRun;
use crate::math::Block;
use crate::math::simd::SimdLevel;
use crate::prefetch::{fetch, fetch_beyond};
use crate::system::error::Error;
use crate::system::structure::{AHEAD, Runs};
use crate::system::update_plan::Plan;
use crate::team::{Numbered, SharedSlice};

use super::Scene;
use super::parts::{PairOrder, PartOfPairs};

/// The sources of blocks other than panels.
#[derive(Clone, Copy)]
pub struct BlockSources<'a> {
    /// The scene.
    pub scene: &'a Scene<'a>,
    /// The diagonal blocks.
    pub diagonal: &'a [Block],
}

/// The sources of blocks, and the places of all pairs.
#[derive(Clone, Copy)]
pub struct PairBlocks<'a> {
    /// The sources.
    pub blocks: BlockSources<'a>,
    /// The order, if all pairs are computed.
    pub order: PairOrder,
    /// All blocks of W.
    pub values: SharedSlice<'a, Block>,
}

/// Parts of pairs: each writes the diagonal blocks of its rows, and both blocks of its pairs, which no other part has.
pub type SystemPairs<'a> = Numbered<&'a mut [PartOfPairs], &'a PairBlocks<'a>>;

impl Pairs for SystemPairs<'_> {
    /// The two rows. The first one belongs to the part that has the pair, so that errors come in one order for any number of parts.
    type Name = [usize; 2];
    type Fault = Error;

    const IN_ROWS: bool = true;

    #[inline(always)]
    fn each<L: SimdLevel>(&mut self, make: &mut Maker<L, [usize; 2]>) {
        for part in self.things.iter_mut() {
            match (self.context.blocks.scene.plan, self.context.order) {
                (Some(plan), _) => each_planned(part, *self.context, plan, make),
                (None, PairOrder::ByRows) => each_by_rows(part, *self.context, make),
                (None, PairOrder::ByColumns) => each_by_columns(part, *self.context, make),
            }
        }
    }

    #[cold]
    fn fault(&self, rows: [usize; 2]) -> Error {
        self.context.blocks.scene.block_not_finite(rows)
    }
}

impl<'a> PairBlocks<'a> {
    /// Put a diagonal block in its place.
    ///
    /// # Safety
    /// The part at hand has the row.
    #[inline(always)]
    unsafe fn put_diagonal(&self, row: usize) {
        // SAFETY: parts have different rows, whose diagonal blocks have places of their own; the caller promises that this one has
        // it.
        unsafe { *self.values.at(self.blocks.scene.structure.diagonal(row)) = self.blocks.diagonal[row] };
    }

    /// The blocks at two places.
    ///
    /// # Safety
    /// They are the two blocks of a pair, and the part at hand has it.
    #[inline(always)]
    unsafe fn pair(self, [one, other]: [usize; 2]) -> [Option<&'a mut Block>; 2] {
        // SAFETY: parts have different rows, and so different pairs, by rows all or by columns all. Each pair has two places of its
        // own; the caller promises that this part has it.
        unsafe { [Some(self.values.at(one)), Some(self.values.at(other))] }
    }
}

/// Compute pairs in the order of their earlier rows.
#[inline(always)]
fn each_by_rows(part: &mut PartOfPairs, context: PairBlocks, make: &mut Maker<impl SimdLevel, [usize; 2]>) {
    let (structure, rows) = (context.blocks.scene.structure, part.rows.clone());
    let first = rows.start;
    let cursors = part.start(
        #[inline(always)]
        |row| structure.first_left_from(row, first) as i32,
    );
    for row in rows {
        // SAFETY: the part has this row.
        unsafe { context.put_diagonal(row) };
        let places = structure.diagonal(row) + 1..structure.starts()[row + 1] as usize;
        let columns = &structure.columns()[places.clone()];
        // SAFETY: the part has this row, and the structure has the blocks of these pairs there.
        let blocks = unsafe { context.values.some_at(places) };
        // In a tuple, where a closure may have an attribute.
        let (counterpart,) = (
            #[inline(always)]
            |column: usize, coming: Option<usize>| {
                if let Some(coming) = coming {
                    fetch(context.values.address(cursors[coming - first] as usize));
                }
                let cursor = &mut cursors[column - first];
                *cursor += 1;
                // SAFETY: the part has this row, and the structure has the counterpart of this block of it there.
                unsafe { context.values.at(*cursor as usize - 1) }
            },
        );
        make_row(row, structure.later_runs(row), columns, blocks, counterpart, make);
    }
}

/// Compute the blocks of a row with the later rows that have places in `blocks`; each has three scalars. `columns` begins with these
/// rows. `counterpart` returns the place of the other block of a pair, given its column, and prefetches the place for a later column:
/// counterparts are rows apart, where no processor prefetches.
#[inline(always)]
pub(super) fn make_row<'a>(
    row: usize,
    mut runs: Runs,
    mut columns: &[i32],
    mut blocks: &mut [Block],
    mut counterpart: impl FnMut(usize, Option<usize>) -> &'a mut Block,
    make: &mut Maker<impl SimdLevel, [usize; 2]>,
) {
    let mut coming = columns.get(AHEAD..).unwrap_or_default().iter();
    while !blocks.is_empty()
        && let Some(ColumnRun { couplings, count }) = runs.next()
    {
        let (of_run, rest) = blocks.split_at_mut(count.min(blocks.len()));
        let (own, others) = columns.split_at(of_run.len());
        (columns, blocks) = (others, rest);
        let (mut transpose,) = (
            #[inline(always)]
            |k: usize| counterpart(own[k] as usize, coming.next().map(|&column| column as usize)),
        );
        match (couplings, of_run) {
            (couplings, [block]) => {
                let (name, transpose) = ([row, own[0] as usize], Some(transpose(0)));
                make.pair(Pair { name, couplings, block: Some(block), transpose });
            }
            ([Some(coupling), _], blocks) => {
                let name = |k: usize| [row, own[k] as usize];
                make.run(coupling, PairRun { name, blocks, transpose });
            }
            _ => {}
        }
    }
}

/// Compute pairs in the order of their later rows.
#[inline(always)]
fn each_by_columns(
    part: &mut PartOfPairs,
    context: PairBlocks,
    make: &mut Maker<impl SimdLevel, [usize; 2]>,
) {
    let (structure, rows, first) = (context.blocks.scene.structure, part.rows.clone(), part.reach.start);
    let cursors = part.start(
        #[inline(always)]
        |row| structure.first_right_from(row, rows.start) as i32,
    );
    for row in rows {
        let start = structure.starts()[row] as usize;
        let left = &structure.columns()[start..structure.diagonal(row)];
        let mut coming = left.get(AHEAD..).unwrap_or_default().iter();
        for (place, (column, couplings)) in (start..).zip(structure.earlier(row)) {
            if let Some(&column) = coming.next() {
                fetch(context.values.address(cursors[column as usize - first] as usize));
            }
            fetch_beyond(context.values.address(place));
            let cursor = &mut cursors[column - first];
            // SAFETY: the part has this row, and the structure has the pair's blocks there.
            let [block, transpose] = unsafe { context.pair([*cursor as usize, place]) };
            *cursor += 1;
            make.pair(Pair { name: [row, column], couplings, block, transpose });
        }
        // The diagonal block is last: this is the order of memory.
        // SAFETY: the part has this row.
        unsafe { context.put_diagonal(row) };
    }
}

/// Compute the pairs in a plan.
#[inline(always)]
fn each_planned(
    PartOfPairs { rows, .. }: &PartOfPairs,
    context: PairBlocks,
    plan: &Plan,
    make: &mut Maker<impl SimdLevel, [usize; 2]>,
) {
    let structure = context.blocks.scene.structure;
    for (row, [has_diagonal, has_pairs]) in plan.blocks_in(rows.clone()) {
        if has_diagonal {
            // SAFETY: the part has this row.
            unsafe { context.put_diagonal(row) };
        }
        if !has_pairs {
            continue;
        }
        for (place, (column, couplings)) in (structure.diagonal(row) + 1..).zip(structure.later(row)) {
            if plan.has_pair([row, column], couplings.iter().flatten().map(|coupling| coupling.body)) {
                let counterpart = structure.first_left_from(column, row);
                // SAFETY: the part has this row, and the structure has the pair's blocks there.
                let [block, transpose] = unsafe { context.pair([place, counterpart]) };
                make.pair(Pair { name: [row, column], couplings, block, transpose });
            }
        }
    }
}

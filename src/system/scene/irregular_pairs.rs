//! Blocks between rows of systems that have irregular rows.

use crate::assembly::irregular_pairs::{IrregularPair, IrregularRun};
use crate::assembly::pairs::{Coupling, Maker, Pair, PairRun, Pairs};
use crate::assembly::scene::PanelSlot;
use crate::math::simd::{Kernel, SimdLevel};
use crate::math::{Block, copy_few};
use crate::prefetch::fetch;
use crate::system::error::Error;
use crate::system::structure::{AHEAD, MOST_BODIES, RunOfAny, Structure};
use crate::system::update_plan::Plan;
use crate::team::{Numbered, SharedSlice};

use super::Scene;
use super::pairs::make_row;
use super::parts::PartOfPairs;

/// The places of all blocks.
#[derive(Clone, Copy)]
pub struct IrregularBlocks<'a> {
    /// The scene.
    pub scene: &'a Scene<'a>,
    /// The diagonal blocks in turn.
    pub diagonal: &'a [f64],
    /// All blocks of W.
    pub values: SharedSlice<'a, f64>,
}

/// Parts of pairs: each writes the diagonal blocks of its rows, and both blocks of its pairs, which no other part has.
pub type IrregularPairs<'a> = Numbered<&'a mut [PartOfPairs<usize>], &'a IrregularBlocks<'a>>;

impl Pairs for IrregularPairs<'_> {
    type Name = [usize; 2];
    type Fault = Error;

    const IN_ROWS: bool = true;

    #[inline(always)]
    fn each<L: SimdLevel>(&mut self, make: &mut Maker<L, [usize; 2]>) {
        for part in self.things.iter_mut() {
            match self.context.scene.plan {
                Some(plan) => each_planned(part, *self.context, plan, make),
                None => each_by_rows(part, *self.context, make),
            }
        }
    }

    #[cold]
    fn fault(&self, rows: [usize; 2]) -> Error {
        self.context.scene.block_not_finite(rows)
    }
}

impl<'a> IrregularBlocks<'a> {
    fn structure(&self) -> &'a Structure {
        self.scene.structure
    }

    /// Put a diagonal block in its place among all values, which begins at `start`; returns where it ends.
    ///
    /// # Safety
    /// The part at hand has the row.
    #[inline(always)]
    unsafe fn put_diagonal(&self, row: usize, start: usize) -> usize {
        let from = &self.diagonal[self.structure().square(row)];
        // SAFETY: parts have different rows, whose diagonal blocks have places of their own; the caller promises that this one has
        // it.
        copy_few(from, unsafe { self.values.some_at(start..start + from.len()) });
        start + from.len()
    }

    /// The values of the two blocks of a pair, of which the first is at `place`.
    ///
    /// # Safety
    /// The part at hand has the pair's first row, and these are the only references to the blocks.
    #[inline(always)]
    unsafe fn pair(&self, [row, column]: [usize; 2], place: usize) -> [&'a mut [f64]; 2] {
        let structure = self.structure();
        let counterpart = structure.first_left_from(column, row);
        // SAFETY: parts have different rows, and so different pairs; each block of a pair has a place of its own.
        [(row, place), (column, counterpart)]
            .map(|(row, place)| unsafe { self.values.some_at(structure.values_of(row, place)) })
    }
}

/// The number of values of a block of regular rows.
const EACH: usize = size_of::<Block>() / size_of::<f64>();

/// All pairs in the order of their earlier rows.
#[inline(always)]
fn each_by_rows(
    part: &mut PartOfPairs<usize>,
    context: IrregularBlocks,
    make: &mut Maker<impl SimdLevel, [usize; 2]>,
) {
    let (structure, rows) = (context.structure(), part.rows.clone());
    let first = rows.start;
    let cursors = part.start(
        #[inline(always)]
        |row| structure.values_from(row, structure.first_left_from(row, first)),
    );
    for row in rows {
        // The last block left of the diagonal has been written.
        // SAFETY: the part has this row.
        let mut value = unsafe { context.put_diagonal(row, cursors[row - first]) };
        let mut place = structure.diagonal(row) + 1;
        let columns = &structure.columns()[place..structure.starts()[row + 1] as usize];
        if structure.is_regular(row) {
            let even = structure.even_columns(row, columns);
            let values = value..value + EACH * even;
            (place, value) = (place + even, values.end);
            // SAFETY: the part has this row, and the structure has the blocks of these pairs there.
            let blocks = unsafe { context.values.some_at(values) }.as_chunks_mut().0;
            // In a tuple, where a closure may have an attribute.
            let (counterpart,) = (
                #[inline(always)]
                |column: usize, coming: Option<usize>| {
                    if let Some(coming) = coming {
                        fetch(context.values.address(cursors[coming - first]).cast::<Block>());
                    }
                    let cursor = &mut cursors[column - first];
                    let start = *cursor;
                    *cursor += EACH;
                    // SAFETY: the part has this row, and the structure has the counterpart of this block of it there.
                    as_three(unsafe { context.values.some_at(start..*cursor) })
                },
            );
            make_row(row, structure.later_runs(row), columns, blocks, counterpart, make);
            if even == columns.len() {
                continue;
            }
        }
        let mut rest =
            RestOfRow { context, row, place, value, first, cursors: &mut *cursors, make: &mut *make };
        rest.make.level.call(&mut rest);
    }
}

/// The blocks of a row that are right of its diagonal, all or from the first column of other than three scalars on.
struct RestOfRow<'a, 'c, 'm, L> {
    context: IrregularBlocks<'a>,
    row: usize,
    /// The place of the next block.
    place: usize,
    /// The place of its values.
    value: usize,
    /// The first row that has a cursor.
    first: usize,
    /// The place of the values of the next counterpart in each row.
    cursors: &'c mut [usize],
    make: &'c mut Maker<'m, L, [usize; 2]>,
}

impl<M: SimdLevel> Kernel for &mut RestOfRow<'_, '_, '_, M> {
    type Output = ();

    #[inline(always)]
    fn at<L: SimdLevel>(self, _: L) {
        let (structure, row) = (self.context.structure(), self.row);
        let Some(&first) = structure.columns()[..structure.starts()[row + 1] as usize].get(self.place) else {
            return;
        };
        // No closures: without the kernel's instruction set they would compute slowly.
        if let ([Some(PanelSlot { body, slot }), None], false) =
            (structure.places(row), structure.is_regular(row))
        {
            let coupling = Coupling { body, row: slot, column: slot + structure.groups(row) };
            let count = structure.starts()[row + 1] as usize - self.place;
            let couplings = [Some(coupling), None];
            self.run::<2, false>(&RunOfAny { row: first as usize, count, couplings });
        } else if structure.is_on_many(row) {
            for run in structure.later_runs_of_any::<MOST_BODIES>(row) {
                self.run::<MOST_BODIES, false>(&run);
            }
        } else {
            for run in structure.later_runs_from(row, first as u32) {
                self.run::<2, true>(&run);
            }
        }
    }
}

impl<L: SimdLevel> RestOfRow<'_, '_, '_, L> {
    /// Compute the blocks of the next run. `MAY_BE_REGULAR`: the row may be regular.
    #[inline(always)]
    fn run<const N: usize, const MAY_BE_REGULAR: bool>(&mut self, run: &RunOfAny<N>) {
        let Self { context, row, place, value, first, cursors, make } = self;
        let (row, first) = (*row, *first);
        let structure = context.structure();
        let (blocks, values) = (*place..*place + run.count, *value);
        *place = blocks.end;
        let end = structure.starts()[row + 1] as usize;
        *value = match blocks.end == end {
            true => structure.values_end(row),
            false => *value + structure.values_in(row, blocks.clone()),
        };
        let values = values..*value;
        let (height, own) = (structure.height(row), &structure.columns()[blocks.clone()]);
        let name = |k: usize| [row, own[k] as usize];
        let mut coming = structure.columns()[blocks.start..end].get(AHEAD..).unwrap_or_default().iter();
        let (mut columns, all, cursors) = (own.iter(), context.values, &mut **cursors);
        let (mut counterpart,) = (
            // What it needs moves with it into the function that calls it, where it is in registers.
            #[inline(always)]
            move |_: usize| {
                if let Some(&column) = coming.next() {
                    fetch(all.address(cursors[column as usize - first]).cast::<Block>());
                }
                let column = *columns.next().expect("there are as many blocks as columns") as usize;
                let cursor = &mut cursors[column - first];
                let start = *cursor;
                *cursor += height * structure.height(column);
                // SAFETY: the part has this row, and the structure has the counterpart of this block of it there.
                unsafe { all.some_at(start..*cursor) }
            },
        );
        let is_regular = MAY_BE_REGULAR && structure.is_regular(row) && structure.is_regular(run.row);
        let alone = if run.couplings[1].is_none() { run.couplings[0] } else { None };
        match (alone, is_regular) {
            (Some(coupling), true) if run.count > 1 => {
                // SAFETY: the part has this row, and the structure has the blocks of these pairs there.
                let blocks = unsafe { context.values.some_at(values) };
                let transpose = |k: usize| as_three(counterpart(k));
                make.run(coupling, PairRun { name, blocks: blocks.as_chunks_mut().0, transpose });
            }
            (_, true) => {
                let couplings = [run.couplings[0], run.couplings[1]];
                // SAFETY: as above.
                let block = Some(as_three(unsafe { context.values.some_at(values) }));
                let transpose = Some(as_three(counterpart(0)));
                make.pair(Pair { name: name(0), couplings, block, transpose });
            }
            (Some(coupling), false) => {
                // SAFETY: as above.
                let blocks = unsafe { context.values.some_at(values) };
                let heights = own.iter().map(
                    #[inline(always)]
                    |&column| structure.height(column as usize),
                );
                let run = IrregularRun { name, height, heights, blocks, transpose: counterpart };
                make.irregular_run(coupling, run);
            }
            (None, false) => {
                let transpose = counterpart(0);
                // SAFETY: as above.
                let block = unsafe { context.values.some_at(values) };
                let heights = name(0).map(|row| structure.height(row));
                let couplings = &run.couplings;
                make.irregular_pair(IrregularPair { name: name(0), couplings, heights, block, transpose });
            }
        }
    }
}

/// The block of two regular rows.
#[inline(always)]
fn as_three(values: &mut [f64]) -> &mut Block {
    values.try_into().expect("the block of two rows of three scalars has nine values")
}

/// Compute the pairs in a plan.
#[inline(always)]
fn each_planned(
    PartOfPairs { rows, .. }: &PartOfPairs<usize>,
    context: IrregularBlocks,
    plan: &Plan,
    make: &mut Maker<impl SimdLevel, [usize; 2]>,
) {
    let structure = context.structure();
    for (row, [has_diagonal, has_pairs]) in plan.blocks_in(rows.clone()) {
        if has_diagonal {
            // SAFETY: the part has this row.
            unsafe { context.put_diagonal(row, structure.values_from(row, structure.diagonal(row))) };
        }
        if !has_pairs {
            continue;
        }
        if structure.is_on_many(row) {
            let pairs = structure.later_of_any::<MOST_BODIES>(row);
            make_planned(row, pairs, context, plan, make);
        } else {
            make_planned(row, structure.later_of_any::<2>(row), context, plan, make);
        }
    }
}

/// Compute the pairs of a row that are in a plan.
#[inline(always)]
fn make_planned<const N: usize>(
    row: usize,
    pairs: impl Iterator<Item = RunOfAny<N>>,
    context: IrregularBlocks,
    plan: &Plan,
    make: &mut Maker<impl SimdLevel, [usize; 2]>,
) {
    let structure = context.structure();
    for (place, RunOfAny { row: column, couplings, .. }) in (structure.diagonal(row) + 1..).zip(pairs) {
        if !plan.has_pair([row, column], couplings.iter().flatten().map(|coupling| coupling.body)) {
            continue;
        }
        let name = [row, column];
        // SAFETY: the part has this row.
        let [block, transpose] = unsafe { context.pair(name, place) };
        if N == 2 && structure.is_regular(row) && structure.is_regular(column) {
            let (block, transpose) = (Some(as_three(block)), Some(as_three(transpose)));
            make.pair(Pair { name, couplings: [couplings[0], couplings[1]], block, transpose });
        } else {
            let heights = name.map(|row| structure.height(row));
            make.irregular_pair(IrregularPair { name, couplings: &couplings, heights, block, transpose });
        }
    }
}

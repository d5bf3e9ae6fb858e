//! Blocks row by row, where all rows are regular.
#![forbid(unsafe_code)]

use crate::assembly::whole_rows::{ColumnRun, WholeRows};
use crate::math::Block;
use crate::system::error::{Error, Result};
use crate::team::{Numbered, Ragged};

use super::BlockSources;

/// The blocks of rows.
pub type SystemWholeRows<'a> = Numbered<Ragged<'a, Block>, BlockSources<'a>>;

impl WholeRows for SystemWholeRows<'_> {
    type Fault = Error;

    #[inline(always)]
    fn each(&mut self, mut make: impl FnMut(&ColumnRun, &mut [Block]) -> bool) -> Result {
        let Self { first, things: Ragged { values, starts }, context } = self;
        let BlockSources { scene, diagonal } = *context;
        let structure = scene.structure;
        for (row, range) in (*first..).zip(starts.windows(2)) {
            let blocks = &mut values[(range[0] - starts[0]) as usize..(range[1] - starts[0]) as usize];
            let mut done = 0;
            for run in structure.runs(row) {
                if !make(&run, &mut blocks[done..done + run.count]) {
                    let other = structure.columns()[range[0] as usize + done];
                    return Err(scene.block_not_finite([row, other as usize]));
                }
                done += run.count;
            }
            blocks[structure.diagonal(row) - range[0] as usize] = diagonal[row];
        }
        Ok(())
    }
}

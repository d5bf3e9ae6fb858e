//! The order in which a process relaxes rows. Many orders have the same bits: each row comes after its neighbors that come before
//! it. Depth first from the rows in the order of memory, neighbors are in the cache. Rows on the boundary keep the times of their messages.
#![forbid(unsafe_code)]

use std::mem;

use crate::memory::{self, collected, push, repeated};
use crate::parallel::coloring::Precedence;
use crate::rows::BlockRows;

/// Rows that are relaxed without messages between them.
#[derive(Debug, Default)]
pub struct Stage {
    /// In the order for one thread.
    pub alone: Vec<u32>,
    /// In groups for several threads: no block of W connects two rows of a group.
    pub shared: Vec<u32>,
    /// The end of each group.
    pub ends: Vec<u32>,
}

/// The data from which the order follows.
#[derive(Clone, Copy)]
pub struct StageInput<'a> {
    pub w: BlockRows<'a>,
    pub precedence: &'a Precedence,
    /// The color of each row.
    pub colors: &'a [u32],
    /// The number of colors of all processes.
    pub count: usize,
    /// The own rows, ascending.
    pub own: &'a [u32],
    pub is_boundary: &'a [bool],
}

impl<'a> StageInput<'a> {
    /// The neighbors of a row that come before it.
    fn before(&self, row: u32) -> impl Iterator<Item = usize> + use<'a> {
        let Self { w, precedence, .. } = *self;
        let columns = w.columns()[w.blocks(row as usize)].iter().map(|&column| column as usize);
        columns.filter(move |&column| precedence.is_before(column, row as usize))
    }
}

struct Search<'a> {
    given: StageInput<'a>,
    /// Rows that are in the list, or belong to other processes.
    is_done: Vec<bool>,
    /// Rows that wait for neighbors, with the next block to look at.
    stack: Vec<(u32, usize)>,
}

impl Search<'_> {
    /// Append a row after the own rows before it.
    fn append(&mut self, row: u32, list: &mut Vec<u32>) -> memory::Result {
        let StageInput { w, precedence, .. } = self.given;
        push(&mut self.stack, (row, w.blocks(row as usize).start))?;
        while let Some(&mut (row, ref mut next)) = self.stack.last_mut() {
            let is_before = |&other: &i32| {
                let other = other as usize;
                !self.is_done[other] && precedence.is_before(other, row as usize)
            };
            let rest = &w.columns()[*next..w.blocks(row as usize).end];
            match rest.iter().position(is_before) {
                Some(place) => {
                    let other = rest[place] as u32;
                    *next += place + 1;
                    push(&mut self.stack, (other, w.blocks(other as usize).start))?;
                }
                None => {
                    self.stack.pop();
                    if !mem::replace(&mut self.is_done[row as usize], true) {
                        push(list, row)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The stages of each color: the rows that come before its message, and those that come while it is under way.
pub fn stages(given: &StageInput) -> memory::Result<Vec<[Stage; 2]>> {
    let StageInput { w, colors, count, own, is_boundary, .. } = *given;
    let mut is_done = repeated(w.len(), true)?;
    own.iter().for_each(|&row| is_done[row as usize] = false);
    let mut search = Search { given: *given, is_done, stack: Vec::new() };
    let mut sorted = collected(own.len(), own.iter().map(|&row| (colors[row as usize] as usize, row)))?;
    sorted.sort_unstable();
    let of = |boundary: bool| sorted.iter().filter(move |(_, row)| is_boundary[*row as usize] == boundary);
    let (mut boundary, mut interior) = (of(true).peekable(), of(false).peekable());
    let mut stages = memory::with_capacity(count)?;
    let mut left = own.len();
    for color in 0..count {
        let [mut before, mut during] = [Vec::new(), Vec::new()];
        while let Some(&(_, row)) = boundary.next_if(|(of_row, _)| *of_row == color) {
            search.append(row, &mut before)?;
        }
        left -= before.len();
        let share = left.div_ceil(count - color);
        while during.len() < share
            && let Some(&(_, row)) = interior.next_if(|(of_row, _)| *of_row <= color)
        {
            search.append(row, &mut during)?;
        }
        left -= during.len();
        stages.push([before, during].map(|alone| Stage { alone, ..Stage::default() }));
    }
    share_stages(given, &mut stages)?;
    Ok(stages)
}

/// Divide the rows of stages into groups, such that each row comes after the own rows before it.
fn share_stages(given: &StageInput, stages: &mut [[Stage; 2]]) -> memory::Result {
    // Groups have numbers through all stages; rows of other processes are in none.
    let mut groups = repeated(given.w.len(), 0_u32)?;
    let mut end = 1;
    for Stage { alone, shared, ends } in stages.as_flattened_mut() {
        let begin = end;
        for &row in &*alone {
            let before = given.before(row).map(|other| groups[other] + 1);
            let group = before.fold(begin, u32::max);
            groups[row as usize] = group;
            end = end.max(group + 1);
        }
        // The first place of each group, and then, row by row, the end.
        memory::resize(ends, (end - begin) as usize + 1, 0)?;
        for &row in &*alone {
            ends[(groups[row as usize] - begin) as usize + 1] += 1;
        }
        (1..ends.len()).for_each(|group| ends[group] += ends[group - 1]);
        ends.pop();
        memory::resize(shared, alone.len(), 0)?;
        for &row in &*alone {
            let place = &mut ends[(groups[row as usize] - begin) as usize];
            shared[*place as usize] = row;
            *place += 1;
        }
    }
    Ok(())
}

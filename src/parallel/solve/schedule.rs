//! The order in which one thread relaxes rows. Forces have the bits of color by color if each row comes after its neighbors of lower
//! colors. Many orders have that: depth first from the rows in the order of memory, neighbors are in the cache where color by color they
//! are not. Rows on the boundary keep the times of their messages.
#![forbid(unsafe_code)]

use crate::memory::{self, push, repeated};
use crate::rows::BlockRows;

/// The rows of one color: those that come before its message, and those that come while it is under way.
pub type Stage = [Vec<u32>; 2];

struct Search<'a> {
    w: BlockRows<'a>,
    colors: &'a [u16],
    is_done: Vec<bool>,
    /// Rows that wait for neighbors, with the next block to look at.
    stack: Vec<(u32, usize)>,
}

impl Search<'_> {
    /// Append a row after its neighbors of lower colors that are not done.
    fn append(&mut self, row: u32, is_own: &[bool], list: &mut Vec<u32>) -> memory::Result {
        push(&mut self.stack, (row, self.w.blocks(row as usize).start))?;
        while let Some(&mut (row, ref mut next)) = self.stack.last_mut() {
            let end = self.w.blocks(row as usize).end;
            let before = |&other: &i32| {
                let other = other as usize;
                is_own[other] && !self.is_done[other] && self.colors[other] < self.colors[row as usize]
            };
            let rest = &self.w.columns()[*next..end];
            match rest.iter().position(before) {
                Some(place) => {
                    let other = rest[place] as u32;
                    *next += place + 1;
                    push(&mut self.stack, (other, self.w.blocks(other as usize).start))?;
                }
                None => {
                    self.stack.pop();
                    if !std::mem::replace(&mut self.is_done[row as usize], true) {
                        push(list, row)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The stages of `count` colors for own rows, which ascend. All rows have colors.
pub fn stages(
    w: BlockRows,
    colors: &[u16],
    own: &[u32],
    is_boundary: &[bool],
    count: usize,
) -> memory::Result<Vec<Stage>> {
    let mut is_own = repeated(w.len(), false)?;
    own.iter().for_each(|&row| is_own[row as usize] = true);
    let last = last_messages(w, colors, own, &is_own, is_boundary, count)?;
    let mut search = Search { w, colors, is_done: repeated(w.len(), false)?, stack: Vec::new() };
    let mut stages = memory::with_capacity(count)?;
    let mut left = own.len();
    for color in 0..count {
        let mut stage = Stage::default();
        for &row in
            own.iter().filter(|&&row| is_boundary[row as usize] && usize::from(colors[row as usize]) == color)
        {
            search.append(row, &is_own, &mut stage[0])?;
        }
        left -= stage[0].len();
        let share = left.div_ceil(count - color);
        for &row in own {
            if stage[1].len() >= share {
                break;
            }
            if !search.is_done[row as usize] && usize::from(last[row as usize]) <= color {
                search.append(row, &is_own, &mut stage[1])?;
            }
        }
        left -= stage[1].len();
        stages.push(stage);
    }
    Ok(stages)
}

/// The last color of a row on the boundary that each row has to wait for.
fn last_messages(
    w: BlockRows,
    colors: &[u16],
    own: &[u32],
    is_own: &[bool],
    is_boundary: &[bool],
    count: usize,
) -> memory::Result<Vec<u16>> {
    let mut last = repeated(w.len(), 0)?;
    for color in 0..count {
        for row in own.iter().map(|&row| row as usize).filter(|&row| usize::from(colors[row]) == color) {
            let own = if is_boundary[row] { colors[row] } else { 0 };
            let others = w.columns()[w.blocks(row)].iter().map(|&other| other as usize);
            let before = others.filter(|&other| is_own[other] && colors[other] < colors[row]);
            last[row] = before.map(|other| last[other]).fold(own, u16::max);
        }
    }
    Ok(last)
}

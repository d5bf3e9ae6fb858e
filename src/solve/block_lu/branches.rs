//! Branches of the tree of supernodes, which threads eliminate at the same time, and the trunk, which depends on them. They belong to
//! the pattern, not to the number of threads.

use std::iter::once;
use std::ops::Range;

use crate::memory::{self, collect, push, refill};

use super::supernodes::{LuSupernodes, STRIP};

/// A branch has at most this part of the work.
const PART: u64 = 12;

/// With fewer products of numbers than this, threads do not pay: all is one branch.
const LEAST: u64 = 20_000_000;

/// The supernodes in sections that follow each other: branches, which depend on no other section, then each supernode of the trunk.
#[derive(Debug, Default)]
pub struct Sections {
    /// The supernodes of each branch.
    pub branches: Vec<Range<usize>>,
    /// The first strip and the first place of each section, then their ends.
    pub strips: Vec<usize>,
    pub places: Vec<usize>,
    /// The places of the trunk that each branch changes, and where each branch begins among them.
    pub outside: Vec<u32>,
    pub outsides: Vec<usize>,
    /// The index among the branch's places outside, for each row below a supernode that is outside.
    pub index_outside: Vec<u32>,
    /// Where the workspace of each branch begins that holds the rows of one supernode, then where the one for the trunk begins.
    pub works: Vec<usize>,
}

impl Sections {
    /// Find the sections for blocks of N × N, and bring supernodes and the rows of places in their order.
    pub fn find<const N: usize>(
        &mut self,
        supernodes: &mut LuSupernodes,
        order: &mut Vec<u32>,
    ) -> memory::Result {
        let trunk = self.find_branches::<N>(supernodes)?;
        if !trunk.is_empty() {
            let is_trunk = |k: u32| trunk.binary_search_by(|other| k.cmp(other)).is_ok();
            let count = supernodes.all.len();
            let all = 0..count as u32;
            let branches = all.filter(|&k| !is_trunk(k));
            let moved: Vec<u32> = memory::collected(count, branches.chain(trunk.iter().rev().copied()))?;
            supernodes.take(&moved, order)?;
        }
        supernodes.finish::<N>()?;
        self.find_starts(supernodes)?;
        self.find_outside::<N>(supernodes)
    }

    /// The index of the first supernode of the trunk.
    pub fn trunk(&self) -> usize {
        self.branches.last().map_or(0, |last| last.end)
    }

    /// The number of sections.
    pub fn count(&self) -> usize {
        self.places.len() - 1
    }

    /// The supernodes of a section.
    pub fn supernodes(&self, section: usize) -> Range<usize> {
        let first = self.trunk() + section;
        self.branches.get(section).cloned().unwrap_or_else(|| {
            let index = first - self.branches.len();
            index..index + 1
        })
    }

    /// Find the branches, with the indices that they get, and return the supernodes of the trunk, from the last to the first.
    fn find_branches<const N: usize>(&mut self, supernodes: &LuSupernodes) -> memory::Result<Vec<u32>> {
        let count = supernodes.all.len();
        let mut sizes = memory::repeated(count, 1_usize)?;
        let mut works: Vec<u64> = memory::collected(
            count,
            supernodes.all.iter().map(|supernode| {
                let (width, height) = ((N * supernode.width()) as u64, (N * supernode.height()) as u64);
                2 * width * height * height
            }),
        )?;
        let total: u64 = works.iter().sum();
        for k in 0..count {
            if let Some(parent) = supernodes.parent(k) {
                sizes[parent] += sizes[k];
                works[parent] += works[k];
            }
        }
        let most = if total < LEAST { total } else { total / PART };
        // From the last supernode to the first; a branch is skipped as a whole.
        let (mut found, mut trunk) = (Vec::new(), Vec::new());
        let mut at = count;
        while at > 0 {
            if works[at - 1] <= most {
                push(&mut found, at - 1)?;
                at -= sizes[at - 1];
            } else {
                push(&mut trunk, at as u32 - 1)?;
                at -= 1;
            }
        }
        // Small branches that follow each other are one.
        self.branches.clear();
        let mut work = most;
        for &last in found.iter().rev() {
            let begin = self.trunk();
            let end = begin + sizes[last];
            work += works[last];
            match self.branches.last_mut() {
                Some(before) if work <= most => before.end = end,
                _ => {
                    work = works[last];
                    push(&mut self.branches, begin..end)?;
                }
            }
        }
        Ok(trunk)
    }

    fn find_starts(&mut self, supernodes: &LuSupernodes) -> memory::Result {
        let trunk = self.trunk();
        let Self { branches, strips, places, .. } = self;
        let count = branches.len() + supernodes.all.len() - trunk + 1;
        let firsts = || {
            let in_branches = branches.iter().map(|branch| &supernodes.all[branch.start]);
            in_branches.chain(&supernodes.all[trunk..])
        };
        let rows = supernodes.all.last().map_or(0, |last| last.places.end);
        collect(strips, count, firsts().map(|first| first.offset).chain(once(supernodes.strips)))?;
        collect(places, count, firsts().map(|first| first.places.start).chain(once(rows)))
    }

    fn find_outside<const N: usize>(&mut self, supernodes: &LuSupernodes) -> memory::Result {
        let trunk = self.trunk();
        let Self { branches, places, outside, outsides, index_outside, works, .. } = self;
        let layers = |part: Range<usize>| {
            STRIP * supernodes.all[part].iter().map(|supernode| supernode.layers::<N>()).max().unwrap_or(0)
        };
        outside.clear();
        collect(outsides, branches.len() + 1, once(0))?;
        collect(works, branches.len() + 2, once(0))?;
        refill(index_outside, supernodes.rows.len(), 0)?;
        let mut index_of = memory::repeated(places.last().copied().unwrap_or(0), u32::MAX)?;
        for (branch, &end) in branches.iter().zip(&places[1..]) {
            let begin = outside.len();
            for at in supernodes.all[branch.clone()].iter().flat_map(|supernode| supernode.rows.clone()) {
                let row = supernodes.rows[at];
                let index = &mut index_of[row as usize];
                if row as usize >= end && *index == u32::MAX {
                    *index = (outside.len() - begin) as u32;
                    push(outside, row)?;
                }
                index_outside[at] = *index;
            }
            outside[begin..].iter().for_each(|&row| index_of[row as usize] = u32::MAX);
            outsides.push(outside.len());
            works.push(works[works.len() - 1] + layers(branch.clone()));
        }
        works.push(works[works.len() - 1] + layers(trunk..supernodes.all.len()));
        Ok(())
    }
}

//! Branches of the tree of supernodes, which threads eliminate at the same time. They belong to the pattern, not to the number of
//! threads.

use std::iter::once;
use std::ops::Range;

use crate::memory::{self, collect, push, refill};

use super::supernodes::{STRIP, Supernodes};

/// A branch has at most this part of the work.
const PART: u64 = 12;

/// With fewer products of numbers than this, threads do not pay.
const LEAST: u64 = 20_000_000;

/// The supernodes in sections of supernodes that follow each other: branches, which depend on no other section, and parts of the
/// trunk, which depends on the branches.
#[derive(Debug, Default)]
pub struct Sections {
    pub all: Vec<Section>,
    /// The first strip and the first place of each section, then their ends.
    pub strips: Vec<usize>,
    pub places: Vec<usize>,
    /// The same for positions: each branch has one for each place of the matrix.
    pub positions: Vec<usize>,
    /// The later places outside of each branch that it changes, and where each section begins among them.
    pub outside: Vec<u32>,
    pub outsides: Vec<usize>,
    /// The index among the section's places outside, for each row below a supernode that is outside.
    pub index_outside: Vec<u32>,
    /// Where the workspace of each section begins that holds the rows of one supernode.
    pub works: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    pub supernodes: Range<usize>,
    pub is_branch: bool,
    work: u64,
}

impl Sections {
    /// Find the sections for blocks of N × N.
    pub fn find<const N: usize>(&mut self, supernodes: &Supernodes) -> memory::Result {
        self.all.clear();
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
        let most = if total < LEAST { 0 } else { total / PART };
        // From the last supernode to the first; a branch is skipped as a whole.
        let mut at = count;
        while at > 0 {
            let is_branch = works[at - 1] <= most;
            let first = if is_branch { at - sizes[at - 1] } else { at - 1 };
            let work = if is_branch { works[at - 1] } else { 0 };
            self.add(Section { supernodes: first..at, is_branch, work }, most)?;
            at = first;
        }
        self.all.reverse();
        self.find_starts::<N>(supernodes)?;
        self.find_outside::<N>(supernodes)
    }

    /// Add a section before all others, to the first of these if both are of the same kind and small enough.
    fn add(&mut self, section: Section, most: u64) -> memory::Result {
        if let Some(last) = self.all.last_mut()
            && last.is_branch == section.is_branch
            && last.work + section.work <= most
        {
            last.supernodes.start = section.supernodes.start;
            last.work += section.work;
            return Ok(());
        }
        push(&mut self.all, section)
    }

    fn find_starts<const N: usize>(&mut self, supernodes: &Supernodes) -> memory::Result {
        let Self { all, strips, places, positions, .. } = self;
        let count = all.len() + 1;
        let rows = supernodes.all.last().map_or(0, |last| last.places.end);
        let firsts = all.iter().map(|section| &supernodes.all[section.supernodes.start]);
        collect(strips, count, firsts.clone().map(|first| first.offset).chain(once(supernodes.strips)))?;
        collect(places, count, firsts.map(|first| first.places.start).chain(once(rows)))?;
        refill(positions, count, 0)?;
        for (k, section) in all.iter().enumerate() {
            positions[k + 1] = positions[k] + if section.is_branch { rows } else { 0 };
        }
        Ok(())
    }

    fn find_outside<const N: usize>(&mut self, supernodes: &Supernodes) -> memory::Result {
        let Self { all, places, outside, outsides, index_outside, works, .. } = self;
        outside.clear();
        collect(outsides, all.len() + 1, once(0))?;
        collect(works, all.len() + 1, once(0))?;
        refill(index_outside, supernodes.rows.len(), 0)?;
        let mut index_of = memory::repeated(places.last().copied().unwrap_or(0), u32::MAX)?;
        for (section, end) in all.iter().zip(&places[1..]) {
            let (begin, mut most) = (outside.len(), 0);
            for supernode in &supernodes.all[section.supernodes.clone()] {
                most = most.max(STRIP * supernode.layers::<N>());
                for at in supernode.rows.clone() {
                    let row = supernodes.rows[at];
                    if (row as usize) < *end || !section.is_branch {
                        continue;
                    }
                    let index = &mut index_of[row as usize];
                    if *index == u32::MAX {
                        *index = (outside.len() - begin) as u32;
                        push(outside, row)?;
                    }
                    index_outside[at] = *index;
                }
            }
            outside[begin..].iter().for_each(|&row| index_of[row as usize] = u32::MAX);
            outsides.push(outside.len());
            works.push(works[works.len() - 1] + most);
        }
        Ok(())
    }
}

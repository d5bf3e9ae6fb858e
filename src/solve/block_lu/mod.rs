//! LU factors of a matrix of N×N blocks, N = 3 or 6, with pivots on the diagonal, in an order of least degree. The matrix of contacts
//! has blocks of three rows, the matrix of bodies has blocks of six.
//!
//! Order and fill belong to the pattern; a repeated factorization of the same pattern allocates nothing. Rows are exchanged within
//! a pivot only: the matrices here are (1 − P) + P M with M positive definite and 0 ≤ P ≤ 1, or close to a positive definite matrix,
//! and their leading blocks are regular in any order. A pivot has factors and no inverse: a matrix of bodies has entries that differ
//! by 1e11, and products with an inverse would lose the small ones.

mod block;
mod branches;
mod elimination;
mod numbers;
mod order;
mod solution;
mod supernodes;

use std::ops::Range;

use crate::math::simd::at_best;
use crate::memory::{self, collect, refill};
use crate::rows::pattern::{KeptPattern, range};
use crate::team::{Ragged, Team};

pub use block::{Square, back, split, square, times, unit};
use branches::Sections;
use elimination::{LuElimination, Stage};
use numbers::Numbers;
use order::EliminationOrder;
use solution::{LuSolution, Pass, Substitution};
use supernodes::{LuSupernodes, Strip, StripPlace};

/// The factors, and the pattern that they belong to.
#[derive(Debug, Default)]
pub struct BlockLu<const N: usize> {
    /// The row of the matrix at each place of the elimination.
    order: Vec<u32>,
    supernodes: LuSupernodes,
    sections: Sections,
    numbers: Numbers<N>,
    /// A vector in the order of elimination, its part outside of each branch, and the rows of one supernode of each section.
    work: Vec<[f64; N]>,
    outside: Vec<[f64; N]>,
    rows: Vec<f64>,
    /// The pattern.
    given: KeptPattern,
    /// The target of each given block.
    targets: Vec<BlockPlace>,
    /// The number of products of blocks in a factorization, if it is at most `most`.
    products: Option<u64>,
    most: u64,
}

/// The place of a block in the panels.
#[derive(Clone, Copy, Debug)]
struct BlockPlace {
    place: StripPlace,
    /// Whether it is a block of Uᵀ.
    is_transposed: bool,
}

/// Whether a matrix is symmetric. The blocks above the diagonal of a symmetric matrix are not used, and the elimination takes half as
/// many products.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    #[default]
    Any,
    Symmetric,
}

/// The matrix before the elimination, or the rows and columns of a section of it.
#[derive(Debug)]
pub struct Blocks<'a, const N: usize> {
    shape: Shape,
    targets: &'a [BlockPlace],
    first_strip: usize,
    panels: &'a mut [Strip],
}

impl<const N: usize> Blocks<'_, N> {
    /// Whether blocks above the diagonal are used.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Whether the k-th block of the pattern is above the diagonal, in the order of the elimination.
    #[inline(always)]
    pub fn is_above(&self, k: usize) -> bool {
        self.targets[k].is_transposed
    }

    /// Add to the k-th block of the pattern.
    #[inline(always)]
    pub fn add(&mut self, k: usize, block: &Square<N>) {
        let BlockPlace { place: StripPlace { strip, row }, is_transposed } = self.targets[k];
        let strip = strip - self.first_strip;
        for (j, strip) in self.panels[strip..strip + N].iter_mut().enumerate() {
            let to = &mut strip.0.as_flattened_mut()[row..row + N];
            for (i, to) in to.iter_mut().enumerate() {
                *to += if is_transposed { block[i][j] } else { block[j][i] };
            }
        }
    }
}

/// The largest number of products of blocks for which a factorization pays.
pub const MOST_PRODUCTS: u64 = 1_000_000_000;

impl<const N: usize> BlockLu<N> {
    /// Find order and fill of a pattern and its transpose, unless they are known from the last call. Returns the number of products
    /// of blocks in a factorization, or none if it exceeds `most`. The search then stops early, so that it takes no more time than
    /// `most` products are worth.
    pub fn analyse(&mut self, starts: &[i32], columns: &[i32], most: u64) -> memory::Result<Option<u64>> {
        let is_known = self.products.is_some() || self.most >= most;
        if is_known && self.given.is(starts, columns) {
            return Ok(self.products.filter(|&products| products <= most));
        }
        self.given.forget();
        self.most = most;
        let mut order = EliminationOrder::default();
        self.products = order.find(starts, columns, most)?;
        if self.products.is_some() {
            self.supernodes.find::<N>(&order)?;
            self.order = order.rows;
            self.sections.find::<N>(&mut self.supernodes, &mut self.order)?;
            self.make_room()?;
            self.find_targets(starts, columns)?;
        }
        self.given.keep(starts, columns)?;
        Ok(self.products)
    }

    fn make_room(&mut self) -> memory::Result {
        let rows = self.order.len();
        self.numbers.make_room(rows, self.supernodes.strips)?;
        refill(&mut self.work, rows, [0.0; N])?;
        refill(&mut self.outside, self.sections.outside.len(), [0.0; N])?;
        refill(&mut self.rows, self.sections.works.last().copied().unwrap_or(0), 0.0)
    }

    fn find_targets(&mut self, starts: &[i32], columns: &[i32]) -> memory::Result {
        let Self { targets, supernodes, order, .. } = self;
        let mut position = memory::repeated(order.len(), 0_u32)?;
        for (place, &row) in (0..).zip(&*order) {
            position[row as usize] = place;
        }
        let rows_of = starts.windows(2).enumerate();
        let pairs = rows_of.flat_map(|(row, range)| {
            columns[range[0] as usize..range[1] as usize].iter().map(move |&column| (row, column as usize))
        });
        let target = |(row, column): (usize, usize)| {
            let (row, column) = (position[row] as usize, position[column] as usize);
            let (first, later) = (row.min(column), row.max(column));
            let supernode = supernodes.of(first);
            let is_transposed = row < column;
            let position = supernodes.position(supernode, later);
            let mut place = supernode.place::<N>(usize::from(is_transposed), position);
            place.strip += N * (first - supernode.places.start);
            BlockPlace { place, is_transposed }
        };
        collect(targets, columns.len(), pairs.map(target))
    }

    /// Factor the matrix with the block `block (row, k)` for the k-th block of the pattern; none is a zero block. Returns false if
    /// a pivot is singular.
    #[inline(always)]
    pub fn factorise(
        &mut self,
        team: &mut Team,
        shape: Shape,
        block: impl Fn(usize, usize) -> Option<Square<N>>,
    ) -> bool {
        let Self { numbers, targets, given, order, .. } = self;
        numbers.panels.fill(Strip::default());
        let mut blocks = Blocks { shape, targets, first_strip: 0, panels: &mut numbers.panels };
        for row in 0..order.len() {
            for k in range(given.starts(), row) {
                if (shape == Shape::Any || !blocks.is_above(k))
                    && let Some(block) = block(row, k)
                {
                    blocks.add(k, &block);
                }
            }
        }
        self.eliminate(team, shape, |_, _| ())
    }

    /// Factor the matrix whose blocks `fill` adds. It is called for some rows of the matrix at a time, and adds their blocks on the
    /// diagonal, the blocks above the diagonal in these rows, and the blocks below the diagonal in these columns. Returns false if a
    /// pivot is singular.
    pub fn factorise_parts(
        &mut self,
        team: &mut Team,
        shape: Shape,
        fill: impl Fn(&mut Blocks<N>, &[u32]) + Sync,
    ) -> bool {
        self.eliminate(team, shape, |blocks, rows| {
            blocks.panels.fill(Strip::default());
            fill(blocks, rows);
        })
    }

    /// Factor the matrix of the blocks, after `fill` for the rows of each section. Returns false if a pivot is singular.
    #[inline(always)]
    fn eliminate(
        &mut self,
        team: &mut Team,
        shape: Shape,
        fill: impl Fn(&mut Blocks<N>, &[u32]) + Sync,
    ) -> bool {
        let Self { order, supernodes, sections, targets, numbers, .. } = self;
        let Sections { branches, strips, places, .. } = &*sections;
        let result = team.try_share_parts(numbers.of_sections(sections, 0), 1, |section, part| {
            let elimination = LuElimination::of(supernodes, shape, None, sections, section, part);
            let (first_strip, panels) = (strips[section], &mut *elimination.panels);
            let rows = &order[places[section]..places[section + 1]];
            fill(&mut Blocks { shape, targets, first_strip, panels }, rows);
            let is_done = match branches.get(section) {
                Some(branch) => at_best((elimination, Stage::Branch(branch.clone()))),
                None => true,
            };
            if is_done { Ok(()) } else { Err(()) }
        });
        result.is_ok() && self.eliminate_trunk(team, shape)
    }

    /// Eliminate the trunk. Threads share the changes of its supernodes by branches, then by each supernode of the trunk in turn.
    fn eliminate_trunk(&mut self, team: &mut Team, shape: Shape) -> bool {
        let trunk = self.sections.branches.len()..self.sections.count();
        self.change_later(team, shape, 0..trunk.start);
        trunk.into_iter().all(|section| {
            let Self { supernodes, sections, numbers, .. } = self;
            let part = numbers.of_sections(sections, section);
            let own = LuElimination::of(supernodes, shape, None, sections, section, part);
            let is_done = at_best((own, Stage::Own(sections.supernodes(section).start)));
            self.change_later(team, shape, section..section + 1);
            is_done
        })
    }

    /// Change all sections after some that are eliminated.
    fn change_later(&mut self, team: &mut Team, shape: Shape, done: Range<usize>) {
        if done.is_empty() {
            return;
        }
        let Self { supernodes, sections, numbers, .. } = self;
        let from = sections.supernodes(done.start).start..sections.supernodes(done.end - 1).end;
        let (earlier, later) = numbers.split(sections, done.start, done.end);
        team.share_parts(later, 1, |k, part| {
            let section = done.end + k;
            let index = sections.supernodes(section).start;
            if !supernodes.changes_of(index, from.clone()).is_empty() {
                let own = LuElimination::of(supernodes, shape, Some(earlier), sections, section, part);
                at_best((own, Stage::Changes(index, from.clone())));
            }
        });
    }

    /// Replace x by the solution.
    pub fn solve(&mut self, team: &mut Team, x: &mut [[f64; N]]) {
        for (to, &row) in self.work.iter_mut().zip(&self.order) {
            *to = x[row as usize];
        }
        if self.sections.count() == 1 {
            // Small matrices have one section, and no threads.
            self.substitute(0);
        } else {
            self.solve_branches(team, Substitution::Forward);
            self.solve_trunk();
            self.solve_branches(team, Substitution::Backward);
        }
        for (from, &row) in self.work.iter().zip(&self.order) {
            x[row as usize] = *from;
        }
    }

    /// Solve with L or with U for the places of branches.
    fn solve_branches(&mut self, team: &mut Team, way: Substitution) {
        let Self { supernodes, sections, numbers, work, outside, rows, .. } = self;
        let Sections { branches, places, outsides, index_outside, works, .. } = &*sections;
        let vectors = (
            Ragged { values: &mut work[..], starts: places },
            (
                Ragged { values: &mut outside[..], starts: outsides },
                Ragged { values: &mut rows[..], starts: works },
            ),
        );
        team.share_parts(vectors, 1, |number, (x, (outside, work))| {
            let mut solution = LuSolution {
                supernodes,
                numbers,
                x: x.values,
                first_place: places[number],
                outside: outside.values,
                index_outside,
                work: work.values,
            };
            if way == Substitution::Forward {
                solution.outside.fill([0.0; N]);
            }
            at_best(Pass { solution: &mut solution, way, which: branches[number].clone() });
        });
    }

    /// Solve for the places of the trunk, after the changes by branches, and give the solution to the branches.
    fn solve_trunk(&mut self) {
        for (change, &place) in self.outside.iter().zip(&self.sections.outside) {
            let x = &mut self.work[place as usize];
            (0..N).for_each(|i| x[i] += change[i]);
        }
        self.substitute(self.sections.branches.len());
        for (x, &place) in self.outside.iter_mut().zip(&self.sections.outside) {
            *x = self.work[place as usize];
        }
    }

    /// Solve for the places of the trunk, or of a single section: nothing is outside.
    fn substitute(&mut self, section: usize) {
        let Self { supernodes, sections, numbers, work, rows, .. } = self;
        let own = sections.supernodes(section).start..supernodes.all.len();
        let rows = &mut rows[sections.works[section]..];
        let mut solution = LuSolution {
            supernodes,
            numbers,
            x: work,
            first_place: 0,
            outside: &mut [],
            index_outside: &[],
            work: rows,
        };
        at_best(Pass { solution: &mut solution, way: Substitution::Forward, which: own.clone() });
        at_best(Pass { solution: &mut solution, way: Substitution::Backward, which: own });
    }
}

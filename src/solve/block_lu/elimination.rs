//! The elimination: each supernode gets the changes of earlier ones, then its own places are eliminated in turn.

use std::ops::{Range, RangeFrom};

use crate::math::simd::{F64x4, Kernel, SimdLevel};

use super::Shape;
use super::block::{Square, split};
use super::branches::Sections;
use super::numbers::SectionNumbers;
use super::supernodes::{LuSupernode, LuSupernodes, STRIP, Strip, StripPlace, VECTORS};

/// A product of panels is made in tiles of a strip's rows and this many columns, which fill the registers.
const COLUMNS: usize = 3;

/// The most blocks in a strip.
const MOST_BLOCKS: usize = STRIP / 3;

/// The elimination of some supernodes that follow each other, with their numbers.
pub struct LuElimination<'a, const N: usize> {
    pub supernodes: &'a LuSupernodes,
    pub shape: Shape,
    /// The factors of other supernodes, if changes come from these.
    pub earlier: Option<Earlier<'a>>,
    /// The first strip and the first place of these numbers.
    pub first_strip: usize,
    pub first_place: usize,
    pub panels: &'a mut [Strip],
    /// The factors of the pivots, by place.
    pub pivots: &'a mut [Square<N>],
    pub turned: &'a mut [Square<N>],
    /// Whether a place has blocks in U that are not zero. A place without them changes no other.
    pub is_active: &'a mut [bool],
}

/// The factors of supernodes that are eliminated.
#[derive(Clone, Copy)]
pub struct Earlier<'a> {
    pub first_strip: usize,
    pub first_place: usize,
    pub panels: &'a [Strip],
    pub is_active: &'a [bool],
}

/// What to do with some supernodes.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Eliminate supernodes that depend on no others, in turn.
    Branch(Range<usize>),
    /// Eliminate a supernode after all changes by others.
    Own(usize),
    /// Change a supernode by earlier ones, in this range.
    Changes(usize, Range<usize>),
}

/// The result is false if a pivot is singular.
impl<const N: usize> Kernel for (LuElimination<'_, N>, Stage) {
    type Output = bool;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> bool {
        let (mut elimination, stage) = self;
        // One loop for all kinds, since the elimination is inlined.
        let (which, from, is_eliminated) = match stage {
            Stage::Branch(which) => (which.clone(), which, true),
            Stage::Own(index) => (index..index + 1, 0..0, true),
            Stage::Changes(index, from) => (index..index + 1, from, false),
        };
        for index in which {
            elimination.changes(level, index, from.clone());
            if is_eliminated && !elimination.own(level, index) {
                return false;
            }
        }
        true
    }
}

/// The factors of a product of panels.
struct PanelFactors<'a> {
    from: &'a LuSupernode,
    /// The number of places whose columns are factors.
    width: usize,
    /// The panel of the rows: L (0) or Uᵀ (1).
    side: usize,
    layer: usize,
    /// The first row in the other panel.
    row: usize,
}

/// The number of blocks in a strip.
#[inline(always)]
const fn blocks<const N: usize>() -> usize {
    STRIP / N
}

impl<'a, const N: usize> LuElimination<'a, N> {
    /// The elimination of a section, or of the sections from this one on.
    pub fn of(
        supernodes: &'a LuSupernodes,
        shape: Shape,
        earlier: Option<Earlier<'a>>,
        sections: &Sections,
        section: usize,
        part: SectionNumbers<'a, N>,
    ) -> Self {
        let ((panels, pivots), (turned, is_active)) = part;
        Self {
            supernodes,
            shape,
            earlier,
            first_strip: sections.strips[section],
            first_place: sections.places[section],
            panels: panels.values,
            pivots: pivots.values,
            turned: turned.values,
            is_active: is_active.values,
        }
    }

    /// The panels that get changes: U of a symmetric matrix comes from L.
    #[inline(always)]
    fn sides(&self) -> Range<usize> {
        if self.shape == Shape::Symmetric { 0..1 } else { 0..2 }
    }

    /// The indices of the columns of a layer of a panel.
    #[inline(always)]
    fn layer(&self, supernode: &LuSupernode, side: usize, layer: usize) -> Range<usize> {
        let strips = supernode.layer::<N>(side, layer);
        strips.start - self.first_strip..strips.end - self.first_strip
    }

    /// Change a supernode by the earlier ones in a range that change it.
    #[inline(always)]
    fn changes<L: SimdLevel>(&mut self, level: L, index: usize, from: Range<usize>) {
        let supernodes = self.supernodes;
        for change in supernodes.changes_of(index, from) {
            self.change(level, change.from as usize, &supernodes.all[index], change.rows.clone());
        }
    }

    /// Eliminate the places of a supernode. Returns false if a pivot is singular.
    #[inline(always)]
    fn own<L: SimdLevel>(&mut self, level: L, index: usize) -> bool {
        let own = &self.supernodes.all[index];
        for place in own.places.clone() {
            self.change_place(level, own, place);
            if !self.eliminate(level, own, place) {
                return false;
            }
        }
        true
    }

    /// Subtract the products of the panels of an earlier supernode, whose rows `rows` belong to this one.
    #[inline(always)]
    fn change<L: SimdLevel>(&mut self, level: L, from: usize, to: &LuSupernode, rows: Range<u32>) {
        let from = &self.supernodes.all[from];
        let below = &self.supernodes.rows[from.rows.clone()];
        let width = from.width();
        let [first, last] = [rows.start, rows.end].map(|row| width + row as usize);
        let to_rows = &self.supernodes.rows[to.rows.clone()];
        for side in self.sides() {
            let mut at = 0;
            // The diagonal block belongs to L.
            for layer in (first + side) / blocks::<N>()..from.layers::<N>() {
                // The blocks of the layer that are below the first row, and where they are in the target.
                let begin = (layer * blocks::<N>()).max(first + side);
                let end = ((layer + 1) * blocks::<N>()).min(from.height());
                let mut places = [StripPlace::default(); MOST_BLOCKS];
                for (place, block) in places.iter_mut().zip(begin..end) {
                    let row = below[block - width];
                    let position = match to.position_within(row) {
                        Some(position) => position,
                        None => {
                            at += to_rows[at..].partition_point(|&other| other < row);
                            to.width() + at
                        }
                    };
                    *place = to.place::<N>(side, position);
                }
                for row in first..last.min(end - side) {
                    let column = N * (below[row - width] as usize - to.places.start);
                    let skipped = (row + side).max(begin) - begin;
                    let start = (begin + skipped) % blocks::<N>();
                    for part in (0..N).step_by(COLUMNS) {
                        let factors = PanelFactors { from, width, side, layer, row: N * row + part };
                        let tile = self.product(level, &factors);
                        self.subtract(&tile, start.., column + part, &places[skipped..end - begin]);
                    }
                }
            }
        }
    }

    /// Subtract the products of the earlier columns of a supernode from the columns of a place.
    #[inline(always)]
    fn change_place<L: SimdLevel>(&mut self, level: L, own: &LuSupernode, place: usize) {
        let k = place - own.places.start;
        if k == 0 {
            return;
        }
        for side in self.sides() {
            for layer in (k + side) / blocks::<N>()..own.layers::<N>() {
                let at = self.layer(own, side, layer).start + N * k;
                let skipped = N * (k + side).saturating_sub(layer * blocks::<N>());
                let last = (N * own.height() - STRIP * layer).min(STRIP);
                for part in (0..N).step_by(COLUMNS) {
                    let factors = PanelFactors { from: own, width: k, side, layer, row: N * k + part };
                    let tile = self.product(level, &factors);
                    let at = at + part;
                    for (to, tile) in self.panels[at..at + COLUMNS].iter_mut().zip(&tile) {
                        let (to, tile) = (to.0.as_flattened_mut(), tile.0.as_flattened());
                        for (to, entry) in to[skipped..last].iter_mut().zip(&tile[skipped..last]) {
                            *to -= entry;
                        }
                    }
                }
            }
        }
    }

    /// A layer of one panel times three rows of the other, transposed: the sum over the columns of the first `width` places.
    #[inline(always)]
    fn product<L: SimdLevel>(&self, level: L, factors: &PanelFactors) -> [Strip; COLUMNS] {
        let &PanelFactors { from, width, side, layer, row } = factors;
        let own = Earlier {
            first_strip: self.first_strip,
            first_place: self.first_place,
            panels: self.panels,
            is_active: self.is_active,
        };
        let Earlier { first_strip, first_place, panels, is_active } = self.earlier.unwrap_or(own);
        let layer_of = |side, layer| {
            let strips = from.layer::<N>(side, layer);
            panels[strips.start - first_strip..strips.end - first_strip].as_chunks::<N>().0
        };
        let (x, y) = (layer_of(side, layer), layer_of(1 - side, row / STRIP));
        let row = row % STRIP;
        let first = from.places.start - first_place;
        let is_active = &is_active[first..first + width];
        let mut sums = [[level.zero(); VECTORS]; COLUMNS];
        for ((x, y), is_active) in x.iter().zip(y).zip(is_active) {
            if !is_active {
                continue;
            }
            for (x, y) in x.iter().zip(y) {
                let mut vectors = [level.zero(); VECTORS];
                for (vector, x) in vectors.iter_mut().zip(&x.0) {
                    *vector = level.load(x);
                }
                for (sums, &y) in sums.iter_mut().zip(&y.0.as_flattened()[row..row + COLUMNS]) {
                    for (sum, &x) in sums.iter_mut().zip(&vectors) {
                        *sum = *sum + x * y;
                    }
                }
            }
        }
        let mut strips = [Strip::default(); COLUMNS];
        for (strip, sums) in strips.iter_mut().zip(&sums) {
            for (strip, sum) in strip.0.iter_mut().zip(sums) {
                *strip = sum.values();
            }
        }
        strips
    }

    /// Subtract blocks of a tile from blocks at these places; `column` is their first column in a panel.
    #[inline(always)]
    fn subtract(
        &mut self,
        tile: &[Strip; COLUMNS],
        blocks: RangeFrom<usize>,
        column: usize,
        places: &[StripPlace],
    ) {
        for (place, block) in places.iter().zip(blocks) {
            let at = place.strip + column - self.first_strip;
            for (to, tile) in self.panels[at..at + COLUMNS].iter_mut().zip(tile) {
                let to = &mut to.0.as_flattened_mut()[place.row..place.row + N];
                for (to, entry) in to.iter_mut().zip(&tile.0.as_flattened()[N * block..N * block + N]) {
                    *to -= entry;
                }
            }
        }
    }

    /// Eliminate a place. Returns false if the pivot is singular.
    #[inline(always)]
    fn eliminate<L: SimdLevel>(&mut self, level: L, own: &LuSupernode, place: usize) -> bool {
        let k = place - own.places.start;
        let place = place - self.first_place;
        let first = N * (k % blocks::<N>());
        let diagonal = self.layer(own, 0, k / blocks::<N>()).start + N * k;
        for (pivot, strip) in self.pivots[place].iter_mut().zip(&self.panels[diagonal..]) {
            pivot.copy_from_slice(&strip.0.as_flattened()[first..first + N]);
        }
        if !split(&mut self.pivots[place], &mut self.turned[place]) {
            return false;
        }
        let (u, turned) = (&self.pivots[place], &self.turned[place]);
        let mut is_active = false;
        for layer in (k + 1) / blocks::<N>()..own.layers::<N>() {
            let [lower, upper] = [0, 1].map(|side| self.layer(own, side, layer).start + N * k);
            // Rows of the layer that are not below the place change, too, but are not used afterwards.
            for v in 0..VECTORS {
                let mut x = [level.zero(); N];
                for (x, strip) in x.iter_mut().zip(&self.panels[lower..lower + N]) {
                    *x = level.load(&strip.0[v]);
                }
                let mut a = x;
                if self.shape == Shape::Any {
                    for (a, strip) in a.iter_mut().zip(&self.panels[upper..upper + N]) {
                        *a = level.load(&strip.0[v]);
                    }
                }
                // L = A U⁻¹.
                for j in 0..N {
                    for i in 0..j {
                        x[j] = x[j] - x[i] * u[j][i];
                    }
                    x[j] = x[j] * u[j][j];
                }
                for (x, strip) in x.iter().zip(&mut self.panels[lower..lower + N]) {
                    strip.0[v] = x.values();
                }
                // Uᵀ = Aᵀ (L⁻¹ P)ᵀ.
                let mut x = [level.zero(); N];
                for (&a, turned) in a.iter().zip(turned) {
                    for (x, &turned) in x.iter_mut().zip(turned) {
                        *x = *x + a * turned;
                    }
                }
                for (x, strip) in x.iter().zip(&mut self.panels[upper..upper + N]) {
                    strip.0[v] = x.values();
                    for x in strip.0[v] {
                        is_active |= x != 0.0;
                    }
                }
            }
        }
        self.is_active[place] = is_active;
        true
    }
}

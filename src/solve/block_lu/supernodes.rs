//! Supernodes: places that follow each other and have nearly the same later rows. Their blocks form one dense panel, so that products
//! of panels take the place of products of blocks (Ng and Peyton, 1993).

use std::iter;
use std::ops::Range;

use crate::memory::{self, collect, push, refill};
use crate::rows::pattern::range;

use super::order::EliminationOrder;

/// The most rows in the places of a supernode: a strip of a panel should stay in the nearest cache.
const WIDEST: usize = 48;

/// A supernode may have blocks that are zero: this share of its blocks.
const ZEROS: f64 = 0.1;

/// The rows of a strip, and its vectors.
pub const STRIP: usize = 12;
pub const VECTORS: usize = STRIP / 4;

/// Twelve rows of a column of a panel.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub struct Strip(pub [[f64; 4]; VECTORS]);

/// The supernodes of a factorization.
#[derive(Debug, Default)]
pub struct LuSupernodes {
    pub all: Vec<LuSupernode>,
    /// The rows below each supernode.
    pub rows: Vec<u32>,
    /// The supernode of each place.
    of_place: Vec<u32>,
    /// The changes that a supernode gets from earlier ones, in the order of these.
    changes: Vec<Change>,
    starts: Vec<u32>,
    /// The number of strips in all panels.
    pub strips: usize,
}

/// Some places, and the rows below. The panel of L has the rows of the places, then the rows below, in strips of twelve rows, and
/// each strip column by column. The panel of Uᵀ, with the same shape, follows.
#[derive(Clone, Debug)]
pub struct LuSupernode {
    pub places: Range<usize>,
    /// Its rows in the list of all rows.
    pub rows: Range<usize>,
    /// Where its panels begin.
    pub offset: usize,
}

/// The rows `rows` below the supernode `from` belong to the supernode that is changed.
#[derive(Clone, Debug)]
pub struct Change {
    pub from: u32,
    pub rows: Range<u32>,
}

/// The place of a block: a strip, and its first row there.
#[derive(Clone, Copy, Debug, Default)]
pub struct StripPlace {
    pub strip: usize,
    pub row: usize,
}

impl LuSupernode {
    /// The number of places.
    #[inline(always)]
    pub fn width(&self) -> usize {
        self.places.len()
    }

    /// The number of blocks in a column of a panel.
    #[inline(always)]
    pub fn height(&self) -> usize {
        self.width() + self.rows.len()
    }

    /// The number of rows of strips.
    #[inline(always)]
    pub fn layers<const N: usize>(&self) -> usize {
        (N * self.height()).div_ceil(STRIP)
    }

    /// The number of strips in a panel with blocks of N × N.
    #[inline(always)]
    pub fn strips<const N: usize>(&self) -> usize {
        N * self.width() * self.layers::<N>()
    }

    /// The columns of a layer of a panel: of L (0) or Uᵀ (1).
    #[inline(always)]
    pub fn layer<const N: usize>(&self, panel: usize, layer: usize) -> Range<usize> {
        let columns = N * self.width();
        let first = self.offset + panel * self.strips::<N>() + layer * columns;
        first..first + columns
    }

    /// The place of the block at a position of a panel, in its first column.
    #[inline(always)]
    pub fn place<const N: usize>(&self, panel: usize, position: usize) -> StripPlace {
        let row = N * position;
        StripPlace { strip: self.layer::<N>(panel, row / STRIP).start, row: row % STRIP }
    }

    /// The position of a place of the supernode in its panels, none for a later one.
    #[inline(always)]
    pub fn position_within(&self, place: u32) -> Option<usize> {
        let place = place as usize;
        (place < self.places.end).then(|| place - self.places.start)
    }

    /// Whether the next place may be added, when this place has `next` rows below it and the supernode `zeros` zero blocks then.
    fn takes<const N: usize>(&self, next: usize, zeros: usize) -> bool {
        let width = self.width() + 1;
        let blocks = width * (width - 1) / 2 + width * next;
        N * width <= WIDEST && zeros as f64 <= ZEROS * blocks as f64
    }
}

impl LuSupernodes {
    /// Find the supernodes for blocks of N × N. `finish` must follow.
    pub fn find<const N: usize>(&mut self, order: &EliminationOrder) -> memory::Result {
        self.divide::<N>(order)?;
        self.number_places()
    }

    /// Find where the panels are, and the changes.
    pub fn finish<const N: usize>(&mut self) -> memory::Result {
        self.strips = 0;
        for supernode in &mut self.all {
            supernode.offset = self.strips;
            self.strips += 2 * supernode.strips::<N>();
        }
        self.find_changes()
    }

    fn number_places(&mut self) -> memory::Result {
        let places = self.all.last().map_or(0, |last| last.places.end);
        collect(&mut self.of_place, places, iter::empty())?;
        for (supernode, index) in self.all.iter().zip(0..) {
            self.of_place.extend(supernode.places.clone().map(|_| index));
        }
        Ok(())
    }

    /// Take the supernodes in another order, in which those that change a supernode come before it, and those below it keep their
    /// order. The rows of places in `order` follow.
    pub fn take(&mut self, moved: &[u32], order: &mut Vec<u32>) -> memory::Result {
        let (mut all, mut rows) =
            (memory::with_capacity(moved.len())?, memory::with_capacity(self.rows.len())?);
        let mut new_place = memory::repeated(order.len(), 0)?;
        let mut new_order = memory::with_capacity(order.len())?;
        for &from in moved {
            for place in self.all[from as usize].places.clone() {
                new_place[place] = new_order.len() as u32;
                new_order.push(order[place]);
            }
        }
        for &from in moved {
            let LuSupernode { places, rows: below, offset } = self.all[from as usize].clone();
            let first = new_place[places.start] as usize;
            let begin = rows.len();
            rows.extend(self.rows[below].iter().map(|&row| new_place[row as usize]));
            all.push(LuSupernode { places: first..first + places.len(), rows: begin..rows.len(), offset });
        }
        (self.all, self.rows, *order) = (all, rows, new_order);
        self.number_places()
    }

    fn divide<const N: usize>(&mut self, order: &EliminationOrder) -> memory::Result {
        self.all.clear();
        self.rows.clear();
        let below = |place: usize| &order.later[range(&order.starts, place)];
        let mut current: Option<LuSupernode> = None;
        let mut zeros = 0;
        for place in 0..order.rows.len() {
            let rows = below(place);
            if let Some(supernode) = &mut current {
                // The columns so far get the rows below this place.
                let last = below(place - 1);
                let more = supernode.width() * (rows.len() + 1 - last.len().min(rows.len() + 1));
                if last.first() == Some(&(place as u32)) && supernode.takes::<N>(rows.len(), zeros + more) {
                    zeros += more;
                    supernode.places.end = place + 1;
                    continue;
                }
                self.close(supernode.clone(), last)?;
            }
            zeros = 0;
            current = Some(LuSupernode { places: place..place + 1, rows: 0..0, offset: 0 });
        }
        if let Some(supernode) = current {
            self.close(supernode, &[])?;
        }
        Ok(())
    }

    fn close(&mut self, mut supernode: LuSupernode, below: &[u32]) -> memory::Result {
        supernode.rows = self.rows.len()..self.rows.len() + below.len();
        self.rows.try_reserve(below.len())?;
        self.rows.extend_from_slice(below);
        push(&mut self.all, supernode)
    }

    fn find_changes(&mut self) -> memory::Result {
        let Self { all, rows, of_place, changes, starts, .. } = self;
        let each = |visit: &mut dyn FnMut(usize, Change)| {
            for (supernode, from) in all.iter().zip(0..) {
                let below = &rows[supernode.rows.clone()];
                let mut at = 0;
                for same in below.chunk_by(|&a, &b| of_place[a as usize] == of_place[b as usize]) {
                    let end = at + same.len() as u32;
                    visit(of_place[same[0] as usize] as usize, Change { from, rows: at..end });
                    at = end;
                }
            }
        };
        refill(starts, all.len() + 2, 0)?;
        each(&mut |to, _| starts[to + 2] += 1);
        for k in 1..starts.len() {
            starts[k] += starts[k - 1];
        }
        refill(changes, starts.last().map_or(0, |&end| end as usize), Change { from: 0, rows: 0..0 })?;
        each(&mut |to, change| {
            changes[starts[to + 1] as usize] = change;
            starts[to + 1] += 1;
        });
        starts.pop();
        Ok(())
    }

    /// The changes of a supernode by earlier ones in a range.
    #[inline(always)]
    pub fn changes_of(&self, supernode: usize, from: Range<usize>) -> &[Change] {
        let changes = &self.changes[range(&self.starts, supernode)];
        let [first, last] =
            [from.start, from.end].map(|end| changes.partition_point(|change| (change.from as usize) < end));
        &changes[first..last]
    }

    /// The supernode that a supernode changes first.
    pub fn parent(&self, supernode: usize) -> Option<usize> {
        let below = &self.rows[self.all[supernode].rows.clone()];
        below.first().map(|&row| self.of_place[row as usize] as usize)
    }

    /// The supernode of a place.
    pub fn of(&self, place: usize) -> &LuSupernode {
        &self.all[self.of_place[place] as usize]
    }

    /// The position of a later place in the panels of a supernode.
    pub fn position(&self, supernode: &LuSupernode, place: usize) -> usize {
        supernode.position_within(place as u32).unwrap_or_else(|| {
            let below = &self.rows[supernode.rows.clone()];
            supernode.width() + below.partition_point(|&row| (row as usize) < place)
        })
    }
}

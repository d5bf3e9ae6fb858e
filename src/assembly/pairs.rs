//! Off-diagonal blocks, a pair W_αβ, W_βα = W_αβᵀ at a time, or all pairs of a row of one body with the rows that follow on it.

use super::irregular_pairs::{IrregularPair, IrregularRun, OneIrregularPair};
use crate::body_operators::general::LastStrip;
use crate::body_operators::{Panel, SlotRange};
use crate::math::Block;
use crate::math::simd::{F64x4, Kernel, SimdLevel, add, are_finite, at_best, write};
use crate::team::{Partition, Team};

/// The two blocks of a pair of constraints, and their places.
#[derive(Debug)]
pub struct Pair<'a, Name> {
    /// The face's name of the pair.
    pub name: Name,
    /// The couplings of the two rows, one for each shared body; none if H of one of them is zero, because then the blocks are zero.
    pub couplings: [Option<Coupling>; 2],
    /// The place of W_αβ, if wanted.
    pub block: Option<&'a mut Block>,
    /// The place of W_βα, if wanted.
    pub transpose: Option<&'a mut Block>,
}

/// A body and the slots of α and β in its panel.
#[derive(Clone, Copy, Debug)]
pub struct Coupling {
    /// Index of the body.
    pub body: usize,
    /// Slot of α.
    pub row: usize,
    /// Slot of β.
    pub column: usize,
}

/// Pairs of a row α with rows β that have consecutive slots in the panel of a body; all their blocks are wanted.
#[derive(Debug)]
pub struct PairRun<'a, N, T> {
    /// The face's name of the k-th pair.
    pub name: N,
    /// The places of all W_αβ.
    pub blocks: &'a mut [Block],
    /// The place of the k-th W_βα; called once for each k.
    pub transpose: T,
}

/// Pairs in an order that threads take parts of.
pub trait Pairs: Partition {
    /// Whether pairs come row by row, and the pairs of a row in the order of their columns.
    const IN_ROWS: bool;

    /// The name of a pair; the error of the pair with the first name is reported.
    type Name: Ord + Copy;
    /// The face's error for a block that is not finite.
    type Fault: Send;

    /// Make each pair of this part in turn. The data of the next pairs can be prefetched meanwhile.
    fn each<L: SimdLevel>(&mut self, make: &mut Maker<L, Self::Name>);

    /// The face's error for a pair whose block is not finite although its diagonal blocks are.
    fn fault(&self, name: Self::Name) -> Self::Fault;
}

/// Make the blocks of all pairs; panels are complete, and diagonal blocks finite. A thread takes `part` items of the partition at
/// a time.
///
/// # Errors
/// The error of the first pair, by parts and names, whose block is not finite.
pub fn assemble<P: Pairs>(pairs: P, part: usize, panels: &[Panel], team: &mut Team) -> Result<(), P::Fault> {
    team.try_share_parts(pairs, part, |_, pairs| at_best(PairsKernel { pairs, panels }))
}

/// Makes some pairs.
struct PairsKernel<'a, P> {
    pairs: P,
    panels: &'a [Panel],
}

impl<P: Pairs> Kernel for PairsKernel<'_, P> {
    type Output = Result<(), P::Fault>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let Self { mut pairs, panels } = self;
        let last = [LastStrip::NONE; 2];
        let mut maker = Maker { level, panels, last, in_rows: P::IN_ROWS, first_failed: None };
        pairs.each(&mut maker);
        maker.first_failed.map_or(Ok(()), |name| Err(pairs.fault(name)))
    }
}

/// Makes the blocks of pairs at a level, and keeps the first pair that fails.
pub struct Maker<'a, L, Name> {
    /// The level.
    pub level: L,
    /// The operators of all bodies.
    pub panels: &'a [Panel],
    last: [LastStrip; 2],
    in_rows: bool,
    first_failed: Option<Name>,
}

impl<L: SimdLevel, Name: Ord + Copy> Maker<'_, L, Name> {
    #[inline(always)]
    fn note(&mut self, name: Name) {
        self.first_failed = Some(self.first_failed.map_or(name, |first| first.min(name)));
    }

    /// Make the blocks of a pair.
    #[inline(always)]
    pub fn pair(&mut self, pair: Pair<'_, Name>) {
        let last = self.in_rows.then_some(&mut self.last);
        if let Err(name) = self.level.apart(OnePair { panels: self.panels, pair, last }) {
            self.note(name);
        }
    }

    /// Make the blocks of one row and rows with consecutive slots in the panel of a body; `coupling` is the first pair's.
    #[inline(always)]
    pub fn run<'a>(
        &mut self,
        Coupling { body, row, column }: Coupling,
        PairRun { name, blocks, transpose }: PairRun<
            '_,
            impl Fn(usize) -> Name,
            impl FnMut(usize) -> &'a mut Block,
        >,
    ) {
        let panel = &self.panels[body];
        if let Some(failed) = panel.write_pairs(self.level, [row, column], blocks, transpose) {
            self.note(name(failed));
        }
    }

    /// Make the blocks of a pair of which a row is irregular.
    #[inline(always)]
    pub fn irregular_pair(&mut self, pair: IrregularPair<'_, Name>) {
        if let Err(name) = self.level.call(OneIrregularPair { panels: self.panels, pair }) {
            self.note(name);
        }
    }

    /// Make the blocks of pairs of a row α with rows β that have consecutive slots on a body, if α or all β are irregular;
    /// `coupling` is the first pair's.
    #[inline(always)]
    pub fn irregular_run<'a>(
        &mut self,
        Coupling { body, row, column }: Coupling,
        run: IrregularRun<
            '_,
            impl Fn(usize) -> Name,
            impl Iterator<Item = usize> + Clone,
            impl FnMut(usize) -> &'a mut [f64],
        >,
    ) {
        let IrregularRun { name, height, heights, blocks, transpose } = run;
        let row = SlotRange { first: row, rows: height };
        let failed = self.panels[body].write_blocks(self.level, row, column, heights, blocks, transpose);
        if let Some(failed) = failed {
            self.note(name(failed));
        }
    }
}

/// A pair, which scenes make in several places.
///
/// W_αβ is computed and W_βα is its transpose to the bit: the face's choice of α decides which. The result is the name of the pair if
/// its block is not finite; it is not written then. The diagonal blocks have been found finite before ([`Panel::finite_columns`]).
struct OnePair<'a, Name> {
    panels: &'a [Panel],
    pair: Pair<'a, Name>,
    last: Option<&'a mut [LastStrip; 2]>,
}

impl<Name> Kernel for OnePair<'_, Name> {
    type Output = Result<(), Name>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let Self { panels, pair: Pair { name, couplings, block, transpose }, last } = self;
        let (first, second) = match last {
            Some([first, second]) => (Some(first), Some(second)),
            None => (None, None),
        };
        let one = match couplings[0] {
            Some(coupling) => columns(level, panels, coupling, first),
            None => Some([level.zero(); 3]),
        };
        let Some(mut w) = one else { return Err(name) };
        if let Some(coupling) = couplings[1] {
            let Some(more) = columns(level, panels, coupling, second) else { return Err(name) };
            add(&mut w, &more);
            // Two finite blocks may overflow together.
            if couplings[0].is_some() && !are_finite(&w) {
                return Err(name);
            }
        }
        if let Some(block) = block {
            write(block, &w);
        }
        if let Some(transpose) = transpose {
            write(transpose, &F64x4::transposed(w));
        }
        Ok(())
    }
}

/// The columns of the block of a coupling, if it is finite.
#[inline(always)]
fn columns<L: SimdLevel>(
    level: L,
    panels: &[Panel],
    Coupling { body, row, column }: Coupling,
    last: Option<&mut LastStrip>,
) -> Option<[L::F64x4; 3]> {
    panels[body].finite_columns(level, [body, row, column], last)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inertia::{Dense, InertiaRef, Inverse, Workspace};
    use crate::math::simd::Plain;
    use crate::math::transposed;
    use crate::team::Numbered;
    use crate::team::tests::with_team;

    #[test]
    fn pairs_are_written_where_wanted() {
        let mut panel = Panel::default();
        let general = panel.start_general(2, 2).unwrap();
        general.add_dense(0, &[1.0, 2.0, 3.0, 0.0, 0.0, 1.0]);
        general.add_dense(1, &[0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        let inertia = InertiaRef::Inverse(Inverse::Dense(Dense::new(2, &[1.0, 0.0, 0.0, 10.0]).unwrap()));
        panel.apply(1.0, &inertia, &mut Workspace::default()).unwrap();
        // Rows of H_0: (1,0), (2,0), (3,1); of H_1: (0,1), (1,0), (0,0).
        let expected = [0.0, 0.0, 10.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0];
        let (mut block, mut transpose, mut alone, mut zero) = ([7.0; 9], [7.0; 9], [7.0; 9], [7.0; 9]);
        let couplings = [Some(Coupling { body: 1, row: 0, column: 1 }), None];
        let pairs = [
            Pair { name: 'a', couplings, block: Some(&mut block), transpose: Some(&mut transpose) },
            Pair { name: 'b', couplings, block: None, transpose: Some(&mut alone) },
            Pair { name: 'c', couplings: [None, None], block: Some(&mut zero), transpose: None },
        ];
        let panels = [Panel::default(), panel];
        pairs.into_iter().for_each(|pair| OnePair { panels: &panels, pair, last: None }.at(Plain).unwrap());
        assert_eq!((block, transpose), (expected, transposed(&expected)));
        assert_eq!((alone, zero), (transposed(&expected), [0.0; 9]));
    }

    #[test]
    fn blocks_that_overflow_are_told_and_not_written() {
        let mut panel = Panel::default();
        let general = panel.start_general(3, 2).unwrap();
        for (slot, h) in
            [[1e200, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1e200, 0.0, 0.0], [0.0; 6]].iter().enumerate()
        {
            general.add_dense(slot, h);
        }
        // Couples the two velocities with each other alone: the diagonal blocks are zero.
        let inertia = InertiaRef::Inverse(Inverse::Dense(Dense::new(2, &[0.0, 1.0, 1.0, 0.0]).unwrap()));
        panel.apply(1.0, &inertia, &mut Workspace::default()).unwrap();
        let mut blocks = [[7.0; 9]; 3];
        let columns = [2, 1, 2];
        let panels = [panel];
        let mut pairs = (10..).zip(blocks.iter_mut().zip(columns)).map(|(name, (block, column))| Pair {
            name,
            couplings: [Some(Coupling { body: 0, row: 0, column }), None],
            block: Some(block),
            transpose: None,
        });
        assert_eq!(
            pairs.try_for_each(|pair| OnePair { panels: &panels, pair, last: None }.at(Plain)),
            Err(11)
        );
        assert_eq!(blocks, [[0.0; 9], [7.0; 9], [7.0; 9]]);
    }

    #[test]
    fn two_couplings_add_up() {
        let panel = |h: f64| {
            let mut panel = Panel::default();
            panel.start_general(2, 1).unwrap().add_dense(0, &[h, 0.0, 0.0]);
            let inertia = InertiaRef::Inverse(Inverse::Dense(Dense::new(1, &[1.0]).unwrap()));
            panel.apply(1.0, &inertia, &mut Workspace::default()).unwrap();
            panel
        };
        let couplings = [0, 1].map(|body| Some(Coupling { body, row: 0, column: 0 }));
        let mut block = [7.0; 9];
        for (entries, sum) in [([2.0, 3.0], Some(13.0)), ([1.2e154, 1.2e154], None)] {
            let pair = Pair { name: (), couplings, block: Some(&mut block), transpose: None };
            let made = OnePair { panels: &entries.map(panel), pair, last: None }.at(Plain);
            assert_eq!(made.ok().map(|()| block[0]), sum);
        }
    }

    type Listed<'a> = Numbered<&'a mut [([usize; 2], Block)], ()>;

    impl Pairs for Listed<'_> {
        type Name = [usize; 2];
        type Fault = [usize; 2];

        const IN_ROWS: bool = false;

        fn each<L: SimdLevel>(&mut self, make: &mut Maker<L, Self::Name>) {
            for (name, block) in self.things.iter_mut() {
                let coupling = Coupling { body: 0, row: name[0], column: name[1] };
                let couplings = [Some(coupling), None];
                make.pair(Pair { name: *name, couplings, block: Some(block), transpose: None });
            }
        }

        fn fault(&self, name: Self::Name) -> Self::Fault {
            name
        }
    }

    /// A body with one dof and large operators: blocks between the slots from 1 on are not finite.
    fn panel() -> Panel {
        let mut panel = Panel::default();
        let general = panel.start_general(4, 1).unwrap();
        [1.0, 1e200, 1e200, 1e200].into_iter().enumerate().for_each(|(k, h)| general.add_dense(k, &[h; 3]));
        let inertia = InertiaRef::Inverse(Inverse::Dense(Dense::new(1, &[1.0]).unwrap()));
        panel.apply(1.0, &inertia, &mut Workspace::default()).unwrap();
        panel
    }

    #[test]
    fn the_first_pair_of_a_part_is_told_in_whatever_order_pairs_are_made() {
        let panels = [panel()];
        let mut made = [[2, 3], [0, 2], [1, 3], [0, 1], [1, 2]].map(|name| (name, [0.0; 9]));
        with_team(2, |team| {
            let mut first = |part| {
                let pairs = Numbered { first: 0, things: &mut made[..], context: () };
                assemble(pairs, part, &panels, team).unwrap_err()
            };
            assert_eq!(first(5), [1, 2]);
            // Parts come first, names second.
            assert_eq!(first(2), [2, 3]);
        });
        assert_eq!([made[1].1, made[3].1], [[1e200; 9]; 2], "the others are made all the same");
    }
}

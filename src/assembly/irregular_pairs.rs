//! Blocks of pairs of rows of which one is irregular: m × n blocks of up to six scalar rows, through any number of bodies.

use super::pairs::Coupling;
use crate::body_operators::{Panel, SlotRange};
use crate::math::is_finite;
use crate::math::simd::{Kernel, SimdLevel};

/// The two blocks of a pair of rows α, β.
#[derive(Debug)]
pub struct IrregularPair<'a, Name> {
    /// The name that the face gives the pair.
    pub name: Name,
    /// The bodies that the rows share, in the order of α's bodies; `None` after the last.
    pub couplings: &'a [Option<Coupling>],
    /// The numbers of scalar rows of α and β.
    pub heights: [usize; 2],
    /// The place of W_αβ, column-major.
    pub block: &'a mut [f64],
    /// The place of W_βα, column-major.
    pub transpose: &'a mut [f64],
}

/// The blocks of pairs of a row α with rows β that have consecutive slots on a body.
#[derive(Debug)]
pub struct IrregularRun<'a, N, H, T> {
    /// The name of the k-th pair.
    pub name: N,
    /// The number of scalar rows of α.
    pub height: usize,
    /// The number of scalar rows of each β.
    pub heights: H,
    /// The places of all W_αβ, consecutive, column-major.
    pub blocks: &'a mut [f64],
    /// The place of the k-th W_βα; called once for each.
    pub transpose: T,
}

/// A pair to be made; the result is its name if its block is not finite.
pub struct OneIrregularPair<'a, Name> {
    /// The operators of all bodies.
    pub panels: &'a [Panel],
    /// The pair.
    pub pair: IrregularPair<'a, Name>,
}

impl<Name> Kernel for OneIrregularPair<'_, Name> {
    type Output = Result<(), Name>;

    #[inline(always)]
    fn at<L: SimdLevel>(self, level: L) -> Self::Output {
        let IrregularPair { name, couplings, heights: [height, width], block, transpose } = self.pair;
        block.fill(0.0);
        for Coupling { body, row, column } in couplings.iter().copied().map_while(|coupling| coupling) {
            let [row, column] =
                [(row, height), (column, width)].map(|(first, rows)| SlotRange { first, rows });
            self.panels[body].add_block(level, row, column, block);
        }
        for (j, values) in block.chunks_exact(height).enumerate() {
            values.iter().enumerate().for_each(|(i, value)| transpose[width * i + j] = *value);
        }
        if is_finite(block) { Ok(()) } else { Err(name) }
    }
}

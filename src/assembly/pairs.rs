//! Off-diagonal blocks, a pair W_αβ, W_βα = W_αβᵀ at a time.

use super::panel::Panel;
use crate::block::Block;
use crate::block::lanes::{Lanes, Level, write};

/// The two blocks of a pair of constraints on one body, and where they go.
#[derive(Debug)]
pub struct Pair<'a> {
    /// What couples the two; `None` where H of one of them is zero, and so the blocks.
    pub coupling: Option<Coupling>,
    /// Where W_αβ goes, if wanted.
    pub block: Option<&'a mut Block>,
    /// Where W_βα goes, if wanted.
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

/// Compute the blocks of all pairs; `panel` gives the panel of a body.
///
/// W_αβ is computed and W_βα is its transpose to the bit: the caller's choice of α decides which.
#[inline(always)]
pub fn assemble<'a, 'p, L: Level>(
    level: L,
    panel: impl Fn(usize) -> &'p Panel,
    pairs: impl Iterator<Item = Pair<'a>>,
) {
    for Pair { coupling, block, transpose } in pairs {
        let w = match coupling {
            Some(Coupling { body, row, column }) => panel(body).columns(level, row, column),
            None => [level.zero(); 3],
        };
        if let Some(block) = block {
            write(block, &w);
        }
        if let Some(transpose) = transpose {
            write(transpose, &Lanes::transposed(w));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::lanes::Plain;
    use crate::block::transposed;
    use crate::inertia::{Dense, Inertia, Inverse, Workspace};

    #[test]
    fn pairs_are_written_where_wanted() {
        let mut panel = Panel::default();
        let dense = panel.start_dense(2, 2).unwrap();
        dense.operator_mut(0).copy_from_slice(&[1.0, 2.0, 3.0, 0.0, 0.0, 1.0]);
        dense.operator_mut(1).copy_from_slice(&[0.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        let inertia = Inertia::Inverse(Inverse::Dense(Dense::new(2, &[1.0, 0.0, 0.0, 10.0]).unwrap()));
        panel.apply(1.0, &inertia, &mut Workspace::default()).unwrap();
        // Rows of H_0: (1,0), (2,0), (3,1); of H_1: (0,1), (1,0), (0,0).
        let expected = [0.0, 0.0, 10.0, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0];
        let (mut block, mut transpose, mut alone, mut zero) = ([7.0; 9], [7.0; 9], [7.0; 9], [7.0; 9]);
        let coupling = Some(Coupling { body: 4, row: 0, column: 1 });
        let pairs = [
            Pair { coupling, block: Some(&mut block), transpose: Some(&mut transpose) },
            Pair { coupling, block: None, transpose: Some(&mut alone) },
            Pair { coupling: None, block: Some(&mut zero), transpose: None },
        ];
        let at = |body| {
            assert_eq!(body, 4);
            &panel
        };
        assemble(Plain, at, pairs.into_iter());
        assert_eq!((block, transpose), (expected, transposed(&expected)));
        assert_eq!((alone, zero), (transposed(&expected), [0.0; 9]));
    }
}

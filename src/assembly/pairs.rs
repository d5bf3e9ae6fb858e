//! Off-diagonal blocks, a pair W_αβ, W_βα = W_αβᵀ at a time.

use super::panel::Panel;
use crate::block::Block;
use crate::block::lanes::{Lanes, Level, write};

/// The two blocks of a pair of constraints on one body, and where they go.
#[derive(Debug)]
pub struct Pair<'a, Name> {
    /// What the caller calls it.
    pub name: Name,
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
///
/// # Errors
/// The name of the first pair whose block is not finite; pairs from it on are not written. The diagonal blocks have been
/// found finite before ([`Panel::finite_columns`]).
#[inline(always)]
pub fn assemble<'a, 'p, L: Level, Name>(
    level: L,
    panel: impl Fn(usize) -> &'p Panel,
    pairs: impl Iterator<Item = Pair<'a, Name>>,
) -> Result<(), Name> {
    for Pair { name, coupling, block, transpose } in pairs {
        let w = match coupling {
            Some(Coupling { body, row, column }) => match panel(body).finite_columns(level, row, column) {
                Some(w) => w,
                None => return Err(name),
            },
            None => [level.zero(); 3],
        };
        if let Some(block) = block {
            write(block, &w);
        }
        if let Some(transpose) = transpose {
            write(transpose, &Lanes::transposed(w));
        }
    }
    Ok(())
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
            Pair { name: 'a', coupling, block: Some(&mut block), transpose: Some(&mut transpose) },
            Pair { name: 'b', coupling, block: None, transpose: Some(&mut alone) },
            Pair { name: 'c', coupling: None, block: Some(&mut zero), transpose: None },
        ];
        let at = |body| {
            assert_eq!(body, 4);
            &panel
        };
        assemble(Plain, at, pairs.into_iter()).unwrap();
        assert_eq!((block, transpose), (expected, transposed(&expected)));
        assert_eq!((alone, zero), (transposed(&expected), [0.0; 9]));
    }

    #[test]
    fn blocks_that_overflow_are_told_and_not_written() {
        let mut panel = Panel::default();
        let dense = panel.start_dense(3, 2).unwrap();
        for (slot, h) in
            [[1e200, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1e200, 0.0, 0.0], [0.0; 6]].iter().enumerate()
        {
            dense.operator_mut(slot).copy_from_slice(h);
        }
        // Couples the two velocities with each other alone: the diagonal blocks are zero.
        let inertia = Inertia::Inverse(Inverse::Dense(Dense::new(2, &[0.0, 1.0, 1.0, 0.0]).unwrap()));
        panel.apply(1.0, &inertia, &mut Workspace::default()).unwrap();
        let mut blocks = [[7.0; 9]; 3];
        let columns = [2, 1, 2];
        let pairs = (10..).zip(blocks.iter_mut().zip(columns)).map(|(name, (block, column))| Pair {
            name,
            coupling: Some(Coupling { body: 0, row: 0, column }),
            block: Some(block),
            transpose: None,
        });
        assert_eq!(assemble(Plain, |_| &panel, pairs), Err(11));
        assert_eq!(blocks, [[0.0; 9], [7.0; 9], [7.0; 9]]);
    }
}

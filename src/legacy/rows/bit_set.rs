//! Sets of small numbers.

use crate::memory::repeated;
use std::collections::TryReserveError;

/// A set of numbers below a limit, as bits. The least missing number is found in constant time for any limit.
pub struct BitSet {
    /// Bit k is set if number k is in the set.
    pub words: Vec<u64>,
    /// Bits of the words that were found full and still are.
    full: Vec<u64>,
    /// Words of `full` before this one are full.
    from: usize,
}

/// Numbers in a word.
pub const WORD: usize = u64::BITS as usize;

impl BitSet {
    /// The empty set of numbers below `len`, a multiple of [`WORD`].
    pub fn new(len: usize) -> Result<Self, TryReserveError> {
        debug_assert!(len.is_multiple_of(WORD));
        let words = repeated(len / WORD, 0)?;
        let mut full = repeated(words.len().div_ceil(WORD), 0)?;
        // Words beyond the end count as full.
        if let Some(last) = full.last_mut()
            && !words.len().is_multiple_of(WORD)
        {
            *last = u64::MAX << (words.len() % WORD);
        }
        Ok(Self { words, full, from: 0 })
    }

    /// The limit.
    pub fn len(&self) -> usize {
        WORD * self.words.len()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        size_of::<u64>() * (self.words.capacity() + self.full.capacity())
    }

    /// Whether a number below the limit is in the set.
    pub fn has(&self, number: usize) -> bool {
        self.words[number / WORD] & bit(number) != 0
    }

    /// The first word that is not full; `None` if all words are full. The caller adds numbers by writing to `words`.
    pub fn first_open(&mut self) -> Option<usize> {
        loop {
            let full = self.full.get_mut(self.from)?;
            if *full == u64::MAX {
                self.from += 1;
                continue;
            }
            let place = WORD * self.from + full.trailing_ones() as usize;
            if self.words[place] != u64::MAX {
                return Some(place);
            }
            *full |= bit(place);
        }
    }

    /// Remove a number from the set.
    pub fn clear(&mut self, number: usize) {
        let place = number / WORD;
        self.words[place] &= !bit(number);
        self.full[place / WORD] &= !bit(place);
        self.from = self.from.min(place / WORD);
    }
}

fn bit(number: usize) -> u64 {
    1 << (number % WORD)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Add the least missing number to the set.
    fn take_first(bits: &mut BitSet) -> Option<usize> {
        let place = bits.first_open()?;
        let within = bits.words[place].trailing_ones() as usize;
        bits.words[place] |= bit(within);
        Some(WORD * place + within)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(testing::cases(40)))]

        /// Compared with a set of the standard library.
        #[test]
        fn the_least_missing_number_is_found(
            words in 1..140_usize, changes in prop::collection::vec((any::<u32>(), 1..400_usize), 1..60),
        ) {
            let len = WORD * words;
            let mut bits = BitSet::new(len).unwrap();
            let mut missing: BTreeSet<usize> = (0..len).collect();
            for (number, count) in changes {
                for _ in 0..count {
                    prop_assert_eq!(take_first(&mut bits), missing.pop_first());
                }
                for k in 0..count / 2 {
                    let number = (number as usize).wrapping_mul(k + 1) % len;
                    bits.clear(number);
                    missing.insert(number);
                }
                prop_assert!((0..len).all(|number| bits.has(number) != missing.contains(&number)));
            }
        }
    }
}

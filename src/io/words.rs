//! Messages between processes: sequences of 64-bit words.

use crate::memory::{self, push};

/// A message under construction.
#[derive(Debug, Default)]
pub struct Words(pub Vec<u64>);

impl Words {
    /// Append a word.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn put(&mut self, word: u64) -> memory::Result {
        push(&mut self.0, word)
    }

    /// Append numbers.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn put_numbers(&mut self, numbers: &[f64]) -> memory::Result {
        self.0.try_reserve(numbers.len())?;
        self.0.extend(numbers.iter().map(|number| number.to_bits()));
        Ok(())
    }

    /// Append a list of numbers with their count.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn put_list(&mut self, numbers: &[f64]) -> memory::Result {
        self.put(numbers.len() as u64)?;
        self.put_numbers(numbers)
    }

    /// Append a list of integers with their count.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn put_integers(&mut self, integers: &[i32]) -> memory::Result {
        self.put(integers.len() as u64)?;
        self.0.try_reserve(integers.len())?;
        self.0.extend(integers.iter().map(|&integer| integer as u64));
        Ok(())
    }
}

/// A message that is being read.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a>(pub &'a [u64]);

impl<'a> Reader<'a> {
    /// Whether nothing is left.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The next word, if there is one.
    pub fn word(&mut self) -> Option<u64> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    /// The next `count` words.
    pub fn words(&mut self, count: usize) -> Option<&'a [u64]> {
        let (words, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        Some(words)
    }

    /// The next number.
    pub fn number(&mut self) -> Option<f64> {
        self.word().map(f64::from_bits)
    }

    /// The next N numbers.
    pub fn numbers<const N: usize>(&mut self) -> Option<[f64; N]> {
        let words: &[u64; N] = self.words(N)?.try_into().ok()?;
        Some(words.map(f64::from_bits))
    }

    /// The count of a list, and its words.
    pub fn list(&mut self) -> Option<&'a [u64]> {
        let count = usize::try_from(self.word()?).ok()?;
        self.words(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let mut words = Words::default();
        words.put(7).unwrap();
        words.put_numbers(&[1.5, -0.0]).unwrap();
        words.put_list(&[2.5]).unwrap();
        words.put_integers(&[-3, 4]).unwrap();
        let mut reader = Reader(&words.0);
        assert_eq!(reader.word(), Some(7));
        assert_eq!(
            reader.numbers::<2>().map(|numbers| numbers.map(f64::to_bits)),
            Some([1.5, -0.0].map(f64::to_bits))
        );
        assert_eq!(reader.list(), Some(&[2.5_f64.to_bits()][..]));
        assert_eq!(reader.list().map(|list| [list[0] as i32, list[1] as i32]), Some([-3, 4]));
        assert!(reader.is_empty() && reader.word().is_none() && reader.list().is_none());
    }
}

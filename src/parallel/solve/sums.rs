//! Sums and largest values over the rows of all processes.
#![forbid(unsafe_code)]

use crate::ffi::errors::Result;
use crate::parallel::exact_sum::{ExactSum, WORDS};
use crate::parallel::mpi::group::Group;

/// Sum numbers of all processes exactly: two sums, and a count.
pub fn sums(group: &Group, own: &[ExactSum; 2], count: usize) -> Result<([f64; 2], f64)> {
    let mut words = [0; 2 * WORDS + 1];
    for (sum, words) in own.iter().zip(words.as_chunks_mut::<WORDS>().0) {
        sum.write(words);
    }
    words[2 * WORDS] = count as i64;
    group.sum(&mut words)?;
    let (parts, _) = words.as_chunks::<WORDS>();
    Ok(([parts[0], parts[1]].map(|words| ExactSum::read(&words).value()), words[2 * WORDS] as f64))
}

/// Sum numbers of all processes exactly.
pub fn sum(group: &Group, own: &ExactSum) -> Result<f64> {
    let mut words = [0; WORDS];
    own.write(&mut words);
    group.sum(&mut words)?;
    Ok(ExactSum::read(&words).value())
}

/// The largest of numbers that are not negative; a number that is no number counts as infinite.
pub fn largest(group: &Group, own: f64) -> Result<f64> {
    // The bits of such numbers ascend with them.
    let mut bits = [(if own.is_nan() { f64::INFINITY } else { own }).to_bits() as i64];
    group.max(&mut bits)?;
    Ok(f64::from_bits(bits[0] as u64))
}

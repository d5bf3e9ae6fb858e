//! Measuring in turns.

use crate::median;

/// How often each has its turn, after one turn that does not count.
const TURNS: usize = 6;
/// How long a turn takes about, in milliseconds.
const LENGTH: f64 = 20.0;
/// Calls in a turn; the first of them finds what another left in the caches and does not count.
const LEAST: usize = 5;
const MOST: usize = 500;

/// Does something `count` times and returns how long each took, in milliseconds.
pub type Measured<'a> = Box<dyn FnMut(usize) -> Result<Vec<f64>, String> + 'a>;

/// The median time of each.
///
/// # Errors
/// If a measurement fails.
pub fn medians(all: &mut [Measured]) -> Result<Vec<f64>, String> {
    let mut calls = vec![LEAST; all.len()];
    let mut counted = vec![vec![]; all.len()];
    for turn in 0..=TURNS {
        for (k, measured) in all.iter_mut().enumerate() {
            let times = measured(calls[k])?;
            if turn > 0 {
                counted[k].extend(&times[1..]);
            } else {
                calls[k] = ((LENGTH / median(&times)) as usize).clamp(LEAST, MOST);
            }
        }
    }
    Ok(counted.iter().map(|times| median(times)).collect())
}

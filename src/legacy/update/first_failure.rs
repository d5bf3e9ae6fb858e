//! Which of the failures that threads meet is told: the first in the order of rows or bodies, whatever the threads do.

use std::sync::{Mutex, PoisonError};

use crate::legacy::errors::{Carried, Code};

/// The first failure so far.
#[derive(Default)]
pub struct FirstFailure(Mutex<Option<(usize, Carried)>>);

impl FirstFailure {
    /// Keep a failure of this thread if none is known that comes before it. Every part of the work has to be tried: its
    /// failure may be the first one.
    pub fn note(&self, place: usize, code: Code) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|&(known, _)| place < known) {
            *first = Some((place, Carried::last(code)));
        }
    }

    /// The first failure as this thread's error, if there was one.
    pub fn told(self) -> Result<(), Code> {
        let first = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.map_or(Ok(()), |(_, carried)| Err(carried.raise()))
    }
}

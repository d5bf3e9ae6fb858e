//! Which of the errors that threads meet is told: the first in the order of rows or bodies, whatever the threads do.

use std::sync::{Mutex, PoisonError};

/// The first error so far, with its place in the order.
pub(crate) struct FirstError<E>(Mutex<Option<(usize, E)>>);

impl<E> Default for FirstError<E> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<E> FirstError<E> {
    /// Keep the error of a result, if it is one and none is known that comes before it. Every part of the work has to be tried: its
    /// error may be the first one.
    pub(crate) fn note(&self, place: usize, result: Result<(), E>) {
        let Err(error) = result else { return };
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|&(known, _)| place < known) {
            *first = Some((place, error));
        }
    }

    /// The first error, if there was one.
    pub(crate) fn into_result(self) -> Result<(), E> {
        let first = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.map_or(Ok(()), |(_, error)| Err(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_in_order_is_told() {
        assert_eq!(FirstError::<char>::default().into_result(), Ok(()));
        let first = FirstError::default();
        [(7, 'c'), (3, 'b'), (5, 'd'), (3, 'e')]
            .into_iter()
            .for_each(|(place, error)| first.note(place, Err(error)));
        assert_eq!(first.into_result(), Err('b'));
    }
}

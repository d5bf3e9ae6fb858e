//! Selects one of the errors of several threads: the error of the first row or body in order, so that the choice does not depend on threads.

use std::sync::{Mutex, PoisonError};

/// The first error so far, with its index in the order.
pub(crate) struct FirstError<E>(Mutex<Option<(usize, E)>>);

impl<E> Default for FirstError<E> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<E> FirstError<E> {
    /// Keep the error of a result, if there is one and no earlier error is known. The caller must try every part of the work, since the
    /// first error may come last.
    pub(crate) fn note(&self, place: usize, result: Result<(), E>) {
        let Err(error) = result else { return };
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|&(known, _)| place < known) {
            *first = Some((place, error));
        }
    }

    /// The first error, if there was one.
    pub(crate) fn into_result(self) -> Result<(), E> {
        self.into_placed().map_err(|(_, error)| error)
    }

    /// The first error with its place, if there was one.
    pub(crate) fn into_placed(self) -> Result<(), (usize, E)> {
        let first = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_in_order_is_kept() {
        assert_eq!(FirstError::<char>::default().into_result(), Ok(()));
        let first = FirstError::default();
        [(7, 'c'), (3, 'b'), (5, 'd'), (3, 'e')]
            .into_iter()
            .for_each(|(place, error)| first.note(place, Err(error)));
        assert_eq!(first.into_result(), Err('b'));
    }
}

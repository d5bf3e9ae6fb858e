//! Which of the errors that threads meet is told: the first in the order of rows or bodies, whatever the threads do.

use std::sync::{Mutex, PoisonError};

/// An error, and what of it can leave the thread that meets it.
pub trait Carry: Sized {
    /// What leaves the thread.
    type Carried: Send;

    /// Pack it, in the thread that has just met it.
    fn carry(self) -> Self::Carried;

    /// Unpack it, in the thread that tells it.
    fn arrive(carried: Self::Carried) -> Self;
}

/// The first error so far, with its place in the order.
pub(crate) struct FirstError<E: Carry>(Mutex<Option<(usize, E::Carried)>>);

impl<E: Carry> Default for FirstError<E> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<E: Carry> FirstError<E> {
    /// Keep an error if none is known that comes before it. Every part of the work has to be tried: its error may be the
    /// first one.
    pub(crate) fn note(&self, place: usize, error: E) {
        let mut first = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if first.as_ref().is_none_or(|&(known, _)| place < known) {
            *first = Some((place, error.carry()));
        }
    }

    /// The first error, if there was one.
    pub(crate) fn into_result(self) -> Result<(), E> {
        let first = self.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        first.map_or(Ok(()), |(_, error)| Err(E::arrive(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Carry for char {
        type Carried = Self;

        fn carry(self) -> Self {
            self
        }

        fn arrive(carried: Self) -> Self {
            carried
        }
    }

    #[test]
    fn the_first_in_order_is_told() {
        assert_eq!(FirstError::<char>::default().into_result(), Ok(()));
        let first = FirstError::default();
        [(7, 'c'), (3, 'b'), (5, 'd'), (3, 'e')]
            .into_iter()
            .for_each(|(place, error)| first.note(place, error));
        assert_eq!(first.into_result(), Err('b'));
    }
}

//! Vectors that report when memory is exhausted. Five functions change a vector and use the memory that it has; four make a new one; one
//! gives the error alone.

use std::collections::TryReserveError;
use std::result;

/// The result of a function that needs memory; `T` defaults to `()`.
pub type Result<T = ()> = result::Result<T, TryReserveError>;

/// Replace the contents by `count` copies of a value.
pub fn refill<T: Clone>(values: &mut Vec<T>, count: usize, value: T) -> Result {
    values.clear();
    resize(values, count, value)
}

/// Replace the contents by items, which are at most `most`.
pub fn collect<T>(values: &mut Vec<T>, most: usize, items: impl Iterator<Item = T>) -> Result {
    values.clear();
    values.try_reserve_exact(most)?;
    values.extend(items);
    Ok(())
}

/// Change the length to `count`; new values are copies of `value`.
#[inline]
pub fn resize<T: Clone>(values: &mut Vec<T>, count: usize, value: T) -> Result {
    values.try_reserve(count.saturating_sub(values.len()))?;
    values.resize(count, value);
    Ok(())
}

/// The error of exhausted memory, if another library reports it in its own way. No vector can have this number of bytes.
pub fn exhausted() -> Result {
    Vec::<u8>::new().try_reserve_exact(usize::MAX)
}

/// Append a value.
#[inline]
pub fn push<T>(values: &mut Vec<T>, value: T) -> Result {
    values.try_reserve(1)?;
    values.push(value);
    Ok(())
}

/// Replace the value at an index, or append a value if the index is the length.
#[inline]
pub fn set_or_push<T>(values: &mut Vec<T>, index: usize, value: T) -> Result {
    match values.get_mut(index) {
        Some(old) => *old = value,
        None => push(values, value)?,
    }
    Ok(())
}

/// An empty vector with this capacity.
pub fn with_capacity<T>(capacity: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(capacity)?;
    Ok(values)
}

/// A vector of items, which are at most `most`.
pub fn collected<T>(most: usize, items: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut values = with_capacity(most)?;
    values.extend(items);
    Ok(values)
}

/// A vector of copies of values.
pub fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>> {
    collected(values.len(), values.iter().copied())
}

/// A vector of `count` copies of a value.
pub fn repeated<T: Clone>(count: usize, value: T) -> Result<Vec<T>> {
    let mut values = with_capacity(count)?;
    values.resize(count, value);
    Ok(values)
}

/// The bytes of memory held.
pub fn bytes<T>(values: &Vec<T>) -> usize {
    size_of::<T>() * values.capacity()
}

/// The bytes of memory that several vectors hold.
macro_rules! bytes_of {
    ($($values:expr),+) => { 0 $(+ $crate::memory::bytes(&$values))+ };
}
pub(crate) use bytes_of;

//! Vectors that are filled anew, in memory that they keep, and whose memory may be exhausted.

use std::collections::TryReserveError;
use std::result;

/// Of what needs memory, which may be exhausted.
pub type Result<T = ()> = result::Result<T, TryReserveError>;

/// Replace everything by so many copies of a value.
pub fn refill<T: Clone>(values: &mut Vec<T>, count: usize, value: T) -> Result {
    values.clear();
    values.try_reserve(count)?;
    values.resize(count, value);
    Ok(())
}

/// Replace everything by what an iterator yields.
pub fn collect<T>(values: &mut Vec<T>, items: impl ExactSizeIterator<Item = T>) -> Result {
    values.clear();
    values.try_reserve(items.len())?;
    values.extend(items);
    Ok(())
}

/// Replace everything by what an iterator yields, no more than so many values.
pub fn renew<T>(values: &mut Vec<T>, most: usize, items: impl Iterator<Item = T>) -> Result {
    values.clear();
    values.try_reserve_exact(most)?;
    values.extend(items);
    Ok(())
}

/// Add a value.
#[inline]
pub fn push<T>(values: &mut Vec<T>, value: T) -> Result {
    values.try_reserve(1)?;
    values.push(value);
    Ok(())
}

/// Put a value in place of the one at an index, or behind the last one.
#[inline]
pub fn put<T>(values: &mut Vec<T>, index: usize, value: T) -> Result {
    match values.get_mut(index) {
        Some(old) => *old = value,
        None => push(values, value)?,
    }
    Ok(())
}

/// As many values as that: of more the last ones go, of fewer the rest are copies of `value`.
#[inline]
pub fn resize<T: Clone>(values: &mut Vec<T>, count: usize, value: T) -> Result {
    values.try_reserve(count.saturating_sub(values.len()))?;
    values.resize(count, value);
    Ok(())
}

/// Nothing yet, and memory for so many values.
pub fn with_room<T>(count: usize) -> Result<Vec<T>> {
    let mut values = Vec::new();
    values.try_reserve_exact(count)?;
    Ok(values)
}

/// What an iterator yields, no more than so many values.
pub fn collected<T>(most: usize, items: impl Iterator<Item = T>) -> Result<Vec<T>> {
    let mut values = with_room(most)?;
    values.extend(items);
    Ok(values)
}

/// So many copies of a value, and no memory for more.
pub fn repeated<T: Clone>(count: usize, value: T) -> Result<Vec<T>> {
    let mut values = with_room(count)?;
    values.resize(count, value);
    Ok(values)
}

/// Bytes held.
pub fn bytes<T>(values: &Vec<T>) -> usize {
    size_of::<T>() * values.capacity()
}

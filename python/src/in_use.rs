//! Objects that one thread at a time uses. No call waits for another one, which could be the call that has called this one.

use std::sync::{Mutex, MutexGuard, TryLockError};

use pyo3::prelude::*;

use crate::errors::in_use;

/// The content of an object, unless another call uses it.
pub fn exclusive<'a, T>(own: &'a Mutex<T>, what: &str) -> PyResult<MutexGuard<'a, T>> {
    match own.try_lock() {
        Ok(own) => Ok(own),
        Err(TryLockError::Poisoned(error)) => Ok(error.into_inner()),
        Err(TryLockError::WouldBlock) => Err(in_use(what)),
    }
}

//! A lock that a forked child does not inherit.

use super::sync::{AtomicU32, Ordering};

/// A lock, held by a process. A lock that was held during a fork is free in the child, since the holding thread does not exist
/// there.
pub struct Owner {
    /// The id of the process that holds the lock; 0 if the lock is free.
    holder: AtomicU32,
}

impl Owner {
    pub const FREE: u32 = 0;

    pub const fn new(holder: AtomicU32) -> Self {
        Self { holder }
    }

    /// Take the lock for the calling process. Returns false if one of its threads holds it.
    pub fn try_take(&self, process: u32) -> bool {
        let holder = self.holder.load(Ordering::Relaxed);
        holder != process
            && self.holder.compare_exchange(holder, process, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Release the lock.
    pub fn give_back(&self) {
        self.holder.store(Self::FREE, Ordering::Release);
    }
}

//! A lock that a forked child does not inherit.

use super::sync::{AtomicU32, Ordering};

/// A lock, held by a process. What a process held when it forked is free in the child, which the holding thread does not
/// exist in.
pub struct Owner {
    /// Id of the process that holds the lock; 0: nobody does.
    holder: AtomicU32,
}

impl Owner {
    pub const FREE: u32 = 0;

    pub const fn new(holder: AtomicU32) -> Self {
        Self { holder }
    }

    /// Take the lock for the calling process, unless one of its threads has it.
    pub fn try_take(&self, process: u32) -> bool {
        let holder = self.holder.load(Ordering::Relaxed);
        holder != process
            && self.holder.compare_exchange(holder, process, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    /// Give the lock back.
    pub fn give_back(&self) {
        self.holder.store(Self::FREE, Ordering::Release);
    }
}

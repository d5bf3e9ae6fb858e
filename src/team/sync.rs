//! The primitives of [`super::protocol`] and [`super::owner`]. The model of the pool (`tests/pool_model`) replaces them by loom's.

use std::cell;
use std::hint::spin_loop;
use std::thread;
use std::time::{Duration, Instant};

pub use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
pub use std::sync::{Condvar, Mutex, MutexGuard};

/// Time to spin before sleeping: longer than most serial parts between the stages of an update, and short compared with the time that
/// a busy processor loses when it switches threads.
const SPIN_TIME: Duration = Duration::from_micros(50);

/// Time to yield before sleeping: longer than a host takes between two short updates. Waking a thread takes a twentieth to a half of
/// such an update.
const YIELD_TIME: Duration = Duration::from_micros(500);

/// Iterations between two readings of the clock.
const SPINS: usize = 16;

/// Spin until the condition holds, for a limited time.
pub fn spin_until(condition: impl Fn() -> bool) {
    look_until(condition, SPIN_TIME, || (0..SPINS).for_each(|_| spin_loop()));
}

/// Yield until the condition holds, for a limited time. For threads that have nothing to do: others can use the processor, above all
/// the thread that the condition depends on.
pub fn yield_until(condition: impl Fn() -> bool) {
    look_until(condition, YIELD_TIME, thread::yield_now);
}

fn look_until(condition: impl Fn() -> bool, time: Duration, relax: impl Fn()) {
    let start = Instant::now();
    while !condition() && start.elapsed() < time {
        relax();
    }
}

/// `std::cell::UnsafeCell` with the functions of loom's cell.
pub struct UnsafeCell<T>(cell::UnsafeCell<T>);

impl<T> UnsafeCell<T> {
    pub const fn new(value: T) -> Self {
        Self(cell::UnsafeCell::new(value))
    }

    /// Call with a pointer for reading.
    pub fn with<R>(&self, read: impl FnOnce(*const T) -> R) -> R {
        read(self.0.get())
    }

    /// Call with a pointer for writing.
    pub fn with_mut<R>(&self, write: impl FnOnce(*mut T) -> R) -> R {
        write(self.0.get())
    }
}

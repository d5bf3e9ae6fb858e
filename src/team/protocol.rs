//! How a caller and its workers share the parts of a job.
//!
//! Threads claim parts one by one, from counters that count down to zero. A claimed part keeps the job alive: the caller waits
//! until all parts are finished, not for workers. A worker that wakes up late finds the counters at zero and touches nothing
//! else.

use std::any::Any;
use std::collections::TryReserveError;
use std::mem;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::sync::{
    AtomicBool, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, UnsafeCell, spin_until, yield_until,
};

/// The function of a job. Its arguments are the member of the team that calls it, and the part.
pub type Work<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// The data that the caller, member 0, and the workers share.
pub struct Shared {
    counters: Vec<Counter>,
    /// Written while no part is unfinished; read by threads that have claimed a part.
    job: UnsafeCell<Job>,
    /// The number of unfinished parts of the job.
    unfinished: AtomicUsize,
    /// Changes when there is work, or when workers are to end.
    epoch: AtomicUsize,
    is_over: AtomicBool,
    /// The number of workers that have begun.
    workers: AtomicUsize,
    sleep: Mutex<Sleep>,
    /// The epoch has changed.
    work_ready: Condvar,
    /// All parts are finished.
    job_done: Condvar,
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

// SAFETY: the job alone is not Sync by itself. Its work is Sync; Shared::share writes the job, and claims order that
// before all reads.
unsafe impl Sync for Shared {}
// SAFETY: the job alone is not Send by itself; its work is Sync, so any thread may call it.
unsafe impl Send for Shared {}

/// The threads that sleep.
#[derive(Default)]
struct Sleep {
    workers: usize,
    is_caller: bool,
}

/// The number of unclaimed parts of a member's own range. Each counter has its own cache line, since members change theirs often.
#[repr(align(64))]
struct Counter(AtomicUsize);

#[derive(Clone, Copy)]
struct Job {
    work: *const Work<'static>,
    parts: usize,
}

const NO_WORK: &Work<'static> = &|_, _| ();

impl Counter {
    /// Claim a part. Returns the number of parts that were left, including this one.
    fn claim(&self) -> Option<usize> {
        let mut left = self.0.load(Ordering::Relaxed);
        while left > 0 {
            match self.0.compare_exchange_weak(left, left - 1, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return Some(left),
                Err(now) => left = now,
            }
        }
        None
    }
}

impl Shared {
    /// Make the data for a caller and `members` - 1 workers.
    ///
    /// # Errors
    /// If memory is exhausted.
    pub fn new(members: usize) -> Result<Self, TryReserveError> {
        let mut counters = Vec::new();
        counters.try_reserve_exact(members)?;
        counters.extend((0..members).map(|_| Counter(AtomicUsize::new(0))));
        Ok(Self {
            counters,
            job: UnsafeCell::new(Job { work: NO_WORK, parts: 0 }),
            unfinished: AtomicUsize::new(0),
            epoch: AtomicUsize::new(0),
            is_over: AtomicBool::new(false),
            workers: AtomicUsize::new(0),
            sleep: Mutex::new(Sleep::default()),
            work_ready: Condvar::new(),
            job_done: Condvar::new(),
            panic: Mutex::new(None),
        })
    }

    /// Call `work` once for each of the parts 0..`parts`, and wait until all are done.
    ///
    /// # Panics
    /// If `work` panics, after all claimed parts are finished.
    ///
    /// # Safety
    /// Nobody else calls this function at the same time.
    pub unsafe fn share(&self, parts: usize, work: &Work) {
        // SAFETY: only the lifetime changes. Threads call the work for claimed parts only, and this function returns
        // when all parts are claimed and finished.
        let work: &Work<'static> = unsafe { mem::transmute(work) };
        // SAFETY: no part is claimed now, since the previous call has ended and there is one at a time: nobody reads the job.
        self.job.with_mut(|job| unsafe { *job = Job { work, parts } });
        self.unfinished.store(parts, Ordering::Relaxed);
        for (member, counter) in self.counters.iter().enumerate() {
            // A thread that claims a part sees the job and the number of unfinished parts.
            counter.0.store(self.own(member, parts).len(), Ordering::Release);
        }
        self.wake();
        self.work_off(0);
        self.wait();
        let panic = lock(&self.panic).take();
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }

    /// Make workers look for parts.
    pub fn wake(&self) {
        let sleep = lock(&self.sleep);
        self.epoch.fetch_add(1, Ordering::Release);
        if sleep.workers > 0 {
            self.work_ready.notify_all();
        }
    }

    /// Make workers return as soon as there is no part left to claim.
    pub fn end(&self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.wake();
    }

    /// Run a worker until the end. There may be no more calls than members other than the caller.
    pub fn worker_loop(&self) {
        let member = 1 + self.workers.fetch_add(1, Ordering::Relaxed);
        loop {
            // The epoch is read before the worker looks for parts: the parts of this epoch are there, and a later job changes it.
            let seen = self.epoch.load(Ordering::Acquire);
            self.work_off(member);
            if self.is_over.load(Ordering::Relaxed) {
                return;
            }
            self.wait_for_epoch_after(seen);
        }
    }

    fn wait_for_epoch_after(&self, seen: usize) {
        let has_changed = || self.epoch.load(Ordering::Relaxed) != seen;
        yield_until(has_changed);
        if has_changed() {
            return;
        }
        let mut sleep = lock(&self.sleep);
        while !has_changed() {
            sleep.workers += 1;
            sleep = self.work_ready.wait(sleep).unwrap_or_else(|poisoned| poisoned.into_inner());
            sleep.workers -= 1;
        }
    }

    /// Claim and finish parts while there are any: first in the member's own range, then in the ranges of others.
    fn work_off(&self, member: usize) {
        let (others, own) = self.counters.split_at(member);
        for (whose, counter) in (member..).zip(own).chain((0..).zip(others)) {
            while let Some(left) = counter.claim() {
                // SAFETY: nobody writes the job before the claimed part is finished, and the work lives until then: see
                // Shared::share.
                let result = self.job.with(|job| unsafe {
                    let Job { work, parts } = *job;
                    let part = self.own(whose, parts).end - left;
                    catch_unwind(AssertUnwindSafe(|| (*work)(member, part)))
                });
                let mut finished = 1;
                if let Err(panic) = result {
                    lock(&self.panic).get_or_insert(panic);
                    // The remaining parts are skipped.
                    let unclaimed = self.counters.iter().map(|counter| counter.0.swap(0, Ordering::Acquire));
                    finished += unclaimed.sum::<usize>();
                }
                let before = self.unfinished.fetch_sub(finished, Ordering::AcqRel);
                if before == finished && member != 0 && lock(&self.sleep).is_caller {
                    self.job_done.notify_one();
                }
            }
        }
    }

    /// Wait until all parts are finished.
    fn wait(&self) {
        let is_finished = || self.unfinished.load(Ordering::Acquire) == 0;
        spin_until(is_finished);
        if is_finished() {
            return;
        }
        let mut sleep = lock(&self.sleep);
        while !is_finished() {
            sleep.is_caller = true;
            sleep = self.job_done.wait(sleep).unwrap_or_else(|poisoned| poisoned.into_inner());
            sleep.is_caller = false;
        }
    }

    /// A member's own range among `parts` parts. It is the same in each job and each update, so contiguous data stay in one
    /// processor's cache. A member that has finished its own range takes parts of others.
    fn own(&self, member: usize, parts: usize) -> Range<usize> {
        let members = self.counters.len();
        member * parts / members..(member + 1) * parts / members
    }
}

/// Lock a mutex. Only loom's tests panic with a lock held.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

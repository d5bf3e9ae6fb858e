//! Every order of events in the pool of threads, tried by loom: who wakes when, who claims what, when it ends. The protocol is
//! the library's own source, compiled without the rest of the library: by its path, since only so can `sync` be loom's here and the
//! standard library's there, without a feature for it in the library that is shipped.

#![cfg(test)]

#[path = "../../../src/team/owner.rs"]
mod owner;
#[path = "../../../src/team/protocol.rs"]
mod protocol;
mod sync;

use std::panic::{AssertUnwindSafe, catch_unwind};

use loom::cell::UnsafeCell;
use loom::model::Builder;
use loom::sync::Arc;
use loom::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use loom::thread;

use owner::Owner;
use protocol::Shared;

/// A model with a number of preemptions that lets the search end within seconds; waiting and finishing are no preemptions.
fn model(preemptions: usize, test: impl Fn() + Send + Sync + 'static) {
    let mut builder = Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(test);
}

/// A caller and `workers` threads from beginning to end.
fn with_workers(workers: usize, test: impl FnOnce(&Shared)) {
    let shared = Arc::new(Shared::new(workers + 1).unwrap());
    let threads: Vec<_> = (0..workers)
        .map(|_| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || shared.worker_loop())
        })
        .collect();
    test(&shared);
    shared.end();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Jobs in a row: each part is done once, by a member that exists, before the caller goes on. Loom sees to it that
/// the caller finds everything that parts write, and that nobody reads a job while the next one is written.
fn share_jobs(shared: &Shared, members: usize, jobs: &[usize]) {
    for &parts in jobs {
        let done: Vec<_> = (0..parts).map(|_| UnsafeCell::new(0)).collect();
        let done = Sent(&done);
        let work = |member, part: usize| {
            assert!(member < members);
            // SAFETY: a part is done by one thread at a time, as loom checks.
            done.get()[part].with_mut(|done| unsafe { *done += 1 });
        };
        // SAFETY: one thread shares.
        unsafe { shared.share(parts, &work) };
        for done in done.get() {
            // SAFETY: all threads are done, as loom checks.
            assert_eq!(done.with(|done| unsafe { *done }), 1);
        }
    }
}

/// For closures that are called by several threads.
struct Sent<'a>(&'a [UnsafeCell<u32>]);

// SAFETY: loom checks who uses which element when.
unsafe impl Sync for Sent<'_> {}

impl Sent<'_> {
    fn get(&self) -> &[UnsafeCell<u32>] {
        self.0
    }
}

#[test]
fn jobs_are_shared_by_two() {
    model(2, || with_workers(1, |shared| share_jobs(shared, 2, &[2, 2])));
}

#[test]
fn workers_are_woken_in_vain() {
    model(2, || {
        with_workers(1, |shared| {
            shared.wake();
            share_jobs(shared, 2, &[2]);
            shared.wake();
        });
    });
}

#[test]
fn workers_end_without_a_job() {
    model(2, || with_workers(2, |_| ()));
}

#[test]
fn a_panic_comes_back_once_and_the_next_job_is_done() {
    model(1, || {
        with_workers(1, |shared| {
            let work = |_, part| {
                if part == 1 {
                    // Not `panic!`, which would print a message for each of many thousand.
                    std::panic::resume_unwind(Box::new("part 1"));
                }
            };
            // SAFETY: one thread shares.
            let caught = catch_unwind(AssertUnwindSafe(|| unsafe { shared.share(3, &work) }));
            assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"part 1"));
            share_jobs(shared, 2, &[2]);
        });
    });
}

/// The pool belongs to one thread of a process at a time. A lock that a parent held when it forked is free in the child, for one of
/// its threads.
#[test]
fn the_pool_has_one_owner_in_parent_and_child() {
    for (holder, process) in [(Owner::FREE, 7), (6, 7)] {
        model(3, move || {
            let pool = Arc::new((Owner::new(AtomicU32::new(holder)), UnsafeCell::new(0)));
            let taken = Arc::new(AtomicUsize::new(0));
            let use_pool = move |pool: &(Owner, UnsafeCell<u32>), taken: &AtomicUsize| {
                if pool.0.try_take(process) {
                    // SAFETY: one thread has the pool, as loom checks.
                    pool.1.with_mut(|uses| unsafe { *uses += 1 });
                    pool.0.give_back();
                    taken.fetch_add(1, Ordering::Relaxed);
                }
            };
            let other = {
                let (pool, taken) = (Arc::clone(&pool), Arc::clone(&taken));
                thread::spawn(move || use_pool(&pool, &taken))
            };
            use_pool(&pool, &taken);
            other.join().unwrap();
            let taken = taken.load(Ordering::Relaxed) as u32;
            assert!(taken >= 1 && pool.1.with(|uses| unsafe { *uses }) == taken);
            assert!(pool.0.try_take(process) && !pool.0.try_take(process));
        });
    }
}

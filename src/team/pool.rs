//! The worker threads, parked between jobs.

use std::mem;

use crate::memory::with_capacity;

use super::owner::Owner;
use super::protocol::{Shared, Work};
use super::sync::{AtomicU32, UnsafeCell};
use super::worker::{Thread, join, start};

/// The pool of this process. It starts threads when a team first needs them.
pub static POOL: ThreadPool = ThreadPool {
    owner: Owner::new(AtomicU32::new(Owner::FREE)),
    shared: UnsafeCell::new(None),
    crew: UnsafeCell::new(Crew { process: 0, asked: 1, threads: Vec::new() }),
};

pub struct ThreadPool {
    /// Its holder uses the other two fields.
    owner: Owner,
    /// Workers use it too, so it changes only while there is none.
    shared: UnsafeCell<Option<Shared>>,
    crew: UnsafeCell<Crew>,
}

// SAFETY: the cells are used through Held alone, of which there is one at a time; workers use only the parts of `shared` that are Sync.
unsafe impl Sync for ThreadPool {}

#[derive(Default)]
struct Crew {
    /// The process that the threads belong to.
    process: u32,
    /// The requested size of the team; the system may have given fewer threads.
    asked: usize,
    threads: Vec<Thread>,
}

/// The right to use the pool. Nobody keeps it while code of the host runs.
pub struct Held<'a>(&'a ThreadPool);

impl ThreadPool {
    /// Take the pool, unless another thread uses it.
    pub fn take(&self) -> Option<Held<'_>> {
        let process = std::process::id();
        if !self.owner.try_take(process) {
            return None;
        }
        let mut held = Held(self);
        if held.crew().process != process {
            // This process is a forked child: the threads are the parent's, and only their memory is here.
            held.clear();
            held.crew().process = process;
        }
        Some(held)
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.owner.give_back();
    }
}

impl Held<'_> {
    fn crew(&mut self) -> &mut Crew {
        // SAFETY: only the thread that holds the pool gets here, and it borrows the pool once at a time.
        self.0.crew.with_mut(|crew| unsafe { &mut *crew })
    }

    fn shared(&self) -> Option<&Shared> {
        // SAFETY: only the thread that holds the pool changes the shared data, with `self` borrowed exclusively.
        self.0.shared.with(|shared| unsafe { (*shared).as_ref() })
    }

    /// Replace the data that workers share. There must be no worker.
    fn put(&mut self, new: Option<Shared>) {
        // SAFETY: nobody else uses it: there is no worker, and only the thread that holds the pool gets here.
        self.0.shared.with_mut(|shared| unsafe { *shared = new });
    }

    /// Remove all threads from the crew. They have ended, or were never in this process.
    fn clear(&mut self) {
        *self.crew() = Crew { process: self.crew().process, ..Crew::default() };
        self.put(None);
    }

    /// The number of threads, including the caller.
    pub fn size(&self) -> usize {
        // SAFETY: only the thread that holds the pool gets here, and `self` is borrowed: nobody changes the crew.
        self.0.crew.with(|crew| unsafe { (*crew).threads.len() + 1 })
    }

    /// Make a team of `asked` threads, and have its threads look for work. They wake up while the caller does other things. There are
    /// fewer threads if the system gives no more threads or no memory.
    pub fn gather(&mut self, asked: usize) {
        if self.crew().asked != asked {
            self.end();
            self.start(asked);
        }
        if let Some(shared) = self.shared() {
            shared.wake();
        }
    }

    fn start(&mut self, asked: usize) {
        let Ok(mut threads) = with_capacity(asked - 1) else { return };
        let Ok(shared) = Shared::new(asked) else { return };
        self.put(Some(shared));
        if let Some(shared) = self.shared() {
            // SAFETY: Held::end joins the workers before the shared data are dropped.
            threads.extend((1..asked).map_while(|_| unsafe { start(shared) }));
        }
        let crew = self.crew();
        (crew.asked, crew.threads) = (asked, threads);
    }

    /// End all threads and free their memory.
    pub fn end(&mut self) {
        if let Some(shared) = self.shared() {
            shared.end();
        }
        for thread in mem::take(&mut self.crew().threads) {
            // SAFETY: the thread was started by this process and is joined once, as it leaves the crew here. It never
            // waits for the thread that holds the pool.
            unsafe { join(thread) };
        }
        self.clear();
    }

    /// See [`Shared::share`].
    pub fn share(&mut self, parts: usize, work: &Work) {
        match self.shared() {
            // SAFETY: the pool is held, and borrowed exclusively: there is no other call.
            Some(shared) => unsafe { shared.share(parts, work) },
            None => (0..parts).for_each(|part| work(0, part)),
        }
    }
}

//! A team of threads, parked between updates: one thread unless the host asks for more.
//!
//! What a stage computes never depends on who computes it, so results have the same bits for any number of threads. A team
//! at work allocates nothing. In a forked child, where the other threads are gone, there is one thread again.

use std::any::Any;
use std::ffi::CStr;
use std::hint::spin_loop;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};

/// Most threads of a team.
pub const MOST: usize = 1024;

/// Constraints from which on a team pays.
const ENOUGH_FOR_A_TEAM: usize = 512;

/// How often to look for work, or for others to be done, before sleeping: as long as the serial parts between the stages
/// of an update take.
const LOOKS: usize = 20_000;

/// Threads asked for; 0: nobody has.
static ASKED: AtomicUsize = AtomicUsize::new(0);
/// The pool, made when first needed; used by who holds [`TAKEN`].
static POOL: AtomicPtr<Pool> = AtomicPtr::new(ptr::null_mut());
static TAKEN: AtomicBool = AtomicBool::new(false);
/// The process that the three above belong to.
static PROCESS: AtomicU32 = AtomicU32::new(0);

/// Ask for a number of threads, from 1 to [`MOST`], from the next team on.
pub fn ask(count: usize) {
    leave_parent();
    ASKED.store(count.clamp(1, MOST), Ordering::Relaxed);
}

/// Threads that a team would have.
pub fn asked() -> usize {
    leave_parent();
    match ASKED.load(Ordering::Relaxed) {
        0 => {
            let count = asked_by_environment().unwrap_or(1);
            ask(count);
            count.clamp(1, MOST)
        }
        count => count,
    }
}

/// What the environment says. [`std::env::var`] would ask for memory.
fn asked_by_environment() -> Option<usize> {
    // SAFETY: the name is a C string. No thread of the host changes the environment while others of its threads call this
    // library, as C has it for all who read the environment; so the value stays while it is read.
    let text = unsafe {
        let value = libc::getenv(c"LDY_NUM_THREADS".as_ptr());
        (!value.is_null()).then(|| CStr::from_ptr(value))?
    };
    text.to_str().ok()?.trim().parse().ok()
}

/// End the threads of the pool and give their memory back; the next team starts anew. Waits for a team at work.
pub fn shut_down() {
    leave_parent();
    while TAKEN.swap(true, Ordering::Acquire) {
        thread::yield_now();
    }
    replace_pool(ptr::null_mut());
    TAKEN.store(false, Ordering::Release);
}

/// In a forked child, forget what belongs to threads of the parent.
fn leave_parent() {
    let process = std::process::id();
    let before = PROCESS.swap(process, Ordering::Relaxed);
    if before != process && before != 0 {
        POOL.store(ptr::null_mut(), Ordering::Relaxed);
        TAKEN.store(false, Ordering::Relaxed);
        ASKED.store(1, Ordering::Relaxed);
    }
}

/// Only for who holds [`TAKEN`].
fn replace_pool(pool: *mut Pool) {
    let old = POOL.swap(pool, Ordering::Relaxed);
    if !old.is_null() {
        // SAFETY: pools come out of boxes, and nobody else uses this one any more.
        drop(unsafe { Box::from_raw(old) });
    }
}

/// The calling thread, and the pool's as long as the team lasts.
pub struct Team {
    pool: Option<&'static Pool>,
}

impl Team {
    /// As many threads as are asked for, and waking up; the calling thread alone if that is one, if another team is at
    /// work, or if no threads can be had.
    pub fn gather() -> Self {
        let count = asked();
        if count == 1 || TAKEN.swap(true, Ordering::Acquire) {
            return Self::alone();
        }
        // SAFETY: the pool is used by who holds TAKEN alone.
        let has_fitting_pool =
            unsafe { POOL.load(Ordering::Relaxed).as_ref() }.is_some_and(|pool| pool.asked == count);
        if !has_fitting_pool {
            replace_pool(Box::into_raw(Box::new(Pool::new(count))));
        }
        // SAFETY: as above; the pool is not replaced before TAKEN is given back, when the team ends.
        let pool = unsafe { POOL.load(Ordering::Relaxed).as_ref() };
        if let Some(pool) = pool {
            pool.desk.rouse();
        }
        Self { pool }
    }

    /// A team for an update of so many constraints: the calling thread alone if they are few.
    pub fn for_constraints(count: usize) -> Self {
        if count < ENOUGH_FOR_A_TEAM { Self::alone() } else { Self::gather() }
    }

    /// The calling thread.
    pub fn alone() -> Self {
        Self { pool: None }
    }

    /// Number of threads.
    pub fn size(&self) -> usize {
        self.pool.map_or(1, |pool| pool.threads.len() + 1)
    }

    /// Have `work` done for the parts 0..`parts`, each once, and wait for it. It is given the member of the team that calls
    /// it, below [`Team::size`], and the part.
    ///
    /// # Panics
    /// If `work` does, after all members have stopped.
    pub fn share(&mut self, parts: usize, work: &(dyn Fn(usize, usize) + Sync)) {
        match self.pool {
            Some(pool) if parts > 1 => pool.share(parts, work),
            _ => (0..parts).for_each(|part| work(0, part)),
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        if self.pool.is_some() {
            TAKEN.store(false, Ordering::Release);
        }
    }
}

struct Pool {
    asked: usize,
    desk: Arc<Desk>,
    threads: Vec<JoinHandle<()>>,
}

/// The next part of a member's own share of a job. A line of memory each, as members change theirs all the time.
#[derive(Default)]
#[repr(align(64))]
struct Next(AtomicUsize);

/// Where jobs are handed out.
struct Desk {
    state: Mutex<State>,
    /// A job is there, or the end.
    news: Condvar,
    /// All have left the job.
    done: Condvar,
    /// Number of the latest job, as in the state.
    number: AtomicUsize,
    /// Of each member.
    next: Box<[Next]>,
    /// Threads that have not left the job.
    busy: AtomicUsize,
}

#[derive(Default)]
struct State {
    number: usize,
    job: Option<Job>,
    is_over: bool,
    panic: Option<Box<dyn Any + Send>>,
}

#[derive(Clone, Copy)]
struct Job {
    work: *const (dyn Fn(usize, usize) + Sync),
    parts: usize,
}

// SAFETY: the work is shared between threads, which it can be, and outlives the job: see Pool::share.
unsafe impl Send for Job {}

impl Pool {
    fn new(asked: usize) -> Self {
        let desk = Arc::new(Desk {
            state: Mutex::default(),
            news: Condvar::new(),
            done: Condvar::new(),
            number: AtomicUsize::new(0),
            next: (0..asked).map(|_| Next::default()).collect(),
            busy: AtomicUsize::new(0),
        });
        let start = |member| {
            let desk = Arc::clone(&desk);
            thread::Builder::new().name("ldy".into()).spawn(move || desk.attend(member)).ok()
        };
        let threads = (1..asked).map_while(start).collect();
        Self { asked, desk, threads }
    }

    fn share(&self, parts: usize, work: &(dyn Fn(usize, usize) + Sync)) {
        let desk = &*self.desk;
        // SAFETY: a change of lifetime alone. Nobody calls the work after this function: it returns when all threads have
        // left the job, which is then withdrawn.
        let work = unsafe {
            std::mem::transmute::<&(dyn Fn(usize, usize) + Sync), &'static (dyn Fn(usize, usize) + Sync)>(
                work,
            )
        };
        let job = Job { work, parts };
        for (member, next) in desk.next.iter().enumerate() {
            next.0.store(desk.own(member, parts).start, Ordering::Relaxed);
        }
        desk.busy.store(self.threads.len(), Ordering::Relaxed);
        let mut state = desk.lock();
        state.number = state.number.wrapping_add(1);
        state.job = Some(job);
        desk.number.store(state.number, Ordering::Release);
        drop(state);
        desk.news.notify_all();

        desk.work_off(0, job);
        for _ in 0..LOOKS {
            if desk.busy.load(Ordering::Acquire) == 0 {
                break;
            }
            spin_loop();
        }
        let mut state = desk.lock();
        while desk.busy.load(Ordering::Acquire) != 0 {
            state = desk.done.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        state.job = None;
        let panic = state.panic.take();
        drop(state);
        if let Some(panic) = panic {
            resume_unwind(panic);
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.desk.lock().is_over = true;
        self.desk.number.fetch_add(1, Ordering::Release);
        self.desk.news.notify_all();
        for thread in self.threads.drain(..) {
            // What panics is caught inside.
            let _ = thread.join();
        }
    }
}

impl Desk {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// The life of a thread of the pool.
    fn attend(&self, member: usize) {
        let mut seen = 0;
        while let Some(job) = self.next_job(&mut seen) {
            self.work_off(member, job);
            if self.busy.fetch_sub(1, Ordering::AcqRel) == 1 {
                // Who waits looks at the count with the lock held: this cannot come between its look and its sleep.
                drop(self.lock());
                self.done.notify_one();
            }
        }
    }

    /// Have threads that sleep look for work: waking up takes a while, in which other things can be done.
    fn rouse(&self) {
        // Who is about to sleep has the lock.
        drop(self.lock());
        self.news.notify_all();
    }

    fn next_job(&self, seen: &mut usize) -> Option<Job> {
        loop {
            for _ in 0..LOOKS {
                if self.number.load(Ordering::Acquire) != *seen {
                    break;
                }
                spin_loop();
            }
            let state = self.lock();
            if state.is_over {
                return None;
            }
            match state.job {
                Some(job) if state.number != *seen => {
                    *seen = state.number;
                    return Some(job);
                }
                _ => drop(self.news.wait(state).unwrap_or_else(|poisoned| poisoned.into_inner())),
            }
        }
    }

    fn work_off(&self, member: usize, job: Job) {
        // SAFETY: this thread is counted as busy, or is the one that waits for those: see Pool::share.
        let work = unsafe { &*job.work };
        let members = self.next.len();
        let result = catch_unwind(AssertUnwindSafe(|| {
            for whose in (member..members).chain(0..member) {
                let end = self.own(whose, job.parts).end;
                loop {
                    let part = self.next[whose].0.fetch_add(1, Ordering::Relaxed);
                    if part >= end {
                        break;
                    }
                    work(member, part);
                }
            }
        }));
        if let Err(panic) = result {
            self.next.iter().for_each(|next| next.0.store(job.parts, Ordering::Relaxed));
            self.lock().panic.get_or_insert(panic);
        }
    }

    /// A member's own share of so many parts: what lies side by side stays with one thread, job after job and update after
    /// update, in whose cache it may still be. Who is done with their own helps others.
    fn own(&self, member: usize, parts: usize) -> Range<usize> {
        let members = self.next.len();
        member * parts / members..(member + 1) * parts / members
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicU64;

    /// Teams are one at a time, and tests are not.
    static ONE: Mutex<()> = Mutex::new(());

    fn with_team(count: usize, test: impl FnOnce(&mut Team)) {
        let _one = ONE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        ask(count);
        test(&mut Team::gather());
        ask(1);
        shut_down();
    }

    #[test]
    fn every_part_is_done_once() {
        for count in [1, 2, 5] {
            with_team(count, |team| {
                assert_eq!(team.size(), count);
                for parts in [0, 1, 2, 1000] {
                    let done: Vec<AtomicU64> = (0..parts).map(|_| AtomicU64::new(0)).collect();
                    team.share(parts, &|member, part| {
                        assert!(member < count);
                        done[part].fetch_add(1, Ordering::Relaxed);
                    });
                    assert!(done.iter().all(|done| done.load(Ordering::Relaxed) == 1), "{count} {parts}");
                }
            });
        }
    }

    #[test]
    fn panics_come_back_and_the_team_goes_on() {
        with_team(3, |team| {
            for _ in 0..50 {
                let work = |_, part| assert!(part != 7, "part 7");
                let caught = catch_unwind(AssertUnwindSafe(|| team.share(100, &work)));
                assert_eq!(caught.unwrap_err().downcast_ref(), Some(&"part 7"));
                let sum = AtomicUsize::new(0);
                team.share(100, &|_, part| {
                    sum.fetch_add(part, Ordering::Relaxed);
                });
                assert_eq!(sum.into_inner(), 4950);
            }
        });
    }

    #[test]
    fn a_second_team_is_the_calling_thread() {
        with_team(2, |team| {
            assert_eq!((team.size(), Team::gather().size()), (2, 1));
            assert_eq!(Team::gather().size(), 1);
        });
    }
}

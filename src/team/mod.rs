//! Teams of threads: one thread unless the host asks for more.
//!
//! The result of a stage never depends on the thread that computes it, so results have the same bits for any number of threads. A
//! team at work allocates nothing. If memory or threads are exhausted, the team is smaller and nothing aborts.
//!
//! A team holds the pool of threads only while it shares a job, never while functions of the host run. Such a function may
//! therefore end the threads, request another number, fork, update another system, or never return.
//!
//! [`protocol`] defines how the threads share jobs; `tests/pool_model` tries every order of its events.

mod count;
mod float_mode;
mod owner;
mod partition;
mod pool;
mod protocol;
mod sync;
mod worker;

use std::cell::Cell;
use std::thread;

pub use count::{MOST, ask, asked};
use float_mode::FloatMode;
pub use partition::{Numbered, Partition, Ragged, SharedSlice, SlicePair, part};
use pool::POOL;
use protocol::Work;

thread_local! {
    /// Whether this thread takes part in a job, as the caller or as a worker.
    static IS_SHARING: Cell<bool> = const { Cell::new(false) };
}

/// Marks the time during which the calling thread shares a job.
struct Sharing;

impl Sharing {
    fn begin() -> Self {
        IS_SHARING.set(true);
        Self
    }
}

impl Drop for Sharing {
    fn drop(&mut self) {
        IS_SHARING.set(false);
    }
}

/// End the threads of the pool and free their memory; the next team starts new threads. The function waits until a running job is
/// done. Within a job it does nothing.
pub fn shut_down() {
    if IS_SHARING.get() {
        return;
    }
    let mut pool = loop {
        match POOL.take() {
            Some(pool) => break pool,
            None => thread::yield_now(),
        }
    };
    pool.end();
}

/// The calling thread and, if the size is more than 1, threads of the pool.
pub struct Team {
    size: usize,
}

impl Team {
    /// Wake the requested number of threads. The team is the calling thread alone if that number is 1, if another team is at work,
    /// or if the system gives no threads.
    pub fn gather() -> Self {
        let count = asked();
        let pool = if count > 1 { POOL.take() } else { None };
        let Some(mut pool) = pool else { return Self::alone() };
        pool.gather(count);
        Self { size: pool.size() }
    }

    /// [`Team::gather`] if threads pay, otherwise the calling thread alone.
    pub fn if_it_pays(pays: bool) -> Self {
        if pays { Self::gather() } else { Self::alone() }
    }

    /// A team of the calling thread alone.
    pub fn alone() -> Self {
        Self { size: 1 }
    }

    /// Number of threads.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The number of items in a part, if `count` items take the same time each and their memory is prefetched: an eighth of a thread's
    /// share, at least one. There are few parts, since each prefetches memory after its end that another thread uses. There are enough
    /// that no thread waits long for the last part of another.
    pub fn part_of(&self, count: usize) -> usize {
        const PARTS: usize = 8;
        (count / (PARTS * self.size)).max(1)
    }

    /// Call `work` once for each of the parts 0..`parts`, and wait until all are done. Its arguments are the member of the team that
    /// calls it, less than [`Team::size`], and the part. No two threads are the same member. All members have the caller's
    /// floating-point mode.
    ///
    /// The calling thread does everything if the pool no longer belongs to this team, or if another team uses it.
    ///
    /// # Panics
    /// If `work` panics, after all members have stopped.
    pub fn share(&mut self, parts: usize, work: &Work) {
        let pool = if self.size > 1 && parts > 1 { POOL.take() } else { None };
        match pool {
            Some(mut pool) if pool.size() == self.size => {
                let mode = FloatMode::of_this_thread();
                let _sharing = Sharing::begin();
                pool.share(parts, &|member, part| {
                    if member > 0 {
                        mode.set();
                        IS_SHARING.set(true);
                    }
                    work(member, part);
                });
            }
            _ => (0..parts).for_each(|part| work(0, part)),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::time::Duration;

    /// Only one team can exist at a time, but tests run in parallel.
    static ONE: Mutex<()> = Mutex::new(());

    pub(crate) fn with_team(count: usize, test: impl FnOnce(&mut Team)) {
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

    /// The number of members that took part in more work than one thread can do before the others wake up.
    fn members_at_work(team: &mut Team, during: &(dyn Fn(usize) + Sync)) -> usize {
        let members = AtomicU64::new(0);
        team.share(2000, &|member, _| {
            members.fetch_or(1 << member, Ordering::Relaxed);
            during(member);
            thread::sleep(Duration::from_micros(10));
        });
        members.into_inner().count_ones() as usize
    }

    #[test]
    fn a_team_within_a_job_is_the_calling_thread() {
        with_team(2, |team| {
            let members = members_at_work(team, &|_| {
                // Without this flag the next call would wait for its own job.
                assert!(IS_SHARING.get());
                shut_down();
                let mut inner = Team::gather();
                let sum = AtomicUsize::new(0);
                inner.share(3, &|member, part| {
                    sum.fetch_add(10 * member + part, Ordering::Relaxed);
                });
                assert_eq!((inner.size(), sum.into_inner()), (1, 3));
            });
            assert_eq!(members, 2);
            assert_eq!((team.size(), Team::gather().size()), (2, 2));
        });
    }

    #[test]
    fn a_team_outlives_the_pool() {
        with_team(3, |team| {
            for (other, expected) in [(None, 1), (Some(5), 1), (Some(2), 1), (Some(3), 3)] {
                match other {
                    None => shut_down(),
                    Some(count) => {
                        ask(count);
                        assert_eq!(Team::gather().size(), count);
                    }
                }
                assert_eq!(members_at_work(team, &|member| assert!(member < 3)), expected, "{other:?}");
                let sum = AtomicUsize::new(0);
                team.share(100, &|_, part| {
                    sum.fetch_add(part, Ordering::Relaxed);
                });
                assert_eq!(sum.into_inner(), 4950);
            }
        });
    }

    #[test]
    #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
    fn all_members_compute_in_the_mode_of_the_caller() {
        use std::hint::black_box;
        use std::sync::atomic::AtomicBool;
        const MODES: [u32; 4] = [0x1f80, 0x5f80, 0x9fc0, 0x7f80]; // Nearest, up, subnormals to zero, truncating.
        let results = || {
            let [one, three, small] = [1.0, 3.0, 1e-310].map(black_box);
            [one / three, -one / three, small + 0.0, small * 0.5].map(f64::to_bits)
        };
        with_team(3, |team| {
            let default = FloatMode::of_this_thread();
            for bits in MODES {
                FloatMode::of_bits(bits).set();
                let expected = results();
                let agree = AtomicBool::new(true);
                let members = members_at_work(team, &|_| {
                    if results() != expected
                        || FloatMode::of_this_thread().bits() != FloatMode::of_bits(bits).bits()
                    {
                        agree.store(false, Ordering::Relaxed);
                    }
                });
                default.set();
                assert!(agree.into_inner(), "{bits:x}");
                assert_eq!(members, 3);
            }
        });
    }
}

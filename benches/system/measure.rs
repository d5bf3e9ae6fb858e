//! Updates of both faces in turns.

use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};

use ldy_benches::host::Host;
use ldy_benches::neutral::Neutral;
use ldy_benches::scenes::Scene;
use ldy_benches::threads;
use ldy_benches::{agreement, median};
use testing::allocator;

/// Turns before those that count.
const WARM_UP: usize = 3;
/// Fewest turns that count.
const LEAST: usize = 20;
/// Most turns that count, for scenes where updates are quick.
const MOST: usize = 400;
/// How long to measure if there are more turns than the fewest.
const ENOUGH: Duration = Duration::from_secs(3);

/// One scene through both faces with one number of threads; times are medians.
pub struct Beside {
    constraints: usize,
    threads: usize,
    /// Off-diagonal blocks of each, and how many pairs of rows they are for.
    blocks: [usize; 2],
    pairs: [usize; 2],
    /// An update, and the shortest.
    update: [Duration; 2],
    least: [Duration; 2],
    /// Setting the state of the bodies through the neutral face.
    set: Duration,
    /// Heap allocations of one update, the most of all.
    allocations: u64,
    /// Largest relative difference between the two.
    difference: f64,
}

/// Places in arrays of two.
const NEUTRAL: usize = 0;
const LEGACY: usize = 1;

impl Beside {
    /// Measure a scene, and report the figures of each number of threads.
    ///
    /// # Errors
    /// If the faces differ, or the neutral one does not accept the scene.
    pub fn measure(scene: Scene, tell: impl Fn(&Self)) -> Result<(), String> {
        let mut host = Host::new(scene);
        host.insert_all();
        host.advance();
        let mut neutral = Neutral::new(&host)?;
        for count in threads::COUNTS {
            threads::set(count);
            tell(&Self::with_threads(count, &mut host, &mut neutral)?);
        }
        Ok(())
    }

    fn with_threads(threads: usize, host: &mut Host, neutral: &mut Neutral) -> Result<Self, String> {
        let before = compared(host, neutral)?;
        let (mut times, mut sets, mut allocations) = ([vec![], vec![]], vec![], 0);
        let start = Instant::now();
        for turn in 0.. {
            let counted = times[LEGACY].len();
            if counted >= LEAST && (start.elapsed() >= ENOUGH || counted >= MOST) {
                break;
            }
            host.advance();
            let states = host.states();
            let (set, result) = time(|| neutral.follow(host.scene(), &states));
            result?;
            let mut update = [Duration::ZERO; 2];
            for face in if turn % 2 == 0 { [NEUTRAL, LEGACY] } else { [LEGACY, NEUTRAL] } {
                let before = allocator::allocations();
                let (elapsed, result) = match face {
                    NEUTRAL => time(|| neutral.update()),
                    _ => time(|| {
                        host.update();
                        Ok(())
                    }),
                };
                result?;
                if face == NEUTRAL && turn >= WARM_UP {
                    allocations = allocations.max(allocator::allocations() - before);
                }
                update[face] = elapsed;
            }
            if turn >= WARM_UP {
                sets.push(set);
                times.iter_mut().zip(update).for_each(|(times, update)| times.push(update));
            }
        }
        let difference = compared(host, neutral)?.max(before);
        let rows = neutral.rows()?;
        Ok(Self {
            constraints: host.constraint_count(),
            threads,
            blocks: [rows.w.columns().len() - rows.ids.len(), host.block_count()],
            pairs: [(rows.w.columns().len() - rows.ids.len()) / 2, pairs(host)],
            least: [NEUTRAL, LEGACY].map(|face| times[face].iter().copied().min().unwrap_or_default()),
            update: times.map(|times| median(&times)),
            set: median(&sets),
            allocations,
            difference,
        })
    }
}

/// The next step in both, and the largest relative difference between what they make of it.
fn compared(host: &mut Host, neutral: &mut Neutral) -> Result<f64, String> {
    host.advance();
    neutral.follow(host.scene(), &host.states())?;
    host.update();
    neutral.update()?;
    agreement::difference(host, &neutral.rows()?)
}

/// Pairs of different rows that have blocks in the legacy face, however many.
fn pairs(host: &Host) -> usize {
    let neighbours = |row| {
        // SAFETY: the block is live, and nobody writes it now.
        let neighbours = host.blocks(row).map(|block| unsafe { (*block).dia });
        neighbours.collect::<HashSet<_>>().len()
    };
    host.rows().map(neighbours).sum::<usize>() / 2
}

fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let result = work();
    (start.elapsed(), result)
}

impl fmt::Display for Beside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let [update, legacy] = self.update.map(milliseconds);
        let [least, least_legacy] = self.least.map(milliseconds);
        let ([blocks, legacy_blocks], [pairs, legacy_pairs]) = (self.blocks, self.pairs);
        write!(
            f,
            "constraints={} blocks={blocks} update_ms={update:.4} legacy_update_ms={legacy:.4} over_legacy={:.3} threads={} \
             set_ms={:.4} least_update_ms={least:.4} least_legacy_update_ms={least_legacy:.4} legacy_blocks={legacy_blocks} \
             pairs={pairs} legacy_pairs={legacy_pairs} allocations_per_update={} difference={:.1e}",
            self.constraints,
            update / legacy,
            self.threads,
            milliseconds(self.set),
            self.allocations,
            self.difference,
        )
    }
}

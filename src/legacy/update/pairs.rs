//! The pairs of blocks as pairs of a scene, in the order in which they lie in memory.

use std::ops::Range;

use crate::assembly::panel::{Panel, RIGID};
use crate::assembly::update::pairs::{Coupling, Pair, Pairs};
use crate::legacy::culprit;
use crate::legacy::fault::Error;
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::rows::{self, Run, WORD};
use crate::prefetch::fetch;
use crate::threads::Deal;

/// Words of pairs that a thread takes at a time.
pub const PART: usize = 512 / WORD;

/// Which blocks are made.
#[derive(Clone, Copy)]
pub struct Wanted {
    /// For [`UpdateKind::Penalty`] only those in rows that are no contacts.
    pub kind: UpdateKind,
    /// Whether blocks of operators that have not changed are left as they are.
    pub reuse: bool,
    /// Whether second blocks of two rows through one body are zero.
    pub once: bool,
}

/// All blocks: what most updates want.
pub const ALL: u8 = 0;
/// All blocks that have changed.
pub const CHANGED: u8 = 1;
/// Whatever is [`Wanted`].
pub const AS_WANTED: u8 = 2;

/// Some words of a run of pairs. Compiled for [`ALL`], for [`CHANGED`] and for [`AS_WANTED`], so that the loop does
/// not ask each pair what is known beforehand.
#[derive(Clone)]
pub struct HostPairs<'a, const CHOICE: u8> {
    run: &'a Run<'a, rows::Pair>,
    words: Range<usize>,
    wanted: Wanted,
}

impl<'a, const CHOICE: u8> HostPairs<'a, CHOICE> {
    /// All pairs of a run; what is wanted agrees with `CHOICE`.
    ///
    /// # Safety
    /// The pairs and their rows are live, the constraints of the rows valid; pairs are this value's alone during `'a`.
    pub unsafe fn new(run: &'a Run<'a, rows::Pair>, wanted: Wanted) -> Self {
        Self { run, words: 0..run.words(), wanted }
    }
}

// SAFETY: parts of disjoint ranges are different words, and those stand for different pairs.
unsafe impl<const CHOICE: u8> Deal for HostPairs<'_, CHOICE> {
    type Shared = Self;

    fn count(&self) -> usize {
        self.words.len()
    }

    fn shared(self) -> Self {
        self
    }

    unsafe fn part(shared: &Self, range: Range<usize>) -> Self {
        Self { words: shared.words.start + range.start..shared.words.start + range.end, ..shared.clone() }
    }
}

impl<const CHOICE: u8> Pairs for HostPairs<'_, CHOICE> {
    type Name = *mut rows::Pair;
    type Fault = Error;

    const IN_ROWS: bool = false;

    #[inline(always)]
    fn each(&mut self, panels: &[Panel], mut make: impl FnMut(Pair<'_, *mut rows::Pair>)) {
        let Self { run, words, wanted } = self.clone();
        let mut coming = run.part(words.clone());
        for pair in coming.by_ref().take(AHEAD) {
            // SAFETY: a chunk in use is a pair, and none has been handed out yet.
            unsafe { fetch_operators(pair, panels) };
        }
        let Wanted { kind, reuse, once } = match CHOICE {
            AS_WANTED => wanted,
            _ => Wanted { kind: UpdateKind::All, reuse: CHOICE == CHANGED, once: false },
        };
        for name in run.part(words) {
            if let Some(ahead) = coming.next() {
                // SAFETY: a chunk in use is a pair, and this one has not been handed out yet.
                unsafe { fetch_operators(ahead, panels) };
            }
            // SAFETY: a chunk in use is a pair, and each is handed out once.
            let pair = unsafe { &mut *name };
            if (kind == UpdateKind::All || !pair.is_of_contacts()) && (!reuse || !is_unchanged(panels, pair))
            {
                make(blocks_of(name, pair, kind, once));
            }
        }
    }

    #[cold]
    fn fault(&self, pair: *mut rows::Pair) -> Error {
        // SAFETY: a live pair of live rows with valid constraints is promised to HostPairs::new.
        unsafe {
            culprit::of_blocks_between(rows::Pair::rows(pair).map(|row| (*row).public.con.cast_const()))
        }
    }
}

/// How many pairs ahead to prefetch operators.
const AHEAD: usize = 8;
/// How many pairs ahead in memory to prefetch pairs.
const FURTHER: usize = 16;

/// Prefetch the operators that a pair needs, and a pair further on.
///
/// # Safety
/// The pair is live, and nobody writes it meanwhile.
#[inline(always)]
unsafe fn fetch_operators(pair: *const rows::Pair, panels: &[Panel]) {
    // SAFETY: the caller promises a live pair.
    if let Some(Coupling { body, row, column }) = unsafe { (*pair).coupling() } {
        for slot in [row, column] {
            fetch(panels[body].place(slot).cast::<[f64; RIGID]>());
        }
    }
    fetch(pair.wrapping_add(FURTHER));
}

/// What is wanted of a pair: its second blocks not twice, for [`UpdateKind::Penalty`] none of contacts.
#[inline(always)]
fn blocks_of(
    name: *mut rows::Pair,
    pair: &mut rows::Pair,
    kind: UpdateKind,
    once: bool,
) -> Pair<'_, *mut rows::Pair> {
    let coupling = if once && pair.is_repeated() { None } else { pair.coupling() };
    let [block, transpose] = pair.blocks();
    let wanted = |(block, is_contact): (_, bool)| {
        if kind == UpdateKind::All || !is_contact { Some(block) } else { None }
    };
    Pair { name, couplings: [coupling, None], block: wanted(block), transpose: wanted(transpose) }
}

/// Whether a pair has the blocks that its operators make. For repeated pairs nothing records what was wanted before.
fn is_unchanged(panels: &[Panel], pair: &rows::Pair) -> bool {
    match pair.coupling() {
        Some(Coupling { body, row, column }) if !pair.is_repeated() => {
            !panels[body].has_changed(row) && !panels[body].has_changed(column)
        }
        _ => false,
    }
}

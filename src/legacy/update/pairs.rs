//! The blocks of all pairs.

use std::ops::Range;

use crate::assembly::pairs::{self, Coupling, Pair};
use crate::assembly::panel::{Panel, RIGID};
use crate::block::lanes::{Level, Work, at_best};
use crate::first_error::FirstError;
use crate::legacy::culprit;
use crate::legacy::errors::{Carried, Code};
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::options;
use crate::legacy::prefetch::fetch;
use crate::legacy::rows::{self, Module, Run, WORD};
use crate::threads::Team;

use super::disjoint::part;

/// Words of pairs a thread takes at a time.
const WORDS: usize = 512 / WORD;

/// The blocks of all pairs, in the order in which they lie in memory; for [`UpdateKind::Penalty`] only those in rows
/// that are no contacts. With `reuse` blocks of operators that have not changed are left as they are. The panels of all
/// bodies are complete, and the diagonal blocks finite.
///
/// # Errors
/// [`Code::BugFound`] if a block is not finite.
///
/// # Safety
/// The constraints of all rows are valid, their bodies NULL or valid.
pub unsafe fn assemble(
    module: &mut Module,
    kind: UpdateKind,
    reuse: bool,
    team: &mut Team,
) -> Result<(), Code> {
    let once = options::self_contact_once();
    let panels = &module.bodies.panels[..];
    for run in module.pairs.runs() {
        let first_error = FirstError::default();
        team.share(run.words().div_ceil(WORDS), &|_, number| {
            let words = part(number, WORDS, run.words());
            let part = Part { run: &run, words, panels, kind, reuse, once };
            if let Err(pair) = at_best(part) {
                // SAFETY: the pair is live, so are its rows; the caller promises valid constraints.
                first_error.note(number, Carried::last(unsafe { not_finite(pair) }));
            }
        });
        first_error.into_result().map_err(Carried::raise)?;
    }
    Ok(())
}

/// # Safety
/// The pair and its rows are live, their constraints valid.
#[cold]
unsafe fn not_finite(pair: *mut rows::Pair) -> Code {
    // SAFETY: the caller promises live rows with valid constraints.
    unsafe { culprit::of_blocks_between(rows::Pair::rows(pair).map(|row| (*row).face.con.cast_const())) }
}

/// Some pairs to be assembled: chunks in use, which are pairs. Each part is done once, by one thread.
struct Part<'a> {
    run: &'a Run<'a, rows::Pair>,
    words: Range<usize>,
    panels: &'a [Panel],
    kind: UpdateKind,
    reuse: bool,
    once: bool,
}

impl Work for Part<'_> {
    /// The first pair whose block is not finite.
    type Output = Result<(), *mut rows::Pair>;

    #[inline(always)]
    fn at<L: Level>(self, level: L) -> Self::Output {
        let Self { run, words, panels, kind, reuse, once } = self;
        let mut coming = run.part(words.clone());
        let mut fetch_next = || {
            if let Some(pair) = coming.next() {
                // SAFETY: a chunk in use is a pair, and this one has not been handed out yet.
                unsafe { fetch_operators(pair, panels) };
            }
        };
        (0..AHEAD).for_each(|_| fetch_next());
        let pairs = run.part(words).inspect(
            #[inline(always)]
            |_| fetch_next(),
        );
        let stale = pairs.filter(
            #[inline(always)]
            |&pair| {
                // SAFETY: a chunk in use is a pair, and each is handed out once.
                let pair = unsafe { &*pair };
                (kind == UpdateKind::All || !pair.is_of_contacts()) && (!reuse || !is_unchanged(panels, pair))
            },
        );
        let wanted = stale.map(
            #[inline(always)]
            // SAFETY: as above.
            |pair| wanted(pair, unsafe { &mut *pair }, kind, once),
        );
        pairs::assemble(
            level,
            #[inline(always)]
            |body| &panels[body],
            wanted,
        )
    }
}

/// How many pairs ahead operators are asked for.
const AHEAD: usize = 8;
/// How many pairs further on in memory pairs are asked for.
const FURTHER: usize = 16;

/// Ask for the operators that a pair needs, and for a pair further on.
///
/// # Safety
/// The pair is live, and nobody writes it meanwhile.
#[inline(always)]
unsafe fn fetch_operators(pair: *const rows::Pair, panels: &[Panel]) {
    // SAFETY: promised by the caller.
    if let Some(Coupling { body, row, column }) = unsafe { (*pair).coupling() } {
        for slot in [row, column] {
            fetch(panels[body].place(slot).cast::<[f64; RIGID]>());
        }
    }
    fetch(pair.wrapping_add(FURTHER));
}

/// What is wanted of a pair: its second blocks not twice, for [`UpdateKind::Penalty`] none of contacts.
#[inline(always)]
fn wanted(
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
    Pair { name, coupling, block: wanted(block), transpose: wanted(transpose) }
}

/// Whether a pair has the blocks that its operators make. Of repeated pairs nobody knows what was wanted before.
fn is_unchanged(panels: &[Panel], pair: &rows::Pair) -> bool {
    match pair.coupling() {
        Some(Coupling { body, row, column }) if !pair.is_repeated() => {
            !panels[body].has_changed(row) && !panels[body].has_changed(column)
        }
        _ => false,
    }
}

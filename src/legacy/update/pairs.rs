//! The blocks of all pairs.

use std::mem;

use crate::assembly::pairs::{self, Coupling, Pair};
use crate::assembly::panel::{Panel, RIGID};
use crate::block::lanes::{Level, Work, at_best};
use crate::legacy::host::domain::UpdateKind;
use crate::legacy::options;
use crate::legacy::prefetch::fetch;
use crate::legacy::rows::{self, Module, WORD};
use crate::threads::Team;

use super::disjoint::{Read, part};

/// Words of pairs a thread takes at a time.
const WORDS: usize = 512 / WORD;

/// The blocks of all pairs, in the order in which they lie in memory; for [`UpdateKind::Penalty`] only those in rows
/// that are no contacts. With `reuse` blocks of operators that have not changed are left as they are. The panels of all
/// bodies are complete.
pub fn assemble(module: &mut Module, kind: UpdateKind, reuse: bool, team: &Team) {
    let once = options::self_contact_once();
    let panels = Read(&module.bodies.panels);
    for run in module.pairs.runs() {
        team.share(run.words().div_ceil(WORDS), &|_, number| {
            let words = part(number, WORDS, run.words());
            // SAFETY: a chunk in use is a pair, and each part is done once, by one thread.
            let live = run.part(words).map(
                #[inline(always)]
                |chunk| unsafe { &mut *chunk.cast::<rows::Pair>() },
            );
            at_best(Part { pairs: live, panels: panels.get(), kind, reuse, once });
        });
    }
}

/// Some pairs to be assembled.
struct Part<'a, P> {
    pairs: P,
    panels: &'a [Panel],
    kind: UpdateKind,
    reuse: bool,
    once: bool,
}

impl<'p, P: Iterator<Item = &'p mut rows::Pair>> Work for Part<'_, P> {
    type Output = ();

    #[inline(always)]
    fn at<L: Level>(self, level: L) {
        let Self { pairs, panels, kind, reuse, once } = self;
        let stale = pairs.filter(
            #[inline(always)]
            |pair| !reuse || !is_unchanged(panels, pair),
        );
        let wanted = stale.map(
            #[inline(always)]
            |pair| wanted(pair, kind, once),
        );
        pairs::assemble(
            level,
            #[inline(always)]
            |body| &panels[body],
            Ahead { pairs: wanted, panels, waiting: [const { None }; AHEAD], turn: 0 },
        );
    }
}

/// How many pairs ahead operators are asked for.
const AHEAD: usize = 8;
/// How many pairs further on in memory pairs are asked for.
const FURTHER: usize = 16;

/// Pairs in their order, each asked for some places ahead together with the operators that it needs.
struct Ahead<'a, P> {
    pairs: P,
    panels: &'a [Panel],
    /// From the place whose turn it is on, and again from the first.
    waiting: [Option<Pair<'a>>; AHEAD],
    turn: usize,
}

impl<'a, P: Iterator<Item = Pair<'a>>> Iterator for Ahead<'a, P> {
    type Item = Pair<'a>;

    #[inline(always)]
    fn next(&mut self) -> Option<Pair<'a>> {
        loop {
            let entering = self.pairs.next();
            let is_last = entering.is_none();
            if let Some(Pair { coupling: Some(Coupling { body, row, column }), block, .. }) = &entering {
                for slot in [*row, *column] {
                    fetch(self.panels[*body].place(slot).cast::<[f64; RIGID]>());
                }
                if let Some(block) = block {
                    fetch((&raw const **block).cast::<rows::Pair>().wrapping_add(FURTHER));
                }
            }
            let leaving = mem::replace(&mut self.waiting[self.turn % AHEAD], entering);
            self.turn += 1;
            if leaving.is_some() {
                return leaving;
            }
            if is_last && self.waiting.iter().all(Option::is_none) {
                return None;
            }
        }
    }
}

/// What is wanted of a pair: its second blocks not twice, for [`UpdateKind::Penalty`] none of contacts.
#[inline(always)]
fn wanted(pair: &mut rows::Pair, kind: UpdateKind, once: bool) -> Pair<'_> {
    let coupling = if once && pair.is_repeated() { None } else { pair.coupling() };
    let [block, transpose] = pair.blocks();
    let wanted = |(block, is_contact): (_, bool)| {
        if kind == UpdateKind::All || !is_contact { Some(block) } else { None }
    };
    Pair { coupling, block: wanted(block), transpose: wanted(transpose) }
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
